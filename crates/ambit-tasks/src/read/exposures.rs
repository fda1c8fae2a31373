//! Files and pages that should not be public: where they lie, and what proves that an answer is one. The content decides, never the status alone.

use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// An answer as a proof sees it.
pub(crate) struct Seen<'a> {
    pub(crate) media: &'a str,
    pub(crate) html: bool,
    pub(crate) body: &'a [u8],
}

impl Seen<'_> {
    fn text(&self) -> String {
        String::from_utf8_lossy(self.body).into_owned()
    }

    fn json(&self) -> Option<Value> {
        if self.html { None } else { serde_json::from_slice(self.body).ok() }
    }
}

/// A proof: a short text, secrets masked, or nothing.
type Proof = fn(&Seen<'_>) -> Option<String>;

/// One thing that may lie open.
pub(crate) struct Exposure {
    /// What it is, as judges read it.
    pub(crate) what: &'static str,
    /// Where it lies; the first path that proves it stands for all of them.
    pub(crate) paths: &'static [&'static str],
    pub(crate) proof: Proof,
}

const fn exposure(what: &'static str, paths: &'static [&'static str], proof: Proof) -> Exposure {
    Exposure { what, paths, proof }
}

/// Everything that is looked for.
pub(crate) const EXPOSURES: &[Exposure] = &[
    exposure("git_repository", &["/.git/HEAD", "/.git/config"], git),
    exposure("svn_repository", &["/.svn/entries", "/.svn/wc.db", "/.hg/requires"], svn),
    exposure("env_file", &["/.env", "/.env.local", "/.env.production", "/.env.backup"], env_file),
    exposure("server_status", &["/server-status", "/nginx_status"], server_status),
    exposure("server_info", &["/server-info"], server_info),
    exposure(
        "api_document",
        &[
            "/openapi.json",
            "/swagger.json",
            "/api/openapi.json",
            "/swagger/v1/swagger.json",
            "/v2/api-docs",
            "/v3/api-docs",
            "/api-docs",
            "/openapi.yaml",
        ],
        api_document,
    ),
    exposure("graphql", &[GRAPHQL_PATH, "/api/graphql"], graphql),
    exposure("phpinfo", &["/phpinfo.php", "/info.php", "/test.php"], phpinfo),
    exposure(
        "backup",
        &["/backup.zip", "/backup.tar.gz", "/backup.tgz", "/www.zip", "/site.zip", "/site.tar.gz"],
        archive,
    ),
    exposure("database_dump", &["/backup.sql", "/dump.sql", "/database.sql", "/db.sql"], database_dump),
    exposure("actuator", &["/actuator", "/actuator/env", "/env"], actuator),
    exposure("ds_store", &["/.DS_Store"], ds_store),
    exposure("htpasswd", &["/.htpasswd"], htpasswd),
    exposure("wp_config", &["/wp-config.php.bak", "/wp-config.php~", "/wp-config.php.old"], wp_config),
    exposure(
        "config_file",
        &[
            "/web.config",
            "/config.yml",
            "/config/database.yml",
            "/docker-compose.yml",
            "/config.json",
            "/.aws/credentials",
        ],
        config_file,
    ),
    exposure("metrics", &["/metrics"], metrics),
    exposure(
        "private_key",
        &["/id_rsa", "/.ssh/id_rsa", "/server.key", "/private.key", "/privkey.pem"],
        private_key,
    ),
    exposure("debug", &["/debug/pprof/", "/_debugbar/open", "/console"], debug),
    exposure("admin_panel", &["/phpmyadmin/", "/pma/", "/adminer.php"], admin_panel),
    exposure(
        "installer",
        &["/install.php", "/wp-admin/install.php", "/setup.php", "/install/"],
        installer,
    ),
    exposure("script_console", &["/script", "/jenkins/script"], script_console),
    exposure("search_index", &["/_cat/indices"], search_index),
    exposure("user_listing", &["/wp-json/wp/v2/users"], user_listing),
];

/// Folders whose listing is looked for.
pub(crate) const FOLDERS: &[&str] = &[
    "/backup/",
    "/backups/",
    "/data/",
    "/docs/",
    "/download/",
    "/downloads/",
    "/files/",
    "/images/",
    "/logs/",
    "/media/",
    "/private/",
    "/public/",
    "/static/",
    "/storage/",
    "/tmp/",
    "/upload/",
    "/uploads/",
];

/// Where GraphQL is usually asked.
pub(crate) const GRAPHQL_PATH: &str = "/graphql";
/// The smallest question about a GraphQL schema.
pub(crate) const GRAPHQL_QUESTION: &str = "?query=%7B__typename%20__schema%7BqueryType%7Bname%7D%20types%7Bname%20kind%7D%7D%7D";

/// True for a page, whatever it is said to be: many servers call every file without a known ending text/html.
fn has_tags(text: &str) -> bool {
    static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<[A-Za-z!/]").expect("constant"));
    TAG.is_match(text)
}

fn git(seen: &Seen<'_>) -> Option<String> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\A(ref: refs/[A-Za-z0-9_./-]{1,200}|[0-9a-f]{40})\s*\z").expect("constant"));
    let text = seen.text();
    if let Some(found) = HEAD.captures(&text) {
        return Some(found[1].to_owned());
    }
    let config = !has_tags(&text) && text.contains("[core]") && text.contains("repositoryformatversion");
    config.then(|| "[core] repositoryformatversion".to_owned())
}

fn svn(seen: &Seen<'_>) -> Option<String> {
    static ENTRIES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\A\d{1,2}\s*\n\s*(\n|dir)").expect("constant"));
    let text = seen.text();
    if seen.html {
        None
    } else if seen.body.starts_with(b"SQLite format 3\0") {
        Some("SQLite format 3 (wc.db)".to_owned())
    } else if ENTRIES.is_match(&text) {
        Some("svn entries".to_owned())
    } else {
        text.lines().any(|line| line == "revlogv1").then(|| "revlogv1".to_owned())
    }
}

/// At least two assignments, or one of a secret: names only, values never leave.
fn env_file(seen: &Seen<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^(?:export )?([A-Z][A-Z0-9_]{2,60})=").expect("constant"));
    let text = seen.text();
    if has_tags(&text) {
        return None;
    }
    let names: Vec<&str> = LINE
        .captures_iter(&text)
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
        .take(8)
        .collect();
    let foreign = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#') && !line.contains('='))
        .count();
    (names.len() >= 2 && foreign <= names.len()).then(|| names.join(", "))
}

fn server_status(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    if text.contains("Apache Server Status for") && text.contains("Server Version:") {
        return Some("Apache Server Status".to_owned());
    }
    let nginx = text.starts_with("Active connections:") && text.contains("server accepts handled requests");
    nginx.then(|| "Active connections … server accepts handled requests".to_owned())
}

fn server_info(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    let found = text.contains("Apache Server Information") && text.contains("Server Settings");
    found.then(|| "Apache Server Information".to_owned())
}

fn api_document(seen: &Seen<'_>) -> Option<String> {
    static YAML: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?m)^(openapi|swagger): ["']?(\d[\d.]*)"#).expect("constant"));
    if let Some(document) = seen.json() {
        let version = document.get("openapi").or_else(|| document.get("swagger"))?.as_str()?;
        let paths = document.get("paths")?.as_object()?;
        return Some(format!("openapi {version}, {} paths", paths.len()));
    }
    let text = seen.text();
    let found = YAML.captures(&text).filter(|_| !seen.html && text.contains("\npaths:"))?;
    Some(format!("openapi {}", &found[2]))
}

fn graphql(seen: &Seen<'_>) -> Option<String> {
    let document = seen.json()?;
    let types = document.pointer("/data/__schema/types")?.as_array()?;
    Some(format!("__schema with {} types", types.len()))
}

fn phpinfo(seen: &Seen<'_>) -> Option<String> {
    static VERSION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?i)<h1[^>]*>PHP Version ([A-Za-z0-9_.+~-]{1,40})"#).expect("constant"));
    static SYSTEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)<td[^>]*>\s*System\s*</td>").expect("constant"));
    let text = seen.text();
    let found = VERSION
        .captures(&text)
        .filter(|_| text.contains("php.ini") || text.contains("Configuration File") || SYSTEM.is_match(&text))?;
    Some(format!("PHP Version {}", &found[1]))
}

