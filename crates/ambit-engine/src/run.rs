//! The life of a run: lease, execute, commit, reconcile, until no work is open and no lease is live
//! (docs/architecture.md §2).

mod accounts;
mod alone;
mod ending;
mod flight;
mod giving_back;
mod hubs;
mod in_doubt;
mod load;
mod obeying;
mod planned;
mod reconciling;
mod taking_up;
mod telling;
mod unserved;
mod uploaded;

use crate::graph::Graph;
use crate::guard::ScopeGuard;
use crate::installation::Installation;
use crate::pace::Pace;
use crate::progress::Progress;
use crate::refresh::Refresh;
use crate::share::Share;
use crate::work::Worker;
use crate::{fingerprints, platforms, secrets};
use alone::Alone;
use ambit_model::reserved::Reserved;
use ambit_model::run::{NotDone, NotDoneReason, Run, RunProgress, RunState};
use ambit_model::scope::Rules;
use ambit_model::seeds::Seeds;
use ambit_model::{Kind, TaskName, Timestamp, Uid, moment};
use ambit_net::wire::Wire;
use ambit_store::Result;
use ambit_store::engine::{Commit, Unreconciled};
use ambit_tasks::Settings;
use ambit_vulns::Knowledge;
use flight::Flight;
use hubs::Hubs;
use in_doubt::InDoubt;
use planned::PlannedRows;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::{Instrument as _, field};

/// Outcomes of one commit (docs/architecture.md §1.7: engine parts of at most 500 rows).
const COMMIT_MAX: usize = 200;
/// Longest time between a row's end and its commit, wall time: what follows from it waits for that. Where much ends,
/// [`COMMIT_MAX`] comes sooner.
const COMMIT_EVERY: Duration = Duration::from_millis(100);
/// Between two reconciliations while there is other work, as a multiple of what the last one took: what changes many
/// times meanwhile is reconciled once, and scope, which is decided over the whole graph, takes no more than a quarter
/// of the time however large that is.
const RECONCILE_PACE: u32 = 3;
/// How often the engine looks whether a person paused or cancelled the run, wall time.
const CONTROL_EVERY: Duration = Duration::from_millis(500);
/// How often the progress is stored for people, wall time.
const SHOW_EVERY: Duration = Duration::from_secs(2);
/// How often the engines that live are counted, wall time: one that came or went is noticed within seconds.
const ENGINES_EVERY: Duration = Duration::from_secs(5);
/// Longest a run may take, wall time (docs/contract/asm.md §3.3). While it is carried that time is measured, not read
/// off the clock, which jumps.
const RUN_MAX_MS: i64 = 72 * 3_600 * moment::SECOND_MS;

/// Wall time as an argument from the binary.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The configuration of a run, beside its row.
#[derive(Clone)]
pub struct EngineConfig {
    pub engine: ambit_store::engine::Engine,
    pub wire: Arc<dyn Wire>,
    pub pace: Arc<ambit_net::Pace>,
    pub settings: Arc<Settings>,
    /// The administrator's settings for every run.
    pub installation: Installation,
    pub clock: Clock,
    /// What is known against products.
    pub knowledge: Arc<Knowledge>,
    pub progress: watch::Sender<Progress>,
    /// How many rows it may have running at once.
    pub share: Arc<Share>,
    /// Becomes true when another run's turn has come.
    pub give_way: watch::Receiver<bool>,
    /// Becomes true when the process is asked to stop.
    pub stop: watch::Receiver<bool>,
}

/// How the engine's part of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It is over, in this state.
    Over(RunState),
    /// A person paused it; its leases were given back.
    Paused,
    /// The process was asked to stop; its leases were given back.
    Stopped,
    /// A window of its collection has begun; it goes on when that is over. Its leases were given back.
    Rests,
    /// It made room for another run and goes on when its turn comes again; its leases were given back.
    GaveWay,
}

