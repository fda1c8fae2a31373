//! Tries the words of the list as names below a domain, in ranges of one durable row.

use crate::ask::guess::guess;
use crate::tasks::wildcard_profile::is_level;
use crate::{Again, Answer, Context, Plan, Result, Settings, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Facts, Kind, TaskName, Wave, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::NameSweep,
    pretty_name: "Name sweep",
    description: "Tries common labels as names below a domain, and distinguishes hits from wildcards.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord],
    footprint: Clearance::L3,
    wave: Wave::Words,
    ttl_ms: 7 * DAY_MS,
    again: Again::UnlessGone,
    cost: 250,
    gain: 100,
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Words tried in one look: some seconds of work, so that little is asked twice after a crash.
const STEP: usize = 250;
/// Words tried below a name such as `dev.acme.test`: the most frequent ones.
const LEVEL_WORDS: usize = 250;

fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let ready = facts.decision.scoped() && is_level(facts) && facts.outcome(TaskName::WildcardProfile).is_some();
    let words = match facts.kind {
        Kind::Domain => settings.words.len(),
        _ => settings.words.len().min(LEVEL_WORDS),
    };
    if !ready || words == 0 {
        return Plan::No;
    }
    let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Plan::Sweep { prefix: String::new(), size: size(words), step: size(STEP) }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let range =
        range(cx.argument).ok_or_else(|| TaskError::Failed(format!("not a range of words: {:?}", cx.argument)))?;
    let words = cx.settings.words.get(range.start.min(cx.settings.words.len())..range.end.min(cx.settings.words.len()));
    guess(cx, TASK.name, &cx.facts.name, words.unwrap_or_default().iter().cloned()).await
}

/// `250-500`, the end excluded.
fn range(argument: &str) -> Option<std::ops::Range<usize>> {
    let (from, to) = argument.split_once('-')?;
    let range = from.parse().ok()?..to.parse().ok()?;
    (range.start <= range.end).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_the_engine_writes_it() {
        assert_eq!(range("0-250"), Some(0..250));
        assert_eq!(range("250-250"), Some(250..250));
        assert_eq!(range("9-1"), None);
        assert_eq!(range(""), None);
    }

    #[test]
    fn our_words_are_many_distinct_labels() {
        let words = Settings::default().words;
        assert!(words.len() >= 2_000, "{}", words.len());
        let distinct: std::collections::BTreeSet<&String> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
        for word in words.iter() {
            assert_eq!(
                Kind::DnsRecord.canonical(&format!("{word}.acme.test")).as_deref(),
                Ok(&*format!("{word}.acme.test")),
                "{word}"
            );
        }
    }
}
