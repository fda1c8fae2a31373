//! Registries that give no answer: rows of a run count together the questions that failed in a row at each, over RDAP
//! and WHOIS, and after a few nothing more is asked there for a while. What another registry knows is asked on.

use crate::TaskError;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Questions that fail one after another at a registry, from which no more are asked: it is down, or was asked too
/// often.
const FAILURES_IN_A_ROW: u32 = 5;
/// How long nothing is asked there then; after that one question tries it again. Limits by the minute have passed by
/// that time.
const REST: Duration = Duration::from_secs(10 * 60);
/// Registries that are remembered: some hundreds are in the lists of the IANA.
const REGISTRIES_MAX: usize = 1_000;

/// What the rows of a run know of registries, by host.
#[derive(Debug, Default)]
pub(crate) struct Registries(Mutex<HashMap<String, Failed>>);

#[derive(Debug)]
struct Failed {
    in_a_row: u32,
    /// When the last of them failed, on the wire's clock, and why.
    since: Duration,
    why: TaskError,
}

impl Registries {
    /// Fails as the last question did where nothing is asked of a registry for now.
    pub(crate) fn check(&self, host: &str, now: Duration) -> Result<(), TaskError> {
        let known = self.known();
        let failed = known.get(host).filter(|failed| failed.in_a_row >= FAILURES_IN_A_ROW);
        failed.filter(|failed| now < failed.since.saturating_add(REST)).map_or(Ok(()), |failed| Err(failed.why.clone()))
    }

    /// Notes how a question ended that was put to a registry.
    pub(crate) fn note(&self, host: &str, failure: Option<&TaskError>, now: Duration) {
        let mut known = self.known();
        let Some(why) = failure else {
            known.remove(host);
            return;
        };
        if known.len() < REGISTRIES_MAX || known.contains_key(host) {
            let in_a_row = known.get(host).map_or(0, |failed| failed.in_a_row).saturating_add(1);
            known.insert(host.to_owned(), Failed { in_a_row, since: now, why: why.clone() });
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Failed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Duration = Duration::from_secs(7);

    #[test]
    fn a_registry_rests_after_five_failures_in_a_row_and_no_other_does() {
        let (registries, down) = (Registries::default(), TaskError::SourceDown("a.test: silent".to_owned()));
        for _ in 0..4 {
            registries.note("a.test", Some(&down), AT);
        }
        assert_eq!(registries.check("a.test", AT), Ok(()));
        registries.note("a.test", None, AT);
        for _ in 0..5 {
            assert_eq!(registries.check("a.test", AT), Ok(()), "an answer between failures counts");
            registries.note("a.test", Some(&down), AT);
        }
        assert_eq!(registries.check("a.test", AT), Err(down.clone()));
        assert_eq!(registries.check("b.test", AT), Ok(()), "another registry is another matter");
        let later = AT + REST;
        assert_eq!(registries.check("a.test", later), Ok(()));
        registries.note("a.test", Some(&down), later);
        assert_eq!(registries.check("a.test", later), Err(down), "one question tries it again");
    }
}
