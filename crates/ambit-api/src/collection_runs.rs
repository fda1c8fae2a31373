//! Collection runs on the wire (docs/contract/asm.md §3.3), and our own longer form with what was not done and why.

use crate::COLLECTION_TYPE;
use crate::contract::{Contract, contract, copied, shape_of};
use crate::plans::Plan;
use crate::shape::Shape;
use crate::words::Word;
use ambit_model::issue::Status;
use ambit_model::moment::SECOND_MS;
use ambit_model::run::{self as model, RetestVerdict, RunState};
use ambit_model::{Clearance, Timestamp, Uid};
use serde::Serialize;
use uuid::Uuid;

contract! {
    /// A run as the contract shows it.
    #[derive(Debug, Serialize)]
    pub struct CollectionRun {
        pub id: i64,
        pub uuid: Uuid,
        pub status: Word<RunState>,
        pub priority: i64,
        pub duration: i64,
        pub entity_count: i64,
        pub created_at: Timestamp,
        pub started_at: Option<Timestamp>,
        pub finished_at: Option<Timestamp>,
        pub collection_name: String,
        pub collection_type: &'static str,
        pub collection_uuid: Uuid,
        pub created_by_uuid: Option<Uuid>,
        pub created_by_email: Option<String>,
        pub project_name: String,
        pub project_uuid: Uuid,
        pub engine: Option<String>,
    }

    /// The work of one level in a run; levels follow one another, quiet work first.
    #[derive(Debug, Serialize)]
    pub struct Stage as "RunStage" {
        pub level: Word<Clearance>,
        pub work_open: i64,
        pub work_done: i64,
        pub work_unknown: i64,
        pub tasks: Vec<TaskWork>,
    }

    /// What one task did in a run.
    #[derive(Debug, Serialize)]
    pub struct TaskWork {
        pub task: String,
        pub work_done: i64,
        pub work_unknown: i64,
    }

    /// Work that was not done, and why.
    #[derive(Debug, Serialize)]
    pub struct NotDone {
        pub reason: String,
        pub task: String,
        pub count: i64,
        pub example: String,
    }

    /// A look at one issue alone. `verdict` is null until it is over: what the issue rests on is still there (`open`),
    /// is not there any more (`closed`), or could not be looked at, and then `not_done` says why. `issue_status` is
    /// that of the issue now.
    #[derive(Debug, Serialize)]
    pub struct Retest {
        pub run: i64,
        pub status: Word<RunState>,
        pub verdict: Option<Word<RetestVerdict>>,
        pub issue_status: Word<Status>,
        pub started_at: Option<Timestamp>,
        pub finished_at: Option<Timestamp>,
        pub not_done: Vec<NotDone>,
    }

    /// The answer to a wish for a run: the envelope with the plan beside the result.
    #[derive(Debug, Serialize)]
    pub struct StartedRun as "" {
        pub success: bool,
        pub message: &'static str,
        pub result: bool,
        pub plan: Plan,
    }
}

/// Our own form: the contract's, with the counters, what each level of work came to, and what was left undone.
#[derive(Debug, Serialize)]
pub struct RunDetail {
    #[serde(flatten)]
    pub run: CollectionRun,
    pub number: i64,
    pub by_person: bool,
    /// It searches everything, also what an earlier run searched within its time to live.
    pub full: bool,
    pub work_open: i64,
    pub work_done: i64,
    pub work_unknown: i64,
    pub new_entity_count: i64,
    /// Names, addresses and sites that are there and theirs.
    pub names_found: i64,
    pub addresses_found: i64,
    pub sites_found: i64,
    /// How long what is planned so far takes, about; null while nothing can be said.
    pub seconds_left: Option<i64>,
    /// The issue that it looks at, and at nothing else.
    pub retests: Option<Uid>,
    /// When it goes on, where a window of its collection has begun.
    pub rests_until: Option<Timestamp>,
    pub stages: Vec<Stage>,
    pub not_done: Vec<NotDone>,
}

/// Of the members that the contract shows too, the documentation names three.
impl Contract for RunDetail {
    const SHAPE: &'static Shape = shape_of! {
        ("RunDetail",)
        ("id",) i64;
        ("uuid",) Uuid;
        ("status",) Word<RunState>;
        ("number",) i64;
        ("by_person",) bool;
        ("full",) bool;
        ("work_open",) i64;
        ("work_done",) i64;
        ("work_unknown",) i64;
        ("new_entity_count",) i64;
        ("names_found",) i64;
        ("addresses_found",) i64;
        ("sites_found",) i64;
        ("seconds_left",) Option<i64>;
        ("retests",) Option<Uid>;
        ("rests_until",) Option<Timestamp>;
        ("stages",) Vec<Stage>;
        ("not_done",) Vec<NotDone>;
        open run
    };
}

impl CollectionRun {
    /// A run. `now` ends the duration of one that still goes on.
    pub fn of(run: &model::Run, now: Timestamp) -> Self {
        copied! {
            Self from run {
                id, uuid, priority, created_at, started_at, finished_at, collection_name, created_by_uuid,
                created_by_email, project_name,
                project_uuid, engine,
            }
            status: Word(run.state),
            duration: duration_s(run, now),
            entity_count: run.counters.entities,
            collection_type: COLLECTION_TYPE,
            collection_uuid: run.collection,
        }
    }
}

/// Whole seconds from its start to its end.
fn duration_s(run: &model::Run, now: Timestamp) -> i64 {
    run.started_at.map_or(0, |start| (run.finished_at.unwrap_or(now).0 - start.0).max(0) / SECOND_MS)
}

