//! The forms in which a name is given a value: in quotes in code, bare or quoted in configuration files, between tags
//! in XML, and between user and host in an address.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Ends of the names of files whose values need no quotes.
const CONFIGURATION: &[&str] = &[
    "cfg",
    "cnf",
    "conf",
    "config",
    "env",
    "envrc",
    "hcl",
    "ini",
    "properties",
    "tf",
    "tfvars",
    "toml",
    "yaml",
    "yml",
];
/// Whole names of such files, and beginnings that something may follow: `.env.production`, `Dockerfile.web`.
const CONFIGURATION_NAMES: &[&str] =
    &["credentials", "config", "kubeconfig", ".netrc", ".npmrc", ".pypirc", ".s3cfg", ".boto"];
const CONFIGURATION_BEGINNINGS: &[&str] = &[".env.", "env.", "dockerfile", "containerfile"];
/// Bytes in front of a value in which the mark of its element begins.
const MARK_BYTES_MAX: usize = 200;
/// Bytes of a line in front of a value.
const LINE_BYTES_MAX: usize = 200;
/// What may open a value.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Bytes in front of a word in which the address that it is part of begins.
const ADDRESS_BYTES_MAX: usize = 200;
/// What stands in front of a name that calls a value the digest of something.
const DIGEST_FRONTS: &[&str] = &["checksum/", "sha256/", "hash/"];
/// What begins the address of a secret that a service keeps: those of Amazon, and of the tools that read from there.
const KEPT_ADDRESSES: &[&str] = &["arn:aws", "projects/"];
/// The machine on which a program runs.
const THIS_MACHINE: &[&str] = &["localhost", "127.", "0.0.0.0", "[::1]", "host.docker.internal"];

/// The mark of an element, up to its value.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let attributes = r#"(?:[ \t\r\n]+[0-9A-Za-z_.:-]+=(?:"[^"<>]*"|'[^'<>]*'))*"#;
    Regex::new(&format!(r#"<[A-Za-z][0-9A-Za-z_.:-]*{attributes}[ \t\r\n]*>[ \t\r\n]*["'`]?$"#)).expect("constant")
});
/// How a shell and those who read its files are told a value, up to it.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[ \t]*(?:(?:export|ENV|ARG|set)[ \t]+)?[A-Z][0-9A-Z_]*=$").expect("the expression is constant")
});

/// Returns whether a value is one of an element where a `>` stands in front of it: `a > b` compares.
pub(crate) fn is_no_comparison(text: &str, name: &Range<usize>, value: &Range<usize>) -> bool {
    let between = text[name.end..value.start].trim_end_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    if !between.ends_with('>') || between.ends_with("=>") {
        return true;
    }
    let start = text.floor_char_boundary(value.start.saturating_sub(MARK_BYTES_MAX));
    let behind = text[value.end..].trim_start_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    MARK.is_match(&text[start..value.start]) && behind.starts_with("</")
}

/// Returns whether a name calls its value the digest of something: `checksum/secret`.
pub(crate) fn is_digest(text: &str, name: &Range<usize>) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let front = text[..name.start].trim_end_matches(is_inside);
    DIGEST_FRONTS.iter().any(|digest| front.ends_with(digest))
}

/// Returns whether a name is a part of the address at which a service keeps a secret:
/// `arn:aws:secretsmanager:eu-west-1:1:secret:app`.
pub(crate) fn is_of_an_address(text: &str, name: &Range<usize>) -> bool {
    let start = text.floor_char_boundary(name.start.saturating_sub(ADDRESS_BYTES_MAX));
    let is_outside = |c: char| c.is_whitespace() || QUOTES.contains(&c) || matches!(c, '=' | ',' | '(');
    let front = text[start..name.start].rsplit(is_outside).next().unwrap_or_default();
    KEPT_ADDRESSES.iter().any(|begins| front.starts_with(begins))
}

