//! What an attribute or a resource says.

use crate::error::Result;
use crate::table::Strings;

/// What an attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(u32),
    Flag(bool),
    /// A resource, by its number.
    Resource(u32),
    /// A resource, by its kind and name: `bool/backup`, or `android:bool/backup` of the system.
    Named(String),
}

/// Returns a value by its type.
pub(crate) fn value(kind: u8, data: u32, strings: &Strings<'_>) -> Result<Value> {
    Ok(match kind {
        0x03 => Value::Text(strings.get(data as usize)?),
        0x01 | 0x07 => Value::Resource(data),
        0x12 => Value::Flag(data != 0),
        _ => Value::Number(data),
    })
}
