//! The people of a project and of a collection (docs/contract/asm.md §3.5).

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, optional_text, text_member};
use crate::failure::About;
use crate::present::projects::project;
use ambit_api::{ApiError, ErrorCode, success, users};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_store::Member;
use serde_json::{Value, json};
use uuid::Uuid;

const USER: &str = "Project user";
/// Why an address is of no use.
const NO_ACCOUNTS: &str = "accounts are made by the administrator of the installation";

/// List the people of a project.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let uuid = project(&call).await?;
    let members = call.store().list_members(call.caller(), uuid).await.about("Project")?;
    Ok(Answer::json(&success("Project users", shown(&members))))
}

/// Bring people into a project, or change their role; saying it twice is harmless. Whom the administrator of the installation brings is in it; whom
/// others bring is asked, and in it after accepting.
pub(crate) async fn add(call: Call) -> Result<Answer, ApiError> {
    let uuid = project(&call).await?;
    let body = call.object()?;
    let emails = match body.get("emails") {
        Some(Value::Array(items)) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().filter(|emails| !emails.is_empty())
        }
        _ => None,
    };
    let emails = emails.ok_or_else(|| ApiError::invalid("emails must be a list of addresses"))?;
    let word = text_member(&body, "role", NAME_CHARS_MAX)?;
    let role = ProjectRole::from_name(&word).ok_or_else(|| ApiError::invalid("role must be member or owner"))?;
    let open = call.state.open_accounts;
    let added = call
        .store()
        .add_members(call.caller(), uuid, &emails, role, open, call.now)
        .await
        .about("Project")?;
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
    let mut rows = shown(&added.members);
    if let Value::Array(rows) = &mut rows {
        rows.extend(added.unknown.iter().map(|email| users::unknown_user(email)));
    }
    Ok(Answer::json(&success(&message, rows)))
}

/// List who was given a role in a collection.
pub(crate) async fn list_of_collection(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let rows = call.store().list_collection_roles(call.caller(), uuid).await.about("Collection")?;
    let result: Value = rows
        .iter()
        .map(|(member, role)| users::collection_user(member.id, &member.user, member.role, *role, member.invited))
        .collect();
    Ok(Answer::json(&success("Collection project users", result)))
}

/// Give somebody of the project a role in a collection.
pub(crate) async fn set_of_collection(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let body = call.object()?;
    let member = match optional_text(&body, "user", NAME_CHARS_MAX)? {
        Some(user) => user,
        None => {
            let id = body.get("project_user_id").and_then(Value::as_i64);
            id.ok_or_else(|| ApiError::invalid("project_user_id must be a whole number"))?.to_string()
        }
    };
    let word = text_member(&body, "role", NAME_CHARS_MAX)?;
    let role = CollectionRole::from_name(&word).ok_or_else(|| ApiError::invalid("role must be viewer, analyst or admin"))?;
    call.store()
        .set_collection_role(call.caller(), uuid, &member, role, call.now)
        .await
        .about(USER)?;
    Ok(Answer::json(&success("Collection project user added", json!(true))))
}

/// Take somebody out of a project, or an invitation back; everybody may leave.
pub(crate) async fn remove(call: Call) -> Result<Answer, ApiError> {
    let uuid = project(&call).await?;
    call.store()
        .remove_member(call.caller(), uuid, project_user(&call)?, call.now)
        .await
        .about(USER)?;
    Ok(Answer::json(&success("Project user removed", json!(true))))
}

/// Take a member's role in a collection away.
pub(crate) async fn remove_of_collection(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    call.store()
        .remove_collection_role(call.caller(), uuid, project_user(&call)?, call.now)
        .await
        .about(USER)?;
    Ok(Answer::json(&success("Collection project user removed", json!(true))))
}

/// The integer id of a project user in the path; anything else names nobody.
fn project_user(call: &Call) -> Result<i64, ApiError> {
    call.parameter("project_user_id").parse().map_err(|_| ApiError::not_found(USER))
}

fn shown(members: &[Member]) -> Value {
    members
        .iter()
        .map(|member| users::project_user(member.id, &member.user, member.role, member.invited))
        .collect()
}

/// The collection of the path, if the header does not name another project.
async fn collection(call: &Call) -> Result<Uuid, ApiError> {
    let uuid = call.uuid("uuid", "Collection")?;
    let view = call.store().find_collection(call.caller(), uuid).await.about("Collection")?;
    call.narrowed_to(view.collection.project, "Collection")?;
    Ok(uuid)
}
