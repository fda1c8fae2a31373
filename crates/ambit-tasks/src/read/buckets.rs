//! Storage buckets by their URLs: which part is the bucket, and whose service holds it.

use ambit_model::entity::bucket::{self, Firebase};
use ambit_net::http::Url;

/// Where a bucket lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BucketAddress {
    pub(crate) provider: &'static str,
    pub(crate) bucket: String,
    pub(crate) region: Option<String>,
    /// The path that the bucket's own root has, `/` where the host is the bucket.
    pub(crate) root: String,
}

/// What every listing of Amazon's names as its XML namespace: no bucket.
const NAMESPACE: &str = "/doc/2006-03-01";

/// The canonical name of the bucket that a URL points into. A bucket that serves a website is named by the host that
/// answers for the bucket itself.
pub(crate) fn of_url(url: &Url) -> Option<String> {
    if url.host == "s3.amazonaws.com" && url.path_only().starts_with(NAMESPACE) {
        return None;
    }
    let place = place(&url.host, url.path_only())?;
    let root = place.root.trim_end_matches('/');
    Some(match &place.region {
        Some(region) if url.host.contains(".s3-website") => {
            let end = bucket::of_amazon(&url.host).map_or("", |(_, end)| end);
            format!("https://{}.s3.{region}{end}", place.bucket)
        }
        _ => format!("https://{}{root}", url.host),
    })
}

/// What its owner called a store: the bucket, or of Firebase the database, bucket or project.
pub(crate) fn given_name(store: &str) -> Option<String> {
    let url = Url::parse(store).ok()?;
    let name = match Firebase::of(store) {
        None => return Some(place(&url.host, &url.path)?.bucket),
        Some(Firebase::RealtimeDatabase) => url.host.split('.').next(),
        Some(Firebase::Firestore | Firebase::Storage) => url.path.rsplit('/').next(),
    };
    name.map(str::to_owned)
}

/// Reads host and path; `None` where they are no bucket's.
pub(crate) fn place(host: &str, path: &str) -> Option<BucketAddress> {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or("");
    let by_path = |provider, region| {
        let bucket = first.to_owned();
        let root = format!("/{bucket}");
        is_bucket(&bucket).then_some(BucketAddress { provider, bucket, region, root })
    };
    let by_host = |provider, bucket: &str, region| {
        is_bucket(bucket).then(|| BucketAddress { provider, bucket: bucket.to_owned(), region, root: "/".to_owned() })
    };
    if let Some((front, _)) = bucket::of_amazon(host) {
        let labels: Vec<&str> = front.split('.').collect();
        let at = labels.iter().rposition(|label| is_s3(label))?;
        let behind = labels[at + 1..].iter().find(|label| **label != "dualstack");
        let region = behind.map(|region| (*region).to_owned()).or_else(|| dashed_region(labels[at]));
        return match at {
            0 => by_path("aws", region),
            _ => by_host("aws", &labels[..at].join("."), region),
        };
    }
    if host == "storage.googleapis.com" {
        return by_path("gcs", None);
    }
    if let Some(bucket) = host.strip_suffix(".storage.googleapis.com") {
        return by_host("gcs", bucket, None);
    }
    let account = host.strip_suffix(".blob.core.windows.net")?;
    let mut place = by_path("azure", None)?;
    place.bucket = format!("{account}/{}", place.bucket);
    Some(place)
}

/// Returns where a bucket of Amazon is asked in another region, of which an answer says that it lies there: its name,
/// or the host that `endpoint` names. `None` where nothing is named, or what is no region to which it could belong.
pub(crate) fn in_region(asked: &Url, region: Option<&str>, endpoint: Option<&str>) -> Option<Url> {
    let known = place(&asked.host, asked.path_only()).filter(|known| known.provider == "aws")?;
    let named = || place(endpoint?, &known.root).filter(|named| named.bucket == known.bucket)?.region;
    let region = region.map(str::to_owned).or_else(named)?;
    if known.region.as_ref() == Some(&region) {
        return None;
    }
    let front = if known.root == "/" { format!("{}.", known.bucket) } else { String::new() };
    let host = format!("{front}s3.{region}{}", bucket::of_amazon(&asked.host)?.1);
    // One name is one bucket in the regions of one partition alone.
    let is_same =
        bucket::in_no_region(&host) != host && bucket::in_no_region(&host) == bucket::in_no_region(&asked.host);
    is_same.then(|| Url::parse(&format!("https://{host}{}", known.root)).ok())?
}

fn is_s3(label: &str) -> bool {
    label == "s3" || label.starts_with("s3-")
}

/// `s3-eu-west-1` and `s3-website-eu-west-1`.
fn dashed_region(label: &str) -> Option<String> {
    let rest = label.strip_prefix("s3-")?;
    let region = rest.strip_prefix("website-").unwrap_or(rest);
    (region != "website" && region != "accelerate").then(|| region.to_owned())
}

