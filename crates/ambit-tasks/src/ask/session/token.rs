//! A session that a token opens, which a provider of OpenID Connect gives to a client in its own name (RFC 6749 §4.4):
//! asked for once, and again when it ends.

use super::{FORM, MASKED_MIN, TOO_MANY_REQUESTS, spelled};
use crate::ask::provider::{NOBODY, patiently};
use crate::task::SESSIONS;
use crate::{Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::{encoded, escaped};
use ambit_net::http::Url;
use ambit_net::wire::WireTime;
use ambit_net::{Grant, limits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Tokens of one session: enough for a walk whose tokens live for five requests.
const TOKENS_MAX: usize = 200;
/// Tokens that the application refused as the one before, until other pages are asked whether one is over: pages that
/// are closed to the client refuse each.
const VAIN_MAX: usize = 10;
/// Times that other pages are asked, and how many of those that were opened last.
const DOUBTS_MAX: usize = 20;
const OPENED_MAX: usize = 3;
/// Times that the provider may give no token before it is asked for no more.
const FAILURES_MAX: usize = 10;
/// How long before its end a token is renewed; clocks differ, and a request is on its way for a while.
const BEFORE_END: Duration = Duration::from_secs(10);
/// Longest that a token is taken to last: longer than any run.
const LASTS_MAX_SECONDS: u64 = 7 * 86_400;

/// Who asks where for tokens.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) url: String,
    pub(super) scope: Option<String>,
}

/// The token of a session, which is renewed.
pub(super) struct Bearer {
    client: Client,
    state: Mutex<State>,
}

struct State {
    given: Given,
    /// When it is renewed, where the provider says how long it lasts.
    ends: Option<WireTime>,
    /// The application took it for good at least once.
    is_accepted: bool,
    asked: usize,
    in_vain: usize,
    failures: usize,
    doubts: usize,
    /// Pages that a token opened: one that needs a token, where that is known, and the last ones.
    needs_one: Option<Url>,
    opened: VecDeque<Url>,
    /// Why it could not be renewed.
    failure: Option<String>,
    /// What nobody may read: every token that was given.
    secrets: Vec<Vec<u8>>,
}

/// What a provider gives.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    token: String,
    lasts: Option<Duration>,
}

impl Bearer {
    /// Asks for the first token.
    pub(super) async fn open(cx: &Context<'_>, client: Client) -> Result<Self, TaskError> {
        let given = ask(cx, &client).await?;
        let ends = ends(cx, &given);
        let secrets = secrets(&given.token);
        let state = State {
            given,
            ends,
            is_accepted: false,
            asked: 1,
            in_vain: 0,
            failures: 0,
            doubts: 0,
            needs_one: None,
            opened: VecDeque::new(),
            failure: None,
            secrets,
        };
        Ok(Self { client, state: Mutex::new(state) })
    }

    /// The header that shows a token which has not ended.
    pub(super) async fn header(&self, cx: &Context<'_>) -> (String, String) {
        let is_over = self.state().ends.is_some_and(|ends| cx.net.now() >= ends);
        if is_over {
            self.renew(cx).await;
        }
        ("Authorization".to_owned(), format!("Bearer {}", self.state().given.token))
    }

    /// Takes up whether a page refused the token, and returns whether it may be over because of that.
    pub(super) fn may_be_over(&self, page: &Url, is_refused: bool) -> bool {
        let mut state = self.state();
        if !is_refused {
            state.take_up(page);
        }
        // One that was never accepted did not end.
        is_refused && state.is_accepted && state.doubts < DOUBTS_MAX && state.failures < FAILURES_MAX
    }

    /// Pages that tell whether the token is over, where too many were renewed in vain to believe the next that refuses.
    pub(super) fn in_doubt(&self) -> Vec<Url> {
        let mut state = self.state();
        if state.in_vain < VAIN_MAX {
            return Vec::new();
        }
        state.doubts += 1;
        state.needs_one.iter().chain(&state.opened).cloned().collect()
    }

    /// Takes up whether a page refused a token that was renewed because of it.
    pub(super) fn was_answered(&self, page: &Url, is_refused: bool) {
        let mut state = self.state();
        if is_refused {
            state.in_vain += 1;
        } else {
            state.take_up(page);
            (state.in_vain, state.doubts, state.needs_one) = (0, 0, Some(page.clone()));
        }
    }

    /// What the tokens are in the bytes by which pages may repeat them.
    pub(super) fn secrets(&self) -> Vec<Vec<u8>> {
        self.state().secrets.clone()
    }

