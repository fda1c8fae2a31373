//! Cuts a search string into terms: `keyword:value`, `keyword:!value`, bare words; quotes, blanks around the
//! colon, `+` for a blank. Knows no keyword: whether a word means something is decided by `search.rs`.
//!
//! Reads every character a bounded number of times, whatever the text: each look ahead ends at the first
//! character that cannot belong to a keyword, and a run of `+` is looked at once.

use crate::{QueryError, keywords};
use std::borrow::Cow;
use std::net::Ipv6Addr;

/// Longest text of an IPv6 address in bytes, mapped form included; longer words need no try.
const IPV6_TEXT_BYTES_MAX: usize = 45;

/// One term as written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// Byte offset of the term.
    pub(crate) at: usize,
    /// The whole term as written, for messages.
    pub(crate) word: &'a str,
    /// The word before the colon; `None` for a bare word.
    pub(crate) keyword: Option<&'a str>,
    pub(crate) negated: bool,
    /// The value without quotes and `!`; may be empty.
    pub(crate) value: Cow<'a, str>,
}

impl Term<'_> {
    /// Returns whether the value stands in quotes, so that every character of it is meant.
    pub(crate) fn is_quoted(&self) -> bool {
        !self.word.ends_with(&*self.value)
    }
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Characters examined so far; the test of linear time reads it.
    pub(crate) steps: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0, steps: 0 }
    }

    /// The next term, or `None` at the end.
    pub(crate) fn next_term(&mut self) -> Result<Option<Term<'a>>, QueryError> {
        self.at = self.after_blanks(self.at);
        if let Some(after) = self.plus_before_keyword(self.at) {
            self.at = after;
        }
        let start = self.at;
        if start == self.text.len() {
            return Ok(None);
        }
        let mut negated = self.take_negation();
        let mut keyword = None;
        if let Some((name, after)) = self.keyword_at(self.at, true) {
            keyword = Some(name);
            let value_at = self.after_blanks(after);
            // `collection: severity:5`: a blank and then a keyword, so the value is empty. Clients write this.
            let next_is_term = value_at > after && self.term_begins_at(value_at);
            if next_is_term {
                self.at = after;
                let word = &self.text[start..after];
                return Ok(Some(Term { at: start, word, keyword, negated, value: Cow::Borrowed("") }));
            }
            self.at = value_at;
            negated |= self.take_negation();
        }
        let value = self.take_value(start)?;
        Ok(Some(Term { at: start, word: &self.text[start..self.at], keyword, negated, value }))
    }

    /// Ends the term that was read last after so many bytes of its value, before a `+` that stands for a blank; what
    /// comes behind is read as the next term.
    pub(crate) fn end_value_at(&mut self, term: &mut Term<'a>, length: usize) {
        let cut = term.value.len() - length;
        let end = self.at - cut;
        self.at = end + plus_run(&self.text[end..]);
        term.word = &self.text[term.at..end];
        term.value = Cow::Borrowed(&self.text[end - length..end]);
    }

    /// Takes the next word into the value of the term that was read last, with a blank between them, if they belong
    /// together; returns whether they did.
    pub(crate) fn join_next(&mut self, term: &mut Term<'a>, belong: impl Fn(&str) -> bool) -> bool {
        let before = self.at;
        self.at = self.after_blanks(before);
        let joined = format!("{} {}", term.value, self.take_plain());
        if !belong(&joined) {
            self.at = before;
            return false;
        }
        term.word = &self.text[term.at..self.at];
        term.value = Cow::Owned(joined);
        true
    }

    /// Steps over a `!` that stands before something.
    fn take_negation(&mut self) -> bool {
        let negated = self.text[self.at..].starts_with('!');
        if negated {
            self.at += 1;
        }
        negated
    }

    /// The value from here: quoted, or up to a blank or a `+` that stands for one. Bounds behind the quotes belong to
    /// it: `"HTTP Server"<2.4` is `"HTTP Server<2.4"`.
    fn take_value(&mut self, term_at: usize) -> Result<Cow<'a, str>, QueryError> {
        if !self.text[self.at..].starts_with('"') {
            return Ok(Cow::Borrowed(self.take_plain()));
        }
        let quoted = self.take_quoted(term_at)?;
        if self.text[self.at..].starts_with(['<', '>', '=']) {
            return Ok(Cow::Owned(quoted.into_owned() + self.take_plain()));
        }
        Ok(quoted)
    }

    /// Takes the text up to a blank or a `+`, which means a blank.
    fn take_plain(&mut self) -> &'a str {
        let start = self.at;
        let mut end = start;
        while let Some(c) = self.text[end..].chars().next() {
            self.steps += 1;
            if c.is_whitespace() {
                break;
            }
            if c == '+' {
                if self.plus_before_keyword(end).is_some() {
                    break;
                }
                // The whole run at once: asking again at each `+` of it would be quadratic.
                end += plus_run(&self.text[end..]);
                continue;
            }
            end += c.len_utf8();
        }
        self.at = end;
        &self.text[start..end]
    }

    /// A value in double quotes; `\"` is a quote inside, any other backslash is itself.
    fn take_quoted(&mut self, term_at: usize) -> Result<Cow<'a, str>, QueryError> {
        let inside = self.at + 1;
        let mut unescaped: Option<String> = None;
        let mut copied = inside;
        let mut previous = '"';
        for (offset, c) in self.text[inside..].char_indices() {
            self.steps += 1;
            let here = inside + offset;
            if c == '"' && previous == '\\' {
                let out = unescaped.get_or_insert_default();
                out.push_str(&self.text[copied..here - 1]);
                copied = here;
            } else if c == '"' {
                self.at = here + 1;
                let rest = &self.text[copied..here];
                return Ok(match unescaped {
                    None => Cow::Borrowed(rest),
                    Some(mut out) => {
                        out.push_str(rest);
                        Cow::Owned(out)
                    }
                });
            }
            previous = c;
        }
        Err(QueryError::new(self.text, term_at, &self.text[term_at..], "a closing double quote"))
    }

    fn after_blanks(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let blanks = rest.len() - rest.trim_start().len();
        self.steps += blanks + 1;
        at + blanks
    }

    /// A term that begins with a keyword, negated or not.
    fn term_begins_at(&mut self, at: usize) -> bool {
        let at = at + usize::from(self.text[at..].starts_with('!'));
        self.keyword_at(at, true).is_some()
    }

    /// Where the keyword begins when a run of `+` and then `keyword:` stand here (a client's way to write blanks).
    fn plus_before_keyword(&mut self, at: usize) -> Option<usize> {
        let run = plus_run(&self.text[at..]);
        self.steps += run + 1;
        let after = at + run;
        let name_at = after + usize::from(self.text[after..].starts_with('!'));
        (run > 0 && self.keyword_at(name_at, false).is_some()).then_some(after)
    }

    /// The keyword here and the offset after its colon. `https://…`, `Platform::Entity::…`, `a.example:443` and
    /// IPv6 addresses hold colons too and are values.
    fn keyword_at(&mut self, at: usize, blanks_allowed: bool) -> Option<(&'a str, usize)> {
        let text = self.text;
        let rest = &text[at..];
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
        self.steps += length + 1;
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let colon = if blanks_allowed { self.after_blanks(at + length) } else { at + length };
        let value = text[colon..].strip_prefix(':')?;
        let word = &rest[..length];
        let in_a_value = (value.starts_with("//") || value.starts_with(':')) && keywords::find(word).is_none();
        if in_a_value || self.is_ipv6(at) {
            return None;
        }
        Some((word, colon + 1))
    }

    fn is_ipv6(&mut self, at: usize) -> bool {
        let rest = &self.text[at..];
        let word =
            rest.bytes().take(IPV6_TEXT_BYTES_MAX + 1).take_while(|b| b.is_ascii_hexdigit() || b":.".contains(b));
        let length = word.count();
        self.steps += length;
        // The word must end there: `cafe:1::2` is an address, `cafe:1::2x` is not.
        let ends = rest[length..].chars().next().is_none_or(char::is_whitespace);
        ends && rest[..length].parse::<Ipv6Addr>().is_ok()
    }
}

