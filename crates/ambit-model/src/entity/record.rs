//! The record of an entity as versions keep it and the API shows it: one shape for all kinds (docs/contract/asm.md
//! §4.4).

use super::Evidence;
use super::Kind;
use crate::scope::ScopeReason;
use crate::{Clearance, Details, EdgeKind, Uid};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use uuid::Uuid;

/// One state of an entity. The times of first and last sight are kept beside it, so that seeing it again makes no new
/// version. What is stored of it leaves out members without a value and empty parts of the summary: they were a third
/// of all that is stored of most entities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityRecord {
    pub uid: Uid,
    pub collection: Uuid,
    pub kind: Kind,
    /// Canonical name.
    pub name: String,
    /// A person gave it.
    pub seed: bool,
    pub hidden: bool,
    pub allow_list: bool,
    pub deny_list: bool,
    /// Seed, or backed by an open observation, or reached by open edges from a seed.
    pub present: bool,
    pub scoped: bool,
    pub scoped_reason: ScopeReason,
    /// Shared with third parties, so that scope may lower its ownership (`scope::Node::shared`). What shows it is in
    /// the details: `ip_address::shared_by`.
    pub shared: bool,
    /// Ownership in thousandths (docs/architecture.md §4).
    pub ownership: u16,
    pub clearance: Clearance,
    /// From the seed to this entity, edge by edge (`extended_path_to_seed`).
    pub path: Vec<PathStep>,
    /// Of a domain that nobody named: what shows that it is theirs, the strongest first. It may not suffice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    pub ancestors: Vec<Ancestor>,
    pub task_results: Vec<TaskResult>,
    pub details: Details,
    /// Fingerprint items of the contract.
    pub fingerprint: Vec<Value>,
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(serialize_with = "parts_with_content")]
    pub summary: Summary,
    /// CVE ids known against what it shows, by the CPE of the product.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vulnerabilities: BTreeMap<String, Vec<String>>,
}

/// Writes those parts of a summary that say something; what is missing is read as empty.
fn parts_with_content<S: Serializer>(summary: &Summary, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Parts<'a> {
        #[serde(skip_serializing_if = "is_empty")]
        scoped: &'a bool,
        #[serde(skip_serializing_if = "is_empty")]
        issues: &'a IssueCounts,
        #[serde(skip_serializing_if = "is_empty")]
        task_results: &'a Vec<String>,
        #[serde(skip_serializing_if = "is_empty")]
        screenshot_exists: &'a bool,
        #[serde(skip_serializing_if = "is_empty")]
        geolocation: &'a Geolocation,
        #[serde(skip_serializing_if = "is_empty", serialize_with = "http_with_content")]
        http: &'a Http,
        #[serde(skip_serializing_if = "is_empty")]
        ports: &'a Ports,
        #[serde(skip_serializing_if = "is_empty")]
        resolutions: &'a Vec<String>,
        #[serde(skip_serializing_if = "is_empty")]
        network: &'a Network,
        #[serde(skip_serializing_if = "is_empty")]
        technology: &'a TechnologySummary,
        #[serde(skip_serializing_if = "is_empty")]
        vulns: &'a Vulns,
    }
    let Summary {
        scoped,
        issues,
        task_results,
        screenshot_exists,
        geolocation,
        http,
        ports,
        resolutions,
        network,
        technology,
        vulns,
    } = summary;
    let parts = Parts {
        scoped,
        issues,
        task_results,
        screenshot_exists,
        geolocation,
        http,
        ports,
        resolutions,
        network,
        technology,
        vulns,
    };
    parts.serialize(serializer)
}

/// The same of how a site answered.
fn http_with_content<S: Serializer>(http: &&Http, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Parts<'a> {
        #[serde(skip_serializing_if = "is_empty")]
        code: &'a Option<i64>,
        #[serde(skip_serializing_if = "is_empty")]
        title: &'a Option<String>,
        #[serde(skip_serializing_if = "is_empty")]
        auth: &'a Auth,
        #[serde(skip_serializing_if = "is_empty")]
        content: &'a Content,
    }
    let Http { code, title, auth, content } = http;
    Parts { code, title, auth, content }.serialize(serializer)
}

fn is_empty<T: Default + PartialEq>(part: &&T) -> bool {
    **part == T::default()
}

/// One edge of the path from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    pub from_kind: Kind,
    pub from_name: String,
    pub edge: EdgeKind,
    pub task: String,
    /// Ownership of this edge after its surroundings were considered, in thousandths.
    pub own: u16,
    pub cap: Clearance,
    /// What made this edge count for more or less than others of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ground: Option<Ground>,
}

/// What made an edge count for more or less, and the entity that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ground {
    pub kind: GroundKind,
    /// The name of the entity that shows it: the block, the registrant, the reverse name, the certificate, the alias'
    /// target, the delegated name.
    pub name: String,
}

/// Why an edge counts for more or less than others of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroundKind {
    /// For: a block around it is a seed, or allowed.
    SeededBlock,
    /// For: a network that is a seed announces a block around it that the network's own holder registered.
    AnnouncedBlock,
    /// For: the narrowest block around it is registered to the registrant of a seed, or by a mailbox in a seed's
    /// domain.
    Registrant,
    /// For: the address' reverse name is theirs and leads back to it.
    ReverseName,
    /// For: without SNI the address presents a certificate of theirs.
    DefaultCertificate,
    /// For: all addresses of the name are theirs.
    OwnMachines,
    /// Against: it is shared with third parties.
    Shared,
    /// Against: an alias leads through a name that is not theirs.
    ForeignAlias,
    /// Against: the name, or one above it, is delegated to other authorities.
    Delegated,
    /// Against: the narrowest block around it is registered to somebody else, within a block that is a seed.
    ForeignAllocation,
    /// Against: no registry could be asked whose the narrowest block around it is, within one that a network announces.
    UnknownPart,
    /// Against: no name of theirs is at it or above it.
    NoneAbove,
}

