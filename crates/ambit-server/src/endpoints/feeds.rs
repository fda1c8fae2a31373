//! The rows of the feeds (docs/contract/wider.md §7): for whoever has their licence, at no cost.

use super::wider::metered;
use crate::endpoint::Method::Get;
use crate::endpoint::{Endpoint, as_type};
use crate::quota::rules;
use crate::rights::Right;
use crate::routes::wider::feeds;
use ambit_api::shape::ANY;

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    as_type(feeds::TYPE, metered(Get, "/feeds/{feed}/{time}", &rules::FEEDS, Right::Feeds, "Read what changed in the minute YYYYMMDDhhmm: bzip2 of one object a line. The feeds are files, urls, domains, ip_addresses and file_behaviours.", ANY, |call| Box::pin(feeds::minute(call)))),
    as_type(feeds::TYPE, metered(Get, "/feeds/{feed}/hourly/{time}", &rules::FEEDS, Right::Feeds, "Read what changed in the hour YYYYMMDDhh: bzip2 of an archive (tar) with a file for each minute.", ANY, |call| Box::pin(feeds::hour(call)))),
    as_type("application/octet-stream", metered(Get, "/feeds/files/{token}/download", &rules::FEEDS, Right::Feeds, "Download a file of a batch.", ANY, |call| Box::pin(feeds::download(call)))),
];
