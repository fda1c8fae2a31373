//! `ambit config`: each setting with its origin.

use crate::config::Settings;
use crate::failure::Failure;
use crate::output::Results;

#[derive(Debug, clap::Args)]
pub(crate) struct Config {
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// Prints the settings.
pub(crate) fn run(config: &Config, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    for (name, value, origin) in settings.rows() {
        if config.jsonl {
            results.json(&serde_json::json!({"name": name, "value": value, "origin": origin.to_string()}))?;
        } else {
            results.line(&format!("{name} = {value:?}  ({origin})"))?;
        }
    }
    results.finish()
}