impl GroundKind {
    /// Returns true for what gives a title to an address, and does not only describe the machine there.
    pub fn is_title(self) -> bool {
        matches!(self, Self::SeededBlock | Self::AnnouncedBlock | Self::Registrant)
    }

    /// What it says of the entity that shows it, for people: "registered to NAME".
    pub fn words(self) -> &'static str {
        match self {
            Self::AnnouncedBlock => "in a block that the named network announces",
            Self::SeededBlock => "in the named block",
            Self::Registrant => "registered to",
            Self::ReverseName => "its reverse name, which resolves back to it, is",
            Self::DefaultCertificate => "it presents to everybody the certificate",
            Self::OwnMachines => "this name has only machines of theirs:",
            Self::Shared => "third parties share",
            Self::ForeignAlias => "an alias leads through a third party's name",
            Self::Delegated => "delegated to other name servers:",
            Self::ForeignAllocation => "registered to a third party:",
            Self::UnknownPart => "no registry could say who holds this part:",
            Self::NoneAbove => "no name of theirs is at or above",
        }
    }
}

/// An entity on the way from the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: Kind,
}

/// A task that contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
    /// `<task>_on_<entity name>`.
    pub name: String,
    pub task: String,
    pub depth: i64,
    pub entity_name: String,
    pub entity_type: Kind,
}

/// The summary, common to all kinds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub scoped: bool,
    pub issues: IssueCounts,
    pub task_results: Vec<String>,
    pub screenshot_exists: bool,
    pub geolocation: Geolocation,
    pub http: Http,
    pub ports: Ports,
    pub resolutions: Vec<String>,
    pub network: Network,
    pub technology: TechnologySummary,
    pub vulns: Vulns,
}

/// Counts of issues on the entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueCounts {
    pub current_by_severity: BTreeMap<String, i64>,
    pub all_time_by_severity: BTreeMap<String, i64>,
    pub current_with_cve: i64,
    pub current_count: i64,
    pub all_time_count: i64,
    pub critical_or_high: bool,
}

/// Where an address is said to be, and in which network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geolocation {
    pub city: Option<String>,
    pub country_code: Option<String>,
    pub country_name: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub asn: Option<Value>,
}

/// How a site answered, and what its front page asks for and holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Http {
    pub code: Option<i64>,
    pub title: Option<String>,
    pub auth: Auth,
    pub content: Content,
}

/// By which ways a page lets people sign in; `None` where nobody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auth {
    pub any: Option<bool>,
    pub basic: Option<bool>,
    pub ntlm: Option<bool>,
    pub forms: Option<bool>,
    #[serde(rename = "2fa")]
    pub two_factor: Option<bool>,
}

/// Fingerprints of a page and its icon, and whether it has forms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub hash: Option<String>,
    pub forms: Option<bool>,
    pub favicon_hash: Option<String>,
}

/// The open ports of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    pub count: i64,
    pub tcp: Vec<i64>,
    pub udp: Vec<i64>,
}

/// The network that an address belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    pub name: Option<String>,
    pub asn: Option<i64>,
    pub route: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// What something runs, and at which cloud providers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TechnologySummary {
    pub cloud: bool,
    pub cloud_providers: Vec<String>,
    pub cpes: Vec<Value>,
    pub technologies: Vec<String>,
    pub technology_labels: Vec<String>,
}

/// The vulnerabilities that affect it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vulns {
    pub vulns: Vec<String>,
    pub current_count: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A record as it was stored before empty members were left out, with a summary.
    fn stored(summary: Value) -> Value {
        json!({
            "uid": "00".repeat(32), "collection": Uuid::nil(), "kind": "DnsRecord", "name": "a.test", "seed": false,
            "hidden": false, "allow_list": false, "deny_list": false, "present": true, "scoped": false,
            "scoped_reason": "unreached", "shared": false, "ownership": 0, "clearance": "L0", "path": [],
            "ancestors": [], "task_results": [], "details": {"mx_records": null}, "fingerprint": [], "tags": [],
            "aliases": null, "alias_group": null, "category": null, "confidence": null, "description": null,
            "source": null, "status": null, "summary": summary,
        })
    }

    #[test]
    fn what_is_empty_is_not_stored_and_is_read_all_the_same() {
        let mut summary = json!(Summary::default());
        let record: EntityRecord = serde_json::from_value(stored(summary.clone())).unwrap();
        let kept = json!(record);
        assert_eq!(kept["summary"], json!({}));
        assert_eq!(kept.get("aliases"), None);
        assert_eq!(kept["details"], json!({"mx_records": null}), "what tasks say stays as they say it");
        assert_eq!(serde_json::from_value::<EntityRecord>(kept).unwrap(), record);

        summary["http"]["code"] = json!(200);
        summary["ports"]["count"] = json!(1);
        let record: EntityRecord = serde_json::from_value(stored(summary.clone())).unwrap();
        let kept = json!(record);
        assert_eq!(kept["summary"], json!({"http": {"code": 200}, "ports": {"count": 1, "tcp": [], "udp": []}}));
        let read: EntityRecord = serde_json::from_value(kept).unwrap();
        assert_eq!(json!(read.summary), summary, "the contract shows each member");
    }
}
