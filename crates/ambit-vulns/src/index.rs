//! The index of all packs: what is known of each vulnerability from every source together, and which may concern a
//! product in a version, found without reading the others.

use crate::alias;
use crate::configuration::Criterion;
use crate::cpe::{Cpe, Value};
use crate::lifecycle::Lifecycle;
use crate::own::OWN;
use crate::records::{Extent, Records, Writer};
use crate::vulnerability::{CveId, Id, Vulnerability};
use ambit_model::version_order::Scheme;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io::Result;
use std::path::Path;

/// What an index says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct About {
    /// Tells two states of the packs apart.
    pub(crate) stamp: String,
    /// Until when makers care for versions.
    #[serde(default)]
    pub(crate) lifecycles: Vec<Lifecycle>,
}

/// Versions that a criterion means, as the index keeps them.
#[derive(Serialize, Deserialize)]
enum Versions {
    /// Whatever lies between the bounds: from, after, to, before.
    Between(Option<String>, Option<String>, Option<String>, Option<String>),
    Exactly(String),
    /// Only the whole criterion can tell.
    Perhaps,
}

/// A vulnerability that may concern a product.
#[derive(Serialize, Deserialize)]
struct Posting {
    /// What it is known by where that is no CVE id; year and number are 0 then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    year: u16,
    number: u32,
    at: u64,
    length: u32,
    versions: Vec<Versions>,
}

/// Builds the index of packs, which are given with those that lead first, and of our own list.
pub(crate) fn build(packs: &[Records], path: &Path, about: &About) -> Result<()> {
    let mut writer = Writer::create(path)?;
    let mut postings: HashMap<String, Vec<u8>> = HashMap::new();
    let mut heads: Vec<u64> = vec![0; packs.len()];
    let mut own = OWN.iter().peekable();
    loop {
        let mut next = own.peek().map(|(id, _)| Id::Cve(**id));
        for (pack, head) in packs.iter().zip(&heads) {
            if *head < pack.count() {
                let id = pack.row(*head)?.0;
                next = Some(next.map_or(id, |least| least.min(id)));
            }
        }
        let Some(id) = next else { break };
        let mut known = Vulnerability::default();
        for (pack, head) in packs.iter().zip(&mut heads) {
            while *head < pack.count() {
                let (own_id, place) = pack.row(*head)?;
                if own_id != id {
                    break;
                }
                known.merge(pack.record(place)?);
                *head += 1;
            }
        }
        if let Some((_, listed)) = own.next_if(|(own_id, _)| Id::Cve(**own_id) == id) {
            known.merge(listed.clone());
        }
        let place = writer.add(id, &known)?;
        post(&mut postings, id, place, &known)?;
    }
    let sorted: BTreeMap<String, Vec<u8>> = postings.into_iter().collect();
    let rows: Vec<(&str, Vec<u8>)> = sorted.iter().map(|(name, lines)| (name.as_str(), lines.clone())).collect();
    writer.finish(rows, about)
}

fn post(postings: &mut HashMap<String, Vec<u8>>, id: Id, place: Extent, known: &Vulnerability) -> Result<()> {
    if known.withdrawn {
        return Ok(());
    }
    for product in known.products() {
        let nodes = known.configurations.iter().flat_map(|configuration| &configuration.nodes);
        let criteria = nodes.flat_map(|node| &node.criteria).filter(|criterion| criterion.vulnerable);
        let versions = criteria.filter_map(|criterion| versions(criterion, &product)).collect();
        let (year, number, other) = match id {
            Id::Cve(id) => (id.year, id.number, None),
            Id::Other(_) => (0, 0, Some(id.to_string())),
        };
        let posting = Posting { other, year, number, at: place.at, length: place.length, versions };
        let lines = postings.entry(product).or_default();
        serde_json::to_writer(&mut *lines, &posting)?;
        lines.push(b'\n');
    }
    Ok(())
}

/// The versions of a criterion, where it concerns the product.
fn versions(criterion: &Criterion, product: &str) -> Option<Versions> {
    let name = Cpe::parse(&criterion.name)?;
    if alias::leading(&name.product_key()?) != product {
        return None;
    }
    let Criterion { from, after, to, before, .. } = criterion.clone();
    match &name.version {
        Value::NotApplicable => None,
        Value::Pattern(_) => Some(Versions::Perhaps),
        Value::Text(_) if Scheme::of(product) == Scheme::Exchange => Some(Versions::Perhaps),
        Value::Text(_) => name.full_version().map(Versions::Exactly),
        Value::Any => Some(Versions::Between(from, after, to, before)),
    }
}

impl Versions {
    fn may_cover(&self, scheme: Scheme, version: &str) -> bool {
        let holds = |bound: &Option<String>, wanted: fn(Ordering) -> bool| {
            bound.as_ref().is_none_or(|bound| scheme.compare(version, bound).is_some_and(wanted))
        };
        match self {
            Self::Perhaps => true,
            Self::Exactly(exact) => scheme.compare(version, exact) == Some(Ordering::Equal),
            Self::Between(from, after, to, before) => {
                holds(from, Ordering::is_ge)
                    && holds(after, Ordering::is_gt)
                    && holds(to, Ordering::is_le)
                    && holds(before, Ordering::is_lt)
            }
        }
    }
}

/// Returns what may concern a product in a version; its configurations are yet to be evaluated.
pub(crate) fn candidates(records: &Records, product: &str, version: &str) -> Result<Vec<(Id, Vulnerability)>> {
    let Some(lines) = records.product(alias::leading(product))? else { return Ok(Vec::new()) };
    let scheme = Scheme::of(product);
    let mut found = Vec::new();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let posting: Posting = serde_json::from_slice(line)?;
        if posting.versions.iter().any(|versions| versions.may_cover(scheme, version)) {
            let place = Extent { at: posting.at, length: posting.length };
            let of_other = posting.other.and_then(|other| other.parse().ok());
            let id = of_other.unwrap_or(Id::Cve(CveId { year: posting.year, number: posting.number }));
            found.push((id, records.record(place)?));
        }
    }
    Ok(found)
}
