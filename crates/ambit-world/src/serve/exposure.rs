//! Exposures and their safe twins: the same path on both, but the twin gives nothing away.

use super::http::{Request, Response};
use super::page::document;
use crate::draft::{Exposure, Site};

/// Where WordPress lists its accounts.
const USERS_PATH: &str = "/wp-json/wp/v2/users";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// The answer on an exposure's path; `None` for other paths.
pub(super) fn answer(kind: Exposure, open: bool, site: &Site, request: &Request) -> Option<Response> {
    let path = request.path();
    let article = |title: &str, text: &str| Some(Response::new(200, HTML, document(site, title, &format!("<p>{text}</p>"))));
    let forbidden = || Some(Response::new(403, HTML, document(site, "403 Forbidden", "")));
    let json = |status: u16, body: &str| Some(Response::new(status, JSON, body.to_owned()));
    let text = |body: String| Some(Response::new(200, TEXT, body));
    match (kind, path, open) {
        (Exposure::Git, "/.git/HEAD", true) => text("ref: refs/heads/main\n".to_owned()),
        (Exposure::Git, "/.git/config", true) => text(git_config(&site.host)),
        (Exposure::Git, "/.git/HEAD" | "/.git/config", false) => article(&site.title, "Nothing to see under this address."),
        (Exposure::Env, "/.env", true) => text(environment(&site.host)),
        (Exposure::Env, "/.env", false) => article(&site.title, "Our green environment: DB_HOST is not a plant."),
        (Exposure::Listing, "/files/", true) => Some(Response::new(200, HTML, listing())),
        (Exposure::Listing, "/files/", false) => article("Index of Plants", "Acer, Betula, Carpinus and many more."),
        (Exposure::Status, "/server-status", true) => Some(Response::new(200, HTML, server_status(&site.host))),
        (Exposure::Status, "/server-status", false) => forbidden(),
        (Exposure::Api, "/openapi.json", true) => json(200, API_DOCUMENT),
        (Exposure::Api, "/openapi.json", false) => json(401, "{\"detail\":\"Not authenticated\"}"),
        (Exposure::Graphql, "/graphql", true) => json(200, GRAPHQL_SCHEMA),
        (Exposure::Graphql, "/graphql", false) => json(400, "{\"errors\":[{\"message\":\"introspection is not allowed\"}]}"),
        (Exposure::Actuator, "/actuator", true) => json(
            200,
            "{\"_links\":{\"self\":{\"href\":\"/actuator\"},\"env\":{\"href\":\"/actuator/env\"},\"health\":{\"href\":\"/actuator/health\"}}}",
        ),
        (Exposure::Actuator, "/actuator/env", true) => json(200, ACTUATOR_ENV),
        (Exposure::Actuator, "/actuator", false) => json(
            200,
            "{\"_links\":{\"self\":{\"href\":\"/actuator\"},\"health\":{\"href\":\"/actuator/health\"}}}",
        ),
        (Exposure::Actuator, "/actuator/health", _) => json(200, "{\"status\":\"UP\"}"),
        (Exposure::Phpinfo, "/phpinfo.php", true) => Some(Response::new(200, HTML, PHPINFO)),
        (Exposure::Phpinfo, "/phpinfo.php", false) => {
            article("phpinfo() explained", "What the page of phpinfo() shows, and why it is not for everyone.")
        }
        (Exposure::Backup, "/backup.zip", true) => Some(Response::new(200, "application/zip", archive())),
        (Exposure::Backup, "/backup.zip", false) => article("Sign in", "Sign in to download the backup."),
        (Exposure::Metrics, "/metrics", true) => text(METRICS.to_owned()),
        (Exposure::Metrics, "/metrics", false) => forbidden(),
        (Exposure::Installer, "/install.php", true) => article("Setup wizard", "Step 1: choose the administrator password."),
        (Exposure::Installer, "/install.php", false) => article("Setup wizard", "Already installed. Remove this file."),
        (Exposure::Admin, "/phpmyadmin/", true) => Some(Response::new(200, HTML, PHPMYADMIN)),
        (Exposure::Admin, "/phpmyadmin/", false) => forbidden(),
        (Exposure::Users, USERS_PATH, true) => json(
            200,
            "[{\"id\":1,\"name\":\"Administrator\",\"slug\":\"admin\"},{\"id\":2,\"name\":\"Editor\",\"slug\":\"editor\"}]",
        ),
        (Exposure::Users, USERS_PATH, false) => json(401, "{\"code\":\"rest_user_cannot_view\",\"data\":{\"status\":401}}"),
        (Exposure::Console, "/script", true) => article("Script Console [Jenkins]", "<textarea name=\"script\"></textarea>"),
        (Exposure::Console, "/script", false) => Some(Response::new(403, HTML, document(site, "Sign in [Jenkins]", ""))),
        (Exposure::Index, "/_cat/indices", true) => text("green open customers 1 1 5000\nyellow open orders 1 1 812\n".to_owned()),
        (Exposure::Index, "/_cat/indices", false) => json(401, "{\"error\":\"missing authentication credentials\",\"status\":401}"),
        _ => None,
    }
}

