//! The rows of attack surface management: projects, collections, runs, entities, issues, and what belongs to them
//! (docs/contract/asm.md §6).

use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, Parameter, count, delete, get, handler, parameter, patch, post, text, when};
use crate::routes::library::CSV;
use crate::routes::{tags, time_series};
use ambit_api::search::{self, SearchResult, SortDirection};
use ambit_api::shape::{BOOLEAN, NULL};
use ambit_api::{
    Contract, collection_runs, collections, entities, integrations, issues, library, library_stats, notes, plans,
    projects, seeds, users,
};
use ambit_model::Timestamp;
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

const PAGING: &[Parameter] = &[
    count("page_size", "Rows of a page: 50 by default, more than 1,000 means 1,000."),
    count("page", "Number of the page, from 0, within the first 10,000 rows."),
    text("page_token", "The next_page_token of the page before; without limit of rows. Not together with page."),
    text("sort_field", "A member to sort by; last_seen by default."),
    parameter("sort_direction", SortDirection::SHAPE, "asc by default."),
    AS_OF[0],
    text(
        "between",
        "What happened between two dates or moments, with a comma between them, as it was at the second; \
         `change:` narrows it. Ours.",
    ),
    parameter("aggregations", BOOLEAN, "false: none are counted, and `aggregations` is null. Ours."),
];

pub(super) const AS_OF: &[Parameter] =
    &[when("as_of", "As it was shown then: a date (the end of that day, UTC) or a moment. Ours.")];

const POINT: &[Parameter] = &[when("point_in_time", "A date (the end of that day, UTC) or a moment.").required()];

pub(super) const START: &[Parameter] = &[when("start", "Only moments from this date or moment on.")];

const LIST: &[Parameter] = &[
    count("page", "Number of the page, from 0."),
    count("page_size", "Rows of a page: 100 by default, more than 1,000 means 1,000."),
];

