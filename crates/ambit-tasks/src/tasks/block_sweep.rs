//! Finds the live addresses of a block that is a seed. It probes a few common ports of each, in ranges of one durable
//! row.

use crate::ask::{blocks, datagram};
use crate::settings::FIRST_PORTS;
use crate::tasks::suballocations;
use crate::{Again, Answer, Context, Plan, Sights, Task, TaskError};
use ambit_model::estimate::SMALL_BLOCK_ADDRESSES;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use futures::{StreamExt, stream};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::BlockSweep,
    pretty_name: "Block sweep",
    description: "Probes a few common ports of every address of a block that is theirs (in a block of up to 256 \
                  addresses, all default ports and services over UDP), or the ports that were asked for: an address \
                  that accepts, refuses or answers exists.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetBlock],
    produces: &[Kind::IpAddress],
    wave: Wave::Sweeps,
    again: Again::Found(&[]),
    cost: 1_000,
    gain: 200,
    slow: true,
    sights: Sights::All(Sighting::Ends),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Addresses of one look: so few that little is asked twice after a crash, and so many that a filter shows itself.
const STEP: i64 = 64;
/// Addresses of one look where the person asked for many ports: as few as still show a filter, so that a look ends.
const STEP_MIN: i64 = FILTER_SAMPLE as i64;
/// Probes of one look, above which it takes fewer addresses.
const PROBES_OF_LOOK: i64 = 65_536;
/// Ports that are asked at once of the addresses that said nothing so far, so that a look of any size has some ten
/// thousand probes in memory.
const PORTS_AT_ONCE: usize = 64;
/// Addresses whose datagrams are being sent at once: enough for the rate of a block where each address has its own, and
/// few enough that others who ask there do not wait for a second. Those whose answers are waited for do not count.
const ADDRESSES_SENT_TO: usize = 16;
/// Addresses of a range from which a filter that refuses for all of them can be recognised.
const FILTER_SAMPLE: usize = 32;
/// Share of them, per cent, that refuse where a filter does it for every address, there or not.
const FILTER_PERCENT: usize = 90;

fn plan(facts: &Facts, settings: &crate::Settings) -> Plan {
    let block = blocks::block(facts).filter(|_| facts.decision.scoped() && suballocations::were_asked(facts));
    match block.and_then(blocks::size) {
        Some(size) => Plan::Sweep { prefix: String::new(), size, step: step(ports_of(size, settings).len()) },
        None => Plan::No,
    }
}

/// The ports that are asked of the addresses of a block of this size.
fn ports_of(size: i64, settings: &crate::Settings) -> Vec<u16> {
    settings.ports_of_block(u64::try_from(size).unwrap_or(u64::MAX))
}

/// Addresses of one look, for so many ports of each.
fn step(ports: usize) -> i64 {
    let ports = i64::try_from(ports.max(1)).unwrap_or(i64::MAX);
    (PROBES_OF_LOOK / ports).clamp(STEP_MIN, STEP)
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let block = blocks::block(cx.facts).ok_or_else(|| TaskError::Failed("not a block".into()))?;
    let asked = blocks::addresses(block, cx.argument)
        .ok_or_else(|| TaskError::Failed(format!("not a range of the block: {:?}", cx.argument)))?;
    let size = blocks::size(block).unwrap_or(i64::MAX);
    if cx.verifies() {
        if is_as_it_was(cx, size).await? {
            return Ok(Answer::Found);
        }
        cx.ask_for_all();
    }
    let heard = Heard::of(cx, &asked, size).await?;
    // An address of a platform is probed only by name, so its earlier results stand. Results in a part that belongs to
    // a third party are closed.
    let known = cx.facts.led_to(TASK.name, cx.argument).filter(|member| member.clearance >= Clearance::L2);
    let named_alone = known.filter(|member| member.name.parse().is_ok_and(|at| heard.forbidden.contains(&at)));
    let stays = named_alone.inspect(|member| cx.stands(member)).count() > 0;
    let there = heard.there(asked.len());
    if !there.is_empty() && heard.failure.is_some() {
        // What was not asked for all, and what refuses where too few answer to tell a filter, is as it was known.
        let is_untold = |address: IpAddr| heard.unasked.contains(&address) || heard.refused.contains(&address);
        let known = cx.facts.led_to(TASK.name, cx.argument);
        known.filter(|member| member.name.parse().is_ok_and(is_untold)).for_each(|member| cx.stands(member));
    }
    for address in &there {
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::BlockMember);
    }
    Answer::despite(stays || !there.is_empty(), heard.failure)
}

