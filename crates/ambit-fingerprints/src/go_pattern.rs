//! Patterns of Go's `regexp` as this library reads them: what is matched there is matched here. The syntax is that of
//! RE2 (<https://github.com/google/re2/wiki/Syntax>): classes by letter are of ASCII, a `]` that begins a class and a
//! dash in it stand for themselves, and what stands between `\Q` and `\E` does too.

use crate::pattern::is_repetition;
use std::iter::Peekable;
use std::str::Chars;

/// Returns a pattern of Go as this library reads it.
pub(crate) fn from_go(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.next_if_eq(&'Q').is_some() => out.push_str(&quoted(&mut rest)),
            '\\' => out.push_str(&outside_class(escape(&mut rest))),
            '[' => class(&mut rest, &mut out),
            '{' if !is_repetition(rest.clone()) => out.push_str("\\{"),
            _ => out.push(c),
        }
    }
    out
}

/// The meaning of an escape sequence.
enum Escaped {
    /// One character, as it is written here.
    One(String),
    /// The characters between brackets, or all others.
    Set { negated: bool, members: &'static str },
    /// A class that has its own spelling, such as `\pL`.
    Named(String),
    /// A place between characters.
    Place(&'static str),
}

/// What stands up to `\E`, or up to the end.
fn quoted(rest: &mut Peekable<Chars<'_>>) -> String {
    let all: String = rest.clone().collect();
    let inside = all.split("\\E").next().unwrap_or_default();
    let is_ended = inside.len() < all.len();
    for _ in 0..inside.chars().count() + if is_ended { 2 } else { 0 } {
        rest.next();
    }
    regex_syntax::escape(inside)
}

fn escape(rest: &mut Peekable<Chars<'_>>) -> Escaped {
    let Some(c) = rest.next() else { return Escaped::One("\\\\".to_owned()) };
    let set = |members, negated| Escaped::Set { negated, members };
    match c {
        'd' | 'D' => set("0-9", c == 'D'),
        'w' | 'W' => set("0-9A-Za-z_", c == 'W'),
        's' | 'S' => set("\\t\\n\\x0C\\r ", c == 'S'),
        'b' => Escaped::Place("(?-u:\\b)"),
        'B' => Escaped::Place("(?-u:\\B)"),
        'A' => Escaped::Place("\\A"),
        'z' => Escaped::Place("\\z"),
        'p' | 'P' => Escaped::Named(format!("\\{c}{}", argument(rest, 1))),
        'x' => Escaped::One(format!("\\x{}", argument(rest, 2))),
        '0'..='7' => octal(c, rest),
        'a' | 'f' | 'n' | 'r' | 't' | 'v' => Escaped::One(format!("\\{c}")),
        // Signs that mean word boundaries here, and letters that have no meaning there.
        c if c.is_ascii_alphabetic() || matches!(c, '<' | '>') => Escaped::One(c.to_string()),
        c => Escaped::One(format!("\\{c}")),
    }
}

/// Returns the text in braces, or so many characters.
fn argument(rest: &mut Peekable<Chars<'_>>, count: usize) -> String {
    let mut taken = String::new();
    let is_braced = rest.peek() == Some(&'{');
    while is_braced || taken.chars().count() < count {
        let Some(c) = rest.next() else { break };
        taken.push(c);
        if is_braced && c == '}' {
            break;
        }
    }
    taken
}

/// `\101` is a letter; `\1` alone would look back at what was matched, and stays as it is.
fn octal(first: char, rest: &mut Peekable<Chars<'_>>) -> Escaped {
    let mut digits = String::from(first);
    while digits.len() < 3
        && let Some(digit) = rest.next_if(|c| c.is_digit(8))
    {
        digits.push(digit);
    }
    match u32::from_str_radix(&digits, 8) {
        Ok(code) if first == '0' || digits.len() > 1 => Escaped::One(format!("\\x{{{code:x}}}")),
        _ => Escaped::One(format!("\\{digits}")),
    }
}

fn outside_class(escaped: Escaped) -> String {
    match escaped {
        Escaped::One(text) | Escaped::Named(text) => text,
        Escaped::Place(text) => text.to_owned(),
        Escaped::Set { negated, members } => format!("[{}{members}]", if negated { "^" } else { "" }),
    }
}

fn inside_class(escaped: Escaped) -> String {
    match escaped {
        Escaped::Set { negated: false, members } => members.to_owned(),
        // A place between characters is none in a class, and is refused here as there.
        escaped => outside_class(escaped),
    }
}

/// What follows a bracket, up to the one that closes it.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push_str(if rest.next_if_eq(&'^').is_some() { "[^" } else { "[" });
    let mut is_first = true;
    while let Some(c) = rest.next() {
        let may_begin_range = match c {
            ']' if !is_first => return out.push(']'),
            '[' if rest.peek() == Some(&':') => {
                out.push('[');
                out.extend(rest.by_ref().take_while(|c| *c != ']'));
                out.push(']');
                false
            }
            c => member(c, rest, out),
        };
        is_first = false;
        let mut ahead = rest.clone();
        if may_begin_range && ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']') {
            rest.next();
            out.push('-');
            if let Some(end) = rest.next() {
                member(end, rest, out);
            }
        }
    }
}

