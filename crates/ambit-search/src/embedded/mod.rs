//! The embedded engine: Tantivy. Its types stay in this folder.

mod assets;
mod checked;
mod collect;
mod document_set;
mod facets;
mod folder;
mod generation;
mod graph_fields;
mod graph_order;
mod graph_query;
mod graphs;
mod known;
mod query;
mod reading;
mod schema;
mod segment;
mod tokenizers;

pub(crate) use checked::Reached;
pub(crate) use collect::{Key, Order};
pub(crate) use folder::Folder;
pub(crate) use generation::{Found, Generation, Page, View};
pub(crate) use graph_order::GraphPages;
pub(crate) use graphs::{GraphMoment, Graphs};
