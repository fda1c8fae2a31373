//! Rows that this engine has leased: those that wait to be started, those under way, and those that have ended and are
//! not committed yet.

use super::load::{self, Load};
use super::{COMMIT_EVERY, COMMIT_MAX, EngineConfig};
use crate::work::{Worker, execute};
use ambit_model::Uid;
use ambit_model::facts::Facts;
use ambit_store::engine::{ATTEMPTS_BEFORE_ALONE, Outcome, Places, Work};
use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// A leased row that is to be done.
pub(super) struct Leased {
    pub(super) work: Work,
    /// What is known of its entity. Rows of one entity share it: a hub's may be large, and its rows are many.
    pub(super) facts: Arc<Facts>,
    /// It asks for what was found before, and for nothing else.
    pub(super) verifies: bool,
}

/// The leased rows of a run, and the way in which they come back.
pub(super) struct Flight<'a> {
    config: &'a EngineConfig,
    pub(super) worker: Worker,
    queue: VecDeque<Leased>,
    /// Those of them that are long.
    long: VecDeque<Leased>,
    /// Rows under which the process died; they run with nothing beside them.
    alone: VecDeque<Leased>,
    in_flight: HashMap<i64, (Work, tokio::task::AbortHandle)>,
    /// Long ones among those under way.
    long_in_flight: usize,
    ended: Vec<Outcome>,
    ended_since: Option<Instant>,
    sender: mpsc::UnboundedSender<Outcome>,
    receiver: mpsc::UnboundedReceiver<Outcome>,
}

