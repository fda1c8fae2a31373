//! Property lists of Apple, binary and as XML, as JSON.

use crate::bytes::part;
use crate::error::{AppError, Result};
use crate::utf16;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What a binary list begins with.
pub(crate) const BINARY: &[u8] = b"bplist00";
/// Values of one list, each counted as often as it is named.
const VALUES_MAX: usize = 100_000;
/// How deep values stand in each other.
const DEPTH_MAX: usize = 32;
/// Bytes of a list that is read.
const BYTES_MAX: usize = 16 * 1_024 * 1_024;

/// Reads a property list. Fails if it is none, or larger or deeper than any real one.
pub(crate) fn read(bytes: &[u8]) -> Result<Value> {
    if bytes.len() > BYTES_MAX {
        return Err(too_large());
    }
    if bytes.starts_with(BINARY) { Binary::of(bytes)?.value() } else { of_xml(bytes) }
}

fn broken() -> AppError {
    AppError::Broken("it is no property list".into())
}

fn too_large() -> AppError {
    AppError::TooLarge("a property list larger or deeper than any real one".into())
}

/// A binary list.
struct Binary<'a> {
    bytes: &'a [u8],
    offset_size: usize,
    number_size: usize,
    count: usize,
    top: usize,
    table: usize,
    left: usize,
    left_bytes: usize,
}

impl<'a> Binary<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        let end = bytes.len().checked_sub(32).map(|at| &bytes[at..]).ok_or_else(broken)?;
        let (offset_size, number_size) = (usize::from(end[6]), usize::from(end[7]));
        let (count, top, table) = (number(&end[8..16])?, number(&end[16..24])?, number(&end[24..32])?);
        if !(1..=8).contains(&offset_size) || !(1..=8).contains(&number_size) {
            return Err(broken());
        }
        Ok(Self { bytes, offset_size, number_size, count, top, table, left: VALUES_MAX, left_bytes: BYTES_MAX })
    }

    fn value(mut self) -> Result<Value> {
        let top = self.top;
        self.object(top, 0)
    }

    fn object(&mut self, at: usize, depth: usize) -> Result<Value> {
        self.left = self.left.checked_sub(1).filter(|_| depth < DEPTH_MAX).ok_or_else(too_large)?;
        if at >= self.count {
            return Err(broken());
        }
        let offset = self.table.saturating_add(at.saturating_mul(self.offset_size));
        let offset = number(part(self.bytes, offset, self.offset_size)?)?;
        let marker = part(self.bytes, offset, 1)?[0];
        let (kind, low) = (marker >> 4, usize::from(marker & 0x0f));
        let from = offset + 1;
        Ok(match kind {
            0x0 => match low {
                8 => Value::Bool(false),
                9 => Value::Bool(true),
                _ => Value::Null,
            },
            0x1 => Value::from(i64::try_from(number(part(self.bytes, from, 1 << low.min(4))?)?).unwrap_or(i64::MAX)),
            0x2 | 0x3 => Value::Null,
            0x4 => Value::from(STANDARD.encode(self.data(from, low, 1)?)),
            0x5 | 0x7 => Value::from(String::from_utf8_lossy(self.data(from, low, 1)?)),
            0x6 => {
                let units = self.data(from, low, 2)?.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
                let text: String =
                    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
                Value::from(text)
            }
            0xa..=0xc => {
                let numbers = self.numbers(from, low, 1)?;
                let values = numbers.into_iter().map(|number| self.object(number, depth + 1));
                Value::Array(values.collect::<Result<_, _>>()?)
            }
            0xd => {
                let numbers = self.numbers(from, low, 2)?;
                let (keys, values) = numbers.split_at(numbers.len() / 2);
                let mut map = Map::new();
                for (key, value) in keys.iter().zip(values) {
                    let key = self.object(*key, depth + 1)?;
                    map.insert(key.as_str().unwrap_or_default().to_owned(), self.object(*value, depth + 1)?);
                }
                Value::Object(map)
            }
            _ => Value::Null,
        })
    }

    /// How many things a value has, and where they begin: in the marker, or in a number after it.
    fn count(&self, from: usize, low: usize) -> Result<(usize, usize)> {
        if low != 0x0f {
            return Ok((low, from));
        }
        let size = 1_usize << (part(self.bytes, from, 1)?[0] & 0x03);
        Ok((number(part(self.bytes, from + 1, size)?)?, from + 1 + size))
    }

    fn data(&mut self, from: usize, low: usize, width: usize) -> Result<&'a [u8]> {
        let (count, from) = self.count(from, low)?;
        let data = part(self.bytes, from, count.saturating_mul(width))?;
        self.left_bytes = self.left_bytes.checked_sub(data.len()).ok_or_else(too_large)?;
        Ok(data)
    }

    fn numbers(&mut self, from: usize, low: usize, times: usize) -> Result<Vec<usize>> {
        let (count, from) = self.count(from, low)?;
        let size = self.number_size;
        let length = count.saturating_mul(times).saturating_mul(size);
        if count > VALUES_MAX {
            return Err(too_large());
        }
        part(self.bytes, from, length)?.chunks_exact(size).map(number).collect()
    }
}

