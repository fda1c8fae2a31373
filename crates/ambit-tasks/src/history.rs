//! What the history of a repository gives away, whichever way its objects came: what an earlier look wrote down, what
//! is found now, and how both are reported.

mod kept;
mod known;
mod leaks;
mod pointer;
mod report;
mod standing;
mod submodules;
mod unread;

use crate::read::leads::Leads;
use crate::read::mentions::is_in_folder_of_others;
use crate::read::seed_tokens::SeedTokens;
use crate::{Context, Result, TaskError};
use ambit_git::served::Staged;
use ambit_git::{Beside, GitError, Missing, ObjectId, Objects, Piece, Placed, Unread, staged, walk};
use ambit_model::entity::repository::{self, KeptElsewhere, Leak, Submodule};
use ambit_secrets::{At, Look, Rules};
use leaks::{Holders, Leaks};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use kept::within;
pub(crate) use known::{Files, Known, LEFT_OUT, written, written_beside};
pub(crate) use report::{Location, say};
pub(crate) use standing::{Standing, Today, standing};
pub(crate) use unread::unread;

/// Secrets of one history that are kept.
const LEAKS_MAX: usize = 1_000;
/// Packages of one repository that are kept, and as many flaws: what a list of details holds.
const PACKAGES_MAX: usize = 2_000;
/// No limit but an edition: raised where more is looked for than before beside secrets, in more files or in other forms
/// of files, so that known histories are looked at anew.
const LOOKED_FOR: u32 = 8;

/// What a history is searched for, beside the entities that its files name.
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

    /// Returns a text that identifies the rules and whatever else a history was searched for.
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
    /// The files at the tips; `None` if they are as an earlier search recorded them.
    pub(crate) files: Option<Files>,
    /// Repositories that are nested there; `None` as above.
    submodules: Option<Vec<Submodule>>,
    /// There are more folders than are read.
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
    /// Returns which files beside the objects could not be read, such as a branch.
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

/// Stops the thread that walks the history when the caller is gone.
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
) -> Result<T> {
    let stop = StopWhenDropped::default();
    let flag = stop.0.clone();
    let hold = cx.net.hold();
    let worked = tokio::task::spawn_blocking(move || work(&flag)).await;
    drop(hold);
    let worked = worked.map_err(|_| TaskError::Failed("the repository could not be read".into()))?;
    worked.map_err(|error| match error {
        GitError::TooLarge => TaskError::OutOfBudget(error.to_string()),
        error => TaskError::Failed(error.to_string()),
    })
}

/// Where a search begins, and which commits it can skip.
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

    /// Takes over the files at the tips. Files that could not be read there keep what was known of them.
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

    /// Returns whether the search found secrets.
    pub(crate) fn has_leaks(&self) -> bool {
        !self.leaks.is_empty()
    }
}

/// True for code of others, and for files that name what it is made of.
fn is_of_others(path: &str) -> bool {
    let is_lock = [".lock", "-lock.json", "-lock.yaml", "go.sum"].iter().any(|end| path.ends_with(end));
    is_lock || is_in_folder_of_others(path)
}

#[cfg(test)]
mod tests;
