//! The rows of attack surface management: projects, collections, runs, entities, issues, and what belongs to them
//! (docs/contract/asm.md §6).

use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, Parameter, delete, get, handler, patch, post};
use crate::routes::library::CSV;
use crate::routes::{tags, time_series};
use ambit_api::search::{self, SearchResult, SortDirection};
use ambit_api::shape::{BOOLEAN, NULL, Shape, TEXT};
use ambit_api::{
    Contract, collection_runs, collections, entities, integrations, issues, library, library_stats, notes, plans,
    projects, seeds, users,
};
use ambit_model::Timestamp;
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

const PAGING: &[Parameter] = &[
    Parameter {
        name: "page_size",
        shape: &Shape::Count,
        required: false,
        doc: "Rows of a page: 50 by default, more than 1,000 means 1,000.",
    },
    Parameter {
        name: "page",
        shape: &Shape::Count,
        required: false,
        doc: "Number of the page, from 0, within the first 10,000 rows.",
    },
    Parameter {
        name: "page_token",
        shape: TEXT,
        required: false,
        doc: "The next_page_token of the page before; without limit of rows. Not together with page.",
    },
    Parameter { name: "sort_field", shape: TEXT, required: false, doc: "A member to sort by; last_seen by default." },
    Parameter { name: "sort_direction", shape: SortDirection::SHAPE, required: false, doc: "asc by default." },
    Parameter {
        name: "as_of",
        shape: &Shape::When,
        required: false,
        doc: "As it was shown then: a date (the end of that day, UTC) or a moment. Ours.",
    },
    Parameter {
        name: "between",
        shape: TEXT,
        required: false,
        doc: "What happened between two dates or moments, with a comma between them, as it was at the second; \
              `change:` narrows it. Ours.",
    },
    Parameter {
        name: "aggregations",
        shape: BOOLEAN,
        required: false,
        doc: "false: none are counted, and `aggregations` is null. Ours.",
    },
];

pub(super) const AS_OF: &[Parameter] = &[Parameter {
    name: "as_of",
    shape: &Shape::When,
    required: false,
    doc: "As it was shown then: a date (the end of that day, UTC) or a moment. Ours.",
}];

const POINT: &[Parameter] = &[Parameter {
    name: "point_in_time",
    shape: &Shape::When,
    required: true,
    doc: "A date (the end of that day, UTC) or a moment.",
}];

pub(super) const START: &[Parameter] = &[Parameter {
    name: "start",
    shape: &Shape::When,
    required: false,
    doc: "Only moments from this date or moment on.",
}];

