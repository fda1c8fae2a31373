//! What is known of a web site, or of a page of one.

use super::Member;
use super::row::{
    Empty::{False, List, Null, Zero},
    Row, contract, seen, unseen,
};
use super::{in_account, network};
use crate::Timestamp;
use crate::task::TaskName::{
    AwsAccount, CloudAccount, CloudAttribution, ContentFocus, CorsProbe, Crawl, Favicon, HiddenParameters, HttpEnrich,
    LinkedHosts, Network, RedirectProbe, RobotsSitemapWellknown, Screenshot, Soft404Profile,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Its own name.
pub const URI: Member = Member::named("uri");
/// The status of its first answer.
pub const CODE: Member<String> = Member::named("code");
/// Its port.
pub const PORT: Member = Member::named("port");
/// 1 for https, else 0.
pub const SSL: Member = Member::named("ssl");
/// `http` or `https`.
pub const SERVICE: Member = Member::named("service");
/// Always `tcp`.
pub const PROTOCOL: Member = Member::named("protocol");
/// The address that answered.
pub const IP_ADDRESS: Member = Member::named("ip_address");
/// The title of its page.
pub const TITLE: Member = Member::named("title");
/// The headers of its first answer, without what changes.
pub const HEADERS: Member<Vec<String>> = Member::named("headers");
/// Its cookies in one line, without their values.
pub const COOKIE_LINES: Member = Member::named("cookies");
/// Those for its whole domain.
pub const DOMAIN_COOKIE_LINES: Member = Member::named("domain_cookies");
/// Its cookies, without their values.
pub const COOKIES: Member<Vec<Cookie>> = Member::named("hidden_cookies");
/// Its page holds forms.
pub const HAS_FORMS: Member = Member::named("forms");
/// Those forms.
pub const FORMS: Member = Member::named("hidden_forms");
/// Scripts of its page.
pub const SCRIPTS: Member = Member::named("scripts");
/// What made its page.
pub const GENERATOR: Member = Member::named("generator");
/// The methods that it claims to allow.
pub const VERBS: Member = Member::named("verbs");
/// The hash of the shape of its page.
pub const DOM_SHA1: Member = Member::named("dom_sha1");
/// The hash of its body, without what changes.
pub const RESPONSE_DATA_HASH: Member = Member::named("response_data_hash");
/// Where it sends visitors, in order.
pub const REDIRECT_CHAIN: Member = Member::named("redirect_chain");
/// How often.
pub const REDIRECT_COUNT: Member = Member::named("redirect_count");
/// It asks who is there.
pub const AUTH_ANY: Member<bool> = Member::named("auth.any");
/// By Basic authentication.
pub const AUTH_BASIC: Member<bool> = Member::named("auth.basic");
/// By NTLM or Negotiate.
pub const AUTH_NTLM: Member<bool> = Member::named("auth.ntlm");
/// By a form with a password.
pub const AUTH_FORMS: Member<bool> = Member::named("auth.forms");
/// By a second factor.
pub const AUTH_2FA: Member<bool> = Member::named("auth.2fa");
/// It answers programs, not people.
pub const API_ENDPOINT: Member<bool> = Member::named("api_endpoint");
/// The names in its certificate.
pub const ALT_NAMES: Member<Vec<String>> = Member::named("alt_names");
/// Its certificate and those that it is served with, in short.
pub const CERTIFICATE_CHAIN: Member<Vec<Value>> = Member::named("certificate_chain");
/// Headers that protect visitors, by name.
pub const SECURITY_HEADERS: Member = Member::named("hidden_security_headers");
/// Content policies in its page, in addition to those of its headers.
pub const PAGE_POLICIES: Member<Vec<String>> = Member::named("hidden_page_policies");
/// The product whose page of a fresh installation it shows.
pub const DEFAULT_PAGE: Member<String> = Member::named("hidden_default_page");
/// The application that it shows as it was installed.
pub const DEFAULT_INSTALLATION: Member<DefaultInstallation> = Member::named("hidden_default_installation");
/// It lists the files of its folder.
pub const DIRECTORY_LISTING: Member<bool> = Member::named("hidden_directory_listing");
/// The media type of its first answer.
pub const CONTENT_TYPE: Member = Member::named("hidden_content_type");
/// Scripts that its page loads without encryption.
pub const MIXED_CONTENT: Member = Member::named("hidden_mixed_content");
/// It sends visitors to https of the same host, which answers.
pub const HTTPS_REDIRECT: Member<bool> = Member::named("hidden_https_redirect");
/// Whether there is a picture of it as a browser shows it.
pub const SCREENSHOT_EXISTS: Member<bool> = Member::named("screenshot_exists");
/// A hash of its icon.
pub const FAVICON_MD5: Member = Member::named("favicon_md5");
/// A hash of its icon.
pub const FAVICON_SHA1: Member = Member::named("favicon_sha1");
/// A hash of its icon.
pub const FAVICON_SHA256: Member = Member::named("hidden_favicon_sha256");
/// The hash of its icon that search engines for devices use.
pub const FAVICON_MMH3: Member = Member::named("hidden_favicon_mmh3");
/// Files and pages that nobody meant to publish.
pub const EXPOSURES: Member<Vec<Exposure>> = Member::named("hidden_exposures");
/// It lets a site of a third party read its answers.
pub const FOREIGN_ORIGIN: Member<ForeignOrigin> = Member::named("hidden_foreign_origin");
/// Hosts that its page names.
pub const LINKED_HOSTS: Member = Member::named("hidden_linked_hosts");
/// Its front page links to further pages of the site, or loads scripts of it.
pub const LEADS_ON: Member<bool> = Member::named("hidden_leads_on");
/// Paths that robots shall not visit.
pub const ROBOTS: Member = Member::named("hidden_robots");
/// Paths of its map.
pub const SITEMAP: Member = Member::named("hidden_sitemap");
/// Where to report vulnerabilities.
pub const SECURITY_TXT: Member = Member::named("hidden_security_txt");
/// Other well-known files that it has.
pub const WELL_KNOWN: Member = Member::named("hidden_well_known");
/// The policy for encrypted mail of its domain.
pub const MTA_STS_POLICY: Member = Member::named("hidden_mta_sts_policy");
/// Pages that a walk through the application met, one for each shape.
pub const PAGES: Member<Vec<CrawledPage>> = Member::named("hidden_pages");
/// How far that walk came.
pub const CRAWL: Member<Crawled> = Member::named("hidden_crawl");
/// What its pages, scripts and described interfaces take.
pub const PARAMETERS: Member<Vec<Parameter>> = Member::named("hidden_parameters");
/// Parameters that it accepts although it does not mention them.
pub const HIDDEN_PARAMETERS: Member<Vec<Parameter>> = Member::named("hidden_guessed_parameters");
/// What its pages show that they should not.
pub const DEFECTS: Member<Vec<Defect>> = Member::named("hidden_defects");
/// Tokens and keys that its pages, its scripts and their sources hand out.
pub const TOKENS: Member<Vec<HandedToken>> = Member::named("hidden_tokens");
/// Maps from its scripts to the sources that they were made from.
pub const SOURCE_MAPS: Member<Vec<PublishedMap>> = Member::named("hidden_source_maps");
/// Where it leads visitors to any host that a parameter names.
pub const LED_AWAY: Member<Vec<LedAway>> = Member::named("hidden_led_away");
/// How it says that a page does not exist.
pub const SOFT404: Member<Soft404> = Member::named("hidden_soft404");
/// The hash of that answer, without what changes.
pub const SOFT404_HASH: Member = Member::named("hidden_soft404_hash");

/// What is known of a site.
pub(super) const MEMBERS: &[Row] = &[
    seen(in_account::AWS, AwsAccount),
    seen(in_account::CLOUD, CloudAccount),
    contract(network::ASN, Null).by(Network),
    contract(SSL, Null).by(HttpEnrich),
    contract(URI, Null).by(HttpEnrich),
    contract(CODE, Null).by(HttpEnrich),
    contract(PORT, Null).by(HttpEnrich),
    contract(HAS_FORMS, Null).by(HttpEnrich),
    contract(TITLE, Null).by(HttpEnrich),
    contract(VERBS, Null).by(HttpEnrich),
    contract(COOKIE_LINES, Null).by(HttpEnrich),
    contract(HEADERS, List).by(HttpEnrich),
    contract(network::HOST_ID, Null).by(Network),
    contract(network::NET_GEO, Null).by(Network),
    contract(SCRIPTS, List).by(HttpEnrich),
    contract(SERVICE, Null).by(HttpEnrich),
    contract(AUTH_2FA, False).by(HttpEnrich),
    contract(AUTH_ANY, False).by(HttpEnrich),
    contract(AUTH_NTLM, False).by(HttpEnrich),
    contract(AUTH_BASIC, False).by(HttpEnrich),
    contract(AUTH_FORMS, False).by(HttpEnrich),
    contract(DOM_SHA1, Null).by(HttpEnrich),
    contract(network::NET_NAME, Null).by(Network),
    contract(PROTOCOL, Null).by(HttpEnrich),
    contract(ALT_NAMES, List).by(HttpEnrich),
    contract(GENERATOR, Null).by(HttpEnrich),
    contract(IP_ADDRESS, Null).by(HttpEnrich),
    contract(FAVICON_MD5, Null).by(Favicon),
    contract(FAVICON_SHA1, Null).by(Favicon),
    contract(network::FINGERPRINT, List).by(HttpEnrich),
    contract(network::GEOLOCATION, Null).by(Network),
    contract(API_ENDPOINT, False).by(HttpEnrich),
    contract(network::CLOUD_HOSTED, False).by(CloudAttribution),
    contract(DOMAIN_COOKIE_LINES, Null).by(HttpEnrich),
    contract(REDIRECT_CHAIN, List).by(HttpEnrich),
    contract(REDIRECT_COUNT, Zero).by(HttpEnrich),
    contract(network::CLOUD_PROVIDERS, List).by(CloudAttribution),
    contract(network::NET_COUNTRY_CODE, Null).by(Network),
    contract(CERTIFICATE_CHAIN, List).by(HttpEnrich),
    contract(SCREENSHOT_EXISTS, False).by(Screenshot),
    contract(network::CLOUD_FINGERPRINTS, List).by(CloudAttribution),
    contract(RESPONSE_DATA_HASH, Null).by(HttpEnrich),
    unseen("exfil_lookup_identifier", Null),
    seen(EXPOSURES, ContentFocus),
    seen(FOREIGN_ORIGIN, CorsProbe),
    seen(CRAWL, Crawl),
    seen(DEFECTS, Crawl),
    seen(PAGES, Crawl),
    seen(PARAMETERS, Crawl),
    seen(TOKENS, Crawl),
    seen(SOURCE_MAPS, Crawl),
    seen(FAVICON_SHA256, Favicon),
    seen(FAVICON_MMH3, Favicon),
    seen(HIDDEN_PARAMETERS, HiddenParameters),
    seen(COOKIES, HttpEnrich),
    seen(FORMS, HttpEnrich),
    seen(SECURITY_HEADERS, HttpEnrich),
    seen(PAGE_POLICIES, HttpEnrich),
    seen(DEFAULT_PAGE, HttpEnrich),
    seen(DEFAULT_INSTALLATION, HttpEnrich),
    seen(DIRECTORY_LISTING, HttpEnrich),
    seen(CONTENT_TYPE, HttpEnrich),
    seen(MIXED_CONTENT, HttpEnrich),
    seen(HTTPS_REDIRECT, HttpEnrich),
    seen(LEADS_ON, LinkedHosts),
    seen(LINKED_HOSTS, LinkedHosts),
    seen(network::CARRIED, Network),
    seen(network::NET_BLOCK, Network),
    seen(LED_AWAY, RedirectProbe),
    seen(ROBOTS, RobotsSitemapWellknown),
    seen(SITEMAP, RobotsSitemapWellknown),
    seen(SECURITY_TXT, RobotsSitemapWellknown),
    seen(WELL_KNOWN, RobotsSitemapWellknown),
    seen(MTA_STS_POLICY, RobotsSitemapWellknown),
    seen(SOFT404, Soft404Profile),
    seen(SOFT404_HASH, Soft404Profile),
];

/// An application as it was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultInstallation {
    pub product: String,
    /// The first visitor of its page can set it up.
    pub awaits_setup: bool,
}

