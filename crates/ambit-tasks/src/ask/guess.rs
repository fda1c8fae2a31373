//! Checks whether guessed names exist, and are not merely answered by a wildcard.

use crate::ask::delegation::edge_below;
use crate::ask::host::levels;
use crate::ask::together::together;
use crate::ask::wild::{Existence, Wild};
use crate::{Answer, Context, Result, TaskError};
use ambit_model::entity::domain;
use ambit_model::{EdgeKind, TaskName};
use ambit_net::dns::RecordType;
use ambit_net::limits::DNS_FAILURE_HOLDS;
use ambit_net::{NetError, Phase};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Guesses of one look in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 64;
/// The same of names that are asked for again: resolvers that drop what is too much answer so few.
const CALM_IN_FLIGHT: usize = 4;
/// Wire time after which they are: no failure is kept longer, and most of what was asked beside them is over by then.
const CALM_AFTER: Duration = DNS_FAILURE_HOLDS.saturating_add(Duration::from_secs(1));
/// Names of one look that are asked for again; four at a time, each given up after 13 s, they take four minutes.
const LOST_MAX: usize = 64;

/// Words tried below a level of several names, the most frequent first.
pub(crate) const MANY_WORDS: usize = 250;
/// The same below one of many levels of which little is known.
const FEW_WORDS: usize = 60;
/// Words tried below all levels of which little is known, as long as they are few.
const WORDS_MAX: usize = 1_200;
/// Names without records of one look below which words are tried: more are made by a program.
const EMPTY_MAX: usize = 20;

/// Asks for every label below the level and leads to those that exist. Guesses that stayed without an answer are named,
/// and remain what they were to the task; where nothing else came of the look, it failed.
pub(crate) async fn guess(
    cx: &Context<'_>,
    task: TaskName,
    level: &str,
    labels: impl Iterator<Item = String>,
) -> Result<Answer> {
    guess_below(cx, task, level, level, labels).await
}

