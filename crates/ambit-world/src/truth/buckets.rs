//! Storage buckets, and who shows that they are open.

use super::Derivation;
use crate::draft::{Access, Bucket, Data, OrgRole, Storage};
use crate::plan;
use ambit_model::Kind;
use ambit_model::entity::bucket::bears;
use ambit_model::entity::{host_of, registrable};
use std::collections::BTreeSet;

impl Derivation<'_> {
    /// Our buckets that a planted page links to, or a planted name leads to.
    pub(super) fn buckets(&mut self) {
        let regions = self.draft.s3_regions();
        for (bucket, name) in self.draft.buckets.values().flat_map(|bucket| names(bucket, &regions)) {
            let host = name.trim_start_matches("https://").to_owned();
            let told = told_by(bucket, &host);
            let project = told.iter().find(|told| told.starts_with(PROJECT));
            let ours = plan::standing(self.draft, &bucket.org) == OrgRole::Ours;
            self.truth.allow(Kind::CloudStorageBucket, &name);
            if !ours || bucket.hidden {
                continue;
            }
            // A page that loads from a bucket or points at it does not show whose the bucket is.
            let mut leads: Vec<(Kind, String, bool)> = Vec::new();
            for (key, site) in &self.draft.sites {
                let texts = site
                    .links
                    .iter()
                    .chain(&site.loads)
                    .chain(&site.body)
                    .chain(site.pages.iter().map(|page| &page.body));
                if texts.clone().any(|text| told.iter().any(|told| text.contains(told)))
                    && self.truth.entities.contains(&(Kind::Uri, key.clone()))
                {
                    let is_configured = project.is_some_and(|told| texts.clone().any(|text| text.contains(told)));
                    leads.push((Kind::Uri, key.clone(), is_configured || self.bears_their_name(bucket, key)));
                }
            }
            for (alias, entry) in &self.draft.names {
                let points = entry.records.iter().any(|data| matches!(data, Data::Cname(target) if *target == host));
                if points && self.truth.entities.contains(&(Kind::DnsRecord, alias.clone())) {
                    leads.push((Kind::DnsRecord, alias.clone(), true));
                }
            }
            if !leads.is_empty() {
                self.truth.plant(Kind::CloudStorageBucket, &name);
            }
            if bucket.access == Access::Listed {
                let issue = match bucket.storage {
                    Storage::S3 | Storage::Gcs | Storage::Azure => "open_bucket",
                    Storage::Database | Storage::Firestore | Storage::FirebaseFiles => "open_firebase",
                };
                for (kind, entity, is_likely_theirs) in &leads {
                    if *is_likely_theirs {
                        self.truth.plant_issue(issue, *kind, entity);
                    } else {
                        self.truth.allow_issue(issue, *kind, entity);
                    }
                }
                let elsewhere: Vec<String> = if leads.is_empty() { Vec::new() } else { self.planted(Kind::Uri) };
                for uri in elsewhere {
                    self.truth.allow_issue(issue, Kind::Uri, &uri);
                }
            }
        }
    }

    /// A bucket bears the name of a seed's domain, or of that of a site.
    fn bears_their_name(&self, bucket: &Bucket, site: &str) -> bool {
        let hosts = self.seeds.iter().map(String::as_str).chain([site]).map(host_of);
        hosts.filter_map(registrable).any(|domain| bears(&bucket.name, domain))
    }
}

/// How a page begins to tell the project of Firebase that it is configured with.
const PROJECT: &str = "projectId:'";

/// A bucket by each of its canonical URLs: of one in a region, whichever region is asked for it.
fn names<'a>(bucket: &'a Bucket, regions: &BTreeSet<&str>) -> Vec<(&'a Bucket, String)> {
    let regions = regions.iter().filter(|_| bucket.region.is_some());
    let regional = regions.map(|region| format!("https://{}", bucket.s3_host(Some(region))));
    [bucket_name(bucket)].into_iter().chain(regional).map(|name| (bucket, name)).collect()
}

/// The canonical URL of a bucket.
fn bucket_name(bucket: &Bucket) -> String {
    match bucket.storage {
        Storage::S3 => format!("https://{}", bucket.s3_host(None)),
        Storage::Gcs => format!("https://storage.googleapis.com/{}", bucket.name),
        Storage::Azure => {
            let (account, container) = bucket.name.split_once('/').unwrap_or((&bucket.name, ""));
            format!("https://{account}.blob.core.windows.net/{container}")
        }
        Storage::Database if bucket.name.contains('.') => format!("https://{}.firebasedatabase.app", bucket.name),
        Storage::Database => format!("https://{}.firebaseio.com", bucket.name),
        Storage::Firestore => format!("https://firestore.googleapis.com/v1/projects/{}", bucket.name),
        Storage::FirebaseFiles => format!("https://firebasestorage.googleapis.com/v0/b/{}", bucket.name),
    }
}

/// What a text holds that leads to a bucket: where it is, or the project of Firebase as a page is initialised with it.
fn told_by(bucket: &Bucket, place: &str) -> Vec<String> {
    let of_project = |project: &str| format!("{PROJECT}{project}'");
    match bucket.storage {
        Storage::S3 | Storage::Gcs | Storage::Azure => vec![place.to_owned()],
        Storage::Database => {
            let project = bucket.name.strip_suffix("-default-rtdb").map(of_project);
            [place.to_owned()].into_iter().chain(project).collect()
        }
        Storage::Firestore => vec![of_project(&bucket.name)],
        Storage::FirebaseFiles => vec![bucket.name.clone()],
    }
}
