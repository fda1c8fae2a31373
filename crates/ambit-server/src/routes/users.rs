//! The people of a project and of a collection (docs/contract/asm.md §3.5).

use crate::addresses::{NO_ACCOUNTS, addresses};
use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::{CollectionUuid, ProjectUserId};
use crate::present::projects::project;
use ambit_api::users::{AddedProjectUser, CollectionUser, NewCollectionUser, NewProjectUsers, ProjectUser};
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_store::Member;
use uuid::Uuid;

const USER: &str = "Project user";

/// List the people of a project.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<ProjectUser>>> {
    let uuid = project(&call).await?;
    let members = call.store().list_members(call.caller(), uuid).await.about("Project")?;
    Ok(success("Project users", members.iter().map(shown).collect()))
}

/// Add people to a project, or change their role; repeating it is harmless. An administrator of the installation adds
/// people at once; anybody else sends an invitation, which they accept or decline.
pub(crate) async fn add(call: CallWith<NewProjectUsers>) -> Result<Envelope<Vec<AddedProjectUser>>> {
    let uuid = project(&call).await?;
    let body = call.read()?;
    let (emails, role) = (body.emails.0, body.role.0);
    let open = call.state.open_accounts;
    let counted = call.count_addresses(&emails)?;
    let added = call.store().add_members(call.caller(), uuid, &emails, role, open).await.about("Project")?;
    call.give_back_addresses(counted.saturating_sub(addresses(&added.unknown)));
    let unknown = added.unknown.join(", ");
    let message = match (added.members.is_empty(), unknown.is_empty()) {
        (_, true) => "Project users added".to_owned(),
        (false, false) => format!("Project users added, but nobody has the address {unknown}: {NO_ACCOUNTS}"),
        (true, false) => {
            return Err(ApiError::with(
                ErrorCode::NotFound,
                format!("Nobody has the address {unknown}: {NO_ACCOUNTS}"),
            ));
        }
    };
    let members = added.members.iter().map(|member| shown(member).into());
    let unknown = added.unknown.iter().map(|email| AddedProjectUser::unknown(email));
    Ok(success(&message, members.chain(unknown).collect()))
}

/// List who was given a role in a collection.
pub(crate) async fn list_of_collection(call: Call) -> Result<Envelope<Vec<CollectionUser>>> {
    let uuid = collection(&call).await?;
    let rows = call.store().list_collection_roles(call.caller(), uuid).await.about("Collection")?;
    let shown = rows
        .iter()
        .map(|(member, role)| CollectionUser::of(member.id, &member.user, member.role, *role, member.invited));
    Ok(success("Collection project users", shown.collect()))
}

/// Give somebody of the project a role in a collection.
pub(crate) async fn set_of_collection(call: CallWith<NewCollectionUser>) -> Result<Envelope<bool>> {
    let uuid = collection(&call).await?;
    let body = call.read()?;
    let member = match (body.user.0, body.project_user_id.0) {
        (Some(user), _) => user.0,
        (None, Some(id)) => id.to_string(),
        (None, None) => return Err(ApiError::invalid("project_user_id must be a whole number")),
    };
    let role = body.role.0;
    call.store().set_collection_role(call.caller(), uuid, &member, role).await.about(USER)?;
    Ok(success("Collection project user added", true))
}

/// Remove a person from a project, or withdraw an invitation. Everybody may remove themselves.
pub(crate) async fn remove(call: Call) -> Result<Envelope<bool>> {
    let uuid = project(&call).await?;
    call.store().remove_member(call.caller(), uuid, ProjectUserId::of(&call)?).await.about(USER)?;
    Ok(success("Project user removed", true))
}

/// Remove a member's role in a collection.
pub(crate) async fn remove_of_collection(call: Call) -> Result<Envelope<bool>> {
    let uuid = collection(&call).await?;
    call.store().remove_collection_role(call.caller(), uuid, ProjectUserId::of(&call)?).await.about(USER)?;
    Ok(success("Collection project user removed", true))
}

fn shown(member: &Member) -> ProjectUser {
    ProjectUser::of(member.id, &member.user, member.role, member.invited)
}

/// The collection of the path, which the caller may see.
async fn collection(call: &Call) -> Result<Uuid> {
    let uuid = CollectionUuid::of(call)?;
    call.store().find_collection(call.caller(), uuid).await.about("Collection")?;
    Ok(uuid)
}
