//! Visits the front page of a domain once, as a browser does, and keeps what is needed to compare it with another and
//! to say how it is protected.

use crate::ask::host::{is_resembling, same_domain};
use crate::ask::{bindings, web};
use crate::read::front;
use crate::read::page::Page;
use crate::tasks::favicon::{ICON_BYTES, is_image};
use crate::tasks::http_enrich::SECURITY_HEADERS;
use crate::tasks::linked_hosts::policy_hosts;
use crate::{Answer, Context, Plan, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::front_page::{FrontPage, Https};
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::http::{ChainEnd, HttpExchange, HttpFetch, HttpRequest, Url, is_unavailable};
use ambit_net::{Grant, NetError};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::FrontPage,
    pretty_name: "Front page",
    description: "Visits the front page of a domain once, with its icon, and keeps what tells it from others and what \
                  protects its visitors.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    cost: 4,
    gain: 8,
    plan: |facts, _| match is_visited(facts) {
        true => bindings::plan(facts, binding(facts)),
        false => Plan::No,
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Seeds, and what resembles them.
fn is_visited(facts: &Facts) -> bool {
    (facts.seed && facts.decision.scoped()) || is_resembling(facts)
}

/// Where the page is asked for: at one of the domain's addresses, as browsers do.
pub(crate) fn binding(facts: &Facts) -> Option<String> {
    bindings::of_name(facts, &[443], |_| false).into_iter().next()
}

/// Returns true where all was asked that can be: these tasks, and the front page where it may be visited.
pub(crate) fn was_asked(facts: &Facts, tasks: &[TaskName]) -> bool {
    let has_asked = |task: TaskName| facts.outcome(task).is_some();
    let can_be_visited =
        facts.decision.clearance >= Clearance::L2 && binding(facts).is_some_and(|at| is_cleared(facts, &at));
    tasks.iter().all(|task| has_asked(*task)) && (!can_be_visited || has_asked(TaskName::FrontPage))
}

/// Returns whether the address of a binding may be visited. One to which somebody else's name led may not.
fn is_cleared(facts: &Facts, binding: &str) -> bool {
    let Ok(at) = binding.parse::<SocketAddr>() else { return false };
    let mut addresses = facts.to(EdgeKind::ResolvesTo).filter(|end| end.clearance >= Clearance::L2);
    addresses.any(|end| end.name.parse() == Ok(at.ip()))
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let secure = visit(cx, true).await?;
    let plain = visit(cx, false).await?;
    let Some(main) = secure.as_ref().or(plain.as_ref()) else { return Ok(Answer::Absent) };
    // Its page of a moment ago is compared with others, and is not gone for that.
    if had_answered(domain::FRONT_PAGE.of(&cx.facts.details).as_ref()) {
        web::unless_outage(cx, TASK.name, content(cx, main).status)?;
    }
    let mut page = describe(cx, main);
    page.https = secure.as_ref().and_then(encryption);
    page.plain = match &plain {
        Some(fetch) if secure.is_some() && is_unavailable(content(cx, fetch).status) => {
            domain::FRONT_PAGE.of(&cx.facts.details).is_some_and(|known| known.plain)
        }
        Some(fetch) => !fetch.exchanges.iter().any(|exchange| exchange.url.https),
        None => false,
    };
    page.icon = icon(cx, main).await?;
    cx.observe(domain::FRONT_PAGE, page);
    Ok(Answer::Found)
}

/// Returns true where the domain has had a page: one that never said anything but that it cannot answer is believed.
fn had_answered(known: Option<&FrontPage>) -> bool {
    known.is_some_and(|known| !is_unavailable(known.status))
}

/// The page with what its redirects led to; `None` where nothing speaks HTTP there.
async fn visit(cx: &Context<'_>, https: bool) -> Result<Option<HttpFetch>, TaskError> {
    let address = cx.argument.parse::<SocketAddr>();
    let address = address.map_err(|_| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let url = Url::site(https, &cx.facts.name, if https { 443 } else { 80 })?;
    match cx.net.fetch(&request(cx, &url, address, web::PAGE_BYTES)?).await {
        Ok(fetch) => Ok(Some(fetch)),
        Err(error) if bindings::is_closed(&error) || web::is_no_answer(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn request(cx: &Context<'_>, url: &Url, address: SocketAddr, body_kept: usize) -> Result<HttpRequest, NetError> {
    let mut request = cx.net.get(&url.to_string())?;
    request.address = Some(SocketAddr::new(address.ip(), url.port));
    request.grant = Grant::Target;
    request.body_kept = body_kept;
    Ok(request)
}

/// The last answer that a visitor gets without leaving the domain.
fn content<'a>(cx: &Context<'_>, fetch: &'a HttpFetch) -> &'a HttpExchange {
    let stays = fetch.exchanges.iter().take_while(|exchange| same_domain(&exchange.url.host, &cx.facts.name));
    stays.last().unwrap_or_else(|| fetch.last())
}

fn describe(cx: &Context<'_>, fetch: &HttpFetch) -> FrontPage {
    let exchange = content(cx, fetch);
    let body = web::text(exchange);
    let page = if web::is_html(exchange) { Page::parse(&body, &exchange.url) } else { Page::default() };
    let mut seen = front::read(&page, &exchange.url.host, &body);
    seen.url = exchange.url.to_string();
    seen.status = exchange.status;
    seen.leads_to = leads_to(cx, fetch, &page);
    seen.notice = front::notice(&page, &body, seen.leads_to.as_deref());
    seen.protections = protections(exchange, &page);
    seen.allows = allowed_hosts(exchange, &page);
    seen
}

/// The first host outside of the domain to which the page sends its visitors.
fn leads_to(cx: &Context<'_>, fetch: &HttpFetch, page: &Page) -> Option<String> {
    let end = match &fetch.end {
        ChainEnd::OutOfScope { url, .. } | ChainEnd::Failed { url, .. } | ChainEnd::Loop(url) => Some(url.host.clone()),
        ChainEnd::Answer | ChainEnd::TooMany | ChainEnd::NotHttp(_) => None,
    };
    let refresh = page.refresh.as_deref().and_then(|target| Url::parse(target).ok()).map(|url| url.host);
    let hosts = fetch.exchanges.iter().map(|exchange| exchange.url.host.clone());
    hosts.chain(end).chain(refresh).find(|host| !same_domain(host, &cx.facts.name))
}

/// Headers of an answer that protect visitors, or what its page holds in their place.
fn protections(exchange: &HttpExchange, page: &Page) -> BTreeSet<String> {
    let held = |name: &str| name == "content-security-policy" && !page.policies.is_empty();
    let there = SECURITY_HEADERS.iter().filter(|name| web::header(exchange, name).is_some() || held(name));
    there.map(|name| (*name).to_owned()).collect()
}

/// Hosts that the content policies of an answer name.
fn allowed_hosts(exchange: &HttpExchange, page: &Page) -> BTreeSet<String> {
    let policies = ["content-security-policy", "content-security-policy-report-only"];
    let sent = policies.iter().map(|name| web::header(exchange, name).unwrap_or(""));
    sent.chain(page.policies.iter().map(String::as_str)).flat_map(policy_hosts).collect()
}

fn encryption(fetch: &HttpFetch) -> Option<Https> {
    let tls = fetch.exchanges.first()?.tls.as_ref()?;
    let certificate = tls.certificate().and_then(Result::ok);
    Some(Https {
        version: tls.version.name().to_owned(),
        trusted: tls.verification.is_trusted(),
        certificate: certificate.as_ref().map(|certificate| certificate.sha256.clone()),
        ends: certificate.map(|certificate| certificate.not_after),
    })
}

/// The hash of the icon that the page names, or of the usual one. An icon on another host is that host's.
async fn icon(cx: &Context<'_>, fetch: &HttpFetch) -> Result<Option<String>, TaskError> {
    let exchange = content(cx, fetch);
    if !web::is_html(exchange) || !same_domain(&exchange.url.host, &cx.facts.name) {
        return Ok(None);
    }
    let url = &exchange.url;
    let named = Page::parse(&web::text(exchange), url).icon.and_then(|icon| Url::parse(&icon).ok());
    let named = named.filter(|icon| (icon.https, &icon.host, icon.port) == (url.https, &url.host, url.port));
    let asked = named.unwrap_or_else(|| url.with_path("/favicon.ico"));
    match cx.net.http(&request(cx, &asked, exchange.address, ICON_BYTES)?).await {
        Ok(answer) if answer.status == 200 && !answer.truncated && is_image(&answer.body) => {
            Ok(Some(hex::encode(Sha256::digest(&answer.body))))
        }
        Ok(_) => Ok(None),
        Err(error) if web::is_no_answer(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_domain_that_had_a_page_has_an_outage() {
        let page = |status| FrontPage { status, ..FrontPage::default() };
        assert!(!had_answered(None), "it was never visited");
        for (status, had) in [(200, true), (404, true), (500, true), (503, false), (429, false), (522, false)] {
            assert_eq!(had_answered(Some(&page(status))), had, "{status}");
        }
    }
}
