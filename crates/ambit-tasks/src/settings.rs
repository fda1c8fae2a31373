//! What tasks are given beside facts: our word list and ports, the probes for exposures, and the data that a user
//! loaded.

use crate::AppMirror;
use crate::read::login;
use ambit_cloud::provider::Provider;
use ambit_fingerprints::Set;
use ambit_model::entity::host_of;
use ambit_model::estimate::SMALL_BLOCK_ADDRESSES;
use ambit_model::exposure::Probe;
use ambit_model::platforms::{self, Sharing};
use ambit_model::ports::{COMMON, PortList};
use ambit_model::{Kind, SkippedTasks, workflow};
use ambit_net::http::Url;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// Names for the name sweep, most frequent first: ours.
static WORDS: LazyLock<Arc<[String]>> =
    LazyLock::new(|| include_str!("../words.txt").lines().map(str::to_owned).collect());

/// Ports by which the sweep of a block finds the addresses that are there, most telling first: the first
/// [`FIRST_PORTS`] are asked of every address, the others only where those said nothing.
const SWEPT_PORTS: &[u16] = &[80, 443, 21, 22, 25, 53, 3389, 8080, 8443];
/// Ports that are asked of every address of a block.
pub(crate) const FIRST_PORTS: usize = 2;

/// Bytes of a repository where nobody said another limit: the history of a large product.
const REPOSITORY_BYTES: u64 = 1_024 * 1_024 * 1_024;

/// Labels that a user adds at most: what the largest public lists hold, some megabytes.
const ADDED_WORDS_MAX: usize = 1_000_000;

/// Requests to one application of each sort, whatever is found. They bound how long an assessment takes, and how much
/// of an application it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplicationRequests {
    /// The walk through it, scripts and documents among them.
    pub walk: usize,
    /// Scripts of the walk.
    pub scripts: usize,
    /// Guesses of parameters.
    pub parameters: usize,
    /// Redirects that are tried.
    pub redirects: usize,
}

impl Default for ApplicationRequests {
    fn default() -> Self {
        Self { walk: 300, scripts: 40, parameters: 160, redirects: 40 }
    }
}

impl ApplicationRequests {
    /// The sorts by name.
    pub const SORTS: [&str; 4] = ["walk", "scripts", "parameters", "redirects"];

    /// Sets how many of a sort there may be; does nothing for a name that is none of [`ApplicationRequests::SORTS`].
    pub fn set(&mut self, sort: &str, most: usize) {
        match sort {
            "walk" => self.walk = most,
            "scripts" => self.scripts = most,
            "parameters" => self.parameters = most,
            "redirects" => self.redirects = most,
            _ => {}
        }
    }
}

