//! States of Terraform and OpenTofu (version 4), and what `terraform show -json` writes. What is managed and of a type
//! that is known (`ambit-cloud/src/terraform/`) is theirs, with the places that it leads to; of all else the addresses,
//! names and URLs are read, which may be those of others. Attributes that are marked as sensitive are not read.

use crate::error::{ImportError, Result};
use crate::gathered::{Account, Gathered};
use crate::json::whole;
use ambit_cloud::terraform;
use ambit_model::Kind;
use ambit_model::policy::is_open_to_anyone;
use ambit_model::reserved::is_internal;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Attributes that hold a public address.
const ADDRESSES: &[&str] = &[
    "access_ip_v4",
    "access_ip_v6",
    "address",
    "elastic_ip",
    "ip",
    "ip_address",
    "ipv4_address",
    "ipv6_address",
    "main_ip",
    "nat_ip",
    "public_ip",
    "public_ip_address",
    "reserved_ip",
];
/// Attributes that hold the name of a host.
const HOSTS: &[&str] = &[
    "cname",
    "custom_domain",
    "default_hostname",
    "default_site_hostname",
    "dns_name",
    "domain",
    "domain_name",
    "endpoint",
    "fqdn",
    "hostname",
    "public_dns",
    "website_endpoint",
];
/// Attributes that hold a URL.
const URLS: &[&str] = &["function_url", "https_trigger_url", "invoke_url", "live_url", "service_url", "url", "uri"];
/// Resources whose name is that of a host.
const NAMED: &[&str] = &["hetznerdns_zone"];
/// The version of files of states that is read.
const VERSION: u64 = 4;
/// Modules within modules of `terraform show -json`.
const DEPTH_MAX: usize = 32;
/// Characters of a lineage: a UUID has 36.
const LINEAGE_CHARS_MAX: usize = 100;

/// What is read, in the words of its users.
const STATE: &str = "a Terraform state (terraform.tfstate, or what `terraform show -json` writes)";

/// A resource as either form of file says it.
struct Resource<'a> {
    kind: &'a str,
    name: &'a str,
    is_managed: bool,
    /// Attributes that are not marked as sensitive.
    attributes: Map<String, Value>,
}

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    let body = whole(file, STATE)?;
    let mut resources = Vec::new();
    if body["values"]["root_module"].is_object() {
        module(&body["values"]["root_module"], DEPTH_MAX, &mut resources)?;
    } else if !is_empty_output(&body) {
        for resource in listed(&body)? {
            for instance in resource["instances"].as_array().into_iter().flatten() {
                resources.extend(Resource::of(resource, &instance["attributes"], &instance["sensitive_attributes"]));
            }
        }
    }
    let lineage = body["lineage"].as_str().map(str::trim);
    let lineage = lineage.filter(|text| !text.is_empty() && text.chars().count() <= LINEAGE_CHARS_MAX);
    gathered.account = Some(Account {
        lineage: lineage.map(str::to_owned),
        serial: body["serial"].as_u64(),
        version: body["terraform_version"].as_str().unwrap_or_default().to_owned(),
    });
    let private: BTreeSet<(&str, String)> =
        resources.iter().filter_map(|one| terraform::private_zone(one.kind, &one.attributes)).collect();
    let groups: BTreeMap<String, String> = resources
        .iter()
        .filter_map(|one| terraform::group(one.kind, &one.attributes))
        .map(|(id, arn)| (id.to_owned(), arn.to_owned()))
        .collect();
    let blocked: BTreeSet<String> = resources
        .iter()
        .filter_map(|one| terraform::blocked_bucket(one.kind, &one.attributes))
        .map(str::to_owned)
        .collect();
    for mut resource in resources.into_iter().filter(|one| one.is_managed) {
        let group = terraform::group_of(resource.kind, &resource.attributes).and_then(|id| groups.get(id));
        if let Some(arn) = group {
            resource.attributes.insert(terraform::GROUP_ARN.to_owned(), Value::String(arn.clone()));
        }
        complete_policy(&mut resource, &blocked);
        let is_inside =
            terraform::zone_of(resource.kind, &resource.attributes).is_some_and(|zone| private.contains(&zone));
        match terraform::is_known(resource.kind) {
            _ if is_inside => {}
            true => own(resource, gathered),
            false => mention(&resource, gathered),
        }
    }
    Ok(())
}

/// True for what `terraform show -json` writes where nothing is left: its versions and no values.
fn is_empty_output(body: &Value) -> bool {
    body["format_version"].is_string()
        && body["terraform_version"].is_string()
        && ["values", "planned_values", "resource_changes"].iter().all(|member| body[*member].is_null())
}

/// The resources of a file of a state.
fn listed(body: &Value) -> Result<&Vec<Value>> {
    let version = body["version"].as_u64();
    let why = if !body["encrypted_data"].is_null() {
        "it is encrypted; give what `tofu state pull` writes".to_owned()
    } else if !body["planned_values"].is_null() || !body["resource_changes"].is_null() {
        "it is a plan; give the state itself, as `terraform state pull` writes it".to_owned()
    } else if let Some(other) = version.filter(|version| *version != VERSION) {
        format!("it has version {other}; version {VERSION} is read, which Terraform writes since 0.12")
    } else if version.is_none() || !body["terraform_version"].is_string() {
        "there is no version or no terraform_version".to_owned()
    } else {
        match body["resources"].as_array() {
            Some(resources) => return Ok(resources),
            None => "there is no list of resources".to_owned(),
        }
    };
    Err(ImportError::file(format!("not a readable Terraform state: {why}")))
}