/// Writes one member of a class; true where it is one character.
fn member(c: char, rest: &mut Peekable<Chars<'_>>, out: &mut String) -> bool {
    match c {
        '\\' => {
            let escaped = escape(rest);
            let is_one = matches!(escaped, Escaped::One(_));
            out.push_str(&inside_class(escaped));
            is_one
        }
        // All of them mean something between brackets here.
        '[' | ']' | '&' | '~' | '-' | '^' => {
            out.push('\\');
            out.push(c);
            true
        }
        c => {
            out.push(c);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Flags, Pattern};

    /// Pattern, a text, and whether Go finds it there.
    const FOUND: &[(&str, &str, bool)] = &[
        (r"qz1 \[([^]]+)\]", "qz1 [abc]", true),
        (r"qz2 []x]+y", "qz2 ]x]y", true),
        (r"qzk\Q+*\E$", "qzk+*", true),
        (r"(?m)^Server: \QApache", "Server: Apache", true),
        (r"\Qa\Eb+", "abbb", true),
        (r"\bqr2\b", "équr éqr2 ", true),
        (r"qr3\W", "qr3é", true),
        (r"(?i)QR5\s+v?[0-9]", "qr5\u{a0}v1", false),
        (r"qzn\d", "qzn٣", false),
        (r"qzi\s+x", "qzi\u{b}x", false),
        (r"<!-- qr4 [^-->]+ -->", "<!-- qr4 1 -->", false),
        (r"<!-- qr4 [^-->]+ -->", "<!-- qr4 A -->", true),
        (r"qzb\101", "qzbA", true),
        (r"[[:alpha:]_]+!", "a_!", true),
        (r"^a{b\z", "a{b", true),
        (r"[\d-z]+$", "5-z", true),
        (r"[a-]+$", "a-", true),
        (r"[\x41-\x43]{2}", "AC", true),
        (r"[\x41-\x43]{2}", "AD", false),
        (r"[^\W_]+!", "a!", true),
        (r"[^\W_]+!", "_!", false),
        (r"[&&~]+$", "&~", true),
        (r"\pL+\x{e9}", "aé", true),
        (r"a\/b\-\.c", "a/b-.c", true),
    ];

    #[test]
    fn what_go_finds_is_found() {
        for (pattern, text, found) in FOUND {
            let read = from_go(pattern);
            let (compiled, _) =
                Pattern::read(&read, Flags::default()).unwrap_or_else(|error| panic!("{pattern} as {read}: {error}"));
            assert_eq!(compiled.captures(text.as_bytes()).is_some(), *found, "{pattern} as {read} in {text:?}");
        }
        for pattern in [r"(a)\1", "[a"] {
            assert!(Pattern::read(&from_go(pattern), Flags::default()).is_err(), "{pattern}");
        }
    }
}
