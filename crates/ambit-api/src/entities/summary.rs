//! The summary of an entity, common to all kinds: the model's own, as it is.

use crate::contract::{contract, mirror};
use ambit_model::entity::{
    Auth, Content, Geolocation, Http, IssueCounts, Network, Ports, Summary, TechnologySummary, Vulns,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

contract! {
    /// An item of `cpes`.
    #[derive(Debug, Serialize)]
    pub struct Cpe {
        pub cpe: String,
        pub detection_method: Option<String>,
    }
}

mirror! {
    Summary as "Summary" {
        scoped: bool,
        issues: IssueCounts,
        task_results: Vec<String>,
        screenshot_exists: bool,
        geolocation: Geolocation,
        http: Http,
        ports: Ports,
        resolutions: Vec<String>,
        network: Network,
        technology: TechnologySummary,
        vulns: Vulns,
    }

    IssueCounts as "IssueCounts" {
        current_by_severity: BTreeMap<String, i64>,
        all_time_by_severity: BTreeMap<String, i64>,
        current_with_cve: i64,
        current_count: i64,
        all_time_count: i64,
        critical_or_high: bool,
    }

    Geolocation as "SummaryGeolocation" {
        city: Option<String>,
        country_code: Option<String>,
        country_name: Option<String>,
        latitude: Option<f64>,
        longitude: Option<f64>,
        asn: Option<Value> => Value,
    }

    Http as "SummaryHttp" {
        code: Option<i64>,
        title: Option<String>,
        auth: Auth,
        content: Content,
    }

    Auth as "SummaryAuth" {
        any: Option<bool>,
        basic: Option<bool>,
        ntlm: Option<bool>,
        forms: Option<bool>,
        #[serde(rename = "2fa")]
        two_factor: Option<bool>,
    }

    Content as "SummaryContent" {
        hash: Option<String>,
        forms: Option<bool>,
        favicon_hash: Option<String>,
    }

    Ports as "SummaryPorts" {
        count: i64,
        tcp: Vec<i64>,
        udp: Vec<i64>,
    }

    Network as "SummaryNetwork" {
        name: Option<String>,
        asn: Option<i64>,
        route: Option<String>,
        #[serde(rename = "type")]
        kind: Option<String>,
    }

    TechnologySummary as "SummaryTechnology" {
        cloud: bool,
        cloud_providers: Vec<String>,
        cpes: Vec<Value> => Vec<Cpe>,
        technologies: Vec<String>,
        technology_labels: Vec<String>,
    }

    Vulns as "SummaryVulns" {
        vulns: Vec<String>,
        current_count: i64,
    }
}
