//! A part of an answer that a test expects: members that it does not name are not looked at. `~text`, `~integer`,
//! `~uid`, `~uuid`, `~moment` and `~any` stand for any such value, and `~more` at the end of a list for any
//! further items.

use ambit_api::Shape;
use serde_json::Value;

/// At the end of a list: others may follow.
const MORE: &str = "~more";
/// Longest text of a value that a difference repeats, in characters.
const SHOWN_CHARS_MAX: usize = 300;

/// Returns where an answer lacks what is expected of it, each place with both values; empty where it has all.
pub(crate) fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    differences_at(expected, actual, "$")
}

fn differences_at(expected: &Value, actual: &Value, path: &str) -> Vec<String> {
    match (expected, actual) {
        (Value::Object(members), Value::Object(found)) => members
            .iter()
            .flat_map(|(name, value)| {
                differences_at(value, found.get(name).unwrap_or(&Value::Null), &format!("{path}.{name}"))
            })
            .collect(),
        (Value::Array(items), Value::Array(found)) => list_differences(items, found, path),
        (Value::String(text), _) if text.starts_with('~') => {
            let shape = match text.as_str() {
                "~text" => &Shape::Text,
                "~integer" => &Shape::Integer,
                "~uid" => &Shape::Uid,
                "~uuid" => &Shape::Uuid,
                "~moment" => &Shape::Moment,
                "~any" => return Vec::new(),
                _ => return vec![format!("{path}: {text} is no placeholder")],
            };
            shape.differences(actual).into_iter().map(|difference| format!("{path}{}", &difference[1..])).collect()
        }
        (expected, actual) if expected == actual => Vec::new(),
        (expected, actual) => vec![format!("{path}: expected {expected}, found {}", shown(actual))],
    }
}

fn list_differences(items: &[Value], found: &[Value], path: &str) -> Vec<String> {
    let (items, open) = match items.split_last() {
        Some((last, before)) if last == MORE => (before, true),
        _ => (items, false),
    };
    if found.len() < items.len() || found.len() > items.len() && !open {
        let least = if open { "at least " } else { "" };
        let list = shown(&Value::from(found));
        return vec![format!("{path}: expected {least}{} items, found {}: {list}", items.len(), found.len())];
    }
    let pairs = items.iter().zip(found).enumerate();
    pairs.flat_map(|(index, (item, value))| differences_at(item, value, &format!("{path}[{index}]"))).collect()
}

/// A value as a difference names it: its beginning, where it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn parts_are_compared_and_placeholders_stand_for_values() {
        let actual = json!({"a": 1, "b": [{"c": "x", "d": 2}], "at": "2026-01-31T00:00:00.000Z"});
        let differences = |expected: Value| super::differences(&expected, &actual);
        assert!(differences(json!({"a": "~integer", "b": [{"c": "x"}], "at": "~moment"})).is_empty());
        assert_eq!(differences(json!({"a": 2})), ["$.a: expected 2, found 1"]);
        assert_eq!(differences(json!({"b": []})), ["$.b: expected 0 items, found 1: [{\"c\":\"x\",\"d\":2}]"]);
        assert!(differences(json!({"b": ["~more"]})).is_empty());
        assert!(differences(json!({"b": [{"d": 2}, "~more"]})).is_empty());
        assert_eq!(differences(json!({"b": [{"d": 3}, "~more"]})), ["$.b[0].d: expected 3, found 2"]);
        assert_eq!(differences(json!({"b": ["~any", {"d": 2}, "~more"]})).len(), 1, "too few");
        assert_eq!(differences(json!({"a": "~number"})), ["$.a: ~number is no placeholder"]);
        assert_eq!(differences(json!({"b": [{"c": "~integer"}]})), ["$.b[0].c: expected integer, found \"x\""]);
        assert_eq!(differences(json!({"missing": "~text"})).len(), 1);
    }
}
