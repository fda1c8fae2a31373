//! Tokens in addresses: sealed, for a purpose, for a time, and for the user who was given them.

use crate::call::Call;
use crate::failure::About;
use ambit_api::objects::value;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::Timestamp;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

/// A token that stands for something, for so long, and for the caller.
pub(crate) fn sealed(call: &Call, purpose: &str, what: &str, ms: i64) -> String {
    let plain = value(&(what, call.now.plus_ms(ms).0, call.caller().user_id())).to_string();
    BASE64_URL_SAFE_NO_PAD.encode(call.store().seal(purpose, plain.as_bytes()))
}

/// What a token was made for, while it works.
pub(crate) fn opened(call: &Call, purpose: &str, token: &str) -> Result<String> {
    opened_of(call, purpose, token).map(|(what, _)| what)
}

/// The same where the token is its own permission: it works while the user for whom it was made may act.
pub(crate) async fn opened_signed(call: &Call, purpose: &str, token: &str) -> Result<String> {
    let (what, user) = opened_of(call, purpose, token)?;
    let active = call.store().is_active(user).await.about("User")?;
    if active { Ok(what) } else { Err(ApiError::new(ErrorCode::UserNotActive)) }
}

/// Returns the purpose and the user of a token.
pub(crate) fn opened_of(call: &Call, purpose: &str, token: &str) -> Result<(String, i64)> {
    let bad = || ApiError::bad("Invalid token");
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| bad())?;
    let plain = call.store().unseal(purpose, &sealed).ok_or_else(bad)?;
    let value: Value = serde_json::from_slice(&plain).map_err(|_| bad())?;
    let end = value.get(1).and_then(Value::as_i64).map(Timestamp);
    let user = value.get(2).and_then(Value::as_i64);
    match value.get(0).and_then(Value::as_str).zip(user) {
        Some((what, user)) if end.is_some_and(|end| end > call.now) => Ok((what.to_owned(), user)),
        _ => Err(bad()),
    }
}
