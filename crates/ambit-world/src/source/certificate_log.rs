//! A search over certificate logs: names in, logged certificates out, as JSON or one certificate as PEM.

use crate::pki::Certificate;
use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};
use base64::Engine;
use serde_json::{Value, json};

/// Certificates of one answer, as such services cut it.
const ENTRIES_MAX: usize = 10_000;

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let certificates = connection.internet.certificates.iter().filter(|certificate| certificate.logged);
    if let Some(id) = request.parameter("d") {
        let found = certificates.into_iter().find(|certificate| number(certificate).to_string() == id);
        return match found {
            Some(certificate) => Response::new(200, "application/pkix-cert", pem(certificate)),
            None => Response::new(404, "text/html", "<h1>Not Found</h1>"),
        };
    }
    let Some(query) = request.parameter("q").or_else(|| request.parameter("identity")) else {
        return Response::new(
            200,
            "text/html; charset=utf-8",
            "<html><head><title>crt.sh | Certificate Search</title></head><body></body></html>",
        );
    };
    let domain = query.trim_start_matches("%.").trim_start_matches('%').trim_start_matches('.').to_ascii_lowercase();
    let below = format!(".{domain}");
    let matches = |name: &str| name == domain || name.ends_with(&below);
    let now = connection.date();
    let mut found: Vec<&Certificate> = certificates
        .map(AsRef::as_ref)
        // What is not issued yet is in no log yet; a log shows a certificate from the day it begins.
        .filter(|certificate| certificate.not_before <= now)
        .filter(|certificate| certificate.names.iter().any(|name| matches(name)))
        .collect();
    found.sort_by_key(|certificate| std::cmp::Reverse((certificate.not_before, certificate.serial.clone())));
    found.truncate(ENTRIES_MAX);
    if request.parameter("output").as_deref() != Some("json") {
        let rows: String =
            found.iter().map(|certificate| format!("<TR><TD>{}</TD></TR>", certificate.common_name)).collect();
        return Response::new(
            200,
            "text/html; charset=utf-8",
            format!("<html><body><TABLE>{rows}</TABLE></body></html>"),
        );
    }
    let entries: Vec<Value> = found.into_iter().map(entry).collect();
    Response::new(200, "application/json", Value::Array(entries).to_string())
}

fn entry(certificate: &Certificate) -> Value {
    let moment = |at: ambit_model::Timestamp| at.to_string().chars().take(19).collect::<String>();
    json!({
        "issuer_ca_id": 1_001,
        "issuer_name": format!("C=NL, O=Simulated Trust Services, CN={}", certificate.issuer_name),
        "common_name": certificate.common_name,
        "name_value": certificate.names.join("\n"),
        "id": number(certificate),
        "entry_timestamp": format!("{}.123", moment(certificate.not_before)),
        "not_before": moment(certificate.not_before),
        "not_after": moment(certificate.not_after),
        "serial_number": certificate.serial,
        "result_count": certificate.names.len(),
    })
}

/// The log's own number of a certificate.
fn number(certificate: &Certificate) -> u64 {
    u64::from_str_radix(&certificate.serial[..10], 16).unwrap_or(0)
}

fn pem(certificate: &Certificate) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(&certificate.chain[0]);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("base64 is ASCII")).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}
