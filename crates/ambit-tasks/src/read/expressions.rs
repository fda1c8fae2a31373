//! Expressions of workflows, `${{ github.event.issue.title }}`: which values reach the text in whose place one stands.
//! What is compared, or asked for whether it contains something, becomes a boolean and does not.

/// Operators and brackets within each other: an expression that nests deeper is no one's.
const DEPTH_MAX: usize = 50;
/// Functions of whose arguments nothing reaches the text.
const WITHOUT_ARGUMENTS: &[&str] =
    &["contains", "startswith", "endswith", "hashfiles", "success", "failure", "always", "cancelled"];
const COMPARISONS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];

/// A value that reaches a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// Its place, in small letters; `*` where any member is meant.
    path: Vec<String>,
    /// With all that is within it.
    is_whole: bool,
}

impl Reached {
    /// Returns the member of a context that it is, in small letters: `title` of `env.title`.
    pub(super) fn member_of(&self, context: &str) -> Option<&str> {
        match self.path.as_slice() {
            [first, member] if first == context => Some(member),
            _ => None,
        }
    }

    /// Returns whether it is, or has within it, what stands at a place: `github.event.commits.*.message`.
    pub(super) fn is_at(&self, place: &str) -> bool {
        let place: Vec<&str> = place.split('.').collect();
        let is_deep_enough =
            if self.is_whole { self.path.len() <= place.len() } else { self.path.len() == place.len() };
        let is_same = |(own, other): (&String, &&str)| own == other || own == "*" || *other == "*";
        is_deep_enough && self.path.iter().zip(&place).all(is_same)
    }
}

