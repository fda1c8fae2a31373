//! Names in the zones of an account, with where their records lead and whether an account of the collection holds that.

use super::holdings::{self, AMAZON, balancer};
use crate::Context;
use crate::holdings::Holding;
use ambit_cloud::form::{ALIAS, Asset, RECORD, VALUES};
use ambit_model::entity::Member;
use ambit_model::entity::in_account::ZoneTarget;
use ambit_model::reserved::is_internal;
use ambit_model::{Details, EdgeKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Reports the names, with where they lead under this member. What cannot be read whole of a provider is said as not
/// known.
pub(crate) async fn tell(cx: &Context<'_>, assets: &[Asset], own: &(String, Value), member: Member<Vec<ZoneTarget>>) {
    let mut names: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for asset in assets {
        for host in &asset.hosts {
            // What a wildcard answers is no answer of the name below which it stands.
            let level = WILDCARDS.iter().find_map(|wildcard| host.strip_prefix(wildcard));
            let of_name = names.entry(level.unwrap_or(host)).or_default();
            if level.is_none() {
                of_name.extend(targets(asset));
            }
        }
    }
    let held = match names.values().all(Vec::is_empty) {
        true => None,
        false => Some(holdings::held(cx).await),
    };
    for (host, targets) in names {
        let target = |(record, target): (String, String)| {
            let owners = held.iter().flat_map(|held| held.iter());
            let owners = owners.filter(|(owner, _)| !is_balancer(&target) || **owner == AMAZON);
            let has = |(owner, holding): (&&'static str, &Option<Holding>)| {
                ((*owner).to_owned(), holding.as_ref().map(|holding| holding.has(&target)))
            };
            let held = owners.map(has).collect();
            ZoneTarget { record, target, held }
        };
        let targets: Vec<ZoneTarget> = targets.into_iter().map(target).collect();
        let mut details = Details::from_iter([own.clone()]);
        if !targets.is_empty() {
            details.extend([member.is(targets)]);
        }
        cx.found_host_with(host, EdgeKind::CloudAccount, details);
    }
}

/// What names of wildcards begin with; Route 53 writes the asterisk as its number.
const WILDCARDS: &[&str] = &["*.", "\\052."];

/// Record and target of the public addresses and load balancers to which a record leads.
fn targets(asset: &Asset) -> Vec<(String, String)> {
    let record = asset.says.get(RECORD).and_then(Value::as_str).unwrap_or_default();
    if !matches!(record, "A" | "AAAA") {
        return Vec::new();
    }
    let values = asset.says.get(VALUES).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let addresses = values.filter_map(|text| text.parse::<IpAddr>().ok()).filter(|address| !is_internal(*address));
    let alias = asset.says.get(ALIAS).and_then(Value::as_str).map(balancer).filter(|name| is_balancer(name));
    let targets = addresses.map(|address| address.to_string()).chain(alias);
    targets.map(|target| (record.to_owned(), target)).collect()
}

/// A name of a load balancer at AWS: `front-1.eu-west-1.elb.amazonaws.com`, `front-1.elb.eu-west-1.amazonaws.com`.
fn is_balancer(name: &str) -> bool {
    let name = name.strip_suffix(".cn").unwrap_or(name);
    name.strip_suffix(".amazonaws.com").is_some_and(|own| own.split('.').any(|label| label == "elb"))
}
