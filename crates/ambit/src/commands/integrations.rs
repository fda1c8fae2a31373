//! `ambit integration`: what opens the accounts and sessions that collections look through, on a server or in a data
//! folder. Secrets are read from a file or from standard input, go in, and never come out.

use crate::api::{ASM, Api, Needs, naming};
use crate::args::{Client, Lines, word};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::output::table::{shown, text};
use crate::output::{Results, hint, plain};
use ambit_model::workflow::IntegrationType;
use serde_json::{Map, Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes of what is read as secrets: keys and certificates are small.
const SECRETS_BYTES_MAX: u64 = 64 * 1024;

pub(crate) type Integration = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List the integrations of the project, the collections that use each, and the names (not values) of its secrets.
    List(Lines),
    /// Add an integration; prints its uuid.
    Add(Add),
    /// Change the name of an integration, or replace its secrets or settings; its accounts stay known.
    Change(Change),
    /// Attach an integration to a collection, from its next run on.
    Use {
        /// Name or uuid of the integration.
        integration: String,
        /// Name or uuid of the collection.
        collection: String,
    },
    /// Detach an integration from a collection; the next run marks as gone what only it led to.
    Unuse {
        /// Name or uuid of the integration.
        integration: String,
        /// Name or uuid of the collection.
        collection: String,
    },
    /// Remove an integration with its secrets, also from the collections that use it, for good.
    Remove {
        /// Name or uuid of the integration.
        integration: String,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// Name of the integration.
    name: String,
    /// ApplicationCredential, AwsCredential, AzureCredential, BitbucketCredential, CloudCredential, GcpCredential,
    /// GiteaCredential, GithubCredential, GitlabCredential or JiraCredential.
    #[arg(value_name = "TYPE", value_parser = word::<IntegrationType>)]
    kind: IntegrationType,
    /// File with the secrets, one `name = value` per line, or one JSON object; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    secrets: PathBuf,
    /// Setting that is not secret, such as region=eu-west-1; may be repeated. JSON values are parsed, except numbers.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    setting: Vec<(String, Value)>,
    /// Attach it to this collection: name or uuid.
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true, args = ["name", "secrets", "setting"])]
pub(crate) struct Change {
    /// Name or uuid of the integration.
    integration: String,
    /// The new name.
    #[arg(long)]
    name: Option<String>,
    /// File with the new secrets, written as for `add`; they replace all its secrets. `-` is standard input.
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
    /// New setting; may be repeated. The new settings replace all its settings and need --secrets as well.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    setting: Vec<(String, Value)>,
}

fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as region=eu-west-1")?;
    // A number that stands alone is a name as well: of an account, of a project.
    let read = serde_json::from_str(value).ok().filter(|read: &Value| !read.is_number());
    Ok((name.trim().to_owned(), read.unwrap_or_else(|| json!(value.trim()))))
}

/// Runs the command.
pub(crate) async fn run(command: &Integration, settings: &Settings) -> Result<(), Failure> {
    // A file that cannot be read is told before anything is asked.
    let secrets = match &command.action {
        Action::Add(add) => Some(secrets_in(&add.secrets)?),
        Action::Change(change) => change.secrets.as_deref().map(secrets_in).transpose()?,
        Action::List { .. } | Action::Use { .. } | Action::Unuse { .. } | Action::Remove { .. } => None,
    };
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let project = naming::own_project(&api, command.target.project.as_deref().or(settings.get("project"))).await?;
    let place = format!("{ASM}/projects/{project}/integrations");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List(Lines { jsonl }) => list(&api, &place, *jsonl, &mut results).await?,
        Action::Add(given) => add(&api, &place, given, secrets, &mut results).await?,
        Action::Change(given) => change(&api, &place, given, secrets, &mut results).await?,
        Action::Use { integration, collection } => {
            let uuid = naming::integration(&api, &place, integration).await?;
            add_use(&api, &uuid, &naming::collection(&api, collection).await?).await?;
            results.line(&format!("{} is used by the next run of {}", plain(integration), plain(collection)))?;
        }
        Action::Unuse { integration, collection } => unuse(&api, &place, integration, collection, &mut results).await?,
        Action::Remove { integration, yes } => {
            let uuid = naming::integration(&api, &place, integration).await?;
            confirm(&format!("integration {} ({uuid}) will be removed with its secrets", plain(integration)), *yes)?;
            api.delete(&format!("{ASM}/integrations/{uuid}")).await?;
            results.line(&format!("integration {uuid} is removed"))?;
        }
    }
    results.finish()
}

/// Adds an integration, and attaches it to a collection if one is named.
async fn add(
    api: &Api,
    place: &str,
    add: &Add,
    secrets: Option<Map<String, Value>>,
    results: &mut Results,
) -> Result<(), Failure> {
    let collection = match &add.collection {
        Some(typed) => Some(naming::collection(api, typed).await?),
        None => None,
    };
    let given: Map<String, Value> = add.setting.iter().cloned().collect();
    let body = json!({"name": add.name, "type": add.kind.0, "secrets": secrets, "settings": given});
    let made = api.post(place, body).await?;
    let uuid = text(&made.result["uuid"]);
    results.line(&uuid)?;
    hint_lacks(&add.name, &made.message);
    match collection {
        Some(collection) => add_use(api, &uuid, &collection).await,
        None => Ok(()),
    }
}

