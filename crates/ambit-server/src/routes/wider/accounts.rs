//! Users and service accounts (docs/contract/wider.md §2): who sees which attributes, what may be changed and by whom.

use crate::call::{Asking, Call, CallWith};
use crate::failure::{About, not_found};
use crate::header::{headers, text};
use crate::object_body::body_attributes;
use crate::page::{self, Attributes, One, Page};
use crate::present::account_relationships::{relate, related};
use crate::present::accounts::{NOUN, by_name, caps, named, shown, standing};
use crate::signature::Empty;
use ambit_api::objects::{NewObject, OneObject, RelatedObjects, data};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_model::Timestamp;
use ambit_store::{Account, Relationship};
use serde_json::Value;

/// What people may write about themselves.
const PROFILE: [&str; 4] = ["first_name", "last_name", "profile_phrase", "preferences"];
/// Read the caller's own user; clients use it to test a key.
pub(crate) async fn me(call: Call) -> Result<OneObject> {
    let account = call.store().account_by_id(call.caller().user_id()).await.about(NOUN)?;
    Ok(data(shown(&call, &account).await?))
}

/// Read a user by username, address or API key.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let account = named(&call, call.id()).await?;
    let mut found = shown(&call, &account).await?;
    relate(&call, &account, &mut found).await?;
    Ok(page::one(&call, found))
}

/// Change a user: the profile; for administrators of the user's group also caps on what is drawn from it; for those of
/// the installation caps, privileges and the status.
pub(crate) async fn change(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let account = named(&call, call.id()).await?;
    if standing(&call, &account).await? == Relationship::Anybody {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let mut attributes = body_attributes(&call, "user", Some(&account.user.username))?;
    let caps = caps(&mut attributes)?;
    let granted = attributes.remove("privileges");
    let store = call.store();
    // Clients send back whole objects: what is not changed needs no right.
    if let Some(status) = attributes.remove("status").filter(|status| status != account.status.as_str()) {
        let status = status.as_str().ok_or_else(|| ApiError::invalid("The attribute status must be a text"))?;
        store.set_status(call.caller(), account.user.id, status).await.about(NOUN)?;
    }
    if !caps.is_empty() {
        store.cap_user(call.caller(), account.user.id, &caps).await.about(NOUN)?;
    }
    if let Some(granted) = granted {
        grant(&call, &account.user.username, &granted).await?;
    }
    attributes.retain(|name, _| PROFILE.contains(&name.as_str()));
    if !attributes.is_empty() {
        store.change_profile(call.caller(), account.user.id, &attributes).await.about(NOUN)?;
    }
    let account = store.account_by_id(account.user.id).await.about(NOUN)?;
    let changed = shown(&call, &account).await?;
    Ok(page::one(&call, changed))
}

/// Grants and revokes: `{name: {"granted": true, "expiration_date": seconds, 0 for never}}`.
async fn grant(call: &Call, username: &str, privileges: &Value) -> Result<()> {
    let bad = || ApiError::invalid("Privileges must be an object of objects with granted");
    for (name, value) in privileges.as_object().ok_or_else(bad)? {
        let granted = value.get("granted").and_then(Value::as_bool).ok_or_else(bad)?;
        let end = value.get("expiration_date").and_then(Value::as_i64).filter(|seconds| *seconds != 0);
        let end = end.map(|seconds| Timestamp(seconds.saturating_mul(ambit_model::moment::SECOND_MS)));
        let store = call.store();
        let done = if granted {
            store.grant_privilege(call.caller(), username, name, end).await
        } else {
            store.revoke_privilege(call.caller(), username, name).await
        };
        done.about(NOUN)?;
    }
    Ok(())
}

/// Read what a user is related to, in full or as descriptors.
pub(crate) async fn relationship(call: Asking<Page>, described: bool) -> Result<RelatedObjects> {
    let account = named(&call, call.id()).await?;
    let name = call.parameter("relationship");
    let found = related(&call, &account, name).await?;
    page::answer_related(&call, found.ok_or_else(|| ApiError::not_found(&format!("Relationship {name}")))?, described)
}

headers! { Confirmed:
    key "x-user-password" required = "An API key of the account, which confirms the deletion.",
}

/// Delete one's own account. The answer is empty.
///
/// Nobody has a password here: an API key of the account is the confirmation (docs/contract/wider.md §1.1).
pub(crate) async fn delete(call: Asking<Confirmed>) -> Result<Empty> {
    let account = named(&call, call.id()).await?;
    let store = call.store();
    let confirmed = match Confirmed::key(&call).and_then(text) {
        Some(key) => call.principal_of(key).await?,
        None => None,
    };
    if confirmed.is_none_or(|principal| principal.user_id() != account.user.id) {
        let message = "Send a x-user-password header with an API key of the account as a confirmation";
        return Err(ApiError::with(ErrorCode::Forbidden, message));
    }
    store.delete_user(call.caller(), call.caller().username()).await.about(NOUN)?;
    Ok(Empty)
}

/// Read a service account.
///
/// A service account; for administrators of its group and for itself.
pub(crate) async fn service_account(call: Asking<Attributes>) -> Result<OneObject> {
    let account = service_account_named(&call, call.id()).await?;
    let found = shown(&call, &account).await?;
    Ok(page::one(&call, found))
}

/// Delete a service account of a group, for the group's administrators. The answer is empty.
pub(crate) async fn delete_service_account(call: Call) -> Result<Empty> {
    let account = service_account_named(&call, call.id()).await?;
    let name = &account.user.username;
    call.store().delete_service_account(call.caller(), name).await.about("Service account")?;
    Ok(Empty)
}

async fn service_account_named(call: &Call, id: &str) -> Result<Account> {
    let account = by_name(call, id).await?.filter(|account| account.service_of.is_some());
    account.ok_or_else(|| not_found("Service account", id))
}
