//! `ambit scan`: targets in, inventory out; on live sockets or on a simulated internet of one's own.

mod table;

use crate::args::{Output, Ports, Tasks};
use crate::commands::runs::show_tasks;
use crate::config::Settings;
use crate::contacts::Contacts;
use crate::discover::{Job, discover};
use crate::failure::{Failure, Result};
use crate::folder::Asking;
use crate::local_store::{Indexing, bring_up_index};
use crate::output::report::{Outcome, Style, print};
use crate::output::{Results, hint, lines, plain};
use crate::request_limits::{self, RequestLimit};
use crate::signals::Stop;
use crate::wire_log::WireLog;
use crate::workspace;
use crate::{confirm, engine_config, estate, folder, wires};
use ambit_model::entity::InvalidName;
use ambit_model::estimate::estimate;
use ambit_model::issue::severity_name;
use ambit_model::scope::Exclusions;
use ambit_model::workflow::{CODE_REPOSITORIES, MOBILE_APPS, SUSPICIOUS_DOMAINS, THIRD_PARTIES};
use ambit_model::{Clearance, Kind, workflow};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Scan {
    /// Domains, host names, addresses, blocks, URLs, AS64500, "org:Example Ltd"; or packages of apps (APK, AAB, XAPK,
    /// IPA) and apps by name (AndroidApp:org.example.app).
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Read targets from a file, one per line; - is standard input. In a .csv file, the first cell of each row that is
    /// a target is used, such as the domain beside a supplier's name.
    #[arg(short = 'l', long = "list", value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Do not ask before starting.
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    /// Do not ask before sweeping a block of more than 65,536 addresses either; -y alone does not cover that.
    #[arg(long)]
    pub(crate) yes_large: bool,
    /// Highest level of a run: passive (DNS, data providers), polite (like a browser), normal (sweeps), intensive
    /// (log-ins, exploit checks).
    #[arg(long, default_value = "normal", value_parser = crate::args::level)]
    pub(crate) level: Clearance,
    /// Workflow of a new collection (default: external_discovery_and_assessment, for apps mobile_app_discovery); an
    /// existing one keeps its own.
    #[arg(long, value_name = "W", value_parser = workflow)]
    pub(crate) workflow: Option<String>,
    #[command(flatten)]
    pub(crate) ports: Ports,
    #[command(flatten)]
    pub(crate) tasks: Tasks,
    /// Search everything again, also what an earlier run searched within its time to live.
    #[arg(long)]
    pub(crate) full: bool,
    /// Also try the labels in this file, one per line, as host names; repeatable.
    #[arg(long, value_name = "FILE")]
    pub(crate) words: Vec<PathBuf>,
    /// Never contact this name, *.name, address, block or URL; repeatable.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Recursive resolver to ask; repeatable (default: the system's).
    #[arg(long, value_name = "IP[:PORT]")]
    pub(crate) resolver: Vec<String>,
    /// Contacts per second over all targets (connections, datagrams, requests, DNS questions).
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) rate: Option<u32>,
    /// Contacts per second with each peer of a kind: address=50, block=300, host=10 (HTTP requests), server=100 (name
    /// servers), provider=2, resolver; repeatable or comma-separated.
    #[arg(long, value_name = "PEER=N", value_delimiter = ',')]
    pub(crate) rates: Vec<engine_config::PeerRate>,
    /// Maximum number of requests to one application, by sort: walk=300, scripts=40 (of the walk), parameters=160
    /// (guesses), redirects=40; repeatable or comma-separated.
    #[arg(long, value_name = "SORT=N", value_delimiter = ',')]
    pub(crate) application_requests: Vec<RequestLimit>,
    /// Also trust the certificate authorities in this PEM file.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Data folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Show what would be sent, task by task, and stop.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run on the simulated internet of this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) world: Option<PathBuf>,
    /// The state of the simulated internet (default: the one it is in).
    #[arg(long, value_name = "N", requires = "world", value_parser = clap::value_parser!(i64).range(1..=99))]
    pub(crate) state: Option<i64>,
    /// Write every contact with the simulated internet to this file, one JSON object per line.
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) contacts: Option<PathBuf>,
    /// Write every contact with its answer to this file as it happens, one JSON object per line.
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) wire_log: Option<PathBuf>,
    /// Exit with code 10 if an open issue is at least this severe: critical, high, medium, low, info.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(crate) fail_on: Option<i64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn workflow(name: &str) -> Result<String, String> {
    let known = || ambit_model::workflow::ALL.iter().map(|workflow| workflow.name).collect::<Vec<_>>().join(", ");
    ambit_model::workflow::find(name)
        .map(|workflow| workflow.name.to_owned())
        .ok_or_else(|| format!("expected one of {}", known()))
}

