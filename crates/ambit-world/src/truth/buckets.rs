//! Storage buckets, and who shows that they are open.

use super::Derivation;
use crate::draft::{Access, Bucket, Data, OrgRole, Storage};
use crate::plan;
use ambit_model::Kind;

impl Derivation<'_> {
    /// Our buckets that a planted page links to, or a planted name leads to.
    pub(super) fn buckets(&mut self) {
        for bucket in self.draft.buckets.values() {
            let name = bucket_name(bucket);
            let host = name.trim_start_matches("https://").to_owned();
            let ours = plan::standing(self.draft, &bucket.org) == OrgRole::Ours;
            self.truth.allow(Kind::CloudStorageBucket, &name);
            if !ours || bucket.hidden {
                continue;
            }
            let mut leads: Vec<(Kind, String)> = Vec::new();
            for (key, site) in &self.draft.sites {
                let texts = site
                    .links
                    .iter()
                    .chain(&site.loads)
                    .chain(&site.body)
                    .chain(site.pages.iter().map(|page| &page.body));
                if texts.clone().any(|text| text.contains(&host))
                    && self.truth.entities.contains(&(Kind::Uri, key.clone()))
                {
                    leads.push((Kind::Uri, key.clone()));
                }
            }
            for (alias, entry) in &self.draft.names {
                let points = entry.records.iter().any(|data| matches!(data, Data::Cname(target) if *target == host));
                if points && self.truth.entities.contains(&(Kind::DnsRecord, alias.clone())) {
                    leads.push((Kind::DnsRecord, alias.clone()));
                }
            }
            if !leads.is_empty() {
                self.truth.plant(Kind::CloudStorageBucket, &name);
            }
            if bucket.access == Access::Listed {
                for (kind, entity) in &leads {
                    self.truth.plant_issue("open_bucket", *kind, entity);
                }
                let elsewhere: Vec<String> = if leads.is_empty() { Vec::new() } else { self.planted(Kind::Uri) };
                for uri in elsewhere {
                    self.truth.allow_issue("open_bucket", Kind::Uri, &uri);
                }
            }
        }
    }
}

/// The canonical URL of a bucket.
fn bucket_name(bucket: &Bucket) -> String {
    match bucket.storage {
        Storage::S3 => format!("https://{}.s3.amazonaws.com", bucket.name),
        Storage::Gcs => format!("https://storage.googleapis.com/{}", bucket.name),
        Storage::Azure => {
            let (account, container) = bucket.name.split_once('/').unwrap_or((&bucket.name, ""));
            format!("https://{account}.blob.core.windows.net/{container}")
        }
    }
}
