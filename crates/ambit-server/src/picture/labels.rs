//! The labels of a picture: what a node is called, shortened, and where that can be read. A label covers no node and no
//! other label; one that finds no room is left out.

use super::font::{ADVANCE, ROWS};
use super::layout::{Position, Web};
use super::{Size, shown_text};
use serde_json::Value;

/// Characters of a label: as many as fit beside few nodes, and the beginning that still tells names apart among many.
const LENGTHS: [usize; 3] = [28, 16, 9];
/// Digits from which on a name that has nothing else is a hash, and how many of it are shown.
const HASH_MIN: usize = 32;
const HASH_SHOWN: usize = 8;
/// Pixels between a disc and its label.
const GAP: i64 = 3;

/// A text, and where its upper left corner is.
pub(super) struct Label {
    pub(super) text: String,
    pub(super) at: Position,
}

/// An area: left, top, right and bottom, the latter two outside.
type Area = (i64, i64, i64, i64);

/// A text with at most so many characters, three dots being one.
fn cut(text: &str, length: usize) -> String {
    let start: String = text.chars().take(length).collect();
    if start.len() == text.len() { start } else { start.chars().take(length - 1).chain(['…']).collect() }
}

/// What a node is called: its text, or its id. A relationship is called by its type, which its id holds.
fn name(node: &Value) -> String {
    let (text, id) = (shown_text(node, "text").trim(), shown_text(node, "entity_id"));
    let text = if text.is_empty() { id } else { text };
    if shown_text(node, "type") == "relationship"
        && let Some(rest) = id.strip_prefix("relationships_")
    {
        return rest.rsplit_once('_').map_or(rest, |(kind, _)| kind).replace('_', " ");
    }
    if text.len() >= HASH_MIN && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return cut(text, HASH_SHOWN + 1);
    }
    text.chars().map(|one| if one.is_control() { ' ' } else { one }).take(LENGTHS[0] + 1).collect()
}

/// What is covered already, by pixel.
struct Covered<'a> {
    size: &'a Size,
    pixels: Vec<bool>,
}

impl Covered<'_> {
    fn rows(&self, (left, top, right, bottom): Area) -> Option<impl Iterator<Item = std::ops::Range<usize>> + use<>> {
        let width = self.size.width;
        let inside = left >= 0 && top >= 0 && right <= width as i64 && bottom <= self.size.height as i64;
        inside.then(|| {
            (top as usize..bottom as usize).map(move |y| y * width + left as usize..y * width + right as usize)
        })
    }

    fn is_free(&self, area: Area) -> bool {
        self.rows(area).is_some_and(|mut rows| rows.all(|row| !self.pixels[row].contains(&true)))
    }

    fn cover(&mut self, area: Area) {
        self.rows(area).into_iter().flatten().for_each(|row| self.pixels[row].fill(true));
    }
}

/// The labels of nodes that stand at these places; those of things with many links find room first.
pub(super) fn place(web: &Web<'_>, places: &[Position], size: &Size) -> Vec<Label> {
    let mut covered = Covered { size, pixels: vec![false; size.width * size.height] };
    for (x, y) in places {
        covered.cover((x - size.radius, y - size.radius, x + size.radius + 1, y + size.radius + 1));
    }
    let mut labels = Vec::new();
    for index in web.by_weight() {
        let name = name(&web.nodes[index]);
        if let Some((label, area)) = find_room(&name, places[index], size, &covered) {
            covered.cover(area);
            labels.push(label);
        }
    }
    labels
}

/// Where a name has room beside its node: below, right, left or above, and shorter where it has none.
fn find_room(name: &str, (x, y): Position, size: &Size, covered: &Covered<'_>) -> Option<(Label, Area)> {
    if name.is_empty() {
        return None;
    }
    let away = size.radius + GAP;
    let mut tried = usize::MAX;
    for length in LENGTHS {
        let text = cut(name, length);
        let count = text.chars().count();
        if count == tried {
            continue;
        }
        tried = count;
        let (wide, high) = (count as i64 * ADVANCE * size.letter, ROWS as i64 * size.letter);
        for (left, top) in [
            (x - wide / 2, y + away),
            (x + away, y - high / 2),
            (x - away - wide, y - high / 2),
            (x - wide / 2, y - away - high),
        ] {
            let area = (left, top, left + wide, top + high);
            if covered.is_free(area) {
                return Some((Label { text, at: (left, top) }, area));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_node_is_called_what_people_call_it() {
        let hash = "ab".repeat(32);
        let long = "a-very-long-name-of-a-host.example.org";
        for (node, wanted) in [
            (json!({"entity_id": "a.test", "text": "  mine "}), "mine"),
            (json!({"entity_id": "a.test", "text": ""}), "a.test"),
            (json!({"type": "file", "entity_id": hash}), "abababab…"),
            (json!({"type": "file", "entity_id": hash, "text": "evil.exe"}), "evil.exe"),
            (
                json!({"type": "relationship", "entity_id": "relationships_contacted_domains_abc", "text": ""}),
                "contacted domains",
            ),
            (json!({"type": "relationship", "entity_id": "relationships_group_a,b"}), "group"),
            (json!({"type": "relationship", "entity_id": "made-up"}), "made-up"),
            (json!({"text": "two\nlines\u{7}"}), "two lines "),
            (json!({"entity_id": long}), "a-very-long-name-of-a-host.…"),
            (json!({"entity_id": 7}), ""),
        ] {
            assert_eq!(cut(&name(&node), LENGTHS[0]), wanted, "{node}");
        }
    }
}