/// What tasks are given beside facts. The default is ours alone: useful with no pack at all.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Labels that the name sweep tries, most frequent first.
    pub words: Arc<[String]>,
    /// Ports that the port sweep tries, ascending.
    pub ports: Arc<[u16]>,
    /// Ports of which one that answers shows that an address of a block is there, most telling first; in a small block
    /// the others are asked as well (`ports_of_block`).
    pub swept_ports: Arc<[u16]>,
    /// Tasks that a person leaves out: they are not planned.
    pub skipped: SkippedTasks,
    /// The user's databases of places and networks (MMDB), the first to be asked first; without one the task
    /// `geolocation` does not plan.
    pub geo: Vec<Arc<maxminddb::Reader<Vec<u8>>>>,
    /// What the task `content_focus` looks for. The crate that judges states it, and the binary hands it over; by
    /// default there is nothing to look for.
    pub probes: Vec<&'static Probe>,
    /// Bytes of the pack with the history of one repository, or of the objects in its folder.
    pub repository_bytes: u64,
    /// Requests to one application.
    pub application_requests: ApplicationRequests,
    /// Folders of this machine in which repositories may be read: those that the operator named at the command line.
    pub folders: BTreeSet<String>,
    /// Files of this machine with packages of apps, by kind and name of the app: those that the operator named at the
    /// command line.
    pub packages: BTreeMap<(Kind, String), PathBuf>,
    /// Where packages of apps lie of which nobody gave one, as the operator says: the first to be asked first.
    pub app_mirrors: Vec<AppMirror>,
    /// What opens accounts, by the name of the account; what only helps, by [`Account::helper`].
    pub accounts: BTreeMap<String, Account>,
    /// The installation's own keys at AWS, by which roles are taken; never shown.
    pub aws_keys: Option<ambit_cloud::aws::Keys>,
    /// Where the operator says that AWS is asked, in place of its own hosts: a URL.
    pub aws_endpoint: Option<String>,
    /// Where the operator says that other providers are asked, by name: URLs without a path.
    pub cloud_endpoints: BTreeMap<String, String>,
    /// Sources of names that are asked, where they need no key or have one; `None`: all that there are.
    pub sources: Option<BTreeSet<&'static str>>,
    /// The keys of sources of names, by the source.
    pub source_keys: SourceKeys,
    /// The browser in which sites are opened for pictures; without one the task `screenshot` does not plan.
    pub browser: Option<ambit_net::browser::Browser>,
    /// What tells secrets in code and in apps: our rules, and those of the packs that a user loaded.
    pub secrets: Arc<ambit_secrets::Rules>,
    /// The rules that recognise products: our own, and those of the packs that a user loaded.
    pub fingerprints: Arc<Set>,
    /// Ranges and names of platforms in the packs that a user loaded, beside our own table.
    pub platforms: Arc<platforms::pack::Pack>,
}

/// An integration with what is secret of it. It is never shown.
#[derive(Clone)]
pub struct Account {
    /// The kind of entity as which it stands in a run; none where it only helps.
    pub kind: Option<Kind>,
    /// Keys and the like, by the names that people gave them under; `None` where they were sealed with another secret
    /// than that of this installation.
    pub secrets: Option<Map<String, Value>>,
    /// What everybody in the project may read.
    pub settings: Map<String, Value>,
}

impl Account {
    /// Returns the key in [`Settings::accounts`] of an integration that only helps: its type, and its place among all
    /// that the collection uses. Of two that serve for the same, the one in front is used.
    pub fn helper(kind: &str, place: usize) -> String {
        format!("{}{place:06}", prefix(kind))
    }

    /// Returns the secrets. Fails if they were sealed with another key; nothing is known about the account then.
    pub fn opened(&self) -> Result<&Map<String, Value>, SealedElsewhere> {
        self.secrets.as_ref().ok_or(SealedElsewhere)
    }

    /// The names that a setting lists, as a list or as words in one text; `None` where it names nothing and so narrows
    /// nothing.
    pub(crate) fn named(&self, setting: &str) -> Option<Vec<&str>> {
        match self.settings.get(setting)? {
            Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
            Value::String(text) => {
                let is_between = |letter: char| letter == ',' || letter.is_whitespace();
                Some(text.split(is_between).filter(|name| !name.is_empty()).collect())
            }
            _ => None,
        }
    }
}

/// The secrets of an integration cannot be opened here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secrets of its integration were sealed with another secret than that of this installation; set them again"
)]
pub struct SealedElsewhere;

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Account")
    }
}

