//! What users are related to: their groups, comments, graphs and collections.

use crate::call::Call;
use crate::failure::About;
use crate::present::accounts::{NOUN, standing};
use crate::present::{comments, graphs, groups, object_collections, relationships};
use ambit_api::objects::{Object, Related};
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_store::{Account, Collaborator, GroupAccount, Relationship};

/// Relationships of users that are only for the user and administrators.
const PRIVATE: [&str; 5] =
    ["api_quota_group", "intelligence_quota_group", "monitor_quota_group", "groups", "groups_managed"];
/// Relationships to what Ambit does not keep by user.
const NOTHING: [&str; 2] = ["mentions", "votes"];

/// Adds the descriptors of the relationships that are asked for.
pub(crate) async fn relate(call: &Call, account: &Account, found: &mut Object) -> Result<()> {
    for name in relationships::asked(call)? {
        let all = related(call, account, &name).await?.unwrap_or_else(|| Related::Many(Vec::new()));
        found.relate(&name, &all, false);
    }
    Ok(())
}

/// What a user is related to: an object, nothing, or a list; `None` by a name that users do not have.
pub(crate) async fn related(call: &Call, account: &Account, name: &str) -> Result<Option<Related>> {
    let store = call.store();
    if PRIVATE.contains(&name) && standing(call, account).await? == Relationship::Anybody {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let one = |group: Option<String>| async move {
        match group {
            Some(group) => groups::brief_named(call, &group).await.map(Related::from),
            None => Ok(Related::Nothing),
        }
    };
    let all =
        |groups: Vec<GroupAccount>| Related::Many(groups.iter().map(|group| groups::brief(call, group)).collect());
    Ok(Some(match name {
        "api_quota_group" => one(account.api_quota_group.clone()).await?,
        "intelligence_quota_group" => one(account.intelligence_quota_group.clone()).await?,
        "monitor_quota_group" => Related::Nothing,
        "groups" => all(store.groups_of(account.user.id, false).await.about(NOUN)?),
        "groups_managed" => all(store.groups_of(account.user.id, true).await.about(NOUN)?),
        "comments" => {
            let comments = store.comments_by(call.caller(), account.user.id).await.about(NOUN)?;
            Related::Many(comments::visible(call, comments).await?)
        }
        "graphs" => Related::Many(graphs::related(call, &Collaborator::User(account.user.username.clone())).await?),
        "collections" => object_collections::of(call, account.user.id).await?,
        name if NOTHING.contains(&name) => Related::Many(Vec::new()),
        _ => return Ok(None),
    }))
}
