//! The session in which an application is looked at, where an integration of the collection opens one: a header, a
//! cookie, a form that is filled in once, or a token that a provider of OpenID Connect gives to a client. It is shown
//! to the origin that the integration names and to nobody else.

mod form;
mod inside;
mod token;

use crate::ask::web;
use crate::read::login::{is_sign_in, origin};
use crate::{Context, TaskError};
use ambit_model::application_session::{ApplicationSession, Opening, cookie_values, unschemed};
use ambit_net::http::{HttpExchange, Url};
use ambit_net::{NetError, Untrusted};
use form::Proof;
use inside::Front;
pub(crate) use inside::{holds, holds_still, is_shown, reached_before, some_of};
use std::collections::BTreeSet;
use token::{Bearer, Client};

/// The status of an answer that there are too many requests (RFC 6585).
pub(crate) const TOO_MANY_REQUESTS: u16 = 429;
/// How fields of a form are sent.
const FORM: &str = "application/x-www-form-urlencoded";
/// Shortest text that is masked where the application repeats it: shorter ones stand in pages by chance.
const MASKED_MIN: usize = 4;
/// Times that somebody signs in anew in a walk: applications that allow a person one session end another by that.
const ANEW_MAX: usize = 2;
/// The character that replaces each byte of a secret.
const MASK: u8 = b'*';

/// A session of an application: what its requests show, and what of it nobody may read.
#[derive(Default)]
pub(crate) struct Session {
    /// Where it is shown; empty: nowhere.
    origin: String,
    shown: Shown,
    secrets: Vec<Vec<u8>>,
    /// What the page that a person named showed when it was opened.
    front: Front,
    /// What signs in anew: a form where pages show who signed in by it. That a token or a cookie is given says nothing
    /// of whether pages accept it.
    signs_in: Option<ApplicationSession>,
    /// Times that it did.
    signed_in_anew: usize,
    /// Paths of pages that stayed closed then: they show nothing of whether the session lasts.
    stays_closed: BTreeSet<String>,
    /// The secret that alone opens it, where nobody but a person can renew that.
    given: Option<&'static str>,
}

/// What the requests of a session show.
#[derive(Default)]
enum Shown {
    #[default]
    Nothing,
    /// Headers that stay.
    Headers(Vec<(String, String)>),
    Token(Box<Bearer>),
}

impl Session {
    fn new(given: &ApplicationSession, start: &Url, shown: Shown) -> Self {
        let headers: &[(String, String)] = if let Shown::Headers(headers) = &shown { headers } else { &[] };
        let values = headers.iter().flat_map(|(name, value)| match name.as_str() {
            "Cookie" => cookie_values(value).collect::<Vec<_>>(),
            _ => vec![unschemed(value)],
        });
        let secrets = given.secrets().into_iter().chain(values).filter(|text| text.len() >= MASKED_MIN);
        let secrets: Vec<Vec<u8>> = secrets.flat_map(spelled).collect();
        let mut session = Self { origin: origin(start), shown, ..Self::default() };
        session.keep_secret(secrets);
        session
    }

    /// Masks these as well from now on.
    fn keep_secret(&mut self, secrets: Vec<Vec<u8>>) {
        self.secrets.extend(secrets);
        // Longer secrets come first, since they may contain shorter ones.
        self.secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
    }

