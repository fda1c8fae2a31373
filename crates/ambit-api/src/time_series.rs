//! Points in time on the wire (docs/contract/asm.md §8.5).

use crate::contract::contract;
use crate::entities::EntityAtPoint;
use crate::issues::IssueDetail;
use serde::Serialize;

contract! {
    /// The record of an entity at a moment.
    #[derive(Debug, Serialize)]
    pub struct EntityAtPointResult {
        pub entity: EntityAtPoint,
    }

    /// The record of an issue at a moment.
    #[derive(Debug, Serialize)]
    pub struct IssueAtPointResult {
        pub issue: IssueDetail,
    }
}