fn archive(seen: &Seen<'_>) -> Option<String> {
    let kinds: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "zip"),
        // An archive of nothing is an archive.
        (b"PK\x05\x06", "zip"),
        (b"\x1f\x8b", "gzip"),
        (b"BZh", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!", "rar"),
    ];
    kinds
        .iter()
        .find(|(magic, _)| seen.body.starts_with(magic))
        .map(|(_, kind)| format!("{kind} archive"))
}

fn database_dump(seen: &Seen<'_>) -> Option<String> {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^(CREATE TABLE|INSERT INTO|DROP TABLE IF EXISTS|-- MySQL dump|-- PostgreSQL database dump)").expect("constant")
    });
    let text = seen.text();
    STATEMENT.captures(&text).filter(|_| !seen.html).map(|found| found[1].to_owned())
}

/// Links beyond health and info, or an environment itself.
fn actuator(seen: &Seen<'_>) -> Option<String> {
    let document = seen.json()?;
    if let Some(links) = document.get("_links").and_then(Value::as_object) {
        let telling = [
            "env",
            "heapdump",
            "beans",
            "configprops",
            "threaddump",
            "mappings",
            "loggers",
            "httptrace",
            "shutdown",
        ];
        let found: Vec<&str> = telling.into_iter().filter(|name| links.contains_key(*name)).collect();
        return (!found.is_empty()).then(|| found.join(", "));
    }
    let sources = document.get("propertySources").and_then(Value::as_array)?;
    document.get("activeProfiles").map(|_| format!("{} property sources", sources.len()))
}

