//! The table of resources of an Android package: what a number in the manifest stands for, and the texts that it holds.

use crate::bytes::{part, place_at, u16_at, u32_at};
use crate::error::{AppError, Result};
use crate::table::{Chunk, Chunks, STRING_POOL, Strings};
use crate::value::{self, Value};
use std::collections::BTreeMap;

const TABLE: usize = 0x0002;
const PACKAGE: usize = 0x0200;
const TYPE: usize = 0x0201;
/// Values of one table, all languages and screens together.
const VALUES_MAX: usize = 1_000_000;
/// Bytes of all texts that are kept, with their names: one long text may be named by every resource.
const TEXT_BYTES_MAX: usize = 128 * 1_024 * 1_024;
/// References that are followed at most.
const HOPS_MAX: usize = 8;

/// What resources stand for.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    values: BTreeMap<u32, Value>,
    /// Those of a bundle, by kind and name.
    names: BTreeMap<String, Value>,
    /// Each text with what it is called, a line each.
    pub(crate) texts: String,
    left: usize,
    kept_bytes: usize,
}

impl Resources {
    /// Reads a table. Of several values of one resource the first counts, which is the one for every device. Fails if
    /// it is none, or broken, or larger than any real one.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        if u16_at(bytes, 0)? != TABLE {
            return Err(AppError::Broken("it is no table of resources".into()));
        }
        let mut resources = Self { left: VALUES_MAX, ..Self::default() };
        let mut strings = Strings::default();
        for chunk in Chunks::of(bytes, u16_at(bytes, 2)?) {
            let chunk = chunk?;
            match chunk.kind {
                STRING_POOL => strings = Strings::of(&chunk)?,
                PACKAGE => resources.package(&chunk, &strings)?,
                _ => (),
            }
        }
        Ok(resources)
    }

    /// Returns the value that a reference leads to; an unknown resource is returned as it is.
    pub(crate) fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..HOPS_MAX {
            let next = match value {
                Value::Resource(number) => self.values.get(number),
                Value::Named(name) => self.names.get(name),
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        value
    }

    /// The resources of a bundle, which come by their names.
    pub(crate) fn of_names() -> Self {
        Self { left: VALUES_MAX, ..Self::default() }
    }

    /// Adds a value of a resource of a bundle: its kind, its name, and its value. The first one counts.
    pub(crate) fn add(&mut self, kind: &str, key: &str, value: Value) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| AppError::TooLarge("too many resources".into()))?;
        self.keep_text(key, &value)?;
        let reference = if let Value::Named(name) = &value { name.len() } else { 0 };
        self.keep(kind.len() + key.len() + reference)?;
        self.names.entry(format!("{kind}/{key}")).or_insert(value);
        Ok(())
    }

    fn keep_text(&mut self, key: &str, value: &Value) -> Result<()> {
        let Value::Text(text) = value else { return Ok(()) };
        // It counts twice: once with its name, and once as the value of the resource.
        self.keep(key.len() + 2 * text.len())?;
        if !key.is_empty() {
            self.texts.push_str(&format!("{key} = \"{text}\"\n"));
        }
        Ok(())
    }

    fn keep(&mut self, bytes: usize) -> Result<()> {
        self.kept_bytes += bytes;
        match self.kept_bytes > TEXT_BYTES_MAX {
            true => Err(AppError::TooLarge("the texts of its resources".into())),
            false => Ok(()),
        }
    }

    fn package(&mut self, package: &Chunk<'_>, strings: &Strings<'_>) -> Result<()> {
        let number = u32_at(package.bytes, 8)? << 24;
        let mut keys = Strings::default();
        let keys_at = place_at(package.bytes, 276)?;
        if let Some(chunk) = Chunks::of(package.bytes, keys_at).next() {
            keys = Strings::of(&chunk?)?;
        }
        for chunk in Chunks::of(package.bytes, package.head) {
            let chunk = chunk?;
            if chunk.kind == TYPE {
                self.values_of(&chunk, number, strings, &keys)?;
            }
        }
        Ok(())
    }

    fn values_of(&mut self, chunk: &Chunk<'_>, package: u32, strings: &Strings<'_>, keys: &Strings<'_>) -> Result<()> {
        let bytes = chunk.bytes;
        let base = package | (u32::from(part(bytes, 8, 1)?[0]) << 16);
        let flags = part(bytes, 9, 1)?[0];
        let (count, start) = (place_at(bytes, 12)?, place_at(bytes, 16)?);
        for at in 0..count {
            self.left = self.left.checked_sub(1).ok_or_else(|| AppError::TooLarge("too many resources".into()))?;
            let (index, offset) = match flags {
                _ if flags & 1 != 0 => {
                    (u16_at(bytes, chunk.head + at * 4)?, u16_at(bytes, chunk.head + at * 4 + 2)? * 4)
                }
                _ if flags & 2 != 0 => match u16_at(bytes, chunk.head + at * 2)? {
                    0xffff => continue,
                    offset => (at, offset * 4),
                },
                _ => match place_at(bytes, chunk.head + at * 4)? {
                    0xffff_ffff => continue,
                    offset => (at, offset),
                },
            };
            let entry = bytes.get(start.saturating_add(offset)..).unwrap_or(&[]);
            let number = base | u32::try_from(index & 0xffff).unwrap_or(0);
            self.value(number, entry, strings, keys)?;
        }
        Ok(())
    }

    fn value(&mut self, number: u32, entry: &[u8], strings: &Strings<'_>, keys: &Strings<'_>) -> Result<()> {
        let flags = u16_at(entry, 2)?;
        let (key, kind, data) = if flags & 8 != 0 {
            (u16_at(entry, 0)?, part(entry, 3, 1)?[0], u32_at(entry, 4)?)
        } else if flags & 1 != 0 {
            return Ok(());
        } else {
            (place_at(entry, 4)?, part(entry, 11, 1)?[0], u32_at(entry, 12)?)
        };
        let value = value::value(kind, data, strings)?;
        if matches!(value, Value::Text(_)) {
            self.keep_text(&keys.get(key).unwrap_or_default(), &value)?;
        }
        self.values.entry(number).or_insert(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_name_counts_as_well() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let length = 1_024 * 1_024;
        let mut pool = words(&[0x001c_0001, 0, 1, 0, 0, 32, 0, 0, 0x8000 | (length >> 16) | (length << 16)]);
        pool.resize(pool.len() + 2 * length as usize, b'x');
        let strings = Strings::of(&Chunk { kind: STRING_POOL, head: 28, bytes: &pool }).unwrap();
        let entry = words(&[8, u32::MAX - 1, 0x0300_0008, 0]);
        let mut resources = Resources { left: VALUES_MAX, ..Resources::default() };
        // The units are wide, of three bytes each in UTF-8.
        for number in 0..21 {
            resources.value(number, &entry, &strings, &Strings::default()).unwrap();
        }
        assert_eq!((resources.values.len(), resources.texts.len()), (21, 0));
        let refused = resources.value(21, &entry, &strings, &Strings::default());
        assert_eq!(refused, Err(AppError::TooLarge("the texts of its resources".into())));
    }
}