fn rate(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/s").unwrap_or(text);
    number
        .parse()
        .ok()
        .filter(|rate| *rate > 0)
        .ok_or_else(|| "expected a number of contacts per second, such as 50 or 50/s".to_owned())
}

/// A severity's number of its word.
pub(crate) fn severity(word: &str) -> Result<i64, String> {
    let words = ["critical", "high", "medium", "low", "info"];
    let at =
        words.iter().position(|known| *known == word).ok_or_else(|| format!("expected one of {}", words.join(", ")))?;
    Ok(i64::try_from(at).unwrap_or(4) + 1)
}

/// Longest target list, in bytes: some hundred thousand names.
const LIST_BYTES_MAX: u64 = 16 << 20;
/// Longest text of a simulated internet, in bytes.
const SIMULATED_BYTES_MAX: u64 = 16 << 20;

/// Runs the command.
pub(crate) async fn run(scan: &Scan, silent: bool, settings: &Settings) -> Result<()> {
    let folder = folder::data(scan.data.as_deref(), settings)?;
    let mut job = job(scan, silent, settings, &folder)?;
    refuse_missing(&job)?;
    refuse_excluded(&job)?;
    let plan = plan(&job);
    if !silent || scan.dry_run {
        hint(&plan_text(&job));
        for line in lines::plan(&plan) {
            hint(&format!("  {line}"));
        }
    }
    if scan.dry_run {
        return show_tasks(&plan, &scan.output);
    }
    confirm::large(&plan, scan.yes_large)?;
    // What a script asks of the exit code and of other files is due, whoever reads the results.
    let results = Results::open(scan.output.output.as_deref())?.going_on();
    let contacts = Contacts::open(scan.contacts.as_deref())?;
    job.contacts = contacts.wanted();
    job.wire_log = WireLog::open(scan.wire_log.as_deref())?;
    let passive_only = !consent(scan, &mut job)?;
    let stop = Stop::listen()?;
    let workspace = workspace::open(&folder, "scan", settings).await?;
    let packed = estate::packages(&folder, job.simulated.as_ref(), workflow_of(&job))?;
    for (app, path) in packed {
        job.settings.packages.entry(app).or_insert(path);
    }
    let indexing = Indexing::begin(&folder, &workspace.store);
    let finished = discover(&workspace, &job, &stop).await?;
    let style = Style { jsonl: scan.output.jsonl, silent, asking: job.asking.clone() };
    let outcome = print(&workspace, &finished, results, &style).await?;
    contacts.write(&finished)?;
    job.wire_log.finish()?;
    // A simulated internet is not needed any more, and its memory is.
    drop(finished);
    indexing.end().await;
    let indexed = stop.unless_asked(bring_up_index(&folder, &workspace.store)).await;
    let indexed = indexed.map_or(Ok(()), |indexed| indexed.map(|_| ()));
    let judged = verdict(scan, &outcome, passive_only);
    if let (Err(_), Err(unindexed)) = (&judged, &indexed) {
        hint(&format!("ambit: {unindexed}"));
    }
    judged.and(indexed)
}

/// What is to be discovered, with everything read that flags and settings name.
fn job(scan: &Scan, silent: bool, settings: &Settings, folder: &Path) -> Result<Job> {
    let workflow = scan.workflow.clone().or_else(|| told_by(&scan.targets));
    let name = workflow.as_deref().unwrap_or(workflow::DEFAULT);
    let simulated = read_simulated(scan, name)?;
    let mut packages = BTreeMap::new();
    let own = simulated.as_ref().map(|(_, _, seeds)| seeds.as_slice());
    let seeds = seeds(scan, name, own, &mut packages)?;
    let live = engine_config::live(settings, &scan.resolver, scan.ca.as_deref())?;
    if simulated.is_none() {
        engine_config::check(&live)?;
    }
    let mut given = engine_config::tasks(settings)?;
    if let Some(ports) = scan.ports.asked() {
        given.ask_ports(ports);
    }
    request_limits::limit(&mut given, &scan.application_requests);
    given.skipped = scan.tasks.skipped();
    given.packages = packages;
    for path in &scan.words {
        engine_config::add_list(path, &mut given)?;
    }
    Ok(Job {
        seeds,
        simulated: simulated.map(|(text, name, _)| (text, name)),
        workflow,
        level: scan.level,
        full: scan.full,
        ports: scan.ports.asked().cloned(),
        never: engine_config::patterns("--exclude", scan.exclude.iter().map(String::as_str))?,
        installation: engine_config::installation(settings)?,
        state: scan.state,
        live,
        limits: engine_config::limits(settings, scan.rate, &scan.rates)?,
        settings: given,
        asking: Asking::new(folder, settings),
        silent,
        contacts: false,
        wire_log: WireLog::default(),
    })
}