/// Returns whether the password of an address opens something elsewhere: it leads to another machine than the one on
/// which a program runs, and it is not the name of the user once more, as in every example.
pub(crate) fn is_of_another_machine(text: &str, password: &Range<usize>) -> bool {
    let start = text.floor_char_boundary(password.start.saturating_sub(ADDRESS_BYTES_MAX));
    let user = text[start..password.start].trim_end_matches(':').rsplit(['/', ':']).next().unwrap_or_default();
    let host = text[password.end..].trim_start_matches('@');
    let is_this = THIS_MACHINE.iter().any(|machine| {
        host.get(..machine.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(machine))
            && !(machine.ends_with(|c: char| c.is_ascii_alphanumeric())
                && host[machine.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')))
    });
    !is_this && !text[password.clone()].eq_ignore_ascii_case(user)
}

/// Returns whether a value stands as values do in such a file: in quotes, in an element, or where none are needed. Of a
/// text that has no path nothing is known.
pub(crate) fn is_told_apart(text: &str, value: &Range<usize>, path: &str) -> bool {
    let front = &text[..value.start];
    let is_element = || front.trim_end().ends_with('>') && !front.trim_end().ends_with("=>");
    front.ends_with(QUOTES) || path.is_empty() || is_configuration(path) || is_element() || is_setting(front)
}

/// Returns true for a file of configuration, by its name: values in it need no quotes.
pub fn is_configuration(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    CONFIGURATION.contains(&end)
        || CONFIGURATION_NAMES.contains(&name.as_str())
        || CONFIGURATION_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Returns whether the line up to a value is `NAME=`.
fn is_setting(front: &str) -> bool {
    let start = front.floor_char_boundary(front.len().saturating_sub(LINE_BYTES_MAX));
    let line = front[start..].rfind('\n').map_or(start, |at| start + at + 1);
    SETTING.is_match(&front[line..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a name and of the value that a text gives to it.
    fn places(text: &str) -> (Range<usize>, Range<usize>) {
        let place = |word: &str| text.find(word).map(|at| at..at + word.len()).expect("it is there");
        (place("key"), place("1234"))
    }

    #[test]
    fn a_value_behind_a_mark_is_one_of_an_element() {
        for (text, expected) in [
            ("<key>1234</key>", true),
            ("<my.key>\n  1234\n</my.key>", true),
            ("<string name=\"key\">1234</string>", true),
            ("key => 1234", true),
            ("key = 1234", true),
            ("if (key>1234)", false),
            ("if (a<key && b>1234)", false),
            ("Map<key>1234;", false),
        ] {
            let (name, value) = places(text);
            assert_eq!(is_no_comparison(text, &name, &value), expected, "{text}");
        }
    }

    #[test]
    fn the_digest_of_a_secret_and_where_one_is_kept_are_no_secret() {
        for (text, is_one) in [
            ("checksum/key: 1234", true),
            ("checksum/my-key: 1234", true),
            ("key: 1234", false),
            ("secrets/key: 1234", false),
        ] {
            assert_eq!(is_digest(text, &places(text).0), is_one, "{text}");
        }
        for (text, is_one) in [
            ("X=arn:aws:secretsmanager:eu-west-1:12:key:1234", true),
            ("X=\"arn:aws-cn:secretsmanager:cn-north-1:12:key:1234\"", true),
            ("arn:aws:iam::12:role/app key:1234", false),
            ("key:1234", false),
        ] {
            assert_eq!(is_of_an_address(text, &places(text).0), is_one, "{text}");
        }
    }

    #[test]
    fn a_password_that_is_its_user_or_leads_to_this_machine_opens_nothing_elsewhere() {
        for (text, expected) in [
            ("postgres://app:1234@db.acme.test/app", true),
            ("redis://:1234@db.acme.test/app", true),
            ("postgres://1234:1234@db/app", false),
            ("postgres://app:1234@localhost:5432/app", false),
            ("postgres://app:1234@LOCALHOST", false),
            ("postgres://app:1234@127.0.0.1/app", false),
            ("postgres://app:1234@[::1]:5432/app", false),
            ("postgres://app:1234@localhost.acme.test/app", true),
            ("postgres://app:1234@localhosts/app", true),
            ("postgres://app:1234@127-0-0-1.acme.test/app", true),
        ] {
            let at = text.rfind("1234").expect("it is there");
            assert_eq!(is_of_another_machine(text, &(at..at + 4)), expected, "{text}");
        }
    }

    #[test]
    fn a_bare_value_counts_where_none_needs_quotes() {
        for (path, text, expected) in [
            ("", "key = 1234", true),
            ("src/main.rs", "key = 1234", false),
            ("src/main.rs", "key = \"1234", true),
            ("src/main.rs", "key: `1234", true),
            ("pom.xml", "<key>1234</key>", true),
            ("src/main.rs", "key => 1234", false),
            ("a/.env", "key=1234", true),
            ("a/.env.production", "key=1234", true),
            ("a/production.ENV", "key=1234", true),
            ("a/Dockerfile", "key=1234", true),
            ("a/Dockerfile.web", "key=1234", true),
            ("C:\\a\\app.ini", "key=1234", true),
            ("a/values.yaml", "key: 1234", true),
            ("home/.aws/credentials", "key = 1234", true),
            ("home/kubeconfig", "key: 1234", true),
            ("run.sh", "x\nMY_key=1234", false),
            ("run.sh", "x\nexport MY=1234", true),
            ("run.sh", "  MY=1234", true),
            ("run.sh", "if MY=1234", false),
            ("run.sh", "MY = 1234", false),
        ] {
            let at = text.find("1234").expect("it is there");
            assert_eq!(is_told_apart(text, &(at..at + 4), path), expected, "{path} {text}");
        }
    }
}
