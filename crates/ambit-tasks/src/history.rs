//! What the history of a repository gives away, whichever way its objects came: what an earlier look wrote down, what
//! is found now, and how both are said.

mod kept;
mod known;
mod leaks;
mod pointer;
mod standing;
mod submodules;

use crate::read::leads::Leads;
use crate::read::mentions::is_in_folder_of_others;
use crate::read::seed_tokens::{self, SeedTokens};
use crate::{Context, TaskError};
use ambit_git::served::Staged;
use ambit_git::{
    Beside, FILE_BYTES_MAX, FOLDERS_DEEP_MAX, GitError, Missing, OBJECT_BYTES_MAX, ObjectId, Objects, Piece, Placed,
    STANDING_FOLDERS_MAX, Unread, staged, walk,
};
use ambit_model::entity::repository::{self, KeptElsewhere, Leak, Submodule};
use ambit_model::{EdgeKind, Kind};
use ambit_secrets::{At, Findings, Look, Rules};
use leaks::{Holders, Leaks};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use known::{Files, Known, LEFT_OUT, written, written_beside};
pub(crate) use standing::{Standing, Today, standing};

/// Secrets of one history that are kept.
const LEAKS_MAX: usize = 1_000;
/// What is said behind their number where there are more; the limit follows.
const LEAKS_LEFT_OUT: &str = "secrets were found in its history over time, and no more are kept than";
/// Packages of one repository that are kept, and as many flaws: what a list of details holds.
const PACKAGES_MAX: usize = 2_000;
/// What is said behind their number where there are more; the limit follows.
const PACKAGES_LEFT_OUT: &str = "packages stand in its lock files, and no more are looked up than";
/// What is said where more folders stand at the tips than are gone through for such files; the limit follows.
const FOLDERS_LEFT_OUT: &str = "of the folders at its branches and tags no more are gone through for lock files than";
/// What is said behind the number of lock files at the tips that cannot be read; the first follows.
const LOCKS_UNREAD: &str = "in a form that is not read:";
/// Sentences about what could not be looked at that are kept.
const UNREAD_MAX: usize = 20;
/// No limit but an edition: raised where more is looked for than before beside secrets, in more files or in other forms
/// of files, so that known histories are looked at anew.
const LOOKED_FOR: u32 = 7;

/// What is looked for in a history beside what its files name.
#[derive(Clone)]
pub(crate) struct Sought {
    rules: Arc<Rules>,
    tokens: SeedTokens,
    /// Secrets that an earlier look kept: they are kept whatever else is found before them.
    kept: Arc<BTreeSet<String>>,
}

impl Sought {
    pub(crate) fn of(cx: &Context<'_>) -> Self {
        let kept = repository::LEAKS.items(&cx.facts.details).map(|leak: Leak| leak.token).collect();
        Self { rules: cx.settings.secrets.clone(), tokens: SeedTokens::of(cx.facts), kept: Arc::new(kept) }
    }

    /// Returns what tells by which rules, and for what else, a history was looked at.
    pub(crate) fn edition(&self) -> String {
        self.tokens.beside(format!("{} {LOOKED_FOR}", self.rules.edition()))
    }
}

/// What a walk over a history found.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    leaks: Leaks,
    /// The files that hold each secret.
    holders: BTreeMap<String, Holders>,
    /// Where these stand at HEAD.
    placed: Placed,
    named: Leads,
    /// Tokens that are seeds.
    tokens: BTreeSet<String>,
    pub(crate) commits: u64,
    pub(crate) ends: BTreeSet<ObjectId>,
    /// All commits and tags that were met.
    reached: HashSet<ObjectId>,
    /// What stands at the tips; `None` where that is as an earlier look knew it.
    pub(crate) files: Option<Files>,
    /// Other repositories that stand there; `None` as above.
    submodules: Option<Vec<Submodule>>,
    /// More folders stand there than are gone through.
    is_cut_at_tips: bool,
    /// Lock files there that are not what their names say.
    unreadable: Vec<String>,
    /// Lock files there that name more packages than are kept of one.
    larger: Vec<String>,
    /// What is not among the objects; of a server that sends what is new alone, that says nothing.
    pub(crate) missing: Missing,
    /// What is among the objects and was not looked at.
    unread: Unread,
    /// Says what was not asked for, since there is more than may be.
    left_out: Option<String>,
    /// Says what cannot be read of what lies beside the objects, such as a branch.
    unread_beside: Option<String>,
    /// Files that Git LFS keeps elsewhere, and the first of them.
    elsewhere: Option<KeptElsewhere>,
    /// Of how many texts not all was looked at, by what ended that, and where the first of them stands.
    limits: BTreeMap<Limit, (usize, String)>,
}

