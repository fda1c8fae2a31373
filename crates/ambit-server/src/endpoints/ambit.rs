//! The rows of what Ambit has beyond the contract.

use super::asm::{AS_OF, START};
use crate::answer::EVENTS;
use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, Parameter, delete, get, handler, patch, post};
use crate::routes::{audit, bulk, uids};
use ambit_api::shape::{BOOLEAN, Shape, TEXT};
use ambit_api::words::Word;
use ambit_api::{
    Contract, changes, collection_runs, collections, contacts, entities, exports, graphs, imports, issues, keys, plans,
    postures, receivers, search,
};
use ambit_model::Clearance;
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

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

const EXPORT: &[Parameter] = &[
    SEARCH_STRING,
    OF,
    Parameter {
        name: "since",
        shape: &Shape::When,
        required: false,
        doc: "What came or went from this date or moment on is said to be new or gone, where the format can say it.",
    },
    AS_OF[0],
];

const EXPORT_ROWS: &[Parameter] = &[
    SEARCH_STRING,
    OF,
    Parameter {
        name: "page_size",
        shape: &Shape::Count,
        required: false,
        doc: "Rows of a page: 500 by default, at most 1,000.",
    },
    Parameter {
        name: "page_token",
        shape: &Shape::Text,
        required: false,
        doc: "`next_page_token` of the page before.",
    },
    Parameter {
        name: "probed",
        shape: &Shape::Count,
        required: false,
        doc: "How many open issues of the page, the first ones, come with their `probes`: what was asked and \
              answered, with secrets masked. 0 by default, at most 200.",
    },
    Parameter {
        name: "since",
        shape: &Shape::When,
        required: false,
        doc: "Issues that have changed from this date or moment on say whether they were open then (`was_open`).",
    },
    AS_OF[0],
];

const SEARCH_STRING: Parameter = Parameter {
    name: "search_string",
    shape: &Shape::Text,
    required: false,
    doc: "What is searched for; without one, exports tell of open issues and of entities that are there.",
};

const OF: Parameter = Parameter {
    name: "of",
    shape: &Shape::Text,
    required: false,
    doc: "issues (the default) or entities, which only csv, jsonl and stix can tell of.",
};

const NEIGHBOURHOOD: &[Parameter] = &[
    Parameter {
        name: "entity",
        shape: TEXT,
        required: false,
        doc: "The uid or uuid of an entity; either this or `query`.",
    },
    Parameter { name: "query", shape: TEXT, required: false, doc: "A search string over entities." },
    Parameter {
        name: "depth",
        shape: &Shape::Count,
        required: false,
        doc: "Steps from there, at most 3: 1 by default around an entity, 0 around what a search finds.",
    },
];

const CONTACTS: &[Parameter] = &[
    Parameter { name: "address", shape: TEXT, required: true, doc: "An address, or a block such as 192.0.2.0/24." },
    Parameter { name: "time", shape: &Shape::When, required: false, doc: "When; without it, ever." },
    Parameter {
        name: "around",
        shape: &Shape::Count,
        required: false,
        doc: "Minutes before and after that time that are looked at: 5 by default.",
    },
];

const LEVEL: &[Parameter] = &[Parameter {
    name: "level",
    shape: Word::<Clearance>::SHAPE,
    required: false,
    doc: "As if this were the collection's level.",
}];

const LIMIT: &[Parameter] = &[Parameter {
    name: "limit",
    shape: &Shape::Count,
    required: false,
    doc: "Most rows: 100 by default, at most 1,000.",
}];

