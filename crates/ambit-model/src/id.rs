//! Identifiers and how they are derived (docs/architecture.md §1.1): equal inventories have equal identifiers
//! everywhere.

use crate::Kind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The SHA-256 that identifies an entity, an issue or a technology; 64 hexadecimal characters in the contract.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Uid([u8; 32]);

impl Ord for Uid {
    /// The order of the bytes. Nearly always the first sixteen decide, as one number.
    fn cmp(&self, other: &Self) -> Ordering {
        let half = |uid: &Self, from: usize| {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&uid.0[from..from + 16]);
            u128::from_be_bytes(bytes)
        };
        half(self, 0).cmp(&half(other, 0)).then_with(|| half(self, 16).cmp(&half(other, 16)))
    }
}

impl PartialOrd for Uid {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Uid {
    /// The uid of a text, which must be one of the forms below.
    fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// `<collection uuid>#Platform::Entity::<Kind>#<canonical name>`.
    pub fn of_entity(collection: Uuid, kind: Kind, name: &str) -> Self {
        Self::of(&format!("{collection}#{}#{name}", kind.type_name()))
    }

    /// `<collection uuid>#<name>#<upstream>#<discriminator>#<entity uid>`.
    pub fn of_issue(collection: Uuid, name: &str, upstream: &str, discriminator: &str, entity: Uid) -> Self {
        Self::of(&format!("{collection}#{name}#{upstream}#{discriminator}#{entity}"))
    }

    /// `<collection uuid>#<vendor>#<product>#<version>`.
    pub fn of_technology(collection: Uuid, vendor: &str, product: &str, version: &str) -> Self {
        Self::of(&format!("{collection}#{vendor}#{product}#{version}"))
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A uid from its 32 stored bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The record's uuid: its first 16 bytes with the version (8, custom) and variant bits of RFC 9562.
    pub fn uuid(&self) -> Uuid {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.0[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// The record's preferred integer id: 52 bits, so that JSON readers keep it exactly; the store takes the next free
    /// one on collision.
    pub fn integer(&self) -> i64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[16..24]);
        i64::try_from(u64::from_be_bytes(bytes) >> 12).expect("52 bits fit")
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not 64 hexadecimal characters.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a uid (64 hexadecimal characters): {0:?}")]
pub struct InvalidUid(String);

impl FromStr for Uid {
    type Err = InvalidUid;

    fn from_str(text: &str) -> Result<Self, InvalidUid> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| InvalidUid(text.chars().take(80).collect()))?;
        Ok(Self(bytes))
    }
}

impl Serialize for Uid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Uid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The id of a run: counted in the installation, in order of insertion.
pub type RunId = i64;

/// The SHA-256 of a blob's bytes, 64 hexadecimal characters.
pub type BlobHash = Uid;

/// The hash under which bytes are stored.
pub fn blob_hash(bytes: &[u8]) -> BlobHash {
    Uid(Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_uid_is_the_sha256_of_the_text_of_the_design() {
        let collection = Uuid::nil();
        let text = "00000000-0000-0000-0000-000000000000#Platform::Entity::Domain#acme.test";
        assert_eq!(
            Uid::of_entity(collection, Kind::Domain, "acme.test").to_string(),
            hex::encode(Sha256::digest(text.as_bytes()))
        );
    }

    #[test]
    fn integers_fit_52_bits_and_uids_round_trip() {
        let uid = Uid::of("x");
        assert!(uid.integer() < 1 << 52);
        assert_eq!(uid.to_string().parse::<Uid>(), Ok(uid));
        assert!("xyz".parse::<Uid>().is_err());
    }
}
