//! Files of rules: a file is known by what it holds, and taken whole or not at all.

use crate::pack::{Pack, PackError, PackKind};
use crate::rule::{Rule, Says};
use crate::set::Set;
use crate::{nuclei, recog, webappanalyzer};
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Bytes of a file: the largest public one has two million.
pub const PACK_BYTES_MAX: usize = 64 * 1_024 * 1_024;
/// Bytes at the beginning of a file by which an XML file is known.
const HEAD_BYTES: usize = 16 * 1_024;

/// Returns what a file of rules is, by its content; none where it is no such file.
pub fn detect(bytes: &[u8]) -> Option<PackKind> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    match text.first()? {
        b'<' => {
            let head = String::from_utf8_lossy(&text[..text.len().min(HEAD_BYTES)]);
            is_recog(&head).then_some(PackKind::Recog)
        }
        b'{' => {
            let first = first_entry(text)?;
            let has = |member: &str| first.get(member).is_some();
            match (has("cats") && first["cats"].is_array(), has("name") && has("priority") && has("groups")) {
                (true, _) => Some(PackKind::Webappanalyzer),
                (_, true) => Some(PackKind::WebappanalyzerCategories),
                _ => None,
            }
        }
        _ => nuclei::is_template(text).then_some(PackKind::Template),
    }
}

/// Returns whether a file may hold rules, by its first bytes: what begins otherwise need not be read.
pub fn may_begin(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    matches!(text.first(), Some(b'<' | b'{')) || nuclei::is_template(text)
}

/// Reads a file of rules, known by its content. Fails with the message that it is no such file, or with what is wrong
/// with it and where.
pub fn load(file: &str, bytes: &[u8]) -> Result<Pack, PackError> {
    if bytes.len() > PACK_BYTES_MAX {
        return Err(PackError::of(file, &format!("{} bytes, the limit is {PACK_BYTES_MAX}", bytes.len())));
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match detect(bytes) {
        Some(PackKind::Recog) => recog::read(file, text),
        Some(PackKind::Webappanalyzer) => webappanalyzer::read(file, text),
        Some(PackKind::WebappanalyzerCategories) => webappanalyzer::read_categories(file, text),
        Some(PackKind::Template) => nuclei::read(file, text),
        None => Err(PackError::of(
            file,
            "no known rules: expected a file of recog or webappanalyzer, or a template of nuclei",
        )),
    }
}

/// Whether the first element of an XML file is that of recog.
fn is_recog(head: &str) -> bool {
    let mut rest = head;
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!") && rest.find('[') < rest.find('>') && rest.contains('[') => "]>",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after;
    }
    rest.strip_prefix("<fingerprints").is_some_and(|rest| rest.starts_with([' ', '>', '\n', '\r', '\t']))
}

/// The value of the first member of a JSON object.
fn first_entry(text: &[u8]) -> Option<Value> {
    struct First<'a>(&'a mut Option<Value>);
    impl<'de> Visitor<'de> for First<'_> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            if map.next_key::<String>()?.is_some() {
                *self.0 = Some(map.next_value()?);
            }
            Ok(())
        }
    }
    let mut first = None;
    // What follows may be broken: reading the file says so, with the place.
    let _ = serde_json::Deserializer::from_slice(text).deserialize_map(First(&mut first));
    first
}

/// Puts our rules and those of packs together: each file of recog is a chain of its own, and technologies are tagged
/// with their categories where their names are known.
pub(crate) fn together(ours: Vec<Rule>, packs: Vec<Pack>) -> Set {
    let categories: BTreeMap<u32, String> = packs.iter().flat_map(|pack| pack.categories.iter().cloned()).collect();
    let mut all = Vec::new();
    // Our own rules have the chain 0.
    for (pack, chain) in packs.into_iter().zip(1..) {
        for mut rule in pack.rules {
            if pack.kind == PackKind::Recog {
                rule.chain = Some(chain);
            }
            if let (Says::Names(names), Some(relations)) = (&mut rule.says, &rule.relations)
                && let Some(tag) = relations.categories.iter().find_map(|number| categories.get(number))
            {
                names.tag = tag.as_str().into();
            }
            all.push(rule);
        }
    }
    Set::new(ours, all)
}
