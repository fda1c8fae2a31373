//! XML as Android compiles it: a pool of strings, the numbers of the attributes that Android knows, and nodes.

use super::Node;
use std::collections::BTreeMap;

/// The namespace of what Android knows.
const ANDROID: &str = "http://schemas.android.com/apk/res/android";
/// What is not there.
const NONE: u32 = u32::MAX;
/// Numbers of attributes, which Android goes by (`android.R.attr`).
const ATTRIBUTES: &[(&str, u32)] = &[
    ("label", 0x0101_0001),
    ("name", 0x0101_0003),
    ("permission", 0x0101_0006),
    ("protectionLevel", 0x0101_0009),
    ("debuggable", 0x0101_000f),
    ("exported", 0x0101_0010),
    ("authorities", 0x0101_0018),
    ("grantUriPermissions", 0x0101_001b),
    ("value", 0x0101_0024),
    ("scheme", 0x0101_0027),
    ("host", 0x0101_0028),
    ("minSdkVersion", 0x0101_020c),
    ("versionCode", 0x0101_021b),
    ("versionName", 0x0101_021c),
    ("targetSdkVersion", 0x0101_0270),
    ("testOnly", 0x0101_0272),
    ("allowBackup", 0x0101_0280),
    ("usesCleartextTraffic", 0x0101_04ec),
    ("autoVerify", 0x0101_04ee),
    ("requestLegacyExternalStorage", 0x0101_0603),
];
/// Attributes that are always texts, even if they look like numbers.
const TEXTS: &[&str] = &["label", "name", "versionName"];

/// The document of an element.
pub(super) fn document(name: &str, root: &Node) -> Vec<u8> {
    let mut writer = Writer::default();
    let mut known: Vec<(u32, &str)> = Vec::new();
    attributes(root, &mut known);
    known.sort_unstable();
    known.dedup();
    for (_, name) in &known {
        writer.string(name);
    }
    let begin = namespace(&mut writer.strings, 0x0100);
    writer.nodes.extend(begin);
    writer.element(name, root);
    let end = namespace(&mut writer.strings, 0x0101);
    writer.nodes.extend(end);
    let numbers: Vec<u8> = known.iter().flat_map(|(number, _)| number.to_le_bytes()).collect();
    let body = [pool(&writer.strings.list), chunk(0x0180, &[], &numbers), writer.nodes].concat();
    chunk(0x0003, &[], &body)
}

/// What is known of the attributes in a tree.
fn attributes(node: &Node, known: &mut Vec<(u32, &'static str)>) {
    for (name, child) in &node.children {
        match child.text {
            Some(_) => {
                known.extend(ATTRIBUTES.iter().find(|(own, _)| own == name).map(|(own, number)| (*number, *own)))
            }
            None => attributes(child, known),
        }
    }
}

/// Texts by their numbers.
#[derive(Default)]
struct Strings {
    list: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Strings {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = size(self.list.len());
        self.list.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

#[derive(Default)]
struct Writer {
    strings: Strings,
    nodes: Vec<u8>,
}

impl Writer {
    fn string(&mut self, text: &str) -> u32 {
        self.strings.number(text)
    }

    /// The part of a name after a colon only distinguishes elements that have the same name.
    fn element(&mut self, name: &str, node: &Node) {
        let name = self.string(name.split(':').next().unwrap_or(name));
        let mut own: Vec<(u32, [u32; 5])> = Vec::new();
        for (attribute, text) in node.children.iter().filter_map(|(name, child)| Some((name, child.text.as_ref()?))) {
            let number = ATTRIBUTES.iter().find(|(known, _)| known == attribute).map(|(_, number)| *number);
            let namespace = number.map_or(NONE, |_| self.string(ANDROID));
            let (kind, data, raw) = match (text.as_str(), text.parse::<u32>()) {
                ("true", _) => (0x12, NONE, NONE),
                ("false", _) => (0x12, 0, NONE),
                (_, Ok(value)) if !TEXTS.contains(&attribute.as_str()) => (0x10, value, NONE),
                (text, _) => {
                    let text = self.string(text);
                    (0x03, text, text)
                }
            };
            // Eight bytes of a value, and its type in the last of the first four.
            let name = self.string(attribute);
            own.push((number.unwrap_or(NONE), [namespace, name, raw, 8 | kind << 24, data]));
        }
        own.sort_by_key(|(number, _)| *number);
        let count = own.len();
        let mut body = u32s(&[NONE, name]);
        body.extend([20, 20, count, 0, 0, 0].iter().flat_map(|number| short(*number)));
        body.extend(own.iter().flat_map(|(_, words)| u32s(words)));
        self.nodes.extend(chunk(0x0102, &u32s(&[1, NONE]), &body));
        for (name, child) in node.children.iter().filter(|(_, child)| child.text.is_none()) {
            self.element(name, child);
        }
        self.nodes.extend(chunk(0x0103, &u32s(&[1, NONE]), &u32s(&[NONE, name])));
    }
}

/// The beginning or the end of the namespace.
fn namespace(strings: &mut Strings, kind: u16) -> Vec<u8> {
    let words = [strings.number("android"), strings.number(ANDROID)];
    chunk(kind, &u32s(&[1, NONE]), &u32s(&words))
}

/// A pool of strings in UTF-8.
fn pool(strings: &[String]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for text in strings {
        offsets.extend(size(data.len()).to_le_bytes());
        length(text.encode_utf16().count(), &mut data);
        length(text.len(), &mut data);
        data.extend(text.as_bytes());
        data.push(0);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let start = 28 + offsets.len();
    let head = u32s(&[size(strings.len()), 0, 0x100, size(start), 0]);
    chunk(0x0001, &head, &[offsets, data].concat())
}

/// A length of one byte, or of two.
fn length(length: usize, data: &mut Vec<u8>) {
    let low = |bits: usize| u8::try_from(bits & 0xff).expect("eight bits");
    if length > 0x7f {
        data.push(low(length >> 8) | 0x80);
    }
    data.push(low(length));
}

/// A chunk: kind, length of its head, length of all.
fn chunk(kind: u16, head: &[u8], body: &[u8]) -> Vec<u8> {
    let head_bytes = 8 + head.len();
    let words = [kind.to_le_bytes(), short(head_bytes)].concat();
    [&words, &size(head_bytes + body.len()).to_le_bytes()[..], head, body].concat()
}

fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes()
}

fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
