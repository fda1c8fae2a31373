//! The rows of attack surface management: projects, collections, runs, entities, issues, and what belongs to them
//! (docs/contract/asm.md §6).

use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, delete, get, handler, patch, post};
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

const RUNS: &str = "/collections/{collection_uuid}/collection_runs";
const COLLECTION_USERS: &str = "/user_collections/{uuid}/collection_project_users";
const INTEGRATIONS: &str = "/projects/{uuid}/integrations";
const TAGS: &str = "/tags/{item_type}/{item_uid}";
const NOTES: &str = "/notes/{item_type}/{item_uid}";
const NOTE: &str = "/notes/{item_type}/{item_uid}/{note_uid}";
const SEEDS: &str = "/user_collections/{collection_uuid}/user_entities";
/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/projects", Key, handler!(projects::list)).in_one_project(),
    post("/projects", Key, handler!(projects::create)),
    patch("/projects/{uuid}", OfProject(Member), handler!(projects::change)),
    delete("/projects/{uuid}", OfProject(Owner), handler!(projects::delete)),
    get("/user_collections", InProject(Member), handler!(collections::list)),
    post("/user_collections", InProject(Owner), handler!(collections::create)),
    get("/user_collections/{uuid}", OfCollection(Viewer), handler!(collections::find)),
    patch("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::change)),
    delete("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::delete)),
    patch("/user_collections/{uuid}/archive", OfCollection(Admin), handler!(collections::archive)),
    patch("/user_collections/{uuid}/unarchive", OfCollection(Admin), handler!(collections::unarchive)),
    get(RUNS, OfCollection(Viewer), handler!(collection_runs::list)),
    post(RUNS, OfCollection(Admin), handler!(collection_runs::start)),
    get("/search/entities/{*search_string}", InProject(Member), handler!(search::entities)),
    get("/entities/{entity_uid}", OfCollection(Viewer), handler!(entities::find)).reads_project(),
    get("/entities/{entity_uid}/raw", OfCollection(Viewer), handler!(entities::raw)).reads_project(),
    get("/search/issues/{*search_string}", InProject(Member), handler!(search::issues)),
    get("/issues/{id}", OfCollection(Viewer), handler!(issues::find)).reads_project(),
    post("/issues/{id}/status", OfCollection(Analyst), handler!(issues::report_status)).reads_project(),
    get("/search/technologies/{*search_string}", InProject(Member), handler!(search::technologies)),
    get(TAGS, OfCollection(Viewer), handler!(tags::list)).reads_project(),
    post(TAGS, OfCollection(Analyst), handler!(tags::add)).reads_project(),
    delete("/tags/{item_type}/{item_uid}/{tag_name}", OfCollection(Analyst), handler!(tags::remove)).reads_project(),
    get(NOTES, OfCollection(Viewer), handler!(notes::list)).reads_project(),
    post(NOTES, OfCollection(Analyst), handler!(notes::add)).reads_project(),
    patch(NOTE, OfCollection(Analyst), handler!(notes::edit)).reads_project(),
    delete(NOTE, OfCollection(Analyst), handler!(notes::delete)).reads_project(),
    get("/time_series/point_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::entity))
        .reads_project(),
    get("/time_series/point_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::issue)).reads_project(),
    get("/time_series/points_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::points_of_entity))
        .reads_project(),
    get("/time_series/points_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::points_of_issue))
        .reads_project(),
    get("/projects/{uuid}/users", OfProject(Member), handler!(users::list)),
    post("/projects/{uuid}/users/bulk", OfProject(Owner), handler!(users::add)),
    delete("/projects/{uuid}/users/{project_user_id}", OfProject(Owner), handler!(users::remove)),
    get(COLLECTION_USERS, OfCollection(Admin), handler!(users::list_of_collection)),
    post(COLLECTION_USERS, OfProject(Owner), handler!(users::set_of_collection)),
    delete(
        "/user_collections/{uuid}/collection_project_users/{project_user_id}",
        OfProject(Owner),
        handler!(users::remove_of_collection),
    ),
    get("/library/entities", Key, handler!(library::kinds)).in_one_project(),
    get("/library/tasks", Key, handler!(library::tasks)).in_one_project(),
    get("/library/workflows", Key, handler!(library::workflows)).in_one_project(),
    get("/library/issues", Key, handler!(library::issues)).in_one_project(),
    get("/library/fingerprints", Key, handler!(library::fingerprints)).in_one_project(),
    get("/library/entities/stats", Key, handler!(library::kind_stats)).in_one_project(),
    get("/library/tasks/stats", Key, handler!(library::task_stats)).in_one_project(),
    get("/library/issues/stats", Key, handler!(library::issue_stats)).in_one_project(),
    get("/library/fingerprints/stats", Key, handler!(library::fingerprint_stats)).in_one_project(),
    get("/library/catalog/stats", Key, handler!(library::catalog_stats)).in_one_project(),
    get("/library/issues/export_csv", Key, handler!(library::issues_csv)).in_one_project(),
    get("/library/tasks/export_csv", Key, handler!(library::tasks_csv)).in_one_project(),
    get("/library/issues/{issue_name}", Key, handler!(library::issue)).in_one_project(),
    get(INTEGRATIONS, OfProject(Member), handler!(integrations::list)),
    post(INTEGRATIONS, OfProject(Owner), handler!(integrations::create)),
    get("/projects/{uuid}/integrations/jira_projects", OfProject(Member), handler!(integrations::jira_projects)),
    patch("/integrations/{uuid}", OfProject(Owner), handler!(integrations::change)),
    delete("/integrations/{uuid}", OfProject(Owner), handler!(integrations::delete)),
    get("/integration_collections", InProject(Member), handler!(integrations::list_uses)),
    post(
        "/user_collections/{collection_uuid}/integration_collections",
        OfCollection(Admin),
        handler!(integrations::add_use),
    ),
    delete("/integration_collections/{uuid}", OfCollection(Admin), handler!(integrations::remove_use)),
    get(SEEDS, OfCollection(Viewer), handler!(seeds::list)),
    post(SEEDS, OfCollection(Admin), handler!(seeds::add)),
    delete("/entities/{entity_uid}", OfCollection(Admin), handler!(seeds::remove)),
];
