//! What there is in the wider API: privileges and the relationships of each type. Clients build commands from it
//! (docs/contract/wider.md §2.4).

use crate::call::Call;
use crate::present::object_collections;
use crate::present::relationships::{ADDRESS, DOMAIN, Relationship, URL};
use ambit_api::objects::{Figures, Named, data, value};
use ambit_api::{Result, contract};
use ambit_model::quota::PRIVILEGES;
use serde::Serialize;

/// Type, and its relationships with what each leads to.
const RELATIONSHIPS: [(&str, &[(&str, &str)]); 5] = [
    ("collection", object_collections::RELATIONSHIPS),
    (
        "file",
        &[
            ("comments", "Comments on the file."),
            ("graphs", "Graphs with the file."),
            ("submissions", "When and under which names the file was submitted."),
        ],
    ),
    (
        "graph",
        &[
            ("comments", "Comments on the graph."),
            ("editors", "Users and groups that may change the graph."),
            ("group", "The group of the graph's owner."),
            ("items", "Files, URLs, domains and addresses of the graph."),
            ("owner", "The user who made the graph."),
            ("viewers", "Users and groups that may see the graph."),
        ],
    ),
    (
        "group",
        &[
            ("administrators", "Users who manage the group."),
            ("graphs", "Graphs that the group owns or may see."),
            ("service_accounts", "Service accounts of the group."),
            ("users", "Users of the group."),
        ],
    ),
    (
        "user",
        &[
            ("api_quota_group", "The group that calls are drawn from."),
            ("comments", "Comments of the user."),
            ("graphs", "Graphs that the user owns or may see."),
            ("groups", "Groups of the user."),
            ("groups_managed", "Groups that the user manages."),
            ("intelligence_quota_group", "The group that everything but calls is drawn from."),
        ],
    ),
];

contract! {
    /// The engines, of which none is described, the privileges, and the relationships of each type.
    #[derive(Debug, Serialize)]
    pub(crate) struct Metadata {
        engines: Named<()>,
        privileges: Vec<&'static str>,
        relationships: Named<Vec<RelationshipEntry>>,
    }

    /// A relationship and its meaning.
    #[derive(Debug, Serialize)]
    pub(crate) struct RelationshipEntry {
        name: &'static str,
        description: &'static str,
    }
}

/// List privileges and relationships.
pub(crate) async fn find(_call: Call) -> Result<Figures> {
    let entry = |(name, description): &(&'static str, &'static str)| RelationshipEntry { name, description };
    let others = RELATIONSHIPS.iter().map(|(kind, list)| ((*kind).to_owned(), list.iter().map(entry).collect()));
    let of_object = |one: &Relationship| RelationshipEntry { name: one.name, description: one.description };
    let objects = [("domain", DOMAIN), ("ip_address", ADDRESS), ("url", URL)];
    let objects = objects.map(|(kind, list)| (kind.to_owned(), list.iter().map(of_object).collect()));
    let mut relationships: Vec<(String, Vec<RelationshipEntry>)> = others.chain(objects).collect();
    relationships.sort_by(|(one, _), (other, _)| one.cmp(other));
    let (engines, privileges) = (Named::default(), PRIVILEGES.to_vec());
    Ok(data(value(&Metadata { engines, privileges, relationships: Named(relationships) })))
}
