//! Distinguishes names that exist from those that only a wildcard answers for. A wildcard may itself fail, if its alias
//! leads into a zone that nobody serves: then a name that resolves exists, and a name that fails in the same way is
//! unknown.

use super::delegation::fails_alone;
use super::denial::is_denied;
use crate::{Context, Result, TaskError};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Rcode, RecordType, WildcardProfile, answer_values};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Random names asked beside a hit that a known wildcard does not explain: its pool rotates slowly compared with six
/// questions.
const CONTROLS: usize = 3;
/// Types of wildcards without an address, below which a name that is there shows by having none of them.
const BESIDE_ADDRESSES: &[RecordType] = &[RecordType::MX, RecordType::TXT];

/// Whether a name exists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existence {
    Nothing,
    /// Without an address, an alias or a zone of its own.
    Empty,
    Name,
}

/// A random name below a level, for a question about a name.
pub(crate) fn control(name: &str, index: usize, level: &str) -> String {
    let digest = hex::encode(Sha256::digest(format!("{name} {index}")));
    format!("x{}.{level}", &digest[..16])
}

/// True where a name on a level exists, and is not merely answered by a wildcard.
pub(crate) async fn exists(cx: &Context<'_>, level: &str, name: &str) -> Result<bool> {
    Ok(Wild::of(cx, level).await?.existence(cx, name).await? == Existence::Name)
}

/// What names that nobody made are answered with on a level.
pub(crate) struct Wild<'a> {
    level: &'a str,
    four: Sampled,
    /// Some servers fail at AAAA alone (RFC 4074 §4): that concerns only names without an address of the other family.
    six: Sampled,
}

/// A profile; an error where names that nobody made fail.
type Sampled = Result<Arc<WildcardProfile>, NetError>;

impl<'a> Wild<'a> {
    /// Fails where the level itself gives no answer either.
    pub(crate) async fn of(cx: &Context<'_>, level: &'a str) -> Result<Self, NetError> {
        let four = cx.net.wildcard(level, RecordType::A).await;
        if let Err(error) = &four
            && (!is_no_answer(error) || cx.net.lookup(level, RecordType::SOA).await.is_err())
        {
            return Err(error.clone());
        }
        Ok(Self { level, four, six: cx.net.wildcard(level, RecordType::AAAA).await })
    }

    /// A name exists that has an address or an alias that the wildcard does not explain, or a zone of its own. A
    /// dangling alias exists, and so does a name whose own servers fail.
    pub(crate) async fn existence(&self, cx: &Context<'_>, name: &str) -> Result<Existence, NetError> {
        let told = |exists: bool| if exists { Existence::Name } else { Existence::Nothing };
        let is_silent = matches!(self.four, Err(NetError::Timeout(_)));
        let four = match is_silent {
            true => cx.net.lookup_briefly(name, RecordType::A).await,
            false => cx.net.lookup_uncached(name, RecordType::A).await,
        };
        let four = match four {
            Err(failure @ NetError::Dns(Rcode::SERVFAIL)) => {
                return Box::pin(self.of_failing(cx, name, failure)).await;
            }
            answer => answer?,
        };
        if says_something(&four) {
            if !self.explains(cx, &self.four, name, &four).await? {
                return Ok(Existence::Name);
            }
            // A name beside the wildcard may differ from it in the other family alone.
            if self.six.is_err() || four.own_alias().is_some() {
                return Ok(Existence::Nothing);
            }
            let six = cx.net.lookup_uncached(name, RecordType::AAAA).await?;
            return Ok(told(says_something(&six) && !self.explains(cx, &self.six, name, &six).await?));
        }
        if is_denied(cx, &four).await? {
            return Ok(Existence::Nothing);
        }
        let six = cx.net.lookup_uncached(name, RecordType::AAAA).await?;
        if says_something(&six) {
            return Ok(told(!self.explains(cx, &self.six, name, &six).await?));
        }
        // It exists without an address, and may be the top of a zone of its own.
        let servers = cx.net.lookup_uncached(name, RecordType::NS).await?;
        let is_top = servers.records.iter().any(|record| record.name == name && record.data.rtype() == RecordType::NS);
        Ok(if is_top { Existence::Name } else { Existence::Empty })
    }

