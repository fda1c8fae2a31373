//! What follows from the answer of a receiver: delivered, tried again at a moment, given up. Pure.

use crate::text::plain;
use ambit_model::Timestamp;
use ambit_model::moment::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};
use ambit_net::http::retry_after as asked_pause;
use ambit_store::{Outcome, Waiting};

/// Between one try and the next, as Standard Webhooks recommends: with the first, ten tries over three days.
const PAUSES_MS: [i64; 9] = [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
];
/// Nothing else is tried at a receiver that could not be reached, or failed, for at most this long.
const REST_MS: i64 = 5 * MINUTE_MS;
/// Longest pause that a receiver may ask for.
const ASKED_PAUSE_MS_MAX: i64 = DAY_MS;
/// A receiver at which every try failed for so long is hopeless when a delivery is given up.
const HOPELESS_MS: i64 = 3 * DAY_MS;
/// A pause is longer by up to this share, so that receivers that failed together do not come back together.
const JITTER_PERCENT: i64 = 10;

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It was taken.
    Taken(String),
    /// It answered and did not take it; others it may take.
    Refused(String),
    /// It will never take it: this one is given up at once.
    Never(String),
    /// It is gone for good.
    Gone(String),
    /// It is busy, has failed or cannot be reached; it may ask for a pause.
    Away { said: String, pause_ms: Option<i64> },
}

impl Answer {
    /// What it said.
    pub(crate) fn said(&self) -> &str {
        match self {
            Self::Taken(said)
            | Self::Refused(said)
            | Self::Never(said)
            | Self::Gone(said)
            | Self::Away { said, .. } => said,
        }
    }

    /// What an HTTP status says, with the beginning of what stands in the body where it was not taken: that is where
    /// receivers say why. `retry_after` is the header at `now`: seconds, or a date.
    pub(crate) fn of_status(status: u16, retry_after: Option<&str>, body: &[u8], now: Timestamp) -> Self {
        let mut said = format!("HTTP {status}");
        let why = plain(String::from_utf8_lossy(body).split_whitespace().collect::<Vec<_>>().join(" ").as_str());
        if !matches!(status, 200..=299) && !why.is_empty() {
            said.push_str(&format!(": {why}"));
        }
        let pause_ms = retry_after
            .and_then(|text| asked_pause(text, now))
            .map(|pause| i64::try_from(pause.as_millis()).unwrap_or(i64::MAX).min(ASKED_PAUSE_MS_MAX));
        match status {
            200..=299 => Self::Taken(said),
            410 => Self::Gone(said),
            408 | 425 | 429 | 500.. => Self::Away { said, pause_ms },
            _ => Self::Refused(said),
        }
    }
}

/// What becomes of a delivery after this try. `jitter` is from 0 to 1; `failing_since` is when the tries at the
/// receiver began to fail.
pub(crate) fn outcome(
    answer: Answer,
    delivery: &Waiting,
    failing_since: Option<Timestamp>,
    jitter: f64,
    now: Timestamp,
) -> Outcome {
    let (said, asked, away) = match answer {
        Answer::Taken(answer) => return Outcome::Delivered { answer },
        Answer::Gone(answer) => {
            let why = format!("it answered {answer}: it is gone");
            return Outcome::Ended { answer, why };
        }
        Answer::Never(said) => return given_up(said, failing_since, now),
        Answer::Refused(said) => (said, None, false),
        Answer::Away { said, pause_ms } => (said, pause_ms, true),
    };
    let tried = usize::try_from(delivery.attempts).unwrap_or(0);
    let Some(pause) = PAUSES_MS.get(tried) else { return given_up(said, failing_since, now) };
    let longer = (*pause as f64 * jitter * JITTER_PERCENT as f64 / 100.0) as i64;
    let due_at = now.plus_ms((pause + longer).max(asked.unwrap_or(0)));
    let rest = asked.unwrap_or(REST_MS.min(pause + longer));
    Outcome::Again { answer: said, due_at, rests_until: away.then(|| now.plus_ms(rest)) }
}

