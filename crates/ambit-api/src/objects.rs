//! The envelope of the wider API (docs/contract/wider.md §1.3 and §1.5): objects, descriptors, collections with
//! cursors, and the failure that is only an error object.

use crate::contract::{Maybe, contract};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// An object with its attributes. `base` is the root of the API as the client called it.
pub fn object(base: &str, collection: &str, kind: &str, id: &str, attributes: Map<String, Value>) -> Value {
    json!({
        "type": kind,
        "id": id,
        "links": {"self": format!("{base}/{collection}/{}", path_segment(id))},
        "attributes": attributes,
    })
}

/// A descriptor: type and id alone.
pub fn descriptor(kind: &str, id: &str) -> Value {
    json!({"type": kind, "id": id})
}

/// A related object that is not there, as full collections show it (docs/contract/wider.md §1.3).
pub fn missing(kind: &str, id: &str) -> Value {
    json!({
        "type": kind,
        "id": id,
        "error": {"code": "NotFoundError", "message": format!("{kind} with id \"{id}\" not found")},
    })
}

/// Any answer that is one thing.
pub fn data(value: Value) -> Value {
    json!({"data": value})
}

/// A page of a collection with figures of the whole. The last page has no cursor.
pub fn collection(items: Vec<Value>, link: &str, next: Option<(&str, &str)>, figures: &[(&str, Value)]) -> Value {
    let mut meta: Map<String, Value> =
        figures.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut links = Map::from_iter([("self".to_owned(), json!(link))]);
    if let Some((cursor, next)) = next {
        meta.insert("cursor".to_owned(), json!(cursor));
        links.insert("next".to_owned(), json!(next));
    }
    let mut out = json!({"data": items, "links": links});
    if !meta.is_empty() {
        out["meta"] = Value::Object(meta);
    }
    out
}

/// Keeps only the named attributes of an object; unknown names are ignored (docs/contract/wider.md §1.3).
pub fn keep_attributes(object: &mut Value, names: &[String]) {
    if let Some(attributes) = object.get_mut("attributes").and_then(Value::as_object_mut) {
        attributes.retain(|name, _| names.contains(name));
    }
}

/// A segment of a path, escaped.
pub fn path_segment(text: &str) -> String {
    percent_escaped(text, b"-._~@:+=")
}

/// A value in a query, escaped.
pub fn query_value(text: &str) -> String {
    percent_escaped(text, b"-._~:")
}

/// Each byte that is neither a letter, a digit nor one of `plain` as `%XX`.
fn percent_escaped(text: &str, plain: &[u8]) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// A message as HTML: what could be markup is escaped, line ends become breaks.
pub fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace('\n', "<br />")
}

/// Every `#word` of a text, in order, each once.
pub fn hash_tags(text: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut tags: Vec<String> = Vec::new();
    for part in text.split('#').skip(1) {
        let tag: String = part.chars().take_while(|c| word(*c)).collect::<String>().to_lowercase();
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Addresses of an object, by what they lead to.
type Links = BTreeMap<String, String>;

contract! {
    /// An object.
    #[derive(Debug, Serialize)]
    pub struct Object {
        #[serde(rename = "type")]
        pub kind: String,
        pub id: String,
        pub links: Maybe<Links>,
        pub attributes: Maybe<Map<String, Value>>,
        #[serde(flatten)]
        pub others: Map<String, Value>,
    }

    /// The answer that is one object.
    #[derive(Debug, Serialize)]
    pub struct OneObject {
        pub data: Object,
        #[serde(flatten)]
        pub others: Map<String, Value>,
    }

    /// The answer that may be null or a list.
    #[derive(Debug, Serialize)]
    pub struct RelatedObjects {
        pub data: Value,
        #[serde(flatten)]
        pub others: Map<String, Value>,
    }

    /// The answer that is a page of objects.
    #[derive(Debug, Serialize)]
    pub struct ObjectCollection {
        pub data: Vec<Object>,
        pub links: Links,
        pub meta: Maybe<Map<String, Value>>,
    }

    /// The answer that is a boolean.
    #[derive(Debug, Serialize)]
    pub struct Whether {
        pub data: bool,
    }

    /// The answer that is an object with members of its own.
    #[derive(Debug, Serialize)]
    pub struct Figures {
        pub data: Map<String, Value>,
    }

    /// The answer that is a text.
    #[derive(Debug, Serialize)]
    pub struct Said {
        pub data: String,
    }

    /// A body with `data`: an object, or a list of them.
    #[derive(Debug, Deserialize)]
    pub struct NewObject {
        pub data: Value,
    }

    /// A body that is a form.
    #[derive(Debug, Deserialize)]
    pub struct Form {
        pub file: Maybe<String>,
        pub url: Maybe<String>,
    }

    /// A failure.
    #[derive(Debug, Serialize)]
    pub struct FailureObject {
        pub error: ErrorObject,
    }

    /// What went wrong.
    #[derive(Debug, Serialize)]
    pub struct ErrorObject as "" {
        pub code: &'static str,
        pub message: String,
    }

    /// A failure in version 2.
    #[derive(Debug, Serialize)]
    pub struct FailureOfV2 {
        pub response_code: i64,
        pub verbose_msg: String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Contract;

    #[test]
    fn the_last_page_has_no_cursor() {
        let last = collection(vec![descriptor("user", "ann")], "http://h/x", None, &[]);
        assert_eq!(last, json!({"data": [{"type": "user", "id": "ann"}], "links": {"self": "http://h/x"}}));
        let more = collection(vec![], "s", Some(("c", "n")), &[("count", json!(3))]);
        assert_eq!(more, json!({"data": [], "links": {"self": "s", "next": "n"}, "meta": {"count": 3, "cursor": "c"}}));
        assert_eq!(ObjectCollection::SHAPE.differences(&last), Vec::<String>::new());
    }

    #[test]
    fn tags_and_markup_of_a_text() {
        assert_eq!(hash_tags("#aicc #monitorapp #malware, #Aicc #"), ["aicc", "monitorapp", "malware"]);
        assert_eq!(html("such <b>\n"), "such &lt;b&gt;<br />");
        assert_eq!(path_segment("a/b c"), "a%2Fb%20c");
    }

    #[test]
    fn attributes_are_narrowed() {
        let mut value = object(
            "http://h/api/v3",
            "graphs",
            "graph",
            "g1",
            Map::from_iter([("a".to_owned(), json!(1)), ("b".to_owned(), json!(2))]),
        );
        keep_attributes(&mut value, &["b".to_owned(), "unknown".to_owned()]);
        assert_eq!(value["attributes"], json!({"b": 2}));
        assert_eq!(value["links"]["self"], "http://h/api/v3/graphs/g1");
        assert_eq!(Object::SHAPE.differences(&value), Vec::<String>::new());
    }
}
