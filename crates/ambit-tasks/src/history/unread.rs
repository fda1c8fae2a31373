//! What of a history could not be looked at, a sentence for each reason.

use super::{Known, LEAKS_MAX, Limit, Looked, PACKAGES_MAX};
use ambit_git::{FILE_BYTES_MAX, FOLDERS_DEEP_MAX, Missing, OBJECT_BYTES_MAX, STANDING_FOLDERS_MAX, Unread};
use ambit_model::entity::repository::KeptElsewhere;
use ambit_secrets::Findings;
use std::collections::{BTreeMap, BTreeSet};

/// What is said behind the number of secrets where there are more; the limit follows.
const LEAKS_LEFT_OUT: &str = "secrets were found in its history over time, and no more are kept than";
/// What is said behind the number of packages where there are more; the limit follows.
const PACKAGES_LEFT_OUT: &str = "packages stand in its lock files, and no more are looked up than";
/// The text if there are more folders at the tips than are searched for such files; the limit follows it.
pub(super) const FOLDERS_LEFT_OUT: &str =
    "of the folders at its branches and tags no more are gone through for lock files than";
/// What is said behind the number of lock files at the tips that cannot be read; the first follows.
const LOCKS_UNREAD: &str = "in a form that is not read:";
/// Sentences about what could not be looked at that are kept.
const UNREAD_MAX: usize = 20;

impl Looked {
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

    /// Returns the files of which only pointers exist, of earlier searches and of this one. An earlier one may have
    /// counted the same commits.
    pub(super) fn elsewhere_beside(&self, known: &Known) -> Option<KeptElsewhere> {
        let (before, now) = (known.elsewhere.as_ref(), self.elsewhere.as_ref());
        let files = |kept: Option<&KeptElsewhere>| kept.map_or(0, |kept| kept.files);
        let (before_files, now_files) = (files(before), files(now));
        let all = if known.is_anew { before_files.max(now_files) } else { before_files + now_files };
        Some(KeptElsewhere { files: all, first: before.or(now)?.first.clone() })
    }
}

/// Says of how many files only pointers are there.
pub(super) fn kept_elsewhere(kept: &KeptElsewhere) -> String {
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
    // Packages, folders and lock files at the tips were read again, so that older notes about them are obsolete.
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

pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Says how much of a history is not among its objects; `None` of a whole one.
pub(super) fn lacks(missing: &Missing) -> Option<String> {
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
