//! Certificates that a public log holds for a domain.

use crate::{Answer, Contacts, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::certificate;
use ambit_model::facts::Neighbour;
use ambit_model::observation::Sighting;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, Timestamp, workflow};
use ambit_net::http::BodyEnd;
use ambit_net::{NetError, Phase};
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: TaskName::CertificateLog,
    pretty_name: "Certificate log",
    description: "Asks a search engine of certificate transparency for the certificates of a domain.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[Kind::PreCertificate],
    cost: 5,
    gain: 40,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

const PROVIDER: &str = "crt.sh";
/// Certificates of one domain that are kept: the newest, and older ones that are known.
const CERTIFICATES_MAX: usize = 2_000;
/// How long an overloaded provider is left alone before it is asked the second and last time, wire time.
const SECOND_LOOK: Duration = Duration::from_secs(60);

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let logged = match ask(cx).await {
        Err(Failure { may_pass: true, .. }) => {
            cx.net.sleep(SECOND_LOOK).await;
            ask(cx).await
        }
        answer => answer,
    };
    let logged = logged.map_err(|failure| failure.error)?;
    report(cx, &logged);
    Ok(Answer::found_if(!logged.is_empty()))
}

/// Leads to the newest certificates. Older ones that are known are still in the log, however many newer ones there are.
fn report(cx: &Context<'_>, logged: &Certificates) {
    let (newest, older) = by_age(logged);
    for certificate in newest {
        cx.found_with(Kind::PreCertificate, &certificate.name(), EdgeKind::LoggedCertificate, certificate.members());
    }
    if !older.is_empty() {
        cx.leave_out(format!("{} older certificates: no more than {CERTIFICATES_MAX} are followed", older.len()));
        known(cx.facts, &older).for_each(|known| cx.stands(known));
    }
}

/// The newest certificates, as many as are followed, and the others.
fn by_age(logged: &Certificates) -> (Vec<&Logged>, Vec<&Logged>) {
    let mut newest: Vec<&Logged> = logged.values().collect();
    newest.sort_by_key(|certificate| Reverse((&certificate.not_before, &certificate.serial)));
    let older = newest.split_off(newest.len().min(CERTIFICATES_MAX));
    (newest, older)
}

/// Those of the certificates to which the log led before.
fn known<'f>(facts: &'f Facts, certificates: &[&Logged]) -> impl Iterator<Item = &'f Neighbour> {
    let names = certificates.iter().filter_map(|one| Kind::PreCertificate.canonical(&one.name()).ok());
    let names: BTreeSet<String> = names.collect();
    facts.led_to(TASK.name, "").filter(move |known| names.contains(&known.name))
}

/// Why the provider gave no answer.
struct Failure {
    error: TaskError,
    /// It may answer the same question a little later.
    may_pass: bool,
}

async fn ask(cx: &Context<'_>) -> Result<Certificates, Failure> {
    let url = format!("https://crt.sh/?q={}&output=json", cx.facts.name);
    let fetch = cx.net.source_list(PROVIDER, &url).await.map_err(|error| Failure {
        may_pass: match error {
            // That is no load of the provider's: nobody says where it is.
            NetError::Timeout(phase) => phase != Phase::Resolving,
            NetError::Reset(_) | NetError::Closed(_) => true,
            _ => false,
        },
        error: TaskError::source(PROVIDER, &error),
    })?;
    let last = fetch.last();
    let down = |why: String, may_pass| Failure { error: TaskError::SourceDown(format!("{PROVIDER}: {why}")), may_pass };
    if last.status != 200 {
        return Err(down(format!("status {}", last.status), last.status == 429 || last.status >= 500));
    }
    if last.truncated {
        // What was too long is too long again; what broke off may come whole.
        return Err(down("the answer is cut".into(), last.end != BodyEnd::TooLarge));
    }
    parse(&last.body).map_err(|why| down(why, false))
}

/// One row of the answer, which may be tens of megabytes: as much of it as can be is read in its place.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    issuer_name: Cow<'a, str>,
    #[serde(borrow, default)]
    common_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name_value: Cow<'a, str>,
    #[serde(borrow)]
    not_before: Cow<'a, str>,
    #[serde(borrow)]
    not_after: Cow<'a, str>,
    #[serde(borrow)]
    serial_number: Cow<'a, str>,
}

#[derive(Debug, PartialEq)]
struct Logged {
    serial: String,
    common_name: String,
    issuer: String,
    not_before: String,
    not_after: String,
    names: BTreeSet<String>,
}

impl Logged {
    fn name(&self) -> String {
        format!("{} ({})", self.common_name, self.serial)
    }

    fn members(&self) -> Details {
        Details::from_iter([
            certificate::SERIAL.is(json!(self.serial)),
            certificate::NOT_BEFORE.is(self.not_before.clone()),
            certificate::NOT_AFTER.is(self.not_after.clone()),
            certificate::SUBJECT.is(format!("CN={}", self.common_name)),
            certificate::ISSUER.is(self.issuer.clone()),
            certificate::NAMES.is(self.names.iter().cloned().collect::<Vec<_>>()),
        ])
    }
}

/// Certificates by issuer and serial.
type Certificates = BTreeMap<(String, String), Logged>;

