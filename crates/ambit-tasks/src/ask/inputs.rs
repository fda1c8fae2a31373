//! What a task that only derives was given, as a short text: where something else is given, that is another argument,
//! and so another probe.

use ambit_model::Details;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of a digest: among the states of one entity no two share them.
const DIGITS: usize = 16;

/// A digest of a value.
pub(crate) fn digest(value: &impl Serialize) -> String {
    let text = serde_json::to_vec(value).unwrap_or_default();
    hex::encode(Sha256::digest(text))[..DIGITS].to_owned()
}

/// Some members of details, in their place.
pub(crate) fn members<'a>(details: &'a Details, names: &[&'static str]) -> Vec<(&'static str, Option<&'a Value>)> {
    names.iter().map(|name| (*name, details.get(*name))).collect()
}
