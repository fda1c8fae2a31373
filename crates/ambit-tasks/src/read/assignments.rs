//! Hosts and addresses that files give to a name: `host: db.acme.test`, `DB_HOST=db.acme.test`, `"brokers": ["…"]`,
//! `postgres://db.acme.test/shop`. Pure.
//!
//! A dot makes no host: `main.rs`, `com.acme.app` and `this.name` end in what is a suffix as well. So a value counts
//! where its name says that it is a host, where the list of public suffixes has its end, and, in files that are no
//! configuration, where it stands in quotes.

use ambit_model::entity::{listed_domain, unmapped};
use ambit_model::{Kind, reserved};
use regex::Regex;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::LazyLock;

/// Values of one text that are read.
const VALUES_MAX: usize = 2_000;
/// Bytes in front of a word that are searched for the beginning of its name.
const NAME_BYTES_MAX: usize = 80;

/// Words at the end of names of hosts and addresses.
const WORDS: &str = concat!(
    "(?:addr(?:ess(?:es)?)?|allow(?:ed|list)?|bootstrap[._-]servers|brokers?|cidr(?:s|[._-]blocks?)?|cnames?|domains?|",
    "dsn|endpoints?|fqdn|gateways?|host(?:[._-]?names?|s)?|ips?|ingress|mx|name[._-]?servers?|nodes?|origins?|peers?|",
    "proxy|relay|remotes?|replicas?|servers?|smarthost|smtp|sources?|upstreams?|ur[il]s?|whitelist)",
);
/// Words that count behind other letters as well: `dbhost`, `PGHOST`, `baseurl`.
const GLUED: &[&str] = &["host", "hostname", "hosts", "server", "servers", "url"];

/// A word behind which a value or a list in brackets stands; quotes may close the name. Values of other letters name no
/// host, and short ones keep a search short.
static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    const QUOTED: &str = r"((?-u:[A-Za-z0-9._~:/@%+=?&,;*!#$^\[\] -]){3,300})";
    const LIST: &str = r#"((?-u:[A-Za-z0-9._~:/@%+=?&,*"'` \t\r\n-]){3,1000})"#;
    const PLAIN: &str = r"((?-u:[A-Za-z0-9._~:/@%+=?&,*!^-]){3,300})";
    let value = format!(r#"(?:"{QUOTED}"|'{QUOTED}'|`{QUOTED}`|\[{LIST}\]|{PLAIN}(?:[\s;}}\])#]|$))"#);
    Regex::new(&format!(r#"(?i)({WORDS})["'`]?[ \t]*(?::=|=>|[:=])[ \t]*{value}"#)).expect("constant")
});
/// The same with a list of YAML behind it, an item a line.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    let items = r"((?:[ \t]*-[ \t]+[^\n]+(?:\n|$)){1,100})";
    Regex::new(&format!(r#"(?i)({WORDS})["']?:[ \t]*(?:#[^\n]*)?\r?\n{items}"#)).expect("constant")
});
/// A host behind the scheme of what is no web site, and behind whoever signs in.
static BY_SCHEME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:amqps?|clickhouse|ftps?|grpcs?|imaps?|jdbc:[a-z]{2,20}|kafka|ldaps?|mariadb|mongodb(?:\+srv)?|mqtts?|",
        r"mysql|nats|postgres(?:ql)?|rediss?|sftp|smtps?|sqlserver|ssh|tcp|tls|udp)://",
        r#"(?:[a-z0-9._~!$&*+;=:%{}-]{0,200}@)?([a-z0-9][a-z0-9._-]{1,252})(?::\d{1,5})?(?:[/?;,\s"'`\\]|$)"#,
    ))
    .expect("constant")
});

/// Beginnings of packages, which are domains in reverse.
const PACKAGES: &[&str] =
    &["android", "androidx", "com", "edu", "gov", "io", "java", "javax", "kotlin", "net", "org", "scala"];
