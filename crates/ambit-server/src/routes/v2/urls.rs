//! URLs in version 2 (docs/contract/wider.md §8). Submitting one remembers it; nothing is sent to it.

use super::{answer, bounded, permalink, text, without};
use crate::call::{Call, CallWith};
use crate::present::objects;
use crate::query::{Written, query};
use crate::submissions::submit;
use ambit_api::files::EngineResults;
use ambit_api::objects::{Form, Object, Seconds, value};
use ambit_api::v2::{UrlReport, Verdicts, stamp};
use ambit_api::{Maybe, Result};
use ambit_model::canonical_url::canonical_url;
use ambit_model::object::ObjectType;
use serde_json::Value;

const UNKNOWN: &str = "Resource does not exist in the dataset";
const INVALID: &str = "Invalid URL, the scan request was not queued";
const QUEUED: &str = "Scan request successfully queued, come back later for the report";
/// Characters of a hexadecimal SHA-256.
const SHA256_CHARS: usize = 64;

query! { Submitted: url: Text = "URLs, each on a line; at most 25." }

query! { Resources:
    resource: Text = "URLs, their SHA-256 or scan ids, each on a line; at most 25.",
    scan: Text = "1: submit those that are not known.",
}

/// URLs stand on lines of their own: commas may be part of them.
fn lines(written: Written<'_>) -> Vec<String> {
    let lines = written.or_empty().lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

async fn queued(call: &Call, text: &str) -> Result<Value> {
    let Some(url) = canonical_url(text) else {
        return Ok(without(-1, text, INVALID));
    };
    let (sha256, now) = (submit(call, &url).await?, Seconds::from(call.now));
    Ok(value(&UrlReport {
        response_code: 1,
        verbose_msg: QUEUED,
        resource: url.clone(),
        url,
        scan_id: format!("{sha256}-{}", now.0),
        scan_date: stamp(now),
        permalink: permalink(call, ObjectType::Url, &sha256),
        ..UrlReport::default()
    }))
}

/// Submit URLs.
pub(crate) async fn scan(call: CallWith<Maybe<Form>, Submitted>) -> Result<Value> {
    let mut items = Vec::new();
    for text in bounded(lines(Submitted::url(&call)), "url")? {
        items.push(queued(&call, &text).await?);
    }
    Ok(answer(items))
}

/// Report on URLs.
pub(crate) async fn report(call: CallWith<Maybe<Form>, Resources>) -> Result<Value> {
    let submits = Resources::scan(&call).text == Some("1") && !call.caller().scope().read_only;
    let mut items = Vec::new();
    for resource in bounded(lines(Resources::resource(&call)), "resource")? {
        items.push(match found(&call, &resource).await? {
            Some(found) => reported(&call, &found, &resource),
            None if submits => queued(&call, &resource).await?,
            None => without(0, &resource, UNKNOWN),
        });
    }
    Ok(answer(items))
}

/// The URL of a resource: itself, its SHA-256, or a scan id.
async fn found(call: &Call, resource: &str) -> Result<Option<Object>> {
    let hash = resource.split_once('-').map_or(resource, |(hash, _)| hash);
    let is_hash = hash.len() == SHA256_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = if is_hash { Some(hash.to_owned()) } else { canonical_url(resource) };
    objects::find(call, ObjectType::Url, id.as_deref().unwrap_or(resource)).await
}

fn reported(call: &Call, found: &Object, resource: &str) -> Value {
    let date = ["last_submission_date", "last_modification_date"].into_iter().find_map(|name| found.attribute(name));
    let date = Seconds(date.and_then(Value::as_i64).unwrap_or_default());
    value(&UrlReport {
        response_code: 1,
        verbose_msg: "Scan finished, scan information embedded in this object",
        resource: resource.to_owned(),
        url: text(found, "url"),
        scan_id: format!("{}-{}", found.id, date.0),
        scan_date: stamp(date),
        filescan_id: Some(()),
        permalink: permalink(call, ObjectType::Url, &found.id),
        verdicts: Some(Verdicts::of(&results(found))),
    })
}

/// Returns the results of the engines.
fn results(found: &Object) -> EngineResults {
    found.attribute("last_analysis_results").and_then(Value::as_object).cloned().unwrap_or_default()
}