/// What ends a look at a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    /// It is too long.
    Bytes,
    /// It holds too much that is looked for.
    Secrets,
    /// More was found before than is kept.
    Kept,
}

/// Tells the thread that walks that nobody waits for it any more.
#[derive(Default)]
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Computes beside the wire, which waits: it takes no wire time. What is computed is told when nobody waits any more.
/// Fails if it failed or broke off.
pub(crate) async fn aside<T: Send + 'static>(
    cx: &Context<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, GitError> + Send + 'static,
) -> Result<T, TaskError> {
    let stop = StopWhenDropped::default();
    let flag = stop.0.clone();
    let hold = cx.net.hold();
    let worked = tokio::task::spawn_blocking(move || work(&flag)).await;
    drop(hold);
    let worked = worked.map_err(|_| TaskError::Failed("reading the repository broke off".into()))?;
    worked.map_err(|error| match error {
        GitError::TooLarge => TaskError::OutOfBudget(error.to_string()),
        error => TaskError::Failed(error.to_string()),
    })
}

/// Where a look begins, and what it need not look at.
pub(crate) struct Begin<'a> {
    pub(crate) tips: &'a [ObjectId],
    /// Commits that an earlier look knew with all that leads to them.
    pub(crate) known: &'a [ObjectId],
    /// Files that an index names.
    pub(crate) staged: &'a [Staged],
}

/// Looks through a history. What stands at its tips is not looked at here. Fails if there are more commits than anybody
/// has, or nobody waits any more.
pub(crate) fn look_through(
    objects: &Objects,
    sought: &Sought,
    begin: &Begin<'_>,
    stop: &AtomicBool,
) -> Result<Looked, GitError> {
    let mut looked = Looked::default();
    let mut walked = walk(objects, begin.tips, begin.known, stop, &mut |piece| looked.see(sought, piece))?;
    staged(objects, begin.staged, &mut walked, stop, &mut |piece| looked.see(sought, piece))?;
    looked.commits = walked.commits as u64;
    looked.ends = walked.ends;
    looked.reached = walked.reached;
    looked.missing = walked.missing;
    looked.unread = walked.unread;
    Ok(looked)
}

impl Looked {
    /// Looks for secrets in a file that lies beside the history.
    pub(crate) fn see_beside(&mut self, sought: &Sought, path: &str, text: &str) {
        let bytes = text.as_bytes();
        let piece = Piece { commit: None, path: Some(path), file: None, tag: None, text: bytes, is_cut: false };
        self.tokens.extend(sought.tokens.in_text(text).cloned());
        for found in sought.rules.find_at(text, Look::Code, At { path, commit: "" }) {
            self.leaks.entry(found.name.clone()).or_insert_with(|| leaks::leak(found, &piece));
        }
    }

    fn see(&mut self, sought: &Sought, piece: &Piece<'_>) {
        if let (Some(path), true) = (piece.path, pointer::is_pointer(piece.text)) {
            self.elsewhere.get_or_insert_with(|| KeptElsewhere { files: 0, first: path.to_owned() }).files += 1;
            return;
        }
        let text = String::from_utf8_lossy(piece.text);
        let commit = piece.commit.map(|commit| commit.id.to_string()).unwrap_or_default();
        let at = At { path: piece.path.unwrap_or(""), commit: &commit };
        self.tokens.extend(sought.tokens.in_text(&text).cloned());
        let findings = sought.rules.findings(&text, Look::Code, at);
        let mut is_full = false;
        for found in findings.found {
            let is_known = self.leaks.contains_key(&found.name) || sought.kept.contains(&found.name);
            if is_known || self.leaks.len() < LEAKS_MAX {
                self.holders.entry(found.name.clone()).or_default().add(piece.file);
                let leak = self.leaks.entry(found.name.clone()).or_insert_with(|| leaks::leak(found, piece));
                leaks::count(leak, piece.commit);
            } else {
                is_full = true;
            }
        }
        for (limit, _) in [(Limit::Bytes, piece.is_cut), (Limit::Secrets, findings.is_cut), (Limit::Kept, is_full)]
            .iter()
            .filter(|(_, ended)| *ended)
        {
            let first = || (0, piece.path.or(piece.tag).unwrap_or("a message").to_owned());
            self.limits.entry(*limit).or_insert_with(first).0 += 1;
        }
        if !is_of_others(piece.path.unwrap_or("")) {
            self.named.read(piece.path.unwrap_or(""), &text);
        }
    }

    /// The files that hold secrets.
    pub(crate) fn holders(&self) -> impl Iterator<Item = ObjectId> {
        self.holders.values().flat_map(Holders::files)
    }

