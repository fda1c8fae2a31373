//! Graphs, as those see them who may.

use crate::call::Call;
use crate::failure::About;
use ambit_api::Result;
use ambit_api::graphs::GraphAttributes;
use ambit_api::objects::Object;
use ambit_store::{Collaborator, Graph};

pub(crate) const NOUN: &str = "Graph";

/// A graph as an object: its attributes as they were sent, and those that the server keeps.
pub(crate) fn shown(call: &Call, graph: &Graph) -> Object {
    let attributes = GraphAttributes {
        document: &graph.document,
        private: graph.private,
        creation_date: graph.created_at.into(),
        last_modified_date: graph.modified_at.into(),
        comments_count: graph.comments,
        views_count: graph.views,
    };
    Object::new(&call.base, "graphs", "graph", &graph.id, &attributes)
}

/// The graphs of a user or group that the caller may see, newest first.
pub(crate) async fn related(call: &Call, of: &Collaborator) -> Result<Vec<Object>> {
    let store = call.store();
    let numbers = store.graphs_of(call.caller(), of).await.about(NOUN)?;
    let graphs = store.graphs_numbered(call.caller(), &numbers).await.about(NOUN)?;
    Ok(graphs.iter().map(|graph| shown(call, graph)).collect())
}
