//! Certificates that a public log holds for a domain.

use crate::{Answer, Contacts, Context, Plan, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Details, EdgeKind, Kind, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: "certificate_log",
    pretty_name: "Certificate log",
    description: "Asks a search engine of certificate transparency for the certificates of a domain.",
    watches: &[Kind::Domain],
    produces: &[Kind::PreCertificate],
    footprint: Clearance::L1,
    ttl_ms: DAY_MS,
    cost: 5,
    gain: 40,
    owns: &[(
        Kind::PreCertificate,
        &["serial", "not_before", "not_after", "subject", "issuer", "hidden_names"],
    )],
    volatile: &[],
    contacts: Contacts::Provider(PROVIDER),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
};

const PROVIDER: &str = "crt.sh";
/// Certificates of one domain that are kept, newest first.
const CERTIFICATES_MAX: usize = 2_000;
/// Names kept of one certificate.
const NAMES_MAX: usize = 1_000;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let url = format!("https://crt.sh/?q={}&output=json", cx.facts.name);
    let fetch = cx.net.source(PROVIDER, &url).await.map_err(|error| TaskError::source(PROVIDER, &error))?;
    let last = fetch.last();
    let down = |why: String| TaskError::SourceDown(format!("{PROVIDER}: {why}"));
    if last.status != 200 {
        return Err(down(format!("status {}", last.status)));
    }
    if last.truncated {
        return Err(down("the answer is cut".into()));
    }
    let logged = parse(&last.body).map_err(down)?;
    for certificate in logged.values() {
        cx.found_with(
            Kind::PreCertificate,
            &certificate.name(),
            EdgeKind::LoggedCertificate,
            certificate.members(),
        );
    }
    Ok(Answer::found_if(!logged.is_empty()))
}

/// One row of the answer.
#[derive(Deserialize)]
struct Row {
    issuer_name: String,
    #[serde(default)]
    common_name: Option<String>,
    #[serde(default)]
    name_value: String,
    not_before: String,
    not_after: String,
    serial_number: String,
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
        let members = json!({
            "serial": self.serial, "not_before": self.not_before, "not_after": self.not_after, "subject": format!("CN={}", self.common_name),
            "issuer": self.issuer, "hidden_names": self.names,
        });
        match members {
            Value::Object(members) => members,
            _ => Details::new(),
        }
    }
}

/// Certificates by issuer and serial: a pre-certificate and its certificate are one, the newest are kept.
fn parse(body: &[u8]) -> Result<BTreeMap<(String, String), Logged>, String> {
    let mut rows: Vec<Row> = serde_json::from_slice(body).map_err(|error| format!("not the list that was expected: {error}"))?;
    rows.sort_by(|a, b| (&b.not_before, &b.serial_number).cmp(&(&a.not_before, &a.serial_number)));
    let mut logged: BTreeMap<(String, String), Logged> = BTreeMap::new();
    for row in rows {
        let serial = serial(&row.serial_number);
        let names: BTreeSet<String> = row.name_value.split_whitespace().filter_map(host).take(NAMES_MAX).collect();
        let common_name = row.common_name.filter(|name| !name.trim().is_empty()).or_else(|| names.first().cloned());
        let Some(common_name) = common_name else { continue };
        let key = (row.issuer_name.clone(), serial.clone());
        if !logged.contains_key(&key) && logged.len() >= CERTIFICATES_MAX {
            continue;
        }
        let known = logged.entry(key).or_insert_with(|| Logged {
            serial,
            common_name,
            issuer: row.issuer_name,
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

/// `2026-01-31T00:00:00` is UTC there; ours say so.
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

    #[test]
    fn a_precertificate_and_its_certificate_are_one() {
        let row = |id: u32, names: &str| {
            json!({"id": id, "issuer_name": "C=US, O=CA, CN=R1", "common_name": "www.acme.test", "name_value": names,
                "not_before": "2026-01-01T00:00:00", "not_after": "2026-04-01T00:00:00", "serial_number": "00aB12"})
        };
        let body = json!([row(1, "www.acme.test"), row(2, "www.acme.test\n*.Shop.acme.test\nnot a name@x")]).to_string();
        let logged = parse(body.as_bytes()).unwrap();
        let one = logged.values().next().unwrap();
        assert_eq!((logged.len(), one.name().as_str()), (1, "www.acme.test (ab12)"));
        assert_eq!(one.names.iter().collect::<Vec<_>>(), ["*.shop.acme.test", "a", "not", "www.acme.test"]);
        assert_eq!(one.not_after, "2026-04-01T00:00:00.000Z");
    }

    #[test]
    fn nothing_logged_is_an_answer_and_nonsense_is_none() {
        assert!(parse(b"[]").unwrap().is_empty());
        assert!(parse(b"<html>busy</html>").is_err());
        assert!(parse(b"{}").is_err());
        assert!(parse(b"[{\"id\":1}]").is_err());
    }
}
