//! The rows of version 2 of the wider API (docs/contract/wider.md §8). Parameters stand in the query or in a form; the
//! key is one of them.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler, post};
use crate::quota::rules;

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/file/report", Key, handler!(v2::files::report)).costs(&rules::V2_REPORT),
    post("/file/report", Key, handler!(v2::files::report)).only_reads().costs(&rules::V2_REPORT),
    post("/file/scan", Key, handler!(v2::files::scan)).reads_project().costs(&rules::V2_SCAN),
    get("/file/scan/upload_url", Key, handler!(v2::files::upload_url)).costs(&rules::V2_UPLOAD_URL),
    post("/file/rescan", Key, handler!(v2::files::rescan)).costs(&rules::V2_RESCAN),
    get("/file/submissions", Key, handler!(v2::files::submissions)).costs(&rules::V2_SUBMISSIONS),
    post("/file/submissions", Key, handler!(v2::files::submissions)).only_reads().costs(&rules::V2_SUBMISSIONS),
    get("/file/download", Key, handler!(v2::files::download)).costs(&rules::V2_DOWNLOAD),
    get("/file/search", Key, handler!(v2::search::files)).costs(&rules::V2_FILE_SEARCH),
    post("/file/search", Key, handler!(v2::search::files)).only_reads().costs(&rules::V2_FILE_SEARCH),
    get("/file/behaviour", Key, handler!(v2::search::behaviour)).costs(&rules::V2_BEHAVIOUR),
    get("/file/clusters", Key, handler!(v2::search::clusters)).costs(&rules::V2_CLUSTERS),
    post("/url/scan", Key, handler!(v2::urls::scan)).costs(&rules::V2_URL_SCAN),
    get("/url/report", Key, handler!(v2::urls::report)).costs(&rules::V2_URL_REPORT),
    post("/url/report", Key, handler!(v2::urls::report)).only_reads().costs(&rules::V2_URL_REPORT),
    get("/domain/report", Key, handler!(v2::objects::domain)).costs(&rules::V2_DOMAIN),
    get("/ip_address/report", Key, handler!(v2::objects::address)).costs(&rules::V2_ADDRESS),
    get("/comments/get", Key, handler!(v2::comments::get)).costs(&rules::V2_COMMENTS),
    post("/comments/put", Key, handler!(v2::comments::put)).costs(&rules::V2_COMMENTS),
];
