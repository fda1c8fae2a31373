//! Projects on the wire (docs/contract/asm.md §3.1).

use crate::contract::{Maybe, contract, copied};
use crate::request::Name;
use crate::words::Word;
use ambit_model::user::ProjectRole;
use ambit_model::{Timestamp, project as model};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What the operator configured about plans: shown in every project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub status: String,
    pub expires_at: Timestamp,
}

/// 2100-01-01T00:00:00Z in milliseconds: a self-hosted plan does not run out, but the contract wants a moment here.
const NO_END_MS: i64 = 4_102_444_800_000;

impl Default for Plan {
    fn default() -> Self {
        Self { status: "paid".to_owned(), expires_at: Timestamp(NO_END_MS) }
    }
}

contract! {
    /// A project as its caller sees it.
    #[derive(Debug, Serialize)]
    pub struct Project {
        pub id: i64,
        pub uuid: Uuid,
        pub name: String,
        pub icon: Option<String>,
        pub role: Option<Word<ProjectRole>>,
        pub owner_email: Option<String>,
        pub description: Option<String>,
        pub created_at: Timestamp,
        pub expired_at: Option<Timestamp>,
        pub deleted_at: Option<Timestamp>,
        pub deleted: bool,
        pub organization_name: String,
        pub organization_uuid: Uuid,
        pub plan_expires_at: Timestamp,
        pub plan_status: String,
        pub primary: bool,
    }

    /// The body of a creation.
    #[derive(Debug, Deserialize)]
    pub struct NewProject {
        pub name: Name,
    }

    /// The body that changes settings; what is left out stays.
    #[derive(Debug, Deserialize)]
    pub struct ProjectSettings {
        pub name: Maybe<Name>,
        pub description: Maybe<String>,
        pub primary: Maybe<bool>,
    }
}

impl Project {
    /// A project with the role of its caller.
    pub fn of(project: &model::Project, role: ProjectRole, primary: bool, plan: &Plan) -> Self {
        copied! {
            Self from project { id, uuid, name, owner_email, description, created_at, deleted_at, organization_name,
            organization_uuid }
            icon: None,
            role: Some(Word(role)),
            expired_at: None,
            deleted: project.deleted_at.is_some(),
            plan_expires_at: plan.expires_at,
            plan_status: plan.status.clone(),
            primary,
        }
    }

    /// A project in the answer to its own deletion: without role and owner, and not yet marked as deleted
    /// (docs/contract/asm.md §2.3).
    pub fn deleted(project: &model::Project, primary: bool, plan: &Plan) -> Self {
        Self {
            role: None,
            owner_email: None,
            deleted_at: None,
            deleted: false,
            ..Self::of(project, ProjectRole::Member, primary, plan)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn sample() -> model::Project {
        model::Project {
            id: 7,
            uuid: Uuid::nil(),
            name: "Acme".to_owned(),
            description: None,
            organization_name: "Acme Corp".to_owned(),
            organization_uuid: Uuid::nil(),
            created_at: Timestamp(0),
            deleted_at: None,
            owner_email: Some("owner@acme.test".to_owned()),
        }
    }

    #[test]
    fn a_plan_ends_in_2100_where_the_operator_says_nothing() {
        let value = Project::of(&sample(), ProjectRole::Owner, true, &Plan::default());
        assert_eq!(value.plan_expires_at.to_string(), "2100-01-01T00:00:00.000Z");
    }

    #[test]
    fn the_answer_to_a_deletion_says_neither_role_nor_owner_nor_deleted() {
        let gone = model::Project { deleted_at: Some(Timestamp(1)), ..sample() };
        let value = Project::deleted(&gone, false, &Plan::default());
        assert_eq!((value.role, value.owner_email, value.deleted), (None, None, false));
    }
}
