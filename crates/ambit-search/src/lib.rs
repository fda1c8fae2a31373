//! The only crate that knows a search engine. Derived from the store's change feed, rebuilt whenever in doubt.
//!
//! [`Index`] holds one document for each entity, issue and technology; [`Index::search`] runs a query tree of
//! `ambit-query` on it. [`follow`] keeps it up to the store. The document's shape is the table in `fields.rs`.

mod aggregations;
mod background;
mod condition;
mod document;
mod elastic;
mod embedded;
mod error;
mod fields;
pub mod graphs;
mod index;
mod indexer;
mod ready;
mod running;
mod search;
mod shape;
#[cfg(test)]
mod tests;
mod walks;

pub use condition::{CHANGE, CollectionContext, SearchContext, Window};
pub use document::{Batch, IndexedRecord, Record};
pub use error::{IndexError, SearchError};
pub use index::Index;
pub use indexer::{ask_for, ask_rebuild, catch_up, follow, follow_where_asked, is_rebuilt, rebuild};
pub use search::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, SearchAnswer, SearchRequest, TIME_LIMIT};
pub use walks::Caller;
