//! A session that is opened by a form: filled in once, on the page that a person named, and sent to nobody but the
//! application.

mod jar;

use super::inside::{Front, Reached, STRANGERS, kept_out, led_to_second_factor, place, shows_second_factor};
use super::{FORM, TOO_MANY_REQUESTS, refused};
use crate::ask::web;
use crate::read::login::{self, Filled, origin};
use crate::read::page::Page;
use crate::read::refusal::{is_second_step, locks_out};
use crate::{Context, TaskError};
use ambit_cloud::form::encoded;
use ambit_net::NetError;
use ambit_net::http::{Url, is_unavailable};
use jar::Jar;
use std::collections::BTreeSet;

/// The status of an answer that what was asked for is locked (RFC 4918), as accounts are.
const LOCKED: u16 = 423;
/// The status by which filters turn requests away, for whatever reason.
const FORBIDDEN: u16 = 403;

/// Where somebody signs in, and by what.
struct Asked<'a> {
    start: &'a Url,
    /// The page with the form.
    page: Url,
    name: &'a str,
    password: &'a str,
}

/// What the application shows to who has the same cookies, before the form is sent.
struct Before {
    /// The first page, each time that it showed something.
    fronts: Vec<Reached>,
    /// What that and the page with the form say of those who are locked out.
    said: BTreeSet<&'static str>,
}

/// What became of the form.
struct Sent {
    action: Url,
    status: u16,
    reached: Reached,
    /// Cookies that it changed.
    changed: BTreeSet<String>,
}

/// What shows that somebody signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The first page, or the page with the form, shows what it shows to nobody else.
    Page,
    /// The form led elsewhere with another cookie, and not so for a user whom the application does not know.
    Cookie,
}

/// Fills in the form of the page at `login_url`, or of the front page, and keeps the cookies that the answers set.
/// Fails unless the page behind the form is one that asks nobody who is there, and something shows that somebody signed
/// in.
pub(super) async fn logged_in(
    cx: &Context<'_>,
    start: &Url,
    login_url: Option<&str>,
    (name, password): (&str, &str),
) -> Result<(Vec<(String, String)>, Proof), TaskError> {
    let page = login_url.map_or_else(|| Ok(start.clone()), Url::parse);
    let page = page.map_err(|_| refused("its login_url is no URL"))?;
    let (asked, mut jar) = (Asked { start, page, name, password }, Jar::default());
    let shown = jar.visit(cx, &asked.page).await?;
    if let Some(away) = shown.away.as_ref().filter(|away| origin(away) != origin(start)) {
        let (page, to) = (&asked.page, origin(away));
        return Err(refused(&format!("{page} leads to {to}, and user and password are for the application alone")));
    }
    let mut before = Before { fronts: Vec::new(), said: said(&shown) };
    for _ in 0..STRANGERS {
        let seen = jar.look(cx, start, password).await?;
        before.said.extend(said(&seen));
        if is_shown(cx, &seen).await? {
            before.fronts.push(seen);
        }
    }
    // What was looked at meanwhile may have made an older form invalid.
    let shown = jar.visit(cx, &asked.page).await?;
    let form = login::filled_in(&web::text(&shown.answer), &shown.answer.url, name, password);
    let form = form.ok_or_else(|| refused("its page has no form with a password that is sent by POST"))?;
    if origin(&form.action) != origin(start) {
        return Err(refused("the form is sent to another origin than the application"));
    }
    let sent = send(cx, &asked, (&shown, form), &mut jar).await?;
    let proof = let_in(cx, &asked, (&before, &sent), &mut jar).await?.map_err(|why| refused(&why))?;
    Ok((jar.header().into_iter().collect(), proof))
}

