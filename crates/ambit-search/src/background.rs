//! What work beside the searches needs: threads that may block, and how far it has read.

use ambit_store::{Milestone, Store};

use crate::error::IndexError;

/// Runs work of the engine on a thread where it may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| IndexError::Stopped(error.to_string()))?
}

/// The newest milestone after records were read: nothing of them is later. The milestone from before must still be
/// there: if it is not, they are of another database than what was read until then.
pub(crate) async fn later(store: &Store, before: Milestone) -> Result<Milestone, IndexError> {
    let footing = store.footing(before).await?;
    if footing.known { Ok(footing.newest) } else { Err(IndexError::OtherHistory) }
}
