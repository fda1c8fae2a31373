//! Keeps stored products and issues in line with the current packs, outside of runs.

use crate::reassess::reassess;
use crate::run::Clock;
use crate::told::tell;
use ambit_store::engine::Engine;
use ambit_vulns::Knowledge;
use std::time::Duration;
use tokio::sync::watch;

/// How often the packs are looked at, wall time: reading when a file was written.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Tells and judges again when this begins and whenever the packs change, until `stop`. Another engine of the same
/// database may know something else: what was noted last stands until this one's packs change.
pub(crate) async fn keep_judged(
    engine: &Engine,
    knowledge: &Knowledge,
    clock: &Clock,
    mut stop: watch::Receiver<bool>,
) {
    let mut is_due = true;
    while !*stop.borrow() {
        match knowledge.refresh() {
            Ok(changed) => is_due |= changed,
            Err(error) => tracing::error!(%error, "the packs of vulnerabilities cannot be read"),
        }
        if let Err(error) = tell(engine, knowledge, clock, &stop).await {
            tracing::error!(%error, "detecting products again failed and is tried again");
        }
        if is_due {
            match reassess(engine, knowledge, clock, &stop).await {
                Ok(_) => is_due = false,
                Err(error) => tracing::error!(%error, "judging again failed and is tried again"),
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = stop.changed() => {}
        }
    }
}
