//! The embedded engine: Tantivy. Its types stay in this folder.

mod collect;
mod facets;
mod folder;
mod generation;
mod query;
mod schema;
mod segment;
mod set;
mod tokenizers;

pub(crate) use collect::{Key, Order};
pub(crate) use folder::Folder;
pub(crate) use generation::{Found, Generation, Page, View};
