//! The virtual clock: it stands still while any tracked task can run, and jumps to the next timer when the last one
//! parks. A task is counted from the moment it is made or its waker fires until a poll leaves it waiting without having
//! been woken meanwhile.

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// The clock of one simulated internet. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    now: Duration,
    /// Tracked tasks that can run, holds, and one while due timers are being fired.
    busy: usize,
    /// By due time, then by order of making.
    timers: BTreeMap<(Duration, u64), Waker>,
    next_timer: u64,
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic of a task never happens while the lock is held: no foreign code runs under it.
        self.inner.lock()
    }

    /// Time since the clock was made.
    pub(crate) fn now(&self) -> Duration {
        self.lock().now
    }

    /// Waits until the clock shows `at`.
    pub(crate) fn sleep_until(&self, at: Duration) -> Sleep {
        Sleep { clock: self.clone(), at, timer: None }
    }

    /// Waits for a while.
    pub(crate) fn sleep(&self, length: Duration) -> Sleep {
        self.sleep_until(self.now().saturating_add(length))
    }

    /// Counts the task while it can run.
    pub(crate) fn track(&self, task: BoxFuture<'static, ()>) -> Tracked {
        self.raise();
        let state =
            Arc::new(TaskState { clock: self.clone(), turn: Mutex::new(Turn { phase: Phase::Runnable, outer: None }) });
        Tracked {
            // The executor's own budget would park a busy task without a wake that we see, and the clock would jump
            // under it.
            task: Some(Box::pin(tokio::task::coop::unconstrained(task))),
            waker: Waker::from(state.clone()),
            state,
        }
    }

    /// Holds the clock until the guard is dropped.
    pub(crate) fn hold(&self) -> Held {
        self.raise();
        Held { clock: self.clone() }
    }

    fn raise(&self) {
        self.lock().busy += 1;
    }

    /// One less that can run. Whoever brings the count to zero moves the clock, again and again until someone can run.
    fn lower(&self) {
        loop {
            let due: Vec<Waker> = {
                let mut inner = self.lock();
                inner.busy -= 1;
                if inner.busy > 0 {
                    return;
                }
                let Some(((at, _), _)) = inner.timers.first_key_value() else { return };
                let at = *at;
                inner.now = inner.now.max(at);
                // We count as one ourselves until every due timer was fired: a woken task that parks at once must not
                // move the clock over the others.
                inner.busy = 1;
                let later = inner.timers.split_off(&(at, u64::MAX));
                std::mem::replace(&mut inner.timers, later).into_values().collect()
            };
            due.into_iter().for_each(Waker::wake);
        }
    }
}

/// A wait; dropping it forgets the timer.
pub(crate) struct Sleep {
    clock: Clock,
    at: Duration,
    timer: Option<(Duration, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let waker = cx.waker().clone();
        // What is replaced is dropped after the lock: it may be the last handle of a task whose end needs the lock.
        let replaced;
        {
            let clock = self.clock.clone();
            let mut inner = clock.lock();
            if inner.now >= self.at {
                replaced = self.timer.take().and_then(|timer| inner.timers.remove(&timer));
                drop(inner);
                drop(replaced);
                return Poll::Ready(());
            }
            let timer = self.timer.unwrap_or((self.at, inner.next_timer));
            if self.timer.is_none() {
                inner.next_timer += 1;
                self.timer = Some(timer);
            }
            replaced = inner.timers.insert(timer, waker);
        }
        drop(replaced);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            let removed = self.clock.lock().timers.remove(&timer);
            drop(removed);
        }
    }
}

/// A hold on the clock.
pub(crate) struct Held {
    clock: Clock,
}

impl ambit_net::wire::Hold for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.clock.lower();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Made or woken, and waiting for its executor: counted.
    Runnable,
    /// Being polled: counted.
    Running,
    /// Being polled, and woken meanwhile: counted, and stays so after the poll.
    RunningWoken,
    /// Waiting: not counted.
    Parked,
    /// Finished or dropped: not counted, and wakes mean nothing.
    Done,
}

struct Turn {
    phase: Phase,
    outer: Option<Waker>,
}

struct TaskState {
    clock: Clock,
    turn: Mutex<Turn>,
}

impl TaskState {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock()
    }

    /// Moves to `phase`, and returns the phase before.
    fn enter(&self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.lock().phase, phase)
    }
}

impl Wake for TaskState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let outer = {
            let mut turn = self.lock();
            match turn.phase {
                Phase::Runnable | Phase::RunningWoken | Phase::Done => return,
                Phase::Running => turn.phase = Phase::RunningWoken,
                Phase::Parked => {
                    turn.phase = Phase::Runnable;
                    self.clock.raise();
                }
            }
            turn.outer.clone()
        };
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

/// A task that the clock counts.
pub(crate) struct Tracked {
    task: Option<Pin<Box<tokio::task::coop::Unconstrained<BoxFuture<'static, ()>>>>>,
    state: Arc<TaskState>,
    waker: Waker,
}

impl Future for Tracked {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let state = self.state.clone();
        let replaced = {
            let mut turn = state.lock();
            match turn.phase {
                Phase::Done => return Poll::Ready(()),
                // Polled without a wake of ours, for example by a `select` around it.
                Phase::Parked => state.clock.raise(),
                Phase::Runnable | Phase::Running | Phase::RunningWoken => {}
            }
            turn.phase = Phase::Running;
            turn.outer.replace(cx.waker().clone())
        };
        drop(replaced);
        let waker = self.waker.clone();
        let Some(task) = self.task.as_mut() else { return Poll::Ready(()) };
        let polled = task.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            // Whoever joins this task is woken after this poll: the count falls a moment later, in a task of its own.
            let hold = self.state.clock.hold();
            self.finish();
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => drop(runtime.spawn(async move { drop(hold) })),
                Err(_) => drop(hold),
            }
            return Poll::Ready(());
        }
        let parked = {
            let mut turn = state.lock();
            let parked = turn.phase == Phase::Running;
            turn.phase = if parked { Phase::Parked } else { Phase::Runnable };
            parked
        };
        if parked {
            state.clock.lower();
        }
        Poll::Pending
    }
}

