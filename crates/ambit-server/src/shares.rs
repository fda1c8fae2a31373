//! Fair shares of something bounded: places among the requests that are worked on, room for bodies, bytes of answers.
//! Nobody holds more than a share; who must wait stands in a queue of their own, and the queues take turns, so that two
//! thousand requests of one key do not hold up one of another.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// Bits of an IPv6 address that one site has: whoever has one of its addresses has them all.
const SITE_BITS: u32 = 64;

/// Who takes a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// An API key, by its id.
    Key(i64),
    /// Clients without a key, by their address, see [`site`].
    Address(IpAddr),
}

/// Returns the address that clients without a key are counted by: of IPv6 the first 64 bits.
pub(crate) fn site(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let kept = u128::MAX << (u128::BITS - SITE_BITS);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & kept))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// What is shared. Clones share the same.
#[derive(Clone)]
pub(crate) struct Shares(Arc<Inner>);

struct Inner {
    /// Units that one owner holds at most.
    each: i64,
    /// Requests of one owner that wait at most.
    waiting_max: usize,
    state: Mutex<State>,
}

struct State {
    /// Below zero where a share grew beyond what there was.
    free: i64,
    held: HashMap<Owner, i64>,
    queues: HashMap<Owner, VecDeque<Waiter>>,
    /// Owners with a queue; the first has the next turn.
    turns: VecDeque<Owner>,
}

struct Waiter {
    units: i64,
    ready: oneshot::Sender<Share>,
}

/// So many units of an owner, given back when it is dropped.
pub(crate) struct Share {
    inner: Arc<Inner>,
    owner: Owner,
    units: AtomicI64,
}

type Granted = Vec<(oneshot::Sender<Share>, Share)>;

impl Shares {
    /// `total` units, of which an owner holds at most `each` while it may let `waiting_max` requests wait.
    pub(crate) fn new(total: i64, each: i64, waiting_max: usize) -> Self {
        let state = State { free: total, held: HashMap::new(), queues: HashMap::new(), turns: VecDeque::new() };
        Self(Arc::new(Inner { each: each.min(total), waiting_max, state: Mutex::new(state) }))
    }

    /// Takes units when it is the owner's turn. `None`: too many of the owner wait already, or its turn did not come in
    /// time.
    pub(crate) async fn take(&self, owner: Owner, units: i64, wait: Duration) -> Option<Share> {
        let turn = self.0.queue(owner, units.min(self.0.each))?;
        tokio::time::timeout(wait, turn).await.ok()?.ok()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn queue(self: &Arc<Self>, owner: Owner, units: i64) -> Option<oneshot::Receiver<Share>> {
        let (ready, turn) = oneshot::channel();
        let granted = {
            let mut state = self.lock();
            let queue = state.queues.entry(owner).or_default();
            if queue.len() >= self.waiting_max {
                queue.retain(|waiter| !waiter.ready.is_closed());
            }
            if queue.len() >= self.waiting_max {
                return None;
            }
            queue.push_back(Waiter { units, ready });
            if queue.len() == 1 && !state.turns.contains(&owner) {
                state.turns.push_back(owner);
            }
            self.hand_on(&mut state)
        };
        deliver(granted);
        Some(turn)
    }

    /// Grants what is free to those whose turn it is. The grants are sent after the lock is released.
    fn hand_on(self: &Arc<Self>, state: &mut State) -> Granted {
        let mut granted = Vec::new();
        let mut passed_over = 0;
        while passed_over < state.turns.len() {
            let Some(owner) = state.turns.pop_front() else { break };
            let queue = state.queues.entry(owner).or_default();
            while queue.front().is_some_and(|waiter| waiter.ready.is_closed()) {
                queue.pop_front();
            }
            let Some(units) = queue.front().map(|waiter| waiter.units) else {
                state.queues.remove(&owner);
                continue;
            };
            let held = state.held.get(&owner).copied().unwrap_or(0);
            if held > 0 && held + units > self.each {
                state.turns.push_back(owner);
                passed_over += 1;
                continue;
            }
            if units > state.free {
                // What it waits for is kept for it, else small requests would hold a large one up for ever.
                state.turns.push_front(owner);
                break;
            }
            passed_over = 0;
            state.free -= units;
            *state.held.entry(owner).or_default() += units;
            if let Some(waiter) = queue.pop_front() {
                let share = Share { inner: self.clone(), owner, units: AtomicI64::new(units) };
                granted.push((waiter.ready, share));
            }
            if queue.is_empty() {
                state.queues.remove(&owner);
            } else {
                state.turns.push_back(owner);
            }
        }
        granted
    }

    fn give_back(self: &Arc<Self>, owner: Owner, units: i64) {
        if units == 0 {
            return;
        }
        let granted = {
            let mut state = self.lock();
            state.free += units;
            let left = state.held.get_mut(&owner).map_or(0, |held| {
                *held -= units;
                *held
            });
            if left == 0 {
                state.held.remove(&owner);
            }
            self.hand_on(&mut state)
        };
        deliver(granted);
    }
}

/// Whoever went away meanwhile gives its share back by not taking it.
fn deliver(granted: Granted) {
    for (ready, share) in granted {
        drop(ready.send(share));
    }
}

impl Share {
    /// Adds units without waiting: the size of an answer is known only when it is made. Until they are given back, the
    /// owner and then everybody waits.
    pub(crate) fn grow(&self, units: i64) {
        let mut state = self.inner.lock();
        state.free -= units;
        *state.held.entry(self.owner).or_default() += units;
        self.units.fetch_add(units, Ordering::Relaxed);
    }

