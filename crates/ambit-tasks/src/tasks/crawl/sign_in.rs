//! Handles a crawl whose session ends on the way: later pages say nothing about what the session shows.

use super::{Crawl, TASK};
use crate::ask::{session, web};
use crate::read::login;
use crate::read::page::Page;
use ambit_model::entity::Member;
use ambit_model::entity::uri::{self, Crawled, CrawledPage};
use ambit_net::http::{HttpExchange, Url};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// Times that a walk tries its session on the way; it always does so at the end.
const TRIES_MAX: usize = 5;

impl Crawl<'_> {
    /// Whether an answer was given to nobody in particular, because the session is over. It is tried again where an
    /// answer asks who is there, once for each page that does.
    pub(super) async fn is_outside(&mut self, start: &Url, answer: &HttpExchange, page: Option<&Page>) -> bool {
        let asking = asks_who(answer, page).filter(|_| self.session.is_open() && self.sign_ins.len() < TRIES_MAX);
        if !asking.is_some_and(|asking| self.sign_ins.insert(asking)) {
            return false;
        }
        self.try_session(start, Some(&answer.url)).await;
        self.ended.is_some()
    }

    /// Tries the session again, by a page too that may have been reached in it before; where it is not accepted, or
    /// that cannot be told, the walk has ended.
    pub(super) async fn try_session(&mut self, start: &Url, page: Option<&Url>) {
        let pages = self.reached(start, page);
        let Err(why) = session::holds(self.cx, &mut self.session, start, &pages).await else { return };
        self.places.outside = true;
        self.ended = Some(why);
    }

    /// Pages that were reached in the session: one that is asked for if it was, some to which only earlier walks came,
    /// and some of this walk.
    fn reached(&self, start: &Url, page: Option<&Url>) -> Vec<Url> {
        let before = session::reached_before(self.cx, start);
        let now: Vec<Url> = self
            .pages
            .values()
            .filter(|page| session::is_shown(page))
            .map(|page| start.with_path(&page.path))
            .filter(|page| page != start)
            .collect();
        let asked = before.iter().filter(|known| page.is_some_and(|page| page.path_only() == known.path));
        let mut reached: Vec<Url> = asked.cloned().collect();
        reached.extend(session::some_of(before.iter().filter(|page| !now.contains(page))));
        reached.extend(session::some_of(now.iter()));
        reached.dedup();
        reached
    }

    /// If the session ended, or a page that led on could not be read, every entity that this task led to before stands,
    /// with what was said of it: pages read after the end were the ones that strangers see, and the page that could not
    /// be read may have said more. Returns these by name.
    pub(super) fn stand(&self) -> BTreeSet<&str> {
        let stands = self.ended.is_some() || self.places.has_lost_sight();
        let known = self.cx.facts.led_to(TASK.name, self.cx.argument).filter(|_| stands);
        known.inspect(|known| self.cx.stands(known)).map(|known| known.name.as_str()).collect()
    }

    /// Paths of pages, documents or scripts that were read, and those that are known where it could not look, or to
    /// which only a page may lead at which it could not.
    pub(super) fn and_known_unseen<'p>(
        &self,
        read: impl Iterator<Item = &'p String>,
        of: impl Fn(Crawled) -> Vec<String>,
    ) -> Vec<String> {
        let known = uri::CRAWL.of(&self.cx.facts.details).map(of).unwrap_or_default();
        let unread = known.into_iter().filter(|path| self.ended.is_some() || self.places.may_still_lead(path));
        read.cloned().chain(unread).collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// The pages that were seen, and those that are known where it could not look or that only such a page may lead to.
    pub(super) fn pages_and_known(&self) -> Vec<CrawledPage> {
        let is_same = |page: &CrawledPage, of: &CrawledPage| page.path == of.path;
        let mut pages = self.and_known(uri::PAGES, self.pages.values().cloned().collect(), is_same);
        let known = uri::PAGES.items(&self.cx.facts.details);
        let known = known.filter(|page: &CrawledPage| self.places.may_still_lead(&page.path));
        for page in known.collect::<Vec<_>>() {
            if !pages.iter().any(|seen| is_same(seen, &page)) {
                pages.push(page);
            }
        }
        pages
    }

    /// Returns what was seen. If the session ended, this is what was known before, followed by what is new.
    pub(super) fn and_known<T: DeserializeOwned>(
        &self,
        member: Member<Vec<T>>,
        seen: Vec<T>,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> Vec<T> {
        if self.ended.is_none() {
            return seen;
        }
        let mut all: Vec<T> = member.items(&self.cx.facts.details).collect();
        let known = all.len();
        for one in seen {
            if !all[..known].iter().any(|before| is_same(before, &one)) {
                all.push(one);
            }
        }
        all
    }
}

/// The page to sign in that an answer is, or that it leads to.
fn asks_who(answer: &HttpExchange, page: Option<&Page>) -> Option<String> {
    if answer.status == 401 {
        return Some(answer.url.path_only().to_owned());
    }
    if (300..400).contains(&answer.status) {
        let target = answer.url.join(web::header(answer, "location")?).ok()?;
        let is_elsewhere = !login::is_same_owner(&answer.url, &target);
        let place = format!("{}{}", target.host, target.path_only());
        return (is_elsewhere || login::is_sign_in(&target)).then_some(place);
    }
    let page = page?;
    let form = page.forms.iter().find(|form| form.password).map(|form| form.action.clone());
    form.or_else(|| page.loose_password.then(|| answer.url.path_only().to_owned()))
}
