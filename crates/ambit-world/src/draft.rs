//! What a world file says, after reading and before anything is built: one draft per state. Dates are still relative to
//! the epoch.

mod binding;
mod certificate;
mod datagram;
mod estate;
mod host;
mod moment;

use crate::exposure::Exposure;
use ambit_model::moment::DAY_MS;
use ambit_net::dns::RecordType;
pub(crate) use binding::Binding;
pub(crate) use certificate::{Cert, CertChoice, Issuer, KeyChoice};
pub(crate) use datagram::Datagram;
pub(crate) use estate::{
    Access, Account, App, Bucket, Checkout, Commit, Forge, Interface, Layout, Listing, Repository, Setting, Storage,
    Store, System,
};
pub(crate) use host::{Beyond, Limit, UnknownHost, Unlisted};
use ipnet::IpNet;
pub(crate) use moment::Moment;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

/// From one state to the next where the file does not say how long it takes, in milliseconds: past the time to live of
/// every answer.
pub(crate) const STATE_MS: i64 = 30 * DAY_MS;

/// All statements of one state, by their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// When it begins, from the epoch.
    pub begins_ms: i64,
    pub orgs: BTreeMap<String, Org>,
    pub blocks: BTreeMap<IpNet, Block>,
    pub zones: BTreeMap<String, Zone>,
    pub names: BTreeMap<String, Name>,
    pub hosts: BTreeMap<IpAddr, Host>,
    pub sites: BTreeMap<String, Site>,
    pub certs: BTreeMap<String, Cert>,
    pub buckets: BTreeMap<String, Bucket>,
    pub accounts: BTreeMap<String, Account>,
    /// By their URL without `.git`.
    pub repositories: BTreeMap<String, Repository>,
    /// Accounts at forges of code, by their canonical URL.
    pub forges: BTreeMap<String, Forge>,
    pub apps: BTreeMap<String, App>,
    pub expects: Vec<Expect>,
    /// Every name that has records, or something below it: follows from names and zones.
    pub existing: BTreeSet<String>,
    /// Vendors' addresses that only names of ours have as theirs: dedicated servers, as far as anybody can know.
    /// Follows from names, hosts and blocks.
    pub dedicated: BTreeSet<IpAddr>,
}

impl Draft {
    /// The regions of S3 in which buckets lie.
    pub(crate) fn s3_regions(&self) -> BTreeSet<&str> {
        self.buckets.values().filter_map(|bucket| bucket.region.as_deref()).collect()
    }
}

/// What an organisation is to the one that is discovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrgRole {
    /// It is that one.
    Ours,
    /// A subsidiary or parent under other domains: may be found, may be visited as a browser would, is not demanded.
    Related,
    /// Hosts for many: contact only with one of our names.
    Vendor,
    /// Gives data to anyone who asks: registries, logs, resolvers.
    Source,
    /// Never to be touched.
    Stranger,
}

#[derive(Clone, Debug)]
pub(crate) struct Org {
    pub name: String,
    pub standing: OrgRole,
    pub email: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub line: usize,
    pub org: String,
    pub asn: Option<u32>,
    pub name: String,
    pub country: String,
    pub allocated: Moment,
    /// The URL that registries send on to; empty where they answer themselves.
    pub registry: String,
}

/// How the servers of a zone, or a name, answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Answers {
    #[default]
    Normal,
    ServFail,
    Refused,
    Silent,
    /// The servers say that they know nothing of the zone.
    Lame,
    Slow(Duration),
    /// They fail until so much wire time has passed.
    Late(Duration),
    /// Every answer over UDP is cut.
    Truncated,
    /// Bytes that are no DNS message.
    Garbage,
    /// Now the real address, now this one, by wire time.
    Rebind(IpAddr),
}

