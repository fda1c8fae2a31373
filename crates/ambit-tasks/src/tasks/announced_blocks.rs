//! Blocks that a network which is a seed announces, as far as they are registered to whoever registered the network.

use crate::ask::bootstrap::PROVIDER;
use crate::ask::whois;
use crate::read::rdap::{self, Person};
use crate::tasks::registration::{self, Registration};
use crate::{Answer, Contacts, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::autonomous_system;
use ambit_model::facts::Neighbour;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use ipnet::IpNet;
use serde::Deserialize;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::AnnouncedBlocks,
    pretty_name: "Announced blocks",
    description: "Looks up which blocks an autonomous system announces, and asks the registries who holds each of \
                  them.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::AutonomousSystem],
    produces: &[Kind::NetBlock],
    ttl_ms: 7 * DAY_MS,
    cost: 16,
    gain: 64,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| Plan::once_if(facts.seed || facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Where announcements are asked for: the routing information service of the RIPE NCC, which sees all of the internet.
const ROUTES: &str = "stat.ripe.net";
/// Blocks of one network that are asked for at registries, those that lie in no other first: at the usual pace of two a
/// second some minutes.
const BLOCKS_MAX: usize = 1_000;

/// Questions about blocks that fail one after another, from which no more are asked: the registry is down.
const FAILURES_IN_A_ROW: usize = 5;
/// Questions that fail in all, from which no more are asked: each may take a minute, and the look has twenty.
const FAILURES_MAX: usize = 10;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let system = cx.facts.name.as_str();
    let holders = names(&holders(cx, &format!("autnum/{}", system.trim_start_matches("AS")), system).await?);
    let (blocks, parts) = nested(announced(cx, system).await?);
    if blocks.len() > BLOCKS_MAX {
        let said = format!("{system} announces {} blocks; name the blocks that are meant", blocks.len());
        return Err(TaskError::OutOfBudget(said));
    }
    // A network announces its customers' blocks as well, also those within its own.
    let unasked = parts.get(BLOCKS_MAX - blocks.len()..).unwrap_or_default();
    let (whole, cut): (Vec<IpNet>, Vec<IpNet>) =
        blocks.into_iter().partition(|block| !unasked.iter().any(|part| block.contains(part)));
    let parts = parts.iter().filter(|part| !cut.iter().any(|block| block.contains(*part)));
    let mut asking = Asking { cx, holders, told: Vec::new(), failed: Vec::new(), failures_in_a_row: 0 };
    for block in whole.iter().chain(parts).copied() {
        let named = asking.named(block).await;
        asking.told.push(asking.told_of(block, named));
    }
    // Only now: a block is nobody's to sweep before all of its parts were asked about.
    let said =
        |block: &IpNet| format!("{block}, of which {system} announces too many parts: name those that are meant");
    if let Some(block) = cut.first().filter(|_| whole.is_empty()) {
        return Err(TaskError::OutOfBudget(said(block)));
    }
    for block in &cut {
        cx.leave_out(said(block));
    }
    asking.report()
}

/// Whose a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Theirs,
    Others,
    /// No registry could be asked, now or before.
    Unknown,
}

/// What is known of a block that is announced.
#[derive(Clone, Copy, Debug)]
struct AnnouncedBlock {
    block: IpNet,
    whose: Whose,
    /// Of the narrowest block around it that is announced as well.
    around: Option<Whose>,
    /// An earlier probe reported it, and it could not be asked for now.
    stands: bool,
}

struct Asking<'a> {
    cx: &'a Context<'a>,
    holders: BTreeSet<String>,
    /// The blocks that were asked about, each behind what it lies in.
    told: Vec<AnnouncedBlock>,
    failed: Vec<(IpNet, TaskError)>,
    failures_in_a_row: usize,
}

