//! Signing in by a provider of OpenID Connect: a browser is sent there, and comes back with a code. What it carries
//! meanwhile is sealed in a cookie, so that nobody else's sign-in is finished in this browser.

use crate::answer::Answer;
use crate::call::{Asking, Call};
use crate::cookie;
use crate::failure::About;
use crate::oidc::{Carried, NotSignedIn, Provider};
use crate::query::query;
use crate::signature::{Text, WithCookie};
use ambit_api::sessions::SignInWays;
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_store::StoreError;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// What the cookie is sealed for: a sign-in that is under way, and why one was refused.
const PURPOSE: &str = "sign-in by a provider";
const TROUBLE: &str = "refused sign-in by a provider";
/// Where the provider sends people back to.
const BACK: &str = "/sign_in/callback";
/// Characters of a provider's error code that are repeated.
const ERROR_CHARS_MAX: usize = 60;
/// Characters of a reason that are shown to a person: a cookie has 4,096 bytes.
const TROUBLE_CHARS_MAX: usize = 500;

/// Say how people sign in beside keys and links.
///
/// It says once why this browser was not signed in by the provider.
pub(crate) async fn ways(call: Asking<cookie::Carried>) -> Result<WithCookie<Envelope<SignInWays>>> {
    let trouble = unsealed(&call, TROUBLE).and_then(|text| String::from_utf8(text).ok());
    let cookie = trouble.is_some().then(|| cookie::carried_no_more(&call.base));
    Ok(WithCookie(success("Ways to sign in", SignInWays { provider: call.state.oidc.is_some(), trouble }), cookie))
}

/// Redirect a browser to the identity provider (303); 404 where none is configured.
///
/// A browser that cannot be sent there is led to the page that signs in, which says why.
pub(crate) async fn begin(call: Call) -> Result<Text> {
    let begun = lead_to_provider(&call).await;
    shown(&call, begun)
}

async fn lead_to_provider(call: &Call) -> Result<Answer> {
    let provider = provider(call)?;
    let (url, carried) = provider.begin(&back(call), call.now).await.map_err(|why| unavailable(&why))?;
    let plain = serde_json::to_vec(&carried).expect("texts and a moment are JSON");
    Ok(Answer::leading_to(url).with_cookie(carry(call, PURPOSE, &plain)))
}

query! { Back:
    code: Text = "What the provider exchanges for a token.",
    state: Text = "The sign-in that the provider answers.",
    error: Text = "Why the provider signs nobody in.",
}

/// Finish a sign-in that this browser began: redirects it to the interface with a link that signs it in once.
///
/// A browser that is not signed in is led to the page that signs in, which says why.
pub(crate) async fn finish(call: Asking<(Back, cookie::Carried)>) -> Result<Text> {
    let finished = admit(&call).await;
    shown(&call, finished)
}

async fn admit(call: &Call) -> Result<Answer> {
    let provider = provider(call)?;
    let carried = carried(call).filter(|carried| Back::state(call).text == Some(&carried.state));
    let Some(carried) = carried else {
        call.count_wrong_key()?;
        return Err(refused("this browser did not begin it; begin again at /sign_in/provider"));
    };
    if let Some(error) = Back::error(call).text {
        let plain = error.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(ERROR_CHARS_MAX);
        return Err(refused(&format!("the provider says {}", plain.collect::<String>())));
    }
    let code = Back::code(call).or_empty();
    let person = match provider.finish(&carried, code, &back(call), call.now).await {
        Ok(person) => person,
        Err(NotSignedIn::Unavailable(why)) => return Err(unavailable(&why)),
        Err(NotSignedIn::Refused(why)) => {
            call.count_wrong_key()?;
            tracing::warn!(%why, "a sign-in by the provider is refused");
            return Err(refused(&why));
        }
    };
    let link = match call.store().admit(&person, provider.roles(), call.now).await {
        Err(StoreError::Forbidden(why)) => return Err(refused(&why)),
        admitted => admitted.about("Account")?,
    };
    Ok(Answer::leading_to(format!("/sign_in#{}", link.token)).with_cookie(cookie::carried_no_more(&call.base)))
}

fn provider(call: &Call) -> Result<&Provider> {
    call.state.oidc.as_deref().ok_or_else(|| ApiError::not_found("Sign-in provider"))
}

fn back(call: &Call) -> String {
    format!("{}{BACK}", call.root())
}

/// What goes to a person instead of a failure: the page that signs in. The reason is sealed in the cookie, so that no
/// link can make that page say anything.
fn shown(call: &Call, outcome: Result<Answer>) -> Result<Text> {
    match outcome {
        Err(error) if call.takes_pages => {
            let why: String = error.message.chars().take(TROUBLE_CHARS_MAX).collect();
            Ok(Text(Answer::leading_to("/sign_in".to_owned()).with_cookie(carry(call, TROUBLE, why.as_bytes()))))
        }
        outcome => outcome.map(Text),
    }
}

/// The cookie by which a browser carries something that is sealed for a purpose.
fn carry(call: &Call, purpose: &str, plain: &[u8]) -> String {
    cookie::carry(&BASE64_URL_SAFE_NO_PAD.encode(call.store().seal(purpose, plain)), &call.base)
}

/// What the cookie holds that was sealed for a purpose; `None` where it is none of ours.
fn unsealed(call: &Call, purpose: &str) -> Option<Vec<u8>> {
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(cookie::Carried::sealed(call)?).ok()?;
    call.store().unseal(purpose, &sealed)
}

/// The sign-in that is under way in this browser.
fn carried(call: &Call) -> Option<Carried> {
    serde_json::from_slice(&unsealed(call, PURPOSE)?).ok()
}

fn unavailable(why: &str) -> ApiError {
    tracing::warn!(%why, "the sign-in provider cannot be asked");
    ApiError::with(ErrorCode::Transient, format!("Nobody can sign in by the provider now: {why}"))
}

fn refused(why: &str) -> ApiError {
    ApiError::with(ErrorCode::Forbidden, format!("Not signed in: {why}"))
}
