//! API keys: the caller's own, and everybody's for the administrator of the installation. The text of a key is answered once, when it is made.

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, optional_text};
use crate::failure::of_store;
use ambit_api::keys::{self, Key};
use ambit_api::{ApiError, success};
use ambit_model::Timestamp;
use ambit_store::{KeyView, NewKey};
use serde_json::{Value, json};

const NOUN: &str = "Key";

pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let views = call.state.store.list_keys(call.caller()).await;
    let rows: Value = views
        .map_err(|error| of_store(error, NOUN))?
        .iter()
        .map(|view| keys::key(wire(view)))
        .collect();
    Ok(Answer::json(&success("Keys", rows)))
}

pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
    let body = call.object()?;
    let expires_at = match optional_text(&body, "expires_at", NAME_CHARS_MAX)? {
        None => None,
        Some(text) => Some(end(&text, call.now)?),
    };
    let new = NewKey {
        user: optional_text(&body, "user", NAME_CHARS_MAX)?,
        label: optional_text(&body, "label", NAME_CHARS_MAX)?.unwrap_or_default(),
        expires_at,
    };
    let issued = call.state.store.create_key(call.caller(), &new, call.now).await;
    let issued = issued.map_err(|error| of_store(error, "User"))?;
    let shown = keys::issued_key(issued.id, &issued.key, &issued.visible, &issued.label, expires_at);
    Ok(Answer::json(&success("Key created", shown)))
}

pub(crate) async fn revoke(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id").parse().map_err(|_| ApiError::not_found(NOUN))?;
    let revoked = call.state.store.revoke_key(call.caller(), id, call.now).await;
    revoked.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::json(&success("Key revoked", json!(true))))
}

/// The end of a key or privilege lies ahead.
pub(crate) fn end(text: &str, now: Timestamp) -> Result<Timestamp, ApiError> {
    let moment = Timestamp::parse(text).filter(|moment| *moment > now);
    moment.ok_or_else(|| ApiError::invalid("expires_at must be a date YYYY-MM-DD or a moment, in the future"))
}

fn wire(view: &KeyView) -> Key<'_> {
    Key {
        id: view.id,
        user: &view.user,
        visible: &view.visible,
        label: &view.label,
        created_at: view.created_at,
        expires_at: view.expires_at,
        revoked_at: view.revoked_at,
        last_used_at: view.last_used_at,
    }
}
