//! The query languages: untrusted text to a small typed tree. Pure: no clock, no files, no network.
//!
//! [`parse_search`] reads the keyword language of the search endpoints; its keywords are the rows of
//! [`keywords::KEYWORDS`]. Running a tree is the business of the search and store crates. The language of
//! graph searches is in [`graphs`], that of intelligence searches in [`intelligence`]: both have the grammar of
//! [`Boolean`] and conditions of their own. The filters of hunting are in [`hunting`].

mod boolean;
mod date;
mod error;
pub mod graphs;
pub mod hunting;
pub mod intelligence;
pub mod keywords;
mod lexer;
mod range;
mod search;
mod version_range;

pub use boolean::Boolean;
pub use date::{TimeValue, moment};
pub use error::QueryError;
pub use keywords::{Comparison, Keyword, Noun, ValueType};
pub use range::Range;
pub use search::{Clause, Search, UnknownKeyword, Value, parse_search};
pub use version_range::{Sign, VersionRange};

/// Longest query in bytes: a search for the 64 digits of each of 400 ids fits, of which connectors send a page's, and a
/// request line still does.
pub const QUERY_BYTES_MAX: usize = 32 * 1024;

/// Most terms of one query: above what 32 KiB of real terms hold, below what makes a slow search.
pub const TERMS_MAX: usize = 1_024;

/// Most distinct keywords of one query; more than there are, so that it only bounds later languages.
pub(crate) const CLAUSES_MAX: usize = 64;