/// Nothing is left to look at where every seed is excluded.
fn refuse_excluded(job: &Job) -> Result<()> {
    let never = Exclusions::new(&job.installation.never_in(job.never.clone()));
    if job.seeds.iter().all(|(_, name)| never.cover(name)) {
        return Err(Failure::scope("nothing to scan: --exclude or the setting exclude covers every target"));
    }
    Ok(())
}

/// Met thresholds go before what fell short: a script that asks for them must hear of them in any case.
fn verdict(scan: &Scan, outcome: &Outcome, passive_only: bool) -> Result<()> {
    if let (Some(limit), Some(worst)) = (scan.fail_on, outcome.worst)
        && worst <= limit
    {
        return Err(Failure::threshold(format!(
            "an open issue is {}: --fail-on {} is met",
            severity_name(worst),
            severity_name(limit)
        )));
    }
    if let Some(why) = &outcome.shortfall {
        return Err(Failure::partial(why.clone()));
    }
    if passive_only {
        return Err(Failure::partial(
            "only passive look-ups ran, because there was no terminal to ask on; give -y to allow more",
        ));
    }
    Ok(())
}

type Simulated = (String, String, Vec<(Kind, String)>);

fn read_simulated(scan: &Scan, workflow: &str) -> Result<Option<Simulated>> {
    let Some(path) = &scan.world else { return Ok(None) };
    let text = engine_config::read_text(path, SIMULATED_BYTES_MAX)?;
    let file = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let world = wires::parse_world(&text, &file)?;
    let seeds = world.targets(estate::workflow_of(Some(workflow)));
    Ok(Some((text, world.name().to_owned(), seeds)))
}

/// The targets, canonical, sorted, without duplicates; the simulated internet's own seeds when none is given.
/// `packages` gets the files among them.
fn seeds(
    scan: &Scan,
    workflow: &str,
    own: Option<&[(Kind, String)]>,
    packages: &mut BTreeMap<(Kind, String), PathBuf>,
) -> Result<Vec<(Kind, String)>> {
    let mut texts = scan.targets.clone();
    if let Some(list) = &scan.list {
        texts.extend(read_list(list, workflow)?);
    } else if texts.is_empty() && own.is_none() && !std::io::stdin().is_terminal() {
        texts.extend(read_list(Path::new("-"), workflow)?);
    }
    if texts.is_empty()
        && scan.list.is_none()
        && let Some(own) = own
    {
        return Ok(own.to_vec());
    }
    let mut seeds = BTreeSet::new();
    for text in &texts {
        if workflow == MOBILE_APPS.name {
            let (seed, path) = app(text).map_err(|why| Failure::usage(format!("target {:?}: {why}", plain(text))))?;
            let before = path.as_ref().and_then(|path| packages.insert(seed.clone(), path.clone()));
            if let Some(other) = before.filter(|other| Some(other) != path.as_ref()) {
                let other = plain(&other.to_string_lossy()).to_string();
                return Err(Failure::usage(format!(
                    "target {:?}: it contains the same app as {other}; give one package of each app",
                    plain(text)
                )));
            }
            seeds.insert(seed);
            continue;
        }
        if told_by(std::slice::from_ref(text)).is_some() {
            let way = match &scan.workflow {
                // The workflow is told by targets of the command line alone.
                Some(_) if scan.targets.contains(text) => "leave out --workflow".to_owned(),
                _ => format!("give --workflow {}", MOBILE_APPS.name),
            };
            return Err(Failure::usage(format!(
                "target {:?}: it is an app, which the workflow {workflow} does not cover; {way}",
                plain(text)
            )));
        }
        let seed = target(text, workflow).map_err(|error| {
            Failure::usage(format!("target {:?}: {error}; give {}", plain(text), expected(workflow)))
        })?;
        seeds.extend(workflow::supplier(&seed).filter(|_| workflow == THIRD_PARTIES.name));
        seeds.insert(seed);
    }
    if seeds.is_empty() {
        return Err(Failure::usage(format!("no target: give {}, or -l FILE", expected(workflow))));
    }
    Ok(seeds.into_iter().collect())
}