/// Carries a claimed run on to its end, or to a pause or stop. What the engine itself does meanwhile are spans within
/// that of the run. Fails where the store does, and then the run is not over.
pub async fn drive(config: &EngineConfig, run: &Run) -> Result<RunEnd> {
    let span = tracing::info_span!(
        target: "traces",
        "run",
        otel.status_code = field::Empty,
        run.id = run.id,
        run.number = run.number,
        run.uuid = %run.uuid,
        run.end = field::Empty,
        collection.uuid = %run.collection,
    );
    let end = carry(config, run).instrument(span.clone()).await;
    match &end {
        Ok(end) => span.record("run.end", format!("{end:?}")),
        Err(_) => span.record("otel.status_code", "ERROR"),
    };
    end
}

async fn carry(config: &EngineConfig, run: &Run) -> Result<RunEnd> {
    // Read before the rules: a word that comes between the two is obeyed once more.
    let scope_revision = config.engine.scope_revision(run.collection).await?;
    let rules = obeying::rules(config, run).await?;
    let mut config = with_wishes(config, run).await?;
    if let Some(rules) = fingerprints::PACKS.loaded(&config.engine).await? {
        Arc::make_mut(&mut config.settings).fingerprints = rules;
    }
    if let Some(rules) = secrets::PACKS.loaded(&config.engine).await? {
        Arc::make_mut(&mut config.settings).secrets = rules;
    }
    if let Some(lists) = platforms::PACKS.loaded(&config.engine).await? {
        Arc::make_mut(&mut config.settings).platforms = lists;
    }
    let by_operator = config.engine.operator_seeds(run.collection).await?;
    let folders = by_operator.iter().filter(|(kind, _)| *kind == Kind::GitRepository).map(|(_, name)| name.clone());
    Arc::make_mut(&mut config.settings).folders = folders.collect();
    Arc::make_mut(&mut config.settings).accounts = accounts::opened(&config, run).await?;
    // They are files for as long as the run is carried on.
    let seeds = Arc::new(config.engine.seeds(run.collection).await?);
    let held = uploaded::packages(&config, run, &seeds).await?;
    let uploaded = held.iter().map(|held| (held.app.clone(), held.path().to_owned()));
    Arc::make_mut(&mut config.settings).packages.extend(uploaded);
    let alone = Alone::of(&config, run, &seeds).await?;
    if let Some(alone) = &alone {
        let skipped = config.settings.skipped.and(&alone.skipped());
        Arc::make_mut(&mut config.settings).skipped = skipped;
    }
    let config = &config;
    let reserved = config.installation.reserved(config.wire.reserved(), &by_operator);
    let mut drive = Drive::new(config, run, rules, reserved, scope_revision);
    (drive.alone, drive.seeds) = (alone, seeds);
    drive.confirmed = config.engine.confirmed_blocks(run.collection).await?;
    drive.recall_lookups().await?;
    let end = drive.until_end().await;
    let given_back = drive.give_back().await;
    match &end {
        Ok(RunEnd::Over(state)) => {
            let mut unserved = match &drive.alone {
                Some(alone) => drive.note_verdict(alone).await?,
                None => drive.unserved().await?,
            };
            unserved.extend(drive.left_alone().await?);
            config.engine.finish(run.id, *state, &unserved, (config.clock)()).await?
        }
        // Whoever comes next need not wait until this engine's heartbeat lapses. Where the store fails, that is what
        // frees the run.
        Ok(_) => config.engine.release(run.id).await?,
        Err(_) => drop(config.engine.release(run.id).await),
    }
    given_back?;
    end
}