/// How a zone proves that there is no name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Signed {
    #[default]
    No,
    /// By NSEC records: each name tells the next one.
    Nsec,
    /// By NSEC3 records: each hash of a name tells the next one.
    Nsec3,
    /// By NSEC records that the servers make up around the name that is asked for (RFC 4470).
    Minimal,
    /// The same with the name itself, whose record says that there is no such name (RFC 9824).
    Compact,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Zone {
    pub line: usize,
    pub org: String,
    pub servers: Vec<(String, Vec<IpAddr>)>,
    pub transfer: bool,
    pub signed: Signed,
    pub answers: Answers,
    pub registrar: String,
    pub registered: Moment,
    pub expires: Moment,
    pub redacted: bool,
    /// As for blocks.
    pub registry: String,
    pub look_alike: bool,
    /// Issues that the holder of the domain causes, if look-alikes are searched for.
    pub threats: BTreeSet<&'static str>,
    /// Nobody named it, and what is planted around it shows that it is the seeds' owner's.
    pub sister: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Name {
    pub line: usize,
    pub org: Option<String>,
    pub hidden: bool,
    /// Sources of names know it.
    pub archived: bool,
    pub rotate: bool,
    pub answers: Answers,
    /// Types of DNS question that fail, whatever the answers to others.
    pub fails: Vec<RecordType>,
    pub ttl: u32,
    pub records: Vec<Data>,
    /// What the zone's own servers say instead; empty where they say the same.
    pub inside: Vec<Data>,
}

impl Name {
    /// What its DNAME record calls all names below it instead.
    pub(crate) fn renaming(&self) -> Option<&str> {
        self.records.iter().find_map(|data| if let Data::Dname(target) = data { Some(target.as_str()) } else { None })
    }
}

/// The data of one DNS record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Data {
    A(Ipv4Addr),
    Aaaa(Ipv6Addr),
    Cname(String),
    /// What all names below are called instead.
    Dname(String),
    Ns(String),
    Mx(u16, String),
    Txt(Vec<u8>),
    Srv(u16, u16, u16, String),
    Caa(u8, String, String),
    Ptr(String),
    Ds(u16, u8, u8, Vec<u8>),
    /// HTTPS or SVCB: what it says, or bytes as the file gives them.
    Binding(RecordType, Binding),
    Raw(RecordType, Vec<u8>),
    /// The next name, and the types of this one. No file states one: a signed zone implies them.
    Nsec(String, Vec<u16>),
    /// The next hash, and the types of this one's name.
    Nsec3([u8; 20], Vec<u16>),
    /// Primary server, mailbox, serial.
    Soa(String, String, u32),
}

impl Data {
    /// The type of the record.
    pub(crate) fn rtype(&self) -> RecordType {
        match self {
            Self::A(_) => RecordType::A,
            Self::Aaaa(_) => RecordType::AAAA,
            Self::Cname(_) => RecordType::CNAME,
            Self::Dname(_) => RecordType::DNAME,
            Self::Ns(_) => RecordType::NS,
            Self::Mx(..) => RecordType::MX,
            Self::Txt(_) => RecordType::TXT,
            Self::Srv(..) => RecordType::SRV,
            Self::Caa(..) => RecordType::CAA,
            Self::Ptr(_) => RecordType::PTR,
            Self::Ds(..) => RecordType::DS,
            Self::Binding(rtype, _) | Self::Raw(rtype, _) => *rtype,
            Self::Nsec(..) => RecordType::NSEC,
            Self::Nsec3(..) => RecordType::NSEC3,
            Self::Soa(..) => RecordType::SOA,
        }
    }

    /// Whether a question of this type asks for the record.
    pub(crate) fn is_asked_by(&self, question: RecordType) -> bool {
        question == RecordType::ANY || question == self.rtype()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Host {
    pub line: usize,
    pub org: String,
    pub pointer: Option<String>,
    pub ports: BTreeMap<u16, Service>,
    pub datagrams: BTreeMap<u16, Datagram>,
    pub unlisted: Unlisted,
    pub latency: Option<Duration>,
    pub unknown: UnknownHost,
    pub limits: Vec<Limit>,
    pub hidden: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Ssh(String),
    Ftp {
        banner: String,
        anonymous: bool,
    },
    Smtp {
        name: String,
        cert: Option<CertChoice>,
    },
    Imap(String),
    Pop3(String),
    Redis {
        open: bool,
    },
    Telnet(String),
    Mysql(String),
    Postgres,
    Mongodb {
        open: bool,
        /// Of the time before OP_MSG.
        old: bool,
    },
    Rdp,
    Smb,
    Vnc(String),
    Http,
    Https,
    Banner(String),
    Silent,
    Tarpit,
    Filtered,
    Closed,
    Hostile(Hostile),
    /// One after the other, a connection each.
    InTurn(Vec<Service>),
    /// The service inside TLS.
    Tls {
        service: Box<Service>,
        cert: CertChoice,
        alpn: Alpn,
    },
}

/// What a hostile peer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hostile {
    Endless,
    EndlessLength,
    Bomb,
    SlowHead,
    SlowBody,
    HugeHeader,
    BigHeader,
    RedirectMetadata,
    RedirectLoop,
    RedirectFile,
    RedirectMapped,
    RedirectDecimal,
    RedirectHex,
    Silent,
    TlsGarbage,
    Nasty,
    Nested,
    Smuggle,
    Noise,
    Continue,
    Regex,
    Reset,
    ResetAtOnce,
    ShortBody,
    InvalidUtf8,
    NotHttp,
}

impl Hostile {
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("endless", Self::Endless),
        ("endless-length", Self::EndlessLength),
        ("bomb", Self::Bomb),
        ("slow-head", Self::SlowHead),
        ("slow-body", Self::SlowBody),
        ("huge-header", Self::HugeHeader),
        ("big-header", Self::BigHeader),
        ("redirect-metadata", Self::RedirectMetadata),
        ("redirect-loop", Self::RedirectLoop),
        ("redirect-file", Self::RedirectFile),
        ("redirect-mapped", Self::RedirectMapped),
        ("redirect-decimal", Self::RedirectDecimal),
        ("redirect-hex", Self::RedirectHex),
        ("silent", Self::Silent),
        ("tls-garbage", Self::TlsGarbage),
        ("nasty", Self::Nasty),
        ("nested", Self::Nested),
        ("smuggle", Self::Smuggle),
        ("noise", Self::Noise),
        ("continue", Self::Continue),
        ("regex", Self::Regex),
        ("reset", Self::Reset),
        ("reset-at-once", Self::ResetAtOnce),
        ("short-body", Self::ShortBody),
        ("invalid-utf8", Self::InvalidUtf8),
        ("not-http", Self::NotHttp),
    ];
}

