//! The one table of endpoints: method, path, who may call, what it costs, which function answers. The gate walks it, the documentation is generated
//! from it, and tests walk it: no row answers without a key but the open ones, none shows another project's data, each has a scenario.

mod feeds;
mod hunting;
mod people;
mod v2;
mod wider;

use crate::answer::Answer;
use crate::call::Call;
use crate::quota::rules::{self, Rule};
use crate::rights::Right;
use crate::routes::library::CSV;
use crate::{documents, routes};
use ambit_api::shape::{ANY, BOOLEAN, NULL, Shape, TEXT};
use ambit_api::{
    ApiError, audit, bulk, changes, collection_runs, collections, entities, graphs, integrations, issues, keys, library, library_stats, notes, plans,
    projects, search, seeds, tags, time_series, users,
};
use ambit_model::user::{CollectionRole, ProjectRole};
use futures::future::BoxFuture;

/// Methods that the table knows. `HEAD` is answered where `GET` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// As it stands in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The method of a request; `None` for those that no row has.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "GET" | "HEAD" => Some(Self::Get),
            "POST" => Some(Self::Post),
            "PUT" => Some(Self::Put),
            "PATCH" => Some(Self::Patch),
            "DELETE" => Some(Self::Delete),
            _ => None,
        }
    }
}

/// The trees of paths; `path.rs` says where each is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// The contract's: under `/api/v3/asm` and, with other credentials, `/api/v1`.
    Asm,
    /// Ours, where nothing of the contract fits.
    Ambit,
    /// The wider API: objects, graphs, users, quotas (v3-wire); its calls are metered.
    Wider,
    /// Version 2 of the wider API: files, URLs and comments (v3-wire §7); metered too.
    V2,
    /// At the root: health, version, documents.
    Open,
}

impl Tree {
    /// True where calls are charged or counted.
    pub fn is_metered(self) -> bool {
        matches!(self, Self::Wider | Self::V2)
    }
}

/// Who may call. What a caller may not see is 404; what it may see but not do is 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a key. The list of such rows stands in a test.
    Open,
    /// Any valid key.
    Key,
    /// The administrator of the installation.
    Administrator,
    /// Works in the project that the header names, or the caller's primary one, with at least this role in it.
    InProject(ProjectRole),
    /// An object of a project in which the caller has at least this role.
    OfProject(ProjectRole),
    /// An object of a collection in which the caller has at least this role.
    OfCollection(CollectionRole),
}

/// A parameter of the query.
#[derive(Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub shape: &'static Shape,
    pub required: bool,
    pub doc: &'static str,
}

/// The function that answers.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Answer, ApiError>>;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    pub tree: Tree,
    pub method: Method,
    /// Below the mount; `{name}` is a parameter, `{*name}` the rest of the path, which may be empty.
    pub path: &'static str,
    pub access: Access,
    /// What the caller must be allowed to do with the object of the path, beyond `access`.
    pub right: Right,
    /// What a call costs. Everything outside the wider API is free (v3-wire A12).
    pub cost: &'static Rule,
    pub handler: Handler,
    pub summary: &'static str,
    pub query: &'static [Parameter],
    pub body: Option<&'static Shape>,
    /// False where the body may be left out.
    pub needs_body: bool,
    /// The shape of `result`.
    pub result: &'static Shape,
    pub content_type: &'static str,
    /// It is answered at once, however busy the server is: nothing is read for it but what the program has ready.
    pub light: bool,
}

const fn row(method: Method, path: &'static str, access: Access, summary: &'static str, result: &'static Shape, handler: Handler) -> Endpoint {
    Endpoint {
        tree: Tree::Asm,
        method,
        path,
        access,
        right: Right::Any,
        cost: &rules::OUTSIDE,
        handler,
        summary,
        query: &[],
        body: None,
        needs_body: true,
        result,
        content_type: "application/json",
        light: false,
    }
}

/// A row that needs no place among the requests that are worked on.
const fn light(row: Endpoint) -> Endpoint {
    Endpoint { light: true, ..row }
}

/// The same in another tree.
const fn beside(tree: Tree, row: Endpoint) -> Endpoint {
    Endpoint { tree, ..row }
}

const fn with_body(body: &'static Shape, row: Endpoint) -> Endpoint {
    Endpoint { body: Some(body), ..row }
}

/// The same, where nothing need be sent.
const fn with_optional_body(body: &'static Shape, row: Endpoint) -> Endpoint {
    Endpoint {
        body: Some(body),
        needs_body: false,
        ..row
    }
}

const fn with_query(query: &'static [Parameter], row: Endpoint) -> Endpoint {
    Endpoint { query, ..row }
}

const fn as_type(content_type: &'static str, row: Endpoint) -> Endpoint {
    Endpoint { content_type, ..row }
}

