//! Progress for a person: a bar on a terminal, a line every few seconds elsewhere, nothing when silent (design §10).

use crate::output::hint;
use ambit_engine::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::Duration;
use tokio::sync::watch;

/// Between two lines where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows a run's progress until its sender goes away.
pub(crate) async fn show(mut progress: watch::Receiver<Progress>, silent: bool) {
    if silent {
        return;
    }
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        bar(&mut progress).await;
    } else {
        lines(&mut progress).await;
    }
}

async fn bar(progress: &mut watch::Receiver<Progress>) {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}").expect("a constant template"));
    bar.enable_steady_tick(Duration::from_millis(200));
    while progress.changed().await.is_ok() {
        bar.set_message(text(&progress.borrow_and_update()));
    }
    bar.finish_and_clear();
}

async fn lines(progress: &mut watch::Receiver<Progress>) {
    let start = std::time::Instant::now();
    let mut next = LINE_EVERY;
    while progress.changed().await.is_ok() {
        let shown = text(&progress.borrow_and_update());
        if start.elapsed() >= next {
            hint(&format!("{:>4} s  {shown}", start.elapsed().as_secs()));
            next = start.elapsed() + LINE_EVERY;
        }
    }
}

/// `1,204 done, 35 open (3 unanswered) · resolve 300, port_sweep 40 · 812 entities, 640 ours · 41 issues`
fn text(progress: &Progress) -> String {
    let mut tasks: Vec<(&String, &u64)> = progress.tasks.iter().collect();
    tasks.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let busiest: Vec<String> = tasks.iter().take(3).map(|(task, count)| format!("{task} {count}")).collect();
    format!(
        "{} done, {} open ({} unanswered) · {} · {} entities, {} ours · {} issues",
        progress.done,
        progress.open,
        progress.unknown,
        busiest.join(", "),
        progress.entities,
        progress.scoped,
        progress.issues
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_counts_and_the_busiest_tasks() {
        let tasks = [("resolve".to_owned(), 5), ("ptr".to_owned(), 2)].into_iter().collect();
        let progress = Progress {
            done: 7,
            open: 3,
            unknown: 1,
            entities: 9,
            scoped: 8,
            issues: 2,
            tasks,
            ..Progress::default()
        };
        assert_eq!(
            text(&progress),
            "7 done, 3 open (1 unanswered) · resolve 5, ptr 2 · 9 entities, 8 ours · 2 issues"
        );
    }
}
