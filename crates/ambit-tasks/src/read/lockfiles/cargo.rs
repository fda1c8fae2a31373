//! Lock files of Cargo.

use super::blocks::blocks;
use ambit_model::entity::repository::Package;

/// What has no source is part of the workspace, and other registries have packages of their own.
pub(super) fn cargo(text: &str) -> Vec<Package> {
    blocks("crates.io", text, |members, _| CRATES.iter().any(|index| members.contains(index)))
}

/// How `Cargo.lock` names the public registry.
const CRATES: &[&str] = &[
    "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
    "source = \"sparse+https://index.crates.io/\"",
];
