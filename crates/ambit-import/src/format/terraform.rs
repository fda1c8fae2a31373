//! States of Terraform and OpenTofu (version 4), and what `terraform show -json` writes: addresses, names, URLs and
//! buckets of what is managed. Attributes that are marked as sensitive, and all that are not such places, are not read.

use crate::error::ImportError;
use crate::gathered::Gathered;
use ambit_model::Kind;
use ambit_model::reserved::is_internal;
use serde_json::Value;
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
const NAMED: &[&str] = &[
    "aws_route53_record",
    "aws_route53_zone",
    "azurerm_dns_zone",
    "digitalocean_domain",
    "google_dns_record_set",
    "hetznerdns_zone",
];
/// Modules within modules of `terraform show -json`.
const DEPTH_MAX: usize = 32;

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<(), ImportError> {
    let body: Value = serde_json::from_str(file).map_err(|error| ImportError::line(error.line(), error.to_string()))?;
    if body["values"]["root_module"].is_object() {
        module(&body["values"]["root_module"], DEPTH_MAX, gathered);
        return Ok(());
    }
    let is_state = body["terraform_version"].is_string() && body["version"].as_u64().is_some();
    let Some(resources) = body["resources"].as_array().filter(|_| is_state) else {
        return Err(ImportError::file(
            "no state of Terraform (version 4): there is no terraform_version, or no resources",
        ));
    };
    for resource in resources.iter().filter(|resource| resource["mode"] == "managed") {
        for instance in resource["instances"].as_array().into_iter().flatten() {
            take(resource, &instance["attributes"], &instance["sensitive_attributes"], gathered);
        }
    }
    Ok(())
}

/// What a module of `terraform show -json` holds, with the modules in it.
fn module(module: &Value, depth: usize, gathered: &mut Gathered) {
    let resources = module["resources"].as_array().into_iter().flatten();
    for resource in resources.filter(|resource| resource["mode"] == "managed") {
        take(resource, &resource["values"], &resource["sensitive_values"], gathered);
    }
    if depth > 0 {
        for child in module["child_modules"].as_array().into_iter().flatten() {
            self::module(child, depth - 1, gathered);
        }
    }
}

/// What a resource says of places.
fn take(resource: &Value, attributes: &Value, sensitive: &Value, gathered: &mut Gathered) {
    let Some(attributes) = attributes.as_object() else { return };
    let kind = resource["type"].as_str().unwrap_or_default();
    let says = [("resource", kind), ("name", resource["name"].as_str().unwrap_or_default())];
    let is_secret = |name: &str| {
        let listed = sensitive.as_array().into_iter().flatten();
        sensitive[name] == true || listed.flat_map(steps).any(|step| step == name)
    };
    for (name, value) in attributes.iter().filter(|(name, _)| !is_secret(name)) {
        let Some(text) = value.as_str().map(str::trim).filter(|text| !text.is_empty()) else { continue };
        let host = text.trim_end_matches('.').split(':').next().unwrap_or_default();
        match name.as_str() {
            _ if URLS.contains(&name.as_str()) && text.starts_with("http") => gathered.site(text, None, &says),
            "endpoint" if text.starts_with("http") => gathered.site(text, None, &says),
            name if ADDRESSES.contains(&name) && is_public(text) => gathered.host(text, None, &says),
            name if HOSTS.contains(&name) && Kind::of_host(host).is_ok() => gathered.host(host, None, &says),
            "name" | "zone" if NAMED.contains(&kind) => gathered.host(host, None, &says),
            "bucket" if kind == "aws_s3_bucket" => bucket(&format!("{text}.s3.amazonaws.com"), gathered),
            "name" if kind == "google_storage_bucket" => bucket(&format!("storage.googleapis.com/{text}"), gathered),
            _ => {}
        }
    }
}

/// Names of the steps of a path in a list of sensitive attributes: `[{"type": "get_attr", "value": "password"}]`.
fn steps(path: &Value) -> impl Iterator<Item = &str> {
    path.as_array().into_iter().flatten().filter_map(|step| step["value"].as_str())
}

fn bucket(name: &str, gathered: &mut Gathered) {
    gathered.add(Kind::CloudStorageBucket, name, None, &[]);
}

/// Returns true for an address that is routed on the internet. A name is none.
fn is_public(text: &str) -> bool {
    text.parse().is_ok_and(|address: IpAddr| !is_internal(address))
}
