//! Names that follow from the file without a zone in it: addresses to names, and addresses to autonomous systems.

use super::message::{Answer, Rcode};
use super::{Asked, ZONE_TTL, soa};
use crate::draft::Data;
use crate::plan;
use std::net::IpAddr;

/// The answer for a name of these trees; `None` for any other name.
pub(super) fn answer(asked: &Asked<'_>, name: &str) -> Option<Answer> {
    for (suffix, lookup) in [
        ("in-addr.arpa", pointer as fn(&Asked<'_>, &str) -> Option<Option<Data>>),
        ("ip6.arpa", pointer),
        ("asn.cymru.com", system),
    ] {
        if name == suffix || name.ends_with(&format!(".{suffix}")) {
            let mut answer = Answer::new(Rcode::NxDomain);
            // The outer option is whether the name exists, the inner one its data.
            if let Some(found) = lookup(asked, name) {
                answer.rcode = Rcode::NoError;
                let data = found.filter(|data| data.is_asked_by(asked.question.rtype));
                answer.answers.extend(data.map(|data| (name.to_owned(), ZONE_TTL, data)));
            }
            if answer.answers.is_empty() {
                answer.authority.push((suffix.to_owned(), ZONE_TTL, soa(suffix, "ns1.sources.example", 1)));
            }
            return Some(answer);
        }
    }
    None
}

/// A name above that of an address with a pointer exists, and has no data (RFC 8020 §2).
fn pointer(asked: &Asked<'_>, name: &str) -> Option<Option<Data>> {
    if matches!(name, "in-addr.arpa" | "ip6.arpa") {
        return Some(None);
    }
    let (first, last) = match name.strip_suffix(".in-addr.arpa") {
        Some(labels) => reversed_v4(labels)?,
        None => reversed_v6(name.strip_suffix(".ip6.arpa")?)?,
    };
    let mut pointers =
        asked.draft.hosts.range(first..=last).filter_map(|(at, host)| Some((at, host.pointer.as_ref()?)));
    let (_, pointer) = pointers.next()?;
    Some((first == last).then(|| Data::Ptr(pointer.clone())))
}

/// `4.3.2.1.origin.asn.cymru.com`, `….origin6.asn.cymru.com` and `AS64500.asn.cymru.com`.
fn system(asked: &Asked<'_>, name: &str) -> Option<Option<Data>> {
    let text = |text: String| Some(Some(Data::Txt(text.into_bytes())));
    let rest = name.strip_suffix(".asn.cymru.com")?;
    let date = |block: &crate::draft::Block| match block.allocated {
        crate::draft::Moment::At(moment) => moment.date(),
        crate::draft::Moment::FromEpoch(_) => "2015-03-02".to_owned(),
    };
    if let Some(number) = rest.strip_prefix("as").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        let number: u32 = number.parse().ok()?;
        let (_, block) = asked.draft.blocks.iter().find(|(_, block)| block.asn == Some(number))?;
        let org = asked.draft.orgs.get(&block.org).map_or("", |org| org.name.as_str());
        let line = format!(
            "{number} | {} | ripencc | {} | {} - {org}, {}",
            block.country,
            date(block),
            block.name,
            block.country
        );
        return text(line);
    }
    let (address, _) = match rest.strip_suffix(".origin") {
        Some(labels) => reversed_v4(labels).filter(|(first, last)| first == last)?,
        None => reversed_v6(rest.strip_suffix(".origin6")?)?,
    };
    let (net, block) = plan::block_of(asked.draft, address)?;
    let line = format!("{} | {net} | {} | ripencc | {}", block.asn?, block.country, date(block));
    text(line)
}

/// The first and the last of the addresses whose names end in these labels.
fn reversed_v4(labels: &str) -> Option<(IpAddr, IpAddr)> {
    let octets: Option<Vec<u8>> = labels.split('.').rev().map(octet).collect();
    let octets = octets.filter(|octets| octets.len() <= 4)?;
    let filled = |rest: u8| {
        let mut address = [rest; 4];
        address[..octets.len()].copy_from_slice(&octets);
        IpAddr::from(address)
    };
    Some((filled(0), filled(u8::MAX)))
}

fn octet(label: &str) -> Option<u8> {
    label.parse().ok().filter(|octet: &u8| octet.to_string() == label)
}

/// The same by nibbles.
fn reversed_v6(labels: &str) -> Option<(IpAddr, IpAddr)> {
    let nibbles: Vec<&str> = labels.split('.').collect();
    if nibbles.len() > 32 {
        return None;
    }
    let mut bits = 0u128;
    for (index, nibble) in nibbles.iter().rev().enumerate() {
        let value = u128::from_str_radix(nibble, 16).ok().filter(|_| nibble.len() == 1)?;
        bits |= value << (124 - 4 * index);
    }
    let below = u128::MAX.checked_shr(4 * u32::try_from(nibbles.len()).ok()?).unwrap_or(0);
    Some((IpAddr::from(bits.to_be_bytes()), IpAddr::from((bits | below).to_be_bytes())))
}
