//! What stores say of apps, under their own names: Apple's look-up, pages of Google Play, F-Droid. The last has the
//! packages as well, as mirrors do.

use crate::draft::{App, Listing, Store};
use crate::package;
use crate::serve::connection::Connection;
use crate::serve::page::escape;
use crate::serve::request::{Request, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Where F-Droid has packages.
const PACKAGES: &str = "/repo/";

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let host = request.host.as_deref().unwrap_or_default();
    match Store::ALL.into_iter().find(|store| store.host() == host) {
        Some(Store::Apple) => apple(connection, request),
        Some(Store::GooglePlay) => google(connection, request),
        Some(Store::FDroid) => match request.path().strip_prefix(PACKAGES) {
            Some(file) => package_of(connection, file, request),
            None => f_droid(connection, request),
        },
        None => missing(),
    }
}

/// The app of a name in a store.
fn listed<'a>(connection: &'a Connection, store: Store, id: &str) -> Option<(&'a App, &'a Listing)> {
    let mut apps = connection.internet.draft.apps.values().filter(|app| app.system == store.system() && app.id == id);
    let app = apps.next()?;
    Some((app, app.listings.iter().find(|listing| listing.store == store)?))
}

/// A name of which it has none is found no times.
fn apple(connection: &Connection, request: &Request) -> Response {
    let id = request.parameter("bundleId").unwrap_or_default();
    let results: Vec<Value> = listed(connection, Store::Apple, &id)
        .map(|(app, listing)| {
            json!({
                "kind": "software", "bundleId": app.id, "trackName": app.title, "artistName": listing.developer,
                "sellerName": listing.developer, "sellerUrl": listing.site, "version": app.version(),
                "minimumOsVersion": app.said("MinimumOSVersion"), "currentVersionReleaseDate": listing.released,
                "trackViewUrl": format!("https://apps.apple.com/us/app/{}/id1", app.id),
            })
        })
        .into_iter()
        .collect();
    let answer = json!({"resultCount": results.len(), "results": results});
    Response::new(200, "text/javascript; charset=utf-8", format!("\n\n{answer}\n"))
}

fn google(connection: &Connection, request: &Request) -> Response {
    let id = request.parameter("id").filter(|_| request.path() == "/store/apps/details").unwrap_or_default();
    let Some((app, listing)) = listed(connection, Store::GooglePlay, &id) else { return missing() };
    let said = json!({
        "@context": "https://schema.org", "@type": "SoftwareApplication", "name": app.title,
        "url": format!("https://play.google.com/store/apps/details?id={id}"), "operatingSystem": "ANDROID",
        "author": {"@type": "Person", "name": listing.developer, "url": listing.site},
    });
    // Nothing in a script may end it.
    let said = said.to_string().replace('<', "\\u003c");
    let page = format!(
        "<!doctype html><html><head><title>{} - Apps on Google Play</title><script type=\"application/ld+json\" \
         nonce=\"x\">{said}</script></head><body></body></html>",
        escape(&app.title)
    );
    Response::new(200, "text/html; charset=utf-8", page)
}

fn f_droid(connection: &Connection, request: &Request) -> Response {
    let id = request.path().strip_prefix("/api/v1/packages/").unwrap_or_default();
    let Some((app, _)) = listed(connection, Store::FDroid, id) else { return missing() };
    let code = app.version_code().parse::<u64>().unwrap_or(1);
    let answer = json!({
        "packageName": app.id, "suggestedVersionCode": code,
        "packages": [
            {"versionName": format!("{}-next", app.version().unwrap_or_default()), "versionCode": code + 1},
            {"versionName": app.version(), "versionCode": code},
        ],
    });
    Response::new(200, "application/json", answer.to_string())
}

/// The package of an app in F-Droid, unless who asks has it already.
fn package_of(connection: &Connection, file: &str, request: &Request) -> Response {
    let named = file.strip_suffix(".apk").and_then(|file| file.rsplit_once('_'));
    let found = named.and_then(|(id, code)| {
        let (app, _) = listed(connection, Store::FDroid, id)?;
        (app.version_code() == code).then_some(app)
    });
    let Some(app) = found else { return missing() };
    let bytes = package::bytes(app);
    let tag = format!("\"{}\"", &hex::encode(Sha256::digest(&bytes))[..16]);
    let response = match request.header("if-none-match") == Some(&tag) {
        true => Response::new(304, "application/vnd.android.package-archive", ""),
        false => Response::new(200, "application/vnd.android.package-archive", bytes),
    };
    response.header("ETag", tag)
}

fn missing() -> Response {
    Response::new(404, "text/html; charset=utf-8", "<html><body>Not Found</body></html>")
}
