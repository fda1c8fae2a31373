//! Connections to targets that wait for their turn. A run has tens of thousands of them at once, so that each is a row
//! of a table here and not a task with a timer of its own.

use super::{Door, Timer, Waits, rates_of_target};
use crate::error::Result;
use crate::guard::{Grant, Transport};
use crate::pace::Bucket;
use crate::wire::WireTime;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::net::SocketAddr;

/// Connections of one unit of work that wait to be admitted.
pub(crate) struct Admissions<'d> {
    door: &'d Door,
    /// When each has its next turn, and how many rates have let it through by then.
    due: BinaryHeap<Reverse<(WireTime, usize, SocketAddr)>>,
    /// Those that were admitted or refused and not handed out yet.
    ended: VecDeque<(SocketAddr, Result<()>)>,
    timer: Timer,
    waits: Option<Waits>,
}

impl<'d> Admissions<'d> {
    pub(crate) fn new(door: &'d Door) -> Self {
        Self { door, due: BinaryHeap::new(), ended: VecDeque::new(), timer: Timer::default(), waits: None }
    }

    /// Returns how many wait.
    pub(crate) fn len(&self) -> usize {
        self.due.len() + self.ended.len()
    }

    /// Checks a connection and has it wait for its turn, as [`Door::admit_tcp`] does.
    pub(crate) fn add(&mut self, to: SocketAddr) {
        match self.door.check(Grant::Target, to, Transport::Tcp, None) {
            Ok(()) => self.advance(to, 0),
            refused => self.ended.push_back((to, refused)),
        }
    }

    /// Waits for the next that is admitted, or that scope refuses now; `None` where none waits. Nothing is lost where
    /// the wait is broken off.
    pub(crate) async fn next(&mut self) -> Option<(SocketAddr, Result<()>)> {
        loop {
            if let Some(ended) = self.ended.pop_front() {
                return Some(ended);
            }
            let Some(Reverse((at, passed, to))) = self.due.peek().copied() else {
                self.waits = None;
                return None;
            };
            if at > self.door.now() {
                self.timer.wait(self.door, at).await;
                continue;
            }
            self.due.pop();
            self.advance(to, passed);
        }
    }

    /// Takes a connection through the rates that have not let it through yet, as far as they do now.
    fn advance(&mut self, to: SocketAddr, passed: usize) {
        let rates = rates_of_target(to.ip()).into_iter().chain([Bucket::Total]);
        for (number, rate) in rates.enumerate().skip(passed) {
            if let Some(at) = self.door.reserve(&rate) {
                self.waits.get_or_insert_with(|| self.door.waits());
                self.due.push(Reverse((at, number + 1, to)));
                return;
            }
        }
        // Scope may have changed while it waited.
        let admitted = if passed > 0 { self.door.check(Grant::Target, to, Transport::Tcp, None) } else { Ok(()) };
        self.ended.push_back((to, admitted));
    }
}
