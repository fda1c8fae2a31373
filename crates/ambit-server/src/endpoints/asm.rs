//! The rows of attack surface management: projects, collections, runs, entities, issues, and what belongs to them (docs/contract/asm.md §6).

use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::Method::{Delete, Get, Patch, Post};
use crate::endpoint::{Endpoint, Parameter, as_type, row, with_body, with_optional_body, with_query};
use crate::routes;
use crate::routes::library::CSV;
use ambit_api::shape::{ANY, BOOLEAN, NULL, Shape, TEXT};
use ambit_api::{
    collection_runs, collections, entities, integrations, issues, library, library_stats, notes, plans, projects, search, seeds, tags, time_series,
    users,
};
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
    Parameter {
        name: "sort_field",
        shape: TEXT,
        required: false,
        doc: "A member to sort by; last_seen by default.",
    },
    Parameter {
        name: "sort_direction",
        shape: &Shape::OneOf(&["asc", "desc"]),
        required: false,
        doc: "asc by default.",
    },
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
        doc: "What happened between two dates or moments, with a comma between them, as it was at the second; `change:` narrows it. Ours.",
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

const START: &[Parameter] = &[Parameter {
    name: "start",
    shape: &Shape::When,
    required: false,
    doc: "Only moments from this date or moment on.",
}];

