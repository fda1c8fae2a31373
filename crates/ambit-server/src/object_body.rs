//! Bodies of the wider API: what their `data` holds (docs/contract/wider.md §1.3).

use crate::call::Call;
use ambit_api::ApiError;
use serde_json::{Map, Value};

/// The `data` of a body.
pub(crate) fn body_data(call: &Call) -> Result<Value, ApiError> {
    let mut body: Value =
        serde_json::from_slice(&call.body).map_err(|error| ApiError::bad(format!("The body is not JSON: {error}")))?;
    match body.as_object_mut().and_then(|body| body.remove("data")) {
        Some(data) => Ok(data),
        None => Err(ApiError::bad("The body must be an object with the member data")),
    }
}

/// The attributes of the object in a body. Its type and id may be left out; what contradicts the address is refused
/// (docs/contract/wider.md §1.3).
pub(crate) fn body_attributes(
    call: &Call,
    kind: &str,
    id: Option<&str>,
) -> Result<serde_json::Map<String, Value>, ApiError> {
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

/// What of a list of descriptors in a body is of which type.
pub(crate) fn body_descriptors(call: &Call) -> Result<Vec<(String, String)>, ApiError> {
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
pub(crate) fn text_of<'a>(attributes: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, ApiError> {
    match attributes.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::invalid(format!("The attribute {name} must be a text"))),
    }
}
