//! The fold: open observations, scope, a person's flags and the issues' counts become the record that the API shows
//! (docs/architecture.md §1.3).

use super::record::{Auth, Content, Geolocation, Http, Network, Ports, TechnologySummary, Vulns};
use super::{Ancestor, EntityRecord, IssueCounts, Kind, Summary, TaskResult, ip_address};
use crate::observation::Observation;
use crate::scope::Decision;
use crate::{Details, Uid};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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
    /// CVE ids known against what it shows, by the CPE of the product.
    pub vulnerabilities: BTreeMap<String, Vec<String>>,
}

/// Makes the record. Pure and independent of the order of observations: they are folded by task name, then argument,
/// and the first value of a member wins, so that the lowest address describes a site that is served from several.
pub fn fold(mut input: FoldInput) -> EntityRecord {
    input.observations.sort_by(|a, b| (&a.task, &a.argument).cmp(&(&b.task, &b.argument)));
    let mut tasks: Vec<String> = input.observations.iter().map(|observation| observation.task.clone()).collect();
    tasks.dedup();
    let details = fold_details(input.kind, input.observations);
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
        .map(|step| Ancestor { name: step.from_name.clone(), kind: step.from_kind })
        .collect();
    let fingerprint = list(&details, "fingerprint");
    let mut tags = input.tags;
    tags.sort();
    tags.dedup();
    EntityRecord {
        summary: Summary {
            vulns: vulns(&input.vulnerabilities),
            ..summarise(&details, &fingerprint, scoped, tasks, input.issues)
        },
        vulnerabilities: input.vulnerabilities,
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
        shared: ip_address::shared_by(&details).is_shared(),
        scoped_reason: input.decision.reason,
        ownership: input.decision.ownership,
        clearance: input.decision.clearance,
        path: input.decision.path,
        evidence: input.decision.evidence,
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

/// The kind's members with their empty values, overlaid by the observations. Thousands of services may report the same
/// long list from one certificate, or each a list of its own. Comparing equal lists costs one comparison, others no
/// more than their length.
fn fold_details(kind: Kind, observations: Vec<Observation>) -> Details {
    let mut details = Details::new();
    let mut items: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for observation in observations {
        for (member, value) in observation.details {
            let Some(known) = details.get_mut(&member) else {
                details.insert(member, value);
                continue;
            };
            match (known, value) {
                (known, value) if known.is_null() => *known = value,
                (Value::Array(known), Value::Array(more)) if *known != more => {
                    let items = items.entry(member).or_insert_with(|| known.iter().map(spelling).collect());
                    known.extend(more.into_iter().filter(|item| items.insert(spelling(item))));
                }
                _ => {}
            }
        }
    }
    kind.complete(&mut details);
    details.sort_keys();
    details
}

/// Returns a text that is the same for equal values, with the members of objects in a fixed order.
fn spelling(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

/// The common summary, read from members that every kind spells alike.
fn summarise(
    details: &Details,
    fingerprint: &[Value],
    scoped: bool,
    task_results: Vec<String>,
    issues: IssueCounts,
) -> Summary {
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
            route: text(details, "network.block").or_else(|| text(details, "hidden_net_block")),
            kind: None,
        },
        technology: technology(details, fingerprint),
        vulns: Vulns::default(),
    }
}

/// Every vulnerability once, whatever number of products it is in.
fn vulns(by_product: &BTreeMap<String, Vec<String>>) -> Vulns {
    let all: BTreeSet<&String> = by_product.values().flatten().collect();
    let current_count = i64::try_from(all.len()).unwrap_or(i64::MAX);
    Vulns { vulns: all.into_iter().cloned().collect(), current_count }
}

fn resolution(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value.get("response_data").and_then(Value::as_str)).map(str::to_owned)
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
    Ports { count, tcp: tcp.into_iter().collect(), udp: udp.into_iter().collect() }
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
            let cpe =
                serde_json::json!({"cpe": cpe, "detection_method": item.get("method").cloned().unwrap_or(Value::Null)});
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
        cloud_providers: list(details, "cloud_providers").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clearance;
    use serde_json::json;

    fn input(kind: Kind, observations: Vec<Observation>) -> FoldInput {
        let collection = Uuid::nil();
        let name = "thing".to_owned();
        FoldInput {
            uid: Uid::of_entity(collection, kind, &name),
            collection,
            kind,
            name,
            seed: false,
            hidden: false,
            allow_list: false,
            deny_list: false,
            present: true,
            tags: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
            decision: Decision {
                ownership: 990,
                clearance: Clearance::L3,
                reason: "subdomain".into(),
                path: Vec::new(),
                evidence: Vec::new(),
            },
            observations,
            issues: IssueCounts::default(),
            vulnerabilities: BTreeMap::new(),
        }
    }

    fn observation(task: &str, argument: &str, details: Value) -> Observation {
        Observation {
            task: task.to_owned(),
            argument: argument.to_owned(),
            details: details.as_object().cloned().unwrap(),
        }
    }

    /// Some observations of a site, in one order.
    fn site() -> Vec<Observation> {
        vec![
            observation("http_enrich", "192.0.2.1:443", json!({"title": "low", "code": "200", "scripts": ["a", "b"]})),
            observation(
                "http_enrich",
                "192.0.2.2:443",
                json!({"title": "high", "generator": "G", "scripts": ["b", "c"]}),
            ),
            observation("favicon", "192.0.2.2:443", json!({"favicon_md5": "00", "title": null})),
        ]
    }

    #[test]
    fn the_first_value_by_task_and_argument_stands_and_lists_are_merged() {
        let record = fold(input(Kind::Uri, site()));
        let member = |name: &str| record.details[name].clone();
        assert_eq!(member("title"), "low");
        assert_eq!(member("generator"), "G");
        assert_eq!(member("scripts"), json!(["a", "b", "c"]));
        assert_eq!(member("favicon_md5"), "00");
        let tasks: Vec<&str> = record.task_results.iter().map(|result| result.name.as_str()).collect();
        assert_eq!(tasks, ["favicon_on_thing", "http_enrich_on_thing"]);
        assert_eq!(record.summary.task_results, ["favicon", "http_enrich"]);
    }

    #[test]
    fn the_order_of_observations_does_not_matter() {
        let record = fold(input(Kind::Uri, site()));
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let shuffled = order.iter().map(|at| site()[*at].clone()).collect();
            let other = fold(input(Kind::Uri, shuffled));
            assert_eq!(serde_json::to_string(&other).unwrap(), serde_json::to_string(&record).unwrap(), "{order:?}");
        }
    }

    #[test]
    fn arguments_are_compared_as_text_and_null_gives_way() {
        let record = fold(input(
            Kind::Uri,
            vec![
                observation("http_enrich", "b", json!({"title": "from b"})),
                observation("http_enrich", "a", json!({"title": null})),
            ],
        ));
        assert_eq!(record.details["title"], "from b");
    }

    #[test]
    fn objects_in_lists_are_equal_whatever_the_order_of_their_members() {
        let record = fold(input(
            Kind::IpAddress,
            vec![
                observation("a", "", json!({"ports": [{"number": 80, "protocol": "tcp"}]})),
                observation(
                    "b",
                    "",
                    json!({"ports": [{"protocol": "tcp", "number": 80}, {"number": 53, "protocol": "udp"}]}),
                ),
            ],
        ));
        assert_eq!(record.details["ports"].as_array().map(Vec::len), Some(2));
        assert_eq!(
            (record.summary.ports.count, record.summary.ports.tcp, record.summary.ports.udp),
            (2, vec![80], vec![53])
        );
    }

    #[test]
    fn many_lists_are_merged_once_each() {
        const SERVICES: usize = 3_000;
        let says = |at: usize| {
            observation("tls_grab", &format!("{at:05}"), json!({"hidden_tls": [at], "hidden_names": ["a", "b"]}))
        };
        let record = fold(input(Kind::SslCertificate, (0..SERVICES).map(says).collect()));
        assert_eq!(record.details["hidden_tls"].as_array().map(Vec::len), Some(SERVICES));
        assert_eq!(record.details["hidden_names"], json!(["a", "b"]));
    }

    #[test]
    fn every_member_of_the_contract_is_always_there() {
        for kind in Kind::ALL {
            let record = fold(input(*kind, Vec::new()));
            for member in kind.members() {
                assert!(record.details.contains_key(member), "{} {member}", kind.name());
            }
            assert_eq!(record.details.len(), kind.members().count(), "{}", kind.name());
            assert!(record.details.keys().is_sorted(), "{}", kind.name());
        }
        let address = fold(input(Kind::IpAddress, Vec::new()));
        assert_eq!(address.details["ports"], json!([]));
        assert_eq!(address.details["whitelist"], json!(false));
        assert_eq!(address.details["network.asn"], json!(null));
        assert_eq!(fold(input(Kind::Uri, Vec::new())).details["redirect_count"], json!(0));
    }

    #[test]
    fn the_summary_reads_members_that_every_kind_spells_alike() {
        let record = fold(input(
            Kind::Uri,
            vec![observation(
                "http_enrich",
                "",
                json!({
                    "code": "200", "title": "T", "port": 443, "protocol": "tcp", "auth.basic": true, "forms": true,
                    "asn": 64500, "net_name": "NET", "hidden_net_block": "192.0.2.0/24",
                    "cloud_hosted": true, "cloud_providers": ["P"],
                    "geolocation": {"city": "C", "country": "Land", "country_code": "LA", "latitude": 1.5,
                    "asn": {"asn": 64500}},
                    "fingerprint": [{"product": "nginx", "cpe": "cpe:2.3:a:f5:nginx", "method": "ident",
                    "tags": ["Web"]}],
                }),
            )],
        ));
        let summary = &record.summary;
        assert!(summary.scoped && record.scoped);
        assert_eq!(
            (summary.http.code, summary.http.title.as_deref(), summary.http.auth.basic),
            (Some(200), Some("T"), Some(true))
        );
        assert_eq!((summary.ports.count, &summary.ports.tcp), (1, &vec![443]));
        assert_eq!((summary.network.asn, summary.network.name.as_deref()), (Some(64500), Some("NET")));
        assert_eq!(summary.network.route.as_deref(), Some("192.0.2.0/24"), "the block around its address");
        assert_eq!(
            (summary.geolocation.country_name.as_deref(), &summary.geolocation.asn),
            (Some("Land"), &Some(json!(64500)))
        );
        assert_eq!(summary.technology.technologies, ["nginx"]);
        assert_eq!(summary.technology.technology_labels, ["Web"]);
        assert_eq!(summary.technology.cpes, [json!({"cpe": "cpe:2.3:a:f5:nginx", "detection_method": "ident"})]);
        assert_eq!(record.fingerprint.len(), 1);
        assert_eq!(record.tags, ["a", "b"]);
        let name = fold(input(
            Kind::DnsRecord,
            vec![observation(
                "resolve",
                "",
                json!({"resolutions": [{"response_data": "192.0.2.1", "response_type": "A"}]}),
            )],
        ));
        assert_eq!(name.summary.resolutions, ["192.0.2.1"]);
    }

    #[test]
    fn values_of_a_wrong_type_are_kept_and_left_out_of_the_summary() {
        let record = fold(input(
            Kind::Uri,
            vec![observation(
                "http_enrich",
                "",
                json!({"code": 200, "port": "443", "fingerprint": "none", "geolocation": []}),
            )],
        ));
        assert_eq!(record.summary.http.code, None);
        assert_eq!(record.summary.ports.count, 0);
        assert!(record.fingerprint.is_empty() && record.summary.geolocation == Geolocation::default());
        assert_eq!(record.details["code"], 200);
    }
}