/// Sends a form as a browser does.
async fn send(
    cx: &Context<'_>,
    asked: &Asked<'_>,
    (shown, form): (&Reached, Filled),
    jar: &mut Jar,
) -> Result<Sent, TaskError> {
    // Frameworks that refuse forged requests ask from where a form comes.
    let from = shown.answer.url.with_path(shown.answer.url.path_only()).to_string();
    let request = web::request(cx, &form.action)?.with_method("POST");
    let request = request.with_header("Origin", &origin(&shown.answer.url)).with_header("Referer", &from);
    let request = jar.header().iter().fold(request, |request, (name, value)| request.with_header(name, value));
    jar.send();
    let answer = cx.net.http(&request.with_body(FORM, encoded(&form.fields).into_bytes())).await?;
    let status = answer.status;
    let reached = jar.onward(cx, answer).await?;
    Ok(Sent { action: form.action, status, reached: jar.masked(reached, asked.password), changed: jar.changed() })
}

/// What shows that who sent the form is signed in, or why nobody is.
async fn let_in(
    cx: &Context<'_>,
    asked: &Asked<'_>,
    (before, sent): (&Before, &Sent),
    jar: &mut Jar,
) -> Result<Result<Proof, String>, TaskError> {
    let Sent { status, reached, .. } = sent;
    let is_second_step = is_second_step(asked.start) || is_second_step(&asked.page);
    if let Some(why) = led_to_second_factor(reached).filter(|_| reached.answer.status < 400 && !is_second_step) {
        return Ok(Err(why));
    }
    let asks = kept_out(cx, reached).await;
    let is_let_in = *status < 400 && asks.is_none();
    // What shows who is there counts for more than words and fields, which other pages have too.
    if is_let_in && shows_who(cx, asked, before, jar).await? {
        return Ok(Ok(Proof::Page));
    }
    if let Some(why) = shows_second_factor(reached).filter(|_| reached.answer.status < 400) {
        return Ok(Err(why));
    }
    let again = if is_let_in { Some(jar.look(cx, &asked.page, asked.password).await?) } else { None };
    if let Some(why) = locked_out(before, sent, again.as_ref()) {
        return Ok(Err(why));
    }
    let why = match &again {
        Some(again) if is_shown(cx, again).await? => return Ok(Ok(Proof::Page)),
        Some(_) if sent.is_led_away(&asked.page, jar) => match leads_anybody(cx, asked, (before, sent), jar).await? {
            None => return Ok(Ok(Proof::Cookie)),
            Some(why) => Some(why.to_owned()),
        },
        Some(_) => Some("nothing that it shows then tells that somebody signed in".to_owned()),
        None => asks,
    };
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Ok(Err(format!("the form does not accept user and password (status {status}){why}")))
}

/// Why nobody signs in for a while, where the answer to the form or the page with the form says so, and did not before.
fn locked_out(before: &Before, sent: &Sent, again: Option<&Reached>) -> Option<String> {
    let Sent { status, reached, .. } = sent;
    let news = |seen: &Reached| said(seen).difference(&before.said).next().copied();
    let says = news(reached).or_else(|| again.and_then(news));
    let is_locked = says.is_some() || matches!(*status, LOCKED | TOO_MANY_REQUESTS);
    let at = sent.led();
    let says = says.map(|says| format!(", {says:?}")).unwrap_or_default();
    is_locked.then(|| format!("not signed in: the application locks out, at {at} (status {status}{says})"))
}

impl Sent {
    /// Where it led.
    fn led(&self) -> String {
        place(self.reached.away.as_ref().unwrap_or(&self.reached.answer.url))
    }

    /// Whether the form led away from its page and from where it was sent, and changed a cookie that looks leave as it
    /// is.
    fn is_led_away(&self, page: &Url, jar: &Jar) -> bool {
        let led = self.led();
        led != place(page) && led != place(&self.action) && self.changed.iter().any(|name| !jar.is_restless(name))
    }
}

