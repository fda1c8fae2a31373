//! What follows at once from other packs: what is stored is judged again, and nobody is asked.

use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::Failure;
use crate::folder;
use crate::output::hint;
use crate::workspace::{self, PACKS_FOLDER};
use ambit_engine::Clock;
use ambit_store::{Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Judges what is stored by the packs as they are now, and tells what became of it. Where a server or a run holds the
/// engine's place, that does it by itself.
pub(super) async fn judge_again(data: &Data, settings: &Settings, store: &Store) -> Result<(), Failure> {
    let engine = match store.engine("packs", Duration::ZERO).await {
        Ok(engine) => engine,
        Err(StoreError::Busy { .. }) => {
            hint("what is stored is judged again within seconds, by the server or run that holds the data folder");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let folder = folder::data(data.data.as_deref(), settings)?;
    let knowledge = workspace::knowledge(Some(&folder.join(PACKS_FOLDER)))?;
    let clock: Clock = Arc::new(now);
    let judged = ambit_engine::reassess(&engine, &knowledge, &clock, &watch::channel(false).1).await?;
    if let Some(judged) = judged.filter(|judged| judged.entities > 0) {
        hint(&format!(
            "{} entities were judged again: {} issues opened, {} closed",
            judged.entities, judged.opened, judged.closed
        ));
    }
    Ok(())
}