/// The configuration with the ports that the run's collection asks for, and without the tasks that it leaves out or
/// that its workflow does not have, and without a browser that could not reach what the run looks at.
async fn with_wishes(config: &EngineConfig, run: &Run) -> Result<EngineConfig> {
    let mut config = config.clone();
    let collection = config.engine.collection(run.collection).await?;
    if let Some(ports) = &collection.ports {
        Arc::make_mut(&mut config.settings).ask_ports(ports);
    }
    let outside = ambit_tasks::outside(&collection.workflow);
    let chosen = if collection.skipped_tasks.is_empty() { &config.settings.skipped } else { &collection.skipped_tasks };
    let skipped = chosen.and(&outside);
    if skipped != config.settings.skipped {
        Arc::make_mut(&mut config.settings).skipped = skipped;
    }
    if config.settings.browser.is_some() && !config.wire.carries_programs() {
        Arc::make_mut(&mut config.settings).browser = None;
    }
    Ok(config)
}

struct Drive<'a> {
    config: &'a EngineConfig,
    run: &'a Run,
    rules: Rules,
    /// What it looks at, where that is one issue.
    alone: Option<Alone>,
    /// Large blocks whose sweep a person has confirmed.
    confirmed: BTreeSet<Uid>,
    /// What was already counted as not done because a person or scope does not allow it: once in a run, though it is
    /// planned many times.
    unconfirmed: BTreeSet<(Uid, TaskName)>,
    in_doubt: InDoubt,
    /// Of what was already said that there is more than is asked about: once in a run, though it is planned many times.
    left_out: BTreeSet<(Uid, TaskName)>,
    /// How often people had changed what scope depends on when the rules were read.
    scope_revision: i64,
    /// It was changed since.
    is_told: bool,
    /// The rules are not those by which the graph was decided.
    rules_moved: bool,
    graph: Graph,
    guard: Arc<ScopeGuard>,
    flight: Flight<'a>,
    /// What the run relies on of earlier ones.
    refresh: Option<Refresh>,
    /// Those of its collection when this engine took it: others count from the next run on.
    seeds: Arc<Seeds>,
    hubs: Hubs,
    /// The wire's date when this engine took the run.
    date: Timestamp,
    /// When this engine took the run, by both clocks.
    began: (Timestamp, std::time::Instant),
    controlled: std::time::Instant,
    told: std::time::Instant,
    /// When the living engines were counted last.
    counted: Option<std::time::Instant>,
    progress: Progress,
    pace: Pace,
    /// Rows that were planned and not done when that was read last, and how many had been done then.
    undone: (u64, u64),
    /// When the store was told of the progress last, and of which.
    shown: (std::time::Instant, Option<RunProgress>),
    proven: BTreeSet<(Uid, &'static str, String)>,
    planned: PlannedRows,
    finishing: bool,
    /// The last lease brought fewer rows than asked for, and nothing was committed or reconciled since.
    dry: bool,
    /// Something was committed since everything was reconciled.
    unreconciled: bool,
    /// Entities that changed and that more rows are under way for, with when that was seen first.
    deferred: HashMap<Uid, std::time::Instant>,
    /// When everything was reconciled last, and how long that took, wall time.
    reconciled: (std::time::Instant, Duration),
    spent: telling::Spent,
}

impl<'a> Drive<'a> {
    fn new(config: &'a EngineConfig, run: &'a Run, rules: Rules, reserved: Reserved, scope_revision: i64) -> Self {
        let guard = Arc::new(ScopeGuard::new(config.installation.clone(), reserved.clone()));
        let net = ambit_net::Net::new(
            config.wire.clone(),
            guard.clone(),
            config.pace.clone(),
            ambit_net::NetOptions { user_agent: config.installation.user_agent(), ..Default::default() },
        );
        let date = config.wire.date();
        let searched = config.settings.searched();
        let worker = Worker { net, settings: config.settings.clone(), memory: Arc::default(), searched };
        Self {
            config,
            run,
            rules,
            alone: None,
            confirmed: BTreeSet::new(),
            unconfirmed: BTreeSet::new(),
            in_doubt: InDoubt::default(),
            left_out: BTreeSet::new(),
            scope_revision,
            is_told: false,
            rules_moved: false,
            graph: Graph::beside(reserved),
            guard,
            flight: Flight::new(config, worker),
            refresh: Refresh::of(run, date, searched),
            seeds: Arc::default(),
            hubs: Hubs::default(),
            date,
            began: ((config.clock)(), std::time::Instant::now()),
            controlled: std::time::Instant::now(),
            told: std::time::Instant::now(),
            counted: None,
            progress: Progress::default(),
            pace: Pace::default(),
            undone: (0, 0),
            shown: (std::time::Instant::now(), None),
            proven: BTreeSet::new(),
            planned: PlannedRows::default(),
            finishing: false,
            dry: false,
            unreconciled: false,
            deferred: HashMap::new(),
            reconciled: (std::time::Instant::now(), Duration::ZERO),
            spent: telling::Spent::default(),
        }
    }