fn ds_store(seen: &Seen<'_>) -> Option<String> {
    seen.body.starts_with(b"\0\0\0\x01Bud1").then(|| "Bud1".to_owned())
}

fn htpasswd(seen: &Seen<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^([A-Za-z0-9_.@-]{1,64}):(\$apr1\$|\$2[aby]\$|\{SHA\}|\$5\$|\$6\$)").expect("constant"));
    let text = seen.text();
    LINE.captures(&text)
        .filter(|_| !seen.html)
        .map(|found| format!("{}:{}…", &found[1], &found[2]))
}

fn wp_config(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    let found = !seen.html && text.contains("DB_PASSWORD") && text.contains("define(");
    found.then(|| "define( 'DB_PASSWORD', … )".to_owned())
}

/// A configuration that names a secret, in whatever layout.
fn config_file(seen: &Seen<'_>) -> Option<String> {
    static SECRET: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?im)^\s*["']?((?:db_|database_|aws_)?(?:password|passwd|secret|secret_access_key|secret_key|connectionstring|api_key)[A-Za-z0-9_-]*)["']?\s*[:=]\s*["']?[^\s"'<>]{3,}"#).expect("constant")
    });
    let text = seen.text();
    if seen.html {
        return None;
    }
    if text.contains("<configuration>") && text.to_ascii_lowercase().contains("connectionstring=") {
        return Some("connectionString".to_owned());
    }
    SECRET.captures(&text).map(|found| format!("{} = …", &found[1]))
}

fn metrics(seen: &Seen<'_>) -> Option<String> {
    static TYPE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^# TYPE ([a-zA-Z_:][A-Za-z0-9_:]{0,100}) (counter|gauge|histogram|summary|untyped)$").expect("constant"));
    let text = seen.text();
    if seen.html {
        return None;
    }
    if let Some(found) = TYPE.captures(&text) {
        return Some(format!("# TYPE {} {}", &found[1], &found[2]));
    }
    bare_metrics(&text)
}

