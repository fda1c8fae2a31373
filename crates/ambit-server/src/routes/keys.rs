//! API keys: the caller's own, and everybody's for the administrator of the installation. The text of a key is answered once, when it is made.

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, optional_text, text_member};
use crate::failure::About;
use crate::window::end;
use ambit_api::keys::{self, Key};
use ambit_api::{ApiError, ErrorCode, success};
use ambit_store::{KeyView, NewKey, RevokedKeys};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};

const NOUN: &str = "Key";
/// Wrong tokens of everybody together in a minute.
const REDEMPTIONS_MAX: u32 = 60;

/// List the caller's API keys; for administrators, everybody's. The keys themselves are not shown.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let rows: Value = call
        .store()
        .list_keys(call.caller())
        .await
        .about(NOUN)?
        .iter()
        .map(|view| keys::key(wire(view)))
        .collect();
    Ok(Answer::json(&success("Keys", rows)))
}

/// Make an API key; its text is answered this once.
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
    let issued = call.store().create_key(call.caller(), &new, call.now).await.about("User")?;
    let shown = keys::issued_key(issued.id, &issued.key, &issued.visible, &issued.label, issued.expires_at);
    Ok(Answer::json(&success("Key created", shown)))
}

/// Revoke an API key.
pub(crate) async fn revoke(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id").parse().map_err(|_| ApiError::not_found(NOUN))?;
    let revoked = call.store().revoke_key(call.caller(), id, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success(&said(&revoked), json!(true))))
}

/// Which other keys ended, and which stay although the revoked ones made them.
fn said(revoked: &RevokedKeys) -> String {
    let ids = |ids: &[i64]| ids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let mut message = "Key revoked".to_owned();
    if !revoked.with_it.is_empty() {
        message.push_str(&format!(", and with it those that it made: {}", ids(&revoked.with_it)));
    }
    if !revoked.of_others.is_empty() {
        message.push_str(&format!("; it made these keys of others, which stay: {}", ids(&revoked.of_others)));
    }
    message
}

/// Exchange the one-time token of a fresh installation for its owner's API key.
///
/// Exchanges a one-time token for a key. The token is the credential, and it is worth nothing afterwards.
pub(crate) async fn redeem(call: Call) -> Result<Answer, ApiError> {
    let body = call.object()?;
    let token = text_member(&body, "token", NAME_CHARS_MAX)?;
    let Some(issued) = call.store().redeem_key_token(token.trim(), call.now).await.if_found()? else {
        // Whoever it was: there is one token at most, and it has 224 random bits, so that this keeps load away, nothing else.
        let counted = call.state.failures.count(IpAddr::V4(Ipv4Addr::UNSPECIFIED), REDEMPTIONS_MAX, call.now);
        return Err(counted.map_or_else(
            || ApiError::with(ErrorCode::NotFound, "No such token: it was used, is older than 15 minutes, or never was"),
            |seconds| ApiError::new(ErrorCode::TooManyRequests).retry_after(seconds),
        ));
    };
    let shown = keys::issued_key(issued.id, &issued.key, &issued.visible, &issued.label, None);
    Ok(Answer::json(&success("Key created", shown)))
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
