//! Amazon Web Services: keys, signed requests, the services that are looked through, and what a refusal says.

mod ec2;
mod s3;
mod sign;
mod sts;

pub use sign::{Keys, sign};
pub use sts::{Identity, ask_identity, assume_role, assumed, identity};

use crate::xml::Element;
use std::net::IpAddr;

/// Every list that is asked for, service by service. A new service is a file beside this one and a line here.
pub const LISTS: &[&List] = &[&ec2::ADDRESSES, &ec2::INSTANCES, &s3::BUCKETS];

/// The region that is asked where nothing says another one.
pub const FIRST_REGION: &str = "us-east-1";

/// A list that a service gives out page by page.
#[derive(Debug)]
pub struct List {
    /// The service, as its hosts and signatures name it: `ec2`.
    pub service: &'static str,
    /// The permission that it takes, and its name among the arguments of the task: `ec2:DescribeInstances`.
    pub permission: &'static str,
    /// Each region has one of its own.
    pub is_regional: bool,
    /// Makes the request for the first page, or for the one that a mark of the page before stands for.
    pub request: fn(Option<&str>) -> Request,
    /// Reads a page.
    read: fn(&Element) -> Option<Page>,
}

/// A request before it has a host and a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    /// The form in the body; empty for a GET.
    pub body: String,
}

/// What a page of a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub assets: Vec<Asset>,
    /// What asks for the next page.
    pub next: Option<String>,
}

/// Something that stands in an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asset {
    /// A public address that the account holds.
    Address(IpAddr),
    /// A machine with a public address.
    Instance(Box<Instance>),
    /// A bucket, by its name, and its region where the list says it.
    Bucket { name: String, region: Option<String> },
}

/// A machine with a public address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// `i-0a1b2c3d4e5f60718`.
    pub id: String,
    /// Its public name; its private one where its network gives none.
    pub host: String,
    pub addresses: Vec<IpAddr>,
    pub private_address: Option<String>,
    pub image: Option<String>,
    pub size: Option<String>,
    /// `running`, `stopped` …
    pub state: Option<String>,
    pub network: Option<String>,
    pub security_groups: Vec<String>,
    pub launched_at: Option<String>,
}

/// Why an answer is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The keys lack a permission, or the organisation takes it away.
    #[error("denied: {0}")]
    Denied(String),
    /// The keys are wrong, revoked or run out.
    #[error("the credential is not accepted: {0}")]
    BadKeys(String),
    /// Too many requests: the same may be asked later.
    #[error("too many requests: {0}")]
    Throttled(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl List {
    /// Reads the answer to its request.
    ///
    /// # Errors
    /// The answer is a refusal, or nothing that can be read.
    pub fn page(&self, status: u16, body: &[u8]) -> Result<Page, Refusal> {
        let answer = answer(status, body)?;
        (self.read)(&answer).ok_or_else(|| unreadable(self.permission))
    }
}

/// The list of this permission.
pub fn list(permission: &str) -> Option<&'static List> {
    LISTS.iter().copied().find(|list| list.permission == permission)
}

/// The request for the regions that the account may use.
pub fn list_regions() -> Request {
    ec2::list_regions()
}

/// Reads the regions of `partition` that the account may use, sorted.
///
/// # Errors
/// The answer is a refusal, or nothing that can be read.
pub fn regions(partition: &str, status: u16, body: &[u8]) -> Result<Vec<String>, Refusal> {
    let found = ec2::regions(&answer(status, body)?).ok_or_else(|| unreadable("DescribeRegions"))?;
    let mut found: Vec<String> = found.into_iter().filter(|region| self::partition(region) == partition).collect();
    found.sort();
    Ok(found)
}

/// The partition that a region lies in: keys hold in one of them.
fn partition(region: &str) -> &'static str {
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
    let suffix = if partition(region) == "aws-cn" { ".cn" } else { "" };
    format!("{service}.{region}.amazonaws.com{suffix}")
}

/// The host at which anybody may ask for a bucket, in a partition.
pub fn bucket_host(name: &str, partition: &str) -> String {
    let suffix = if partition == "aws-cn" { ".cn" } else { "" };
    format!("{name}.s3.amazonaws.com{suffix}")
}

/// An action of the services that take a form.
fn action(version: &str, action: &str, arguments: &[(&str, &str)]) -> Request {
    let mut body = format!("Action={action}&Version={version}");
    for (name, value) in arguments {
        body.push_str(&format!("&{name}={}", escaped(value)));
    }
    Request { method: "POST", target: "/".to_owned(), body }
}

/// Everything but unreserved characters, percent-escaped.
fn escaped(text: &str) -> String {
    let each = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(each).collect()
}

fn unreadable(what: &str) -> Refusal {
    Refusal::Other(format!("the answer to {what} cannot be read"))
}

/// Codes of keys that lack a permission.
const DENIED: &[&str] =
    &["AccessDenied", "AccessDeniedException", "AllAccessDisabled", "OptInRequired", "UnauthorizedOperation"];
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
    "PriorRequestNotComplete",
    "RequestLimitExceeded",
    "RequestThrottled",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
];
/// Characters of a refusal's code that are kept: it is the peer's text.
const CODE_CHARS_MAX: usize = 60;

/// The answer as a tree. Of a refusal only its code is told: its message names keys, users and resources.
fn answer(status: u16, body: &[u8]) -> Result<Element, Refusal> {
    let answer = std::str::from_utf8(body).ok().and_then(Element::parse);
    if status == 200 {
        return answer.ok_or_else(|| Refusal::Other("the answer is no XML".to_owned()));
    }
    let code = answer.as_ref().and_then(code).unwrap_or_default();
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

/// The code of a refusal, in each of the three forms that services write.
fn code(answer: &Element) -> Option<&str> {
    let direct = answer.is("Error").then(|| answer.text(&["Code"])).flatten();
    direct.or_else(|| answer.text(&["Error", "Code"])).or_else(|| answer.text(&["Errors", "Error", "Code"]))
}

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
        assert_eq!(answer(200, b"{}"), Err(Refusal::Other("the answer is no XML".into())));
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
    fn every_list_has_a_permission_of_its_own() {
        assert!(LISTS.is_sorted_by_key(|list| list.permission));
        for found in LISTS {
            assert_eq!(list(found.permission).map(|list| list.service), Some(found.service));
            assert!(found.permission.starts_with(found.service), "{}", found.permission);
        }
    }
}
