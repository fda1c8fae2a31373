//! What the package of a mobile app says and gives away: its manifest, its signers, and what the texts inside name.

use crate::ask::mirror::{self, PROVIDER};
use crate::read::endpoints::{endpoints, is_of_platforms, unopened};
use crate::read::firebase;
use crate::read::mentions::Mentions;
use crate::read::seed_tokens::{self, SeedTokens};
use crate::{Answer, Contacts, Context, Plan, Result, Task, TaskError};
use ambit_app::{App, AppError, Package};
use ambit_model::entity::{app, host_of, mentioned, uri};
use ambit_model::{Details, EdgeKind, Kind, TaskName, Wave, workflow};
use ambit_secrets::{At, Look, Rules};
use app::{FirebaseProject, Mirrored, PackedSecret};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

pub(crate) const TASK: Task = Task {
    name: TaskName::AppPackage,
    pretty_name: "App package",
    description: "Reads the package of a mobile app that was uploaded, that the operator names, or that one of the \
                  operator's mirrors has: its manifest, its signers, and the secrets, addresses, hosts, mailboxes, \
                  storage buckets and Firebase projects in its code, scripts and resources.",
    workflows: &[workflow::MOBILE_APPS],
    watches: Kind::APPS,
    produces: &[
        Kind::AppEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::UniqueToken,
    ],
    // Behind the stores, which say which version a mirror is asked for.
    wave: Wave::Words,
    cost: 20,
    gain: 50,
    contacts: Contacts::Provider(PROVIDER),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Raised when packages are searched for more than before, other than secrets: known packages are then searched again.
const LOOKED_FOR: u32 = 6;
/// Secrets of one package that are kept.
const SECRETS_MAX: usize = 1_000;
/// Hosts of one package that are kept, and as many mailboxes and buckets.
const MENTIONS_MAX: usize = 300;
/// Where Google has storage buckets, those of Firebase among them.
const GOOGLE_STORAGE: &str = "https://storage.googleapis.com";
/// Addresses of one package that are kept.
const ENDPOINTS_MAX: usize = 1_000;
/// Members of a package that are named where they were not looked through.
const SKIPPED_NAMED: usize = 3;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let key = (cx.facts.kind, cx.facts.name.clone());
    if let Some(path) = cx.settings.packages.get(&key) {
        let looked = looked_through(cx, path.clone(), &path.display().to_string()).await?;
        is_of(&looked.package.app, (key.0, &key.1)).map_err(TaskError::Failed)?;
        say(cx, looked, None)?;
        return Ok(Answer::Found);
    }
    let rules = format!("{} {} {LOOKED_FOR}", env!("CARGO_PKG_VERSION"), cx.settings.secrets.edition());
    let rules = SeedTokens::of(cx.facts).beside(rules);
    let known = app::MIRRORED.of(&cx.facts.details).filter(|known| known.rules == rules);
    match mirror::package(cx, known.as_ref(), holds).await? {
        Some(mirror::Package::New(file, from)) => {
            let looked = looked_through(cx, file.path().to_owned(), &from.url).await?;
            say(cx, looked, Some(Mirrored { rules, ..from }))?;
        }
        Some(mirror::Package::Same) => {
            app::SKIPPED.of(&cx.facts.details).into_iter().flatten().for_each(|what| cx.leave_out(what));
            say_again(cx);
        }
        None => return Err(missing(cx)),
    }
    // What is left out says nothing of the rest, which is judged whole.
    Ok(Answer::Found)
}

/// Nobody gave a package: what is to be done about that.
fn missing(cx: &Context<'_>) -> TaskError {
    let mirrors = if cx.settings.app_mirrors.is_empty() { "" } else { "no mirror has its package and " };
    TaskError::Failed(format!(
        "{}: {mirrors}nobody gave its package: upload it to the server (POST /api/v3/files), name the file to `ambit \
         scan --workflow {}`, or name a mirror that has it (setting app_mirror)",
        cx.facts.name,
        workflow::MOBILE_APPS.name
    ))
}

