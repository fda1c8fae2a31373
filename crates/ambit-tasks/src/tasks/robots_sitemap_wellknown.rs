//! What a site says to machines: robots.txt, sitemap, security.txt and other well-known files.

use crate::ask::host::same_domain;
use crate::ask::{bindings, web};
use crate::history::within;
use crate::read::mentions::Mentions;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::host_of;
use ambit_model::entity::{Member, mentioned, uri};
use ambit_model::{Details, EdgeKind, Kind, TaskName, workflow};
use ambit_net::http::{HttpExchange, Url};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

pub(crate) const TASK: Task = Task {
    name: TaskName::RobotsSitemapWellknown,
    pretty_name: "Files for machines",
    description: "Reads robots.txt, the sitemap, security.txt and other well-known files.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::EmailAddress],
    cost: 8,
    gain: 5,
    plan: |facts, _| Plan::bound(bindings::of_root_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Bytes of one of these files.
const FILE_BYTES: usize = 256 * 1_024;
/// Paths of a robots file or a sitemap that are kept.
const PATHS_MAX: usize = 500;
/// Hosts of the same domain that these files name and that are followed.
const HOSTS_MAX: usize = 300;
/// Other well-known files, each with a text that only the real one holds.
const WELL_KNOWN: &[(&str, &str)] = &[
    ("/.well-known/openid-configuration", "\"authorization_endpoint\""),
    ("/.well-known/oauth-authorization-server", "\"token_endpoint\""),
    ("/.well-known/assetlinks.json", "\"package_name\""),
    ("/.well-known/apple-app-site-association", "\"applinks\""),
    ("/.well-known/matrix/server", "\"m.server\""),
];

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let mut seen = false;
    let robots = web::answered(web::get(cx, &url.with_path("/robots.txt"), FILE_BYTES).await)?;
    let Some(robots) = robots else { return Ok(Answer::Absent) };
    let robots = web::whole(robots.available()?)?;
    // A site that redirects even this file redirects everything, so the file belongs to the other site.
    if (300..400).contains(&robots.status) {
        return Ok(Answer::Absent);
    }
    let (mut hosts, mut paths) = (BTreeSet::new(), BTreeSet::new());
    let mut sitemaps = vec![url.with_path("/sitemap.xml")];
    if let Some(robots) = text_file(&robots).map(|text| Robots::parse(&text)).filter(|robots| robots.is_one) {
        seen = true;
        cx.observe(uri::ROBOTS, json!(kept_paths(cx, robots.paths, uri::ROBOTS, "paths of robots.txt")));
        let named: Vec<Url> = robots.sitemaps.iter().filter_map(|sitemap| url.join(sitemap).ok()).collect();
        hosts.extend(named.iter().map(|sitemap| sitemap.host.clone()));
        let own = named.into_iter().filter(|sitemap| sitemap.host == url.host);
        sitemaps = own.take(1).chain(sitemaps).collect();
    }
    let mut has_sitemap = false;
    for sitemap in sitemaps.into_iter().take(2) {
        has_sitemap |= read_sitemap(cx, &url, &sitemap, (&mut hosts, &mut paths)).await?;
    }
    if has_sitemap {
        seen = true;
        cx.observe(uri::SITEMAP, json!(kept_paths(cx, paths, uri::SITEMAP, "paths of the sitemap")));
    }
    hosts.retain(|host| *host != url.host && same_domain(host, &url.host));
    for host in cx.kept(TASK.name, hosts, HOSTS_MAX, "hosts") {
        cx.found_host(&host, EdgeKind::Link);
    }
    seen |= read_security(cx, &url).await?;
    let mut known = BTreeSet::new();
    for (path, mark) in WELL_KNOWN {
        let answer = file(cx, &url, path).await?;
        if answer
            .is_some_and(|answer| answer.status == 200 && !web::is_html(&answer) && web::text(&answer).contains(mark))
        {
            known.insert(*path);
        }
    }
    if !known.is_empty() {
        seen = true;
        cx.observe(uri::WELL_KNOWN, json!(known));
    }
    if url.https && url.host.starts_with("mta-sts.") {
        seen |= read_mta_sts(cx, &url).await?;
    }
    Ok(Answer::found_if(seen))
}

/// Leads to another host of the same domain that a file names.
fn found_host(cx: &Context<'_>, url: &Url, host: &str) {
    if host != url.host && same_domain(host, &url.host) {
        cx.found_host(host, EdgeKind::Link);
    }
}

/// Fetches one file; `None` if nothing answers at all, or it must not be asked for.
async fn file(cx: &Context<'_>, url: &Url, path: &str) -> Result<Option<HttpExchange>> {
    match web::get(cx, &url.with_path(path), FILE_BYTES).await {
        Ok(exchange) => web::whole(exchange.available()?).map(Some),
        Err(error) if web::is_no_answer(&error) || web::is_closed(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The text of a file that is there and is no page: pages at such paths are soft 404s.
fn text_file(exchange: &HttpExchange) -> Option<String> {
    (exchange.status == 200 && !web::is_html(exchange)).then(|| web::text(exchange))
}

/// What a file for robots says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Robots {
    is_one: bool,
    paths: BTreeSet<String>,
    /// Paths that no robot shall visit, patterns among them. The whole site is not.
    pub(crate) closed: BTreeSet<String>,
    sitemaps: BTreeSet<String>,
}

impl Robots {
    pub(crate) fn parse(text: &str) -> Self {
        let mut robots = Self::default();
        let (mut for_all, mut in_group) = (false, false);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or("");
            let Some((field, value)) = line.split_once(':') else { continue };
            let value = value.trim().to_owned();
            match field.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    robots.is_one = true;
                    for_all = (for_all && !in_group) || value == "*";
                    in_group = false;
                }
                field @ ("allow" | "disallow") if value.starts_with('/') => {
                    robots.is_one = true;
                    in_group = true;
                    if field == "disallow" && for_all && value.trim_end_matches(['*', '$']) != "/" {
                        robots.closed.insert(value.clone());
                    }
                    robots.paths.insert(value);
                }
                "sitemap" if !value.is_empty() => {
                    robots.is_one = true;
                    robots.sitemaps.insert(value);
                }
                _ => {}
            }
        }
        robots
    }
}

