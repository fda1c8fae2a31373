//! Scenarios: YAML files with requests and the expected parts of the answers, run against any server. The format:
//!
//! ```yaml
//! name: what it is about
//! needs: inventory                 # or left out: people, a project and a collection are enough
//! groups: { red: [ admin, viewer ] }   # groups with their members, or left out
//! keeps: [ … ]                     # steps by which `keeper` makes what nobody else may see, or left out; what they
//!                                  # save has the name of the word before its id in a path (`graphs`)
//! steps:
//!   - name: what this step shows
//!     advance: 60                  # seconds that pass before it, or left out
//!     hunt: true                   # rules look at what waits for them before it, or left out
//!     repeat: 3                    # how many times it is asked, or left out
//!     as: owner                    # a caller the runner knows, or nobody
//!     post: /api/v3/asm/projects   # or get, put, patch, delete; ${saved} values are filled in
//!     headers: { PROJECT-ID: "1" }
//!     body: { name: Acme }         # or text: for bytes as they are
//!     status: 200
//!     expect: { message: Projects }   # a part of the answer, with the placeholders of `part.rs`
//!     save: { project: /result/uuid } # JSON pointers into the answer
//! ```

use crate::client::{Ask, Reply, ask};
use crate::part;
use ambit_engine::Hunter;
use ambit_engine::hunt::{LOOK_TIME, SLICE};
use ambit_model::Timestamp;
use ambit_store::Store;
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// One file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    /// What must have been found before it runs.
    pub needs: Option<Needs>,
    /// Groups and their members, made by the runner.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    /// What somebody has who shares it with nobody (`kept.rs`).
    #[serde(default)]
    pub keeps: Vec<Step>,
    pub steps: Vec<Step>,
}

/// What a scenario begins with, beyond people, a project and a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// The small inventory of `inventory.rs`.
    Inventory,
}

/// One request with what is expected of its answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub name: String,
    /// Seconds that pass on the server's clock before the request.
    #[serde(default)]
    pub advance: i64,
    /// Rules look at what waits for them before the request.
    #[serde(default)]
    pub hunt: bool,
    /// How many times it is asked, each with the same expectations.
    #[serde(default = "once")]
    pub repeat: usize,
    #[serde(rename = "as", default = "owner")]
    pub caller: String,
    pub get: Option<String>,
    pub post: Option<String>,
    pub put: Option<String>,
    pub patch: Option<String>,
    pub delete: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: Option<Value>,
    pub text: Option<String>,
    pub status: u16,
    pub expect: Option<Value>,
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

fn owner() -> String {
    "owner".to_owned()
}

fn once() -> usize {
    1
}

impl Step {
    /// Method and target, before values are filled in.
    pub fn request(&self) -> anyhow::Result<(&'static str, &str)> {
        let given = [
            ("GET", &self.get),
            ("POST", &self.post),
            ("PUT", &self.put),
            ("PATCH", &self.patch),
            ("DELETE", &self.delete),
        ];
        let mut found = given.into_iter().filter_map(|(method, target)| Some((method, target.as_deref()?)));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            _ => bail!("a step has exactly one of get, post, put, patch, delete"),
        }
    }
}

/// A server to run scenarios against: its address and the keys of the callers.
#[derive(Clone, Default)]
pub struct Stage {
    /// `host:port`.
    pub address: String,
    /// Caller to key; a caller without a key sends none.
    pub keys: BTreeMap<String, String>,
    /// Values that steps may use as `${name}`; steps add to them.
    pub values: BTreeMap<String, String>,
    /// The server's clock in milliseconds, where it can be moved.
    pub clock: Option<Arc<AtomicI64>>,
    /// The server's store, where its rules can be made to look.
    pub store: Option<Store>,
}

/// A step that was done.
#[derive(Clone, Debug)]
pub struct Done {
    pub method: &'static str,
    pub target: String,
    pub caller: String,
    pub reply: Reply,
}

/// Reads the scenarios of a folder, by file name.
pub fn read_folder(folder: &Path) -> anyhow::Result<Vec<(String, Scenario)>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path)?;
            let scenario =
                serde_saphyr::from_str(&text).with_context(|| format!("{} is no scenario", path.display()))?;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            Ok((name, scenario))
        })
        .collect()
}

