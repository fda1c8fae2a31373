//! Finds which parts of a block that is swept are registered to somebody else. The registry is queried at regular
//! steps through the block before it is swept.

use crate::ask::bootstrap::PROVIDER;
use crate::ask::{blocks, whois};
use crate::read::rdap::{self, Person};
use crate::tasks::registration::{self, Registration};
use crate::{Answer, Contacts, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::facts::{LastProbe, ProbeOutcome};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::run::NotDoneReason;
use ambit_model::scope::ScopeReason;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(crate) const TASK: Task = Task {
    name: TaskName::Suballocations,
    pretty_name: "Allocations within a block",
    description: "Asks the registries which parts of a seed block are registered to somebody else.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetBlock],
    produces: &[Kind::NetBlock],
    ttl_ms: 7 * DAY_MS,
    cost: 32,
    gain: 64,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| Plan::once_if(is_asked(facts) && facts.outcome(TaskName::Registration).is_some()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Questions to the registries about one block: at the usual pace of two a second about a minute.
const QUESTIONS_MAX: u128 = 128;
/// Addresses from one question to the next: of a block that is not small no part of four is missed, as registries
/// seldom register less; of a small one, no address.
const STEP: u128 = 4;
/// Questions about a small block.
const QUESTIONS_OF_SMALL: u128 = 64;
/// Questions that fail one after another, from which no more are asked: the registry is down.
const FAILURES_IN_A_ROW: usize = 5;

/// True for a block that is swept and that registries know.
fn is_asked(facts: &Facts) -> bool {
    let is_swept = blocks::block(facts).and_then(blocks::size).is_some();
    facts.decision.scoped() && is_swept && registration::is_registered(facts)
}

/// True where nothing is to be asked of the registries before the block is swept, or they were asked. Where they gave
/// no answer, a person's word stands alone; that a network announces the block does not suffice.
pub(crate) fn were_asked(facts: &Facts) -> bool {
    let is_told = |probe: &LastProbe| probe.outcome != ProbeOutcome::Unknown || probe.confirmed.is_some();
    !is_asked(facts) || facts.probes_of(TASK.name).any(|(_, probe)| is_given(facts) || is_told(probe))
}

/// True for a block that a person named or allowed.
fn is_given(facts: &Facts) -> bool {
    facts.seed || facts.decision.reason == ScopeReason::Allowed
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let block = blocks::block(cx.facts).ok_or_else(|| TaskError::Failed("not a block".into()))?;
    let holders: BTreeSet<String> =
        cx.facts.to(EdgeKind::Registrant).map(|holder| holder.name.to_lowercase()).collect();
    let registration = cx.facts.outcome(TaskName::Registration);
    if registration == Some(ProbeOutcome::Unknown) {
        return Err(TaskError::SourceDown("no registry could be asked who holds the block".to_owned()));
    }
    // Without a known holder of the whole block, no part can belong to somebody else.
    if holders.is_empty() || !matches!(registration, Some(ProbeOutcome::Found | ProbeOutcome::InPart)) {
        return Ok(Answer::Absent);
    }
    let mut asking = Asking { cx, block, holders, strange: BTreeSet::new(), failed: Vec::new(), failures_in_a_row: 0 };
    let (mut at, last) = (number(block.network()), number(block.broadcast()));
    let step = step(last - at);
    while at <= last {
        let end = asking.ask(at, step).await?;
        at = at.saturating_add(step).max(end.saturating_add(1));
    }
    asking.report()
}

struct Asking<'a> {
    cx: &'a Context<'a>,
    block: IpNet,
    holders: BTreeSet<String>,
    /// Parts that are registered to somebody else.
    strange: BTreeSet<IpNet>,
    /// Parts of which no registry told.
    failed: Vec<(IpNet, TaskError)>,
    failures_in_a_row: usize,
}

impl Asking<'_> {
    /// Asks about the addresses from one on, and returns the last one that the answer is about. Fails where nothing
    /// more may be asked.
    async fn ask(&mut self, at: u128, step: u128) -> Result<u128> {
        let last = self.failed.last().map(|(_, error)| error.clone());
        let asked = match last.filter(|_| self.failures_in_a_row >= FAILURES_IN_A_ROW) {
            Some(error) => Err(error),
            None => allocation(self.cx, address(at, self.block)).await,
        };
        let told = match asked {
            Err(error) if matches!(error.reason(), NotDoneReason::OutOfBudget | NotDoneReason::RefusedByScope) => {
                return Err(error);
            }
            Err(error) => {
                self.failures_in_a_row += 1;
                self.failed.push((part(at, step, self.block), error));
                return Ok(at);
            }
            Ok(told) => told,
        };
        self.failures_in_a_row = 0;
        let is_within = |net: &IpNet| self.block.contains(net) && net.prefix_len() > self.block.prefix_len();
        let Some((allocation, people)) = told.filter(|(net, _)| is_within(net)) else { return Ok(at) };
        self.strange.extend(Some(allocation).filter(|_| is_somebody_else(&people, &self.holders)));
        Ok(number(allocation.broadcast()))
    }

    /// Reports the parts that belong to third parties. A part that could not be asked about keeps what an earlier probe
    /// recorded; without that, it is theirs if a person named the block, and unattributed if a network only announces
    /// it. Fails if nothing is known.
    fn report(self) -> Result<Answer> {
        let failure = self.failed.first().map(|(_, error)| error.clone());
        let mut apart: Vec<IpNet> = self.strange.iter().copied().collect();
        for allocation in &self.strange {
            self.cx.found(Kind::NetBlock, &allocation.to_string(), EdgeKind::Suballocation);
        }
        let known = self.cx.facts.led_to(TASK.name, self.cx.argument).filter(|end| end.edge == EdgeKind::Suballocation);
        for (net, end) in known.filter_map(|end| Some((end.name.parse::<IpNet>().ok()?, end))) {
            let is_open = self.failed.iter().any(|(part, _)| part.contains(&net) || net.contains(part));
            if is_open && !self.strange.contains(&net) {
                self.cx.stands(end);
                apart.push(net);
            }
        }
        let is_open = |part: &IpNet| !is_given(self.cx.facts) && !apart.iter().any(|net| net.contains(part));
        let unknown: Vec<IpNet> = self.failed.iter().map(|(part, _)| *part).filter(is_open).collect();
        let unknown = IpNet::aggregate(&unknown);
        let error = failure.as_ref().map(TaskError::to_string).unwrap_or_default();
        for part in &unknown {
            self.cx.found(Kind::NetBlock, &part.to_string(), EdgeKind::UnknownPart);
            self.cx.leave_out(format!("{part}, since no registry could say who holds it: {error}"));
        }
        Answer::despite(!apart.is_empty() || !unknown.is_empty(), failure)
    }
}

/// The part of a block that a question is about.
fn part(at: u128, step: u128, block: IpNet) -> IpNet {
    let bits = u8::try_from(step.trailing_zeros()).unwrap_or(0);
    let length = block.max_prefix_len().saturating_sub(bits);
    IpNet::new(address(at, block), length).map_or(block, |part| part.trunc())
}

/// Addresses from one question to the next in a block whose last number is so far from its first.
fn step(span: u128) -> u128 {
    (span / QUESTIONS_MAX + 1).max((span / QUESTIONS_OF_SMALL + 1).min(STEP))
}

/// The narrowest registered block around an address, and who registered it.
async fn allocation(cx: &Context<'_>, address: IpAddr) -> Result<Option<(IpNet, Vec<Person>)>> {
    let text = address.to_string();
    let (block, people) = match registration::ask(cx, &format!("ip/{text}"), &text).await? {
        Registration::Rdap(body) => (rdap::block(&body, Some(address)), rdap::people(&body)),
        Registration::Whois(text) => (whois::block(&text, address), whois::people(&text)),
        Registration::Nothing => (None, Vec::new()),
    };
    let net = block.and_then(|block| block.cidr.parse::<IpNet>().ok());
    Ok(net.map(|net| (net, people)))
}

/// True where a registrant is named, and none is one that holds the whole: what names nobody is its holder's.
fn is_somebody_else(people: &[Person], holders: &BTreeSet<String>) -> bool {
    let named = people.iter().filter(|person| person.registrant && !person.redacted());
    let names: Vec<String> =
        named.filter_map(|person| person.organization.as_ref()).map(|name| name.to_lowercase()).collect();
    !names.is_empty() && !names.iter().any(|name| holders.contains(name))
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

fn address(number: u128, block: IpNet) -> IpAddr {
    match block {
        IpNet::V4(_) => IpAddr::V4(Ipv4Addr::from(u32::try_from(number).unwrap_or(u32::MAX))),
        IpNet::V6(_) => IpAddr::V6(Ipv6Addr::from(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_nobody_is_its_holders() {
        let person = |organization: Option<&str>| Person {
            organization: organization.map(str::to_owned),
            registrant: true,
            ..Person::default()
        };
        let holders = BTreeSet::from(["acme corp".to_owned()]);
        assert!(is_somebody_else(&[person(Some("Other"))], &holders));
        assert!(!is_somebody_else(&[person(Some("ACME Corp"))], &holders));
        assert!(!is_somebody_else(&[person(None)], &holders));
        assert!(!is_somebody_else(&[], &holders));
    }

    #[test]
    fn a_small_block_is_asked_for_each_address_and_a_larger_one_for_every_fourth() {
        let steps = [32, 29, 26, 25, 24, 23, 22, 16].map(|prefix| step((1_u128 << (32 - prefix)) - 1));
        assert_eq!(steps, [1, 1, 1, 2, 4, 4, 8, 512]);
    }

    #[test]
    fn numbers_and_addresses_go_both_ways() {
        for (text, block) in [("203.0.113.7", "203.0.113.0/24"), ("2001:db8::7", "2001:db8::/120")] {
            let parsed: IpAddr = text.parse().unwrap();
            assert_eq!(address(number(parsed), block.parse().unwrap()), parsed);
        }
    }
}
