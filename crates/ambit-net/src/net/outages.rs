//! Data providers that do not answer: after a few questions in a row a host is left alone for a while, in place of
//! every row's question waiting for it in vain.

use crate::error::NetError;
use crate::wire::WireTime;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Questions in a row that a host may leave without an answer before it is left alone.
const UNANSWERED_MAX: u32 = 5;
/// How long it is left alone then; after that one question tries it again.
const LEFT_ALONE: Duration = Duration::from_secs(60);
/// Hosts that are remembered; what people name and what WHOIS refers to are few.
const HOSTS_MAX: usize = 1_000;

/// A provider at a host and port.
pub(crate) type Place = (&'static str, String, u16);

/// The hosts that did not answer the last questions, of one run.
#[derive(Default)]
pub(crate) struct Outages(Mutex<HashMap<Place, Outage>>);

struct Outage {
    unanswered: u32,
    asked_again_at: WireTime,
    why: String,
}

impl Outages {
    /// Fails where the host is to be left alone now.
    pub(crate) fn check(&self, place: &Place, now: WireTime) -> Result<(), NetError> {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(outage) = hosts.get_mut(place).filter(|outage| outage.unanswered >= UNANSWERED_MAX) else {
            return Ok(());
        };
        if now >= outage.asked_again_at {
            // Only the question that comes first tries it.
            outage.asked_again_at = now + LEFT_ALONE;
            return Ok(());
        }
        let Outage { unanswered, why, .. } = outage;
        let text = format!("not asked, because the last {unanswered} questions were not answered ({why})");
        Err(NetError::Unreachable(text))
    }

    /// Takes what became of a question.
    pub(crate) fn note<T>(&self, place: Place, outcome: &Result<T, NetError>, now: WireTime) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Err(error) if is_silence(error) => {
                if hosts.len() >= HOSTS_MAX && !hosts.contains_key(&place) {
                    return;
                }
                let new = || Outage { unanswered: 0, asked_again_at: now, why: String::new() };
                let outage = hosts.entry(place).or_insert_with(new);
                outage.unanswered = outage.unanswered.saturating_add(1);
                (outage.asked_again_at, outage.why) = (now + LEFT_ALONE, error.to_string());
            }
            // A question that was never put says nothing of the host.
            Err(error) if error.meaning() == crate::Meaning::NotAsked || matches!(error, NetError::Budget(_)) => {}
            _ => drop(hosts.remove(&place)),
        }
    }
}

/// Returns whether the peer sent nothing at all.
fn is_silence(error: &NetError) -> bool {
    match error {
        NetError::Timeout(_)
        | NetError::ConnectionRefused
        | NetError::Reset(_)
        | NetError::Closed(_)
        | NetError::Unreachable(_)
        | NetError::Offline(_)
        | NetError::Dns(_)
        | NetError::Tls(_) => true,
        NetError::OutOfScope(_)
        | NetError::NotAllowed(_)
        | NetError::NoGrant(_)
        | NetError::OtherHttp
        | NetError::NoHttp
        | NetError::Protocol(_)
        | NetError::Unavailable(_)
        | NetError::TooLarge(_)
        | NetError::Budget(_)
        | NetError::Invalid { .. } => false,
    }
}
