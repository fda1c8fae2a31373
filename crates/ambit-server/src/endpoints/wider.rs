//! The rows of the wider API (docs/contract/wider.md §1). Each names its rule of the cost table and the right that it
//! needs.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, Parameter, count, delete, get, handler, patch, post, text};
use crate::quota::rules;
use crate::rights::Right::{EditGraph, OfGroup, OfGroupOrOneself, OfUser, Oneself, OwnCollection, OwnGraph};

pub(super) const LIMIT: Parameter = count("limit", "Items of a page: 10 by default, more than 40 means 40.");
pub(super) const CURSOR: Parameter = text("cursor", "The meta.cursor of the page before.");
pub(super) const ATTRIBUTES: Parameter = text("attributes", "Only these attributes, separated by commas.");
pub(super) const EXCLUDED: Parameter = text("exclude_attributes", "All attributes but these, separated by commas.");
pub(super) const RELATIONSHIPS: Parameter =
    text("relationships", "Also the descriptors of these relationships, separated by commas.");
pub(super) const PAGE: &[Parameter] = &[LIMIT, CURSOR, ATTRIBUTES, EXCLUDED];
pub(super) const RELATED: &[Parameter] = &[LIMIT, CURSOR, ATTRIBUTES, EXCLUDED, RELATIONSHIPS];
pub(super) const READ: &[Parameter] = &[RELATIONSHIPS, ATTRIBUTES, EXCLUDED];
const SEARCH: &[Parameter] = &[
    text("filter", "Modifiers and free text with AND, OR, NOT and parentheses; see the documentation of graph search."),
    text(
        "order",
        "name, owner, creation_date, last_modified_date, views_count or comments_count; - behind it reverses.",
    ),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
    EXCLUDED,
    RELATIONSHIPS,
];
const COLLECTIONS: &[Parameter] = &[
    text("filter", "name:, owner:, collection_type:, and free text in name or description; all must hold."),
    text("order", "creation_date, last_modification_date, name or relevance (the newest first); - behind it reverses."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
    EXCLUDED,
    RELATIONSHIPS,
];
const INTELLIGENCE: &[Parameter] = &[
    text(
        "query",
        "Words, hashes and the modifiers entity, type, size, name, tag, fs, ls, p, submissions, content, with AND, OR, \
         NOT and parentheses.",
    ),
    text(
        "order",
        "name, size, positives, times_submitted, first_submission_date or last_submission_date; - behind it reverses.",
    ),
    text("descriptors_only", "true: only type and id of each."),
    count("limit", "Items of a page: 10 by default, more than 300 means 300."),
    CURSOR,
    ATTRIBUTES,
    EXCLUDED,
    RELATIONSHIPS,
];
const FIND: &[Parameter] = &[
    text("query", "A hash, URL, domain or address; or words and #tags."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
    EXCLUDED,
    RELATIONSHIPS,
];
const COMMENTS: &[Parameter] = &[text("filter", "tag:word, as often as wanted."), LIMIT, CURSOR, ATTRIBUTES, EXCLUDED];
const DAYS: &[Parameter] = &[
    text("start_date", "First day, as YYYYMMDD; 29 days before the last by default, and at most."),
    text("end_date", "Last day, as YYYYMMDD; today by default."),
];
const CONSUMING: &[Parameter] = &[
    text("period", "YYYY-MM, for calls also YYYY-MM-DD; the current one by default."),
    text("order", "desc by default, or asc."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
    EXCLUDED,
    RELATIONSHIPS,
];

const COLLECTION_RELATIONSHIP: &str = "/collections/{id}/{relationship}";
const GRAPH_RELATIONSHIP: &str = "/graphs/{id}/{relationship}";
const GRAPH_RELATIONSHIP_IDS: &str = "/graphs/{id}/relationships/{relationship}";
const GRAPH_MEMBER: &str = "/graphs/{id}/relationships/{relationship}/{member}";
const GROUP_MEMBER: &str = "/groups/{id}/relationships/{relationship}/{member}";

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/graphs", Key, handler!(wider::graphs::search)).costs(&rules::GRAPH_SEARCH).asks(SEARCH),
    post("/graphs", Key, handler!(wider::graphs::post)).reads_without_body().costs(&rules::GRAPH_POST).asks(SEARCH),
    get("/graphs/{id}", Key, handler!(wider::graphs::find)).costs(&rules::GRAPH_READ).asks(READ),
    patch("/graphs/{id}", Key, handler!(wider::graphs::change)).costs(&rules::GRAPH_PATCH).needs(EditGraph),
    delete("/graphs/{id}", Key, handler!(wider::graphs::delete)).costs(&rules::GRAPH_DELETE).needs(OwnGraph),
    get("/graphs/{id}/items", Key, handler!(wider::graphs::full_items)).costs(&rules::GRAPH_ITEMS).asks(RELATED),
    get("/graphs/{id}/screenshot", Key, handler!(wider::graphs::screenshot)).costs(&rules::GRAPH_SCREENSHOT),
    get("/graphs/{id}/comments", Key, handler!(wider::comments::on_graph)).costs(&rules::GRAPH_COMMENTS).asks(PAGE),
    post("/graphs/{id}/comments", Key, handler!(wider::comments::add_to_graph)).costs(&rules::GRAPH_COMMENTS),
    get(GRAPH_RELATIONSHIP, Key, handler!(wider::graphs::relationship, false))
        .says("Read what a graph is related to: owner, group, editors or viewers.")
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .asks(PAGE),
    post(GRAPH_RELATIONSHIP, Key, handler!(wider::graph_lists::add))
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .needs(EditGraph),
    get(GRAPH_RELATIONSHIP_IDS, Key, handler!(wider::graphs::relationship, true))
        .says("Read the descriptors of what a graph is related to.")
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .asks(PAGE),
    post(GRAPH_RELATIONSHIP_IDS, Key, handler!(wider::graph_lists::add))
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .needs(EditGraph),
    get(GRAPH_MEMBER, Key, handler!(wider::graph_lists::has)).costs(&rules::GRAPH_RELATIONSHIPS),
    delete(GRAPH_MEMBER, Key, handler!(wider::graph_lists::remove)).costs(&rules::GRAPH_RELATIONSHIPS).needs(EditGraph),
    get("/me", Key, handler!(wider::accounts::me)).costs(&rules::USERS),
    get("/users/{id}", Key, handler!(wider::accounts::find)).costs(&rules::USERS).asks(READ),
    patch("/users/{id}", Key, handler!(wider::accounts::change)).costs(&rules::USERS).needs(OfUser),
    delete("/users/{id}", Key, handler!(wider::accounts::delete)).costs(&rules::USERS).needs(Oneself),
    get("/users/{id}/overall_quotas", Key, handler!(wider::quotas::overall)).costs(&rules::USER_QUOTAS).needs(OfUser),
    get("/users/{id}/api_usage", Key, handler!(wider::quotas::of_user))
        .costs(&rules::USER_QUOTAS)
        .needs(OfUser)
        .asks(DAYS),
    get("/users/{id}/{relationship}", Key, handler!(wider::accounts::relationship, false))
        .says("Read what a user is related to.")
        .costs(&rules::USERS)
        .asks(PAGE),
    get("/users/{id}/relationships/{relationship}", Key, handler!(wider::accounts::relationship, true))
        .says("Read the descriptors of what a user is related to.")
        .costs(&rules::USERS)
        .asks(PAGE),
    get("/groups/{id}", Key, handler!(wider::groups::find)).costs(&rules::GROUPS),
    patch("/groups/{id}", Key, handler!(wider::groups::change)).costs(&rules::GROUPS).needs(OfGroup),
    get("/groups/{id}/api_usage", Key, handler!(wider::quotas::of_group))
        .costs(&rules::GROUP_QUOTAS)
        .needs(OfGroup)
        .asks(DAYS),
    get("/groups/{id}/users_consuming_quota/{quota_name}", Key, handler!(wider::quotas::users_consuming))
        .costs(&rules::GROUP_QUOTAS)
        .needs(OfGroup)
        .asks(CONSUMING),
    get("/groups/{id}/{relationship}", Key, handler!(wider::groups::relationship, false))
        .says("List users, administrators, graphs or service accounts of a group.")
        .costs(&rules::GROUPS)
        .asks(PAGE),
    get("/groups/{id}/relationships/{relationship}", Key, handler!(wider::groups::relationship, true))
        .says("List their descriptors.")
        .costs(&rules::GROUPS)
        .asks(PAGE),
    post("/groups/{id}/relationships/{relationship}", Key, handler!(wider::groups::add))
        .costs(&rules::GROUPS)
        .needs(OfGroup),
    get(GROUP_MEMBER, Key, handler!(wider::groups::has)).costs(&rules::GROUPS),
    delete(GROUP_MEMBER, Key, handler!(wider::groups::remove)).costs(&rules::GROUPS).needs(OfGroupOrOneself),
    get("/service_accounts/{id}", Key, handler!(wider::accounts::service_account)).costs(&rules::USERS),
    delete("/service_accounts/{id}", Key, handler!(wider::accounts::delete_service_account)).costs(&rules::USERS),
    get("/intelligence/search", Key, handler!(wider::intelligence::search)).costs(&rules::SEARCH).asks(INTELLIGENCE),
    get("/intelligence/search/snippets/{id}", Key, handler!(wider::intelligence::snippet)).costs(&rules::SNIPPETS),
    post("/intelligence/zip_files", Key, handler!(wider::archives::create)).costs(&rules::ARCHIVE),
    get("/intelligence/zip_files/{id}", Key, handler!(wider::archives::find)).costs(&rules::ARCHIVE_READ),
    get("/intelligence/zip_files/{id}/download", Key, handler!(wider::archives::download)).costs(&rules::ARCHIVE_READ),
    get("/intelligence/zip_files/{id}/download_url", Key, handler!(wider::archives::download_url))
        .costs(&rules::ARCHIVE_READ),
    get("/search", Key, handler!(wider::search::find)).costs(&rules::OBJECT_SEARCH).asks(FIND),
    get("/collections", Key, handler!(wider::object_collections::list)).costs(&rules::COLLECTIONS).asks(COLLECTIONS),
    post("/collections", Key, handler!(wider::object_collections::create)).costs(&rules::COLLECTIONS),
    post("/integrations/misp/collections", Key, handler!(wider::misp_events::create)).costs(&rules::COLLECTIONS),
    get("/collections/{id}", Key, handler!(wider::object_collections::find)).costs(&rules::COLLECTIONS).asks(READ),
    patch("/collections/{id}", Key, handler!(wider::object_collections::change))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    delete("/collections/{id}", Key, handler!(wider::object_collections::delete))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    get(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::relationship, false))
        .says("List what is in a collection, or its owner.")
        .costs(&rules::COLLECTIONS)
        .asks(RELATED),
    post(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::add))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    delete(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::remove))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    get("/collections/{id}/relationships/{relationship}", Key, handler!(wider::object_collections::relationship, true))
        .says("List the descriptors of what is in a collection.")
        .costs(&rules::COLLECTIONS)
        .asks(PAGE),
    get("/metadata", Key, handler!(wider::metadata::find)).costs(&rules::METADATA),
    get("/comments", Key, handler!(wider::comments::list)).costs(&rules::COMMENTS).asks(COMMENTS),
    get("/comments/{id}", Key, handler!(wider::comments::find)).costs(&rules::COMMENTS),
    delete("/comments/{id}", Key, handler!(wider::comments::delete)).costs(&rules::COMMENTS),
];
