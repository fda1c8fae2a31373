//! One row of work: runs the task under its deadline, catches its panics, and says how the look ended.

use ambit_model::entity;
use ambit_model::facts::Facts;
use ambit_model::observation::Look;
use ambit_model::run::NotDone;
use ambit_model::scope::host_of;
use ambit_net::{Grants, Home, Net};
use ambit_store::engine::{Outcome, Work};
use ambit_tasks::{Answer, Contacts, Context, Settings, Task, TaskError};
use futures::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of one row, on the wire's clock: a sweep of a slow address takes minutes, nothing takes longer for a good reason.
const TASK_DEADLINE: Duration = Duration::from_secs(20 * 60);

/// Leases after which a row runs alone: the process died under it that often (docs/architecture.md §2).
pub const ATTEMPTS_BEFORE_ALONE: i64 = 3;
/// Leases after which a row is set aside: it died twice more, alone.
pub const ATTEMPTS_MAX: i64 = ATTEMPTS_BEFORE_ALONE + 2;

/// What every row of a run shares.
#[derive(Clone)]
pub struct Bench {
    pub net: Net,
    pub settings: Arc<Settings>,
}

/// A finished row.
#[derive(Debug)]
pub struct Done {
    pub outcome: Outcome,
    /// Why it was not done, where it was not.
    pub not_done: Option<NotDone>,
}

/// Runs a leased row to its end. Never fails and never panics.
pub async fn execute(bench: &Bench, work: Work, facts: &Facts) -> Done {
    let Some(task) = ambit_tasks::find(&work.task) else {
        let reason = format!("this version knows no task {:?}", work.task);
        return finish(bench, work, Look::Unknown(reason.clone()), &[], Some(reason));
    };
    if work.attempts >= ATTEMPTS_MAX {
        let reason = format!("set aside: the process died under it {} times", work.attempts);
        return finish(bench, work, Look::Unknown(reason.clone()), task.volatile, Some(reason));
    }
    let session = bench.net.session(grants(task, &work));
    let context = Context::new(&session, facts, &work.argument, &bench.settings);
    let deadline = session.sleep(TASK_DEADLINE);
    let ended = {
        let run = AssertUnwindSafe((task.run)(&context)).catch_unwind();
        futures::pin_mut!(run, deadline);
        match futures::future::select(run, deadline).await {
            futures::future::Either::Left((ended, _)) => Some(ended),
            futures::future::Either::Right(_) => None,
        }
    };
    let (look, reason) = match ended {
        Some(Ok(Ok(Answer::Found))) => (Look::Found(context.into_found()), None),
        Some(Ok(Ok(Answer::Absent))) => (Look::Absent, None),
        Some(Ok(Err(error))) => {
            let (class, text) = describe(error);
            (Look::Unknown(text), Some(class))
        }
        Some(Err(_)) => {
            tracing::error!(task = task.name.as_str(), entity.name = %work.name, "task panicked");
            (Look::Unknown("the task panicked".to_owned()), Some("task panicked"))
        }
        None => (Look::Unknown("out of time".to_owned()), Some("out of time")),
    };
    finish(bench, work, look, task.volatile, reason.map(str::to_owned))
}

/// A row that is not carried on: a person took its entity out of scope.
pub fn refused(bench: &Bench, work: Work) -> Done {
    let volatile = ambit_tasks::find(&work.task).map_or(&[][..], |task| task.volatile);
    let look = Look::Unknown("it was taken out of scope while it was looked at".to_owned());
    finish(bench, work, look, volatile, Some("refused by scope".to_owned()))
}

/// What the task may contact: targets at its footprint, its own providers, and nothing else.
fn grants(task: &Task, work: &Work) -> Grants {
    let host = host_of(&work.name);
    match task.contacts {
        Contacts::Nothing => Grants::task(task.footprint, &[]),
        Contacts::Zone => Grants::task(task.footprint, &[]).at_home(Home::Zone(entity::registrable(host).unwrap_or(host).to_owned())),
        Contacts::Provider(provider) => Grants::task(task.footprint, &[provider]).at_home(Home::Provider(provider.to_owned())),
        Contacts::Address => match host.parse() {
            Ok(address) => Grants::task(task.footprint, &[]).at_home(Home::Block(address)),
            Err(_) => Grants::task(task.footprint, &[]),
        },
    }
}

fn describe(error: TaskError) -> (&'static str, String) {
    match error {
        TaskError::Failed(text) => ("no answer", text),
        TaskError::OutOfScope(text) => ("refused by scope", text),
        TaskError::OutOfBudget(text) => ("out of budget", text),
        TaskError::SourceDown(text) => ("source down", text),
    }
}

fn finish(bench: &Bench, work: Work, look: Look, volatile: &'static [&'static str], reason: Option<String>) -> Done {
    let not_done = reason.map(|reason| NotDone {
        reason,
        task: work.task.clone(),
        count: 1,
        example: format!("{} {}", work.kind.name(), work.name),
    });
    Done {
        outcome: Outcome {
            work,
            look,
            volatile,
            at: bench.net.session(Grants::none()).date(),
        },
        not_done,
    }
}
