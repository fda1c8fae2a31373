//! Judges: pure functions over facts that report issues (docs/architecture.md §5). A judge is one file in `judge/` and two lines here: its `mod` and
//! its name in the list.

use ambit_model::issue::{IssueKind, Verdict};
use ambit_model::library::IssueEntry;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

/// One judge: what it reports, of which kinds of entity, and from which tasks' looks.
#[derive(Debug)]
pub struct Judge {
    /// What it reports, with its texts.
    pub issue: IssueKind,
    /// Kinds of entity it judges.
    pub applies_to: &'static [Kind],
    /// The tasks whose looks prove or clear it.
    pub reads: &'static [TaskName],
    /// The verdict on one entity at a wire date. Proofs hold no value that depends on the date.
    pub judge: fn(&Facts, Timestamp) -> Verdict,
}

macro_rules! all {
    ($($judge:ident),* $(,)?) => {
        /// Every judge, in alphabetical order.
        pub const ALL: &[&Judge] = &[$(&$judge::JUDGE),*];

        /// What each judge brings to be tested with.
        #[cfg(test)]
        const SAMPLES: &[(&Judge, fn() -> crate::samples::Samples)] = &[$((&$judge::JUDGE, $judge::samples)),*];
    };
}

mod basic_auth_over_plain_http;
mod cors_reflects_origin;
mod dangling_record;
mod default_server_page;
mod deprecated_tls_version;
mod directory_listing;
mod dmarc_missing;
mod dmarc_permissive;
mod dns_caa_policy_missing;
mod dns_zone_enumeration;
mod dns_zone_transfer;
mod exposed_actuator;
mod exposed_admin_panel;
mod exposed_api_document;
mod exposed_backup;
mod exposed_configuration_file;
mod exposed_database_service;
mod exposed_debug_page;
mod exposed_environment_file;
mod exposed_graphql_introspection;
mod exposed_installer;
mod exposed_metrics;
mod exposed_php_info;
mod exposed_private_key;
mod exposed_rdp_service;
mod exposed_script_console;
mod exposed_search_index;
mod exposed_secret_in_page;
mod exposed_server_status;
mod exposed_smb_service;
mod exposed_telnet_service;
mod exposed_user_listing;
mod exposed_version_control;
mod exposed_vnc_service;
mod ftp_anonymous_login;
mod insecure_cookie_httponly_attribute;
mod insecure_cookie_secure_attribute;
mod internal_system_exposed_via_dns;
mod invalid_certificate_algorithm;
mod invalid_certificate_almost_expired;
mod invalid_certificate_chain;
mod invalid_certificate_expired;
mod invalid_certificate_key;
mod invalid_certificate_name;
mod invalid_certificate_premature;
mod login_over_plain_http;
mod lookalike_domain;
mod missing_security_headers;
mod open_bucket;
mod open_database_service;
mod open_dns_resolver;
mod open_message_broker;
mod open_redis_service;
mod resolves_to_localhost;
mod self_signed_certificate;
mod spf_missing;
mod spf_permissive;
mod spf_too_many_lookups;
mod subdomain_takeover;
mod wildcard_certificate;

all![
    basic_auth_over_plain_http,
    cors_reflects_origin,
    dangling_record,
    default_server_page,
    deprecated_tls_version,
    directory_listing,
    dmarc_missing,
    dmarc_permissive,
    dns_caa_policy_missing,
    dns_zone_enumeration,
    dns_zone_transfer,
    exposed_actuator,
    exposed_admin_panel,
    exposed_api_document,
    exposed_backup,
    exposed_configuration_file,
    exposed_database_service,
    exposed_debug_page,
    exposed_environment_file,
    exposed_graphql_introspection,
    exposed_installer,
    exposed_metrics,
    exposed_php_info,
    exposed_private_key,
    exposed_rdp_service,
    exposed_script_console,
    exposed_search_index,
    exposed_secret_in_page,
    exposed_server_status,
    exposed_smb_service,
    exposed_telnet_service,
    exposed_user_listing,
    exposed_version_control,
    exposed_vnc_service,
    ftp_anonymous_login,
    insecure_cookie_httponly_attribute,
    insecure_cookie_secure_attribute,
    internal_system_exposed_via_dns,
    invalid_certificate_algorithm,
    invalid_certificate_almost_expired,
    invalid_certificate_chain,
    invalid_certificate_expired,
    invalid_certificate_key,
    invalid_certificate_name,
    invalid_certificate_premature,
    login_over_plain_http,
    lookalike_domain,
    missing_security_headers,
    open_bucket,
    open_database_service,
    open_dns_resolver,
    open_message_broker,
    open_redis_service,
    resolves_to_localhost,
    self_signed_certificate,
    spf_missing,
    spf_permissive,
    spf_too_many_lookups,
    subdomain_takeover,
    wildcard_certificate,
];

/// The judge of an issue's name.
pub fn find(name: &str) -> Option<&'static Judge> {
    ALL.iter().copied().find(|judge| judge.issue.name == name)
}

/// Every issue that judges report, for the library pages.
pub fn library() -> Vec<IssueEntry> {
    ALL.iter().map(|judge| entry(&judge.issue)).collect()
}