/// Beginnings of what is a member of an object where it stands in no quotes.
const OBJECTS: &[&str] = &["data", "each", "local", "module", "path", "self", "this", "var"];
/// Ends of files that are suffixes as well. With one label in front they are no host.
const FILES: &[&str] = &["cc", "md", "mov", "pl", "pm", "ps", "py", "rs", "sh", "so", "zip"];
/// Domains of documents.
const PRINTED: &[&str] = &["domain.com", "example.com", "example.net", "example.org", "mydomain.com", "yourdomain.com"];

/// What a text gives to names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Assigned {
    pub(crate) hosts: BTreeSet<String>,
    /// Addresses of the internet.
    pub(crate) addresses: BTreeSet<IpAddr>,
}

/// Reads a file, or a text of none where the path is empty.
pub(crate) fn assigned(path: &str, text: &str) -> Assigned {
    let mut found = Assigned::default();
    let is_plain = is_configuration(path);
    for given in GIVEN.captures_iter(text).take(VALUES_MAX) {
        let Some(word) = given.get(1).filter(|word| is_name(text, word.start(), word.as_str())) else { continue };
        let quoted = [2, 3, 4].into_iter().find_map(|group| given.get(group));
        let list = given.get(5);
        match (quoted, list, given.get(6)) {
            (Some(value), _, _) => found.take_all(value.as_str(), true),
            (_, Some(list), _) => {
                // In a list of code each item has its quotes.
                let items = list.as_str().split(',').map(str::trim);
                let items = items.filter(|item| is_plain || is_quoted(item));
                items.for_each(|item| found.take(item, is_quoted(item)));
            }
            (_, _, Some(value)) if is_plain || is_setting(text, word.start()) => found.take_all(value.as_str(), false),
            _ => {}
        }
    }
    for listed in LISTED.captures_iter(text).take(VALUES_MAX).filter(|_| is_plain) {
        if listed.get(1).is_some_and(|word| is_name(text, word.start(), word.as_str())) {
            let items = listed[2].lines().filter_map(|line| line.trim_start().strip_prefix('-'));
            items.for_each(|item| found.take(item.split(" #").next().unwrap_or(item), true));
        }
    }
    for named in BY_SCHEME.captures_iter(text).take(VALUES_MAX) {
        found.take(&named[1], true);
    }
    found
}

/// Returns true for a file whose values need no quotes: JSON, whose numbers and lists have none, or configuration.
fn is_configuration(path: &str) -> bool {
    let is_json = [".json", ".json5"].iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    is_json || ambit_secrets::is_configuration(path)
}

fn is_quoted(value: &str) -> bool {
    value.starts_with(['"', '\'', '`'])
}

/// True where a word ends a name: nothing stands in front of it, or a mark, or a small letter in front of a large one.
fn is_name(text: &str, at: usize, word: &str) -> bool {
    let Some(before) = text[..at].chars().next_back() else { return true };
    let is_hump = word.starts_with(|first: char| first.is_ascii_uppercase()) && before.is_ascii_lowercase();
    let is_part = before.is_alphanumeric() && !is_hump;
    !is_part || GLUED.iter().any(|glued| word.eq_ignore_ascii_case(glued))
}

/// True for a variable of an environment, whose value needs no quotes wherever it is set: all its letters are large.
fn is_setting(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(NAME_BYTES_MAX));
    let front = text[from..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    let end = text[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(text.len(), |end| at + end);
    let name = [front, &text[at..end]].concat();
    name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase()) && text[end..].starts_with('=')
}

impl Assigned {
    /// Takes up the values between commas and blanks. A sentence is none.
    fn take_all(&mut self, values: &str, is_text: bool) {
        let parts = || values.split([',', ' ']).filter(|part| !part.is_empty());
        if parts().all(|part| part.contains(['.', ':'])) {
            parts().for_each(|part| self.take(part, is_text));
        }
    }

