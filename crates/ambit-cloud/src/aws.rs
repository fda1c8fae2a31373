//! Amazon Web Services: keys, signed requests, the lists that are gone through, and what a refusal says.

mod buckets;
mod lists;
mod sign;
mod sts;

pub use buckets::{ask_bucket, bucket_of, has_bucket, has_bucket_of_anybody, region_to_ask};
pub use lists::{list, lists};
pub use sign::{Keys, sign};
pub use sts::{Identity, ask_identity, assume_role, assumed, identity};

use crate::Refusal;
use crate::form::{At, Form, Mark, Page, Place, Request, escaped, unreadable};
use crate::xml::Element;
use serde_json::Value;

/// The region that is asked where nothing says another one.
pub const FIRST_REGION: &str = "us-east-1";
/// The partition of the regions that everybody may use.
pub const FIRST_PARTITION: &str = "aws";

/// Reads a page of a list. Where the refusal says that the item before has nothing of it, that is what is read; where
/// it says that the item is gone, nothing is. Fails if the answer is a refusal, or nothing that can be read.
pub fn page(
    form: &'static Form,
    asked: Option<&Mark>,
    parent: &Value,
    place: &Place<'_>,
    (status, body): (u16, &[u8]),
) -> Result<Page, Refusal> {
    let nothing = || Page { assets: form.without(parent, place).into_iter().collect(), ..Page::default() };
    match form.answered(answer(status, body), asked, parent, place, nothing) {
        Err(refusal) if form.after.is_some() && refusal.has_word(GONE) => Ok(Page::default()),
        read => read,
    }
}

/// The host at which a list is asked in the region of a place; `None` where nobody knows how it is asked in that
/// partition.
pub fn host_of(form: &Form, place: &Place<'_>) -> Option<String> {
    let partition = partition(place.region);
    if form.only_in.is_some() && partition != FIRST_PARTITION {
        return None;
    }
    let place = Place { partition, domain: domain(partition), ..*place };
    let at = At { item: &Value::Null, parent: &Value::Null, place: &place };
    let template = form.host.as_deref().unwrap_or("{@service}.{@region}.{@domain}");
    at.template(&template.replace("{@service}", &form.service), str::to_owned)
}

/// Where the names of a partition end.
pub fn domain(partition: &str) -> &'static str {
    if partition == "aws-cn" { "amazonaws.com.cn" } else { "amazonaws.com" }
}

/// The request for the regions that the account may use.
pub fn list_regions() -> Request {
    action("2016-11-15", "DescribeRegions", &[])
}

/// Reads the regions of `partition` that the account may use, those that it did not ask for left out, sorted. Fails if
/// the answer is a refusal, or nothing that can be read.
pub fn regions(partition: &str, status: u16, body: &[u8]) -> Result<Vec<String>, Refusal> {
    let answer = answer(status, body)?;
    let place = Place::default();
    let at = At { item: &answer, parent: &Value::Null, place: &place };
    if !at.has("regionInfo/item") {
        return Err(unreadable("DescribeRegions"));
    }
    let regions = at.all("regionInfo/item").into_iter();
    let regions = regions.filter(|region| said(region, "optInStatus").as_deref() != Some("not-opted-in"));
    let mut found: Vec<String> = regions.filter_map(|region| said(&region, "regionName")).collect();
    found.retain(|region| is_region(region) && self::partition(region) == partition);
    found.sort();
    Ok(found)
}

/// The partition that a region lies in: keys hold in one of them.
pub fn partition(region: &str) -> &'static str {
    match region {
        _ if region.starts_with("cn-") => "aws-cn",
        _ if region.starts_with("us-gov-") => "aws-us-gov",
        _ => "aws",
    }
}

