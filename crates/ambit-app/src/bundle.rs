//! What an Android App Bundle has as messages of protobuf: XML documents, and the table of resources.

use crate::bytes::varint;
use crate::element::{Builder, Element};
use crate::error::{AppError, Result};
use crate::resources::Resources;
use crate::value::Value;

/// Attributes of one element. Real ones have some dozens.
const ATTRIBUTES_MAX: usize = 10_000;

/// What a field of a message has: a number, or bytes.
#[derive(Clone, Copy)]
enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// A field of a message, its number and content, and what follows.
fn field(bytes: &[u8]) -> Option<(u64, Content<'_>, &[u8])> {
    let (key, rest) = varint(bytes)?;
    let (length, skip) = match key & 7 {
        0 => return varint(rest).map(|(number, after)| (key >> 3, Content::Number(number), after)),
        1 => (8, 0),
        5 => (4, 0),
        2 => {
            let (length, after) = varint(rest)?;
            (usize::try_from(length).ok()?, rest.len() - after.len())
        }
        _ => return None,
    };
    let value = rest.get(skip..skip.checked_add(length)?)?;
    Some((key >> 3, Content::Bytes(value), &rest[skip + length..]))
}

fn contents(mut bytes: &[u8]) -> impl Iterator<Item = (u64, Content<'_>)> {
    std::iter::from_fn(move || {
        let (number, content, after) = field(bytes)?;
        bytes = after;
        Some((number, content))
    })
}

/// The fields of a message that have a length.
fn fields(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    contents(bytes).filter_map(|(number, content)| match content {
        Content::Bytes(bytes) => Some((number, bytes)),
        Content::Number(_) => None,
    })
}

/// The first field of this number that has a length.
fn found(bytes: &[u8], wanted: u64) -> Option<&[u8]> {
    fields(bytes).find(|(number, _)| *number == wanted).map(|(_, value)| value)
}

fn text(bytes: Option<&[u8]>) -> String {
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// Reads a document. Fails if it has no element, or is larger than any real one.
pub(crate) fn document(bytes: &[u8]) -> Result<Element> {
    let mut builder = Builder::default();
    node(bytes, &mut builder)?;
    builder.root()
}

/// Reads a node: an element (1) or a text (2).
fn node(bytes: &[u8], builder: &mut Builder) -> Result<()> {
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
fn element(bytes: &[u8], builder: &mut Builder) -> Result<()> {
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

/// Reads an attribute: its name (2), what it says as it is written (3), and as it is compiled (6).
fn attribute(bytes: &[u8]) -> (String, Value) {
    let written = text(found(bytes, 3));
    let value = match found(bytes, 6).and_then(item) {
        Some(compiled @ Value::Named(_)) => compiled,
        Some(compiled) if written.is_empty() => compiled,
        None if written.starts_with('@') && written.contains('/') => named(&written),
        _ => Value::Text(written),
    };
    (text(found(bytes, 2)), value)
}

/// Reads what a value is: a reference (1), a text (2, 3, 4), a file (5) or a number of some kind (7).
fn item(bytes: &[u8]) -> Option<Value> {
    let (kind, inside) = fields(bytes).find(|(number, _)| matches!(number, 1..=5 | 7))?;
    match kind {
        1 => found(inside, 3).map(|name| named(&String::from_utf8_lossy(name))),
        7 => contents(inside).find_map(|(kind, content)| match (kind, content) {
            (8, Content::Number(flag)) => Some(Value::Flag(flag != 0)),
            // Negative ones have ten bytes, of which the lower four count.
            (6 | 7, Content::Number(number)) => u32::try_from(number & 0xffff_ffff).ok().map(Value::Number),
            _ => None,
        }),
        _ => Some(Value::Text(text(found(inside, 1)))),
    }
}

/// A resource by its name: `@bool/x`, `@+id/x`, or `org.acme:bool/x`. The package counts where it is the system.
fn named(name: &str) -> Value {
    let name = name.trim_start_matches(['@', '+', '*']);
    let own = name.split_once(':').filter(|(package, _)| *package != "android").map_or(name, |(_, own)| own);
    Value::Named(own.to_owned())
}

/// Reads the table of resources: packages (2) of kinds (3) of resources (3), each with its name (2) and values (6).
/// Fails if it is larger than any real one.
pub(crate) fn resources(bytes: &[u8]) -> Result<Resources> {
    let mut resources = Resources::of_names();
    let inside =
        |bytes, wanted: u64| fields(bytes).filter(move |(number, _)| *number == wanted).map(|(_, value)| value);
    for kind in inside(bytes, 2).flat_map(|package| inside(package, 3)) {
        let name = text(found(kind, 2));
        for entry in inside(kind, 3) {
            let key = text(found(entry, 2));
            for value in inside(entry, 6) {
                // What is made of several values, such as a style, has no item (4).
                if let Some(value) = found(value, 2).and_then(|value| found(value, 4)).and_then(item) {
                    resources.add(&name, &key, value)?;
                }
            }
        }
    }
    Ok(resources)
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
