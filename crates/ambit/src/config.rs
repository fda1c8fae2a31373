//! Settings: defaults < `ambit.toml` < `AMBIT_*` environment (`*_FILE` for secrets) < flags; each with its origin.

mod rows;

use crate::failure::{Failure, Result};
use ambit_api::projects::Plan;
use ambit_model::vulnerability::Threshold;
use ambit_model::{DueDays, Timestamp};
use ambit_store::Retention;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub(crate) use rows::{ROWS, Row, find, known};

/// Carries the value of `--database` into the program that begins anew without it: the environment of a process is read
/// by its owner alone.
pub(crate) const DATABASE_FLAG: &str = "AMBIT_DATABASE_BY_FLAG";

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The settings with their origins.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    values: BTreeMap<&'static str, (String, Origin)>,
}

impl Settings {
    /// Reads the file (when given, or `ambit.toml` in the working folder when there) and the environment.
    pub(crate) fn load(file: Option<&Path>, environment: &BTreeMap<String, String>) -> Result<Self> {
        let mut values: BTreeMap<&'static str, (String, Origin)> =
            ROWS.iter().map(|row| (row.name, (row.default.to_owned(), Origin::Default))).collect();
        let given = file.map(Path::to_owned).or_else(|| Some(PathBuf::from("ambit.toml")).filter(|path| path.exists()));
        if let Some(path) = given {
            read_file(&path, &mut values)?;
        }
        read_environment(environment, &mut values)?;
        Ok(Self { values })
    }

    /// The value, or `None` when it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|(value, _)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// By when issues are to be closed where their collection does not say.
    pub(crate) fn due_days(&self) -> Result<DueDays> {
        let text = self.get("due_days").unwrap_or_default();
        text.parse().map_err(|error| Failure::usage(format!("setting due_days: {error}")))
    }

    /// How long what is over is kept.
    pub(crate) fn retention(&self) -> Result<Retention> {
        let days = |name| self.positive(name, "days, such as 365");
        Ok(Retention { versions_days: days("keep_versions_days")?, evidence_days: days("keep_evidence_days")? })
    }

    /// Contacts per second, over all, where one is set.
    pub(crate) fn rate(&self) -> Result<Option<u32>> {
        self.positive("rate", "contacts per second, such as 50")
    }

    /// Requests of one API key in a minute, where a limit is set.
    pub(crate) fn key_rate(&self) -> Result<Option<u32>> {
        self.positive("key_rate", "requests per minute, such as 240")
    }

