//! Text to tree, in one pass over the characters.
//!
//! ```text
//! query   := and ( "OR" and )*
//! and     := unary ( ["AND"] unary )*
//! unary   := ["NOT" | "-"] primary
//! primary := "(" query ")" | modifier ":" value | value
//! value   := '"' … '"' | run of characters up to a blank or a `)` that closes more than the run opened
//! ```

use super::{Figure, GraphQuery, Leaf, NodeWord, Phrase, canonical_address};
use crate::range::{Range, plain};

/// Characters of a query: far above any that a person writes.
const CHARS_MAX: usize = 8 * 1024;
/// Parentheses inside each other.
const DEPTH_MAX: usize = 50;

/// A query that cannot be read; the position counts characters from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at character {position}")]
pub struct GraphQueryError {
    pub position: usize,
    pub message: String,
}

/// Reads a query. `url_names` gives the other names that a node may have for a URL: its SHA-256 and its base64.
pub fn parse_graph_query(text: &str, url_names: &dyn Fn(&str) -> Vec<String>) -> Result<GraphQuery, GraphQueryError> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > CHARS_MAX {
        return Err(GraphQueryError {
            position: CHARS_MAX,
            message: format!("a filter has at most {CHARS_MAX} characters"),
        });
    }
    let mut parser = Parser {
        chars: &chars,
        at: 0,
        depth: 0,
        url_names,
    };
    parser.skip_blanks();
    if parser.at == chars.len() {
        return Ok(GraphQuery::All);
    }
    let query = parser.any()?;
    match parser.peek() {
        None => Ok(query),
        Some(_) => Err(parser.error("a closing parenthesis without an opening one")),
    }
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
    url_names: &'a dyn Fn(&str) -> Vec<String>,
}

/// A value as it was written.
struct Value {
    text: String,
    quoted: bool,
    position: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn error(&self, message: impl Into<String>) -> GraphQueryError {
        GraphQueryError {
            position: self.at,
            message: message.into(),
        }
    }

    /// Consumes `word` and returns true if it stands here as a separate token.
    fn operator(&mut self, word: &str) -> bool {
        let end = self.at + word.len();
        let here = self.chars.get(self.at..end).is_some_and(|chars| chars.iter().copied().eq(word.chars()));
        let alone = self.chars.get(end).is_none_or(|c| c.is_whitespace() || *c == '(' || *c == ')');
        if here && alone {
            self.at = end;
            self.skip_blanks();
        }
        here && alone
    }

    fn any(&mut self) -> Result<GraphQuery, GraphQueryError> {
        let mut list = vec![self.all()?];
        // In parentheses the lower-case word is taken for the operator too.
        while self.operator("OR") || (self.depth > 0 && self.operator("or")) {
            list.push(self.all()?);
        }
        Ok(one_or(list, GraphQuery::Or))
    }

    fn all(&mut self) -> Result<GraphQuery, GraphQueryError> {
        let mut list = vec![self.unary()?];
        loop {
            if self.operator("AND") {
                list.push(self.unary()?);
                continue;
            }
            let place = self.at;
            let ends = self.peek().is_none_or(|c| c == ')') || self.operator("OR") || (self.depth > 0 && self.operator("or"));
            self.at = place;
            if ends {
                return Ok(one_or(list, GraphQuery::And));
            }
            list.push(self.unary()?);
        }
    }

    fn unary(&mut self) -> Result<GraphQuery, GraphQueryError> {
        if self.operator("NOT") {
            return Ok(GraphQuery::Not(Box::new(self.primary()?)));
        }
        let next = self.chars.get(self.at + 1);
        if self.peek() == Some('-') && next.is_some_and(|c| !c.is_whitespace() && *c != ')' && *c != '-') {
            self.at += 1;
            return Ok(GraphQuery::Not(Box::new(self.primary()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<GraphQuery, GraphQueryError> {
        match self.peek() {
            None => Err(self.error("a condition is missing")),
            Some(')') => Err(self.error("a condition is missing before the closing parenthesis")),
            Some('(') => self.parenthesis(),
            Some(_) => self.condition(),
        }
    }

    fn parenthesis(&mut self) -> Result<GraphQuery, GraphQueryError> {
        if self.depth == DEPTH_MAX {
            return Err(self.error(format!("more than {DEPTH_MAX} parentheses inside each other")));
        }
        let opened = self.at;
        self.at += 1;
        self.depth += 1;
        self.skip_blanks();
        let inside = self.any()?;
        if self.peek() != Some(')') {
            self.at = opened;
            return Err(self.error("an opening parenthesis without a closing one"));
        }
        self.at += 1;
        self.depth -= 1;
        self.skip_blanks();
        Ok(inside)
    }

    fn condition(&mut self) -> Result<GraphQuery, GraphQueryError> {
        for operator in ["AND", "OR", "NOT"] {
            let place = self.at;
            if self.operator(operator) {
                self.at = place;
                return Err(self.error(format!("{operator} stands where a condition is needed")));
            }
        }
        let modifier = self.modifier();
        let value = self.value()?;
        self.skip_blanks();
        let leaf = match modifier {
            Some(modifier) => self.leaf(modifier, &value)?,
            None => Leaf::Free(phrase(&value)),
        };
        Ok(GraphQuery::Leaf(leaf))
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
        if self.peek() == Some('"') {
            let rest = &self.chars[position + 1..];
            let length = rest.iter().position(|c| *c == '"').ok_or_else(|| self.error("a quote without its end"))?;
            self.at = position + length + 2;
            return Ok(Value {
                text: rest[..length].iter().collect(),
                quoted: true,
                position,
            });
        }
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() => break,
                '(' => open += 1,
                ')' if open == 0 => break,
                ')' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Ok(Value {
            text: self.chars[position..self.at].iter().collect(),
            quoted: false,
            position,
        })
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
            let range = Range::of_date(&text).ok_or_else(|| bad("a date such as 2018-11-1, 2018-11-1+ or 2018-11-1-"))?;
            Ok(Leaf::Figure(figure, range))
        };
        let number = |figure: Figure| {
            let range = Range::of_number(&text, &plain).ok_or_else(|| bad("a whole number such as 7, 7+ or 7-"))?;
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

fn one_or(mut list: Vec<GraphQuery>, many: fn(Vec<GraphQuery>) -> GraphQuery) -> GraphQuery {
    if list.len() == 1 { list.remove(0) } else { many(list) }
}

/// The phrase of a value; in quotes a star is not a beginning.
fn phrase(value: &Value) -> Phrase {
    let mut phrase = Phrase::new(&value.text);
    phrase.prefix &= !value.quoted;
    phrase
}
