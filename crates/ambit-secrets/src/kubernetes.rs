//! What a Secret of Kubernetes holds: every entry of it, where a manifest has it, and whether that is worth being told.

use crate::decode::base64;
use crate::value::{entropy, is_of_words, is_placeholder, is_reference};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Mappings of entries in one text that are looked at, and lines on each side in which one says that it is a Secret: a
/// text is hostile, and each mapping is compared with the lines around it.
const MAPPINGS_MAX: usize = 1_000;
const LINES_MAX: usize = 2_000;
/// Bytes of the shortest entry that its name calls a secret.
const NAMED_BYTES_MIN: usize = 6;
/// The same where its name says nothing, and bits that each of its characters has.
const UNNAMED_BYTES_MIN: usize = 8;
const UNNAMED_ENTROPY: f64 = 3.0;
/// Bits of a character of one that its name calls a secret: less has what a key on the keyboard was held down for.
const NAMED_ENTROPY: f64 = 2.0;

/// A line that gives the manifest its kind.
static KIND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^kind:[ \t]*["']?(?i:secret)["']?[ \t\r]*(?:#.*)?$"#).expect("constant"));
/// A line that begins the entries.
static ENTRIES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(data|stringData):[ \t\r]*(?:#.*)?$").expect("constant"));
/// An entry: its name, and the rest of its line.
static ENTRY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^["']?([0-9A-Za-z_.-]+)["']?:[ \t]*(.*?)[ \t\r]*$"#).expect("constant"));
/// What says that the lines below are the entry.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[|>][+0-9-]*$").expect("constant"));
/// Names that call an entry a secret, and such that call it none.
static NAMES_OF_SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)pass|pwd|secret|token|key|cred|auth|private|salt|dockercfg|dockerconfig").expect("constant")
});
static NAMES_OF_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    let names = [
        r"user(?:name)?|login|host(?:name)?|port|server|database|db|db[_.-]?name|log[_.-]?level|region|zone",
        r"ur[il]|endpoint|e?mail|namespace|type|name|version|client[_.-]?id|tenant[_.-]?id|bucket",
    ];
    let ends = r"\.(?:crt|cer|pub)|public[_.-]?key|key[_.-]?id";
    Regex::new(&format!("(?i)(?:^|[_.-])(?:{})$|(?:{ends})$", names.join("|"))).expect("constant")
});

/// A line of a manifest.
struct Line<'a> {
    /// Where what it says begins, behind blanks and the marks of lists.
    at: usize,
    /// Columns in front of the first that is no blank, and in front of what it says.
    indent: usize,
    column: usize,
    says: &'a str,
    /// It gives the manifest its kind.
    is_kind: bool,
}

impl Line<'_> {
    /// A blank line, a comment, or what a template does there.
    fn is_aside(&self) -> bool {
        self.says.is_empty() || self.says.starts_with('#') || self.says.starts_with("{{")
    }
}

/// Returns where the entries of Secrets stand in a text that are worth being told.
pub(crate) fn secrets(text: &str) -> Vec<Range<usize>> {
    let lines = lines(text);
    let mut found = Vec::new();
    let documents = lines.split(|line| line.column == 0 && line.says.starts_with("---"));
    let mappings = documents.flat_map(|document| {
        let begun = document.iter().enumerate().filter_map(|(at, line)| Some((at, ENTRIES.captures(line.says)?)));
        begun.map(move |(at, begins)| (document, at, &begins[1] == "data"))
    });
    for (document, at, is_encoded) in mappings.take(MAPPINGS_MAX) {
        if is_of_a_secret(document, at) {
            let entries = entries(text, document, at);
            let told = entries.into_iter().filter(|(name, range)| is_told(name, &text[range.clone()], is_encoded));
            found.extend(told.map(|(_, range)| range));
        }
    }
    found
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let says = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - says.len();
        let inner = says.trim_start_matches("- ").trim_start();
        let column = line.len() - inner.len();
        let says = inner.trim_end();
        let is_kind = says.starts_with("kind:") && KIND.is_match(says);
        lines.push(Line { at: at + column, indent, column, says, is_kind });
        at += line.len() + 1;
    }
    lines
}

