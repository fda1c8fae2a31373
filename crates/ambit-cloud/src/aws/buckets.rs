//! Buckets by the names of their hosts, and whether one is there, whoever has it.

use super::{FIRST_REGION, answer, is_region};
use crate::Refusal;
use crate::form::{Request, escaped, unreadable};

/// What hosts of buckets have between the name and the end of the provider's names: `s3`, `s3-website-eu-west-1`.
const SERVICE: &str = "s3";
/// The same of a host that answers as a site.
const WEBSITE: &str = "website";
/// The element of an answer about a bucket that is there.
const LOCATION: &str = "LocationConstraint";

/// Codes of a bucket that is there and closed to who asks. A denial without one may be a proxy's.
const CLOSED: &[&str] = &["AccessDenied", "AllAccessDisabled"];

/// Returns the bucket that a host leads to: `NAME.s3.amazonaws.com`, `NAME.s3-website.eu-west-1.amazonaws.com`.
pub fn bucket_of(host: &str) -> Option<&str> {
    let host = host.trim_end_matches('.');
    let own = host.strip_suffix(".cn").unwrap_or(host).strip_suffix(".amazonaws.com")?;
    let is_bucket = |label: &str| {
        let Some(rest) = label.strip_prefix(SERVICE) else { return false };
        let place = rest.strip_prefix('-').unwrap_or_default();
        let region = place.strip_prefix(WEBSITE).map_or(place, |rest| rest.strip_prefix('-').unwrap_or_default());
        rest.is_empty() || is_region(region) || place == WEBSITE
    };
    let starts = own.match_indices('.').map(|(at, _)| at);
    let labelled = starts.map(|at| (at, own[at + 1..].split('.').next().unwrap_or_default()));
    let (at, _) = labelled.rev().find(|(_, label)| is_bucket(label))?;
    Some(&own[..at]).filter(|name| !name.is_empty())
}

/// The region in which it is asked whether the bucket is there to which a host leads. One of each partition knows all
/// buckets of that, and none of the others, in which a bucket of the same name is another one.
pub fn region_to_ask(host: &str) -> &'static str {
    let host = host.trim_end_matches('.');
    let place = &host[bucket_of(host).unwrap_or_default().len()..];
    match place {
        place if place.ends_with(".cn") => "cn-north-1",
        place if place.contains("us-gov-") => "us-gov-west-1",
        _ => FIRST_REGION,
    }
}

/// The request whose answer says whether a bucket is there. It is answered in whichever region the bucket lies.
pub fn ask_bucket(name: &str) -> Request {
    Request { method: "GET", target: format!("/{}?location", escaped(name)), ..Request::default() }
}

/// Reads whether a bucket is there. A bucket of somebody else's is denied. Fails if the answer is a refusal, or nothing
/// that can be read.
pub fn has_bucket(status: u16, body: &[u8]) -> Result<bool, Refusal> {
    match answer(status, body) {
        Ok(_) if String::from_utf8_lossy(body).contains(LOCATION) => Ok(true),
        Ok(_) => Err(unreadable("GetBucketLocation")),
        Err(refusal) if refusal.has_word(&["NoSuchBucket"]) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

/// Reads the same of the answer to a question without keys, which says it of everybody's buckets: one that is there
/// and not open to all is denied. Fails if the answer tells neither.
pub fn has_bucket_of_anybody(status: u16, body: &[u8]) -> Result<bool, Refusal> {
    match has_bucket(status, body) {
        Err(Refusal::Denied(said)) if CLOSED.iter().any(|code| said.ends_with(code)) => Ok(true),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_bucket_names_it_however_it_is_written() {
        for (host, bucket) in [
            ("acme-files.s3.amazonaws.com", Some("acme-files")),
            ("acme.files.s3.eu-west-1.amazonaws.com", Some("acme.files")),
            ("acme.s3-eu-west-1.amazonaws.com.", Some("acme")),
            ("acme.s3-website-us-east-1.amazonaws.com", Some("acme")),
            ("acme.s3-website.eu-central-1.amazonaws.com", Some("acme")),
            ("acme.s3.dualstack.eu-west-1.amazonaws.com", Some("acme")),
            ("s3.logs.s3.amazonaws.com", Some("s3.logs")),
            ("acme.s3.cn-north-1.amazonaws.com.cn", Some("acme")),
            ("files-123456789012.s3-accesspoint.eu-west-1.amazonaws.com", None),
            ("123456789012.s3-control.eu-west-1.amazonaws.com", None),
            ("s3.amazonaws.com", None),
            ("front-1.eu-west-1.elb.amazonaws.com", None),
            ("acme.s3.example.com", None),
        ] {
            assert_eq!(bucket_of(host), bucket, "{host}");
        }
    }

    #[test]
    fn a_bucket_is_asked_about_in_its_own_partition() {
        for (host, region) in [
            ("acme.s3.eu-west-1.amazonaws.com", "us-east-1"),
            ("us-gov-acme.cn.s3.amazonaws.com", "us-east-1"),
            ("acme.s3.cn-northwest-1.amazonaws.com.cn.", "cn-north-1"),
            ("acme.s3-us-gov-east-1.amazonaws.com", "us-gov-west-1"),
        ] {
            assert_eq!(region_to_ask(host), region, "{host}");
        }
    }

    #[test]
    fn a_bucket_is_gone_only_where_the_provider_says_so() {
        let has = |status: u16, body: &str| has_bucket(status, body.as_bytes());
        let code = |code: &str| format!("<Error><Code>{code}</Code></Error>");
        assert_eq!(has(200, "<LocationConstraint/>"), Ok(true));
        assert_eq!(has(404, &code("NoSuchBucket")), Ok(false));
        assert!(matches!(has(403, &code("AccessDenied")), Err(Refusal::Denied(_))));
        for (status, body) in [(404, ""), (404, "<html/>"), (200, "<html/>"), (400, &*code("InvalidBucketName"))] {
            assert!(matches!(has(status, body), Err(Refusal::Other(_))), "{status} {body}");
        }
        assert_eq!(ask_bucket("acme.files").target, "/acme.files?location");
    }

    #[test]
    fn who_shows_no_keys_is_denied_what_is_there_and_told_what_is_not() {
        let has = |status: u16, code: &str| {
            has_bucket_of_anybody(status, format!("<Error><Code>{code}</Code></Error>").as_bytes())
        };
        assert_eq!(has(403, "AccessDenied"), Ok(true));
        assert_eq!(has(403, "AllAccessDisabled"), Ok(true));
        assert_eq!(has(404, "NoSuchBucket"), Ok(false));
        for (status, code) in [(403, "InvalidClientTokenId"), (403, ""), (503, "SlowDown"), (404, "")] {
            assert!(has(status, code).is_err(), "{status} {code}");
        }
    }
}
