//! Whether who asks in a session is let in, and whether that lasts. An application that lets nobody in leads to where
//! people sign in, here or on the server of another, or asks for a password.

use super::{Session, TOO_MANY_REQUESTS, refused};
use crate::ask::web;
use crate::read::frontier::shape;
use crate::read::login::{asks_password, is_same_owner, is_sign_in, is_sign_in_page, origin};
use crate::read::marks::marks;
use crate::read::page::Page;
use crate::read::refusal::{asks_second_factor, is_second_step};
use crate::{Context, TaskError};
use ambit_model::entity::uri::{self, CrawledPage};
use ambit_net::http::{HttpExchange, Url, is_unavailable};
use ambit_net::{Grant, NetError};
use std::collections::BTreeSet;

/// Redirects on the way to a page that shows whether a session is accepted.
pub(super) const REDIRECTS_MAX: usize = 5;
/// Pages beside the first that are asked for in a session to see whether it lasts: one that is asked for already, some
/// that were reached before, and some of this run.
const PAGES_MAX: usize = 1 + 2 * SOME_MAX;
/// Pages of one sort among them.
const SOME_MAX: usize = 3;
/// Times that a stranger asks for the first page: what it shows to each differs from time to time.
pub(super) const STRANGERS: usize = 2;

/// Where a look at a page ended.
#[derive(Clone)]
pub(super) struct Reached {
    pub(super) answer: HttpExchange,
    /// Where its last answer leads, which is not followed: what a session shows goes to one origin.
    pub(super) away: Option<Url>,
}

/// What the page that a person named shows to who asks.
#[derive(Default)]
pub(super) struct Front {
    /// Where it led to, without what differs from time to time.
    landed: String,
    /// What was shown there.
    marks: BTreeSet<String>,
}

impl Front {
    pub(super) fn of(reached: &Reached) -> Self {
        let answer = Some(&reached.answer).filter(|answer| web::is_html(answer));
        let marks = answer.map(|answer| marks(&web::text(answer), &answer.url)).unwrap_or_default();
        Self { landed: landing(reached), marks }
    }

    /// Whether it leads elsewhere than for others, or shows a mark twice that they are not shown.
    pub(super) fn shows_again(&self, again: &Self, others: &[Self]) -> bool {
        let is_led = self.landed == again.landed && others.iter().all(|other| self.landed != other.landed);
        let mut twice = self.marks.intersection(&again.marks);
        is_led || twice.any(|mark| !others.iter().any(|other| other.marks.contains(mark)))
    }
}

/// Where an answer leads by a redirect.
pub(super) fn target(answer: &HttpExchange) -> Option<Url> {
    let target = web::header(answer, "location").filter(|_| (300..400).contains(&answer.status))?;
    answer.url.join(target).ok()
}

/// The page at a URL, behind redirects within its origin, as a session shows it.
async fn reach(cx: &Context<'_>, session: &Session, url: &Url) -> Result<Reached, NetError> {
    let answer = session.get(cx, url, web::PAGE_BYTES).await?;
    behind(cx, session, answer).await
}

/// Where an answer leads within its origin, as a session shows it.
async fn behind(cx: &Context<'_>, session: &Session, mut answer: HttpExchange) -> Result<Reached, NetError> {
    for _ in 0..REDIRECTS_MAX {
        match target(&answer) {
            Some(to) if origin(&to) == origin(&answer.url) => answer = session.get(cx, &to, web::PAGE_BYTES).await?,
            away => return Ok(Reached { answer, away }),
        }
    }
    Ok(Reached { answer, away: None })
}

/// Why an answer was given to somebody who is not signed in, where it shows that.
pub(super) async fn kept_out(cx: &Context<'_>, Reached { answer, away }: &Reached) -> Option<String> {
    let url = place(&answer.url);
    if let Some(to) = away {
        return kept_out_by(cx, &answer.url, to).await.map(|why| format!("{url} leads to {}, {why}", place(to)));
    }
    if target(answer).is_some() {
        return Some(format!("{url} redirects without end"));
    }
    let asks = web::is_html(answer) && asks_password(&web::text(answer));
    (answer.status == 401 || asks).then(|| format!("{url} asks who is there (status {})", answer.status))
}