const AUDIT: &[Parameter] = &[
    LIMIT[0],
    Parameter {
        name: "before",
        shape: &Shape::Count,
        required: false,
        doc: "Only rows with smaller ids: the `id` of the last row of the page before.",
    },
    Parameter {
        name: "of",
        shape: TEXT,
        required: false,
        doc: "`project` (the default), or `installation` for its administrator.",
    },
];

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/user_collections/{collection_uuid}/plan", OfCollection(Viewer), handler!(collection_runs::plan))
        .says(
            "Estimate what a run of a collection would ask, in numbers. The estimate covers the seeds; what is found \
             beside them adds to it.",
        )
        .asks(LEVEL)
        .answers(plans::Plan::SHAPE),
    get("/user_collections/{collection_uuid}/postures", OfCollection(Viewer), handler!(postures::of_collection))
        .says(
            "List how well the seeds of a collection protect what everybody can see of them, the worst first; those \
             that nobody weighed are left out.",
        )
        .asks(AS_OF)
        .answers(<Vec<postures::SeedPosture>>::SHAPE),
    get(
        "/user_collections/{collection_uuid}/organization_postures",
        OfCollection(Viewer),
        handler!(postures::of_organizations),
    )
    .says(
        "List how well the organisations that registered the domains among the seeds of a collection protect what \
         everybody can see of them, the worst first, each as its weakest domain, with the scores that it had.",
    )
    .asks(AS_OF)
    .answers(<Vec<postures::OrganizationPosture>>::SHAPE),
    post("/user_collections/{uuid}/scope_preview", OfCollection(Admin), handler!(collections::preview))
        .only_reads()
        .says("Preview what another level or other exclusions would change in what is known. Nothing is changed.")
        .takes(collections::ScopeRules::SHAPE)
        .answers(collections::ScopePreview::SHAPE),
    post("/user_collections/{collection_uuid}/imports", OfCollection(Admin), handler!(imports::create))
        .says(
            "Import what another tool saw, at most 1,000 things, as observations of a collection with their source \
             and date. Nothing is contacted. A thing that belongs to nothing in the collection is left out, unless a \
             state of Terraform holds it.",
        )
        .takes(imports::NewImport::SHAPE)
        .answers(imports::Import::SHAPE),
    get("/collection_runs", InProject(Member), handler!(collection_runs::newest))
        .says("List the newest run of each collection of a project, with what it did not do and why.")
        .answers(Vec::<collection_runs::RunDetail>::SHAPE),
    get("/collection_runs/{id}", OfCollection(Viewer), handler!(collection_runs::find))
        .says("Read a run, with what it did not do and why.")
        .answers(collection_runs::RunDetail::SHAPE),
    get("/collection_runs/{id}/events", OfCollection(Viewer), handler!(run_events::listen))
        .says(
            "Follow a run by server-sent events: one for each change and one every five seconds, until it is over. \
             Each is named `run`, and its data is the `result` of reading the run.",
        )
        .as_type(EVENTS),
    post("/collection_runs/{id}/pause", OfCollection(Admin), handler!(collection_runs::pause))
        .says("Pause a run.")
        .answers(collection_runs::RunDetail::SHAPE),
    post("/collection_runs/{id}/resume", OfCollection(Admin), handler!(collection_runs::resume))
        .says("Resume a paused run.")
        .answers(collection_runs::RunDetail::SHAPE),
    post("/collection_runs/{id}/cancel", OfCollection(Admin), handler!(collection_runs::cancel))
        .says("Cancel a run.")
        .answers(collection_runs::RunDetail::SHAPE),
    get("/entities/{entity_uid}/scope", OfCollection(Viewer), handler!(entities::scope))
        .reads_project()
        .says("Explain why an entity is in scope or not, edge by edge from the seed.")
        .asks(AS_OF)
        .answers(entities::ScopeExplanation::SHAPE),
    get("/entities/{entity_uid}/screenshot", OfCollection(Viewer), handler!(entities::screenshot))
        .reads_project()
        .says("Read the picture of a site as a browser showed it (PNG); 404 where there is none.")
        .as_type("image/png"),
    get("/entities/{entity_uid}/posture", OfCollection(Viewer), handler!(postures::of_entity))
        .reads_project()
        .says(
            "Say how well an entity protects what everybody can see of it, why, whose services it uses, and which \
             scores it had.",
        )
        .asks(AS_OF)
        .answers(postures::EntityPosture::SHAPE),
    post("/graphs", Key, handler!(graphs::create))
        .reads_project()
        .says(
            "Make a graph of an entity's neighbourhood, or of what a search finds; private unless the body says \
               otherwise.",
        )
        .takes(graphs::NewInventoryGraph::SHAPE)
        .answers(graphs::InventoryGraph::SHAPE),
    get("/neighbourhood", Key, handler!(graphs::neighbourhood))
        .reads_project()
        .in_one_project()
        .says("Compute the graph around an entity, or around what a search finds. Nothing is stored.")
        .asks(NEIGHBOURHOOD)
        .answers(graphs::Neighbourhood::SHAPE),
    patch("/entities/{entity_uid}/scope", OfCollection(Analyst), handler!(entities::mark))
        .reads_project()
        .says(
            "Put an entity on the deny list or the allow list, or hide it. The allow list is for admins of the \
             collection. Scope follows at once, also in an active run.",
        )
        .takes(entities::EntityMarks::SHAPE)
        .answers(entities::ScopeExplanation::SHAPE),
    post("/entities/bulk", OfCollection(Analyst), handler!(bulk::entities))
        .reads_project()
        .says("Change the tags of up to 1,000 entities, all or none.")
        .takes(bulk::EntityBulk::SHAPE)
        .answers(bulk::BulkResult::SHAPE),
    post("/issues/bulk", OfCollection(Analyst), handler!(bulk::issues))
        .reads_project()
        .says(
            "Change status, tags and assignee of up to 1,000 issues, all or none. A closing status may have a reason \
             and an end.",
        )
        .takes(bulk::IssueBulk::SHAPE)
        .answers(bulk::BulkResult::SHAPE),
    get("/issues/{id}/history", OfCollection(Viewer), handler!(issues::history))
        .reads_project()
        .says("List the versions of an issue, oldest first: its status, who decided it, why, and until when.")
        .asks(START)
        .answers(Vec::<issues::IssueVersion>::SHAPE),
    get("/overdue", InProject(Member), handler!(issues::overdue))
        .says("Count the open issues of each collection that are past their due date, by severity.")
        .answers(Vec::<issues::Overdue>::SHAPE),
    get("/issues/{id}/evidence", OfCollection(Viewer), handler!(evidence::list))
        .reads_project()
        .says(
            "Read what an issue rests on: the probes that its judge reads, when they were made, and what was asked \
             and answered: the beginning of it, with secrets masked.",
        )
        .answers(Vec::<issues::IssueEvidence>::SHAPE),
    post("/issues/{id}/retest", OfCollection(Admin), handler!(retests::start))
        .reads_project()
        .says(
            "Test one issue again, and nothing else, within its present clearance. This is a run of its own, which \
             takes a minute longer where the fact seems gone; reading this path says what came of it.",
        )
        .answers(Option::<collection_runs::Retest>::SHAPE),
    get("/issues/{id}/retest", OfCollection(Viewer), handler!(retests::find))
        .reads_project()
        .says("Read what came of the newest retest of an issue; null where nobody asked for one.")
        .answers(Option::<collection_runs::Retest>::SHAPE),
    get("/keys", Key, handler!(keys::list))
        .in_one_project()
        .says("List the caller's API keys; for administrators, everybody's. The keys themselves are not shown.")
        .answers(Vec::<keys::Key>::SHAPE),
    post("/keys", Key, handler!(keys::create))
        .in_one_project()
        .says("Create an API key. Its text is in this answer alone and cannot be read again.")
        .takes(keys::NewKey::SHAPE)
        .answers(keys::IssuedKey::SHAPE),
    delete("/keys/{id}", Key, handler!(keys::revoke)).says("Revoke an API key.").answers(BOOLEAN),
    post("/sample", Key, handler!(samples::create))
        .in_one_project()
        .says(
            "Load the sample organisation: a project of its own, a collection and a run of it. A second request \
             answers with the collection of the first.",
        )
        .answers(collections::Collection::SHAPE),
    get("/search/keywords", Key, handler!(search::keywords))
        .in_one_project()
        .says("List the keywords of the search language: what each searches, and what it may be given.")
        .answers(Vec::<search::SearchKeyword>::SHAPE),
    get("/uids/{noun}/{beginning}", InProject(Member), handler!(uids::list))
        .says("List the entities or issues of a project whose uid begins with a text: up to ten, with their names.")
        .answers(Vec::<uids::Named>::SHAPE),
    get("/exports/{format}", InProject(Member), handler!(exports::document))
        .says(
            "Write what a search finds as a document: csv, jsonl, sarif, vex, defectdojo, ocsf, stix or html, the \
             worst issues first.",
        )
        .asks(EXPORT)
        .as_type("application/octet-stream"),
    get("/export_rows", InProject(Member), handler!(exports::rows))
        .says("List what a search finds as the rows that exports are written from, a page at a time.")
        .asks(EXPORT_ROWS)
        .answers(exports::ExportRows::SHAPE),
    get("/changes", InProject(Member), handler!(changes::list))
        .says("List what changed in a project, in the order of commits.")
        .asks(CHANGES)
        .answers(changes::Changes::SHAPE),
    get("/contacts", InProject(Member), handler!(contacts::find))
        .says(
            "List what runs of this server sent to an address or block, from its ledger of contacts: was it us? The \
             answer covers the collections that the caller sees; for an administrator of the installation it covers \
             all.",
        )
        .asks(CONTACTS)
        .answers(contacts::Contacts::SHAPE),
    get("/audit", InProject(Owner), handler!(audit::list))
        .says(
            "List what people changed in a project, newest first. The administrator of the installation also reads \
             what concerns no project, and with `of=installation` all projects and those that were deleted.",
        )
        .asks(AUDIT)
        .answers(Vec::<audit::Entry>::SHAPE),
    get("/receivers", InProject(Owner), handler!(receivers::list))
        .says(
            "List the receivers of notifications of a project. Of their addresses only the part that is no secret is \
             shown.",
        )
        .answers(Vec::<receivers::Receiver>::SHAPE),
    post("/receivers", InProject(Owner), handler!(receivers::create))
        .says("Create a receiver of notifications. The key that verifies its signatures is in this answer alone.")
        .takes(receivers::NewReceiver::SHAPE)
        .answers(receivers::MadeReceiver::SHAPE),
    get("/receivers/{uuid}", OfProject(Owner), handler!(receivers::find))
        .says("Read a receiver.")
        .answers(receivers::Receiver::SHAPE),
    delete("/receivers/{uuid}", OfProject(Owner), handler!(receivers::delete))
        .says("Remove a receiver with its secrets, its waiting messages and its log.")
        .answers(BOOLEAN),
    post("/receivers/{uuid}/test", OfProject(Owner), handler!(receivers::test))
        .says("Send a receiver a test message, which says that it is one.")
        .answers(receivers::Asked::SHAPE),
    post("/receivers/{uuid}/replay", OfProject(Owner), handler!(receivers::replay))
        .says(
            "Send failed deliveries again and try waiting ones at once, or send one delivery again, under their first \
             ids. A receiver that had been stopped is active again.",
        )
        .may_take(receivers::Replay::SHAPE)
        .answers(receivers::Replayed::SHAPE),
    get("/receivers/{uuid}/deliveries", OfProject(Owner), handler!(receivers::deliveries))
        .says("List the deliveries to a receiver, sent or waiting, newest first, with the last answer to each.")
        .asks(LIMIT)
        .answers(Vec::<receivers::Delivery>::SHAPE),
];
