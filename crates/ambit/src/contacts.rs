//! The list of contacts of a run on a simulated internet: who was reached, under which name, with which request.

use crate::discover::Finished;
use crate::failure::Result;
use crate::output::Results;
use ambit_world::Contact;
use serde_json::{Value, json};
use std::path::Path;

/// A list that somebody asked for. The file is opened before the run, so that one that cannot be written is known then.
pub(crate) struct Contacts(Option<Results>);

impl Contacts {
    /// The list in this file; none without one.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        path.map(|path| Results::open(Some(path))).transpose().map(Self)
    }

    /// Whether anybody wants it.
    pub(crate) fn wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Writes what the simulated servers saw.
    pub(crate) fn write(self, finished: &Finished) -> Result<()> {
        let (Some(mut results), Some(simulated)) = (self.0, &finished.simulated) else {
            return Ok(());
        };
        for contact in simulated.wire.requests() {
            results.json(&line(&contact))?;
        }
        results.finish()
    }
}

fn line(contact: &Contact) -> Value {
    let mut line = json!({
        "address": contact.address,
        "port": contact.port,
        "transport": if contact.datagram { "udp" } else { "tcp" },
        "name": contact.name,
        "asked": contact.asked,
        "count": contact.count,
    });
    if !contact.why.is_empty() {
        line["outside"] = json!(contact.why);
    }
    line
}