    /// Takes up a value: a host or address, alone or in a URL, with its port, or a block of one address. What is no
    /// text may be an object of a program.
    fn take(&mut self, value: &str, is_text: bool) {
        let value = value.trim().trim_matches(['"', '\'', '`']);
        let is_url = value.contains("://");
        let value = value.rsplit_once("://").map_or(value, |(_, rest)| rest);
        let (authority, path) = value.find(['/', '?']).map_or((value, ""), |at| value.split_at(at));
        let authority = match authority.rsplit_once('@') {
            Some((_, host)) if is_url => host,
            // A mailbox, or where somebody signs in.
            Some(_) => return,
            None => authority,
        };
        if let Some(address) = address(authority) {
            // A block of many is no address.
            let is_one = is_url || path.is_empty() || matches!(path, "/32" | "/128");
            if is_one && !reserved::is_internal(address) {
                self.addresses.insert(address);
            }
        } else if is_url || !path.contains('.') {
            let host = authority.split_once(':').map_or(authority, |(host, _)| host);
            let is_object = !is_text && !is_url && OBJECTS.iter().any(|object| host.split('.').next() == Some(object));
            self.hosts.extend(host_in(host).filter(|_| !is_object));
        }
    }
}

/// An address, alone, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let alone = inner.unwrap_or(text);
    let address = alone.parse().ok().or_else(|| {
        let (address, port) = text.split_once(':')?;
        port.parse::<u16>().ok().and_then(|_| address.parse().ok())
    });
    address.map(unmapped)
}

