//! The keyword language of the search endpoints: text to a typed tree. The same keyword again means *or*, its
//! negations are anded, different keywords mean *and*; see `keywords.rs` for what each compares.

use crate::date::{self, Rounding};
use crate::keywords::{self, ASN, Comparison, Keyword, Noun, SEVERITY, ValueType};
use crate::lexer::{Lexer, Term};
use crate::{CLAUSES_MAX, QUERY_BYTES_MAX, QueryError, TERMS_MAX, TimeValue};
use std::fmt;

/// Most unknown keywords that a message names: the first are enough to find the mistake.
const UNKNOWN_NAMED_MAX: usize = 5;

/// Bytes of a value in which a `+` is taken for a blank: longer than any word, number or moment, and few, so that a
/// hostile text is read a bounded number of times.
const SPLIT_BYTES_MAX: usize = 64;
/// Bytes of a date without a time of day.
const DATE_BYTES: usize = 10;
/// The keyword of identifiers.
const UID: &str = "uid";

/// A parsed search string. Empty: everything in the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// At most one clause a keyword, in the order of the text; all must hold.
    pub clauses: Vec<Clause>,
    /// Words used as keywords that are none here. If there is one, nothing matches.
    pub unknown: Vec<UnknownKeyword>,
}

/// What one keyword demands: one of `any` (when there are any) and none of `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub keyword: &'static Keyword,
    pub any: Vec<Value>,
    pub none: Vec<Value>,
}

/// A value as the keyword's [`ValueType`] reads it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// As written; never empty.
    Text(String),
    Integer(i64),
    Bool(bool),
    Time(TimeValue),
    /// The last part of a kind's name, in lower case: `dnsrecord`.
    Kind(String),
    /// The meaning of one of the keyword's words.
    Word(&'static str),
}

/// A word before a colon that is no keyword of the noun that is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKeyword {
    pub name: String,
    /// Where it would be a keyword; empty when nowhere.
    pub nouns: &'static [Noun],
}

impl Search {
    /// Whether the search can have no hits, whatever is stored.
    pub fn matches_nothing(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// For the person who wrote the query: which keywords are unknown. `None` when all are known.
    pub fn message(&self) -> Option<String> {
        let named: Vec<String> = self.unknown.iter().take(UNKNOWN_NAMED_MAX).map(UnknownKeyword::to_string).collect();
        (!named.is_empty()).then(|| format!("no hits: {}", named.join(", ")))
    }

    /// The same search among the records with these uids, one at least. What the text says of uids no longer counts.
    /// A text could name only some of them within its limits.
    pub fn among(mut self, uids: impl IntoIterator<Item = String>) -> Self {
        let keyword = keywords::find(UID).expect("a test looks every keyword up");
        self.clauses.retain(|clause| clause.keyword != keyword);
        self.clauses.push(Clause { keyword, any: uids.into_iter().map(Value::Text).collect(), none: Vec::new() });
        self
    }

    /// The clause of a keyword, if the text has it.
    pub fn clause(&self, name: &str) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.keyword.name == name)
    }
}

/// Reads a search string that has been percent-decoded once.
///
/// An unknown keyword is no error (see [`Search::unknown`]); a bad value of a known one, an open quote and a text
/// beyond the limits are.
pub fn parse_search(text: &str, noun: Noun) -> Result<Search, QueryError> {
    if text.len() > QUERY_BYTES_MAX {
        let expected = format!("a query of at most {QUERY_BYTES_MAX} bytes, this one has {}", text.len());
        return Err(QueryError::new(text, 0, text, expected));
    }
    let mut search = Search::default();
    let mut lexer = Lexer::new(text);
    let mut terms = 0;
    while let Some(mut term) = lexer.next_term()? {
        if let Some(length) = value_before_plus(&term, noun) {
            lexer.end_value_at(&mut term, length);
        }
        join_time_of_day(&mut lexer, &mut term, noun);
        terms += 1;
        if terms > TERMS_MAX {
            return Err(QueryError::new(text, term.at, term.word, format!("at most {TERMS_MAX} terms")));
        }
        add_term(&mut search, text, &term, noun)?;
    }
    Ok(search)
}

/// Where a value ends whose keyword cannot take the `+` in it: clients write a blank so. The longest beginning that the
/// keyword takes counts, since moments may hold a `+` themselves. Returns `None` where the value stays as it is.
fn value_before_plus(term: &Term<'_>, noun: Noun) -> Option<usize> {
    let keyword = keywords::find(term.keyword?).filter(|keyword| keyword.nouns.contains(&noun))?;
    if keyword.value == ValueType::Text || term.is_quoted() || read_value(keyword, &term.value).is_some() {
        return None;
    }
    let places = term.value.bytes().take(SPLIT_BYTES_MAX).enumerate().filter(|(_, byte)| *byte == b'+');
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    places.into_iter().rev().find(|at| read_value(keyword, &term.value[..*at]).is_some())
}

/// Takes a time of day, and a zone behind it, into the date before them, since programs print moments so:
/// `2025-08-01 12:30:00 UTC`.
fn join_time_of_day<'a>(lexer: &mut Lexer<'a>, term: &mut Term<'a>, noun: Noun) {
    let keyword = term.keyword.and_then(keywords::find).filter(|keyword| keyword.nouns.contains(&noun));
    let Some(keyword) = keyword.filter(|keyword| keyword.value == ValueType::Time) else { return };
    if term.is_quoted() || term.value.len() != DATE_BYTES {
        return;
    }
    let belong = |joined: &str| {
        let last = joined.rsplit(' ').next().unwrap_or_default();
        (last.contains(':') || last.eq_ignore_ascii_case("utc")) && read_value(keyword, joined).is_some()
    };
    let _ = lexer.join_next(term, belong) && lexer.join_next(term, belong);
}