/// Returns a number whose highest byte is first.
fn number(bytes: &[u8]) -> Result<usize> {
    let low = &bytes[bytes.len().saturating_sub(8)..];
    usize::try_from(low.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte))).map_err(|_| broken())
}

/// A value that is open while a list in XML is read.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

fn of_xml(bytes: &[u8]) -> Result<Value> {
    let document = utf16::text(bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned);
    let mut reader = Reader::from_str(&document);
    let (mut open, mut text, mut left): (Vec<Open>, String, usize) = (Vec::new(), String::new(), VALUES_MAX);
    let mut inside = false;
    loop {
        let event = reader.read_event().map_err(|_| broken())?;
        let done = match &event {
            Event::Start(tag) => {
                text.clear();
                match tag.name().as_ref() {
                    "dict" => open.push(Open::Map(Map::new(), None)),
                    "array" => open.push(Open::List(Vec::new())),
                    "plist" => inside = true,
                    _ => (),
                }
                None
            }
            Event::Empty(tag) => match tag.name().as_ref() {
                "dict" => Some(Value::Object(Map::new())),
                "array" => Some(Value::Array(Vec::new())),
                other => of_name(other, ""),
            },
            Event::Text(part) => {
                text.push_str(part);
                None
            }
            Event::CData(part) => {
                text.push_str(part);
                None
            }
            Event::GeneralRef(name) => {
                text.push_str(quick_xml::escape::resolve_xml_entity(name).unwrap_or_default());
                None
            }
            Event::End(tag) => match (tag.name().as_ref(), open.last_mut()) {
                ("key", Some(Open::Map(_, key))) => {
                    *key = Some(std::mem::take(&mut text).trim().to_owned());
                    None
                }
                ("dict" | "array", Some(_)) => open.pop().map(closed),
                // Taken: elements that stand in each other do not have one text each.
                (name, _) => of_name(name, std::mem::take(&mut text).trim()),
            },
            Event::Eof => return Err(broken()),
            _ => None,
        };
        left = left.checked_sub(1).filter(|_| open.len() <= DEPTH_MAX).ok_or_else(too_large)?;
        let Some(value) = done.filter(|_| inside) else { continue };
        match open.last_mut() {
            Some(Open::List(list)) => list.push(value),
            Some(Open::Map(map, key)) => {
                map.insert(key.take().unwrap_or_default(), value);
            }
            None => return Ok(value),
        }
    }
}

fn closed(open: Open) -> Value {
    match open {
        Open::List(list) => Value::Array(list),
        Open::Map(map, _) => Value::Object(map),
    }
}

fn of_name(name: &str, text: &str) -> Option<Value> {
    Some(match name {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "integer" => Value::from(text.parse::<i64>().unwrap_or(0)),
        "string" | "date" | "data" | "real" => Value::from(text),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LIST: &str =
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><array><string>größer</string></array></plist>";

    #[test]
    fn a_list_in_utf_16_is_read_like_one_in_utf_8() {
        let little: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: [u8; 2], list: &[u8]| [&mark[..], list].concat();
        for list in [LIST.into(), marked([0xff, 0xfe], &little), marked([0xfe, 0xff], &big), little, big] {
            assert_eq!(read(&list), Ok(json!(["größer"])));
        }
    }

    #[test]
    fn a_text_may_stand_as_it_is() {
        let list = b"<plist><dict><key><![CDATA[a&b]]></key><string>1<![CDATA[<2>]]>3</string></dict></plist>";
        assert_eq!(read(list), Ok(json!({"a&b": "1<2>3"})));
    }

    #[test]
    fn texts_that_stand_in_each_other_are_one_text() {
        let inside = format!("{}text{}", "<string>".repeat(1_000), "</string>".repeat(1_000));
        let Ok(Value::Array(texts)) = read(format!("<plist><array>{inside}</array></plist>").as_bytes()) else {
            panic!("it is a list")
        };
        assert_eq!(texts.iter().filter_map(Value::as_str).collect::<String>(), "text");
    }
}