fn entry(issue: &IssueKind) -> IssueEntry {
    IssueEntry {
        name: issue.name.to_owned(),
        pretty_name: issue.pretty_name.to_owned(),
        severity: issue.severity,
        confidence: issue.confidence.name().to_owned(),
        category: issue.category.to_owned(),
        added: issue.added.to_owned(),
        description: issue.description.to_owned(),
        remediation: issue.remediation.to_owned(),
        references: issue.references.iter().map(|(uri, kind)| json!({"uri": uri, "type": kind})).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DATE;
    use ambit_model::issue::Proof;
    use std::collections::BTreeSet;

    fn date() -> Timestamp {
        Timestamp::parse(DATE).unwrap()
    }

    #[test]
    fn every_file_is_registered_under_its_own_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/judge");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        let names: Vec<&str> = ALL.iter().map(|judge| judge.issue.name).collect();
        assert_eq!(
            names, files,
            "a judge is a file of its issue's name, its mod line and its line in the list, in alphabetical order"
        );
    }

    #[test]
    fn texts_are_whole_and_values_are_those_of_the_contract() {
        let categories = [
            "misconfiguration",
            "vulnerability",
            "leak",
            "compromise",
            "threat",
            "application",
            "unknown",
        ];
        let references = ["description", "remediation", "detection_rule", "exploit", "threat_intel"];
        for judge in ALL {
            let issue = &judge.issue;
            let name = issue.name;
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{name}");
            assert!((1..=5).contains(&issue.severity), "{name}");
            assert!(categories.contains(&issue.category), "{name}");
            assert!(Timestamp::parse(issue.added).is_some() && issue.added.len() == 10, "{name}");
            for text in [issue.description, issue.remediation] {
                assert!(text.len() > 60 && text.ends_with('.') && !text.contains("  "), "{name}: {text:?}");
            }
            assert!(!issue.pretty_name.is_empty() && !issue.pretty_name.ends_with('.'), "{name}");
            assert!(!issue.references.is_empty(), "{name}");
            for (uri, kind) in issue.references {
                assert!(uri.starts_with("https://") && references.contains(kind), "{name}: {uri} {kind}");
            }
            assert!(!judge.applies_to.is_empty() && !judge.reads.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_judge_reports_its_samples_and_stays_silent_on_their_twins() {
        for (judge, samples) in SAMPLES {
            let (name, samples) = (judge.issue.name, samples());
            assert!(!samples.reports.is_empty(), "{name} brings nothing that it reports");
            assert!(!samples.near_misses.is_empty(), "{name} brings no near-miss twin");
            assert!(!samples.unknown.is_empty(), "{name} brings no sample without looks");
            let all = samples.reports.iter().map(|(facts, _)| facts);
            for facts in all.chain(&samples.near_misses).chain(&samples.unknown) {
                assert!(judge.applies_to.contains(&facts.kind), "{name}: {} is not among its kinds", facts.name);
            }
            for (facts, discriminators) in &samples.reports {
                let Verdict::Proven(proofs) = (judge.judge)(facts, date()) else {
                    panic!("{name} does not report {facts:#?}");
                };
                let found: Vec<&str> = proofs.iter().map(|proof| proof.discriminator.as_str()).collect();
                assert_eq!(&found, discriminators, "{name} on {}", facts.name);
                assert_eq!(
                    found.iter().collect::<BTreeSet<_>>().len(),
                    found.len(),
                    "{name}: two proofs of one discriminator"
                );
                for proof in &proofs {
                    assert_proof(name, proof);
                }
            }
            for facts in &samples.near_misses {
                assert_eq!((judge.judge)(facts, date()), Verdict::Clear, "{name} on {facts:#?}");
            }
            for facts in &samples.unknown {
                assert_eq!((judge.judge)(facts, date()), Verdict::Unknown, "{name} on {facts:#?}");
            }
        }
    }

    fn assert_proof(name: &str, proof: &Proof) {
        assert!(
            proof.description.ends_with('.') && proof.description.len() > 20,
            "{name}: {}",
            proof.description
        );
        assert!(proof.details.as_object().is_some_and(|details| !details.is_empty()), "{name}");
        assert!(proof.severity.is_none_or(|severity| (1..=5).contains(&severity)), "{name}");
    }

    #[test]
    fn verdicts_stay_the_same_while_time_passes_unless_a_date_is_judged() {
        let dated = [
            "invalid_certificate_almost_expired",
            "invalid_certificate_expired",
            "invalid_certificate_premature",
        ];
        let later = date().plus_ms(400 * ambit_model::moment::DAY_MS);
        for (judge, samples) in SAMPLES.iter().filter(|(judge, _)| !dated.contains(&judge.issue.name)) {
            for (facts, _) in samples().reports {
                assert_eq!((judge.judge)(&facts, date()), (judge.judge)(&facts, later), "{}", judge.issue.name);
            }
        }
    }

    #[test]
    fn the_library_shows_every_issue_once() {
        let library = library();
        assert_eq!(library.iter().map(|entry| &entry.name).collect::<BTreeSet<_>>().len(), ALL.len());
        assert!(ALL.len() >= 25);
        for entry in library {
            assert!(find(&entry.name).is_some());
        }
        assert!(find("no_such_issue").is_none());
    }
}
