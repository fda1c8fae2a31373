//! A clock that jumps to the next timer whenever every tracked task is parked.

use crate::wire::WireTime;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Clone, Default)]
pub(super) struct Clock(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    now: WireTime,
    /// Tasks that can run.
    busy: usize,
    timers: BTreeMap<(WireTime, u64), Waker>,
    serial: u64,
}

impl Clock {
    pub(super) fn now(&self) -> WireTime {
        self.0.lock().unwrap().now
    }

    pub(super) fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        Box::pin(Sleep { clock: self.clone(), at, key: None })
    }

    pub(super) fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().busy += 1;
        let turn = Arc::new(Turn {
            clock: self.clone(),
            state: Mutex::new(State { runnable: true, woken: false, outer: None }),
        });
        // Without the executor's own budget: it would park a task without a wake that the clock sees.
        Box::pin(Tracked { task: Box::pin(tokio::task::coop::unconstrained(task)), turn })
    }

    fn lower(&self) {
        let mut inner = self.0.lock().unwrap();
        inner.busy -= 1;
        while inner.busy == 0 {
            let Some((&(at, _), _)) = inner.timers.first_key_value() else { return };
            inner.now = inner.now.max(at);
            let later = inner.timers.split_off(&(at, u64::MAX));
            let due = std::mem::replace(&mut inner.timers, later);
            // We count as a task while we wake the others, so that the first of them to park does not move the clock.
            inner.busy = 1;
            drop(inner);
            due.into_values().for_each(Waker::wake);
            inner = self.0.lock().unwrap();
            inner.busy -= 1;
        }
    }
}

struct Sleep {
    clock: Clock,
    at: WireTime,
    key: Option<(WireTime, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut inner = clock.0.lock().unwrap();
        if let Some(key) = self.key.take() {
            inner.timers.remove(&key);
        }
        if inner.now >= self.at {
            return Poll::Ready(());
        }
        inner.serial += 1;
        let key = (self.at, inner.serial);
        inner.timers.insert(key, context.waker().clone());
        self.key = Some(key);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.clock.0.lock().unwrap().timers.remove(&key);
        }
    }
}

struct Turn {
    clock: Clock,
    state: Mutex<State>,
}

struct State {
    runnable: bool,
    /// Woken since the last poll began.
    woken: bool,
    outer: Option<Waker>,
}

impl Wake for Turn {
    fn wake(self: Arc<Self>) {
        let mut state = self.state.lock().unwrap();
        if !state.runnable {
            state.runnable = true;
            self.clock.0.lock().unwrap().busy += 1;
        }
        state.woken = true;
        if let Some(outer) = &state.outer {
            outer.wake_by_ref();
        }
    }
}

struct Tracked {
    task: BoxFuture<'static, ()>,
    turn: Arc<Turn>,
}

impl Future for Tracked {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        {
            let mut state = self.turn.state.lock().unwrap();
            state.outer = Some(context.waker().clone());
            state.woken = false;
        }
        let waker = Waker::from(self.turn.clone());
        let poll = self.task.as_mut().poll(&mut Context::from_waker(&waker));
        if poll.is_pending() {
            self.turn.park();
        }
        poll
    }
}

impl Turn {
    fn park(&self) {
        let mut state = self.state.lock().unwrap();
        if state.runnable && !state.woken {
            state.runnable = false;
            drop(state);
            self.clock.lower();
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        let mut state = self.turn.state.lock().unwrap();
        state.outer = None;
        // From now on a wake counts for nothing: as if it could run for ever, but without being counted.
        if std::mem::replace(&mut state.runnable, true) {
            drop(state);
            self.turn.clock.lower();
        }
    }
}