/// What the targets of a workflow are.
fn expected(workflow: &str) -> &'static str {
    match workflow::find(workflow) {
        Some(CODE_REPOSITORIES) => "a repository, an account at a forge, a word without blanks or a folder",
        Some(MOBILE_APPS) => "the package of an app, or an app as AndroidApp:org.example.app",
        Some(SUSPICIOUS_DOMAINS) => "a domain, or a word without blanks such as a brand",
        _ => "a domain, host name, address, block or URL",
    }
}

/// A target of the workflow. A folder of this machine may be named as people name folders.
fn target(text: &str, workflow: &str) -> Result<(Kind, String), InvalidName> {
    let Some(workflow) = workflow::find(workflow) else { return Kind::of_target(text) };
    let path = Path::new(text).canonicalize().ok().filter(|path| workflow == CODE_REPOSITORIES && path.is_dir());
    match path.as_deref().and_then(Path::to_str) {
        Some(path) => workflow.target(path),
        None => workflow.target(text),
    }
}

/// The workflow that targets tell by themselves: what ends as the package of an app does is a file, there or mistyped,
/// since no top-level domain is called so. A URL is an address of its own. An app may also be named with its kind.
fn told_by(targets: &[String]) -> Option<String> {
    let is_package = |target: &String| {
        let extension = Path::new(target).extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let known = ambit_tasks::PACKAGE_EXTENSIONS;
        !target.contains("://") && extension.is_some_and(|extension| known.contains(&extension.as_str()))
    };
    let is_app = |target: &String| is_package(target) || named_app(target).is_some();
    targets.iter().any(is_app).then(|| MOBILE_APPS.name.to_owned())
}

/// The app that a target names with its kind, such as `AndroidApp:org.example.app`; `None` where it names none.
fn named_app(text: &str) -> Option<Result<(Kind, String), InvalidName>> {
    let (kind, name) = text.trim().split_once(':')?;
    let kind = Kind::APPS.iter().find(|app| app.name() == kind)?;
    Some(kind.seed(name).map(|name| (*kind, name)))
}

/// The app that a target of the workflow of mobile apps names, and the file with its package where it is one.
fn app(text: &str) -> Result<((Kind, String), Option<PathBuf>), String> {
    if let Some(named) = named_app(text) {
        return named.map(|seed| (seed, None)).map_err(|error| error.to_string());
    }
    let path = Path::new(text);
    let expected = "expected the package of an app (APK, AAB, XAPK or IPA), or an app as AndroidApp:org.example.app";
    let path = match path.canonicalize() {
        Ok(path) if path.is_file() => path,
        Ok(_) => return Err(format!("it is no file; {expected}")),
        Err(_) => return Err(format!("there is no such file; {expected}")),
    };
    Ok((ambit_tasks::app_in(&path)?, Some(path)))
}

fn read_list(path: &Path, workflow: &str) -> Result<Vec<String>> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().lock().take(LIST_BYTES_MAX + 1).read_to_string(&mut text);
        let bytes =
            read.map_err(|error| Failure::usage(format!("cannot read targets from standard input: {error}")))?;
        if bytes as u64 > LIST_BYTES_MAX {
            let most = LIST_BYTES_MAX >> 20;
            return Err(Failure::usage(format!("standard input is larger than {most} MiB: give the targets in parts")));
        }
        text
    } else {
        engine_config::read_text(path, LIST_BYTES_MAX)?
    };
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        let kinds = workflow::find(workflow).map_or(&[] as &[Kind], |workflow| workflow.seeds);
        let targets = table::targets(&text, kinds);
        return targets.map_err(|why| Failure::usage(format!("{}: {why}", plain(&path.to_string_lossy()))));
    }
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line).trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The level asked for, under the ceiling of the workflow.
fn ceiling(job: &Job) -> Clearance {
    workflow::ceiling(workflow_of(job), job.level)
}

fn workflow_of(job: &Job) -> &str {
    job.workflow.as_deref().unwrap_or(workflow::DEFAULT)
}

/// What the workflow needs and the targets are not.
fn missing(job: &Job) -> Vec<String> {
    let kinds: Vec<Kind> = job.seeds.iter().map(|(kind, _)| *kind).collect();
    let simulated = job.simulated.as_ref();
    let credentials = simulated.and_then(|(text, name)| estate::credentials(text, name).ok()).unwrap_or_default();
    workflow::find(workflow_of(job)).map(|workflow| workflow.missing(&kinds, &credentials)).unwrap_or_default()
}

/// A workflow that begins elsewhere would look at nothing.
fn refuse_missing(job: &Job) -> Result<()> {
    match missing(job).as_slice() {
        [] => Ok(()),
        missing => Err(Failure::usage(format!("the workflow {} needs {}", workflow_of(job), missing.join(" and ")))),
    }
}

