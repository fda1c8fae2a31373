//! What a caller must be allowed to do with the object of the path, decided before anything is charged (v3-wire §8.2). Only the refusal is said here:
//! what is not there is the handler's 404, which is charged like any call.

use crate::call::Call;
use crate::failure::of_store;
use crate::present::accounts::known;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::quota::FEEDS;
use ambit_store::{GraphRight, Standing, StoreError};

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
pub(crate) async fn check(call: &Call, right: Right) -> Result<(), ApiError> {
    let allowed = match right {
        Right::Any => true,
        Right::EditGraph => graph(call, GraphRight::Edit).await?,
        Right::OwnGraph => graph(call, GraphRight::Own).await?,
        Right::OwnRuleset => {
            let owns = call.state.store.owns_ruleset(call.caller(), call.parameter("id")).await;
            owns.map_err(|error| of_store(error, "Hunting ruleset"))?.unwrap_or(true)
        }
        Right::Oneself => user(call, Standing::Oneself).await?,
        Right::OfUser => user(call, Standing::Administrator).await?,
        Right::OfGroup => group(call).await?,
        Right::OfGroupOrOneself => member_of_group(call).await?,
        Right::OwnCollection => collection(call).await?,
        Right::Feeds => {
            let licensed = call.state.store.has_privilege(call.caller(), FEEDS, call.now).await;
            licensed.map_err(|error| of_store(error, "User"))?
        }
    };
    if allowed { Ok(()) } else { Err(ApiError::new(ErrorCode::Forbidden)) }
}

async fn graph(call: &Call, least: GraphRight) -> Result<bool, ApiError> {
    let has = call.state.store.graph_right(call.caller(), call.parameter("id")).await;
    Ok(has.map_err(|error| of_store(error, "Graph"))?.is_none_or(|has| has >= least))
}

async fn collection(call: &Call) -> Result<bool, ApiError> {
    match call.state.store.object_collection(call.caller(), call.parameter("id")).await {
        Ok(found) => Ok(found.owner_id == call.caller().user_id()),
        Err(StoreError::NotFound) => Ok(true),
        Err(error) => Err(of_store(error, "Collection")),
    }
}

async fn user(call: &Call, least: Standing) -> Result<bool, ApiError> {
    let store = &call.state.store;
    let Some(account) = known(call, call.parameter("id")).await? else {
        return Ok(true);
    };
    let standing = store.standing_to(call.caller(), account.user.id).await;
    Ok(standing.map_err(|error| of_store(error, "User"))? >= least)
}

/// Members who do not administer their group are refused; for others it is not there.
async fn group(call: &Call) -> Result<bool, ApiError> {
    let store = &call.state.store;
    match store.group_account(call.parameter("id")).await {
        Ok(account) if !call.caller().groups().contains(&account.group.id) => Ok(true),
        Ok(account) => store
            .administers(call.caller(), account.group.id)
            .await
            .map_err(|error| of_store(error, "Group")),
        Err(StoreError::NotFound) => Ok(true),
        Err(error) => Err(of_store(error, "Group")),
    }
}

/// Everybody may leave a group.
async fn member_of_group(call: &Call) -> Result<bool, ApiError> {
    let member = call.parameter("member");
    let caller = call.caller();
    Ok(member == caller.username() || member.eq_ignore_ascii_case(caller.email()) || group(call).await?)
}
