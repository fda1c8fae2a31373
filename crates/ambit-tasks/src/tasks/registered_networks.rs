//! Blocks and autonomous systems that regional registries hold under the name of an organisation which is a seed.

use crate::ask::bootstrap::PROVIDER;
use crate::read::rdap::{self, HELD_MAX, Holdings};
use crate::{Answer, Contacts, Context, Plan, Result, Sights, Task, TaskError};
use ambit_cloud::form::escaped;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::scope::registrant_key;
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::RegisteredNetworks,
    pretty_name: "Registered networks",
    description: "Asks the regional registries which blocks and networks an organisation registered, by its name.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Organization],
    produces: &[Kind::AutonomousSystem, Kind::NetBlock],
    ttl_ms: 7 * DAY_MS,
    cost: 8,
    gain: 64,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| {
        let is_named = facts.seed && !registrant_key(&facts.name).is_empty();
        if is_named { Plan::each(REGISTRIES.iter().map(|registry| registry.host.to_owned())) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// A regional registry that answers searches by name (RFC 9082 §3.2.3). Those of Africa and of Latin America do not.
struct Registry {
    host: &'static str,
    /// What its paths begin with.
    path: &'static str,
}

const REGISTRIES: &[Registry] = &[
    Registry { host: "rdap.apnic.net", path: "" },
    Registry { host: "rdap.arin.net", path: "/registry" },
    Registry { host: "rdap.db.ripe.net", path: "" },
];

/// Entries of one name at one registry that are asked for; large organisations have several.
const ENTRIES_MAX: usize = 20;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let registry = REGISTRIES.iter().find(|registry| registry.host == cx.argument);
    let registry = registry.ok_or_else(|| TaskError::Failed(format!("not a registry: {:?}", cx.argument)))?;
    let name = cx.facts.name.as_str();
    let handles = match ask(cx, registry, &format!("entities?fn={}*", escaped(name))).await? {
        // One that is left out may be theirs.
        Some(body) if rdap::is_truncated(&body) => {
            let said = format!(
                "{} has more entries of this name than it lists; name the blocks that are meant",
                registry.host
            );
            return Err(TaskError::OutOfBudget(said));
        }
        Some(body) => handles(&body, name),
        None => return Ok(Answer::Absent),
    };
    if handles.len() > ENTRIES_MAX {
        let said =
            format!("{} has {} entries of this name; name the blocks that are meant", registry.host, handles.len());
        return Err(TaskError::OutOfBudget(said));
    }
    let mut held = Holdings::default();
    for handle in &handles {
        if let Some(body) = ask(cx, registry, &format!("entity/{}", escaped(handle))).await? {
            let unread = || TaskError::SourceDown(format!("{}: {handle} holds what has no range", registry.host));
            held.add(&body).ok_or_else(unread)?;
        }
    }
    if held.len() > HELD_MAX {
        let said =
            format!("{} holds {} blocks of this name; name the blocks that are meant", registry.host, held.len());
        return Err(TaskError::OutOfBudget(said));
    }
    for block in &held.blocks {
        cx.found(Kind::NetBlock, &block.to_string(), EdgeKind::RegisteredName);
    }
    for system in &held.systems {
        cx.found(Kind::AutonomousSystem, &format!("AS{system}"), EdgeKind::RegisteredName);
    }
    Ok(Answer::found_if(held.len() > 0))
}

/// Returns the answer of a registry; `None` if it knows nothing.
async fn ask(cx: &Context<'_>, registry: &Registry, question: &str) -> Result<Option<Value>> {
    let (host, path) = (registry.host, registry.path);
    let asked = cx.net.source_list(PROVIDER, &format!("https://{host}{path}/{question}")).await;
    let fetch = asked.map_err(|error| TaskError::source(host, &error))?;
    let last = fetch.last();
    let body: Option<Value> = serde_json::from_slice(&last.body).ok().filter(Value::is_object);
    match (last.status, body) {
        (200, Some(body)) if !last.truncated => Ok(Some(body)),
        (404, Some(_)) => Ok(None),
        (200, _) => Err(TaskError::SourceDown(format!("{host}: not an answer of RDAP"))),
        (status, _) => Err(TaskError::SourceDown(format!("{host}: status {status}"))),
    }
}

/// The handles of the entries that bear exactly this name.
fn handles(body: &Value, name: &str) -> BTreeSet<String> {
    let named = rdap::entries(body).filter(|(_, entry)| registrant_key(entry) == registrant_key(name));
    named.map(|(handle, _)| handle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_entries_of_exactly_this_name_count() {
        let entry =
            |handle: &str, name: &str| json!({"handle": handle, "vcardArray": ["vcard", [["fn", {}, "text", name]]]});
        let body = json!({"entitySearchResults": [
            entry("ACME-1", "Acme Ltd"), entry("ACME-2", "ACME, Ltd."), entry("ACME-3", "Acme Ltd Holdings"),
            entry("", "Acme Ltd"), {"handle": "ACME-4"}, 7,
        ]});
        assert_eq!(handles(&body, "acme ltd").into_iter().collect::<Vec<_>>(), ["ACME-1", "ACME-2"]);
        assert!(handles(&json!({"entitySearchResults": "none"}), "acme ltd").is_empty());
        let notice = |kind: &str| json!({"notices": [{"title": "Terms"}, {"type": kind}]});
        assert!(rdap::is_truncated(&notice("result set truncated due to excessive load")));
        assert!(!rdap::is_truncated(&notice("object truncated due to authorization")));
    }

    #[test]
    fn what_an_entry_holds_is_read_whole_or_not_at_all() {
        let network = |start: &str, end: &str| json!({"startAddress": start, "endAddress": end});
        let mut held = Holdings::default();
        let entry = json!({
            "networks": [
                network("203.0.113.0", "203.0.113.191"),
                network("2001:db8::", "2001:db8:0:ff:ffff:ffff:ffff:ffff"),
            ],
            "autnums": [{"startAutnum": 64500, "endAutnum": 64501}],
        });
        assert_eq!(held.add(&entry), Some(()));
        let blocks: Vec<String> = held.blocks.iter().map(ToString::to_string).collect();
        assert_eq!(blocks, ["203.0.113.0/25", "203.0.113.128/26", "2001:db8::/56"]);
        assert_eq!(held.systems.iter().copied().collect::<Vec<_>>(), [64500, 64501]);
        for unread in [network("203.0.113.0", ""), json!({"handle": "NET-1"})] {
            assert_eq!(Holdings::default().add(&json!({"networks": [unread]})), None);
        }
        held.add(&json!({"autnums": [{"startAutnum": 1, "endAutnum": 4_294_967_295_u32}]})).unwrap();
        assert!(held.len() > HELD_MAX);
    }
}