/// What keeps those out who are led from the application to another origin. Nothing of the session is shown there.
async fn kept_out_by(cx: &Context<'_>, from: &Url, to: &Url) -> Option<&'static str> {
    if !is_same_owner(from, to) {
        return Some("a server outside of its domain");
    }
    if is_sign_in(to) {
        return Some("where people sign in");
    }
    // Its own host at another port or by another scheme shows nothing to who has no session there.
    let request = cx.net.get(&to.to_string()).ok().filter(|_| to.host != from.host)?;
    let fetch = cx.net.fetch(&request.on(Grant::Target)).await.ok()?;
    let last = fetch.last();
    (web::is_html(last) && asks_password(&web::text(last))).then_some("which asks for a password")
}

/// Why who is led there is not signed in, where the place is by its path one where a second factor is asked for.
pub(super) fn led_to_second_factor(Reached { answer, away }: &Reached) -> Option<String> {
    let to = away.as_ref().unwrap_or(&answer.url);
    is_second_step(to).then(|| second_factor(to))
}

/// The same where the page that is shown has a form for one.
pub(super) fn shows_second_factor(Reached { answer, away }: &Reached) -> Option<String> {
    let is_page = away.is_none() && web::is_html(answer);
    let asks = is_page && asks_second_factor(&Page::parse(&web::text(answer), &answer.url), &answer.url);
    asks.then(|| second_factor(&answer.url))
}

fn second_factor(at: &Url) -> String {
    format!("not signed in: the application asks for a second factor at {}", place(at))
}

/// A URL without what differs from time to time.
pub(super) fn place(url: &Url) -> String {
    format!("{}{}", origin(url), shape(&url.with_path(url.path_only())))
}

/// Where an answer came from or leads to, without what differs from time to time, and whether it is an error.
fn landing(Reached { answer, away }: &Reached) -> String {
    let to = away.clone().or_else(|| target(answer)).unwrap_or_else(|| answer.url.clone());
    format!("{}{}", place(&to), if answer.status >= 400 { " with an error" } else { "" })
}

/// Looks at the page that a person named, as the session shows it, and returns what that showed. Where that asks who is
/// there, the session is not accepted, and a walk would take all that stands behind it for gone.
pub(super) async fn accepted(cx: &Context<'_>, session: &Session, start: &Url) -> Result<Front, TaskError> {
    let reached = reach(cx, session, start).await?;
    if let Some(why) = led_to_second_factor(&reached).filter(|_| !is_second_step(start)) {
        return Err(refused(&why));
    }
    let over = |why: &str| refused(&format!("{why}{}", session.said_of_renewal()));
    match kept_out(cx, &reached).await {
        Some(why) => Err(over(&why)),
        None if reached.answer.status == 403 => Err(refused(&format!("{start} is closed to it (status 403)"))),
        // A script renders the sign-in form there.
        None if is_sign_in_page(&reached.answer.url) && !is_sign_in_page(start) => {
            Err(over(&format!("{start} leads to {}, where people sign in", place(&reached.answer.url))))
        }
        None => Ok(Front::of(&reached)),
    }
}

/// Whether a session that is open is accepted still, by the page that a person named and by others that were reached in
/// it; one that nobody opened has no end. Fails if it is over, or that cannot be told.
pub(crate) async fn holds(
    cx: &Context<'_>,
    session: &mut Session,
    start: &Url,
    pages: &[Url],
) -> Result<(), TaskError> {
    if !session.is_open() {
        return Ok(());
    }
    let reached = reach(cx, session, start).await?;
    let status = reached.answer.status;
    if let Some(why) = kept_out(cx, &reached).await {
        return Err(ended(session, &why));
    }
    let front = Front::of(&reached);
    if front.landed != session.front.landed {
        if status == TOO_MANY_REQUESTS {
            return Err(TaskError::Net(NetError::Unavailable(status)));
        }
        if status >= 500 {
            return Err(TaskError::Failed(format!("{start} cannot answer any more (status {status})")));
        }
        let (before, now) = (&session.front.landed, &front.landed);
        return Err(ended(session, &format!("{start} led to {before} before and leads to {now} now")));
    }
    // That page may be there for everybody.
    let (mut shown, mut moved) = (Vec::new(), Vec::new());
    let (mut asking, mut led, mut closed) = (Vec::new(), Vec::new(), Vec::new());
    let telling = |page: &&Url| !session.stays_closed.contains(page.path_only());
    for page in pages.iter().filter(telling).take(PAGES_MAX) {
        match look(cx, session, page).await? {
            Look::Shown => shown.push(page),
            Look::Unknown => {}
            Look::Asks(why) => asking.push((page, why)),
            Look::Leads(why) => led.push((page, why)),
            Look::Moved(why) => moved.push((page, why)),
            Look::Closed(why) => closed.push((page, why)),
        }
    }
    // One page that moved for good did so by itself; several lead away all who are not signed in.
    if moved.len() > 1 || shown.is_empty() {
        led.extend(moved);
    }
    let kept: Vec<&Url> = asking.iter().chain(&led).chain(&closed).map(|(page, _)| *page).collect();
    let Some((_, why)) = asking.first().or(led.first()).or(closed.first()) else { return Ok(()) };
    // A single page that is closed, while others are shown and none asks for a sign-in or leads away, is closed for
    // reasons of its own.
    let is_alone = asking.is_empty() && led.is_empty() && closed.len() == 1 && !shown.is_empty();
    match lasts(cx, session, start, (&front, &shown)).await? {
        Some(true) => Ok(()),
        None if is_alone || stays_closed(cx, session, start, &kept).await? => Ok(()),
        Some(false) | None => Err(ended(session, why)),
    }
}

fn ended(session: &Session, why: &str) -> TaskError {
    TaskError::Denied(format!("the session has ended: {why}{}", session.said_of_renewal()))
}

/// Whether pages are closed in a session too that is opened anew, where one can be: that they are closed is then no end
/// of the session, and the walk goes on in the new one.
async fn stays_closed(cx: &Context<'_>, session: &mut Session, start: &Url, pages: &[&Url]) -> Result<bool, TaskError> {
    let Some(anew) = session.anew(cx, start).await? else { return Ok(false) };
    for page in pages {
        if matches!(look(cx, &anew, page).await?, Look::Shown | Look::Unknown) {
            return Ok(false);
        }
    }
    session.go_on_in(anew, pages);
    Ok(true)
}

/// Whether something shows that a session lasts: pages are shown in it alone, or the first page shows in it all that it
/// showed when it was opened and shows to no stranger; a part of that may come from cookies that open nothing. It is
/// over where strangers are shown all that the first page still shows in it. `None` where nothing tells.
async fn lasts(
    cx: &Context<'_>,
    session: &Session,
    start: &Url,
    (front, shown): (&Front, &[&Url]),
) -> Result<Option<bool>, TaskError> {
    let (stranger, mut to_strangers) = (session.of_stranger(), BTreeSet::new());
    for _ in 0..STRANGERS {
        let reached = reach(cx, &stranger, start).await?;
        let status = reached.answer.status;
        if is_unavailable(status) && reached.away.is_none() {
            return Err(TaskError::Net(NetError::Unavailable(status)));
        }
        let seen = Front::of(&reached);
        if seen.landed != session.front.landed || kept_out(cx, &reached).await.is_some() {
            return Ok(Some(true));
        }
        to_strangers.extend(seen.marks);
    }
    for page in shown {
        if !matches!(look(cx, &stranger, page).await?, Look::Shown | Look::Unknown) {
            return Ok(Some(true));
        }
    }
    let own = |marks: &BTreeSet<String>| marks.difference(&to_strangers).cloned().collect::<BTreeSet<_>>();
    let (then, now) = (own(&session.front.marks), own(&front.marks));
    Ok(match then.is_empty() {
        false if then.is_subset(&now) => Some(true),
        false if now.is_empty() => Some(false),
        _ => None,
    })
}

/// The same by pages to which a walk came before.
pub(crate) async fn holds_still(cx: &Context<'_>, session: &mut Session, start: &Url) -> Result<(), TaskError> {
    holds(cx, session, start, &some_of(reached_before(cx, start).iter())).await
}

/// A few of many pages, from the first to the last.
pub(crate) fn some_of<'a>(pages: impl Iterator<Item = &'a Url>) -> Vec<Url> {
    let pages: Vec<&Url> = pages.collect();
    pages.iter().step_by(pages.len().div_ceil(SOME_MAX).max(1)).map(|page| (*page).clone()).collect()
}