    /// Takes over what stands at the tips; of what could not be read there, what was known stands.
    pub(crate) fn stand(&mut self, standing: Standing, known: &Files) {
        self.is_cut_at_tips = standing.is_cut();
        self.unreadable = standing.unreadable().to_vec();
        self.larger = standing.larger().to_vec();
        self.placed = standing.placed.clone();
        self.submodules = Some(standing.submodules.clone());
        self.files = Some(standing.over(known));
    }

    /// Counts files that a server did not send with those that are too large: it was asked for all others.
    pub(crate) fn count_what_was_left_out(&mut self) {
        if self.missing.files > 0 && self.missing.commits + self.missing.folders == 0 {
            let files = std::mem::take(&mut self.missing);
            let first = if self.unread.too_large.is_none() { files.first } else { self.unread.too_large.first.clone() };
            let count = self.unread.too_large.files + files.files;
            self.unread.too_large = Missing { files: count, first, ..self.unread.too_large };
        }
    }

    /// Says what was not asked for, which is not among the objects then, and may hold what an earlier look found.
    pub(crate) fn leave_out(&mut self, what: String, has_all_commits: bool) {
        if !has_all_commits {
            self.missing = Missing::default();
        } else if self.missing.commits + self.missing.folders == 0 {
            self.missing.files = 0;
        }
        self.left_out = Some(what);
    }

    /// Returns whether all was asked for, and nothing is missing or broken.
    pub(crate) fn has_all(&self) -> bool {
        self.is_whole() && self.left_out.is_none()
    }

    /// Returns whether nothing is missing or broken: what is may come, or be mended, with no branch moved.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.is_none() && self.unread.broken.is_none() && self.unread_beside.is_none()
    }

    /// Takes over what lies beside the objects in a folder.
    pub(crate) fn see_folder(&mut self, sought: &Sought, beside: &Beside) {
        for (path, text) in &beside.settings {
            self.see_beside(sought, path, text);
        }
        let more = (beside.unread_more > 0).then(|| format!("and {} more", beside.unread_more));
        let texts: Vec<&str> = beside.unread.iter().chain(&more).map(String::as_str).collect();
        self.unread_beside = (!texts.is_empty()).then(|| format!("cannot be read: {}", texts.join(", ")));
    }

    /// Returns true where a text holds more secrets than are looked at: one that is known may stand behind them.
    fn may_hold_more(&self) -> bool {
        self.limits.contains_key(&Limit::Secrets)
    }

    /// Returns what is there and was not looked at, a sentence each: what is broken, and what is beyond a limit.
    pub(crate) fn cut(&self) -> Vec<String> {
        let (secrets, encoded) = Findings::LIMIT;
        let sentence = |(limit, (count, first)): (&Limit, &(usize, String))| {
            let texts = format!("of {}, {first} the first,", counted(*count, "file"));
            match limit {
                Limit::Bytes => format!("{texts} no more than {} MiB were looked at", FILE_BYTES_MAX >> 20),
                Limit::Secrets => {
                    format!("{texts} no more than {secrets} secrets and {encoded} encoded texts were looked at")
                }
                Limit::Kept => format!("{texts} secrets are left out: no more than {LEAKS_MAX} are kept"),
            }
        };
        let folders = || format!("{FOLDERS_LEFT_OUT} {STANDING_FOLDERS_MAX}");
        let locks = |first| format!("{} {LOCKS_UNREAD} {first} the first", counted(self.unreadable.len(), "lock file"));
        let limits = self.limits.iter().map(sentence).chain(self.is_cut_at_tips.then(folders));
        let limits = limits.chain(self.unreadable.first().map(locks)).chain(self.packages_left_out());
        let beside = self.left_out.iter().chain(&self.unread_beside).cloned();
        beside.chain(unread_objects(&self.unread)).chain(limits).collect()
    }

    /// How many packages stand in the lock files at the tips, where that is more than are kept. Of a file that names
    /// more than are kept of one, no more are counted.
    fn packages_left_out(&self) -> Option<String> {
        let least = if self.larger.is_empty() { "" } else { "at least " };
        let count: usize = self.files.iter().flat_map(BTreeMap::values).map(|(packages, _)| packages.len()).sum();
        (count > PACKAGES_MAX).then(|| format!("{least}{count} {PACKAGES_LEFT_OUT} {PACKAGES_MAX}"))
    }

    /// Of which files only pointers are there, in what earlier looks and this one went through. An earlier one counted
    /// anew what this one counts.
    fn elsewhere_beside(&self, known: &Known) -> Option<KeptElsewhere> {
        let (before, now) = (known.elsewhere.as_ref(), self.elsewhere.as_ref());
        let files = |kept: Option<&KeptElsewhere>| kept.map_or(0, |kept| kept.files);
        let (before_files, now_files) = (files(before), files(now));
        let all = if known.is_anew { before_files.max(now_files) } else { before_files + now_files };
        Some(KeptElsewhere { files: all, first: before.or(now)?.first.clone() })
    }

    /// Returns true where secrets stand in what was looked at.
    pub(crate) fn has_leaks(&self) -> bool {
        !self.leaks.is_empty()
    }
}

