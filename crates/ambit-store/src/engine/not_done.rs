//! What a run did not do, and why: counted by reason and task, with examples.

use crate::Result;
use crate::db::rows::{Rows, named};
use crate::db::sql::Tx;
use ambit_model::TaskName;
use ambit_model::id::RunId;
use ambit_model::run::NotDone;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Tasks of which each probe that was not done is named, as far as there is room: each asks for something that somebody
/// may have to allow, or to ask for by a narrower word.
const EACH_NAMED: &[TaskName] = &[TaskName::AwsAccount, TaskName::CloudAccount, TaskName::CodeAccount];
/// Bytes of names from which no further one is added.
const NAMED_BYTES_MAX: usize = 4_000;

/// Counts what was not done, by reason and task, with the first example.
pub(super) async fn count_not_done(tx: &mut Tx, run: RunId, not_done: &[NotDone]) -> Result<()> {
    let mut sums: BTreeMap<(&str, &str), (i64, String)> = BTreeMap::new();
    for item in not_done {
        match sums.entry((item.reason.name(), &item.task)) {
            Entry::Vacant(first) => drop(first.insert((item.count, item.example.clone()))),
            Entry::Occupied(mut known) => {
                let (count, named) = known.get_mut();
                *count += item.count;
                if is_each_named(&item.task) && named.len() < NAMED_BYTES_MAX {
                    named.push_str(&format!("; {}", item.example));
                }
            }
        }
    }
    let (mut each, mut one) = (Rows::default(), Rows::default());
    for ((reason, task), (count, example)) in sums {
        let rows = if is_each_named(task) { &mut each } else { &mut one };
        rows.push(named! { run_id: run, reason: reason, task: task, count: count, example: example });
    }
    let tail = "ON CONFLICT (run_id, reason, task) DO UPDATE SET count = not_done.count + excluded.count";
    tx.insert("not_done", one, tail).await?;
    let more = format!(
        "{tail}, example = CASE WHEN length(not_done.example) < {NAMED_BYTES_MAX} THEN not_done.example || '; ' || \
         excluded.example ELSE not_done.example END"
    );
    tx.insert("not_done", each, &more).await
}

fn is_each_named(task: &str) -> bool {
    EACH_NAMED.iter().any(|named| named.as_str() == task)
}
