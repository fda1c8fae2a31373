//! Hosts whose links open an app and that declare the app as their own: a link that both sides declare is proven. The
//! hosts are not contacted for that. Google and Apple, on whose word their systems rely, are asked.

use crate::task::beyond;
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Sights, Task, TaskError};
use ambit_model::entity::app::PACKAGE;
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::Untrusted;
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::AppLinks,
    pretty_name: "App links",
    description: "Asks Google and Apple whether the hosts whose links open an app declare the app as theirs: a link \
                  that both sides declare is proven.",
    workflows: &[workflow::MOBILE_APPS],
    watches: Kind::APPS,
    produces: &[Kind::DnsRecord, Kind::Domain],
    cost: 1,
    gain: 20,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Nothing),
    plan,
    left_out: |facts| {
        beyond(PACKAGE.of(&facts.details).iter().map(hosts).map(|hosts| hosts.len()).sum(), HOSTS_MAX, "hosts")
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// The ground on which both are asked.
const PROVIDER: &str = "app_links";
/// The host at which Google reports the apps for Android that a site declares.
const GOOGLE: &str = "digitalassetlinks.googleapis.com";
/// The host at which Apple reports the apps for iOS that a site declares.
const APPLE: &str = "app-site-association.cdn-apple.com";
/// Where Apple says why it has no statement of a site, such as `SWCERR00301 Timeout`.
const FAILURE: &str = "apple-failure-reason";
/// What a site that opens links in an app says.
const RELATION: &str = "delegate_permission/common.handle_all_urls";
/// Hosts of one app that are asked about.
const HOSTS_MAX: usize = 100;

fn plan(facts: &Facts, _: &Settings) -> Plan {
    let theirs = facts.decision.scoped();
    let package = PACKAGE.of(&facts.details).filter(|_| theirs);
    let hosts = package.as_ref().map(hosts).unwrap_or_default();
    Plan::bound_within(facts, TASK.name, hosts, HOSTS_MAX)
}

/// The hosts whose links open an app, by their canonical names.
fn hosts(package: &Value) -> BTreeSet<String> {
    let items = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let links = items(&package["components"]).into_iter().flat_map(|component| items(&component["links"]));
    let web = links.filter(|link| matches!(link["scheme"].as_str(), Some("http" | "https")));
    let of_android = web.map(|link| link["host"].clone());
    let named = of_android.chain(items(&package["associated_domains"]));
    let named = named.filter_map(|host| Some(host.as_str()?.trim_start_matches("*.").to_owned()));
    named.filter_map(|host| Kind::of_host(&host).ok().map(|(_, name)| name)).collect()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let host = cx.argument;
    let package = PACKAGE.of(&cx.facts.details).unwrap_or_default();
    let is_android = cx.facts.kind == Kind::AndroidApp;
    let (source, url) = match is_android {
        true => (
            GOOGLE,
            format!("https://{GOOGLE}/v1/statements:list?source.web.site=https%3A%2F%2F{host}&relation={RELATION}"),
        ),
        false => (APPLE, format!("https://{APPLE}/a/v1/{host}")),
    };
    let fetch = cx.net.source_list(PROVIDER, &url).await.map_err(|error| TaskError::source(source, &error))?;
    let last = fetch.last();
    if last.status == 404 && !is_android {
        return unsaid(last.header(FAILURE).map(Untrusted::raw)).map(|()| Answer::Absent);
    }
    let answer = serde_json::from_slice::<Value>(&last.body).ok().filter(|answer| answer.is_object());
    let answer = answer.filter(|_| last.status == 200 && !last.truncated);
    let answer = answer.ok_or_else(|| TaskError::SourceDown(format!("{source}: status {}", last.status)))?;
    let is_theirs = match is_android {
        true => said_to_google(&answer, &cx.facts.name, &signers(&package))?,
        false => said_to_apple(&answer, &cx.facts.name, package["team"].as_str()),
    };
    if is_theirs {
        cx.found_host(host, EdgeKind::AppLink);
    }
    Ok(Answer::found_if(is_theirs))
}

/// Words of Apple's reasons that the way to a site failed.
const OF_THE_WAY: &[&str] =
    &["timeout", "timed out", "dns", "resolve", "no such host", "tls", "ssl", "certificate", "connect", "unreachable"];

/// True where Apple did not hear from a site, or that it cannot answer now. A site whose answer was no statement has
/// answered all the same.
fn is_of_the_way(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    match why.split_once("bad http response:") {
        Some((_, status)) => matches!(status.trim_start().as_bytes(), [b'5', ..] | [b'4', b'2', b'9', ..]),
        None => OF_THE_WAY.iter().any(|word| why.contains(word)),
    }
}

/// Apple answers 404 where a site says nothing, and says why where it could not read what the site says. Fails there.
fn unsaid(why: Option<&str>) -> Result<()> {
    match why {
        Some(why) if is_of_the_way(why) => {
            let why: String = why.chars().filter(|letter| !letter.is_control()).take(100).collect();
            Err(TaskError::SourceDown(format!("{APPLE}: it could not read what the site says: {why}")))
        }
        _ => Ok(()),
    }
}

/// The SHA-256 of the certificates of an app's signers, in hexadecimal digits.
fn signers(package: &Value) -> Vec<String> {
    let certificates = package["signatures"]["certificates"].as_array().into_iter().flatten();
    certificates.filter_map(|certificate| Some(certificate["sha256"].as_str()?.to_ascii_lowercase())).collect()
}

/// Whether a site says that an app of these signers is its own. A package without signers, which the store signs, is
/// known by its name. Fails if Google could not read what the site says.
fn said_to_google(answer: &Value, package: &str, signers: &[String]) -> Result<bool> {
    let statements = answer["statements"].as_array();
    let said = answer["debugString"].as_str().unwrap_or_default();
    // A site without statements is told as an error as well, with the status that it answered.
    if statements.is_none() && said.contains("Error") && !said.contains("404") {
        return Err(TaskError::SourceDown(format!("{GOOGLE}: it could not read what the site says")));
    }
    let apps = statements.into_iter().flatten().map(|statement| &statement["target"]["androidApp"]);
    Ok(apps.filter(|app| app["packageName"] == package).any(|app| {
        let print = app["certificate"]["sha256Fingerprint"].as_str().unwrap_or_default();
        let print = print.replace(':', "").to_ascii_lowercase();
        signers.is_empty() || signers.contains(&print)
    }))
}

/// Whether a site says that an app is its own: by the number of its maker and its name.
fn said_to_apple(answer: &Value, bundle: &str, team: Option<&str>) -> bool {
    let is_it = |id: &str| match (team, id.split_once('.')) {
        (Some(team), Some((prefix, name))) => prefix == team && name == bundle,
        (None, Some((_, name))) => name == bundle,
        (_, None) => false,
    };
    let items = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let details = items(&answer["applinks"]["details"]).into_iter().flat_map(|detail| {
        let one = std::iter::once(detail["appID"].clone());
        one.chain(items(&detail["appIDs"])).collect::<Vec<_>>()
    });
    let ids = details.chain(items(&answer["webcredentials"]["apps"]));
    ids.filter_map(|id| id.as_str().map(str::to_owned)).any(|id| is_it(&id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Timestamp;
    use ambit_model::facts::{LastProbe, ProbeOutcome};
    use serde_json::json;

    #[test]
    fn apple_could_not_look_where_the_way_to_the_site_failed_alone() {
        for (why, is_told) in [
            (None, true),
            (Some("SWCERR00101 Bad HTTP Response: 404 Not Found"), true),
            (Some("SWCERR00101 Bad HTTP Response: 403 Forbidden"), true),
            (Some("SWCERR00101 Bad HTTP Response: 429 Too Many Requests"), false),
            (Some("SWCERR00101 Bad HTTP Response: 503 Service Unavailable"), false),
            (Some("SWCERR00101 Bad HTTP Response: 520"), false),
            (Some("SWCERR00401 Bad JSON content"), true),
            (Some("Bad content type: text/html"), true),
            (Some("SWCERR00301 Timeout"), false),
            (Some("Connection timed out"), false),
            (Some("DNS lookup failed"), false),
            (Some("TLS handshake failure"), false),
            (Some("Insecure certificate"), false),
            (Some("SWCERR00202 Connections to private/reserved IP addresses are not allowed"), false),
        ] {
            assert_eq!(unsaid(why).is_ok(), is_told, "{why:?}");
        }
    }

    #[test]
    fn hosts_of_links_of_the_web_are_asked_about_once() {
        let link = |(scheme, host): (&str, Value)| json!({"scheme": scheme, "host": host, "is_verified": true});
        let links: Vec<Value> = [
            ("https", json!("Shop.Acme.test")),
            ("acme", json!("x.acme.test")),
            ("http", json!("shop.acme.test")),
            ("https", json!("*.acme.test")),
            ("https", Value::Null),
            ("https", json!("192.0.2.1")),
        ]
        .map(link)
        .into();
        let android = json!({"components": [{"links": links}, {"links": []}]});
        let hosts = |package: &Value| hosts(package).into_iter().collect::<Vec<String>>();
        assert_eq!(hosts(&android), ["acme.test", "shop.acme.test"]);
        assert_eq!(hosts(&json!({"associated_domains": ["acme.test", "*.acme.test"]})), ["acme.test"]);
        assert_eq!(hosts(&Value::Null), Vec::<String>::new());
    }

    #[test]
    fn of_more_hosts_than_are_asked_about_those_that_are_known_come_first_and_the_others_stay() {
        let names: Vec<String> = (0..103).map(|number| format!("h{number:03}.acme.test")).collect();
        let mut facts = crate::tests::facts(Kind::IosApp, "test.acme.app", json!({}));
        facts.decision.ownership = 1_000;
        facts.details = ambit_model::Details::from_iter([PACKAGE.is(json!({"associated_domains": names}))]);
        let told = |facts: &Facts| {
            let Plan::Bound { asked, bound } = (TASK.plan)(facts, &Settings::default()) else { panic!("bound") };
            assert_eq!(bound, names, "nothing that was said of them is gone");
            asked
        };
        assert_eq!(told(&facts), names[..100]);
        for (name, outcome) in [("h101.acme.test", ProbeOutcome::Found), ("h102.acme.test", ProbeOutcome::Absent)] {
            let probe = LastProbe::new(outcome, Timestamp(0), 1);
            facts.probes.entry(TASK.name).or_default().insert(name.to_owned(), probe);
        }
        assert_eq!(told(&facts), [&names[..99], &names[101..102]].concat());
        let said = "3 hosts are left out: no more than 100 are asked about";
        assert_eq!((TASK.left_out)(&facts).as_deref(), Some(said));
    }

    #[test]
    fn a_statement_proves_the_app_of_its_own_signer_alone() {
        let statement = |package: &str, print: &str| {
            json!({"statements": [{"target": {"androidApp": {"packageName": package,
                "certificate": {"sha256Fingerprint": print}}}}], "maxAge": "1s"})
        };
        let signers = ["aabb".to_owned()];
        for (answer, signers, wanted) in [
            (statement("test.acme.shop", "AA:BB"), &signers[..], true),
            (statement("test.acme.shop", "AA:CC"), &signers, false),
            (statement("test.acme.shop", "AA:CC"), &[], true),
            (statement("test.acme.other", "AA:BB"), &signers, false),
            (json!({"maxAge": "1s"}), &signers, false),
            (json!({"maxAge": "1s", "debugString": "* Error: not_found: status 404"}), &signers, false),
        ] {
            assert_eq!(said_to_google(&answer, "test.acme.shop", signers), Ok(wanted), "{answer}");
        }
        let failed = json!({"debugString": "* Error: unavailable: time-out"});
        assert!(said_to_google(&failed, "test.acme.shop", &signers).is_err());
    }

    #[test]
    fn an_association_proves_the_app_of_its_own_maker_alone() {
        let links = |id: &str| json!({"applinks": {"apps": [], "details": [{"appID": id, "paths": ["*"]}]}});
        let newer = json!({"applinks": {"details": [{"appIDs": ["T1.x.y", "T1.test.acme.shop"], "components": []}]}});
        let passwords = json!({"webcredentials": {"apps": ["T1.test.acme.shop"]}});
        for (answer, team, wanted) in [
            (links("T1.test.acme.shop"), Some("T1"), true),
            (links("T2.test.acme.shop"), Some("T1"), false),
            (links("T2.test.acme.shop"), None, true),
            (links("T1.test.acme.shop.pro"), Some("T1"), false),
            (newer, Some("T1"), true),
            (passwords, Some("T1"), true),
            (json!({}), Some("T1"), false),
        ] {
            assert_eq!(said_to_apple(&answer, "test.acme.shop", team), wanted, "{answer}");
        }
    }
}