/// Reads a file whole; an error names where it came from. Reading waits for no wire: it takes no wire time.
async fn looked_through(cx: &Context<'_>, path: PathBuf, from: &str) -> Result<Looked> {
    let hold = cx.net.hold();
    let (rules, tokens) = (cx.settings.secrets.clone(), SeedTokens::of(cx.facts));
    let reading = tokio::task::spawn_blocking(move || read(&path, &rules, &tokens));
    let looked = reading.await.map_err(|_| TaskError::Failed("the package could not be read".into()))?;
    drop(hold);
    looked.map_err(|why| TaskError::Failed(format!("{from}: {why}")))
}

/// Fails where a file is not the package of an app.
fn holds(path: &Path, app: (Kind, &str)) -> Result<(), String> {
    let held = ambit_app::identify(&bytes_of(path)?).map_err(|error| error.to_string())?;
    is_of(&held, app)
}

fn is_of(held: &App, app: (Kind, &str)) -> Result<(), String> {
    let (kind, name) = named(held);
    match (kind, name) == app {
        true => Ok(()),
        false => Err(format!("the file holds another app: {} {name}", kind.name())),
    }
}

/// What was found in a package.
struct Looked {
    package: Package,
    sha256: String,
    secrets: BTreeMap<String, PackedSecret>,
    named: Mentions,
    /// Tokens that are seeds.
    tokens: BTreeSet<String>,
    /// Addresses, with the first member of the package that names each.
    endpoints: BTreeMap<String, String>,
    firebase: BTreeMap<String, FirebaseProject>,
    /// What was not looked through or not kept, a sentence each.
    left_out: Vec<String>,
}

/// How the names of files with the package of an app end.
pub const PACKAGE_EXTENSIONS: [&str; 6] = ["aab", "apk", "apkm", "apks", "ipa", "xapk"];

/// Returns the kind and name of the app in a package: the entity that it is read for. Fails with why the file cannot be
/// read, or holds no app.
pub fn app_in(path: &Path) -> Result<(Kind, String), String> {
    let app = ambit_app::identify(&bytes_of(path)?).map_err(|error| error.to_string())?;
    let (kind, name) = named(&app);
    kind.canonical(name).map(|name| (kind, name)).map_err(|error| error.to_string())
}

/// The package of an app in a file that is there for as long as this value.
#[derive(Debug)]
pub struct HeldPackage {
    /// The entity that it is read for.
    pub app: (Kind, String),
    file: NamedTempFile,
}

impl HeldPackage {
    /// Bytes of the largest package that is read.
    pub const BYTES_MAX: usize = ambit_app::PACKAGE_BYTES_MAX;

