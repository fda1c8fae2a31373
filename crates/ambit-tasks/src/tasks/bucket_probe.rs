//! Checks whether a storage bucket exists, lists its objects, and serves them, and whether anyone may read what a
//! project of Firebase keeps.

use crate::ask::web;
use crate::read::buckets::{BucketAddress, given_name, in_region, place};
use crate::read::firebase::{Rules, rules};
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::bucket::{self, Firebase};
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::http::{HttpExchange, Url};
use ambit_net::{Grant, Untrusted};
use regex::Regex;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::LazyLock;

pub(crate) const TASK: Task = Task {
    name: TaskName::BucketProbe,
    pretty_name: "Storage bucket",
    description: "Asks a storage bucket for its listing and for one object in it, and a Firebase project whether \
                  anyone can read its data, without credentials.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::CloudStorageBucket],
    cost: 2,
    gain: 5,
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Bytes of a list.
const LIST_BYTES: usize = 1_024 * 1_024;
/// Bytes of what a store of Firebase answers: how it begins tells enough.
const FIREBASE_BYTES: usize = 64 * 1_024;
/// Objects that are kept of a list.
const OBJECTS_MAX: usize = 100;

static KEY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<(?:Key|Name)>([^<]{1,1000})</(?:Key|Name)>").expect("the expression is constant"));

/// Where Amazon says in which region a bucket lies: a header, and what stands in the answer.
const BUCKET_REGION: &str = "x-amz-bucket-region";
static ENDPOINT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("<Endpoint>([^<]{1,200})</Endpoint>").expect("the expression is constant"));

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mut url = Url::parse(&cx.facts.name)?;
    if let Some(service) = Firebase::of(&cx.facts.name) {
        return firebase(cx, service, &url).await;
    }
    let (mut place, mut list) = listing(cx, &url).await?;
    if is_elsewhere(list.status, named_region(&list), &place)
        && let Some(there) = other_region(&url, &list)
    {
        (place, list) = listing(cx, &there).await?;
        url = there;
    }
    if is_elsewhere(list.status, named_region(&list), &place) {
        let why = format!("the bucket answered with status {}, and not from a region that has it", list.status);
        return Err(TaskError::Failed(why));
    }
    let body = web::text(&list);
    let listable = list.status == 200 && (body.contains("<ListBucketResult") || body.contains("<EnumerationResults"));
    if !listable && is_missing(&list, &body, &place) {
        return Ok(Answer::Absent);
    }
    if is_readable(list.status).is_none() {
        return Err(TaskError::Failed(format!("the bucket answered with status {}", list.status)));
    }
    let objects: BTreeSet<String> = if listable { keys(&body) } else { BTreeSet::new() };
    let mut readable = Some(false);
    if let Some(object) = objects.iter().find(|object| !object.ends_with('/')) {
        let status = ask(cx, &object_url(&url, &place, object), LIST_BYTES).await?.status;
        readable = is_readable(status).or_else(|| bucket::READABLE.of(&cx.facts.details));
        if is_readable(status).is_none() {
            cx.leave_out(format!("whether its files can be read: one was answered with status {status}"));
        }
    }
    cx.observe(bucket::BUCKET_NAME, json!(place.bucket));
    cx.observe(bucket::PROVIDER, json!(place.provider));
    cx.observe(bucket::REGION, json!(place.region));
    cx.observe(bucket::FOUND_OBJECTS, json!(objects.iter().take(OBJECTS_MAX).collect::<Vec<_>>()));
    cx.observe(bucket::LISTABLE, listable);
    cx.observe(bucket::READABLE, readable);
    cx.exchange("list", &list);
    Ok(Answer::Found)
}

/// Returns whether the object was sent; `None` if the answer is temporary.
fn is_readable(status: u16) -> Option<bool> {
    (status < 500 && !matches!(status, 408 | 429)).then_some(status == 200)
}

/// Asks a bucket for its list.
async fn listing(cx: &Context<'_>, url: &Url) -> Result<(BucketAddress, HttpExchange)> {
    let place = place(&url.host, &url.path).ok_or_else(|| TaskError::Failed("not a known form of bucket".into()))?;
    let list = ask(cx, &list_url(url, &place), LIST_BYTES).await?;
    Ok((place, list))
}

/// The region that Amazon's names of buckets lead to which name none.
const REGION_OF_NONE: &str = "us-east-1";

/// The region in which an answer says that the bucket lies.
fn named_region(list: &HttpExchange) -> Option<&str> {
    list.header(BUCKET_REGION).map(Untrusted::raw)
}

/// True for an answer of Amazon that says nothing of who may read the bucket: it is asked at the wrong place. Regions
/// that came later say so of a bucket elsewhere with the status 400, and name the region that has it.
fn is_elsewhere(status: u16, named: Option<&str>, asked: &BucketAddress) -> bool {
    let is_other = || named.is_some_and(|named| named != asked.region.as_deref().unwrap_or(REGION_OF_NONE));
    asked.provider == "aws" && (matches!(status, 300..400) || (status == 400 && is_other()))
}

/// Where the bucket is asked in the region that an answer of Amazon names.
fn other_region(asked: &Url, list: &HttpExchange) -> Option<Url> {
    let body = web::text(list);
    let endpoint = ENDPOINT.captures(&body).map(|found| found[1].to_owned());
    in_region(asked, named_region(list), endpoint.as_deref())
}

