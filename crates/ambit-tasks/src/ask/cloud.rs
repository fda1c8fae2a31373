//! Asks providers beside AWS in the name of an account: what opens it goes to the provider's own host alone, or to
//! where the operator says; again after a while where there were too many requests.

use crate::{Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::{Asset, Form, Page, Place, Request};
use ambit_cloud::provider::{self, Provider};
use ambit_net::http::HttpRequest;
use ambit_net::{Grant, limits};
use serde_json::{Map, Value};
use std::time::Duration;

/// The ground on which they are asked.
pub(crate) const PROVIDER: &str = "cloud";
/// Times that a request is sent at most, where the provider asks for patience.
const TRIES_MAX: u32 = 5;
/// The wait before the second time; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Pages of one list.
const PAGES_MAX: usize = 1_000;
/// Items that another list is asked for one by one: at the pace of an interface some ten minutes.
const PARENTS_MAX: usize = 5_000;

/// An account, and how it is asked.
pub(crate) struct Caller {
    provider: &'static Provider,
    base: String,
    /// The name of the account at the provider.
    pub(crate) account: String,
    headers: Vec<(String, String)>,
}

/// The provider of an account: of its own type of integration, or the one that its setting names.
pub(crate) fn provider_of(cx: &Context<'_>) -> Result<&'static Provider, TaskError> {
    let settings = cx.settings.accounts.get(&cx.facts.name).map(|account| &account.settings);
    provider_by(cx.facts.kind, settings).ok_or_else(|| {
        let names: Vec<&str> = provider::all().iter().map(|provider| provider.name.as_str()).collect();
        denied(&format!("the setting provider of its integration is none of {}", names.join(", ")))
    })
}

/// The same by the kind of the account and the settings of its integration.
pub(crate) fn provider_by(kind: ambit_model::Kind, settings: Option<&Map<String, Value>>) -> Option<&'static Provider> {
    match kind {
        ambit_model::Kind::AzureCredential => provider::find("azure"),
        ambit_model::Kind::GcpCredential => provider::find("gcp"),
        _ => provider::find(settings?.get("provider")?.as_str()?),
    }
}

impl Caller {
    /// Returns the caller of the account of these facts, with a token where the provider demands one.
    ///
    /// # Errors
    /// The integration lacks a secret, or the provider does not accept what it has.
    pub(crate) async fn of(cx: &Context<'_>) -> Result<Self, TaskError> {
        let account = cx.settings.accounts.get(&cx.facts.name);
        let account =
            account.ok_or_else(|| denied("no integration opens it any more, or its secrets cannot be read"))?;
        let provider = provider_of(cx)?;
        let opening = provider::opening(&account.secrets, &account.settings);
        let lacks = |name: &&String| opening[name.as_str()].as_str().is_none_or(|text| text.trim().is_empty());
        if let Some(missing) = provider.secrets.iter().find(lacks) {
            return Err(denied(&format!("its integration has no secret named {missing}")));
        }
        let named = cx.settings.cloud_endpoints.get(&provider.name).cloned();
        let base = named.or_else(|| provider.base(&opening));
        let base = base.ok_or_else(|| denied("its integration does not say where it is asked"))?;
        let mut caller = Self { provider, base, account: provider.account(&opening), headers: Vec::new() };
        let token =
            match provider.token_request(&opening, cx.net.date().0).map_err(|why| caller.refused("token", &why))? {
                None => None,
                Some((url, request)) => Some(caller.token(cx, &url, &request).await?),
            };
        let headers = provider.headers(&opening, token.as_deref());
        caller.headers = headers.ok_or_else(|| denied("its secrets cannot be shown to the provider"))?;
        Ok(caller)
    }

    /// Asks for a token, at the provider's own place or at the one that the operator names.
    async fn token(&self, cx: &Context<'_>, url: &str, request: &Request) -> Result<String, TaskError> {
        let url = match cx.settings.cloud_endpoints.get(&self.provider.name) {
            Some(base) => {
                format!("{base}{}", url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default())
            }
            None => url.to_owned(),
        };
        self.ask(cx, "token", &url, request, provider::token).await
    }

    /// Asks for a whole list, page by page; one that is asked for each item of another, after that one.
    pub(crate) async fn all(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        place: &Place<'_>,
    ) -> Result<Vec<Asset>, TaskError> {
        let Some(before) = &list.after else { return self.pages(cx, list, &Value::Null, place).await };
        let before =
            self.provider.list(before).ok_or_else(|| TaskError::Failed(format!("no list is named {before}")))?;
        let parents = self.pages(cx, before, &Value::Null, place).await?;
        if parents.len() > PARENTS_MAX {
            let said =
                format!("{}: {} has more than {PARENTS_MAX} items", self.provider.pretty_name, before.permission);
            return Err(TaskError::OutOfBudget(said));
        }
        let mut assets = Vec::new();
        for parent in &parents {
            assets.extend(self.pages(cx, list, &parent.item, place).await?);
        }
        Ok(assets)
    }

    async fn pages(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        parent: &Value,
        place: &Place<'_>,
    ) -> Result<Vec<Asset>, TaskError> {
        let what = list.permission.as_str();
        let unknown =
            || TaskError::Failed(format!("{}: what {what} is asked by is missing", self.provider.pretty_name));
        let (mut assets, mut mark) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let request = list.request(mark.as_ref(), parent, place).ok_or_else(unknown)?;
            let url = format!("{}{}", self.base, request.target);
            let read = |status: u16, body: &[u8]| match provider::answer(status, body) {
                Ok(answer) => list
                    .page(&answer, mark.as_ref(), parent, place)
                    .ok_or_else(|| Refusal::Other(format!("the answer to {what} cannot be read"))),
                Err(refusal) if list.is_nothing(&refusal) => Ok(Page::default()),
                Err(refusal) => Err(refusal),
            };
            let Page { assets: more, next } = self.ask(cx, what, &url, &request, read).await?;
            assets.extend(more);
            match next {
                Some(next) if mark.as_ref() != Some(&next) => mark = Some(next),
                _ => return Ok(assets),
            }
        }
        Err(TaskError::OutOfBudget(format!("{}: {what} has more than {PAGES_MAX} pages", self.provider.pretty_name)))
    }

    /// Sends a request and reads its answer.
    async fn ask<T>(
        &self,
        cx: &Context<'_>,
        what: &str,
        url: &str,
        request: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T, TaskError> {
        let mut asked = HttpRequest {
            learned: vec![self.base.clone()],
            body_kept: limits::SOURCE_LIST_MAX,
            timeout: limits::SOURCE_TIMEOUT,
            body: request.body.clone().into_bytes(),
            ..cx.net.get(url)?
        }
        .with_method(request.method)
        .on(Grant::Source(PROVIDER));
        for (name, value) in request.headers.iter().chain(&self.headers) {
            asked = asked.with_header(name, value);
        }
        let name = &self.provider.pretty_name;
        let mut wait = FIRST_WAIT;
        for tried in 1.. {
            let answer = cx.net.http(&asked).await.map_err(|error| TaskError::source(name, &error))?;
            if answer.truncated {
                return Err(TaskError::SourceDown(format!("{name}: the answer to {what} broke off")));
            }
            match read(answer.status, &answer.body) {
                Ok(read) => return Ok(read),
                Err(Refusal::Throttled(_)) if tried < TRIES_MAX => cx.net.sleep(wait).await,
                Err(why) => return Err(self.refused(what, &why)),
            }
            wait *= 2;
        }
        unreachable!("the last try returns")
    }

    fn refused(&self, what: &str, why: &Refusal) -> TaskError {
        let said = format!("{}, {what}: {why}", self.provider.pretty_name);
        match why {
            Refusal::Denied(_) | Refusal::BadKeys(_) => TaskError::Denied(said),
            Refusal::Throttled(_) | Refusal::Other(_) => TaskError::SourceDown(said),
        }
    }
}

fn denied(why: &str) -> TaskError {
    TaskError::Denied(format!("the account cannot be asked: {why}"))
}
