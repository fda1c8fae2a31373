//! The people of the installation, as its administrator keeps them: users, groups, privileges, quotas. The access rule of the row has decided already;
//! the store decides again.

pub(crate) mod invitations;

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, flag_member, optional_text, text_member, texts_member};
use crate::failure::About;
use crate::window::end;
use ambit_api::{ApiError, people, success};
use ambit_model::project::Project;
use ambit_store::NewUser;
use serde_json::{Map, Value, json};
use uuid::Uuid;

const USER: &str = "User";
const GROUP: &str = "Group";
const PROJECT: &str = "Project";
/// Whom a privilege or quota belongs to.
const SUBJECT: &str = "User or group";

/// List the users of the installation.
pub(crate) async fn list_users(call: Call) -> Result<Answer, ApiError> {
    let rows: Value = call
        .store()
        .list_users(call.caller())
        .await
        .about(USER)?
        .iter()
        .map(people::user)
        .collect();
    Ok(Answer::json(&success("Users", rows)))
}

/// Make a user.
pub(crate) async fn create_user(call: Call) -> Result<Answer, ApiError> {
    let body = call.object()?;
    let new = NewUser {
        email: text_member(&body, "email", NAME_CHARS_MAX)?,
        username: optional_text(&body, "username", NAME_CHARS_MAX)?,
        administrator: flag_member(&body, "administrator")?.unwrap_or(false),
        project: project_member(&call, &body).await?,
        group: optional_text(&body, "group", NAME_CHARS_MAX)?,
    };
    let made = call.store().create_user(call.caller(), &new, call.now).await.about("Project or group")?;
    Ok(Answer::json(&success("User created", people::user(&made))))
}

/// The project of a body, by uuid or integer id.
async fn project_member(call: &Call, body: &Map<String, Value>) -> Result<Option<Uuid>, ApiError> {
    let Some(name) = optional_text(body, "project", NAME_CHARS_MAX)? else {
        return Ok(None);
    };
    let projects = call.store().list_projects(call.caller()).await.about(PROJECT)?;
    let is = |project: &Project| project.id.to_string() == name || project.uuid.to_string().eq_ignore_ascii_case(&name);
    let found = projects.into_iter().find(|view| is(&view.project));
    Ok(Some(found.ok_or_else(|| ApiError::not_found(PROJECT))?.project.uuid))
}

/// Suspend a user, whose keys and signed addresses then open nothing, or let the user in again.
///
/// Suspends a user, or lets the user in again.
pub(crate) async fn set_status(call: Call) -> Result<Answer, ApiError> {
    let status = text_member(&call.object()?, "status", NAME_CHARS_MAX)?;
    let store = call.store();
    let user = store.find_user(call.caller(), call.parameter("username")).await.about(USER)?;
    store.set_status(call.caller(), user.id, &status, call.now).await.about(USER)?;
    Ok(Answer::json(&success("User status set", json!(true))))
}

/// Delete a user, by username or address: keys, rights and memberships end, what the user made stays. Projects that nobody else owns come to the
/// caller.
pub(crate) async fn delete_user(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .delete_user(call.caller(), call.parameter("username"), call.now)
        .await
        .about(USER)?;
    Ok(Answer::json(&success("User deleted", json!(true))))
}

/// List the caller's groups with their members; for the administrator, all.
pub(crate) async fn list_groups(call: Call) -> Result<Answer, ApiError> {
    let groups = call.store().list_groups(call.caller()).await.about(GROUP)?;
    let rows: Value = groups.iter().map(|(group, members)| people::group(group, members)).collect();
    Ok(Answer::json(&success("Groups", rows)))
}

/// Make a group.
pub(crate) async fn create_group(call: Call) -> Result<Answer, ApiError> {
    let body = call.object()?;
    let name = text_member(&body, "name", NAME_CHARS_MAX)?;
    let members = match body.get("members") {
        None => Vec::new(),
        Some(Value::Array(none)) if none.is_empty() => Vec::new(),
        Some(_) => texts_member(&body, "members")?,
    };
    let (made, members) = call.store().create_group(call.caller(), &name, &members, call.now).await.about(USER)?;
    Ok(Answer::json(&success("Group created", people::group(&made, &members))))
}