impl<'a> Flight<'a> {
    pub(super) fn new(config: &'a EngineConfig, worker: Worker) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self {
            config,
            worker,
            queue: VecDeque::new(),
            long: VecDeque::new(),
            alone: VecDeque::new(),
            in_flight: HashMap::new(),
            long_in_flight: 0,
            ended: Vec::new(),
            ended_since: None,
            sender,
            receiver,
        }
    }

    /// Takes a leased row.
    pub(super) fn add(&mut self, row: Leased) {
        let queue = match row.work.attempts >= ATTEMPTS_BEFORE_ALONE {
            true => &mut self.alone,
            false if is_long(&row.work) => &mut self.long,
            false => &mut self.queue,
        };
        queue.push_back(row);
    }

    /// Rows that may be leased now, and whether that is worth a transaction.
    pub(super) fn room(&self) -> Option<Places> {
        self.load().room().filter(|_| self.alone.is_empty())
    }

    fn load(&self) -> Load {
        Load {
            rows: self.config.share.rows(),
            under_way: self.in_flight.len(),
            waiting: self.worker.net.waiting(),
            queued: self.queue.len(),
            long_under_way: self.long_in_flight,
            long_queued: self.long.len(),
            paced: self.config.pace.total().is_some(),
        }
    }

    /// Starts the rows that there are places for.
    pub(super) fn start(&mut self) {
        for _ in 0..self.load().places() {
            let long = if self.load().has_place_for_long() { self.long.pop_front() } else { None };
            let Some(row) = long.or_else(|| self.queue.pop_front()) else { break };
            self.spawn(row);
        }
    }

    /// Starts one of the rows that run with nothing beside them, where nothing else is left.
    pub(super) fn start_alone(&mut self) {
        if self.in_flight.is_empty()
            && self.ended.is_empty()
            && let Some(row) = self.alone.pop_front()
        {
            self.spawn(row);
        }
    }

    fn spawn(&mut self, Leased { work, facts, verifies }: Leased) {
        let (worker, sender, id, kept) = (self.worker.clone(), self.sender.clone(), work.id, work.clone());
        let task = self.config.wire.track(Box::pin(async move {
            let done = execute(&worker, work, &facts, verifies).await;
            // The receiver is gone only when the run was given back: then the row is leased again.
            sender.send(done).ok();
        }));
        let handle = tokio::spawn(task).abort_handle();
        self.long_in_flight += usize::from(is_long(&kept));
        self.in_flight.insert(id, (kept, handle));
    }

    /// Waits for what the store does; rows that end meanwhile leave their places to others.
    pub(super) async fn beside<T>(&mut self, storing: impl Future<Output = T>) -> T {
        let mut storing = pin!(storing);
        loop {
            tokio::select! {
                biased;
                stored = &mut storing => return stored,
                Some(done) = self.receiver.recv() => {
                    self.take(done);
                    self.start();
                }
            }
        }
    }

    /// Waits for a row to end, at most until the next commit is due, and takes all that have ended.
    pub(super) async fn collect(&mut self) {
        let wait = self.ended_since.map_or(COMMIT_EVERY, |since| COMMIT_EVERY.saturating_sub(since.elapsed()));
        let mut stop = self.config.stop.clone();
        tokio::select! {
            Some(done) = self.receiver.recv() => self.take(done),
            _ = tokio::time::sleep(wait) => {}
            _ = stop.changed() => {}
        }
        while self.ended.len() < COMMIT_MAX && self.take_next() {}
    }

    /// Takes a row that has ended; false where none has.
    pub(super) fn take_next(&mut self) -> bool {
        self.receiver.try_recv().map(|done| self.take(done)).is_ok()
    }

    fn take(&mut self, done: Outcome) {
        // Otherwise it was ended when its entity went out of scope.
        if self.in_flight.remove(&done.work.id).is_some() {
            self.long_in_flight -= usize::from(is_long(&done.work));
            self.end(done);
        }
    }

    fn end(&mut self, done: Outcome) {
        self.ended_since.get_or_insert_with(Instant::now);
        self.ended.push(done);
    }

    /// Ends rows, without waiting for what they find; `as_what` says how.
    pub(super) fn cut_off(&mut self, which: impl Fn(&Work) -> bool, as_what: impl Fn(&Worker, Work) -> Outcome) {
        let mut ended: Vec<Work> = Vec::new();
        self.in_flight.retain(|_, (work, handle)| {
            let cut = which(work);
            if cut {
                handle.abort();
                ended.push(work.clone());
            }
            !cut
        });
        self.long_in_flight -= ended.iter().filter(|work| is_long(work)).count();
        for queue in [&mut self.queue, &mut self.long, &mut self.alone] {
            let (out, kept): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(queue).into_iter().partition(|row| which(&row.work));
            *queue = kept;
            ended.extend(out.into_iter().map(|row| row.work));
        }
        for work in ended {
            let done = as_what(&self.worker, work);
            self.end(done);
        }
    }

    /// Stops everything that has not ended, and hands it out to be given back.
    pub(super) fn stop(&mut self) -> Vec<Work> {
        let mut stopped: Vec<Work> = Vec::new();
        for (_, (work, handle)) in self.in_flight.drain() {
            handle.abort();
            stopped.push(work);
        }
        self.long_in_flight = 0;
        let waiting = [&mut self.queue, &mut self.long, &mut self.alone].into_iter().flat_map(|queue| queue.drain(..));
        stopped.extend(waiting.map(|row| row.work));
        stopped
    }

    /// What has ended, to be committed.
    pub(super) fn drain(&mut self) -> Vec<Outcome> {
        self.ended_since = None;
        std::mem::take(&mut self.ended)
    }

    /// True where what has ended should be committed now.
    pub(super) fn is_due(&self) -> bool {
        let idle = self.rows() == 0 && self.alone.is_empty();
        let waited = self.ended_since.is_some_and(|since| since.elapsed() >= COMMIT_EVERY);
        !self.ended.is_empty() && (idle || waited || self.ended.len() >= COMMIT_MAX)
    }

    /// True where something waits for its commit.
    pub(super) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    /// True where nothing is under way and nothing waits for its commit.
    pub(super) fn is_still(&self) -> bool {
        self.in_flight.is_empty() && self.ended.is_empty()
    }

    /// Rows under way, and those that wait to be started.
    pub(super) fn rows(&self) -> usize {
        self.in_flight.len() + self.queue.len() + self.long.len()
    }

    /// Rows under way.
    pub(super) fn running(&self) -> impl ExactSizeIterator<Item = &Work> {
        self.in_flight.values().map(|(work, _)| work)
    }

    /// Entities of rows that are leased and will be committed soon: slow ones are not waited for.
    pub(super) fn under_way(&self) -> impl Iterator<Item = Uid> + '_ {
        let waiting = self.queue.iter().chain(&self.long).chain(&self.alone).map(|row| &row.work);
        let ended = self.ended.iter().map(|outcome| &outcome.work);
        let rows = self.running().chain(waiting).chain(ended);
        rows.filter(|work| !ambit_tasks::find(&work.task).is_some_and(|task| task.slow)).map(|work| work.uid)
    }
}

fn is_long(work: &Work) -> bool {
    ambit_tasks::find(&work.task).is_some_and(load::is_long)
}
