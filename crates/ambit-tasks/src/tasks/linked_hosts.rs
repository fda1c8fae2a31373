//! What a site points to: hosts, mailboxes, buckets, and identifiers of services in its page, scripts and policy.

use crate::ask::host::same_domain;
use crate::ask::{bindings, web};
use crate::read::front_links::FrontLinks;
use crate::read::handed_out::HandedOut;
use crate::read::page::Page;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::{registrable, uri};
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::http::{BodyEnd, HttpExchange, Url};
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::LinkedHosts,
    pretty_name: "Linked hosts",
    description: "Extracts hosts, mailboxes, storage buckets and identifiers from a site's page, its own scripts and \
                  its Content Security Policy.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    produces: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::EmailAddress, Kind::UniqueToken],
    cost: 4,
    gain: 8,
    plan: |facts, _| Plan::bound(bindings::of_root_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Own scripts that are read.
const SCRIPTS_MAX: usize = 10;
/// Bytes of a script.
const SCRIPT_BYTES: usize = 512 * 1_024;
/// Hosts of one page that are followed.
const HOSTS_MAX: usize = 300;
/// Mailboxes of one page.
const MAILBOXES_MAX: usize = 100;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let Some(fetch) = web::answered(web::visit(cx, &url).await)? else { return Ok(Answer::Absent) };
    let stays = |exchange: &&HttpExchange| {
        exchange.url.host == url.host && exchange.url.port == url.port && exchange.url.https == url.https
    };
    let (mut found, mut unread) = (HandedOut::of(cx.facts), Unread::default());
    let mut front = FrontLinks::new(&url, BTreeSet::new());
    for exchange in fetch.exchanges.iter().filter(stays) {
        let body = web::text(exchange);
        read_policy(&mut found, exchange);
        if let Some(page) = web::page(&fetch, exchange) {
            let mailboxes = page.mailboxes.iter().filter_map(|mailbox| Kind::EmailAddress.canonical(mailbox).ok());
            found.text.mailboxes.extend(mailboxes);
            found.read_page(&body, page, exchange.url.path_only());
            front.follow(&exchange.url, page, 0);
            read_scripts(cx, &own_scripts(page, &url), &mut found, &mut unread).await?;
        } else {
            found.read_text(&body, exchange.url.path_only());
        }
    }
    let leads_on = front.leads_on();
    if leads_on {
        cx.observe(uri::LEADS_ON, true);
    }
    let mut hosts = say(cx, TASK.name, &url, &found);
    let HandedOut { text, tokens, .. } = &found;
    let nothing = hosts.is_empty() && text.mailboxes.is_empty() && text.buckets.is_empty() && tokens.is_empty();
    if unread.scripts > 0 {
        cx.leave_out(format!("own scripts of the site that are not read: {}", unread.scripts));
    }
    // A site with more scripts than are read has them at each look: were all kept for that, nothing would ever be gone.
    let is_partial = unread.failure.is_some() || !text.cut.is_empty();
    if is_partial {
        cx.all_stands(TASK.name);
        hosts.extend(known_hosts(cx));
    }
    cx.observe(uri::LINKED_HOSTS, json!(hosts));
    let stands = is_partial && unread.failure.is_none() && cx.facts.led_to(TASK.name, cx.argument).next().is_some();
    Answer::despite(stands || leads_on || !nothing, unread.failure)
}

/// What scripts may say that were not read.
#[derive(Default)]
struct Unread {
    /// How many are beyond the limit, must not be asked for, or are sent in part.
    scripts: usize,
    /// Why the first one could not be read.
    failure: Option<TaskError>,
}

async fn read_scripts(cx: &Context<'_>, scripts: &[Url], found: &mut HandedOut, unread: &mut Unread) -> Result<()> {
    unread.scripts += scripts.len().saturating_sub(SCRIPTS_MAX);
    for script in scripts.iter().take(SCRIPTS_MAX) {
        match web::get(cx, script, SCRIPT_BYTES).await.and_then(HttpExchange::available) {
            Ok(answer) if answer.status == 200 && !web::is_html(&answer) => {
                found.read_text(&web::text(&answer), script.path_only());
                // One that breaks off does so at each look.
                let is_whole = matches!(answer.end, BodyEnd::Complete | BodyEnd::Opaque | BodyEnd::TooLarge);
                unread.scripts += usize::from(!is_whole);
            }
            Ok(_) => {}
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(
                error @ (NetError::Timeout(_)
                | NetError::Reset(_)
                | NetError::Closed(_)
                | NetError::Unreachable(_)
                | NetError::Unavailable(_)),
            ) => {
                unread.failure.get_or_insert_with(|| error.into());
            }
            Err(_) => unread.scripts += 1,
        }
    }
    Ok(())
}