    /// Returns whether an integration opened it.
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.shown, Shown::Nothing)
    }

    /// The session of nobody, whose pages are masked like those of this one, so that the two can be compared.
    fn of_stranger(&self) -> Self {
        let tokens = if let Shown::Token(bearer) = &self.shown { bearer.secrets() } else { Vec::new() };
        let secrets = tokens.into_iter().chain(self.secrets.iter().cloned()).collect();
        Self { origin: self.origin.clone(), secrets, ..Self::default() }
    }

    /// One page of the site; in the session where it is that of the session, and without what opens it. Fails as the
    /// exchange does.
    pub(crate) async fn get(&self, cx: &Context<'_>, url: &Url, body_kept: usize) -> Result<HttpExchange, NetError> {
        if origin(url) != self.origin {
            return web::get(cx, url, body_kept).await;
        }
        let mut exchange = match &self.shown {
            Shown::Nothing => web::get(cx, url, body_kept).await?,
            Shown::Headers(headers) => web::get_in(cx, url, body_kept, headers).await?,
            Shown::Token(bearer) => {
                let exchange = web::get_in(cx, url, body_kept, &[bearer.header(cx).await]).await?;
                let may_be_over = bearer.may_be_over(url, refuses(&exchange));
                if may_be_over && !opens_others(cx, bearer).await? && bearer.renew(cx).await {
                    let again = web::get_in(cx, url, body_kept, &[bearer.header(cx).await]).await?;
                    bearer.was_answered(url, refuses(&again));
                    again
                } else {
                    exchange
                }
            }
        };
        let tokens = if let Shown::Token(bearer) = &self.shown { bearer.secrets() } else { Vec::new() };
        let secrets: Vec<&[u8]> = tokens.iter().chain(&self.secrets).map(Vec::as_slice).collect();
        mask(&mut exchange.body, &secrets);
        mask(&mut exchange.head, &secrets);
        mask(&mut exchange.request, &secrets);
        for (_, value) in &mut exchange.headers {
            let mut text = value.raw().as_bytes().to_vec();
            if mask(&mut text, &secrets) {
                *value = Untrusted::new(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(exchange)
    }

    /// The session of somebody who signs in once more, where pages show that he did; `None` where what opens it is only
    /// shown, or nobody may sign in again. Fails as it is opened.
    async fn anew(&mut self, cx: &Context<'_>, start: &Url) -> Result<Option<Self>, TaskError> {
        let Some(given) = self.signs_in.as_ref().filter(|_| self.signed_in_anew < ANEW_MAX) else { return Ok(None) };
        self.signed_in_anew += 1;
        Ok(Some(opened(cx, start, given).await?).filter(|anew| anew.signs_in.is_some()))
    }

    /// Goes on in the session of somebody who signed in once more, to whom these pages are closed as well: the older
    /// one may be over by that.
    fn go_on_in(&mut self, anew: Self, closed: &[&Url]) {
        self.shown = anew.shown;
        self.keep_secret(anew.secrets);
        self.stays_closed.extend(closed.iter().map(|page| page.path_only().to_owned()));
    }

    /// Why its token could not be renewed, or what a person has to renew, as it is added to what is said of its end.
    fn said_of_renewal(&self) -> String {
        let new = |given| format!("; only a new {given} opens another: `ambit integration change --secrets`");
        let Shown::Token(bearer) = &self.shown else { return self.given.map(new).unwrap_or_default() };
        bearer.failure().map(|why| format!(", and there is no other token: {why}")).unwrap_or_default()
    }
}

/// Whether an application refuses a token: by its status, or by leading who shows it to where people sign in.
fn refuses(answer: &HttpExchange) -> bool {
    let is_led = || !is_sign_in(&answer.url) && inside::target(answer).is_some_and(|to| is_sign_in(&to));
    answer.status == 401 || is_led()
}

/// Whether a token opens pages still that it opened before. Nobody asks while few others were renewed in vain.
async fn opens_others(cx: &Context<'_>, bearer: &Bearer) -> Result<bool, NetError> {
    let pages = bearer.in_doubt();
    for page in &pages {
        let answer = web::get_in(cx, page, web::PAGE_BYTES, &[bearer.header(cx).await]).await?;
        if refuses(&answer) {
            return Ok(false);
        }
    }
    Ok(!pages.is_empty())
}

/// Masks what opens a session where an answer repeats it; returns whether it did.
fn mask(bytes: &mut [u8], secrets: &[&[u8]]) -> bool {
    let mut masked = false;
    for secret in secrets {
        let finder = memchr::memmem::Finder::new(secret);
        let mut at = 0;
        while let Some(found) = finder.find(&bytes[at..]) {
            bytes[at + found..at + found + secret.len()].fill(MASK);
            (at, masked) = (at + found + secret.len(), true);
        }
    }
    masked
}

/// Opens the session of the application at a URL; without an integration for it, requests show nothing. Fails if the
/// integration cannot be opened or does not say what it opens with, or the application does not accept it.
pub(crate) async fn open(cx: &Context<'_>, start: &Url) -> Result<Session, TaskError> {
    let Some(account) = cx.settings.application(&origin(start)) else { return Ok(Session::default()) };
    let given = ApplicationSession::of(account.opened()?, &account.settings);
    let given = given.map_err(|missing| refused(&format!("the integration lacks {missing}")))?;
    let mut session = opened(cx, start, &given).await?;
    session.front = inside::accepted(cx, &session, start).await?;
    Ok(session)
}

/// A session that what is given opens; whether the first page accepts it nobody asked.
async fn opened(cx: &Context<'_>, start: &Url, given: &ApplicationSession) -> Result<Session, TaskError> {
    let (mut signs_in, mut renewed) = (None, None);
    let shown = match &given.opening {
        Opening::Header { name, value } => {
            renewed = Some("header");
            Shown::Headers(vec![(name.clone(), value.clone())])
        }
        Opening::Cookie(cookies) => {
            renewed = Some("cookie");
            Shown::Headers(vec![("Cookie".to_owned(), cookies.clone())])
        }
        Opening::Form { username, password, page } => {
            let (headers, proof) = form::logged_in(cx, start, page.as_deref(), (username, password)).await?;
            signs_in = (proof == Proof::Page).then(|| given.clone());
            Shown::Headers(headers)
        }
        Opening::Token { client, secret, url, scope } => {
            let (id, secret, url, scope) = (client.clone(), secret.clone(), url.clone(), scope.clone());
            Shown::Token(Box::new(Bearer::open(cx, Client { id, secret, url, scope }).await?))
        }
    };
    Ok(Session { signs_in, given: renewed, ..Session::new(given, start, shown) })
}

/// A text in the bytes by which pages may repeat it.
fn spelled(text: &str) -> Vec<Vec<u8>> {
    let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let mut spelled = vec![text.as_bytes().to_vec(), little, big];
    let latin: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
    spelled.extend(latin.filter(|_| !text.is_ascii()));
    spelled
}

fn refused(why: &str) -> TaskError {
    TaskError::Denied(format!("the session of the application cannot be opened: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_cloud::form::encoded;

    #[test]
    fn what_opens_a_session_is_masked_in_whatever_characters_a_page_repeats_it() {
        let secrets: Vec<Vec<u8>> = spelled("pässw0rd").into_iter().chain(spelled("t0ken")).collect();
        let secrets: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
        let units = |unit: fn(u16) -> [u8; 2]| "you: t0ken pässw0rd".encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let utf8 = "you: t0ken pässw0rd".as_bytes().to_vec();
        for (mut body, media) in [
            (utf8, "text/html"),
            (b"you: t0ken p\xe4ssw0rd".to_vec(), "text/html; charset=latin1"),
            (units(u16::to_le_bytes), "text/html; charset=utf-16le"),
            (units(u16::to_be_bytes), "text/html; charset=utf-16be"),
        ] {
            assert!(mask(&mut body, &secrets));
            let text = crate::read::charset::text(&body, media);
            assert!(
                text.starts_with("you: ") && !text.contains("ssw0rd") && !text.contains("t0ken"),
                "{media}: {text}"
            );
        }
    }

    #[test]
    fn fields_are_sent_so_that_nothing_of_them_is_taken_for_more() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(encoded(&[field("user", "ann"), field("pw", "a&b=c d/ü")]), "user=ann&pw=a%26b%3Dc%20d%2F%C3%BC");
    }
}
