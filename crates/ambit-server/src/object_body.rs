//! Bodies of the wider API: what their `data` holds (docs/contract/wider.md §1.3).

use crate::call::{Call, not_json};
use ambit_api::{ApiError, Result};
use serde_json::{Map, Value};

/// Digits that every number of 64 bits may have.
const DIGITS_SURE: usize = 18;
/// Characters of a number that a refusal repeats.
const NUMBER_CHARS_SHOWN: usize = 40;

/// The `data` of a body.
pub(crate) fn body_data(call: &Call) -> Result<Value> {
    let mut body: Value = serde_json::from_slice(&call.body).map_err(|error| not_json(&error))?;
    match body.as_object_mut().and_then(|body| body.remove("data")) {
        Some(data) => Ok(data),
        None => Err(ApiError::bad("The body must be an object with the member data")),
    }
}

/// The attributes of the object in a body. Its type and id may be left out; what contradicts the address is refused
/// (docs/contract/wider.md §1.3).
pub(crate) fn body_attributes(call: &Call, kind: &str, id: Option<&str>) -> Result<serde_json::Map<String, Value>> {
    let Value::Object(mut data) = body_data(call)? else {
        return Err(ApiError::bad("The member data must be an object"));
    };
    if data.get("type").is_some_and(|said| said.as_str() != Some(kind)) {
        return Err(ApiError::bad(format!("The type must be {kind}")));
    }
    if let Some(id) = id
        && data.get("id").is_some_and(|said| said.as_str() != Some(id))
    {
        return Err(ApiError::bad("The id of the body is not that of the address"));
    }
    match data.remove("attributes") {
        Some(Value::Object(attributes)) => Ok(attributes),
        None => Ok(serde_json::Map::new()),
        Some(_) => Err(ApiError::bad("The attributes must be an object")),
    }
}

/// Refuses a body with a whole number beyond 64 bits that would lose digits, where numbers are kept as they came.
pub(crate) fn check_numbers(call: &Call) -> Result<()> {
    let Some(number) = wide_number(&call.body) else { return Ok(()) };
    let shown: String = String::from_utf8_lossy(number).chars().take(NUMBER_CHARS_SHOWN).collect();
    Err(ApiError::invalid(format!("The number {shown} has more than 64 bits and would lose digits: send it as a text")))
}

/// The first whole number of a JSON text of which neither `i64` nor `u64` nor `f64` holds all digits.
fn wide_number(json: &[u8]) -> Option<&[u8]> {
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
    let mut rest = json;
    while let Some(first) = rest.first() {
        let length = match first {
            b'"' => text_bytes(rest),
            b'-' | b'0'..=b'9' => rest.iter().take_while(|byte| is_of_number(byte)).count(),
            _ => 1,
        };
        let (token, behind) = rest.split_at(length);
        let text = std::str::from_utf8(token).unwrap_or_default();
        let is_whole = text.len() > DIGITS_SURE && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        if is_whole && text.parse::<i64>().is_err() && text.parse::<u64>().is_err() && loses_digits(text) {
            return Some(token);
        }
        rest = behind;
    }
    None
}

/// True for a whole number that has other digits once it is read as `f64` and written as short as that allows. Zeros at
/// the end do not count: JavaScript writes 1e20 with all of them.
fn loses_digits(whole: &str) -> bool {
    let nearest = format!("{:e}", whole.parse::<f64>().unwrap_or(f64::INFINITY));
    let mantissa = nearest.split('e').next().unwrap_or_default();
    let kept: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    kept != whole.trim_start_matches('-').trim_end_matches('0')
}

/// How many bytes the text has that begins here, with its quotes.
fn text_bytes(json: &[u8]) -> usize {
    let mut escaped = false;
    let ends = |byte: &u8| {
        let is_end = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_end
    };
    json[1..].iter().position(ends).map_or(json.len(), |end| end + 2)
}

/// What of a list of descriptors in a body is of which type.
pub(crate) fn body_descriptors(call: &Call) -> Result<Vec<(String, String)>> {
    let items = match body_data(call)? {
        Value::Array(items) => items,
        one @ Value::Object(_) => vec![one],
        _ => return Err(ApiError::bad("The member data must be a list of objects with type and id")),
    };
    let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    items
        .iter()
        .map(|item| {
            text(item, "type").zip(text(item, "id")).ok_or_else(|| ApiError::bad("Each object must have type and id"))
        })
        .collect()
}

/// A text among attributes.
pub(crate) fn text_of<'a>(attributes: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>> {
    match attributes.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::invalid(format!("The attribute {name} must be a text"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_that_would_lose_digits_is_found_and_nothing_else() {
        for (json, found) in [
            (r#"{"n": 18446744073709551616}"#, Some("18446744073709551616")),
            (r#"[18446744073709551617]"#, Some("18446744073709551617")),
            (r#"[{"a\"": [1, -9223372036854775809]}]"#, Some("-9223372036854775809")),
            (r#"[100000000000000000000, 18446744073709552000, -18446744073709552000]"#, None),
            (r#"[100000000000000000000, 100000000000000000001]"#, Some("100000000000000000001")),
            (r#"[18446744073709551615, -9223372036854775808, 1.5e30, 123456789012345678901.5]"#, None),
            (r#"{"18446744073709551616": "-9223372036854775809", "b": "\"18446744073709551616"}"#, None),
            ("", None),
        ] {
            let number = wide_number(json.as_bytes()).map(|number| std::str::from_utf8(number).unwrap());
            assert_eq!(number, found, "{json}");
        }
    }
}