    /// A setting that is a whole number above 0, where it is set; fails with the number that was expected.
    fn positive<T: FromStr + PartialOrd + Default>(&self, name: &str, expected: &str) -> Result<Option<T>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| *number > T::default());
        number
            .map(Some)
            .ok_or_else(|| Failure::usage(format!("setting {name} {text:?}: expected a whole number of {expected}")))
    }

    /// Which vulnerabilities become issues.
    pub(crate) fn vulnerability_issues(&self) -> Result<Threshold> {
        let Some(text) = self.get("vulnerability_issues") else { return Ok(Threshold::default()) };
        text.parse().map_err(|why| Failure::usage(format!("setting vulnerability_issues {text:?}: {why}")))
    }

    /// What people may ask of runs.
    pub(crate) fn limits(&self) -> Result<ambit_store::Limits> {
        let number = |name: &str, least: i64, usual: i64| {
            let Some(text) = self.get(name) else { return Ok(usual) };
            let number = text.parse().ok().filter(|number| *number >= least);
            number.ok_or_else(|| {
                Failure::usage(format!(
                    "setting {name} {text:?}: expected a whole number from {least}, such as {usual}"
                ))
            })
        };
        let usual = ambit_store::Limits::default();
        Ok(ambit_store::Limits {
            open_runs: number("open_runs", 1, usual.open_runs)?,
            seed_addresses: number("seed_addresses", 0, usual.seed_addresses)?,
        })
    }

    /// Whether addresses count as their persons' own though the provider does not say that it verified them.
    pub(crate) fn trusts_addresses(&self) -> Result<bool> {
        self.truth("oidc_trust_email")
    }

    /// Returns whether an invitation creates an account for an unknown address.
    pub(crate) fn open_accounts(&self) -> Result<bool> {
        self.truth("open_accounts")
    }

    /// Whether files that people upload are for their project, where they do not say otherwise.
    pub(crate) fn private_uploads(&self) -> Result<bool> {
        self.truth("private_uploads")
    }

    /// Whether ports are probed with half a handshake where the system permits it.
    pub(crate) fn syn_probes(&self) -> Result<bool> {
        self.truth("syn_probes")
    }

    fn truth(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(text) => Err(Failure::usage(format!("setting {name} {text:?}: expected true or false"))),
        }
    }

    /// What projects say of their plan.
    pub(crate) fn plan(&self) -> Result<Plan> {
        let mut plan = Plan::default();
        if let Some(status) = self.get("plan_status") {
            status.clone_into(&mut plan.status);
        }
        if let Some(text) = self.get("plan_expires_at") {
            let moment = Timestamp::parse(text);
            plan.expires_at = moment.ok_or_else(|| {
                Failure::usage(format!("setting plan_expires_at {text:?}: expected a date such as 2030-01-31"))
            })?;
        }
        Ok(plan)
    }

    /// Host names that the server answers for; none: all.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let names = self.get("hosts").unwrap_or_default().split([',', ' ']);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// A flag's value stands above everything else.
    pub(crate) fn flag(&mut self, name: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.values.insert(name, (value, Origin::Flag));
        }
    }

    /// Whether a flag says the value.
    pub(crate) fn is_by_flag(&self, name: &str) -> bool {
        self.get(name).is_some() && matches!(self.values.get(name), Some((_, Origin::Flag)))
    }

    /// Name, value (secrets hidden) and origin of each setting.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'static str, String, &Origin)> {
        self.values.iter().map(|(name, (value, origin))| {
            let secret = find(name).is_some_and(|row| row.secret);
            let shown = if secret && !value.is_empty() { "(hidden)".to_owned() } else { without_passwords(value) };
            (*name, shown, origin)
        })
    }
}

/// A text with the passwords of its URLs hidden: `postgres://ambit:***@host/db`, also where one stands among the
/// parameters. What cannot be told apart is hidden as a whole.
pub(crate) fn without_passwords(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let (place, parameters) =
        rest.split_once('?').map_or((rest, None), |(place, parameters)| (place, Some(parameters)));
    // A password may hold a slash or an @ that nobody escaped: the last @ ends it.
    let place = match place.rsplit_once('@') {
        Some((who, host)) => {
            format!("{}@{host}", who.split_once(':').map_or(who.to_owned(), |(user, _)| format!("{user}:***")))
        }
        None if parameters.is_some_and(|text| text.contains('@')) => "***".to_owned(),
        None => place.to_owned(),
    };
    let parameters = parameters.map(|parameters| {
        let hidden = parameters.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("password") => format!("{name}=***"),
            _ if pair.contains('@') => "***".to_owned(),
            _ => pair.to_owned(),
        });
        format!("?{}", hidden.collect::<Vec<_>>().join("&"))
    });
    format!("{scheme}://{place}{}", parameters.unwrap_or_default())
}

/// What is wrong with a file and where, without the line itself: a secret may stand in it.
fn syntax(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    Failure::usage(format!("configuration {}: line {line} is not valid TOML: {}", path.display(), error.message()))
}

fn read_file(path: &Path, values: &mut BTreeMap<&'static str, (String, Origin)>) -> Result<()> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read configuration {}: {error}", path.display())))?;
    let table = text.parse::<toml::Table>().map_err(|error| syntax(path, &text, &error))?;
    let origin = || Origin::File(path.to_owned());
    for (name, value) in &table {
        let held = name.strip_suffix("_file").and_then(|base| find(base).filter(|row| row.by_file));
        if let Some(row) = held {
            let file = text_of(row, value)
                .map_err(|why| Failure::usage(format!("configuration {}: setting {name}: {why}", path.display())))?;
            values.insert(row.name, (held_by(name, &file)?, origin()));
            continue;
        }
        let Some(row) = find(name) else {
            return Err(Failure::usage(format!(
                "configuration {}: unknown setting {name:?}; known are {}",
                path.display(),
                known()
            )));
        };
        let value = text_of(row, value)
            .map_err(|why| Failure::usage(format!("configuration {}: setting {name}: {why}", path.display())))?;
        values.insert(row.name, (value, origin()));
    }
    Ok(())
}

