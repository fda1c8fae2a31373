//! Secrets of one history: the first occurrence of each, the number of commits, and whether it is at HEAD.

use ambit_git::{Commit, ObjectId, Piece, Placed};
use ambit_model::Timestamp;
use ambit_model::entity::repository::{AtHead, Leak};
use std::collections::BTreeMap;

/// Files of one secret that are written down.
const FILES_MAX: usize = 50;
/// Files of one secret that are kept while a history is walked over.
const HOLDERS_MAX: usize = 2_000;

/// Secrets by their masked text.
pub(super) type Leaks = BTreeMap<String, Leak>;

/// Files that were seen to hold a secret, the newest last.
#[derive(Debug, Default)]
pub(super) struct Holders {
    files: Vec<ObjectId>,
    /// There were more, of which the newest are kept.
    is_cut: bool,
}

impl Holders {
    pub(super) fn add(&mut self, file: Option<ObjectId>) {
        if self.files.len() >= HOLDERS_MAX {
            self.files.drain(..HOLDERS_MAX / 2);
            self.is_cut = true;
        }
        self.files.extend(file);
    }

    pub(super) fn files(&self) -> impl Iterator<Item = ObjectId> {
        self.files.iter().copied()
    }
}

pub(super) fn leak(found: ambit_secrets::Found, piece: &Piece<'_>) -> Leak {
    Leak {
        token: found.name,
        provider: found.provider,
        rule: found.rule,
        by_context: found.by_context,
        commit: piece.commit.map(|commit| commit.id.to_string()).unwrap_or_default(),
        tag: piece.tag.unwrap_or("").to_owned(),
        author: piece.commit.map(|commit| commit.author.clone()).unwrap_or_default(),
        date: piece.commit.map(date).unwrap_or_default(),
        path: piece.path.unwrap_or("").to_owned(),
        line: found.line,
        in_no_branch: false,
        commits: 0,
        last_commit: String::new(),
        last_date: String::new(),
        files: Vec::new(),
        at_head: None,
    }
}

/// What has no author has no date.
fn date(commit: &Commit) -> String {
    if commit.seconds == 0 { String::new() } else { Timestamp(commit.seconds.saturating_mul(1_000)).to_string() }
}

/// Counts the commit that brought a text with the secret; they come one after the other, the oldest first.
pub(super) fn count(leak: &mut Leak, commit: Option<&Commit>) {
    let Some(commit) = commit else { return };
    let id = commit.id.to_string();
    if leak.last_commit != id {
        leak.commits += 1;
        leak.last_date = date(commit);
        leak.last_commit = id;
    }
}

/// Returns all secrets, each with its first occurrence. An earlier search knows that, unless no branch reaches the
/// commit any more and the secret occurs elsewhere now. `is_anew` means that this search counted again what was known.
pub(super) fn beside(mut found: Leaks, known: Leaks, is_anew: bool) -> Leaks {
    for (token, mut leak) in known {
        let new = found.remove(&token);
        let new = match new {
            Some(new) if leak.in_no_branch => {
                found.insert(token, new);
                continue;
            }
            new => new.filter(|new| !new.last_commit.is_empty()),
        };
        if let Some(new) = new.filter(|new| !is_anew || new.commits >= leak.commits) {
            leak.commits = if is_anew { new.commits } else { leak.commits + new.commits };
            (leak.last_commit, leak.last_date) = (new.last_commit, new.last_date);
        }
        found.insert(token, leak);
    }
    found
}

/// The files of which earlier looks wrote down that they hold it.
pub(super) fn files(leak: &Leak) -> impl Iterator<Item = ObjectId> {
    leak.files.iter().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok())
}

