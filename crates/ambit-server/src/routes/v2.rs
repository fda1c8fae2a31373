//! Version 2 of the wider API (docs/contract/wider.md §8): the same files, URLs, comments and inventory, in flat bodies
//! with `response_code` and
//! `verbose_msg`. What is not known is a success with the code 0, what cannot be a name of anything one with -1.

pub(crate) mod comments;
pub(crate) mod files;
pub(crate) mod objects;
pub(crate) mod urls;

use crate::answer::Answer;
use crate::call::Call;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use serde_json::{Map, Value, json};

/// Items of one call at most.
const LIST_MAX: usize = 25;

/// One item is an object, several are a list in the order in which they were asked for.
fn answer(mut items: Vec<Value>) -> Answer {
    match items.len() {
        1 => Answer::json(&items.remove(0)),
        _ => Answer::json(&Value::Array(items)),
    }
}

/// An answer about something that is not there, or is nothing.
fn without(code: i64, resource: &str, message: &str) -> Value {
    json!({"response_code": code, "resource": resource, "verbose_msg": message})
}

/// A parameter that must be there.
fn required<'a>(call: &'a Call, name: &str) -> Result<&'a str, ApiError> {
    let value = call.query(name).map(str::trim).filter(|value| !value.is_empty());
    value.ok_or_else(|| ApiError::with(ErrorCode::BadRequest, format!("The parameter {name} is needed")))
}

/// At least one item and not too many.
fn bounded(items: Vec<String>, name: &str) -> Result<Vec<String>, ApiError> {
    match items.len() {
        0 => Err(ApiError::with(ErrorCode::BadRequest, format!("The parameter {name} is needed"))),
        1..=LIST_MAX => Ok(items),
        _ => Err(ApiError::with(ErrorCode::BadRequest, format!("{name} names more than {LIST_MAX} items"))),
    }
}

/// `YYYY-MM-DD HH:MM:SS` of a second since 1970, as an attribute has it.
fn stamp(seconds: Option<&Value>) -> Value {
    let Some(seconds) = seconds.and_then(Value::as_i64) else {
        return Value::Null;
    };
    let text = Timestamp(seconds.saturating_mul(SECOND_MS)).to_string();
    json!(format!("{} {}", &text[..10], &text[11..19]))
}

/// What engines said: how many found something, how many looked, and each.
fn verdicts(attributes: &Value) -> Map<String, Value> {
    let detected = |category: &Value| ["malicious", "suspicious"].iter().any(|name| category == name);
    let results = attributes["last_analysis_results"].as_object().cloned().unwrap_or_default();
    let scans: Map<String, Value> = results
        .into_iter()
        .map(|(engine, result)| {
            let shown = json!({
                "detected": detected(&result["category"]),
                "version": result["engine_version"],
                "result": result["result"],
                "update": result["engine_update"],
            });
            (engine, shown)
        })
        .collect();
    let positives = scans.values().filter(|scan| scan["detected"] == json!(true)).count();
    Map::from_iter([
        ("positives".to_owned(), json!(positives)),
        ("total".to_owned(), json!(scans.len())),
        ("scans".to_owned(), Value::Object(scans)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_said_is_counted() {
        let attributes = json!({"last_analysis_results": {
            "one": {"category": "malicious", "engine_version": "1", "result": "bad", "engine_update": "20260131"},
            "two": {"category": "undetected", "engine_version": "2", "result": null, "engine_update": "20260131"},
        }});
        let found = verdicts(&attributes);
        assert_eq!((&found["positives"], &found["total"]), (&json!(1), &json!(2)));
        assert_eq!(
            found["scans"]["one"],
            json!({"detected": true, "version": "1", "result": "bad", "update": "20260131"})
        );
        assert_eq!(verdicts(&json!({}))["total"], json!(0));
    }

    #[test]
    fn moments_are_written_without_a_zone() {
        assert_eq!(stamp(Some(&json!(1_769_860_800))), json!("2026-01-31 12:00:00"));
        assert_eq!(stamp(None), Value::Null);
    }
}
