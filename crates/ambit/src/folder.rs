//! Which data folder a command means (design §10).

use crate::config::Settings;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// `--data`, `AMBIT_DATA` or the configuration, else `ambit` in the user's data directory.
pub(crate) fn data(flag: Option<&Path>, settings: &Settings) -> Result<PathBuf, Failure> {
    match flag {
        Some(path) => Ok(path.to_owned()),
        None => settings.get("data").map_or_else(|| user_data("ambit"), |path| Ok(PathBuf::from(path))),
    }
}

/// `--data`, else `ambit-demo` in the user's data directory.
pub(crate) fn demo(flag: Option<&Path>) -> Result<PathBuf, Failure> {
    flag.map_or_else(|| user_data("ambit-demo"), |path| Ok(path.to_owned()))
}

fn user_data(name: &str) -> Result<PathBuf, Failure> {
    let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let base = base.ok_or_else(|| Failure::usage("no data folder: neither XDG_DATA_HOME nor HOME is set; give --data DIR"))?;
    Ok(base.join(name))
}
