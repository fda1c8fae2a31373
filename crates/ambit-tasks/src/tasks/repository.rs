//! What the history of a repository gives away: secrets in every commit, and what its files name.

use crate::ask::git;
use crate::read::leads::{LEADS_MAX, Leads};
use crate::read::mentions::is_in_folder_of_others;
use crate::read::{build_files, lockfiles};
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_git::{GitError, ObjectId, Objects, Piece, has_file, walk};
use ambit_model::entity::{code_account, repository};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Timestamp, Wave, workflow};
use ambit_secrets::{At, Look, Rules};
use repository::{Flaw, Leak, Package};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const TASK: Task = Task {
    name: TaskName::Repository,
    pretty_name: "Repository",
    description: "Fetches the history of a repository and looks through every commit of it for secrets, and for the \
                  hosts, addresses, pages, interfaces, mailboxes and storage buckets that its files name; through \
                  its newest lock files for packages, and through the files by which it is built.",
    workflows: &[workflow::CODE_REPOSITORIES],
    watches: Kind::REPOSITORIES,
    produces: &[
        Kind::ApiEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::GithubAccount,
        Kind::GitlabAccount,
        Kind::IpAddress,
        Kind::UniqueToken,
        Kind::Uri,
    ],
    footprint: Clearance::L1,
    wave: Wave::Passive,
    ttl_ms: DAY_MS,
    cost: 20,
    gain: 50,
    slow: false,
    volatile: &[],
    contacts: Contacts::Provider(git::PROVIDER),
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
};

/// Secrets of one history that are kept.
const LEAKS_MAX: usize = 1_000;
/// Packages of one repository that are kept, and as many flaws: what a list of details holds.
const PACKAGES_MAX: usize = 2_000;
/// Raised where more is looked for than before beside secrets: known histories are then looked at anew.
const LOOKED_FOR: u32 = 2;
/// Branches and tags that are written down one by one; of more a hash says whether anything changed.
const TIPS_MAX: usize = 1_000;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let mut source = git::Source::of(cx)?;
    let tips = source.tips(cx).await?;
    let mut known = Known::of(cx.facts, &edition(&cx.settings.secrets));
    let mut looked = Looked::default();
    if known.tips != written(&tips) {
        let ids = known.ids();
        looked = look(cx, &source, &tips, &ids, &known.files).await?;
        if !ids.iter().all(|id| tips.contains(id) || looked.ends.contains(id)) {
            // Commits that were there are in no history any more: what they held is not there either.
            looked = look(cx, &source, &tips, &[], &Files::new()).await?;
            known = Known::default();
        } else if ids.is_empty() {
            known = Known::default();
        }
    }
    say(cx, &source, &tips, known, looked);
    Ok(Answer::Found)
}

/// What an earlier look wrote down.
#[derive(Default)]
struct Known {
    tips: Vec<String>,
    commits: u64,
    leaks: BTreeMap<String, Leak>,
    /// What it led to, beside tokens.
    named: BTreeSet<(EdgeKind, Kind, String)>,
    files: Files,
}

/// What the newest of the files say that name packages or by which software is built, by path.
type Files = BTreeMap<String, (Vec<Package>, Vec<Flaw>)>;

impl Known {
    fn of(facts: &Facts, edition: &str) -> Self {
        let own = facts.outward.iter().filter(|end| end.task == TASK.name.as_str() && end.edge != EdgeKind::Token);
        Self {
            // One that looked by other rules, or at no lock files yet, looks at all anew.
            tips: repository::PACKAGES
                .raw(&facts.details)
                .and_then(|_| repository::RULES.of(&facts.details))
                .filter(|rules| rules == edition)
                .and_then(|_| repository::TIPS.of(&facts.details))
                .unwrap_or_default(),
            commits: repository::COMMITS.of(&facts.details).unwrap_or(0),
            leaks: repository::LEAKS.items(&facts.details).map(|leak: Leak| (leak.token.clone(), leak)).collect(),
            named: own.map(|end| (end.edge, end.kind, end.name.clone())).collect(),
            files: files_of(facts),
        }
    }

