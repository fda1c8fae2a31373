//! Intelligence search over the inventory (v3-wire §6): words and a few modifiers over domains, addresses and URLs. An unknown modifier is refused
//! with the list of those that there are.

use super::{objects, page};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::moment::DAY_MS;
use ambit_model::object::ObjectType;
use ambit_model::{Kind, Timestamp};
use ambit_store::KnownObject;
use serde_json::json;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Items of a page at most (v3-wire §1.4).
const LIMIT_MAX: usize = 300;
/// Days that a search looks back over; the inventory forgets nothing, and clients show the figure.
const DAYS_BACK: i64 = 365;
/// Characters of a query.
const QUERY_CHARS_MAX: usize = 4 * 1024;
const MODIFIERS: [&str; 6] = ["entity", "name", "tag", "fs", "ls", "type"];

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Type(ObjectType),
    /// A part of the name, in lower case.
    Name(String),
    Tag(String),
    First(Option<Timestamp>, Option<Timestamp>),
    Last(Option<Timestamp>, Option<Timestamp>),
}

fn bad(message: String) -> ApiError {
    ApiError::with(ErrorCode::BadRequest, message)
}

/// Words and modifiers, all of which must hold.
fn parse(text: &str) -> Result<Vec<Condition>, ApiError> {
    if text.trim().is_empty() {
        return Err(bad("The parameter query is needed".to_owned()));
    }
    if text.chars().count() > QUERY_CHARS_MAX {
        return Err(bad(format!("A query has at most {QUERY_CHARS_MAX} characters")));
    }
    let words = text.split_whitespace().filter(|word| *word != "AND");
    words.map(|word| condition(word.trim_matches('"'))).collect()
}

fn condition(word: &str) -> Result<Condition, ApiError> {
    // URLs and IPv6 addresses have colons too.
    let plain = word.contains("://") || word.parse::<std::net::IpAddr>().is_ok();
    let Some((modifier, value)) = word.split_once(':').filter(|_| !plain) else {
        return Ok(Condition::Name(word.to_lowercase()));
    };
    let value = value.trim_matches('"');
    match modifier {
        "entity" | "type" => {
            let kind = match value {
                "ip" => Some(ObjectType::IpAddress),
                _ => ObjectType::from_name(value),
            };
            kind.map(Condition::Type)
                .ok_or_else(|| bad(format!("{modifier} is one of domain, ip, url, file, not {value:?}")))
        }
        "name" => Ok(Condition::Name(value.to_lowercase())),
        "tag" => Ok(Condition::Tag(value.to_owned())),
        "fs" => range(value).map(|(from, until)| Condition::First(from, until)),
        "ls" => range(value).map(|(from, until)| Condition::Last(from, until)),
        _ => Err(bad(format!("Unknown modifier {modifier:?}; known: {}", MODIFIERS.join(", ")))),
    }
}

/// A day; `+`: from it on, `-`: before it.
fn range(value: &str) -> Result<(Option<Timestamp>, Option<Timestamp>), ApiError> {
    let date = value.trim_end_matches(['+', '-']);
    let start = Timestamp::parse(date).ok_or_else(|| bad(format!("Dates are written as 2026-01-31, not {date:?}")))?;
    Ok(match value.strip_prefix(date) {
        Some("+") => (Some(start), None),
        Some("-") => (None, Some(start)),
        _ => (Some(start), Some(start.plus_ms(DAY_MS))),
    })
}

impl Condition {
    fn holds(&self, kind: ObjectType, found: &[KnownObject]) -> bool {
        let within = |at: Option<Timestamp>, from: &Option<Timestamp>, until: &Option<Timestamp>| {
            at.is_some_and(|at| from.is_none_or(|from| at >= from) && until.is_none_or(|until| at < until))
        };
        match self {
            Self::Type(wanted) => kind == *wanted,
            Self::Name(part) => found.iter().any(|one| one.record.name.to_lowercase().contains(part.as_str())),
            Self::Tag(tag) => found.iter().any(|one| one.record.tags.contains(tag)),
            Self::First(from, until) => within(found.iter().map(|one| one.first_seen).min(), from, until),
            Self::Last(from, until) => within(found.iter().map(|one| one.last_seen).max(), from, until),
        }
    }
}

