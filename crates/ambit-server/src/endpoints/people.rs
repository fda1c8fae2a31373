//! The rows of the people of the installation: what its administrator does, beyond what the wider API has calls for.

use crate::endpoint::Access::{Administrator, Key, OfProject};
use crate::endpoint::{Endpoint, Parameter, delete, get, handler, post, put};
use crate::metrics;
use ambit_api::shape::BOOLEAN;
use ambit_api::{Contract, people};
use ambit_model::user::ProjectRole::Member;

const GROUP_MEMBERS: &str = "/groups/{group}/members";
const PRIVILEGE: &str = "/privileges/{subject}/{privilege}";
const SENT: &[Parameter] = &[Parameter {
    name: "sent",
    shape: BOOLEAN,
    required: false,
    doc: "true: those to projects that the caller owns and groups that the caller administers instead.",
}];

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/metrics", Administrator, handler!(metrics::read))
        .says("Report the state of the installation to monitoring systems, in the text format of Prometheus.")
        .as_type(metrics::TYPE),
    get("/users", Administrator, handler!(people::list_users))
        .says("List the users of the installation.")
        .answers(Vec::<people::User>::SHAPE),
    post("/users", Administrator, handler!(people::create_user))
        .says("Make a user.")
        .takes(people::NewUser::SHAPE)
        .answers(people::User::SHAPE),
    put("/users/{username}/status", Administrator, handler!(people::set_status))
        .says("Suspend a user, whose keys and signed links are then refused, or reactivate the user.")
        .takes(people::NewUserStatus::SHAPE)
        .answers(BOOLEAN),
    delete("/users/{username}", Administrator, handler!(people::delete_user))
        .says(
            "Delete a user, by username or address. Keys, rights and memberships end; what the user made stays. \
             Projects without another owner pass to the caller.",
        )
        .answers(BOOLEAN),
    get("/groups", Key, handler!(people::list_groups))
        .says("List the caller's groups with their members; for the administrator, all.")
        .answers(Vec::<people::Group>::SHAPE),
    post("/groups", Administrator, handler!(people::create_group))
        .says("Make a group.")
        .takes(people::NewGroup::SHAPE)
        .answers(people::Group::SHAPE),
    delete("/groups/{group}", Administrator, handler!(people::delete_group))
        .says("Delete a group with its service accounts, privileges and quotas; its members stay.")
        .answers(BOOLEAN),
    post(GROUP_MEMBERS, Administrator, handler!(people::add_members))
        .says("Add users to a group, by usernames or addresses; as its administrators, if the body says so.")
        .takes(people::NewMembers::SHAPE)
        .answers(BOOLEAN),
    delete("/groups/{group}/members/{username}", Administrator, handler!(people::remove_member))
        .says("Take a user out of a group.")
        .answers(BOOLEAN),
    get("/invitations", Key, handler!(people::invitations::list))
        .says("List the caller's unanswered invitations to projects and groups.")
        .asks(SENT)
        .answers(Vec::<people::Invitation>::SHAPE),
    post("/invitations/{id}/accept", Key, handler!(people::invitations::accept))
        .says("Accept an invitation and join the project or group.")
        .answers(BOOLEAN),
    delete("/invitations/{id}", Key, handler!(people::invitations::end))
        .says(
            "Decline an invitation, or take back one to a project that the caller owns or a group that the caller \
               administers.",
        )
        .answers(BOOLEAN),
    delete("/projects/{uuid}/membership", OfProject(Member), handler!(people::invitations::leave_project))
        .says("Leave a project. The last owner cannot.")
        .answers(BOOLEAN),
    delete("/groups/{group}/membership", Key, handler!(people::invitations::leave_group))
        .says("Leave a group.")
        .answers(BOOLEAN),
    put(PRIVILEGE, Administrator, handler!(people::grant))
        .says("Grant a user or group a privilege, or change when it ends.")
        .takes(people::NewGrant::SHAPE)
        .answers(people::Grant::SHAPE),
    delete(PRIVILEGE, Administrator, handler!(people::revoke))
        .says("Revoke a privilege of a user or group. It is no error if there is none.")
        .answers(BOOLEAN),
    get("/quotas/{subject}", Key, handler!(people::list_limits))
        .says(
            "List the quotas that were set for a user or group. Everybody may read their own and their groups'; the \
             administrator may read all.",
        )
        .answers(Vec::<people::Limit>::SHAPE),
    put("/quotas/{subject}/{quota}", Administrator, handler!(people::set_limit))
        .says("Set how much a user or group may use; 1000000000 is no cap.")
        .takes(people::NewLimit::SHAPE)
        .answers(people::Limit::SHAPE),
];