/// Asks the known addresses of a range alone. Reports them and returns true where all are there; where any may not or
/// could not be asked, the whole range is.
async fn is_as_it_was(cx: &Context<'_>, size: i64) -> Result<bool, TaskError> {
    let known = || cx.facts.led_to(TASK.name, cx.argument);
    let addresses: BTreeSet<IpAddr> = known().filter_map(|member| member.name.parse().ok()).collect();
    let asked: Vec<IpAddr> = addresses.iter().copied().collect();
    let heard = Heard::of(cx, &asked, size).await?;
    let there: BTreeSet<IpAddr> = heard.accepted.union(&heard.refused).copied().collect();
    let is_as_it_was = heard.failure.is_none() && !there.is_empty() && there == addresses;
    if is_as_it_was {
        known().for_each(|member| cx.found(Kind::IpAddress, &member.name, EdgeKind::BlockMember));
    }
    Ok(is_as_it_was)
}

/// The results for the addresses of a range.
#[derive(Default)]
struct Heard {
    accepted: BTreeSet<IpAddr>,
    refused: BTreeSet<IpAddr>,
    /// Nothing may be asked of them: scope takes them out of the block.
    forbidden: BTreeSet<IpAddr>,
    /// They could not be asked, and the reason of the first.
    unasked: BTreeSet<IpAddr>,
    failure: Option<TaskError>,
}

impl Heard {
    /// Asks addresses of a block of this size.
    async fn of(cx: &Context<'_>, asked: &[IpAddr], size: i64) -> Result<Self, TaskError> {
        let mut heard = Self::default();
        let ports = ports_of(size, cx.settings);
        cx.net.begin_sweep(asked.len() * ports.len()).await;
        let (first, more) = ports.split_at(FIRST_PORTS.min(ports.len()));
        for some in std::iter::once(first).chain(more.chunks(PORTS_AT_ONCE)) {
            let silent: Vec<IpAddr> = asked.iter().copied().filter(|address| heard.is_silent(address)).collect();
            heard.take(cx, &silent, some).await?;
            if heard.failure.is_some() {
                // Nobody asks them for the other ports.
                heard.unasked.extend(silent.into_iter().filter(|address| heard.is_silent(address)).collect::<Vec<_>>());
                break;
            }
        }
        if heard.failure.is_none() && size.unsigned_abs() <= SMALL_BLOCK_ADDRESSES {
            let silent: Vec<IpAddr> = asked.iter().copied().filter(|address| heard.is_silent(address)).collect();
            heard.take_datagrams(cx, &silent).await;
        }
        Ok(heard)
    }

    async fn take(&mut self, cx: &Context<'_>, addresses: &[IpAddr], ports: &[u16]) -> Result<(), TaskError> {
        let said = cx.net.knock(addresses, ports).await?;
        self.accepted.extend(said.open.iter().map(SocketAddr::ip));
        self.refused.extend(said.closed.iter().map(SocketAddr::ip));
        for (socket, error) in said.failed {
            let of_them = match error {
                NetError::OutOfScope(_) => &mut self.forbidden,
                error => {
                    self.failure.get_or_insert(error.into());
                    &mut self.unasked
                }
            };
            of_them.insert(socket.ip());
        }
        Ok(())
    }

