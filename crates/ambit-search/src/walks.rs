//! Walks through the pages of a search. Page 0 begins a walk on the index as it is at that moment; the pages behind it
//! are answered from that same moment, so that no row is skipped or doubled while data moves. A page token names its
//! walk. A page number does not: it continues the walk that most probably is the caller's.

use crate::condition::{Condition, Window};
use crate::embedded::View;
use ambit_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// How long pages by number are answered from a walk after it was begun, in milliseconds: a client that pages needs
/// seconds.
const KEPT_MS: u64 = 5 * 60 * 1_000;

/// How long a walk by tokens may pause, in milliseconds.
const TOKEN_PAUSE_MS: u64 = 5 * 60 * 1_000;

/// How long a walk by tokens is kept at most, in milliseconds: a million rows at a thousand a page, three seconds each.
/// Its moment of the index holds disk space.
const TOKEN_WALK_MS: u64 = 60 * 60 * 1_000;

/// Walks kept at once; each may hold replaced segments on disk.
const WALKS_MAX: usize = 128;

/// Walks of one key kept at once, so that one that begins many takes nothing from others.
const WALKS_OF_KEY_MAX: usize = 32;

/// Who asks for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The API key, or another identification of the caller, whose searches only that caller continues by page number.
    pub key: String,
    /// The client's name, which distinguishes two programs that share a key.
    pub agent: String,
    /// The connection, where there is one: tells apart two clients of one program.
    pub connection: Option<u64>,
}

/// Names a walk, also in a token that outlives the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WalkId {
    begun: i64,
    number: u64,
}

/// The moment that all pages of a walk are of.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) view: View,
    pub(crate) condition: Condition,
    /// The time that the search is about, as it was understood at the beginning.
    pub(crate) window: Window,
}

/// A page that is asked for by its number, or the first of a walk.
pub(crate) struct Wanted<'a> {
    pub(crate) caller: &'a Caller,
    /// The fingerprint of the search.
    pub(crate) search: &'a str,
    pub(crate) page: u64,
    pub(crate) size: u64,
    pub(crate) now: Timestamp,
}

struct Walk {
    id: WalkId,
    caller: Caller,
    search: String,
    snapshot: Snapshot,
    /// The page that was given last, and its size.
    page: u64,
    size: u64,
    by_token: bool,
    /// The page that was given last is the last one.
    ended: bool,
    served: Timestamp,
    /// Counts pages of all walks: greater is later, also within a millisecond.
    turn: u64,
}

impl Walk {
    fn is_kept(&self, now: Timestamp) -> bool {
        let age = now.0.abs_diff(self.id.begun);
        let paused = now.0.abs_diff(self.served.0);
        age < KEPT_MS || (self.by_token && age < TOKEN_WALK_MS && paused < TOKEN_PAUSE_MS)
    }

    fn is_same_client(&self, wanted: &Wanted<'_>) -> bool {
        self.caller == *wanted.caller
            && wanted.caller.connection.is_some()
            && !self.by_token
            && self.size == wanted.size
    }

    /// How well a page by number goes on with this walk; less is better.
    fn misfit(&self, wanted: &Wanted<'_>) -> impl Ord + use<> {
        (
            self.by_token,
            self.caller.agent != wanted.caller.agent,
            (self.page.saturating_add(1)).abs_diff(wanted.page),
            self.size != wanted.size,
            self.caller.connection != wanted.caller.connection,
            Reverse(self.turn),
        )
    }
}

#[derive(Default)]
pub(crate) struct Walks {
    walks: Vec<Walk>,
    /// Walks that were begun and pages that were given.
    count: u64,
}

