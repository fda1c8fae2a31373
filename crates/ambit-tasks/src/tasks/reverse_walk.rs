//! Addresses of a block too large to be asked one by one, from its reverse zone: a name that does not exist has nothing
//! below it (RFC 8020), so the tree of nibbles shows where there is something.

use crate::ask::blocks;
use crate::ask::host::reverse_name;
use crate::ask::together::together;
use crate::tasks::ptr_sweep::own_names;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::facts::Neighbour;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::RecordType;
use ipnet::{IpNet, Ipv6Net};
use sha2::{Digest, Sha256};
use std::net::Ipv6Addr;

pub(crate) const TASK: Task = Task {
    name: TaskName::ReverseWalk,
    pretty_name: "Reverse zone walk",
    description: "Walks the reverse zone of an IPv6 block that is theirs, nibble by nibble, to the addresses that have \
                  names.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetBlock],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::IpAddress],
    cost: 500,
    gain: 50,
    plan: |facts, _| Plan::once_if(facts.decision.scoped() && large_block(facts).is_some()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Look-ups of one walk: some hundred addresses far apart.
const QUESTIONS_MAX: usize = 50_000;
/// Look-ups in flight.
const IN_FLIGHT: usize = 64;
/// Nibbles of an address.
const NIBBLES: u8 = 32;

/// An IPv6 block that is not swept one by one.
fn large_block(facts: &Facts) -> Option<Ipv6Net> {
    match blocks::block(facts)? {
        IpNet::V6(net) if blocks::size(IpNet::V6(net)).is_none() => Some(net),
        _ => None,
    }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let block = large_block(cx.facts).ok_or_else(|| TaskError::Failed("not a large IPv6 block".into()))?;
    if answers_for_all(cx, block).await? {
        return Ok(Answer::Absent);
    }
    let mut level: Vec<(u128, u8)> = starts(block);
    let (mut questions, mut lost) = (0, Vec::new());
    while let Some((_, depth)) = level.first().copied() {
        questions += level.len();
        if questions > QUESTIONS_MAX {
            return Err(TaskError::OutOfBudget(format!("the reverse zone has more than {QUESTIONS_MAX} names to ask")));
        }
        let ask = |(prefix, depth): (u128, u8)| async move { (prefix, exists(cx, prefix, depth).await) };
        let mut there = Vec::new();
        for (prefix, exists) in together(level.into_iter().map(ask), IN_FLIGHT).await {
            match exists {
                Ok(true) => there.push(prefix),
                Ok(false) => {}
                Err(error) => lost.push(Lost::of(prefix, depth, error)?),
            }
        }
        if depth == NIBBLES {
            return named(cx, there, lost).await;
        }
        let below =
            |prefix: u128| (0..16_u128).map(move |nibble| (prefix | nibble << (4 * (NIBBLES - depth - 1)), depth + 1));
        level = there.into_iter().flat_map(below).collect();
    }
    named(cx, Vec::new(), lost).await
}

/// A part of the block of which nobody told.
struct Lost {
    prefix: u128,
    depth: u8,
    error: NetError,
}

impl Lost {
    /// Fails where nothing more may be asked.
    fn of(prefix: u128, depth: u8, error: NetError) -> Result<Self, NetError> {
        if matches!(error, NetError::Budget(_)) { Err(error) } else { Ok(Self { prefix, depth, error }) }
    }

    fn has(&self, address: Ipv6Addr) -> bool {
        let shift = 4 * u32::from(NIBBLES - self.depth);
        u128::from(address).checked_shr(shift) == self.prefix.checked_shr(shift)
    }
}

/// The prefixes of whole nibbles that make up the block.
fn starts(block: Ipv6Net) -> Vec<(u128, u8)> {
    let depth = block.prefix_len().div_ceil(4);
    let free = u32::from(depth * 4 - block.prefix_len());
    let shift = 128 - u32::from(depth) * 4;
    let first = u128::from(block.network());
    (0..1_u128 << free).map(|part| (first | part.checked_shl(shift).unwrap_or(0), depth)).collect()
}

/// Returns whether a name exists at or below this prefix.
async fn exists(cx: &Context<'_>, prefix: u128, depth: u8) -> Result<bool, NetError> {
    let whole = reverse_name(Ipv6Addr::from(prefix).into());
    let labels = usize::from(NIBBLES - depth);
    // Each nibble is a digit and a dot.
    let answer = cx.net.lookup_uncached(&whole[labels * 2..], RecordType::PTR).await?;
    Ok(!answer.is_nxdomain())
}

/// Returns true for a zone that synthesises names: even an address that cannot exist has one.
async fn answers_for_all(cx: &Context<'_>, block: Ipv6Net) -> Result<bool> {
    let digest = Sha256::digest(block.to_string());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    let host_mask = u128::MAX.checked_shr(u32::from(block.prefix_len())).unwrap_or(0);
    let improbable = u128::from(block.network()) | (u128::from_be_bytes(bytes) & host_mask);
    Ok(exists(cx, improbable, NIBBLES).await?)
}

/// Reports the addresses with their names. What is in parts that were lost stays as it was known.
async fn named(cx: &Context<'_>, addresses: Vec<u128>, mut lost: Vec<Lost>) -> Result<Answer> {
    for number in &addresses {
        let address = Ipv6Addr::from(*number);
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::BlockMember);
        match own_names(cx, address.into()).await {
            Ok(names) => names.iter().for_each(|name| cx.found_host(name, EdgeKind::Pointer)),
            Err(error) => lost.push(Lost::of(*number, NIBBLES, error)?),
        }
    }
    if !addresses.is_empty() && !lost.is_empty() {
        // Of a name nobody says at which address it was.
        let is_lost = |end: &&Neighbour| end.name.parse().map_or(true, |at| lost.iter().any(|part| part.has(at)));
        cx.facts.led_to(TASK.name, cx.argument).filter(is_lost).for_each(|end| cx.stands(end));
    }
    let failure = lost.into_iter().next().map(|part| TaskError::from(part.error));
    Answer::despite(!addresses.is_empty(), failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_a_prefix_with_all_below_it() {
        let at = |text: &str| text.parse::<Ipv6Addr>().unwrap();
        let lost = |prefix: &str, depth| Lost::of(u128::from(at(prefix)), depth, NetError::Closed("answer")).unwrap();
        let whole = lost("2001:db8::", 8);
        assert!(whole.has(at("2001:db8:ffff::1")) && !whole.has(at("2001:db9::")));
        let one = lost("2001:db8::17", NIBBLES);
        assert!(one.has(at("2001:db8::17")) && !one.has(at("2001:db8::18")));
        assert!(Lost::of(0, 1, NetError::Budget("over".into())).is_err(), "nothing more may be asked");
    }

    #[test]
    fn a_block_begins_at_whole_nibbles() {
        let net = |text: &str| text.parse::<Ipv6Net>().unwrap();
        assert_eq!(starts(net("2001:db8::/64")), [(u128::from(net("2001:db8::/64").network()), 16)]);
        let odd = starts(net("2001:db8::/63"));
        assert_eq!(odd.len(), 2);
        assert_eq!(Ipv6Addr::from(odd[1].0).to_string(), "2001:db8:0:1::");
    }
}
