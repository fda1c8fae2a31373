//! Graphs, as those see them who may.

use crate::call::Call;
use crate::failure::About;
use crate::page;
use ambit_api::ApiError;
use ambit_api::objects::object;
use ambit_store::{Collaborator, Graph};
use serde_json::{Value, json};

pub(crate) const NOUN: &str = "Graph";

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
    let store = call.store();
    let numbers = store.graphs_of(call.caller(), of).await.about(NOUN)?;
    let graphs = store.graphs_numbered(call.caller(), &numbers).await.about(NOUN)?;
    Ok(Value::Array(graphs.into_iter().map(|graph| shown(call, graph)).collect()))
}
