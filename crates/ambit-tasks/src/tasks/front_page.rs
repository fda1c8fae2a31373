//! Visits the front page of a domain once, as a browser does, and keeps what is needed to compare it with another and
//! to say how it is protected.

use crate::ask::host::{is_resembling, same_domain};
use crate::ask::{bindings, web};
use crate::read::front;
use crate::read::page::Page;
use crate::tasks::favicon::{ICON_BYTES, is_image};
use crate::tasks::http_enrich::SECURITY_HEADERS;
use crate::tasks::linked_hosts::policy_hosts;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::front_page::{FrontPage, Https};
use ambit_model::facts::ProbeOutcome;
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Timestamp, workflow};
use ambit_net::http::{ChainEnd, HttpExchange, HttpFetch, HttpRequest, Url, is_unavailable};
use ambit_net::{Grant, NetError};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::FrontPage,
    pretty_name: "Front page",
    description: "Visits the front page of a domain once, with its icon, and keeps what distinguishes it from others \
                  and what protects its visitors.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    cost: 4,
    gain: 8,
    plan: |facts, _| {
        if is_visited(facts) { until_seen_elsewhere(facts, bindings::plan(facts, binding(facts))) } else { Plan::No }
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

/// The page at a former address stands until another has shown its own, or that it has none: while that one fails,
/// nothing is known to have changed. Where no other may be visited, nothing is kept of it.
fn until_seen_elsewhere(facts: &Facts, plan: Plan) -> Plan {
    let Plan::Bound { asked, mut bound } = plan else { return plan };
    let is_seen = |at: &String| facts.outcome_at(TASK.name, at).is_some_and(ProbeOutcome::is_whole);
    let has_page = domain::FRONT_PAGE.of(&facts.details).is_some();
    if has_page && !asked.is_empty() && !bound.iter().any(is_seen) {
        bound.extend(facts.probes_of(TASK.name).map(|(argument, _)| argument.to_owned()));
        bound.sort();
        bound.dedup();
    }
    Plan::Bound { asked, bound }
}

/// The page by which a domain was seen to pass for theirs: a copy, or one that asked for a password.
fn deceived(facts: &Facts) -> Option<FrontPage> {
    let page = domain::FRONT_PAGE.of(&facts.details).filter(|_| is_resembling(facts))?;
    let copied = || domain::IMPERSONATION.of(&facts.details).is_some_and(|made| made.copies);
    (page.login || copied()).then_some(page)
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

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let (secure, plain) = (visit(cx, true).await, visit(cx, false).await);
    let is_plain_unseen = plain.is_err();
    let [secure, plain] = either(cx, secure, plain)?;
    let Some(main) = secure.as_ref().or(plain.as_ref()) else { return Ok(Answer::Absent) };
    // Its page of a moment ago is compared with others, and is not gone for that.
    if had_answered(domain::FRONT_PAGE.of(&cx.facts.details).as_ref()) {
        web::unless_outage(cx, TASK.name, content(cx, main).status)?;
    }
    let mut page = describe(cx, main);
    unless_refused(cx, &page, content(cx, main))?;
    let known = || domain::FRONT_PAGE.of(&cx.facts.details);
    page.https = secure.as_ref().and_then(encryption);
    page.plain = match &plain {
        None if is_plain_unseen => known().is_some_and(|known| known.plain),
        Some(fetch) if secure.is_some() && is_unavailable(content(cx, fetch).status) => {
            known().is_some_and(|known| known.plain)
        }
        Some(fetch) => !fetch.exchanges.iter().any(|exchange| exchange.url.https),
        None => false,
    };
    page.icon = match icon(cx, main).await {
        Err(error) if is_resembling(cx.facts) && !is_over(&error) => {
            cx.leave_out(format!("its icon: {error}"));
            known().and_then(|known| known.icon)
        }
        icon => icon?,
    };
    cx.observe(domain::FRONT_PAGE, page);
    Ok(Answer::Found)
}

/// What the visits saw. Who passes for somebody need not answer on both ports: where one of them says nothing, the page
/// on the other is what victims are shown, unless there was one behind encryption before. Of all others, both must
/// tell.
fn either(
    cx: &Context<'_>,
    secure: Result<Option<HttpFetch>>,
    plain: Result<Option<HttpFetch>>,
) -> Result<[Option<HttpFetch>; 2]> {
    let may_hide = |error: &TaskError| is_resembling(cx.facts) && !is_over(error);
    let was_secure = domain::FRONT_PAGE.of(&cx.facts.details).is_some_and(|known| known.https.is_some());
    match (secure, plain) {
        (Ok(Some(page)), Err(error)) if may_hide(&error) => {
            cx.leave_out(format!("its page without encryption: {error}"));
            Ok([Some(page), None])
        }
        (Err(error), Ok(Some(page))) if may_hide(&error) && !was_secure => {
            cx.leave_out(format!("its page behind encryption: {error}"));
            Ok([None, Some(page)])
        }
        (secure, plain) => Ok([secure?, plain?]),
    }
}

/// Whether nothing more may be asked.
fn is_over(error: &TaskError) -> bool {
    matches!(error, TaskError::Net(NetError::Budget(_)))
}

/// Returns true where the domain has had a page: one that never said anything but that it cannot answer is believed.
fn had_answered(known: Option<&FrontPage>) -> bool {
    known.is_some_and(|known| !is_unavailable(known.status))
}

/// Days for which a page that deceived must answer refusals alone before they are what it shows. Such pages are shown
/// to their victims and refused to whoever seems to look for them.
const REFUSED_DAYS: i64 = 45;

/// Fails where a page that deceived is refused now: that says nothing of what victims are shown.
fn unless_refused(cx: &Context<'_>, page: &FrontPage, exchange: &HttpExchange) -> Result<()> {
    let shows_nothing = page.leads_to.is_none() && page.notice.is_none() && !page.login;
    let is_empty = || page.title.is_none() && Page::parse(&web::text(exchange), &exchange.url).text.trim().is_empty();
    let is_refusal = matches!(page.status, 401 | 403 | 404 | 410 | 429 | 451 | 500..) || is_empty();
    let seen = cx.facts.probes_of(TASK.name).filter_map(|(_, probe)| probe.confirmed).max();
    let is_recent = |seen: Timestamp| cx.net.date() < seen.plus_ms(REFUSED_DAYS * DAY_MS);
    match shows_nothing && is_refusal && deceived(cx.facts).is_some() && seen.is_some_and(is_recent) {
        true => Err(TaskError::Failed(format!(
            "status {} in place of the page that passed for theirs, which stands for {REFUSED_DAYS} days",
            page.status
        ))),
        false => Ok(()),
    }
}

/// The page with what its redirects led to; `None` where nothing speaks HTTP there.
async fn visit(cx: &Context<'_>, https: bool) -> Result<Option<HttpFetch>> {
    let address = cx.argument.parse::<SocketAddr>();
    let address = address.map_err(|_| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let url = Url::site(https, &cx.facts.name, if https { 443 } else { 80 })?;
    let known = domain::FRONT_PAGE.of(&cx.facts.details);
    let had_site = known.is_some_and(|known| if https { known.https.is_some() } else { known.plain });
    match cx.net.fetch(&request(cx, &url, address, web::PAGE_BYTES)?).await {
        Ok(fetch) => Ok(Some(fetch)),
        Err(error) if bindings::is_closed(&error) || web::is_no_answer(&error) => {
            if had_site {
                web::unless_silence(cx, TASK.name, error)?;
            }
            Ok(None)
        }
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
async fn icon(cx: &Context<'_>, fetch: &HttpFetch) -> Result<Option<String>> {
    let exchange = content(cx, fetch);
    if !web::is_html(exchange) || !same_domain(&exchange.url.host, &cx.facts.name) {
        return Ok(None);
    }
    let url = &exchange.url;
    let named = Page::parse(&web::text(exchange), url).icon.and_then(|icon| Url::parse(&icon).ok());
    let named = named.filter(|icon| (icon.https, &icon.host, icon.port) == (url.https, &url.host, url.port));
    let asked = named.unwrap_or_else(|| url.with_path("/favicon.ico"));
    let answer = web::answered(cx.net.http(&request(cx, &asked, exchange.address, ICON_BYTES)?).await)?;
    let image = answer.filter(|answer| answer.status == 200 && !answer.truncated && is_image(&answer.body));
    Ok(image.map(|image| hex::encode(Sha256::digest(&image.body))))
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