/// A cookie that the site set, without its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cookie {
    pub name: String,
    pub secure: bool,
    pub http_only: bool,
    pub same_site: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
}

/// A page of an application; one stands for all of its shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledPage {
    pub path: String,
    pub status: u16,
    pub title: Option<String>,
    /// Names of parameters in links to it and in its forms.
    pub parameters: BTreeSet<String>,
    /// It has a form that asks for a password.
    pub asks_password: bool,
}

/// A parameter that an application takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameter {
    pub name: String,
    /// Where it was named: `document`, `form`, `link`, `query`, `script`; `guess` where nothing named it.
    pub seen: BTreeSet<String>,
    /// Some of the paths that take it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub paths: BTreeSet<String>,
}

impl Parameter {
    /// One of which the name alone is known.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}

/// Since when a place of an application could not be looked at, and in how many walks that came there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unseen {
    pub since: Timestamp,
    pub walks: u32,
}

/// How far a walk through an application came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Crawled {
    /// What it sent.
    pub requests: usize,
    /// Shapes of pages.
    pub pages: usize,
    pub interfaces: usize,
    /// Names of parameters, and times that one was met for which there was no room.
    pub parameters: usize,
    pub parameters_left_out: usize,
    /// Paths of pages that showed something, beyond the one that is kept of each shape.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<String>,
    /// Paths of documents that describe interfaces.
    pub documents: Vec<String>,
    /// Paths of scripts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// Paths at which the application says that it cannot answer, and since when.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outages: BTreeMap<String, Timestamp>,
    /// Paths that led on before and could not be looked at, for whatever reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unseen: BTreeMap<String, Unseen>,
    /// Links that were not followed: those that robots.txt closes, those that seem endless, and those that denote an
    /// action.
    pub closed_to_robots: usize,
    pub traps: usize,
    pub doing: usize,
    /// The cap of requests ended it.
    pub capped: bool,
}

