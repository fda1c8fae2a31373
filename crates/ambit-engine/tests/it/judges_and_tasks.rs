//! What judges read, tasks say: the two crates do not know each other, the engine knows both.

use ambit_model::Kind;

#[test]
fn every_judge_is_reached_by_a_look() {
    for judge in ambit_checks::all() {
        let looked_at = |kind: &Kind| {
            let mut tasks = judge.reads.iter().map(|task| ambit_tasks::task(*task));
            tasks.any(|task| task.watches.contains(kind) || task.produces.contains(kind))
        };
        assert!(judge.applies_to.iter().any(looked_at), "{}: no task it reads looks at its kinds", judge.issue.name);
    }
}
