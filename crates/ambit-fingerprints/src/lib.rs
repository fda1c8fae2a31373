//! Fingerprints: products by what they leave in greetings, headers, cookies, pages, icons, certificates and records.
//! One engine for our own rules and for the packs that a user brings. Knows no network, no store, no files.
//!
//! A [`Subject`] is what one look saw, text by text; a [`Set`] says which products show in it. [`own()`] is the set of
//! our rules alone, [`with_packs`] adds those of files that [`load`] read.

mod go_pattern;
mod literals;
mod load;
mod nuclei;
mod own;
mod pack;
mod pattern;
mod place;
mod product;
mod recog;
mod relations;
mod rule;
mod set;
mod template;
mod values;
mod webappanalyzer;

#[cfg(test)]
mod tests;

pub use load::{PACK_BYTES_MAX, detect, load, may_begin};
pub use own::{edition, listed, own};
pub use pack::{LeftOut, Pack, PackError, PackKind};
pub use pattern::PatternError;
pub use place::{IconHash, Place, Subject};
pub use product::{Product, Shown, items};
pub use relations::join;
pub use set::{PATHS_MAX, Set};

/// Puts our own rules and those of packs together.
pub fn with_packs(packs: Vec<Pack>) -> Set {
    load::together(own::rules(), packs)
}
