//! Providers that throttle: rows of a run that ask the same place in the same name ask again one after another, and
//! where one row after another was put off to the end, the rest are told so without being asked (decision 0213).

use ambit_net::Session;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The name in which it is asked what everybody may.
pub(crate) const NOBODY: &str = "";
/// Questions in a row that a place may throttle to the end before nothing more is asked there: the second shows that it
/// was no moment's rush.
const AT_PLACE_MAX: u32 = 2;
/// The same of all places that are asked in one name. A provider that throttles one service in one region answers for
/// others in between.
const IN_NAME_MAX: u32 = 8;
/// How long nothing is asked then. Limits by the minute have passed by that time, and what was told meanwhile is asked
/// for by the next run.
const REST: Duration = Duration::from_secs(10 * 60);

/// What a run knows of those that throttle: by the name in which they are asked, and by the host in that name.
#[derive(Debug, Default)]
pub(crate) struct Throttles(Mutex<HashMap<(String, String), Arc<Throttle>>>);

/// A place that is asked in a name, or all of them.
#[derive(Debug, Default)]
struct Throttle {
    /// Held by the row that asks again for all.
    turn: Arc<tokio::sync::Mutex<()>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The last answer was that there were too many requests.
    is_throttled: bool,
    /// Questions throttled to the end since the last answer, and when the last of them was.
    in_a_row: u32,
    since: Duration,
}

/// Where a question goes: the host, and the name in which it is asked.
#[derive(Debug)]
pub(crate) struct Asked {
    place: Arc<Throttle>,
    /// All that is asked in the name of an account.
    name: Option<Arc<Throttle>>,
}

/// The turn of the row that asks again for all. Where the last answer to that row was that there were too many
/// requests, that counts, however the turn ends; where its connection failed, that is no such answer.
pub(crate) struct Turn<'a> {
    /// The last answer to the row was that there were too many requests.
    pub(crate) is_throttled: bool,
    asked: &'a Asked,
    net: &'a Session,
    _held: tokio::sync::OwnedMutexGuard<()>,
}

impl Throttles {
    /// Returns where a question goes that a host is asked in a name.
    pub(crate) fn asked(&self, name: &str, host: &str) -> Asked {
        let mut known = lock(&self.0);
        let mut place = |host: &str| Arc::clone(known.entry((name.to_owned(), host.to_owned())).or_default());
        let name = (name != NOBODY).then(|| place(""));
        Asked { place: place(host), name }
    }
}

impl Asked {
    /// Returns whether nothing is asked there for now.
    pub(crate) fn rests(&self, now: Duration) -> bool {
        self.place.rests(AT_PLACE_MAX, now) || self.name.as_ref().is_some_and(|name| name.rests(IN_NAME_MAX, now))
    }

    /// Returns whether the last answer was that there were too many requests.
    pub(crate) fn is_throttled(&self) -> bool {
        lock(&self.place.state).is_throttled
    }

    /// Notes an answer: that there were too many requests, or any other.
    pub(crate) fn answered(&self, is_throttled: bool) {
        lock(&self.place.state).is_throttled = is_throttled;
        if !is_throttled {
            self.all().for_each(|place| lock(&place.state).in_a_row = 0);
        }
    }

    /// Returns whether a question was throttled to the end since the last answer.
    pub(crate) fn is_given_up(&self) -> bool {
        lock(&self.place.state).in_a_row > 0
    }

    fn all(&self) -> impl Iterator<Item = &Throttle> {
        [Some(&self.place), self.name.as_ref()].into_iter().flatten().map(Arc::as_ref)
    }

    /// Waits until no other row asks again.
    pub(crate) async fn turn<'a>(&'a self, net: &'a Session) -> Turn<'a> {
        let held = net.waits_for(Arc::clone(&self.place.turn).lock_owned()).await;
        Turn { is_throttled: false, asked: self, net, _held: held }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A row that found the provider throttled did not query it.
        let now = self.net.now();
        if self.is_throttled && self.asked.is_throttled() && !self.asked.rests(now) {
            self.asked.all().for_each(|place| place.count(now));
        }
    }
}

impl Throttle {
    fn rests(&self, most: u32, now: Duration) -> bool {
        let state = lock(&self.state);
        state.in_a_row >= most && now < state.since + REST
    }

    fn count(&self, now: Duration) {
        let mut state = lock(&self.state);
        (state.in_a_row, state.since) = (state.in_a_row + 1, now);
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
