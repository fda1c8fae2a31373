//! The rows of the feeds (docs/contract/wider.md §7): for whoever has their licence, at no cost.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler};
use crate::quota::rules;
use crate::rights::Right::Feeds;

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/feeds/{feed}/{time}", Key, handler!(wider::feeds::minute)).costs(&rules::FEEDS).needs(Feeds),
    get("/feeds/{feed}/hourly/{time}", Key, handler!(wider::feeds::hour)).costs(&rules::FEEDS).needs(Feeds),
    get("/feeds/files/{token}/download", Key, handler!(wider::feeds::download)).costs(&rules::FEEDS).needs(Feeds),
];