/// Returns whether the mapping that has this line says that it is a Secret.
fn is_of_a_secret(document: &[Line<'_>], number: usize) -> bool {
    let column = document[number].column;
    let is_kind = |line: &Line<'_>| line.column == column && line.is_kind;
    let is_item = |line: &Line<'_>| line.indent < line.column;
    if !is_item(&document[number]) {
        for line in document[..number].iter().rev().take(LINES_MAX).filter(|line| !line.is_aside()) {
            if line.column < column {
                break;
            }
            if is_kind(line) {
                return true;
            }
            if line.column == column && is_item(line) {
                break;
            }
        }
    }
    let below = document[number + 1..].iter().take(LINES_MAX).filter(|line| !line.is_aside());
    below.take_while(|line| line.indent >= column).any(is_kind)
}

/// The names of the entries below a line, and where what they hold stands.
fn entries<'a>(text: &str, document: &[Line<'a>], number: usize) -> Vec<(&'a str, Range<usize>)> {
    let below = &document[number + 1..];
    let end = below.iter().position(|line| !line.is_aside() && line.indent <= document[number].column);
    let inside = &below[..end.unwrap_or(below.len())];
    let Some(column) = inside.iter().find(|line| !line.is_aside()).map(|line| line.indent) else { return Vec::new() };
    let mut entries = Vec::new();
    for (at, line) in inside.iter().enumerate().filter(|(_, line)| line.indent == column && !line.is_aside()) {
        let Some(entry) = ENTRY.captures(line.says) else { continue };
        let (Some(name), Some(value)) = (entry.get(1), entry.get(2)) else { continue };
        let range = if BLOCK.is_match(value.as_str()) {
            let mut block = inside[at + 1..].iter().take_while(|line| line.says.is_empty() || line.indent > column);
            let Some(first) = block.next() else { continue };
            let last = block.take_while(|line| !line.says.is_empty()).last().unwrap_or(first);
            first.at..last.at + last.says.len()
        } else {
            line.at + value.start()..line.at + value.end()
        };
        let value = &text[range.clone()];
        let quoted =
            ['"', '\''].iter().any(|quote| value.len() > 1 && value.starts_with(*quote) && value.ends_with(*quote));
        entries.push((name.as_str(), if quoted { range.start + 1..range.end - 1 } else { range }));
    }
    entries
}