/// As [`guess`], where a level below the domain may have been handed to others.
pub(crate) async fn guess_below(
    cx: &Context<'_>,
    task: TaskName,
    domain: &str,
    level: &str,
    labels: impl Iterator<Item = String>,
) -> Result<Answer> {
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
) -> Result<Answer> {
    // Below a name that a DNAME record renames stand the names that are below the new one, which are tried there. Where
    // the new one is above it, there is no end to them.
    if cx.net.lookup(level, RecordType::A).await.is_ok_and(|answer| answer.is_renamed()) {
        return Ok(Answer::Absent);
    }
    let mut guesses = Guesses { domain, ..Guesses::default() };
    while !labels.is_empty() {
        guesses.ask(cx, level, labels).await?;
        labels = further(&guesses.hits);
    }
    // Other tasks try levels that are known already.
    if task == TaskName::NameSweep {
        guesses.ask_below_empty(cx, level).await;
    }
    let Guesses { hits, unanswered, unplaced, .. } = guesses;
    // A name that exists and whose servers do not answer was handed to them.
    for name in &unplaced {
        cx.found_host(name, EdgeKind::DelegatedSubdomain);
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

/// How many words are tried below each of some levels of which little is known: the fewer there are, the more.
pub(crate) fn words_below(levels: usize) -> usize {
    (WORDS_MAX / levels.max(1)).clamp(FEW_WORDS, MANY_WORDS)
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

/// What was answered for guessed names.
#[derive(Default)]
struct Guesses<'a> {
    domain: &'a str,
    hits: BTreeSet<String>,
    /// Names that exist; it is not known whether they are delegated to third parties.
    unplaced: BTreeSet<String>,
    /// Names that exist without records of their own.
    empty: BTreeSet<String>,
    unanswered: BTreeMap<String, TaskError>,
}

impl Guesses<'_> {
    /// Asks for names on a level. Those whose questions were all lost are asked for again when it is calm, unless most
    /// were: then the resolver is down.
    async fn ask(&mut self, cx: &Context<'_>, level: &str, labels: Vec<String>) -> Result<(), NetError> {
        let wild = &Wild::of(cx, level).await?;
        let names: Vec<String> = labels.into_iter().map(|label| format!("{label}.{level}")).collect();
        let count = names.len();
        let lost = self.ask_once(cx, wild, names, IN_FLIGHT).await;
        if !lost.is_empty() && lost.len() <= LOST_MAX.min(count / 2) {
            cx.net.sleep(CALM_AFTER).await;
            self.ask_once(cx, wild, lost, CALM_IN_FLIGHT).await;
        }
        Ok(())
    }

    /// Asks for names, reports those that exist, and returns those whose questions were lost.
    async fn ask_once(&mut self, cx: &Context<'_>, wild: &Wild<'_>, names: Vec<String>, at_once: usize) -> Vec<String> {
        let domain = self.domain;
        let ask = |name: String| async move {
            let existence = wild.existence(cx, &name).await;
            let edge = match existence {
                // What was found by the time that a row may take is told.
                Ok(Existence::Name) => Some(Box::pin(edge_below(cx, domain, &name)).await),
                _ => None,
            };
            if let Some(Ok(edge)) = &edge {
                cx.found_host(&name, *edge);
            }
            (name, existence, edge)
        };
        let mut lost = Vec::new();
        for (name, existence, edge) in together(names.into_iter().map(ask), at_once).await {
            self.unanswered.remove(&name);
            self.unplaced.remove(&name);
            let failure = match (existence, edge) {
                (Ok(Existence::Nothing), _) => {
                    self.hits.remove(&name);
                    None
                }
                (Ok(Existence::Empty), _) => {
                    self.hits.remove(&name);
                    self.empty.insert(name.clone());
                    None
                }
                (Ok(Existence::Name), edge) => {
                    self.hits.insert(name.clone());
                    edge.and_then(Result::err)
                }
                (Err(error), _) => Some(TaskError::from(error)),
            };
            let Some(failure) = failure else { continue };
            if matches!(failure, TaskError::Net(NetError::Timeout(Phase::Resolving))) {
                lost.push(name.clone());
            }
            if failure.is_no_answer() && self.hits.contains(&name) {
                self.unplaced.insert(name);
            } else {
                self.unanswered.insert(name, failure);
            }
        }
        lost
    }

    /// Asks for the most frequent labels below the names without records that somebody made: something stands there
    /// (RFC 8020).
    async fn ask_below_empty(&mut self, cx: &Context<'_>, level: &str) {
        let empty = std::mem::take(&mut self.empty);
        let made = self.made(cx, level, empty).await;
        let words = words_below(made.len());
        for level in made {
            // One that cannot be looked below takes nothing of the others away.
            let labels = cx.settings.words.iter().take(words).cloned().collect();
            if let Err(error) = self.ask(cx, &level, labels).await {
                self.unanswered.insert(level, TaskError::from(error));
            }
        }
    }

    /// Those of the names without records that are not merely answered by a wildcard.
    async fn made(&mut self, cx: &Context<'_>, level: &str, empty: BTreeSet<String>) -> Vec<String> {
        if empty.is_empty() {
            return Vec::new();
        }
        let told = async {
            let wild = Wild::of(cx, level).await?;
            let empties = wild.empties(cx).await?;
            Ok::<_, NetError>((wild, empties))
        };
        let (wild, empties) = match told.await {
            Ok((wild, empties)) => (wild, empties),
            Err(error) => {
                let unknown = empty.into_iter().take(EMPTY_MAX);
                self.unanswered.extend(unknown.map(|name| (name, TaskError::from(error.clone()))));
                return Vec::new();
            }
        };
        let (wild, empties) = (&wild, &empties);
        let ask = |name: String| async move {
            let is_made = wild.is_made(cx, empties, &name).await;
            (name, is_made)
        };
        let mut made = BTreeSet::new();
        for (name, is_made) in together(empty.into_iter().map(ask), IN_FLIGHT).await {
            match is_made {
                Ok(true) => {
                    made.insert(name);
                }
                Ok(false) => {}
                Err(error) => {
                    self.unanswered.insert(name, TaskError::from(error));
                }
            }
        }
        made.into_iter().take(EMPTY_MAX).collect()
    }
}

#[cfg(test)]
mod tests;
