//! The conditions of graph search and the spelling of its operators, read in one pass over the characters.
//!
//! ```text
//! NOT       := "NOT" | "-"
//! condition := modifier ":" value | value
//! value     := '"' … '"' | run of characters up to a blank or a `)` that closes more than the run opened
//! ```

use super::{Figure, GraphQuery, Leaf, NodeWord, Phrase, canonical_address};
use crate::boolean::{self, Boolean, DEPTH_MAX, Fault, Next};
use crate::range::{Range, plain};

/// Characters of a query: far above any that a person writes.
const CHARS_MAX: usize = 8 * 1024;

/// A query that cannot be read; the position counts characters from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at character {position}")]
pub struct GraphQueryError {
    pub position: usize,
    pub message: String,
}

/// Reads a query. `url_names` gives the other names that a node may have for a URL: its id, its SHA-256 and
/// its base64. An error names the position; an empty filter is none, and finds every graph.
pub fn parse_graph_query(text: &str, url_names: &dyn Fn(&str) -> Vec<String>) -> Result<GraphQuery, GraphQueryError> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > CHARS_MAX {
        return Err(GraphQueryError {
            position: CHARS_MAX,
            message: format!("a filter has at most {CHARS_MAX} characters"),
        });
    }
    let mut text = Text { chars: &chars, at: 0, url_names };
    text.skip_blanks();
    if text.at == chars.len() {
        return Ok(Boolean::And(Vec::new()));
    }
    boolean::parse(&mut text)
}

struct Text<'a> {
    chars: &'a [char],
    at: usize,
    url_names: &'a dyn Fn(&str) -> Vec<String>,
}

/// A value as it was written.
struct Value {
    text: String,
    quoted: bool,
    position: usize,
}

impl boolean::Text for Text<'_> {
    type Condition = Leaf;
    type Error = GraphQueryError;

    fn peek(&self, depth: usize) -> Next {
        let next = self.chars.get(self.at + 1);
        match self.here() {
            None => Next::End,
            Some('(') => Next::Open,
            Some(')') => Next::Close,
            Some('-') if next.is_some_and(|c| !c.is_whitespace() && *c != ')' && *c != '-') => Next::Not,
            _ if self.is_word("AND") => Next::And,
            _ if self.is_word("NOT") => Next::Not,
            // In parentheses the lower-case word is taken for the operator too.
            _ if self.is_word("OR") || (depth > 0 && self.is_word("or")) => Next::Or,
            _ => Next::Condition,
        }
    }

    fn step(&mut self, next: Next) {
        let sign = self.here() == Some('-');
        self.at += match next {
            Next::And | Next::Not if !sign => 3,
            Next::Or => 2,
            _ => 1,
        };
        if !sign {
            self.skip_blanks();
        }
    }

    fn place(&self) -> usize {
        self.at
    }

    fn condition(&mut self, _apart: bool) -> Result<Leaf, GraphQueryError> {
        match self.here() {
            None => return Err(self.error_here("a condition is missing")),
            Some(')') => return Err(self.error_here("a condition is missing before the closing parenthesis")),
            Some(_) => {}
        }
        if self.peek(0) == Next::Not {
            return Err(self.error_here("a negation stands directly behind another one: leave out both"));
        }
        if let Some(operator) = ["AND", "OR", "NOT"].into_iter().find(|operator| self.is_word(operator)) {
            return Err(self.error_here(format!("{operator} stands where a condition is needed")));
        }
        let modifier = self.modifier();
        let value = self.value()?;
        self.skip_blanks();
        match modifier {
            Some(modifier) => self.leaf(modifier, &value),
            None => Ok(Leaf::Free(phrase(&value))),
        }
    }

    fn error(&self, fault: Fault, position: usize) -> GraphQueryError {
        let message = match fault {
            Fault::TooDeep => format!("more than {DEPTH_MAX} parentheses inside each other"),
            Fault::Unclosed => "an opening parenthesis without a closing one".to_owned(),
            Fault::Unopened => "a closing parenthesis without an opening one".to_owned(),
        };
        GraphQueryError { position, message }
    }
}

