//! What is the same whichever provider is asked in the name of an account: the request, when it is sent again, and what
//! a refusal is to a run.

pub(crate) use crate::throttles::NOBODY;
use crate::throttles::Throttles;
use crate::{Account, Context, Result, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::Request;
use ambit_model::Timestamp;
use ambit_net::http::{HttpRequest, retry_after};
use ambit_net::{Grant, Untrusted, limits};
use std::time::Duration;

/// Times that a request is sent at most, where the provider asks for patience.
pub(crate) const TRIES_MAX: u32 = 5;
/// The same where it had none with the question before.
const AGAIN_TRIES_MAX: u32 = 2;
/// The same where its server failed.
const FAILED_TRIES_MAX: u32 = 3;
/// What servers answer that failed at something which they may do the next time.
const FAILED: &[u16] = &[500, 502, 504];
/// The longest pause that a provider may ask for: limits by the minute have ended by then.
const PAUSE_MAX: Duration = Duration::from_secs(70);
/// The wait before the second time; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Sends a request and reads its answer; again after a while where the provider asks for patience or its server failed.
/// `name` is the one in which it is asked, an account's or `NOBODY`; `words` say what is asked of whom. Rows in one
/// name that a host throttles ask again one after another; fails without a request where it throttled all before.
pub(crate) async fn patiently<T>(
    cx: &Context<'_>,
    (name, words): (&str, &str),
    dressed: impl Fn() -> Result<HttpRequest>,
    read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
) -> Result<T> {
    patiently_within(cx, None, (name, words), dressed, read).await
}

/// The same of what the host limits apart from everything else, by the name of that limit: it is a place of its own.
pub(super) async fn patiently_within<T>(
    cx: &Context<'_>,
    limit: Option<&str>,
    (name, words): (&str, &str),
    dressed: impl Fn() -> Result<HttpRequest>,
    read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
) -> Result<T> {
    let host = dressed()?.url.authority();
    let place = limit.map_or_else(|| host.clone(), |limit| format!("{host} ({limit})"));
    let alone = Throttles::default();
    let asked = cx.memory.map_or(&alone, |memory| &memory.throttles).asked(name, &place);
    let (mut patience, mut turn) = (Patience::new(), None);
    loop {
        if turn.is_none() && asked.is_throttled() {
            turn = Some(asked.turn(cx.net).await);
        }
        if asked.rests(cx.net.now()) {
            let why = format!("{words}: not asked, since {place} throttled everything that was asked before");
            return Err(TaskError::SourceDown(why));
        }
        if let Some(turn) = &mut turn {
            turn.is_throttled = false;
        }
        // Signatures hold for a moment: each time is dressed anew.
        let answer = cx.net.http(&dressed()?).await.map_err(|error| TaskError::source(words, &error))?;
        if answer.truncated {
            return Err(TaskError::SourceDown(format!("{words}: the answer was truncated")));
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
        if let Some(turn) = &mut turn {
            turn.is_throttled = is_throttled;
        }
        let tries_max = match why {
            Refusal::Throttled(_) if asked.is_given_up() => AGAIN_TRIES_MAX,
            Refusal::Throttled(_) => TRIES_MAX,
            Refusal::Other(_) if FAILED.contains(&answer.status) => FAILED_TRIES_MAX,
            _ => 1,
        };
        let pause = if is_throttled { pause(|name| answer.header(name), cx.net.date()) } else { Duration::ZERO };
        if !patience.lasts_for(cx, tries_max, pause).await {
            return Err(refused(words, &why));
        }
    }
}

/// Returns the pause after which a provider answers again, as the headers of its refusal say at `date`: by
/// `Retry-After`, or by the second since 1970 at which its limit ends. Zero where they do not say, or say more than is
/// waited for.
fn pause<'a>(header: impl Fn(&str) -> Option<&'a Untrusted>, date: Timestamp) -> Duration {
    let text = |name| header(name).map(Untrusted::raw);
    let until = |end: i64| Duration::from_millis(u64::try_from(end.saturating_sub(date.0)).unwrap_or(0));
    let reset = || text("x-ratelimit-reset")?.trim().parse::<i64>().ok();
    let pause = text("retry-after").and_then(|value| retry_after(value, date));
    // Its clock and ours may differ by a moment.
    let pause = pause.or_else(|| reset().map(|second| until(second.saturating_add(1).saturating_mul(1_000))));
    pause.filter(|pause| *pause <= PAUSE_MAX).unwrap_or_default()
}

/// How often a request was sent, and how long is waited before it is sent again. What a server asks for with
/// `Retry-After` and 429 or 503 is waited for as well, by the rate limiter.
pub(crate) struct Patience {
    tried: u32,
    wait: Duration,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Self { tried: 1, wait: FIRST_WAIT }
    }

    /// Waits before the request is sent again, and returns whether it is: so many times at most.
    pub(crate) async fn lasts(&mut self, cx: &Context<'_>, tries_max: u32) -> bool {
        self.lasts_for(cx, tries_max, Duration::ZERO).await
    }

    /// The same where the server asked for a pause.
    async fn lasts_for(&mut self, cx: &Context<'_>, tries_max: u32, pause: Duration) -> bool {
        if self.tried >= tries_max {
            return false;
        }
        cx.net.sleep(self.wait.max(pause)).await;
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
) -> Result<HttpRequest> {
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
pub(super) fn opened<'a>(cx: &'a Context<'_>, account: &str) -> Result<&'a Account> {
    let opened = cx.settings.accounts.get(account);
    opened.ok_or_else(|| denied("no integration opens it now"))
}

pub(super) fn denied(why: &str) -> TaskError {
    TaskError::Denied(format!("the account cannot be asked: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_limit_is_waited_for_where_it_is_near() {
        let date = Timestamp(1_767_225_600_500);
        for (headers, millis) in [
            (&[("retry-after", "30")][..], 30_000),
            (&[("retry-after", "30"), ("x-ratelimit-reset", "1767225660")], 30_000),
            (&[("x-ratelimit-reset", "1767225660")], 60_500),
            (&[("x-ratelimit-reset", "1767225590")], 0),
            (&[("x-ratelimit-reset", "1767229200")], 0),
            (&[("x-ratelimit-reset", "soon")], 0),
            (&[("retry-after", "3600")], 0),
            (&[], 0),
        ] {
            let headers: Vec<(&str, Untrusted)> =
                headers.iter().map(|(name, value)| (*name, Untrusted::from_bytes(value.as_bytes()))).collect();
            let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
            assert_eq!(pause(header, date), Duration::from_millis(millis), "{headers:?}");
        }
    }
}
