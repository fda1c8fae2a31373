//! An XML document as Android compiles it: names are those of its own list, values keep their type.

use crate::bytes::{part, place_at, u16_at, u32_at};
use crate::error::{AppError, Result};
use crate::resources::Resources;
use crate::table::{Chunks, STRING_POOL, Strings};
use crate::value::{Value, value};
use std::borrow::Cow;

/// Elements of one document. Manifests of large apps have some thousand.
pub(crate) const ELEMENTS_MAX: usize = 50_000;
/// How deep elements stand in each other.
pub(crate) const DEPTH_MAX: usize = 64;
/// Bytes of all texts and attributes of one document: one long text may be named by every attribute.
const TEXT_BYTES_MAX: usize = 16 * 1_024 * 1_024;
/// Bytes of an attribute in a document, and what one takes in memory beside its texts.
const ATTRIBUTE_BYTES: usize = 20;
const ATTRIBUTE_BYTES_KEPT: usize = 64;
/// Bytes of one text that is kept of an attribute. Names of classes, permissions and hosts are shorter.
const KEPT_BYTES_MAX: usize = 512;

const XML: usize = 0x0003;
const RESOURCE_MAP: usize = 0x0180;
const START_ELEMENT: usize = 0x0102;
const END_ELEMENT: usize = 0x0103;
const TEXT: usize = 0x0104;

/// Attributes of Android by their number, which counts where a packer has removed the name.
const ATTRIBUTES: &[(u32, &str)] = &[
    (0x0101_0001, "label"),
    (0x0101_0003, "name"),
    (0x0101_0006, "permission"),
    (0x0101_0007, "readPermission"),
    (0x0101_0008, "writePermission"),
    (0x0101_0009, "protectionLevel"),
    (0x0101_000b, "sharedUserId"),
    (0x0101_000e, "enabled"),
    (0x0101_000f, "debuggable"),
    (0x0101_0010, "exported"),
    (0x0101_0018, "authorities"),
    (0x0101_001b, "grantUriPermissions"),
    (0x0101_0024, "value"),
    (0x0101_0027, "scheme"),
    (0x0101_0028, "host"),
    (0x0101_002a, "path"),
    (0x0101_002b, "pathPrefix"),
    (0x0101_002c, "pathPattern"),
    (0x0101_020c, "minSdkVersion"),
    (0x0101_021b, "versionCode"),
    (0x0101_021c, "versionName"),
    (0x0101_0270, "targetSdkVersion"),
    (0x0101_0272, "testOnly"),
    (0x0101_0280, "allowBackup"),
    (0x0101_04ec, "usesCleartextTraffic"),
    (0x0101_04ee, "autoVerify"),
    (0x0101_0527, "networkSecurityConfig"),
    (0x0101_0603, "requestLegacyExternalStorage"),
];

