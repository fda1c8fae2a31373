//! Files in version 2: reports, uploads, submissions (docs/contract/wider.md §8).

use super::{LIST_MAX, OneFile, answer, bounded, permalink, required, without};
use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::present::files;
use crate::query::{Written, query};
use crate::quota::rules;
use crate::signature::File;
use crate::submissions::{Uploaded, stored};
use ambit_api::objects::{Form, Seconds, value};
use ambit_api::v2::{FileDetails, FileReport, Submissions, UploadUrl, Verdicts, stamp};
use ambit_api::{Maybe, Result, V2_KEY_NAME};
use ambit_model::object::ObjectType;
use ambit_store::{Cost, StoredFile, Submission};
use serde_json::Value;

const UNKNOWN: &str = "The requested resource is not among the finished, queued or pending scans";
const INVALID: &str = "Invalid resource, check what you are submitting";
const QUEUED: &str = "Scan request successfully queued, come back later for the report";

query! { Resources: resource: Text = "Hashes (MD5, SHA-1, SHA-256) or scan ids, separated by commas; at most 25." }

query! { More: allinfo: Text = "1: more about each file." }

/// Hashes and scan ids, separated by commas or lines.
fn named(call: &Call) -> Vec<String> {
    let text = Resources::resource(call).or_empty();
    let parts = text.split([',', '\n', '\r']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// How many reports a call pays for: each that is asked for, found or not; what is refused as a whole is one call (V1).
pub(crate) fn asked_for(call: &Call) -> i64 {
    match named(call).len() {
        count @ 1..=LIST_MAX => i64::try_from(count).expect("a short list"),
        _ => 1,
    }
}

/// The hash of a resource: itself, or what stands before the second of a scan id.
fn hash_of(resource: &str) -> Option<&str> {
    let hash = resource.split_once('-').map_or(resource, |(hash, _)| hash);
    let whole = [32, 40, 64].contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then_some(hash)
}

/// Report on files, one call each.
pub(crate) async fn report(call: CallWith<Maybe<Form>, (Resources, More)>) -> Result<Value> {
    let mut reports = Vec::new();
    for resource in bounded(named(&call), "resource")? {
        reports.push(report_on(&call, &resource).await?);
    }
    Ok(answer(reports))
}

async fn report_on(call: &Call, resource: &str) -> Result<Value> {
    let Some(hash) = hash_of(resource) else {
        return Ok(without(-1, resource, INVALID));
    };
    let Some(found) = files::attributes_if_known(call, hash).await? else {
        return Ok(without(0, resource, UNKNOWN));
    };
    let seconds = found.last_analysis_date.0;
    let details = More::allinfo(call).text.is_some_and(|value| value != "0").then(|| FileDetails {
        size: found.size,
        kind: found.type_tag.0,
        submission_names: found.names,
        times_submitted: found.times_submitted,
        first_seen: found.first_submission_date.0.map(stamp),
        last_seen: found.last_submission_date.0.map(stamp),
    });
    Ok(value(&FileReport {
        response_code: 1,
        verbose_msg: "Scan finished, information embedded",
        resource: resource.to_owned(),
        scan_id: format!("{}-{}", found.sha256, seconds.unwrap_or_default().0),
        md5: found.md5,
        sha1: found.sha1,
        scan_date: Some(seconds.map(stamp)),
        permalink: permalink(call, ObjectType::File, &found.sha256),
        sha256: found.sha256,
        verdicts: Some(Verdicts::of(&found.last_analysis_results)),
        details,
    }))
}

fn queued(call: &Call, file: &StoredFile, resource: &str) -> Value {
    let sha256 = file.sha256.to_string();
    value(&FileReport {
        response_code: 1,
        verbose_msg: QUEUED,
        resource: resource.to_owned(),
        scan_id: format!("{sha256}-{}", Seconds::from(call.now).0),
        md5: file.md5.clone(),
        sha1: file.sha1.clone(),
        permalink: permalink(call, ObjectType::File, &sha256),
        sha256,
        ..FileReport::default()
    })
}

/// Upload a file, in the field file of a form.
pub(crate) async fn scan(mut call: CallWith<Maybe<Form>, Uploaded>) -> Result<Value> {
    let file = stored(&mut call, rules::V2_SCAN.usage).await?;
    Ok(queued(&call, &file, &file.sha256.to_string()))
}

/// Say where large files are uploaded.
///
/// The address for large files is that of all files: keys are part of addresses in this version.
pub(crate) async fn upload_url(call: Call) -> Result<Value> {
    let key = ambit_api::objects::query_value(required(Written::of_key(&call, V2_KEY_NAME))?);
    let upload_url = format!("{}{}/file/scan?{V2_KEY_NAME}={key}", call.root(), crate::mount::V2);
    Ok(value(&UploadUrl { upload_url }))
}

/// Analyse files again.
pub(crate) async fn rescan(call: CallWith<Maybe<Form>, Resources>) -> Result<Value> {
    let mut items = Vec::new();
    for resource in bounded(named(&call), "resource")? {
        let known = file_of(&call, &resource).await?;
        items.push(known.map_or_else(|| without(0, &resource, UNKNOWN), |file| queued(&call, &file, &resource)));
    }
    Ok(answer(items))
}

fn submission(one: Submission) -> ambit_api::v2::Submission {
    ambit_api::v2::Submission {
        date: stamp(one.at.into()),
        interface: "api",
        filename: one.name,
        source_key: one.source,
    }
}

/// The file of a resource, if it is known.
async fn file_of(call: &Call, resource: &str) -> Result<Option<StoredFile>> {
    match hash_of(resource) {
        Some(hash) => files::known(call, hash).await,
        None => Ok(None),
    }
}

/// List the submissions of files, one call each.
///
/// Each submission that is answered is one call, over all files (V2).
pub(crate) async fn submissions(call: CallWith<Maybe<Form>, Resources>) -> Result<Value> {
    let mut items = Vec::new();
    let mut count = 0;
    for resource in bounded(named(&call), "resource")? {
        let Some(file) = file_of(&call, &resource).await? else {
            items.push(without(0, &resource, UNKNOWN));
            continue;
        };
        let sha256 = file.sha256.to_string();
        let found = call.store().submissions(&sha256, file.visibility).await.about("File")?;
        count += i64::try_from(found.len()).expect("the store bounds them");
        let submissions = found.into_iter().map(submission).collect();
        items.push(value(&Submissions { response_code: 1, resource, sha256, submissions }));
    }
    let usage = rules::V2_SUBMISSIONS.usage;
    if count == 0 {
        call.state.free_counts.count(call.store(), call.caller().user_id(), usage, call.now);
    } else {
        call.store().charge(call.caller(), Cost::Requests(count), usage).await.about("Quota")?;
    }
    Ok(answer(items))
}

/// Download a file.
pub(crate) async fn download(call: Asking<OneFile>) -> Result<File> {
    files::bytes(&call, required(OneFile::hash(&call))?).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_hashes_or_scan_ids() {
        let sha256 = "a".repeat(64);
        assert_eq!(hash_of(&sha256), Some(sha256.as_str()));
        assert_eq!(hash_of(&format!("{sha256}-1769860800")), Some(sha256.as_str()));
        assert_eq!(hash_of("9e107d9d372bb6826bd81d3542a419d6"), Some("9e107d9d372bb6826bd81d3542a419d6"));
        for text in ["", "nonsense", "abc-1", "zz107d9d372bb6826bd81d3542a419d6"] {
            assert_eq!(hash_of(text), None, "{text}");
        }
    }
}
