//! What is known of a storage bucket.

use super::row::{
    Empty::{List, Null},
    Row, contract, seen, unseen,
};
use super::{Member, in_account};
use crate::task::TaskName::{AwsAccount, BucketProbe, CloudAccount};
use std::borrow::Cow;

/// Its name at the provider.
pub const BUCKET_NAME: Member = Member::named("bucket_name");
/// Where the provider keeps it.
pub const REGION: Member = Member::named("region");
/// The provider.
pub const PROVIDER: Member = Member::named("provider");
/// The first of its files.
pub const FOUND_OBJECTS: Member = Member::named("found_objects");
/// It lists its files to anyone.
pub const LISTABLE: Member<bool> = Member::named("hidden_listable");
/// Anyone may read a file of its list.
pub const READABLE: Member<bool> = Member::named("hidden_readable");

/// A service of Firebase whose rules say who may read what is kept there. A project has one store of each, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firebase {
    RealtimeDatabase,
    Firestore,
    Storage,
}

impl Firebase {
    /// Returns the service that a canonical name of a store belongs to; `None` for stores of others.
    pub fn of(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("https://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let below = |above: &str| path.strip_prefix(above).is_some_and(|id| !id.is_empty() && !id.contains('/'));
        match host {
            "firestore.googleapis.com" => below("v1/projects/").then_some(Self::Firestore),
            "firebasestorage.googleapis.com" => below("v0/b/").then_some(Self::Storage),
            _ => {
                let is_database = [".firebaseio.com", ".firebasedatabase.app"].iter().any(|end| host.ends_with(end));
                (is_database && path.is_empty()).then_some(Self::RealtimeDatabase)
            }
        }
    }

    /// Returns what people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::RealtimeDatabase => "Realtime Database",
            Self::Firestore => "Firestore",
            Self::Storage => "Cloud Storage for Firebase",
        }
    }

    /// Returns the address whose answer tells whether anyone may read a store. It hands out names at most: of a
    /// database those at its top, of a bucket one. Of Firestore documents are asked for that nobody has, because rules
    /// decide by the place and not by what stands there.
    pub fn question(self, name: &str) -> String {
        match self {
            Self::RealtimeDatabase => format!("{name}/.json?shallow=true"),
            Self::Firestore => {
                format!("{name}/databases/(default)/documents/ambit?pageSize=1&mask.fieldPaths=__name__")
            }
            Self::Storage => format!("{name}/o?maxResults=1"),
        }
    }
}

/// Letters of a domain's first label from which a bucket that bears it is hardly another's by chance.
const LABEL_CHARS_MIN: usize = 4;

/// Returns true if a bucket bears the name of a domain: its first label stands in what its owner called the bucket, at
/// the beginning of a word.
pub fn bears(called: &str, domain: &str) -> bool {
    let label = domain.split('.').next().unwrap_or(domain);
    let begins = |at: usize| !called[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
    label.len() >= LABEL_CHARS_MIN && called.match_indices(label).any(|(at, _)| begins(at))
}

/// Returns what a host of Amazon's storage is called in no region: `acme.s3.amazonaws.com` of
/// `acme.s3.eu-west-1.amazonaws.com`; any other host as it is. A name is one bucket in all regions together, and a
/// region that does not have it says which does. Those of China are apart (`acme.s3.amazonaws.com.cn`),
/// and those of the government have names of their own.
pub fn in_no_region(host: &str) -> Cow<'_, str> {
    let Some((front, end)) = of_amazon(host) else { return Cow::Borrowed(host) };
    let bucket = || {
        let (rest, last) = front.rsplit_once('.').unwrap_or(("", front));
        let rest = rest.strip_suffix(".dualstack").unwrap_or(rest);
        let (bucket, region) = match last.strip_prefix("s3-") {
            Some(region) => (rest, region),
            None if rest == "s3" => ("", last),
            None => (rest.strip_suffix(".s3")?, last),
        };
        is_region(region, end).then_some(bucket)
    };
    match bucket() {
        Some("") => Cow::Owned(format!("s3{end}")),
        Some(bucket) => Cow::Owned(format!("{bucket}.s3{end}")),
        None => Cow::Borrowed(host),
    }
}

/// The ends of the names of Amazon's storage: everywhere but in China, and there.
const AMAZON: &str = ".amazonaws.com";
const AMAZON_CHINA: &str = ".amazonaws.com.cn";

/// Returns what stands before the end of a name of Amazon, and that end; `None` for a host of others.
pub fn of_amazon(host: &str) -> Option<(&str, &'static str)> {
    [AMAZON, AMAZON_CHINA].into_iter().find_map(|end| Some((host.strip_suffix(end)?, end)))
}

/// Returns true for a host that is one bucket at a provider, or holds those of one customer: nobody can register names
/// below its own end.
pub(crate) fn is_host(host: &str) -> bool {
    let is_s3 = |label: &str| label == "s3" || label.starts_with("s3-");
    let is_of_amazon = |(front, _): (&str, _)| front.split('.').skip(1).any(is_s3);
    of_amazon(host).is_some_and(is_of_amazon) || CUSTOMERS.iter().any(|end| host.ends_with(end))
}

/// Ends of hosts at other providers that are one bucket each, or hold those of one customer.
const CUSTOMERS: &[&str] = &[
    ".blob.core.windows.net",
    ".firebasedatabase.app",
    ".firebaseio.com",
    ".storage.googleapis.com",
    ".web.core.windows.net",
];