/// Measurements without their descriptions: nothing but names with numbers, and of the names one that every exporter uses.
fn bare_metrics(text: &str) -> Option<String> {
    static SAMPLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A([a-zA-Z_:][A-Za-z0-9_:]{0,100})(\{[^}]*\})? [-+]?(?:[0-9][0-9.eE+-]*|NaN|Inf)( \d+)?\z").expect("constant"));
    const CUSTOMARY: &[&str] = &[
        "process_",
        "go_",
        "jvm_",
        "node_",
        "python_",
        "promhttp_",
        "http_requests_",
        "dotnet_",
        "nodejs_",
    ];
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let names: Option<Vec<&str>> = lines
        .map(|line| SAMPLE.captures(line).and_then(|found| found.get(1)).map(|name| name.as_str()))
        .collect();
    let names = names.filter(|names| names.len() >= 2)?;
    names
        .iter()
        .find(|name| CUSTOMARY.iter().any(|start| name.starts_with(start)))
        .map(|name| (*name).to_owned())
}

fn private_key(seen: &Seen<'_>) -> Option<String> {
    static BEGIN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----\s").expect("constant"));
    let text = seen.text();
    BEGIN
        .captures(&text)
        .filter(|_| !seen.html)
        .map(|found| format!("-----BEGIN {}-----", &found[1]))
}

fn debug(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    let marks = [
        ("/debug/pprof/", "Types of profiles available:"),
        ("Werkzeug Debugger", "Interactive Console"),
    ];
    marks
        .iter()
        .find(|(one, other)| text.contains(one) && text.contains(other))
        .map(|(one, _)| (*one).to_owned())
}

fn admin_panel(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    let phpmyadmin = text.contains("pma_username") || text.contains("Welcome to phpMyAdmin");
    let adminer = text.contains("name=\"auth[driver]\"") || text.contains("name='auth[driver]'");
    (phpmyadmin && seen.media.contains("html"))
        .then(|| "phpMyAdmin".to_owned())
        .or_else(|| adminer.then(|| "Adminer".to_owned()))
}

/// A wizard that asks for its first choices; one that says that it is done gives nothing away.
fn installer(seen: &Seen<'_>) -> Option<String> {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)<(?:title|h1)[^>]*>[^<]{0,60}?((?:setup|install(?:ation|er)?)(?: wizard)?|install(?:ation|er))[^<]{0,60}</")
            .expect("constant")
    });
    let text = seen.text();
    let lower = text.to_ascii_lowercase();
    let done = lower.contains("already installed") || lower.contains("already been installed") || lower.contains("already set up");
    let asks = lower.contains("administrator password")
        || lower.contains("admin_password")
        || lower.contains("database host")
        || lower.contains("name=\"dbhost\"");
    TITLE
        .captures(&text)
        .filter(|_| seen.html && asks && !done)
        .map(|found| found[1].to_owned())
}

fn script_console(seen: &Seen<'_>) -> Option<String> {
    let text = seen.text();
    let found = seen.html
        && text.contains("Script Console")
        && text.contains("Jenkins")
        && (text.contains("name=script") || text.contains("name=\"script\""));
    found.then(|| "Script Console [Jenkins]".to_owned())
}

/// Lines of Elasticsearch's and OpenSearch's table of indices: health, status, name.
fn search_index(seen: &Seen<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:green|yellow|red) +(?:open|close) +([A-Za-z0-9_.@+-]{1,200}) ").expect("constant"));
    let text = seen.text();
    let count = LINE.find_iter(&text).count();
    LINE.captures(&text)
        .filter(|_| !seen.html)
        .map(|found| format!("{count} indices, such as {}", &found[1]))
}

/// Accounts with the names that they sign in by.
fn user_listing(seen: &Seen<'_>) -> Option<String> {
    let document = seen.json()?;
    let users = document.as_array().filter(|users| !users.is_empty())?;
    let is_user =
        |user: &Value| user.get("id").is_some_and(Value::is_u64) && user.get("slug").is_some_and(Value::is_string) && user.get("name").is_some();
    users.iter().all(is_user).then(|| format!("{} accounts", users.len()))
}

