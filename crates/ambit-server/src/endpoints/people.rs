//! The rows of the people of the installation: what its administrator does, beyond what the wider API has calls for.

use crate::endpoint::Access::{Administrator, Key, OfProject};
use crate::endpoint::{Endpoint, Parameter, delete, get, handler, parameter, post, put};
use crate::metrics;
use ambit_api::shape::BOOLEAN;
use ambit_api::{Contract, people};
use ambit_model::user::ProjectRole::Member;

const GROUP_MEMBERS: &str = "/groups/{group}/members";
const PRIVILEGE: &str = "/privileges/{subject}/{privilege}";
const SENT: &[Parameter] = &[parameter(
    "sent",
    BOOLEAN,
    "true: those to projects that the caller owns and groups that the caller administers instead.",
)];

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/metrics", Administrator, handler!(metrics::read)).as_type(metrics::TYPE),
    get("/users", Administrator, handler!(people::list_users)).answers(Vec::<people::User>::SHAPE),
    post("/users", Administrator, handler!(people::create_user))
        .takes(people::NewUser::SHAPE)
        .answers(people::User::SHAPE),
    put("/users/{username}/status", Administrator, handler!(people::set_status))
        .takes(people::NewUserStatus::SHAPE)
        .answers(BOOLEAN),
    delete("/users/{username}", Administrator, handler!(people::delete_user)).answers(BOOLEAN),
    get("/groups", Key, handler!(people::list_groups)).answers(Vec::<people::Group>::SHAPE),
    post("/groups", Administrator, handler!(people::create_group))
        .takes(people::NewGroup::SHAPE)
        .answers(people::Group::SHAPE),
    delete("/groups/{group}", Administrator, handler!(people::delete_group)).answers(BOOLEAN),
    post(GROUP_MEMBERS, Administrator, handler!(people::add_members)).takes(people::NewMembers::SHAPE).answers(BOOLEAN),
    delete("/groups/{group}/members/{username}", Administrator, handler!(people::remove_member)).answers(BOOLEAN),
    get("/invitations", Key, handler!(people::invitations::list)).asks(SENT).answers(Vec::<people::Invitation>::SHAPE),
    post("/invitations/{id}/accept", Key, handler!(people::invitations::accept)).answers(BOOLEAN),
    delete("/invitations/{id}", Key, handler!(people::invitations::end)).answers(BOOLEAN),
    delete("/projects/{uuid}/membership", OfProject(Member), handler!(people::invitations::leave_project))
        .answers(BOOLEAN),
    delete("/groups/{group}/membership", Key, handler!(people::invitations::leave_group)).answers(BOOLEAN),
    put(PRIVILEGE, Administrator, handler!(people::grant)).takes(people::NewGrant::SHAPE).answers(people::Grant::SHAPE),
    delete(PRIVILEGE, Administrator, handler!(people::revoke)).answers(BOOLEAN),
    get("/quotas/{subject}", Key, handler!(people::list_limits)).answers(Vec::<people::Limit>::SHAPE),
    put("/quotas/{subject}/{quota}", Administrator, handler!(people::set_limit))
        .takes(people::NewLimit::SHAPE)
        .answers(people::Limit::SHAPE),
];
