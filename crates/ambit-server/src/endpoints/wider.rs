//! The rows of the wider API (docs/contract/wider.md §1). Each names its rule of the cost table and the right that it needs.

use crate::endpoint::Method::{self, Delete, Get, Patch, Post};
use crate::endpoint::{Access, Endpoint, Handler, Parameter, as_type, row, with_body, with_query};
use crate::mount::Tree;
use crate::quota::rules::{self, Rule};
use crate::rights::Right::{self, Any, EditGraph, OfGroup, OfGroupOrOneself, OfUser, Oneself, OwnCollection, OwnGraph};
use crate::routes::wider::{
    accounts, archives, comments, files, graph_lists, graphs, groups, intelligence, metadata, object_collections, objects, quotas, search, votes,
};
use ambit_api::objects::{COLLECTION, FIGURES, FORM, NEW, ONE, RELATED, SAID, WHETHER};
use ambit_api::shape::{ANY, Shape, TEXT};
use ambit_model::object::ObjectType::{Domain, File, IpAddress, Url};

/// A row of the wider API.
pub(super) const fn metered(
    method: Method,
    path: &'static str,
    rule: &'static Rule,
    right: Right,
    summary: &'static str,
    result: &'static Shape,
    handler: Handler,
) -> Endpoint {
    Endpoint {
        tree: Tree::Wider,
        needs_body: false,
        right,
        cost: rule,
        ..row(method, path, Access::Key, summary, result, handler)
    }
}

pub(super) const fn text(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        shape: TEXT,
        required: false,
        doc,
    }
}