    /// Does something that only waits; meanwhile others have the share.
    pub(crate) async fn aside<T>(&self, work: impl Future<Output = T>) -> T {
        let units = self.units.swap(0, Ordering::Relaxed);
        self.inner.give_back(self.owner, units);
        let done = work.await;
        if let Some(turn) = self.inner.queue(self.owner, units)
            && let Ok(again) = turn.await
        {
            self.units.fetch_add(again.units.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        }
        done
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.inner.give_back(self.owner, self.units.swap(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    const NOW: Duration = Duration::ZERO;
    const LONG: Duration = Duration::from_secs(3_600);

    fn waits(shares: &Shares, key: i64, units: i64) -> oneshot::Receiver<Share> {
        shares.0.queue(Owner::Key(key), units).expect("there is room to wait")
    }

    fn come(turn: &mut oneshot::Receiver<Share>) -> Option<Share> {
        turn.now_or_never().and_then(Result::ok)
    }

    #[tokio::test]
    async fn an_owner_holds_a_share_and_another_is_let_in_beside_it() {
        let shares = Shares::new(4, 2, 10);
        let first = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        let _second = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        assert!(shares.take(Owner::Key(1), 1, NOW).await.is_none(), "its share is used up");
        assert!(shares.take(Owner::Key(2), 1, NOW).await.is_some());
        drop(first);
        assert!(shares.take(Owner::Key(1), 1, NOW).await.is_some());
    }

    #[tokio::test]
    async fn queues_take_turns() {
        let shares = Shares::new(1, 1, 3_000);
        let held = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        let mut many: Vec<_> = (0..2_000).map(|_| waits(&shares, 1, 1)).collect();
        let mut other = waits(&shares, 2, 1);
        drop(held);
        let its = come(&mut other).expect("who holds nothing has the next turn");
        assert!(come(&mut many[0]).is_none());
        drop(its);
        let first = come(&mut many[0]).expect("then the first of the many");
        assert!(come(&mut many[1]).is_none());
        let mut again = waits(&shares, 2, 1);
        drop(first);
        assert!(come(&mut again).is_some(), "and the other again");
    }

    #[tokio::test]
    async fn who_went_away_takes_nothing_and_too_many_are_not_let_wait() {
        let shares = Shares::new(1, 1, 2);
        let held = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        let gone = waits(&shares, 1, 1);
        let mut stays = waits(&shares, 1, 1);
        assert!(shares.0.queue(Owner::Key(1), 1).is_none(), "two wait already");
        drop(gone);
        let _new = waits(&shares, 1, 1);
        drop(held);
        assert!(come(&mut stays).is_some());
    }

    #[tokio::test]
    async fn a_large_request_is_not_held_up_by_small_ones() {
        let shares = Shares::new(10, 10, 10);
        let small = shares.take(Owner::Key(1), 4, NOW).await.unwrap();
        let mut large = waits(&shares, 2, 8);
        let mut later = waits(&shares, 3, 1);
        assert!(come(&mut large).is_none() && come(&mut later).is_none(), "what is free is kept for it");
        drop(small);
        assert!(come(&mut large).is_some() && come(&mut later).is_some());
    }

    #[tokio::test]
    async fn what_grew_is_waited_for() {
        let shares = Shares::new(10, 6, 10);
        let answer = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        answer.grow(20);
        assert!(shares.take(Owner::Key(1), 1, NOW).await.is_none());
        assert!(shares.take(Owner::Key(2), 1, NOW).await.is_none(), "there is less than nothing");
        drop(answer);
        assert!(shares.take(Owner::Key(2), 1, NOW).await.is_some());
    }

    #[tokio::test]
    async fn who_only_waits_lets_others_have_the_share() {
        let shares = Shares::new(1, 1, 10);
        let mine = shares.take(Owner::Key(1), 1, NOW).await.unwrap();
        let others = shares.clone();
        mine.aside(async move { assert!(others.take(Owner::Key(2), 1, NOW).await.is_some()) }).await;
        assert!(shares.take(Owner::Key(2), 1, NOW).await.is_none(), "it is taken again");
        drop(mine);
        assert!(shares.take(Owner::Key(2), 1, LONG).await.is_some());
    }

    #[test]
    fn a_site_has_many_addresses() {
        let of = |text: &str| site(text.parse().unwrap()).to_string();
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
