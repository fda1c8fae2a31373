//! Checks whether guessed names exist, and are not merely answered by a wildcard.

use crate::ask::delegation::{edge_below, fails_alone};
use crate::ask::denial::is_denied;
use crate::ask::host::levels;
use crate::ask::together::together;
use crate::{Answer, Context, TaskError};
use ambit_model::entity::domain;
use ambit_model::{EdgeKind, TaskName};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Rcode, RecordType, WildcardProfile, answer_values};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Guesses of one look in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 64;

/// Words tried below a level of which little is known, the most frequent first.
pub(crate) const FEW_WORDS: usize = 60;
/// Names without records of one look below which words are tried: more are made by a program.
const EMPTY_MAX: usize = 20;

/// Random names asked beside a hit that a known wildcard does not explain: its pool rotates slowly compared with six
/// questions.
const CONTROLS: usize = 3;

/// Asks for every label below the level and leads to those that exist. Guesses that stayed without an answer are named,
/// and remain what they were to the task; where nothing else came of the look, it failed.
pub(crate) async fn guess(
    cx: &Context<'_>,
    task: TaskName,
    level: &str,
    labels: impl Iterator<Item = String>,
) -> Result<Answer, TaskError> {
    guess_below(cx, task, level, level, labels).await
}

/// As [`guess`], where a level below the domain may have been handed to others.
pub(crate) async fn guess_below(
    cx: &Context<'_>,
    task: TaskName,
    domain: &str,
    level: &str,
    labels: impl Iterator<Item = String>,
) -> Result<Answer, TaskError> {
    guess_on(cx, task, (domain, level), labels.collect(), |_| Vec::new()).await
}

/// As [`guess_below`], and asks for the labels that `further` names once it knows the names that exist, as long as it
/// names any.
pub(crate) async fn guess_on(
    cx: &Context<'_>,
    task: TaskName,
    (domain, level): (&str, &str),
    mut labels: Vec<String>,
    mut further: impl FnMut(&BTreeSet<String>) -> Vec<String>,
) -> Result<Answer, TaskError> {
    // Below a name that a DNAME record renames stand the names that are below the new one, which are tried there. Where
    // the new one is above it, there is no end to them.
    if cx.net.lookup(level, RecordType::A).await.is_ok_and(|answer| answer.is_renamed()) {
        return Ok(Answer::Absent);
    }
    let mut guesses = Guesses::default();
    while !labels.is_empty() {
        guesses.ask(cx, level, labels).await?;
        labels = further(&guesses.hits);
    }
    // Other tasks try levels that are known already.
    if task == TaskName::NameSweep {
        guesses.ask_below_empty(cx, level).await;
    }
    let Guesses { hits, mut unanswered, .. } = guesses;
    for name in &hits {
        match edge_below(cx, domain, name).await {
            Ok(edge) => cx.found_host(name, edge),
            // A name that exists and whose servers do not answer was handed to them.
            Err(error) if error.is_no_answer() => cx.found_host(name, EdgeKind::DelegatedSubdomain),
            Err(error) => {
                unanswered.insert(name.clone(), error);
            }
        }
    }
    // Where nothing was found, what is known stands by itself, and is not seen.
    let is_unanswered = |name: &str| levels(name, level).iter().any(|at| unanswered.contains_key(*at));
    let known = cx.facts.led_to(task, cx.argument).filter(|known| is_unanswered(&known.name));
    for known in known.filter(|_| !hits.is_empty()) {
        cx.stands(known);
    }
    if !unanswered.is_empty() {
        cx.observe(domain::SWEEP_UNANSWERED, unanswered.keys().cloned().collect::<Vec<_>>());
    }
    Answer::despite(!hits.is_empty(), failure(unanswered, hits.is_empty()))
}

/// Why the look failed. What we must not or can no longer ask is a failure in any case; that some names stayed without
/// an answer is one where there is nothing else to say.
fn failure(unanswered: BTreeMap<String, TaskError>, is_all: bool) -> Option<TaskError> {
    if let Some(unasked) = unanswered.values().find(|error| !error.is_no_answer()) {
        return Some(unasked.clone());
    }
    let (name, why) = unanswered.first_key_value().filter(|_| is_all)?;
    let count = unanswered.len();
    Some(TaskError::Failed(format!("{count} names stayed without an answer, such as {name}: {why}")))
}

/// What was answered for guessed names on one level.
#[derive(Default)]
struct Guesses {
    hits: BTreeSet<String>,
    /// Names that exist without records of their own.
    empty: BTreeSet<String>,
    unanswered: BTreeMap<String, TaskError>,
}

impl Guesses {
    async fn ask(&mut self, cx: &Context<'_>, level: &str, labels: Vec<String>) -> Result<(), NetError> {
        let wild = &Wild::of(cx, level).await?;
        let ask = |label: String| async move {
            let name = format!("{label}.{level}");
            let existence = wild.existence(cx, &name).await;
            (name, existence)
        };
        for (name, existence) in together(labels.into_iter().map(ask), IN_FLIGHT).await {
            match existence {
                Ok(Existence::Name) => {
                    self.hits.insert(name);
                }
                Ok(Existence::Empty) => {
                    self.empty.insert(name);
                }
                Ok(Existence::Nothing) => {}
                Err(error) => {
                    self.unanswered.insert(name, TaskError::from(error));
                }
            }
        }
        Ok(())
    }

