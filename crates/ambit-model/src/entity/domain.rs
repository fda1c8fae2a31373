//! What is known of names: domains, the names below them, and the servers of mail and names by their role.

use super::Member;
use super::front_page::FrontPage;
use super::impersonation::{Assessment, Campaign, Resembled};
use super::posture::Posture;
use super::row::{
    Empty::{False, List, Null},
    Row, contract, seen,
};
use super::{certificate, in_account, network};
use crate::TaskName;
use crate::task::TaskName::{
    CloudAttribution, Delegations, HttpProbe, Lookalikes, MailPolicy, NameSweep, Network, NsecWalk, Registration,
    Resolve, TlsGrab, WildcardProfile, ZoneProfile,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Its addresses; of an address, its reverse names.
pub const RESOLUTIONS: Member<Vec<Resolution>> = Member::named("resolutions");
/// How the question for addresses was answered.
pub const RCODE: Member = Member::named("hidden_rcode");
/// The names that its alias leads through, in order.
pub const CNAME_CHAIN: Member<Vec<String>> = Member::named("hidden_cname_chain");
/// Its aliases lead in a circle, or through more names than anybody follows.
pub const CNAME_ENDLESS: Member<bool> = Member::named("hidden_cname_endless");
/// Addresses that the public DNS gives for it and that the guard refuses to contact.
pub const PRIVATE_ADDRESSES: Member<Vec<String>> = Member::named("hidden_private_addresses");
/// How long its answers may be kept, in seconds.
pub const TTL: Member = Member::named("hidden_ttl");
/// What its HTTPS records say of where its sites are to be reached.
pub const HTTPS: Member<Vec<HttpsRecord>> = Member::named("hidden_https");
/// The authority of the zone that begins here, without its serial.
pub const SOA_RECORD: Member<Authority> = Member::named("soa_record");
/// The serial of that authority.
pub const SOA_SERIAL: Member = Member::named("hidden_soa_serial");
/// The name servers of a domain.
pub const NAMESERVERS: Member<Vec<String>> = Member::named("nameservers");
/// The name servers of a zone that begins at a name below its domain.
pub const CUT_NAMESERVERS: Member<Vec<String>> = Member::named("hidden_nameservers");
/// The servers that take mail for it, by preference.
pub const MX_RECORDS: Member<Vec<MailServer>> = Member::named("mx_records");
/// Its texts.
pub const TXT_RECORDS: Member<Vec<String>> = Member::named("txt_records");
/// Who may send mail in its name, as published.
pub const SPF_RECORD: Member<String> = Member::named("spf_record");
/// What the whole tree of that record comes to.
pub const SPF_TREE: Member<SpfTree> = Member::named("hidden_spf");
/// What receivers shall do with forged mail, as published.
pub const DMARC: Member<String> = Member::named("dmarc");
/// The tags of that record.
pub const DMARC_POLICY: Member<DmarcTags> = Member::named("hidden_dmarc");
/// The record that announces a policy for encrypted mail.
pub const MTA_STS: Member = Member::named("hidden_mta_sts");
/// Where reports on encrypted mail go.
pub const TLS_RPT: Member = Member::named("hidden_tls_rpt");
/// The record that names a logo for mail.
pub const BIMI: Member = Member::named("hidden_bimi");
/// Who may sign certificates for it.
pub const CAA: Member = Member::named("hidden_caa");
/// The zone above says how it is signed.
pub const SIGNED: Member<bool> = Member::named("hidden_ds");
/// Services that it announces.
pub const SRV: Member<Vec<Value>> = Member::named("hidden_srv");
/// People of its registration.
pub const CONTACTS: Member = Member::named("contacts");
/// Its registration.
pub const REGISTRATION: Member<DomainRegistration> = Member::named("hidden_registration");
/// Servers that hand the whole zone to anyone.
pub const ZONE_TRANSFER: Member<Vec<ZoneTransfer>> = Member::named("hidden_zone_transfer");
/// What following the records of its signed zone gave.
pub const ZONE_WALK: Member<ZoneWalk> = Member::named("hidden_zone_walk");
/// Its records that lead nowhere.
pub const DANGLING: Member<Vec<Dangling>> = Member::named("hidden_dangling");
/// Names below it that were handed to servers which are not there, or do not answer for them.
pub const DEAD_DELEGATIONS: Member<Vec<DeadDelegation>> = Member::named("hidden_dead_delegations");
/// Of names below it that nobody answers for: servers that they were handed to and that are not there.
pub const DEAD_REFERRALS: Member<Vec<DeadDelegation>> = Member::named("hidden_dead_referrals");
/// Its alias leads to a provider where nobody holds the name.
pub const TAKEOVER: Member<Takeover> = Member::named("hidden_takeover");
/// Registered domains that resemble it.
pub const LOOKALIKES: Member<Vec<String>> = Member::named("hidden_lookalikes");
/// What a visit of its front page showed.
pub const FRONT_PAGE: Member<FrontPage> = Member::named("hidden_front_page");
/// The domains of theirs that it resembles, and how.
pub const RESEMBLANCES: Member<Vec<Resembled>> = Member::named("hidden_resemblances");
/// How likely it is meant to pass for what it resembles.
pub const IMPERSONATION: Member<Assessment> = Member::named("hidden_impersonation");
/// Domains that resemble it and belong together.
pub const CAMPAIGNS: Member<Vec<Campaign>> = Member::named("hidden_campaigns");
/// How well what everybody can see of it is protected.
pub const POSTURE: Member<Posture> = Member::named("hidden_posture");
/// Whose services its records and its page show it to use.
pub const SUPPLIERS: Member<Vec<Supplier>> = Member::named("hidden_suppliers");
/// What names that nobody has made are answered with.
pub const WILDCARD: Member = Member::named("hidden_wildcard");
/// The target of the alias that they are, where it does not exist.
pub const WILDCARD_DANGLING: Member<Vec<Dangling>> = Member::named("hidden_wildcard_dangling");
/// For which types they are answered.
pub const WILDCARD_TYPES: Member = Member::named("hidden_wildcard_types");
/// A certificate names all that is one label below it.
pub const WILDCARD_CERTIFICATE: Member<bool> = Member::named("hidden_wildcard_certificate");
/// Guessed names that stayed without an answer. Two tasks say it, `name_sweep` and `permutations`, because both guess
/// names below one domain through one function. A record lists what either left open; each probe lists its own.
pub const SWEEP_UNANSWERED: Member<Vec<String>> = Member::named("hidden_sweep_unanswered");
/// Sites that answered at its addresses.
pub const SITES: Member<Vec<SiteSeen>> = Member::named("hidden_sites");

/// What is known of a registrable domain.
pub(super) const DOMAIN: &[Row] = &[
    contract(RESOLUTIONS, List).by(Resolve),
    contract(SOA_RECORD, Null).by(ZoneProfile),
    contract(NAMESERVERS, List).by(ZoneProfile),
    contract(MX_RECORDS, List).by(ZoneProfile),
    contract(TXT_RECORDS, List).by(ZoneProfile),
    contract(SPF_RECORD, Null).by(MailPolicy),
    contract(DMARC, Null).by(MailPolicy),
    contract(network::WHOIS_FULL_TEXT, Null).by(Registration),
    contract(CONTACTS, List).by(Registration),
    contract(network::GEOLOCATION, Null).by(Network),
    contract(network::FINGERPRINT, List).by(ZoneProfile),
    seen(in_account::AWS, TaskName::AwsAccount),
    seen(in_account::AWS_ZONE_TARGETS, TaskName::AwsAccount),
    seen(in_account::CLOUD, TaskName::CloudAccount),
    seen(in_account::CLOUD_ZONE_TARGETS, TaskName::CloudAccount),
    seen(DANGLING, TaskName::Dangling),
    seen(DEAD_DELEGATIONS, Delegations),
    seen(DEAD_REFERRALS, TaskName::Referrals),
    seen(CAMPAIGNS, TaskName::Campaigns),
    seen(FRONT_PAGE, TaskName::FrontPage),
    seen(SITES, HttpProbe),
    seen(IMPERSONATION, TaskName::Impersonation),
    seen(LOOKALIKES, Lookalikes),
    seen(SPF_TREE, MailPolicy),
    seen(DMARC_POLICY, MailPolicy),
    seen(MTA_STS, MailPolicy),
    seen(TLS_RPT, MailPolicy),
    seen(BIMI, MailPolicy),
    seen(SWEEP_UNANSWERED, NameSweep),
    seen(network::CARRIED, Network),
    seen(ZONE_WALK, NsecWalk),
    seen(POSTURE, TaskName::Posture),
    seen(REGISTRATION, Registration),
    seen(RESEMBLANCES, TaskName::ResemblingDomains),
    seen(RCODE, Resolve),
    seen(CNAME_CHAIN, Resolve),
    seen(CNAME_ENDLESS, Resolve),
    seen(HTTPS, Resolve),
    seen(PRIVATE_ADDRESSES, Resolve),
    seen(TTL, Resolve),
    seen(SUPPLIERS, TaskName::Suppliers),
    seen(TAKEOVER, TaskName::Takeover),
    seen(certificate::TLS, TlsGrab),
    seen(WILDCARD, WildcardProfile),
    seen(WILDCARD_DANGLING, WildcardProfile),
    seen(WILDCARD_TYPES, WildcardProfile),
    seen(CAA, ZoneProfile),
    seen(SIGNED, ZoneProfile),
    seen(SRV, ZoneProfile),
    seen(SOA_SERIAL, ZoneProfile),
    seen(ZONE_TRANSFER, TaskName::ZoneTransfer),
];

/// What is known of a name below a domain.
pub(super) const DNS_RECORD: &[Row] = &[
    contract(RESOLUTIONS, List).by(Resolve),
    contract(SOA_RECORD, Null).by(ZoneProfile),
    contract(MX_RECORDS, List).by(ZoneProfile),
    contract(TXT_RECORDS, List).by(ZoneProfile),
    contract(SPF_RECORD, Null).by(ZoneProfile),
    contract(network::CLOUD_HOSTED, False).by(CloudAttribution),
    contract(network::CLOUD_PROVIDERS, List).by(CloudAttribution),
    contract(network::FINGERPRINT, List).by(ZoneProfile),
    seen(in_account::AWS, TaskName::AwsAccount),
    seen(in_account::AWS_ZONE_TARGETS, TaskName::AwsAccount),
    seen(in_account::CLOUD, TaskName::CloudAccount),
    seen(in_account::CLOUD_ZONE_TARGETS, TaskName::CloudAccount),
    seen(DANGLING, TaskName::Dangling),
    seen(DEAD_DELEGATIONS, Delegations),
    seen(DEAD_REFERRALS, TaskName::Referrals),
    seen(SITES, HttpProbe),
    seen(SWEEP_UNANSWERED, NameSweep),
    seen(network::CARRIED, Network),
    seen(ZONE_WALK, NsecWalk),
    seen(RCODE, Resolve),
    seen(CNAME_CHAIN, Resolve),
    seen(CNAME_ENDLESS, Resolve),
    seen(HTTPS, Resolve),
    seen(PRIVATE_ADDRESSES, Resolve),
    seen(TTL, Resolve),
    seen(TAKEOVER, TaskName::Takeover),
    seen(certificate::TLS, TlsGrab),
    seen(WILDCARD, WildcardProfile),
    seen(WILDCARD_DANGLING, WildcardProfile),
    seen(WILDCARD_TYPES, WildcardProfile),
    seen(WILDCARD_CERTIFICATE, TaskName::CertificateNames),
    seen(SRV, ZoneProfile),
    seen(SOA_SERIAL, ZoneProfile),
    seen(CUT_NAMESERVERS, ZoneProfile),
    seen(ZONE_TRANSFER, TaskName::ZoneTransfer),
];

/// What is known of a server of mail or names, by its role.
pub(super) const SERVER: &[Row] = &[
    contract(RESOLUTIONS, List).by(Resolve),
    seen(RCODE, Resolve),
    seen(CNAME_CHAIN, Resolve),
    seen(CNAME_ENDLESS, Resolve),
    seen(PRIVATE_ADDRESSES, Resolve),
    seen(TTL, Resolve),
];

/// An answer to a question for addresses, or for the name of an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    pub response_data: String,
    pub response_type: String,
}

