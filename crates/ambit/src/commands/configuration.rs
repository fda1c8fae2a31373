//! `ambit config`: each setting with its origin, and what it means where it is asked for by its name.

use crate::config::{Settings, find, known};
use crate::failure::Result;
use crate::output::{Results, plain};

#[derive(Debug, clap::Args)]
pub(crate) struct Config {
    /// Settings to print, with their descriptions (default: all settings, without descriptions).
    #[arg(value_name = "NAME", value_parser = setting)]
    pub(crate) names: Vec<String>,
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

fn setting(name: &str) -> Result<String, String> {
    find(name).map(|row| row.name.to_owned()).ok_or_else(|| format!("no setting has this name; known are {}", known()))
}

/// Prints the settings.
pub(crate) fn run(config: &Config, settings: &Settings) -> Result<()> {
    let mut results = Results::open(None)?;
    let is_asked = |name: &str| config.names.is_empty() || config.names.iter().any(|asked| asked == name);
    for (name, value, origin) in settings.rows().filter(|(name, ..)| is_asked(name)) {
        let meaning = find(name).map_or("", |row| row.meaning);
        if config.jsonl {
            let row = serde_json::json!({
                "name": name, "value": value, "origin": origin.to_string(), "meaning": meaning
            });
            results.json(&row)?;
            continue;
        }
        results.line(&format!("{name} = {value:?}  ({origin})"))?;
        if !config.names.is_empty() {
            results.line(&format!("    {}", plain(meaning)))?;
        }
    }
    results.finish()
}