/// Returns whether an entry of this name opens something.
fn is_told(name: &str, value: &str, is_encoded: bool) -> bool {
    if NAMES_OF_OTHERS.is_match(name) || value.contains("{{") {
        return false;
    }
    let is_named = NAMES_OF_SECRETS.is_match(name);
    let least = if is_named { NAMED_BYTES_MIN } else { UNNAMED_BYTES_MIN };
    let mut text = value.to_owned();
    if is_encoded {
        let whole: String = value.split_whitespace().collect();
        let Ok(bytes) = STANDARD.decode(whole) else { return false };
        match String::from_utf8(bytes) {
            // A key that is no text.
            Err(error) => return error.as_bytes().len() >= least,
            Ok(decoded) => text = decoded.trim().to_owned(),
        }
    }
    // A value of several lines is searched by the other rules.
    if text.len() < least || text.contains('\n') || is_placeholder(&text, true) || is_reference(&text) {
        return false;
    }
    if base64(&text).is_some_and(|inner| is_placeholder(&inner, true)) {
        return false;
    }
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    match is_named {
        true => entropy(&text) >= NAMED_ENTROPY,
        false => has_digit && entropy(&text) >= UNNAMED_ENTROPY && !is_of_words(&text) && !text.contains(' '),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of a manifest whose entries are encoded.
    fn told(manifest: &str) -> Vec<&str> {
        secrets(manifest).into_iter().map(|range| &manifest[range]).collect()
    }

    #[test]
    fn every_entry_of_a_secret_is_looked_at_wherever_its_kind_stands() {
        let (one, two) = (STANDARD.encode("k3m8vq1zbw5h"), STANDARD.encode("h5wbz1qv8m3k"));
        let data = format!("data:\n  user: YW5uYW5uYQ==\n  # more\n\n  password: {one}\n  other: \"{two}\"\n");
        let item = data.replace('\n', "\n    ");
        for manifest in [
            format!("kind: Secret\n{data}"),
            format!("apiVersion: v1\n{data}kind: Secret # mine\n"),
            format!("kind: ConfigMap\n---\nkind: \"Secret\"\nmetadata:\n  name: x\n{data}---\nkind: ConfigMap\n"),
            format!("items:\n  - kind: ConfigMap\n    data:\n      a: {two}\n  - kind: Secret\n    {item}"),
            format!("{{{{- if .x }}}}\nkind: Secret\n{data}{{{{- end }}}}\n"),
            format!("kind: Secret\r\ndata:\r\n  password: {one}\r\n  other: {two}\r\n"),
        ] {
            assert_eq!(told(&manifest), [one.as_str(), two.as_str()], "{manifest}");
        }
        for manifest in [
            format!("kind: ConfigMap\n{data}"),
            format!("kind: SealedSecret\n{data}"),
            format!("{data}---\nkind: Secret\n"),
            format!("spec:\n  kind: Secret\n{data}"),
            format!("- kind: Secret\n- {item}"),
        ] {
            assert_eq!(told(&manifest), [""; 0], "{manifest}");
        }
    }

    #[test]
    fn an_entry_is_told_by_its_name_and_by_what_it_holds() {
        for (name, value, expected) in [
            ("password", "k3m8vq1z", true),
            ("PASSWORD", "opensesame", true),
            ("password", "changeme", false),
            ("password", "your-password-1", false),
            ("password", "aaaaaaaa", false),
            ("password", "pw1", false),
            ("api-key", "k3m8vq1zbw5h9cd2", true),
            ("admin-user", "k3m8vq1zbw5h9cd2", false),
            ("tls.crt", "k3m8vq1zbw5h9cd2", false),
            ("database", "k3m8vq1zbw5h9cd2", false),
            ("value", "k3m8vq1zbw5h9cd2", true),
            ("value", "app_production", false),
            ("value", "a line of 12 words", false),
            ("config", "a = k3m8vq1zbw5h9cd2\nb = 2", false),
            ("password", "$(PASSWORD)", false),
        ] {
            assert_eq!(is_told(name, value, false), expected, "{name} {value}");
            assert_eq!(is_told(name, &STANDARD.encode(value), true), expected, "{name} {value} encoded");
        }
        assert!(is_told("password", &STANDARD.encode([0xff_u8; 16]), true), "no text");
        assert!(!is_told("password", "{{ .Values.password | b64enc }}", true));
        assert!(!is_told("password", "<path:secret/app#password>", true));
        assert!(!is_told("p4", "AVP_base64_placeholder", true));
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_ends() {
        let hostile = format!("kind: Secret\n---\n{}", "data:\n".repeat(300_000));
        assert_eq!(told(&hostile), [""; 0]);
    }

    #[test]
    fn an_entry_may_stand_below_its_name() {
        let one = STANDARD.encode("k3m8vq1zbw5h9cd2yfs7");
        let manifest = format!("kind: Secret\ndata:\n  token: |-\n    {one}\n  other: >\n    {one}\n\n  user: x\n");
        assert_eq!(told(&manifest), [one.as_str(); 2]);
        let manifest = "kind: Secret\nstringData:\n  token: 'k3m8vq1zbw5h'\n  none:\n  empty: \"\"\n";
        assert_eq!(told(manifest), ["k3m8vq1zbw5h"]);
    }
}