pub(super) const LIMIT: Parameter = Parameter {
    name: "limit",
    shape: &Shape::Count,
    required: false,
    doc: "Items of a page: 10 by default, more than 40 means 40.",
};
pub(super) const CURSOR: Parameter = text("cursor", "The meta.cursor of the page before.");
pub(super) const ATTRIBUTES: Parameter = text("attributes", "Only these attributes, separated by commas.");
pub(super) const RELATIONSHIPS: Parameter = text("relationships", "Also the descriptors of these relationships, separated by commas.");
pub(super) const PAGE: &[Parameter] = &[LIMIT, CURSOR, ATTRIBUTES];
pub(super) const READ: &[Parameter] = &[RELATIONSHIPS, ATTRIBUTES];
const SEARCH: &[Parameter] = &[
    text(
        "filter",
        "Modifiers and free text with AND, OR, NOT and parentheses; see the documentation of graph search.",
    ),
    text(
        "order",
        "name, owner, creation_date, last_modified_date, views_count or comments_count; - behind it reverses.",
    ),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
];
const INTELLIGENCE: &[Parameter] = &[
    text(
        "query",
        "Words, hashes and the modifiers entity, type, size, name, tag, fs, ls, p, submissions, content, with AND, OR, NOT and parentheses.",
    ),
    text(
        "order",
        "name, size, positives, times_submitted, first_submission_date or last_submission_date; - behind it reverses.",
    ),
    text("descriptors_only", "true: only type and id of each."),
    Parameter {
        name: "limit",
        shape: &Shape::Count,
        required: false,
        doc: "Items of a page: 10 by default, more than 300 means 300.",
    },
    CURSOR,
    ATTRIBUTES,
];
const FIND: &[Parameter] = &[
    text("query", "A hash, URL, domain or address; or words and #tags."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
];
const COMMENTS: &[Parameter] = &[text("filter", "tag:word, as often as wanted."), LIMIT, CURSOR, ATTRIBUTES];
const DAYS: &[Parameter] = &[
    text("start_date", "First day, as YYYYMMDD; 30 days before the last by default."),
    text("end_date", "Last day, as YYYYMMDD; today by default."),
];
const CONSUMING: &[Parameter] = &[
    text("period", "YYYY-MM, for calls also YYYY-MM-DD; the current one by default."),
    text("order", "desc by default, or asc."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
];

/// The type of answers that are empty.
pub(super) const EMPTY: &str = "text/plain; charset=utf-8";
const COLLECTION_RELATIONSHIP: &str = "/collections/{id}/{relationship}";
const GRAPH_RELATIONSHIP: &str = "/graphs/{id}/{relationship}";
const GRAPH_RELATIONSHIP_IDS: &str = "/graphs/{id}/relationships/{relationship}";
const GRAPH_MEMBER: &str = "/graphs/{id}/relationships/{relationship}/{member}";
const GROUP_MEMBER: &str = "/groups/{id}/relationships/{relationship}/{member}";

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    with_query(SEARCH, metered(Get, "/graphs", &rules::GRAPH_SEARCH, Any, "Search graphs.", &COLLECTION, |call| Box::pin(graphs::search(call)))),
    with_query(SEARCH, with_body(&NEW, metered(Post, "/graphs", &rules::GRAPH_POST, Any, "Make a graph; without a body, search graphs.", &RELATED, |call| Box::pin(graphs::post(call))))),
    with_query(READ, metered(Get, "/graphs/{id}", &rules::GRAPH_READ, Any, "Read a graph; counts as a view.", &ONE, |call| Box::pin(graphs::find(call)))),
    with_body(&NEW, metered(Patch, "/graphs/{id}", &rules::GRAPH_PATCH, EditGraph, "Replace attributes of a graph.", &ONE, |call| Box::pin(graphs::change(call)))),
    as_type(EMPTY, metered(Delete, "/graphs/{id}", &rules::GRAPH_DELETE, OwnGraph, "Delete a graph. The answer is empty.", ANY, |call| Box::pin(graphs::delete(call)))),
    with_query(PAGE, metered(Get, "/graphs/{id}/items", &rules::GRAPH_ITEMS, Any, "List the files, URLs, domains and addresses of a graph.", &COLLECTION, |call| Box::pin(graphs::full_items(call)))),
    as_type("image/png", metered(Get, "/graphs/{id}/screenshot", &rules::GRAPH_SCREENSHOT, Any, "Draw a graph.", ANY, |call| Box::pin(graphs::screenshot(call)))),
    with_query(PAGE, metered(Get, "/graphs/{id}/comments", &rules::GRAPH_COMMENTS, Any, "List the comments on a graph, newest first.", &COLLECTION, |call| Box::pin(comments::on_graph(call)))),
    with_body(&NEW, metered(Post, "/graphs/{id}/comments", &rules::GRAPH_COMMENTS, Any, "Comment on a graph.", &ONE, |call| Box::pin(comments::add_to_graph(call)))),
    with_query(PAGE, metered(Get, GRAPH_RELATIONSHIP, &rules::GRAPH_RELATIONSHIPS, Any, "Read what a graph is related to: owner, group, editors or viewers.", &RELATED, |call| Box::pin(graphs::relationship(call)))),
    with_body(&NEW, metered(Post, GRAPH_RELATIONSHIP, &rules::GRAPH_RELATIONSHIPS, EditGraph, "Add editors or viewers.", &COLLECTION, |call| Box::pin(graph_lists::add(call)))),
    with_query(PAGE, metered(Get, GRAPH_RELATIONSHIP_IDS, &rules::GRAPH_RELATIONSHIPS, Any, "Read the descriptors of what a graph is related to.", &RELATED, |call| Box::pin(graphs::relationship_described(call)))),
    with_body(&NEW, metered(Post, GRAPH_RELATIONSHIP_IDS, &rules::GRAPH_RELATIONSHIPS, EditGraph, "Add editors or viewers.", &COLLECTION, |call| Box::pin(graph_lists::add(call)))),
    metered(Get, GRAPH_MEMBER, &rules::GRAPH_RELATIONSHIPS, Any, "Say whether a user or group is editor or viewer.", &WHETHER, |call| Box::pin(graph_lists::has(call))),
    as_type(EMPTY, metered(Delete, GRAPH_MEMBER, &rules::GRAPH_RELATIONSHIPS, EditGraph, "Take an editor or viewer off the list. The answer is empty.", ANY, |call| Box::pin(graph_lists::remove(call)))),

    metered(Get, "/me", &rules::USERS, Any, "Read oneself: clients try their key with it.", &ONE, |call| Box::pin(accounts::me(call))),
    with_query(READ, metered(Get, "/users/{id}", &rules::USERS, Any, "Read a user by username, address or API key.", &ONE, |call| Box::pin(accounts::find(call)))),
    with_body(&NEW, metered(Patch, "/users/{id}", &rules::USERS, OfUser, "Change a user: the profile; for administrators of the user's group also caps on what is drawn from it; for those of the installation caps, privileges and the status.", &ONE, |call| Box::pin(accounts::change(call)))),
    as_type(EMPTY, metered(Delete, "/users/{id}", &rules::USERS, Oneself, "Delete one's own account; the header x-user-password has an API key of it. The answer is empty.", ANY, |call| Box::pin(accounts::delete(call)))),
    metered(Get, "/users/{id}/overall_quotas", &rules::USER_QUOTAS, OfUser, "Report the quotas of a user and the user's groups.", &FIGURES, |call| Box::pin(quotas::overall(call))),
    with_query(DAYS, metered(Get, "/users/{id}/api_usage", &rules::USER_QUOTAS, OfUser, "Report the calls of a user by day and endpoint.", &FIGURES, |call| Box::pin(quotas::of_user(call)))),
    with_query(PAGE, metered(Get, "/users/{id}/{relationship}", &rules::USERS, Any, "Read what a user is related to.", &RELATED, |call| Box::pin(accounts::relationship(call)))),
    with_query(PAGE, metered(Get, "/users/{id}/relationships/{relationship}", &rules::USERS, Any, "Read the descriptors of what a user is related to.", &RELATED, |call| Box::pin(accounts::relationship_described(call)))),

    metered(Get, "/groups/{id}", &rules::GROUPS, Any, "Read a group of the caller's.", &ONE, |call| Box::pin(groups::find(call))),
    with_body(&NEW, metered(Patch, "/groups/{id}", &rules::GROUPS, OfGroup, "Change the profile of a group.", &ONE, |call| Box::pin(groups::change(call)))),
    with_query(DAYS, metered(Get, "/groups/{id}/api_usage", &rules::GROUP_QUOTAS, OfGroup, "Report the calls of a group by day and endpoint.", &FIGURES, |call| Box::pin(quotas::of_group(call)))),
    with_query(CONSUMING, metered(Get, "/groups/{id}/users_consuming_quota/{quota_name}", &rules::GROUP_QUOTAS, OfGroup, "List who drew how much of a quota from a group.", &COLLECTION, |call| Box::pin(quotas::users_consuming(call)))),
    with_query(PAGE, metered(Get, "/groups/{id}/{relationship}", &rules::GROUPS, Any, "List users, administrators, graphs or service accounts of a group.", &COLLECTION, |call| Box::pin(groups::relationship(call)))),
    with_query(PAGE, metered(Get, "/groups/{id}/relationships/{relationship}", &rules::GROUPS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(groups::relationship_described(call)))),
    with_body(&NEW, metered(Post, "/groups/{id}/relationships/{relationship}", &rules::GROUPS, OfGroup, "Add users or administrators by address, or make service accounts by id. Whom the administrator of the installation adds is in the group; whom others add is asked, and in it after accepting.", &COLLECTION, |call| Box::pin(groups::add(call)))),
    metered(Get, GROUP_MEMBER, &rules::GROUPS, Any, "Say whether a user is in a group.", &WHETHER, |call| Box::pin(groups::has(call))),
    as_type(EMPTY, metered(Delete, GROUP_MEMBER, &rules::GROUPS, OfGroupOrOneself, "Take a user out of a group, or leave it. The answer is empty.", ANY, |call| Box::pin(groups::remove(call)))),
    metered(Get, "/service_accounts/{id}", &rules::USERS, Any, "Read a service account.", &ONE, |call| Box::pin(accounts::service_account(call))),

    with_query(INTELLIGENCE, metered(Get, "/intelligence/search", &rules::SEARCH, Any, "Search files, and domains, addresses and URLs of the inventory.", &COLLECTION, |call| Box::pin(intelligence::search(call)))),
    metered(Get, "/intelligence/search/snippets/{id}", &rules::SNIPPETS, Any, "Read what stands around a place that a search for content found.", &RELATED, |call| Box::pin(intelligence::snippet(call))),
    with_body(&NEW, metered(Post, "/intelligence/zip_files", &rules::ARCHIVE, Any, "Pack files by their hashes into an archive, with a password where one is given.", &ONE, |call| Box::pin(archives::create(call)))),
    metered(Get, "/intelligence/zip_files/{id}", &rules::ARCHIVE_READ, Any, "Say how far an archive is.", &ONE, |call| Box::pin(archives::find(call))),
    as_type(archives::TYPE, metered(Get, "/intelligence/zip_files/{id}/download", &rules::ARCHIVE_READ, Any, "Download an archive.", ANY, |call| Box::pin(archives::download(call)))),
    metered(Get, "/intelligence/zip_files/{id}/download_url", &rules::ARCHIVE_READ, Any, "Make an address to download an archive from, for an hour.", &SAID, |call| Box::pin(archives::download_url(call))),
    with_query(FIND, metered(Get, "/search", &rules::OBJECT_SEARCH, Any, "Find a file by hash, a URL, a domain or an address by its name; else comments by tags and words.", &COLLECTION, |call| Box::pin(search::find(call)))),

    with_query(PAGE, metered(Get, "/collections", &rules::COLLECTIONS, Any, "List collections of objects, newest first.", &COLLECTION, |call| Box::pin(object_collections::list(call)))),
    with_body(&NEW, metered(Post, "/collections", &rules::COLLECTIONS, Any, "Make a collection of files, URLs, domains and addresses.", &ONE, |call| Box::pin(object_collections::create(call)))),
    with_query(READ, metered(Get, "/collections/{id}", &rules::COLLECTIONS, Any, "Read a collection.", &ONE, |call| Box::pin(object_collections::find(call)))),
    with_body(&NEW, metered(Patch, "/collections/{id}", &rules::COLLECTIONS, OwnCollection, "Change name, description or privacy of a collection.", &ONE, |call| Box::pin(object_collections::change(call)))),
    as_type(EMPTY, metered(Delete, "/collections/{id}", &rules::COLLECTIONS, OwnCollection, "Delete a collection. The answer is empty.", ANY, |call| Box::pin(object_collections::delete(call)))),
    with_query(PAGE, metered(Get, COLLECTION_RELATIONSHIP, &rules::COLLECTIONS, Any, "List what is in a collection, or its owner.", &RELATED, |call| Box::pin(object_collections::relationship(call)))),
    with_body(&NEW, metered(Post, COLLECTION_RELATIONSHIP, &rules::COLLECTIONS, OwnCollection, "Add objects to a collection.", &COLLECTION, |call| Box::pin(object_collections::add(call)))),
    with_body(&NEW, metered(Delete, COLLECTION_RELATIONSHIP, &rules::COLLECTIONS, OwnCollection, "Take objects out of a collection.", &COLLECTION, |call| Box::pin(object_collections::remove(call)))),
    with_query(PAGE, metered(Get, "/collections/{id}/relationships/{relationship}", &rules::COLLECTIONS, Any, "List the descriptors of what is in a collection.", &RELATED, |call| Box::pin(object_collections::relationship_described(call)))),
    metered(Get, "/metadata", &rules::METADATA, Any, "List privileges and relationships.", &FIGURES, |call| Box::pin(metadata::find(call))),
    with_query(COMMENTS, metered(Get, "/comments", &rules::COMMENTS, Any, "List the newest comments.", &COLLECTION, |call| Box::pin(comments::list(call)))),
    metered(Get, "/comments/{id}", &rules::COMMENTS, Any, "Read a comment.", &ONE, |call| Box::pin(comments::find(call))),
    as_type(EMPTY, metered(Delete, "/comments/{id}", &rules::COMMENTS, Any, "Delete a comment of one's own. The answer is empty.", ANY, |call| Box::pin(comments::delete(call)))),

    with_query(READ, metered(Get, "/domains/{id}", &rules::DOMAINS, Any, "Read a domain or host name that the inventory knows.", &ONE, |call| Box::pin(objects::find(call, Domain)))),
    with_query(PAGE, metered(Get, "/domains/{id}/comments", &rules::DOMAIN_COMMENTS, Any, "List the comments on a domain, newest first.", &COLLECTION, |call| Box::pin(objects::comments(call, Domain)))),
    with_body(&NEW, metered(Post, "/domains/{id}/comments", &rules::DOMAIN_COMMENTS, Any, "Comment on a domain.", &ONE, |call| Box::pin(objects::add_comment(call, Domain)))),
    with_query(PAGE, metered(Get, "/domains/{id}/votes", &rules::VOTES, Any, "List the votes on a domain, newest first.", &COLLECTION, |call| Box::pin(votes::list(call, Domain)))),
    with_body(&NEW, metered(Post, "/domains/{id}/votes", &rules::VOTES, Any, "Vote on a domain: harmless or malicious.", &ONE, |call| Box::pin(votes::add(call, Domain)))),
    with_query(PAGE, metered(Get, "/domains/{id}/{relationship}", &rules::DOMAIN_RELATIONSHIPS, Any, "List what a domain is related to.", &COLLECTION, |call| Box::pin(objects::relationship(call, Domain)))),
    with_query(PAGE, metered(Get, "/domains/{id}/relationships/{relationship}", &rules::DOMAIN_RELATIONSHIPS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(objects::relationship_described(call, Domain)))),
    with_query(READ, metered(Get, "/ip_addresses/{id}", &rules::ADDRESSES, Any, "Read an address that the inventory knows.", &ONE, |call| Box::pin(objects::find(call, IpAddress)))),
    with_query(PAGE, metered(Get, "/ip_addresses/{id}/comments", &rules::ADDRESS_COMMENTS, Any, "List the comments on an address, newest first.", &COLLECTION, |call| Box::pin(objects::comments(call, IpAddress)))),
    with_body(&NEW, metered(Post, "/ip_addresses/{id}/comments", &rules::ADDRESS_COMMENTS, Any, "Comment on an address.", &ONE, |call| Box::pin(objects::add_comment(call, IpAddress)))),
    with_query(PAGE, metered(Get, "/ip_addresses/{id}/votes", &rules::VOTES, Any, "List the votes on an address, newest first.", &COLLECTION, |call| Box::pin(votes::list(call, IpAddress)))),
    with_body(&NEW, metered(Post, "/ip_addresses/{id}/votes", &rules::VOTES, Any, "Vote on an address: harmless or malicious.", &ONE, |call| Box::pin(votes::add(call, IpAddress)))),
    with_query(PAGE, metered(Get, "/ip_addresses/{id}/{relationship}", &rules::ADDRESS_RELATIONSHIPS, Any, "List what an address is related to.", &COLLECTION, |call| Box::pin(objects::relationship(call, IpAddress)))),
    with_query(PAGE, metered(Get, "/ip_addresses/{id}/relationships/{relationship}", &rules::ADDRESS_RELATIONSHIPS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(objects::relationship_described(call, IpAddress)))),
    with_body(&FORM, metered(Post, "/urls", &rules::URL_SUBMISSION, Any, "Submit a URL, in the field url of a form. It is remembered; nothing is sent to it.", &ONE, |call| Box::pin(files::submit_url(call)))),
    with_query(READ, metered(Get, "/urls/{id}", &rules::URLS, Any, "Read a URL that the inventory knows, by its base64 or SHA-256.", &ONE, |call| Box::pin(objects::find(call, Url)))),
    with_query(PAGE, metered(Get, "/urls/{id}/comments", &rules::URL_COMMENTS, Any, "List the comments on a URL, newest first.", &COLLECTION, |call| Box::pin(objects::comments(call, Url)))),
    with_body(&NEW, metered(Post, "/urls/{id}/comments", &rules::URL_COMMENTS, Any, "Comment on a URL.", &ONE, |call| Box::pin(objects::add_comment(call, Url)))),
    with_query(PAGE, metered(Get, "/urls/{id}/votes", &rules::VOTES, Any, "List the votes on a URL, newest first.", &COLLECTION, |call| Box::pin(votes::list(call, Url)))),
    with_body(&NEW, metered(Post, "/urls/{id}/votes", &rules::VOTES, Any, "Vote on a URL: harmless or malicious.", &ONE, |call| Box::pin(votes::add(call, Url)))),
    with_query(PAGE, metered(Get, "/urls/{id}/{relationship}", &rules::URL_RELATIONSHIPS, Any, "List what a URL is related to.", &COLLECTION, |call| Box::pin(objects::relationship(call, Url)))),
    with_query(PAGE, metered(Get, "/urls/{id}/relationships/{relationship}", &rules::URL_RELATIONSHIPS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(objects::relationship_described(call, Url)))),

    with_body(&FORM, metered(Post, "/files", &rules::UPLOAD, Any, "Upload a file, in the field file of a form.", &ONE, |call| Box::pin(files::upload(call)))),
    metered(Get, "/files/upload_url", &rules::UPLOAD_URL, Any, "Make an address to upload a file to.", &SAID, |call| Box::pin(files::upload_url(call))),
    with_body(&FORM, metered(Post, "/files/upload/{token}", &rules::UPLOAD, Any, "Upload a file to an address that was made for it.", &ONE, |call| Box::pin(files::upload_to(call)))),
    with_query(READ, metered(Get, "/files/{id}", &rules::FILES, Any, "Read a file by SHA-256, SHA-1 or MD5.", &ONE, |call| Box::pin(files::find(call)))),
    metered(Post, "/files/{id}/analyse", &rules::FILE_ANALYSE, Any, "Analyse a file again.", &ONE, |call| Box::pin(files::analyse(call))),
    as_type("application/octet-stream", metered(Get, "/files/{id}/download", &rules::FILE_DOWNLOAD, Any, "Download a file.", ANY, |call| Box::pin(files::download(call)))),
    metered(Get, "/files/{id}/download_url", &rules::FILE_DOWNLOAD, Any, "Make an address to download a file from, for an hour.", &SAID, |call| Box::pin(files::download_url(call))),
    with_query(PAGE, metered(Get, "/files/{id}/comments", &rules::FILE_COMMENTS, Any, "List the comments on a file, newest first.", &COLLECTION, |call| Box::pin(files::comments(call)))),
    with_body(&NEW, metered(Post, "/files/{id}/comments", &rules::FILE_COMMENTS, Any, "Comment on a file.", &ONE, |call| Box::pin(files::add_comment(call)))),
    metered(Get, "/files/analyses/{id}", &rules::ANALYSES, Any, "Read an analysis; the same as /analyses/{id}.", &ONE, |call| Box::pin(files::analysis(call))),
    with_query(PAGE, metered(Get, "/files/{id}/votes", &rules::VOTES, Any, "List the votes on a file, newest first.", &COLLECTION, |call| Box::pin(votes::list(call, File)))),
    with_body(&NEW, metered(Post, "/files/{id}/votes", &rules::VOTES, Any, "Vote on a file: harmless or malicious.", &ONE, |call| Box::pin(votes::add(call, File)))),
    with_query(PAGE, metered(Get, "/files/{id}/{relationship}", &rules::FILE_RELATIONSHIPS, Any, "List what a file is related to.", &COLLECTION, |call| Box::pin(files::relationship(call)))),
    with_query(PAGE, metered(Get, "/files/{id}/relationships/{relationship}", &rules::FILE_RELATIONSHIPS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(files::relationship_described(call)))),
    metered(Get, "/analyses/{id}", &rules::ANALYSES, Any, "Read an analysis.", &ONE, |call| Box::pin(files::analysis(call))),
    metered(Get, "/analyses/{id}/item", &rules::ANALYSES, Any, "Read the file or URL of an analysis.", &ONE, |call| Box::pin(files::analysed_item(call))),
];
