//! Matchers of a template as signs, and the condition in which they stand to each other.

use super::expression::{self, Call, Expression};
use super::{Asks, ICON, Reason, Refused, is_true, texts, word};
use crate::go_pattern::from_go;
use crate::pattern::{Flags, Pattern};
use crate::place::Place;
use crate::rule::{Condition, SURE, Sign, Stands, Test, Text, VERSION_ONLY};
use crate::template::Template;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Parts of an answer that are not seen here, or are no header.
const OTHER_PARTS: &[&str] = &[
    "host",
    "ip",
    "duration",
    "content_length",
    "request",
    "cname",
    "matched",
    "type",
    "path",
    "body_hash",
    "location",
];

/// The signs of one rule, as they are made.
pub(super) struct Signs {
    asks: Asks,
    /// The icon is asked for.
    icon: bool,
    signs: Vec<Sign>,
    /// The statuses that are asked about, and the signs of each.
    statuses: BTreeMap<Box<str>, BTreeSet<usize>>,
}

impl Signs {
    pub(super) fn new(asks: Asks) -> Self {
        Self { asks, icon: asks != Asks::FrontPage, signs: Vec::new(), statuses: BTreeMap::new() }
    }

    pub(super) fn into_list(self) -> Vec<Sign> {
        self.signs
    }

    /// Whether something of the product is there where the condition holds: a status alone, or none, tells nothing.
    pub(super) fn tells(&self, condition: &Condition) -> bool {
        let of_one = |signs: &BTreeSet<usize>| condition.holds(&|sign| signs.contains(&sign));
        !condition.holds(&|_| false) && !self.statuses.values().any(of_one)
    }

    /// What a matcher asks for.
    pub(super) fn matcher(&mut self, matcher: &Value) -> Result<Condition, Refused> {
        let part = word(matcher, "part");
        let kind = word(matcher, "type");
        let any_case = is_true(matcher, "case-insensitive");
        let mut parts = Vec::new();
        match kind {
            "word" if word(matcher, "encoding").is_empty() => {
                for text in texts(matcher, "words") {
                    parts.push(self.text(part, &text, any_case)?);
                }
            }
            "regex" => {
                for pattern in texts(matcher, "regex") {
                    parts.push(self.pattern(part, &pattern)?);
                }
            }
            "status" => {
                let statuses = texts(matcher, "status");
                let any = Condition::Any(statuses.iter().map(|status| self.status(status)).collect());
                return Ok(if is_true(matcher, "negative") { Condition::Not(Box::new(any)) } else { any });
            }
            "dsl" => {
                for text in texts(matcher, "dsl") {
                    parts.push(self.expression(&text)?);
                }
            }
            other => {
                return Err(Refused::Unused(format!("matchers of the type {} are not read", other.escape_debug())));
            }
        }
        if parts.is_empty() {
            return Err(Refused::Unused("a matcher without a pattern".to_owned()));
        }
        let all = word(matcher, "condition") == "and";
        let condition = if all { Condition::All(parts) } else { Condition::Any(parts) };
        if !is_true(matcher, "negative") {
            return Ok(condition);
        }
        self.negated(part, condition)
    }

    /// The contrary of a condition. A part that is not there has neither.
    fn negated(&mut self, part: &str, condition: Condition) -> Result<Condition, Refused> {
        let mut parts = vec![Condition::Not(Box::new(condition))];
        if let [place @ Place::Header(_)] = places(part)?.as_slice() {
            parts.push(self.add(place.clone(), Test::Present, SURE));
        }
        Ok(Condition::All(parts))
    }

    fn add(&mut self, place: Place, test: Test, weight: u8) -> Condition {
        self.signs.push(Sign { place, test, weight });
        Condition::Sign(self.signs.len() - 1)
    }

    fn text(&mut self, part: &str, text: &str, any_case: bool) -> Result<Condition, Refused> {
        if text.contains("{{") {
            return Err(Refused::Unused("it depends on another response".to_owned()));
        }
        self.page_is_asked()?;
        let test = || Test::Text(Text { text: text.into(), stands: Stands::Anywhere, any_case, versioned: false });
        let places = places(part)?;
        Ok(Condition::Any(places.into_iter().map(|place| self.add(place, test(), SURE)).collect()))
    }

    fn pattern(&mut self, part: &str, pattern: &str) -> Result<Condition, Refused> {
        self.page_is_asked()?;
        let mut any = Vec::new();
        for place in places(part)? {
            let test = pattern_test(pattern, None)?;
            any.push(self.add(place, test, SURE));
        }
        Ok(Condition::Any(any))
    }

    fn page_is_asked(&self) -> Result<(), Reason> {
        match self.asks {
            Asks::FrontPage | Asks::Both => Ok(()),
            Asks::Icon => Err("it reads an icon as a text".to_owned()),
        }
    }

    /// An icon that was read was served, which no status of a refusal says.
    fn status(&mut self, status: &str) -> Condition {
        match self.asks {
            Asks::Icon if status.starts_with('2') => Condition::All(Vec::new()),
            Asks::Icon => Condition::Any(Vec::new()),
            Asks::FrontPage | Asks::Both => {
                let text = Text { text: status.into(), stands: Stands::Beginning, any_case: false, versioned: false };
                self.statuses.entry(status.into()).or_default().insert(self.signs.len());
                self.add(Place::Status, Test::Text(text), SURE)
            }
        }
    }

    fn expression(&mut self, text: &str) -> Result<Condition, Refused> {
        let read = expression::read(text)
            .map_err(|why| Refused::Unused(format!("an expression that is not read here ({why}): {}", shown(text))))?;
        // A status beside the hash of an icon is that of the icon.
        let asks = self.asks;
        if read.has_icon() {
            self.asks = Asks::Icon;
        }
        let condition = self.of(read);
        self.asks = asks;
        condition
    }

