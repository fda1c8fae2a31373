//! What there is in the wider API (docs/contract/wider.md §2.4).

use crate::contract::contract;
use crate::objects::Named;
use serde::Serialize;

contract! {
    /// The engines, of which none is described, the privileges, and the relationships of each type.
    #[derive(Debug, Serialize)]
    pub struct Metadata {
        pub engines: Named<()>,
        pub privileges: Vec<&'static str>,
        pub relationships: Named<Vec<RelationshipEntry>>,
    }

    /// A relationship, and what it leads to.
    #[derive(Debug, Serialize)]
    pub struct RelationshipEntry {
        pub name: &'static str,
        pub description: &'static str,
    }
}