/// An element with its attributes and children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, Value)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    /// Reads a compiled document. Fails if it is none, it is broken, or it is larger than any real one.
    pub(crate) fn of_binary(bytes: &[u8]) -> Result<Self> {
        if u16_at(bytes, 0)? != XML {
            return Err(AppError::Broken("it is no compiled XML".into()));
        }
        let mut builder = Builder::default();
        let mut strings = Strings::default();
        let mut numbers: &[u8] = &[];
        for chunk in Chunks::of(bytes, u16_at(bytes, 2)?) {
            let chunk = chunk?;
            match chunk.kind {
                STRING_POOL => strings = Strings::of(&chunk)?,
                RESOURCE_MAP => numbers = chunk.body(),
                START_ELEMENT => {
                    let element = start(chunk.body(), &strings, numbers, &mut builder)?;
                    builder.start(element)?;
                }
                END_ELEMENT => builder.end(),
                TEXT => builder.text(&strings.get(place_at(chunk.body(), 0)?)?)?,
                _ => (),
            }
        }
        builder.root()
    }

    /// Returns the value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns an attribute as text, a resource by what it stands for, and no more of it than is kept of any: one long
    /// resource may be named by every attribute.
    pub(crate) fn text_of(&self, name: &str, resources: &Resources) -> Option<String> {
        let text = self.whole_text_of(name, resources)?;
        Some(text[..text.floor_char_boundary(KEPT_BYTES_MAX)].to_owned())
    }

    /// Returns an attribute as text, whatever its length.
    pub(crate) fn whole_text_of<'a>(&'a self, name: &str, resources: &'a Resources) -> Option<Cow<'a, str>> {
        Some(match resources.resolved(self.get(name)?) {
            Value::Text(text) => Cow::Borrowed(text),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Flag(flag) => Cow::Owned(flag.to_string()),
            Value::Resource(_) | Value::Named(_) => return None,
        })
    }

    /// Returns whether an attribute is said by a resource that is not known. `@null` says nothing.
    pub(crate) fn is_unknown(&self, name: &str, resources: &Resources) -> bool {
        self.get(name).is_some_and(|value| match resources.resolved(value) {
            Value::Resource(number) => *number != 0,
            Value::Named(name) => name != "null",
            _ => false,
        })
    }

    /// Returns an attribute as a flag.
    pub(crate) fn flag(&self, name: &str, resources: &Resources) -> Option<bool> {
        match resources.resolved(self.get(name)?) {
            Value::Flag(flag) => Some(*flag),
            Value::Number(number) => Some(*number != 0),
            Value::Text(text) => text.parse().ok(),
            Value::Resource(_) | Value::Named(_) => None,
        }
    }

    /// Returns an attribute as a number.
    pub(crate) fn number(&self, name: &str, resources: &Resources) -> Option<u32> {
        match resources.resolved(self.get(name)?) {
            Value::Number(number) => Some(*number),
            Value::Text(text) => {
                text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
            }
            _ => None,
        }
    }

    /// Returns the elements of one name directly below.
    pub(crate) fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Reads the beginning of an element, after the line and comment that each node has. What it holds is counted while
/// it is read.
fn start(body: &[u8], strings: &Strings<'_>, numbers: &[u8], builder: &mut Builder) -> Result<Element> {
    let mut element = Element { name: strings.get(place_at(body, 4)?)?, ..Element::default() };
    let (first, size, count) = (u16_at(body, 8)?, u16_at(body, 10)?, u16_at(body, 12)?);
    if count > 0 && size < ATTRIBUTE_BYTES {
        return Err(AppError::Broken("attributes lie over each other".into()));
    }
    for at in 0..count {
        let attribute = part(body, first + at * size, ATTRIBUTE_BYTES)?;
        let name_at = place_at(attribute, 4)?;
        let number = u32_at(numbers, name_at.saturating_mul(4)).unwrap_or(0);
        let known = ATTRIBUTES.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
        let name = known.map_or_else(|| strings.get(name_at), Ok)?;
        let value = value(attribute[15], u32_at(attribute, 16)?, strings)?;
        builder.attribute(&mut element, name, value)?;
    }
    Ok(element)
}

/// Builds a document from its parts in order.
#[derive(Default)]
pub(crate) struct Builder {
    open: Vec<Element>,
    root: Option<Element>,
    elements: usize,
    bytes: usize,
}

impl Builder {
    /// Adds an attribute to an element that is not begun yet, and counts it.
    pub(crate) fn attribute(&mut self, element: &mut Element, name: String, value: Value) -> Result<()> {
        let text = if let Value::Text(text) | Value::Named(text) = &value { text.len() } else { 0 };
        self.count(ATTRIBUTE_BYTES_KEPT + name.len() + text)?;
        element.attributes.push((name, value));
        Ok(())
    }

    /// Begins an element, whose attributes are counted.
    pub(crate) fn start(&mut self, element: Element) -> Result<()> {
        self.elements += 1;
        self.count(element.name.len())?;
        if self.elements > ELEMENTS_MAX || self.open.len() >= DEPTH_MAX {
            return Err(AppError::TooLarge("an XML document larger or deeper than any real one".into()));
        }
        self.open.push(element);
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes > TEXT_BYTES_MAX {
            return Err(AppError::TooLarge("an XML document with more text than any real one".into()));
        }
        Ok(())
    }

