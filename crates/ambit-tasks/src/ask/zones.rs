//! Names in the zones of an account, with where their records lead and whether an account of the collection holds that.

use super::holdings::{self, AMAZON, balancer};
use super::host::reverse_name;
use crate::Context;
use crate::holdings::Holding;
use ambit_cloud::form::{ALIAS, Asset, RECORD, VALUES};
use ambit_model::entity::Member;
use ambit_model::entity::in_account::ZoneTarget;
use ambit_model::reserved::is_internal;
use ambit_model::scope::spells;
use ambit_model::{Details, EdgeKind, platforms};
use ambit_net::dns::{RecordData, RecordType};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Reports the names, with where they lead under this member. What cannot be read whole of a provider is said as not
/// known.
pub(crate) async fn tell(cx: &Context<'_>, assets: &[Asset], own: &(String, Value), member: Member<Vec<ZoneTarget>>) {
    let mut names: BTreeMap<&str, Vec<ZoneTarget>> = BTreeMap::new();
    for asset in assets {
        for host in &asset.hosts {
            // What a wildcard answers is no answer of the name below which it stands.
            let level = WILDCARDS.iter().find_map(|wildcard| host.strip_prefix(wildcard));
            names.entry(level.unwrap_or(host)).or_default().extend(targets(asset, level.is_some()));
        }
    }
    let held = if names.values().flatten().any(is_of_holdings) { Some(holdings::held(cx).await) } else { None };
    for (host, found) in names {
        let mut targets = Vec::new();
        for target in found {
            let owners = held.iter().flat_map(|held| held.iter()).filter(|_| is_of_holdings(&target));
            let owners = owners.filter(|(owner, _)| !is_balancer(&target.target) || **owner == AMAZON);
            let has = |(owner, holding): (&&'static str, &Option<Holding>)| {
                ((*owner).to_owned(), holding.as_ref().map(|holding| holding.has(&target.target)))
            };
            let target = ZoneTarget { held: owners.map(has).collect(), ..target.clone() };
            targets.extend(if target.wildcard { of_wildcard(cx, target).await } else { Some(target) });
        }
        let mut details = Details::from_iter([own.clone()]);
        if !targets.is_empty() {
            details.extend([member.is(targets)]);
        }
        cx.found_host_with(host, EdgeKind::CloudAccount, details);
    }
}

/// What names of wildcards begin with; Route 53 writes the asterisk as its number.
const WILDCARDS: &[&str] = &["*.", "\\052."];
const CNAME: &str = "CNAME";

/// The public addresses and load balancers to which a record leads; of a wildcard also the name of which it is an
/// alias, since no name of its own is looked at.
fn targets(asset: &Asset, wildcard: bool) -> Vec<ZoneTarget> {
    let record = asset.says.get(RECORD).and_then(Value::as_str).unwrap_or_default();
    let values = asset.says.get(VALUES).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let found: Vec<String> = match record {
        "A" | "AAAA" => {
            let addresses = values.filter_map(|text| text.parse::<IpAddr>().ok()).filter(|one| !is_internal(*one));
            let alias = asset.says.get(ALIAS).and_then(Value::as_str).map(balancer).filter(|name| is_balancer(name));
            addresses.map(|address| address.to_string()).chain(alias).collect()
        }
        CNAME if wildcard => values.map(balancer).collect(),
        _ => Vec::new(),
    };
    let target = |target| ZoneTarget { record: record.to_owned(), target, wildcard, held: BTreeMap::new() };
    found.into_iter().map(target).collect()
}

/// What accounts hold or do not: any other name is looked up.
fn is_of_holdings(target: &ZoneTarget) -> bool {
    target.record != CNAME
}

/// Returns the target of a wildcard. No name leads to its addresses, so that no other task finds out whose they are:
/// one that no account holds is reported only if its reverse name shows a machine at a provider, and for that provider
/// only.
async fn of_wildcard(cx: &Context<'_>, target: ZoneTarget) -> Option<ZoneTarget> {
    let Ok(address) = target.target.parse::<IpAddr>() else { return Some(target) };
    if target.held.values().any(|held| *held == Some(true)) {
        return None;
    }
    let Ok(answer) = cx.net.lookup(&reverse_name(address), RecordType::PTR).await else {
        let held = target.held.into_keys().map(|owner| (owner, None)).collect();
        return Some(ZoneTarget { held, ..target });
    };
    let names = answer.records.iter().filter_map(|record| match &record.data {
        RecordData::Ptr(name) => Some(name.trim_end_matches('.')),
        _ => None,
    });
    let owner = names.filter(|name| spells(name, &target.target)).find_map(platforms::of_host)?.name;
    let held = *target.held.get(owner)?;
    Some(ZoneTarget { held: BTreeMap::from([(owner.to_owned(), held)]), ..target })
}

/// A name of a load balancer at AWS: `front-1.eu-west-1.elb.amazonaws.com`, `front-1.elb.eu-west-1.amazonaws.com`.
fn is_balancer(name: &str) -> bool {
    let name = name.strip_suffix(".cn").unwrap_or(name);
    name.strip_suffix(".amazonaws.com").is_some_and(|own| own.split('.').any(|label| label == "elb"))
}