/// Something that a page shows and should not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Defect {
    /// The issue that it is.
    pub what: String,
    pub path: String,
    pub proof: String,
}

/// A token that a page or script hands out to everybody.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HandedToken {
    /// What names it without telling it: the name of its `UniqueToken`.
    pub token: String,
    /// The service that gave it out.
    pub provider: String,
    /// It opens something.
    pub sensitive: bool,
    /// The path of the first page, script or map that has it.
    pub path: String,
}

/// A map from a script to the sources that it was made from, as it is served.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct PublishedMap {
    /// The path of the map, or of the script that holds it.
    pub path: String,
    /// How many sources it names, and how many of them with their text.
    pub sources: usize,
    pub texts: usize,
    /// Names of those that are the application's own.
    pub names: Vec<String>,
}

/// The defect of a page that leads to the host of others which a parameter of it names.
pub const OPEN_REDIRECT: &str = "open_redirect";

/// A page that leads to any host which a parameter names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedAway {
    pub path: String,
    pub parameter: String,
}

/// A file or page that nobody meant to publish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exposure {
    /// What sort of file or page.
    pub what: String,
    pub path: String,
    /// What proved it.
    #[serde(default)]
    pub proof: String,
}

/// What a site answers to a request that names the origin of a third party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignOrigin {
    /// It allows the credentials of its visitor.
    pub credentials: bool,
}

/// How a site says that a page does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Soft404 {
    #[serde(default)]
    pub code: String,
    pub kind: Refusal,
}

/// What a site does with a request for a page that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It sends the visitor elsewhere.
    Redirect,
    /// It answers every request with success.
    CatchAll,
    /// It answers with success to some such requests.
    Soft,
    /// It says so by the status.
    Plain,
}
