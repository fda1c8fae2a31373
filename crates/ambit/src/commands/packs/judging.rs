//! What follows at once when packs change: products are recognised again from stored answers, and issues are judged
//! again. No target is contacted.

use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::Result;
use crate::folder;
use crate::output::hint;
use crate::workspace::{self, PACKS_FOLDER};
use ambit_engine::Clock;
use ambit_store::{Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Tells and judges what is stored by the packs as they are now, and says what became of it. Where a server or a run
/// holds the engine's place, that does it by itself.
pub(super) async fn judge_again(data: &Data, settings: &Settings, store: &Store) -> Result<()> {
    let engine = match store.engine("packs", Duration::ZERO).await {
        Ok(engine) => engine,
        Err(StoreError::Busy { .. }) => {
            let who = "the server or run that holds the data folder";
            hint(&format!("stored entities are re-evaluated within seconds by {who}"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let folder = folder::data(data.data.as_deref(), settings)?;
    let knowledge = workspace::knowledge(Some(&folder.join(PACKS_FOLDER)), settings)?;
    let clock: Clock = Arc::new(now);
    let stop = watch::channel(false).1;
    let told = ambit_engine::tell(&engine, &knowledge, &clock, &stop).await?;
    if let Some(told) = told.filter(|told| told.entities > 0) {
        hint(&format!(
            "{} entities show other products than before: {} issues opened, {} closed",
            told.entities, told.opened, told.closed
        ));
    }
    let judged = ambit_engine::reassess(&engine, &knowledge, &clock, &stop).await?;
    if let Some(judged) = judged.filter(|judged| judged.entities > 0) {
        hint(&format!(
            "{} entities were re-evaluated: {} issues opened, {} closed",
            judged.entities, judged.opened, judged.closed
        ));
    }
    Ok(())
}