/// Records where the secret is at HEAD. If that cannot be determined, the earlier record is kept.
pub(super) fn place(leak: &mut Leak, holders: &Holders, placed: &Placed) {
    let mut all: Vec<ObjectId> = holders.files().collect();
    // Of those that are written down the newest stand first.
    all.reverse();
    all.extend(files(leak).filter(|known| !holders.files.contains(known)));
    let (there, elsewhere): (Vec<_>, Vec<_>) = all.into_iter().partition(|id| placed.paths.contains_key(id));
    // Some that hold it there were not written down.
    let before = leak.at_head.as_ref().map_or(0, |before| before.files);
    let more = if before > leak.files.len() { before } else { 0 };
    let first = there.iter().filter_map(|id| placed.paths.get(id)).min();
    let is_known = !there.is_empty() || !elsewhere.is_empty();
    if let Some(path) = first {
        leak.at_head = Some(AtHead { files: there.len().max(more), path: path.clone() });
    } else if is_known && placed.is_whole && more == 0 && !holders.is_cut {
        leak.at_head = Some(AtHead::default());
    }
    leak.files = there.iter().chain(&elsewhere).take(FILES_MAX).map(ToString::to_string).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> ObjectId {
        ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
    }

    fn holders(files: impl IntoIterator<Item = usize>) -> Holders {
        let mut holders = Holders::default();
        files.into_iter().for_each(|number| holders.add(Some(id(number))));
        holders
    }

    fn placed(files: &[usize], is_whole: bool) -> Placed {
        Placed { paths: files.iter().map(|number| (id(*number), format!("{number}.env"))).collect(), is_whole }
    }

    /// A secret of which nothing is known but that it was found.
    fn found() -> Leak {
        serde_json::from_value(serde_json::json!({"token": "t", "provider": "p", "rule": "r", "by_context": false,
            "commit": "c", "author": "", "date": "", "path": "", "line": 1}))
        .expect("what earlier versions wrote down is read")
    }

    fn at(leak: &Leak) -> Option<(usize, &str)> {
        leak.at_head.as_ref().map(|at_head| (at_head.files, at_head.path.as_str()))
    }

    #[test]
    fn a_secret_stands_at_head_until_no_file_there_holds_it() {
        let mut leak = found();
        place(&mut leak, &holders([1, 2]), &placed(&[], false));
        assert_eq!((at(&leak), leak.files.len()), (None, 2), "what could not be looked at is not gone");
        place(&mut leak, &holders([]), &placed(&[1], false));
        assert_eq!(at(&leak), Some((1, "1.env")));
        place(&mut leak, &holders([]), &Placed::default());
        assert_eq!(at(&leak), Some((1, "1.env")), "what was known stands");
        place(&mut leak, &holders([3]), &placed(&[], true));
        assert_eq!(at(&leak), Some((0, "")));
        place(&mut leak, &holders([]), &placed(&[2], true));
        assert_eq!(at(&leak), Some((1, "2.env")), "an earlier content came back");
        let mut message = found();
        place(&mut message, &holders([]), &placed(&[], true));
        assert_eq!(at(&message), None, "no file ever held it");
    }

    #[test]
    fn of_many_files_those_at_head_are_written_down_and_none_is_called_gone_that_was_left_out() {
        let mut leak = found();
        place(&mut leak, &holders(0..200), &placed(&[7], true));
        assert_eq!((leak.files.len(), &leak.files[0]), (FILES_MAX, &id(7).to_string()));
        assert_eq!(leak.files[1], id(199).to_string(), "then the newest");
        let mut leak = found();
        let all: Vec<usize> = (0..200).collect();
        place(&mut leak, &holders(0..200), &placed(&all, true));
        assert_eq!(at(&leak), Some((200, "0.env")));
        place(&mut leak, &holders([]), &placed(&[], true));
        assert_eq!(at(&leak), Some((200, "0.env")), "others may stand there");
        let mut leak = found();
        place(&mut leak, &holders(0..=HOLDERS_MAX), &placed(&[], true));
        assert_eq!(at(&leak), None, "the first were forgotten on the way");
    }

    #[test]
    fn commits_are_counted_over_all_looks_and_not_twice() {
        let commit = |number: usize| Commit { id: id(number), author: String::new(), seconds: 1 };
        let seen = |commits: &[usize]| {
            let mut leak = found();
            commits.iter().for_each(|number| count(&mut leak, Some(&commit(*number))));
            Leaks::from([("t".to_owned(), leak)])
        };
        let told = |leaks: Leaks| (leaks["t"].commits, leaks["t"].last_commit.clone());
        assert_eq!(told(seen(&[1, 1, 2])), (2, id(2).to_string()));
        assert_eq!(told(beside(seen(&[3]), seen(&[1, 2]), false)), (3, id(3).to_string()));
        assert_eq!(told(beside(seen(&[1, 2, 3]), seen(&[1, 2]), true)), (3, id(3).to_string()));
        assert_eq!(told(beside(Leaks::new(), seen(&[1, 2]), true)), (2, id(2).to_string()));
    }
}
