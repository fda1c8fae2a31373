//! What an earlier search of a history recorded, and which parts of it remain valid after a later search.

use super::leaks::{self, Leaks};
use super::{Looked, Sought};
use ambit_git::{Beside, ObjectId};
use ambit_model::entity::repository::{self, Flaw, KeptElsewhere, Leak, Package, Submodule};
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Branches and tags that are written down one by one; where there are more, a hash says whether anything changed.
const TIPS_MAX: usize = 1_000;
/// Separates the reason for which something was left out from its description.
pub(crate) const LEFT_OUT: &str = ": ";
/// Prefix of the tip to which HEAD points.
const HEAD: &str = "HEAD ";

/// The record of an earlier search.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) tips: Vec<String>,
    pub(crate) commits: u64,
    pub(super) leaks: Leaks,
    /// Whether this search may count again what an earlier one counted.
    pub(super) is_anew: bool,
    /// Entities that the history led to, other than tokens.
    pub(super) named: BTreeSet<(EdgeKind, Kind, String)>,
    /// Tokens that are seeds.
    pub(super) tokens: BTreeSet<String>,
    pub(crate) files: Files,
    pub(super) submodules: Vec<Submodule>,
    /// Files of which the searched commits hold only pointers.
    pub(super) elsewhere: Option<KeptElsewhere>,
    /// Parts of the history that could not be read.
    pub(super) unread: Vec<String>,
}

/// What the current files that name packages or that build the software say, by path.
pub(crate) type Files = BTreeMap<String, (Vec<Package>, Vec<Flaw>)>;

impl Known {
    /// Returns what a task recorded about the repository.
    pub(crate) fn of(facts: &Facts, task: TaskName, sought: &Sought) -> Self {
        let edition = sought.edition();
        let own = facts.outward.iter().filter(|end| end.task == task.as_str());
        let (tokens, named): (Vec<_>, Vec<_>) = own.partition(|end| end.edge == EdgeKind::Token);
        let seeded = tokens.into_iter().filter(|end| sought.tokens.contains(&end.name));
        // One that looked by other rules, or at no lock files yet, looks at all anew.
        let tips = repository::PACKAGES
            .raw(&facts.details)
            .and_then(|_| repository::RULES.of(&facts.details))
            .filter(|rules| *rules == edition)
            .and_then(|_| repository::TIPS.of(&facts.details))
            .unwrap_or_default();
        Self {
            // Where not all of them were written down, some of what they led to is seen again.
            is_anew: tips.len() > TIPS_MAX,
            tips,
            commits: repository::COMMITS.of(&facts.details).unwrap_or(0),
            leaks: repository::LEAKS.items(&facts.details).map(|leak: Leak| (leak.token.clone(), leak)).collect(),
            named: named.into_iter().map(|end| (end.edge, end.kind, end.name.clone())).collect(),
            tokens: seeded.map(|end| end.name.clone()).collect(),
            files: files_of(facts),
            submodules: repository::SUBMODULES.items(&facts.details).collect(),
            elsewhere: repository::KEPT_ELSEWHERE.of(&facts.details),
            unread: repository::UNREAD.of(&facts.details).unwrap_or_default(),
        }
    }

    /// Returns what to keep for a search that counts all commits again.
    pub(crate) fn counted_anew(self) -> Self {
        Self { commits: 0, is_anew: true, ..self }
    }

    /// Returns what to keep for a search that could not read everything: the missing part may hold what was found
    /// before.
    pub(crate) fn beside_what_is_missing(self) -> Self {
        Self { unread: Vec::new(), ..self.counted_anew() }
    }

    /// Returns what to keep after a search of everything that branches and tags reach: secrets in commits that none of
    /// them reaches any more. Copies have those commits, and the server often hands them out by their ids.
    pub(crate) fn in_no_branch(self, looked: &Looked) -> Self {
        let is_gone = |leak: &Leak| {
            ObjectId::from_hex(leak.commit.as_bytes()).is_ok_and(|commit| !looked.reached.contains(&commit))
        };
        let (gone, there): (Leaks, Leaks) = self.leaks.into_iter().partition(|(_, leak)| is_gone(leak));
        let gone = gone.into_iter().map(|(token, leak)| (token, Leak { in_no_branch: true, ..leak }));
        let there = Self { leaks: there, ..Self::default() }.behind_others(looked);
        Self { leaks: gone.chain(there.leaks).collect(), ..Self::default() }
    }

    /// Returns what to keep after a complete search: only secrets that may follow the last one that is searched for in
    /// a text.
    pub(crate) fn behind_others(self, looked: &Looked) -> Self {
        let hidden =
            self.leaks.into_iter().filter(|(token, _)| looked.may_hold_more() && !looked.leaks.contains_key(token));
        Self { leaks: hidden.collect(), ..Self::default() }
    }

