//! API keys: the caller's own, and everybody's for the administrator of the installation. The text of a key is answered
//! once, when it is made.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::KeyId;
use crate::window::end;
use ambit_api::keys::{self as wire, IssuedKey, Key, KeyToken};
use ambit_api::{ApiError, Envelope, ErrorCode, Result, copied, success};
use ambit_model::Timestamp;
use ambit_store::{KeyView, NewKey, RevokedKeys, StoreError};
use std::net::{IpAddr, Ipv4Addr};

const NOUN: &str = "Key";
/// Wrong tokens of everybody together in a minute.
const REDEMPTIONS_MAX: u32 = 60;

/// List the caller's API keys; for administrators, everybody's. The keys themselves are not shown.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Key>>> {
    let views = call.store().list_keys(call.caller()).await;
    Ok(success("Keys", views.about(NOUN)?.into_iter().map(shown).collect()))
}

/// Create an API key. Its text is in this answer alone and cannot be read again.
pub(crate) async fn create(call: CallWith<wire::NewKey>) -> Result<Envelope<IssuedKey>> {
    let body = call.read()?;
    let new = NewKey {
        user: body.user.0.map(|text| text.0),
        label: body.label.0.map(|text| text.0).unwrap_or_default(),
        expires_at: body.expires_at.0.flatten().map(|text| end(&text.0, call.now)).transpose()?,
        read_only: body.read_only.0.unwrap_or_default(),
        project: body.project.0.map(|text| text.0),
    };
    let issued = call.store().create_key(call.caller(), &new).await.about("User")?;
    let expires_at = issued.expires_at;
    Ok(success("Key created", fresh(issued, expires_at)))
}

/// Revoke an API key.
pub(crate) async fn revoke(call: Call) -> Result<Envelope<bool>> {
    let id = KeyId::of(&call)?;
    let revoked = call.store().revoke_key(call.caller(), id).await.about(NOUN)?;
    Ok(success(&said(&revoked), true))
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
pub(crate) async fn redeem(call: CallWith<KeyToken>) -> Result<Envelope<IssuedKey>> {
    let token = call.read()?.token.0;
    let issued = call.store().redeem_key_token(&token, call.now).await;
    let issued = match issued {
        Err(StoreError::NotFound) => {
            // Whoever it was: there is one token at most, and it has 224 random bits, so that this keeps load away,
            // nothing else.
            let counted = call.state.failures.count(IpAddr::V4(Ipv4Addr::UNSPECIFIED), REDEMPTIONS_MAX, call.now);
            return Err(counted.map_or_else(
                || {
                    ApiError::with(
                        ErrorCode::NotFound,
                        "No such token: it was used, is older than 15 minutes, or never was",
                    )
                },
                |seconds| ApiError::new(ErrorCode::TooManyRequests).retry_after(seconds),
            ));
        }
        other => other.about("Token")?,
    };
    Ok(success("Key created", fresh(issued, None)))
}

fn shown(view: KeyView) -> Key {
    copied! {
        Key from view {
            id, user, visible, label, created_at, expires_at, revoked_at, last_used_at, read_only, project,
            project_name,
        }
    }
}

/// The answer to a new key; the one of a token does not say when it ends.
fn fresh(issued: ambit_store::IssuedKey, expires_at: Option<Timestamp>) -> IssuedKey {
    copied! { IssuedKey from issued { id, key, visible, label } expires_at, }
}
