//! The log lines of an active run: its progress, what it waits for, and the time that the engine itself used.

use super::Drive;
use ambit_model::Kind;
use ambit_model::run::RunProgress;
use ambit_store::Result;
use std::collections::HashMap;
use std::time::Duration;

/// How often the log says how far a run is, wall time.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// Tasks that the log names of those under way.
const WAITS_FOR_MAX: usize = 5;

/// Wall time that the engine itself has taken, rows aside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) committing: Duration,
    pub(super) reconciling: Duration,
    pub(super) leasing: Duration,
    /// Entities reconciled, each as often as it was.
    pub(super) reconciled: usize,
    /// Of these, those of which scope was decided anew, and those that are planned since it was raised around them.
    pub(super) decided: usize,
    pub(super) raised: usize,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { committing, reconciling, leasing, reconciled, decided, raised } = self;
        let seconds = |spent: &Duration| spent.as_secs_f64();
        let (committing, reconciling, leasing) = (seconds(committing), seconds(reconciling), seconds(leasing));
        write!(f, "committing {committing:.1} s, reconciling {reconciled} entities {reconciling:.1} s")?;
        write!(
            f,
            " ({decided} with a new scope decision, {raised} after their surroundings changed), leasing {leasing:.1} s"
        )
    }
}

impl Drive<'_> {
    /// Counts what is known, what of it is there and theirs, and the sorts of it that people count by.
    pub(super) fn count_found(&mut self) {
        let of = &mut self.progress;
        (of.entities, of.scoped, of.names, of.addresses, of.sites) = (0, 0, 0, 0, 0);
        for (node, state) in self.graph.iter() {
            of.entities += 1;
            if !state.present || !state.decision.scoped() {
                continue;
            }
            of.scoped += 1;
            match node.kind {
                Kind::Domain | Kind::DnsRecord => of.names += 1,
                Kind::IpAddress => of.addresses += 1,
                Kind::Uri => of.sites += 1,
                _ => {}
            }
        }
    }

    /// Shows the progress to whoever watches this process, with how long the run still takes.
    pub(super) fn show(&mut self) {
        let (rows, done) = self.undone;
        let rest = rows.saturating_sub(self.progress.done.saturating_sub(done));
        self.progress.left = self.pace.left(self.began.1.elapsed(), self.progress.done, rest);
        self.config.progress.send_replace(self.progress.clone());
    }

    /// Stores the progress for whoever asks the store.
    pub(super) async fn store_progress(&mut self) -> Result<()> {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let of = &self.progress;
        let progress = RunProgress {
            names: whole(of.names),
            addresses: whole(of.addresses),
            sites: whole(of.sites),
            seconds_left: of.left.map(|left| i64::try_from(left.as_secs()).unwrap_or(i64::MAX)),
        };
        if self.shown.1 != Some(progress) {
            self.config.engine.show_progress(self.run.id, progress).await?;
        }
        self.shown = (std::time::Instant::now(), Some(progress));
        Ok(())
    }

    pub(super) fn tell(&mut self) {
        if self.told.elapsed() < TELL_EVERY {
            return;
        }
        self.told = std::time::Instant::now();
        let (done, unknown) = (self.progress.done, self.progress.unknown);
        let (in_flight, entities) = (self.flight.running().len(), self.progress.new_entities);
        let (waits_for, spent) = (self.waits_for(), self.spent);
        tracing::info!(
            run = self.run.id,
            done,
            unknown,
            in_flight,
            waits_for,
            new_entities = entities,
            %spent,
            "a run goes on"
        );
    }

    /// The tasks with the most rows under way, with their numbers.
    fn waits_for(&self) -> String {
        let mut tasks: HashMap<&str, usize> = HashMap::new();
        for work in self.flight.running() {
            *tasks.entry(&work.task).or_default() += 1;
        }
        let mut tasks: Vec<(&str, usize)> = tasks.into_iter().collect();
        tasks.sort_by_key(|(task, rows)| (std::cmp::Reverse(*rows), *task));
        let told: Vec<String> = tasks.iter().take(WAITS_FOR_MAX).map(|(task, rows)| format!("{rows} {task}")).collect();
        told.join(", ")
    }
}