/// What the rules say is all that is kept: of what the store holds not even a name.
async fn firebase(cx: &Context<'_>, service: Firebase, url: &Url) -> Result<Answer> {
    let asked = Url::parse(&service.question(&cx.facts.name))?;
    let answer = ask(cx, &asked, FIREBASE_BYTES).await?;
    let open = match rules(service, answer.status, &web::text(&answer)).map_err(TaskError::Failed)? {
        Rules::Missing => return Ok(Answer::Absent),
        said => said == Rules::LetAnyoneRead,
    };
    let region = url.host.strip_suffix(".firebasedatabase.app").and_then(|front| Some(front.split_once('.')?.1));
    cx.observe(bucket::BUCKET_NAME, json!(given_name(&cx.facts.name)));
    cx.observe(bucket::PROVIDER, json!("firebase"));
    cx.observe(bucket::REGION, json!(region));
    cx.observe(bucket::FOUND_OBJECTS, json!([]));
    cx.observe(bucket::LISTABLE, open);
    cx.observe(bucket::READABLE, open);
    Ok(Answer::Found)
}

async fn ask(cx: &Context<'_>, url: &Url, bytes: usize) -> Result<HttpExchange> {
    let mut request = cx.net.get(&url.to_string())?;
    request.grant = Grant::Target;
    request.body_kept = bytes;
    Ok(cx.net.http(&request).await?)
}

fn list_url(url: &Url, place: &BucketAddress) -> Url {
    if place.provider == "azure" {
        url.with_path(&format!("{}?restype=container&comp=list", place.root))
    } else {
        url.with_path(&place.root)
    }
}

fn object_url(url: &Url, place: &BucketAddress, object: &str) -> Url {
    url.with_path(&format!("{}/{object}", place.root.trim_end_matches('/')))
}

/// True where the provider says that there is no such bucket.
fn is_missing(exchange: &HttpExchange, body: &str, place: &BucketAddress) -> bool {
    let codes: &[&str] = match place.provider {
        "azure" => &["ContainerNotFound", "ResourceNotFound", "AccountNotFound"],
        _ => &["NoSuchBucket"],
    };
    exchange.status == 404 && codes.iter().any(|code| body.contains(code))
}

fn keys(body: &str) -> BTreeSet<String> {
    // The list's own name stands before its first entry.
    let from =
        ["<Contents>", "<Blobs>", "<Blob>"].into_iter().filter_map(|mark| body.find(mark)).min().unwrap_or(body.len());
    KEY.captures_iter(&body[from..]).map(|found| found[1].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_of_amazon_alone_lies_elsewhere_and_where_another_region_is_named() {
        for (url, status, named, expected) in [
            ("https://acme.s3.amazonaws.com", 301, None, true),
            ("https://acme.s3.amazonaws.com", 400, Some("eu-south-1"), true),
            ("https://acme.s3.amazonaws.com", 400, Some("us-east-1"), false),
            ("https://acme.s3.amazonaws.com", 400, None, false),
            ("https://acme.s3.amazonaws.com", 403, Some("eu-south-1"), false),
            ("https://acme.s3.eu-south-1.amazonaws.com", 400, Some("eu-south-1"), false),
            ("https://acme.s3.eu-south-1.amazonaws.com", 400, Some("eu-west-1"), true),
            ("https://acme.storage.googleapis.com", 301, None, false),
            ("https://acme.storage.googleapis.com", 400, Some("eu-south-1"), false),
            ("https://acme.blob.core.windows.net/media", 302, None, false),
        ] {
            let url = Url::parse(url).unwrap();
            let at = place(&url.host, &url.path).unwrap();
            assert_eq!(is_elsewhere(status, named, &at), expected, "{url} {status} {named:?}");
        }
    }

    #[test]
    fn a_list_names_its_objects_and_not_itself() {
        let body = "<ListBucketResult><Name>acme</Name><Contents><Key>b.txt</Key></Contents><Contents><Key>a.txt</Key></Contents></ListBucketResult>";
        assert_eq!(keys(body).into_iter().collect::<Vec<_>>(), ["a.txt", "b.txt"]);
        assert!(keys("<ListBucketResult><Name>acme</Name></ListBucketResult>").is_empty());
        let blobs = "<EnumerationResults \
                     ContainerName=\"m\"><Blobs><Blob><Name>x.png</Name></Blob></Blobs></EnumerationResults>";
        assert_eq!(keys(blobs).into_iter().collect::<Vec<_>>(), ["x.png"]);
    }

    #[test]
    fn questions_go_to_the_buckets_own_root() {
        let azure = Url::parse("https://acme.blob.core.windows.net/media").unwrap();
        let at = place(&azure.host, &azure.path).unwrap();
        assert_eq!(
            list_url(&azure, &at).to_string(),
            "https://acme.blob.core.windows.net/media?restype=container&comp=list"
        );
        assert_eq!(object_url(&azure, &at, "a/b").path, "/media/a/b");
        let s3 = Url::parse("https://acme.s3.amazonaws.com").unwrap();
        let at = place(&s3.host, &s3.path).unwrap();
        assert_eq!((list_url(&s3, &at).path.as_str(), object_url(&s3, &at, "x").path.as_str()), ("/", "/x"));
    }
}