    /// The commits that were tips; none where they were too many to be written down.
    fn ids(&self) -> Vec<ObjectId> {
        self.tips.iter().filter_map(|tip| ObjectId::from_hex(tip.as_bytes()).ok()).collect()
    }
}

/// What an earlier look wrote down of the files that are kept.
fn files_of(facts: &Facts) -> Files {
    let mut files = Files::new();
    for package in repository::PACKAGES.items(&facts.details) {
        files.entry(package.path.clone()).or_default().0.push(package);
    }
    for flaw in repository::FLAWS.items(&facts.details) {
        files.entry(flaw.path.clone()).or_default().1.push(flaw);
    }
    files
}

/// Tips as they are written down, sorted.
fn written(tips: &[ObjectId]) -> Vec<String> {
    let texts: Vec<String> = tips.iter().map(ToString::to_string).collect();
    if texts.len() <= TIPS_MAX {
        return texts;
    }
    vec![format!("{} tips, sha256 {}", texts.len(), hex::encode(Sha256::digest(texts.join(" "))))]
}

/// What a walk over a history found.
#[derive(Debug, Default)]
struct Looked {
    leaks: BTreeMap<String, Leak>,
    named: Leads,
    commits: u64,
    ends: BTreeSet<ObjectId>,
    files: Files,
    /// Of the files that an earlier look knew, those that no branch has any more.
    gone: Vec<String>,
}

/// Looks through everything that leads to the tips and not to the known commits.
async fn look(
    cx: &Context<'_>,
    source: &git::Source,
    tips: &[ObjectId],
    known: &[ObjectId],
    files: &Files,
) -> Result<Looked, TaskError> {
    let stop = StopWhenDropped(Arc::default());
    let pack = source.fetch(cx, tips, known).await?;
    let (stopped, tips, known) = (stop.0.clone(), tips.to_vec(), known.to_vec());
    let paths: Vec<String> = files.keys().cloned().collect();
    let rules = cx.settings.secrets.clone();
    // Walking waits for no wire: it takes no wire time.
    let hold = cx.net.hold();
    let walking = tokio::task::spawn_blocking(move || {
        let objects = pack.open(&stopped)?;
        look_through(&objects, &rules, (&tips, &known), &paths, &stopped)
    });
    let looked = walking.await.map_err(|_| TaskError::Failed("reading the repository broke off".into()))?;
    drop(hold);
    looked.map_err(|error| TaskError::Failed(error.to_string()))
}

/// Tells the thread that walks that nobody waits for it any more.
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn look_through(
    objects: &Objects,
    rules: &Rules,
    (tips, known): (&[ObjectId], &[ObjectId]),
    paths: &[String],
    stop: &AtomicBool,
) -> Result<Looked, GitError> {
    let mut looked = Looked::default();
    let walked = walk(objects, tips, known, stop, &mut |piece| {
        let text = String::from_utf8_lossy(piece.text);
        let commit = piece.commit.id.to_string();
        let at = At { path: piece.path.unwrap_or(""), commit: &commit };
        for found in rules.find_at(&text, Look::Code, at) {
            if looked.leaks.len() < LEAKS_MAX {
                looked.leaks.entry(found.name.clone()).or_insert_with(|| leak(found, piece));
            }
        }
        if !is_of_others(piece.path.unwrap_or("")) {
            looked.named.read(piece.path.unwrap_or(""), &text);
        }
        if let Some(path) = piece.path.filter(|path| !is_in_folder_of_others(path)) {
            let (packages, flaws) = (lockfiles::packages(path, &text), build_files::flaws(path, &text));
            if packages.is_some() || flaws.is_some() {
                // The oldest commit comes first: what is newer takes its place.
                looked.files.insert(path.to_owned(), (packages.unwrap_or_default(), flaws.unwrap_or_default()));
            }
        }
    })?;
    let known_paths = paths.iter().chain(looked.files.keys()).cloned().collect::<BTreeSet<_>>();
    for path in known_paths {
        if has_file(objects, tips, &path)? == Some(false) {
            looked.files.remove(&path);
            looked.gone.push(path);
        }
    }
    looked.commits = walked.commits as u64;
    looked.ends = walked.ends;
    Ok(looked)
}

