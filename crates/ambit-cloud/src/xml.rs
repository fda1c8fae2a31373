//! Answers in XML as a tree: elements with text, attributes left out, since no answer that is read has any.

use quick_xml::escape::unescape;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Elements within elements: answers have some twelve.
const DEPTH_MAX: usize = 64;

/// An element of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its name without a prefix.
    name: String,
    text: String,
    within: Vec<Element>,
}

impl Element {
    /// Reads an answer; `None` where it is no XML, or breaks off.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader::from_str(text);
        let mut open = vec![Self::default()];
        loop {
            match reader.read_event().ok()? {
                Event::Start(begins) if open.len() < DEPTH_MAX => {
                    let name = local(begins.name().as_ref());
                    open.push(Self { name, ..Self::default() });
                }
                Event::Start(_) => return None,
                Event::Empty(element) => {
                    let name = local(element.name().as_ref());
                    open.last_mut()?.within.push(Self { name, ..Self::default() });
                }
                Event::End(_) => {
                    let ended = open.pop()?;
                    open.last_mut()?.within.push(ended);
                }
                Event::Text(piece) => open.last_mut()?.text.push_str(&piece),
                Event::CData(piece) => open.last_mut()?.text.push_str(&piece),
                Event::GeneralRef(name) => {
                    let reference = format!("&{};", &*name);
                    open.last_mut()?.text.push_str(&unescape(&reference).ok()?);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let document = open.pop().filter(|_| open.is_empty())?;
        document.within.into_iter().next()
    }

    /// Returns what it holds as a value: its text, or an object of the elements within it, those of one name as a list.
    pub(crate) fn value(self) -> Value {
        let Self { text, within, .. } = self;
        if within.is_empty() {
            let text = text.trim();
            return if text.is_empty() { Value::Null } else { Value::String(text.to_owned()) };
        }
        let mut members = Map::new();
        let mut several: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for element in within {
            several.entry(element.name.clone()).or_default().push(element.value());
        }
        for (name, mut values) in several {
            let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
            members.insert(name, value);
        }
        Value::Object(members)
    }
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_tree_and_what_breaks_off_is_none() {
        let text =
            "<?xml version=\"1.0\"?>\n<a:R xmlns:a=\"x\"><s><i><n>one &amp; 1</n><e/></i><i><n> two </n></i></s></a:R>";
        let answer = Element::parse(text).unwrap().value();
        assert_eq!(answer, serde_json::json!({"s": {"i": [{"n": "one & 1", "e": null}, {"n": "two"}]}}));
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        for text in ["", "no", "<a><b></a>", "<a><b>", "{}", &deep] {
            assert_eq!(Element::parse(text), None, "{text}");
        }
    }
}
