//! The rows of the people of the installation: what its administrator does, beyond what the wider API has calls for.

use crate::endpoint::Access::{self, Administrator, Key, OfProject};
use crate::endpoint::Method::{self, Delete, Get, Post, Put};
use crate::endpoint::{Endpoint, Handler, Parameter, beside, row, with_body, with_query};
use crate::mount::Tree;
use crate::routes::people as answer;
use crate::routes::people::invitations;
use ambit_api::people;
use ambit_api::shape::{BOOLEAN, Shape};
use ambit_model::user::ProjectRole::Member;

const GROUP_MEMBERS: &str = "/groups/{group}/members";
const PRIVILEGE: &str = "/privileges/{subject}/{privilege}";

const SENT: &[Parameter] = &[Parameter {
    name: "sent",
    shape: BOOLEAN,
    required: false,
    doc: "true: those to projects that the caller owns and groups that the caller administers instead.",
}];

const fn ours(method: Method, path: &'static str, access: Access, summary: &'static str, result: &'static Shape, handler: Handler) -> Endpoint {
    beside(Tree::Ambit, row(method, path, access, summary, result, handler))
}

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    ours(Get, "/users", Administrator, "List the users of the installation.", &people::USERS, |call| Box::pin(answer::list_users(call))),
    with_body(&people::NEW_USER, ours(Post, "/users", Administrator, "Make a user.", &people::USER, |call| Box::pin(answer::create_user(call)))),
    with_body(&people::NEW_STATUS, ours(Put, "/users/{username}/status", Administrator, "Suspend a user, whose keys and signed addresses then open nothing, or let the user in again.", BOOLEAN, |call| Box::pin(answer::set_status(call)))),
    ours(Delete, "/users/{username}", Administrator, "Delete a user, by username or address: keys, rights and memberships end, what the user made stays. Projects that nobody else owns come to the caller.", BOOLEAN, |call| Box::pin(answer::delete_user(call))),
    ours(Get, "/groups", Key, "List the caller's groups with their members; for the administrator, all.", &people::GROUPS, |call| Box::pin(answer::list_groups(call))),
    with_body(&people::NEW_GROUP, ours(Post, "/groups", Administrator, "Make a group.", &people::GROUP, |call| Box::pin(answer::create_group(call)))),
    ours(Delete, "/groups/{group}", Administrator, "Delete a group with its service accounts, privileges and quotas; its members stay.", BOOLEAN, |call| Box::pin(answer::delete_group(call))),
    with_body(&people::NEW_MEMBERS, ours(Post, GROUP_MEMBERS, Administrator, "Bring users into a group, by usernames or addresses; as its administrators, if the body says so.", BOOLEAN, |call| Box::pin(answer::add_members(call)))),
    ours(Delete, "/groups/{group}/members/{username}", Administrator, "Take a user out of a group.", BOOLEAN, |call| Box::pin(answer::remove_member(call))),
    with_query(SENT, ours(Get, "/invitations", Key, "List the caller's unanswered invitations to projects and groups.", &people::INVITATIONS, |call| Box::pin(invitations::list(call)))),
    ours(Post, "/invitations/{id}/accept", Key, "Accept an invitation: the caller is in the project or group.", BOOLEAN, |call| Box::pin(invitations::accept(call))),
    ours(Delete, "/invitations/{id}", Key, "Decline an invitation, or take back one to a project that the caller owns or a group that the caller administers.", BOOLEAN, |call| Box::pin(invitations::end(call))),
    ours(Delete, "/projects/{uuid}/membership", OfProject(Member), "Leave a project; the last owner stays.", BOOLEAN, |call| Box::pin(invitations::leave_project(call))),
    ours(Delete, "/groups/{group}/membership", Key, "Leave a group.", BOOLEAN, |call| Box::pin(invitations::leave_group(call))),
    with_body(&people::NEW_GRANT, ours(Put, PRIVILEGE, Administrator, "Give a user or group a privilege, or move its end.", &people::GRANT, |call| Box::pin(answer::grant(call)))),
    ours(Delete, PRIVILEGE, Administrator, "Take a privilege away from a user or group; one that is not there stays away.", BOOLEAN, |call| Box::pin(answer::revoke(call))),
    ours(Get, "/quotas/{subject}", Key, "List what was set for a user or group: oneself, one's groups, and anybody for the administrator.", &people::LIMITS, |call| Box::pin(answer::list_limits(call))),
    with_body(&people::NEW_LIMIT, ours(Put, "/quotas/{subject}/{quota}", Administrator, "Set how much a user or group may use; 1000000000 is no cap.", &people::LIMIT, |call| Box::pin(answer::set_limit(call)))),
];
