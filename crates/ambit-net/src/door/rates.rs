//! When a contact may be made: its turns with its own peer and among all.

use super::outages::Place;
use super::{Door, RESOLVER, host_of};
use crate::error::Result;
use crate::guard::{Grant, Transport};
use crate::pace::{Bucket, Signal};
use crate::wire::WireTime;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

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
        let _waits = self.waits();
        let mut other = pin!(other);
        loop {
            let since = self.now();
            let ended = self.until(since + WAIT_NOTED, "another's turn", other.as_mut()).await;
            self.turns.waited.note(since, self.now());
            if let Ok(done) = ended {
                return done;
            }
        }
    }

    /// How long this unit of work waited for its turns, up to the last that it waits for now.
    pub(crate) fn waited(&self) -> Duration {
        self.turns.waited.sum()
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
                let place = Place::new(provider, &host_of(name, address), address.port());
                Box::pin(self.turn_at_source(&place, self.turn(grant, buckets))).await?;
            }
            _ => self.turn(grant, buckets).await,
        }
        if self.now() > before { self.check(grant, address, transport, name) } else { Ok(()) }
    }
}