use Access::{InProject, Key, OfCollection, OfProject, Open};
use CollectionRole::{Admin, Analyst, Viewer};
use Method::{Delete, Get, Patch, Post};
use ProjectRole::{Member, Owner};

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

const AS_OF: &[Parameter] = &[Parameter {
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

const CHANGES: &[Parameter] = &[
    Parameter {
        name: "after",
        shape: &Shape::Count,
        required: false,
        doc: "Only changes after this revision: the `after` of the list before.",
    },
    Parameter {
        name: "limit",
        shape: &Shape::Count,
        required: false,
        doc: "Most rows: 100 by default, at most 1,000.",
    },
];

const LIMIT: &[Parameter] = &[Parameter {
    name: "limit",
    shape: &Shape::Count,
    required: false,
    doc: "Most rows: 100 by default, at most 1,000.",
}];

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

/// Every endpoint.
pub static ENDPOINTS: &[Endpoint] = &joined::<{ METERED.len() + FREE.len() }>(FREE, METERED);

/// The rows that cost nothing.
const FREE: &[Endpoint] = &joined::<{ OURS.len() + people::ROWS.len() }>(OURS, people::ROWS);

/// The rows that are charged or counted.
const METERED: &[Endpoint] = &joined::<{ THIRD.len() + v2::ROWS.len() }>(THIRD, v2::ROWS);

/// Those of version 3.
const THIRD: &[Endpoint] = &joined::<{ WIDER.len() + feeds::ROWS.len() }>(WIDER, feeds::ROWS);

const WIDER: &[Endpoint] = &joined::<{ wider::ROWS.len() + hunting::ROWS.len() }>(wider::ROWS, hunting::ROWS);

const fn joined<const ALL: usize>(one: &[Endpoint], other: &[Endpoint]) -> [Endpoint; ALL] {
    let mut out = [one[0]; ALL];
    let mut index = 0;
    while index < ALL {
        out[index] = if index < one.len() { one[index] } else { other[index - one.len()] };
        index += 1;
    }
    out
}

#[rustfmt::skip]
const OURS: &[Endpoint] = &[
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

    beside(Tree::Ambit, row(Get, "/user_collections/{collection_uuid}/plan", OfCollection(Viewer), "Say in numbers what a run asks for the seeds of a collection; what it finds beside them adds to that.", &plans::PLAN, |call| Box::pin(routes::collection_runs::plan(call)))),
    beside(Tree::Ambit, row(Get, "/collection_runs/{id}", OfCollection(Viewer), "Read a run, with what it did not do and why.", &collection_runs::RUN_DETAIL, |call| Box::pin(routes::collection_runs::find(call)))),
    beside(Tree::Ambit, row(Post, "/collection_runs/{id}/pause", OfCollection(Admin), "Pause a run.", &collection_runs::RUN_DETAIL, |call| Box::pin(routes::collection_runs::pause(call)))),
    beside(Tree::Ambit, row(Post, "/collection_runs/{id}/resume", OfCollection(Admin), "Go on with a paused run.", &collection_runs::RUN_DETAIL, |call| Box::pin(routes::collection_runs::resume(call)))),
    beside(Tree::Ambit, row(Post, "/collection_runs/{id}/cancel", OfCollection(Admin), "Cancel a run.", &collection_runs::RUN_DETAIL, |call| Box::pin(routes::collection_runs::cancel(call)))),
    with_query(AS_OF, beside(Tree::Ambit, row(Get, "/entities/{entity_uid}/scope", OfCollection(Viewer), "Explain why an entity is in scope or not, edge by edge from the seed.", &entities::SCOPE_EXPLANATION, |call| Box::pin(routes::entities::scope(call))))),
    with_body(&graphs::NEW_GRAPH, beside(Tree::Ambit, row(Post, "/graphs", Key, "Make a graph of an entity's neighbourhood, or of what a search finds; private unless the body says otherwise.", &graphs::MADE_GRAPH, |call| Box::pin(routes::graphs::create(call))))),
    with_body(&entities::ENTITY_MARKS, beside(Tree::Ambit, row(Patch, "/entities/{entity_uid}/scope", OfCollection(Analyst), "Put an entity on the deny list, hide it, or, as an admin of the collection, put it on the allow list; scope follows in the running run, else in the next.", &entities::SCOPE_EXPLANATION, |call| Box::pin(routes::entities::mark(call))))),
    with_body(&bulk::ENTITY_BULK, beside(Tree::Ambit, row(Post, "/entities/bulk", OfCollection(Analyst), "Change the tags of up to 1,000 entities, all or none.", &bulk::BULK_RESULT, |call| Box::pin(routes::bulk::entities(call))))),
    with_body(&bulk::ISSUE_BULK, beside(Tree::Ambit, row(Post, "/issues/bulk", OfCollection(Analyst), "Change status and tags of up to 1,000 issues, all or none.", &bulk::BULK_RESULT, |call| Box::pin(routes::bulk::issues(call))))),
    beside(Tree::Ambit, row(Get, "/keys", Key, "List the caller's API keys; for administrators, everybody's. The keys themselves are not shown.", &keys::KEYS, |call| Box::pin(routes::keys::list(call)))),
    with_body(&keys::NEW_KEY, beside(Tree::Ambit, row(Post, "/keys", Key, "Make an API key; its text is answered this once.", &keys::ISSUED_KEY, |call| Box::pin(routes::keys::create(call))))),
    beside(Tree::Ambit, row(Delete, "/keys/{id}", Key, "Revoke an API key.", BOOLEAN, |call| Box::pin(routes::keys::revoke(call)))),
    with_query(CHANGES, beside(Tree::Ambit, row(Get, "/changes", InProject(Member), "List what changed in a project, in the order of commits.", &changes::CHANGES, |call| Box::pin(routes::changes::list(call))))),
    with_query(LIMIT, beside(Tree::Ambit, row(Get, "/audit", InProject(Owner), "List what people changed in a project, newest first.", &audit::AUDIT_ROWS, |call| Box::pin(routes::audit::list(call))))),

    light(beside(Tree::Open, row(Get, "/livez", Open, "Say that the process is alive.", BOOLEAN, |call| Box::pin(documents::live(call))))),
    light(beside(Tree::Open, row(Get, "/readyz", Open, "Say whether requests can be answered.", BOOLEAN, |call| Box::pin(documents::ready(call))))),
    light(beside(Tree::Open, row(Get, "/version", Open, "Say which program and version this is.", &documents::VERSION, |call| Box::pin(documents::version(call))))),
    light(beside(Tree::Open, row(Get, "/openapi.json", Open, "This document.", ANY, |call| Box::pin(documents::openapi(call))))),
    with_body(&keys::KEY_TOKEN, beside(Tree::Open, row(Post, "/first_key", Open, "Exchange the one-time token of a fresh installation for its owner's API key.", &keys::ISSUED_KEY, |call| Box::pin(routes::keys::redeem(call))))),
    as_type("application/octet-stream", beside(Tree::Open, row(Get, "/downloads/{token}", Open, "Download a file by the signed address of /files/{id}/download_url.", ANY, |call| Box::pin(routes::wider::files::signed(call))))),
    as_type(routes::wider::archives::TYPE, beside(Tree::Open, row(Get, "/downloads/archives/{token}", Open, "Download an archive by the signed address of /intelligence/zip_files/{id}/download_url.", ANY, |call| Box::pin(routes::wider::archives::signed(call))))),
    light(as_type("text/html; charset=utf-8", beside(Tree::Open, row(Get, "/", Open, "The page of a server without its user interface.", ANY, |call| Box::pin(documents::home(call)))))),
    light(as_type("text/html; charset=utf-8", beside(Tree::Open, row(Get, "/docs", Open, "A page to read and try the API, without the network.", ANY, |call| Box::pin(documents::page(call)))))),
    light(as_type("text/javascript; charset=utf-8", beside(Tree::Open, row(Get, "/docs/page.js", Open, "The program of that page.", ANY, |call| Box::pin(documents::script(call)))))),
    light(as_type("text/css; charset=utf-8", beside(Tree::Open, row(Get, "/docs/page.css", Open, "The style of that page.", ANY, |call| Box::pin(documents::style(call)))))),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_stands_twice() {
        for (index, one) in ENDPOINTS.iter().enumerate() {
            let twins = ENDPOINTS[index + 1..]
                .iter()
                .filter(|other| (other.tree, other.method, other.path) == (one.tree, one.method, one.path));
            assert_eq!(twins.count(), 0, "{} {}", one.method.name(), one.path);
        }
    }

    #[test]
    fn only_the_listed_rows_are_open() {
        let open: Vec<&str> = ENDPOINTS.iter().filter(|row| row.access == Open).map(|row| row.path).collect();
        let listed = [
            "/livez",
            "/readyz",
            "/version",
            "/openapi.json",
            "/first_key",
            "/downloads/{token}",
            "/downloads/archives/{token}",
            "/",
            "/docs",
            "/docs/page.js",
            "/docs/page.css",
        ];
        assert_eq!(open, listed);
        assert!(ENDPOINTS.iter().all(|row| (row.tree == Tree::Open) == (row.access == Open)));
    }

    #[test]
    fn only_the_wider_api_is_metered() {
        for row in ENDPOINTS {
            assert_eq!(row.tree.is_metered(), row.cost.price != rules::Price::Unmetered, "{}", row.path);
            assert_eq!(row.cost.usage.is_empty(), !row.tree.is_metered(), "{}", row.path);
        }
    }
}
