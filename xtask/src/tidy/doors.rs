//! Which crates may touch what is outside: sockets, SQL, the search engine, the clock, the disk.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;

/// Types and functions that open a socket or ask the system's resolver.
const SOCKETS: &[&str] = &[
    "TcpStream",
    "TcpListener",
    "TcpSocket",
    "UdpSocket",
    "UnixStream",
    "UnixListener",
    "UnixDatagram",
    "socket2",
    "lookup_host",
    "to_socket_addrs",
    "ToSocketAddrs",
    // What lettre would open by itself.
    "SmtpTransport",
    "AsyncSmtpTransport",
    "connect_tokio1",
];

/// Product code outside ambit-net that may name a socket: path, word, why. An entry that nothing needs is a finding.
const SOCKET_EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/ambit-server/src/serve.rs", "TcpListener", "the program's own listener"),
    ("crates/ambit-server/src/serve.rs", "TcpSocket", "the same with a backlog of its own"),
    ("crates/ambit-server/src/serve.rs", "TcpStream", "the connections that it accepts"),
];

/// Crates that may name sockets: the door itself, and what only tests use, which serve and ask on loopback.
const SOCKET_CRATES: &[&str] = &["ambit-net", "ambit-testkit"];

/// Only ambit-net opens sockets; so does test code.
pub(crate) fn sockets(tree: &Tree, out: &mut Vec<Finding>) {
    let door = Door { rule: "sockets", words: SOCKETS, crates: SOCKET_CRATES, exceptions: SOCKET_EXCEPTIONS };
    door.check("belongs to ambit-net: connect through its wire", tree, out);
}

/// The one file that may ask a wire for a connection or a datagram socket: it checks before each.
const DOOR: &str = "crates/ambit-net/src/door.rs";
/// Files of ambit-net beside it that may name a wire: what one is, the live one, and who hands it to the door.
const NAMES_WIRE: &[&str] = &[
    "crates/ambit-net/src/wire.rs",
    "crates/ambit-net/src/live.rs",
    "crates/ambit-net/src/net.rs",
    "crates/ambit-net/src/lib.rs",
];
/// Crates that connect through a wire without the door: the simulated one, which is a wire itself, and what only tests
/// use.
const WIRE_CRATES: &[&str] = &["ambit-world", "ambit-testkit"];

/// Only the door holds a wire: whatever is sent was checked there.
pub(crate) fn wire(tree: &Tree, out: &mut Vec<Finding>) {
    let outside = |source: &&Source| source.path != DOOR && !WIRE_CRATES.contains(&source.crate_name());
    for source in tree.crate_sources().filter(outside) {
        let engine = source.crate_name() == "ambit-net" && !NAMES_WIRE.contains(&source.path.as_str());
        for (index, token) in source.product_tokens().filter(|(_, token)| token.kind == TokenKind::Word) {
            let names = engine && ["Wire", "Datagrams"].contains(&token.text.as_str());
            let called = |name: &str| token.text == name && source.reads(index + 1, &["("]);
            let before = |marks: &[&str]| index >= marks.len() && source.reads(index - marks.len(), marks);
            let asks = called("datagrams") && before(&["."])
                || called("connect") && (before(&["wire", "."]) || before(&["wire", "(", ")", "."]));
            if names || asks {
                let remedy = format!(
                    "{}: only the door ({DOOR}) holds a wire, and checks before it sends: add what is needed there",
                    token.text
                );
                out.push(Finding::new(&source.path, token.line, "wire", remedy));
            }
        }
    }
    if tree.text("xtask/src/tidy/doors.rs").is_some() && tree.text(DOOR).is_none() {
        out.push(Finding::new(DOOR, 1, "wire", "the door is not there: correct DOOR in xtask/src/tidy/doors.rs"));
    }
}

/// What reads the wall clock.
const WALL_CLOCK: &[&str] = &["SystemTime", "now_utc", "now_local", "UtcDateTime"];

/// Crates that may: the live wire has a date, the binary hands the time to all others.
const WALL_CLOCK_CRATES: &[&str] = &["ambit", "ambit-net", "ambit-testkit"];

/// Product code elsewhere that may: path, word, why.
const WALL_CLOCK_EXCEPTIONS: &[(&str, &str, &str)] =
    &[("crates/ambit-store/src/db/open.rs", "SystemTime", "when a migration was applied")];

