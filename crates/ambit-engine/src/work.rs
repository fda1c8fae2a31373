//! One row of work: runs the task under its deadline, catches its panics, and reports how the probe ended.

use ambit_model::TaskName;
use ambit_model::entity;
use ambit_model::entity::host_of;
use ambit_model::facts::Facts;
use ambit_model::observation::{ProbeResult, Sighting};
use ambit_model::run::NotDoneReason;
use ambit_net::{Grants, Home, Net, Session};
use ambit_store::engine::{ATTEMPTS_BEFORE_ALONE, Outcome, Work};
use ambit_tasks::{Again, Answer, Contacts, Context, Memory, Settings, Task};
use futures::FutureExt as _;
use futures::future::{Either, select};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of one row, on the wire's clock: a sweep of a slow address takes minutes, nothing takes longer for a
/// good reason.
const TASK_DEADLINE: Duration = Duration::from_secs(20 * 60);

/// The same of a repository and of the package of an app, which are there whole before they are looked through.
const WHOLE_DEADLINE: Duration = Duration::from_secs(4 * 3_600);

/// What a row may wait beside that for its turn with a data provider: behind thousands of questions to one registry,
/// two a second, it waits for an hour.
const SOURCE_WAITS_MAX: Duration = Duration::from_secs(12 * 3_600);

/// What each port adds to that where ports are swept: the 256 addresses of a /24 share 300 connections a second, and
/// are asked three times where questions are lost.
const PORT_TIME: Duration = Duration::from_secs(3);

/// Leases after which a row is set aside: it died twice more, alone.
pub(crate) const ATTEMPTS_MAX: i64 = ATTEMPTS_BEFORE_ALONE + 2;

/// What every row of a run shares.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) net: Net,
    pub(crate) settings: Arc<Settings>,
    /// What the run's rows remember for one another.
    pub(crate) memory: Arc<Memory>,
    /// By which settings it searches.
    pub(crate) searched: i64,
}

/// Runs a leased row to its end: for everything, or where it only verifies, for what was found before. Never fails and
/// never panics.
pub(crate) async fn execute(worker: &Worker, work: Work, facts: &Facts, verifies: bool) -> Outcome {
    let Some(task) = ambit_tasks::find(&work.task) else {
        let why = format!("this version knows no task {:?}", work.task);
        return finish(worker, work, unknown(NotDoneReason::UnknownTask, why), None);
    };
    if work.attempts >= ATTEMPTS_MAX {
        let why = format!("set aside: the process crashed {} times while it ran", work.attempts);
        return finish(worker, work, unknown(NotDoneReason::SetAside, why), Some(task));
    }
    let session = worker.net.session(grants(task, &work));
    let most = deadline(task, &worker.settings);
    let context = Context::new(&session, facts, &work.argument, &worker.settings).beside(&worker.memory).within(most);
    let context = context.verifying(verifies);
    let waits_max = if task.asks_sources() { SOURCE_WAITS_MAX } else { Duration::ZERO };
    let ended = within(&session, (most, waits_max), (task.run)(&context)).await;
    // What was found is as it was: the search that found it holds for as long as it did.
    let verified = context.verifies() && matches!(ended, Some(Ok(Ok(Answer::Found))));
    let before = facts.probe_at(task.name, &work.argument).filter(|_| verified).map(|probe| probe.at);
    let result = match ended {
        Some(Ok(Ok(Answer::Found))) => ProbeResult::Found(context.into_found()),
        Some(Ok(Ok(Answer::Absent))) => ProbeResult::Absent,
        Some(Ok(Ok(Answer::InPart(error)))) => {
            // What was found shows that it answers.
            let reason = match error.reason() {
                NotDoneReason::NoAnswer => NotDoneReason::InPart,
                reason => reason,
            };
            let why = error.to_string();
            ProbeResult::InPart { found: context.into_found(), reason, why }
        }
        Some(Ok(Err(error))) => unknown(error.reason(), error.to_string()),
        Some(Err(_)) => {
            tracing::error!(task = task.name.as_str(), entity.name = %work.name, "task panicked");
            unknown(NotDoneReason::Panicked, "the task panicked")
        }
        None => {
            let (reason, why) = (NotDoneReason::OutOfTime, "out of time");
            match context.into_found_so_far(task.name) {
                Some(found) => ProbeResult::InPart { found, reason, why: why.to_owned() },
                None => unknown(reason, why),
            }
        }
    };
    let outcome = finish(worker, work, result, Some(task));
    Outcome { at: before.unwrap_or(outcome.at), ..outcome }
}

