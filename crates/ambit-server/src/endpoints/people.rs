//! The rows of the people of the installation: what its administrator does, beyond what the wider API has calls for.

use crate::endpoint::Access::{Administrator, Key, OfProject};
use crate::endpoint::{Endpoint, delete, get, handler, post, put};
use ambit_model::user::ProjectRole::Member;

const PRIVILEGE: &str = "/privileges/{subject}/{privilege}";

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/metrics", Administrator, handler!(metrics::read)),
    get("/users", Administrator, handler!(people::list_users)),
    post("/users", Administrator, handler!(people::create_user)),
    put("/users/{username}/status", Administrator, handler!(people::set_status)),
    delete("/users/{username}", Administrator, handler!(people::delete_user)),
    get("/groups", Key, handler!(people::list_groups)),
    post("/groups", Administrator, handler!(people::create_group)),
    delete("/groups/{group}", Administrator, handler!(people::delete_group)),
    post("/groups/{group}/members", Administrator, handler!(people::add_members)),
    delete("/groups/{group}/members/{username}", Administrator, handler!(people::remove_member)),
    get("/invitations", Key, handler!(people::invitations::list)),
    post("/invitations/{id}/accept", Key, handler!(people::invitations::accept)),
    delete("/invitations/{id}", Key, handler!(people::invitations::end)),
    delete("/projects/{uuid}/membership", OfProject(Member), handler!(people::invitations::leave_project)),
    delete("/groups/{group}/membership", Key, handler!(people::invitations::leave_group)),
    put(PRIVILEGE, Administrator, handler!(people::grant)),
    delete(PRIVILEGE, Administrator, handler!(people::revoke)),
    get("/quotas/{subject}", Key, handler!(people::list_limits)),
    put("/quotas/{subject}/{quota}", Administrator, handler!(people::set_limit)),
];
