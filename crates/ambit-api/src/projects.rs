//! Projects on the wire (docs/contract/asm.md §3.1).

use crate::shape::{BOOLEAN, INTEGER, MOMENT, MOMENT_OR_NULL, NAME, Object, Shape, TEXT, TEXT_OR_NULL, UUID, member, optional};
use ambit_model::Timestamp;
use ambit_model::project::Project;
use ambit_model::user::ProjectRole;
use serde_json::{Value, json};

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
        Self {
            status: "paid".to_owned(),
            expires_at: Timestamp(NO_END_MS),
        }
    }
}

/// A project as its caller sees it.
pub fn project(project: &Project, role: ProjectRole, primary: bool, plan: &Plan) -> Value {
    let mut value = bare(project, primary, plan);
    value["role"] = json!(role.name());
    value["owner_email"] = json!(project.owner_email);
    value
}

/// A project in the answer to its own deletion: without role and owner, and not yet marked as deleted (docs/contract/asm.md §2.3).
pub fn deleted_project(project: &Project, primary: bool, plan: &Plan) -> Value {
    let mut value = bare(project, primary, plan);
    value["deleted_at"] = Value::Null;
    value["deleted"] = json!(false);
    value
}

fn bare(project: &Project, primary: bool, plan: &Plan) -> Value {
    json!({
        "id": project.id,
        "uuid": project.uuid,
        "name": project.name,
        "icon": null,
        "role": null,
        "owner_email": null,
        "description": project.description,
        "created_at": project.created_at,
        "expired_at": null,
        "deleted_at": project.deleted_at,
        "deleted": project.deleted_at.is_some(),
        "organization_name": project.organization_name,
        "organization_uuid": project.organization_uuid,
        "plan_expires_at": plan.expires_at,
        "plan_status": plan.status,
        "primary": primary,
    })
}

/// A project.
pub static PROJECT: Shape = Shape::Object(&Object {
    name: "Project",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("name", TEXT),
        member("icon", TEXT_OR_NULL),
        member("role", &Shape::OrNull(&Shape::OneOf(&["owner", "member"]))),
        member("owner_email", TEXT_OR_NULL),
        member("description", TEXT_OR_NULL),
        member("created_at", MOMENT),
        member("expired_at", MOMENT_OR_NULL),
        member("deleted_at", MOMENT_OR_NULL),
        member("deleted", BOOLEAN),
        member("organization_name", TEXT),
        member("organization_uuid", UUID),
        member("plan_expires_at", MOMENT),
        member("plan_status", TEXT),
        member("primary", BOOLEAN),
    ],
    open: false,
});

/// A list of projects.
pub static PROJECTS: Shape = Shape::List(&PROJECT);

/// The body of a creation.
pub static NEW_PROJECT: Shape = Shape::Object(&Object {
    name: "NewProject",
    members: &[member("name", NAME)],
    open: true,
});

/// The body that changes settings; what is left out stays.
pub static PROJECT_SETTINGS: Shape = Shape::Object(&Object {
    name: "ProjectSettings",
    members: &[optional("name", NAME), optional("description", TEXT), optional("primary", BOOLEAN)],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn sample() -> Project {
        Project {
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
    fn a_project_has_every_member_of_the_contract() {
        let value = project(&sample(), ProjectRole::Owner, true, &Plan::default());
        assert_eq!(PROJECT.differences(&value), Vec::<String>::new());
        assert_eq!(value["role"], "owner");
        assert_eq!(value["primary"], true);
        assert_eq!(value["plan_expires_at"], "2100-01-01T00:00:00.000Z");
    }

    #[test]
    fn the_answer_to_a_deletion_says_neither_role_nor_owner_nor_deleted() {
        let gone = Project {
            deleted_at: Some(Timestamp(1)),
            ..sample()
        };
        let value = deleted_project(&gone, false, &Plan::default());
        assert_eq!(PROJECT.differences(&value), Vec::<String>::new());
        assert_eq!(
            (&value["role"], &value["owner_email"], &value["deleted"]),
            (&Value::Null, &Value::Null, &json!(false))
        );
    }
}