/// Wall time is an argument from the binary, wire time belongs to the wire: nothing else asks the system.
pub(crate) fn wall_clock(tree: &Tree, out: &mut Vec<Finding>) {
    let door =
        Door { rule: "wall-clock", words: WALL_CLOCK, crates: WALL_CLOCK_CRATES, exceptions: WALL_CLOCK_EXCEPTIONS };
    door.check("asks the system for the time: take the time as an argument", tree, out);
}

/// Words that only some crates may use, beside named exceptions.
struct Door {
    rule: &'static str,
    words: &'static [&'static str],
    crates: &'static [&'static str],
    exceptions: &'static [(&'static str, &'static str, &'static str)],
}

impl Door {
    fn check(&self, remedy: &str, tree: &Tree, out: &mut Vec<Finding>) {
        let mut used = vec![false; self.exceptions.len()];
        for source in tree.crate_sources().filter(|source| !self.crates.contains(&source.crate_name())) {
            for (_, token) in source.product_tokens() {
                if token.kind != TokenKind::Word || !self.words.contains(&token.text.as_str()) {
                    continue;
                }
                let exception =
                    self.exceptions.iter().position(|(path, word, _)| *path == source.path && *word == token.text);
                if let Some(index) = exception {
                    used[index] = true;
                    continue;
                }
                out.push(Finding::new(&source.path, token.line, self.rule, format!("{} {remedy}", token.text)));
            }
        }
        for ((path, word, _), used) in self.exceptions.iter().zip(used) {
            // The samples of a test are not the repository; an exception that nothing needs is a finding in the
            // repository only.
            if !used && tree.text("xtask/src/tidy/doors.rs").is_some() {
                let remedy =
                    format!("the exception for {word} is no longer needed: remove it from xtask/src/tidy/doors.rs");
                out.push(Finding::new(path, 1, self.rule, remedy));
            }
        }
    }
}

/// Only ambit-store knows SQL.
pub(crate) fn sql(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources().filter(|source| source.crate_name() != "ambit-store") {
        for (_, token) in source.product_tokens() {
            let found = match token.kind {
                TokenKind::Word => ["sqlx", "rusqlite", "tokio_postgres", "diesel"].contains(&token.text.as_str()),
                TokenKind::Text => is_statement(&token.text),
                _ => false,
            };
            if found {
                let remedy = "SQL belongs to ambit-store: add a function there and call it";
                out.push(Finding::new(&source.path, token.line, "sql", remedy));
            }
        }
    }
    refuse_dependency(tree, &["sqlx"], &["ambit-store"], "sql", out);
}

fn is_statement(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["select", ..] => has("from") && (has("where") || has("limit") || words.len() <= 6),
        ["insert", "into", ..] | ["insert", "or", ..] => has("values") || has("select"),
        ["update", _, "set", ..] => text.contains('='),
        ["delete", "from", _, "where", ..] | ["begin", "immediate", ..] => true,
        ["create" | "drop" | "alter", "table" | "index" | "view" | "database" | "schema", ..] => true,
        ["create", "unique", "index", ..] => true,
        _ => false,
    }
}

/// Only ambit-search names an engine's types.
pub(crate) fn search_engine(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources().filter(|source| source.crate_name() != "ambit-search") {
        for (_, token) in source.product_tokens() {
            if token.kind == TokenKind::Word && token.text == "tantivy" {
                let remedy = "the engine's types stay in ambit-search: wrap what is needed there";
                out.push(Finding::new(&source.path, token.line, "search-engine", remedy));
            }
        }
    }
    refuse_dependency(tree, &["tantivy", "opensearch"], &["ambit-search"], "search-engine", out);
}

/// model, query, api, yara and export do no input or output: no runtime, files, sockets, clock.
pub(crate) fn pure_crates(tree: &Tree, out: &mut Vec<Finding>) {
    const PURE: &[&str] = &[
        "ambit-model",
        "ambit-query",
        "ambit-api",
        "ambit-yara",
        "ambit-secrets",
        "ambit-sources",
        "ambit-app",
        "ambit-fingerprints",
        "ambit-export",
        "ambit-import",
    ];
    for source in tree.crate_sources().filter(|source| PURE.contains(&source.crate_name())) {
        impurities(source, "pure", "take it as an argument; this crate does no input or output", out);
    }
    let all_but_pure: Vec<&str> =
        tree.manifests().map(|(name, _, _)| name).filter(|name| !PURE.contains(name)).collect();
    refuse_dependency(tree, &["tokio", "socket2", "rand"], &all_but_pure, "pure", out);
}