/// A pre-certificate and its certificate are one.
fn parse(body: &[u8]) -> Result<Certificates, String> {
    let mut rows: Vec<Row<'_>> =
        serde_json::from_slice(body).map_err(|error| format!("not the list that was expected: {error}"))?;
    rows.sort_by(|a, b| (&b.not_before, &b.serial_number).cmp(&(&a.not_before, &a.serial_number)));
    let mut logged = Certificates::new();
    for row in rows {
        let serial = serial(&row.serial_number);
        let names: BTreeSet<String> = row.name_value.split_whitespace().filter_map(host).collect();
        let common_name = row.common_name.filter(|name| !name.trim().is_empty()).map(Cow::into_owned);
        let Some(common_name) = common_name.or_else(|| names.first().cloned()) else {
            continue;
        };
        let key = (row.issuer_name.clone().into_owned(), serial.clone());
        let known = logged.entry(key).or_insert_with(|| Logged {
            serial,
            common_name,
            issuer: row.issuer_name.into_owned(),
            not_before: date(&row.not_before),
            not_after: date(&row.not_after),
            names: BTreeSet::new(),
        });
        known.names.extend(names);
    }
    Ok(logged)
}

/// Lower hex without leading zeros, as our own certificate reader writes it.
fn serial(text: &str) -> String {
    let lower = text.trim().to_ascii_lowercase();
    let short = lower.trim_start_matches('0');
    if short.is_empty() { "0".to_owned() } else { short.to_owned() }
}

/// Adds the time zone: `2026-01-31T00:00:00` means UTC there.
fn date(text: &str) -> String {
    Timestamp::parse(text.trim()).map_or_else(|| text.trim().to_owned(), |moment| moment.to_string())
}

/// A DNS name of a certificate, a wildcard's star kept; `None` for addresses, mailboxes and nonsense.
fn host(text: &str) -> Option<String> {
    let bare = text.strip_prefix("*.");
    let name = Kind::DnsRecord.canonical(bare.unwrap_or(text)).ok()?;
    Some(if bare.is_some() { format!("*.{name}") } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use ambit_model::{Clearance, Uid};
    use serde_json::Value;
    use std::sync::Arc;

    #[test]
    fn a_precertificate_and_its_certificate_are_one() {
        let row = |id: u32, names: &str| {
            json!({"id": id, "issuer_name": "C=US, O=CA, CN=R1", "common_name": "www.acme.test", "name_value": names,
                "not_before": "2026-01-01T00:00:00", "not_after": "2026-04-01T00:00:00", "serial_number": "00aB12"})
        };
        let body =
            json!([row(1, "www.acme.test"), row(2, "www.acme.test\n*.Shop.acme.test\nnot a name@x")]).to_string();
        let logged = parse(body.as_bytes()).unwrap();
        let one = logged.values().next().unwrap();
        assert_eq!((logged.len(), one.name().as_str()), (1, "www.acme.test (ab12)"));
        assert_eq!(one.names.iter().collect::<Vec<_>>(), ["*.shop.acme.test", "a", "not", "www.acme.test"]);
        assert_eq!(one.not_after, "2026-04-01T00:00:00.000Z");
    }

    #[test]
    fn certificates_that_newer_ones_push_out_stay_known() {
        let row = |number: usize| {
            json!({"issuer_name": "CN=R1", "common_name": "acme.test", "name_value": "acme.test",
                "not_before": format!("2026-01-01T00:{:02}:{:02}", number / 60, number % 60),
                "not_after": "2026-04-01T00:00:00", "serial_number": format!("{number:x}")})
        };
        let rows: Vec<Value> = (1..=2_002).map(row).collect();
        let logged = parse(json!(rows).to_string().as_bytes()).unwrap();
        let (newest, older) = by_age(&logged);
        let serials = |some: &[&Logged]| some.iter().map(|one| one.serial.clone()).collect::<Vec<_>>();
        assert_eq!(
            (newest.len(), serials(&newest[..1]), serials(&older)),
            (2_000, vec!["7d2".to_owned()], vec!["2".to_owned(), "1".to_owned()])
        );
        let mut facts = facts(Kind::Domain, "acme.test", json!({}));
        facts.outward = ["acme.test (1)", "acme.test (7d2)", "acme.test (gone)"].map(led).to_vec();
        let standing: Vec<&str> = known(&facts, &older).map(|known| known.name.as_str()).collect();
        assert_eq!(standing, ["acme.test (1)"]);
    }

    fn led(name: &str) -> Neighbour {
        Neighbour {
            edge: EdgeKind::LoggedCertificate,
            task: TASK.name.as_str().to_owned(),
            argument: String::new(),
            uid: Uid::from_bytes([1; 32]),
            kind: Kind::PreCertificate,
            name: name.to_owned(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L1,
            details: Arc::default(),
        }
    }

    #[test]
    fn nothing_logged_is_an_answer_and_nonsense_is_none() {
        assert!(parse(b"[]").unwrap().is_empty());
        assert!(parse(b"<html>busy</html>").is_err());
        assert!(parse(b"{}").is_err());
        assert!(parse(b"[{\"id\":1}]").is_err());
    }
}
