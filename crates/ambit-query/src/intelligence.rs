//! The language of intelligence search (docs/contract/wider.md §5.1): modifiers and words over files, domains,
//! addresses and URLs, with AND, OR, NOT and parentheses as in graph search. Text to tree; `matches` says what a tree
//! means.

use crate::boolean::{self, Boolean, Fault, Next};
use crate::range::{Range, plain};
use std::net::IpAddr;

/// Characters of a query: far above any that a person writes.
const CHARS_MAX: usize = 8 * 1024;
/// Bytes of a content that are looked for: fewer stand in nearly every file.
const CONTENT_BYTES_MIN: usize = 4;
/// Every modifier, in the order in which they are listed to people.
pub(crate) const MODIFIERS: [&str; 14] = [
    "content",
    "entity",
    "fs",
    "ls",
    "md5",
    "name",
    "p",
    "positives",
    "sha1",
    "sha256",
    "size",
    "submissions",
    "tag",
    "type",
];

/// What sort of object is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    Domain,
    File,
    IpAddress,
    Url,
}

impl Entity {
    /// The sort of a word, in the spellings that clients have.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "domain" => Some(Self::Domain),
            "file" => Some(Self::File),
            "ip" | "ip_address" => Some(Self::IpAddress),
            "url" => Some(Self::Url),
            _ => None,
        }
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Entity(Entity),
    /// The type of a file, in lower case.
    Type(String),
    /// In bytes.
    Size(Range),
    /// A part of a name, in lower case.
    Name(String),
    Tag(String),
    /// In lower case.
    Hash(String),
    /// When it was first seen or submitted, in seconds since 1970.
    First(Range),
    /// The same of the last time.
    Last(Range),
    /// How many engines found something.
    Positives(Range),
    Submissions(Range),
}

/// A query as a tree.
pub type Query = Boolean<Condition>;

/// A query with the bytes that stand in the files that it finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntelligenceQuery {
    pub query: Query,
    pub content: Option<Vec<u8>>,
}

/// What is known of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub entity: Entity,
    pub names: Vec<String>,
    pub hashes: Vec<String>,
    pub file_type: Option<String>,
    pub tags: Vec<String>,
    pub size: Option<i64>,
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub positives: Option<i64>,
    pub submissions: Option<i64>,
}

/// A query that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntelligenceError {
    #[error("{0}")]
    Malformed(String),
    /// What is looked for in files is too short to find few.
    #[error("the content has fewer than {CONTENT_BYTES_MIN} bytes")]
    Unselective,
    /// Content is looked for in what everything else finds: nowhere else than beside it.
    #[error("content stands once, beside the other conditions and not in an alternative or behind NOT")]
    Unsupported,
}

impl Query {
    /// True for an object that the query finds.
    pub fn matches(&self, facts: &Facts) -> bool {
        self.holds(&|condition| condition.holds(facts))
    }
}

impl Condition {
    fn holds(&self, facts: &Facts) -> bool {
        let within = |range: &Range, value: Option<i64>| value.is_some_and(|value| range.holds(value));
        let named = |part: &String| facts.names.iter().any(|name| name.to_lowercase().contains(part.as_str()));
        match self {
            Self::Entity(entity) => facts.entity == *entity,
            Self::Type(wanted) => facts.file_type.as_deref().is_some_and(|tag| tag.eq_ignore_ascii_case(wanted)),
            Self::Size(range) => within(range, facts.size),
            Self::Name(part) => named(part),
            Self::Tag(tag) => facts.tags.contains(tag),
            Self::Hash(hash) => facts.hashes.contains(hash),
            Self::First(range) => within(range, facts.first),
            Self::Last(range) => within(range, facts.last),
            Self::Positives(range) => within(range, facts.positives),
            Self::Submissions(range) => within(range, facts.submissions),
        }
    }
}

/// Reads a query. Fails for an empty one, and for content that is too short or stands elsewhere than beside the other
/// conditions.
pub fn parse_intelligence_query(text: &str) -> Result<IntelligenceQuery, IntelligenceError> {
    let malformed = |text: String| Err(IntelligenceError::Malformed(text));
    if text.chars().count() > CHARS_MAX {
        return malformed(format!("a query has at most {CHARS_MAX} characters"));
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return malformed("a query is needed".to_owned());
    }
    let mut text = Text { tokens: &tokens, at: 0, content: None };
    let query = boolean::parse(&mut text)?;
    let content = text.content.map(|(_, content)| content);
    Ok(IntelligenceQuery { query, content })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    /// With where a quoted part began, in characters.
    Word(String, Option<usize>),
}

