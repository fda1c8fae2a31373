//! Gives a run back: finished work is committed, and work in flight is free for the next engine.

use super::Drive;
use ambit_store::StoreError;
use ambit_store::engine::{Commit, Work};

impl Drive<'_> {
    /// Ends what flies and gives back what is leased, so that the next engine starts at once. What has ended is
    /// committed.
    pub(super) async fn give_back(&mut self) -> Result<(), StoreError> {
        while let Ok(done) = self.receiver.try_recv() {
            self.take(Some(done));
        }
        if !self.ended.is_empty() {
            self.commit().await?;
        }
        let mut returned: Vec<Work> = Vec::new();
        for (_, (work, handle)) in self.in_flight.drain() {
            handle.abort();
            returned.push(work);
        }
        returned.extend(self.queue.drain(..).chain(self.alone.drain(..)).map(|(work, _)| work));
        if returned.is_empty() {
            return Ok(());
        }
        let commit = Commit {
            run: self.run.id,
            outcomes: Vec::new(),
            returned,
            not_done: Vec::new(),
            now: (self.config.clock)(),
        };
        self.config.engine.commit(commit).await.map(|_| ())
    }
}
