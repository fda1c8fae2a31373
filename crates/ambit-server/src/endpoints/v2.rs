//! The rows of version 2 of the wider API (docs/contract/wider.md §8). Parameters stand in the query or in a form; the
//! key is one of them.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, Parameter, get, handler, post, text};
use crate::quota::rules;

// In the query or in the form, so that none is required.
const RESOURCES: &[Parameter] = &[
    text("resource", "Hashes (MD5, SHA-1, SHA-256) or scan ids, separated by commas; at most 25."),
    text("allinfo", "1: more about each file."),
];
const URL_RESOURCES: &[Parameter] = &[
    text("resource", "URLs, their SHA-256 or scan ids, each on a line; at most 25."),
    text("scan", "1: submit those that are not known."),
];
const URLS: &[Parameter] = &[text("url", "URLs, each on a line; at most 25.")];
const DOMAIN: &[Parameter] = &[text("domain", "A domain or host name.")];
const ADDRESS: &[Parameter] = &[text("ip", "An address.")];
const HASH: &[Parameter] = &[text("hash", "MD5, SHA-1 or SHA-256.")];
const COMMENTS: &[Parameter] =
    &[text("resource", "A hash or a URL."), text("before", "The date of a comment: those before it.")];
const COMMENT: &[Parameter] = &[text("resource", "A hash or a URL."), text("comment", "The text.")];
const QUERY: &[Parameter] = &[
    text("query", "What intelligence search takes, but for content."),
    text("offset", "The offset of the page before."),
];
const DATE: &[Parameter] = &[text("date", "A day, as YYYY-MM-DD.")];
/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/file/report", Key, handler!(v2::files::report)).costs(&rules::V2_REPORT).asks(RESOURCES),
    post("/file/report", Key, handler!(v2::files::report)).only_reads().costs(&rules::V2_REPORT).asks(RESOURCES),
    post("/file/scan", Key, handler!(v2::files::scan)).reads_project().costs(&rules::V2_SCAN),
    get("/file/scan/upload_url", Key, handler!(v2::files::upload_url)).costs(&rules::V2_UPLOAD_URL),
    post("/file/rescan", Key, handler!(v2::files::rescan)).costs(&rules::V2_RESCAN).asks(RESOURCES),
    get("/file/submissions", Key, handler!(v2::files::submissions)).costs(&rules::V2_SUBMISSIONS).asks(RESOURCES),
    post("/file/submissions", Key, handler!(v2::files::submissions))
        .only_reads()
        .costs(&rules::V2_SUBMISSIONS)
        .asks(RESOURCES),
    get("/file/download", Key, handler!(v2::files::download)).costs(&rules::V2_DOWNLOAD).asks(HASH),
    get("/file/search", Key, handler!(v2::search::files)).costs(&rules::V2_FILE_SEARCH).asks(QUERY),
    post("/file/search", Key, handler!(v2::search::files)).only_reads().costs(&rules::V2_FILE_SEARCH).asks(QUERY),
    get("/file/behaviour", Key, handler!(v2::search::behaviour)).costs(&rules::V2_BEHAVIOUR).asks(HASH),
    get("/file/clusters", Key, handler!(v2::search::clusters)).costs(&rules::V2_CLUSTERS).asks(DATE),
    post("/url/scan", Key, handler!(v2::urls::scan)).costs(&rules::V2_URL_SCAN).asks(URLS),
    get("/url/report", Key, handler!(v2::urls::report)).costs(&rules::V2_URL_REPORT).asks(URL_RESOURCES),
    post("/url/report", Key, handler!(v2::urls::report)).only_reads().costs(&rules::V2_URL_REPORT).asks(URL_RESOURCES),
    get("/domain/report", Key, handler!(v2::objects::domain)).costs(&rules::V2_DOMAIN).asks(DOMAIN),
    get("/ip_address/report", Key, handler!(v2::objects::address)).costs(&rules::V2_ADDRESS).asks(ADDRESS),
    get("/comments/get", Key, handler!(v2::comments::get)).costs(&rules::V2_COMMENTS).asks(COMMENTS),
    post("/comments/put", Key, handler!(v2::comments::put)).costs(&rules::V2_COMMENTS).asks(COMMENT),
];
