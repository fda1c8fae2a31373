//! A picture of a graph, as a PNG: links as lines, nodes as discs where their positions say or, without any, where
//! there is room, and what the nodes are called.

mod font;
mod labels;
mod layout;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use layout::{Position, Web};
use serde_json::Value;
use std::io::Write;

/// Nodes and links that are drawn at most: beyond them a picture shows nothing more.
const DRAWN_MAX: usize = 5_000;
const BACKGROUND: Colour = [250, 250, 252];
const LINE: Colour = [176, 182, 194];
const TEXT: Colour = [40, 44, 52];
/// Node types with their colours; others are grey.
const COLOURS: [(&str, Colour); 6] = [
    ("file", [214, 69, 65]),
    ("domain", [52, 120, 198]),
    ("ip_address", [46, 160, 103]),
    ("url", [148, 90, 190]),
    ("relationship", [200, 203, 210]),
    ("custom", [230, 150, 50]),
];
const OTHER: Colour = [110, 115, 125];

type Colour = [u8; 3];

/// How large a picture and what is on it are, in pixels; a letter in pixels for each of its dots.
struct Size {
    width: usize,
    height: usize,
    radius: i64,
    letter: i64,
}

impl Size {
    /// The size for so many nodes: labels of few are large, and many have more room.
    fn of(nodes: usize) -> Size {
        let (width, height, radius, letter) = match nodes {
            0..=12 => (960, 640, 11, 2),
            13..=40 => (960, 640, 9, 1),
            41..=1_000 => (1_920, 1_280, 9, 1),
            _ => (1_920, 1_280, 5, 1),
        };
        Size { width, height, radius, letter }
    }
}

struct Canvas {
    size: Size,
    pixels: Vec<u8>,
}

impl Canvas {
    fn dot(&mut self, x: i64, y: i64, colour: Colour) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x < self.size.width && y < self.size.height {
            let at = (y * self.size.width + x) * 3;
            self.pixels[at..at + 3].copy_from_slice(&colour);
        }
    }

    fn block(&mut self, (left, top): Position, (wide, high): (i64, i64), colour: Colour) {
        for y in top..top + high {
            (left..left + wide).for_each(|x| self.dot(x, y, colour));
        }
    }

    fn disc(&mut self, (x, y): Position, radius: i64, colour: Colour) {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                if dx * dx + dy * dy <= radius * radius {
                    self.dot(x + dx, y + dy, colour);
                }
            }
        }
    }

    fn line(&mut self, from: Position, to: Position) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for step in 0..=steps {
            self.dot(from.0 + dx * step / steps, from.1 + dy * step / steps, LINE);
        }
    }

    /// A text on a ground of its own, so that no line runs through it.
    fn text(&mut self, text: &str, (left, top): Position) {
        let side = self.size.letter;
        for (character, start) in text.chars().zip((left..).step_by((font::ADVANCE * side) as usize)) {
            self.block((start, top), (font::ADVANCE * side, font::ROWS as i64 * side), BACKGROUND);
            for (row, bits) in (0..).zip(font::letter(character)) {
                for column in (0..font::ADVANCE - 1).filter(|column| bits >> (4 - column) & 1 == 1) {
                    self.block((start + column * side, top + row * side), (side, side), TEXT);
                }
            }
        }
    }
}

fn items<'a>(graph: &'a Value, name: &str) -> &'a [Value] {
    let items = graph.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    &items[..items.len().min(DRAWN_MAX)]
}

/// A member of a node or link that is text; anything else is none.
fn shown_text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The picture of a graph's document, as a PNG.
pub(crate) fn draw(graph: &Value) -> Vec<u8> {
    let web = Web::of(items(graph, "nodes"), items(graph, "links"));
    let size = Size::of(web.nodes.len());
    let places = layout::places(&web, &size);
    let labels = labels::place(&web, &places, &size);
    let mut canvas = Canvas { pixels: BACKGROUND.repeat(size.width * size.height), size };
    for (from, to) in &web.links {
        canvas.line(places[*from], places[*to]);
    }
    // What has most links is drawn last, so that nothing covers it.
    for index in web.by_weight().into_iter().rev() {
        let kind = shown_text(&web.nodes[index], "type");
        let colour = COLOURS.iter().find(|(known, _)| *known == kind).map_or(OTHER, |(_, colour)| *colour);
        let radius = if web.between(index) { canvas.size.radius / 2 + 1 } else { canvas.size.radius };
        canvas.disc(places[index], radius, colour);
    }
    for label in labels {
        canvas.text(&label.text, label.at);
    }
    png(&canvas)
}