/// The host that a value is, if it can be one.
fn host_in(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if !text.contains('.') || !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(plain) {
        return None;
    }
    let host = Kind::DnsRecord.canonical(text).ok()?;
    let (first, rest) = host.split_once('.')?;
    let is_printed = listed_domain(&host).is_none_or(|domain| PRINTED.contains(&domain));
    (!is_printed && !PACKAGES.contains(&first) && !FILES.contains(&rest)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        let found = assigned(path, text);
        let addresses = found.addresses.iter().map(ToString::to_string);
        found.hosts.iter().cloned().chain(addresses).collect()
    }

    fn assert_told(table: &[(&str, &str, &[&str])]) {
        let wrong: Vec<String> = table
            .iter()
            .filter(|(path, text, expected)| told(path, text) != *expected)
            .map(|(path, text, expected)| format!("{path}: {text:?} tells {:?}, not {expected:?}", told(path, text)))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn hosts_are_told_by_the_names_that_they_are_given_to() {
        assert_told(&[
            ("deploy.yaml", "database:\n  host: db.acme.test\n  port: 5432\n", &["db.acme.test"]),
            ("deploy.yml", "  - host: \"shop.acme.test\" # the shop", &["shop.acme.test"]),
            (
                "ingress.yaml",
                "hosts:\n  - a.acme.test\n  - 'b.acme.test'  # two\nother: x\n",
                &["a.acme.test", "b.acme.test"],
            ),
            ("x.yaml", "{host: db.acme.test, port: 1}", &["db.acme.test"]),
            (
                ".env",
                "DB_HOST=db.acme.test\nREDIS_URL=redis://:pw@cache.acme.test:6379/0\n",
                &["cache.acme.test", "db.acme.test"],
            ),
            (".env.production", "export PGHOST=pg.acme.test", &["pg.acme.test"]),
            ("Dockerfile", "ENV API_HOST=api.acme.test PORT=80", &["api.acme.test"]),
            ("run.sh", "export DB_HOST=db.acme.test; ./start", &["db.acme.test"]),
            ("app.ini", "[mail]\nsmtp_server = mail.acme.test:587\n", &["mail.acme.test"]),
            (
                "app.properties",
                "spring.kafka.bootstrap-servers=k1.acme.test:9092,k2.acme.test:9092",
                &["k1.acme.test", "k2.acme.test"],
            ),
            ("app.properties", "db.url=jdbc:postgresql://pg.acme.test:5432/shop", &["pg.acme.test"]),
            (
                "app.json",
                r#"{"hostname":"a.acme.test","servers":["b.acme.test:80", "c.acme.test"]}"#,
                &["a.acme.test", "b.acme.test", "c.acme.test"],
            ),
            ("app.toml", "brokers = [\n  \"k1.acme.test:9092\",\n]\n", &["k1.acme.test"]),
            (
                "main.py",
                "DB_HOST = 'db.acme.test'\nconn = connect(host=\"replica.acme.test\")",
                &["db.acme.test", "replica.acme.test"],
            ),
            ("main.go", "cfg.apiHost := `api.acme.test`", &["api.acme.test"]),
            ("notes.md", "Use postgresql://ann:pw@pg.acme.test/shop", &["pg.acme.test"]),
            ("x.tf", "domain = \"acme.co.uk\"\nname = \"other.co.uk\"", &["acme.co.uk"]),
        ]);
    }

    #[test]
    fn addresses_of_the_internet_are_told_and_no_others() {
        assert_told(&[
            ("x.yaml", "host: 203.0.113.7\nallowed: [203.0.113.8/32, 203.0.113.0/24]", &["203.0.113.7", "203.0.113.8"]),
            (".env", "DB_HOST=203.0.113.9:5432\nBIND_ADDRESS=0.0.0.0\n", &["203.0.113.9"]),
            ("x.json", r#"{"server": "[2001:db8::7]:443", "ip": "2001:db8::8"}"#, &["2001:db8::7", "2001:db8::8"]),
            ("x.ini", "upstream = http://203.0.113.7:8080/x", &["203.0.113.7"]),
            ("x.yaml", "host: 10.0.0.7\nserver: 127.0.0.1\nip: 192.168.1.1\ngateway: 169.254.169.254", &[]),
            ("x.yaml", "peers:\n- fe80::1\n- ::ffff:10.0.0.1\n- 255.255.255.0\n", &[]),
            ("yarn.json", r#"{"version": "1.2.3.4", "resolved": "1.2.3.4"}"#, &[]),
            ("packages.config", "<package id='x' version='1.2.3.4'/>", &[]),
            ("AssemblyInfo.cs", "[assembly: AssemblyVersion(\"1.2.3.4\")]", &[]),
            ("main.py", "host = 1.2.3.4", &[]),
            ("x.yaml", "host: 1.2.3", &[]),
        ]);
    }

    #[test]
    fn files_packages_and_members_of_objects_are_no_hosts() {
        assert_told(&[
            ("x.yaml", "server: main.rs\nendpoint: handler.py\nsource: install.sh\nurl: readme.md", &[]),
            ("x.yaml", "server: index.js\nhosts: hosts.txt\nupstream: src/api.acme.rs\n", &[]),
            ("app.properties", "domain=com.acme.app\nserver=org.acme.dev.Main\nsource=io.acme.dev", &[]),
            ("x.tf", "host = data.acme.dev\nurl = var.site\nendpoint = module.db.name\n", &[]),
            ("app.ts", "const host = this.name; const url = props.link; let server = window.app.dev;", &[]),
            ("app.ts", "host: config.host, url: data.zip, origin: location.host", &[]),
            ("main.rs", "let host = args.host.name;\nserver = api.acme.test;", &[]),
            ("x.yaml", "host: {{ .Values.host }}.acme.test\nurl: ${HOST}.acme.test\nserver: $HOST.acme.test", &[]),
            ("x.yaml", "host: db.default.svc.cluster.local\nserver: localhost\nhost: db.internal", &[]),
            ("x.yaml", "host: www.example.com\ndomain: yourdomain.com", &[]),
            ("x.yaml", "address: ann@acme.test\nremote: git@acme.test:shop.git", &[]),
            ("x.yaml", "ghost.name: a.acme.test\nzip: b.acme.test\ntitle: c.acme.test", &[]),
            ("x.json", r#"{"host": "db.acme.test""#, &["db.acme.test"]),
            ("x.json", r#"{"url": "see acme.test, which is ours"}"#, &[]),
            ("x.yaml", "version: v1.acme.test", &[]),
            ("x.yaml", "host: 1.2.3.acme", &[]),
        ]);
    }

    #[test]
    fn hostile_texts_are_survived() {
        let long = format!("host: {}", "a.".repeat(100_000));
        let many = "host: a.acme.test\n".repeat(10_000);
        let open = format!("hosts: [{}", "\"a.acme.test\",".repeat(10_000));
        for text in ["host:", "host=\"", "hosts:\n- ", "host: \u{0}\u{fffd}é", "étéhost: a", &long, &many, &open] {
            told("x.yaml", text);
            told("", text);
        }
        assert_eq!(told("x.yaml", &many), ["a.acme.test"]);
    }
}