/// Returns whether a text has the form of a region's name. Nothing else goes into the name of a host.
pub fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_word = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    match parts.split_last() {
        Some((number, words)) if words.len() >= 2 && text.len() <= 32 => {
            words.iter().all(is_word) && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

/// The host at which a service is asked in a region.
pub fn host(service: &str, region: &str) -> String {
    format!("{service}.{region}.{}", domain(partition(region)))
}

/// An action of the services that take a form.
fn action(version: &str, action: &str, arguments: &[(&str, &str)]) -> Request {
    let mut body = format!("Action={action}&Version={version}");
    for (name, value) in arguments {
        body.push_str(&format!("&{name}={}", escaped(value)));
    }
    Request { method: "POST", target: "/".to_owned(), headers: Vec::new(), body }
}

/// The text at a path of an answer.
fn said(answer: &Value, path: &str) -> Option<String> {
    let place = Place::default();
    At { item: answer, parent: &Value::Null, place: &place }.text(path)
}

/// Codes of keys that lack a permission.
const DENIED: &[&str] = &[
    "AccessDenied",
    "AccessDeniedException",
    "AllAccessDisabled",
    "AuthorizationError",
    "AuthorizationErrorException",
    "ForbiddenException",
    "OptInRequired",
    "UnauthorizedOperation",
];
/// Codes of keys that are wrong, revoked or run out.
const BAD_KEYS: &[&str] = &[
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidToken",
    "SignatureDoesNotMatch",
    "TokenRefreshRequired",
    "UnrecognizedClientException",
];
/// Codes of too many requests.
const THROTTLED: &[&str] = &[
    "BandwidthLimitExceeded",
    "EC2ThrottledException",
    "PriorRequestNotComplete",
    "RequestLimitExceeded",
    "RequestThrottled",
    "SlowDown",
    "Throttled",
    "ThrottledException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
];
/// Codes of what is asked about by its name and is not there: of an item of a list, that it went away since.
const GONE: &[&str] = &[
    "AWS.SimpleQueueService.NonExistentQueue",
    "ClusterNotFoundException",
    "DBClusterSnapshotNotFoundFault",
    "DBSnapshotNotFound",
    "LoadBalancerNotFound",
    "NoSuchBucket",
    "NoSuchHostedZone",
    "NotFound",
    "NotFoundException",
    "QueueDoesNotExist",
    "RepositoryNotFoundException",
    "ResourceNotFoundException",
];
/// Characters of a refusal's code that are kept: it is the peer's text.
const CODE_CHARS_MAX: usize = 60;

/// The answer as a value, be it XML or JSON. Of a refusal only its code is told: its message names keys, users and
/// resources.
fn answer(status: u16, body: &[u8]) -> Result<Value, Refusal> {
    let text = std::str::from_utf8(body).ok().map(str::trim_start);
    let answer = text.and_then(|text| match text.starts_with('<') {
        true => Element::parse(text).map(Element::value),
        false => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
    });
    if (200..300).contains(&status) {
        return answer.ok_or_else(|| Refusal::Other("the answer is neither XML nor JSON".to_owned()));
    }
    let code = answer.as_ref().and_then(|answer| said(answer, CODE)).unwrap_or_default();
    // `com.amazon.coral.service#AccessDeniedException`, `AccessDeniedException:http://…`
    let code = code.rsplit('#').next().and_then(|code| code.split(':').next()).unwrap_or_default();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let code: String = code.chars().filter(is_plain).take(CODE_CHARS_MAX).collect();
    let said = if code.is_empty() { format!("status {status}") } else { format!("status {status}, {code}") };
    Err(match code.as_str() {
        code if DENIED.contains(&code) => Refusal::Denied(said),
        code if BAD_KEYS.contains(&code) => Refusal::BadKeys(said),
        code if THROTTLED.contains(&code) => Refusal::Throttled(said),
        _ if matches!(status, 429 | 503) => Refusal::Throttled(said),
        "" if status == 403 => Refusal::Denied(said),
        _ => Refusal::Other(format!("refused: {said}")),
    })
}

/// Where services write the code of a refusal.
const CODE: &str = "Error/Code|Errors/Error/Code|Code|__type|code";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_it_is_by_its_code_and_tells_no_message() {
        let (query, s3) = ("<ErrorResponse><Error><Code>", "<Error><Code>");
        let ec2 = "<Response><Errors><Error><Code>";
        for (status, head, code, wanted) in [
            (403, query, "AccessDenied", Refusal::Denied("status 403, AccessDenied".into())),
            (403, ec2, "UnauthorizedOperation", Refusal::Denied("status 403, UnauthorizedOperation".into())),
            (401, ec2, "AuthFailure", Refusal::BadKeys("status 401, AuthFailure".into())),
            (403, query, "InvalidClientTokenId", Refusal::BadKeys("status 403, InvalidClientTokenId".into())),
            (503, ec2, "RequestLimitExceeded", Refusal::Throttled("status 503, RequestLimitExceeded".into())),
            (400, query, "Throttling", Refusal::Throttled("status 400, Throttling".into())),
            (403, query, "AuthorizationError", Refusal::Denied("status 403, AuthorizationError".into())),
            (403, query, "ForbiddenException", Refusal::Denied("status 403, ForbiddenException".into())),
            (
                403,
                query,
                "AuthorizationErrorException",
                Refusal::Denied("status 403, AuthorizationErrorException".into()),
            ),
            (400, ec2, "EC2ThrottledException", Refusal::Throttled("status 400, EC2ThrottledException".into())),
            (400, query, "Throttled", Refusal::Throttled("status 400, Throttled".into())),
            (400, query, "ThrottledException", Refusal::Throttled("status 400, ThrottledException".into())),
            (503, s3, "SlowDown", Refusal::Throttled("status 503, SlowDown".into())),
            (400, query, "Secret <Thing", Refusal::Other("refused: status 400".into())),
        ] {
            let end =
                head.replace('<', "</").split("</").skip(1).fold(String::new(), |end, name| format!("</{name}{end}"));
            let body = format!(
                "{head}{code}</Code><Message>key AKIAX of user bob</Message>{}",
                end.replacen("</Code>", "", 1)
            );
            assert_eq!(answer(status, body.as_bytes()), Err(wanted), "{body}");
        }
        assert_eq!(answer(429, b""), Err(Refusal::Throttled("status 429".into())));
        assert_eq!(answer(403, b"{}"), Err(Refusal::Denied("status 403".into())));
        assert_eq!(answer(200, b"[]"), Err(Refusal::Other("the answer is neither XML nor JSON".into())));
        let json = br#"{"__type":"com.amazon.x#AccessDeniedException","message":"key AKIAX"}"#;
        assert_eq!(answer(400, json), Err(Refusal::Denied("status 400, AccessDeniedException".into())));
    }

    #[test]
    fn only_names_of_regions_go_into_hosts() {
        for (text, good) in [
            ("us-east-1", true),
            ("us-gov-west-1", true),
            ("ap-southeast-12", true),
            ("eu", false),
            ("eu-west", false),
            ("evil.test/-a-1", false),
            ("US-east-1", false),
        ] {
            assert_eq!(is_region(text), good, "{text}");
        }
        assert_eq!(host("ec2", "cn-north-1"), "ec2.cn-north-1.amazonaws.com.cn");
        assert_eq!(host("sts", "eu-west-1"), "sts.eu-west-1.amazonaws.com");
    }

    #[test]
    fn regions_that_the_account_may_use_are_read() {
        let item = |name: &str, status: &str| {
            format!("<item><optInStatus>{status}</optInStatus><regionName>{name}</regionName></item>")
        };
        let all = [
            item("us-west-2", "opt-in-not-required"),
            item("eu-west-1", "opted-in"),
            item("ap-east-1", "not-opted-in"),
            item("cn-north-1", "opt-in-not-required"),
            item("evil.test/", "opted-in"),
        ];
        let body = format!("<R><regionInfo>{}</regionInfo></R>", all.concat());
        assert_eq!(regions("aws", 200, body.as_bytes()).unwrap(), ["eu-west-1", "us-west-2"]);
        assert_eq!(regions("aws-cn", 200, body.as_bytes()).unwrap(), ["cn-north-1"]);
        assert!(regions("aws", 200, b"<R/>").is_err());
    }
}