impl RunDetail {
    /// A run with its levels of work and what it left undone.
    pub fn of(run: &model::Run, stages: &[model::Stage], not_done: &[model::NotDone], now: Timestamp) -> Self {
        Self {
            run: CollectionRun::of(run, now),
            number: run.number,
            by_person: run.by_person,
            full: run.full,
            work_open: run.counters.work_open,
            work_done: run.counters.work_done,
            work_unknown: run.counters.work_unknown,
            new_entity_count: run.counters.new_entities,
            names_found: run.progress.names,
            addresses_found: run.progress.addresses,
            sites_found: run.progress.sites,
            seconds_left: run.progress.seconds_left,
            retests: run.retests,
            rests_until: run.timing.rests_until(now).filter(|_| !run.state.is_over()),
            stages: stages.iter().map(Stage::from).collect(),
            not_done: not_done.iter().map(NotDone::from).collect(),
        }
    }
}

impl Retest {
    /// A look at an issue that has a status now.
    pub fn of(run: &model::Run, not_done: &[model::NotDone], status: Status) -> Self {
        // A run that broke off, or that a person ended, has learned nothing that it could stand for.
        let verdict = match (run.state, run.verdict) {
            (RunState::Failed | RunState::Cancelled, None) => Some(RetestVerdict::CouldNotLook),
            (state, verdict) => verdict.filter(|_| state.is_over()),
        };
        Self {
            run: run.id,
            status: Word(run.state),
            verdict: verdict.map(Word),
            issue_status: Word(status),
            started_at: run.started_at,
            finished_at: run.finished_at,
            not_done: not_done.iter().map(NotDone::from).collect(),
        }
    }
}

impl From<&model::NotDone> for NotDone {
    fn from(of: &model::NotDone) -> Self {
        Self {
            reason: of.reason.name().to_owned(),
            task: of.task.clone(),
            count: of.count,
            example: of.example.clone(),
        }
    }
}

impl From<&model::Stage> for Stage {
    fn from(of: &model::Stage) -> Self {
        let tasks = of.tasks.iter().map(|task| TaskWork {
            task: task.task.clone(),
            work_done: task.done,
            work_unknown: task.unknown,
        });
        Self {
            level: Word(of.level),
            work_open: of.open,
            work_done: of.tasks.iter().map(|task| task.done).sum(),
            work_unknown: of.tasks.iter().map(|task| task.unknown).sum(),
            tasks: tasks.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::run::RunCounters;
    use serde_json::json;
    use uuid::Uuid;

    fn sample() -> model::Run {
        model::Run {
            id: 1,
            uuid: Uuid::nil(),
            collection: Uuid::nil(),
            collection_name: "outside_a1b2c3d".to_owned(),
            project: 7,
            project_uuid: Uuid::nil(),
            project_name: "Acme".to_owned(),
            number: 1,
            state: RunState::Scheduled,
            by_person: true,
            full: false,
            wire_state: 1,
            priority: 5,
            created_at: Timestamp(0),
            started_at: None,
            finished_at: None,
            created_by_uuid: Some(Uuid::nil()),
            created_by_email: Some("owner@acme.test".to_owned()),
            timing: ambit_model::timing::Timing::default(),
            retests: None,
            verdict: None,
            engine: None,
            counters: RunCounters::default(),
            progress: model::RunProgress::default(),
        }
    }

    #[test]
    fn the_duration_of_a_run_ends_with_it() {
        let waiting = sample();
        let going = model::Run {
            state: RunState::Running,
            started_at: Some(Timestamp(1_000)),
            engine: Some("here".to_owned()),
            ..sample()
        };
        let over = model::Run { state: RunState::Finished, finished_at: Some(Timestamp(61_500)), ..going.clone() };
        for (run, duration) in [(waiting, 0), (going, 9), (over, 60)] {
            assert_eq!(CollectionRun::of(&run, Timestamp(10_900)).duration, duration);
        }
    }

    #[test]
    fn a_look_at_one_issue_says_nothing_before_it_is_over() {
        let looked = |state, verdict| {
            let run = model::Run { state, verdict, ..sample() };
            let shown = json!(Retest::of(&run, &[], Status::OpenNew));
            assert_eq!(Retest::SHAPE.differences(&shown), Vec::<String>::new());
            shown["verdict"].clone()
        };
        let (open, closed) = (Some(RetestVerdict::Open), Some(RetestVerdict::Closed));
        assert_eq!(looked(RunState::Running, closed), json!(null), "noted, and not committed as the end");
        assert_eq!(looked(RunState::Finished, open), json!("open"));
        assert_eq!(looked(RunState::Finished, closed), json!("closed"));
        assert_eq!(looked(RunState::Cancelled, None), json!("could_not_look"));
    }

    #[test]
    fn our_form_says_what_was_done_and_what_was_not() {
        let not_done = model::NotDone {
            reason: model::NotDoneReason::RefusedByScope,
            task: "port_sweep".to_owned(),
            count: 2,
            example: "IpAddress 203.0.113.7".to_owned(),
        };
        let task = |task: &str, done, unknown| model::TaskWork { task: task.to_owned(), done, unknown };
        let stage = model::Stage {
            level: Clearance::L2,
            open: 3,
            tasks: vec![task("http_probe", 4, 1), task("tls_grab", 2, 0)],
        };
        let value = json!(RunDetail::of(&sample(), &[stage], &[not_done], Timestamp(0)));
        assert_eq!(RunDetail::SHAPE.differences(&value), Vec::<String>::new());
        let stage = &value["stages"][0];
        assert_eq!((&stage["level"], &stage["work_open"]), (&json!("polite"), &json!(3)));
        assert_eq!((&stage["work_done"], &stage["work_unknown"]), (&json!(6), &json!(1)));
        assert_eq!(stage["tasks"][1], json!({"task": "tls_grab", "work_done": 2, "work_unknown": 0}));
        assert_eq!(value["not_done"][0]["count"], 2);
    }
}
