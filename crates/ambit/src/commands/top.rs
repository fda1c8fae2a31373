//! `ambit top`: what runs now and how fast, drawn anew every few seconds at a terminal, and once where nobody watches.

use crate::api::{Api, Needs, OURS};
use crate::args::Target;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::Result;
use crate::output::Results;
use crate::output::table::{items, shown, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// The states of runs that are over.
const OVER: [&str; 3] = ["finished", "failed", "cancelled"];
/// Runs that are shown of those that are over: as many as tell what was done last.
const OVER_MAX: usize = 5;
/// Runs that are shown.
const OPEN_MAX: usize = 30;
/// Takes the pointer of a terminal to its top, and what was there away.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

#[derive(Debug, clap::Args)]
pub(crate) struct Top {
    #[command(flatten)]
    target: Target,
    /// Seconds between two updates, up to 3,600.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    every: u64,
    /// Number of updates (default: until ^C at a terminal, else one).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
}

/// Runs the command. A terminal's ^C ends it: nothing is under way here.
pub(crate) async fn run(top: &Top, settings: &Settings) -> Result<()> {
    let api = Api::open(&top.target, settings, Needs::Rows).await?;
    let drawn = std::io::stdout().is_terminal();
    let mut left = top.rounds.unwrap_or(if drawn { u64::MAX } else { 1 });
    let mut before = Looks::default();
    loop {
        let runs = api.get(&format!("{OURS}/collection_runs")).await?.result;
        let mut results = Results::open(None)?;
        if drawn {
            results.text(CLEAR)?;
        }
        for line in screen(&runs, &mut before, Instant::now()) {
            results.line(&line)?;
        }
        results.finish()?;
        left -= 1;
        if left == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(top.every)).await;
    }
}

/// How much each run had done at the last look.
type Looks = BTreeMap<i64, (Instant, i64)>;

fn screen(runs: &Value, before: &mut Looks, at: Instant) -> Vec<String> {
    let is_over = |run: &&Value| OVER.contains(&text(&run["status"]).as_str());
    let (mut over, open): (Vec<&Value>, Vec<&Value>) = items(runs).partition(is_over);
    over.sort_by_key(|run| std::cmp::Reverse(text(&run["finished_at"])));
    let mut lines = vec![format!("{}  {} under way", now(), open.len())];
    if !open.is_empty() {
        lines.push(row(["run", "state", "done", "a second", "open", "unanswered", "new", "collection"]));
    }
    for run in open.iter().take(OPEN_MAX) {
        let number = |member: &str| run[member].as_i64().unwrap_or_default();
        let (id, done) = (number("id"), number("work_done"));
        let rate = before.insert(id, (at, done)).map(|(then, was)| {
            let seconds = at.duration_since(then).as_secs_f64().max(0.001);
            format!("{:.0}", (done - was).max(0) as f64 / seconds)
        });
        let (waits, unknown) = (number("work_open").to_string(), number("work_unknown").to_string());
        let (rate, new) = (rate.unwrap_or_else(|| "-".to_owned()), number("new_entity_count").to_string());
        let (state, name) = (shown(run, "status"), shown(run, "collection_name"));
        lines.push(row([&id.to_string(), &state, &done.to_string(), &rate, &waits, &unknown, &new, &name]));
    }
    if open.len() > OPEN_MAX {
        lines.push(format!("and {} more; `ambit run list` has all", open.len() - OPEN_MAX));
    }
    for run in over.iter().take(OVER_MAX) {
        let [name, state, at] = ["collection_name", "status", "finished_at"].map(|member| shown(run, member));
        lines.push(format!("run {} of {name} {state} at {at}", run["id"]));
    }
    lines
}

fn row(cells: [&str; 8]) -> String {
    let [run, state, done, rate, open, unknown, new, name] = cells;
    format!("{run:>6}  {state:<10}{done:>10}{rate:>10}{open:>10}{unknown:>12}{new:>8}  {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_under_way_comes_first_with_what_it_did_since_the_last_look() {
        let run = |done: i64| {
            json!([
                {"id": 3, "status": "finished", "collection_name": "old", "finished_at": "2026-11-25T10:00:00.000Z"},
                {"id": 7, "status": "running", "collection_name": "a\u{1b}[2Jb", "work_done": done, "work_open": 40,
                 "work_unknown": 2, "new_entity_count": 5},
            ])
        };
        let (mut before, at) = (Looks::default(), Instant::now());
        let first = screen(&run(100), &mut before, at);
        assert!(first[0].ends_with("1 under way") && first[3].starts_with("run 3 of old finished at 2026-11-25"));
        let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cells(&first[2])[..7], ["7", "running", "100", "-", "40", "2", "5"]);
        let second = screen(&run(150), &mut before, at + Duration::from_secs(2));
        assert_eq!(cells(&second[2])[3], "25");
        assert!(!second[2].contains('\u{1b}'), "a name moves no pointer: {:?}", second[2]);
    }
}
