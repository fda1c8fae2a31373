//! Rows with named columns out of JSON objects: which members, as JSON lines, as CSV, or as text.

use crate::failure::{Failure, Result};
use crate::output::{Results, plain};
use ambit_api::csv;
use ambit_api::shape::Shape;
use serde_json::{Map, Value};

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Jsonl,
    Csv,
}

/// The value at a dotted path; null where a member is missing.
pub(crate) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').try_fold(value, |value, part| value.get(part)).unwrap_or(&Value::Null)
}

/// Refuses a path that no row can have, and names those that it may have at that place.
pub(crate) fn check(fields: &[String], shape: &'static Shape) -> Result<()> {
    for field in fields {
        let mut shape = shape;
        for part in field.split('.') {
            shape = step(shape, part).map_err(|known| {
                let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                Failure::usage(format!("--fields {:?}: no member {part:?}; there are {known}", plain(field)))
            })?;
        }
    }
    Ok(())
}

fn step(shape: &'static Shape, part: &str) -> Result<&'static Shape, Vec<&'static str>> {
    match shape {
        Shape::OrNull(inner) => step(inner, part),
        Shape::Map(item) => Ok(item),
        Shape::Any => Ok(shape),
        Shape::Object(object) => {
            let found = object.members.iter().find(|member| member.name == part);
            match found {
                Some(member) => Ok(member.shape),
                None if object.open => Ok(ambit_api::shape::ANY),
                None => Err(object.members.iter().map(|member| member.name).collect()),
            }
        }
        _ => Err(Vec::new()),
    }
}

/// Prints rows of the same columns.
pub(crate) struct Rows<'a> {
    pub(crate) form: Form,
    /// Empty: whole objects as JSON lines, the noun's usual columns as CSV, its usual line as text.
    pub(crate) fields: &'a [String],
    /// The columns of CSV where no fields are wanted.
    pub(crate) usual: &'static [&'static str],
    /// The line of a text row where no fields are wanted.
    pub(crate) line: fn(&Value) -> String,
    /// The member `record` of JSON lines.
    pub(crate) record: &'static str,
}

impl Rows<'_> {
    fn columns(&self) -> Vec<&str> {
        match self.fields {
            [] => self.usual.to_vec(),
            fields => fields.iter().map(String::as_str).collect(),
        }
    }

    /// The head of a CSV file.
    pub(crate) fn begin(&self, results: &mut Results) -> Result<()> {
        match self.form {
            Form::Csv => results.line(&self.columns().iter().map(|name| csv::cell(name)).collect::<Vec<_>>().join(",")),
            Form::Text | Form::Jsonl => Ok(()),
        }
    }

    pub(crate) fn row(&self, row: &Value, results: &mut Results) -> Result<()> {
        match (self.form, self.fields) {
            (Form::Jsonl, fields) => {
                let mut object = match fields {
                    [] => row.as_object().cloned().unwrap_or_default(),
                    fields => fields.iter().map(|field| (field.clone(), at(row, field).clone())).collect::<Map<_, _>>(),
                };
                object.insert("record".to_owned(), self.record.into());
                results.json(&Value::Object(object))
            }
            (Form::Csv, _) => {
                let cells: Vec<String> = self.columns().iter().map(|field| cell(at(row, field))).collect();
                results.line(&cells.join(","))
            }
            (Form::Text, []) => results.line(&(self.line)(row)),
            (Form::Text, fields) => {
                let cells: Vec<String> = fields.iter().map(|field| shown(row, field)).collect();
                results.line(&cells.join("\t"))
            }
        }
    }
}

/// The member at a path as words, escaped where it came from outside.
pub(crate) fn shown(value: &Value, path: &str) -> String {
    plain(&text(at(value, path)))
}

/// The items of a list; none of what is not one.
pub(crate) fn items(list: &Value) -> impl Iterator<Item = &Value> + Clone {
    list.as_array().into_iter().flatten()
}

/// A value as words: lists by commas, nothing for null, objects as JSON.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// One cell: control characters as visible escapes, so that a row is a line; what a spreadsheet would calculate is made
/// text.
fn cell(value: &Value) -> String {
    let plain = plain(&match value {
        Value::Array(items) => csv::list(items.iter().map(text).collect::<Vec<_>>().iter().map(String::as_str)),
        value => text(value),
    });
    if value.is_number() { csv::quoted(plain) } else { csv::cell(&plain) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_quoted_and_never_calculated() {
        for (value, expected) in [
            (json!("plain"), "plain"),
            (json!("a,b \"c\""), "\"a,b \"\"c\"\"\""),
            (json!("=HYPERLINK(\"http://evil\")"), "\"'=HYPERLINK(\"\"http://evil\"\")\""),
            (json!("+1"), "'+1"),
            (json!("-1"), "'-1"),
            (json!("@x"), "'@x"),
            (json!(-1), "-1"),
            (json!("two\nlines"), "two\\u{a}lines"),
            (json!(["=a", "b"]), "\"'=a, b\""),
            (json!(["front office", "a,b"]), "\"front office, \"\"a,b\"\"\""),
            (json!(null), ""),
            (json!({"a": 1}), "\"{\"\"a\"\":1}\""),
        ] {
            assert_eq!(cell(&value), expected, "{value}");
        }
    }

    #[test]
    fn a_field_that_no_hit_has_is_named_with_those_that_it_has() {
        let shape = <ambit_api::entities::EntityHit as ambit_api::Contract>::SHAPE;
        for good in ["name", "summary.http.title", "summary.issues.current_by_severity.1"] {
            assert_eq!(check(&[good.to_owned()], shape), Ok(()), "{good}");
        }
        for (bad, word) in [("nam", "dynamic_id"), ("summary.htp", "http"), ("name.x", "nothing")] {
            let failure = check(&[bad.to_owned()], shape).expect_err("is refused");
            assert_eq!(failure.code, crate::failure::USAGE);
            assert!(failure.to_string().contains(word), "{failure}");
        }
    }
}