fn own_scripts(page: &Page, site: &Url) -> Vec<Url> {
    let scripts = page.scripts.iter().filter_map(|script| Url::parse(script).ok());
    scripts
        .filter(|script| script.host == site.host && script.port == site.port && script.https == site.https)
        .collect()
}

/// The hosts of an earlier look. If there were looks with other arguments too, those to which this one led.
fn known_hosts(cx: &Context<'_>) -> Vec<String> {
    let is_alone = cx.facts.probes_of(TASK.name).all(|(argument, _)| argument == cx.argument);
    let led: BTreeSet<&str> = cx.facts.led_to(TASK.name, cx.argument).map(|end| end.name.as_str()).collect();
    let known = uri::LINKED_HOSTS.of(&cx.facts.details).and_then(|hosts| serde_json::from_value(hosts).ok());
    let known: Vec<String> = known.unwrap_or_default();
    known.into_iter().filter(|host| is_alone || led.contains(host.as_str())).collect()
}

/// Says which mailboxes, storage buckets and tokens a site hands out, and which hosts beside its own; returns these.
pub(crate) fn say(cx: &Context<'_>, task: TaskName, url: &Url, handed: &HandedOut) -> BTreeSet<String> {
    let hosts: BTreeSet<String> = handed.hosts_beside(url).collect();
    let hosts: BTreeSet<String> = cx.kept(task, hosts, HOSTS_MAX, "hosts").into_iter().collect();
    for host in hosts.iter().filter(|host| host.parse::<std::net::IpAddr>().is_err()) {
        cx.found_host(host, EdgeKind::Link);
    }
    let own = |mailbox: &&String| {
        mailbox.rsplit_once('@').is_some_and(|(_, domain)| same_domain(domain, &url.host) || url.host.ends_with(domain))
    };
    let mailboxes = handed.text.mailboxes.iter().filter(own);
    for mailbox in cx.kept(task, mailboxes, MAILBOXES_MAX, "e-mail addresses") {
        cx.found_mailbox(mailbox);
    }
    let domains = || cx.facts.seeds.domains().iter().map(String::as_str).chain(registrable(&url.host));
    for bucket in &handed.text.buckets {
        let edge = if handed.is_likely_theirs(bucket, domains()) { EdgeKind::Bucket } else { EdgeKind::Link };
        cx.found(Kind::CloudStorageBucket, bucket, edge);
    }
    for token in handed.tokens.values() {
        cx.found_token(&token.token, &token.provider, token.sensitive);
    }
    if handed.more_tokens {
        cx.leave_out(format!("tokens beyond the first {}", handed.tokens.len()));
    }
    if !handed.text.cut.is_empty() {
        handed.text.cut.iter().for_each(|what| cx.leave_out(format!("{what} beyond those that are read of a text")));
        cx.all_stands(task);
    }
    hosts
}

/// Takes up the sources that the content policy of an answer allows.
fn read_policy(handed: &mut HandedOut, exchange: &HttpExchange) {
    for name in ["content-security-policy", "content-security-policy-report-only"] {
        handed.text.hosts.extend(policy_hosts(web::header(exchange, name).unwrap_or("")));
    }
}

/// Hosts in a content policy; `*.acme.test` is `acme.test`.
pub(crate) fn policy_hosts(policy: &str) -> BTreeSet<String> {
    let sources =
        policy.split([' ', '\t', ';', ',']).map(|source| source.split_once("://").map_or(source, |(_, rest)| rest));
    let hosts = sources.map(|source| source.split([':', '/']).next().unwrap_or("").trim_start_matches("*."));
    hosts
        .filter(|host| host.contains('.') && !host.starts_with('\''))
        .filter_map(|host| Kind::DnsRecord.canonical(host).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_hosts() {
        let hosts = policy_hosts(
            "default-src 'self' https://cdn.acme.test:8443/x; img-src *.images.test data: blob:; \
             report-uri /csp;\tfont-src\tfonts.test",
        );
        assert_eq!(hosts.into_iter().collect::<Vec<_>>(), ["cdn.acme.test", "fonts.test", "images.test"]);
    }
}