/// The value that a file holds.
fn held_by(name: &str, path: &str) -> Result<String> {
    let value = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{name}: cannot read {path}: {error}")))?;
    Ok(value.trim().to_owned())
}

/// The text of a value: what a person would have written in the environment.
fn text_of(row: &Row, value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Datetime(moment) => Ok(moment.to_string()),
        toml::Value::Boolean(truth) if row.truth => Ok(truth.to_string()),
        toml::Value::Array(items) if row.list => {
            let texts = items.iter().map(|item| match item {
                toml::Value::String(text) if !text.contains(',') => Ok(text.as_str()),
                other => Err(format!("{other} in its list: expected texts without a comma")),
            });
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join(","))
        }
        other if row.list => Err(format!("expected a text or a list of texts, not {}", kind_of(other))),
        other => Err(format!("expected a text or a whole number, not {}", kind_of(other))),
    }
}

fn kind_of(value: &toml::Value) -> &'static str {
    match value {
        toml::Value::Array(_) => "a list",
        toml::Value::Table(_) => "a table",
        toml::Value::Float(_) => "a number with a fraction",
        toml::Value::Boolean(_) => "true or false",
        toml::Value::String(_) | toml::Value::Integer(_) | toml::Value::Datetime(_) => "this",
    }
}

/// The environment variable of a setting.
pub(crate) fn variable(setting: &str) -> String {
    format!("AMBIT_{}", setting.to_uppercase())
}

/// Variables with our beginning that are no settings.
const NO_SETTINGS: [&str; 3] = ["AMBIT_LOG", "AMBIT_UPDATE", DATABASE_FLAG];
/// What variables begin with that others set: our tests, and Kubernetes, for a service named `ambit`.
const OF_OTHERS: [&str; 3] = ["AMBIT_TEST", "AMBIT_SERVICE_", "AMBIT_PORT_"];

/// Variables that look like settings and are none: a mistyped name would change nothing without a word. They are told
/// and not refused, since others set variables, too.
pub(crate) fn unknown_variables(environment: &BTreeMap<String, String>) -> Vec<&str> {
    let is_setting = |name: &str| {
        ROWS.iter().any(|row| {
            let variable = variable(row.name);
            name == variable || (row.by_file && name.strip_suffix("_FILE") == Some(variable.as_str()))
        })
    };
    let of_others = |name: &str| OF_OTHERS.iter().any(|beginning| name.starts_with(beginning)) || name == "AMBIT_PORT";
    let ours = environment.keys().map(String::as_str).filter(|name| name.starts_with("AMBIT_"));
    ours.filter(|name| !is_setting(name) && !NO_SETTINGS.contains(name) && !of_others(name)).collect()
}