/// Bytes of a location that is read.
const LOCATION_BYTES_MAX: usize = 2_000;
static LOCATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<loc>\s*(https?://[^\s<]+)\s*</loc>").expect("the expression is constant"));

/// As many paths as a record has room for, first those that are known.
fn kept_paths(cx: &Context<'_>, paths: BTreeSet<String>, member: Member, what: &str) -> Vec<String> {
    let more = paths.len().saturating_sub(PATHS_MAX);
    if more > 0 {
        cx.leave_out(format!("{more} {what} are left out: no more than {PATHS_MAX} are kept"));
    }
    let known = member.raw(&cx.facts.details).and_then(Value::as_array).into_iter().flatten();
    let known: BTreeSet<&str> = known.filter_map(Value::as_str).collect();
    within(paths.into_iter().collect(), PATHS_MAX, |path| known.contains(path.as_str()))
}

/// Adds the hosts and the paths of this one that a sitemap names; false where there is none.
async fn read_sitemap(
    cx: &Context<'_>,
    url: &Url,
    sitemap: &Url,
    (hosts, paths): (&mut BTreeSet<String>, &mut BTreeSet<String>),
) -> Result<bool> {
    let Some(answer) = file(cx, url, &sitemap.path).await? else {
        return Ok(false);
    };
    let body = web::text(&answer);
    if answer.status != 200 || !(body.contains("<urlset") || body.contains("<sitemapindex")) {
        return Ok(false);
    }
    let locations = LOCATION.captures_iter(&body).filter_map(|found| found.get(1)).map(|location| location.as_str());
    for location in locations.filter(|location| location.len() <= LOCATION_BYTES_MAX) {
        let Ok(target) = Url::parse(location) else { continue };
        if target.host == url.host {
            paths.insert(target.path);
        } else {
            hosts.insert(target.host);
        }
    }
    Ok(true)
}

async fn read_security(cx: &Context<'_>, url: &Url) -> Result<bool> {
    for path in ["/.well-known/security.txt", "/security.txt"] {
        let Some(answer) = file(cx, url, path).await? else {
            return Ok(false);
        };
        let Some(text) = text_file(&answer) else { continue };
        let Some(security) = security(&text) else { continue };
        let mut named = Mentions::default();
        named.read(&text);
        let mailboxes = named.mailboxes.iter().filter_map(|mailbox| mailbox.rsplit_once('@').map(|(_, host)| host));
        named.hosts.iter().map(String::as_str).chain(mailboxes).for_each(|host| found_host(cx, url, host));
        for mailbox in list(&security, "contact").filter_map(|contact| contact.strip_prefix("mailto:")) {
            let origin =
                Details::from_iter([mentioned::ORIGIN.is(json!(format!("{}{path}", host_of(&cx.facts.name))))]);
            cx.found_with(Kind::EmailAddress, mailbox, EdgeKind::Contact, origin);
        }
        cx.observe(uri::SECURITY_TXT, security);
        return Ok(true);
    }
    Ok(false)
}

fn list<'a>(of: &'a Value, member: &str) -> impl Iterator<Item = &'a str> {
    of.get(member).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// RFC 9116: a file without a contact is none.
