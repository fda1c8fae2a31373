//! The rows of what Ambit has beyond the contract.

use super::asm::AS_OF;
use crate::endpoint::Access::{InProject, Key, OfCollection};
use crate::endpoint::Method::{Delete, Get, Patch, Post};
use crate::endpoint::{Endpoint, Parameter, beside, row, with_body, with_query};
use crate::mount::Tree;
use crate::routes;
use ambit_api::shape::{BOOLEAN, Shape};
use ambit_api::{audit, bulk, changes, collection_runs, entities, graphs, keys, plans};
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

const LIMIT: &[Parameter] = &[Parameter {
    name: "limit",
    shape: &Shape::Count,
    required: false,
    doc: "Most rows: 100 by default, at most 1,000.",
}];

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
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
];