/// Keys of sources of names. They are never shown.
#[derive(Clone, Default)]
pub struct SourceKeys(BTreeMap<&'static str, String>);

impl SourceKeys {
    /// The key of a source, if it has one.
    pub fn of(&self, source: &str) -> Option<&str> {
        self.0.get(source).map(String::as_str)
    }
}

impl FromIterator<(&'static str, String)> for SourceKeys {
    fn from_iter<I: IntoIterator<Item = (&'static str, String)>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}

impl std::fmt::Debug for SourceKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Default for Settings {
    fn default() -> Self {
        let mut ports = COMMON.to_vec();
        ports.sort_unstable();
        Self {
            words: WORDS.clone(),
            ports: ports.into(),
            swept_ports: SWEPT_PORTS.into(),
            skipped: SkippedTasks::default(),
            geo: Vec::new(),
            probes: Vec::new(),
            repository_bytes: REPOSITORY_BYTES,
            application_requests: ApplicationRequests::default(),
            folders: BTreeSet::new(),
            packages: BTreeMap::new(),
            app_mirrors: Vec::new(),
            accounts: BTreeMap::new(),
            aws_keys: None,
            aws_endpoint: None,
            cloud_endpoints: BTreeMap::new(),
            sources: None,
            source_keys: SourceKeys::default(),
            browser: None,
            secrets: ambit_secrets::own(),
            fingerprints: ambit_fingerprints::own(),
            platforms: Arc::default(),
        }
    }
}

impl Settings {
    /// Returns the name of the platform that has a host, and what it sells: by our own table, else by what a user
    /// loaded.
    pub(crate) fn platform_of(&self, host: &str) -> Option<(&str, Sharing)> {
        let listed = || self.platforms.of_host(host).map(|listed| (&*listed.name, listed.sharing));
        platforms::of_host(host).map(|platform| (platform.name, platform.sharing)).or_else(listed)
    }

    /// Returns a number that tells these settings from others by which something else would be asked for: the words,
    /// ports, probes and rules, and the version of the program, which knows what is made of them.
    pub fn searched(&self) -> i64 {
        let mut digest = Sha256::new();
        let mut take = |text: &str| {
            digest.update(text.as_bytes());
            digest.update([0]);
        };
        take(env!("CARGO_PKG_VERSION"));
        self.words.iter().for_each(|word| take(word));
        self.ports.iter().chain(self.swept_ports.iter()).for_each(|port| take(&port.to_string()));
        for probe in &self.probes {
            take(&format!("{} {:?}", probe.what, probe.place));
        }
        self.fingerprints.paths().for_each(take);
        let digest = digest.finalize();
        i64::from_be_bytes(digest[..8].try_into().unwrap_or_default())
    }

    /// Takes the ports that a person asks for in place of ours: for addresses that are there, and to find out which
    /// addresses of a block are.
    pub fn ask_ports(&mut self, asked: &PortList) {
        let ports = asked.ports();
        let (telling, rest): (Vec<u16>, Vec<u16>) = ports.iter().partition(|port| SWEPT_PORTS.contains(port));
        let telling = SWEPT_PORTS.iter().copied().filter(|port| telling.contains(port));
        self.swept_ports = telling.chain(rest).collect();
        self.ports = ports.into();
    }

    /// Ports that are asked of the addresses of a block of so many, most telling first.
    pub(crate) fn ports_of_block(&self, addresses: u64) -> Vec<u16> {
        let rest = self.ports.iter().filter(|port| !self.swept_ports.contains(port));
        let rest = rest.filter(|_| addresses <= SMALL_BLOCK_ADDRESSES);
        self.swept_ports.iter().chain(rest).copied().collect()
    }

    /// Returns the token by which a forge at a host shows what its holder may see, where the collection uses an
    /// integration with one. A token is shown to no other host than the one that its integration names. Fails if the
    /// collection has such an integration, and it cannot be opened.
    pub(crate) fn forge_token(&self, forge: &Provider, host: &str) -> Result<Option<&str>, SealedElsewhere> {
        let usual = forge.forge_hosts.first().map(String::as_str);
        let is_for_host =
            |account: &&Account| server(account).or(usual).is_some_and(|own| own.eq_ignore_ascii_case(host));
        let Some(account) = self.forge_accounts(forge).find(is_for_host) else { return Ok(None) };
        let token = account.opened()?.get("token").and_then(Value::as_str).map(str::trim);
        Ok(token.filter(|token| !token.is_empty()))
    }

    /// What opens a session of the application at an origin, where an integration of the collection names that.
    pub(crate) fn application(&self, origin: &str) -> Option<&Account> {
        let names = |account: &&Account| {
            let named = account.settings.get("origin").and_then(Value::as_str).map(str::trim);
            named.and_then(|named| Url::parse(named).ok()).is_some_and(|url| login::origin(&url) == origin)
        };
        self.helpers(workflow::SESSION).find(names)
    }

    /// The hosts of somebody's own at which a forge runs, as the integrations of the collection name them.
    pub(crate) fn forge_servers(&self, forge: &Provider) -> BTreeSet<&str> {
        self.forge_accounts(forge).filter_map(server).collect()
    }

    fn forge_accounts(&self, forge: &Provider) -> impl Iterator<Item = &Account> {
        forge.integration.as_deref().into_iter().flat_map(|kind| self.helpers(kind))
    }

    /// The integrations of a type that only help, in the same order each time.
    fn helpers(&self, kind: &str) -> impl Iterator<Item = &Account> {
        let first = prefix(kind);
        let of_kind = self.accounts.range(first.clone()..);
        of_kind.take_while(move |(name, _)| name.starts_with(&first)).map(|(_, account)| account)
    }

    /// Adds a database of places or networks. Fails with one line that says why the bytes are no MMDB database.
    pub fn add_geo(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        let reader = maxminddb::Reader::from_source(bytes)
            .map_err(|error| format!("is no database of places (MMDB): {error}"))?;
        self.geo.push(Arc::new(reader));
        Ok(())
    }

    /// Adds labels for the name sweep, one a line, behind ours. Empty lines and those that begin with `#` are ignored.
    /// Answers with the numbers of the lines that hold no label. Fails with one line that says which limit the list
    /// exceeds.
    pub fn add_words(&mut self, text: &str) -> Result<Vec<usize>, String> {
        let mut known: BTreeSet<String> = self.words.iter().cloned().collect();
        let (mut words, mut refused) = (self.words.to_vec(), Vec::new());
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match label(line) {
                Some(word) if known.insert(word.clone()) => words.push(word),
                Some(_) => {}
                None => refused.push(number),
            }
        }
        if words.len() > self.words.len() + ADDED_WORDS_MAX {
            return Err(format!("holds more than {ADDED_WORDS_MAX} labels"));
        }
        self.words = words.into();
        Ok(refused)
    }
}

/// What the keys begin with of integrations of a type that only help.
fn prefix(kind: &str) -> String {
    format!("{kind} ")
}

/// The host of somebody's own that an integration names.
fn server(account: &Account) -> Option<&str> {
    let named = account.settings.get("server").and_then(Value::as_str).map(|server| host_of(server.trim()));
    named.filter(|own| !own.is_empty())
}

/// The text as a label, or several, of a host name: `www`, `api.dev`.
fn label(text: &str) -> Option<String> {
    const BELOW: &str = ".acme.test";
    let name = Kind::DnsRecord.canonical(&format!("{text}{BELOW}")).ok()?;
    name.strip_suffix(BELOW).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_labels_stand_behind_ours_once() {
        let ours = Settings::default().words.len();
        let mut settings = Settings::default();
        let refused =
            settings.add_words("# mine\nwww\nZephyr-7\n\n  api.quokka \nnot a label\nzephyr-7\n*.x\n").unwrap();
        assert_eq!(&settings.words[ours..], ["zephyr-7", "api.quokka"]);
        assert_eq!(refused, [6, 8]);
    }

    #[test]
    fn ports_that_are_asked_for_stand_in_place_of_ours_the_telling_ones_first() {
        let mut settings = Settings::default();
        settings.ask_ports(&"1,443,80,9876".parse().unwrap());
        assert_eq!(settings.ports[..], [1, 80, 443, 9_876]);
        assert_eq!(settings.swept_ports[..], [80, 443, 1, 9_876]);
    }

    #[test]
    fn each_sort_of_request_to_an_application_has_its_own_limit() {
        let mut set = ApplicationRequests::default();
        for (sort, most) in ApplicationRequests::SORTS.into_iter().zip(1..) {
            set.set(sort, most);
        }
        assert_eq!(set, ApplicationRequests { walk: 1, scripts: 2, parameters: 3, redirects: 4 });
    }

    #[test]
    fn a_file_that_is_no_database_is_refused() {
        let refused = Settings::default().add_geo(b"not a database".to_vec()).unwrap_err();
        assert!(refused.contains("MMDB"), "{refused}");
    }
}
