//! What becomes of a walk whose session ends on the way: what comes then says nothing of what is there.

use super::{Crawl, TASK};
use crate::TaskError;
use crate::ask::{session, web};
use crate::read::page::Page;
use ambit_model::entity::Member;
use ambit_net::http::{HttpExchange, Url};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// Times that a walk tries its session on the way; it always does so at the end.
const TRIES_MAX: usize = 5;
/// What stands in the addresses of pages to sign in.
const SIGN_IN: &[&str] = &[
    "accedi",
    "anmeld",
    "auth",
    "connexion",
    "iniciar",
    "inloggen",
    "log-in",
    "log_in",
    "logga-in",
    "login",
    "logon",
    "logowanie",
    "oidc",
    "saml",
    "session",
    "sign-in",
    "sign_in",
    "signin",
    "sso",
];

impl Crawl<'_> {
    /// Whether an answer was given to nobody in particular, because the session is over. It is tried again where an
    /// answer asks who is there, once for each page that does.
    pub(super) async fn is_outside(&mut self, start: &Url, answer: &HttpExchange, page: Option<&Page>) -> bool {
        let asking = asks_who(answer, page).filter(|_| self.session.is_open() && self.sign_ins.len() < TRIES_MAX);
        if !asking.is_some_and(|asking| self.sign_ins.insert(asking)) {
            return false;
        }
        self.try_session(start).await;
        self.ended.is_some()
    }

    /// Tries the session again; where it is not accepted, or that cannot be told, the walk has ended.
    pub(super) async fn try_session(&mut self, start: &Url) {
        let Err(why) = session::holds(self.cx, &self.session, start).await else { return };
        self.places.outside = true;
        self.ended = Some(match why {
            TaskError::Denied(why) => {
                TaskError::Denied(format!("the session of the application ended during the walk: {why}"))
            }
            other => other,
        });
    }

    /// Where the session ended, says that all stands to which this task led before, and returns it by name.
    pub(super) fn stand(&self) -> BTreeSet<&str> {
        let known = self.cx.facts.led_to(TASK.name, self.cx.argument).filter(|_| self.ended.is_some());
        known.inspect(|known| self.cx.stands(known)).map(|known| known.name.as_str()).collect()
    }

    /// What was seen; where the session ended, what was known before, and behind it what is new.
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
        let place = format!("{}{}", target.host, target.path_only());
        let lower = place.to_ascii_lowercase();
        return SIGN_IN.iter().any(|word| lower.contains(word)).then_some(place);
    }
    let asking = page?.forms.iter().find(|form| form.password && form.method == "POST");
    asking.map(|form| form.action.clone())
}