/// A judge is a function of facts: no network, no clock, no disk.
pub(crate) fn judges_without_network(tree: &Tree, out: &mut Vec<Finding>) {
    let judges = tree.crate_sources().filter(|source| source.path.starts_with("crates/ambit-checks/src/judge"));
    for source in judges {
        impurities(
            source,
            "judges",
            "a judge sees facts and the run's date only: add the fact to what tasks observe",
            out,
        );
        for (_, token) in source.product_tokens() {
            if token.kind == TokenKind::Word && token.text == "ambit_net" {
                let remedy = "a judge never touches the network: add the fact to what tasks observe";
                out.push(Finding::new(&source.path, token.line, "judges", remedy));
            }
        }
    }
}

/// Words of code that reach outside of a function of data.
fn impurities(source: &Source, rule: &'static str, remedy: &str, out: &mut Vec<Finding>) {
    const WORDS: &[&str] = &["tokio", "SystemTime", "Instant", "now_utc", "now_local", "UtcDateTime"];
    const PATHS: &[&[&str]] = &[
        &["std", ":", ":", "fs"],
        &["std", ":", ":", "env"],
        &["std", ":", ":", "process"],
        &["std", ":", ":", "thread"],
    ];
    for (index, token) in source.product_tokens() {
        let word = token.kind == TokenKind::Word && WORDS.contains(&token.text.as_str());
        let socket = token.kind == TokenKind::Word && SOCKETS.contains(&token.text.as_str());
        let path = PATHS.iter().find(|path| source.reads(index, path));
        if word || socket || path.is_some() {
            let name = path.map_or_else(|| token.text.clone(), |path| path.concat());
            out.push(Finding::new(&source.path, token.line, rule, format!("{name}: {remedy}")));
        }
    }
}

/// A build script runs no programs and reaches no network: `cargo build` alone gives a complete program.
pub(crate) fn build_scripts(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources().filter(|source| source.path.ends_with("/build.rs")) {
        for (_, token) in source.product_tokens() {
            let word = token.kind == TokenKind::Word;
            if word && (token.text == "Command" || SOCKETS.contains(&token.text.as_str())) {
                let remedy = "a build script runs no program and opens no socket: let the Makefile do it";
                out.push(Finding::new(&source.path, token.line, "build-scripts", remedy));
            }
        }
    }
}