/// A delivery is given up, and its receiver with it where nothing has reached it for days.
fn given_up(said: String, failing_since: Option<Timestamp>, now: Timestamp) -> Outcome {
    if failing_since.is_some_and(|since| now.0 - since.0 >= HOPELESS_MS) {
        return Outcome::Ended { why: format!("every try has failed for days, last with {said}"), answer: said };
    }
    Outcome::Failed { answer: said }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::notification::Message;
    use std::collections::BTreeMap;

    fn tried(attempts: i64) -> Waiting {
        let message = Message {
            id: uuid::Uuid::nil(),
            at: Timestamp(0),
            is_digest: true,
            events: vec![],
            counts: BTreeMap::new(),
        };
        Waiting { id: 1, subject: None, message, attempts, due_at: Timestamp(0), claimed_until: None }
    }

    #[test]
    fn statuses_mean_what_the_specification_says() {
        let now = Timestamp::parse("2026-10-21T07:26:00Z").expect("a moment");
        let sort = |status, header| match Answer::of_status(status, header, b"", now) {
            Answer::Taken(_) => "taken".to_owned(),
            Answer::Refused(_) => "refused".to_owned(),
            Answer::Never(_) => "never".to_owned(),
            Answer::Gone(_) => "gone".to_owned(),
            Answer::Away { pause_ms, .. } => format!("away {pause_ms:?}"),
        };
        for (status, header, wanted) in [
            (200, None, "taken"),
            (204, None, "taken"),
            (301, None, "refused"),
            (307, None, "refused"),
            (400, None, "refused"),
            (404, None, "refused"),
            (410, None, "gone"),
            (429, Some("120"), "away Some(120000)"),
            (429, Some("Wed, 21 Oct 2026 07:28:00 GMT"), "away Some(120000)"),
            (503, Some("Wed, 21 Oct 2026 07:25:00 GMT"), "away Some(0)"),
            (503, Some("Fri, 31 Dec 2999 23:59:59 GMT"), "away Some(86400000)"),
            (429, Some("soon"), "away None"),
            (429, Some("99999999999999999999"), "away None"),
            (503, Some("9999999999"), "away Some(86400000)"),
            (500, None, "away None"),
        ] {
            assert_eq!(sort(status, header), wanted, "{status} {header:?}");
        }
    }

    #[test]
    fn what_a_receiver_says_of_its_refusal_is_kept_and_cut() {
        let said = |status, body: &[u8]| Answer::of_status(status, None, body, Timestamp(0)).said().to_owned();
        assert_eq!(said(400, b" invalid_blocks\r\n"), "HTTP 400: invalid_blocks");
        assert_eq!(said(500, b""), "HTTP 500");
        assert_eq!(said(204, b"ok"), "HTTP 204");
        assert_eq!(said(400, b"a\n\x1b[2Jb\xff"), "HTTP 400: a \u{fffd}[2Jb\u{fffd}");
        assert!(said(400, &b"x".repeat(4_000)).chars().count() < 250);
    }

    #[test]
    fn what_is_never_taken_is_given_up_at_once_and_its_receiver_after_days() {
        let never = || Answer::Never("550 no such user".to_owned());
        let said = "550 no such user".to_owned();
        assert_eq!(outcome(never(), &tried(0), None, 0.0, Timestamp(0)), Outcome::Failed { answer: said });
        let ended = outcome(never(), &tried(0), Some(Timestamp(0)), 0.0, Timestamp(HOPELESS_MS));
        assert!(matches!(ended, Outcome::Ended { .. }), "{ended:?}");
    }

    #[test]
    fn ten_tries_over_three_days_and_then_it_is_given_up() {
        let (mut now, mut tries) = (Timestamp(0), 0);
        let since = Some(Timestamp(0));
        let last = loop {
            let away = Answer::Away { said: "HTTP 500".to_owned(), pause_ms: None };
            match outcome(away, &tried(tries), since, 0.0, now) {
                Outcome::Again { due_at, rests_until, .. } => {
                    assert!(rests_until.is_some_and(|until| until <= due_at && until <= now.plus_ms(REST_MS)));
                    now = due_at;
                    tries += 1;
                }
                last => break last,
            }
        };
        assert_eq!((tries, now.0 / HOUR_MS), (9, 75));
        assert!(matches!(last, Outcome::Ended { .. }), "{last:?}");
    }

    #[test]
    fn one_that_takes_others_is_not_ended_for_what_it_refuses() {
        let refused = || Answer::Refused("HTTP 400".to_owned());
        let now = Timestamp(0);
        assert_eq!(outcome(refused(), &tried(9), None, 0.0, now), Outcome::Failed { answer: "HTTP 400".to_owned() });
        let again = outcome(refused(), &tried(0), None, 1.0, now);
        let due_at = Timestamp(5_500);
        assert_eq!(again, Outcome::Again { answer: "HTTP 400".to_owned(), due_at, rests_until: None });
    }

    #[test]
    fn an_asked_pause_is_kept_and_gone_ends_it() {
        let busy = Answer::Away { said: "HTTP 429".to_owned(), pause_ms: Some(120_000) };
        let until = Timestamp(120_000);
        let again = outcome(busy, &tried(0), None, 0.0, Timestamp(0));
        assert_eq!(again, Outcome::Again { answer: "HTTP 429".to_owned(), due_at: until, rests_until: Some(until) });
        let gone = outcome(Answer::Gone("HTTP 410".to_owned()), &tried(0), None, 0.0, Timestamp(0));
        assert!(matches!(gone, Outcome::Ended { .. }), "{gone:?}");
    }
}
