//! The people of the installation, as its administrator keeps them: users, groups, privileges, quotas. The access rule
//! of the row has decided already; the store decides again.

pub(crate) mod invitations;

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::window::end;
use ambit_api::people::{
    self as wire, Grant, Group, Limit, NewGrant, NewGroup, NewLimit, NewMembers, NewUserStatus, User,
};
use ambit_api::{ApiError, Envelope, Result, read, success};
use ambit_model::project::Project;
use ambit_store::NewUser;
use uuid::Uuid;

const USER: &str = "User";
const GROUP: &str = "Group";
const PROJECT: &str = "Project";
/// Whom a privilege or quota belongs to.
const SUBJECT: &str = "User or group";

/// List the users of the installation.
pub(crate) async fn list_users(call: Call) -> Result<Envelope<Vec<User>>> {
    let users = call.store().list_users(call.caller()).await;
    Ok(success("Users", users.about(USER)?.iter().map(User::from).collect()))
}

/// Create a user.
pub(crate) async fn create_user(call: CallWith<wire::NewUser>) -> Result<Envelope<User>> {
    let body = call.read()?;
    let new = NewUser {
        email: body.email.0,
        username: body.username.0.flatten().map(|text| text.0),
        administrator: body.administrator.0.flatten().unwrap_or(false),
        project: match body.project.0.flatten() {
            Some(named) => Some(project(&call, &named.0).await?),
            None => None,
        },
        group: body.group.0.flatten().map(|text| text.0),
    };
    let made = call.store().create_user(call.caller(), &new).await.about("Project or group")?;
    Ok(success("User created", User::from(&made)))
}

/// The caller's project of a uuid or integer id.
async fn project(call: &Call, name: &str) -> Result<Uuid> {
    let projects = call.store().list_projects(call.caller()).await.about(PROJECT)?;
    let is = |project: &Project| project.id.to_string() == name || project.uuid.to_string().eq_ignore_ascii_case(name);
    let found = projects.into_iter().find(|view| is(&view.project));
    Ok(found.ok_or_else(|| ApiError::not_found(PROJECT))?.project.uuid)
}

/// Suspend a user, whose keys and signed links are then refused, or reactivate the user.
pub(crate) async fn set_status(call: CallWith<NewUserStatus>) -> Result<Envelope<bool>> {
    let status = call.read()?.status.0.0;
    let store = call.store();
    let user = store.find_user(call.caller(), call.parameter("username")).await.about(USER)?;
    store.set_status(call.caller(), user.id, &status).await.about(USER)?;
    Ok(success("User status set", true))
}

/// Delete a user, by username or address. Keys, rights and memberships end; what the user made stays. Projects without
/// another owner pass to the caller.
pub(crate) async fn delete_user(call: Call) -> Result<Envelope<bool>> {
    call.store().delete_user(call.caller(), call.parameter("username")).await.about(USER)?;
    Ok(success("User deleted", true))
}

/// List the caller's groups with their members; for the administrator, all.
pub(crate) async fn list_groups(call: Call) -> Result<Envelope<Vec<Group>>> {
    let groups = call.store().list_groups(call.caller()).await.about(GROUP)?;
    Ok(success("Groups", groups.iter().map(|(group, members)| Group::of(group, members)).collect()))
}

/// Create a group.
pub(crate) async fn create_group(call: CallWith<NewGroup>) -> Result<Envelope<Group>> {
    let body = call.read()?;
    let (name, members) = (body.name.0, body.members.0.unwrap_or_default());
    let (made, members) = call.store().create_group(call.caller(), &name, &members).await.about(USER)?;
    Ok(success("Group created", Group::of(&made, &members)))
}

/// Delete a group with its service accounts, privileges and quotas; its members stay.
pub(crate) async fn delete_group(call: Call) -> Result<Envelope<bool>> {
    call.store().delete_group(call.caller(), call.parameter("group")).await.about(GROUP)?;
    Ok(success("Group deleted", true))
}

/// Add users to a group, by usernames or addresses; as its administrators, if the body says so.
pub(crate) async fn add_members(call: CallWith<NewMembers>) -> Result<Envelope<bool>> {
    let group = group(&call).await?;
    let body = call.read()?;
    let (members, administrator) = (body.members.0, body.administrator.0.flatten().unwrap_or(false));
    call.store().add_to_group(call.caller(), &group, &members, administrator).await.about(USER)?;
    Ok(success("Group members added", true))
}

/// Remove a user from a group.
pub(crate) async fn remove_member(call: Call) -> Result<Envelope<bool>> {
    let group = group(&call).await?;
    let store = call.store();
    let user = store.find_user(call.caller(), call.parameter("username")).await;
    let user = user.about(USER)?.id;
    store.leave_group(call.caller(), &group, user, false).await.about("Group member")?;
    Ok(success("Group member removed", true))
}

/// Grant a user or group a privilege, or change when it ends.
pub(crate) async fn grant(call: CallWith<NewGrant>) -> Result<Envelope<Grant>> {
    let body: NewGrant = read(call.members_of::<Grant>()?)?;
    let expires_at = body.expires_at.0.flatten().map(|text| end(&text.0, call.now)).transpose()?;
    let (subject, privilege) = (call.parameter("subject"), call.parameter("privilege"));
    call.store().grant_privilege(call.caller(), subject, privilege, expires_at).await.about(SUBJECT)?;
    let result = Grant { subject: subject.to_owned(), privilege: privilege.to_owned(), expires_at };
    Ok(success("Privilege granted", result))
}

/// Revoke a privilege of a user or group. It is no error if there is none.
pub(crate) async fn revoke(call: Call) -> Result<Envelope<bool>> {
    let (subject, privilege) = (call.parameter("subject"), call.parameter("privilege"));
    call.store().revoke_privilege(call.caller(), subject, privilege).await.about(SUBJECT)?;
    Ok(success("Privilege revoked", true))
}

/// List the quotas that were set for a user or group. Everybody may read their own and their groups'; the administrator
/// may read all.
pub(crate) async fn list_limits(call: Call) -> Result<Envelope<Vec<Limit>>> {
    let limits = call.store().list_quotas(call.caller(), call.parameter("subject")).await.about(SUBJECT)?;
    Ok(success("Quotas", limits.iter().map(|quota| limit(&quota.name, quota.allowed)).collect()))
}

/// Set how much a user or group may use; 1000000000 is no cap.
pub(crate) async fn set_limit(call: CallWith<NewLimit>) -> Result<Envelope<Limit>> {
    let allowed = read::<NewLimit>(call.members_of::<Limit>()?)?.allowed.0;
    let (subject, quota) = (call.parameter("subject"), call.parameter("quota"));
    call.store().set_quota(call.caller(), subject, quota, allowed).await.about(SUBJECT)?;
    Ok(success("Quota set", limit(quota, allowed)))
}

/// The name of the group of the path, which must be there.
async fn group(call: &Call) -> Result<String> {
    let found = call.store().group_account(call.parameter("group")).await.about(GROUP)?;
    Ok(found.group.name)
}

fn limit(name: &str, allowed: i64) -> Limit {
    Limit { name: name.to_owned(), allowed }
}
