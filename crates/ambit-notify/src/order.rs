//! Which delivery is tried next. Pure: what waits for a receiver in, the one to send out.

use ambit_model::Timestamp;
use ambit_store::Waiting;
use std::collections::BTreeSet;

/// Deliveries of one receiver in the order in which they were made, some of which may not be tried yet.
pub(crate) struct Queue {
    waiting: std::vec::IntoIter<Waiting>,
    /// Subjects of which an earlier delivery still waits.
    held: BTreeSet<String>,
    /// A digest still waits: it keeps the order of all.
    closed: bool,
    /// Nothing before this one waits any more.
    first: bool,
}

impl Queue {
    pub(crate) fn new(waiting: Vec<Waiting>) -> Self {
        Self { waiting: waiting.into_iter(), held: BTreeSet::new(), closed: false, first: true }
    }

    /// The next delivery that may be tried now: it is due, nobody is at it, and no earlier one of its subject waits.
    pub(crate) fn next(&mut self, now: Timestamp) -> Option<Waiting> {
        while !self.closed {
            let one = self.waiting.next()?;
            let free = one.due_at <= now && one.claimed_until.is_none_or(|until| until <= now);
            let turn = match &one.subject {
                Some(subject) => !self.held.contains(subject),
                None => self.first,
            };
            if free && turn {
                return Some(one);
            }
            self.hold(&one);
        }
        None
    }

    /// Says that a delivery which was tried still waits: what follows it on its subject waits as well.
    pub(crate) fn hold(&mut self, one: &Waiting) {
        self.first = false;
        match &one.subject {
            Some(subject) => {
                self.held.insert(subject.clone());
            }
            None => self.closed = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::notification::Message;
    use std::collections::BTreeMap;

    const NOW: Timestamp = Timestamp(1_000);

    fn waiting(id: i64, subject: Option<&str>, due: i64) -> Waiting {
        let message = Message {
            id: uuid::Uuid::nil(),
            at: NOW,
            is_digest: subject.is_none(),
            events: Vec::new(),
            counts: BTreeMap::new(),
        };
        let subject = subject.map(str::to_owned);
        Waiting { id, subject, message, attempts: 0, due_at: Timestamp(due), claimed_until: None }
    }

    /// The ids that are tried where each try succeeds, or where each fails.
    fn tried(rows: &[(i64, Option<&str>, i64)], succeeds: bool) -> Vec<i64> {
        let mut queue = Queue::new(rows.iter().map(|(id, subject, due)| waiting(*id, *subject, *due)).collect());
        let mut tried = Vec::new();
        while let Some(one) = queue.next(NOW) {
            tried.push(one.id);
            if !succeeds {
                queue.hold(&one);
            }
        }
        tried
    }

    #[test]
    fn deliveries_of_one_subject_keep_their_order_and_digests_that_of_all() {
        let rows = [(1, Some("a"), 0), (2, Some("b"), 2_000), (3, Some("b"), 0), (4, Some("a"), 0), (5, Some("c"), 0)];
        assert_eq!(tried(&rows, true), [1, 4, 5]);
        assert_eq!(tried(&rows, false), [1, 5]);
        let digests = [(1, Some("a"), 0), (2, None, 0), (3, Some("a"), 0)];
        assert_eq!(tried(&digests, true), [1, 2, 3]);
        assert_eq!(tried(&digests, false), [1]);
        assert_eq!(tried(&[(1, None, 2_000), (2, Some("a"), 0)], true), [0; 0]);
    }
}
