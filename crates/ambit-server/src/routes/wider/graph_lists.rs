//! The editors and viewers of a graph (docs/contract/graphs.md §2), by both paths that clients use.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::page;
use crate::present::collaborators::{body_collaborators, shown};
use crate::present::graphs;
use ambit_api::ApiError;
use ambit_api::objects::data;
use ambit_store::{Collaborator, Role};
use serde_json::json;

/// The list that the path names.
fn role(call: &Call) -> Result<Role, ApiError> {
    match call.parameter("relationship") {
        "editors" => Ok(Role::Editor),
        "viewers" => Ok(Role::Viewer),
        name => Err(ApiError::not_found(&format!("List {name}"))),
    }
}

/// Add editors or viewers.
pub(crate) async fn add(call: Call) -> Result<Answer, ApiError> {
    let (role, id) = (role(&call)?, call.parameter("id"));
    let collaborators = body_collaborators(&call)?;
    let store = call.store();
    // A graph that is not there is said before people who are not.
    store.find_graph(call.caller(), id).await.about_named(graphs::NOUN, call.parameter("id"))?;
    store.add_collaborators(call.caller(), id, role, &collaborators, call.now).await.about("User or group")?;
    let all = shown(&call, id, role).await?;
    page::of_list(&call, all, page::LIMIT_MAX)
}

/// Whoever of the list has the name in the path: users before groups.
async fn member(call: &Call, role: Role) -> Result<Option<Collaborator>, ApiError> {
    let wanted = call.parameter("member");
    let mut found = call
        .store()
        .collaborators(call.caller(), call.parameter("id"), role)
        .await
        .about_named(graphs::NOUN, call.parameter("id"))?;
    found.sort();
    let is = |one: &Collaborator| match one {
        Collaborator::User(name) | Collaborator::Group(name) => name == wanted,
    };
    Ok(found.into_iter().find(is))
}

/// Say whether a user or group is editor or viewer.
pub(crate) async fn has(call: Call) -> Result<Answer, ApiError> {
    let found = member(&call, role(&call)?).await?;
    Ok(Answer::json(&data(json!(found.is_some()))))
}

/// Take an editor or viewer off the list. The answer is empty.
pub(crate) async fn remove(call: Call) -> Result<Answer, ApiError> {
    let role = role(&call)?;
    let missing = || ApiError::not_found("User or group");
    let found = member(&call, role).await?.ok_or_else(missing)?;
    call.store()
        .remove_collaborator(call.caller(), call.parameter("id"), role, &found, call.now)
        .await
        .about("User or group")?;
    Ok(Answer::empty())
}