/// `eu-west-1`, `ap-southeast-2`; `cn-north-1` where the name ends as those of China do.
fn is_region(text: &str, end: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [area, ways @ .., number] = parts.as_slice() else { return false };
    let are_letters = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_china = |is_meant: bool| (*area == "cn") == is_meant;
    let is_apart = !is_china(end == AMAZON_CHINA)
        || ways.first().is_some_and(|way| way.starts_with("gov") || way.starts_with("iso"));
    are_letters(area)
        && area.len() == 2
        && !ways.is_empty()
        && ways.iter().all(are_letters)
        && matches!(number.as_bytes(), [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'])
        && !is_apart
}

/// What is known of a bucket.
pub(super) const MEMBERS: &[Row] = &[
    contract(BUCKET_NAME, Null).by(BucketProbe),
    contract(REGION, Null).by(BucketProbe),
    contract(PROVIDER, Null).by(BucketProbe),
    contract(FOUND_OBJECTS, List).by(BucketProbe),
    unseen("contents", Null).by(BucketProbe),
    seen(LISTABLE, BucketProbe),
    seen(READABLE, BucketProbe),
    seen(in_account::AWS, AwsAccount),
    seen(in_account::CLOUD, CloudAccount),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_of_firebase_are_told_by_their_names() {
        for (name, service) in [
            ("https://acme-default-rtdb.firebaseio.com", Some(Firebase::RealtimeDatabase)),
            ("https://acme.europe-west1.firebasedatabase.app", Some(Firebase::RealtimeDatabase)),
            ("https://acme.firebaseio.com/users", None),
            ("https://firebaseio.com", None),
            ("https://acme.firebaseio.com.acme.test", None),
            ("https://firestore.googleapis.com/v1/projects/acme", Some(Firebase::Firestore)),
            ("https://firestore.googleapis.com/v1/projects/acme/databases", None),
            ("https://firestore.googleapis.com", None),
            ("https://firebasestorage.googleapis.com/v0/b/acme.appspot.com", Some(Firebase::Storage)),
            ("https://storage.googleapis.com/acme.appspot.com", None),
        ] {
            assert_eq!(Firebase::of(name), service, "{name}");
        }
    }

    #[test]
    fn a_bucket_has_one_name_in_all_regions_of_amazon() {
        for (host, expected) in [
            ("acme.s3.eu-west-1.amazonaws.com", "acme.s3.amazonaws.com"),
            ("acme.s3-ap-southeast-2.amazonaws.com", "acme.s3.amazonaws.com"),
            ("www.acme.test.s3.us-east-1.amazonaws.com", "www.acme.test.s3.amazonaws.com"),
            ("acme.s3.dualstack.eu-west-1.amazonaws.com", "acme.s3.amazonaws.com"),
            ("s3.eu-west-1.amazonaws.com", "s3.amazonaws.com"),
            ("s3-eu-west-1.amazonaws.com", "s3.amazonaws.com"),
            ("acme.s3.cn-north-1.amazonaws.com.cn", "acme.s3.amazonaws.com.cn"),
            ("acme.s3.dualstack.cn-northwest-1.amazonaws.com.cn", "acme.s3.amazonaws.com.cn"),
            ("s3.cn-north-1.amazonaws.com.cn", "s3.amazonaws.com.cn"),
        ] {
            assert_eq!(in_no_region(host), expected, "{host}");
        }
        for host in [
            "acme.s3.amazonaws.com",
            "s3.amazonaws.com",
            "acme.s3.us-gov-west-1.amazonaws.com",
            "acme.s3.cn-north-1.amazonaws.com",
            "acme.s3.eu-west-1.amazonaws.com.cn",
            "acme.s3.eu-west-1.amazonaws.com.acme.test",
            "acme.s3-website-eu-west-1.amazonaws.com",
            "acme.s3.evil.amazonaws.com",
            "acme.ec2.eu-west-1.amazonaws.com",
            "amazonaws.com",
            "acme.test",
        ] {
            assert_eq!(in_no_region(host), host);
        }
    }

    #[test]
    fn a_host_is_a_bucket_where_its_name_is_given_to_one() {
        for host in [
            "acme.s3.amazonaws.com",
            "www.acme.test.s3-website-eu-west-1.amazonaws.com",
            "acme.s3.cn-north-1.amazonaws.com.cn",
            "acme.storage.googleapis.com",
            "acme.blob.core.windows.net",
            "acme.firebaseio.com",
        ] {
            assert!(is_host(host), "{host}");
        }
        for host in [
            "s3.eu-west-1.amazonaws.com",
            "s3-eu-west-1.amazonaws.com",
            "front.eu-west-1.elb.amazonaws.com",
            "storage.googleapis.com",
            "acme.s3.amazonaws.com.evil.test",
            "s3.acme.test",
        ] {
            assert!(!is_host(host), "{host}");
        }
    }

    #[test]
    fn a_bucket_bears_a_name_at_the_beginning_of_a_word() {
        for called in ["alder", "alder-files", "alderfiles", "files.alder.test", "my_alder", "alderworks/media"] {
            assert!(bears(called, "alder.test"), "{called}");
        }
        for (called, domain) in [("calderdale", "alder.test"), ("files", "alder.test"), ("abc-files", "abc.test")] {
            assert!(!bears(called, domain), "{called}");
        }
    }
}