const SEARCH_ENTITIES: &str = "/search/entities/{*search_string}";
const SEARCH_ISSUES: &str = "/search/issues/{*search_string}";
const STATUS: &str = "/issues/{id}/status";
const RUNS: &str = "/collections/{collection_uuid}/collection_runs";
const COLLECTION_USERS: &str = "/user_collections/{uuid}/collection_project_users";
const INTEGRATIONS: &str = "/projects/{uuid}/integrations";
const TAGS: &str = "/tags/{item_type}/{item_uid}";
const NOTES: &str = "/notes/{item_type}/{item_uid}";
const NOTE: &str = "/notes/{item_type}/{item_uid}/{note_uid}";
const SEEDS: &str = "/user_collections/{collection_uuid}/user_entities";
/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/projects", Key, handler!(projects::list)).in_one_project().answers(Vec::<projects::Project>::SHAPE),
    post("/projects", Key, handler!(projects::create))
        .takes(projects::NewProject::SHAPE)
        .answers(projects::Project::SHAPE),
    patch("/projects/{uuid}", OfProject(Member), handler!(projects::change))
        .takes(projects::ProjectSettings::SHAPE)
        .answers(projects::Project::SHAPE),
    delete("/projects/{uuid}", OfProject(Owner), handler!(projects::delete)).answers(projects::Project::SHAPE),
    get("/user_collections", InProject(Member), handler!(collections::list))
        .answers(Vec::<collections::Collection>::SHAPE),
    post("/user_collections", InProject(Owner), handler!(collections::create))
        .takes(collections::NewCollection::SHAPE)
        .answers(collections::Collection::SHAPE),
    get("/user_collections/{uuid}", OfCollection(Viewer), handler!(collections::find))
        .answers(collections::Collection::SHAPE),
    patch("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::change))
        .takes(collections::CollectionSettings::SHAPE)
        .answers(collections::Collection::SHAPE),
    delete("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::delete))
        .as_type("text/plain; charset=utf-8")
        .answers(BOOLEAN),
    patch("/user_collections/{uuid}/archive", OfCollection(Admin), handler!(collections::archive)).answers(BOOLEAN),
    patch("/user_collections/{uuid}/unarchive", OfCollection(Admin), handler!(collections::unarchive)).answers(NULL),
    get(RUNS, OfCollection(Viewer), handler!(collection_runs::list))
        .answers(Vec::<collection_runs::CollectionRun>::SHAPE),
    post(RUNS, OfCollection(Admin), handler!(collection_runs::start)).may_take(plans::NewRun::SHAPE).answers(BOOLEAN),
    get(SEARCH_ENTITIES, InProject(Member), handler!(search::entities))
        .asks(PAGING)
        .answers(SearchResult::<search::Entities>::SHAPE),
    get("/entities/{entity_uid}", OfCollection(Viewer), handler!(entities::find))
        .reads_project()
        .asks(AS_OF)
        .answers(entities::EntityDetail::SHAPE),
    get("/entities/{entity_uid}/raw", OfCollection(Viewer), handler!(entities::raw))
        .reads_project()
        .asks(AS_OF)
        .answers(entities::RawEntity::SHAPE),
    get(SEARCH_ISSUES, InProject(Member), handler!(search::issues))
        .asks(PAGING)
        .answers(SearchResult::<search::Issues>::SHAPE),
    get("/issues/{id}", OfCollection(Viewer), handler!(issues::find))
        .reads_project()
        .answers(issues::IssueDetail::SHAPE),
    post(STATUS, OfCollection(Analyst), handler!(issues::report_status))
        .reads_project()
        .takes(issues::NewStatus::SHAPE)
        .answers(BOOLEAN),
    get("/search/technologies/{*search_string}", InProject(Member), handler!(search::technologies))
        .asks(PAGING)
        .answers(SearchResult::<search::Technologies>::SHAPE),
    get(TAGS, OfCollection(Viewer), handler!(tags::list)).reads_project().answers(Vec::<String>::SHAPE),
    post(TAGS, OfCollection(Analyst), handler!(tags::add))
        .reads_project()
        .takes(tags::NewTag::SHAPE)
        .answers(Vec::<String>::SHAPE),
    delete("/tags/{item_type}/{item_uid}/{tag_name}", OfCollection(Analyst), handler!(tags::remove))
        .reads_project()
        .answers(BOOLEAN),
    get(NOTES, OfCollection(Viewer), handler!(notes::list)).reads_project().answers(Vec::<notes::Note>::SHAPE),
    post(NOTES, OfCollection(Analyst), handler!(notes::add))
        .reads_project()
        .takes(notes::NewNote::SHAPE)
        .answers(notes::Note::SHAPE),
    patch(NOTE, OfCollection(Analyst), handler!(notes::edit))
        .reads_project()
        .takes(notes::EditedNote::SHAPE)
        .answers(notes::Note::SHAPE),
    delete(NOTE, OfCollection(Analyst), handler!(notes::delete)).reads_project().answers(BOOLEAN),
    get("/time_series/point_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::entity))
        .reads_project()
        .asks(POINT)
        .answers(time_series::EntityAtPointResult::SHAPE),
    get("/time_series/point_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::issue))
        .reads_project()
        .asks(POINT)
        .answers(time_series::IssueAtPointResult::SHAPE),
    get("/time_series/points_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::points_of_entity))
        .reads_project()
        .asks(START)
        .answers(Vec::<Timestamp>::SHAPE),
    get("/time_series/points_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::points_of_issue))
        .reads_project()
        .asks(START)
        .answers(Vec::<Timestamp>::SHAPE),
    get("/projects/{uuid}/users", OfProject(Member), handler!(users::list)).answers(Vec::<users::ProjectUser>::SHAPE),
    post("/projects/{uuid}/users/bulk", OfProject(Owner), handler!(users::add))
        .takes(users::NewProjectUsers::SHAPE)
        .answers(Vec::<users::AddedProjectUser>::SHAPE),
    delete("/projects/{uuid}/users/{project_user_id}", OfProject(Owner), handler!(users::remove)).answers(BOOLEAN),
    get(COLLECTION_USERS, OfCollection(Admin), handler!(users::list_of_collection))
        .answers(Vec::<users::CollectionUser>::SHAPE),
    post(COLLECTION_USERS, OfProject(Owner), handler!(users::set_of_collection))
        .takes(users::NewCollectionUser::SHAPE)
        .answers(BOOLEAN),
    delete(
        "/user_collections/{uuid}/collection_project_users/{project_user_id}",
        OfProject(Owner),
        handler!(users::remove_of_collection),
    )
    .answers(BOOLEAN),
    get("/library/entities", Key, handler!(library::kinds))
        .in_one_project()
        .asks(LIST)
        .answers(Vec::<library::LibraryEntity>::SHAPE),
    get("/library/tasks", Key, handler!(library::tasks))
        .in_one_project()
        .asks(LIST)
        .answers(Vec::<library::LibraryTask>::SHAPE),
    get("/library/workflows", Key, handler!(library::workflows))
        .in_one_project()
        .asks(LIST)
        .answers(Vec::<library::LibraryWorkflow>::SHAPE),
    get("/library/issues", Key, handler!(library::issues))
        .in_one_project()
        .asks(LIST)
        .answers(Vec::<library::LibraryIssue>::SHAPE),
    get("/library/fingerprints", Key, handler!(library::fingerprints))
        .in_one_project()
        .asks(LIST)
        .answers(Vec::<library::LibraryFingerprint>::SHAPE),
    get("/library/entities/stats", Key, handler!(library::kind_stats))
        .in_one_project()
        .answers(library_stats::LibraryEntityStats::SHAPE),
    get("/library/tasks/stats", Key, handler!(library::task_stats))
        .in_one_project()
        .answers(library_stats::LibraryTaskStats::SHAPE),
    get("/library/issues/stats", Key, handler!(library::issue_stats))
        .in_one_project()
        .answers(library_stats::LibraryIssueStats::SHAPE),
    get("/library/fingerprints/stats", Key, handler!(library::fingerprint_stats))
        .in_one_project()
        .answers(library_stats::LibraryFingerprintStats::SHAPE),
    get("/library/catalog/stats", Key, handler!(library::catalog_stats))
        .in_one_project()
        .answers(library_stats::LibraryCatalogStats::SHAPE),
    get("/library/issues/export_csv", Key, handler!(library::issues_csv)).in_one_project().as_type(CSV),
    get("/library/tasks/export_csv", Key, handler!(library::tasks_csv)).in_one_project().as_type(CSV),
    get("/library/issues/{issue_name}", Key, handler!(library::issue))
        .in_one_project()
        .answers(library::LibraryIssue::SHAPE),
    get(INTEGRATIONS, OfProject(Member), handler!(integrations::list)).answers(Vec::<integrations::Integration>::SHAPE),
    post(INTEGRATIONS, OfProject(Owner), handler!(integrations::create))
        .takes(integrations::NewIntegration::SHAPE)
        .answers(integrations::Integration::SHAPE),
    get("/projects/{uuid}/integrations/jira_projects", OfProject(Member), handler!(integrations::jira_projects))
        .answers(Vec::<integrations::JiraProject>::SHAPE),
    patch("/integrations/{uuid}", OfProject(Owner), handler!(integrations::change))
        .takes(integrations::IntegrationSettings::SHAPE)
        .answers(integrations::Integration::SHAPE),
    delete("/integrations/{uuid}", OfProject(Owner), handler!(integrations::delete)).answers(BOOLEAN),
    get("/integration_collections", InProject(Member), handler!(integrations::list_uses))
        .answers(Vec::<integrations::IntegrationCollection>::SHAPE),
    post(
        "/user_collections/{collection_uuid}/integration_collections",
        OfCollection(Admin),
        handler!(integrations::add_use),
    )
    .takes(integrations::NewIntegrationCollection::SHAPE)
    .answers(integrations::IntegrationCollection::SHAPE),
    delete("/integration_collections/{uuid}", OfCollection(Admin), handler!(integrations::remove_use)).answers(BOOLEAN),
    get(SEEDS, OfCollection(Viewer), handler!(seeds::list)).answers(Vec::<seeds::Seed>::SHAPE),
    post(SEEDS, OfCollection(Admin), handler!(seeds::add))
        .takes(seeds::NewSeeds::SHAPE)
        .answers(Vec::<seeds::Seed>::SHAPE),
    delete("/entities/{entity_uid}", OfCollection(Admin), handler!(seeds::remove)).answers(BOOLEAN),
];