/// RGB pixels as a PNG (W3C PNG, 2003): signature, header, compressed rows without filter, end.
fn png(canvas: &Canvas) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes();
    let header = [size(canvas.size.width).as_slice(), &size(canvas.size.height), &[8, 2, 0, 0, 0]].concat();
    chunk(&mut out, *b"IHDR", &header);
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::fast());
    for row in canvas.pixels.chunks(canvas.size.width * 3) {
        let written = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
        written.expect("writing into memory does not fail");
    }
    chunk(&mut out, *b"IDAT", &rows.finish().expect("writing into memory does not fail"));
    chunk(&mut out, *b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: [u8; 4], bytes: &[u8]) {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(bytes);
    out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(kind);
    out.extend(bytes);
    out.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A graph as clients make it: things around a first one, each behind one of five relationships, and no positions.
    fn star(things: usize) -> Value {
        let kinds = ["resolutions", "subdomains", "communicating_files", "urls", "siblings"];
        let mut nodes = vec![json!({"type": "domain", "entity_id": "acme.test", "text": "", "x": 0, "y": 0})];
        let mut links = Vec::new();
        for kind in &kinds[..things.min(kinds.len())] {
            let id = format!("relationships_{kind}_acmetest");
            links.push(json!({"source": "acme.test", "target": id, "connection_type": kind}));
            nodes.push(json!({"type": "relationship", "entity_id": id, "text": "", "x": 0, "y": 0}));
        }
        for index in 0..things {
            let (kind, id) = match index % 3 {
                0 => ("ip_address", format!("203.0.113.{index}")),
                1 => ("domain", format!("host{index}.acme.test")),
                _ => ("file", format!("{index:064x}")),
            };
            let between = format!("relationships_{}_acmetest", kinds[index % kinds.len()]);
            links.push(json!({"source": between, "target": id, "connection_type": kinds[index % kinds.len()]}));
            nodes.push(json!({"type": kind, "entity_id": id, "text": "", "x": 0, "y": 0}));
        }
        json!({"nodes": nodes, "links": links})
    }

    #[test]
    fn every_graph_has_a_picture() {
        for graph in [
            json!({}),
            json!({"nodes": [{"type": "domain"}], "links": [{"source": "x"}]}),
            json!({"nodes": [{"entity_id": "a", "x": 1e300, "y": -5}, {"entity_id": "b", "type": "file", "x": "no"}],
            "links": [{"source": "a", "target": "b"}, {"source": "a", "target": "a"}]}),
        ] {
            let picture = draw(&graph);
            assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n") && picture.ends_with(b"IEND\xaeB`\x82"), "{graph}");
        }
    }

    #[test]
    fn nodes_stand_where_their_positions_say() {
        let graph = json!({"nodes": [{"x": 0, "y": 0}, {"x": 10, "y": 10}, {"x": 5, "y": 5}]});
        let web = Web::of(items(&graph, "nodes"), &[]);
        assert_eq!(layout::places(&web, &Size::of(3)), [(40, 40), (920, 600), (480, 320)]);
    }

    #[test]
    fn no_node_covers_another_and_the_labels_can_be_read() {
        // Things, and how many of the labels there must be room for.
        for (things, least) in [(1, 3), (24, 30), (300, 300)] {
            let graph = star(things);
            let web = Web::of(items(&graph, "nodes"), items(&graph, "links"));
            let size = Size::of(web.nodes.len());
            let places = layout::places(&web, &size);
            for (index, one) in places.iter().enumerate() {
                for other in &places[index + 1..] {
                    let apart = (one.0 - other.0).pow(2) + (one.1 - other.1).pow(2);
                    assert!(apart > (2 * size.radius).pow(2), "{things}: {one:?} {other:?}");
                }
            }
            let labels = labels::place(&web, &places, &size);
            assert!(labels.len() >= least, "{things}: {}", labels.len());
            assert_eq!(labels[0].text, "acme.test");
            assert!(draw(&graph).len() < 500_000);
        }
    }

    #[test]
    fn nodes_without_a_position_stand_beside_those_that_have_one() {
        let at = |id: &str, kind: &str, x: i64, y: i64| json!({"entity_id": id, "type": kind, "x": x, "y": y});
        let graph = json!({"nodes": [at("left", "domain", -100, 0), at("middle", "domain", 0, 0),
            at("right", "domain", 100, 0), at("far", "domain", 100, 80), at("between", "relationship", 0, 0),
            at("late", "file", 0, 0)],
        "links": [{"source": "middle", "target": "between"}, {"source": "between", "target": "right"},
            {"source": "left", "target": "late"}]});
        let web = Web::of(items(&graph, "nodes"), items(&graph, "links"));
        let places = layout::places(&web, &Size::of(6));
        assert_eq!(places[..4], [(40, 40), (480, 40), (920, 40), (920, 600)]);
        assert!(places[4].0 > 480 && places[4].0 < 920, "{places:?}");
        assert!(places[5].0 < 480 && places[5].1 < 320, "{places:?}");
    }

    #[test]
    fn the_largest_picture_is_bounded() {
        let picture = draw(&star(DRAWN_MAX * 2));
        assert!(picture.len() < 2_000_000, "{}", picture.len());
    }
}