    /// Why the token could not be renewed.
    pub(super) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// Asks for another token, and returns whether there is one.
    pub(super) async fn renew(&self, cx: &Context<'_>) -> bool {
        if self.state().asked >= TOKENS_MAX {
            self.state().failure = Some(format!("{TOKENS_MAX} tokens did not suffice"));
            return false;
        }
        self.state().asked += 1;
        let given = ask(cx, &self.client).await;
        let mut state = self.state();
        match given {
            Ok(given) => {
                state.secrets.extend(secrets(&given.token));
                state.ends = ends(cx, &given);
                (state.given, state.is_accepted, state.failure) = (given, false, None);
                true
            }
            Err(why) => {
                // It is tried again once the application refuses the token that there is.
                (state.ends, state.failure) = (None, Some(why.to_string()));
                state.failures += 1;
                false
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes up a page that the token opened.
    fn take_up(&mut self, page: &Url) {
        self.is_accepted = true;
        if !self.opened.contains(page) {
            self.opened.push_back(page.clone());
            if self.opened.len() > OPENED_MAX {
                self.opened.pop_front();
            }
        }
    }
}

fn secrets(token: &str) -> Vec<Vec<u8>> {
    if token.len() < MASKED_MIN { Vec::new() } else { spelled(token) }
}

/// When a token that was given now is renewed.
fn ends(cx: &Context<'_>, given: &Given) -> Option<WireTime> {
    given.lasts.map(|lasts| cx.net.now() + lasts.saturating_sub(BEFORE_END).max(lasts / 2))
}

async fn ask(cx: &Context<'_>, client: &Client) -> Result<Given, TaskError> {
    let shown = format!("Basic {}", STANDARD.encode(format!("{}:{}", escaped(&client.id), escaped(&client.secret))));
    let mut fields = vec![("grant_type".to_owned(), "client_credentials".to_owned())];
    fields.extend(client.scope.iter().map(|scope| ("scope".to_owned(), scope.clone())));
    let body = encoded(&fields);
    let dressed = || {
        let mut request = cx.net.get(&client.url)?;
        (request.learned, request.timeout) = (vec![client.url.clone()], limits::SOURCE_TIMEOUT);
        let request = request.with_method("POST").on(Grant::Source(SESSIONS)).with_header("Authorization", &shown);
        Ok(request.with_body(FORM, body.clone().into_bytes()))
    };
    let words = "the provider of OpenID Connect";
    patiently(cx, (NOBODY, &format!("{words}, token")), dressed, given).await
}

fn given(status: u16, body: &[u8]) -> Result<Given, Refusal> {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    match (status, answer["access_token"].as_str()) {
        (200, Some(token)) => {
            // Some providers write the number as text.
            let seconds = &answer["expires_in"];
            let seconds = seconds.as_u64().or_else(|| seconds.as_str()?.trim().parse().ok());
            let lasts = seconds.filter(|seconds| *seconds > 0).map(|seconds| seconds.min(LASTS_MAX_SECONDS));
            let lasts = lasts.map(Duration::from_secs);
            Ok(Given { token: token.to_owned(), lasts })
        }
        (TOO_MANY_REQUESTS | 503, _) => Err(Refusal::Throttled(format!("status {status}"))),
        (400 | 401 | 403, _) => {
            let why = answer["error"].as_str().unwrap_or_default();
            Err(Refusal::Denied(format!("status {status} {why}").trim().to_owned()))
        }
        _ => Err(Refusal::Other(format!("status {status}, no access_token"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_and_a_refusal_says_why() {
        let read = |status, body: &str| given(status, body.as_bytes()).map_err(|why| why.to_string());
        let token = |seconds: Option<u64>| Given { token: "t".to_owned(), lasts: seconds.map(Duration::from_secs) };
        assert_eq!(read(200, r#"{"access_token":"t","token_type":"Bearer"}"#), Ok(token(None)));
        assert_eq!(read(200, r#"{"access_token":"t","expires_in":300}"#), Ok(token(Some(300))));
        assert_eq!(read(200, r#"{"access_token":"t","expires_in":"300"}"#), Ok(token(Some(300))));
        assert_eq!(read(200, r#"{"access_token":"t","expires_in":0}"#), Ok(token(None)));
        let endless = format!(r#"{{"access_token":"t","expires_in":{}}}"#, u64::MAX);
        assert_eq!(read(200, &endless), Ok(token(Some(LASTS_MAX_SECONDS))));
        assert_eq!(read(401, r#"{"error":"invalid_client"}"#), Err("denied: status 401 invalid_client".to_owned()));
        assert_eq!(read(429, ""), Err("too many requests: status 429".to_owned()));
        assert_eq!(read(200, "<html>"), Err("status 200, no access_token".to_owned()));
    }
}