/// What a framework in debug mode says to any unknown path.
pub(super) fn debug_page(request: &Request) -> Response {
    let path = super::page::escape(request.path());
    let body = format!(
        "<html><head><title>Page not found at {path}</title></head><body><h1>Page not found</h1><p>You're seeing this error because you have \
         <code>DEBUG = True</code> in your Django settings file.</p></body></html>"
    );
    Response::new(404, HTML, body)
}

fn git_config(host: &str) -> String {
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\turl = git@git.{host}:web/site.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    )
}

fn environment(host: &str) -> String {
    // Put together here, so that no tool takes this source for a leak.
    format!(
        "APP_ENV=production\nAPP_URL=https://{host}\nDB_HOST=10.0.0.5\nDB_USERNAME=shop\nDB_{}=planted-7731\n",
        "PASSWORD"
    )
}

fn listing() -> String {
    "<html><head><title>Index of /files/</title></head><body><h1>Index of /files/</h1><hr><pre><a href=\"../\">../</a>\n\
     <a href=\"contracts/\">contracts/</a>            01-Feb-2025 10:12       -\n<a href=\"dump.sql\">dump.sql</a>              03-Feb-2025 02:00  182734\n</pre><hr></body></html>\n"
        .to_owned()
}

fn server_status(host: &str) -> String {
    format!(
        "<html><head><title>Apache Status</title></head><body><h1>Apache Server Status for {host} (via 10.0.0.7)</h1>\n<dl><dt>Server Version: Apache/2.4.57 (Debian)</dt>\n\
         <dt>Server MPM: event</dt></dl><dl><dt>Current Time: now</dt><dt>Total accesses: 40122 - Total Traffic: 3.1 GB</dt></dl></body></html>\n"
    )
}

/// An empty archive is a whole one: only the end of its directory.
fn archive() -> Vec<u8> {
    let mut bytes = b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0d.sql".to_vec();
    bytes.extend(b"PK\x05\x06");
    bytes.extend([0; 18]);
    bytes
}

const API_DOCUMENT: &str = "{\"openapi\":\"3.0.1\",\"info\":{\"title\":\"Stock API\",\"version\":\"1.4\"},\"paths\":{\"/stock\":{\"get\":{\"responses\":{\"200\":{\"description\":\"the stock\"}}}},\"/admin/users\":{\"get\":{\"responses\":{\"200\":{\"description\":\"all users\"}}}}}}";
const GRAPHQL_SCHEMA: &str = "{\"data\":{\"__typename\":\"Query\",\"__schema\":{\"queryType\":{\"name\":\"Query\"},\"mutationType\":null,\"types\":[{\"kind\":\"OBJECT\",\"name\":\"Query\"},{\"kind\":\"OBJECT\",\"name\":\"User\"}]}}}";
const ACTUATOR_ENV: &str =
    "{\"activeProfiles\":[\"prod\"],\"propertySources\":[{\"name\":\"systemProperties\",\"properties\":{\"java.version\":{\"value\":\"17.0.9\"}}}]}";
const PHPINFO: &str = "<!DOCTYPE html><html><head><title>PHP 7.4.33 - phpinfo()</title></head><body><h1 class=\"p\">PHP Version 7.4.33</h1><table><tr><td class=\"e\">System </td><td class=\"v\">Linux web 5.10</td></tr><tr><td class=\"e\">Configuration File (php.ini) Path </td><td class=\"v\">/etc/php</td></tr></table></body></html>";
const METRICS: &str = "# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 12.1\n# HELP go_goroutines Number of goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines 40\n";
const PHPMYADMIN: &str = "<html><head><title>phpMyAdmin</title></head><body><h1>Welcome to phpMyAdmin 5.2.1</h1><form method=\"post\"><input name=\"pma_username\"><input type=\"password\" name=\"pma_password\"></form></body></html>";
