//! The envelope of the wider API (docs/contract/wider.md §1.3 and §1.5): objects, descriptors, collections with cursors, and the failure that is only
//! an error object.

use crate::shape::{ANY, Object, Shape, TEXT, member, optional};
use serde_json::{Map, Value, json};

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
    let mut meta: Map<String, Value> = figures.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
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
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
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

static LINKS: Shape = Shape::Map(TEXT);

/// An object.
pub static OBJECT: Shape = Shape::Object(&Object {
    name: "Object",
    members: &[
        member("type", TEXT),
        member("id", TEXT),
        optional("links", &LINKS),
        optional("attributes", &Shape::Map(ANY)),
    ],
    open: true,
});

/// The answer that is one object.
pub static ONE: Shape = Shape::Object(&Object {
    name: "OneObject",
    members: &[member("data", &OBJECT)],
    open: true,
});

/// The answer that may be null or a list.
pub static RELATED: Shape = Shape::Object(&Object {
    name: "RelatedObjects",
    members: &[member("data", ANY)],
    open: true,
});

/// The answer that is a page of objects.
pub static COLLECTION: Shape = Shape::Object(&Object {
    name: "ObjectCollection",
    members: &[
        member("data", &Shape::List(&OBJECT)),
        member("links", &LINKS),
        optional("meta", &Shape::Map(ANY)),
    ],
    open: false,
});

/// The answer that is a boolean.
pub static WHETHER: Shape = Shape::Object(&Object {
    name: "Whether",
    members: &[member("data", &Shape::Boolean)],
    open: false,
});

/// The answer that is an object with members of its own.
pub static FIGURES: Shape = Shape::Object(&Object {
    name: "Figures",
    members: &[member("data", &Shape::Map(ANY))],
    open: false,
});

/// The answer that is a text.
pub static SAID: Shape = Shape::Object(&Object {
    name: "Said",
    members: &[member("data", TEXT)],
    open: false,
});

/// A body with `data`: an object, or a list of them.
pub static NEW: Shape = Shape::Object(&Object {
    name: "NewObject",
    members: &[member("data", ANY)],
    open: true,
});

/// A body that is a form.
pub static FORM: Shape = Shape::Object(&Object {
    name: "Form",
    members: &[optional("file", TEXT), optional("url", TEXT)],
    open: true,
});

/// A failure.
pub static FAILURE: Shape = Shape::Object(&Object {
    name: "FailureObject",
    members: &[member(
        "error",
        &Shape::Object(&Object {
            name: "",
            members: &[member("code", TEXT), member("message", TEXT)],
            open: false,
        }),
    )],
    open: false,
});

/// A failure in version 2.
pub static V2_FAILURE: Shape = Shape::Object(&Object {
    name: "FailureOfV2",
    members: &[member("response_code", &Shape::Integer), member("verbose_msg", TEXT)],
    open: false,
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_has_no_cursor() {
        let last = collection(vec![descriptor("user", "ann")], "http://h/x", None, &[]);
        assert_eq!(last, json!({"data": [{"type": "user", "id": "ann"}], "links": {"self": "http://h/x"}}));
        let more = collection(vec![], "s", Some(("c", "n")), &[("count", json!(3))]);
        assert_eq!(
            more,
            json!({"data": [], "links": {"self": "s", "next": "n"}, "meta": {"count": 3, "cursor": "c"}})
        );
        assert_eq!(COLLECTION.differences(&last), Vec::<String>::new());
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
        assert_eq!(OBJECT.differences(&value), Vec::<String>::new());
    }
}
