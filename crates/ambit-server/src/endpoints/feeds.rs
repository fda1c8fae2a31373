//! The rows of the feeds (docs/contract/wider.md §7): for whoever has their licence, at no cost.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler};
use crate::quota::rules;
use crate::rights::Right::Feeds;
use crate::routes::wider::feeds;

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/feeds/{feed}/{time}", Key, handler!(wider::feeds::minute))
        .says(
            "Read what changed in the minute YYYYMMDDhhmm: bzip2 of one object a line. The feeds are files, urls, \
             domains, \
             ip_addresses and file_behaviours.",
        )
        .costs(&rules::FEEDS)
        .needs(Feeds)
        .as_type(feeds::TYPE),
    get("/feeds/{feed}/hourly/{time}", Key, handler!(wider::feeds::hour))
        .says("Read what changed in the hour YYYYMMDDhh: bzip2 of an archive (tar) with a file for each minute.")
        .costs(&rules::FEEDS)
        .needs(Feeds)
        .as_type(feeds::TYPE),
    get("/feeds/files/{token}/download", Key, handler!(wider::feeds::download))
        .says("Download a file of a batch.")
        .costs(&rules::FEEDS)
        .needs(Feeds)
        .as_type("application/octet-stream"),
];
