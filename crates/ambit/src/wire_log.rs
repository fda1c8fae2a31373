//! The log of a simulated internet: each contact with its answer, as it happens, one JSON object a line. What a record
//! claims can be compared with it, since nothing else was there to be seen.

use crate::clock::now;
use crate::failure::{Failure, Result};
use crate::output::Results;
use ambit_world::{Exchange, SimulatedWire};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A log that somebody asked for. The file is opened before the run, so that one that cannot be written is known then.
#[derive(Clone, Default)]
pub(crate) struct WireLog(Option<Arc<Mutex<Written>>>);

struct Written {
    /// `None` once it was finished, or a line could not be written.
    results: Option<Results>,
    failure: Option<Failure>,
}

impl WireLog {
    /// The log in this file; none without one.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let results = Some(Results::open(Some(path))?);
        Ok(Self(Some(Arc::new(Mutex::new(Written { results, failure: None })))))
    }

    /// Writes down what happens on this wire from now on.
    pub(crate) fn listen(&self, wire: &SimulatedWire) {
        let Some(written) = self.0.clone() else { return };
        wire.observe(Arc::new(move |exchange| {
            let mut written = written.lock();
            let Some(results) = &mut written.results else { return };
            if let Err(failure) = results.json(&line(exchange)) {
                (written.results, written.failure) = (None, Some(failure));
            }
        }));
    }

    /// Ends the log; fails where a line of it could not be written.
    pub(crate) fn finish(&self) -> Result<()> {
        let Some(written) = &self.0 else { return Ok(()) };
        let mut written = written.lock();
        if let Some(failure) = written.failure.take() {
            return Err(failure);
        }
        written.results.take().map_or(Ok(()), Results::finish)
    }
}

fn line(exchange: &Exchange) -> Value {
    json!({
        "at": now().to_string(),
        "date": exchange.date.to_string(),
        "address": exchange.to.ip(),
        "port": exchange.to.port(),
        "transport": if exchange.datagram { "udp" } else { "tcp" },
        "name": exchange.name,
        "asked": exchange.asked,
        "answer": exchange.answer,
    })
}
