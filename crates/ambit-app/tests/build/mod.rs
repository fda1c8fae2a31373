//! Builds packages as the formats say.

use std::fmt::Write as _;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// What an attribute says.
#[derive(Clone, Copy)]
pub(crate) enum Attribute {
    Text(&'static str),
    Number(u32),
    Flag(bool),
    Resource(u32),
}

/// An element of a document.
pub(crate) struct Node {
    name: &'static str,
    attributes: Vec<(&'static str, u32, Attribute)>,
    children: Vec<Node>,
    text: Option<&'static str>,
}

impl Node {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), children: Vec::new(), text: None }
    }

    pub(crate) fn say(mut self, name: &'static str, number: u32, says: Attribute) -> Self {
        self.attributes.push((name, number, says));
        self
    }

    pub(crate) fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    pub(crate) fn text(mut self, text: &'static str) -> Self {
        self.text = Some(text);
        self
    }
}

/// An archive of these members.
pub(crate) fn archive<N: AsRef<str>>(members: &[(N, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(name.as_ref(), SimpleFileOptions::default()).expect("small and whole");
        writer.write_all(bytes).expect("small and whole");
    }
    writer.finish().expect("small and whole").into_inner()
}

/// A package of these members.
pub(crate) fn apk(members: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    archive(members)
}

/// Renames a member to a name of the same length.
pub(crate) fn rename(bytes: &mut [u8], from: &str, to: &str) {
    for at in 0..bytes.len().saturating_sub(from.len()) {
        if &bytes[at..at + from.len()] == from.as_bytes() {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
    }
}

/// Makes the second member begin where the first one does.
pub(crate) fn overlap(bytes: &mut [u8]) {
    let entries: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..].starts_with(b"PK\x01\x02")).collect();
    bytes[entries[1] + 42..entries[1] + 46].fill(0);
}

fn u16s(numbers: &[usize]) -> Vec<u8> {
    numbers.iter().flat_map(|number| u16::try_from(*number).expect("small and whole").to_le_bytes()).collect()
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn size(length: usize) -> u32 {
    u32::try_from(length).expect("small and whole")
}

/// A chunk: its kind, the rest of its head, and what follows.
fn chunk(kind: usize, head: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = u16s(&[kind, 8 + head.len()]);
    bytes.extend(u32s(&[size(8 + head.len() + body.len())]));
    bytes.extend(head);
    bytes.extend(body);
    bytes
}

/// A pool of strings, of UTF-16 or UTF-8.
fn pool(strings: &[&str], is_utf8: bool) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(size(data.len()));
        if is_utf8 {
            data.extend([
                u8::try_from(string.chars().count()).expect("small and whole"),
                u8::try_from(string.len()).expect("small and whole"),
            ]);
            data.extend(string.as_bytes());
            data.push(0);
        } else {
            data.extend(u16s(&[string.encode_utf16().count()]));
            data.extend(string.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        }
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let flags = if is_utf8 { 0x100 } else { 0 };
    let start = 28 + 4 * size(strings.len());
    chunk(0x0001, &u32s(&[size(strings.len()), 0, flags, start, 0]), &[u32s(&offsets), data].concat())
}

/// The strings of a document: names with numbers first, as the map of numbers wants it.
fn strings<'a>(node: &'a Node, named: &mut Vec<(&'a str, u32)>, others: &mut Vec<&'a str>) {
    others.push(node.name);
    others.extend(node.text);
    for (name, number, says) in &node.attributes {
        if *number == 0 {
            others.push(name);
        } else if !named.contains(&(name, *number)) {
            named.push((name, *number));
        }
        if let Attribute::Text(text) = says {
            others.push(text);
        }
    }
    for child in &node.children {
        strings(child, named, others);
    }
}

/// A compiled document.
pub(crate) fn manifest(root: &Node) -> Vec<u8> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    strings(root, &mut named, &mut others);
    let all: Vec<&str> = named.iter().map(|(name, _)| *name).chain(others.iter().copied()).collect();
    let numbers: Vec<u32> = named.iter().map(|(_, number)| *number).collect();
    let mut body = pool(&all, false);
    body.extend(chunk(0x0180, &[], &u32s(&numbers)));
    elements(root, &all, named.len(), &mut body);
    chunk(0x0003, &[], &body)
}

