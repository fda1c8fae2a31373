//! What a caller must be allowed to do with the object of the path, decided before anything is charged
//! (docs/contract/quotas.md §3). Only the refusal is said here: what is not there is the handler's 404, which is
//! charged like any call.

use crate::call::Call;
use crate::failure::About;
use crate::present::accounts::known;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::quota::FEEDS;
use ambit_store::{GraphRight, Relationship};

/// The right that a row of the wider API needs beyond a valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// None; what the caller may not see is not there.
    Any,
    /// Change the graph and its lists.
    EditGraph,
    /// Delete the graph.
    OwnGraph,
    /// Delete the rule set, or give it away.
    OwnRuleset,
    /// Be the user.
    Oneself,
    /// Be the user, or administer one of the user's groups.
    OfUser,
    /// Administer the group.
    OfGroup,
    /// Administer the group, or be the member that is meant.
    OfGroupOrOneself,
    /// Have made the collection of objects.
    OwnCollection,
    /// Have the licence of the feeds.
    Feeds,
}

/// Refuses a caller without the right.
pub(crate) async fn check(call: &Call, right: Right) -> Result<()> {
    let allowed = match right {
        Right::Any => true,
        Right::EditGraph => graph(call, GraphRight::Edit).await?,
        Right::OwnGraph => graph(call, GraphRight::Own).await?,
        Right::OwnRuleset => {
            call.store().owns_ruleset(call.caller(), call.id()).await.about("Hunting ruleset")?.unwrap_or(true)
        }
        Right::Oneself => user(call, Relationship::Oneself).await?,
        Right::OfUser => user(call, Relationship::Administrator).await?,
        Right::OfGroup => group(call).await?,
        Right::OfGroupOrOneself => member_of_group(call).await?,
        Right::OwnCollection => collection(call).await?,
        Right::Feeds => call.store().has_privilege(call.caller(), FEEDS).await.about("User")?,
    };
    if allowed { Ok(()) } else { Err(ApiError::new(ErrorCode::Forbidden)) }
}

async fn graph(call: &Call, least: GraphRight) -> Result<bool> {
    let has = call.store().graph_right(call.caller(), call.id()).await.about("Graph")?;
    Ok(has.is_none_or(|has| has >= least))
}

async fn collection(call: &Call) -> Result<bool> {
    let found = call.store().object_collection(call.caller(), call.id()).await.if_found()?;
    Ok(found.is_none_or(|found| found.owner_id == call.caller().user_id()))
}

async fn user(call: &Call, least: Relationship) -> Result<bool> {
    let store = call.store();
    let Some(account) = known(call, call.id()).await? else {
        return Ok(true);
    };
    let standing = store.standing_to(call.caller(), account.user.id).await.about("User")?;
    Ok(standing >= least)
}

/// Members who do not administer their group are refused; for others it is not there.
async fn group(call: &Call) -> Result<bool> {
    let store = call.store();
    match store.group_account(call.id()).await.if_found()? {
        Some(account) if call.caller().groups().contains(&account.group.id) => {
            store.administers(call.caller(), account.group.id).await.about("Group")
        }
        Some(_) | None => Ok(true),
    }
}

/// Everybody may leave a group.
async fn member_of_group(call: &Call) -> Result<bool> {
    let member = call.parameter("member");
    let caller = call.caller();
    Ok(member == caller.username() || member.eq_ignore_ascii_case(caller.email()) || group(call).await?)
}
