//! What is typed and shown of a collection's timing: expression, time zone, windows and by how much starts are put off.

use crate::output::table::text;
use ambit_model::cron::Cron;
use ambit_model::notification::hours::Hours;
use ambit_model::timing::Window;
use serde_json::{Map, Value, json};

/// Reads an expression in its one spelling.
pub(super) fn cron(text: &str) -> Result<String, String> {
    Cron::parse(text).map(|cron| cron.to_string())
}

/// Reads the name of a time zone.
pub(super) fn zone(text: &str) -> Result<String, String> {
    Hours::parse(text).map(|zone| zone.to_string())
}

/// Reads a window, or the word that there is none.
pub(super) fn window(text: &str) -> Result<String, String> {
    if text == "none" { Ok(text.to_owned()) } else { Window::parse(text).map(|window| window.to_string()) }
}

/// When a new collection runs, beside the word of its schedule.
#[derive(Debug, clap::Args)]
pub(crate) struct Timed {
    /// Run by a cron expression of five fields, such as "30 2 * * mon-fri", instead of the schedule.
    #[arg(long, value_name = "EXPRESSION", value_parser = cron, conflicts_with = "schedule")]
    cron: Option<String>,
    /// Time zone of the expression and of --rest, such as Europe/Berlin.
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    zone: Option<String>,
    /// Hours in which no run starts and a running one pauses, such as "mon-fri 08:00-18:00" or 22:00-06:00; may be
    /// repeated.
    #[arg(long, value_name = "WINDOW", value_parser = window)]
    rest: Vec<String>,
    /// Delay each start by a random time of up to this many minutes.
    #[arg(long, value_name = "MINUTES")]
    jitter: Option<u16>,
}

impl Timed {
    /// The member of a body; `None` where nothing was typed.
    pub(super) fn member(&self) -> Option<Value> {
        let (cron, zone) = (self.cron.as_deref(), self.zone.as_deref());
        Asked { cron, zone, rest: &self.rest, jitter: self.jitter }.member()
    }
}

/// What was typed of a timing.
pub(super) struct Asked<'a> {
    pub(super) cron: Option<&'a str>,
    pub(super) zone: Option<&'a str>,
    pub(super) rest: &'a [String],
    pub(super) jitter: Option<u16>,
}

impl Asked<'_> {
    /// What was typed, as a body has it; `None` where nothing was. What is not in a body stays.
    pub(super) fn member(&self) -> Option<Value> {
        let windows = || self.rest.iter().filter(|window| *window != "none").collect::<Vec<_>>();
        let members = [
            ("cron", self.cron.map(|cron| json!(cron))),
            ("time_zone", self.zone.map(|zone| json!(zone))),
            ("rest_windows", (!self.rest.is_empty()).then(|| json!(windows()))),
            ("jitter_minutes", self.jitter.map(|minutes| json!(minutes))),
        ];
        let said: Map<String, Value> =
            members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        (!said.is_empty()).then_some(Value::Object(said))
    }
}

/// Returns the lines about a timing, each with its label.
pub(super) fn lines(timing: &Value) -> Vec<(&'static str, String)> {
    let jitter = timing["jitter_minutes"].as_u64().filter(|minutes| *minutes > 0);
    let lines = [
        ("cron", text(&timing["cron"])),
        ("rests", text(&timing["rest_windows"])),
        ("zone", text(&timing["time_zone"]).replace("UTC", "")),
        ("jitter", jitter.map(|minutes| format!("up to {minutes} minutes")).unwrap_or_default()),
    ];
    lines.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