    /// Returns the files in which earlier searches found secrets.
    pub(crate) fn holders(&self) -> impl Iterator<Item = ObjectId> {
        self.leaks.values().flat_map(leaks::files)
    }

    /// Returns the reason that is recorded for what was left out under this description.
    pub(crate) fn why(&self, said: &str) -> Option<&str> {
        self.unread.iter().find_map(|unread| unread.strip_suffix(said)?.strip_suffix(LEFT_OUT))
    }

    /// Searches again what was left out under this description.
    pub(crate) fn look_again(&mut self, said: &str) {
        self.tips.clear();
        self.unread.retain(|unread| !unread.ends_with(said));
    }

    /// Drops what an index or settings revealed, because they are read again.
    pub(crate) fn forget_beside(&mut self) {
        self.leaks.retain(|_, leak| !leak.commit.is_empty());
    }

    /// The commits that were tips, or those of them that were written down, sorted.
    pub(crate) fn ids(&self) -> Vec<ObjectId> {
        let ids = self.tips.iter().map(|tip| tip.strip_prefix(HEAD).unwrap_or(tip));
        let ids: BTreeSet<ObjectId> = ids.filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok()).collect();
        ids.into_iter().collect()
    }

    /// The commits that brought secrets, without those to which nothing led any more.
    pub(crate) fn commits_with_secrets(&self) -> Vec<ObjectId> {
        let leaks = self.leaks.values().filter(|leak| !leak.in_no_branch);
        leaks.filter_map(|leak| ObjectId::from_hex(leak.commit.as_bytes()).ok()).collect()
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
pub(crate) fn written(tips: &[ObjectId]) -> Vec<String> {
    let texts: Vec<String> = tips.iter().map(ToString::to_string).collect();
    if texts.len() <= TIPS_MAX {
        return texts;
    }
    let all = format!("{} tips, sha256 {}", texts.len(), hex::encode(Sha256::digest(texts.join(" "))));
    // In the order of their ids these are any of them: nearly all of the history leads to one.
    [all].into_iter().chain(texts.into_iter().take(TIPS_MAX)).collect()
}

/// Tips as they are written down, and what tells whether anything else changed that lies beside the objects.
pub(crate) fn written_beside(beside: &Beside) -> Vec<String> {
    let mut written = written(&beside.tips_and_past());
    written.extend(beside.head.map(|id| format!("{HEAD}{id}")));
    if !beside.staged.is_empty() || !beside.settings.is_empty() {
        let mut hash = Sha256::new();
        for file in &beside.staged {
            hash.update(format!("{} {}\n", file.id, file.path));
        }
        for (path, text) in &beside.settings {
            hash.update(format!("{path}\n{text}\n"));
        }
        written.push(format!("index and settings, sha256 {}", hex::encode(hash.finalize())));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_others_may_hide_is_not_gone() {
        let leak: Leak = serde_json::from_value(serde_json::json!({"token": "t", "provider": "p", "rule": "r",
            "by_context": false, "commit": "c", "author": "", "date": "", "path": "", "line": 1}))
        .expect("it is one");
        let known = || Known { leaks: Leaks::from([("t".to_owned(), leak.clone())]), ..Known::default() };
        let mut looked = Looked::default();
        assert!(known().in_no_branch(&looked).leaks.is_empty() && known().behind_others(&looked).leaks.is_empty());
        looked.limits.insert(super::super::Limit::Secrets, (1, "a.txt".to_owned()));
        let stays = known().in_no_branch(&looked).leaks;
        assert_eq!(stays.get("t").map(|leak| leak.in_no_branch), Some(false));
        assert_eq!(known().behind_others(&looked).leaks, stays);
    }

    #[test]
    fn of_many_tips_so_many_are_written_down_that_nearly_all_is_known() {
        let tips: Vec<ObjectId> =
            (0..=TIPS_MAX).map(|number| ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()).collect();
        let head = tips.last().copied();
        let known = |tips: &[ObjectId]| Known {
            tips: written_beside(&Beside { tips: tips.to_vec(), head, ..Beside::default() }),
            ..Known::default()
        };
        let all = known(&tips);
        assert_eq!((all.tips.len(), all.ids()), (TIPS_MAX + 2, tips.clone()), "HEAD is among them");
        assert_ne!(all.tips, known(&tips[1..]).tips);
        let few = known(&tips[..2]);
        assert_eq!((few.tips.len(), few.ids().len()), (3, 3));
    }
}
