//! People of a project on the wire (docs/contract/asm.md §3.5).

use crate::shape::{INTEGER, Object, Shape, TEXT, TEXT_OR_NULL, UUID, member, optional};
use ambit_model::user::{CollectionRole, ProjectRole, User};
use serde_json::{Value, json};

/// A user with the role in the project; `id` is that of the membership. We keep one name, so first and last name are null. Who was asked and has not
/// accepted yet is `invited`: the role is what is offered.
pub fn project_user(id: i64, user: &User, role: ProjectRole, invited: bool) -> Value {
    json!({
        "id": id,
        "uuid": user.uuid,
        "email": user.email,
        "role": role.name(),
        "name": user.username,
        "first_name": null,
        "last_name": null,
        "state": if invited { "invited" } else { "active" },
    })
}

/// An address, or username, that nobody has, among those that were to come into a project.
pub fn unknown_user(email: &str) -> Value {
    json!({
        "id": null,
        "uuid": null,
        "email": email,
        "role": null,
        "name": null,
        "first_name": null,
        "last_name": null,
        "state": "unknown",
    })
}

/// A user with the role in a collection.
pub fn collection_user(id: i64, user: &User, project_role: ProjectRole, role: CollectionRole, invited: bool) -> Value {
    json!({"project_user_id": id, "role": role.name(), "user": project_user(id, user, project_role, invited)})
}

/// A user of a project.
pub static PROJECT_USER: Shape = Shape::Object(&Object {
    name: "ProjectUser",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("email", TEXT),
        member("role", &Shape::OneOf(&["owner", "member"])),
        member("name", TEXT),
        member("first_name", TEXT_OR_NULL),
        member("last_name", TEXT_OR_NULL),
        member("state", &Shape::OneOf(&["active", "invited"])),
    ],
    open: false,
});

/// What became of those who were to come into a project: users of it, those who were asked, and addresses that nobody has.
pub static ADDED_USERS: Shape = Shape::List(&Shape::Object(&Object {
    name: "AddedProjectUser",
    members: &[
        member("id", &Shape::OrNull(INTEGER)),
        member("uuid", &Shape::OrNull(UUID)),
        member("email", TEXT),
        member("role", &Shape::OrNull(&Shape::OneOf(&["owner", "member"]))),
        member("name", TEXT_OR_NULL),
        member("first_name", TEXT_OR_NULL),
        member("last_name", TEXT_OR_NULL),
        member("state", &Shape::OneOf(&["active", "invited", "unknown"])),
    ],
    open: false,
}));

/// A list of them.
pub static PROJECT_USERS: Shape = Shape::List(&PROJECT_USER);

/// The body that brings people into a project.
pub static NEW_PROJECT_USERS: Shape = Shape::Object(&Object {
    name: "NewProjectUsers",
    members: &[
        member("emails", &Shape::List(&Shape::Email)),
        member("role", &Shape::OneOf(&["owner", "member"])),
        optional("project_group_uuid", TEXT_OR_NULL),
    ],
    open: true,
});

static COLLECTION_USER: Shape = Shape::Object(&Object {
    name: "CollectionUser",
    members: &[
        member("project_user_id", INTEGER),
        member("role", &Shape::OneOf(&["viewer", "analyst", "admin"])),
        member("user", &PROJECT_USER),
    ],
    open: false,
});

/// Who was given a role in a collection.
pub static COLLECTION_USERS: Shape = Shape::List(&COLLECTION_USER);

/// The body that gives somebody of the project a role in a collection: by project user id or, ours, by address or username as `user`.
pub static NEW_COLLECTION_USER: Shape = Shape::Object(&Object {
    name: "NewCollectionUser",
    members: &[
        optional("project_user_id", INTEGER),
        optional("user", TEXT),
        member("role", &Shape::OneOf(&["viewer", "analyst", "admin"])),
    ],
    open: true,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Timestamp;
    use uuid::Uuid;

    #[test]
    fn people_have_every_member() {
        let user = User {
            id: 2,
            uuid: Uuid::nil(),
            username: "ann".to_owned(),
            email: "ann@acme.test".to_owned(),
            administrator: false,
            created_at: Timestamp(0),
        };
        let value = collection_user(9, &user, ProjectRole::Member, CollectionRole::Analyst, false);
        assert_eq!(COLLECTION_USER.differences(&value), Vec::<String>::new());
        assert_eq!((&value["role"], &value["user"]["role"]), (&json!("analyst"), &json!("member")));
        let rows = json!([unknown_user("x@acme.test"), project_user(9, &user, ProjectRole::Member, true)]);
        assert_eq!(ADDED_USERS.differences(&rows), Vec::<String>::new());
    }
}
