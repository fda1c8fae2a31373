//! Judges: pure functions over facts that report issues (docs/architecture.md §5). A judge is one file in `judge/` and
//! two lines here: its `mod` and its name in the list. The judges of exposures follow from their files in `exposure/`;
//! `library.rs` has all of them.

use crate::look;
use ambit_model::issue::{IssueKind, Proof, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

/// One judge: what it reports, of which kinds of entity, and from which tasks' looks.
#[derive(Debug)]
pub struct Judge {
    /// What it reports, with its texts.
    pub issue: IssueKind,
    /// Kinds of entity it judges.
    pub applies_to: &'static [Kind],
    /// The tasks whose looks prove or clear it.
    pub reads: &'static [TaskName],
    pub(crate) judge: Rule,
}

/// How a judge comes to its verdict on one entity. Proofs hold no value that depends on the date.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// By what proves the issue, once the first task that it reads has looked.
    Proofs(fn(&Facts) -> Vec<Proof>),
    /// In its own way, at a wire date.
    Own(fn(&Facts, Timestamp) -> Verdict),
}

impl Judge {
    /// Returns the verdict on one entity at a wire date.
    pub fn verdict(&self, facts: &Facts, date: Timestamp) -> Verdict {
        match self.judge {
            Rule::Proofs(prove) => look::after(facts, self.reads[0], prove),
            Rule::Own(judge) => judge(facts, date),
        }
    }

    /// Returns true for a judge of what others do to them: it judges entities that are nobody's of theirs.
    pub fn is_about_others(&self) -> bool {
        self.reads.contains(&TaskName::Impersonation)
    }
}

/// A judge of a table: the texts of its row, what holds of all rows, and how it judges.
macro_rules! judge_of {
    ($name:ident, $category:literal, $confidence:ident, $severity:ident, $added:literal, $pretty:literal,
     $description:literal, $remediation:literal, $reference:literal, $kinds:expr, $reads:expr, $judge:expr) => {
        $crate::judge::Judge {
            issue: ambit_model::issue::IssueKind {
                name: stringify!($name),
                pretty_name: $pretty,
                severity: $severity,
                confidence: ambit_model::issue::Confidence::$confidence,
                category: $category,
                added: $added,
                description: $description,
                remediation: $remediation,
                references: &[($reference, "description")],
            },
            applies_to: $kinds,
            reads: $reads,
            judge: $crate::judge::Rule::Own($judge),
        }
    };
}
pub(crate) use judge_of;

/// A table of judges that report what a look named after them: `weigh` of its file judges by the name.
macro_rules! named_findings {
    ($category:literal, $kinds:expr, $reads:expr; $($name:ident {
        pretty_name: $pretty:literal,
        severity: $severity:ident,
        confidence: $confidence:ident,
        added: $added:literal,
        description: $description:literal,
        remediation: $remediation:literal,
        reference: $reference:literal,
    })*) => {
        /// The judges of the table.
        pub(crate) const JUDGES: &[Judge] = &[$($crate::judge::judge_of!(
            $name, $category, $confidence, $severity, $added, $pretty, $description, $remediation, $reference,
            $kinds, $reads, |facts, _| weigh(facts, stringify!($name))
        )),*];
    };
}
pub(crate) use named_findings;

macro_rules! all {
    ($($judge:ident),* $(,)?) => {
        /// The judges that have a file of their own, in alphabetical order.
        pub(crate) const OWN: &[&Judge] = &[$(&$judge::JUDGE),*];

        /// What each judge brings to be tested with.
        #[cfg(test)]
        pub(crate) const SAMPLES: &[(&Judge,
        fn() -> crate::samples::Samples)] = &[$((&$judge::JUDGE, $judge::samples)),*];
    };
}

mod basic_auth_over_plain_http;
mod brand_mail_domain;
mod cloud_dangling_address;
mod cors_reflects_origin;
mod dangling_delegation;
mod dangling_record;
mod dangling_wildcard;
mod default_installation;
mod default_server_page;
mod deprecated_tls_version;
mod directory_listing;
mod dmarc_missing;
mod dmarc_permissive;
mod dns_caa_policy_missing;
mod dns_zone_enumeration;
mod dns_zone_transfer;
mod domain_registration_expiring;
mod end_of_life_software;
mod exposed_database_service;
mod exposed_rdp_service;
mod exposed_secret_in_page;
mod exposed_smb_service;
mod exposed_telnet_service;
mod exposed_udp_amplifier;
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
mod invalid_certificate_revoked;
mod leaked_app_token;
mod leaked_token;
mod login_over_plain_http;
mod lookalike_domain;
mod missing_security_headers;
mod open_bucket;
mod open_database_service;
mod open_dns_resolver;
mod open_firebase;
mod open_message_broker;
mod open_redirect;
mod open_redis_service;
mod phishing_site;
mod resolves_to_localhost;
mod self_signed_certificate;
mod snmp_public_community;
mod spf_invalid;
mod spf_missing;
mod spf_permissive;
mod spf_too_many_lookups;
mod subdomain_takeover;
mod suspicious_domain;
mod version_disclosure;
mod vulnerable_dependency;
mod vulnerable_software;
mod wildcard_certificate;

all![
    basic_auth_over_plain_http,
    brand_mail_domain,
    cloud_dangling_address,
    cors_reflects_origin,
    dangling_delegation,
    dangling_record,
    dangling_wildcard,
    default_installation,
    default_server_page,
    deprecated_tls_version,
    directory_listing,
    dmarc_missing,
    dmarc_permissive,
    dns_caa_policy_missing,
    dns_zone_enumeration,
    dns_zone_transfer,
    domain_registration_expiring,
    end_of_life_software,
    exposed_database_service,
    exposed_rdp_service,
    exposed_secret_in_page,
    exposed_smb_service,
    exposed_telnet_service,
    exposed_udp_amplifier,
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
    invalid_certificate_revoked,
    leaked_app_token,
    leaked_token,
    login_over_plain_http,
    lookalike_domain,
    missing_security_headers,
    open_bucket,
    open_database_service,
    open_dns_resolver,
    open_firebase,
    open_message_broker,
    open_redirect,
    open_redis_service,
    phishing_site,
    resolves_to_localhost,
    self_signed_certificate,
    snmp_public_community,
    spf_invalid,
    spf_missing,
    spf_permissive,
    spf_too_many_lookups,
    subdomain_takeover,
    suspicious_domain,
    version_disclosure,
    vulnerable_dependency,
    vulnerable_software,
    wildcard_certificate,
];

/// The judges that judge by what is known against products: whenever that changes, so may their verdicts, though
/// nobody looked again.
pub(crate) const BY_KNOWLEDGE: &[&Judge] = &[&end_of_life_software::JUDGE, &vulnerable_software::JUDGE];
