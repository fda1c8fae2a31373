//! Packages of mobile apps: what their manifest says, who signed them, and the texts that are inside. Reads bytes that
//! it is handed, hostile ones too; sends nothing, runs no other program, and verifies no signature.

mod android;
mod archive;
mod bundle;
mod bytes;
mod certificate;
mod element;
mod error;
mod hermes;
mod ios;
mod network_security;
mod piece;
mod plist;
mod resources;
mod signature;
mod strings;
mod table;
mod utf16;
mod value;

pub use android::{Android, Component, ComponentKind, DeclaredPermission, DeepLink};
pub use certificate::Certificate;
pub use error::AppError;
pub use ios::Ios;
pub use network_security::{CleartextDomain, NetworkSecurity};
pub use piece::Piece;
pub use signature::{Scheme, Signatures};

use archive::Archive;
use error::Result;
use serde::{Deserialize, Serialize};

/// Bytes of the largest package that is read: stores take up to 4 GiB, but hardly any app is larger than this.
pub const PACKAGE_BYTES_MAX: usize = 512 * 1_024 * 1_024;
/// Packages inside one package that are read: the parts of a bundle for several screens and languages, some hundred
/// where it is made for all of them.
const INNER_MAX: usize = 200;

/// What is done with each text.
type Look<'a> = dyn FnMut(&Piece<'_>) + 'a;

/// How an app is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// An installable package of Android.
    Apk,
    /// An Android App Bundle, as it is handed to the store.
    Aab,
    /// Several APKs of one app in one archive.
    Xapk,
    /// A package of iOS.
    Ipa,
}

/// What an app says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum App {
    /// An app for Android.
    Android(Android),
    /// An app for iOS.
    Ios(Ios),
}

/// What was read of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// How it is packed.
    pub format: Format,
    /// The app that the package declares.
    pub app: App,
    /// Members that were too large or too broken to be looked through.
    pub skipped: Vec<String>,
    /// What was not kept because there is more of it than of any real app, a sentence each.
    pub left_out: Vec<String>,
}

/// Reads a package and hands each text in it to `look`. Fails if the bytes are no package of an app, or a broken one,
/// or they unpack to more than is read of any.
pub fn read(bytes: &[u8], look: &mut dyn FnMut(&Piece<'_>)) -> Result<Package> {
    let mut archive = open(bytes)?;
    let (format, app) = read_app(&mut archive, Some(look))?;
    strings::of_members(&mut archive, "", look)?;
    let (skipped, left_out) = archive.into_skipped();
    Ok(Package { format, app, skipped, left_out })
}

/// Reads what the app in a package says of itself, and not the texts inside. Fails if the bytes are no package of an
/// app, or a broken one, or they unpack to more than is read of any.
pub fn identify(bytes: &[u8]) -> Result<App> {
    read_app(&mut open(bytes)?, None).map(|(_, app)| app)
}

fn open(bytes: &[u8]) -> Result<Archive<'_>> {
    if bytes.len() > PACKAGE_BYTES_MAX {
        return Err(AppError::TooLarge(format!("it has more than {} MiB", PACKAGE_BYTES_MAX / 1_024 / 1_024)));
    }
    Archive::open(bytes)
}

/// Reads the manifest of an app. The texts of nested packages are passed on only if there is a listener.
fn read_app(archive: &mut Archive<'_>, look: Option<&mut Look<'_>>) -> Result<(Format, App)> {
    let nobody: &mut Look<'_> = &mut |_| ();
    let is_whole = look.is_some();
    let look = look.unwrap_or(nobody);
    Ok(if archive.has(android::MANIFEST) {
        (Format::Apk, App::Android(android::of_apk(archive, look)?))
    } else if archive.has(android::BUNDLE_MANIFEST) {
        (Format::Aab, App::Android(android::of_bundle(archive, look)?))
    } else if let Some(folder) = ios::folder(archive) {
        (Format::Ipa, App::Ios(ios::of_ipa(archive, &folder, look)?))
    } else {
        (Format::Xapk, App::Android(of_parts(archive, is_whole, look)?))
    })
}

/// Reads an archive of several APKs. The one that the others belong to says what the app is.
fn of_parts(archive: &mut Archive<'_>, is_whole: bool, look: &mut Look<'_>) -> Result<Android> {
    let parts: Vec<String> = archive.names().filter(|name| name.ends_with(".apk")).map(str::to_owned).collect();
    if parts.len() > INNER_MAX {
        return Err(AppError::TooLarge(format!("more than {INNER_MAX} packages inside")));
    }
    let has_v4 = archive.names().any(|name| name.ends_with(".apk.idsig"));
    let mut base: Option<Android> = None;
    for part in &parts {
        let bytes = archive.get(part)?;
        let mut inner = Archive::inside(&bytes, archive)?;
        if !inner.has(android::MANIFEST) {
            return Err(AppError::Broken(format!("{part} has no manifest")));
        }
        let android = android::of_apk(&mut inner, look)?;
        if is_whole {
            strings::of_members(&mut inner, part, look)?;
        }
        archive.take_back(inner);
        if base.is_none() || !android.is_split {
            base = Some(android);
        }
    }
    let mut base = base.ok_or_else(|| AppError::NotAnApp("it holds no manifest and no package".into()))?;
    if has_v4 {
        base.signatures.add_v4();
    }
    Ok(base)
}