/// Runs a task for so long at most, and for so long more as resolvers are left alone, as it waits for what else the
/// process sends, and as it waits for the rate limiter, that up to a limit. `None` where it did not end.
async fn within<T>(
    session: &Session,
    (most, waits_max): (Duration, Duration),
    task: impl Future<Output = T>,
) -> Option<std::thread::Result<T>> {
    let task = AssertUnwindSafe(task).catch_unwind();
    futures::pin_mut!(task);
    let (begun, paused) = (session.now(), session.resolvers_paused());
    let mut until = begun + most;
    loop {
        let over = std::pin::pin!(session.sleep(until.saturating_sub(session.now())));
        if let Either::Left((ended, _)) = select(task.as_mut(), over).await {
            return Some(ended);
        }
        let pauses = session.resolvers_paused().saturating_sub(paused);
        // What else is sent ends with the run at the latest.
        let waited = session.waited().min(waits_max).max(session.waited_for_others());
        let with_waits = begun + most + pauses + waited;
        if with_waits <= until {
            return None;
        }
        until = with_waits;
    }
}

/// How long a row of the task may take.
fn deadline(task: &Task, settings: &Settings) -> Duration {
    let ports = match task.name {
        TaskName::BlockSweep => settings.swept_ports.len().max(settings.ports.len()),
        TaskName::PortSweep => settings.ports.len(),
        TaskName::AppPackage | TaskName::ExposedRepository | TaskName::Repository => return WHOLE_DEADLINE,
        _ => 0,
    };
    TASK_DEADLINE + PORT_TIME * u32::try_from(ports).unwrap_or(u32::MAX)
}

/// A row that is not carried on: a person took its entity out of scope.
pub(crate) fn refused(worker: &Worker, work: Work) -> Outcome {
    let task = ambit_tasks::find(&work.task);
    let result = unknown(NotDoneReason::RefusedByScope, "it was removed from scope while it was probed");
    finish(worker, work, result, task)
}

/// What the task may contact: targets at its footprint, its own providers, and nothing else.
fn grants(task: &Task, work: &Work) -> Grants {
    let host = host_of(&work.name);
    match task.contacts {
        Contacts::Nothing => Grants::task(task.footprint, &[]),
        Contacts::Zone => {
            Grants::task(task.footprint, &[]).at_home(Home::Zone(entity::registrable(host).unwrap_or(host).to_owned()))
        }
        Contacts::Provider(_) | Contacts::Source => match task.provider(&work.argument) {
            Some(provider) => Grants::task(task.footprint, &[provider]).at_home(Home::Provider(provider.to_owned())),
            None => Grants::task(task.footprint, &[]),
        },
        Contacts::Address => match host.parse() {
            Ok(address) => Grants::task(task.footprint, task.also_asks()).at_home(Home::Block(address)),
            Err(_) => Grants::task(task.footprint, task.also_asks()),
        },
    }
}

fn unknown(reason: NotDoneReason, why: impl Into<String>) -> ProbeResult {
    ProbeResult::Unknown { reason, why: why.into() }
}

fn finish(worker: &Worker, work: Work, result: ProbeResult, task: Option<&Task>) -> Outcome {
    let sighting = task.map_or(Sighting::Nothing, |task| task.sighting(work.kind));
    let volatile = task.map_or(&[][..], |task| task.volatile);
    let searched = task.filter(|task| task.again != Again::All).map(|_| worker.searched);
    Outcome { work, result, volatile, sighting, at: worker.net.session(Grants::none()).date(), searched }
}
