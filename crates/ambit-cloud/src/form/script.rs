//! What a page of HTML holds for machines: JSON-LD in scripts of a media type of their own.

use serde_json::{Map, Value};

/// Scripts of one page that are read.
const SCRIPTS_MAX: usize = 50;
/// What things of JSON-LD are lists of.
const GRAPH: &str = "@graph";
/// What a thing of JSON-LD is.
const TYPE: &str = "@type";

/// Returns the things that stand in the scripts of this media type, as lists by what they are. `None`: no script of the
/// page holds any. A script that cannot be read is left out.
pub(crate) fn things(page: &[u8], media: &str) -> Option<Value> {
    let page = String::from_utf8_lossy(page);
    let mut by_type = Map::new();
    for script in scripts(&page, media).take(SCRIPTS_MAX) {
        if let Ok(value) = serde_json::from_str::<Value>(script) {
            sort_in(value, &mut by_type);
        }
    }
    (!by_type.is_empty()).then(|| Value::Object(by_type))
}

/// Returns the scripts of a media type. A script ends with the next `</script`, whatever its content.
fn scripts<'a>(page: &'a str, media: &'a str) -> impl Iterator<Item = &'a str> {
    // ASCII letters alone change: places in the one are places in the other.
    let small = page.to_ascii_lowercase();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let open = at + small.get(at..)?.find("<script")? + "<script".len();
            let inside = open + small[open..].find('>')? + 1;
            let end = inside + small[inside..].find("</script")?;
            at = end;
            if small[open..inside].contains(media) {
                return page.get(inside..end);
            }
        }
    })
}

/// Types of one thing that count: it is kept once for each.
const TYPES_MAX: usize = 8;

fn sort_in(value: Value, by_type: &mut Map<String, Value>) {
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| sort_in(item, by_type)),
        Value::Object(mut thing) => {
            if let Some(Value::Array(items)) = thing.remove(GRAPH) {
                items.into_iter().for_each(|item| sort_in(item, by_type));
            }
            let types: Vec<String> = match thing.get(TYPE) {
                Some(Value::String(name)) => vec![name.clone()],
                Some(Value::Array(names)) => {
                    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).take(TYPES_MAX).collect()
                }
                _ => Vec::new(),
            };
            for name in types {
                if let Value::Array(list) = by_type.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                    list.push(Value::Object(thing.clone()));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const MEDIA: &str = "application/ld+json";

    #[test]
    fn things_are_read_by_what_they_are_from_scripts_of_their_type_alone() {
        for (page, wanted) in [
            ("<script type=\"application/ld+json\">{\"@type\":\"A\",\"x\":1}</script>", Some(json!({"A": [{"x": 1}]}))),
            (
                "<script type=application/ld+json>[{\"@type\":[\"A\",\"B\"]},{\"x\":2}]</SCRIPT>",
                Some(json!({"A": [{}], "B": [{}]})),
            ),
            (
                "<script type='application/ld+json'>{\"@graph\":[{\"@type\":\"A\"},{\"@type\":\"A\"}]}</script >",
                Some(json!({"A": [{}, {}]})),
            ),
            ("<script>{\"@type\":\"A\"}</script>", None),
            ("<script type=\"application/ld+json\">{\"@type\":\"A\"}", None),
            ("<script type=\"application/ld+json\">{</script>", None),
            ("<script", None),
            (
                "İ<script type=\"application/ld+json\">{\"@type\":\"A\",\"x\":\"İ\"}</script>",
                Some(json!({"A": [{"x": "İ"}]})),
            ),
        ] {
            let mut read = things(page.as_bytes(), MEDIA);
            // Their place says what they are.
            for thing in read.iter_mut().filter_map(Value::as_object_mut).flat_map(|lists| lists.values_mut()) {
                thing
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .for_each(|thing| drop(thing.as_object_mut().unwrap().remove(TYPE)));
            }
            assert_eq!(read, wanted, "{page}");
        }
        let many = "<script type=\"application/ld+json\">{\"@type\":\"A\"}</script>".repeat(SCRIPTS_MAX + 5);
        assert_eq!(things(many.as_bytes(), MEDIA).unwrap()["A"].as_array().unwrap().len(), SCRIPTS_MAX);
    }
}
