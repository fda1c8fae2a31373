//! `ambit issue retest`: looks again at what issues rest on, one after the other, and says what came of it. In a data
//! folder without a server the command carries each look itself.

use super::{item, serve};
use crate::api::{Api, Needs, OURS};
use crate::args::Target;
use crate::clock::now;
use crate::config::Settings;
use crate::discover::check_over;
use crate::engine_config::Given;
use crate::failure::{Failure, Result};
use crate::local_store::options;
use crate::output::lines;
use crate::output::table::text;
use crate::output::{Results, hint, plain};
use crate::signals::Stop;
use crate::{folder, workspace};
use ambit_engine::Shares;
use ambit_model::id::RunId;
use ambit_store::{Store, StoreError};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::watch;

/// Issues of one command: where all are gone, each takes a minute and more.
const ISSUES_MAX: usize = 100;
/// Between two looks at what came of it, where somebody else carries it.
const LOOK: Duration = Duration::from_secs(1);

/// The issues to test.
#[derive(Debug, clap::Args)]
pub(crate) struct Retest {
    /// Uids (or their beginnings) or uuids of up to 100 issues; `-` reads them from standard input, one per line.
    #[arg(value_name = "ISSUE", required = true)]
    issues: Vec<String>,
    /// Do not wait for the result.
    #[arg(long)]
    no_wait: bool,
    /// One JSON object per issue; of many, the last line is a summary.
    #[arg(long)]
    jsonl: bool,
}

/// What came of all of them.
#[derive(Default)]
struct Tally {
    asked: usize,
    open: usize,
    closed: usize,
    could_not_look: usize,
    /// Those that were not even asked for, such as beside another run of their collection.
    refused: usize,
}

/// Runs the command. It fails where it could not look.
pub(crate) async fn run(retest: &Retest, target: &Target, settings: &Settings) -> Result<()> {
    // All are known before the first is looked at.
    let (api, _, mut uids) = item::issues(&retest.issues, target, settings).await?;
    let mut before = BTreeSet::new();
    uids.retain(|uid| before.insert(uid.clone()));
    if uids.len() > ISSUES_MAX {
        let many = uids.len();
        return Err(Failure::usage(format!(
            "{many} issues: at most {ISSUES_MAX} in one command, since each takes a minute"
        )));
    }
    let (mut tally, mut api) = (Tally::default(), Some(api));
    for uid in &uids {
        let opened = match api.take() {
            Some(api) => api,
            None => Api::open(target, settings, Needs::Rows).await?,
        };
        match look(opened, uid, retest, target, settings).await {
            Ok(answer) => {
                print(uid, &answer, retest.jsonl)?;
                tally.add(&answer);
                if let (Some("could_not_look"), 1) = (answer["verdict"].as_str(), uids.len()) {
                    return Err(Failure::partial(format!("run {} could not test the issue", answer["run"])));
                }
            }
            Err(failure) if uids.len() == 1 || failure.is_interruption() => return Err(failure),
            Err(failure) => {
                tally.refuse();
                let mut results = Results::open(None)?;
                match retest.jsonl {
                    true => results.json(&json!({"issue": uid, "error": failure.to_string()}))?,
                    false => results.line(&format!("{} was not tested: {failure}", short(uid)))?,
                }
                results.finish()?;
            }
        }
    }
    if uids.len() == 1 { Ok(()) } else { tally.end(retest.jsonl) }
}

/// Asks for a look, and waits for its end where that is wanted.
async fn look(api: Api, uid: &str, retest: &Retest, target: &Target, settings: &Settings) -> Result<Value> {
    let path = format!("{OURS}/issues/{uid}/retest");
    let asked = api.ask("POST", &path, None).await?.result;
    if retest.no_wait {
        return Ok(asked);
    }
    let api = carried(api, asked["run"].as_i64().unwrap_or_default(), target, settings).await?;
    end(&api, &path).await
}

