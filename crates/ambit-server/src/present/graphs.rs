//! Graphs, as those see them who may.

use crate::call::Call;
use crate::failure::of_store;
use crate::page;
use ambit_api::objects::object;
use ambit_api::{ApiError, ErrorCode};
use ambit_store::{Collaborator, Graph};
use serde_json::{Value, json};

pub(crate) const NOUN: &str = "Graph";

/// 404 that names the graph.
pub(crate) fn not_found(id: &str) -> ApiError {
    ApiError::with(ErrorCode::NotFound, format!("Graph \"{id}\" not found"))
}

/// An error of the store about the graph of a path.
pub(crate) fn failed(call: &Call) -> impl Fn(ambit_store::StoreError) -> ApiError {
    let id = call.parameter("id").to_owned();
    move |error| match of_store(error, NOUN) {
        error if error.code == ErrorCode::NotFound => not_found(&id),
        error => error,
    }
}

/// A graph as an object: its attributes as they were sent, and those that the server keeps.
pub(crate) fn shown(call: &Call, graph: Graph) -> Value {
    let mut attributes = graph.document;
    attributes.insert("private".to_owned(), json!(graph.private));
    attributes.insert("creation_date".to_owned(), page::seconds(graph.created_at));
    attributes.insert("last_modified_date".to_owned(), page::seconds(graph.modified_at));
    attributes.insert("comments_count".to_owned(), json!(graph.comments));
    attributes.insert("views_count".to_owned(), json!(graph.views));
    object(&call.base, "graphs", "graph", &graph.id, attributes)
}

/// The graphs of a user or group that the caller may see, newest first.
pub(crate) async fn related(call: &Call, of: &Collaborator) -> Result<Value, ApiError> {
    let store = &call.state.store;
    let numbers = store.graphs_of(call.caller(), of).await.map_err(|error| of_store(error, NOUN))?;
    let graphs = store
        .graphs_numbered(call.caller(), &numbers)
        .await
        .map_err(|error| of_store(error, NOUN))?;
    Ok(Value::Array(graphs.into_iter().map(|graph| shown(call, graph)).collect()))
}
