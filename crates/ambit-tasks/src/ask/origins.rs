//! Where distributions of CloudFront fetch what they hand out. A bucket or a domain that is gone can be made anew by
//! anybody, who then answers in the names of the distribution.

use super::account::Caller;
use super::aws;
use crate::tasks::dangling::gone_at;
use crate::{Context, Result, TaskError};
use ambit_cloud::aws::{ask_bucket, bucket_of, has_bucket, has_bucket_of_anybody, region_to_ask};
use ambit_cloud::form::Asset;
use ambit_model::entity::domain::DanglingReason;
use ambit_model::platforms::claimable;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The list whose items have origins.
pub(crate) const OF: &str = "cloudfront:ListDistributions";
/// Origins of an account that are looked at: one question each.
const ORIGINS_MAX: usize = 1_000;

/// What an origin turned out to be.
enum Origin {
    There,
    /// It is gone, and anybody may claim it.
    Free(&'static str),
    /// It is gone.
    Gone,
    Unknown,
}

/// Says for each distribution which of its origins are gone, and of which nobody knows. Returns why something could not
/// be looked at.
pub(crate) async fn fill(cx: &Context<'_>, caller: &Caller, distributions: &mut [Asset]) -> Option<TaskError> {
    let Caller::Aws(caller) = caller else { return None };
    let (mut found, mut error) = (BTreeMap::<String, Origin>::new(), None);
    let hosts: BTreeSet<String> = distributions.iter().flat_map(origins).collect();
    if hosts.len() > ORIGINS_MAX {
        error = Some(TaskError::OutOfBudget(format!("more than {ORIGINS_MAX} origins of distributions")));
    }
    for host in hosts.into_iter().take(ORIGINS_MAX) {
        let origin = looked_at(cx, caller, &host).await.unwrap_or_else(|why| {
            error.get_or_insert(why);
            Origin::Unknown
        });
        found.insert(host, origin);
    }
    for distribution in distributions {
        fill_in(distribution, &found);
    }
    error
}

async fn looked_at(cx: &Context<'_>, caller: &aws::Caller, host: &str) -> Result<Origin> {
    let Some(bucket) = bucket_of(host) else {
        return Ok(match gone_at(cx, host).await? {
            None => Origin::There,
            Some((_, DanglingReason::Unregistered)) => Origin::Free("domain"),
            Some((end, _)) if claimable::of_target(&end).is_some() => Origin::Free("name at its provider"),
            Some(_) => Origin::Gone,
        });
    };
    let (at, asked) = (("s3", region_to_ask(host)), ask_bucket(bucket));
    let is_there = match caller.ask_service(cx, at, &asked, has_bucket).await {
        // A bucket of somebody else's is denied to the keys of the account, and so may be one that is not there.
        Err(TaskError::Denied(why)) => {
            let what = format!(", without keys for the origin {host}");
            let openly = caller.ask_openly(cx, at, &what, &asked, has_bucket_of_anybody).await;
            openly.map_err(|error| match error {
                TaskError::Denied(_) => TaskError::Denied(format!("{why}: the bucket of the origin {host}")),
                error => error,
            })?
        }
        answered => answered?,
    };
    Ok(if is_there { Origin::There } else { Origin::Free("bucket") })
}

/// The hosts of a distribution's origins; one inside a network of the account has a name there alone.
fn origins(distribution: &Asset) -> Vec<String> {
    let origins = distribution.says.get("origins").and_then(Value::as_array).into_iter().flatten();
    let hosts = origins.filter(|origin| origin["inside"] != true).filter_map(|origin| origin["host"].as_str());
    hosts.map(|host| host.trim_end_matches('.').to_ascii_lowercase()).collect()
}

fn fill_in(distribution: &mut Asset, found: &BTreeMap<String, Origin>) {
    let (mut gone, mut unread) = (Vec::new(), Vec::new());
    for host in origins(distribution) {
        match found.get(&host) {
            Some(Origin::There) => {}
            Some(Origin::Free(what)) => gone.push(json!({"origin": host, "free": what})),
            Some(Origin::Gone) => gone.push(json!({"origin": host, "free": null})),
            Some(Origin::Unknown) | None => unread.push(host),
        }
    }
    distribution.says.extend([("gone_origins".to_owned(), json!(gone)), ("unread_origins".to_owned(), json!(unread))]);
}