/// An HTTPS record (RFC 9460).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpsRecord {
    /// Zero: the name is an alias of the target.
    pub priority: u16,
    /// The host that serves; `.` of an alias where there is no such service.
    pub target: String,
    /// Protocols that it speaks inside TLS.
    pub alpn: Vec<String>,
    /// Another port than 443.
    pub port: Option<u16>,
    /// Addresses to try until the target's are known. Nothing shows that they are.
    pub hints: Vec<String>,
    /// The beginning of handshakes can be encrypted.
    pub ech: bool,
}

impl HttpsRecord {
    /// Of an alias: the name that it is one of.
    pub fn alias(&self) -> Option<&str> {
        (self.priority == 0 && self.target != ".").then_some(&self.target)
    }

    /// Another port than 443, where one of these names is the host that serves.
    pub fn port_at(&self, names: &[&str]) -> Option<u16> {
        self.port.filter(|_| names.contains(&self.target.as_str()))
    }
}

/// Somebody whose service is used, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Supplier {
    pub name: String,
    /// `MX`, `SPF`, `NS`, `CNAME`, `TXT`, `page` or `policy`.
    pub by: String,
    pub value: String,
}

/// What the whole tree of an SPF record comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpfTree {
    /// SPF records at the name; more than one is an error.
    pub records: usize,
    /// The qualifier of the `all` that the tree ends in.
    pub all: Option<char>,
    /// DNS look-ups that a receiver makes.
    pub lookups: usize,
    pub void_lookups: usize,
    /// Every record of the tree was read.
    pub complete: bool,
    /// Some record of the tree lets every address pass.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    pub errors: BTreeSet<String>,
    pub includes: BTreeSet<String>,
    /// The names in each record below the first (other records and hosts), so that a record without an answer keeps
    /// exactly what it named before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, BTreeSet<String>>,
    /// Names to which it hands on in domains that nobody has registered.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub unregistered: BTreeSet<String>,
}

