//! Zones whose servers make up an NSEC record for each question, so that nobody reads their names one after another:
//! minimally covering records (RFC 4470, white lies) and compact denial of existence (RFC 9824, black lies).

use super::{ZONE_TTL, types_of};
use crate::draft::{Data, Draft};
use crate::plan;
use ambit_net::dns::RecordType;
use std::collections::BTreeSet;

/// The type that says that there is no such name (RFC 9824 §3.1).
const NXNAME: u16 = 128;
/// Bytes of a label.
const LABEL_MAX: usize = 63;

/// The record of a name that a zone with minimally covering records has, or that a wildcard of it answers for: the next
/// name is one that nobody has, just below it.
pub(super) fn own(draft: &Draft, zone: &str, name: &str) -> Option<Data> {
    let is_there = plan::exists(draft, name) || plan::entry(draft, name).is_some();
    is_there.then(|| record(format!("!.{name}"), types(draft, zone, name)))
}

/// The record that proves that such a zone does not have a name, or that only a wildcard answers for it: it begins just
/// before the name and ends just behind it, at names that nobody has.
pub(super) fn around(draft: &Draft, zone: &str, name: &str) -> (String, u32, Data) {
    if plan::exists(draft, name) {
        return (name.to_owned(), ZONE_TTL, record(format!("!.{name}"), types(draft, zone, name)));
    }
    let (label, above) = name.split_once('.').unwrap_or((name, ""));
    let mut front = label.to_owned();
    let last = front.pop().unwrap_or('!');
    let moved = |by: fn(u32) -> u32| char::from_u32(by(u32::from(last))).unwrap_or(last);
    let before = format!("{front}{}", moved(|last| last.saturating_sub(1)));
    let (before, behind) = match label.len() {
        LABEL_MAX => (before, format!("{front}{}", moved(|last| last + 1))),
        _ => (format!("{before}~"), format!("{label}!")),
    };
    (format!("{before}.{above}"), ZONE_TTL, record(format!("{behind}.{above}"), BTreeSet::new()))
}

/// The record by which a zone with compact denial answers for any name: the next one is the first that could stand
/// below it, and of a name that is not there a type of its own says so.
pub(super) fn at(draft: &Draft, zone: &str, name: &str) -> (String, u32, Data) {
    let is_there = plan::exists(draft, name) || plan::entry(draft, name).is_some();
    let types = if is_there { types(draft, zone, name) } else { BTreeSet::from([NXNAME]) };
    (name.to_owned(), ZONE_TTL, record(format!("\0.{name}"), types))
}

/// The types of a name, be it of a wildcard's.
fn types(draft: &Draft, zone: &str, name: &str) -> BTreeSet<u16> {
    let answering = plan::entry(draft, name).into_iter().flat_map(|entry| &entry.records);
    types_of(draft, zone, name).into_iter().chain(answering.map(|data| data.rtype().0)).collect()
}

fn record(next: String, mut types: BTreeSet<u16>) -> Data {
    types.extend([RecordType::RRSIG.0, RecordType::NSEC.0]);
    Data::Nsec(next, types.into_iter().collect())
}
