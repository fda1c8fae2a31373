//! Mobile apps: their names, and what is known of one.

use super::row::{Empty::Null, Row, contract, seen};
use super::{Kind, Member, mentioned, uri};
use crate::task::TaskName::AppPackage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the package says of itself: version, SDK levels, permissions, parts, network security, signers.
pub const PACKAGE: Member<Value> = Member::named("hidden_package");
/// How it is packed: `apk`, `aab`, `xapk` or `ipa`.
pub const FORMAT: Member<String> = Member::named("hidden_format");
/// The SHA-256 of the package, in hexadecimal digits.
pub const SHA256: Member<String> = Member::named("hidden_sha256");
/// Members of the package that were too large or broken and not looked through.
pub const SKIPPED: Member<Vec<String>> = Member::named("hidden_skipped");
/// What the package gives away.
pub const SECRETS: Member<Vec<PackedSecret>> = Member::named("hidden_secrets");

/// A secret in a package, at the first place where it stood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackedSecret {
    /// The secret, masked: the name of its `UniqueToken`.
    pub token: String,
    /// The service that gave it out.
    pub provider: String,
    /// The rule that found it.
    pub rule: String,
    /// Its form alone says little: what stands around it told.
    pub by_context: bool,
    /// The member of the package that it stands in.
    pub path: String,
}

/// What is known of an app.
pub(super) const MEMBERS: &[Row] = &[
    seen(PACKAGE, AppPackage),
    seen(FORMAT, AppPackage),
    seen(SHA256, AppPackage),
    seen(SKIPPED, AppPackage),
    seen(SECRETS, AppPackage),
];

/// The member of the package that names an address.
pub const FILE: Member<String> = Member::named("file");

/// What is known of an address that an app names.
pub(super) const ENDPOINT: &[Row] = &[
    contract(mentioned::ORIGIN, Null).by(AppPackage),
    contract(FILE, Null).by(AppPackage),
    contract(uri::SSL, Null).by(AppPackage),
];

impl Kind {
    /// The kinds of mobile apps.
    pub const APPS: &[Self] = &[Self::AndroidApp, Self::IosApp];
}

/// `org.example.app`: at least two parts of letters, digits, `-` and `_`. Letter case counts.
pub(super) fn name(text: &str) -> Result<String, &'static str> {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    match text.contains('.') && text.split('.').all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("it is no name of an app such as org.example.app"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_an_app_has_parts() {
        for (text, expected) in [
            ("org.example.app", true),
            ("com.Example.App-2_x", true),
            ("app", false),
            ("org..app", false),
            ("org.example/app", false),
            (".app", false),
        ] {
            for kind in Kind::APPS {
                assert_eq!(kind.canonical(text).is_ok(), expected, "{text}");
            }
        }
    }
}
