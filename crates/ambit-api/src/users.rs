//! People of a project on the wire (asm-wire §8.6).

use crate::shape::{INTEGER, Object, Shape, TEXT, TEXT_OR_NULL, member};
use ambit_model::user::{ProjectRole, User};
use serde_json::{Value, json};

/// A user with the role in the project; `id` is that of the membership. We keep one name, so first and last name are null.
pub fn project_user(id: i64, user: &User, role: ProjectRole) -> Value {
    json!({
        "id": id,
        "uuid": user.uuid,
        "email": user.email,
        "role": role.name(),
        "name": user.username,
        "first_name": null,
        "last_name": null,
    })
}

/// A user of a project.
pub static PROJECT_USER: Shape = Shape::Object(&Object {
    name: "ProjectUser",
    members: &[
        member("id", INTEGER),
        member("uuid", crate::shape::UUID),
        member("email", TEXT),
        member("role", &Shape::OneOf(&["owner", "member"])),
        member("name", TEXT),
        member("first_name", TEXT_OR_NULL),
        member("last_name", TEXT_OR_NULL),
    ],
    open: false,
});

/// A list of them.
pub static PROJECT_USERS: Shape = Shape::List(&PROJECT_USER);
