//! Shapes: what is documented of the values of a type. From a shape come the JSON Schema of the documentation, an
//! example, the words in which a wrong member of a request is refused, and the check that tests run over real answers.
//! The types themselves have them from `contract.rs`.

use ambit_model::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    Null,
    Text,
    Uuid,
    /// 64 hexadecimal characters.
    Uid,
    /// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    Moment,
    /// `YYYY-MM-DD`.
    Day,
    /// A day or a moment, as people write them.
    When,
    /// What people call a thing: 1 to 200 characters.
    Name,
    Email,
    /// A whole number from 0.
    Count,
    Integer,
    Number,
    Boolean,
    /// Any value that its owner stored.
    Any,
    /// A word out of a list.
    OneOf(fn() -> Vec<&'static str>),
    List(&'static Shape),
    /// An object with members of any name, all of one shape.
    Map(&'static Shape),
    Object(&'static Object),
    OrNull(&'static Shape),
}

/// An object with its members.
#[derive(Debug)]
pub struct Object {
    /// Its name among the schemas of the documentation; `""`: written where it is used.
    pub name: &'static str,
    pub members: &'static [Member],
    /// Members beyond the table are allowed.
    pub open: bool,
}

/// One member of an object.
#[derive(Debug)]
pub struct Member {
    pub name: &'static str,
    pub shape: &'static Shape,
    pub required: bool,
}

/// The shape of null.
pub const NULL: &Shape = &Shape::Null;
/// The shape of any text.
pub const TEXT: &Shape = &Shape::Text;
/// The shape of a value of any kind.
pub const ANY: &Shape = &Shape::Any;

impl Shape {
    /// Where `value` differs from this shape, one line each, with the path of the member. Empty: it does not.
    pub fn differences(&self, value: &Value) -> Vec<String> {
        let mut out = Vec::new();
        self.compare(value, "$", &mut out);
        out
    }

    fn compare(&self, value: &Value, path: &str, out: &mut Vec<String>) {
        let fits = match self {
            Self::Null => value.is_null(),
            Self::Text => value.is_string(),
            Self::Uuid => value.as_str().is_some_and(|text| Uuid::parse_str(text).is_ok()),
            Self::Uid => value.as_str().is_some_and(|text| text.parse::<ambit_model::Uid>().is_ok()),
            Self::Moment => value.as_str().is_some_and(is_moment),
            Self::Day => value.as_str().is_some_and(|text| text.len() == 10 && Timestamp::parse(text).is_some()),
            Self::When => value.as_str().is_some_and(|text| Timestamp::parse(text).is_some()),
            Self::Name => value.as_str().is_some_and(|text| (1..=200).contains(&text.chars().count())),
            Self::Email => value.as_str().is_some_and(|text| text.contains('@')),
            Self::Count => value.is_u64(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Any => true,
            Self::OneOf(words) => value.as_str().is_some_and(|text| words().contains(&text)),
            Self::List(item) => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    item.compare(value, &format!("{path}[{index}]"), out);
                }
                value.is_array()
            }
            Self::Map(item) => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    item.compare(value, &format!("{path}.{name}"), out);
                }
                value.is_object()
            }
            Self::Object(object) => {
                if let Some(members) = value.as_object() {
                    object.compare(members, path, out);
                }
                value.is_object()
            }
            Self::OrNull(inner) => {
                if !value.is_null() {
                    inner.compare(value, path, out);
                }
                true
            }
        };
        if !fits {
            out.push(format!("{path}: expected {}, found {}", self.word(), excerpt(value)));
        }
    }

    /// The members of an object; none of anything else.
    pub fn members(&self) -> &'static [Member] {
        match self {
            Self::Object(object) => object.members,
            _ => &[],
        }
    }

    /// The names of an object's members; none of anything else.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.members().iter().map(|member| member.name)
    }

    /// The shape of a member of an object, or of the objects of a list; of a member that is not documented, anything.
    pub fn member(&self, name: &str) -> &'static Shape {
        match self {
            Self::List(inner) | Self::OrNull(inner) => inner.member(name),
            _ => self.members().iter().find(|member| member.name == name).map_or(ANY, |member| member.shape),
        }
    }

    /// True where every value is a text.
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Self::OrNull(inner) => inner.is_text(),
            Self::Text
            | Self::Uuid
            | Self::Uid
            | Self::Moment
            | Self::Day
            | Self::When
            | Self::Name
            | Self::Email
            | Self::OneOf(_) => true,
            Self::Null | Self::Count | Self::Integer | Self::Number | Self::Boolean | Self::Any => false,
            Self::List(_) | Self::Map(_) | Self::Object(_) => false,
        }
    }

    /// What a person must write here, behind "must be".
    pub(crate) fn expectation(&self) -> &'static str {
        match self {
            Self::OrNull(inner) => inner.expectation(),
            Self::Boolean => "true or false",
            Self::Count => "a whole number from 0",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::List(Self::Email) => "a list of addresses",
            Self::List(Self::Object(_)) => "a list of objects",
            Self::List(_) => "a list of texts, at least one",
            Self::Map(_) | Self::Object(_) => "an object",
            Self::Null => "null",
            Self::Any => "another value",
            _ => "text",
        }
    }

    fn word(&self) -> String {
        match self {
            Self::OneOf(words) => format!("one of {}", words().join(", ")),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) | Self::Object(_) => "an object".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    /// The JSON Schema (2020-12, as OpenAPI 3.1 reads it). Named objects are referred to, and collected in `named`.
    pub fn schema(&self, named: &mut Map<String, Value>) -> Value {
        match self {
            Self::Null => json!({"type": "null"}),
            Self::Text => json!({"type": "string"}),
            Self::Uuid => json!({"type": "string", "format": "uuid"}),
            Self::Uid => json!({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
            Self::Moment => json!({"type": "string", "format": "date-time"}),
            Self::Day => json!({"type": "string", "format": "date"}),
            Self::When => json!({"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}),
            Self::Name => json!({"type": "string", "minLength": 1, "maxLength": 200}),
            Self::Email => json!({"type": "string", "format": "email"}),
            Self::Count => json!({"type": "integer", "format": "int64", "minimum": 0}),
            Self::Integer => json!({"type": "integer", "format": "int64"}),
            Self::Number => json!({"type": "number"}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::Any => json!({}),
            Self::OneOf(words) => json!({"type": "string", "enum": words()}),
            Self::List(item) => json!({"type": "array", "items": item.schema(named)}),
            Self::Map(item) => json!({"type": "object", "additionalProperties": item.schema(named)}),
            Self::Object(object) => object.schema(named),
            Self::OrNull(inner) => json!({"anyOf": [inner.schema(named), {"type": "null"}]}),
        }
    }

    /// A value of this shape, for the documentation.
    pub fn example(&self) -> Value {
        match self {
            Self::Null | Self::Any => Value::Null,
            Self::Text => json!("text"),
            Self::Uuid => json!("3f1c2d7e-8a5b-4c6d-9e0f-a1b2c3d4e5f6"),
            Self::Uid => json!("00".repeat(32)),
            Self::Moment => json!("2026-01-31T12:00:00.000Z"),
            Self::Day | Self::When => json!("2026-01-31"),
            Self::Name => json!("acme.example"),
            Self::Email => json!("ann@acme.example"),
            Self::Count => json!(1),
            Self::Integer => json!(1),
            Self::Number => json!(0.5),
            Self::Boolean => json!(true),
            Self::OneOf(words) => json!(words().first()),
            Self::List(item) => json!([item.example()]),
            Self::Map(item) => json!({"1": item.example()}),
            Self::Object(object) => object
                .members
                .iter()
                .map(|member| (member.name.to_owned(), member.shape.example()))
                .collect::<Map<_, _>>()
                .into(),
            Self::OrNull(inner) => inner.example(),
        }
    }
}

impl Object {
    fn compare(&self, members: &Map<String, Value>, path: &str, out: &mut Vec<String>) {
        for member in self.members {
            match members.get(member.name) {
                Some(value) => member.shape.compare(value, &format!("{path}.{}", member.name), out),
                None if member.required => out.push(format!("{path}.{}: missing", member.name)),
                None => {}
            }
        }
        let unknown = members.keys().filter(|name| !self.members.iter().any(|member| member.name == *name));
        out.extend(
            unknown.filter(|_| !self.open).map(|name| format!("{path}.{name}: not in the table of {}", self.name)),
        );
    }

    fn schema(&self, named: &mut Map<String, Value>) -> Value {
        if !self.name.is_empty() && named.contains_key(self.name) {
            return reference(self.name);
        }
        if !self.name.is_empty() {
            // Claimed before the members are walked: an object that is used inside itself is found here.
            named.insert(self.name.to_owned(), Value::Null);
        }
        let properties: Map<String, Value> =
            self.members.iter().map(|member| (member.name.to_owned(), member.shape.schema(named))).collect();
        let required: Vec<&str> =
            self.members.iter().filter(|member| member.required).map(|member| member.name).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        if self.name.is_empty() {
            return schema;
        }
        named.insert(self.name.to_owned(), schema);
        reference(self.name)
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn is_moment(text: &str) -> bool {
    text.len() == 24
        && text.as_bytes()[19] == b'.'
        && Timestamp::parse(text).is_some_and(|moment| moment.to_string() == text)
}

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Contract, Maybe, contract};

    contract! {
        /// A point.
        #[derive(serde::Serialize)]
        struct Point {
            x: i64,
            when: Maybe<Option<Timestamp>>,
        }
    }

    #[test]
    fn differences_name_the_member() {
        let shape = Vec::<Point>::SHAPE;
        assert_eq!(shape.differences(&json!([{"x": 1}, {"x": 2, "when": null}])), Vec::<String>::new());
        assert_eq!(
            shape.differences(&json!([{"when": "2026-01-31"}, {"x": "1", "y": 2}, 3])),
            [
                "$[0].x: missing",
                "$[0].when: expected moment, found \"2026-01-31\"",
                "$[1].x: expected integer, found \"1\"",
                "$[1].y: not in the table of Point",
                "$[2]: expected an object, found 3",
            ]
        );
    }

    #[test]
    fn examples_fit_their_shape_and_schemas_are_collected_by_name() {
        let shape = Vec::<Point>::SHAPE;
        assert_eq!(shape.differences(&shape.example()), Vec::<String>::new());
        let mut named = Map::new();
        assert_eq!(shape.schema(&mut named), json!({"type": "array", "items": {"$ref": "#/components/schemas/Point"}}));
        assert_eq!(named["Point"]["required"], json!(["x"]));
        assert_eq!(json!(Point { x: 1, when: Maybe(None) }), json!({"x": 1}));
    }
}