    /// Asks addresses that said nothing over TCP for services over UDP: gateways of private networks, phones and clocks
    /// often speak nothing else. Only what speaks its protocol shows that somebody is there.
    async fn take_datagrams(&mut self, cx: &Context<'_>, addresses: &[IpAddr]) {
        let ports = &datagram::ports();
        let sent = stream::iter(addresses.to_vec()).map(|address| datagram::send(cx, address, ports));
        let heard = sent.buffer_unordered(ADDRESSES_SENT_TO).map(|asked| asked.end(cx));
        let mut heard = heard.buffer_unordered(addresses.len().max(1));
        while let Some((address, ports)) = heard.next().await {
            for speaks in ports.into_values() {
                let heard = match speaks {
                    Ok(true) => &mut self.accepted,
                    Ok(false) => continue,
                    Err(TaskError::Net(NetError::OutOfScope(_))) => &mut self.forbidden,
                    Err(error) => {
                        self.failure.get_or_insert(error);
                        &mut self.unasked
                    }
                };
                heard.insert(address);
            }
        }
    }

    fn is_silent(&self, address: &IpAddr) -> bool {
        ![&self.accepted, &self.refused, &self.forbidden].iter().any(|set| set.contains(address))
    }

    /// An address that accepts is live. One that refuses is live too, unless nearly all of the range refuse, which is
    /// one filter for all; and unless too few of the range could be asked to tell.
    fn there(&self, asked: usize) -> BTreeSet<IpAddr> {
        let asked = asked - self.forbidden.len();
        let heard = asked - self.unasked.iter().filter(|address| self.is_silent(address)).count();
        let refusing = self.refused.difference(&self.accepted).count();
        let filter =
            if heard < FILTER_SAMPLE { asked >= FILTER_SAMPLE } else { refusing * 100 >= heard * FILTER_PERCENT };
        let mut there = self.accepted.clone();
        if !filter {
            there.extend(&self.refused);
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(accepted: u8, refused: u8) -> Heard {
        let address = |last: u8| IpAddr::from([192, 0, 2, last]);
        Heard {
            accepted: (0..accepted).map(address).collect(),
            refused: (accepted..accepted + refused).map(address).collect(),
            ..Heard::default()
        }
    }

    #[test]
    fn a_refusal_is_a_sign_of_life_unless_everybody_refuses() {
        assert_eq!(heard(2, 10).there(256).len(), 12);
        assert_eq!(heard(2, 240).there(256).len(), 2, "a filter refuses in the place of all");
        assert_eq!(heard(0, 8).there(8).len(), 8, "a small block may be full");
    }

    #[test]
    fn where_not_all_could_be_asked_a_filter_is_told_by_those_that_were() {
        let unasked = |from: u8| (from..=255).map(|last| IpAddr::from([192, 0, 2, last])).collect();
        let some = Heard { unasked: unasked(100), ..heard(2, 98) };
        assert_eq!(some.there(256).len(), 2, "a filter refuses for all that were asked");
        let few = Heard { unasked: unasked(20), ..heard(2, 18) };
        assert_eq!(few.there(256).len(), 2, "too few to tell");
        let most = Heard { unasked: unasked(200), ..heard(150, 50) };
        assert_eq!(most.there(256).len(), 200);
    }

    #[test]
    fn with_more_ports_a_look_takes_fewer_addresses() {
        assert_eq!([1, 9, 1_024, 1_300, 65_535].map(step), [64, 64, 64, 50, 32]);
    }

    #[test]
    fn only_a_block_of_theirs_that_can_be_asked_is_swept() {
        let mut facts = crate::tests::facts(Kind::NetBlock, "192.0.2.0/24", serde_json::json!({}));
        assert_eq!(
            plan(&facts, &crate::Settings::default()),
            Plan::No,
            "a block that only covers an address of theirs"
        );
        facts.decision.ownership = 1000;
        assert_eq!(plan(&facts, &crate::Settings::default()), Plan::No, "the registries were not asked");
        let look =
            ambit_model::facts::LastProbe::new(ambit_model::facts::ProbeOutcome::Unknown, ambit_model::Timestamp(0), 1);
        facts.probes.entry(TaskName::Suballocations).or_default().insert(String::new(), look);
        assert_eq!(plan(&facts, &crate::Settings::default()), Plan::No, "no registry answered, and nobody named it");
        facts.seed = true;
        assert!(matches!(plan(&facts, &crate::Settings::default()), Plan::Sweep { size: 256, .. }));
        facts.name = "2001:db8::/64".into();
        assert_eq!(plan(&facts, &crate::Settings::default()), Plan::No);
    }
}
