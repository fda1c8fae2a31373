//! How an Android package is signed, and by whom. Nothing is verified: an altered package names its signer as well.

use crate::archive::Archive;
use crate::bytes::{counted, place_at, u32_at};
use crate::certificate::Certificate;
use crate::error::{AppError, Result};
use serde::{Deserialize, Serialize};

/// What the signing block ends with, before the directory of the archive.
const MAGIC: &[u8] = b"APK Sig Block 42";
/// Entries of a signing block that are read.
const ENTRIES_MAX: usize = 100;
/// Signers of one scheme that are read; Android takes ten.
const SIGNERS_MAX: usize = 10;

/// Of a file of digests, where it rests on one that holds.
const STRONG_DIGESTS: &[&str] = &["SHA-256-Digest", "SHA-384-Digest", "SHA-512-Digest"];

/// A signature scheme of Android.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scheme {
    /// The signature of a Java archive, which covers members and not the archive.
    #[serde(rename = "v1")]
    V1,
    /// Over the whole archive, since Android 7.
    #[serde(rename = "v2")]
    V2,
    /// With a change of keys, since Android 9.
    #[serde(rename = "v3")]
    V3,
    /// With keys for later versions alone, since Android 13.
    #[serde(rename = "v3.1")]
    V31,
    /// In a file beside the package, since Android 11.
    #[serde(rename = "v4")]
    V4,
}

/// The signatures of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signatures {
    /// The schemes of which there is a signature.
    pub schemes: Vec<Scheme>,
    /// The certificates of the signers, each once.
    pub certificates: Vec<Certificate>,
    /// The v1 signature rests on MD5 or SHA-1.
    pub has_weak_digest: bool,
}

impl Signatures {
    /// Reads the signatures of a package. Fails if one of them is broken.
    pub(crate) fn of(archive: &mut Archive<'_>) -> Result<Self> {
        let mut found = Self::default();
        found.java(archive)?;
        for (number, value) in block(archive.before_directory())? {
            let scheme = match number {
                0x7109_871a => Scheme::V2,
                0xf053_68c0 => Scheme::V3,
                0x1b93_ad61 => Scheme::V31,
                _ => continue,
            };
            found.schemes.push(scheme);
            for der in certificates(value)? {
                found.add(der)?;
            }
        }
        found.schemes.sort();
        found.schemes.dedup();
        Ok(found)
    }

    /// Notes that a signature lies beside the package.
    pub(crate) fn add_v4(&mut self) {
        self.schemes.push(Scheme::V4);
    }

    fn add(&mut self, der: &[u8]) -> Result<()> {
        let certificate = Certificate::of(der)?;
        if !self.certificates.contains(&certificate) {
            self.certificates.push(certificate);
        }
        Ok(())
    }

    /// Reads what Java signs with: a file of digests, and a signature of it with the certificate.
    fn java(&mut self, archive: &mut Archive<'_>) -> Result<()> {
        let in_meta = |name: &&str, ends: &[&str]| {
            let rest = name.strip_prefix("META-INF/");
            rest.is_some_and(|rest| !rest.contains('/') && ends.iter().any(|end| rest.ends_with(end)))
        };
        let signed: Vec<String> = archive
            .names()
            .filter(|name| in_meta(name, &[".RSA", ".DSA", ".EC"]))
            .take(SIGNERS_MAX)
            .map(str::to_owned)
            .collect();
        for name in &signed {
            let digests = format!("{}.SF", name.rsplit_once('.').map_or("", |(stem, _)| stem));
            if !archive.has(&digests) {
                continue;
            }
            self.schemes.push(Scheme::V1);
            let text = String::from_utf8_lossy(&archive.get(&digests)?).into_owned();
            self.has_weak_digest |= !STRONG_DIGESTS.iter().any(|digest| text.contains(digest));
            let signature = archive.get(name)?;
            if let Some(der) = signed_with(&signature) {
                self.add(der)?;
            }
        }
        Ok(())
    }
}

/// Returns the entries of the signing block; none where there is no block.
fn block(before: &[u8]) -> Result<Vec<(u32, &[u8])>> {
    let Some(rest) = before.strip_suffix(MAGIC) else { return Ok(Vec::new()) };
    let broken = || AppError::Broken("the signing block does not fit its size".into());
    let size = place_at(rest, rest.len().checked_sub(8).ok_or_else(broken)?)?;
    let start = before.len().checked_sub(size).ok_or_else(broken)?;
    let mut left = before.get(start..rest.len() - 8).ok_or_else(broken)?;
    let mut entries = Vec::new();
    while left.len() >= 12 && entries.len() < ENTRIES_MAX {
        let length = place_at(left, 0)?;
        let entry = left.get(8..8 + length).filter(|entry| entry.len() >= 4).ok_or_else(broken)?;
        entries.push((u32_at(entry, 0)?, &entry[4..]));
        left = &left[8 + length..];
    }
    Ok(entries)
}

/// Returns the first certificate of each signer of a v2 or v3 signature.
fn certificates(value: &[u8]) -> Result<Vec<&[u8]>> {
    let (mut signers, _) = counted(value)?;
    let mut found = Vec::new();
    while !signers.is_empty() && found.len() < SIGNERS_MAX {
        let (signer, rest) = counted(signers)?;
        let (data, _) = counted(signer)?;
        let (_digests, after) = counted(data)?;
        let (chain, _) = counted(after)?;
        found.push(counted(chain)?.0);
        signers = rest;
    }
    Ok(found)
}

/// Returns the first certificate in a PKCS #7 signature.
fn signed_with(der: &[u8]) -> Option<&[u8]> {
    let (content, _) = inner(der, 0x30)?;
    let (_identifier, after) = inner(content, 0x06)?;
    let (explicit, _) = inner(after, 0xa0)?;
    let (data, _) = inner(explicit, 0x30)?;
    let (_version, after) = inner(data, 0x02)?;
    let (_digests, after) = inner(after, 0x31)?;
    let (_content, after) = inner(after, 0x30)?;
    let (certificates, _) = inner(after, 0xa0)?;
    let (_, rest) = inner(certificates, 0x30)?;
    Some(&certificates[..certificates.len() - rest.len()])
}

/// Returns what is inside an ASN.1 value of this kind, and what follows it.
fn inner(der: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (first, length) = (*der.first()?, usize::from(*der.get(1)?));
    let (from, length) = match length {
        0x81..=0x84 => {
            let digits = der.get(2..2 + (length & 0x7f))?;
            (2 + digits.len(), digits.iter().fold(0_usize, |sum, digit| (sum << 8) | usize::from(*digit)))
        }
        0x80.. => return None,
        _ => (2, length),
    };
    let end = from.checked_add(length)?;
    (first == kind).then_some((der.get(from..end)?, &der[end..]))
}