fn read_environment(
    environment: &BTreeMap<String, String>,
    values: &mut BTreeMap<&'static str, (String, Origin)>,
) -> Result<()> {
    for row in ROWS {
        let name = variable(row.name);
        let file = format!("{name}_FILE");
        if let Some(path) = environment.get(&file).filter(|_| row.by_file) {
            values.insert(row.name, (held_by(&file, path)?, Origin::Environment(file)));
        } else if let Some(value) = environment.get(&name) {
            values.insert(row.name, (value.clone(), Origin::Environment(name)));
        }
    }
    if let Some(url) = environment.get(DATABASE_FLAG) {
        values.insert("database", (url.clone(), Origin::Flag));
    }
    for alias in ["VT_API_KEY", "GTI_APIKEY"] {
        let unset = values.get("api_key").is_some_and(|(value, _)| value.is_empty());
        if let Some(value) = environment.get(alias).filter(|_| unset) {
            values.insert("api_key", (value.clone(), Origin::Environment(alias.to_owned())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<Settings> {
        let environment = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::load(None, &environment)
    }

    #[test]
    fn flags_stand_above_the_environment_and_that_above_defaults() {
        let mut settings = load(&[("AMBIT_LISTEN", "127.0.0.1:9")]).expect("loads");
        assert_eq!(settings.get("listen"), Some("127.0.0.1:9"));
        settings.flag("listen", Some("127.0.0.1:1".to_owned()));
        assert_eq!(settings.get("listen"), Some("127.0.0.1:1"));
        assert_eq!(settings.get("rate"), None);
    }

    #[test]
    fn a_mistyped_variable_is_told() {
        let environment: BTreeMap<String, String> = [
            "AMBIT_LISTEN",
            "AMBIT_LISTN",
            "AMBIT_API_KEY_FILE",
            "AMBIT_LISTEN_FILE",
            "AMBIT_LOG",
            "AMBIT_SERVICE_HOST",
            "AMBIT_PORT",
            "AMBIT_PORT_8080_TCP",
            "PATH",
        ]
        .map(|name| (name.to_owned(), String::new()))
        .into();
        assert_eq!(unknown_variables(&environment), ["AMBIT_LISTEN_FILE", "AMBIT_LISTN"]);
    }

    #[test]
    fn a_rate_that_is_none_is_refused_not_ignored() {
        assert_eq!(load(&[("AMBIT_RATE", "50")]).expect("loads").rate(), Ok(Some(50)));
        assert_eq!(load(&[]).expect("loads").rate(), Ok(None));
        for wrong in ["fast", "0", "-1"] {
            let failure = load(&[("AMBIT_RATE", wrong)]).expect("loads").rate().expect_err("is refused");
            assert!(failure.to_string().contains(wrong), "{failure}");
        }
    }

    #[test]
    fn accounts_are_open_only_where_somebody_says_so() {
        assert_eq!(load(&[]).expect("loads").open_accounts(), Ok(false));
        assert_eq!(load(&[("AMBIT_OPEN_ACCOUNTS", "true")]).expect("loads").open_accounts(), Ok(true));
        let failure = load(&[("AMBIT_OPEN_ACCOUNTS", "yes")]).expect("loads").open_accounts().expect_err("is refused");
        assert!(failure.to_string().contains("\"yes\""), "{failure}");
    }

    #[test]
    fn secrets_are_never_printed() {
        let settings = load(&[("GTI_APIKEY", "s3cret")]).expect("loads");
        assert_eq!(settings.get("api_key"), Some("s3cret"));
        assert!(settings.rows().all(|(_, value, _)| !value.contains("s3cret")));
    }

    #[test]
    fn passwords_within_urls_are_never_printed() {
        for (url, shown) in [
            ("postgres://ambit:pa:ss/w@rd@db.test:5432/ambit", "postgres://ambit:***@db.test:5432/ambit"),
            ("postgres://ambit@db.test/ambit", "postgres://ambit@db.test/ambit"),
            (
                "postgres://db/a?user=x&password=s3cret&sslmode=require",
                "postgres://db/a?user=x&password=***&sslmode=require",
            ),
            ("postgres://u:s3cret?s3cret@db/a", "postgres://***?***"),
            ("postgres://db/a?password=s3cret@s3cret", "postgres://***?password=***"),
            ("/data/with:colon@sign", "/data/with:colon@sign"),
        ] {
            assert_eq!(without_passwords(url), shown);
            let settings = load(&[("AMBIT_DATABASE", url)]).expect("loads");
            assert_eq!(settings.get("database"), Some(url));
            let rows: Vec<String> = settings.rows().map(|(_, value, _)| value).collect();
            assert!(rows.iter().any(|value| value == shown) && !rows.join(" ").contains("s3cret"), "{rows:?}");
        }
    }

    #[test]
    fn a_syntax_error_names_the_line_and_quotes_none_of_it() {
        let file = std::env::temp_dir().join(format!("ambit-syntax-{}.toml", std::process::id()));
        for (text, line) in [
            ("rate = 5\napi_key = \"s3cret", 2),
            ("api_key = s3cret", 1),
            ("\n\napi_key = 's3cret' s3cret", 3),
            ("api_key = \"a\"\napi_key = \"s3cret\"", 2),
        ] {
            std::fs::write(&file, text).expect("can be written");
            let failure = Settings::load(Some(&file), &BTreeMap::new()).expect_err(text).to_string();
            assert!(failure.contains(&format!("line {line} ")) && !failure.contains("s3cret"), "{failure}");
        }
        std::fs::remove_file(&file).expect("is ours");
    }

    #[test]
    fn a_file_may_hold_the_url_of_the_database() {
        let file = std::env::temp_dir().join(format!("ambit-url-{}", std::process::id()));
        std::fs::write(&file, "postgres://ambit:s3cret@db.test/ambit\n").expect("can be written");
        let path = file.to_str().expect("is text");
        let settings = load(&[("AMBIT_DATABASE_FILE", path)]).expect("loads");
        assert_eq!(settings.get("database"), Some("postgres://ambit:s3cret@db.test/ambit"));
        let toml = std::env::temp_dir().join(format!("ambit-url-{}.toml", std::process::id()));
        std::fs::write(&toml, format!("database_file = {path:?}")).expect("can be written");
        let settings = Settings::load(Some(&toml), &BTreeMap::new()).expect("loads");
        assert_eq!(settings.get("database"), Some("postgres://ambit:s3cret@db.test/ambit"));
        for file in [file, toml] {
            std::fs::remove_file(&file).expect("is ours");
        }
    }

    #[test]
    fn limits_are_numbers() {
        let limits = load(&[("AMBIT_OPEN_RUNS", "3")]).expect("loads").limits().expect("is one");
        assert_eq!((limits.open_runs, limits.seed_addresses), (3, ambit_store::Limits::default().seed_addresses));
        let failure = load(&[("AMBIT_OPEN_RUNS", "0")]).expect("loads").limits().expect_err("no run could start");
        assert!(failure.to_string().contains("open_runs \"0\": expected a whole number from 1"), "{failure}");
        let failure = load(&[("AMBIT_SEED_ADDRESSES", "many")]).expect("loads").limits().expect_err("is none");
        assert!(failure.to_string().contains("seed_addresses \"many\""), "{failure}");
    }

    #[test]
    fn lists_in_the_file_are_lists_and_what_is_no_value_is_named() {
        let file = std::env::temp_dir().join(format!("ambit-config-{}.toml", std::process::id()));
        let load = |text: &str| {
            std::fs::write(&file, text).expect("can be written");
            Settings::load(Some(&file), &BTreeMap::new())
        };
        let settings = load("hosts = [\"a.test\", \"b.test\"]\nrate = 50\nplan_expires_at = 2030-01-31\nca = []\n")
            .expect("loads");
        assert_eq!(settings.hosts(), ["a.test", "b.test"]);
        assert_eq!((settings.rate(), settings.get("ca")), (Ok(Some(50)), None));
        assert!(settings.plan().is_ok());
        for (wrong, word) in [
            ("hosts = [1]", "hosts"),
            ("ca = [\"a,b\"]", "a,b"),
            ("listen = [\"127.0.0.1:1\"]", "a list"),
            ("rate = 1.5", "fraction"),
            ("data = true", "true or false"),
            ("[database]\nurl = \"x\"", "a table"),
            ("secret = \"x\"", "secret_file"),
        ] {
            let failure = load(wrong).expect_err(wrong);
            let text = failure.to_string();
            assert_eq!(failure.code, crate::failure::USAGE);
            assert!(text.contains(word) && text.contains(&*file.to_string_lossy()), "{text}");
        }
        std::fs::remove_file(&file).expect("is ours");
    }

    #[test]
    fn the_secret_s_file_is_a_path_that_settings_do_not_read() {
        let settings = load(&[("AMBIT_SECRET_FILE", "/nowhere/secret.key")]).expect("loads");
        assert_eq!(settings.get("secret_file"), Some("/nowhere/secret.key"));
    }

    #[test]
    fn an_unreadable_secret_file_is_named() {
        let failure = load(&[("AMBIT_API_KEY_FILE", "/nowhere/key")]).expect_err("fails");
        assert!(failure.to_string().contains("AMBIT_API_KEY_FILE"), "{failure}");
    }
}
