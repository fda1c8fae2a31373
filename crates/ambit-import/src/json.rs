//! JSON as tools write it: an object a line, a list, or a list with a comma too many.

use crate::error::{ImportError, Result};
use ambit_model::Timestamp;
use serde_json::{Map, Value};

/// A number of seconds above this is one of milliseconds: the year 5138.
const SECONDS_MAX: f64 = 1e11;

pub(crate) type Object = Map<String, Value>;

/// Calls `each` with every object and the line in which it begins (1 for all of a list in one piece).
pub(crate) fn each_object(text: &str, tool: &str, mut each: impl FnMut(&Object) -> Result<(), String>) -> Result<()> {
    let mut take = |line: usize, value: &Value| match value {
        Value::Object(object) => each(object).map_err(|why| ImportError::line(line, why)),
        _ => Err(ImportError::line(line, format!("not output of {tool}: expected a JSON object"))),
    };
    if let Ok(Value::Array(values)) = serde_json::from_str(text) {
        return values.iter().try_for_each(|value| take(1, value));
    }
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(text) {
        return take(1, &value);
    }
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches(['[', ',']).trim_end_matches([']', ',']).trim();
        // A list in which each object has its own line may have its brackets on lines of their own.
        if line.is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(line)
            .map_err(|error| ImportError::line(index + 1, format!("not output of {tool}: not JSON ({error})")))?;
        take(index + 1, &value)?;
    }
    Ok(())
}

/// Reads a text that is one value, as `what` is. Fails with the place from which on it is none.
pub(crate) fn whole(text: &str, what: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error: serde_json::Error| {
        if text.trim().is_empty() {
            return ImportError::file(format!("it is empty, and {what} is JSON"));
        }
        if error.is_eof() {
            return ImportError::line(error.line(), "the JSON breaks off here");
        }
        // The error names its place once more.
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        let column = error.column();
        ImportError::line(
            error.line(),
            format!("{what} is JSON, and this is not valid JSON from column {column} on ({said})"),
        )
    })
}

/// Returns the text of a member; "" where there is none.
pub(crate) fn text<'a>(object: &'a Object, member: &str) -> &'a str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a member that must be there.
pub(crate) fn required<'a>(object: &'a Object, member: &str, tool: &str) -> Result<&'a str, String> {
    let value = object.get(member).and_then(Value::as_str);
    value.ok_or_else(|| format!("not output of {tool}: there is no {member}"))
}

/// Returns the port in a member, which may be a number, a text, or an object that has it as `Port`.
pub(crate) fn port(value: Option<&Value>) -> Option<u16> {
    match value? {
        Value::Number(number) => number.as_u64().and_then(|port| port.try_into().ok()),
        Value::String(text) => text.parse().ok(),
        Value::Object(object) => port(object.get("Port").or_else(|| object.get("port"))),
        _ => None,
    }
}

/// Returns a moment written as seconds, as text of seconds, or as RFC 3339.
pub(crate) fn moment(value: Option<&Value>) -> Option<Timestamp> {
    match value? {
        Value::Number(number) => of_seconds(number.as_f64()?),
        Value::String(text) => text.parse().ok().and_then(of_seconds).or_else(|| Timestamp::parse(text)),
        _ => None,
    }
}

/// Returns the moment so many seconds after 1970, or milliseconds where there are very many.
pub(crate) fn of_seconds(seconds: f64) -> Option<Timestamp> {
    let ms = if seconds > SECONDS_MAX { seconds } else { seconds * 1_000.0 };
    // A moment before 1970, or none: nobody saw anything then.
    #[expect(clippy::cast_possible_truncation, reason = "it is within the range of the calendar")]
    (1.0..2.5e14).contains(&ms).then_some(Timestamp(ms as i64))
}
