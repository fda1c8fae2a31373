//! The fold: open observations, scope, a person's flags and the issues' counts become the record that the API shows (design §3).

use super::record::{Auth, Content, Geolocation, Http, Network, Ports, TechnologySummary, Vulns};
use super::{Ancestor, EntityRecord, IssueCounts, Kind, Summary, TaskResult};
use crate::observation::Observation;
use crate::scope::Decision;
use crate::{Details, Uid};
use serde_json::Value;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Everything that a record is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldInput {
    pub uid: Uid,
    pub collection: Uuid,
    pub kind: Kind,
    pub name: String,
    pub seed: bool,
    pub hidden: bool,
    pub allow_list: bool,
    pub deny_list: bool,
    pub present: bool,
    pub tags: Vec<String>,
    pub decision: Decision,
    /// Open observations of this entity, in any order.
    pub observations: Vec<Observation>,
    pub issues: IssueCounts,
}

/// Makes the record. Pure and independent of the order of observations: they are folded by task name, then argument, and the first value of a
/// member stands, so that the lowest address describes a site that several answer for.
pub fn fold(mut input: FoldInput) -> EntityRecord {
    input.observations.sort_by(|a, b| (&a.task, &a.argument).cmp(&(&b.task, &b.argument)));
    let details = fold_details(input.kind, &input.observations);
    let mut tasks: Vec<String> = input.observations.iter().map(|observation| observation.task.clone()).collect();
    tasks.dedup();
    let depth = i64::try_from(input.decision.path.len()).unwrap_or(i64::MAX);
    let task_results = tasks
        .iter()
        .map(|task| TaskResult {
            name: format!("{task}_on_{}", input.name),
            task: task.clone(),
            depth,
            entity_name: input.name.clone(),
            entity_type: input.kind,
        })
        .collect();
    let scoped = input.decision.scoped();
    let ancestors = input
        .decision
        .path
        .iter()
        .map(|step| Ancestor {
            name: step.from_name.clone(),
            kind: step.from_kind,
        })
        .collect();
    let fingerprint = list(&details, "fingerprint");
    let mut tags = input.tags;
    tags.sort();
    tags.dedup();
    EntityRecord {
        summary: summarise(&details, &fingerprint, scoped, tasks, input.issues),
        uid: input.uid,
        collection: input.collection,
        kind: input.kind,
        name: input.name,
        seed: input.seed,
        hidden: input.hidden,
        allow_list: input.allow_list,
        deny_list: input.deny_list,
        present: input.present,
        scoped,
        shared: flag(&details, "hidden_shared").unwrap_or(false),
        scoped_reason: input.decision.reason,
        ownership: input.decision.ownership,
        clearance: input.decision.clearance,
        path: input.decision.path,
        ancestors,
        task_results,
        details,
        fingerprint,
        tags,
        aliases: None,
        alias_group: None,
        category: None,
        confidence: None,
        description: None,
        source: None,
        status: None,
    }
}

/// The kind's members with their empty values, overlaid by the observations.
fn fold_details(kind: Kind, observations: &[Observation]) -> Details {
    let mut details = Details::new();
    for observation in observations {
        for (member, value) in &observation.details {
            let known = details.entry(member.clone()).or_insert(Value::Null);
            match (known, value) {
                (known, value) if known.is_null() => *known = value.clone(),
                (Value::Array(known), Value::Array(more)) => {
                    for item in more {
                        if !known.contains(item) {
                            known.push(item.clone());
                        }
                    }
                }
                _ => {}
            }
        }
    }
    kind.complete(&mut details);
    details.sort_keys();
    details
}

