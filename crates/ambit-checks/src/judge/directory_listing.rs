//! A web server that lists the files of a folder.

use super::{Judge, Rule};
use crate::exposure;
use crate::look;
use ambit_model::entity::uri;
use ambit_model::exposure::DIRECTORY_LISTING;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "directory_listing",
        pretty_name: "Directory listing is enabled",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The web server lists the files of a folder that has no start page. Visitors find files that \
                      nothing links to: backups, drafts, exports, uploads of others.",
        remediation: "Switch automatic listings off (Options -Indexes, autoindex off) and remove files that are not \
                      meant for the public.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/548.html", "description"),
            ("https://httpd.apache.org/docs/2.4/mod/mod_autoindex.html", "remediation"),
            ("https://nginx.org/en/docs/http/ngx_http_autoindex_module.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus, TaskName::HttpEnrich],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let own = look::after(facts, TaskName::HttpEnrich, |facts| {
        let listed = uri::DIRECTORY_LISTING.is_true(&facts.details);
        listed.then(|| proof(facts, path_of(&facts.name))).into_iter().collect()
    });
    let found = look::after(facts, TaskName::ContentFocus, |facts| {
        let paths: BTreeSet<String> = exposure::paths(facts, DIRECTORY_LISTING).collect();
        paths.iter().map(|path| proof(facts, path)).collect()
    });
    match (own, found) {
        (Verdict::Proven(mut proofs), Verdict::Proven(more)) => {
            proofs.extend(more);
            proofs.sort_by(|a, b| a.discriminator.cmp(&b.discriminator));
            proofs.dedup_by(|a, b| a.discriminator == b.discriminator);
            Verdict::Proven(proofs)
        }
        (Verdict::Proven(proofs), _) | (_, Verdict::Proven(proofs)) => Verdict::Proven(proofs),
        (Verdict::Clear, Verdict::Clear) => Verdict::Clear,
        _ => Verdict::Unknown,
    }
}

fn proof(facts: &Facts, path: &str) -> Proof {
    let description = format!("{} lists the files of {}.", facts.name, look::shown(path));
    look::proof_of(path, description, json!({"site": facts.name, "path": path}))
}

/// The path of a canonical Uri; `/` where it has none.
fn path_of(uri: &str) -> &str {
    uri.splitn(4, '/').nth(3).map_or("/", |rest| &uri[uri.len() - rest.len() - 1..])
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use exposure::sample::{probed, unprobed};
    let listing = |listed: bool| json!({"hidden_directory_listing": listed});
    let page = || facts(Kind::Uri, "https://www.acme.test/files/");
    Samples::new()
        .reports_each(unprobed().found(TaskName::HttpEnrich).with(listing(true)), &["/"])
        .reports_each(page().found(TaskName::HttpEnrich).with(listing(true)), &["/files/"])
        .reports_each(
            probed(&[(DIRECTORY_LISTING, "/files/"), (DIRECTORY_LISTING, "/")])
                .found(TaskName::HttpEnrich)
                .with(listing(true)),
            &["/", "/files/"],
        )
        .near_miss(probed(&[("env_file", "/files/")]).found(TaskName::HttpEnrich).with(listing(false)))
        .near_miss(page().found(TaskName::HttpEnrich).absent(TaskName::ContentFocus).with(listing(false)))
        .unknown(page().found(TaskName::HttpEnrich).with(listing(false)))
        .near_miss(unprobed().absent(TaskName::HttpEnrich).absent(TaskName::ContentFocus))
        .unknown(unprobed())
        .unknown(unprobed().found(TaskName::HttpEnrich).with(listing(false)))
        .unknown(unprobed().found(TaskName::HttpEnrich).failed(TaskName::ContentFocus))
}