impl Asking<'_> {
    /// Who registered a block; `None` where no registry could be asked.
    async fn named(&mut self, block: IpNet) -> Option<BTreeSet<String>> {
        let last = self.failed.last().map(|(_, error)| error.clone());
        if let Some(error) = last.filter(|_| self.is_over()) {
            self.failed.push((block, error));
            return None;
        }
        match holders(self.cx, &format!("ip/{block}"), &block.addr().to_string()).await {
            Ok(people) => {
                self.failures_in_a_row = 0;
                Some(names(&people))
            }
            Err(error) => {
                self.failures_in_a_row += 1;
                self.failed.push((block, error));
                None
            }
        }
    }

    /// True where so much failed that no more is asked.
    fn is_over(&self) -> bool {
        self.failures_in_a_row >= FAILURES_IN_A_ROW || self.failed.len() >= FAILURES_MAX
    }

    fn told_of(&self, block: IpNet, named: Option<BTreeSet<String>>) -> AnnouncedBlock {
        let around = self.told.iter().rev().find(|told| told.block.contains(&block)).map(|told| told.whose);
        let (whose, stands) = match (named, around) {
            // A part without a registrant belongs to the holder of the block around it.
            (Some(named), Some(around)) if named.is_empty() => (around, false),
            (Some(named), _) if named.iter().any(|name| self.holders.contains(name)) => (Whose::Theirs, false),
            (Some(_), _) => (Whose::Others, false),
            (None, _) => self.before(block, around).map_or((Whose::Unknown, false), |whose| (whose, true)),
        };
        AnnouncedBlock { block, whose, around, stands }
    }

    /// Returns what the last probe recorded about a block.
    fn before(&self, block: IpNet, around: Option<Whose>) -> Option<Whose> {
        let text = block.to_string();
        let own = || autonomous_system::OWN_PARTS.texts(&self.cx.facts.details).any(|part| part == text);
        match self.led_to(block).map(|known| known.edge) {
            Some(EdgeKind::Announces) => Some(Whose::Theirs),
            Some(EdgeKind::Suballocation) => Some(Whose::Others),
            _ => (around == Some(Whose::Theirs) && own()).then_some(Whose::Theirs),
        }
    }

    fn led_to(&self, block: IpNet) -> Option<&Neighbour> {
        let text = block.to_string();
        self.cx.facts.led_to(TASK.name, self.cx.argument).find(|known| known.name == text)
    }

    /// Reports the answers, and which blocks could not be asked about. Fails if none could.
    fn report(self) -> Result<Answer> {
        let failure = self.failed.first().map(|(_, error)| error.clone());
        if let Some(failure) = failure.clone().filter(|_| self.failed.len() == self.told.len()) {
            return Err(failure);
        }
        let mut own_parts = Vec::new();
        for told in &self.told {
            let edge = match (told.whose, told.around) {
                (Whose::Theirs, Some(Whose::Theirs)) => {
                    own_parts.push(told.block.to_string());
                    continue;
                }
                (Whose::Others, Some(Whose::Others)) => continue,
                (Whose::Theirs, _) => EdgeKind::Announces,
                (Whose::Others, _) => EdgeKind::Suballocation,
                (Whose::Unknown, Some(Whose::Theirs)) => EdgeKind::UnknownPart,
                (Whose::Unknown, _) => continue,
            };
            match self.led_to(told.block).filter(|known| told.stands && known.edge == edge) {
                Some(known) => self.cx.stands(known),
                None => self.cx.found(Kind::NetBlock, &told.block.to_string(), edge),
            }
        }
        self.cx.observe(autonomous_system::OWN_PARTS, Some(own_parts).filter(|parts| !parts.is_empty()));
        for told in self.told.iter().filter(|told| told.whose == Whose::Unknown) {
            if let Some((block, error)) = self.failed.iter().find(|(block, _)| *block == told.block) {
                self.cx.leave_out(format!("{block}, since no registry could say who holds it: {error}"));
            }
        }
        Answer::despite(!self.told.is_empty(), failure)
    }
}