/// The common summary, read from members that every kind spells alike.
fn summarise(details: &Details, fingerprint: &[Value], scoped: bool, task_results: Vec<String>, issues: IssueCounts) -> Summary {
    let ports = ports(details);
    Summary {
        scoped,
        issues,
        task_results,
        screenshot_exists: flag(details, "screenshot_exists").unwrap_or(false),
        geolocation: geolocation(details),
        http: Http {
            code: text(details, "code").and_then(|code| code.parse().ok()),
            title: text(details, "title"),
            auth: Auth {
                any: flag(details, "auth.any"),
                basic: flag(details, "auth.basic"),
                ntlm: flag(details, "auth.ntlm"),
                forms: flag(details, "auth.forms"),
                two_factor: flag(details, "auth.2fa"),
            },
            content: Content {
                hash: text(details, "response_data_hash"),
                forms: flag(details, "forms"),
                favicon_hash: text(details, "favicon_md5"),
            },
        },
        ports,
        resolutions: list(details, "resolutions").iter().filter_map(resolution).collect(),
        network: Network {
            name: text(details, "network.name").or_else(|| text(details, "net_name")),
            asn: integer(details, "network.asn").or_else(|| integer(details, "asn")),
            route: text(details, "network.block"),
            kind: None,
        },
        technology: technology(details, fingerprint),
        vulns: Vulns::default(),
    }
}

fn resolution(value: &Value) -> Option<String> {
    value
        .as_str()
        .or_else(|| value.get("response_data").and_then(Value::as_str))
        .map(str::to_owned)
}

fn ports(details: &Details) -> Ports {
    let (mut tcp, mut udp) = (BTreeSet::new(), BTreeSet::new());
    for port in list(details, "ports") {
        if let Some(number) = port.get("number").and_then(Value::as_i64) {
            let udp_port = port.get("protocol").and_then(Value::as_str) == Some("udp");
            if udp_port {
                udp.insert(number)
            } else {
                tcp.insert(number)
            };
        }
    }
    if let Some(number) = integer(details, "port") {
        let udp_port = text(details, "protocol").as_deref() == Some("udp");
        if udp_port {
            udp.insert(number)
        } else {
            tcp.insert(number)
        };
    }
    let count = i64::try_from(tcp.len() + udp.len()).unwrap_or(i64::MAX);
    Ports {
        count,
        tcp: tcp.into_iter().collect(),
        udp: udp.into_iter().collect(),
    }
}

fn geolocation(details: &Details) -> Geolocation {
    let place = details.get("geolocation");
    let text = |member: &str| place.and_then(|place| place.get(member)).and_then(Value::as_str).map(str::to_owned);
    let number = |member: &str| place.and_then(|place| place.get(member)).and_then(Value::as_f64);
    Geolocation {
        city: text("city"),
        country_code: text("country_code"),
        country_name: text("country"),
        latitude: number("latitude"),
        longitude: number("longitude"),
        asn: place
            .and_then(|place| place.get("asn"))
            .and_then(|asn| asn.get("asn"))
            .filter(|asn| !asn.is_null())
            .cloned(),
    }
}

fn technology(details: &Details, fingerprint: &[Value]) -> TechnologySummary {
    let (mut cpes, mut names, mut labels) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for item in fingerprint {
        if let Some(cpe) = item.get("cpe").and_then(Value::as_str) {
            let cpe = serde_json::json!({"cpe": cpe, "detection_method": item.get("method").cloned().unwrap_or(Value::Null)});
            if !cpes.contains(&cpe) {
                cpes.push(cpe);
            }
        }
        names.extend(item.get("product").and_then(Value::as_str).map(str::to_owned));
        let tags = item.get("tags").and_then(Value::as_array);
        labels.extend(tags.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    }
    TechnologySummary {
        cloud: flag(details, "cloud_hosted").unwrap_or(false),
        cloud_providers: list(details, "cloud_providers")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        cpes,
        technologies: names.into_iter().collect(),
        technology_labels: labels.into_iter().collect(),
    }
}

fn text(details: &Details, member: &str) -> Option<String> {
    details.get(member).and_then(Value::as_str).map(str::to_owned)
}

fn integer(details: &Details, member: &str) -> Option<i64> {
    details.get(member).and_then(Value::as_i64)
}

fn flag(details: &Details, member: &str) -> Option<bool> {
    details.get(member).and_then(Value::as_bool)
}

fn list(details: &Details, member: &str) -> Vec<Value> {
    details.get(member).and_then(Value::as_array).cloned().unwrap_or_default()
}