/// A server that hands the zone to anyone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTransfer {
    pub server: String,
    pub records: usize,
}

/// The authority of a zone (RFC 1035 §3.3.13), without its serial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authority {
    pub primary_name_server: String,
    /// A mailbox as a name: its first label is the user.
    pub responsible_party: String,
    pub refresh: i32,
    pub retry: i32,
    pub expire: i32,
    pub minimum: u32,
}

/// A server that takes mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MailServer {
    pub priority: u16,
    /// `.` where no mail is taken (RFC 7505).
    pub host: String,
}

/// The tags of a DMARC record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DmarcTags {
    /// How many records there are; receivers ignore them where there are several.
    pub records: usize,
    pub policy: Option<String>,
    pub subdomain_policy: Option<String>,
    pub percent: u8,
    /// Mailboxes that reports go to.
    pub rua: Vec<String>,
}

/// What a registry says of a domain. Dates are as it writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DomainRegistration {
    pub registrar: Option<String>,
    pub registered: Option<String>,
    pub changed: Option<String>,
    pub expires: Option<String>,
    pub status: Vec<String>,
    pub nameservers: Vec<String>,
    pub dnssec: bool,
    /// An organisation, else a person; none where the registry keeps it to itself.
    pub registrant: Option<String>,
}

/// What following the records of a signed zone gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneWalk {
    pub names: usize,
    /// The walk came round to its beginning.
    pub whole: bool,
}

/// A record that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dangling {
    /// `CNAME`, `DNAME`, `HTTPS`, `MX` or `NS`.
    pub record: String,
    pub target: String,
    pub reason: DanglingReason,
    /// Whose names the target is one of.
    pub provider: Option<String>,
}

/// Why nothing works at a record's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DanglingReason {
    /// The servers that the name is handed to do not answer for it.
    Lame,
    /// The target does not exist.
    Nxdomain,
    /// The provider answers for all names; only the content of the answer shows whether somebody holds this one.
    UnclaimedPattern,
    /// Not even the target's domain exists.
    Unregistered,
}

/// A name that was handed to servers of which some are not there, or none answers for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeadDelegation {
    pub name: String,
    /// The server that is not there; the name itself where none answers.
    pub target: String,
    pub reason: DanglingReason,
}

/// A provider's word that nobody holds the name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takeover {
    pub provider: String,
    pub target: String,
    #[serde(default)]
    pub proof: String,
}

/// A site that answered at an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSeen {
    pub uri: String,
    pub address: String,
    /// The status of its answer.
    pub code: String,
}
