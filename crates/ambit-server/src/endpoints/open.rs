//! The rows that everybody may call, without a key: health, version, documents, signed addresses. The list of them
//! stands in a test as well.

use crate::endpoint::Access::Open;
use crate::endpoint::{Endpoint, get, handler, post};
use crate::routes;
use ambit_api::envelope::Version;
use ambit_api::shape::{ANY, BOOLEAN};
use ambit_api::{Contract, keys};

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/livez", Open, handler!(open::live)).says("Say that the process is alive.").at_once().answers(BOOLEAN),
    get("/readyz", Open, handler!(open::ready))
        .says("Say whether requests can be answered.")
        .at_once()
        .answers(BOOLEAN),
    get("/version", Open, handler!(open::version))
        .says("Say which program and version this is.")
        .at_once()
        .answers(Version::SHAPE),
    get("/openapi.json", Open, handler!(open::openapi)).says("This document.").at_once().answers(ANY),
    get("/.well-known/probing.txt", Open, handler!(open::probing))
        .says("Explain to those whom runs contact what these are and whom to ask (RFC 9511).")
        .as_type("text/plain; charset=utf-8")
        .at_once(),
    post("/first_key", Open, handler!(keys::redeem))
        .says("Exchange the one-time token of a fresh installation for its owner's API key.")
        .takes(keys::KeyToken::SHAPE)
        .answers(keys::IssuedKey::SHAPE),
    get("/downloads/{token}", Open, handler!(wider::files::signed))
        .says("Download a file by the signed address of /files/{id}/download_url.")
        .as_type("application/octet-stream"),
    get("/downloads/archives/{token}", Open, handler!(wider::archives::signed))
        .says("Download an archive by the signed address of /intelligence/zip_files/{id}/download_url.")
        .as_type(routes::wider::archives::TYPE),
    get("/docs", Open, handler!(open::page))
        .says("A page to read and try the API, without the network.")
        .as_type("text/html; charset=utf-8")
        .at_once(),
    get("/docs/page.js", Open, handler!(open::script))
        .says("The program of that page.")
        .as_type("text/javascript; charset=utf-8")
        .at_once(),
    get("/docs/page.css", Open, handler!(open::style))
        .says("The style of that page.")
        .as_type("text/css; charset=utf-8")
        .at_once(),
];
