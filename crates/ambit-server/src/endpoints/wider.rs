//! The rows of the wider API (docs/contract/wider.md §1). Each names its rule of the cost table and the right that it
//! needs.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, delete, get, handler, patch, post};
use crate::quota::rules;
use crate::rights::Right::{EditGraph, OfGroup, OfGroupOrOneself, OfUser, Oneself, OwnCollection, OwnGraph};

const COLLECTION_RELATIONSHIP: &str = "/collections/{id}/{relationship}";
const GRAPH_RELATIONSHIP: &str = "/graphs/{id}/{relationship}";
const GRAPH_RELATIONSHIP_IDS: &str = "/graphs/{id}/relationships/{relationship}";
const GRAPH_MEMBER: &str = "/graphs/{id}/relationships/{relationship}/{member}";
const GROUP_MEMBER: &str = "/groups/{id}/relationships/{relationship}/{member}";

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/graphs", Key, handler!(wider::graphs::search)).costs(&rules::GRAPH_SEARCH),
    post("/graphs", Key, handler!(wider::graphs::post)).reads_without_body().costs(&rules::GRAPH_POST),
    get("/graphs/{id}", Key, handler!(wider::graphs::find)).costs(&rules::GRAPH_READ),
    patch("/graphs/{id}", Key, handler!(wider::graphs::change)).costs(&rules::GRAPH_PATCH).needs(EditGraph),
    delete("/graphs/{id}", Key, handler!(wider::graphs::delete)).costs(&rules::GRAPH_DELETE).needs(OwnGraph),
    get("/graphs/{id}/items", Key, handler!(wider::graphs::full_items)).costs(&rules::GRAPH_ITEMS),
    get("/graphs/{id}/screenshot", Key, handler!(wider::graphs::screenshot)).costs(&rules::GRAPH_SCREENSHOT),
    get("/graphs/{id}/comments", Key, handler!(wider::comments::on_graph)).costs(&rules::GRAPH_COMMENTS),
    post("/graphs/{id}/comments", Key, handler!(wider::comments::add_to_graph)).costs(&rules::GRAPH_COMMENTS),
    get(GRAPH_RELATIONSHIP, Key, handler!(wider::graphs::relationship, false))
        .says("Read what a graph is related to: owner, group, editors or viewers.")
        .costs(&rules::GRAPH_RELATIONSHIPS),
    post(GRAPH_RELATIONSHIP, Key, handler!(wider::graph_lists::add))
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .needs(EditGraph),
    get(GRAPH_RELATIONSHIP_IDS, Key, handler!(wider::graphs::relationship, true))
        .says("Read the descriptors of what a graph is related to.")
        .costs(&rules::GRAPH_RELATIONSHIPS),
    post(GRAPH_RELATIONSHIP_IDS, Key, handler!(wider::graph_lists::add))
        .costs(&rules::GRAPH_RELATIONSHIPS)
        .needs(EditGraph),
    get(GRAPH_MEMBER, Key, handler!(wider::graph_lists::has)).costs(&rules::GRAPH_RELATIONSHIPS),
    delete(GRAPH_MEMBER, Key, handler!(wider::graph_lists::remove)).costs(&rules::GRAPH_RELATIONSHIPS).needs(EditGraph),
    get("/me", Key, handler!(wider::accounts::me)).costs(&rules::USERS),
    get("/users/{id}", Key, handler!(wider::accounts::find)).costs(&rules::USERS),
    patch("/users/{id}", Key, handler!(wider::accounts::change)).costs(&rules::USERS).needs(OfUser),
    delete("/users/{id}", Key, handler!(wider::accounts::delete)).costs(&rules::USERS).needs(Oneself),
    get("/users/{id}/overall_quotas", Key, handler!(wider::quotas::overall)).costs(&rules::USER_QUOTAS).needs(OfUser),
    get("/users/{id}/api_usage", Key, handler!(wider::quotas::of_user)).costs(&rules::USER_QUOTAS).needs(OfUser),
    get("/users/{id}/{relationship}", Key, handler!(wider::accounts::relationship, false))
        .says("Read what a user is related to.")
        .costs(&rules::USERS),
    get("/users/{id}/relationships/{relationship}", Key, handler!(wider::accounts::relationship, true))
        .says("Read the descriptors of what a user is related to.")
        .costs(&rules::USERS),
    get("/groups/{id}", Key, handler!(wider::groups::find)).costs(&rules::GROUPS),
    patch("/groups/{id}", Key, handler!(wider::groups::change)).costs(&rules::GROUPS).needs(OfGroup),
    get("/groups/{id}/api_usage", Key, handler!(wider::quotas::of_group)).costs(&rules::GROUP_QUOTAS).needs(OfGroup),
    get("/groups/{id}/users_consuming_quota/{quota_name}", Key, handler!(wider::quotas::users_consuming))
        .costs(&rules::GROUP_QUOTAS)
        .needs(OfGroup),
    get("/groups/{id}/{relationship}", Key, handler!(wider::groups::relationship, false))
        .says("List users, administrators, graphs or service accounts of a group.")
        .costs(&rules::GROUPS),
    get("/groups/{id}/relationships/{relationship}", Key, handler!(wider::groups::relationship, true))
        .says("List the descriptors of users, administrators, graphs or service accounts of a group.")
        .costs(&rules::GROUPS),
    post("/groups/{id}/relationships/{relationship}", Key, handler!(wider::groups::add))
        .costs(&rules::GROUPS)
        .needs(OfGroup),
    get(GROUP_MEMBER, Key, handler!(wider::groups::has)).costs(&rules::GROUPS),
    delete(GROUP_MEMBER, Key, handler!(wider::groups::remove)).costs(&rules::GROUPS).needs(OfGroupOrOneself),
    get("/service_accounts/{id}", Key, handler!(wider::accounts::service_account)).costs(&rules::USERS),
    delete("/service_accounts/{id}", Key, handler!(wider::accounts::delete_service_account)).costs(&rules::USERS),
    get("/intelligence/search", Key, handler!(wider::intelligence::search)).costs(&rules::SEARCH),
    get("/intelligence/search/snippets/{id}", Key, handler!(wider::intelligence::snippet)).costs(&rules::SNIPPETS),
    post("/intelligence/zip_files", Key, handler!(wider::archives::create)).costs(&rules::ARCHIVE),
    get("/intelligence/zip_files/{id}", Key, handler!(wider::archives::find)).costs(&rules::ARCHIVE_READ),
    get("/intelligence/zip_files/{id}/download", Key, handler!(wider::archives::download)).costs(&rules::ARCHIVE_READ),
    get("/intelligence/zip_files/{id}/download_url", Key, handler!(wider::archives::download_url))
        .costs(&rules::ARCHIVE_READ),
    get("/search", Key, handler!(wider::search::find)).costs(&rules::OBJECT_SEARCH),
    get("/collections", Key, handler!(wider::object_collections::list)).costs(&rules::COLLECTIONS),
    post("/collections", Key, handler!(wider::object_collections::create)).costs(&rules::COLLECTIONS),
    post("/integrations/misp/collections", Key, handler!(wider::misp_events::create)).costs(&rules::COLLECTIONS),
    get("/collections/{id}", Key, handler!(wider::object_collections::find)).costs(&rules::COLLECTIONS),
    patch("/collections/{id}", Key, handler!(wider::object_collections::change))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    delete("/collections/{id}", Key, handler!(wider::object_collections::delete))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    get(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::relationship)).costs(&rules::COLLECTIONS),
    post(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::add))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    delete(COLLECTION_RELATIONSHIP, Key, handler!(wider::object_collections::remove))
        .costs(&rules::COLLECTIONS)
        .needs(OwnCollection),
    get("/collections/{id}/relationships/{relationship}", Key, handler!(wider::object_collections::descriptors))
        .costs(&rules::COLLECTIONS),
    get("/metadata", Key, handler!(wider::metadata::find)).costs(&rules::METADATA),
    get("/comments", Key, handler!(wider::comments::list)).costs(&rules::COMMENTS),
    get("/comments/{id}", Key, handler!(wider::comments::find)).costs(&rules::COMMENTS),
    delete("/comments/{id}", Key, handler!(wider::comments::delete)).costs(&rules::COMMENTS),
];
