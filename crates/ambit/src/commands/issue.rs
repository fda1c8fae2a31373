//! `ambit issue`: one issue, on a server or in a data folder.

use super::item::{self, History, ISSUE, Note, Tag};
use super::retest::{self, Retest};
use crate::api::{ASM, OURS};
use crate::args::{Client, Target, word};
use crate::config::Settings;
use crate::failure::Result;
use crate::output::evidence;
use crate::output::lines;
use crate::output::table::{at, items, shown, text};
use crate::output::{Results, plain};
use ambit_export::reproduce;
use ambit_model::Timestamp;
use ambit_model::issue::Status;
use ambit_model::percent::escaped;
use serde_json::{Value, json};

pub(crate) type Issue = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Show everything known about the issue.
    Show {
        /// Uid (or its beginning, as `ambit issues` shows it) or uuid of the issue.
        issue: String,
        /// Show the state at that moment (a date means the end of that day, UTC).
        #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
        as_of: Option<Timestamp>,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Set the status of one issue, or of many.
    Status(NewStatus),
    /// List the changes of the issue: its status, who decided it and why, and its other fields.
    History(History),
    /// List the notes on the issue, or write one.
    Note(Note),
    /// List the tags of the issue, or add and remove some.
    Tag(Tag),
    /// Assign one issue, or many, to a person.
    Assign(Assign),
    /// Test issues again, one after the other, and nothing else; says whether each is still there, gone, or could not
    /// be tested.
    Retest(Retest),
}