impl Walks {
    /// The walk of a page that is asked for by its number: page 0 begins one, every other goes on with the walk of this
    /// key and search that stands nearest before it, or begins one where there is none.
    pub(crate) fn by_number(&mut self, wanted: &Wanted<'_>, present: impl FnOnce() -> Snapshot) -> (WalkId, Snapshot) {
        self.forget_old(wanted.now);
        if wanted.page == 0 {
            // It takes the place of none that another client may be on: only of the one that this very client, on its
            // connection, was on.
            self.walks.retain(|walk| walk.search != wanted.search || !walk.is_same_client(wanted));
            return self.begin(wanted, present());
        }
        let may_go_on = |walk: &&mut Walk| {
            walk.search == wanted.search
                && walk.caller.key == wanted.caller.key
                && wanted.now.0.abs_diff(walk.id.begun) < KEPT_MS
        };
        let nearest = self.walks.iter_mut().filter(may_go_on).min_by_key(|walk| walk.misfit(wanted));
        let Some(walk) = nearest else { return self.begin(wanted, present()) };
        self.count += 1;
        (walk.page, walk.size, walk.served, walk.turn) = (wanted.page, wanted.size, wanted.now, self.count);
        walk.ended = false;
        (walk.id, walk.snapshot.clone())
    }

    /// The walk that a token names. One that is no longer kept goes on as a new one, behind the last row that was
    /// given.
    pub(crate) fn by_token(
        &mut self,
        id: WalkId,
        wanted: &Wanted<'_>,
        present: impl FnOnce() -> Snapshot,
    ) -> (WalkId, Snapshot) {
        self.forget_old(wanted.now);
        let named = |walk: &Walk| walk.id == id && walk.search == wanted.search;
        let id = match self.walks.iter().find(|walk| named(walk)) {
            Some(walk) => walk.id,
            None => self.begin(wanted, present()).0,
        };
        self.count += 1;
        let walk = self.walks.iter_mut().find(|walk| walk.id == id).expect("it is kept, or was begun now");
        (walk.page, walk.served, walk.turn, walk.by_token) = (wanted.page, wanted.now, self.count, true);
        walk.ended = false;
        (id, walk.snapshot.clone())
    }

    fn begin(&mut self, wanted: &Wanted<'_>, snapshot: Snapshot) -> (WalkId, Snapshot) {
        self.count += 1;
        let id = WalkId { begun: wanted.now.0, number: self.count };
        self.walks.push(Walk {
            id,
            caller: wanted.caller.clone(),
            search: wanted.search.to_owned(),
            snapshot: snapshot.clone(),
            page: wanted.page,
            size: wanted.size,
            by_token: false,
            ended: false,
            served: wanted.now,
            turn: self.count,
        });
        self.drop_surplus(&wanted.caller.key, id);
        (id, snapshot)
    }

    /// The page that was given last is the last of its walk. One of a single page is not kept: nobody goes on with it.
    /// Of others the last page may be asked for again.
    pub(crate) fn end(&mut self, id: WalkId) {
        self.walks.retain(|walk| walk.id != id || walk.page > 0);
        for walk in self.walks.iter_mut().filter(|walk| walk.id == id) {
            walk.ended = true;
        }
    }

    /// Lets go of all of them: what they show is of a database that is no more.
    pub(crate) fn clear(&mut self) {
        self.walks.clear();
    }

    fn forget_old(&mut self, now: Timestamp) {
        self.walks.retain(|walk| walk.is_kept(now));
    }

    /// Ends walks beyond the limits, never the newest.
    fn drop_surplus(&mut self, key: &str, newest: WalkId) {
        let of_key = |walk: &Walk| walk.caller.key == key;
        while self.walks.iter().filter(|walk| of_key(walk)).count() > WALKS_OF_KEY_MAX {
            self.drop_one(newest, of_key);
        }
        while self.walks.len() > WALKS_MAX {
            self.drop_one(newest, |_| true);
        }
    }

    /// First goes what has given its last page, then what rests longest. Those that have not gone beyond page 0 have
    /// half of the places: clients that only ever ask for the first page end no walk that goes on, and walks that go on
    /// let others begin.
    fn drop_one(&mut self, newest: WalkId, among: impl Fn(&Walk) -> bool) {
        let candidates: Vec<(usize, &Walk)> =
            self.walks.iter().enumerate().filter(|(_, walk)| walk.id != newest && among(walk)).collect();
        let begun = candidates.iter().filter(|(_, walk)| walk.page == 0).count();
        let too_many_begun = begun * 2 > candidates.len();
        let rank = |walk: &Walk| (!walk.ended, (walk.page == 0) != too_many_begun, walk.turn);
        let worst = candidates.iter().min_by_key(|(_, walk)| rank(walk)).map(|(place, _)| *place);
        self.walks.swap_remove(worst.expect("there are more than one above the limit"));
    }
}
