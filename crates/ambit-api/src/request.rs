//! Bodies of requests: structs that serde reads, member by member, with types that say what a person may write. An
//! error names the member and what is expected of it.

use crate::ApiError;
use crate::contract::Contract;
use crate::shape::Shape;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;
use uuid::Uuid;

/// Characters of a name, or of another short text that people give.
pub const TEXT_CHARS_MAX: usize = 200;

/// Reads a body. A blank text counts as missing where its member may be missing. Fails with 400 that names the member.
pub fn read<T: Contract + DeserializeOwned>(mut object: Map<String, Value>) -> Result<T, ApiError> {
    let is_blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    for member in T::SHAPE.members().iter().filter(|member| !member.required && member.shape.is_text()) {
        if object.get(member.name).is_some_and(is_blank) {
            object.remove(member.name);
        }
    }
    let body = Value::Object(object);
    if let Some((name, expectation)) = list_for_object(T::SHAPE, &body, "") {
        return Err(ApiError::invalid(format!("{name} must be {expectation}")));
    }
    serde_path_to_error::deserialize(body).map_err(|error| refusal(T::SHAPE, &error))
}

/// The first member that is a list where an object is expected, and what is expected: serde would take the items of the
/// list for the members of the object, in their order.
fn list_for_object(shape: &Shape, value: &Value, name: &'static str) -> Option<(&'static str, &'static str)> {
    match (shape, value) {
        (Shape::OrNull(inner), _) => list_for_object(inner, value, name),
        (Shape::Object(_), Value::Array(_)) => Some((name, shape.expectation())),
        (Shape::Object(object), Value::Object(values)) => {
            object.members.iter().find_map(|one| list_for_object(one.shape, values.get(one.name)?, one.name))
        }
        (Shape::List(inner), Value::Array(items)) => items.iter().find_map(|item| match (*inner, item) {
            (Shape::Object(_), Value::Array(_)) => Some((name, shape.expectation())),
            _ => list_for_object(inner, item, name),
        }),
        _ => None,
    }
}

/// What is wrong with a body: the member, and in the words of its shape what is expected where serde would name types
/// of this program.
fn refusal(shape: &Shape, error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let said = error.inner().to_string();
    let names = error.path().iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.as_str()),
        _ => None,
    });
    let (name, shape) = names.fold(("", shape), |(_, shape), name| (name, shape.member(name)));
    ApiError::invalid(
        if let Some(missing) = said.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
            match shape.member(missing) {
                shape if shape.is_text() => format!("{missing} is missing"),
                shape => format!("{missing} must be {}", shape.expectation()),
            }
        } else if said.starts_with("invalid ") {
            format!("{name} must be {}", shape.expectation())
        } else if said.starts_with(':') {
            format!("{name}{said}")
        } else {
            format!("{name} {said}")
        },
    )
}

/// Texts as people give them: not blank, at most `MAX` characters, without NUL. White space around them is taken off.
macro_rules! texts {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        pub struct $name<const MAX: usize = TEXT_CHARS_MAX>(pub String);

        impl<const MAX: usize> Contract for $name<MAX> {
            const SHAPE: &'static Shape = &Shape::$name;
        }

        impl<'de, const MAX: usize> Deserialize<'de> for $name<MAX> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                checked(text.trim(), MAX).map(Self).map_err(Error::custom)
            }
        }
    )*};
}

texts! {
    /// Any text.
    Text,
    /// A display name.
    Name,
    Email,
    /// `YYYY-MM-DD`.
    Day,
    /// A day or a moment, which its reader parses.
    When,
}

/// A list of addresses with at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses(pub Vec<String>);

impl Contract for Addresses {
    const SHAPE: &'static Shape = Vec::<Email>::SHAPE;
}

impl<'de> Deserialize<'de> for Addresses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Texts::deserialize(deserializer).map(|texts| Self(texts.0))
    }
}

/// A uuid, as text in any of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UuidText(pub Uuid);

impl Contract for UuidText {
    const SHAPE: &'static Shape = &Shape::Uuid;
}

impl<'de> Deserialize<'de> for UuidText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = <Text>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| Error::custom("must be a uuid"))
    }
}

/// A whole number from 0, within what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub i64);

impl Contract for Count {
    const SHAPE: &'static Shape = &Shape::Count;
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let wanted = || Error::invalid_value(serde::de::Unexpected::Signed(number), &Self::SHAPE.expectation());
        (number >= 0).then_some(Self(number)).ok_or_else(wanted)
    }
}

fn checked(text: &str, chars_max: usize) -> Result<String, String> {
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.chars().count() > chars_max {
        return Err(format!("is longer than {chars_max} characters"));
    }
    if text.contains('\0') {
        return Err("has a NUL character".to_owned());
    }
    Ok(text.to_owned())
}

/// A list of texts with at least one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl Contract for Texts {
    const SHAPE: &'static Shape = Vec::<String>::SHAPE;
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = Vec::deserialize(deserializer)?;
        match texts.is_empty() {
            true => Err(Error::invalid_length(0, &"at least one text")),
            false => Ok(Self(texts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Maybe, contract};
    use serde_json::json;

    contract! {
        #[derive(Debug, Deserialize)]
        struct Wish {
            name: Name<5>,
            label: Maybe<Text>,
            loud: Maybe<bool>,
            ids: Maybe<Texts>,
            inner: Maybe<Inner>,
            inners: Maybe<Vec<Inner>>,
        }

        #[derive(Debug, Deserialize)]
        struct Inner as "" {
            count: i64,
        }
    }

    fn said(body: Value) -> Result<Wish, String> {
        read(body.as_object().cloned().unwrap_or_default()).map_err(|error| error.message)
    }

    #[test]
    fn a_body_is_read_member_by_member() {
        let wish = said(json!({"name": " Acme ", "label": " ", "loud": null, "more": 1})).unwrap();
        assert_eq!((wish.name, wish.label, wish.loud), (Name("Acme".to_owned()), Maybe(None), Maybe(None)));
        let wish = said(json!({"name": "a", "inners": [{"count": 1}]})).unwrap();
        assert_eq!(wish.inners.0.map(|inners| inners.len()), Some(1));
        let wish = said(json!({"name": "a", "ids": ["x"], "inner": {"count": 2}})).unwrap();
        assert_eq!((wish.ids.0, wish.inner.0.map(|inner| inner.count)), (Some(Texts(vec!["x".to_owned()])), Some(2)));
    }

    #[test]
    fn an_error_names_the_member_and_what_is_expected() {
        for (body, message) in [
            (json!({}), "name is missing"),
            (json!({"name": 1}), "name must be text"),
            (json!({"name": "  "}), "name is empty"),
            (json!({"name": "Acmeee"}), "name is longer than 5 characters"),
            (json!({"name": "a\0b"}), "name has a NUL character"),
            (json!({"name": "a", "loud": "yes"}), "loud must be true or false"),
            (json!({"name": "a", "ids": []}), "ids must be a list of texts, at least one"),
            (json!({"name": "a", "ids": ["x", 1]}), "ids must be a list of texts, at least one"),
            (json!({"name": "a", "inner": 1}), "inner must be an object"),
            (json!({"name": "a", "inner": [2]}), "inner must be an object"),
            (json!({"name": "a", "inners": [[2]]}), "inners must be a list of objects"),
            (json!({"name": "a", "inner": {}}), "count must be a whole number"),
            (json!({"name": "a", "inner": {"count": 1.5}}), "count must be a whole number"),
        ] {
            assert_eq!(said(body.clone()).unwrap_err(), message, "{body}");
        }
    }
}
