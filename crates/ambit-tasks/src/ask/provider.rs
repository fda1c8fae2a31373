//! What is the same whichever provider is asked in the name of an account: the request, when it is sent again, and what
//! a refusal is to a run.

pub(crate) use crate::throttles::NOBODY;
use crate::throttles::Throttles;
use crate::{Account, Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::Request;
use ambit_net::http::HttpRequest;
use ambit_net::{Grant, limits};
use std::time::Duration;

/// Times that a request is sent at most, where the provider asks for patience.
pub(super) const TRIES_MAX: u32 = 5;
/// The same where it had none with the question before.
const AGAIN_TRIES_MAX: u32 = 2;
/// The same where its server failed.
const FAILED_TRIES_MAX: u32 = 3;
/// What servers answer that failed at something which they may do the next time.
const FAILED: &[u16] = &[500, 502, 504];
/// The wait before the second time; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Sends a request and reads its answer; again after a while where the provider asks for patience or its server failed.
/// `name` is the one in which it is asked, an account's or `NOBODY`; `words` say what is asked of whom. Rows in one
/// name that a host throttles ask again one after another; fails without a request where it throttled all before.
pub(crate) async fn patiently<T>(
    cx: &Context<'_>,
    (name, words): (&str, &str),
    dressed: impl Fn() -> Result<HttpRequest, TaskError>,
    read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
) -> Result<T, TaskError> {
    let host = dressed()?.url.authority();
    let alone = Throttles::default();
    let asked = cx.memory.map_or(&alone, |memory| &memory.throttles).asked(name, &host);
    let (mut patience, mut turn) = (Patience::new(), None);
    loop {
        if turn.is_none() && asked.is_throttled() {
            turn = Some(asked.turn(cx.net).await);
        }
        if asked.rests(cx.net.now()) {
            let why = format!("{words}: not asked, since {host} throttled everything that was asked before");
            return Err(TaskError::SourceDown(why));
        }
        // Signatures hold for a moment: each time is dressed anew.
        let answer = cx.net.http(&dressed()?).await.map_err(|error| TaskError::source(words, &error))?;
        if answer.truncated {
            return Err(TaskError::SourceDown(format!("{words}: the answer broke off")));
        }
        let read = read(answer.status, &answer.body);
        let is_throttled = matches!(read, Err(Refusal::Throttled(_)));
        asked.answered(is_throttled);
        let why = match read {
            Ok(read) => return Ok(read),
            Err(why) => why,
        };
        if is_throttled && turn.is_none() {
            turn = Some(asked.turn(cx.net).await);
            if asked.rests(cx.net.now()) {
                return Err(refused(words, &why));
            }
            if !asked.is_throttled() {
                continue;
            }
        }
        let tries_max = match why {
            Refusal::Throttled(_) if asked.is_given_up() => AGAIN_TRIES_MAX,
            Refusal::Throttled(_) => TRIES_MAX,
            Refusal::Other(_) if FAILED.contains(&answer.status) => FAILED_TRIES_MAX,
            _ => 1,
        };
        if !patience.lasts(cx, tries_max).await {
            return Err(refused(words, &why));
        }
    }
}

/// How often a request was sent, and how long is waited before it is sent again. What a server asks for with
/// `Retry-After` is waited for as well, by the rate limiter.
pub(super) struct Patience {
    tried: u32,
    wait: Duration,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { tried: 1, wait: FIRST_WAIT }
    }

    /// Waits before the request is sent again, and returns whether it is: so many times at most.
    pub(super) async fn lasts(&mut self, cx: &Context<'_>, tries_max: u32) -> bool {
        if self.tried >= tries_max {
            return false;
        }
        cx.net.sleep(self.wait).await;
        self.tried += 1;
        self.wait *= 2;
        true
    }
}

/// What a refusal is to a run.
pub(super) fn refused(words: &str, why: &Refusal) -> TaskError {
    let said = format!("{words}: {why}");
    match why {
        Refusal::Denied(_) | Refusal::BadKeys(_) => TaskError::Denied(said),
        Refusal::Throttled(_) | Refusal::Other(_) => TaskError::SourceDown(said),
    }
}

/// A request on the ground of a provider, which may be asked at the learned places beside its own hosts.
pub(crate) fn request(
    cx: &Context<'_>,
    provider: &'static str,
    url: &str,
    learned: Vec<String>,
    request: &Request,
) -> Result<HttpRequest, TaskError> {
    let asked = HttpRequest {
        learned,
        body_kept: limits::SOURCE_LIST_MAX,
        timeout: limits::SOURCE_TIMEOUT,
        body: request.body.clone().into_bytes(),
        ..cx.net.get(url)?
    };
    Ok(asked.with_method(request.method).on(Grant::Source(provider)))
}

/// The integration that opens an account.
pub(super) fn opened<'a>(cx: &'a Context<'_>, account: &str) -> Result<&'a Account, TaskError> {
    let opened = cx.settings.accounts.get(account);
    opened.ok_or_else(|| denied("no integration opens it any more"))
}

pub(super) fn denied(why: &str) -> TaskError {
    TaskError::Denied(format!("the account cannot be asked: {why}"))
}