fn security(text: &str) -> Option<Value> {
    let field = |name: &str| {
        let rows = text.lines().filter_map(|line| line.split_once(':'));
        let rows = rows.filter(|(field, _)| field.trim().eq_ignore_ascii_case(name));
        rows.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty()).collect::<BTreeSet<String>>()
    };
    let contact = field("contact");
    (!contact.is_empty())
        .then(|| json!({"contact": contact, "expires": field("expires").first(), "policy": field("policy").first()}))
}

async fn read_mta_sts(cx: &Context<'_>, url: &Url) -> Result<bool> {
    let answer = file(cx, url, "/.well-known/mta-sts.txt").await?;
    let policy = answer.and_then(|answer| text_file(&answer)).and_then(|text| mta_sts(&text));
    if let Some(policy) = &policy {
        cx.observe(uri::MTA_STS_POLICY, policy.clone());
        list(policy, "mx").for_each(|server| found_host(cx, url, server.trim_start_matches("*.")));
    }
    Ok(policy.is_some())
}

fn mta_sts(text: &str) -> Option<Value> {
    let field = |name: &str| -> BTreeSet<String> {
        let rows = text.lines().filter_map(|line| line.split_once(':'));
        rows.filter(|(field, _)| field.trim() == name).map(|(_, value)| value.trim().to_owned()).collect()
    };
    let is_policy = field("version").contains("STSv1");
    is_policy.then(|| json!({"mode": field("mode").first(), "mx": field("mx")}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_read_and_other_texts_are_none() {
        let robots = Robots::parse(
            "User-agent: *\nDisallow: /private/ # secret\nAllow: /\nSitemap: https://www.acme.test/s.xml\n",
        );
        assert_eq!(robots.paths.iter().collect::<Vec<_>>(), ["/", "/private/"]);
        assert_eq!(robots.sitemaps.len(), 1);
        let groups = Robots::parse(
            "User-agent: one\nDisallow: /one\n\nUser-agent: two\nUser-agent: *\nDisallow: /all\nDisallow: /*.pdf$\n\
             Disallow: /\nUser-agent: three\nDisallow: /three",
        );
        assert_eq!(groups.closed.iter().collect::<Vec<_>>(), ["/*.pdf$", "/all"], "what is closed to every robot");
        assert!(!Robots::parse("Welcome: to our page").is_one);
    }

    #[test]
    fn a_security_file_needs_a_contact() {
        let found = security("Contact: mailto:security@acme.test\nExpires: 2027-01-01T00:00:00Z\n").unwrap();
        assert_eq!(found["contact"], json!(["mailto:security@acme.test"]));
        assert!(security("Expires: 2027-01-01T00:00:00Z").is_none());
    }

    #[test]
    fn a_policy_for_mail_is_read() {
        let policy = mta_sts("version: STSv1\nmode: enforce\nmx: mail.acme.test\nmax_age: 86400\n").unwrap();
        assert_eq!((&policy["mode"], &policy["mx"]), (&json!("enforce"), &json!(["mail.acme.test"])));
        assert!(mta_sts("mode: enforce").is_none());
    }
}
