//! Where the nodes of a graph stand on its picture. Positions that tell nodes apart are kept. A node without one stands
//! at a free place near those it is linked with; clients send 0, 0 for every node whose position they do not know.

use super::{Size, shown_text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Free pixels at the edges.
const MARGIN: f64 = 40.0;
/// The angle by which each free place is turned against the one before, so that they fill an area evenly.
const TURN: f64 = 2.399_963_229_728_653;
/// How many radii of a disc stay free around one whose position is given.
const CLEAR: f64 = 3.0;

pub(super) type Position = (i64, i64);

/// Nodes, links between them by index, and how many links each node has.
pub(super) struct Web<'a> {
    pub(super) nodes: &'a [Value],
    pub(super) links: Vec<(usize, usize)>,
    pub(super) degrees: Vec<usize>,
}

impl<'a> Web<'a> {
    /// The web of a graph's nodes and links; links whose ends are not both nodes are left out.
    pub(super) fn of(nodes: &'a [Value], links: &[Value]) -> Web<'a> {
        let named: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(index, node)| (shown_text(node, "entity_id"), index)).collect();
        let end = |link: &Value, name: &str| named.get(shown_text(link, name)).copied();
        let links: Vec<(usize, usize)> =
            links.iter().filter_map(|link| end(link, "source").zip(end(link, "target"))).collect();
        let mut degrees = vec![0; nodes.len()];
        links.iter().for_each(|(from, to)| {
            degrees[*from] += 1;
            degrees[*to] += 1;
        });
        Web { nodes, links, degrees }
    }

    /// Whether a node stands for a relationship and not for a thing.
    pub(super) fn between(&self, index: usize) -> bool {
        shown_text(&self.nodes[index], "type") == "relationship"
    }

    /// The indexes of the nodes by weight: things before relationships, those with the most links first.
    pub(super) fn by_weight(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.nodes.len()).collect();
        all.sort_by_key(|index| (self.between(*index), std::cmp::Reverse(self.degrees[*index])));
        all
    }

    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); self.nodes.len()];
        for (from, to) in &self.links {
            all[*from].push(*to);
            all[*to].push(*from);
        }
        all
    }
}

/// The positions that tell nodes apart: of several nodes with the same one the first thing has it. Where all are the
/// same, none says anything.
fn given(web: &Web<'_>) -> Vec<Option<(f64, f64)>> {
    let number = |node: &Value, name: &str| {
        let number = node.get(name).and_then(Value::as_f64).filter(|value| value.is_finite() && value.abs() < 1e9);
        number.map(|value| value + 0.0)
    };
    let mut seen = BTreeSet::new();
    let mut found = vec![None; web.nodes.len()];
    let (between, things): (Vec<usize>, Vec<usize>) = (0..web.nodes.len()).partition(|index| web.between(*index));
    for index in things.into_iter().chain(between) {
        let node = &web.nodes[index];
        let own = number(node, "x").zip(number(node, "y"));
        // A relationship at the origin has no position: clients cannot give it another one.
        let own = own.filter(|place| !web.between(index) || *place != (0.0, 0.0));
        found[index] = own.filter(|(x, y)| seen.insert((x.to_bits(), y.to_bits())));
    }
    if seen.len() < 2 { vec![None; web.nodes.len()] } else { found }
}

/// The given positions, stretched over the picture.
fn stretched(given: &[Option<(f64, f64)>], size: &Size) -> Vec<Option<Position>> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = given.iter().flatten().map(of);
        values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
    };
    let ((left, right), (top, bottom)) = (range(|one| one.0), range(|one| one.1));
    let scaled = |value: f64, (least, most): (f64, f64), size: usize| {
        let room = size as f64 - 2.0 * MARGIN;
        let part = if most > least { (value - least) / (most - least) } else { 0.5 };
        (MARGIN + part * room).round() as i64
    };
    let place = |(x, y): (f64, f64)| (scaled(x, (left, right), size.width), scaled(y, (top, bottom), size.height));
    given.iter().map(|one| one.map(place)).collect()
}

fn distance((ax, ay): Position, (bx, by): Position) -> i64 {
    (ax - bx).pow(2) + (ay - by).pow(2)
}

/// Places from the middle outwards that are free: as many as are wanted, and more where given positions take some.
fn free(placed: &[Option<Position>], size: &Size) -> Vec<Position> {
    let taken: Vec<Position> = placed.iter().flatten().copied().collect();
    let wanted = placed.len() - taken.len();
    let spots = if taken.is_empty() { wanted } else { placed.len() * 2 };
    let half = |length: usize| length as f64 / 2.0;
    let clear = ((size.radius as f64 * CLEAR) as i64).pow(2);
    let spot = |index: usize| {
        let (out, angle) = ((index as f64 / spots as f64).sqrt(), index as f64 * TURN);
        let along = |length: usize, part: f64| (half(length) + (half(length) - MARGIN) * out * part).round() as i64;
        (along(size.width, angle.cos()), along(size.height, angle.sin()))
    };
    let clear_of = |place: &Position| taken.iter().all(|other| distance(*place, *other) >= clear);
    (0..spots).map(spot).filter(clear_of).collect()
}

/// The middle of those neighbours that have a place, or of the picture.
fn wish(neighbours: &[usize], placed: &[Option<Position>], size: &Size) -> Position {
    let known: Vec<Position> = neighbours.iter().filter_map(|index| placed[*index]).collect();
    let Ok(count) = i64::try_from(known.len()) else { return (0, 0) };
    if count == 0 {
        return (size.width as i64 / 2, size.height as i64 / 2);
    }
    (known.iter().map(|one| one.0).sum::<i64>() / count, known.iter().map(|one| one.1).sum::<i64>() / count)
}

/// Where each node stands, in the order of the nodes.
pub(super) fn places(web: &Web<'_>, size: &Size) -> Vec<Position> {
    let mut placed = stretched(&given(web), size);
    let mut free = free(&placed, size);
    let neighbours = web.neighbours();
    let mut starts = web.by_weight().into_iter();
    let mut queue: VecDeque<usize> = (0..placed.len()).filter(|index| placed[*index].is_some()).collect();
    let mut met: Vec<bool> = placed.iter().map(Option::is_some).collect();
    while let Some(index) = queue.pop_front().or_else(|| starts.find(|index| !met[*index])) {
        met[index] = true;
        if placed[index].is_none() {
            let wish = wish(&neighbours[index], &placed, size);
            let nearest = (0..free.len()).min_by_key(|spot| distance(free[*spot], wish));
            // Nothing is free where given positions cover the picture.
            placed[index] = Some(nearest.map_or(wish, |spot| free.swap_remove(spot)));
        }
        for next in &neighbours[index] {
            if !met[*next] {
                met[*next] = true;
                queue.push_back(*next);
            }
        }
    }
    placed.into_iter().flatten().collect()
}
