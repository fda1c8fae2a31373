//! Measures the engines of ports and of names by themselves, on the live wire: `net_rate sweep BLOCK PORTS [--connect]`
//! asks each port of each address of a block, `net_rate names RESOLVER FILE` looks up each name of a file. Prints what
//! was found, the wall time and the time on processors. Everything is allowed to it: it is for networks of one's own.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::Clearance;
use ambit_net::dns::RecordType;
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::{Contact, Grants, Guard, Net, NetOptions, Pace, PaceLimits, Refused, Session};
use futures::StreamExt;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// Looks a run in flight: addresses of one look as block sweeps have them, and names as they are asked.
const ADDRESSES_OF_LOOK: usize = 256;
const LOOKS: usize = 16;
const NAMES_IN_FLIGHT: usize = 5_000;

struct Anything;

impl Guard for Anything {
    fn allow(&self, _contact: &Contact) -> Result<(), Refused> {
        Ok(())
    }

    fn named(&self, _address: IpAddr) -> bool {
        true
    }
}

fn session(options: &LiveOptions) -> Session {
    let mut limits = PaceLimits::default();
    for peer in PaceLimits::PEERS {
        limits.set(peer, 1e7);
    }
    let wire = LiveWire::new(options).unwrap();
    Net::new(Arc::new(wire), Arc::new(Anything), Arc::new(Pace::new(limits)), NetOptions::default())
        .session(Grants::task(Clearance::L3, &[]))
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let (seen, asked) = match words[..] {
        ["sweep", block, ports] => sweep(block, ports, false).await,
        ["sweep", block, ports, "--connect"] => sweep(block, ports, true).await,
        ["names", resolver, file] => names(resolver, file).await,
        _ => {
            println!("usage: net_rate sweep BLOCK PORTS [--connect] | net_rate names RESOLVER FILE");
            std::process::exit(2);
        }
    };
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), processor_seconds());
    let seen: Vec<String> = seen.iter().map(|(what, count)| format!("{what} {count}")).collect();
    println!(
        "asked {asked}, {}, wall {wall:.2} s, CPU {cpu:.2} s, {:.0} per CPU s",
        seen.join(", "),
        asked as f64 / cpu
    );
}

type Seen = (BTreeMap<&'static str, usize>, usize);

async fn sweep(block: &str, ports: &str, connect_only: bool) -> Seen {
    let options =
        LiveOptions { resolvers: vec!["127.0.0.1:9".parse().unwrap()], connect_only, ..LiveOptions::default() };
    let session = session(&options);
    let ports: Vec<u16> = ports.split(',').map(|port| port.parse().unwrap()).collect();
    let addresses: Vec<IpAddr> = block.parse::<ipnet::IpNet>().unwrap().hosts().collect();
    let looks = addresses.chunks(ADDRESSES_OF_LOOK).map(|some| {
        let (some, ports, session) = (some.to_vec(), ports.clone(), session.clone());
        tokio::spawn(async move { session.knock(&some, &ports).await.unwrap() })
    });
    let mut seen = BTreeMap::new();
    let mut looks = futures::stream::iter(looks).buffer_unordered(LOOKS);
    while let Some(look) = looks.next().await {
        let look = look.unwrap();
        let counts = [look.open.len(), look.closed.len(), look.silent.len(), look.failed.len()];
        for (what, count) in ["open", "closed", "silent", "failed"].into_iter().zip(counts) {
            *seen.entry(what).or_default() += count;
        }
    }
    (seen, addresses.len() * ports.len())
}

async fn names(resolver: &str, file: &str) -> Seen {
    let session = session(&LiveOptions { resolvers: vec![resolver.parse().unwrap()], ..LiveOptions::default() });
    let names: Vec<String> = std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    let looks = names.iter().map(|name| session.lookup_uncached(name, RecordType::A));
    let mut seen = BTreeMap::new();
    let mut looks = futures::stream::iter(looks).buffer_unordered(NAMES_IN_FLIGHT);
    while let Some(answer) = looks.next().await {
        let what = match answer {
            Ok(answer) if answer.addresses().next().is_some() => "found",
            Ok(_) => "absent",
            Err(_) => "failed",
        };
        *seen.entry(what).or_default() += 1;
    }
    (seen, names.len())
}

/// Time that this process has had of processors, user and system (proc(5), in hundredths of a second).
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let spent: Vec<f64> = after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse().unwrap()).collect();
    spent.iter().sum::<f64>() / 100.0
}