/// A page on which a framework tells the developer what went wrong, and everybody else how it is built.
pub(crate) fn debug_page(seen: &Seen<'_>) -> Option<String> {
    const MARKS: &[(&str, &str, &str)] = &[
        ("Django", "<code>DEBUG = True</code>", "settings file"),
        ("Flask", "Werkzeug Debugger", "Traceback"),
        ("Laravel", "Illuminate\\", "Stack trace"),
        ("Rails", "Rails.root:", "Application Trace"),
        ("Symfony", "Symfony Exception", "Stack Trace"),
        ("ASP.NET", "Server Error in '", "Stack Trace:"),
        ("Express", "NotFoundError:", "node_modules/"),
    ];
    let text = seen.text();
    let found = MARKS.iter().find(|(_, one, other)| text.contains(one) && text.contains(other))?;
    seen.html.then(|| format!("{} in debug mode", found.0))
}

/// A listing that a server made: its title and a way up, or the columns of one.
pub(crate) fn listing_proof(body: &str) -> Option<String> {
    static TITLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)<(?:title|h1)>\s*((?:Index of|Directory listing for|Directory: )\s*/[^<\n]{0,200})").expect("constant"));
    let found = TITLE.captures(body)?;
    let lower = body.to_ascii_lowercase();
    let way_up = lower.contains("href=\"../\"")
        || lower.contains("parent directory")
        || lower.contains("href=\"..\"")
        || lower.contains("[to parent directory]");
    let rows = lower.matches("<a href=").count() > 1 && (lower.contains("<pre>") || lower.contains("<ul>") || lower.contains("<table"));
    (way_up || rows).then(|| found[1].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(what: &str, media: &str, body: &str, proven: bool) {
        let exposure = EXPOSURES.iter().find(|exposure| exposure.what == what).unwrap();
        let seen = Seen {
            media,
            html: media.contains("html"),
            body: body.as_bytes(),
        };
        assert_eq!((exposure.proof)(&seen).is_some(), proven, "{what}: {body}");
    }

    #[test]
    fn what_lies_open_is_proven_by_its_content() {
        check("git_repository", "text/plain", "ref: refs/heads/main\n", true);
        check("git_repository", "text/plain", "[core]\n\trepositoryformatversion = 0\n", true);
        check("git_repository", "text/html", "[core]\n\trepositoryformatversion = 0\n", true);
        check("env_file", "text/plain", "APP_ENV=production\nDB_PASSWORD=x\n", true);
        check("env_file", "text/html", "APP_ENV=production\nDB_PASSWORD=x\n", true);
        check(
            "server_status",
            "text/html",
            "<h1>Apache Server Status for www</h1><dt>Server Version: Apache</dt>",
            true,
        );
        check("api_document", "application/json", "{\"openapi\":\"3.0.1\",\"paths\":{}}", true);
        check("api_document", "text/plain", "openapi: 3.0.0\ninfo: x\npaths:\n  /a:\n", true);
        check("graphql", "application/json", "{\"data\":{\"__schema\":{\"types\":[]}}}", true);
        check(
            "phpinfo",
            "text/html",
            "<h1 class=\"p\">PHP Version 7.4.33</h1> Configuration File (php.ini) Path",
            true,
        );
        check("backup", "application/zip", "PK\u{3}\u{4}rest", true);
        check("actuator", "application/json", "{\"_links\":{\"env\":{}}}", true);
        check("metrics", "text/plain", "# TYPE go_goroutines gauge\ngo_goroutines 40\n", true);
        check(
            "metrics",
            "text/plain",
            "process_cpu_seconds_total 12.1\ngo_goroutines{a=\"b\"} 40\n",
            true,
        );
        check(
            "installer",
            "text/html",
            "<title>Setup wizard</title>Step 1: choose the administrator password",
            true,
        );
        check(
            "script_console",
            "text/html",
            "<title>Script Console [Jenkins]</title><textarea name=script></textarea>",
            true,
        );
        check("search_index", "text/plain", "green open customers 1 1 5000\n", true);
        check(
            "user_listing",
            "application/json",
            "[{\"id\":1,\"name\":\"Admin\",\"slug\":\"admin\"}]",
            true,
        );
        check("backup", "application/zip", "PK\u{5}\u{6}rest", true);
        check("phpinfo", "text/html", "<h1>PHP Version 8.2.1</h1><tr><td class=\"e\">System </td>", true);
        check("private_key", "text/plain", &["-----BEGIN ", "PRIVATE KEY-----\nMIIE\n"].concat(), true);
        check("htpasswd", "text/plain", "admin:$apr1$x\n", true);
        check("database_dump", "text/plain", "-- MySQL dump 10\nCREATE TABLE x", true);
    }

    #[test]
    fn twins_prove_nothing() {
        check("metrics", "text/plain", "apples 12\npears 7\n", false);
        check(
            "metrics",
            "text/plain",
            "process_cpu_seconds_total is a metric\ngo_goroutines 40\n",
            false,
        );
        check(
            "installer",
            "text/html",
            "<title>Setup wizard</title>Already installed. Remove this file. administrator password",
            false,
        );
        check(
            "installer",
            "text/html",
            "<title>Our installation service</title>We install kitchens",
            false,
        );
        check("script_console", "text/html", "<title>Sign in [Jenkins]</title><form>", false);
        check("search_index", "text/html", "green open spaces for everyone\n", false);
        check("search_index", "application/json", "{\"status\":401}", false);
        check("user_listing", "application/json", "{\"code\":\"rest_user_cannot_view\"}", false);
        check("user_listing", "application/json", "[{\"id\":1,\"slug\":\"hello-world\"}]", false);
        check("phpinfo", "text/html", "<h1>PHP Version 8.2 is out</h1><p>System", false);
        check("git_repository", "text/html", "<title>Test</title>Nothing to see", false);
        check("git_repository", "text/plain", "ref: refs/heads/main is the usual branch", false);
        check("git_repository", "text/html", "<pre>[core]\n\trepositoryformatversion = 0\n</pre>", false);
        check("env_file", "text/html", "<p>DB_HOST=x\nAPP_ENV=y</p>", false);
        check("env_file", "text/plain", "We set A=1 once.\nNothing more.\n", false);
        check("server_status", "text/html", "<h1>How to read the Apache server status</h1>", false);
        check("api_document", "application/json", "{\"detail\":\"Not authenticated\"}", false);
        check(
            "graphql",
            "application/json",
            "{\"errors\":[{\"message\":\"introspection is not allowed\"}]}",
            false,
        );
        check("phpinfo", "text/html", "<title>phpinfo() explained</title>", false);
        check("backup", "text/html", "<title>Sign in</title>", false);
        check("actuator", "application/json", "{\"_links\":{\"self\":{},\"health\":{}}}", false);
        check("metrics", "text/html", "# TYPE x gauge", false);
        check("private_key", "text/plain", "-----BEGIN CERTIFICATE-----\n", false);
        check("config_file", "application/json", "{\"theme\":\"dark\"}", false);
    }

    #[test]
    fn a_listing_is_made_by_a_server() {
        assert_eq!(
            listing_proof("<title>Index of /files/</title><pre><a href=\"../\">../</a>").as_deref(),
            Some("Index of /files/")
        );
        assert!(listing_proof("<title>Directory listing for /</title><ul><li><a href=\"a\">a</a><li><a href=\"b\">b</a></ul>").is_some());
        assert!(listing_proof("<title>Index of Plants</title><a href=\"../\">up</a>").is_none());
        assert!(listing_proof("<title>Index of /</title><p>an article</p>").is_none());
    }

    #[test]
    fn no_path_is_looked_at_twice() {
        let paths: Vec<&str> = EXPOSURES.iter().flat_map(|exposure| exposure.paths).chain(FOLDERS).copied().collect();
        let distinct: std::collections::BTreeSet<&str> = paths.iter().copied().collect();
        assert_eq!(distinct.len(), paths.len());
        assert!(paths.iter().all(|path| path.starts_with('/')));
    }

    #[test]
    fn a_page_for_developers_is_told_from_one_for_visitors() {
        let proven = |body: &str| {
            let seen = Seen {
                media: "text/html",
                html: true,
                body: body.as_bytes(),
            };
            debug_page(&seen).is_some()
        };
        assert!(proven(
            "You're seeing this error because you have <code>DEBUG = True</code> in your Django settings file."
        ));
        assert!(!proven("<h1>Page not found</h1>"));
        assert!(!proven("<p>Never set <code>DEBUG = True</code> in production.</p>"));
    }
}