const LIST: &[Parameter] = &[
    Parameter { name: "page", shape: &Shape::Count, required: false, doc: "Number of the page, from 0." },
    Parameter {
        name: "page_size",
        shape: &Shape::Count,
        required: false,
        doc: "Rows of a page: 100 by default, more than 1,000 means 1,000.",
    },
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
    get("/projects", Key, handler!(projects::list))
        .in_one_project()
        .says("List the projects of the caller.")
        .answers(Vec::<projects::Project>::SHAPE),
    post("/projects", Key, handler!(projects::create))
        .says("Create a project; the caller becomes its owner.")
        .takes(projects::NewProject::SHAPE)
        .answers(projects::Project::SHAPE),
    patch("/projects/{uuid}", OfProject(Member), handler!(projects::change))
        .says("Change name and description, for owners; or make it the caller's primary project.")
        .takes(projects::ProjectSettings::SHAPE)
        .answers(projects::Project::SHAPE),
    delete("/projects/{uuid}", OfProject(Owner), handler!(projects::delete))
        .says("Delete a project with everything in it.")
        .answers(projects::Project::SHAPE),
    get("/user_collections", InProject(Member), handler!(collections::list))
        .says("List the collections of a project that the caller may see.")
        .answers(Vec::<collections::Collection>::SHAPE),
    post("/user_collections", InProject(Owner), handler!(collections::create))
        .says("Create a collection.")
        .takes(collections::NewCollection::SHAPE)
        .answers(collections::Collection::SHAPE),
    get("/user_collections/{uuid}", OfCollection(Viewer), handler!(collections::find))
        .says("Read a collection.")
        .answers(collections::Collection::SHAPE),
    patch("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::change))
        .says(
            "Change name, schedule, timing, level, ports, tasks that are left out, exclusions, or the number of \
             refreshes that count as active; a member that cannot be changed is refused.",
        )
        .takes(collections::CollectionSettings::SHAPE)
        .answers(collections::Collection::SHAPE),
    delete("/user_collections/{uuid}", OfCollection(Admin), handler!(collections::delete))
        .says("Delete a collection for good.")
        .as_type("text/plain; charset=utf-8")
        .answers(BOOLEAN),
    patch("/user_collections/{uuid}/archive", OfCollection(Admin), handler!(collections::archive))
        .says("Archive a collection.")
        .answers(BOOLEAN),
    patch("/user_collections/{uuid}/unarchive", OfCollection(Admin), handler!(collections::unarchive))
        .says("Make an archived collection active. The answer says success: false and is a success.")
        .answers(NULL),
    get(RUNS, OfCollection(Viewer), handler!(collection_runs::list))
        .says("List the runs of a collection, newest first.")
        .answers(Vec::<collection_runs::CollectionRun>::SHAPE),
    post(RUNS, OfCollection(Admin), handler!(collection_runs::start))
        .says(
            "Schedule a run of a collection; its plan stands beside `result`. A block of more than 65,536 addresses \
               needs confirm_large.",
        )
        .may_take(plans::NewRun::SHAPE)
        .answers(BOOLEAN),
    get(SEARCH_ENTITIES, InProject(Member), handler!(search::entities))
        .says("Search entities. An empty search string finds all of the project.")
        .asks(PAGING)
        .answers(SearchResult::<search::Entities>::SHAPE),
    get("/entities/{entity_uid}", OfCollection(Viewer), handler!(entities::find))
        .reads_project()
        .says("Read an entity.")
        .asks(AS_OF)
        .answers(entities::EntityDetail::SHAPE),
    get("/entities/{entity_uid}/raw", OfCollection(Viewer), handler!(entities::raw))
        .reads_project()
        .says("Read an entity with everything that is known of it.")
        .asks(AS_OF)
        .answers(entities::RawEntity::SHAPE),
    get(SEARCH_ISSUES, InProject(Member), handler!(search::issues))
        .says("Search issues. An empty search string finds all of the project.")
        .asks(PAGING)
        .answers(SearchResult::<search::Issues>::SHAPE),
    get("/issues/{id}", OfCollection(Viewer), handler!(issues::find))
        .reads_project()
        .says("Read an issue.")
        .answers(issues::IssueDetail::SHAPE),
    post(STATUS, OfCollection(Analyst), handler!(issues::report_status))
        .reads_project()
        .says("Report the status of an issue. A closing status may have a reason and an end.")
        .takes(issues::NewStatus::SHAPE)
        .answers(BOOLEAN),
    get("/search/technologies/{*search_string}", InProject(Member), handler!(search::technologies))
        .says("Search technologies. An empty search string finds all of the project.")
        .asks(PAGING)
        .answers(SearchResult::<search::Technologies>::SHAPE),
    get(TAGS, OfCollection(Viewer), handler!(tags::list))
        .reads_project()
        .says("List the tags of an entity or issue.")
        .answers(Vec::<String>::SHAPE),
    post(TAGS, OfCollection(Analyst), handler!(tags::add))
        .reads_project()
        .says("Add a tag to an entity or issue, or several; adding one that is there is harmless.")
        .takes(tags::NewTag::SHAPE)
        .answers(Vec::<String>::SHAPE),
    delete("/tags/{item_type}/{item_uid}/{tag_name}", OfCollection(Analyst), handler!(tags::remove))
        .reads_project()
        .says("Remove a tag from an entity or issue.")
        .answers(BOOLEAN),
    get(NOTES, OfCollection(Viewer), handler!(notes::list))
        .reads_project()
        .says("List the notes on an entity or issue, oldest first.")
        .answers(Vec::<notes::Note>::SHAPE),
    post(NOTES, OfCollection(Analyst), handler!(notes::add))
        .reads_project()
        .says("Write a note on an entity or issue, as Markdown.")
        .takes(notes::NewNote::SHAPE)
        .answers(notes::Note::SHAPE),
    patch(NOTE, OfCollection(Analyst), handler!(notes::edit))
        .reads_project()
        .says("Replace the text of a note; for its author and for admins of the collection.")
        .takes(notes::EditedNote::SHAPE)
        .answers(notes::Note::SHAPE),
    delete(NOTE, OfCollection(Analyst), handler!(notes::delete))
        .reads_project()
        .says("Remove a note; for its author and for admins of the collection.")
        .answers(BOOLEAN),
    get("/time_series/point_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::entity))
        .reads_project()
        .says("Read an entity as it was shown at a point in time.")
        .asks(POINT)
        .answers(time_series::EntityAtPointResult::SHAPE),
    get("/time_series/point_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::issue))
        .reads_project()
        .says("Read an issue as it was shown at a point in time.")
        .asks(POINT)
        .answers(time_series::IssueAtPointResult::SHAPE),
    get("/time_series/points_in_time/entities/{uid}", OfCollection(Viewer), handler!(time_series::points_of_entity))
        .reads_project()
        .says("List the moments at which an entity changed, oldest first.")
        .asks(START)
        .answers(Vec::<Timestamp>::SHAPE),
    get("/time_series/points_in_time/issues/{uid}", OfCollection(Viewer), handler!(time_series::points_of_issue))
        .reads_project()
        .says("List the moments at which an issue changed, oldest first.")
        .asks(START)
        .answers(Vec::<Timestamp>::SHAPE),
    get("/projects/{uuid}/users", OfProject(Member), handler!(users::list))
        .says("List the people of a project.")
        .answers(Vec::<users::ProjectUser>::SHAPE),
    post("/projects/{uuid}/users/bulk", OfProject(Owner), handler!(users::add))
        .says(
            "Add people to a project, or change their role; repeating it is harmless. An administrator of the \
             installation adds people at once; anybody else sends an invitation, which they accept or decline.",
        )
        .takes(users::NewProjectUsers::SHAPE)
        .answers(Vec::<users::AddedProjectUser>::SHAPE),
    delete("/projects/{uuid}/users/{project_user_id}", OfProject(Owner), handler!(users::remove))
        .says("Remove a person from a project, or withdraw an invitation. Everybody may remove themselves.")
        .answers(BOOLEAN),
    get(COLLECTION_USERS, OfCollection(Admin), handler!(users::list_of_collection))
        .says("List who was given a role in a collection.")
        .answers(Vec::<users::CollectionUser>::SHAPE),
    post(COLLECTION_USERS, OfProject(Owner), handler!(users::set_of_collection))
        .says("Give somebody of the project a role in a collection.")
        .takes(users::NewCollectionUser::SHAPE)
        .answers(BOOLEAN),
    delete(
        "/user_collections/{uuid}/collection_project_users/{project_user_id}",
        OfProject(Owner),
        handler!(users::remove_of_collection),
    )
    .says("Remove a member's role in a collection.")
    .answers(BOOLEAN),
    get("/library/entities", Key, handler!(library::kinds))
        .in_one_project()
        .says("List the kinds of entity; `more` stands beside `result`.")
        .asks(LIST)
        .answers(Vec::<library::LibraryEntity>::SHAPE),
    get("/library/tasks", Key, handler!(library::tasks))
        .in_one_project()
        .says("List the discovery tasks; `more` stands beside `result`.")
        .asks(LIST)
        .answers(Vec::<library::LibraryTask>::SHAPE),
    get("/library/workflows", Key, handler!(library::workflows))
        .in_one_project()
        .says("List the workflows with their tasks; `more` stands beside `result`.")
        .asks(LIST)
        .answers(Vec::<library::LibraryWorkflow>::SHAPE),
    get("/library/issues", Key, handler!(library::issues))
        .in_one_project()
        .says("List the kinds of issue; `more` stands beside `result`.")
        .asks(LIST)
        .answers(Vec::<library::LibraryIssue>::SHAPE),
    get("/library/fingerprints", Key, handler!(library::fingerprints))
        .in_one_project()
        .says("List the products that can be recognised; `more` stands beside `result`.")
        .asks(LIST)
        .answers(Vec::<library::LibraryFingerprint>::SHAPE),
    get("/library/entities/stats", Key, handler!(library::kind_stats))
        .in_one_project()
        .says("Count the kinds of entity.")
        .answers(library_stats::LibraryEntityStats::SHAPE),
    get("/library/tasks/stats", Key, handler!(library::task_stats))
        .in_one_project()
        .says("Count the discovery tasks.")
        .answers(library_stats::LibraryTaskStats::SHAPE),
    get("/library/issues/stats", Key, handler!(library::issue_stats))
        .in_one_project()
        .says("Count the kinds of issue.")
        .answers(library_stats::LibraryIssueStats::SHAPE),
    get("/library/fingerprints/stats", Key, handler!(library::fingerprint_stats))
        .in_one_project()
        .says("Count the products that can be recognised.")
        .answers(library_stats::LibraryFingerprintStats::SHAPE),
    get("/library/catalog/stats", Key, handler!(library::catalog_stats))
        .in_one_project()
        .says("Count everything in the library.")
        .answers(library_stats::LibraryCatalogStats::SHAPE),
    get("/library/issues/export_csv", Key, handler!(library::issues_csv))
        .in_one_project()
        .says("Export the kinds of issue as CSV.")
        .as_type(CSV),
    get("/library/tasks/export_csv", Key, handler!(library::tasks_csv))
        .in_one_project()
        .says("Export the discovery tasks as CSV.")
        .as_type(CSV),
    get("/library/issues/{issue_name}", Key, handler!(library::issue))
        .in_one_project()
        .says("Read a kind of issue.")
        .answers(library::LibraryIssue::SHAPE),
    get(INTEGRATIONS, OfProject(Member), handler!(integrations::list))
        .says("List the integrations of a project; of their secrets only the names are shown.")
        .answers(Vec::<integrations::Integration>::SHAPE),
    post(INTEGRATIONS, OfProject(Owner), handler!(integrations::create))
        .says("Make an integration of a project; its secrets are sealed and never shown.")
        .takes(integrations::NewIntegration::SHAPE)
        .answers(integrations::Integration::SHAPE),
    get("/projects/{uuid}/integrations/jira_projects", OfProject(Member), handler!(integrations::jira_projects))
        .says("List the Jira projects that the settings of the project's integrations name.")
        .answers(Vec::<integrations::JiraProject>::SHAPE),
    patch("/integrations/{uuid}", OfProject(Owner), handler!(integrations::change))
        .says("Change the name of an integration, or replace its secrets or its settings.")
        .takes(integrations::IntegrationSettings::SHAPE)
        .answers(integrations::Integration::SHAPE),
    delete("/integrations/{uuid}", OfProject(Owner), handler!(integrations::delete))
        .says("Remove an integration with its secrets and its uses.")
        .answers(BOOLEAN),
    get("/integration_collections", InProject(Member), handler!(integrations::list_uses))
        .says("List which collections of a project use which integrations.")
        .answers(Vec::<integrations::IntegrationCollection>::SHAPE),
    post(
        "/user_collections/{collection_uuid}/integration_collections",
        OfCollection(Admin),
        handler!(integrations::add_use),
    )
    .says("Let a collection use an integration of its project; repeating it is harmless.")
    .takes(integrations::NewIntegrationCollection::SHAPE)
    .answers(integrations::IntegrationCollection::SHAPE),
    delete("/integration_collections/{uuid}", OfCollection(Admin), handler!(integrations::remove_use))
        .says("End the use of an integration in a collection.")
        .answers(BOOLEAN),
    get(SEEDS, OfCollection(Viewer), handler!(seeds::list))
        .says("List the seeds of a collection.")
        .answers(Vec::<seeds::Seed>::SHAPE),
    post(SEEDS, OfCollection(Admin), handler!(seeds::add))
        .says("Add seeds to a collection: one, or a list named entities.")
        .takes(seeds::NewSeeds::SHAPE)
        .answers(Vec::<seeds::Seed>::SHAPE),
    delete("/entities/{entity_uid}", OfCollection(Admin), handler!(seeds::remove))
        .says("Remove a seed by its integer id.")
        .answers(BOOLEAN),
];