fn elements(node: &Node, all: &[&str], named: usize, out: &mut Vec<u8>) {
    let other =
        |text: &str| size(named + all[named..].iter().position(|known| *known == text).expect("small and whole"));
    let mut body = u32s(&[u32::MAX, other(node.name)]);
    body.extend(u16s(&[20, 20, node.attributes.len(), 0, 0, 0]));
    for (name, number, says) in &node.attributes {
        let name = match number {
            0 => other(name),
            _ => size(all[..named].iter().position(|known| known == name).expect("small and whole")),
        };
        let (kind, data) = match says {
            Attribute::Text(text) => (0x03, other(text)),
            Attribute::Number(number) => (0x10, *number),
            Attribute::Flag(flag) => (0x12, if *flag { u32::MAX } else { 0 }),
            Attribute::Resource(number) => (0x01, *number),
        };
        body.extend(u32s(&[u32::MAX, name, u32::MAX]));
        body.extend([8, 0, 0, kind]);
        body.extend(u32s(&[data]));
    }
    let line = u32s(&[1, u32::MAX]);
    out.extend(chunk(0x0102, &line, &body));
    if let Some(text) = node.text {
        out.extend(chunk(0x0104, &line, &u32s(&[other(text), 8, 0])));
    }
    for child in &node.children {
        elements(child, all, named, out);
    }
    out.extend(chunk(0x0103, &line, &u32s(&[u32::MAX, other(node.name)])));
}

/// A table of resources: each a kind, a name and a text, numbered from `0x7f010000`, a kind each.
pub(crate) fn resources(values: &[(&str, &str, &str)]) -> Vec<u8> {
    let texts: Vec<&str> = values.iter().map(|(_, _, text)| *text).collect();
    let kinds: Vec<&str> = values.iter().map(|(kind, _, _)| *kind).collect();
    let keys: Vec<&str> = values.iter().map(|(_, key, _)| *key).collect();
    let kinds = pool(&kinds, true);
    let mut package = u32s(&[0x7f]);
    package.extend([0; 256]);
    package.extend(u32s(&[288, 0, 288 + size(kinds.len()), 0, 0]));
    let mut body = kinds;
    body.extend(pool(&keys, true));
    for at in 0..size(values.len()) {
        let mut head = vec![u8::try_from(at + 1).expect("small and whole"), 0, 0, 0];
        head.extend(u32s(&[1, 20 + 64 + 4, 64]));
        head.extend([0; 60]);
        let mut value = u32s(&[0]);
        value.extend(u16s(&[8, 0]));
        value.extend(u32s(&[at]));
        value.extend([8, 0, 0, 0x03]);
        value.extend(u32s(&[at]));
        body.extend(chunk(0x0201, &head, &value));
    }
    chunk(0x0002, &u32s(&[1]), &[pool(&texts, true), chunk(0x0200, &package, &body)].concat())
}

/// A program for Android with these strings.
pub(crate) fn dex(strings: &[&str]) -> Vec<u8> {
    let mut bytes = b"dex\n035\0".to_vec();
    bytes.resize(0x38, 0);
    bytes.extend(u32s(&[size(strings.len()), 0x70]));
    bytes.resize(0x70, 0);
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(size(0x70 + 4 * strings.len() + data.len()));
        data.push(u8::try_from(string.len()).expect("small and whole"));
        data.extend(string.as_bytes());
        data.push(0);
    }
    bytes.extend(u32s(&offsets));
    bytes.extend(data);
    bytes
}