/// Words end at blanks and parentheses, but not inside quotes.
fn tokens(text: &str) -> Result<Vec<Token>, IntelligenceError> {
    let chars: Vec<char> = text.chars().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(c) = chars.get(at) {
        match c {
            c if c.is_whitespace() => at += 1,
            '(' => {
                out.push(Token::Open);
                at += 1;
            }
            ')' => {
                out.push(Token::Close);
                at += 1;
            }
            '-' if chars.get(at + 1).is_some_and(|next| !next.is_whitespace()) => {
                out.push(Token::Not);
                at += 1;
            }
            _ => {
                let (token, end) = word(&chars, at)?;
                out.push(token);
                at = end;
            }
        }
    }
    Ok(out)
}

/// The word that begins at a place, and where it ends.
fn word(chars: &[char], begin: usize) -> Result<(Token, usize), IntelligenceError> {
    let (mut text, mut quoted, mut inside, mut braced, mut at) = (String::new(), None, false, false, begin);
    while let Some(c) = chars.get(at) {
        // `content: "text"` may have a blank behind the colon, and its digits stand in braces with blanks between them.
        let waits = text == "content:" && quoted.is_none();
        match c {
            '"' if !braced => {
                inside = !inside;
                quoted.get_or_insert(text.chars().count());
            }
            '{' | '}' if !inside && (braced || waits) => {
                braced = *c == '{';
                text.push(*c);
            }
            c if waits && c.is_whitespace() => {}
            c if !inside && !braced && (c.is_whitespace() || *c == '(' || *c == ')') => break,
            c => text.push(*c),
        }
        at += 1;
    }
    if inside || braced {
        return Err(IntelligenceError::Malformed("a quote or brace is not closed".to_owned()));
    }
    let token = match (text.as_str(), quoted) {
        ("AND", None) => Token::And,
        ("OR", None) => Token::Or,
        ("NOT", None) => Token::Not,
        _ => Token::Word(text, quoted),
    };
    Ok((token, at))
}

struct Text<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The position and the bytes of the content condition.
    content: Option<(usize, Vec<u8>)>,
}

impl boolean::Text for Text<'_> {
    type Condition = Condition;
    type Error = IntelligenceError;

    fn peek(&self, _depth: usize) -> Next {
        match self.tokens.get(self.at) {
            None => Next::End,
            Some(Token::Open) => Next::Open,
            Some(Token::Close) => Next::Close,
            Some(Token::And) => Next::And,
            Some(Token::Or) => Next::Or,
            Some(Token::Not) => Next::Not,
            Some(Token::Word(..)) => Next::Condition,
        }
    }

    fn step(&mut self, _next: Next) {
        self.at += 1;
    }

    fn place(&self) -> usize {
        self.at
    }

    fn condition(&mut self, apart: bool) -> Result<Condition, IntelligenceError> {
        let malformed = |text: &str| Err(IntelligenceError::Malformed(text.to_owned()));
        let (text, quoted) = match self.tokens.get(self.at) {
            Some(Token::Word(text, quoted)) => (text, *quoted),
            Some(Token::Close) => return malformed("a condition is missing before the closing parenthesis"),
            _ => return malformed("a condition is missing"),
        };
        let at = self.at;
        self.at += 1;
        let Some((modifier, value)) = split(text, quoted) else {
            return Ok(free(text));
        };
        if modifier != "content" {
            return condition(modifier, value);
        }
        let before = self.content.replace((at, content(value, quoted.is_some())?));
        if apart || before.is_some() {
            return Err(IntelligenceError::Unsupported);
        }
        Ok(Condition::Entity(Entity::File))
    }

    fn check_alternatives(&self, from: usize) -> Result<(), IntelligenceError> {
        match self.content {
            Some((at, _)) if at >= from => Err(IntelligenceError::Unsupported),
            _ => Ok(()),
        }
    }

    fn error(&self, fault: Fault, _place: usize) -> IntelligenceError {
        let message = match fault {
            Fault::TooDeep => "too many parentheses inside each other",
            Fault::Unclosed => "a parenthesis is not closed",
            Fault::Unopened => "a closing parenthesis without an opening one",
        };
        IntelligenceError::Malformed(message.to_owned())
    }
}

