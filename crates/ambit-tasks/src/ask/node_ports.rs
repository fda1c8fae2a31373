//! Services of a cluster of Kubernetes that answer at a port of every node: whether a node has an address outside is
//! read beside them, since without one the port is nobody's but the network's around it.

use super::account::Caller;
use crate::Context;
use ambit_cloud::form::{Asset, Place};
use serde_json::{Value, json};

/// Ports of nodes at which a service answers, and whether any of these has a public address.
const PORTS: &str = "node_ports";
const OUTSIDE: &str = "nodes_outside";
/// The list of the nodes, which have addresses.
const NODES: &str = "nodes";

/// Says for each service with ports of nodes whether any node has a public address. Nothing is said where the nodes
/// cannot be read, which the row that asks for them tells.
pub(crate) async fn fill(cx: &Context<'_>, caller: &Caller, place: &Place<'_>, services: &mut [Asset]) {
    let has_ports =
        |service: &Asset| service.says.get(PORTS).and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    if !services.iter().any(has_ports) {
        return;
    }
    let Some(nodes) = caller.list(NODES) else { return };
    let Ok(nodes) = caller.all(cx, nodes, place).await else { return };
    let outside = json!(nodes.iter().any(|node| !node.addresses.is_empty()));
    for service in services {
        service.says.insert(OUTSIDE.to_owned(), outside.clone());
    }
}
