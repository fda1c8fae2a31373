//! Why an entity is in scope or not: the way from the seed, edge by edge with its numbers.

use crate::contract::{Contract, contract, copied};
use crate::shape::Shape;
use ambit_model::Uid;
use ambit_model::entity::{self, EntityRecord, EvidenceKind, GroundKind};
use ambit_model::scope::ScopeReason;
use serde::Serialize;

contract! {
    /// Why an entity is in scope or not.
    #[derive(Debug, Serialize)]
    pub struct ScopeExplanation {
        pub uid: Uid,
        pub name: String,
        #[serde(rename = "type")]
        pub kind: String,
        pub scoped: bool,
        pub scoped_reason: ScopeReason,
        pub ownership: f64,
        pub clearance: String,
        pub allow_list: bool,
        pub deny_list: bool,
        pub path: Vec<PathStep>,
        pub evidence: Vec<Evidence>,
    }

    /// What shows that a domain which nobody named is theirs, with its weight as log-odds.
    #[derive(Debug, Serialize)]
    pub struct Evidence {
        pub kind: EvidenceKind,
        pub name: String,
        pub text: String,
        pub weight: f64,
    }

    /// One edge of the way from the seed.
    #[derive(Debug, Serialize)]
    pub struct PathStep {
        #[serde(rename = "type")]
        pub kind: String,
        pub name: String,
        pub edge: String,
        pub task: String,
        pub ownership: f64,
        pub clearance: String,
        pub ground: Option<Ground>,
    }

    /// What made an edge count for more or less.
    #[derive(Debug, Serialize)]
    pub struct Ground {
        pub kind: GroundKind,
        pub name: String,
        pub text: String,
    }
}

impl Contract for ScopeReason {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl Contract for EvidenceKind {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl Contract for GroundKind {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl From<&EntityRecord> for ScopeExplanation {
    fn from(record: &EntityRecord) -> Self {
        copied! {
            Self from record { uid, name, scoped, scoped_reason, allow_list, deny_list }
            kind: record.kind.type_name(),
            ownership: f64::from(record.ownership) / 1000.0,
            clearance: format!("{:?}", record.clearance),
            path: PathStep::path(record),
            evidence: record.evidence.iter().map(Evidence::from).collect(),
        }
    }
}

impl From<&entity::Evidence> for Evidence {
    fn from(piece: &entity::Evidence) -> Self {
        Self {
            kind: piece.kind,
            name: piece.name.clone(),
            text: format!("{} {}", piece.kind.words(), piece.name),
            weight: f64::from(piece.weight) / 100.0,
        }
    }
}

impl PathStep {
    /// The way from the seed to an entity.
    pub(super) fn path(record: &EntityRecord) -> Vec<Self> {
        let steps = record.path.iter().map(|step| Self {
            kind: step.from_kind.type_name(),
            name: step.from_name.clone(),
            edge: step.edge.name(),
            task: step.task.clone(),
            ownership: f64::from(step.own) / 1000.0,
            clearance: format!("{:?}", step.cap),
            ground: step.ground.as_ref().map(|ground| Ground {
                kind: ground.kind,
                name: ground.name.clone(),
                text: format!("{} {}", ground.kind.words(), ground.name),
            }),
        });
        steps.collect()
    }
}
