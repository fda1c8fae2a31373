//! Users and groups that may see or change something.

use super::{accounts, graphs, groups};
use crate::call::Call;
use crate::failure::About;
use crate::object_body::body_descriptors;
use ambit_api::objects::Object;
use ambit_api::{ApiError, Result};
use ambit_store::{Collaborator, Role};

/// Who is on a list, as objects.
pub(crate) async fn shown(call: &Call, id: &str, role: Role) -> Result<Vec<Object>> {
    let found = call.store().collaborators(call.caller(), id, role).await.about(graphs::NOUN)?;
    as_objects(call, found).await
}

/// Users and groups as objects.
pub(crate) async fn as_objects(call: &Call, collaborators: Vec<Collaborator>) -> Result<Vec<Object>> {
    let mut out = Vec::new();
    for collaborator in collaborators {
        out.push(match collaborator {
            Collaborator::User(name) => accounts::brief(call, &call.store().account(&name).await.about("User")?),
            Collaborator::Group(name) => groups::brief_named(call, &name).await?,
        });
    }
    Ok(out)
}

/// Whoever of a list has the name in the path: users before groups.
pub(crate) fn member(call: &Call, mut list: Vec<Collaborator>) -> Option<Collaborator> {
    let wanted = call.parameter("member");
    list.sort();
    let is = |one: &Collaborator| match one {
        Collaborator::User(name) | Collaborator::Group(name) => name == wanted,
    };
    list.into_iter().find(is)
}

/// The users and groups that a body names.
pub(crate) fn body_collaborators(call: &Call) -> Result<Vec<Collaborator>> {
    let named = body_descriptors(call)?.into_iter().map(|(kind, name)| match kind.as_str() {
        "user" | "service_account" => Ok(Collaborator::User(name)),
        "group" => Ok(Collaborator::Group(name)),
        _ => Err(ApiError::invalid(format!("Type must be user or group, not {kind}"))),
    });
    named.collect()
}

/// The names of the users among them, as they were written.
pub(crate) fn users(collaborators: &[Collaborator]) -> impl Iterator<Item = &String> {
    collaborators.iter().filter_map(|one| match one {
        Collaborator::User(name) => Some(name),
        Collaborator::Group(_) => None,
    })
}