impl Tracked {
    /// Ends the task. Its state is dropped while the task still counts as running, so that whatever the drop wakes runs
    /// first.
    fn finish(&mut self) {
        let task = self.task.take();
        drop(task);
        match self.state.enter(Phase::Done) {
            Phase::Runnable | Phase::Running | Phase::RunningWoken => self.state.clock.lower(),
            Phase::Parked | Phase::Done => {}
        }
        let outer = self.state.lock().outer.take();
        drop(outer);
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::mpsc;

    fn track(clock: &Clock, task: impl Future<Output = ()> + Send + 'static) -> Tracked {
        clock.track(Box::pin(task))
    }

    #[tokio::test]
    async fn a_minute_costs_nothing_and_timers_fire_in_order() {
        let clock = Clock::default();
        let (said, mut heard) = mpsc::unbounded_channel();
        let started = clock.hold();
        for seconds in [60u64, 5, 3_600] {
            let (clock, said) = (clock.clone(), said.clone());
            tokio::spawn(track(&clock.clone(), async move {
                clock.sleep(Duration::from_secs(seconds)).await;
                said.send((seconds, clock.now())).unwrap();
            }));
        }
        drop((started, said));
        let mut order = Vec::new();
        while let Some(word) = heard.recv().await {
            order.push(word);
        }
        assert_eq!(order, [5, 60, 3_600].map(|seconds| (seconds, Duration::from_secs(seconds))));
    }

    #[tokio::test]
    async fn a_hold_and_a_computing_task_hold_the_clock() {
        let clock = Clock::default();
        let sleeper = tokio::spawn({
            let clock2 = clock.clone();
            track(&clock, async move { clock2.sleep(Duration::from_secs(1)).await })
        });
        let hold = clock.hold();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(clock.now(), Duration::ZERO);
        assert!(!sleeper.is_finished());
        drop(hold);
        sleeper.await.unwrap();
        assert_eq!(clock.now(), Duration::from_secs(1));
    }

    #[tokio::test]
    async fn dropped_tasks_and_sleeps_leave_the_count_right() {
        let clock = Clock::default();
        drop(track(&clock, async {}));
        let waiting = tokio::spawn({
            let clock2 = clock.clone();
            track(&clock, async move { clock2.sleep(Duration::from_secs(100)).await })
        });
        let hold = clock.hold();
        tokio::task::yield_now().await;
        waiting.abort();
        let _ = waiting.await;
        drop(hold);
        assert_eq!(clock.now(), Duration::ZERO, "the aborted timer is gone");
        assert_eq!(clock.lock().busy, 0);
        assert!(clock.lock().timers.is_empty());
    }

    #[tokio::test]
    async fn a_joiner_runs_before_the_clock_moves_on() {
        let clock = Clock::default();
        let hold = clock.hold();
        let joiner = tokio::spawn({
            let clock2 = clock.clone();
            track(&clock, async move {
                let inner = clock2.clone();
                let child = tokio::spawn(track(&clock2, async move { inner.sleep(Duration::from_secs(1)).await }));
                tokio::select! {
                    joined = child => joined.unwrap(),
                    () = clock2.sleep(Duration::from_secs(1_000)) => {}
                }
                assert_eq!(clock2.now(), Duration::from_secs(1));
            })
        });
        drop(hold);
        joiner.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn thousands_of_tasks_never_see_time_jump_over_them() {
        const TASKS: u64 = 3_000;
        const ROUNDS: u64 = 20;
        let clock = Clock::default();
        let late = Arc::new(AtomicUsize::new(0));
        let hold = clock.hold();
        let mut tasks = Vec::new();
        for task in 0..TASKS {
            let (clock, late) = (clock.clone(), late.clone());
            tasks.push(tokio::spawn(track(&clock.clone(), async move {
                for round in 0..ROUNDS {
                    let before = clock.now();
                    let length = Duration::from_millis(1 + (task * 7 + round * 13) % 50);
                    clock.sleep(length).await;
                    // Woken exactly when due: nobody moved the clock on while this task was runnable.
                    let (to, mut from) = mpsc::channel::<u64>(1);
                    let echo = tokio::spawn(track(&clock, async move { to.send(1).await.unwrap() }));
                    from.recv().await.unwrap();
                    if clock.now() != before + length {
                        late.fetch_add(1, Ordering::Relaxed);
                    }
                    echo.await.unwrap();
                }
            })));
        }
        drop(hold);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(late.load(Ordering::Relaxed), 0);
        // The last tasks give back their count a moment after their end.
        while clock.lock().busy > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn a_runtime_that_ends_leaves_the_count_right() {
        let clock = Clock::default();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let hold = clock.hold();
        for _ in 0..100 {
            let clock2 = clock.clone();
            runtime.spawn(track(&clock, async move { clock2.sleep(Duration::from_secs(9)).await }));
        }
        drop(runtime);
        drop(hold);
        assert_eq!(clock.lock().busy, 0);
        assert!(clock.lock().timers.is_empty());
    }
}
