//! Collection runs on the wire (docs/contract/asm.md §3.3), and our own longer form with what was not done and why.

use crate::COLLECTION_TYPE;
use crate::shape::{BOOLEAN, INTEGER, MOMENT, MOMENT_OR_NULL, Object, Shape, TEXT, TEXT_OR_NULL, UUID, UUID_OR_NULL, member};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use ambit_model::run::{NotDone, Run};
use serde_json::{Value, json};

/// A run as the contract shows it. `now` ends the duration of a run that still goes on.
pub fn collection_run(run: &Run, now: Timestamp) -> Value {
    json!({
        "id": run.id,
        "uuid": run.uuid,
        "status": run.state.name(),
        "priority": run.priority,
        "duration": duration_s(run, now),
        "entity_count": run.counters.entities,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "collection_name": run.collection_name,
        "collection_type": COLLECTION_TYPE,
        "collection_uuid": run.collection,
        "created_by_uuid": run.created_by_uuid,
        "created_by_email": run.created_by_email,
        "project_name": run.project_name,
        "project_uuid": run.project_uuid,
        "engine": run.engine,
    })
}

/// Whole seconds from its start to its end.
fn duration_s(run: &Run, now: Timestamp) -> i64 {
    run.started_at
        .map_or(0, |start| (run.finished_at.unwrap_or(now).0 - start.0).max(0) / SECOND_MS)
}

/// Our own form: the contract's, with the counters and what was left undone.
pub fn run_detail(run: &Run, not_done: &[NotDone], now: Timestamp) -> Value {
    let mut value = collection_run(run, now);
    value["number"] = json!(run.number);
    value["by_person"] = json!(run.by_person);
    value["work_open"] = json!(run.counters.work_open);
    value["work_done"] = json!(run.counters.work_done);
    value["work_unknown"] = json!(run.counters.work_unknown);
    value["new_entity_count"] = json!(run.counters.new_entities);
    value["not_done"] = not_done
        .iter()
        .map(|row| json!({"reason": row.reason.name(), "task": row.task, "count": row.count, "example": row.example}))
        .collect();
    value
}

const STATUS: &Shape = &Shape::OneOf(&["scheduled", "running", "paused", "finished", "failed", "cancelled"]);

/// A run.
pub static COLLECTION_RUN: Shape = Shape::Object(&Object {
    name: "CollectionRun",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("status", STATUS),
        member("priority", INTEGER),
        member("duration", INTEGER),
        member("entity_count", INTEGER),
        member("created_at", MOMENT),
        member("started_at", MOMENT_OR_NULL),
        member("finished_at", MOMENT_OR_NULL),
        member("collection_name", TEXT),
        member("collection_type", TEXT),
        member("collection_uuid", UUID),
        member("created_by_uuid", UUID_OR_NULL),
        member("created_by_email", TEXT_OR_NULL),
        member("project_name", TEXT),
        member("project_uuid", UUID),
        member("engine", TEXT_OR_NULL),
    ],
    open: false,
});

/// A list of runs.
pub static COLLECTION_RUNS: Shape = Shape::List(&COLLECTION_RUN);

static NOT_DONE: Shape = Shape::Object(&Object {
    name: "NotDone",
    members: &[
        member("reason", TEXT),
        member("task", TEXT),
        member("count", INTEGER),
        member("example", TEXT),
    ],
    open: false,
});

/// A run in our own form.
pub static RUN_DETAIL: Shape = Shape::Object(&Object {
    name: "RunDetail",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("status", STATUS),
        member("number", INTEGER),
        member("by_person", BOOLEAN),
        member("work_open", INTEGER),
        member("work_done", INTEGER),
        member("work_unknown", INTEGER),
        member("new_entity_count", INTEGER),
        member("not_done", &Shape::List(&NOT_DONE)),
    ],
    open: true,
});

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ambit_model::run::{NotDoneReason, RunCounters, RunState};
    use uuid::Uuid;

    fn sample() -> Run {
        Run {
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
            wire_state: 1,
            priority: 5,
            created_at: Timestamp(0),
            started_at: None,
            finished_at: None,
            created_by_uuid: Some(Uuid::nil()),
            created_by_email: Some("owner@acme.test".to_owned()),
            engine: None,
            counters: RunCounters::default(),
        }
    }

    #[test]
    fn a_run_has_every_member_of_the_contract_in_each_part_of_its_life() {
        let waiting = sample();
        let going = Run {
            state: RunState::Running,
            started_at: Some(Timestamp(1_000)),
            engine: Some("here".to_owned()),
            ..sample()
        };
        let over = Run {
            state: RunState::Finished,
            finished_at: Some(Timestamp(61_500)),
            ..going.clone()
        };
        for (run, duration) in [(waiting, 0), (going, 9), (over, 60)] {
            let value = collection_run(&run, Timestamp(10_900));
            assert_eq!(COLLECTION_RUN.differences(&value), Vec::<String>::new());
            assert_eq!(value["duration"], duration);
        }
    }

    #[test]
    fn our_form_says_what_was_not_done() {
        let not_done = NotDone {
            reason: NotDoneReason::RefusedByScope,
            task: "port_sweep".to_owned(),
            count: 2,
            example: "IpAddress 203.0.113.7".to_owned(),
        };
        let value = run_detail(&sample(), &[not_done], Timestamp(0));
        assert_eq!(RUN_DETAIL.differences(&value), Vec::<String>::new());
        assert_eq!(value["not_done"][0]["count"], 2);
    }
}
