//! Which places of an application a walk came to.

use crate::ask::session::TOO_MANY_REQUESTS;
use crate::ask::web::OUTAGE_MS;
use ambit_model::entity::uri::{self, CrawledPage, Unseen};
use ambit_model::moment::WEEK_MS;
use ambit_model::{Facts, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// How long what a place led to stands while nobody can look at that, in milliseconds: many places of an application
/// fail now and then, and some throttle every walk.
const UNSEEN_MS: i64 = WEEK_MS;
/// In how many walks of that time it has to fail: two that are a month apart say nothing of what lies between.
const UNSEEN_WALKS: u32 = 3;
/// Paths that are remembered since they could not be looked at, or say that they cannot answer.
const REMEMBERED_MAX: usize = 2_000;

/// Whether a page with a status led on: one that is closed leads to nothing, one that redirects to its target.
pub(super) fn is_open(status: u16) -> bool {
    !matches!(status, 401 | 403)
}

/// Where a walk came.
#[derive(Default)]
pub(super) struct Places {
    /// Paths at which the application said before this walk that it cannot answer, and since when.
    out_before: BTreeMap<String, Timestamp>,
    /// The same of this walk.
    out: BTreeMap<String, Timestamp>,
    /// Paths that could not be looked at before this walk.
    unseen_before: BTreeMap<String, Unseen>,
    /// Paths that led on before this walk, and not so long ago that nobody waits for them: pages that showed something,
    /// scripts, documents, source maps.
    leading: BTreeSet<String>,
    /// Paths that were looked at.
    reached: BTreeSet<String>,
    /// Paths that could not be looked at.
    failed: BTreeSet<String>,
    /// It ended before all was visited.
    pub(super) capped: bool,
    /// The session ended on the way: nobody knows which answers were given in it.
    pub(super) outside: bool,
}

impl Places {
    pub(super) fn of(facts: &Facts, now: Timestamp) -> Self {
        let crawl = uri::CRAWL.of(&facts.details).unwrap_or_default();
        let pages = uri::PAGES.items(&facts.details).filter(|page: &CrawledPage| is_open(page.status));
        let pages = pages.map(|page| page.path).chain(crawl.alike);
        let maps = uri::SOURCE_MAPS.items(&facts.details).map(|map| map.path);
        let leading = pages.chain(maps).chain(crawl.documents).chain(crawl.scripts);
        let is_recent = |unseen: &Unseen| now.0 - unseen.since.0 < UNSEEN_MS || unseen.walks < UNSEEN_WALKS;
        let is_waited_for = |path: &String| crawl.unseen.get(path).is_none_or(is_recent);
        let leading = leading.filter(is_waited_for).collect();
        Self { out_before: crawl.outages, unseen_before: crawl.unseen, leading, ..Self::default() }
    }

    /// Whether the application says for long already at a path that it cannot answer, which is then what it says there.
    /// Too many requests are nothing that it says of a path.
    pub(super) fn is_out(&mut self, path: &str, status: u16, now: Timestamp) -> bool {
        if status == TOO_MANY_REQUESTS {
            return false;
        }
        let since = self.out_before.get(path).copied().unwrap_or(now);
        self.out.insert(path.to_owned(), since);
        now.0.saturating_sub(since.0) >= OUTAGE_MS
    }

    /// Paths at which the application says that it cannot answer, or said so where this walk did not come: any other
    /// answer ends an outage, to whomever it was given.
    pub(super) fn outages(&self) -> BTreeMap<String, Timestamp> {
        let out = self.lasting(&self.out_before).chain(&self.out).map(|(path, since)| (path.clone(), *since));
        out.take(REMEMBERED_MAX).collect()
    }

    /// Paths that led on and could not be looked at, or could not where this walk did not come.
    pub(super) fn unseen_since(&self, now: Timestamp) -> BTreeMap<String, Unseen> {
        let lasting = self.lasting(&self.unseen_before).map(|(path, unseen)| (path.clone(), *unseen));
        let mut remembered: BTreeMap<String, Unseen> = lasting.take(REMEMBERED_MAX).collect();
        for path in self.unseen() {
            let has_room = self.leading.contains(path) && remembered.len() < REMEMBERED_MAX;
            if has_room || remembered.contains_key(path) {
                let unseen = remembered.entry(path.clone()).or_insert(Unseen { since: now, walks: 0 });
                unseen.walks = unseen.walks.saturating_add(1);
            }
        }
        remembered
    }

    /// Those of some paths at which nothing else was seen.
    fn lasting<'p, T>(&self, before: &'p BTreeMap<String, T>) -> impl Iterator<Item = (&'p String, &'p T)> {
        before.iter().filter(|(path, _)| self.may_still_show(path) && !self.reached.contains(*path))
    }

    pub(super) fn note(&mut self, path: &str, is_reached: bool) {
        let paths = if is_reached { &mut self.reached } else { &mut self.failed };
        paths.insert(path.to_owned());
    }

    /// Paths of which nothing is known but that they could not be looked at.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &String> {
        self.failed.difference(&self.reached)
    }

    /// Whether it could not look at a place that led on before.
    pub(super) fn has_lost_sight(&self) -> bool {
        self.unseen().any(|path| self.leading.contains(path))
    }

    /// Whether a path that led on before may do so still, since this walk did not come there.
    pub(super) fn may_still_lead(&self, path: &str) -> bool {
        self.has_lost_sight() && self.may_still_show(path)
    }

    /// Says how many these are.
    pub(super) fn left_out(&self) -> Option<String> {
        let mut unseen = self.unseen();
        let first = unseen.next()?;
        let count = unseen.count() + 1;
        let pages = if count == 1 { "page" } else { "pages" };
        Some(format!("{count} {pages} that could not be looked at now: {first} the first"))
    }

    /// Returns whether a path that this crawl did not read may still exist, so that earlier findings there stand. If
    /// the crawl was incomplete, the pages that lead there may be among those that it missed: a page that nobody knew
    /// before is none of them.
    pub(super) fn may_still_show(&self, path: &str) -> bool {
        let is_partial = self.capped || self.failed.iter().any(|failed| self.leading.contains(failed));
        self.outside || self.failed.contains(path) || (is_partial && !self.reached.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stood_where_a_walk_did_not_come_is_not_gone() {
        for (failed, capped, kept) in [
            (None, false, [false, false]),
            (Some("/leading"), false, [false, true]),
            (Some("/new"), false, [false, false]),
            (Some("/seen"), false, [true, false]),
            (Some("/unseen"), false, [false, true]),
            (None, true, [false, true]),
        ] {
            let mut places = Places { capped, leading: BTreeSet::from(["/leading".to_owned()]), ..Places::default() };
            places.note("/seen", true);
            failed.into_iter().for_each(|path| places.note(path, false));
            let may_show = ["/seen", "/unseen"].map(|path| places.may_still_show(path));
            assert_eq!(may_show, kept, "{failed:?} {capped}");
        }
        let mut places = Places::default();
        assert_eq!(places.left_out(), None);
        for (path, is_reached) in [("/b", false), ("/a", false), ("/c", false), ("/b", true)] {
            places.note(path, is_reached);
        }
        assert_eq!(places.left_out().as_deref(), Some("2 pages that could not be looked at now: /a the first"));
        let mut places = Places { outside: true, ..Places::default() };
        places.note("/seen", true);
        assert!(places.may_still_show("/seen"), "what was seen there may have been the sign-in");
    }
}