/// 3 to 63 letters, digits, dots, dashes and underscores.
fn is_bucket(name: &str) -> bool {
    (3..=63).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_' | b'$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, name: Option<&str>, bucket: Option<(&str, &str, Option<&str>)>) {
        let url = Url::parse(url).unwrap();
        assert_eq!(of_url(&url).as_deref(), name, "{url}");
        let place = place(&url.host, url.path_only());
        let read = place.as_ref().map(|place| (place.provider, place.bucket.as_str(), place.region.as_deref()));
        assert_eq!(read, bucket, "{url}");
    }

    #[test]
    fn a_bucket_is_asked_in_another_region_of_amazon_alone() {
        let (virtual_host, by_path) =
            ("https://acme-files.s3.amazonaws.com", "https://s3.us-west-2.amazonaws.com/acme-files");
        let there = Some("https://acme-files.s3.eu-west-1.amazonaws.com/");
        for (asked, region, endpoint, expected) in [
            (virtual_host, Some("eu-west-1"), None, there),
            (virtual_host, None, Some("acme-files.s3-eu-west-1.amazonaws.com"), there),
            (virtual_host, None, Some("acme-files.s3.eu-west-1.amazonaws.com"), there),
            (by_path, None, Some("s3.eu-west-1.amazonaws.com"), Some("https://s3.eu-west-1.amazonaws.com/acme-files")),
            (by_path, Some("us-west-2"), None, None),
            (virtual_host, None, None, None),
            (virtual_host, Some("evil.test/"), None, None),
            (virtual_host, Some("x@evil"), None, None),
            (virtual_host, Some("cn-north-1"), None, None),
            (
                "https://acme-files.s3.cn-north-1.amazonaws.com.cn",
                Some("cn-northwest-1"),
                None,
                Some("https://acme-files.s3.cn-northwest-1.amazonaws.com.cn/"),
            ),
            ("https://acme-files.s3.cn-north-1.amazonaws.com.cn", Some("eu-west-1"), None, None),
            (virtual_host, Some("us-gov-west-1"), None, None),
            (virtual_host, None, Some("acme-files.evil.test"), None),
            (virtual_host, None, Some("other-files.s3.eu-west-1.amazonaws.com"), None),
            (virtual_host, None, Some("acme-files.s3.eu-west-1.amazonaws.com.evil.test"), None),
            ("https://storage.googleapis.com/acme-files", Some("eu-west-1"), None, None),
        ] {
            let asked = Url::parse(asked).unwrap();
            let told = in_region(&asked, region, endpoint).map(|url| url.to_string());
            assert_eq!(told.as_deref(), expected, "{asked} {region:?} {endpoint:?}");
        }
    }

    #[test]
    fn buckets_of_all_forms_are_read() {
        check(
            "https://acme-files.s3.amazonaws.com/a/b",
            Some("https://acme-files.s3.amazonaws.com"),
            Some(("aws", "acme-files", None)),
        );
        check(
            "https://acme.files.s3.eu-west-1.amazonaws.com/",
            Some("https://acme.files.s3.eu-west-1.amazonaws.com"),
            Some(("aws", "acme.files", Some("eu-west-1"))),
        );
        check(
            "https://s3.amazonaws.com/acme-files/x",
            Some("https://s3.amazonaws.com/acme-files"),
            Some(("aws", "acme-files", None)),
        );
        check(
            "https://s3-us-west-2.amazonaws.com/acme-files",
            Some("https://s3-us-west-2.amazonaws.com/acme-files"),
            Some(("aws", "acme-files", Some("us-west-2"))),
        );
        for website in ["s3-website-eu-west-1", "s3-website.eu-west-1"] {
            let url = Url::parse(&format!("http://www.acme.test.{website}.amazonaws.com/x")).unwrap();
            assert_eq!(of_url(&url).as_deref(), Some("https://www.acme.test.s3.eu-west-1.amazonaws.com"));
        }
        check(
            "https://acme-files.s3.cn-north-1.amazonaws.com.cn/x",
            Some("https://acme-files.s3.cn-north-1.amazonaws.com.cn"),
            Some(("aws", "acme-files", Some("cn-north-1"))),
        );
        check(
            "https://s3.cn-northwest-1.amazonaws.com.cn/acme-files/x",
            Some("https://s3.cn-northwest-1.amazonaws.com.cn/acme-files"),
            Some(("aws", "acme-files", Some("cn-northwest-1"))),
        );
        let url = Url::parse("http://acme-files.s3-website.cn-north-1.amazonaws.com.cn/x").unwrap();
        assert_eq!(of_url(&url).as_deref(), Some("https://acme-files.s3.cn-north-1.amazonaws.com.cn"));
        check(
            "https://storage.googleapis.com/acme-files/x",
            Some("https://storage.googleapis.com/acme-files"),
            Some(("gcs", "acme-files", None)),
        );
        check(
            "https://acme.blob.core.windows.net/media/x.png",
            Some("https://acme.blob.core.windows.net/media"),
            Some(("azure", "acme/media", None)),
        );
    }

    #[test]
    fn other_addresses_are_no_buckets() {
        let namespace = Url::parse("http://s3.amazonaws.com/doc/2006-03-01/").unwrap();
        assert_eq!(of_url(&namespace), None, "the namespace of every listing");
        check("https://storage.googleapis.com/", None, None);
        check("https://ec2.amazonaws.com/acme-files", None, None);
        check(
            "https://acme-files.s3.dualstack.eu-west-1.amazonaws.com",
            Some("https://acme-files.s3.dualstack.eu-west-1.amazonaws.com"),
            Some(("aws", "acme-files", Some("eu-west-1"))),
        );
        check("https://s3.amazonaws.com.evil.test/acme-files", None, None);
        check("https://www.acme.test/s3.amazonaws.com/acme", None, None);
    }
}
