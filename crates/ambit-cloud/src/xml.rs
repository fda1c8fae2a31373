//! Answers in XML as a tree: elements with text, attributes left out, since no answer that is read has any.

use quick_xml::escape::unescape;
use quick_xml::events::Event;
use quick_xml::reader::Reader;

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

    /// Returns whether it has this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns the first element of this name directly within it.
    pub(crate) fn find(&self, name: &str) -> Option<&Self> {
        self.within.iter().find(|element| element.name == name)
    }

    /// Returns the text at the end of a path of names; `None` where it is not there or empty.
    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        let mut at = self;
        for name in path {
            at = at.find(name)?;
        }
        Some(at.text.trim()).filter(|text| !text.is_empty())
    }

    /// Returns the elements of a list: what stands as `each` within `list`.
    pub(crate) fn list<'a>(&'a self, list: &str, each: &'a str) -> impl Iterator<Item = &'a Self> {
        let within = self.find(list).map(|list| list.within.as_slice()).unwrap_or_default();
        within.iter().filter(move |element| element.name == each)
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
        let answer = Element::parse(text).unwrap();
        assert!(answer.is("R"));
        let names: Vec<_> = answer.list("s", "i").map(|item| item.text(&["n"])).collect();
        assert_eq!(names, [Some("one & 1"), Some("two")]);
        assert_eq!(answer.find("s").unwrap().find("i").unwrap().text(&["e"]), None);
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        for text in ["", "no", "<a><b></a>", "<a><b>", "{}", &deep] {
            assert_eq!(Element::parse(text), None, "{text}");
        }
    }
}
