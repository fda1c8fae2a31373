//! URLs in version 2 (docs/contract/wider.md §8). Submitting one remembers it; nothing is sent to it.

use super::{answer, bounded, stamp, verdicts, without};
use crate::answer::Answer;
use crate::call::Call;
use crate::present::objects;
use crate::submissions::{submit, submitted};
use ambit_api::ApiError;
use ambit_model::id::blob_hash;
use ambit_model::moment::SECOND_MS;
use serde_json::{Value, json};

const UNKNOWN: &str = "Resource does not exist in the dataset";
const INVALID: &str = "Invalid URL, the scan request was not queued";
const QUEUED: &str = "Scan request successfully queued, come back later for the report";
/// Characters of a hexadecimal SHA-256.
const SHA256_CHARS: usize = 64;

/// URLs stand on lines of their own: commas may be part of them.
fn lines(call: &Call, name: &str) -> Vec<String> {
    let lines = call.query(name).unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

async fn queued(call: &Call, text: &str) -> Result<Value, ApiError> {
    let Some(url) = submitted(text) else {
        return Ok(without(-1, text, INVALID));
    };
    let sha256 = submit(call, &url).await?;
    Ok(json!({
        "response_code": 1,
        "verbose_msg": QUEUED,
        "resource": url,
        "url": url,
        "scan_id": format!("{sha256}-{}", call.now.0.div_euclid(SECOND_MS)),
        "scan_date": stamp(Some(&json!(call.now.0.div_euclid(SECOND_MS)))),
        "permalink": format!("{}/urls/{sha256}", call.base),
    }))
}

/// Submit URLs.
pub(crate) async fn scan(call: Call) -> Result<Answer, ApiError> {
    let mut items = Vec::new();
    for text in bounded(lines(&call, "url"), "url")? {
        items.push(queued(&call, &text).await?);
    }
    Ok(answer(items))
}

/// Report on URLs.
pub(crate) async fn report(call: Call) -> Result<Answer, ApiError> {
    let submits = call.query("scan") == Some("1");
    let mut items = Vec::new();
    for resource in bounded(lines(&call, "resource"), "resource")? {
        items.push(match found(&call, &resource).await? {
            Some(found) => reported(&found, &resource),
            None if submits => queued(&call, &resource).await?,
            None => without(0, &resource, UNKNOWN),
        });
    }
    Ok(answer(items))
}

/// The URL of a resource: itself, its SHA-256, or a scan id.
async fn found(call: &Call, resource: &str) -> Result<Option<Value>, ApiError> {
    let hash = resource.split_once('-').map_or(resource, |(hash, _)| hash);
    let mut names = vec![resource.to_owned()];
    if hash.len() == SHA256_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        names = vec![hash.to_owned()];
    } else if let Some(url) = submitted(resource) {
        names.push(blob_hash(url.as_bytes()).to_string());
    }
    for name in names {
        let found = objects::shown_or_missing(call, "url", &name).await?;
        if found.get("error").is_none() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn reported(found: &Value, resource: &str) -> Value {
    let attributes = &found["attributes"];
    let date = attributes.get("last_submission_date").or_else(|| attributes.get("last_modification_date"));
    let seconds = date.and_then(Value::as_i64).unwrap_or_default();
    let mut report = json!({
        "response_code": 1,
        "verbose_msg": "Scan finished, scan information embedded in this object",
        "resource": resource,
        "url": attributes["url"],
        "scan_id": format!("{}-{seconds}", found["id"].as_str().unwrap_or_default()),
        "scan_date": stamp(date),
        "filescan_id": null,
        "permalink": found["links"]["self"],
    });
    report.as_object_mut().expect("it was made as one").extend(verdicts(attributes));
    report
}
