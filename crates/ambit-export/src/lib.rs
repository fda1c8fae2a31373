//! Documents that other programs and people read: issues and entities as CSV, JSON lines, SARIF, CycloneDX VEX,
//! DefectDojo findings, OCSF events, a STIX bundle and an HTML report. Pure: rows in, text out. A format is one file in
//! `format/` and one line in [`FORMATS`]. Who asks for rows, and where the text goes, is somebody else's business.

mod exchange;
mod format;
mod kept;
mod reproduce;
mod words;

pub use format::FORMATS;
pub use reproduce::reproduce;

use ambit_api::exports::{Asset, Finding};
use ambit_model::Timestamp;
use kept::Kept;

/// What a document begins with.
#[derive(Clone, Debug)]
pub struct Head {
    /// When it is made; wall time.
    pub made_at: Timestamp,
    /// The search that found its rows, as a person wrote it.
    pub query: String,
    /// True where its rows are entities, false where they are issues.
    pub of_entities: bool,
    /// What came or went after this moment is said to be new or gone, where the format can say it.
    pub since: Option<Timestamp>,
    /// Its rows are as they were at this moment, which is said where the format has a place for it; `None`: as they are
    /// now.
    pub as_of: Option<Timestamp>,
    /// Version of the program.
    pub version: &'static str,
}

/// A format, and how it writes. The functions add to the text.
#[derive(Debug)]
pub struct Format {
    /// As people name it: `sarif`.
    pub name: &'static str,
    /// What it is, in one phrase.
    pub about: &'static str,
    /// Of its files, without the dot.
    pub extension: &'static str,
    /// The search that is meant where a person gives none.
    pub usual_query: &'static str,
    /// Whether it includes what was sent and received.
    pub takes_probes: bool,
    begin: fn(&mut Document),
    /// `None` if it cannot describe issues.
    finding: Option<fn(&mut Document, &Finding)>,
    /// `None` if it cannot describe entities.
    asset: Option<fn(&mut Document, &Asset)>,
    end: fn(&mut Document),
}

impl Format {
    /// Returns whether it can describe entities.
    pub fn takes_assets(&self) -> bool {
        self.asset.is_some()
    }
}

/// Why a document cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {} entities would have to be held at once; narrow the query", kept::ENTITIES_MAX)]
pub struct TooMany;

/// A document under way. Whoever makes it takes the text from time to time, so that it is never whole in memory.
#[derive(Debug)]
pub struct Document {
    head: Head,
    format: &'static Format,
    text: String,
    /// Rows that the text has so far, which decides on commas.
    rows: u64,
    kept: Kept,
}

/// The format of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

impl Document {
    /// Begins a document.
    pub fn new(format: &'static Format, head: Head) -> Self {
        let mut document = Self { head, format, text: String::new(), rows: 0, kept: Kept::default() };
        (format.begin)(&mut document);
        document
    }

    /// Adds an issue. Fails where the format must hold more than fits.
    pub fn finding(&mut self, finding: &Finding) -> Result<(), TooMany> {
        if let Some(write) = self.format.finding {
            write(self, finding);
        }
        self.checked()
    }

    /// Adds an entity. Fails where the format must hold more than fits.
    pub fn asset(&mut self, asset: &Asset) -> Result<(), TooMany> {
        if let Some(write) = self.format.asset {
            write(self, asset);
        }
        self.checked()
    }

    /// Returns what was written since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Ends the document, and returns what was written since the last call.
    pub fn end(mut self) -> String {
        (self.format.end)(&mut self);
        self.text
    }

    fn checked(&self) -> Result<(), TooMany> {
        if self.kept.is_full() { Err(TooMany) } else { Ok(()) }
    }

    /// Writes one element of a JSON list, on a line of its own.
    fn element(&mut self, value: &serde_json::Value) {
        self.text.push_str(if self.rows == 0 { "\n" } else { ",\n" });
        self.text.push_str(&value.to_string());
        self.rows += 1;
    }
}

#[cfg(test)]
mod tests;
