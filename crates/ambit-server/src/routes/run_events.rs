//! The events of a run as they happen: server-sent events. The access of the listener is checked again before each
//! event, so that a key or role that ended receives nothing more.

use crate::answer::Answer;
use crate::call::Call;
use crate::present::runs::{detail, run};
use crate::shares::{Owner, Share};
use crate::signature::Events;
use crate::state::ServerState;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::id::RunId;
use ambit_store::{Principal, RunReport};
use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two looks at a run: its counters are written about once a second.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Looks without news after which the same is told again: whoever saw another state meanwhile is put right, and a
/// connection that is gone is noticed.
const QUIET_LOOKS_MAX: u32 = 5;
/// Seconds until somebody who found no place asks again.
const RETRY_S: u32 = 10;
/// What a browser waits before it listens again, in milliseconds.
const RETRY: &str = "retry: 2000\n";

/// Follow a run by server-sent events: one for each change and one every five seconds, until it is over. Each is named
/// `run`, and its data is the `result` of reading the run.
pub(crate) async fn listen(call: Call) -> Result<Events> {
    let run = run(&call).await?.id;
    let place = place(&call).await?;
    let until = Instant::now() + call.state.limits.events_time;
    let teller = Teller {
        state: call.state.clone(),
        principal: call.caller().principal.clone(),
        run,
        told: None,
        quiet: 0,
        until,
        _place: place,
    };
    Ok(Events(Answer::events(stream::unfold(teller, Teller::next).boxed())))
}

/// A place among those who listen; the program itself needs none.
async fn place(call: &Call) -> Result<Option<Share>> {
    let Some(key) = call.caller().key_id() else { return Ok(None) };
    let place = call.state.listeners.take(Owner::Key(key), 1, Duration::ZERO).await;
    let refused = || ApiError::with(ErrorCode::Transient, "Too many listen to events at once").retry_after(RETRY_S);
    place.map(Some).ok_or_else(refused)
}

struct Teller {
    state: Arc<ServerState>,
    principal: Principal,
    run: RunId,
    told: Option<RunReport>,
    /// Looks without news.
    quiet: u32,
    until: Instant,
    _place: Option<Share>,
}

impl Teller {
    /// The next lines. `None`: the run is over, the time is, or the caller may not see it any more.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        loop {
            if let Some(told) = &self.told {
                if told.run.state.is_over() || Instant::now() >= self.until {
                    return None;
                }
                sleep(LOOK_EVERY).await;
            }
            let now = (self.state.clock)();
            let caller = self.state.store.renew(&self.principal.at(now)).await.ok()??;
            let report = self.state.store.find_run_report(&caller, self.run).await.ok()?;
            self.quiet += 1;
            if self.quiet < QUIET_LOOKS_MAX && self.told.as_ref() == Some(&report) {
                continue;
            }
            let retry = if self.told.is_none() { RETRY } else { "" };
            let lines = format!("{retry}event: run\ndata: {}\n\n", json!(detail(&report, now)));
            (self.told, self.quiet) = (Some(report), 0);
            return Some((lines.into(), self));
        }
    }
}