    pub(crate) fn end(&mut self) {
        let Some(done) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(done),
            None if self.root.is_none() => self.root = Some(done),
            None => (),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        self.count(text.len())?;
        if let Some(open) = self.open.last_mut() {
            open.text.push_str(text);
        }
        Ok(())
    }

    pub(crate) fn root(mut self) -> Result<Element> {
        while !self.open.is_empty() {
            self.end();
        }
        self.root.ok_or_else(|| AppError::Broken("an XML document without an element".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element of a test: its name, the size of an attribute and their number, and attributes as name and value.
    type Written<'a> = (u32, u16, u16, &'a [(u32, u32)]);

    /// A document: strings, and elements by their name, the size that each says its attributes have, how many it says
    /// there are, and the attributes as name and text.
    fn document(strings: &[&[u8]], elements: &[Written<'_>]) -> Vec<u8> {
        let chunk = |kind: u16, head: &[u8], body: &[u8]| {
            let size = u32::try_from(8 + head.len() + body.len()).unwrap().to_le_bytes();
            let own = u16::try_from(8 + head.len()).unwrap().to_le_bytes();
            [&kind.to_le_bytes()[..], &own, &size, head, body].concat()
        };
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let (mut offsets, mut data) = (Vec::new(), Vec::new());
        for string in strings {
            offsets.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            let units = u16::try_from(string.len()).unwrap();
            data.extend(units.to_le_bytes());
            data.extend(string.iter().flat_map(|letter| [*letter, 0]));
        }
        let count = u32::try_from(strings.len()).unwrap();
        let mut body = chunk(1, &words(&[count, 0, 0, 28 + 4 * count, 0]), &[offsets, data].concat());
        for (name, size, count, attributes) in elements {
            let head = [20, *size, *count, 0, 0, 0].map(u16::to_le_bytes).concat();
            let mut element = [words(&[u32::MAX, *name]), head].concat();
            for (name, text) in *attributes {
                element.extend(words(&[u32::MAX, *name, u32::MAX, 0x0300_0008, *text]));
            }
            body.extend(chunk(0x0102, &words(&[1, u32::MAX]), &element));
        }
        chunk(3, &[], &body)
    }

    #[test]
    fn attributes_that_lie_over_each_other_are_refused() {
        let said = |size: u16, count: u16| Element::of_binary(&document(&[b"a", b"b"], &[(0, size, count, &[(1, 0)])]));
        for size in [0, 1, 19] {
            assert_eq!(said(size, 65_535), Err(AppError::Broken("attributes lie over each other".into())), "{size}");
        }
        assert_eq!(said(20, 1).unwrap().get("b"), Some(&Value::Text("a".into())), "one that does not");
        assert_eq!(said(0, 0).unwrap().attributes.len(), 0, "none, whatever their size would be");
    }

    #[test]
    fn attributes_of_a_document_are_counted_while_they_are_read() {
        let long = vec![b'x'; 20_000];
        let many = vec![(1, 0); 1_000];
        let short = document(&[b"a", b""], &[(0, 20, 1_000, &many)]);
        assert_eq!(Element::of_binary(&short).unwrap().attributes.len(), 1_000);
        let longer = "an XML document with more text than any real one";
        for (what, document) in [
            ("a long text in each", document(&[&long, b"b"], &[(1, 20, 1_000, &many)])),
            ("a long name of each", document(&[b"a", &long], &[(0, 20, 1_000, &many)])),
            ("nothing in each", document(&[b"a", b""], &[(0, 20, 10_000, &[(1, 0); 10_000][..]); 30])),
        ] {
            assert_eq!(Element::of_binary(&document), Err(AppError::TooLarge(longer.into())), "{what}");
        }
    }
}
