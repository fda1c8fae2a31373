//! What work beside the searches needs: threads that may block, and how far it has read.

use crate::error::{IndexError, Result};
use ambit_store::{Milestone, Store};
use std::mem::Discriminant;
use std::time::{Duration, Instant};

/// Runs work of the engine on a thread where it may block.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| IndexError::Stopped(error.to_string()))?
}

/// The newest milestone after records were read: nothing of them is later. The milestone from before must still be
/// there: if it is not, they are of another database than what was read until then.
pub(crate) async fn later(store: &Store, before: Milestone) -> Result<Milestone> {
    let footing = store.footing(before).await?;
    if footing.known { Ok(footing.newest) } else { Err(IndexError::OtherHistory) }
}

/// How often it is said that the index does not go on while that is so: a full disk stays full for hours.
const SAID_EVERY: Duration = Duration::from_secs(60);

/// Says in the log whether the index goes on: where that changes, and while it does not, once in a while.
#[derive(Default)]
pub(crate) struct Progress {
    stopped: Option<(Discriminant<IndexError>, Instant)>,
}

impl Progress {
    /// Says what became of a step where that is news; true where it was done.
    pub(crate) fn tell(&mut self, outcome: Result<()>) -> bool {
        let is_news = self.is_news(outcome.as_ref().err(), Instant::now());
        match &outcome {
            Err(error) if is_news => tracing::error!(%error, "the search index is not being updated"),
            Ok(()) if is_news => tracing::info!("the search index is being updated again"),
            _ => {}
        }
        outcome.is_ok()
    }

    fn is_news(&mut self, error: Option<&IndexError>, now: Instant) -> bool {
        let Some(why) = error.map(std::mem::discriminant) else { return self.stopped.take().is_some() };
        let is_known = |(said, at): (_, Instant)| said == why && now.duration_since(at) < SAID_EVERY;
        let is_news = !self.stopped.is_some_and(is_known);
        if is_news {
            self.stopped = Some((why, now));
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_the_index_does_not_go_on_is_said_once_and_then_once_in_a_while() {
        let begin = Instant::now();
        let full = IndexError::io("write", "x".as_ref(), std::io::ErrorKind::StorageFull.into());
        let damaged = IndexError::Damaged("x".to_owned());
        let mut progress = Progress::default();
        let mut told = Vec::new();
        for second in 0..200 {
            let error = match second {
                100..150 => Some(&full),
                150..160 => Some(&damaged),
                170.. => Some(&full),
                _ => None,
            };
            if progress.is_news(error, begin + Duration::from_secs(second)) {
                told.push(second);
            }
        }
        assert_eq!(told, [100, 150, 160, 170]);
        let mut progress = Progress::default();
        let told = (0..200).filter(|second| progress.is_news(Some(&full), begin + Duration::from_secs(*second)));
        assert_eq!(told.collect::<Vec<u64>>(), [0, 60, 120, 180]);
    }
}