/// Tells the policy of a bucket whether it lets everybody in, and that nothing blocks it: AWS refuses a policy for
/// everybody where one is blocked, so that a state with such a policy and without a block has none.
fn complete_policy(resource: &mut Resource<'_>, blocked: &BTreeSet<String>) {
    let Some((bucket, policy)) = terraform::bucket_policy(resource.kind, &resource.attributes) else { return };
    let is_public = is_open_to_anyone(&policy);
    let is_blocked = blocked.contains(bucket) || blocked.contains("");
    resource.attributes.insert(terraform::IS_PUBLIC.to_owned(), Value::Bool(is_public));
    if is_public && !is_blocked {
        resource.attributes.insert(terraform::BLOCKS_POLICIES.to_owned(), Value::Bool(false));
    }
}

/// What a module of `terraform show -json` holds, with the modules in it.
fn module<'a>(module: &'a Value, depth: usize, resources: &mut Vec<Resource<'a>>) -> Result<()> {
    for resource in module["resources"].as_array().into_iter().flatten() {
        resources.extend(Resource::of(resource, &resource["values"], &resource["sensitive_values"]));
    }
    for child in module["child_modules"].as_array().into_iter().flatten() {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(ImportError::file(format!(
                "not a readable Terraform state: more than {DEPTH_MAX} modules in one another"
            )));
        };
        self::module(child, depth, resources)?;
    }
    Ok(())
}

impl<'a> Resource<'a> {
    fn of(resource: &'a Value, attributes: &Value, sensitive: &Value) -> Option<Self> {
        let secret: BTreeSet<&str> = sensitive.as_array().into_iter().flatten().flat_map(steps).collect();
        let is_secret = |name: &str| secret.contains(name) || is_marked(&sensitive[name]);
        let attributes = attributes.as_object()?.iter().filter(|(name, _)| !is_secret(name));
        Some(Self {
            kind: resource["type"].as_str().unwrap_or_default(),
            name: resource["name"].as_str().unwrap_or_default(),
            is_managed: resource["mode"] == "managed",
            attributes: attributes.map(|(name, value)| (name.clone(), value.clone())).collect(),
        })
    }

    fn says(&self) -> [(&'a str, &'a str); 2] {
        [("resource", self.kind), ("name", self.name)]
    }
}

/// What a resource of a known type is and leads to: all of it is theirs.
fn own(resource: Resource<'_>, gathered: &mut Gathered) {
    let says = resource.says();
    let Some(asset) = terraform::asset(resource.kind, resource.attributes) else { return };
    for address in asset.addresses.iter().filter(|address| !is_internal(**address)) {
        gathered.own(Kind::IpAddress, &address.to_string(), &says);
    }
    for host in &asset.hosts {
        match Kind::of_host(host) {
            Ok((kind, name)) => gathered.own(kind, &name, &says),
            Err(_) => gathered.leave_out(),
        }
    }
    for url in &asset.urls {
        gathered.own(Kind::Uri, url, &says);
    }
    for (kind, name) in &asset.also {
        match Kind::from_name(kind) {
            Some(kind) => gathered.own(kind, name, &says),
            None => gathered.leave_out(),
        }
    }
    let Some((kind, name)) = asset.entity else { return };
    match Kind::from_name(kind) {
        Some(kind) => gathered.own_set_up((kind, &name), &says, asset.what, asset.says),
        None => gathered.leave_out(),
    }
}

/// Adds the places that a resource of another type mentions, which may belong to third parties.
fn mention(resource: &Resource<'_>, gathered: &mut Gathered) {
    let says = resource.says();
    for (name, value) in &resource.attributes {
        let Some(text) = value.as_str().map(str::trim).filter(|text| !text.is_empty()) else { continue };
        let host = text.trim_end_matches('.').split(':').next().unwrap_or_default();
        match name.as_str() {
            _ if URLS.contains(&name.as_str()) && text.starts_with("http") => gathered.site(text, None, &says),
            "endpoint" if text.starts_with("http") => gathered.site(text, None, &says),
            name if ADDRESSES.contains(&name) && is_public(text) => gathered.host(text, None, &says),
            name if HOSTS.contains(&name) && Kind::of_host(host).is_ok() => gathered.host(host, None, &says),
            "name" | "zone" if NAMED.contains(&resource.kind) => gathered.host(host, None, &says),
            _ => {}
        }
    }
}

/// Names of the steps of a path in a list of sensitive attributes: `[{"type": "get_attr", "value": "password"}]`.
fn steps(path: &Value) -> impl Iterator<Item = &str> {
    path.as_array().into_iter().flatten().filter_map(|step| step["value"].as_str())
}

/// Returns whether anything in a value of `sensitive_values` is marked. The file's own depth bounds it.
fn is_marked(sensitive: &Value) -> bool {
    match sensitive {
        Value::Bool(flag) => *flag,
        Value::Array(items) => items.iter().any(is_marked),
        Value::Object(members) => members.values().any(is_marked),
        _ => false,
    }
}

/// Returns true for an address that is routed on the internet. A name is none.
fn is_public(text: &str) -> bool {
    text.parse().is_ok_and(|address: IpAddr| !is_internal(address))
}