/// Delete a group with its service accounts, privileges and quotas; its members stay.
pub(crate) async fn delete_group(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .delete_group(call.caller(), call.parameter("group"), call.now)
        .await
        .about(GROUP)?;
    Ok(Answer::json(&success("Group deleted", json!(true))))
}

/// Bring users into a group, by usernames or addresses; as its administrators, if the body says so.
pub(crate) async fn add_members(call: Call) -> Result<Answer, ApiError> {
    let group = group(&call).await?;
    let body = call.object()?;
    let members = texts_member(&body, "members")?;
    let administrator = flag_member(&body, "administrator")?.unwrap_or(false);
    call.store()
        .add_to_group(call.caller(), &group, &members, administrator, call.now)
        .await
        .about(USER)?;
    Ok(Answer::json(&success("Group members added", json!(true))))
}

/// Take a user out of a group.
pub(crate) async fn remove_member(call: Call) -> Result<Answer, ApiError> {
    let group = group(&call).await?;
    let store = call.store();
    let user = store.find_user(call.caller(), call.parameter("username")).await.about(USER)?.id;
    store
        .leave_group(call.caller(), &group, user, false, call.now)
        .await
        .about("Group member")?;
    Ok(Answer::json(&success("Group member removed", json!(true))))
}

/// Give a user or group a privilege, or move its end.
pub(crate) async fn grant(call: Call) -> Result<Answer, ApiError> {
    let expires_at = optional_text(&call.members_of(&people::NEW_GRANT, &people::GRANT)?, "expires_at", NAME_CHARS_MAX)?;
    let expires_at = expires_at.map(|text| end(&text, call.now)).transpose()?;
    let (subject, privilege) = (call.parameter("subject"), call.parameter("privilege"));
    call.store()
        .grant_privilege(call.caller(), subject, privilege, expires_at, call.now)
        .await
        .about(SUBJECT)?;
    Ok(Answer::json(&success("Privilege granted", people::grant(subject, privilege, expires_at))))
}

/// Take a privilege away from a user or group; one that is not there stays away.
pub(crate) async fn revoke(call: Call) -> Result<Answer, ApiError> {
    let (subject, privilege) = (call.parameter("subject"), call.parameter("privilege"));
    call.store()
        .revoke_privilege(call.caller(), subject, privilege, call.now)
        .await
        .about(SUBJECT)?;
    Ok(Answer::json(&success("Privilege revoked", json!(true))))
}

/// List what was set for a user or group: oneself, one's groups, and anybody for the administrator.
pub(crate) async fn list_limits(call: Call) -> Result<Answer, ApiError> {
    let limits = call.store().list_quotas(call.caller(), call.parameter("subject")).await.about(SUBJECT)?;
    let rows: Value = limits.iter().map(|quota| people::limit(&quota.name, quota.allowed)).collect();
    Ok(Answer::json(&success("Quotas", rows)))
}

/// Set how much a user or group may use; 1000000000 is no cap.
pub(crate) async fn set_limit(call: Call) -> Result<Answer, ApiError> {
    let body = call.members_of(&people::NEW_LIMIT, &people::LIMIT)?;
    let allowed = body.get("allowed").and_then(Value::as_i64).filter(|allowed| *allowed >= 0);
    let allowed = allowed.ok_or_else(|| ApiError::invalid("allowed must be a whole number from 0"))?;
    let (subject, quota) = (call.parameter("subject"), call.parameter("quota"));
    call.store()
        .set_quota(call.caller(), subject, quota, allowed, call.now)
        .await
        .about(SUBJECT)?;
    Ok(Answer::json(&success("Quota set", people::limit(quota, allowed))))
}

/// The name of the group of the path, which must be there.
async fn group(call: &Call) -> Result<String, ApiError> {
    let found = call.store().group_account(call.parameter("group")).await.about(GROUP)?;
    Ok(found.group.name)
}
