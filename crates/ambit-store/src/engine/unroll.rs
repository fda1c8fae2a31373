//! Sweeps become rows as they are needed: the next ranges of a permutation.

use super::NewSweep;
use super::stragglers::leaving_out;
use crate::Result;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, values};
use crate::inventory::runs::{LEASED, OPEN};
use ambit_model::id::RunId;
use ambit_model::{Uid, Wave};
use std::collections::BTreeSet;

/// Part of a sweep of addresses whose ranges are under way at once, one in so many: no more of it is asked again after
/// a crash (docs/decisions/0226-a-crash-repeats-a-small-part-of-a-sweep.md).
const SWEPT_AT_ONCE: i64 = 8;
/// Ranges of such a sweep that are under way at once at least.
const RANGES_MIN: i64 = 4;
/// Open sweeps looked at in one lease.
const SWEEPS_OF_LEASE_MAX: i64 = 100;

columns! {
    /// A sweep with ranges left.
    struct Sweep {
        id: i64,
        new: NewSweep = NewSweep,
        task: String,
        reached: i64,
    }
}

columns! { NewSweep { task: { "" }, uid, prefix, size, step, wave, footprint, priority, partition } }

/// Turns the next ranges of a wave's sweeps, of those above a priority and at entities that are not among some, into
/// open rows; true when there were any.
pub(super) async fn unroll_sweeps(
    tx: &mut Tx,
    run: RunId,
    wave: Wave,
    (wanted, above): (usize, i64),
    (without, paced): (&BTreeSet<Uid>, bool),
) -> Result<bool> {
    let mut asked = values![run, wave.number(), SWEEPS_OF_LEASE_MAX, above];
    let without = leaving_out(without, &mut asked);
    let sql = format!(
        "SELECT {} FROM sweeps WHERE run_id = $1 AND wave = $2 AND size > reached * step AND priority > $4{without}
         ORDER BY footprint, priority DESC, id LIMIT $3",
        list::<Sweep>()
    );
    let sweeps: Vec<Sweep> = tx.read_all(&sql, asked).await?;
    let (mut work, mut reached) = (Rows::default(), Rows::default());
    let mut left = i64::try_from(wanted).expect("bounded by the caller");
    for sweep in sweeps {
        let ranges = ranges_of(&sweep.new);
        let mut until = ranges.min(sweep.reached + left);
        if wave == Wave::Sweeps && !paced {
            let most = (ranges / SWEPT_AT_ONCE).max(RANGES_MIN);
            until = until.min(sweep.reached + most - undone(tx, run, &sweep).await?);
        }
        if until <= sweep.reached {
            continue;
        }
        for place in sweep.reached..until {
            let (from, to) = range(&sweep.new, permuted(&sweep.new, place));
            let argument = format!("{}{from}-{to}", sweep.new.prefix);
            work.push(named! {
                run_id: run,
                task: &sweep.task,
                uid: sweep.new.uid,
                argument,
                look: 0,
                wave: sweep.new.wave.number(),
                footprint: sweep.new.footprint.number(),
                priority: sweep.new.priority,
                not_before: 0,
                partition: sweep.new.partition,
            });
        }
        left -= until - sweep.reached;
        reached.push(named! { id: sweep.id, reached: until });
        if left == 0 {
            break;
        }
    }
    let any = work.len() > 0;
    tx.insert("work", work, "ON CONFLICT DO NOTHING").await?;
    tx.update("sweeps", reached).await?;
    Ok(any)
}

/// How many ranges of a sweep are rows that are not done.
async fn undone(tx: &mut Tx, run: RunId, sweep: &Sweep) -> Result<i64> {
    let mut count = 0;
    for state in [OPEN, LEASED] {
        let sql = format!(
            "SELECT COUNT(*) FROM work WHERE run_id = $1 AND wave = $2 AND state = {state} AND uid = $3 AND task = $4"
        );
        let of = values![run, sweep.new.wave.number(), sweep.new.uid, sweep.task.as_str()];
        count += tx.read_one::<i64>(&sql, of).await?;
    }
    Ok(count)
}

fn ranges_of(sweep: &NewSweep) -> i64 {
    (sweep.size + sweep.step - 1) / sweep.step
}

/// The bounds of a range: from inclusive, to exclusive.
fn range(sweep: &NewSweep, number: i64) -> (i64, i64) {
    (number * sweep.step, ((number + 1) * sweep.step).min(sweep.size))
}

/// The range that comes at a place of the sweep's order: an affine permutation seeded by what is swept, so that
/// neighbours are not asked one after another, and the order is the same on every run.
fn permuted(sweep: &NewSweep, place: i64) -> i64 {
    let ranges = i128::from(ranges_of(sweep));
    let seed = i128::from(sweep.uid.integer());
    let mut factor = ranges * 618 / 1_000 + seed % 7;
    while greatest_common_divisor(factor, ranges) != 1 {
        factor += 1;
    }
    i64::try_from((i128::from(place) * factor + seed) % ranges).expect("below the number of ranges")
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Clearance;

    #[test]
    fn the_permutation_of_a_sweep_visits_every_range_once() {
        for size in [1, 2, 5, 99, 1_000, 65_536] {
            let sweep = NewSweep {
                task: "t",
                uid: Uid::from_bytes([9; 32]),
                prefix: String::new(),
                size,
                step: 7,
                wave: Wave::Probes,
                footprint: Clearance::L3,
                priority: 0,
                partition: 0,
            };
            let mut seen: Vec<i64> = (0..ranges_of(&sweep)).map(|place| permuted(&sweep, place)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..ranges_of(&sweep)).collect::<Vec<_>>(), "{size}");
            let covered: i64 = seen.iter().map(|number| range(&sweep, *number)).map(|(from, to)| to - from).sum();
            assert_eq!(covered, size);
        }
    }
}
