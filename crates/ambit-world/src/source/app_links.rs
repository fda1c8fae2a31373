//! What Google and Apple report about the apps that sites declare as theirs.

use crate::draft::{App, System};
use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Who tells of sites and apps for Android.
const GOOGLE: &str = "digitalassetlinks.googleapis.com";

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let answer = match request.host.as_deref() {
        Some(GOOGLE) => google(connection, request),
        _ => apple(connection, request),
    };
    match answer {
        Some(answer) => Response::new(200, "application/json", answer.to_string()),
        None => Response::new(404, "application/json", "{}"),
    }
}

/// A site that says nothing of apps has no statements.
fn google(connection: &Connection, request: &Request) -> Option<Value> {
    let site = request.parameter("source.web.site")?;
    let statement = |app: &App| {
        json!({
            "source": {"web": {"site": format!("{site}.")}},
            "relation": "delegate_permission/common.handle_all_urls",
            "target": {"androidApp": {"packageName": app.id, "certificate": {"sha256Fingerprint": fingerprint(app)}}},
        })
    };
    let host = site.strip_prefix("https://")?;
    let statements: Vec<Value> = named_by(connection, System::Android, host).map(statement).collect();
    if statements.is_empty() {
        return Some(json!({"maxAge": "600s"}));
    }
    Some(json!({"statements": statements, "maxAge": "600s"}))
}

/// Of a site that says nothing Apple knows nothing.
fn apple(connection: &Connection, request: &Request) -> Option<Value> {
    let host = request.path().strip_prefix("/a/v1/")?;
    let ids = named_by(connection, System::Ios, host).map(|app| format!("{}.{}", app.team(), app.id));
    let ids: Vec<String> = ids.collect();
    (!ids.is_empty()).then(|| json!({"applinks": {"details": [{"appIDs": ids, "components": [{"/": "*"}]}]}}))
}

fn named_by<'a>(connection: &'a Connection, system: System, host: &'a str) -> impl Iterator<Item = &'a App> {
    let apps = connection.internet.draft.apps.values().filter(move |app| app.system == system);
    apps.filter(move |app| app.named.iter().any(|named| named == host))
}

/// The hash of the certificate of who signed it, as people write such hashes; a store signs what its maker did not.
fn fingerprint(app: &App) -> String {
    let certificate = crate::pki::self_signed(app.signed.as_deref().unwrap_or("Store"));
    let bytes = Sha256::digest(&certificate);
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}
