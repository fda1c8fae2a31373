//! The rows that everybody may call, without a key: health, version, documents, signed addresses. The list of them stands in a test as well.

use crate::endpoint::Access::Open;
use crate::endpoint::Method::{Get, Post};
use crate::endpoint::{Endpoint, as_type, beside, light, row, with_body};
use crate::mount::Tree;
use crate::routes;
use ambit_api::keys;
use ambit_api::shape::{ANY, BOOLEAN};

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    light(beside(Tree::Open, row(Get, "/livez", Open, "Say that the process is alive.", BOOLEAN, |call| Box::pin(routes::open::live(call))))),
    light(beside(Tree::Open, row(Get, "/readyz", Open, "Say whether requests can be answered.", BOOLEAN, |call| Box::pin(routes::open::ready(call))))),
    light(beside(Tree::Open, row(Get, "/version", Open, "Say which program and version this is.", &routes::open::VERSION, |call| Box::pin(routes::open::version(call))))),
    light(beside(Tree::Open, row(Get, "/openapi.json", Open, "This document.", ANY, |call| Box::pin(routes::open::openapi(call))))),
    with_body(&keys::KEY_TOKEN, beside(Tree::Open, row(Post, "/first_key", Open, "Exchange the one-time token of a fresh installation for its owner's API key.", &keys::ISSUED_KEY, |call| Box::pin(routes::keys::redeem(call))))),
    as_type("application/octet-stream", beside(Tree::Open, row(Get, "/downloads/{token}", Open, "Download a file by the signed address of /files/{id}/download_url.", ANY, |call| Box::pin(routes::wider::files::signed(call))))),
    as_type(routes::wider::archives::TYPE, beside(Tree::Open, row(Get, "/downloads/archives/{token}", Open, "Download an archive by the signed address of /intelligence/zip_files/{id}/download_url.", ANY, |call| Box::pin(routes::wider::archives::signed(call))))),
    light(as_type("text/html; charset=utf-8", beside(Tree::Open, row(Get, "/", Open, "The page of a server without its user interface.", ANY, |call| Box::pin(routes::open::home(call)))))),
    light(as_type("text/html; charset=utf-8", beside(Tree::Open, row(Get, "/docs", Open, "A page to read and try the API, without the network.", ANY, |call| Box::pin(routes::open::page(call)))))),
    light(as_type("text/javascript; charset=utf-8", beside(Tree::Open, row(Get, "/docs/page.js", Open, "The program of that page.", ANY, |call| Box::pin(routes::open::script(call)))))),
    light(as_type("text/css; charset=utf-8", beside(Tree::Open, row(Get, "/docs/page.css", Open, "The style of that page.", ANY, |call| Box::pin(routes::open::style(call)))))),
];
