//! Expressions of templates: what most of them say, and a refusal for the rest. `status_code == 200 && contains(body,
//! "x")`.

use crate::place::IconHash;

/// Expressions within expressions.
const DEPTH_MAX: usize = 32;

/// An expression that says whether a template matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
    Call(Call),
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The status is this one.
    Status(String),
    /// The part holds all the texts, or one of them; where any case counts, it is read in small letters.
    Contains {
        part: String,
        texts: Vec<String>,
        all: bool,
        any_case: bool,
    },
    Matches {
        part: String,
        pattern: String,
    },
    /// The page is an icon with this hash.
    Icon(IconHash, String),
}

impl Call {
    /// The part that is looked at.
    pub(super) fn part(&self) -> &str {
        match self {
            Self::Contains { part, .. } | Self::Matches { part, .. } => part,
            Self::Status(_) | Self::Icon(..) => "",
        }
    }
}

impl Expression {
    /// Whether it asks for the hash of an icon.
    pub(super) fn has_icon(&self) -> bool {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::has_icon),
            Self::Not(inner) => inner.has_icon(),
            Self::Call(call) => matches!(call, Call::Icon(..)),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(String),
    Sign(&'static str),
}

/// Signs, longer ones first.
const SIGNS: &[&str] = &["&&", "||", "==", "!=", ">=", "<=", "(", ")", ",", "!", ">", "<", "+", "-"];

/// Reads an expression. Fails with what of it is not read.
pub(super) fn read(text: &str) -> Result<Expression, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0 };
    let expression = reader.alternatives()?;
    match reader.tokens.get(reader.at) {
        None => Ok(expression),
        Some(token) => Err(format!("unexpected {token:?}")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        if matches!(first, '"' | '\'') {
            let (text, behind) = quoted(rest, first)?;
            tokens.push(Token::Text(text));
            rest = behind;
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            tokens.push(Token::Number(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).ok_or(format!("{first:?}"))?;
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

/// A text in quotes, in which a backslash stands before a character that is meant as it is.
fn quoted(text: &str, quote: char) -> Result<(String, &str), String> {
    let (mut out, mut chars) = (String::new(), text.char_indices().skip(1));
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|(_, c)| c)),
            c if c == quote => return Ok((out, &text[at + 1..])),
            c => out.push(c),
        }
    }
    Err("a text without end".to_owned())
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn takes(&mut self, sign: &'static str) -> bool {
        let found = self.tokens.get(self.at) == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn needs(&mut self, sign: &'static str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("{sign:?} is missing")) }
    }

    fn next(&mut self) -> Result<Token, String> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().ok_or_else(|| "the expression is incomplete".to_owned())
    }

    fn alternatives(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.together()?];
        while self.takes("||") {
            parts.push(self.together()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
    }

    fn together(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.single()?];
        while self.takes("&&") {
            parts.push(self.single()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::And(parts) })
    }

    fn single(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("too deep".to_owned());
        }
        let read = if self.takes("!") {
            self.single().map(|inner| Expression::Not(Box::new(inner)))
        } else if self.takes("(") {
            self.alternatives().and_then(|inner| self.needs(")").map(|()| inner))
        } else {
            self.question()
        };
        self.depth -= 1;
        read
    }

    /// A comparison, or a call that says yes or no.
    fn question(&mut self) -> Result<Expression, String> {
        let token = self.next()?;
        let Token::Name(name) = &token else { return self.compared(token) };
        match name.as_str() {
            "status_code" | "mmh3" | "md5" | "sha1" => self.compared(token),
            "contains" | "contains_all" | "containsall" | "contains_any" | "containsany" => {
                let all = !name.ends_with("any");
                self.needs("(")?;
                let (part, any_case) = self.part()?;
                let mut texts = Vec::new();
                while self.takes(",") {
                    texts.push(self.literal()?);
                }
                self.needs(")")?;
                Ok(Expression::Call(Call::Contains { part, texts, all, any_case }))
            }
            "regex" => {
                self.needs("(")?;
                let pattern = self.literal()?;
                self.needs(",")?;
                let (part, any_case) = self.part()?;
                self.needs(")")?;
                if any_case {
                    return Err("a pattern on lower-cased text".to_owned());
                }
                Ok(Expression::Call(Call::Matches { part, pattern }))
            }
            other => Err(format!("{other} is not known")),
        }
    }

    fn literal(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Text(text) => Ok(text),
            other => Err(format!("expected a text instead of {other:?}")),
        }
    }

    /// A part of the answer, and whether it is read in small letters.
    fn part(&mut self) -> Result<(String, bool), String> {
        let Token::Name(name) = self.next()? else { return Err("a part of the answer is missing".to_owned()) };
        if !matches!(name.as_str(), "tolower" | "to_lower") {
            return Ok((name, false));
        }
        self.needs("(")?;
        let (part, _) = self.part()?;
        self.needs(")")?;
        Ok((part, true))
    }

    /// `status_code == 200`, `mmh3(base64_py(body)) == "1"`, either way round.
    fn compared(&mut self, first: Token) -> Result<Expression, String> {
        let left = self.side(first)?;
        let is_equal = match self.next()? {
            Token::Sign("==") => true,
            Token::Sign("!=") => false,
            other => return Err(format!("unknown operator {other:?}")),
        };
        let second = self.next()?;
        let right = self.side(second)?;
        let call = match (left, right) {
            (Side::Status, Side::Value(value)) | (Side::Value(value), Side::Status) => Call::Status(value),
            (Side::Icon(hash), Side::Value(value)) | (Side::Value(value), Side::Icon(hash)) => Call::Icon(hash, value),
            _ => return Err("operands that cannot be compared".to_owned()),
        };
        let call = Expression::Call(call);
        Ok(if is_equal { call } else { Expression::Not(Box::new(call)) })
    }

    fn side(&mut self, first: Token) -> Result<Side, String> {
        let Token::Name(name) = first else {
            return match first {
                Token::Text(text) | Token::Number(text) => Ok(Side::Value(text)),
                Token::Sign("-") => match self.next()? {
                    Token::Number(number) => Ok(Side::Value(format!("-{number}"))),
                    other => Err(format!("{other:?} behind a minus")),
                },
                other => Err(format!("expected a value instead of {other:?}")),
            };
        };
        let hash = match name.as_str() {
            "status_code" => return Ok(Side::Status),
            "mmh3" => IconHash::Mmh3,
            "md5" => IconHash::Md5,
            "sha1" => IconHash::Sha1,
            other => return Err(format!("{other} is not known")),
        };
        self.needs("(")?;
        let mut inner = self.next()?;
        if inner == Token::Name("base64_py".to_owned()) && hash == IconHash::Mmh3 {
            self.needs("(")?;
            inner = self.next()?;
            self.needs(")")?;
        } else if hash == IconHash::Mmh3 {
            return Err("a hash that is not of an icon".to_owned());
        }
        self.needs(")")?;
        match inner {
            Token::Name(body) if body == "body" => Ok(Side::Icon(hash)),
            other => Err(format!("expected the body instead of {other:?}")),
        }
    }
}