/// A status, and how long it holds.
#[derive(Debug, clap::Args)]
pub(crate) struct NewStatus {
    /// Uid (or its beginning, as `ambit issues` shows it) or uuid; `-` reads several from standard input, one per line.
    issue: String,
    /// open_new, open_triaged, open_in_progress, closed, closed_risk_accepted, closed_benign …
    #[arg(value_parser = word::<Status>)]
    status: Status,
    /// Reopen it at this date or moment, or on `change` of its proof or severity. By default, a decision such as
    /// closed_risk_accepted holds as long as the fact does.
    #[arg(long, value_name = "DATE|change")]
    until: Option<String>,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Who is to see to issues.
#[derive(Debug, clap::Args)]
pub(crate) struct Assign {
    /// Uid (or its beginning, as `ambit issues` shows it) or uuid; `-` reads several from standard input, one per line.
    issue: String,
    /// Username or e-mail address of a user who can see the collection.
    #[arg(required_unless_present = "nobody", conflicts_with = "nobody")]
    user: Option<String>,
    /// Remove the assignment.
    #[arg(long)]
    nobody: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Issue, settings: &Settings) -> Result<()> {
    let target = &command.target;
    match &command.action {
        Action::Show { issue, as_of, jsonl } => show(issue, *as_of, *jsonl, target, settings).await,
        Action::Status(change) => set_status(change, target, settings).await,
        Action::History(history) => list_versions(history, target, settings).await,
        Action::Note(note) => item::note(ISSUE, note, target, settings).await,
        Action::Tag(tag) => item::tag(ISSUE, tag, target, settings).await,
        Action::Assign(assign) => set_assignee(assign, target, settings).await,
        Action::Retest(asked) => retest::run(asked, target, settings).await,
    }
}

async fn set_assignee(assign: &Assign, target: &Target, settings: &Settings) -> Result<()> {
    let (api, ids, uids) = item::issues(std::slice::from_ref(&assign.issue), target, settings).await?;
    let body = match &assign.user {
        Some(user) => json!({"ids": uids, "assignee": user}),
        None => json!({"ids": uids, "unassign": true}),
    };
    api.post(&format!("{OURS}/issues/bulk"), body).await?;
    let mut results = Results::open(None)?;
    let whose = assign.user.as_deref().map_or_else(|| "nobody's".to_owned(), |user| format!("for {}", plain(user)));
    for id in &ids {
        results.line(&format!("{} is {whose}", plain(id)))?;
    }
    results.finish()
}

async fn set_status(change: &NewStatus, target: &Target, settings: &Settings) -> Result<()> {
    let (api, ids, uids) = item::issues(std::slice::from_ref(&change.issue), target, settings).await?;
    let mut body = json!({"ids": uids, "status": change.status.name()});
    for (member, value) in [("until", &change.until), ("reason", &change.reason)] {
        if let Some(value) = value {
            body[member] = json!(value);
        }
    }
    api.post(&format!("{OURS}/issues/bulk"), body).await?;
    let mut results = Results::open(None)?;
    let until = change.until.as_deref().map(|until| format!(" until {}", plain(until))).unwrap_or_default();
    for id in &ids {
        results.line(&format!("{} is {}{until}", plain(id), change.status.name()))?;
    }
    results.finish()
}

/// Prints the versions of an issue, oldest first.
async fn list_versions(history: &History, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = item::find(ISSUE, &history.item, target, settings).await?;
    let start = history.start.as_deref().map_or_else(String::new, |start| format!("?start={}", escaped(start)));
    let versions = api.get(&format!("{OURS}/issues/{uid}/history{start}")).await?.result;
    if history.start.is_none() {
        item::tell_gone(&api, ISSUE, &uid).await?;
    }
    let mut results = Results::open(None)?;
    for version in items(&versions) {
        if history.jsonl {
            let mut row = json!({"record": "version"});
            row.as_object_mut()
                .into_iter()
                .for_each(|row| row.extend(version.as_object().cloned().unwrap_or_default()));
            results.json(&row)?;
        } else {
            results.line(&version_line(version))?;
        }
    }
    results.finish()
}

/// A version on one line: moment, status, who decided it, until when and why, and what else changed.
fn version_line(version: &Value) -> String {
    let mut line = format!("{}  {}", text(&version["at"]), text(&version["status"]));
    for (word, member) in [("by", "by"), ("until", "until"), ("because", "reason")] {
        if !version[member].is_null() {
            line.push_str(&format!(" {word} {}", shown(version, member)));
        }
    }
    let others = items(&version["changed"]).map(text);
    let others: Vec<String> = others.filter(|name| name != "status" && name != "decision").collect();
    if !others.is_empty() {
        line.push_str(&format!("  ({} changed)", others.join(", ")));
    }
    line
}

async fn show(typed: &str, as_of: Option<Timestamp>, jsonl: bool, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = item::find(ISSUE, typed, target, settings).await?;
    // What was asked and answered is kept of the newest probes alone.
    let (mut issue, evidence) = match as_of {
        None => {
            let issue = api.get(&format!("{ASM}/issues/{uid}")).await?.result;
            (issue, api.get(&format!("{OURS}/issues/{uid}/evidence")).await?.result)
        }
        Some(moment) => {
            let moment = escaped(&moment.to_string());
            let path = format!("{ASM}/time_series/point_in_time/issues/{uid}?point_in_time={moment}");
            (api.get(&path).await?.result["issue"].take(), Value::Null)
        }
    };
    let mut results = Results::open(None)?;
    if jsonl {
        if !evidence.is_null() {
            issue["evidence"] = evidence;
        }
        results.json(&issue)?;
        return results.finish();
    }
    results.line(&lines::issue(&issue))?;
    for (word, member) in [
        ("uid", "uid"),
        ("entity uid", "entity_uid"),
        ("first seen", "first_seen"),
        ("last seen", "last_seen"),
        ("due", "due_at"),
        ("assignee", "assignee"),
        ("tags", "tags"),
        ("about", "description"),
        ("proof", "details.proof.description"),
        ("evidence", "details.proof.details"),
        ("remedy", "details.remediation"),
    ] {
        let value = text(at(&issue, member));
        if !value.is_empty() && value != "{}" {
            results.line(&format!("  {word:<11} {}", plain(&value)))?;
        }
    }
    for reference in items(at(&issue, "details.references")) {
        results.line(&format!("  {:<11} {}", "see also", shown(reference, "uri")))?;
    }
    if let Some(command) = reproduce(&text(&issue["name"]), at(&issue, "details.proof.details")) {
        results.line(&format!("  {:<11} {}", "to see it", plain(&command)))?;
    }
    for probe in items(&evidence) {
        for line in evidence::lines(probe) {
            results.line(&line)?;
        }
    }
    results.finish()
}