fn refuse_dependency(tree: &Tree, packages: &[&str], allowed: &[&str], rule: &'static str, out: &mut Vec<Finding>) {
    for (name, file, manifest) in tree.manifests().filter(|(name, _, _)| !allowed.contains(name)) {
        let table = manifest.get("dependencies").and_then(toml::Value::as_table);
        for package in table.into_iter().flat_map(|table| table.keys()).filter(|key| packages.contains(&key.as_str())) {
            let text = file.text.as_deref().unwrap_or_default();
            let line = text.lines().position(|line| line.starts_with(package.as_str())).map_or(1, |index| index + 1);
            out.push(Finding::new(&file.path, line, rule, format!("{name} may not depend on {package}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    const TASK: &str = "crates/ambit-tasks/src/a.rs";

    #[test]
    fn only_the_net_opens_sockets() {
        let bad = "async fn f() { tokio::net::TcpStream::connect(a).await; }";
        assert_eq!(
            said(sockets, &[(TASK, bad)]),
            [format!("{TASK}:1: sockets: TcpStream belongs to ambit-net: connect through its wire")]
        );
        assert!(said(sockets, &[("crates/ambit-net/src/live.rs", bad)]).is_empty());
        let in_test = "#[cfg(test)]\nmod tests { use std::net::TcpListener; }";
        assert!(said(sockets, &[(TASK, in_test)]).is_empty());
    }

    #[test]
    fn only_the_door_holds_a_wire() {
        for bad in [
            "async fn f(session: &Session) { session.wire().connect(a).await; }",
            "async fn f(wire: &Live) { wire.connect(a).await; }",
            "fn f(wire: &Live) { wire.datagrams(a); }",
        ] {
            assert_eq!(said(wire, &[("crates/ambit-engine/src/a.rs", bad)]).len(), 1, "{bad}");
            assert!(said(wire, &[(DOOR, bad)]).is_empty(), "{bad}");
        }
        let names = "use crate::wire::Wire;";
        assert_eq!(said(wire, &[("crates/ambit-net/src/udp.rs", names)]).len(), 1);
        for path in ["crates/ambit-net/src/net.rs", DOOR, "crates/ambit-engine/src/a.rs"] {
            assert!(said(wire, &[(path, names)]).is_empty(), "{path}");
        }
        let good = "async fn f(session: &Session, wire: Arc<dyn Clock>) { session.connect(a, None).await; \
                    connector.connect(name, stream); wire.now(); }";
        assert!(said(wire, &[("crates/ambit-net/src/tls/handshake.rs", good)]).is_empty());
    }

    #[test]
    fn an_exception_names_path_and_word() {
        fn with_exception(tree: &Tree, out: &mut Vec<Finding>) {
            let exceptions = &[("crates/ambit-server/src/serve.rs", "TcpListener", "its own listener")];
            Door { rule: "sockets", words: SOCKETS, crates: &[], exceptions }.check("", tree, out);
        }
        let code = "use tokio::net::TcpListener;";
        assert!(said(with_exception, &[("crates/ambit-server/src/serve.rs", code)]).is_empty());
        assert_eq!(said(with_exception, &[("crates/ambit-server/src/other.rs", code)]).len(), 1);
        let unused = said(with_exception, &[("xtask/src/tidy/doors.rs", "")]);
        assert!(unused[0].contains("no longer needed"), "{unused:?}");
    }

    #[test]
    fn only_the_binary_asks_for_the_time() {
        let bad = "fn f() { let now = SystemTime::now(); }";
        assert_eq!(said(wall_clock, &[("crates/ambit-engine/src/run.rs", bad)]).len(), 1);
        assert!(said(wall_clock, &[("crates/ambit/src/serve.rs", bad)]).is_empty());
        assert!(said(wall_clock, &[("crates/ambit-engine/src/run.rs", "fn f(now: Timestamp) {}")]).is_empty());
    }

    #[test]
    fn only_the_store_knows_sql() {
        let bad = "fn f() { q(\"SELECT uid FROM entities WHERE id = $1\"); }";
        assert_eq!(said(sql, &[("crates/ambit-server/src/a.rs", bad)]).len(), 1);
        assert!(said(sql, &[("crates/ambit-store/src/a.rs", bad)]).is_empty());
        let prose = "fn f() { q(\"select a project with --project, or update the key\"); }";
        assert!(said(sql, &[("crates/ambit-server/src/a.rs", prose)]).is_empty());
        let manifest = "[dependencies]\nsqlx.workspace = true\n";
        assert_eq!(said(sql, &[("crates/ambit-server/Cargo.toml", manifest)]).len(), 1);
    }

    #[test]
    fn only_search_knows_the_engine() {
        let bad = "use tantivy::Index;";
        assert_eq!(said(search_engine, &[("crates/ambit-server/src/a.rs", bad)]).len(), 1);
        assert!(said(search_engine, &[("crates/ambit-search/src/a.rs", bad)]).is_empty());
        assert!(said(search_engine, &[("crates/ambit-server/src/a.rs", "// tantivy is not named here")]).is_empty());
    }

    #[test]
    fn pure_crates_have_no_clock_and_no_files() {
        let path = "crates/ambit-model/src/a.rs";
        for bad in ["fn f() { std::fs::read(p); }", "use std::time::SystemTime;", "async fn f() { tokio::spawn(x); }"] {
            assert_eq!(said(pure_crates, &[(path, bad)]).len(), 1, "{bad}");
        }
        assert!(said(pure_crates, &[(path, "use std::net::IpAddr;\nfn f(now: OffsetDateTime) {}")]).is_empty());
        let manifest = "[dependencies]\ntokio.workspace = true\n";
        assert_eq!(said(pure_crates, &[("crates/ambit-query/Cargo.toml", manifest)]).len(), 1);
        assert!(said(pure_crates, &[("crates/ambit-store/Cargo.toml", manifest)]).is_empty());
    }

    #[test]
    fn judges_see_facts_only() {
        let path = "crates/ambit-checks/src/judge/expired.rs";
        assert_eq!(said(judges_without_network, &[(path, "use ambit_net::Net;")]).len(), 1);
        assert_eq!(said(judges_without_network, &[(path, "fn f() { OffsetDateTime::now_utc(); }")]).len(), 1);
        assert!(said(judges_without_network, &[(path, "fn judge(facts: &Facts) {}")]).is_empty());
    }

    #[test]
    fn build_scripts_run_nothing() {
        let path = "crates/ambit-server/build.rs";
        assert_eq!(said(build_scripts, &[(path, "fn main() { Command::new(\"npm\"); }")]).len(), 1);
        assert!(said(build_scripts, &[(path, "fn main() { println!(\"cargo:rerun-if-changed=x\"); }")]).is_empty());
    }
}