/// Which versions of TLS a site speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TlsVersions {
    #[default]
    Modern,
    /// 1.2 at most.
    Twelve,
    /// 1.0 as well.
    AlsoOld,
    /// 1.0 only.
    OnlyOld,
}

/// Which versions of HTTP a site speaks inside TLS, and what a service admits to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Alpn {
    /// HTTP/1.1.
    #[default]
    One,
    /// HTTP/2 as well, and preferably.
    Both,
    /// HTTP/2 alone.
    Two,
    /// Another protocol.
    Mqtt,
}

impl Alpn {
    /// The names of the protocols, the preferred first (RFC 7301).
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::One => &["http/1.1"],
            Self::Both => &["h2", "http/1.1"],
            Self::Two => &["h2"],
            Self::Mqtt => &["mqtt"],
        }
    }
}

/// What port 80 of an https site says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Plain {
    #[default]
    Redirect,
    None,
    /// The same pages.
    Same,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    pub name: String,
    /// With Secure, HttpOnly and SameSite.
    pub careful: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub path: String,
    pub status: u16,
    pub media: String,
    pub body: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Site {
    pub line: usize,
    pub https: bool,
    /// A name or an address.
    pub host: String,
    pub port: u16,
    pub title: String,
    /// Where it is served; empty for wherever the name leads.
    pub at: Vec<IpAddr>,
    pub server: Option<String>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Without the security headers.
    pub bare: bool,
    pub cookies: Vec<Cookie>,
    pub login: bool,
    /// Who signs in, and by which word: nobody else sees more than a form.
    pub guarded: Option<(String, String)>,
    pub basic: Option<String>,
    pub favicon: Option<String>,
    pub pages: Vec<Page>,
    pub links: Vec<String>,
    pub loads: Vec<String>,
    pub redirect: Option<(u16, String)>,
    /// Paths that lead wherever a parameter says: path and name.
    pub leads: Vec<(String, String)>,
    pub soft_404: bool,
    pub exposes: Vec<&'static Exposure>,
    pub twins: Vec<&'static Exposure>,
    /// A repository whose files lie among what is served.
    pub checkout: Option<Checkout>,
    /// Has every exposure, or every twin, that no site of the file names.
    pub exposes_rest: bool,
    pub twins_rest: bool,
    /// Its front page is that of an application as it was installed.
    pub fresh: bool,
    pub body: Option<String>,
    pub generator: Option<String>,
    pub nonce: bool,
    pub compress: bool,
    pub cert: Option<CertChoice>,
    pub versions: TlsVersions,
    pub alpn: Alpn,
    pub plain: Plain,
    pub hostile: Option<Hostile>,
    /// Answers for unknown names on its addresses, too.
    pub default: bool,
    pub hidden: bool,
    /// The other machines behind a balancer: connections go to it and to these in turn.
    pub machines: Vec<Site>,
    /// One of those, which begins as a copy of the one before.
    pub is_next: bool,
    /// Its certificate is still that of the one before.
    pub cert_is_copied: bool,
}

/// An exception to what the rest of the file implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    Issue(String, ambit_model::Kind, String),
    NoIssue(String, ambit_model::Kind, String),
    Entity(ambit_model::Kind, String),
    /// Neither missed nor unexpected.
    Ignore(ambit_model::Kind, String),
    /// Any contact is outside clearance.
    Never(IpNet),
}
