//! Version 2 of the wider API (docs/contract/wider.md §8): the same files, URLs, comments and inventory, in flat bodies
//! with `response_code` and
//! `verbose_msg`. What is not known is a success with the code 0, what cannot be a name of anything one with -1.

pub(crate) mod comments;
pub(crate) mod files;
pub(crate) mod objects;
pub(crate) mod search;
pub(crate) mod urls;

use crate::call::Call;
use crate::query::{Written, query};
use ambit_api::objects::{Object, Seconds, value};
use ambit_api::v2::{Without, stamp};
use ambit_api::{ApiError, Result};
use ambit_model::object::ObjectType;
use serde_json::Value;

/// Items of one call at most.
const LIST_MAX: usize = 25;

query! { OneFile: hash: Text = "MD5, SHA-1 or SHA-256." }

/// One item is an object, several are a list in the order in which they were asked for.
fn answer(mut items: Vec<Value>) -> Value {
    match items.len() {
        1 => items.remove(0),
        _ => Value::Array(items),
    }
}

/// An answer about something that is not there, or is nothing.
fn without(code: i64, resource: &str, message: &str) -> Value {
    value(&Without::new(code, resource, message))
}

/// A parameter that must be there.
fn required(written: Written<'_>) -> Result<&str> {
    let value = written.text.map(str::trim).filter(|value| !value.is_empty());
    value.ok_or_else(|| needed(written.name))
}

fn needed(name: &str) -> ApiError {
    ApiError::bad(format!("The parameter {name} is needed"))
}

/// At least one item and not too many.
fn bounded(items: Vec<String>, name: &str) -> Result<Vec<String>> {
    match items.len() {
        0 => Err(needed(name)),
        1..=LIST_MAX => Ok(items),
        _ => Err(ApiError::bad(format!("{name} names more than {LIST_MAX} items"))),
    }
}

/// Where people look at a file or URL in the web interface: what clients show them must not need a key.
fn permalink(call: &Call, kind: ObjectType, id: &str) -> String {
    format!("{}/gui/{}/{id}", call.root(), kind.name())
}

/// An attribute that is a moment, as `YYYY-MM-DD HH:MM:SS`.
fn moment(object: &Object, name: &str) -> Option<String> {
    object.attribute(name)?.as_i64().map(|seconds| stamp(Seconds(seconds)))
}

/// An attribute that is a text.
fn text(object: &Object, name: &str) -> String {
    object.attribute(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
