//! When a contact may be made: its turns with its own peer and among all.

use super::outages::ProviderHost;
use super::{Door, RESOLVER, Waited, host_of};
use crate::error::Result;
use crate::guard::{Grant, Transport};
use crate::pace::{Bucket, Signal};
use crate::wire::WireTime;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Contacts that a sweep sends before anything of its own holds it back, at most: about the burst of a block.
const SWEEP_BEGINS_WITH: usize = 32;
/// How long a contact may wait for its turn among all where there is room for another sweep.
const SWEEP_ROOM: Duration = Duration::from_millis(10);
/// How long a sweep waits for such room beside the time that it would take alone.
const SWEEP_PATIENCE: Duration = Duration::from_secs(60);
/// How often a wait for another unit of work is noted while it lasts, so that one that has not ended is known as well.
const WAIT_NOTED: Duration = Duration::from_secs(60);

impl Door {
    /// Waits until each rate that applies to this contact permits it, the narrowest first.
    pub(crate) async fn acquire(&self, buckets: &[Bucket]) {
        for bucket in buckets {
            if let Some(at) = self.reserve(bucket) {
                let _waits = self.waits();
                self.sleep_until(at).await;
            }
        }
    }

    /// Takes the next turn of a rate: when it is, where it is to be waited for.
    pub(super) fn reserve(&self, bucket: &Bucket) -> Option<WireTime> {
        let now = self.now();
        let at = self.outside.pace.reserve(now, bucket, self.grants.home.as_ref());
        if at <= now {
            return None;
        }
        self.turns.waited.note(now, at);
        if matches!(bucket, Bucket::Total) {
            self.turns.waited_for_others.note(now, at);
        }
        Some(at)
    }

    /// Waits for a contact's turn among all, after its turn with its own peer: what then waits no more goes out at
    /// once, so that no second ever sees more than the limit. The operator's own hosts are not counted, resolvers are.
    pub(crate) async fn acquire_total(&self, grant: Grant) {
        if matches!(grant, Grant::Target | Grant::Source(_) | Grant::Operator(RESOLVER)) {
            self.acquire(&[Bucket::Total]).await;
        }
    }

    /// Waits for what another unit of work does first, and notes that as a wait for a turn.
    pub(crate) async fn waits_for<T>(&self, other: impl Future<Output = T>) -> T {
        self.noted(other, &[&self.turns.waited]).await
    }

    /// Waits for something, and notes that as a wait of each of these sorts.
    async fn noted<T>(&self, other: impl Future<Output = T>, sorts: &[&Waited]) -> T {
        let _waits = self.waits();
        let mut other = pin!(other);
        loop {
            let since = self.now();
            let ended = self.until(since + WAIT_NOTED, "another's turn", other.as_mut()).await;
            sorts.iter().for_each(|waited| waited.note(since, self.now()));
            if let Ok(done) = ended {
                return done;
            }
        }
    }

    /// How long this unit of work waited for its turns, up to the last that it waits for now.
    pub(crate) fn waited(&self) -> Duration {
        self.turns.waited.sum()
    }

    /// How much of that for what else this process sends: for its turns among all, and for those of other sweeps.
    pub(crate) fn waited_for_others(&self) -> Duration {
        self.turns.waited_for_others.sum()
    }

    /// Waits until a sweep of so many contacts may begin: until the rate over all has room for it beside those that
    /// began before. All that send share that rate, so that with more of them each ends later and none sooner. A sweep
    /// that sends little, as its own peers' rates have it, leaves room for the next one.
    pub(crate) async fn begin_sweep(&self, contacts: usize) {
        let Some(rate) = self.outside.pace.total() else { return };
        let sorts = [&self.turns.waited, &self.turns.waited_for_others];
        let mut next = self.noted(self.outside.next_sweep.lock(), &sorts).await;
        // Others may use the whole rate for hours.
        let patience = self.now() + Duration::from_secs_f64(contacts as f64 / rate) + SWEEP_PATIENCE;
        loop {
            let now = self.now();
            let at = next.max(now + self.wait_total()).min(patience);
            if at <= now + SWEEP_ROOM {
                break;
            }
            self.noted(self.sleep_until(at), &sorts).await;
        }
        // What it sends at first is not seen in the rate yet.
        *next = next.max(self.now()) + Duration::from_secs_f64(contacts.min(SWEEP_BEGINS_WITH) as f64 / rate);
    }

    /// How long the next contact of any peer would wait for its turn among all.
    pub(crate) fn wait_total(&self) -> Duration {
        self.outside.pace.wait(self.now(), &Bucket::Total)
    }

    /// One of the places for HTTP exchanges with an address.
    pub(crate) async fn exchange_place(&self, address: IpAddr) -> OwnedSemaphorePermit {
        let _waits = self.waits();
        self.outside.pace.exchange_place(address).await
    }

    /// Reports the outcome of a contact to the rate limiter.
    pub(crate) fn report(&self, bucket: &Bucket, signal: Signal) {
        self.outside.pace.report(self.now(), bucket, signal);
    }

    /// Waits for a contact's turn with its own peer, and then among all.
    async fn turn(&self, grant: Grant, buckets: &[Bucket]) {
        self.acquire(buckets).await;
        self.acquire_total(grant).await;
    }

    /// Checks a contact, waits for its turn, and checks again: scope may have changed while it waited.
    pub(super) async fn admit(
        &self,
        grant: Grant,
        address: SocketAddr,
        transport: Transport,
        name: Option<&str>,
        buckets: &[Bucket],
    ) -> Result<()> {
        self.check(grant, address, transport, name)?;
        let before = self.now();
        match grant {
            // Kept apart: targets have thousands of contacts that wait, and sources few.
            Grant::Source(provider) => {
                let place = ProviderHost::new(provider, &host_of(name, address), address.port());
                Box::pin(self.turn_at_source(&place, self.turn(grant, buckets))).await?;
            }
            _ => self.turn(grant, buckets).await,
        }
        if self.now() > before { self.check(grant, address, transport, name) } else { Ok(()) }
    }
}