    /// Writes a package to a file for temporary files; `None` where the bytes are no package of an app. Fails if the
    /// file cannot be written.
    pub fn of(bytes: &[u8]) -> std::io::Result<Option<Self>> {
        let Ok(app) = ambit_app::identify(bytes) else { return Ok(None) };
        let (kind, name) = named(&app);
        let Ok(name) = kind.canonical(name) else { return Ok(None) };
        let mut file = tempfile::Builder::new().prefix("ambit-app-").tempfile()?;
        file.write_all(bytes)?;
        file.flush()?;
        Ok(Some(Self { app: (kind, name), file }))
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

fn named(app: &App) -> (Kind, &str) {
    match app {
        App::Android(android) => (Kind::AndroidApp, &android.package),
        App::Ios(ios) => (Kind::IosApp, &ios.bundle),
    }
}

/// Reads a file that is no larger than any package that is read.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > ambit_app::PACKAGE_BYTES_MAX as u64 {
        return Err(format!("it has more than {} MiB", ambit_app::PACKAGE_BYTES_MAX / 1_024 / 1_024));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

fn read(path: &Path, rules: &Rules, tokens: &SeedTokens) -> Result<Looked, String> {
    bytes_of(path).and_then(|bytes| look_through(&bytes, rules, tokens).map_err(|error| error.to_string()))
}

fn look_through(bytes: &[u8], rules: &Rules, tokens: &SeedTokens) -> Result<Looked, AppError> {
    let (mut secrets, mut named, mut addresses) = (BTreeMap::new(), Mentions::default(), BTreeMap::new());
    let (mut seeded, mut firebase) = (BTreeSet::new(), BTreeMap::new());
    let (mut is_unread, mut more_secrets, mut more_addresses) = (false, false, false);
    let package = ambit_app::read(bytes, &mut |piece| {
        seeded.extend(tokens.in_text(piece.text).cloned());
        for found in rules.find_at(piece.text, Look::Code, At { path: piece.path, commit: "" }) {
            if secrets.len() == SECRETS_MAX && !secrets.contains_key(&found.name) {
                more_secrets = true;
            } else {
                secrets.entry(found.name.clone()).or_insert_with(|| PackedSecret {
                    token: found.name,
                    provider: found.provider,
                    rule: found.rule,
                    by_context: found.by_context,
                    path: piece.path.to_owned(),
                });
            }
        }
        match named.hosts.len() < MENTIONS_MAX {
            true => named.read(piece.text),
            false => is_unread = true,
        }
        firebase::read(piece.text, &mut firebase);
        let databases = firebase.values().flat_map(|project: &FirebaseProject| project.databases.iter());
        let databases = databases.filter_map(|url| Kind::AppEndpoint.canonical(url).ok());
        for address in endpoints(piece.text).into_iter().chain(databases) {
            let address = unopened(address);
            if is_of_platforms(host_of(&address)) {
                continue;
            }
            if addresses.len() == ENDPOINTS_MAX && !addresses.contains_key(&address) {
                more_addresses = true;
            } else {
                addresses.entry(address).or_insert_with(|| piece.path.to_owned());
            }
        }
    })?;
    named.hosts.retain(|host| !is_of_platforms(host));
    let bucket = |name: &String| format!("{GOOGLE_STORAGE}/{name}");
    named.buckets.extend(firebase.values().flat_map(|project| &project.buckets).map(bucket));
    let sha256 = hex::encode(Sha256::digest(bytes));
    let left_out = unread(&package.skipped)
        .into_iter()
        .chain(package.left_out.iter().cloned())
        .chain(above(more_secrets, SECRETS_MAX, "secrets"))
        .chain(above(more_addresses, ENDPOINTS_MAX, "addresses"))
        .chain(above(is_unread || named.hosts.len() > MENTIONS_MAX, MENTIONS_MAX, "hosts"))
        .chain(above(named.mailboxes.len() > MENTIONS_MAX, MENTIONS_MAX, "e-mail addresses"))
        .chain(above(named.buckets.len() > MENTIONS_MAX, MENTIONS_MAX, "buckets"))
        .collect();
    Ok(Looked { package, sha256, secrets, named, tokens: seeded, endpoints: addresses, firebase, left_out })
}

/// Says which members were too large or broken.
fn unread(skipped: &[String]) -> Option<String> {
    let named: Vec<&str> = skipped.iter().take(SKIPPED_NAMED).map(String::as_str).collect();
    let more = if skipped.len() > named.len() { " …" } else { "" };
    let files = if skipped.len() == 1 { "file" } else { "files" };
    let count = skipped.len();
    let were = format!("{count} {files} of the package too large or broken to be looked through: ");
    (count > 0).then(|| format!("{were}{}{more}", named.join(", ")))
}

/// Says that there is more of something than is kept.
fn above(is_more: bool, most: usize, what: &str) -> Option<String> {
    is_more.then(|| format!("the package names more than {most} {what}: the others were left out"))
}

/// Hosts whose links open the app. They are no proof that the app is theirs: that they say themselves.
fn linked_hosts(app: &App) -> Vec<String> {
    match app {
        App::Android(android) => {
            let links = android.components.iter().flat_map(|component| &component.links);
            let web = links.filter(|link| matches!(link.scheme.as_str(), "http" | "https"));
            web.filter_map(|link| link.host.clone()).collect()
        }
        App::Ios(ios) => ios.associated_domains.clone(),
    }
}

/// Says what an earlier look saw, of a package that is still the same.
fn say_again(cx: &Context<'_>) {
    for secret in app::SECRETS.items(&cx.facts.details) {
        cx.found_token(&secret.token, &secret.provider, true);
    }
    let seeded = SeedTokens::of(cx.facts);
    let addresses = app::MIRRORED.of(&cx.facts.details).unwrap_or_default().addresses;
    for end in cx.facts.outward.iter().filter(|end| end.task == TASK.name.as_str()) {
        match end.edge {
            EdgeKind::Token if !seeded.contains(&end.name) => {}
            EdgeKind::Token => cx.found_token(&end.name, seed_tokens::PROVIDER, false),
            EdgeKind::AppCall => found_endpoint(cx, &end.name, addresses.get(&end.name).cloned()),
            EdgeKind::Contact => cx.found_mailbox(&end.name),
            edge => cx.found(end.kind, &end.name, edge),
        }
    }
    let own = cx.facts.details.iter().filter(|(member, _)| cx.facts.kind.owner(member) == Some(TASK.name));
    cx.observe_all(own.map(|(member, value)| (member.clone(), value.clone())));
}

fn found_endpoint(cx: &Context<'_>, address: &str, path: Option<String>) {
    let members = [
        mentioned::ORIGIN.is(json!(cx.facts.name)),
        app::FILE.is(path),
        uri::SSL.is(json!(address.starts_with("https://"))),
    ];
    cx.found_with(Kind::AppEndpoint, address, EdgeKind::AppCall, Details::from_iter(members));
}

fn say(cx: &Context<'_>, looked: Looked, from: Option<Mirrored>) -> Result<()> {
    let Looked { package, sha256, secrets, mut named, tokens, endpoints, firebase, left_out } = looked;
    named.hosts.extend(linked_hosts(&package.app).iter().map(|host| host.trim_start_matches("*.").to_owned()));
    for secret in secrets.values() {
        cx.found_token(&secret.token, &secret.provider, true);
    }
    for token in &tokens {
        cx.found_token(token, seed_tokens::PROVIDER, false);
    }
    for host in named.hosts.iter().filter(|host| host.parse::<std::net::IpAddr>().is_err()).take(MENTIONS_MAX) {
        cx.found_host(host, EdgeKind::Link);
    }
    for (address, path) in &endpoints {
        found_endpoint(cx, address, Some(path.clone()));
    }
    for mailbox in named.mailboxes.iter().take(MENTIONS_MAX) {
        cx.found_mailbox(mailbox);
    }
    for bucket in named.buckets.iter().take(MENTIONS_MAX) {
        cx.found(Kind::CloudStorageBucket, bucket, EdgeKind::Bucket);
    }
    let said = |value: serde_json::Result<Value>| value.map_err(|error| TaskError::Failed(error.to_string()));
    let app = said(match &package.app {
        App::Android(android) => serde_json::to_value(android),
        App::Ios(ios) => serde_json::to_value(ios),
    })?;
    cx.observe(app::PACKAGE, app);
    cx.observe(app::FORMAT, said(serde_json::to_value(package.format))?.as_str().map(str::to_owned));
    cx.observe(app::SHA256, sha256);
    left_out.iter().for_each(|what| cx.leave_out(what.clone()));
    cx.observe(app::SKIPPED, left_out);
    cx.observe(app::SECRETS, secrets.into_values().collect::<Vec<_>>());
    cx.observe(app::FIREBASE, firebase.into_values().collect::<Vec<_>>());
    if let Some(from) = from {
        let canonical = |(address, path): (String, String)| Some((Kind::AppEndpoint.canonical(&address).ok()?, path));
        let addresses = endpoints.into_iter().filter_map(canonical).collect();
        cx.observe(app::MIRRORED, Mirrored { addresses, ..from });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said() {
        let names: Vec<String> = ["a.so", "b.so", "c.so", "d.so"].map(str::to_owned).to_vec();
        let too_large = "of the package too large or broken to be looked through";
        assert_eq!(unread(&names), Some(format!("4 files {too_large}: a.so, b.so, c.so …")));
        assert_eq!((unread(&names[..1]), unread(&[])), (Some(format!("1 file {too_large}: a.so")), None));
        let said = above(true, SECRETS_MAX, "secrets").unwrap();
        assert_eq!(said, "the package names more than 1000 secrets: the others were left out");
        assert_eq!(above(false, SECRETS_MAX, "secrets"), None);
    }
}