/// Why a place that the form led to, and a cookie that it set, show nothing: a user whom the application does not know
/// gets the same, or no answer to compare. That costs one more sign-in that fails, and locks nobody's account. `None`
/// where the answers differ. An application that sets lasting cookies when it refuses a sign-in, and leads unknown
/// users elsewhere than wrong passwords, is misread.
async fn leads_anybody(
    cx: &Context<'_>,
    asked: &Asked<'_>,
    (before, sent): (&Before, &Sent),
    jar: &Jar,
) -> Result<Option<&'static str>, TaskError> {
    const SILENT: Option<&str> = Some("nothing that it shows then tells that somebody signed in");
    let (name, password) = nobody(cx, asked.name);
    let mut theirs = Jar::default();
    // What changes between two looks says nothing.
    theirs.visit(cx, &asked.page).await?;
    let shown = theirs.visit(cx, &asked.page).await?;
    let form = login::filled_in(&web::text(&shown.answer), &shown.answer.url, &name, &password);
    let Some(form) = form.filter(|form| origin(&form.action) == origin(asked.start)) else { return Ok(SILENT) };
    let other = Asked { page: asked.page.clone(), name: &name, password: &password, ..*asked };
    let tried = send(cx, &other, (&shown, form), &mut theirs).await?;
    if is_unavailable(tried.status) {
        return Err(TaskError::Net(NetError::Unavailable(tried.status)));
    }
    // What looks for attacks turns away who comes again at once.
    if locked_out(before, &tried, None).is_some() || tried.status == FORBIDDEN {
        return Ok(SILENT);
    }
    let steady = |changed: &BTreeSet<String>| {
        let steady = changed.iter().filter(|name| !jar.is_restless(name) && !theirs.is_restless(name));
        steady.cloned().collect::<BTreeSet<String>>()
    };
    let is_same = tried.led() == sent.led() && steady(&tried.changed) == steady(&sent.changed);
    Ok(is_same.then_some("a user whom the application does not know is answered in the same way"))
}

/// The name of a user whom no application knows, of the same sort, and a password.
fn nobody(cx: &Context<'_>, name: &str) -> (String, String) {
    let random = || {
        let mut bytes = [0; 8];
        cx.net.random(&mut bytes);
        format!("{:016x}", u64::from_be_bytes(bytes))
    };
    let domain = name.split_once('@').map(|(_, domain)| format!("@{domain}")).unwrap_or_default();
    (format!("nobody-{}{domain}", random()), random())
}

/// Whether the first page shows that somebody signed in: it is shown where it was not before, or shows what it did not
/// show to who has the same cookies.
async fn shows_who(cx: &Context<'_>, asked: &Asked<'_>, before: &Before, jar: &mut Jar) -> Result<bool, TaskError> {
    let seen = jar.look(cx, asked.start, asked.password).await?;
    let is_half_way = led_to_second_factor(&seen).is_some() && !is_second_step(asked.start);
    if is_half_way || !is_shown(cx, &seen).await? {
        return Ok(false);
    }
    if before.fronts.is_empty() {
        return Ok(shows_second_factor(&seen).is_none() && said(&seen).is_subset(&before.said));
    }
    // What differs from time to time is shown once.
    let again = jar.look(cx, asked.start, asked.password).await?;
    if !is_shown(cx, &again).await? {
        return Ok(false);
    }
    // All are masked alike: what a cookie says that came later would differ otherwise.
    let front = |seen: &Reached| Front::of(&jar.masked(seen.clone(), asked.password));
    let others: Vec<Front> = before.fronts.iter().map(front).collect();
    Ok(front(&seen).shows_again(&front(&again), &others))
}

/// Whether a page shows something; not where it asks who is there, or is an error. Fails where it cannot answer now.
async fn is_shown(cx: &Context<'_>, reached: &Reached) -> Result<bool, TaskError> {
    let status = reached.answer.status;
    if is_unavailable(status) {
        return Err(TaskError::Net(NetError::Unavailable(status)));
    }
    Ok(status < 400 && kept_out(cx, reached).await.is_none())
}

/// What a page says of those who are locked out.
fn said(reached: &Reached) -> BTreeSet<&'static str> {
    let answer = Some(&reached.answer).filter(|answer| web::is_html(answer));
    answer.map(|answer| locks_out(&Page::parse(&web::text(answer), &answer.url))).unwrap_or_default()
}