/// What the run asks for its targets, in numbers.
fn plan(job: &Job) -> Value {
    let volumes = engine_config::volumes(&job.settings, &job.limits);
    let volumes = volumes.without(&ambit_tasks::outside(workflow_of(job)));
    let never = job.installation.never_in(job.never.clone());
    let counted = estimate(&job.seeds, ceiling(job), &never, &volumes);
    json!(ambit_api::plans::Plan::of(&counted, ceiling(job), |_| false, missing(job)))
}

fn plan_text(job: &Job) -> String {
    let names: Vec<String> =
        job.seeds.iter().take(10).map(|(kind, name)| format!("{} {}", kind.name(), plain(name))).collect();
    let more = if job.seeds.len() > names.len() {
        format!(" and {} more", job.seeds.len() - names.len())
    } else {
        String::new()
    };
    let level = match ceiling(job) {
        Clearance::L0 | Clearance::L1 => "passive sources and DNS look-ups only",
        Clearance::L2 => "DNS, and what a browser does",
        Clearance::L3 => "DNS, web, port sweeps and name sweeps on what is in scope",
        Clearance::L4 => "everything up to log-ins and exploit checks on what is in scope",
    };
    let workflow = match &job.workflow {
        Some(workflow) if ceiling(job) < job.level => format!("; the workflow {workflow} allows no more"),
        _ => String::new(),
    };
    let wire = if job.simulated.is_some() { "a simulated internet" } else { "the live network" };
    let never = job.installation.never_in(job.never.clone());
    let never = if never.is_empty() { String::new() } else { format!("; never: {}", never.join(", ")) };
    let inert = match job.seeds.iter().find(|(kind, _)| is_inert(*kind, workflow_of(job))) {
        Some((kind, name)) => {
            format!("; nothing is looked up from {} {}: it only shows what is in scope", kind.name(), plain(name))
        }
        None => String::new(),
    };
    let within = if job.seeds.iter().any(|(_, name)| name.contains('/') && !name.contains("://")) {
        "; parts of a block that are registered to somebody else are left out until you name or allow them"
    } else {
        ""
    };
    format!("will look at {}{more} on {wire}: {level}{workflow}{never}{within}{inert}", names.join(", "))
}

/// No task of the workflow begins at such a seed.
fn is_inert(kind: Kind, workflow: &str) -> bool {
    let outside = ambit_tasks::outside(workflow);
    !ambit_tasks::ALL.iter().any(|task| task.watches.contains(&kind) && !outside.contains(task.name))
}

/// Asks the person; without one, only passive look-ups run. False when the level was lowered.
fn consent(scan: &Scan, job: &mut Job) -> Result<bool> {
    if scan.yes || ceiling(job) <= Clearance::L1 {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        job.level = Clearance::L1;
        return Ok(false);
    }
    let mut err = std::io::stderr().lock();
    write!(err, "Scan only systems that you are authorised to test. Start? [y/N] ").and_then(|()| err.flush()).ok();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.map_err(|error| Failure::run_time(format!("cannot read the answer: {error}")))?;
    if answer.trim().eq_ignore_ascii_case("y") || answer.trim().eq_ignore_ascii_case("yes") {
        return Ok(true);
    }
    Err(Failure::scope("not started: the answer was no"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        scan: Scan,
    }

    #[test]
    fn an_app_at_which_a_workflow_does_not_look_says_what_to_give_or_leave_out() {
        let list = std::env::temp_dir().join(format!("ambit-apps-{}.txt", std::process::id()));
        std::fs::write(&list, "AndroidApp:test.acme.shop\n").expect("writes");
        let file = list.to_str().expect("UTF-8");
        for (words, said) in [
            (vec!["-l", file], "give --workflow mobile_app_discovery"),
            (vec!["-l", file, "--workflow", "third_party_workflow"], "give --workflow mobile_app_discovery"),
            (vec!["AndroidApp:test.acme.shop", "--workflow", "third_party_workflow"], "leave out --workflow"),
        ] {
            let Line { scan } = Line::parse_from([&["scan"][..], &words].concat());
            let name = scan.workflow.as_deref().unwrap_or(workflow::DEFAULT);
            let refused = seeds(&scan, name, None, &mut BTreeMap::new()).expect_err("it is an app");
            let refused = format!("{refused:?}");
            assert!(refused.contains(said), "{words:?}: {refused}");
        }
        std::fs::remove_file(&list).expect("removes");
    }
}
