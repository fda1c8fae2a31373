//! Asks AWS in the name of an account: signed requests on the ground of a data provider, again after a while where
//! there were too many.

use crate::{Account, Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::aws::{self, Keys};
use ambit_cloud::form::{Asset, Form, Page, Place, Request};
use ambit_net::http::{HttpRequest, Url};
use ambit_net::{Grant, limits};
use serde_json::Value;
use std::time::Duration;

/// The ground on which it is asked.
pub(crate) const PROVIDER: &str = "aws";
/// Times that a request is sent at most, where the provider asks for patience.
const TRIES_MAX: u32 = 5;
/// The wait before the second time; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Pages of one list: a million machines.
const PAGES_MAX: usize = 1_000;
/// Items that another list is asked for one by one: at the pace of an interface some minutes.
const PARENTS_MAX: usize = 5_000;

/// Where a request goes: service and region as its signature names them, and the host.
struct At<'a> {
    service: &'a str,
    region: &'a str,
    host: &'a str,
}

/// Keys of an account, and where it is asked first.
pub(crate) struct Caller {
    keys: Keys,
    /// The region for what is no region's own.
    pub(crate) region: String,
}

impl Caller {
    /// Returns the caller of the account of these facts. Where its integration names a role, the role is taken.
    ///
    /// # Errors
    /// The integration holds no keys, or the role is refused.
    pub(crate) async fn of(cx: &Context<'_>) -> Result<Self, TaskError> {
        let account = cx.settings.accounts.get(&cx.facts.name);
        let account =
            account.ok_or_else(|| denied("no integration opens it any more, or its secrets cannot be read"))?;
        let secret = |name: &str| secret(account, name);
        let keys = secret("aws_access_key_id").zip(secret("aws_secret_access_key"));
        let (id, key) = keys.ok_or_else(|| {
            denied("its integration has no secrets named aws_access_key_id and aws_secret_access_key")
        })?;
        let region = account.settings.get("region").and_then(|region| region.as_str());
        let region = region.filter(|region| aws::is_region(region)).unwrap_or(aws::FIRST_REGION);
        let keys = Keys { id, secret: key, token: secret("aws_session_token") };
        let caller = Self { keys, region: region.to_owned() };
        let Some(role) = secret("aws_role_arn") else { return Ok(caller) };
        let request = aws::assume_role(&role, secret("aws_external_id").as_deref());
        let keys = caller.ask_service(cx, ("sts", region), &request, aws::assumed).await?;
        Ok(Self { keys, ..caller })
    }

    /// Sends a request to a service in a region and reads its answer.
    pub(crate) async fn ask_service<T>(
        &self,
        cx: &Context<'_>,
        (service, region): (&str, &str),
        request: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T, TaskError> {
        let host = aws::host(service, region);
        self.ask(cx, &At { service, region, host: &host }, request, read).await
    }

    async fn ask<T>(
        &self,
        cx: &Context<'_>,
        at: &At<'_>,
        request: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T, TaskError> {
        let At { service, region, .. } = at;
        let mut wait = FIRST_WAIT;
        for tried in 1.. {
            let signed = self.signed(cx, at, request)?;
            let answer = cx.net.http(&signed).await.map_err(|error| TaskError::source("AWS", &error))?;
            if answer.truncated {
                return Err(TaskError::SourceDown(format!("AWS: the answer of {service} in {region} broke off")));
            }
            match read(answer.status, &answer.body) {
                Ok(read) => return Ok(read),
                Err(Refusal::Throttled(_)) if tried < TRIES_MAX => cx.net.sleep(wait).await,
                Err(why @ (Refusal::Denied(_) | Refusal::BadKeys(_))) => {
                    return Err(TaskError::Denied(format!("AWS, {service} in {region}: {why}")));
                }
                Err(why) => return Err(TaskError::SourceDown(format!("AWS, {service} in {region}: {why}"))),
            }
            wait *= 2;
        }
        unreachable!("the last try returns")
    }

    /// Asks for a whole list, page by page; one that is asked for each item of another, after that one.
    pub(crate) async fn all(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        place: &Place<'_>,
    ) -> Result<Vec<Asset>, TaskError> {
        let Some(before) = &list.after else { return self.pages(cx, list, &Value::Null, place).await };
        let before = aws::list(before).ok_or_else(|| TaskError::Failed(format!("no list is named {before}")))?;
        let parents = self.pages(cx, before, &Value::Null, place).await?;
        if parents.len() > PARENTS_MAX {
            let said = format!("{} in {} has more than {PARENTS_MAX} items", before.permission, place.region);
            return Err(TaskError::OutOfBudget(said));
        }
        let mut assets = Vec::new();
        for parent in &parents {
            let region = list.region_of(&parent.item).filter(|region| aws::is_region(region));
            let place = Place { region: region.as_deref().unwrap_or(place.region), ..*place };
            assets.extend(self.pages(cx, list, &parent.item, &place).await?);
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
        let unknown =
            || TaskError::Failed(format!("AWS: it is not known how {} is asked in {}", list.permission, place.region));
        let host = aws::host_of(list, place.region).ok_or_else(unknown)?;
        let at = At { service: &list.service, region: place.region, host: &host };
        let (mut assets, mut mark) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let request = list.request(mark.as_ref(), parent, place).ok_or_else(unknown)?;
            let read = |status: u16, body: &[u8]| aws::page(list, mark.as_ref(), parent, place, (status, body));
            let Page { assets: more, next } = self.ask(cx, &at, &request, read).await?;
            assets.extend(more);
            match next {
                Some(next) if mark.as_ref() != Some(&next) => mark = Some(next),
                _ => return Ok(assets),
            }
        }
        Err(TaskError::OutOfBudget(format!("{} in {} has more than {PAGES_MAX} pages", list.permission, place.region)))
    }

    /// The request with its signature, to the provider's own host or to where the operator says.
    fn signed(&self, cx: &Context<'_>, at: &At<'_>, request: &Request) -> Result<HttpRequest, TaskError> {
        let At { service, region, host } = at;
        let named = cx.settings.aws_endpoint.as_deref().map(|url| url.trim_end_matches('/').to_owned());
        let base = named.clone().unwrap_or_else(|| format!("https://{host}"));
        let url = format!("{base}{}", request.target);
        let host = Url::parse(&url)?.authority();
        let headers = aws::sign(&self.keys, request, (service, region), &host, cx.net.date().0);
        let headers = headers.map_err(|why| TaskError::Failed(why.to_string()))?;
        let mut asked = HttpRequest {
            learned: named.into_iter().collect(),
            body_kept: limits::SOURCE_LIST_MAX,
            timeout: limits::SOURCE_TIMEOUT,
            body: request.body.clone().into_bytes(),
            ..cx.net.get(&url)?
        }
        .with_method(request.method)
        .on(Grant::Source(PROVIDER));
        for (name, value) in &headers {
            asked = asked.with_header(name, value);
        }
        Ok(asked)
    }
}

fn secret(account: &Account, name: &str) -> Option<String> {
    let text = account.secrets.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn denied(why: &str) -> TaskError {
    TaskError::Denied(format!("the account cannot be asked: {why}"))
}