/// How results are ordered.
fn order(call: &Call) -> Result<(&'static str, bool), ApiError> {
    let text = call.query("order").map(str::trim).unwrap_or_default();
    let (name, descending) = match text.strip_suffix('-') {
        Some(name) => (name, true),
        None => (text.trim_end_matches('+'), false),
    };
    let fields = ["name", "first_seen_date", "last_seen_date"];
    match fields.into_iter().find(|field| *field == name) {
        Some(field) => Ok((field, descending)),
        None if name.is_empty() => Ok((fields[0], false)),
        None => Err(bad(format!("Unknown order {name:?}; known: {}", fields.join(", ")))),
    }
}

/// Names that may be found: those of the kinds that are asked for, and with the part that is asked for.
async fn candidates(call: &Call, conditions: &[Condition]) -> Result<Vec<(ObjectType, Kind, String)>, ApiError> {
    let mut out = Vec::new();
    let part = conditions.iter().find_map(|one| match one {
        Condition::Name(part) => Some(part.as_str()),
        _ => None,
    });
    for kind in ObjectType::ALL {
        let wanted = conditions.iter().all(|one| !matches!(one, Condition::Type(other) if *other != kind));
        if !wanted {
            continue;
        }
        let names = call.state.store.names_of_kinds(call.caller(), kind.kinds()).await;
        for (entity, name) in names.map_err(|error| of_store(error, "Object"))? {
            if part.is_none_or(|part| name.to_lowercase().contains(part)) {
                out.push((kind, entity, name));
            }
        }
    }
    Ok(out)
}

pub(crate) async fn search(call: Call) -> Result<Answer, ApiError> {
    let conditions = parse(call.query("query").unwrap_or_default())?;
    let (field, descending) = order(&call)?;
    let paging = page::paging(&call, page::LIMIT_DEFAULT, LIMIT_MAX)?;
    let mut names = BTreeMap::<(ObjectType, String), Vec<(Kind, String)>>::new();
    for (kind, entity, name) in candidates(&call, &conditions).await? {
        names.entry((kind, name.clone())).or_default().push((entity, name));
    }
    let mut found = Vec::new();
    for ((kind, _), names) in names {
        let known = call.state.store.known_objects(call.caller(), &names).await;
        let known = known.map_err(|error| of_store(error, "Object"))?;
        if conditions.iter().all(|one| one.holds(kind, &known)) {
            found.push((kind, known));
        }
    }
    found.sort_by(|a, b| compare(field, &a.1, &b.1));
    if descending {
        found.reverse();
    }
    let total = found.len();
    let (found, next) = page::slice(&paging, found)?;
    let descriptors = call.query("descriptors_only") == Some("true");
    let items = found
        .iter()
        .filter_map(|(kind, known)| objects::shown(&call, *kind, known))
        .map(|item| if descriptors { page::described(&item) } else { item })
        .collect();
    let meta = [("total_hits", json!(total)), ("days_back", json!(DAYS_BACK))];
    Ok(page::answer_with(&call, items, paging.limit, next, &meta))
}

fn compare(field: &str, one: &[KnownObject], other: &[KnownObject]) -> Ordering {
    let name = |list: &[KnownObject]| list.first().map(|one| one.record.name.clone());
    let first = |list: &[KnownObject]| list.iter().map(|one| one.first_seen).min();
    let last = |list: &[KnownObject]| list.iter().map(|one| one.last_seen).max();
    let by_name = || name(one).cmp(&name(other));
    match field {
        "first_seen_date" => first(one).cmp(&first(other)).then_with(by_name),
        "last_seen_date" => last(one).cmp(&last(other)).then_with(by_name),
        _ => by_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_modifiers_are_read() {
        let read = |text: &str| parse(text).map_err(|error| error.message);
        assert_eq!(
            read("entity:domain Acme AND tag:prod"),
            Ok(vec![
                Condition::Type(ObjectType::Domain),
                Condition::Name("acme".to_owned()),
                Condition::Tag("prod".to_owned())
            ])
        );
        assert_eq!(read("https://a.test/x"), Ok(vec![Condition::Name("https://a.test/x".to_owned())]));
        assert_eq!(read("2001:db8::1"), Ok(vec![Condition::Name("2001:db8::1".to_owned())]));
        let day = Timestamp::parse("2026-01-31");
        assert_eq!(read("fs:2026-01-31+"), Ok(vec![Condition::First(day, None)]));
        assert_eq!(read("ls:2026-01-31-"), Ok(vec![Condition::Last(None, day)]));
        assert!(read("engines:5+").unwrap_err().contains("entity, name, tag"));
        for text in ["", "fs:soon", "entity:cat"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
