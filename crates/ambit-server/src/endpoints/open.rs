//! The rows that everybody may call, without a key: health, version, documents, signed addresses. The list of them
//! stands in a test as well.

use crate::endpoint::Access::Open;
use crate::endpoint::{Endpoint, get, handler, post};

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/livez", Open, handler!(open::live)).at_once(),
    get("/readyz", Open, handler!(open::ready)).at_once(),
    get("/version", Open, handler!(open::version)).at_once(),
    get("/openapi.json", Open, handler!(open::openapi)).at_once(),
    get("/.well-known/probing.txt", Open, handler!(open::probing)).at_once(),
    post("/first_key", Open, handler!(keys::redeem)),
    get("/downloads/{token}", Open, handler!(wider::files::signed)),
    get("/downloads/archives/{token}", Open, handler!(wider::archives::signed)),
    get("/docs", Open, handler!(open::page)).at_once(),
    get("/docs/page.js", Open, handler!(open::script)).at_once(),
    get("/docs/page.css", Open, handler!(open::style)).at_once(),
];
