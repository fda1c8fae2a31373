//! Which data folder a command means.

use crate::config::Settings;
use crate::failure::{Failure, Result};
use std::path::{Path, PathBuf};

/// The file of a one-time token in a data folder.
pub(crate) const KEY_TOKEN: &str = "first-key.token";

/// `--data`, `AMBIT_DATA` or the configuration, else `ambit` in the user's data directory.
pub(crate) fn data(flag: Option<&Path>, settings: &Settings) -> Result<PathBuf> {
    match flag {
        Some(path) => Ok(path.to_owned()),
        None => settings.get("data").map_or_else(|| user_data("ambit"), |path| Ok(PathBuf::from(path))),
    }
}

/// `--data`, else `ambit-demo` in the user's data directory.
pub(crate) fn demo(flag: Option<&Path>) -> Result<PathBuf> {
    flag.map_or_else(|| user_data("ambit-demo"), |path| Ok(path.to_owned()))
}

/// How a person asks a folder that a command has filled.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    before: &'static str,
    after: String,
}

impl Asking {
    /// With no more than is needed under these settings.
    pub(crate) fn new(folder: &Path, settings: &Settings) -> Self {
        let usual = data(None, settings).is_ok_and(|usual| usual == folder) && settings.get("server").is_none();
        // Client commands have no such flag, and a URL may hold a password.
        let before = if settings.is_by_flag("database") { "AMBIT_DATABASE=URL " } else { "" };
        Self { before, after: if usual { String::new() } else { format!(" --data {}", quoted(folder)) } }
    }

    /// The command line, such as `ambit entities --data DIR`.
    pub(crate) fn command(&self, words: &str) -> String {
        format!("`{}ambit {words}{}`", self.before, self.after)
    }
}

/// As a shell reads it as one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let bare = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(bare) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn user_data(name: &str) -> Result<PathBuf> {
    let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let base =
        base.ok_or_else(|| Failure::usage("no data folder: neither XDG_DATA_HOME nor HOME is set; give --data DIR"))?;
    Ok(base.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn commands_name_the_folder_where_it_is_not_the_usual_one() {
        let load = |pairs: &[(&str, &str)]| {
            let environment: BTreeMap<_, _> =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Settings::load(None, &environment).expect("loads")
        };
        let asked = |folder: &str, settings: &Settings| Asking::new(Path::new(folder), settings).command("entities");
        assert_eq!(asked("/data/a", &load(&[("AMBIT_DATA", "/data/a")])), "`ambit entities`");
        assert_eq!(asked("/data/a b", &load(&[("AMBIT_DATA", "/data/a")])), "`ambit entities --data '/data/a b'`");
        let elsewhere = load(&[("AMBIT_DATA", "/data/a"), ("AMBIT_SERVER", "https://a.test")]);
        assert_eq!(asked("/data/a", &elsewhere), "`ambit entities --data /data/a`", "a server would be asked else");
        let mut settings = load(&[("AMBIT_DATA", "/data/a")]);
        settings.flag("database", Some("postgres://a/b".to_owned()));
        assert_eq!(asked("/data/a", &settings), "`AMBIT_DATABASE=URL ambit entities`");
    }
}
