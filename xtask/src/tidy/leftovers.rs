//! What must not be left behind: unfinished work, paths of somebody's machine, big files, sleeps in tests.

use super::Finding;
use super::source::TokenKind;
use super::tree::{File, Tree};

/// Larger files belong into a release or are generated; git keeps every version of them for ever.
const BLOB_BYTES_MAX: usize = 200_000;

/// Files that programs write: locks of package managers, and the description of the API, which a test compares with its
/// table.
fn is_generated(path: &str) -> bool {
    path.ends_with("Cargo.lock") || path.ends_with("package-lock.json") || path == "docs/openapi.json"
}

/// The rules' own sources name what they look for.
fn texts(tree: &Tree) -> impl Iterator<Item = (&File, &str)> {
    let files = tree.files.iter().filter(|file| !is_generated(&file.path) && !file.path.starts_with("xtask/src/tidy/"));
    files.filter_map(|file| Some((file, file.text.as_deref()?)))
}

/// No macro or mark of unfinished work, no test that is skipped.
pub(crate) fn unfinished(tree: &Tree, out: &mut Vec<Finding>) {
    for (file, text) in texts(tree) {
        for (index, line) in text.lines().enumerate() {
            for mark in ["FIXME", "TODO", "XXX"] {
                if has_word(line, mark) {
                    let remedy = format!("{mark}: finish it, or say in a comment what is true today and open an issue");
                    out.push(Finding::new(&file.path, index + 1, "unfinished", remedy));
                }
            }
        }
    }
    for source in tree.sources.iter().filter(|source| !source.path.starts_with("xtask/src/tidy/")) {
        for (index, token) in source.tokens.iter().enumerate() {
            let mark = [
                (&["todo", "!"][..], "todo!: write it"),
                (&["unimplemented", "!"][..], "unimplemented!: write it"),
                (&["dbg", "!"][..], "dbg!: remove it"),
                (
                    &["#", "[", "ignore"][..],
                    "a test is never skipped: assert today's behaviour and say what is wrong with it",
                ),
            ];
            for (_, remedy) in mark.iter().filter(|(pattern, _)| source.reads(index, pattern)) {
                out.push(Finding::new(&source.path, token.line, "unfinished", *remedy));
            }
        }
    }
}

/// No absolute path of the machine that the text was written on.
pub(crate) fn machine_paths(tree: &Tree, out: &mut Vec<Finding>) {
    for (file, text) in texts(tree) {
        for (index, line) in text.lines().enumerate() {
            for path in ["/home/", "/root/", "/Users/"] {
                if starts_absolute(line, path) {
                    let remedy = format!(
                        "{path} is a folder of one machine: use a path relative to the repository or a variable"
                    );
                    out.push(Finding::new(&file.path, index + 1, "machine-paths", remedy));
                }
            }
        }
    }
}

/// Whether `path` stands in `line` at the beginning of an absolute path, not inside a longer one or a URL.
fn starts_absolute(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let inside = before.is_some_and(|c| c.is_alphanumeric() || "./_-~*{}$>)]".contains(c));
        !inside && after.is_some_and(|c| c.is_alphanumeric() || c == '.')
    })
}

/// No file over the limit.
pub(crate) fn blobs(tree: &Tree, out: &mut Vec<Finding>) {
    for file in tree.files.iter().filter(|file| file.bytes > BLOB_BYTES_MAX && !is_generated(&file.path)) {
        let remedy = format!("{} bytes, the limit is {BLOB_BYTES_MAX}: generate it, or shorten it", file.bytes);
        out.push(Finding::new(&file.path, 1, "blobs", remedy));
    }
}

/// Tests wait for what they need, never for time to pass. A wire's own clock may sleep: that is a method and costs
/// nothing.
pub(crate) fn sleeps_in_tests(tree: &Tree, out: &mut Vec<Finding>) {
    for source in &tree.sources {
        let for_tests = source.crate_name() == "ambit-testkit";
        for (index, token) in source.tokens.iter().enumerate() {
            let sleep =
                token.kind == TokenKind::Word && ["sleep", "sleep_until", "sleep_ms"].contains(&token.text.as_str());
            if !sleep || !(for_tests || source.is_test_line(token.line)) || !source.reads(index + 1, &["("]) {
                continue;
            }
            let is_method = index > 0 && (source.reads(index - 1, &["."]) || source.reads(index - 1, &["fn"]));
            if !is_method {
                let remedy = "a test does not sleep: wait for the event, or drive the clock";
                out.push(Finding::new(&source.path, token.line, "sleeps-in-tests", remedy));
            }
        }
    }
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part(before) && !part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    const PATH: &str = "crates/ambit-net/src/a.rs";

    #[test]
    fn nothing_is_left_unfinished() {
        for bad in [
            "fn f() { todo!() }",
            "fn f() { dbg!(1); }",
            "#[test]\n#[ignore = \"slow\"]\nfn f() {}",
            "// FIXME later",
            "// TODO: write it",
        ] {
            assert_eq!(said(unfinished, &[(PATH, bad)]).len(), 1, "{bad}");
        }
        for good in ["// XXXX is a mask, and FIXMEs and TODOs are none", "fn f() { \"todo!\"; }", "fn ignore() {}"] {
            assert!(said(unfinished, &[(PATH, good)]).is_empty(), "{good}");
        }
        assert_eq!(said(unfinished, &[("docs/a.md", "XXX: rewrite")]).len(), 1);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for bad in ["see /Users/anna/design.md", "DIR=/root/x", "(\"/home/anna/x\")", "`/root/.cargo`"] {
            assert_eq!(said(machine_paths, &[("docs/a.md", bad)]).len(), 1, "{bad}");
        }
        for good in
            ["https://example.test/home/1", "a /home of ours", "cd ../home/x", "$HOME/root/x", "GET /home/ HTTP/1.1"]
        {
            assert!(said(machine_paths, &[("docs/a.md", good)]).is_empty(), "{good}");
        }
    }

    #[test]
    fn big_files_are_found() {
        let big = "x".repeat(BLOB_BYTES_MAX + 1);
        assert_eq!(said(blobs, &[("docs/big.txt", &big)]).len(), 1);
        assert!(said(blobs, &[("docs/small.txt", &big[1..])]).is_empty());
    }

    #[test]
    fn tests_do_not_sleep() {
        let bad = "#[cfg(test)]\nmod tests { async fn f() { tokio::time::sleep(d).await; } }";
        assert_eq!(said(sleeps_in_tests, &[(PATH, bad)]).len(), 1);
        let imported = "use std::thread::sleep;\nfn f() { sleep(d); }";
        assert_eq!(said(sleeps_in_tests, &[("crates/ambit/tests/it/main.rs", imported)]).len(), 1);
        let wire = "#[cfg(test)]\nmod tests { async fn f() { wire.sleep(d).await; } }";
        assert!(said(sleeps_in_tests, &[(PATH, wire)]).is_empty());
        assert!(said(sleeps_in_tests, &[(PATH, "async fn f() { tokio::time::sleep(d).await; }")]).is_empty());
    }
}