    async fn until_end(&mut self) -> Result<RunEnd> {
        self.count_engines((self.config.clock)()).await?;
        // Rows start between its batches: a simulated wire waits for it as for any other.
        let hold = self.config.wire.hold();
        if let Some(end) = self.reconcile_all().await? {
            return Ok(end);
        }
        drop(hold);
        loop {
            // The clock of a simulated wire stands still while the engine itself computes or waits for the store.
            let hold = self.config.wire.hold();
            if let Some(end) = self.control().await? {
                return Ok(end);
            }
            if self.is_told
                && let Some(end) = self.obey().await?
            {
                return Ok(end);
            }
            if self.flight.is_due() {
                let begun = std::time::Instant::now();
                self.commit().await?;
                self.spent.committing += begun.elapsed();
            }
            if self.unreconciled
                && self.reconciling_is_due()
                && let Some(end) = self.reconcile_all().await?
            {
                return Ok(end);
            }
            let begun = std::time::Instant::now();
            self.lease().await?;
            self.spent.leasing += begun.elapsed();
            self.flight.start();
            self.flight.start_alone();
            if self.flight.is_still() {
                if let Some(end) = self.rest(hold).await? {
                    return Ok(end);
                }
                continue;
            }
            drop(hold);
            self.flight.collect().await;
        }
    }

    /// A person's word, the process's end and the limit of 72 hours.
    async fn control(&mut self) -> Result<Option<RunEnd>> {
        if *self.config.stop.borrow() {
            return Ok(Some(RunEnd::Stopped));
        }
        if *self.config.give_way.borrow() {
            return Ok(Some(RunEnd::GaveWay));
        }
        if self.controlled.elapsed() < CONTROL_EVERY {
            return Ok(None);
        }
        self.controlled = std::time::Instant::now();
        let now = (self.config.clock)();
        self.config.engine.heartbeat(now).await?;
        self.tell();
        if self.shown.0.elapsed() >= SHOW_EVERY {
            self.store_progress().await?;
        }
        self.count_engines(now).await?;
        self.is_told = self.config.engine.scope_revision(self.run.collection).await? != self.scope_revision;
        let run = self.config.engine.run(self.run.id).await?;
        let started = run.started_at.unwrap_or(run.created_at);
        Ok(match run.state {
            RunState::Paused => Some(RunEnd::Paused),
            state if state.is_over() => Some(RunEnd::Over(state)),
            _ if run.timing.rests_until(now).is_some() => Some(RunEnd::Rests),
            _ if self.carried_to().0 - started.0 > RUN_MAX_MS => {
                self.note_overlong(now).await?;
                Some(RunEnd::Over(RunState::Failed))
            }
            _ => None,
        })
    }