impl Text<'_> {
    fn here(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.here().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn error_here(&self, message: impl Into<String>) -> GraphQueryError {
        GraphQueryError { position: self.at, message: message.into() }
    }

    /// Returns whether `word` stands here as a separate token.
    fn is_word(&self, word: &str) -> bool {
        let end = self.at + word.len();
        let here = self.chars.get(self.at..end).is_some_and(|chars| chars.iter().copied().eq(word.chars()));
        here && self.chars.get(end).is_none_or(|c| c.is_whitespace() || *c == '(' || *c == ')')
    }

    /// The modifier before the next colon, if it is a known one; then behind the colon.
    fn modifier(&mut self) -> Option<&'static str> {
        let rest = &self.chars[self.at..];
        let length = rest.iter().take(LONGEST_MODIFIER + 1).position(|c| *c == ':')?;
        let name: String = rest[..length].iter().collect();
        let known = MODIFIERS.iter().find(|known| known.eq_ignore_ascii_case(&name))?;
        self.at += length + 1;
        Some(known)
    }

    fn value(&mut self) -> Result<Value, GraphQueryError> {
        let position = self.at;
        if self.here() == Some('"') {
            let rest = &self.chars[position + 1..];
            let length =
                rest.iter().position(|c| *c == '"').ok_or_else(|| self.error_here("a quote without its end"))?;
            self.at = position + length + 2;
            if self.here().is_some_and(|c| !c.is_whitespace() && !['(', ')'].contains(&c)) {
                return Err(self.error_here("a blank is needed behind the closing quote"));
            }
            return Ok(Value { text: rest[..length].iter().collect(), quoted: true, position });
        }
        let mut open = Vec::new();
        while let Some(c) = self.here() {
            match c {
                c if c.is_whitespace() => break,
                '(' => open.push(self.at),
                ')' if open.is_empty() => break,
                ')' => drop(open.pop()),
                _ => {}
            }
            self.at += 1;
        }
        if let Some(place) = open.pop() {
            let message = "an opening parenthesis without a closing one; quotes make it part of the value";
            return Err(GraphQueryError { position: place, message: message.to_owned() });
        }
        Ok(Value { text: self.chars[position..self.at].iter().collect(), quoted: false, position })
    }

    fn leaf(&self, modifier: &'static str, value: &Value) -> Result<Leaf, GraphQueryError> {
        let bad = |wanted: &str| GraphQueryError {
            position: value.position,
            message: format!("{modifier} needs {wanted}, not {:?}", value.text),
        };
        if value.text.trim().is_empty() {
            return Err(bad("a value"));
        }
        let text = value.text.trim().to_owned();
        let node = |word: NodeWord| Leaf::Node(word, text.clone(), phrase(value));
        let date = |figure: Figure| {
            let range =
                Range::of_date(&text).ok_or_else(|| bad("a date such as 2018-11-1, 2018-11-1+ or 2018-11-1-"))?;
            Ok(Leaf::Figure(figure, range))
        };
        let number = |figure: Figure| {
            let range =
                Range::of_number_exclusive(&text, &plain).ok_or_else(|| bad("a whole number such as 7, 7+ or 7-"))?;
            Ok(Leaf::Figure(figure, range))
        };
        Ok(match modifier {
            "id" => Leaf::Id(text),
            "name" => Leaf::Name(phrase(value)),
            "owner" => Leaf::Owner(text),
            "group" => Leaf::Group(text),
            "visible_to_user" => Leaf::VisibleToUser(text),
            "visible_to_group" => Leaf::VisibleToGroup(text),
            "private" => match text.to_ascii_lowercase().as_str() {
                "true" => Leaf::Private(true),
                "false" => Leaf::Private(false),
                _ => return Err(bad("true or false")),
            },
            "creation_date" => date(Figure::CreationDate)?,
            "last_modified_date" => date(Figure::LastModifiedDate)?,
            "total_nodes" => number(Figure::TotalNodes)?,
            "comments_count" => number(Figure::CommentsCount)?,
            "views_count" => number(Figure::ViewsCount)?,
            "label" => Leaf::Label(phrase(value)),
            "file" => Leaf::File(vec![text.to_lowercase()]),
            "domain" => Leaf::Domain(text.to_lowercase()),
            "ip_address" => Leaf::IpAddress(canonical_address(&text)),
            "url" => {
                let mut names = vec![text.clone()];
                names.extend((self.url_names)(&text));
                Leaf::Url(names)
            }
            "actor" => node(NodeWord::Actor),
            "victim" => node(NodeWord::Victim),
            "email" => node(NodeWord::Email),
            _ => node(NodeWord::Department),
        })
    }
}

/// Every modifier of the seed.
pub(super) const MODIFIERS: [&str; 21] = [
    "id",
    "name",
    "owner",
    "group",
    "visible_to_user",
    "visible_to_group",
    "private",
    "creation_date",
    "last_modified_date",
    "total_nodes",
    "comments_count",
    "views_count",
    "label",
    "file",
    "domain",
    "ip_address",
    "url",
    "actor",
    "victim",
    "email",
    "department",
];
/// `last_modified_date`.
const LONGEST_MODIFIER: usize = 18;

/// The phrase of a value; in quotes a star is not a beginning.
fn phrase(value: &Value) -> Phrase {
    let mut phrase = Phrase::new(&value.text);
    phrase.prefix &= !value.quoted;
    phrase
}
