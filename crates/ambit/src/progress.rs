//! Progress for a person: a bar on a terminal, a line every few seconds elsewhere, nothing when silent.

use crate::output::hint;
use crate::output::lines::{amount, left};
use ambit_engine::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Between two lines where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows a run's progress until its sender goes away.
pub(crate) async fn show(mut progress: watch::Receiver<Progress>, silent: bool) {
    if silent {
        return;
    }
    if std::io::stderr().is_terminal() {
        bar(&mut progress).await;
    } else {
        lines(&mut progress).await;
    }
}

async fn bar(progress: &mut watch::Receiver<Progress>) {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}").expect("a constant template"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut rates = Rates::default();
    while progress.changed().await.is_ok() {
        bar.set_message(text(&progress.borrow_and_update(), &mut rates, Instant::now()));
    }
    bar.finish_and_clear();
}

/// A line every few seconds, whether something was committed meanwhile or not: a silent program looks like a dead one.
async fn lines(progress: &mut watch::Receiver<Progress>) {
    let start = Instant::now();
    let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + LINE_EVERY, LINE_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut rates = Rates::default();
    loop {
        tokio::select! {
            changed = progress.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            _ = tick.tick() => {
                let shown = text(&progress.borrow(), &mut rates, Instant::now());
                hint(&format!("{:>4} s  {shown}", start.elapsed().as_secs()));
            }
        }
    }
}

/// Looks done by stage when the rates were measured last.
#[derive(Default)]
struct Rates {
    measured: Option<(Instant, BTreeMap<&'static str, u64>)>,
    per_second: BTreeMap<&'static str, u64>,
}

/// Time over which a rate is measured: a shorter one jumps with every commit.
const RATE_OVER: Duration = Duration::from_secs(4);

impl Rates {
    fn measure(&mut self, done: &BTreeMap<&'static str, u64>, now: Instant) {
        let Some((at, before)) = &self.measured else {
            self.measured = Some((now, done.clone()));
            return;
        };
        let passed = now.saturating_duration_since(*at);
        if passed < RATE_OVER {
            return;
        }
        let rate = |stage: &'static str, count: u64| {
            count.saturating_sub(before.get(stage).copied().unwrap_or(0)) / passed.as_secs().max(1)
        };
        self.per_second = done.iter().map(|(stage, count)| (*stage, rate(stage, *count))).collect();
        self.measured = Some((now, done.clone()));
    }
}

/// `1,204 names, 300 addresses, 40 sites · probes: names 5210 (31/s), services 40 · 35 open, 3 unanswered · about 4 min
/// left · 812 entities, 640 ours · 41 issues`: what is there and theirs, then the probes by what they ask.
fn text(progress: &Progress, rates: &mut Rates, now: Instant) -> String {
    let mut done: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (task, count) in &progress.tasks {
        if let Some(stage) = ambit_tasks::find(task).and_then(|task| task.stage()) {
            *done.entry(stage).or_default() += count;
        }
    }
    rates.measure(&done, now);
    let shown = ambit_tasks::STAGES.iter().filter_map(|stage| {
        let count = done.get(stage)?;
        Some(match rates.per_second.get(stage) {
            Some(rate) if *rate > 0 => format!("{stage} {count} ({rate}/s)"),
            _ => format!("{stage} {count}"),
        })
    });
    let shown: Vec<String> = shown.collect();
    let found = [
        (progress.names, "name", "names"),
        (progress.addresses, "address", "addresses"),
        (progress.sites, "site", "sites"),
    ];
    let found = found.map(|(count, one, many)| amount(u64::try_from(count).unwrap_or(u64::MAX), one, many));
    let mut parts = vec![found.join(", ")];
    parts.extend((!shown.is_empty()).then(|| format!("probes: {}", shown.join(", "))));
    parts.push(format!("{} open, {} unanswered", progress.open, progress.unknown));
    parts.push(left(progress.left.map(|left| left.as_secs())));
    parts.push(format!("{} entities, {} ours", progress.entities, progress.scoped));
    parts.push(format!("{} issues", progress.issues));
    if progress.reconciling > 0 {
        parts.push(format!("{} to be decided and judged", progress.reconciling));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_stages_with_counts_and_rates() {
        let tasks = |resolved: u64| {
            [("resolve".to_owned(), resolved), ("http_enrich".to_owned(), 2), ("network".to_owned(), 9)]
        };
        let progress = |resolved: u64| Progress {
            done: 7,
            open: 3,
            unknown: 1,
            entities: 9,
            scoped: 8,
            issues: 2,
            names: 1_204,
            addresses: 3,
            sites: 1,
            tasks: tasks(resolved).into_iter().collect(),
            ..Progress::default()
        };
        let (mut rates, start) = (Rates::default(), Instant::now());
        let found = "1,204 names, 3 addresses, 1 site";
        let rest = |left: &str| format!("3 open, 1 unanswered · {left} · 9 entities, 8 ours · 2 issues");
        let unknown = rest("time left unknown");
        let shown = text(&progress(5), &mut rates, start);
        assert_eq!(shown, format!("{found} · probes: names 5, sites 2 · {unknown}"));
        let later = start + Duration::from_secs(5);
        let shown = text(&progress(105), &mut rates, later);
        assert_eq!(shown, format!("{found} · probes: names 105 (20/s), sites 2 · {unknown}"));
        let known = Progress { left: Some(Duration::from_secs(240)), ..progress(105) };
        assert!(text(&known, &mut rates, later).ends_with(&rest("about 4 min left")));
        let begun = text(&Progress::default(), &mut Rates::default(), start);
        assert!(
            begun.starts_with("0 names, 0 addresses, 0 sites · 0 open, 0 unanswered · time left unknown"),
            "{begun}"
        );
        let many = Progress { reconciling: 4_000, ..progress(105) };
        assert!(text(&many, &mut rates, later).ends_with("2 issues · 4000 to be decided and judged"));
    }
}
