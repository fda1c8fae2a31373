//! Domains and addresses in version 2: what the inventory knows of them.

use super::{moment, required, text, without};
use crate::call::{Asking, Call};
use crate::present::relationships;
use crate::query::{Written, query};
use ambit_api::objects::{Object, value};
use ambit_api::v2::{HostReport, Resolution};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::object::ObjectType;
use serde_json::Value;

query! { Name: domain: Text = "A domain or host name." }

query! { Address: ip: Text = "An address." }

/// Report on a domain or host name of the inventory.
pub(crate) async fn domain(call: Asking<Name>) -> Result<Value> {
    report(&call, ObjectType::Domain, Name::domain(&call)).await
}

/// Report on an address of the inventory.
pub(crate) async fn address(call: Asking<Address>) -> Result<Value> {
    report(&call, ObjectType::IpAddress, Address::ip(&call)).await
}

async fn report(call: &Call, kind: ObjectType, written: Written<'_>) -> Result<Value> {
    let name = required(written)?;
    let is_domain = kind == ObjectType::Domain;
    let (what, found) =
        if is_domain { ("Domain", "Domain found in dataset") } else { ("IP address", "IP address in dataset") };
    if kind.names(name).is_empty() {
        let what = if is_domain { "domain" } else { what };
        return Ok(without(-1, name, &format!("Invalid {what}")));
    }
    let Some(resolutions) = relationships::related_to(call, kind, name, "resolutions").await? else {
        return Ok(without(0, name, &format!("{what} not found in dataset")));
    };
    let resolution = |one: &Object| Resolution {
        last_resolved: moment(one, "date"),
        ip_address: Maybe(is_domain.then(|| text(one, "ip_address"))),
        hostname: Maybe((!is_domain).then(|| text(one, "host_name"))),
    };
    let listed = |url: &Object| (text(url, "url"), url.id.clone(), 0, 0, moment(url, "last_modification_date"));
    let related = async |relationship| {
        let found = relationships::related_to(call, kind, name, relationship).await?;
        Ok::<_, ApiError>(found.unwrap_or_default())
    };
    let subdomains =
        if is_domain { Some(related("subdomains").await?.into_iter().map(|one| one.id).collect()) } else { None };
    Ok(value(&HostReport {
        response_code: 1,
        verbose_msg: found,
        resolutions: resolutions.iter().map(resolution).collect(),
        subdomains,
        detected_urls: [],
        undetected_urls: related("urls").await?.iter().map(listed).collect(),
    }))
}
