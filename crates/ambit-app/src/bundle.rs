//! XML as an Android App Bundle has it: the same document, as messages of protobuf.

use crate::bytes::varint;
use crate::element::{Builder, Element};
use crate::error::AppError;
use crate::value::Value;

/// Attributes of one element. Real ones have some dozens.
const ATTRIBUTES_MAX: usize = 10_000;

/// A field of a message: its number, and its bytes where it has a length.
fn field(bytes: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (key, rest) = varint(bytes)?;
    let (length, skip) = match key & 7 {
        0 => return varint(rest).map(|(_, after)| (key >> 3, &rest[..0], after)),
        1 => (8, 0),
        5 => (4, 0),
        2 => {
            let (length, after) = varint(rest)?;
            (usize::try_from(length).ok()?, rest.len() - after.len())
        }
        _ => return None,
    };
    let value = rest.get(skip..skip.checked_add(length)?)?;
    Some((key >> 3, value, &rest[skip + length..]))
}

/// The fields of a message that have a length.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let (number, value, after) = field(bytes)?;
        bytes = after;
        Some((number, value))
    })
}

/// Reads a document.
///
/// # Errors
/// It has no element, or is larger than any real one.
pub(crate) fn document(bytes: &[u8]) -> Result<Element, AppError> {
    let mut builder = Builder::default();
    node(bytes, &mut builder)?;
    builder.root()
}

/// Reads a node: an element (1) or a text (2).
fn node(bytes: &[u8], builder: &mut Builder) -> Result<(), AppError> {
    for (number, value) in fields(bytes) {
        match number {
            1 => element(value, builder)?,
            2 => builder.text(&String::from_utf8_lossy(value))?,
            _ => (),
        }
    }
    Ok(())
}

/// Reads an element: its name (3), attributes (4) and children (5).
fn element(bytes: &[u8], builder: &mut Builder) -> Result<(), AppError> {
    let mut start = Element::default();
    for (number, value) in fields(bytes) {
        match number {
            3 => start.name = String::from_utf8_lossy(value).into_owned(),
            4 if start.attributes.len() == ATTRIBUTES_MAX => {
                return Err(AppError::TooLarge("an element with more attributes than any real one".into()));
            }
            4 => {
                let (name, value) = attribute(value);
                builder.attribute(&mut start, name, value)?;
            }
            _ => (),
        }
    }
    builder.start(start)?;
    for (_, child) in fields(bytes).filter(|(number, _)| *number == 5) {
        node(child, builder)?;
    }
    builder.end();
    Ok(())
}

/// Reads an attribute: its name (2) and what it says (3). Numbers and flags are texts here.
fn attribute(bytes: &[u8]) -> (String, Value) {
    let text = |wanted: u64| {
        let value = fields(bytes).find(|(number, _)| *number == wanted).map_or(&[][..], |(_, value)| value);
        String::from_utf8_lossy(value).into_owned()
    };
    (text(2), Value::Text(text(3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_of_a_bundle_has_no_more_attributes_than_any_real_one() {
        let read = |count: usize| {
            let attributes = [0x22, 0x00].repeat(count);
            let length = u32::try_from(attributes.len()).unwrap();
            let varint = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
            let varint = varint.map(|part| u8::try_from(part).unwrap());
            document(&[&[0x0a][..], &varint, &attributes].concat()).map(|element| element.attributes.len())
        };
        assert_eq!(read(ATTRIBUTES_MAX), Ok(ATTRIBUTES_MAX));
        let why = "an element with more attributes than any real one";
        assert_eq!(read(ATTRIBUTES_MAX + 1), Err(AppError::TooLarge(why.into())));
    }
}
