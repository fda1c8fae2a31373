//! How many rows a run may carry at once.

use ambit_model::Wave;
use ambit_store::engine::Places;
use ambit_tasks::Task;

/// Rows under way with those that wait for their turn, as a multiple of those that may be at work. A row that waits
/// keeps what is known of its entity, of an address with all its services some 20 kB.
const WITH_WAITING: usize = 8;

/// The same for rows that go into depth: they wait longest, and what they leave is for what is found meanwhile.
const DEEP_WITH_WAITING: usize = 4;

/// Requests from which a row is long: it goes into depth at a site, and holds its connections while it does.
const LONG_FROM: i64 = 20;

/// What part of the rows at work may be long ones, one in so many, those that wait for their turn among them: with more
/// of them there are more connections than can be kept, and most requests begin with a handshake.
const LONG_SHARE: usize = 2;

/// What a run carries now, in rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// How many may be at work.
    pub(super) rows: usize,
    pub(super) under_way: usize,
    /// Of those under way, how many wait for their turn with a peer.
    pub(super) waiting: usize,
    /// Leased and not started, the long ones aside.
    pub(super) queued: usize,
    pub(super) long_under_way: usize,
    pub(super) long_queued: usize,
    /// A rate over all orders the ranges of sweeps.
    pub(super) paced: bool,
}

impl Load {
    /// Rows that may be leased now; `None` where that is not worth a transaction. As many as may be at work wait beside
    /// them, so that rows are started while the store answers. A lease counts as an attempt: the process's end is
    /// blamed on rows that were about to start, too, and these are the first to be leased again.
    pub(super) fn room(self) -> Option<Places> {
        let room = (self.places() + self.rows).saturating_sub(self.queued);
        let all = self.under_way + self.queued + self.long_queued;
        let deep = (self.rows * DEEP_WITH_WAITING).saturating_sub(all);
        // What goes into depth may be long: of that, as much waits beside what is under way as may be.
        let long = (self.long_at_once() * 2).saturating_sub(self.long_under_way + self.long_queued);
        let worth_it = room >= self.rows / 2 || self.under_way == 0;
        let deep = deep.min(long).min(room);
        worth_it.then_some(Places { rows: room, deep, paced: self.paced })
    }

    /// Rows that could start at once: a row that waits for its turn with a peer holds no place.
    pub(super) fn places(self) -> usize {
        let at_work = self.under_way.saturating_sub(self.waiting);
        let all = (self.rows * WITH_WAITING).saturating_sub(self.under_way);
        self.rows.saturating_sub(at_work).min(all)
    }

    pub(super) fn has_place_for_long(self) -> bool {
        self.long_under_way < self.long_at_once()
    }

    fn long_at_once(self) -> usize {
        (self.rows / LONG_SHARE).max(1)
    }
}

/// Whether a probe goes into depth at a site with many requests.
pub(super) fn is_long(task: &Task) -> bool {
    task.wave >= Wave::Probes && task.cost >= LONG_FROM
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::TaskName;

    const IDLE: Load =
        Load { rows: 512, under_way: 0, waiting: 0, queued: 0, long_under_way: 0, long_queued: 0, paced: false };

    #[test]
    fn rows_that_wait_hold_no_place_and_long_ones_do() {
        for (load, places, long, room) in [
            (IDLE, 512, true, Some((1_024, 512))),
            (Load { under_way: 512, queued: 512, ..IDLE }, 0, true, None),
            (Load { under_way: 1_500, waiting: 1_400, ..IDLE }, 412, true, Some((924, 512))),
            (Load { under_way: 2_000, waiting: 1_900, ..IDLE }, 412, true, Some((924, 48))),
            (Load { under_way: 4_096, waiting: 4_000, ..IDLE }, 0, true, Some((512, 0))),
            (Load { under_way: 300, waiting: 100, long_under_way: 255, ..IDLE }, 312, true, Some((824, 257))),
            (Load { under_way: 300, waiting: 100, long_under_way: 256, ..IDLE }, 312, false, Some((824, 256))),
            (
                Load { under_way: 300, waiting: 299, long_under_way: 256, long_queued: 256, ..IDLE },
                511,
                false,
                Some((1_023, 0)),
            ),
        ] {
            let found = load.room().map(|room| (room.rows, room.deep));
            assert_eq!((load.places(), load.has_place_for_long(), found), (places, long, room), "{load:?}");
        }
        let smallest = Load { rows: 1, ..IDLE };
        assert!(smallest.has_place_for_long() && smallest.room().is_some_and(|room| room.deep > 0));
    }

    #[test]
    fn what_asks_a_site_much_is_long_and_what_lists_ports_or_names_is_not() {
        for (name, long) in [
            (TaskName::ContentFocus, true),
            (TaskName::Crawl, true),
            (TaskName::ProductPaths, true),
            (TaskName::CorsProbe, false),
            (TaskName::UdpSweep, false),
            (TaskName::PortSweep, false),
            (TaskName::NameSweep, false),
        ] {
            assert_eq!(is_long(ambit_tasks::task(name)), long, "{name}");
        }
    }
}
