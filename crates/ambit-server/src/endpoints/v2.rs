//! The rows of version 2 of the wider API (docs/contract/wider.md §8). Parameters stand in the query or in a form; the key is one of them.

use crate::endpoint::Method::{self, Get, Post};
use crate::endpoint::{Access, Endpoint, Handler, Parameter, as_type, row, with_body, with_query};
use crate::mount::Tree;
use crate::quota::rules::{self, Rule};
use crate::routes::v2::{comments, files, objects, urls};
use ambit_api::objects::FORM;
use ambit_api::shape::{ANY, TEXT};

/// A row that answers with an object, or with a list of them where several items were asked for.
const fn second(method: Method, path: &'static str, rule: &'static Rule, summary: &'static str, handler: Handler) -> Endpoint {
    Endpoint {
        tree: Tree::V2,
        needs_body: false,
        cost: rule,
        ..row(method, path, Access::Key, summary, ANY, handler)
    }
}

const fn needed(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        shape: TEXT,
        // In the query or in the form.
        required: false,
        doc,
    }
}

const RESOURCES: &[Parameter] = &[
    needed("resource", "Hashes (MD5, SHA-1, SHA-256) or scan ids, separated by commas; at most 25."),
    needed("allinfo", "1: more about each file."),
];
const URL_RESOURCES: &[Parameter] = &[
    needed("resource", "URLs, their SHA-256 or scan ids, each on a line; at most 25."),
    needed("scan", "1: submit those that are not known."),
];
const URLS: &[Parameter] = &[needed("url", "URLs, each on a line; at most 25.")];
const DOMAIN: &[Parameter] = &[needed("domain", "A domain or host name.")];
const ADDRESS: &[Parameter] = &[needed("ip", "An address.")];
const HASH: &[Parameter] = &[needed("hash", "MD5, SHA-1 or SHA-256.")];
const COMMENTS: &[Parameter] = &[
    needed("resource", "A hash or a URL."),
    needed("before", "The date of a comment: those before it."),
];
const COMMENT: &[Parameter] = &[needed("resource", "A hash or a URL."), needed("comment", "The text.")];

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    with_query(RESOURCES, second(Get, "/file/report", &rules::V2_REPORT, "Report on files, one call each.", |call| Box::pin(files::report(call)))),
    with_query(RESOURCES, with_body(&FORM, second(Post, "/file/report", &rules::V2_REPORT, "Report on files, one call each.", |call| Box::pin(files::report(call))))),
    with_body(&FORM, second(Post, "/file/scan", &rules::V2_SCAN, "Upload a file, in the field file of a form.", |call| Box::pin(files::scan(call)))),
    second(Get, "/file/scan/upload_url", &rules::V2_UPLOAD_URL, "Say where large files are uploaded.", |call| Box::pin(files::upload_url(call))),
    with_query(RESOURCES, with_body(&FORM, second(Post, "/file/rescan", &rules::V2_RESCAN, "Analyse files again.", |call| Box::pin(files::rescan(call))))),
    with_query(RESOURCES, second(Get, "/file/submissions", &rules::V2_SUBMISSIONS, "List the submissions of files, one call each.", |call| Box::pin(files::submissions(call)))),
    with_query(RESOURCES, with_body(&FORM, second(Post, "/file/submissions", &rules::V2_SUBMISSIONS, "List the submissions of files, one call each.", |call| Box::pin(files::submissions(call))))),
    as_type("application/octet-stream", with_query(HASH, second(Get, "/file/download", &rules::V2_DOWNLOAD, "Download a file.", |call| Box::pin(files::download(call))))),
    with_query(URLS, with_body(&FORM, second(Post, "/url/scan", &rules::V2_URL_SCAN, "Submit URLs.", |call| Box::pin(urls::scan(call))))),
    with_query(URL_RESOURCES, second(Get, "/url/report", &rules::V2_URL_REPORT, "Report on URLs.", |call| Box::pin(urls::report(call)))),
    with_query(URL_RESOURCES, with_body(&FORM, second(Post, "/url/report", &rules::V2_URL_REPORT, "Report on URLs.", |call| Box::pin(urls::report(call))))),
    with_query(DOMAIN, second(Get, "/domain/report", &rules::V2_DOMAIN, "Report on a domain or host name of the inventory.", |call| Box::pin(objects::domain(call)))),
    with_query(ADDRESS, second(Get, "/ip_address/report", &rules::V2_ADDRESS, "Report on an address of the inventory.", |call| Box::pin(objects::address(call)))),
    with_query(COMMENTS, second(Get, "/comments/get", &rules::V2_COMMENTS, "List the comments on a file or URL, newest first.", |call| Box::pin(comments::get(call)))),
    with_query(COMMENT, with_body(&FORM, second(Post, "/comments/put", &rules::V2_COMMENTS, "Comment on a file or URL.", |call| Box::pin(comments::put(call))))),
];