/// Who a registry says holds something.
async fn holders(cx: &Context<'_>, path: &str, question: &str) -> Result<Vec<Person>> {
    Ok(match registration::ask(cx, path, question).await? {
        Registration::Rdap(body) => rdap::people(&body),
        Registration::Whois(text) => whois::people(&text),
        Registration::Nothing => Vec::new(),
    })
}

/// The organisations that registered something, in small letters; none where that is withheld.
fn names(people: &[Person]) -> BTreeSet<String> {
    let named = people.iter().filter(|person| person.registrant && !person.redacted());
    named.filter_map(|person| person.organization.as_ref()).map(|name| name.trim().to_lowercase()).collect()
}

/// The blocks that a network announces.
async fn announced(cx: &Context<'_>, system: &str) -> Result<Vec<IpNet>> {
    let url = format!("https://{ROUTES}/data/announced-prefixes/data.json?resource={system}");
    let fetch = cx.net.source_list(PROVIDER, &url).await.map_err(|error| TaskError::source(ROUTES, &error))?;
    let last = fetch.last();
    if last.status != 200 || last.truncated {
        return Err(TaskError::SourceDown(format!("{ROUTES}: status {}", last.status)));
    }
    prefixes(&last.body).map_err(|why| TaskError::SourceDown(format!("{ROUTES}: {why}")))
}

/// Blocks that lie in no other, and those that do, each behind what it lies in. Neighbours are not joined: each has a
/// registrant of its own.
fn nested(mut blocks: Vec<IpNet>) -> (Vec<IpNet>, Vec<IpNet>) {
    // A block comes just before those that lie in it.
    blocks.sort_by_key(|block| (block.addr(), block.prefix_len()));
    blocks.dedup();
    let mut around: Option<IpNet> = None;
    blocks.into_iter().partition(|block| {
        let is_outermost = around.is_none_or(|around| !around.contains(block));
        if is_outermost {
            around = Some(*block);
        }
        is_outermost
    })
}

/// The answer, as far as it is read.
#[derive(Deserialize)]
struct Announced {
    data: Prefixes,
}

#[derive(Deserialize)]
struct Prefixes {
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
struct Prefix {
    prefix: IpNet,
}

fn prefixes(body: &[u8]) -> Result<Vec<IpNet>, String> {
    let announced: Announced =
        serde_json::from_slice(body).map_err(|error| format!("not the list that was expected: {error}"))?;
    Ok(announced.data.prefixes.into_iter().map(|prefix| prefix.prefix.trunc()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_and_anything_else_is_no_empty_list() {
        let body = br#"{"status": "ok", "data": {"resource": "64500", "prefixes": [
            {"prefix": "203.0.113.0/25", "timelines": []},
            {"prefix": "203.0.113.0/24", "timelines": []},
            {"prefix": "203.0.113.192/26", "timelines": []},
            {"prefix": "203.0.112.0/24", "timelines": []},
            {"prefix": "2001:db8::/32", "timelines": []}
        ]}}"#;
        let (blocks, parts) = nested(prefixes(body).unwrap());
        let texts = |blocks: Vec<IpNet>| blocks.iter().map(IpNet::to_string).collect::<Vec<_>>();
        assert_eq!(texts(blocks), ["203.0.112.0/24", "203.0.113.0/24", "2001:db8::/32"], "neighbours stay apart");
        assert_eq!(texts(parts), ["203.0.113.0/25", "203.0.113.192/26"]);
        assert!(prefixes(br#"{"data": {"prefixes": []}}"#).unwrap().is_empty());
        for body in ["{}", "[]", "<html>", r#"{"data": {"prefixes": [{"prefix": "all"}]}}"#] {
            assert!(prefixes(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_registrant_that_is_withheld_holds_nothing() {
        let person = |organization: Option<&str>, registrant| Person {
            organization: organization.map(str::to_owned),
            registrant,
            ..Person::default()
        };
        let people = [person(Some("ACME Corp "), true), person(Some("Registrar"), false), person(None, true)];
        assert_eq!(names(&people).into_iter().collect::<Vec<_>>(), ["acme corp"]);
    }
}
