//! A picture of a graph: nodes as discs where their positions say, links as lines, as a PNG. No text: the picture is a
//! thumbnail.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;

/// Pixels of a picture.
const WIDTH: usize = 960;
const HEIGHT: usize = 640;
/// Free pixels at the edges.
const MARGIN: f64 = 40.0;
/// Pixels of a disc's radius.
const RADIUS: i64 = 9;
/// Nodes and links that are drawn at most: beyond them a picture shows nothing more.
const DRAWN_MAX: usize = 5_000;
const BACKGROUND: [u8; 3] = [250, 250, 252];
const LINE: [u8; 3] = [150, 156, 170];
/// Node types with their colours; others are grey.
const COLOURS: [(&str, [u8; 3]); 6] = [
    ("file", [214, 69, 65]),
    ("domain", [52, 120, 198]),
    ("ip_address", [46, 160, 103]),
    ("url", [148, 90, 190]),
    ("relationship", [200, 203, 210]),
    ("custom", [230, 150, 50]),
];
const OTHER: [u8; 3] = [110, 115, 125];

struct Canvas(Vec<u8>);

impl Canvas {
    fn dot(&mut self, x: i64, y: i64, colour: [u8; 3]) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x < WIDTH && y < HEIGHT {
            let at = (y * WIDTH + x) * 3;
            self.0[at..at + 3].copy_from_slice(&colour);
        }
    }

    fn disc(&mut self, (x, y): (i64, i64), colour: [u8; 3]) {
        for dy in -RADIUS..=RADIUS {
            for dx in -RADIUS..=RADIUS {
                if dx * dx + dy * dy <= RADIUS * RADIUS {
                    self.dot(x + dx, y + dy, colour);
                }
            }
        }
    }

    fn line(&mut self, from: (i64, i64), to: (i64, i64)) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steps = dx.abs().max(dy.abs()).max(1);
        for step in 0..=steps {
            self.dot(from.0 + dx * step / steps, from.1 + dy * step / steps, LINE);
        }
    }
}

fn items<'a>(graph: &'a Value, name: &str) -> &'a [Value] {
    let items = graph.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    &items[..items.len().min(DRAWN_MAX)]
}

/// Where each node is on the canvas, in the order of the nodes; without a position, on a circle.
fn places(nodes: &[Value]) -> Vec<(i64, i64)> {
    let count = nodes.len().max(1) as f64;
    let given = |node: &Value, name: &str| {
        node.get(name).and_then(Value::as_f64).filter(|value| value.is_finite() && value.abs() < 1e9)
    };
    let raw: Vec<(f64, f64)> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let turn = index as f64 / count * std::f64::consts::TAU;
            let circle = (turn.cos() * 100.0, turn.sin() * 100.0);
            (given(node, "x").unwrap_or(circle.0), given(node, "y").unwrap_or(circle.1))
        })
        .collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = raw.iter().map(of);
        values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
    };
    let ((left, right), (top, bottom)) = (range(|one| one.0), range(|one| one.1));
    let scaled = |value: f64, (least, most): (f64, f64), size: usize| {
        let room = size as f64 - 2.0 * MARGIN;
        let part = if most > least { (value - least) / (most - least) } else { 0.5 };
        (MARGIN + part * room).round() as i64
    };
    raw.iter().map(|(x, y)| (scaled(*x, (left, right), WIDTH), scaled(*y, (top, bottom), HEIGHT))).collect()
}

/// The picture of a graph's document, as a PNG.
pub(crate) fn draw(graph: &Value) -> Vec<u8> {
    let nodes = items(graph, "nodes");
    let places = places(nodes);
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let named: BTreeMap<String, (i64, i64)> =
        nodes.iter().map(|node| text(node, "entity_id")).zip(places.iter().copied()).collect();
    let mut canvas = Canvas(BACKGROUND.repeat(WIDTH * HEIGHT));
    for link in items(graph, "links") {
        if let (Some(from), Some(to)) = (named.get(&text(link, "source")), named.get(&text(link, "target"))) {
            canvas.line(*from, *to);
        }
    }
    for (node, place) in nodes.iter().zip(places) {
        let kind = text(node, "type");
        let colour = COLOURS.iter().find(|(known, _)| *known == kind).map_or(OTHER, |(_, colour)| *colour);
        canvas.disc(place, colour);
    }
    png(&canvas.0)
}

/// RGB pixels as a PNG (W3C PNG, 2003): signature, header, compressed rows without filter, end.
fn png(pixels: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes();
    let header = [size(WIDTH).as_slice(), &size(HEIGHT), &[8, 2, 0, 0, 0]].concat();
    chunk(&mut out, *b"IHDR", &header);
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::fast());
    for row in pixels.chunks(WIDTH * 3) {
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

    #[test]
    fn every_graph_has_a_picture() {
        for graph in [
            json!({}),
            json!({"nodes": [{"type": "domain"}], "links": [{"source": "x"}]}),
            json!({"nodes": [{"entity_id": "a", "x": 1e300, "y": -5}, {"entity_id": "b", "type": "file", "x": "no"}],
            "links": [{"source": "a", "target": "b"}]}),
        ] {
            let picture = draw(&graph);
            assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n") && picture.ends_with(b"IEND\xaeB`\x82"), "{graph}");
        }
    }

    #[test]
    fn nodes_stand_where_their_positions_say() {
        let nodes = [json!({"x": 0, "y": 0}), json!({"x": 10, "y": 10}), json!({"x": 5, "y": 5})];
        assert_eq!(places(&nodes), [(40, 40), (920, 600), (480, 320)]);
        let different = draw(&json!({"nodes": nodes}));
        assert_ne!(different, draw(&json!({"nodes": [nodes[0].clone()]})));
    }
}