enum Side {
    Status,
    Icon(IconHash),
    Value(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(part: &str, texts: &[&str], all: bool, any_case: bool) -> Expression {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Expression::Call(Call::Contains { part: part.to_owned(), texts, all, any_case })
    }

    #[test]
    fn expressions_mean_what_they_say() {
        let status = Expression::Call(Call::Status("200".to_owned()));
        let icon = |hash, value: &str| Expression::Call(Call::Icon(hash, value.to_owned()));
        for (text, expected) in [
            ("status_code == 200", status.clone()),
            ("contains(body, 'x\\'y')", contains("body", &["x'y"], true, false)),
            ("contains_any(to_lower(header), \"a\", \"b\")", contains("header", &["a", "b"], false, true)),
            (
                "status_code==200 && ('-67' == mmh3(base64_py(body)))",
                Expression::And(vec![status.clone(), icon(IconHash::Mmh3, "-67")]),
            ),
            ("md5(body) == \"AB\"", icon(IconHash::Md5, "AB")),
            ("mmh3(base64_py(body)) == -5", icon(IconHash::Mmh3, "-5")),
            (
                "!contains(body, \"a\") || status_code == 200",
                Expression::Or(vec![Expression::Not(Box::new(contains("body", &["a"], true, false))), status]),
            ),
            (
                "regex(\"\\\\d\", body)",
                Expression::Call(Call::Matches { part: "body".to_owned(), pattern: "\\d".to_owned() }),
            ),
        ] {
            assert_eq!(read(text).as_ref(), Ok(&expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_refused() {
        for text in [
            "",
            "status_code >= 200",
            "len(body) == 3",
            "contains(json_minify(body), 'x')",
            "compare_versions(version, '< 3')",
            "contains(body, 'x'",
            "contains(body, 'x') contains(body, 'y')",
            "mmh3(body) == 3",
            "md5(header) == 'x'",
            "'x",
            "body == ;",
            &"(".repeat(100_000),
            &"!".repeat(100_000),
        ] {
            assert!(read(text).is_err(), "{}", text.chars().take(40).collect::<String>());
        }
    }
}