    /// The wall time when this engine took the run, and what has passed since.
    fn carried_to(&self) -> Timestamp {
        let (began, at) = self.began;
        began.plus_ms(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// Says why the run ends before it is done, where people look.
    async fn note_overlong(&self, now: Timestamp) -> Result<()> {
        tracing::warn!(run = self.run.id, "a run took longer than 72 hours and is ended");
        let reason = NotDone {
            reason: NotDoneReason::Overlong,
            task: "run".to_owned(),
            count: 1,
            example: format!("run {}: it took longer than 72 hours; the remaining work was not done", self.run.number),
        };
        let commit =
            Commit { run: self.run.id, outcomes: Vec::new(), returned: Vec::new(), not_done: vec![reason], now };
        self.config.engine.commit(commit).await.map(|_| ())
    }

    /// Tells the rate limiter how many engines divide what lies outside a row's partition (docs/architecture.md §2).
    async fn count_engines(&mut self, now: Timestamp) -> Result<()> {
        if self.counted.is_some_and(|at| at.elapsed() < ENGINES_EVERY) {
            return Ok(());
        }
        self.counted = Some(std::time::Instant::now());
        let live = self.config.engine.live_engines(now).await?;
        self.config.pace.set_engines(usize::try_from(live).unwrap_or(1));
        Ok(())
    }

    /// True where it is time, and where there is too little else to do.
    fn reconciling_is_due(&self) -> bool {
        let (at, took) = self.reconciled;
        // Rows that wait for their turn are counted here: there is enough to do once it comes.
        let few = self.flight.rows() <= self.config.share.rows() / 2;
        let starving = self.flight.running().len() == 0 || (self.dry && few);
        starving || at.elapsed() >= took * RECONCILE_PACE
    }

    #[tracing::instrument(target = "traces", skip_all)]
    async fn lease(&mut self) -> Result<()> {
        let Some(room) = self.flight.room().filter(|_| !self.dry) else { return Ok(()) };
        let date = self.config.wire.date();
        let unreconciled = match self.unreconciled {
            true => Unreconciled::Anything,
            false if self.deferred.is_empty() => Unreconciled::Nothing,
            false => Unreconciled::UnderWay,
        };
        let leased = self.config.engine.lease_meanwhile(self.run.id, room, date, unreconciled);
        let leased = self.flight.beside(leased).await?;
        self.dry = leased.len() < room.rows;
        if leased.is_empty() {
            return Ok(());
        }
        let taking_up::Taken { unbound, mut standing } = self.take_up(leased).await?;
        let older: BTreeSet<Uid> =
            unbound.iter().map(|work| work.uid).filter(|uid| self.hubs.forget_older(uid)).collect();
        let (again, mut orphaned): (Vec<_>, Vec<_>) = unbound.into_iter().partition(|work| older.contains(&work.uid));
        if !again.is_empty() {
            let again = self.take_up(again).await?;
            orphaned.extend(again.unbound);
            standing.extend(again.standing);
        }
        if !standing.is_empty() {
            // They stay planned, for this engine, so that they are not brought to the store again.
            self.dry = false;
            self.config.engine.unplan(self.run.id, standing).await?;
        }
        if orphaned.is_empty() {
            return Ok(());
        }
        self.dry = false;
        self.planned.forget();
        self.config.engine.unplan(self.run.id, orphaned).await
    }

    #[tracing::instrument(target = "traces", skip_all)]
    async fn commit(&mut self) -> Result<()> {
        let mut outcomes = self.flight.drain();
        for done in &outcomes {
            self.progress.done += 1;
            self.progress.unknown += u64::from(done.result.not_done().is_some());
            *self.progress.tasks.entry(done.work.task.clone()).or_default() += 1;
        }
        self.take_in_lookups(&outcomes);
        (self.dry, self.unreconciled) = (false, true);
        // Results of equal content must leave equal rows whatever order they came in.
        outcomes.sort_by(|a, b| {
            (a.work.uid, &a.work.task, &a.work.argument).cmp(&(b.work.uid, &b.work.task, &b.work.argument))
        });
        let commit = Commit {
            run: self.run.id,
            outcomes,
            returned: Vec::new(),
            not_done: Vec::new(),
            now: (self.config.clock)(),
        };
        let committed = self.flight.beside(self.config.engine.commit(commit)).await?;
        self.progress.new_entities += u64::try_from(committed.new_entities).unwrap_or(u64::MAX);
        self.show();
        Ok(())
    }
}