/// True for code of others, and for files that name what it is made of.
fn is_of_others(path: &str) -> bool {
    let is_lock = [".lock", "-lock.json", "-lock.yaml", "go.sum"].iter().any(|end| path.ends_with(end));
    is_lock || is_in_folder_of_others(path)
}

/// Says of how many files only pointers are there.
fn kept_elsewhere(kept: &KeptElsewhere) -> String {
    let (files, first) = (counted(kept.files, "file"), &kept.first);
    format!("Git LFS keeps {files} elsewhere, which are not looked at: {first} the first")
}

/// Returns what could not be looked at, a sentence each.
pub(crate) fn unread(known: &Known, looked: &Looked) -> Vec<String> {
    let mut unread: Vec<String> = lacks(&looked.missing).into_iter().chain(looked.cut()).collect();
    let mut secrets: BTreeSet<&String> = looked.leaks.keys().collect();
    secrets.extend(known.leaks.keys());
    let above = Some(secrets.len()).filter(|count| *count > LEAKS_MAX && !looked.limits.contains_key(&Limit::Kept));
    unread.extend(above.map(|count| format!("{count} {LEAKS_LEFT_OUT} {LEAKS_MAX}")));
    let is_counted = above.is_some();
    // Of packages, folders and lock files, what stands at the tips now says it anew.
    let of_tips = [PACKAGES_LEFT_OUT, FOLDERS_LEFT_OUT, LOCKS_UNREAD];
    let is_of_tips = |before: &String| of_tips.iter().any(|said| before.contains(said));
    let is_past =
        |before: &String| looked.files.is_some() && is_of_tips(before) || is_counted && before.contains(LEAKS_LEFT_OUT);
    for before in known.unread.iter().filter(|before| !is_past(before)) {
        if !unread.contains(before) {
            unread.push(before.clone());
        }
    }
    unread.truncate(UNREAD_MAX);
    unread
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Says how much of a history is not among its objects; `None` of a whole one.
fn lacks(missing: &Missing) -> Option<String> {
    let told = told(missing)?;
    Some(format!("not among its objects, and not looked at: {told}; a shallow or partial clone has less than all"))
}

/// Says what is among the objects and was not looked at, a sentence for each reason.
fn unread_objects(unread: &Unread) -> Vec<String> {
    let large = format!("more than {} MiB in memory, and not looked at", OBJECT_BYTES_MAX >> 20);
    let deep = format!("in more than {FOLDERS_DEEP_MAX} folders or with too long a path, and not looked at");
    let reasons = [
        ("broken, and not looked at in full", &unread.broken),
        (large.as_str(), &unread.too_large),
        (deep.as_str(), &unread.too_deep),
    ];
    reasons.iter().filter_map(|(why, missing)| Some(format!("{why}: {}", told(missing)?))).collect()
}

/// How much that is, and the first of it; `None` of nothing.
fn told(missing: &Missing) -> Option<String> {
    let parts = [(missing.commits, "commit"), (missing.folders, "folder"), (missing.files, "file")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    (!parts.is_empty()).then(|| format!("{}, {} the first", parts.join(", "), missing.first))
}

/// Where a repository is, as it is shown.
pub(crate) struct Place {
    /// Who has it there, where that is known.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    pub(crate) url: String,
    /// Anybody may read it; `None` where that means nothing.
    pub(crate) is_public: Option<bool>,
}

/// Says what earlier looks and this one found. `tips`: as they are written down.
pub(crate) fn say(cx: &Context<'_>, place: Place, tips: Vec<String>, known: Known, looked: Looked) {
    let (commits, is_whole) = (known.commits + looked.commits, looked.is_whole());
    let elsewhere = looked.elsewhere_beside(&known);
    elsewhere.iter().map(kept_elsewhere).for_each(|what| cx.leave_out(what));
    cx.observe(repository::KEPT_ELSEWHERE, elsewhere);
    let mut leaks = leaks::beside(looked.leaks, known.leaks, known.is_anew);
    for leak in leaks.values_mut() {
        leaks::place(leak, looked.holders.get(&leak.token).unwrap_or(&Holders::default()), &looked.placed);
    }
    let leaks = kept::of_leaks(leaks.into_values().collect(), cx.facts);
    for leak in &leaks {
        cx.found_token(&leak.token, &leak.provider, true);
    }
    for token in looked.tokens.union(&known.tokens) {
        cx.found_token(token, seed_tokens::PROVIDER, false);
    }
    // The same whether this look saw it or an earlier one.
    for (edge, kind, name) in &known.named {
        match kind {
            Kind::EmailAddress => cx.found_mailbox(name),
            kind => cx.found(*kind, name, *edge),
        }
    }
    looked.named.left_out().for_each(|what| cx.leave_out(what));
    for host in &looked.named.hosts {
        cx.found_host(host, EdgeKind::Link);
    }
    // Nothing shows that any of it is theirs: a link passes on no more than that somebody knows of it.
    for address in &looked.named.addresses {
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::Link);
    }
    for (url, kind) in looked.named.urls() {
        cx.found(kind, url, EdgeKind::Link);
    }
    for mailbox in &looked.named.mailboxes {
        cx.found_mailbox(mailbox);
    }
    for bucket in &looked.named.buckets {
        cx.found(Kind::CloudStorageBucket, bucket, EdgeKind::Bucket);
    }
    let within = looked.submodules.unwrap_or(known.submodules);
    submodules::told(&within).into_iter().for_each(|what| cx.leave_out(what));
    for (kind, name) in within.iter().filter_map(|one| submodules::repository(one, &place.url)) {
        cx.found(kind, &name, EdgeKind::Link);
    }
    cx.observe(repository::SUBMODULES, within);
    let (packages, flaws): (Vec<_>, Vec<_>) = looked.files.unwrap_or(known.files).into_values().unzip();
    cx.observe(repository::OWNER, place.owner);
    cx.observe(repository::REPOSITORY_NAME, place.name);
    cx.observe(repository::REPOSITORY_URI, place.url);
    cx.observe(repository::REPOSITORY_PUBLIC, place.is_public);
    // What is missing or broken may come with no branch moved: all is looked at again.
    cx.observe(repository::TIPS, if is_whole { tips } else { Vec::new() });
    cx.observe(repository::RULES, Sought::of(cx).edition());
    cx.observe(repository::COMMITS, commits);
    cx.observe(repository::PACKAGES, kept::of_packages(packages.into_iter().flatten().collect(), cx.facts));
    cx.observe(repository::FLAWS, kept::of_flaws(flaws.into_iter().flatten().collect(), cx.facts));
    cx.observe(repository::LEAKS, leaks);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lockfiles;
    use ambit_git::Folder;
    use repository::Package;
    use std::io::Write as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// A key of this form that nobody gave out.
    fn key(number: usize) -> String {
        format!("ghp_{number:05}{}", "q7W2eR9tY4uI1oP8aS5dF0gH3jK6lZx".get(..31).expect("it is as long"))
    }

    /// What is looked for where an earlier look kept these.
    fn sought_beside(kept: impl IntoIterator<Item = String>) -> Sought {
        let kept = Arc::new(kept.into_iter().collect());
        Sought { rules: ambit_secrets::own(), tokens: SeedTokens::default(), kept }
    }

    /// Looks through a repository of one commit with these files and a tag with this message.
    fn looked(folder: &Path, files: &[(&str, Vec<u8>)], message: &str) -> Looked {
        looked_for(&sought_beside([]), folder, files, message)
    }

    fn looked_for(sought: &Sought, folder: &Path, files: &[(&str, Vec<u8>)], message: &str) -> Looked {
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::piped());
            command.spawn().expect("git is installed")
        };
        assert!(git(&["init", "-q", "--bare", "."]).wait().expect("it ends").success());
        let mut stream = b"commit refs/heads/main\ncommitter A <a@acme.test> 100 +0000\ndata 1\nx\n".to_vec();
        for (path, text) in files {
            stream.extend(format!("M 100644 inline {path}\ndata {}\n", text.len()).into_bytes());
            stream.extend(text);
            stream.push(b'\n');
        }
        let tagger = "from refs/heads/main\ntagger T <t@acme.test> 200 +0000";
        stream.extend(format!("tag v1\n{tagger}\ndata {}\n{message}\n", message.len()).into_bytes());
        let mut child = git(&["fast-import", "--quiet"]);
        child.stdin.take().expect("piped").write_all(&stream).expect("it reads");
        assert!(child.wait().expect("it ends").success());
        let found = Folder::open(folder).unwrap();
        let tips = found.beside().unwrap().tips;
        let begin = Begin { tips: &tips, known: &[], staged: &[] };
        let objects = Objects::open(&found.objects()).unwrap();
        look_through(&objects, sought, &begin, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn secrets_stand_in_messages_of_tags_and_in_texts_of_every_form() {
        let folder = tempfile::tempdir().unwrap();
        let wide = |number: usize| format!("GITHUB_TOKEN={}\r\n", key(number)).encode_utf16().collect::<Vec<u16>>();
        let little = wide(1).into_iter().flat_map(u16::to_le_bytes);
        let big = [0xfe, 0xff].into_iter().chain(wide(2).into_iter().flat_map(u16::to_be_bytes));
        let files = [("little.ini", little.collect()), ("big.ini", big.collect())];
        let looked = looked(folder.path(), &files, &format!("use {}", key(3)));
        let mut shown: Vec<String> = looked
            .leaks
            .values()
            .map(|leak| format!("{} {} {} {}", leak.path, leak.tag, leak.author, leak.date))
            .collect();
        shown.sort();
        assert_eq!(
            shown,
            [
                " v1 T <t@acme.test> 1970-01-01T00:03:20.000Z",
                "big.ini  A <a@acme.test> 1970-01-01T00:01:40.000Z",
                "little.ini  A <a@acme.test> 1970-01-01T00:01:40.000Z",
            ]
        );
        assert_eq!(unread(&Known::default(), &looked), [""; 0]);
    }

    #[test]
    fn a_pointer_to_what_git_lfs_keeps_is_said_and_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n", "4d".repeat(32));
        let files = [("b/model.bin", pointer.clone()), ("c.bin", pointer.replace("12", "13"))];
        let files = files.map(|(path, text)| (path, text.into_bytes()));
        let looked = looked(folder.path(), &files, "none");
        let said = "Git LFS keeps 2 files elsewhere, which are not looked at: b/model.bin the first";
        let kept = looked.elsewhere_beside(&Known::default());
        assert_eq!(kept.as_ref().map(kept_elsewhere).as_deref(), Some(said));
        // Where no branch has moved nothing is looked at, and where one has what is new alone.
        let known = |is_anew| Known { elsewhere: kept.clone(), is_anew, ..Known::default() };
        assert_eq!(Looked::default().elsewhere_beside(&known(false)), kept);
        assert_eq!(looked.elsewhere_beside(&known(false)).map(|kept| kept.files), Some(4));
        assert_eq!(looked.elsewhere_beside(&known(true)), kept, "what is looked at anew is counted once");
        assert!(looked.named.hosts.is_empty(), "{:?}", looked.named.hosts);
        assert_eq!(unread(&Known::default(), &looked), [""; 0], "it hides nothing of what is there");
    }

    #[test]
    fn a_text_that_begins_as_a_pointer_does_and_is_none_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let begin = "version https://git-lfs.github.com/spec/v1\n";
        let pointer = format!("{begin}oid sha256:{}\nsize 12\n", "4d".repeat(32));
        let texts = [
            format!("{pointer}GITHUB_TOKEN={}\n", key(1)),
            format!("{pointer}token {}\n", key(2)),
            format!("{begin}size 12\nGITHUB_TOKEN={}\n", key(3)),
            format!("{pointer}{}\nGITHUB_TOKEN={}\n", "#".repeat(2_000), key(4)),
        ];
        let files = ["a", "b", "c", "d"].into_iter().zip(texts.map(String::into_bytes)).collect::<Vec<_>>();
        let looked = looked(folder.path(), &files, "none");
        let mut paths: Vec<&str> = looked.leaks.values().map(|leak| leak.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!((paths, looked.elsewhere), (vec!["a", "b", "c", "d"], None));
    }

    #[test]
    fn what_a_limit_keeps_from_being_looked_at_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let (secrets, _) = Findings::LIMIT;
        let many = |from: usize| (0..=secrets).map(|at| format!("T={}\n", key(from + at))).collect::<String>();
        let large = "INSERT INTO t VALUES (1);\n".repeat(FILE_BYTES_MAX / 26 + 1).into_bytes();
        let files = [("a.txt", many(0).into_bytes()), ("b.txt", many(1_000).into_bytes()), ("c.sql", large)];
        let looked = looked(folder.path(), &files, "none");
        let said = unread(&Known::default(), &looked);
        let expected = [
            "of 1 file, c.sql the first, no more than 10 MiB were looked at",
            "of 2 files, a.txt the first, no more than 200 secrets and 1000 encoded texts were looked at",
        ];
        assert_eq!(said, expected);
        let known = Known { unread: vec![said[0].clone(), "before".to_owned()], ..Known::default() };
        assert_eq!(unread(&known, &looked), [expected[0], expected[1], "before"]);
        assert_eq!(unread(&known, &Looked::default()), [expected[0], "before"], "where nothing moved it stands");
    }

    #[test]
    fn of_more_secrets_than_are_kept_those_that_are_known_stay() {
        let folder = tempfile::tempdir().unwrap();
        let many = |from: usize| (0..150).map(|at| format!("T={}\n", key(from + at))).collect::<String>().into_bytes();
        let names: Vec<String> = (0..8).map(|file| format!("{file}.txt")).collect();
        let files: Vec<(&str, Vec<u8>)> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), many(at * 150))).collect();
        let all = looked(folder.path(), &files, "none");
        assert_eq!(all.leaks.len(), LEAKS_MAX);
        let last = ambit_secrets::own().find_at(&format!("T={}\n", key(1_199)), Look::Code, At::default());
        let known = last.into_iter().next().expect("it is one").name;
        assert!(!all.leaks.contains_key(&known), "it stands behind a thousand others");
        let again = tempfile::tempdir().unwrap();
        let found = looked_for(&sought_beside([known.clone()]), again.path(), &files, "none");
        assert!(found.leaks.contains_key(&known), "it was known, and is not gone");
        assert_eq!(found.leaks.len(), LEAKS_MAX + 1);
    }

    #[test]
    fn secrets_above_the_limit_are_said() {
        let leaks = |from: usize| {
            let leak = |at: usize| {
                let leak = serde_json::json!({"token": format!("t{at}"), "provider": "p", "rule": "r", "commit": "c",
                    "by_context": false, "author": "", "date": "", "path": "", "line": 1});
                (format!("t{at}"), serde_json::from_value(leak).expect("it is one"))
            };
            (from..from + 600).map(leak).collect()
        };
        let known = Known { leaks: leaks(0), ..Known::default() };
        let said = unread(&known, &Looked { leaks: leaks(600), ..Looked::default() });
        assert_eq!(said, ["1200 secrets were found in its history over time, and no more are kept than 1000"]);
        let before = Known { unread: said.clone(), leaks: leaks(0), ..Known::default() };
        assert_eq!(unread(&before, &Looked::default()), said, "where nothing moved it stands");
        let said = unread(&before, &Looked { leaks: leaks(500), ..Looked::default() });
        assert_eq!(said.len(), 1, "{said:?}");
    }

    #[test]
    fn packages_above_the_limit_are_said_while_there_are_so_many() {
        let package = |at: usize| Package {
            ecosystem: "npm".to_owned(),
            name: format!("p{at}"),
            version: "1.0.0".to_owned(),
            path: "package-lock.json".to_owned(),
        };
        let files = |count: usize| Looked {
            files: Some(Files::from([(
                "package-lock.json".to_owned(),
                ((0..count).map(package).collect(), Vec::new()),
            )])),
            ..Looked::default()
        };
        let said = unread(&Known::default(), &files(PACKAGES_MAX + 1));
        assert_eq!(said, ["2001 packages stand in its lock files, and no more are looked up than 2000"]);
        let known = Known { unread: said.clone(), ..Known::default() };
        assert_eq!(unread(&known, &Looked::default()), said, "where nothing moved it stands");
        assert_eq!(unread(&known, &files(PACKAGES_MAX)), [""; 0], "where some went, it does not");
        let larger = vec!["package-lock.json".to_owned()];
        let said = unread(&Known::default(), &Looked { larger, ..files(lockfiles::PACKAGES_MAX) });
        assert_eq!(said, ["at least 5000 packages stand in its lock files, and no more are looked up than 2000"]);
        let cut = Looked { is_cut_at_tips: true, ..files(1) };
        let said = unread(&Known::default(), &cut);
        assert_eq!(said, [format!("{FOLDERS_LEFT_OUT} 1000000")]);
        let known = Known { unread: said, ..Known::default() };
        assert_eq!(unread(&known, &files(1)), [""; 0]);
        let broken = Looked { unreadable: vec!["a/yarn.lock".to_owned(), "b.lock".to_owned()], ..files(1) };
        let said = unread(&Known::default(), &broken);
        assert_eq!(said, ["2 lock files in a form that is not read: a/yarn.lock the first"]);
        let known = Known { unread: said, ..Known::default() };
        assert_eq!(unread(&known, &files(1)), [""; 0], "they were mended");
    }

    #[test]
    fn what_changes_beside_the_objects_is_seen_and_what_it_gave_away_is_forgotten() {
        let password = |fill: usize| format!("[remote \"origin\"]\n\turl = https://x:{}@git.acme.test/x\n", key(fill));
        let beside = |text: String| Beside { settings: vec![(".git/config".to_owned(), text)], ..Beside::default() };
        let (one, two) = (beside(password(1)), beside(password(2)));
        assert_ne!(written_beside(&one), written_beside(&two));
        assert_eq!(written_beside(&Beside::default()), [""; 0], "as of a server");
        let sought = sought_beside([]);
        let mut looked = Looked::default();
        looked.see_folder(&sought, &one);
        assert!(looked.has_leaks());
        let mut known = Known { leaks: looked.leaks, ..Known::default() };
        known.forget_beside();
        assert!(known.leaks.is_empty());
    }

    #[test]
    fn a_secret_in_commits_of_no_branch_stays_until_a_person_closes_it() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let leak = |token: &str, commit: &str| Leak {
            token: token.to_owned(),
            commit: commit.to_owned(),
            provider: "GitHub".to_owned(),
            rule: "github-token".to_owned(),
            by_context: false,
            tag: String::new(),
            author: String::new(),
            date: String::new(),
            path: "a.env".to_owned(),
            line: 1,
            in_no_branch: false,
            commits: 1,
            last_commit: commit.to_owned(),
            last_date: String::new(),
            files: Vec::new(),
            at_head: None,
        };
        let leaks = |all: &[(&str, &str)]| -> BTreeMap<String, Leak> {
            all.iter().map(|(token, commit)| ((*token).to_owned(), leak(token, commit))).collect()
        };
        let known = || Known {
            leaks: leaks(&[("gone", &one), ("moved", &one), ("no secret by new rules", &two), ("of an index", "")]),
            ..Known::default()
        };
        let looked = Looked {
            leaks: leaks(&[("moved", &two)]),
            reached: HashSet::from([ObjectId::from_hex(two.as_bytes()).unwrap()]),
            ..Looked::default()
        };
        let stays = super::leaks::beside(looked.leaks.clone(), known().in_no_branch(&looked).leaks, false);
        let shown: Vec<_> = stays.values().map(|leak| (leak.token.as_str(), leak.in_no_branch)).collect();
        assert_eq!(shown, [("gone", true), ("moved", false)]);
        // A later look that finds it where a branch leads shows it there.
        let back = super::leaks::beside(leaks(&[("gone", &two)]), stays, false);
        assert!(!back["gone"].in_no_branch && back["gone"].commit == two);
    }

    #[test]
    fn what_a_server_leaves_out_is_said_as_too_large_and_is_not_fetched_again() {
        let missing = Missing { files: 1, first: "film.mp4".to_owned(), ..Missing::default() };
        let mut looked = Looked { missing: missing.clone(), ..Looked::default() };
        looked.count_what_was_left_out();
        assert!(looked.is_whole());
        let said = ["more than 128 MiB in memory, and not looked at: 1 file, film.mp4 the first"];
        assert_eq!(unread(&Known::default(), &looked), said);
        let mut looked = Looked { missing: Missing { commits: 1, ..missing }, ..Looked::default() };
        looked.count_what_was_left_out();
        assert!(!looked.is_whole(), "what misses commits is a part of a history");
    }

    #[test]
    fn what_is_missing_is_counted() {
        let missing = Missing { commits: 2, folders: 0, files: 1, first: "a.txt".to_owned() };
        let said = lacks(&missing).expect("something is");
        assert!(
            said.starts_with("not among its objects, and not looked at: 2 commits, 1 file, a.txt the first"),
            "{said}"
        );
        assert_eq!(lacks(&Missing::default()), None);
        let mut looked = Looked {
            unread: Unread { broken: missing.clone(), too_large: missing.clone(), too_deep: missing },
            ..Looked::default()
        };
        assert!(!looked.is_whole());
        let expected = [
            "broken, and not looked at in full: 2 commits, 1 file, a.txt the first",
            "more than 128 MiB in memory, and not looked at: 2 commits, 1 file, a.txt the first",
            "in more than 128 folders or with too long a path, and not looked at: 2 commits, 1 file, a.txt the first",
        ];
        assert_eq!(unread(&Known::default(), &looked), expected);
        looked.unread.broken = Missing::default();
        assert!(looked.is_whole(), "what is too large will not be less");
        let unread_beside = vec!["refs/heads/broken: holds no id".to_owned(), "HEAD: is no file".to_owned()];
        let mut looked = Looked::default();
        let sought = sought_beside([]);
        looked.see_folder(&sought, &Beside { unread: unread_beside, unread_more: 2, ..Beside::default() });
        assert!(!looked.is_whole());
        let expected = ["cannot be read: refs/heads/broken: holds no id, HEAD: is no file, and 2 more"];
        assert_eq!(unread(&Known::default(), &looked), expected);
        looked.see_folder(&sought, &Beside::default());
        assert!(looked.is_whole());
    }
}
