//! Sessions of browsers: signing in and out, and links that sign in once.

use crate::call::{Call, CallWith};
use crate::cookie;
use crate::failure::About;
use crate::signature::WithCookie;
use ambit_api::sessions::{Session, SignIn, SignInLink};
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_store::{IssuedKey, Principal, StoreError};

/// Sign a browser in by an API key or the token of a link. The answer sets the session's cookie.
pub(crate) async fn begin(call: CallWith<SignIn>) -> Result<WithCookie<Envelope<Session>>> {
    let body = call.read()?;
    let text = |text: ambit_api::request::Text| text.0.trim().to_owned();
    let issued = match (body.key.0.map(text), body.token.0.map(text)) {
        (Some(key), None) => by_key(&call, &key).await?,
        (None, Some(token)) => by_link(&call, &token).await?,
        _ => return Err(ApiError::invalid("give either key or token".to_owned())),
    };
    let principal = call.store().authenticate(&issued.key, call.now).await.about("Session")?;
    let principal = principal.ok_or_else(|| ApiError::new(ErrorCode::WrongCredentials))?;
    Ok(WithCookie(success("Signed in", shown(&principal)), Some(cookie::set(&issued.key, &call.base))))
}

async fn by_key(call: &Call, key: &str) -> Result<IssuedKey> {
    let known = call.store().authenticate(key, call.now).await.about("Key")?;
    let Some(principal) = known else {
        call.count_wrong_key()?;
        return Err(ApiError::new(ErrorCode::WrongCredentials));
    };
    call.store().begin_session(&principal.at(call.now)).await.about("Key")
}

async fn by_link(call: &Call, token: &str) -> Result<IssuedKey> {
    match call.store().follow_sign_in_link(token, call.now).await {
        Err(StoreError::NotFound) => {
            call.count_wrong_key()?;
            let message = "This link does not sign in: it was used, is older than 15 minutes, or never was";
            Err(ApiError::with(ErrorCode::NotFound, message))
        }
        other => other.about("Link"),
    }
}

/// Say who is signed in.
pub(crate) async fn read(call: Call) -> Result<Envelope<Session>> {
    Ok(success("Session", shown(call.caller())))
}

/// Sign out: the session of the cookie ends.
pub(crate) async fn end(call: Call) -> Result<WithCookie<Envelope<bool>>> {
    call.store().end_session(call.caller()).await.about("Session")?;
    Ok(WithCookie(success("Signed out", true), Some(cookie::clear(&call.base))))
}

/// Create a token that signs the caller in once, within 15 minutes; the link is /sign_in#TOKEN.
pub(crate) async fn link(call: Call) -> Result<Envelope<SignInLink>> {
    let made = call.store().make_sign_in_link(call.caller()).await.about("Key")?;
    let link = SignInLink { token: made.token, expires_at: made.expires_at };
    Ok(success("Link made", link))
}

fn shown(principal: &Principal) -> Session {
    Session {
        username: principal.username().to_owned(),
        email: principal.email().to_owned(),
        administrator: principal.administrator(),
    }
}