    /// The same of a name whose look-up fails: it exists where it was handed to others, or is an alias. Below a DNAME
    /// record every name is an alias, and below a wildcard that fails each is that alias, which says nothing.
    async fn of_failing(&self, cx: &Context<'_>, name: &str, failure: NetError) -> Result<Existence, NetError> {
        if fails_alone(cx, name).await? {
            return Ok(Existence::Name);
        }
        let alias = cx.net.lookup_uncached(name, RecordType::CNAME).await?;
        if alias.is_renamed() {
            return Err(failure);
        }
        // The target of a healthy wildcard may fail at times.
        if self.four.as_ref().map_or(true, |profile| profile.is_wildcard()) {
            let profile = cx.net.wildcard(self.level, RecordType::CNAME).await;
            if alias.is_empty() || self.explains(cx, &profile, name, &alias).await? {
                return Err(failure);
            }
        }
        Ok(Existence::Name)
    }

    /// Decides whether an answer could come from the wildcard. The wildcard's pool may rotate between any two
    /// questions, so a hit that the profile does not explain is asked alternately with random names; it counts only if
    /// none of its answers is one that the wildcard gave. A wildcard that fails gives none.
    async fn explains(
        &self,
        cx: &Context<'_>,
        profile: &Sampled,
        name: &str,
        answer: &DnsAnswer,
    ) -> Result<bool, NetError> {
        let mut seen = BTreeSet::new();
        if let Ok(profile) = profile {
            if !profile.is_wildcard() || profile.explains(answer) {
                return Ok(profile.is_wildcard());
            }
            seen.extend(profile.values.iter().cloned());
        }
        // Kept apart: thousands of names wait for their first answer, and few come to this.
        Box::pin(self.is_among(cx, name, answer, (seen, profile.is_err()))).await
    }

    /// Asks for a name and for random ones by turns, and returns whether an answer of the name is one of those seen of
    /// the wildcard, which may fail. Where the random names fail in several ways, nobody knows.
    async fn is_among(
        &self,
        cx: &Context<'_>,
        name: &str,
        answer: &DnsAnswer,
        (mut seen, fails): (BTreeSet<String>, bool),
    ) -> Result<bool, NetError> {
        let mut values = answer_values(answer);
        let mut failures = Vec::new();
        for index in 0..CONTROLS {
            match cx.net.lookup_uncached(&control(name, index, self.level), answer.rtype).await {
                Ok(control) => seen.extend(answer_values(&control)),
                Err(error) if fails && is_no_answer(&error) => failures.push(error),
                Err(error) => return Err(error),
            }
            if values.iter().all(|value| seen.contains(value)) {
                return Ok(true);
            }
            values = answer_values(&cx.net.lookup_uncached(name, answer.rtype).await?);
            if values.iter().all(|value| seen.contains(value)) {
                return Ok(true);
            }
        }
        if failures.len() == CONTROLS && failures.iter().any(|failure| *failure != failures[0]) {
            return Err(failures.swap_remove(0));
        }
        Ok(false)
    }

    /// By what a name without records shows that somebody made it. A wildcard has no say over a name below which
    /// something stands (RFC 4592 §3.3.1): where the level answers for every name as for one without records, names of
    /// the wildcard have its records of other types, and that one has none.
    pub(crate) async fn empties(&self, cx: &Context<'_>) -> Result<Empties, NetError> {
        if self.four.is_err() {
            return Ok(Empties::Made);
        }
        let control = cx.net.lookup_uncached(&control(self.level, 0, self.level), RecordType::A).await?;
        if is_denied(cx, &control).await? || says_something(&control) {
            return Ok(Empties::Made);
        }
        for rtype in BESIDE_ADDRESSES {
            let profile = cx.net.wildcard(self.level, *rtype).await?;
            if profile.is_wildcard() {
                return Ok(Empties::Without(profile));
            }
        }
        Ok(Empties::Unknown)
    }

    /// Whether somebody made a name without records.
    pub(crate) async fn is_made(&self, cx: &Context<'_>, empties: &Empties, name: &str) -> Result<bool, NetError> {
        match empties {
            Empties::Made => Ok(true),
            Empties::Unknown => Ok(false),
            Empties::Without(profile) => {
                let answer = cx.net.lookup_uncached(name, profile.rtype).await?;
                Ok(!says_something(&answer) || !self.explains(cx, &Ok(profile.clone()), name, &answer).await?)
            }
        }
    }
}

/// Which names without records somebody made.
pub(crate) enum Empties {
    /// All.
    Made,
    /// Names that lack what this wildcard has.
    Without(Arc<WildcardProfile>),
    /// It is unknown.
    Unknown,
}

fn says_something(answer: &DnsAnswer) -> bool {
    answer.own_alias().is_some() || !answer.is_empty()
}

/// Nothing is known: the name, or those who serve it, did not answer.
fn is_no_answer(error: &NetError) -> bool {
    TaskError::from(error.clone()).is_no_answer()
}

#[cfg(test)]
pub(crate) mod tests;