/// Modifier and value. URLs, addresses and what begins with a quote are words.
fn split(text: &str, quoted: Option<usize>) -> Option<(&str, &str)> {
    let (modifier, value) = text.split_once(':')?;
    let name = !modifier.is_empty()
        && modifier.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let letter = modifier.starts_with(|c: char| c.is_ascii_lowercase());
    let word = quoted == Some(0) || value.starts_with("//") || text.parse::<IpAddr>().is_ok();
    (name && letter && !word).then_some((modifier, value))
}

/// A word without a modifier: a hash, or a part of a name.
fn free(text: &str) -> Condition {
    let hash = [32, 40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash { Condition::Hash(text.to_ascii_lowercase()) } else { Condition::Name(text.to_lowercase()) }
}

fn condition(modifier: &str, value: &str) -> Result<Condition, IntelligenceError> {
    let malformed = |text: String| Err(IntelligenceError::Malformed(text));
    Ok(match modifier {
        "entity" => match Entity::from_name(value) {
            Some(entity) => Condition::Entity(entity),
            None => return malformed(format!("entity is one of domain, ip, url, file, not {value:?}")),
        },
        "type" => Condition::Type(value.to_ascii_lowercase()),
        "size" => Condition::Size(number(value, &size)?),
        "name" => Condition::Name(value.to_lowercase()),
        "tag" => Condition::Tag(value.to_owned()),
        "md5" | "sha1" | "sha256" => Condition::Hash(value.to_ascii_lowercase()),
        "fs" => Condition::First(date(value)?),
        "ls" => Condition::Last(date(value)?),
        "p" | "positives" => Condition::Positives(number(value, &plain)?),
        "submissions" => Condition::Submissions(number(value, &plain)?),
        _ => return malformed(format!("unknown modifier {modifier:?}; known: {}", MODIFIERS.join(", "))),
    })
}

/// Bytes, with a unit of 1,024 or its square where one is named.
fn size(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let (digits, unit) = match (lower.strip_suffix("kb"), lower.strip_suffix("mb")) {
        (Some(digits), _) => (digits, 1_024),
        (_, Some(digits)) => (digits, 1_024 * 1_024),
        (None, None) => (lower.as_str(), 1),
    };
    plain(digits)?.checked_mul(unit)
}

fn number(text: &str, read: &dyn Fn(&str) -> Option<i64>) -> Result<Range, IntelligenceError> {
    Range::of_number(text, read)
        .ok_or_else(|| IntelligenceError::Malformed(format!("{text:?} is no whole number such as 7, 7+ or 7-")))
}

fn date(text: &str) -> Result<Range, IntelligenceError> {
    let malformed = || {
        IntelligenceError::Malformed(format!(
            "dates are written as 2026-01-31, 2026-01-31+ or 2026-01-31-, not {text:?}"
        ))
    };
    Range::of_date(text).ok_or_else(malformed)
}

/// Bytes as text in quotes or as hexadecimal digits in braces.
fn content(value: &str, quoted: bool) -> Result<Vec<u8>, IntelligenceError> {
    let digits = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).filter(|_| !quoted);
    let bytes = match digits {
        None => value.as_bytes().to_vec(),
        Some(digits) => {
            let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            hex::decode(digits).map_err(|_| {
                IntelligenceError::Malformed("content in braces is pairs of hexadecimal digits".to_owned())
            })?
        }
    };
    if bytes.len() < CONTENT_BYTES_MIN {
        return Err(IntelligenceError::Unselective);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Facts {
        Facts {
            entity: Entity::File,
            names: vec!["Setup.EXE".to_owned(), "b94d".to_owned()],
            hashes: vec!["a".repeat(64), "b".repeat(32)],
            file_type: Some("peexe".to_owned()),
            tags: vec!["signed".to_owned()],
            size: Some(10_240),
            first: Some(1_769_860_800),
            last: Some(1_769_947_200),
            positives: Some(3),
            submissions: Some(2),
        }
    }

    #[test]
    fn each_modifier_and_operator_finds_what_it_says() {
        let long = "a".repeat(64);
        let (one, other) = (format!("sha256:{}", "A".repeat(64)), format!("md5:{}", "c".repeat(32)));
        for (text, found) in [
            ("entity:file", true),
            ("entity:url", false),
            ("type:PEEXE", true),
            ("type:pdf", false),
            ("size:10KB", true),
            ("size:10kb+", true),
            ("size:10241+", false),
            ("size:9kb+", true),
            ("size:1MB-", true),
            ("size:10240-", false),
            ("name:setup", true),
            ("setup.exe", true),
            ("missing", false),
            ("tag:signed", true),
            ("tag:Signed", false),
            (long.as_str(), true),
            (one.as_str(), true),
            (other.as_str(), false),
            ("fs:2026-01-31", true),
            ("fs:2026-1-31", true),
            ("fs:2026-02-01", false),
            ("fs:2026-01-31T12:00:00", true),
            ("fs:2026-01-31T12:00:01+", false),
            ("ls:2026-02-01+", true),
            ("ls:2026-02-01-", false),
            ("fs:2026-01-01+ fs:2026-02-01-", true),
            ("p:3", true),
            ("p:3+", true),
            ("p:4+", false),
            ("positives:2+", true),
            ("submissions:2 AND p:4-", true),
            ("submissions:1 OR p:3", true),
            ("NOT tag:signed", false),
            ("-tag:unsigned", true),
            ("(entity:url OR type:peexe) name:\"setup.exe\"", true),
            ("entity:file NOT (p:3 OR p:4)", false),
        ] {
            let query = parse_intelligence_query(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(query.query.matches(&file()), found, "{text}");
        }
    }

    #[test]
    fn urls_and_addresses_are_words() {
        let word = |text: &str| match parse_intelligence_query(text).unwrap().query {
            Query::Leaf(Condition::Name(name)) => name,
            other => panic!("{other:?}"),
        };
        for text in ["https://a.test/x?y=z", "2001:db8::1", "dead::1", "192.0.2.1:80", "\"name: x\""] {
            assert_eq!(word(text), text.trim_matches('"'), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let said = |text: &str| parse_intelligence_query(text).unwrap_err().to_string();
        assert!(said("engines:5+").contains("entity, fs, ls, md5, name, p, positives"), "{}", said("engines:5+"));
        for text in [
            "",
            "  ",
            "AND",
            "a AND",
            "(a",
            "a)",
            "NOT",
            "\"a",
            "size:big",
            "p:-1",
            "fs:soon",
            "fs:2026-13-01",
            "entity:cat",
        ] {
            assert!(parse_intelligence_query(text).is_err(), "{text}");
        }
        let deep = format!("{}a{}", "(".repeat(60), ")".repeat(60));
        assert!(said(&deep).contains("parentheses"));
    }

    #[test]
    fn content_is_text_or_hexadecimal_and_stands_beside_the_rest() {
        let content = |text: &str| parse_intelligence_query(text).map(|query| query.content);
        assert_eq!(content("content:\"hello world\""), Ok(Some(b"hello world".to_vec())));
        assert_eq!(content("content: \"hello\" type:text"), Ok(Some(b"hello".to_vec())));
        assert_eq!(content("content:{4d 5A 90 00}"), Ok(Some(vec![0x4d, 0x5a, 0x90, 0])));
        assert_eq!(content("content:abc"), Err(IntelligenceError::Unselective));
        assert_eq!(content("NOT content:abcd"), Err(IntelligenceError::Unsupported));
        assert_eq!(content("p:1 OR content:abcd"), Err(IntelligenceError::Unsupported));
        assert_eq!(content("content:abcd OR p:1"), Err(IntelligenceError::Unsupported));
        assert_eq!(content("content:abcd content:efgh"), Err(IntelligenceError::Unsupported));
        assert!(content("content:{4d5}").is_err());
        assert!(content("content:{+a+b+c+d}").is_err(), "a sign is no digit");
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in ".{0,60}") {
            let _ = parse_intelligence_query(&text);
        }

        #[test]
        fn no_query_breaks_the_reader(words in proptest::collection::vec("AND|OR|NOT|\\(|\\)|-|\"|a|p:1\\+|content:|fs:2026-01-31|\\{4d5a9000\\}", 0..12)) {
            let _ = parse_intelligence_query(&words.join(" "));
        }
    }
}
