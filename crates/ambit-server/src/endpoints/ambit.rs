//! The rows of what Ambit has beyond the contract.

use super::asm::{AS_OF, START};
use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, Parameter, count, delete, get, handler, parameter, patch, post, text, when};
use ambit_api::{Contract, Word};
use ambit_model::Clearance;
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

const CHANGES: &[Parameter] = &[
    count("after", "Only changes after this revision: the `after` of the list before."),
    count("limit", "Most rows: 100 by default, at most 1,000."),
];

const EXPORT: &[Parameter] = &[
    SEARCH_STRING,
    OF,
    when(
        "since",
        "What came or went from this date or moment on is said to be new or gone, where the format can say it.",
    ),
    AS_OF[0],
];

const EXPORT_ROWS: &[Parameter] = &[
    SEARCH_STRING,
    OF,
    count("page_size", "Rows of a page: 500 by default, at most 1,000."),
    text("page_token", "`next_page_token` of the page before."),
    count(
        "probed",
        "How many open issues of the page, the first ones, come with their `probes`: what was asked and \
         answered, with secrets masked. 0 by default, at most 200.",
    ),
    when("since", "Issues that have changed from this date or moment on say whether they were open then (`was_open`)."),
    AS_OF[0],
];

const SEARCH_STRING: Parameter = text(
    "search_string",
    "What is searched for; without one, exports tell of open issues and of entities that are there.",
);

const OF: Parameter = text("of", "issues (the default) or entities, which only csv, jsonl and stix can tell of.");

const NEIGHBOURHOOD: &[Parameter] = &[
    text("entity", "The uid or uuid of an entity; either this or `query`."),
    text("query", "A search string over entities."),
    count("depth", "Steps from there, at most 3: 1 by default around an entity, 0 around what a search finds."),
];

const CONTACTS: &[Parameter] = &[
    text("address", "An address, or a block such as 192.0.2.0/24.").required(),
    when("time", "When; without it, ever."),
    count("around", "Minutes before and after that time that are looked at: 5 by default."),
];

const LEVEL: &[Parameter] = &[parameter("level", Word::<Clearance>::SHAPE, "As if this were the collection's level.")];

const LIMIT: &[Parameter] = &[count("limit", "Most rows: 100 by default, at most 1,000.")];

const AUDIT: &[Parameter] = &[
    LIMIT[0],
    count("before", "Only rows with smaller ids: the `id` of the last row of the page before."),
    text("of", "`project` (the default), or `installation` for its administrator."),
];

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/user_collections/{collection_uuid}/plan", OfCollection(Viewer), handler!(collection_runs::plan)).asks(LEVEL),
    get("/user_collections/{collection_uuid}/postures", OfCollection(Viewer), handler!(postures::of_collection))
        .asks(AS_OF),
    get(
        "/user_collections/{collection_uuid}/organization_postures",
        OfCollection(Viewer),
        handler!(postures::of_organizations),
    )
    .asks(AS_OF),
    post("/user_collections/{uuid}/scope_preview", OfCollection(Admin), handler!(collections::preview)).only_reads(),
    post("/user_collections/{collection_uuid}/imports", OfCollection(Admin), handler!(imports::create)),
    get("/collection_runs", InProject(Member), handler!(collection_runs::newest)),
    get("/collection_runs/{id}", OfCollection(Viewer), handler!(collection_runs::find)),
    get("/collection_runs/{id}/events", OfCollection(Viewer), handler!(run_events::listen)),
    post("/collection_runs/{id}/pause", OfCollection(Admin), handler!(collection_runs::pause)),
    post("/collection_runs/{id}/resume", OfCollection(Admin), handler!(collection_runs::resume)),
    post("/collection_runs/{id}/cancel", OfCollection(Admin), handler!(collection_runs::cancel)),
    get("/entities/{entity_uid}/scope", OfCollection(Viewer), handler!(entities::scope)).reads_project().asks(AS_OF),
    get("/entities/{entity_uid}/screenshot", OfCollection(Viewer), handler!(entities::screenshot)).reads_project(),
    get("/entities/{entity_uid}/posture", OfCollection(Viewer), handler!(postures::of_entity))
        .reads_project()
        .asks(AS_OF),
    post("/graphs", Key, handler!(graphs::create)).reads_project(),
    get("/neighbourhood", Key, handler!(graphs::neighbourhood)).reads_project().in_one_project().asks(NEIGHBOURHOOD),
    patch("/entities/{entity_uid}/scope", OfCollection(Analyst), handler!(entities::mark)).reads_project(),
    post("/entities/bulk", OfCollection(Analyst), handler!(bulk::entities)).reads_project(),
    post("/issues/bulk", OfCollection(Analyst), handler!(bulk::issues)).reads_project(),
    get("/issues/{id}/history", OfCollection(Viewer), handler!(issues::history)).reads_project().asks(START),
    get("/overdue", InProject(Member), handler!(issues::overdue)),
    get("/issues/{id}/evidence", OfCollection(Viewer), handler!(evidence::list)).reads_project(),
    post("/issues/{id}/retest", OfCollection(Admin), handler!(retests::start)).reads_project(),
    get("/issues/{id}/retest", OfCollection(Viewer), handler!(retests::find)).reads_project(),
    get("/keys", Key, handler!(keys::list)).in_one_project(),
    post("/keys", Key, handler!(keys::create)).in_one_project(),
    delete("/keys/{id}", Key, handler!(keys::revoke)),
    post("/sample", Key, handler!(samples::create)).in_one_project(),
    get("/search/keywords", Key, handler!(search::keywords)).in_one_project(),
    get("/uids/{noun}/{beginning}", InProject(Member), handler!(uids::list)),
    get("/exports/{format}", InProject(Member), handler!(exports::document)).asks(EXPORT),
    get("/export_rows", InProject(Member), handler!(exports::rows)).asks(EXPORT_ROWS),
    get("/changes", InProject(Member), handler!(changes::list)).asks(CHANGES),
    get("/contacts", InProject(Member), handler!(contacts::find)).asks(CONTACTS),
    get("/audit", InProject(Owner), handler!(audit::list)).asks(AUDIT),
    get("/receivers", InProject(Owner), handler!(receivers::list)),
    post("/receivers", InProject(Owner), handler!(receivers::create)),
    get("/receivers/{uuid}", OfProject(Owner), handler!(receivers::find)),
    delete("/receivers/{uuid}", OfProject(Owner), handler!(receivers::delete)),
    post("/receivers/{uuid}/test", OfProject(Owner), handler!(receivers::test)),
    post("/receivers/{uuid}/replay", OfProject(Owner), handler!(receivers::replay)),
    get("/receivers/{uuid}/deliveries", OfProject(Owner), handler!(receivers::deliveries)).asks(LIMIT),
];
