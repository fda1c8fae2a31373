//! The editors and viewers of a graph (docs/contract/graphs.md §2), by both paths that clients use.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::page::{self, Page};
use crate::present::collaborators::{body_collaborators, member, shown, users};
use crate::present::graphs;
use crate::signature::Empty;
use ambit_api::objects::{NewObject, ObjectCollection, Whether, data};
use ambit_api::{ApiError, Maybe, Result};
use ambit_store::{Collaborator, Role};

/// The list that the path names.
fn role(call: &Call) -> Result<Role> {
    match call.parameter("relationship") {
        "editors" => Ok(Role::Editor),
        "viewers" => Ok(Role::Viewer),
        name => Err(ApiError::not_found(&format!("List {name}"))),
    }
}

/// Add editors or viewers.
pub(crate) async fn add(call: CallWith<Maybe<NewObject>, Page>) -> Result<ObjectCollection> {
    let (role, id) = (role(&call)?, call.id());
    let collaborators = body_collaborators(&call)?;
    let store = call.store();
    // A graph that is not there is said before people who are not.
    store.find_graph(call.caller(), id).await.about_named(graphs::NOUN, id)?;
    let counted = call.count_addresses(users(&collaborators))?;
    store.add_collaborators(call.caller(), id, role, &collaborators).await.about("User or group")?;
    call.give_back_addresses(counted);
    let all = shown(&call, id, role).await?;
    page::of_list(&call, all, page::LIMIT_MAX)
}

async fn listed(call: &Call, role: Role) -> Result<Option<Collaborator>> {
    let list = call.store().collaborators(call.caller(), call.id(), role).await;
    Ok(member(call, list.about_named(graphs::NOUN, call.id())?))
}

/// Say whether a user or group is editor or viewer.
pub(crate) async fn has(call: Call) -> Result<Whether> {
    let found = listed(&call, role(&call)?).await?;
    Ok(data(found.is_some()))
}

/// Remove an editor or viewer of a graph. The answer is empty.
pub(crate) async fn remove(call: Call) -> Result<Empty> {
    let role = role(&call)?;
    let missing = || ApiError::not_found("User or group");
    let found = listed(&call, role).await?.ok_or_else(missing)?;
    let removed = call.store().remove_collaborator(call.caller(), call.id(), role, &found).await;
    removed.about("User or group")?;
    Ok(Empty)
}