/// Length of the run of `+` at the start.
fn plus_run(text: &str) -> usize {
    text.bytes().take_while(|b| *b == b'+').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> String {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            match lexer.next_term() {
                Ok(None) => return out.join(" / "),
                Ok(Some(term)) => {
                    let sign = if term.negated { "!" } else { "" };
                    out.push(format!("{}={sign}[{}]", term.keyword.unwrap_or("-"), term.value));
                }
                Err(error) => return error.to_string(),
            }
        }
    }

    #[test]
    fn terms_of_real_clients() {
        let check = |text: &str, expected: &str| assert_eq!(terms(text), expected, "{text}");
        check("", "");
        check("  ", "");
        check(
            "severity:5 last_seen_after:2025-08-01T00:00:00Z",
            "severity=[5] / last_seen_after=[2025-08-01T00:00:00Z]",
        );
        check("name:\"a.example\" tag:\"t 1\" ", "name=[a.example] / tag=[t 1]");
        check(
            "status_new:open+entity_type:Domain+severity_gte:3",
            "status_new=[open] / entity_type=[Domain] / severity_gte=[3]",
        );
        check("collection:  last_seen_before:2023-04-17", "collection=[] / last_seen_before=[2023-04-17]");
        check("severity_lte: status_new:open", "severity_lte=[] / status_new=[open]");
        check("collection:++severity:1", "collection=[] / severity=[1]");
        check("last_seen_after : x", "last_seen_after=[x]");
        check("last_seen_after: x", "last_seen_after=[x]");
        check("collection:", "collection=[]");
        check("tag:\"a b\"+severity:1", "tag=[a b] / severity=[1]");
    }

    #[test]
    fn colons_that_are_no_keywords() {
        let check = |text: &str, expected: &str| assert_eq!(terms(text), expected, "{text}");
        check("https://a.example:443/x", "-=[https://a.example:443/x]");
        check("name:https://a.example:443", "name=[https://a.example:443]");
        check("name:http://a+https://b", "name=[http://a+https://b]");
        check("a.example:443", "-=[a.example:443]");
        check("192.0.2.1:80", "-=[192.0.2.1:80]");
        check("2001:db8::1 fe80::1 cafe:1::2", "-=[2001:db8::1] / -=[fe80::1] / -=[cafe:1::2]");
        check("Platform::Entity::Uri", "-=[Platform::Entity::Uri]");
        check("type:Platform::Entity::Uri", "type=[Platform::Entity::Uri]");
        check("name::22 tag::", "name=[:22] / tag=[:]");
        check("name:://www", "name=[://www]");
        check("entity_name://www.a name:a+entity_name://b", "entity_name=[//www.a] / name=[a] / entity_name=[//b]");
        check(":x", "-=[:x]");
    }

    #[test]
    fn negation_and_quotes() {
        let check = |text: &str, expected: &str| assert_eq!(terms(text), expected, "{text}");
        check("type:!uri", "type=![uri]");
        check("!type:uri", "type=![uri]");
        check("type: !uri", "type=![uri]");
        check("!word", "-=![word]");
        check("tag:!\"t 1\"", "tag=![t 1]");
        check("tag:\"!x\"", "tag=[!x]");
        check("tag:!", "tag=![]");
        check("collection: !type:uri", "collection=[] / type=![uri]");
        check("a:b+!type:uri", "a=[b] / type=![uri]");
        check(r#"tag:"a \"b\" c\d""#, r#"tag=[a "b" c\d]"#);
        check("tag:\"\"", "tag=[]");
        check("technology:\"HTTP Server\">=2.4<3 x", "technology=[HTTP Server>=2.4<3] / -=[x]");
        check("technology:\"nginx\"=1.28.0 x", "technology=[nginx=1.28.0] / -=[x]");
        check("technology:!\"HTTP Server\"<3+type:uri", "technology=![HTTP Server<3] / type=[uri]");
        check("tag:\"a\"tag:\"b\"", "tag=[a] / tag=[b]");
        check("\"two words\" third", "-=[two words] / -=[third]");
        check("title:5\"", "title=[5\"]");
        check("technology:c++", "technology=[c++]");
        check("a:1+1 b:x+y+z", "a=[1+1] / b=[x+y+z]");
        check("é tag:\"open", "`tag:\"open` at character 3: expected a closing double quote");
    }

    fn steps(text: &str) -> usize {
        let mut lexer = Lexer::new(text);
        while let Ok(Some(_)) = lexer.next_term() {}
        lexer.steps
    }

    #[test]
    fn steps_grow_with_the_length_only() {
        for piece in
            ["+", "a+", "a:", ": ", "!", "\"", "a ", "a:+", "+a", "+a:", "a: ", "cafe:", "\\\"", " ", "x: !", "é+"]
        {
            let text = piece.repeat(100_000 / piece.len());
            assert!(steps(&text) <= 16 * text.len() + 64, "{piece:?}: {} steps", steps(&text));
        }
    }

    proptest! {
        #[test]
        fn any_text_ends_in_linear_steps(text in "[a-c:+!\" \\\\_.é/]{0,200}") {
            prop_assert!(steps(&text) <= 64 + 64 * text.len());
        }
    }
}
