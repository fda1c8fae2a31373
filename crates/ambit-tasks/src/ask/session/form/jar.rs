//! The cookies of somebody who signs in, kept as a browser keeps them.

use super::super::inside::{REDIRECTS_MAX, Reached, target};
use super::super::{MASKED_MIN, mask, spelled};
use crate::ask::web;
use crate::read::login::origin;
use crate::{Context, TaskError};
use ambit_net::http::{HttpExchange, Url};
use std::collections::{BTreeMap, BTreeSet};

/// Cookies of a session at most, and bytes of each.
const COOKIES_MAX: usize = 50;
const COOKIE_BYTES_MAX: usize = 4_096;
/// Values of cookies that are masked at most: some ten looks at an application that changes each with every answer.
const SAID_MAX: usize = 10 * COOKIES_MAX;

/// Cookies of one origin.
#[derive(Default)]
pub(super) struct Jar {
    cookies: BTreeMap<String, String>,
    /// Those that the answer to a mere look changed: what a form changes of them says nothing.
    restless: BTreeSet<String>,
    /// What they were when the form was sent.
    sent: BTreeMap<String, String>,
    /// All that they said so far.
    said: BTreeSet<String>,
}

impl Jar {
    /// Looks at a page of the application.
    pub(super) async fn visit(&mut self, cx: &Context<'_>, url: &Url) -> Result<Reached, TaskError> {
        let before = self.cookies.clone();
        let headers: Vec<_> = self.header().into_iter().collect();
        let answer = web::get_in(cx, url, web::PAGE_BYTES, &headers).await?;
        let reached = self.onward(cx, answer).await?;
        let changed = before.iter().filter(|(name, value)| self.cookies.get(*name) != Some(*value));
        self.restless.extend(changed.map(|(name, _)| name.clone()));
        Ok(reached)
    }

    /// The same, with what the cookies and a password say masked in the page: that differs with who asks.
    pub(super) async fn look(&mut self, cx: &Context<'_>, url: &Url, password: &str) -> Result<Reached, TaskError> {
        let reached = self.visit(cx, url).await?;
        Ok(self.masked(reached, password))
    }

    /// Notes that the form is sent now.
    pub(super) fn send(&mut self) {
        self.sent = self.cookies.clone();
    }

    /// Names of the cookies that changed since the form was sent.
    pub(super) fn changed(&self) -> BTreeSet<String> {
        let changed = self.cookies.iter().filter(|(name, value)| self.sent.get(*name) != Some(*value));
        changed.map(|(name, _)| name.clone()).collect()
    }

    /// Whether the answer to a mere look changed a cookie.
    pub(super) fn is_restless(&self, name: &str) -> bool {
        self.restless.contains(name)
    }

    /// Follows the redirects of an answer within its origin, as a browser does: by GET, with the cookies that were set.
    pub(super) async fn onward(&mut self, cx: &Context<'_>, mut answer: HttpExchange) -> Result<Reached, TaskError> {
        self.keep(&answer);
        for _ in 0..REDIRECTS_MAX {
            let to = match target(&answer) {
                Some(to) if origin(&to) == origin(&answer.url) => to,
                away => return Ok(Reached { answer, away }),
            };
            let headers: Vec<_> = self.header().into_iter().collect();
            answer = web::get_in(cx, &to, web::PAGE_BYTES, &headers).await?;
            self.keep(&answer);
        }
        Ok(Reached { answer, away: None })
    }

    /// A page without what the cookies said so far and a password say: a reader of pages may log what it reads.
    pub(super) fn masked(&self, mut reached: Reached, password: &str) -> Reached {
        let secrets = self.said.iter().map(String::as_str).chain([password]);
        let mut secrets: Vec<Vec<u8>> = secrets.filter(|text| text.len() >= MASKED_MIN).flat_map(spelled).collect();
        // Longer ones come first, since they may contain shorter ones.
        secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
        mask(&mut reached.answer.body, &secrets.iter().map(Vec::as_slice).collect::<Vec<_>>());
        reached
    }

    /// The header that shows them; `None` where there are none.
    pub(super) fn header(&self) -> Option<(String, String)> {
        let written: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!written.is_empty()).then(|| ("Cookie".to_owned(), written.join("; ")))
    }

    fn keep(&mut self, answer: &HttpExchange) {
        let set = answer.headers.iter().filter(|(name, _)| name.raw().eq_ignore_ascii_case("set-cookie"));
        for (_, cookie) in set.filter(|(_, value)| value.raw().len() <= COOKIE_BYTES_MAX) {
            let (pair, attributes) = cookie.raw().split_once(';').unwrap_or((cookie.raw(), ""));
            let Some((name, value)) = pair.split_once('=') else { continue };
            let (name, value) = (name.trim(), value.trim());
            if is_over(attributes) {
                self.cookies.remove(name);
            } else if !name.is_empty() && (self.cookies.len() < COOKIES_MAX || self.cookies.contains_key(name)) {
                self.cookies.insert(name.to_owned(), value.to_owned());
                if self.said.len() < SAID_MAX {
                    self.said.insert(value.to_owned());
                }
            }
        }
    }
}

/// Whether the attributes of a cookie say that it is taken back: it lasts for no second, or ended in 1970.
fn is_over(attributes: &str) -> bool {
    let mut lasts = None;
    let mut ended = false;
    for (name, value) in attributes.split(';').filter_map(|attribute| attribute.split_once('=')) {
        match name.trim().to_ascii_lowercase().as_str() {
            "max-age" => lasts = value.trim().parse::<i64>().ok(),
            "expires" => ended = value.contains("1970"),
            _ => {}
        }
    }
    // The first counts for more (RFC 6265 §4.1.2.2).
    lasts.map_or(ended, |seconds| seconds <= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_that_is_taken_back_is_over() {
        for (attributes, over) in [
            (" Path=/; Max-Age=0", true),
            (" expires=Thu, 01-Jan-1970 00:00:01 GMT; path=/", true),
            (" Max-Age=3600; Expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
            (" Path=/; HttpOnly", false),
            ("", false),
        ] {
            assert_eq!(is_over(attributes), over, "{attributes}");
        }
    }
}
