//! The list of buckets, which the account has in all regions together. What lies in them is not asked for.

use super::{Asset, List, Page, Request, escaped, is_region};
use crate::xml::Element;

/// The buckets of the account, of all regions.
pub(super) const BUCKETS: List = List {
    service: "s3",
    permission: "s3:ListAllMyBuckets",
    is_regional: false,
    request: |next| Request {
        method: "GET",
        target: next.map_or_else(|| "/".to_owned(), |mark| format!("/?continuation-token={}", escaped(mark))),
        body: String::new(),
    },
    read,
};

fn read(answer: &Element) -> Option<Page> {
    let bucket = |found: &Element| {
        let name = found.text(&["Name"])?.to_owned();
        let region = found.text(&["BucketRegion"]).filter(|region| is_region(region)).map(str::to_owned);
        Some(Asset::Bucket { name, region })
    };
    answer.find("Buckets")?;
    let assets = answer.list("Buckets", "Bucket").filter_map(bucket).collect();
    Some(Page { assets, next: answer.text(&["ContinuationToken"]).map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_read_page_by_page() {
        let body = "<ListAllMyBucketsResult><Owner><ID>x</ID></Owner><Buckets><Bucket><Name>acme-files</Name>\
                    <BucketRegion>eu-west-1</BucketRegion></Bucket><Bucket><Name>acme.logs</Name></Bucket></Buckets>\
                    <ContinuationToken>a/b=</ContinuationToken></ListAllMyBucketsResult>";
        let page = BUCKETS.page(200, body.as_bytes()).unwrap();
        let bucket = |name: &str, region: Option<&str>| Asset::Bucket {
            name: name.to_owned(),
            region: region.map(str::to_owned),
        };
        assert_eq!(page.assets, [bucket("acme-files", Some("eu-west-1")), bucket("acme.logs", None)]);
        assert_eq!((BUCKETS.request)(page.next.as_deref()).target, "/?continuation-token=a%2Fb%3D");
        assert!(BUCKETS.page(200, b"<html></html>").is_err(), "another page is no empty list");
    }
}
