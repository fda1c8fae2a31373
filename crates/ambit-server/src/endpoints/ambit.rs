//! The rows of what Ambit has beyond the contract.

use crate::endpoint::Access::{InProject, Key, OfCollection, OfProject};
use crate::endpoint::{Endpoint, delete, get, handler, patch, post};
use ambit_model::user::CollectionRole::{Admin, Analyst, Viewer};
use ambit_model::user::ProjectRole::{Member, Owner};

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/user_collections/{collection_uuid}/plan", OfCollection(Viewer), handler!(collection_runs::plan)),
    get("/user_collections/{collection_uuid}/postures", OfCollection(Viewer), handler!(postures::of_collection)),
    get(
        "/user_collections/{collection_uuid}/organization_postures",
        OfCollection(Viewer),
        handler!(postures::of_organizations),
    ),
    post("/user_collections/{uuid}/scope_preview", OfCollection(Admin), handler!(collections::preview)).only_reads(),
    post("/user_collections/{collection_uuid}/imports", OfCollection(Admin), handler!(imports::create)),
    get("/collection_runs", InProject(Member), handler!(collection_runs::newest)),
    get("/collection_runs/{id}", OfCollection(Viewer), handler!(collection_runs::find)),
    get("/collection_runs/{id}/events", OfCollection(Viewer), handler!(run_events::listen)),
    post("/collection_runs/{id}/pause", OfCollection(Admin), handler!(collection_runs::pause)),
    post("/collection_runs/{id}/resume", OfCollection(Admin), handler!(collection_runs::resume)),
    post("/collection_runs/{id}/cancel", OfCollection(Admin), handler!(collection_runs::cancel)),
    get("/entities/{entity_uid}/scope", OfCollection(Viewer), handler!(entities::scope)).reads_project(),
    get("/entities/{entity_uid}/screenshot", OfCollection(Viewer), handler!(entities::screenshot)).reads_project(),
    get("/entities/{entity_uid}/posture", OfCollection(Viewer), handler!(postures::of_entity)).reads_project(),
    post("/graphs", Key, handler!(graphs::create)).reads_project(),
    get("/neighbourhood", Key, handler!(graphs::neighbourhood)).reads_project().in_one_project(),
    patch("/entities/{entity_uid}/scope", OfCollection(Analyst), handler!(entities::mark)).reads_project(),
    post("/entities/bulk", OfCollection(Analyst), handler!(bulk::entities)).reads_project(),
    post("/issues/bulk", OfCollection(Analyst), handler!(bulk::issues)).reads_project(),
    get("/issues/{id}/history", OfCollection(Viewer), handler!(issues::history)).reads_project(),
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
    get("/exports/{format}", InProject(Member), handler!(exports::document)),
    get("/export_rows", InProject(Member), handler!(exports::rows)),
    get("/changes", InProject(Member), handler!(changes::list)),
    get("/contacts", InProject(Member), handler!(contacts::find)),
    get("/audit", InProject(Owner), handler!(audit::list)),
    get("/receivers", InProject(Owner), handler!(receivers::list)),
    post("/receivers", InProject(Owner), handler!(receivers::create)),
    get("/receivers/{uuid}", OfProject(Owner), handler!(receivers::find)),
    delete("/receivers/{uuid}", OfProject(Owner), handler!(receivers::delete)),
    post("/receivers/{uuid}/test", OfProject(Owner), handler!(receivers::test)),
    post("/receivers/{uuid}/replay", OfProject(Owner), handler!(receivers::replay)),
    get("/receivers/{uuid}/deliveries", OfProject(Owner), handler!(receivers::deliveries)),
];