fn leak(found: ambit_secrets::Found, piece: &Piece<'_>) -> Leak {
    Leak {
        token: found.name,
        provider: found.provider,
        rule: found.rule,
        by_context: found.by_context,
        commit: piece.commit.id.to_string(),
        author: piece.commit.author.clone(),
        date: Timestamp(piece.commit.seconds.saturating_mul(1_000)).to_string(),
        path: piece.path.unwrap_or("").to_owned(),
        line: found.line,
    }
}

/// True for code of others, and for files that name what it is made of.
fn is_of_others(path: &str) -> bool {
    let is_lock = [".lock", "-lock.json", "-lock.yaml", "go.sum"].iter().any(|end| path.ends_with(end));
    is_lock || is_in_folder_of_others(path)
}

/// What tells by which rules, and for what else, a history was looked at.
fn edition(rules: &Rules) -> String {
    format!("{} {LOOKED_FOR}", rules.edition())
}

fn say(cx: &Context<'_>, source: &git::Source, tips: &[ObjectId], known: Known, looked: Looked) {
    let commits = known.commits + looked.commits;
    // What stood there first is known from the earlier look.
    let mut leaks = looked.leaks;
    leaks.extend(known.leaks);
    for leak in leaks.values().take(LEAKS_MAX) {
        cx.found_token(&leak.token, &leak.provider, true);
    }
    // The same whether this look saw it or an earlier one.
    for (edge, kind, name) in &known.named {
        match kind {
            Kind::EmailAddress => cx.found_mailbox(name),
            kind => cx.found(*kind, name, *edge),
        }
    }
    for host in looked.named.hosts() {
        cx.found_host(host, EdgeKind::Link);
    }
    // Nothing shows that any of it is theirs: a link passes on no more than that somebody knows of it.
    for address in looked.named.addresses() {
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::Link);
    }
    for (url, kind) in looked.named.urls() {
        cx.found(kind, url, EdgeKind::Link);
    }
    for mailbox in looked.named.text.mailboxes.iter().take(LEADS_MAX) {
        cx.found_mailbox(mailbox);
    }
    for bucket in looked.named.text.buckets.iter().take(LEADS_MAX) {
        cx.found(Kind::CloudStorageBucket, bucket, EdgeKind::Bucket);
    }
    let mut files = known.files;
    files.extend(looked.files);
    files.retain(|path, _| !looked.gone.contains(path));
    let (packages, flaws): (Vec<_>, Vec<_>) = files.into_values().unzip();
    if let Some((kind, account)) = code_account::of_repository(cx.facts.kind, &cx.facts.name) {
        cx.found(kind, &account, EdgeKind::RepositoryAccount);
    }
    let (owner, name) = source.owner_and_name();
    cx.observe(repository::OWNER, owner);
    cx.observe(repository::REPOSITORY_NAME, name);
    cx.observe(repository::REPOSITORY_URI, source.url());
    cx.observe(repository::REPOSITORY_PUBLIC, source.is_public());
    cx.observe(repository::TIPS, written(tips));
    cx.observe(repository::RULES, edition(&cx.settings.secrets));
    cx.observe(repository::COMMITS, commits);
    cx.observe(repository::PACKAGES, packages.into_iter().flatten().take(PACKAGES_MAX).collect::<Vec<_>>());
    cx.observe(repository::FLAWS, flaws.into_iter().flatten().take(PACKAGES_MAX).collect::<Vec<_>>());
    cx.observe(repository::LEAKS, leaks.into_values().take(LEAKS_MAX).collect::<Vec<_>>());
}