/// Prints what came of one, at once: the next may take minutes.
fn print(uid: &str, answer: &Value, jsonl: bool) -> Result<()> {
    let mut results = Results::open(None)?;
    if jsonl {
        results.json(answer)?;
        return results.finish();
    }
    results.line(&line(uid, answer))?;
    for line in lines::not_done(answer) {
        results.line(&line)?;
    }
    results.finish()
}

impl Tally {
    fn add(&mut self, answer: &Value) {
        self.asked += 1;
        match answer["verdict"].as_str() {
            Some("open") => self.open += 1,
            Some("closed") => self.closed += 1,
            Some(_) => self.could_not_look += 1,
            None => {}
        }
    }

    fn refuse(&mut self) {
        self.asked += 1;
        self.refused += 1;
    }

    /// One summary of all, and the exit code: partial where one was not looked at.
    fn end(&self, jsonl: bool) -> Result<()> {
        let Self { asked, open, closed, could_not_look, refused } = self;
        let (under_way, blind) = (asked - open - closed - could_not_look - refused, could_not_look + refused);
        let mut results = Results::open(None)?;
        if jsonl {
            results.json(&json!({"record": "summary", "issues": asked, "open": open, "closed": closed,
                "could_not_look": could_not_look, "refused": refused, "under_way": under_way}))?;
        } else {
            let away = if under_way > 0 { format!(", {under_way} under way") } else { String::new() };
            results.line(&format!("{asked} issues: {open} still there, {closed} gone, {blind} not tested{away}"))?;
        }
        results.finish()?;
        if blind > 0 { Err(Failure::partial(format!("{blind} of {asked} issues were not tested"))) } else { Ok(()) }
    }
}

/// As much of a uid as people see.
fn short(uid: &str) -> String {
    plain(&uid.chars().take(16).collect::<String>())
}

/// Returns the result on one line.
fn line(uid: &str, answer: &Value) -> String {
    let uid = short(uid);
    let (run, status) = (&answer["run"], text(&answer["issue_status"]));
    match answer["verdict"].as_str() {
        Some("open") => format!("{uid} is still there: run {run} tested it; its status is {status}"),
        Some("closed") => format!("{uid} is gone: run {run} tested it; its status is {status}"),
        Some(_) => format!("{uid} could not be tested by run {run}; its status stays {status}"),
        None => format!("{uid} is being tested by run {run}, which is {}", text(&answer["status"])),
    }
}

/// Carries the run where the way to the API is a data folder in which no engine works; answers with a way to the API.
async fn carried(api: Api, run: RunId, target: &Target, settings: &Settings) -> Result<Api> {
    if !api.is_folder() {
        return Ok(api);
    }
    // The folder is opened anew, with an engine in it.
    drop(api);
    let place = folder::data(target.data.as_deref(), settings)?;
    let store = Store::open(&options(&place, settings)).await?;
    match store.engine("retest", Duration::ZERO).await {
        // The engine that holds the folder executes the run.
        Err(StoreError::Busy { .. }) => hint("an engine is working on this folder and does the test; waiting for it"),
        Err(error) => return Err(error.into()),
        Ok(engine) => {
            drop(engine);
            let workspace = workspace::enter(store, "retest", Some(&place), settings).await?;
            let stop = Stop::listen()?;
            let service = serve::service(&workspace, &stop, Given::read(settings)?);
            if let Some(run) = workspace.engine.claim(run, now()).await? {
                let share = Shares::default().join(run.id, run.project);
                let end = ambit_engine::carry(&service, &run, share, watch::channel(false).1).await?;
                check_over(&end, run.id, &format!("`ambit run resume {}`", run.id))?;
            }
        }
    }
    Api::open(target, settings, Needs::Rows).await
}

/// Waits for the end of a look.
async fn end(api: &Api, path: &str) -> Result<Value> {
    loop {
        let answer = api.get(path).await?.result;
        if answer.is_null() || answer["verdict"] != json!(null) {
            return Ok(answer);
        }
        tokio::time::sleep(LOOK).await;
    }
}