    /// Asks for the most frequent labels below the names without records: something stands there (RFC 8020), unless
    /// the level says so of every name.
    async fn ask_below_empty(&mut self, cx: &Context<'_>, level: &str) {
        let empty: Vec<String> = std::mem::take(&mut self.empty).into_iter().take(EMPTY_MAX).collect();
        if empty.is_empty() {
            return;
        }
        let tells = tells_empty_names(cx, level).await;
        for level in empty {
            // One that cannot be looked below takes nothing of the others away.
            let asked = match &tells {
                Ok(true) => self.ask(cx, &level, cx.settings.words.iter().take(FEW_WORDS).cloned().collect()).await,
                Ok(false) => return,
                Err(error) => Err(error.clone()),
            };
            if let Err(error) = asked {
                self.unanswered.insert(level, TaskError::from(error));
            }
        }
    }
}

/// Returns true where a level does not answer for every name as for one without records.
async fn tells_empty_names(cx: &Context<'_>, level: &str) -> Result<bool, NetError> {
    let control = cx.net.lookup_uncached(&control(level, 0, level), RecordType::A).await?;
    Ok(is_denied(cx, &control).await? || says_something(&control))
}

/// Whether a name exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existence {
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

struct Wild {
    four: Arc<WildcardProfile>,
    /// Some servers fail at AAAA alone (RFC 4074 §4): that concerns only names without an address of the other family.
    six: Result<Arc<WildcardProfile>, NetError>,
}

/// True where a name on a level exists, and is not merely answered by a wildcard.
pub(crate) async fn exists(cx: &Context<'_>, level: &str, name: &str) -> Result<bool, TaskError> {
    Ok(Wild::of(cx, level).await?.existence(cx, name).await? == Existence::Name)
}

impl Wild {
    async fn of(cx: &Context<'_>, level: &str) -> Result<Self, NetError> {
        Ok(Self {
            four: cx.net.wildcard(level, RecordType::A).await?,
            six: cx.net.wildcard(level, RecordType::AAAA).await,
        })
    }

    /// A name exists that has an address or an alias that the wildcard does not explain, or a zone of its own. A
    /// dangling alias exists, and so does a name whose own servers fail.
    async fn existence(&self, cx: &Context<'_>, name: &str) -> Result<Existence, NetError> {
        let told = |exists: bool| if exists { Existence::Name } else { Existence::Nothing };
        let four = match cx.net.lookup_uncached(name, RecordType::A).await {
            // Its level answered for names that nobody made: only what was handed to others can fail by itself.
            Err(NetError::Dns(Rcode::SERVFAIL)) => {
                let is_alone = fails_alone(cx, name).await?;
                // Below a DNAME record every name is an alias: it says nothing of what is there.
                if !is_alone && cx.net.lookup_uncached(name, RecordType::CNAME).await?.is_renamed() {
                    return Err(NetError::Dns(Rcode::SERVFAIL));
                }
                return Ok(Existence::Name);
            }
            answer => answer?,
        };
        if says_something(&four) {
            if !explained(cx, &self.four, name, &four).await? {
                return Ok(Existence::Name);
            }
            // A name beside the wildcard may differ from it in the other family alone.
            let Some(profile) = self.six.as_ref().ok().filter(|_| four.own_alias().is_none()) else {
                return Ok(Existence::Nothing);
            };
            let six = cx.net.lookup_uncached(name, RecordType::AAAA).await?;
            return Ok(told(says_something(&six) && !explained(cx, profile, name, &six).await?));
        }
        if is_denied(cx, &four).await? {
            return Ok(Existence::Nothing);
        }
        let six = cx.net.lookup_uncached(name, RecordType::AAAA).await?;
        if says_something(&six) {
            let profile = self.six.as_ref().map_err(Clone::clone)?;
            return Ok(told(!explained(cx, profile, name, &six).await?));
        }
        // It exists without an address, and may be the top of a zone of its own.
        let servers = cx.net.lookup_uncached(name, RecordType::NS).await?;
        let is_top = servers.records.iter().any(|record| record.name == name && record.data.rtype() == RecordType::NS);
        Ok(if is_top { Existence::Name } else { Existence::Empty })
    }
}

/// Decides whether an answer could come from the wildcard. The wildcard's pool may rotate between any two questions, so
/// a hit that the profile does not explain is asked alternately with random names; it counts only if none of its
/// answers is one that the wildcard gave.
async fn explained(
    cx: &Context<'_>,
    profile: &WildcardProfile,
    name: &str,
    answer: &DnsAnswer,
) -> Result<bool, NetError> {
    if !profile.is_wildcard() || profile.explains(answer) {
        return Ok(profile.is_wildcard());
    }
    let mut values = answer_values(answer);
    let mut seen: BTreeSet<String> = profile.values.iter().cloned().collect();
    for index in 0..CONTROLS {
        let control = control(name, index, &profile.level);
        seen.extend(answer_values(&cx.net.lookup_uncached(&control, profile.rtype).await?));
        if values.iter().all(|value| seen.contains(value)) {
            return Ok(true);
        }
        values = answer_values(&cx.net.lookup_uncached(name, profile.rtype).await?);
        if values.iter().all(|value| seen.contains(value)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn says_something(answer: &DnsAnswer) -> bool {
    answer.own_alias().is_some() || !answer.is_empty()
}