/// What a look at a page of the application shows of who asks.
enum Look {
    Shown,
    /// It asks who is there.
    Asks(String),
    /// It leads to another page, as it may lead those who are not signed in.
    Leads(String),
    /// The same, and the application says that it is there for good.
    Moved(String),
    /// It is closed, and asks nobody who is there.
    Closed(String),
    /// It could not be looked at, or is not there any more.
    Unknown,
}

async fn look(cx: &Context<'_>, session: &Session, page: &Url) -> Result<Look, TaskError> {
    let looked = async {
        let first = session.get(cx, page, web::PAGE_BYTES).await?;
        let is_moved = matches!(first.status, 301 | 308);
        Ok((is_moved, behind(cx, session, first).await?))
    };
    let (is_moved, reached) = match looked.await {
        Ok(looked) => looked,
        Err(error @ NetError::Budget(_)) => return Err(error.into()),
        Err(_) => return Ok(Look::Unknown),
    };
    let status = reached.answer.status;
    Ok(match kept_out(cx, &reached).await {
        Some(why) => Look::Asks(why),
        None if status == 403 => Look::Closed(format!("{page} is closed (status 403)")),
        // When it was written down, it was shown at once.
        None if status < 300 && reached.answer.url.path_only() != page.path_only() => {
            let why = format!("{page} leads to {}", place(&reached.answer.url));
            if is_moved { Look::Moved(why) } else { Look::Leads(why) }
        }
        None if status < 300 => Look::Shown,
        None => Look::Unknown,
    })
}

/// Pages of the application to which a walk came before, and was shown something.
pub(crate) fn reached_before(cx: &Context<'_>, start: &Url) -> Vec<Url> {
    let met = uri::PAGES.items(&cx.facts.details).filter(is_shown);
    met.map(|page| start.with_path(&page.path)).filter(|page| page != start).collect()
}

/// Whether a page showed something to who asked for it.
pub(crate) fn is_shown(page: &CrawledPage) -> bool {
    !page.asks_password && !(300..400).contains(&page.status) && !matches!(page.status, 401 | 403)
}
