//! What follows at once when packs change: products are recognised again from stored answers, and issues are judged
//! again. No target is contacted.

use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::Result;
use crate::folder;
use crate::output::hint;
use crate::output::lines::counted;
use crate::workspace::{self, PACKS_FOLDER};
use ambit_engine::{Clock, Reassessed};
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
    say(told, "entity shows other products than before", "entities show other products than before");
    let judged = ambit_engine::reassess(&engine, &knowledge, &clock, &stop).await?;
    say(judged, "entity was re-evaluated", "entities were re-evaluated");
    Ok(())
}

/// Says how many entities were concerned and what became of their issues, where any entity was.
fn say(done: Option<Reassessed>, one: &str, many: &str) {
    let Some(Reassessed { entities, opened, closed }) = done.filter(|done| done.entities > 0) else { return };
    let entities = counted(&entities.into(), one, many);
    let opened = counted(&opened.into(), "issue opened", "issues opened");
    hint(&format!("{entities}: {opened}, {closed} closed"));
}
