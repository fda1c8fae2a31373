//! Wildcard profiles: what random names below a level are answered with, by sampling until nothing new comes.

use super::resolver::Engine;
use super::{RecordType, WildcardProfile, answer_values};
use crate::door::Door;
use crate::error::{NetError, Result};
use crate::limits::{DNS_TRIES, WILDCARD_QUIET, WILDCARD_SAMPLES_MAX};
use futures::future::join_all;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Random names asked first. If none of them is answered with a record, there is no wildcard.
const FIRST_SAMPLES: usize = 3;
/// Random names asked at once after that.
const SAMPLES_AT_ONCE: usize = 10;
/// Samples without anything new that are asked for per value already seen: a pool of many addresses that answers with
/// one at a time needs more patience than one that always answers the same.
const QUIET_PER_VALUE: usize = 4;
/// Failed samples after which no more are asked for: the level is unknown, unless others were answered with values.
const FAILURES_MAX: usize = 5;
/// How long a profile holds: a run.
const PROFILE_HOLDS: Duration = Duration::from_secs(72 * 3_600);

impl Engine {
    pub(crate) async fn wildcard(&self, door: &Door, level: &str, rtype: RecordType) -> Result<Arc<WildcardProfile>> {
        let level = super::message::question_name(level)?;
        let key = (level, rtype);
        self.wildcards
            .get(
                &key,
                || door.now(),
                || async { Ok((self.sample(door, &key.0, rtype).await?, door.now() + PROFILE_HOLDS)) },
            )
            .await
    }

    async fn sample(&self, door: &Door, level: &str, rtype: RecordType) -> Result<WildcardProfile> {
        let mut values = BTreeSet::new();
        let (mut asked, mut quiet, mut failures) = (0, 0, Vec::new());
        let needed = |values: &BTreeSet<String>| WILDCARD_QUIET.max(values.len() * QUIET_PER_VALUE);
        while asked < WILDCARD_SAMPLES_MAX {
            let batch = if asked == 0 { FIRST_SAMPLES } else { SAMPLES_AT_ONCE.min(WILDCARD_SAMPLES_MAX - asked) };
            let names: Vec<String> = (asked..asked + batch).map(|index| self.random_name(level, index)).collect();
            asked += batch;
            for answer in join_all(names.iter().map(|name| self.lookup_uncached(door, name, rtype, &DNS_TRIES))).await {
                match answer {
                    Ok(answer) => {
                        let before = values.len();
                        values.extend(answer_values(&answer));
                        quiet = if values.len() > before { 0 } else { quiet + 1 };
                    }
                    Err(error @ (NetError::OutOfScope(_) | NetError::NoGrant(_) | NetError::Invalid { .. })) => {
                        return Err(error);
                    }
                    Err(error) => failures.push(error),
                }
            }
            if failures.len() > FAILURES_MAX {
                if values.is_empty() {
                    return Err(failures.swap_remove(FAILURES_MAX));
                }
                break;
            }
            if values.is_empty() && quiet >= FIRST_SAMPLES || quiet >= needed(&values) {
                break;
            }
        }
        let complete = failures.len() <= FAILURES_MAX && (values.is_empty() || quiet >= needed(&values));
        Ok(WildcardProfile {
            level: level.to_owned(),
            rtype,
            values: values.into_iter().collect(),
            samples: asked,
            complete,
        })
    }

    /// Returns a name that does not exist: 16 hex digits that depend on the run, the level and the index.
    fn random_name(&self, level: &str, index: usize) -> String {
        let seed = [&self.salt[..], level.as_bytes(), &index.to_be_bytes()].concat();
        let digest = ring::digest::digest(&ring::digest::SHA256, &seed);
        let label = format!("x{}", hex::encode(&digest.as_ref()[..8]));
        if level.is_empty() { label } else { format!("{label}.{level}") }
    }
}
