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

    /// Returns the version that begins with the first digit of the text; none where it has no digit.
    pub(crate) fn numbered(&self, captures: &Captures<'_>) -> Option<String> {
        let mut out = String::new();
        fill(&self.0, captures, &mut out);
        let begin = out.find(|c: char| c.is_ascii_digit())?;
        Some(clean_version(&out[begin..])).filter(|version| !version.is_empty())
    }

    /// Returns the version; none where it would be empty.
    pub(crate) fn fill(&self, captures: &Captures<'_>) -> Option<String> {
        let mut out = String::new();
        fill(&self.0, captures, &mut out);
        Some(clean_version(&out)).filter(|version| !version.is_empty())
    }
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
        for (text, expected) in
            [("nginx/1.24.0 (x)", Some("1.24.0")), ("v2.1", Some("2.1")), ("Basic", None), ("", None)]
        {
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