/// Changes what is given of an integration.
async fn change(
    api: &Api,
    place: &str,
    change: &Change,
    secrets: Option<Map<String, Value>>,
    results: &mut Results,
) -> Result<(), Failure> {
    let uuid = naming::integration(api, place, &change.integration).await?;
    let given: Map<String, Value> = change.setting.iter().cloned().collect();
    let parts = [
        ("name", change.name.as_ref().map(|name| json!(name))),
        ("secrets", secrets.map(Value::Object)),
        ("settings", (!given.is_empty()).then_some(Value::Object(given))),
    ];
    let body: Map<String, Value> =
        parts.into_iter().filter_map(|(member, value)| Some((member.to_owned(), value?))).collect();
    let path = format!("{ASM}/integrations/{uuid}");
    let changed = api.ask("PATCH", &path, Some(Value::Object(body))).await?;
    results.line(&format!("integration {uuid} is changed; the next run uses the change"))?;
    hint_lacks(&change.integration, &changed.message);
    Ok(())
}

/// Detaches an integration from a collection. Fails if the collection does not use it.
async fn unuse(
    api: &Api,
    place: &str,
    integration: &str,
    collection: &str,
    results: &mut Results,
) -> Result<(), Failure> {
    let uuid = naming::integration(api, place, integration).await?;
    let of = naming::collection(api, collection).await?;
    let uses = uses(api).await?;
    let used = uses.iter().find(|used| used["integration_uuid"] == uuid && used["collection_uuid"] == of);
    let Some(used) = used else {
        let words = format!("{} does not use {}", plain(collection), plain(integration));
        return Err(Failure::not_found(format!("{words}; `ambit integration list` shows who does")));
    };
    api.delete(&format!("{ASM}/integration_collections/{}", text(&used["uuid"]))).await?;
    results.line(&format!("{} is not used by {} any more", plain(integration), plain(collection)))
}

/// Shows once what an integration lacks, on stderr.
fn hint_lacks(name: &str, message: &str) {
    if let Some((_, lacks)) = message.split_once(", and ") {
        hint(&format!("ambit: {} {}", plain(name), plain(lacks)));
    }
}

async fn list(api: &Api, place: &str, jsonl: bool, results: &mut Results) -> Result<(), Failure> {
    let uses = uses(api).await?;
    for mut row in api.list(place).await? {
        let used = uses.iter().filter(|used| used["integration_uuid"] == row["uuid"]);
        let names: Vec<String> = used.map(|used| text(&used["collection_name"])).collect();
        if jsonl {
            row["collections"] = json!(names);
            results.json(&row)?;
            continue;
        }
        let secrets = text(&row["secret_names"]);
        let used = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
        results.line(&format!(
            "{}  {}  {}  secrets: {}  used by {}",
            text(&row["uuid"]),
            shown(&row, "name"),
            text(&row["type"]),
            plain(&secrets),
            plain(&used)
        ))?;
    }
    Ok(())
}

async fn uses(api: &Api) -> Result<Vec<Value>, Failure> {
    api.list(&format!("{ASM}/integration_collections")).await
}

async fn add_use(api: &Api, integration: &str, collection: &str) -> Result<(), Failure> {
    let path = format!("{ASM}/user_collections/{collection}/integration_collections");
    api.post(&path, json!({"integration_uuid": integration})).await.map(drop)
}

/// The secrets in a file, or on standard input.
fn secrets_in(path: &Path) -> Result<Map<String, Value>, Failure> {
    let shown = path.display();
    let cannot = |error: std::io::Error| Failure::usage(format!("cannot read the secrets from {shown}: {error}"));
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(SECRETS_BYTES_MAX + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).map_err(cannot)?.take(SECRETS_BYTES_MAX + 1).read_to_string(&mut text)
    };
    if read.map_err(cannot)? as u64 > SECRETS_BYTES_MAX {
        return Err(Failure::usage(format!("the secrets in {shown} are larger than {SECRETS_BYTES_MAX} bytes")));
    }
    parsed(&text).map_err(|why| Failure::usage(format!("the secrets in {shown}: {why}")))
}

/// One JSON object, or lines `name = value`. What is refused is not repeated: it may be a secret.
fn parsed(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| format!("no JSON object at line {}", error.line()));
    }
    let mut secrets = Map::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let pair = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let (name, value) = pair
            .filter(|(name, value)| !name.is_empty() && !name.contains(char::is_whitespace) && !value.is_empty())
            .ok_or_else(|| format!("line {number} is not written as name = value"))?;
        secrets.insert(name.to_owned(), json!(value));
    }
    if secrets.is_empty() {
        return Err("there are none; each stands on a line as name = value".to_owned());
    }
    Ok(secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_lines_or_an_object_and_what_is_none_is_refused_by_its_line() {
        let read = |text: &str| parsed(text).map(Value::from);
        assert_eq!(read("# mine\ntoken = a=b \n\nregion=x"), Ok(json!({"token": "a=b", "region": "x"})));
        assert_eq!(read(" {\"key\": \"-----BEGIN\\n\"}"), Ok(json!({"key": "-----BEGIN\n"})));
        for (text, why) in [
            ("a = b\nhunter2 hunter3", "line 2 is not written as name = value"),
            ("hunter2 = ", "line 1 is not written as name = value"),
            ("{\"hunter2\"", "no JSON object at line 1"),
            ("\n# none\n", "there are none; each stands on a line as name = value"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_setting_is_text_or_json_and_numbers_stay_names() {
        assert_eq!(setting("region=eu-west-1"), Ok(("region".to_owned(), json!("eu-west-1"))));
        assert_eq!(setting("regions=[\"a\"]"), Ok(("regions".to_owned(), json!(["a"]))));
        assert_eq!(setting("account=123456789012"), Ok(("account".to_owned(), json!("123456789012"))));
        assert!(setting("region").is_err());
    }
}