/// Runs a scenario; the error names the step and what differed.
pub async fn run(stage: &mut Stage, scenario: &Scenario) -> anyhow::Result<Vec<Done>> {
    let mut done = Vec::new();
    for step in &scenario.steps {
        for _ in 0..step.repeat {
            let outcome = run_step(stage, step).await;
            done.push(outcome.with_context(|| format!("{}: {}", scenario.name, step.name))?);
        }
    }
    Ok(done)
}

/// Runs one step; the error says what differed.
pub(crate) async fn run_step(stage: &mut Stage, step: &Step) -> anyhow::Result<Done> {
    let (method, target) = step.request()?;
    if step.advance > 0 {
        let clock = stage.clock.as_ref().context("this server's clock cannot be moved")?;
        clock.fetch_add(step.advance * 1_000, Ordering::Relaxed);
    }
    if step.hunt {
        let store = stage.store.as_ref().context("the rules of this server cannot be made to look")?;
        let clock = stage.clock.as_ref().context("this server's clock cannot be moved")?;
        hunt(store, Timestamp(clock.fetch_add(1, Ordering::Relaxed)), LOOK_TIME).await?;
    }
    let target = filled(target, &stage.values)?;
    let mut headers = Vec::new();
    if let Some(key) = stage.keys.get(&step.caller) {
        headers.push(("x-apikey".to_owned(), key.clone()));
    } else if step.caller != "nobody" {
        bail!("there is no caller {}", step.caller);
    }
    for (name, value) in &step.headers {
        headers.push((name.clone(), filled(value, &stage.values)?));
    }
    let body = match (&step.body, &step.text) {
        (Some(body), None) => Some(filled(&body.to_string(), &stage.values)?.into_bytes()),
        (None, Some(text)) => Some(filled(text, &stage.values)?.into_bytes()),
        (None, None) => None,
        (Some(_), Some(_)) => bail!("a step has body or text, not both"),
    };
    let request = Ask { method: method.to_owned(), target: target.clone(), headers, body };
    let reply = ask(&stage.address, &request).await?;
    if reply.status != step.status {
        bail!("{method} {target}: expected status {}, found {}: {}", step.status, reply.status, reply.text());
    }
    let answer = reply.json();
    if let Some(expected) = &step.expect {
        let expected: Value = serde_json::from_str(&filled(&expected.to_string(), &stage.values)?)?;
        let differences = part::differences(&expected, &answer);
        if !differences.is_empty() {
            bail!("{method} {target}: {}\nin {}", differences.join("; "), reply.text());
        }
    }
    for (name, pointer) in &step.save {
        let value = answer.pointer(pointer).with_context(|| format!("{pointer} is not in {}", reply.text()))?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        stage.values.insert(name.clone(), text);
    }
    Ok(Done { method, target, caller: step.caller.clone(), reply })
}

/// Lets rules look until nothing waits for them; a look may take `time`.
pub async fn hunt(store: &Store, now: Timestamp, time: Duration) -> anyhow::Result<()> {
    let engine = store.engine("a test", Duration::from_secs(5)).await?;
    let mut hunter = Hunter::new(engine, time, SLICE);
    while hunter.round(now).await? {}
    Ok(())
}

/// Replaces each `${name}`.
fn filled(text: &str, values: &BTreeMap<String, String>) -> anyhow::Result<String> {
    let mut parts = text.split("${");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').context("`${` without `}`")?;
        let value = values.get(name).with_context(|| format!("nothing saved as {name}"))?;
        out.push_str(value);
        out.push_str(rest);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_in() {
        let values = [("id".to_owned(), "7".to_owned())].into();
        assert_eq!(filled("/projects/${id}/x", &values).unwrap(), "/projects/7/x");
        assert!(filled("/${none}", &values).is_err());
    }

    #[test]
    fn a_step_has_one_method() {
        let read = |text: &str| serde_saphyr::from_str::<Scenario>(text).unwrap();
        let good = read("name: n\nsteps:\n  - {name: s, get: /x, status: 200}\n");
        assert_eq!(good.steps[0].request().unwrap(), ("GET", "/x"));
        assert!(read("name: n\nsteps:\n  - {name: s, get: /x, post: /x, status: 200}\n").steps[0].request().is_err());
    }
}
