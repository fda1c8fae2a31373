//! Gives a run back: finished work is committed, and work in flight is free for the next engine.

use super::Drive;
use ambit_store::Result;
use ambit_store::engine::Commit;

impl Drive<'_> {
    /// Ends what flies and gives back what is leased, so that the next engine starts at once. What has ended is
    /// committed.
    pub(super) async fn give_back(&mut self) -> Result<()> {
        while self.flight.take_next() {}
        let returned = self.flight.stop();
        if self.flight.has_ended() {
            self.commit().await?;
        }
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
