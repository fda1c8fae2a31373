//! Domains and addresses in version 2: what the inventory knows of them.

use super::{required, stamp, without};
use crate::answer::Answer;
use crate::call::Call;
use crate::present::relationships;
use ambit_api::ApiError;
use ambit_model::object::ObjectType;
use serde_json::{Value, json};

/// Report on a domain or host name of the inventory.
pub(crate) async fn domain(call: Call) -> Result<Answer, ApiError> {
    let name = required(&call, "domain")?;
    if ObjectType::Domain.names(name).is_empty() {
        return Ok(Answer::json(&without(-1, name, "Invalid domain")));
    }
    let Some(resolutions) = relationships::related_to(&call, ObjectType::Domain, name, "resolutions").await? else {
        return Ok(Answer::json(&without(0, name, "Domain not found in dataset")));
    };
    let subdomains =
        relationships::related_to(&call, ObjectType::Domain, name, "subdomains").await?.unwrap_or_default();
    let subdomains: Vec<&Value> = subdomains.iter().map(|one| &one["id"]).collect();
    Ok(Answer::json(&json!({
        "response_code": 1,
        "verbose_msg": "Domain found in dataset",
        "resolutions": resolved(&resolutions, "ip_address", "ip_address"),
        "subdomains": subdomains,
        "detected_urls": [],
        "undetected_urls": urls(&call, ObjectType::Domain, name).await?,
    })))
}

/// Report on an address of the inventory.
pub(crate) async fn address(call: Call) -> Result<Answer, ApiError> {
    let name = required(&call, "ip")?;
    if ObjectType::IpAddress.names(name).is_empty() {
        return Ok(Answer::json(&without(-1, name, "Invalid IP address")));
    }
    let Some(resolutions) = relationships::related_to(&call, ObjectType::IpAddress, name, "resolutions").await? else {
        return Ok(Answer::json(&without(0, name, "IP address not found in dataset")));
    };
    Ok(Answer::json(&json!({
        "response_code": 1,
        "verbose_msg": "IP address in dataset",
        "resolutions": resolved(&resolutions, "host_name", "hostname"),
        "detected_urls": [],
        "undetected_urls": urls(&call, ObjectType::IpAddress, name).await?,
    })))
}

/// When what was last seen together; `attribute` of the newer version is `member` of the older.
fn resolved(resolutions: &[Value], attribute: &str, member: &str) -> Vec<Value> {
    let one = |resolution: &Value| {
        let attributes = &resolution["attributes"];
        json!({"last_resolved": stamp(attributes.get("date")), member: attributes[attribute]})
    };
    resolutions.iter().map(one).collect()
}

/// Each as the older version lists it: URL, SHA-256, how many engines found something and how many looked, when.
async fn urls(call: &Call, kind: ObjectType, name: &str) -> Result<Vec<Value>, ApiError> {
    let found = relationships::related_to(call, kind, name, "urls").await?.unwrap_or_default();
    let one = |url: &Value| {
        let attributes = &url["attributes"];
        json!([attributes["url"], url["id"], 0, 0, stamp(attributes.get("last_modification_date"))])
    };
    Ok(found.iter().map(one).collect())
}