fn add_term(search: &mut Search, text: &str, term: &Term<'_>, noun: Noun) -> Result<(), QueryError> {
    if term.value.trim().is_empty() {
        return Ok(());
    }
    let keyword = match term.keyword {
        None => keywords::of_bare_words(),
        Some(name) => match keywords::find(name) {
            Some(keyword) if keyword.nouns.contains(&noun) => keyword,
            row => {
                let unknown = UnknownKeyword { name: name.to_owned(), nouns: row.map_or(&[], |row| row.nouns) };
                if !search.unknown.contains(&unknown) {
                    search.unknown.push(unknown);
                }
                return Ok(());
            }
        },
    };
    let value =
        read_value(keyword, &term.value).ok_or_else(|| QueryError::new(text, term.at, term.word, expected(keyword)))?;
    let index = match search.clauses.iter().position(|clause| clause.keyword == keyword) {
        Some(index) => index,
        None => {
            // Holds for today's table; a test compares them.
            assert!(search.clauses.len() < CLAUSES_MAX, "one clause a keyword");
            search.clauses.push(Clause { keyword, any: Vec::new(), none: Vec::new() });
            search.clauses.len() - 1
        }
    };
    let clause = &mut search.clauses[index];
    let values = if term.negated { &mut clause.none } else { &mut clause.any };
    if !values.contains(&value) {
        values.push(value);
    }
    Ok(())
}

fn read_value(keyword: &Keyword, text: &str) -> Option<Value> {
    let text = text.trim();
    match keyword.value {
        ValueType::Text => Some(Value::Text(text.to_owned())),
        ValueType::Integer { min, max } => {
            let number: i64 = match keyword.value {
                SEVERITY => severity(text).or_else(|| text.parse().ok())?,
                ASN => as_number(text)?,
                _ => text.parse().ok()?,
            };
            (min..=max).contains(&number).then_some(Value::Integer(number))
        }
        ValueType::Bool if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        ValueType::Bool if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        ValueType::Bool => None,
        ValueType::Time => {
            let rounding = match keyword.comparison {
                Comparison::AtMost => Rounding::Down,
                Comparison::AtLeast
                | Comparison::Equal
                | Comparison::Contains
                | Comparison::Runs
                | Comparison::Host => Rounding::Up,
            };
            date::parse(text, rounding).map(Value::Time)
        }
        ValueType::Kind => {
            let last = text.rsplit("::").next().unwrap_or(text);
            let word = !last.is_empty() && last.bytes().all(|b| b.is_ascii_alphanumeric());
            word.then(|| Value::Kind(last.to_ascii_lowercase()))
        }
        ValueType::OneOf(words) => {
            words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, meaning)| Value::Word(meaning))
        }
    }
}

/// The number of a severity that is named by its word.
fn severity(word: &str) -> Option<i64> {
    let word = if word.eq_ignore_ascii_case("informational") { "info" } else { word };
    let words = ["critical", "high", "medium", "low", "info"];
    let place = words.iter().position(|known| known.eq_ignore_ascii_case(word))?;
    i64::try_from(place + 1).ok()
}

/// The number of an autonomous system, as people write it: `64500` or `AS64500`.
fn as_number(text: &str) -> Option<i64> {
    let prefixed = text.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("as"));
    let digits = if prefixed { &text[2..] } else { text };
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// What the keyword takes, for the message of an error.
fn expected(keyword: &Keyword) -> String {
    match keyword.value {
        ValueType::Text => "text".to_owned(),
        SEVERITY => "critical, high, medium, low, info, or a whole number from 1 to 5".to_owned(),
        ASN => "the number of an autonomous system such as 64500 or AS64500".to_owned(),
        ValueType::Integer { min, max: i64::MAX } => format!("a whole number from {min}"),
        ValueType::Integer { min, max } => format!("a whole number from {min} to {max}"),
        ValueType::Bool => "true or false".to_owned(),
        ValueType::Time => date::EXPECTED.to_owned(),
        ValueType::Kind => "an entity kind such as Uri or IpAddress".to_owned(),
        ValueType::OneOf(words) => {
            let own: Vec<&str> =
                words.iter().filter(|(word, meaning)| word == meaning).map(|(word, _)| *word).collect();
            own.join(", ")
        }
    }
}

/// One line for tests and logs: `severity_lte{3} type{uri !domain}`, unknown words as `?asset_type`.
impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses = self.clauses.iter().map(Clause::to_string);
        let unknown = self.unknown.iter().map(|unknown| format!("?{}", unknown.name));
        let all: Vec<String> = clauses.chain(unknown).collect();
        f.write_str(&all.join(" "))
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any = self.any.iter().map(Value::to_string);
        let none = self.none.iter().map(|value| format!("!{value}"));
        let all: Vec<String> = any.chain(none).collect();
        write!(f, "{}{{{}}}", self.keyword.name, all.join(" "))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Time(time) => write!(f, "{time}"),
            Value::Kind(kind) => f.write_str(kind),
            Value::Word(word) => f.write_str(word),
        }
    }
}

impl fmt::Display for UnknownKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nouns.is_empty() {
            return write!(f, "unknown keyword `{}`", self.name);
        }
        let nouns: Vec<&str> = self.nouns.iter().map(|noun| noun.as_str()).collect();
        write!(f, "keyword `{}` applies to {} only", self.name, nouns.join(" and "))
    }
}

#[cfg(test)]
mod tests;