/// Returns the expressions of a text, with their brackets.
pub(super) fn within(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(begin) = rest.find("${{") {
        rest = &rest[begin..];
        let Some(end) = end(rest) else { break };
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// Where the expression at the beginning ends: at brackets that stand in no quotes.
fn end(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        is_quoted ^= byte == b'\'';
        if !is_quoted && text.as_bytes()[at..].starts_with(b"}}") {
            return Some(at + 2);
        }
    }
    None
}

/// Returns the values that reach the text in whose place an expression stands; none of one that cannot be read, which
/// no forge runs.
pub(super) fn reached(expression: &str) -> Vec<Reached> {
    let inner = expression.trim_start_matches("${{").trim_end_matches("}}");
    let Some(tokens) = tokens(inner) else { return Vec::new() };
    let mut reader = Reader { tokens: &tokens, depth: 0 };
    reader.either().filter(|_| reader.tokens.is_empty()).unwrap_or_default()
}

#[derive(Debug, PartialEq)]
enum Token<'t> {
    Name(&'t str),
    /// What stands in quotes.
    Text(String),
    Number,
    Sign(&'t str),
}

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    const SIGNS: &[&str] = &["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ".", ",", "*"];
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = if first == '\'' {
            let (word, length) = quoted(rest)?;
            tokens.push(Token::Text(word));
            length
        } else if first.is_ascii_alphabetic() || first == '_' {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            tokens.push(Token::Name(&rest[..length]));
            length
        } else if first.is_ascii_digit() || first == '-' || first == '+' {
            let is_number = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            tokens.push(Token::Number);
            rest.find(|c| !is_number(c)).unwrap_or(rest.len())
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// A text in quotes, in which two of them stand for one, and its length with its quotes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let (mut word, mut at) = (String::new(), 1);
    loop {
        let end = at + text[at..].find('\'')?;
        word.push_str(&text[at..end]);
        at = end + 1;
        if !text[at..].starts_with('\'') {
            return Some((word, at));
        }
        word.push('\'');
        at += 1;
    }
}

/// Reads tokens from the operator that binds least to the one that binds most; `None` where they are no expression.
struct Reader<'t> {
    tokens: &'t [Token<'t>],
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, wanted: &str) -> bool {
        let is_next = self.tokens.first() == Some(&Token::Sign(wanted));
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    fn demand(&mut self, wanted: &str) -> Option<()> {
        self.take(wanted).then_some(())
    }

    /// `a || b` is one of both.
    fn either(&mut self) -> Option<Vec<Reached>> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut all = self.both()?;
        while self.take("||") {
            all.extend(self.both()?);
        }
        self.depth -= 1;
        Some(all)
    }

    /// `a && b` is the second, or else something empty.
    fn both(&mut self) -> Option<Vec<Reached>> {
        let mut last = self.compared()?;
        while self.take("&&") {
            last = self.compared()?;
        }
        Some(last)
    }

    fn compared(&mut self) -> Option<Vec<Reached>> {
        let mut value = self.negated()?;
        while COMPARISONS.iter().any(|sign| self.take(sign)) {
            self.negated()?;
            value.clear();
        }
        Some(value)
    }

    fn negated(&mut self) -> Option<Vec<Reached>> {
        let mut is_negated = false;
        while self.take("!") {
            is_negated = true;
        }
        let value = self.value()?;
        Some(if is_negated { Vec::new() } else { value })
    }

    fn value(&mut self) -> Option<Vec<Reached>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        let mut values = match first {
            Token::Text(_) | Token::Number => Vec::new(),
            Token::Sign("(") => {
                let inner = self.either()?;
                self.demand(")")?;
                inner
            }
            Token::Sign(_) => return None,
            Token::Name(name) if self.take("(") => self.call(&name.to_ascii_lowercase())?,
            Token::Name(name) => vec![Reached { path: vec![name.to_ascii_lowercase()], is_whole: false }],
        };
        while let Some(member) = self.member()? {
            values.iter_mut().for_each(|value| value.path.push(member.clone()));
        }
        Some(values)
    }

    fn call(&mut self, function: &str) -> Option<Vec<Reached>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.extend(self.either()?);
            if !self.take(",") && self.tokens.first() != Some(&Token::Sign(")")) {
                return None;
            }
        }
        if WITHOUT_ARGUMENTS.contains(&function) {
            arguments.clear();
        }
        if function == "tojson" {
            arguments.iter_mut().for_each(|argument| argument.is_whole = true);
        }
        Some(arguments)
    }

    /// `.title`, `.*`, `['title']` or `[0]`; `Some(None)` where none follows.
    fn member(&mut self) -> Option<Option<String>> {
        if self.take(".") {
            if self.take("*") {
                return Some(Some("*".to_owned()));
            }
            let (Token::Name(name), rest) = self.tokens.split_first()? else { return None };
            self.tokens = rest;
            return Some(Some(name.to_ascii_lowercase()));
        }
        if !self.take("[") {
            return Some(None);
        }
        if let [Token::Text(name), Token::Sign("]"), rest @ ..] = self.tokens {
            self.tokens = rest;
            return Some(Some(name.to_ascii_lowercase()));
        }
        if !self.take("*") {
            self.either()?;
        }
        self.demand("]")?;
        Some(Some("*".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_becomes_part_of_the_text_reaches_it() {
        let place = "github.event.issue.title";
        for (expression, is_reached) in [
            ("github.event.issue.title", true),
            ("GITHUB.Event.issue.TITLE", true),
            ("github.event.issue['title']", true),
            ("github['event']['issue'].title", true),
            ("github.event[inputs.kind].title", true),
            ("github.event.*.title", true),
            ("toJSON(github.event.issue)", true),
            ("toJson(github)", true),
            ("fromJSON(toJSON(github.event)).issue.title", true),
            ("format('{0} it''s }} {1}', 1, github.event.issue.title)", true),
            ("join(github.event.issue.*, ' ')", true),
            ("inputs.title || github.event.issue.title", true),
            ("github.event_name == 'issues' && github.event.issue.title || 'none'", true),
            ("(github.event.issue).title", true),
            ("github.event.issue", false),
            ("github.event.issue.number", false),
            ("github.event.issue.title == 'x'", false),
            ("!github.event.issue.title", false),
            ("github.event.issue.title && 'has one'", false),
            ("contains(github.event.issue.title, '[skip]')", false),
            ("startsWith(github.event.issue.title, 'x') && 1 || -0x1F", false),
            ("'github.event.issue.title'", false),
            ("github.event.issue.title x", false),
            ("github.event.issue.title, 1", false),
            ("§", false),
            ("(", false),
        ] {
            let found = reached(&format!("${{{{ {expression} }}}}"));
            assert_eq!(found.iter().any(|one| one.is_at(place)), is_reached, "{expression}: {found:?}");
        }
        assert_eq!(reached(&"(".repeat(10_000)), []);
        assert_eq!(within("${{ ö == 'é' }}ü"), ["${{ ö == 'é' }}"]);
        assert_eq!(within("a ${{ x }} b ${{ f('}}') }}${{ z"), ["${{ x }}", "${{ f('}}') }}"]);
    }
}
