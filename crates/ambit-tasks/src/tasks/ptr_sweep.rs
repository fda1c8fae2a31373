//! The reverse names of the addresses of a block that is a seed.

use crate::ask::blocks;
use crate::ask::host::reverse_name;
use crate::ask::together::together;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::facts::Neighbour;
use ambit_model::scope::spells;
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{RecordData, RecordType};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::PtrSweep,
    pretty_name: "Reverse DNS sweep",
    description: "Looks up the PTR records of every address of a block that is theirs.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetBlock],
    produces: &[Kind::DnsRecord, Kind::Domain],
    cost: 256,
    gain: 50,
    plan: |facts, _| {
        let block = blocks::block(facts).filter(|_| facts.decision.scoped());
        match block.and_then(blocks::size) {
            Some(size) => Plan::Sweep { prefix: String::new(), size, step: STEP },
            None => Plan::No,
        }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Addresses of one look.
const STEP: i64 = 256;
/// Look-ups in flight; the resolver's own window paces them.
const IN_FLIGHT: usize = 64;
/// Share of look-ups, per cent, that may stay without an answer before the look counts as failed.
const LOST_PERCENT: usize = 10;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let block = blocks::block(cx.facts).ok_or_else(|| TaskError::Failed("not a block".into()))?;
    let asked = blocks::addresses(block, cx.argument)
        .ok_or_else(|| TaskError::Failed(format!("not a range of the block: {:?}", cx.argument)))?;
    let count = asked.len();
    let ask = |address: IpAddr| async move { (address, own_names(cx, address).await) };
    let (mut names, mut failures) = (BTreeSet::new(), BTreeMap::new());
    for (address, answer) in together(asked.into_iter().map(ask), IN_FLIGHT).await {
        match answer {
            Ok(found) => names.extend(found),
            Err(error) => {
                failures.insert(address, error);
            }
        }
    }
    // Any of those that were known may be that of an address without an answer.
    let known: Vec<&Neighbour> = cx.facts.led_to(TASK.name, cx.argument).collect();
    let is_failed = failures.len() * 100 > count * LOST_PERCENT || (names.is_empty() && !known.is_empty());
    if !names.is_empty() && !failures.is_empty() {
        known.into_iter().for_each(|known| cx.stands(known));
    }
    for name in &names {
        cx.found_host(name, EdgeKind::Pointer);
    }
    let failure = failures.into_values().next().filter(|_| is_failed);
    Answer::despite(!names.is_empty(), failure.map(TaskError::from))
}

/// PTR names of an address. One that only spells the address is the provider's and identifies nobody. Fails where there
/// are more than are read: of a name that is known nobody says then whether it is among the others.
pub(crate) async fn own_names(cx: &Context<'_>, address: IpAddr) -> Result<Vec<String>, NetError> {
    let answer = cx.net.lookup_uncached(&reverse_name(address), RecordType::PTR).await?;
    if answer.cut {
        return Err(NetError::TooLarge("records of one DNS answer"));
    }
    let spelled = address.to_string();
    let names = answer.records.iter().filter_map(|record| match &record.data {
        RecordData::Ptr(name) if !spells(name, &spelled) => Some(name.clone()),
        _ => None,
    });
    Ok(names.collect())
}
