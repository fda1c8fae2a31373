//! How a version is made of what a pattern found: `\1`, and `\1?a:b` for a where the group holds something, else b.

use crate::product::clean_version;
use regex::bytes::Captures;

/// A text with places for groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Group(usize),
    Choice { group: usize, filled: Vec<Piece>, empty: Vec<Piece> },
}

impl Template {
    /// Reads a template. Any text is one.
    pub(crate) fn read(text: &str) -> Self {
        // Only a choice that begins the text is one: the other groups stand as they are.
        if let Some((group, rest)) = group(text)
            && let Some((filled, empty)) = rest.strip_prefix('?').and_then(|rest| rest.split_once(':'))
        {
            return Self(vec![Piece::Choice { group, filled: pieces(filled), empty: pieces(empty) }]);
        }
        Self(pieces(text))
    }

    /// Returns the version in the text: the first number with a dot that no letter stands before, else the first with
    /// a dot, else the first that no letter stands before; none where there is no such number. A `v` is no letter.
    pub(crate) fn numbered(&self, captures: &Captures<'_>) -> Option<String> {
        let mut out = String::new();
        fill(&self.0, captures, &mut out);
        let begin = version_begin(&out)?;
        Some(clean_version(&out[begin..])).filter(|version| !version.is_empty())
    }

    /// Returns the version; none where it would be empty.
    pub(crate) fn fill(&self, captures: &Captures<'_>) -> Option<String> {
        let mut out = String::new();
        fill(&self.0, captures, &mut out);
        Some(clean_version(&out)).filter(|version| !version.is_empty())
    }
}

/// Where the version in a text begins.
fn version_begin(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_free = |at: usize| at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    let is_begin = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit());
    let stands_alone = |at: usize| is_free(at) || (matches!(bytes[at - 1], b'v' | b'V') && is_free(at - 1));
    let has_dot = |at: usize| {
        let behind = bytes[at..].iter().skip_while(|byte| byte.is_ascii_digit()).take(2).copied();
        matches!(behind.collect::<Vec<u8>>()[..], [b'.', digit] if digit.is_ascii_digit())
    };
    let begins: Vec<usize> = (0..bytes.len()).filter(is_begin).collect();
    let first = |is_one: &dyn Fn(usize) -> bool| begins.iter().copied().find(|at| is_one(*at));
    first(&|at| stands_alone(at) && has_dot(at)).or_else(|| first(&has_dot)).or_else(|| first(&stands_alone))
}

/// The number behind a backslash at the beginning of a text, and the rest.
fn group(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('\\')?;
    let digit = rest.chars().next()?.to_digit(10)?;
    Some((digit as usize, &rest[1..]))
}

fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('\\') {
        let Some((number, behind)) = group(&rest[at..]) else { break };
        if at > 0 {
            pieces.push(Piece::Text(rest[..at].to_owned()));
        }
        pieces.push(Piece::Group(number));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

fn fill(pieces: &[Piece], captures: &Captures<'_>, out: &mut String) {
    let found = |group: usize| captures.get(group).map_or(&b""[..], |found| found.as_bytes());
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Group(group) => out.push_str(&String::from_utf8_lossy(found(*group))),
            Piece::Choice { group, filled, empty } => {
                fill(if found(*group).is_empty() { empty } else { filled }, captures, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_with_its_name_begins_with_its_digits() {
        let pattern = regex::bytes::Regex::new("^.*$").unwrap();
        for (text, expected) in [
            ("nginx/1.24.0 (x)", Some("1.24.0")),
            ("v2.1", Some("2.1")),
            ("qv14j 1.2.17", Some("1.2.17")),
            ("PHP7.4", Some("7.4")),
            ("release 12", Some("12")),
            ("h2o", None),
            ("Basic", None),
            ("", None),
        ] {
            let captures = pattern.captures(text.as_bytes()).unwrap();
            assert_eq!(Template::read("\\0").numbered(&captures).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_version_is_made_of_groups() {
        let pattern = regex::bytes::Regex::new("^a([\\d.]+)?(b)?$").unwrap();
        for (template, text, expected) in [
            ("\\1", "a1.2", Some("1.2")),
            ("\\1", "a", None),
            ("v\\1", "a1.2", Some("v1.2")),
            ("\\2?5:6", "a1b", Some("5")),
            ("\\2?5:6", "a1", Some("6")),
            ("\\2?\\1:", "a1.4b", Some("1.4")),
            ("\\2?\\1:", "a1.4", None),
            ("\\9", "a1.4", None),
            ("3", "a", Some("3")),
            ("\\", "a", None),
        ] {
            let captures = pattern.captures(text.as_bytes()).unwrap();
            assert_eq!(Template::read(template).fill(&captures).as_deref(), expected, "{template} {text}");
        }
    }
}