    fn of(&mut self, expression: Expression) -> Result<Condition, Refused> {
        let mut all = |parts: Vec<Expression>| parts.into_iter().map(|part| self.of(part)).collect::<Result<_, _>>();
        Ok(match expression {
            Expression::And(parts) => Condition::All(all(parts)?),
            Expression::Or(parts) => Condition::Any(all(parts)?),
            Expression::Not(inner) => match *inner {
                Expression::Call(call) => {
                    let part = call.part().to_owned();
                    let condition = self.call(call)?;
                    self.negated(&part, condition)?
                }
                inner => Condition::Not(Box::new(self.of(inner)?)),
            },
            Expression::Call(call) => self.call(call)?,
        })
    }

    fn call(&mut self, call: Call) -> Result<Condition, Refused> {
        match call {
            Call::Status(status) => Ok(self.status(&status)),
            Call::Contains { part, texts, all, any_case } => {
                // Letters that were made small are found by small ones only.
                if any_case && texts.iter().any(|text| text.chars().any(char::is_uppercase)) {
                    return Err(Refused::Unused("it searches lower-cased text for capital letters".to_owned()));
                }
                let parts = texts.iter().map(|text| self.text(&part, text, any_case)).collect::<Result<_, _>>()?;
                Ok(if all { Condition::All(parts) } else { Condition::Any(parts) })
            }
            Call::Matches { part, pattern } => self.pattern(&part, &pattern),
            Call::Icon(..) if !self.icon => {
                Err(Refused::Unused(format!("it hashes a page: icons are hashed at {ICON} alone")))
            }
            Call::Icon(hash, value) => {
                let text = Text {
                    text: value.to_ascii_lowercase().into(),
                    stands: Stands::FirstWord,
                    any_case: false,
                    versioned: false,
                };
                Ok(self.add(Place::Favicon(hash), Test::Text(text), SURE))
            }
        }
    }

    /// Adds what reads the version, and returns what of it is not used.
    pub(super) fn versions(&mut self, extractors: &[Value]) -> Result<Vec<Reason>, Refused> {
        let mut notes = Vec::new();
        let name = |extractor: &Value| word(extractor, "name").to_ascii_lowercase();
        let mut extractors: Vec<&Value> = extractors.iter().collect();
        // The version of the product comes before those of its parts.
        extractors.sort_by_key(|extractor| name(extractor) != "version");
        for extractor in extractors {
            let name = name(extractor);
            if !(name.is_empty() || says_version(&name)) || self.asks == Asks::Icon {
                continue;
            }
            let group = extractor.get("group").and_then(Value::as_u64).unwrap_or(0);
            let template = Template::read(&format!("\\{group}"));
            let read = match word(extractor, "type") {
                "regex" => self.version_patterns(word(extractor, "part"), &texts(extractor, "regex"), &template),
                "kval" => self.version_headers(&texts(extractor, "kval"), !name.is_empty()),
                other => Err(Refused::Unused(format!("a version that is read by {}", other.escape_debug()))),
            };
            match read {
                Ok(()) => {}
                Err(Refused::Unused(why)) => notes.push(why),
                Err(broken) => return Err(broken),
            }
        }
        Ok(notes)
    }

    fn version_patterns(&mut self, part: &str, patterns: &[String], template: &Template) -> Result<(), Refused> {
        // A year of copyright is no version.
        for pattern in patterns.iter().filter(|pattern| !pattern.to_ascii_lowercase().contains("copyright")) {
            for place in places(part)? {
                let test = pattern_test(pattern, Some(template.clone()))?;
                self.add(place, test, VERSION_ONLY);
            }
        }
        Ok(())
    }

    /// Reads the version in headers: in those that say so by their name, or in all where the extractor does.
    fn version_headers(&mut self, names: &[String], all: bool) -> Result<(), Refused> {
        for name in names.iter().filter(|name| all || says_version(name)) {
            for place in places(name)? {
                let test = pattern_test(".+", Some(Template::read("\\0")))?;
                self.add(place, test, VERSION_ONLY);
            }
        }
        Ok(())
    }
}

/// Whether one of the words of a name is that of a version: `version`, `api_version`, `productversion`.
fn says_version(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word.ends_with("version") && word != "conversion")
}

fn pattern_test(pattern: &str, version: Option<Template>) -> Result<Test, Refused> {
    if pattern.contains("{{") {
        return Err(Refused::Unused("it depends on another response".to_owned()));
    }
    let read = Pattern::read(&from_go(pattern), Flags::default()).and_then(|(pattern, literals)| {
        pattern.try_out()?;
        Ok((pattern, literals))
    });
    let (pattern, literals) = read.map_err(|error| Refused::of(&error))?;
    Ok(Test::Pattern { pattern, literals, version })
}

/// Where a part of an answer stands.
fn places(part: &str) -> Result<Vec<Place>, Refused> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    // `body_2` is the body of another answer.
    let is_of_another =
        part.rsplit_once('_').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    match part {
        "" | "body" => Ok(vec![Place::Body]),
        "header" | "all_headers" => Ok(vec![Place::Head]),
        "response" | "all" | "raw" => Ok(vec![Place::Body, Place::Head]),
        part if part.chars().all(is_name)
            && !is_of_another
            && !OTHER_PARTS.contains(&part)
            && !part.starts_with("interactsh") =>
        {
            Ok(vec![Place::Header(part.replace('_', "-").into())])
        }
        part => Err(Refused::Unused(format!("it inspects {}, which is not available here", part.escape_debug()))),
    }
}

/// The beginning of an expression, as it is shown.
fn shown(text: &str) -> String {
    text.chars().take(60).flat_map(char::escape_debug).collect()
}