/// The package with a v2 signature that names a signer, and the certificate of it.
pub(crate) fn signed(package: &[u8], signer: &str) -> (Vec<u8>, Vec<u8>) {
    let key = rcgen::KeyPair::generate().expect("small and whole");
    let mut parameters = rcgen::CertificateParams::default();
    parameters.distinguished_name.push(rcgen::DnType::CommonName, signer);
    let der = parameters.self_signed(&key).expect("small and whole").der().to_vec();
    let counted = |bytes: &[u8]| [u32s(&[size(bytes.len())]), bytes.to_vec()].concat();
    let data = [counted(&[]), counted(&counted(&der)), counted(&[])].concat();
    let signer = [counted(&data), counted(&[]), counted(&[])].concat();
    let entry = [u32s(&[0x7109_871a]), counted(&counted(&signer))].concat();
    let inside = [u64::try_from(entry.len()).expect("small and whole").to_le_bytes().to_vec(), entry].concat();
    let length = u64::try_from(inside.len() + 24).expect("small and whole").to_le_bytes();
    let block = [&length[..], &inside, &length, b"APK Sig Block 42"].concat();

    let end = package.len() - 22;
    let directory = u32::from_le_bytes(package[end + 16..end + 20].try_into().expect("small and whole")) as usize;
    let mut bytes = [&package[..directory], &block, &package[directory..]].concat();
    let end = bytes.len() - 22;
    bytes[end + 16..end + 20].copy_from_slice(&size(directory + block.len()).to_le_bytes());
    (bytes, der)
}

/// A PKCS #7 signature that holds a certificate.
pub(crate) fn pkcs7(certificate: &[u8]) -> Vec<u8> {
    let value = |kind: u8, inside: &[u8]| {
        let length = u16::try_from(inside.len()).expect("small and whole").to_be_bytes();
        [&[kind, 0x82, length[0], length[1]], inside].concat()
    };
    let identifier = value(0x06, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]);
    let parts = [value(0x02, &[1]), value(0x31, &[]), value(0x30, &[]), value(0xa0, certificate)].concat();
    value(0x30, &[identifier, value(0xa0, &value(0x30, &parts))].concat())
}

/// The SHA-256 of bytes, as people write it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("small and whole");
        text
    })
}

/// The document as a message of protobuf, in which every value is a text.
pub(crate) fn message(node: &Node) -> Vec<u8> {
    field(1, &element(node))
}

/// The table of resources of a bundle: a kind, a name and what it says.
pub(crate) fn named_resources(values: &[(&str, &str, Attribute)]) -> Vec<u8> {
    let kinds = values.iter().map(|(kind, key, says)| {
        let item = match says {
            Attribute::Text(text) => field(2, &field(1, text.as_bytes())),
            Attribute::Flag(flag) => field(7, &[8 << 3, u8::from(*flag)]),
            Attribute::Number(number) => field(7, &[6 << 3, u8::try_from(*number).expect("small and whole")]),
            Attribute::Resource(_) => panic!("by its name alone"),
        };
        let entry = [field(2, key.as_bytes()), field(6, &field(2, &field(4, &item)))].concat();
        field(3, &[field(2, kind.as_bytes()), field(3, &entry)].concat())
    });
    field(2, &kinds.collect::<Vec<_>>().concat())
}

fn element(node: &Node) -> Vec<u8> {
    let mut bytes = field(3, node.name.as_bytes());
    for (name, _, says) in &node.attributes {
        let text = match says {
            Attribute::Text(text) => (*text).to_owned(),
            Attribute::Number(number) => number.to_string(),
            Attribute::Flag(flag) => flag.to_string(),
            Attribute::Resource(_) => "@xml/net".to_owned(),
        };
        bytes.extend(field(4, &[field(2, name.as_bytes()), field(3, text.as_bytes())].concat()));
    }
    for child in &node.children {
        bytes.extend(field(5, &message(child)));
    }
    bytes
}

fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![(number << 3) | 2];
    let mut length = value.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("small and whole") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("small and whole"));
    bytes.extend(value);
    bytes
}

/// A binary property list of texts.
pub(crate) fn binary_list(members: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let count = u8::try_from(members.len()).expect("small and whole");
    let mut offsets = vec![u8::try_from(bytes.len()).expect("small and whole")];
    bytes.push(0xd0 | count);
    bytes.extend(1..=2 * count);
    for text in members.iter().map(|(key, _)| key).chain(members.iter().map(|(_, value)| value)) {
        offsets.push(u8::try_from(bytes.len()).expect("small and whole"));
        bytes.extend([0x5f, 0x10, u8::try_from(text.len()).expect("small and whole")]);
        bytes.extend(text.as_bytes());
    }
    let table = bytes.len() as u64;
    bytes.extend(&offsets);
    bytes.extend([0, 0, 0, 0, 0, 0, 1, 1]);
    for number in [offsets.len() as u64, 0, table] {
        bytes.extend(number.to_be_bytes());
    }
    bytes
}
