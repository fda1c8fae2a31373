//! Mobile apps: their names, and what is known of one.

use super::row::{Empty::Null, Row, contract, seen};
use super::{Kind, Member, mentioned, uri};
use crate::task::TaskName::{AppPackage, AppStore};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the package says of itself: version, SDK levels, permissions, parts, network security, signers.
pub const PACKAGE: Member<Value> = Member::named("hidden_package");
/// How it is packed: `apk`, `aab`, `xapk` or `ipa`.
pub const FORMAT: Member<String> = Member::named("hidden_format");
/// The SHA-256 of the package, in hexadecimal digits.
pub const SHA256: Member<String> = Member::named("hidden_sha256");
/// What of the package was not looked through or not kept, and why, a sentence each.
pub const SKIPPED: Member<Vec<String>> = Member::named("hidden_skipped");
/// What the package gives away.
pub const SECRETS: Member<Vec<PackedSecret>> = Member::named("hidden_secrets");

/// Projects of Firebase that the package names.
pub const FIREBASE: Member<Vec<FirebaseProject>> = Member::named("hidden_firebase");
/// Where a mirror had the package, and how it is told whether it has another one now.
pub const MIRRORED: Member<Mirrored> = Member::named("hidden_mirrored");
/// The stores that have it, an item for each, with what they say of it.
pub const STORES: Member<Vec<Listing>> = Member::named("hidden_stores");

/// An app in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The store: `apple_app_store`, `f_droid`, `google_play`.
    pub store: String,
    /// Its page there.
    pub url: Option<String>,
    pub title: Option<String>,
    /// Who makes it, as the store says.
    pub developer: Option<String>,
    /// The site of who makes it.
    pub developer_site: Option<String>,
    /// The version that the store gives out.
    pub version: Option<String>,
    /// The number of that version (Android).
    pub version_code: Option<String>,
    /// When that version was released.
    pub released: Option<String>,
    /// The oldest version of the system that it runs on.
    pub minimum_system: Option<String>,
}

/// The package of an app at a mirror.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirrored {
    pub url: String,
    /// How the mirror tells this package from others: the headers `ETag` and `Last-Modified`.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The versions that stores gave out then.
    pub versions: Vec<String>,
    /// Identifies the rules by which it was searched.
    pub rules: String,
    /// For each address that it names the member that does.
    pub addresses: BTreeMap<String, String>,
}

/// A secret in a package, at the first place where it stood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackedSecret {
    /// The secret, masked: the name of its `UniqueToken`.
    pub token: String,
    /// The service that gave it out.
    pub provider: String,
    /// The rule that found it.
    pub rule: String,
    /// The form alone is not specific; the context identified it.
    pub by_context: bool,
    /// The member of the package that it stands in.
    pub path: String,
}

/// A project of Firebase, in which an app keeps what its users have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct FirebaseProject {
    pub project: String,
    /// The URLs of its databases.
    pub databases: BTreeSet<String>,
    /// The names of its storage buckets, at Google.
    pub buckets: BTreeSet<String>,
}

/// What is known of an app.
pub(super) const MEMBERS: &[Row] = &[
    seen(PACKAGE, AppPackage),
    seen(FORMAT, AppPackage),
    seen(SHA256, AppPackage),
    seen(SKIPPED, AppPackage),
    seen(SECRETS, AppPackage),
    seen(FIREBASE, AppPackage),
    seen(MIRRORED, AppPackage),
    seen(STORES, AppStore),
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