const LIST: &[Parameter] = &[
    Parameter {
        name: "page",
        shape: &Shape::Count,
        required: false,
        doc: "Number of the page, from 0.",
    },
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
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    row(Get, "/projects", Key, "List the projects of the caller.", &projects::PROJECTS, |call| Box::pin(routes::projects::list(call))),
    with_body(&projects::NEW_PROJECT, row(Post, "/projects", Key, "Create a project; the caller becomes its owner.", &projects::PROJECT, |call| Box::pin(routes::projects::create(call)))),
    with_body(&projects::PROJECT_SETTINGS, row(Patch, "/projects/{uuid}", OfProject(Member), "Change name and description, for owners; or make it the caller's primary project.", &projects::PROJECT, |call| Box::pin(routes::projects::change(call)))),
    row(Delete, "/projects/{uuid}", OfProject(Owner), "Delete a project with everything in it.", &projects::PROJECT, |call| Box::pin(routes::projects::delete(call))),

    row(Get, "/user_collections", InProject(Member), "List the collections of a project that the caller may see.", &collections::COLLECTIONS, |call| Box::pin(routes::collections::list(call))),
    with_body(&collections::NEW_COLLECTION, row(Post, "/user_collections", InProject(Owner), "Create a collection.", &collections::COLLECTION, |call| Box::pin(routes::collections::create(call)))),
    row(Get, "/user_collections/{uuid}", OfCollection(Viewer), "Read a collection.", &collections::COLLECTION, |call| Box::pin(routes::collections::find(call))),
    with_body(&collections::COLLECTION_SETTINGS, row(Patch, "/user_collections/{uuid}", OfCollection(Admin), "Change name, schedule, level, exclusions, or the number of refreshes that count as active; a member that cannot be changed is refused.", &collections::COLLECTION, |call| Box::pin(routes::collections::change(call)))),
    as_type("text/plain; charset=utf-8", row(Delete, "/user_collections/{uuid}", OfCollection(Admin), "Delete a collection for good.", BOOLEAN, |call| Box::pin(routes::collections::delete(call)))),
    row(Patch, "/user_collections/{uuid}/archive", OfCollection(Admin), "Archive a collection.", BOOLEAN, |call| Box::pin(routes::collections::archive(call))),
    row(Patch, "/user_collections/{uuid}/unarchive", OfCollection(Admin), "Make an archived collection active. The answer says success: false and is a success.", NULL, |call| Box::pin(routes::collections::unarchive(call))),

    row(Get, RUNS, OfCollection(Viewer), "List the runs of a collection, newest first.", &collection_runs::COLLECTION_RUNS, |call| Box::pin(routes::collection_runs::list(call))),
    with_optional_body(&plans::NEW_RUN, row(Post, RUNS, OfCollection(Admin), "Schedule a run of a collection; its plan stands beside `result`. A block of more than 65,536 addresses needs confirm_large.", BOOLEAN, |call| Box::pin(routes::collection_runs::start(call)))),

    with_query(PAGING, row(Get, SEARCH_ENTITIES, InProject(Member), "Search entities. An empty search string finds all of the project.", &search::ENTITY_SEARCH, |call| Box::pin(routes::search::entities(call)))),
    with_query(AS_OF, row(Get, "/entities/{entity_uid}", OfCollection(Viewer), "Read an entity.", &entities::ENTITY_DETAIL, |call| Box::pin(routes::entities::find(call)))),
    with_query(AS_OF, row(Get, "/entities/{entity_uid}/raw", OfCollection(Viewer), "Read an entity with everything that is known of it.", &entities::RAW_ENTITY, |call| Box::pin(routes::entities::raw(call)))),

    with_query(PAGING, row(Get, SEARCH_ISSUES, InProject(Member), "Search issues. An empty search string finds all of the project.", &search::ISSUE_SEARCH, |call| Box::pin(routes::search::issues(call)))),
    row(Get, "/issues/{id}", OfCollection(Viewer), "Read an issue.", &issues::ISSUE_DETAIL, |call| Box::pin(routes::issues::find(call))),
    with_body(&issues::NEW_STATUS, row(Post, STATUS, OfCollection(Analyst), "Report the status of an issue.", BOOLEAN, |call| Box::pin(routes::issues::report_status(call)))),

    with_query(PAGING, row(Get, "/search/technologies/{*search_string}", InProject(Member), "Search technologies. An empty search string finds all of the project.", &search::TECHNOLOGY_SEARCH, |call| Box::pin(routes::search::technologies(call)))),

    row(Get, TAGS, OfCollection(Viewer), "List the tags of an entity or issue.", &tags::TAGS, |call| Box::pin(routes::tags::list(call))),
    with_body(&tags::NEW_TAG, row(Post, TAGS, OfCollection(Analyst), "Add a tag to an entity or issue, or several; adding one that is there is harmless.", &tags::TAGS, |call| Box::pin(routes::tags::add(call)))),
    row(Delete, "/tags/{item_type}/{item_uid}/{tag_name}", OfCollection(Analyst), "Remove a tag from an entity or issue.", BOOLEAN, |call| Box::pin(routes::tags::remove(call))),

    row(Get, NOTES, OfCollection(Viewer), "List the notes on an entity or issue, oldest first.", &notes::NOTES, |call| Box::pin(routes::notes::list(call))),
    with_body(&notes::NEW_NOTE, row(Post, NOTES, OfCollection(Analyst), "Write a note on an entity or issue, as Markdown.", &notes::NOTE, |call| Box::pin(routes::notes::add(call)))),
    with_body(&notes::EDITED_NOTE, row(Patch, NOTE, OfCollection(Analyst), "Replace the text of a note; for its author and for admins of the collection.", &notes::NOTE, |call| Box::pin(routes::notes::edit(call)))),
    row(Delete, NOTE, OfCollection(Analyst), "Remove a note; for its author and for admins of the collection.", BOOLEAN, |call| Box::pin(routes::notes::delete(call))),

    with_query(POINT, row(Get, "/time_series/point_in_time/entities/{uid}", OfCollection(Viewer), "Read an entity as it was shown at a point in time.", &time_series::ENTITY_AT_RESULT, |call| Box::pin(routes::time_series::entity(call)))),
    with_query(POINT, row(Get, "/time_series/point_in_time/issues/{uid}", OfCollection(Viewer), "Read an issue as it was shown at a point in time.", &time_series::ISSUE_AT_RESULT, |call| Box::pin(routes::time_series::issue(call)))),
    with_query(START, row(Get, "/time_series/points_in_time/entities/{uid}", OfCollection(Viewer), "List the moments at which an entity changed, oldest first.", &time_series::POINTS, |call| Box::pin(routes::time_series::points_of_entity(call)))),
    with_query(START, row(Get, "/time_series/points_in_time/issues/{uid}", OfCollection(Viewer), "List the moments at which an issue changed, oldest first.", &time_series::POINTS, |call| Box::pin(routes::time_series::points_of_issue(call)))),

    row(Get, "/projects/{uuid}/users", OfProject(Member), "List the people of a project.", &users::PROJECT_USERS, |call| Box::pin(routes::users::list(call))),

    with_body(&users::NEW_PROJECT_USERS, row(Post, "/projects/{uuid}/users/bulk", OfProject(Owner), "Bring people into a project, or change their role; saying it twice is harmless. Whom the administrator of the installation brings is in it; whom others bring is asked, and in it after accepting.", &users::ADDED_USERS, |call| Box::pin(routes::users::add(call)))),
    row(Delete, "/projects/{uuid}/users/{project_user_id}", OfProject(Owner), "Take somebody out of a project, or an invitation back; everybody may leave.", BOOLEAN, |call| Box::pin(routes::users::remove(call))),
    row(Get, COLLECTION_USERS, OfCollection(Admin), "List who was given a role in a collection.", &users::COLLECTION_USERS, |call| Box::pin(routes::users::list_of_collection(call))),
    with_body(&users::NEW_COLLECTION_USER, row(Post, COLLECTION_USERS, OfProject(Owner), "Give somebody of the project a role in a collection.", BOOLEAN, |call| Box::pin(routes::users::set_of_collection(call)))),

    row(Delete, "/user_collections/{uuid}/collection_project_users/{project_user_id}", OfProject(Owner), "Take a member's role in a collection away.", BOOLEAN, |call| Box::pin(routes::users::remove_of_collection(call))),

    with_query(LIST, row(Get, "/library/entities", Key, "List the kinds of entity; `more` stands beside `result`.", &library::LIBRARY_KINDS, |call| Box::pin(routes::library::kinds(call)))),
    with_query(LIST, row(Get, "/library/tasks", Key, "List the discovery tasks; `more` stands beside `result`.", &library::LIBRARY_TASKS, |call| Box::pin(routes::library::tasks(call)))),
    with_query(LIST, row(Get, "/library/issues", Key, "List the kinds of issue; `more` stands beside `result`.", &library::LIBRARY_ISSUES, |call| Box::pin(routes::library::issues(call)))),
    with_query(LIST, row(Get, "/library/fingerprints", Key, "List the products that can be recognised; `more` stands beside `result`.", &library::LIBRARY_FINGERPRINTS, |call| Box::pin(routes::library::fingerprints(call)))),
    row(Get, "/library/entities/stats", Key, "Count the kinds of entity.", &library_stats::KIND_STATS, |call| Box::pin(routes::library::kind_stats(call))),
    row(Get, "/library/tasks/stats", Key, "Count the discovery tasks.", &library_stats::TASK_STATS, |call| Box::pin(routes::library::task_stats(call))),
    row(Get, "/library/issues/stats", Key, "Count the kinds of issue.", &library_stats::ISSUE_STATS, |call| Box::pin(routes::library::issue_stats(call))),
    row(Get, "/library/fingerprints/stats", Key, "Count the products that can be recognised.", &library_stats::FINGERPRINT_STATS, |call| Box::pin(routes::library::fingerprint_stats(call))),
    row(Get, "/library/catalog/stats", Key, "Count everything in the library.", &library_stats::CATALOG_STATS, |call| Box::pin(routes::library::catalog_stats(call))),
    as_type(CSV, row(Get, "/library/issues/export_csv", Key, "Export the kinds of issue as CSV.", ANY, |call| Box::pin(routes::library::issues_csv(call)))),
    as_type(CSV, row(Get, "/library/tasks/export_csv", Key, "Export the discovery tasks as CSV.", ANY, |call| Box::pin(routes::library::tasks_csv(call)))),
    row(Get, "/library/issues/{issue_name}", Key, "Read a kind of issue.", &library::LIBRARY_ISSUE, |call| Box::pin(routes::library::issue(call))),

    row(Get, INTEGRATIONS, OfProject(Member), "List the integrations of a project; of their secrets only the names are shown.", &integrations::INTEGRATIONS, |call| Box::pin(routes::integrations::list(call))),
    with_body(&integrations::NEW_INTEGRATION, row(Post, INTEGRATIONS, OfProject(Owner), "Make an integration of a project; its secrets are sealed and never shown.", &integrations::INTEGRATION, |call| Box::pin(routes::integrations::create(call)))),
    row(Get, "/projects/{uuid}/integrations/jira_projects", OfProject(Member), "List the Jira projects that the settings of the project's integrations name.", &integrations::JIRA_PROJECTS, |call| Box::pin(routes::integrations::jira_projects(call))),
    row(Delete, "/integrations/{uuid}", OfProject(Owner), "Remove an integration with its secrets and its uses.", BOOLEAN, |call| Box::pin(routes::integrations::delete(call))),
    row(Get, "/integration_collections", InProject(Member), "List which collections of a project use which integrations.", &integrations::INTEGRATION_COLLECTIONS, |call| Box::pin(routes::integrations::list_uses(call))),
    with_body(&integrations::NEW_INTEGRATION_COLLECTION, row(Post, "/user_collections/{collection_uuid}/integration_collections", OfCollection(Admin), "Let a collection use an integration of its project; saying it twice is harmless.", &integrations::INTEGRATION_COLLECTION, |call| Box::pin(routes::integrations::add_use(call)))),
    row(Delete, "/integration_collections/{uuid}", OfCollection(Admin), "End the use of an integration in a collection.", BOOLEAN, |call| Box::pin(routes::integrations::remove_use(call))),

    row(Get, SEEDS, OfCollection(Viewer), "List the seeds of a collection.", &seeds::SEEDS, |call| Box::pin(routes::seeds::list(call))),
    with_body(&seeds::NEW_SEEDS, row(Post, SEEDS, OfCollection(Admin), "Add seeds to a collection: one, or a list named entities.", &seeds::SEEDS, |call| Box::pin(routes::seeds::add(call)))),
    row(Delete, "/entities/{entity_uid}", OfCollection(Admin), "Remove a seed by its integer id.", BOOLEAN, |call| Box::pin(routes::seeds::remove(call))),
];
