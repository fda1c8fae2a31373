//! What settings and flags give to runs: how the live network is asked, and what tasks are given beside facts.

use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::{hint, plain};
use crate::request_limits;
use ambit_engine::Installation;
use ambit_model::estimate::Volumes;
use ambit_model::ports::PortList;
use ambit_model::reserved::IpNet;
use ambit_model::scope::exclusion;
use ambit_net::PaceLimits;
use ambit_net::browser::Browser;
use ambit_net::live::{LiveOptions, LiveWire, read_authorities};
use ambit_tasks::SourceKeys;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// The most that a person can say of one kind of peer: more than a machine sends.
const PEER_RATE_MAX: f64 = 1e7;
/// Longest list of labels, in bytes.
const WORDS_BYTES_MAX: u64 = 16 << 20;
/// Largest database of places: it is held in memory.
const GEO_BYTES_MAX: u64 = 512 << 20;

/// What a service gives to every run that it carries, read before anything begins: what is wrong with a file is no
/// matter of a run.
pub(crate) struct Given {
    pub(crate) live: LiveOptions,
    pub(crate) tasks: ambit_tasks::Settings,
    pub(crate) limits: PaceLimits,
    pub(crate) installation: Installation,
}

impl Given {
    /// Reads the settings and the files that they name.
    pub(crate) fn read(settings: &Settings) -> Result<Self> {
        let live = live(settings, &[], None)?;
        check(&live)?;
        Ok(Self {
            live,
            tasks: tasks(settings)?,
            limits: limits(settings, None, &[])?,
            installation: installation(settings)?,
        })
    }
}

/// How often who may be contacted: over all (`rate`), and each peer of a kind (`rates`); what flags say stands in place
/// of the settings. Fails on a rate that is none, and names it.
pub(crate) fn limits(settings: &Settings, rate: Option<u32>, rates: &[PeerRate]) -> Result<PaceLimits> {
    let total = rate.or(settings.rate()?);
    let mut limits = total.map_or_else(PaceLimits::default, |rate| PaceLimits::at_rate(f64::from(rate)));
    let set = list(settings, "rates").map(|text| {
        text.parse().map_err(|why: String| Failure::usage(format!("setting rates {:?}: {why}", plain(text))))
    });
    let set: Vec<PeerRate> = if rates.is_empty() { set.collect::<Result<_, _>>()? } else { rates.to_vec() };
    for PeerRate { peer, rate } in &set {
        limits.set(peer, *rate);
    }
    Ok(limits)
}

/// How often each peer of a kind may be contacted: `host=50`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PeerRate {
    peer: String,
    rate: f64,
}

impl std::str::FromStr for PeerRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            let peers = PaceLimits::PEERS.join(", ");
            format!("expected PEER=N, contacts a second with each, such as host=50; PEER is one of {peers}")
        };
        let (peer, number) = text.split_once('=').ok_or_else(expected)?;
        let number = number.strip_suffix("/s").unwrap_or(number);
        let rate: f64 =
            number.parse().ok().filter(|rate| *rate > 0.0 && *rate <= PEER_RATE_MAX).ok_or_else(expected)?;
        let is_known = PaceLimits::PEERS.contains(&peer);
        is_known.then(|| Self { peer: peer.to_owned(), rate }).ok_or_else(expected)
    }
}

/// What the administrator says for every run of this process: what is never touched (`exclude`), and reserved ranges
/// that may be (`reserved_ranges`). Fails on a pattern or range that is none, and names it.
pub(crate) fn installation(settings: &Settings) -> Result<Installation> {
    Ok(Installation {
        never: patterns("setting exclude", list(settings, "exclude"))?,
        opened: reserved_ranges(settings)?,
        listens: Vec::new(),
        contact: contact(settings)?,
    })
}

/// Whom those who are contacted may ask (`contact`): a URL, or a mail address, which becomes one. Fails on a text that
/// is neither, or that cannot stand in a header.
pub(crate) fn contact(settings: &Settings) -> Result<Option<String>> {
    let Some(text) = settings.get("contact") else { return Ok(None) };
    let is_plain = text.chars().all(|c| c.is_ascii_graphic() && !"()<>\"\\".contains(c));
    let is_url = ["https://", "http://", "mailto:"].iter().any(|scheme| text.starts_with(scheme));
    let is_mail = text.split_once('@').is_some_and(|(who, host)| !who.is_empty() && host.contains('.'));
    match (is_plain, is_url, is_mail) {
        (true, true, _) => Ok(Some(text.to_owned())),
        (true, false, true) => Ok(Some(format!("mailto:{text}"))),
        _ => Err(Failure::usage(format!(
            "setting contact {text:?}: expected a URL or a mail address such as security@example.org"
        ))),
    }
}

/// The setting `reserved_ranges`: networks, or single addresses. Fails on a text that is none.
pub(crate) fn reserved_ranges(settings: &Settings) -> Result<Vec<IpNet>> {
    ranges(settings, "reserved_ranges")
}

/// A setting of networks, or single addresses. Fails on a text that is none.
pub(crate) fn ranges(settings: &Settings, name: &str) -> Result<Vec<IpNet>> {
    let range = |text: &str| {
        let address = text.parse::<IpAddr>().map(IpNet::from);
        address.or_else(|_| text.parse::<IpNet>()).map(|range| range.trunc()).map_err(|_| {
            Failure::usage(format!("setting {name} {text:?}: expected an address or a network such as 10.20.0.0/16"))
        })
    };
    list(settings, name).map(range).collect()
}

/// Patterns of what is never touched, canonical; `from` names the flag or setting that they come from. Fails on a
/// pattern that is none.
pub(crate) fn patterns<'a>(from: &str, patterns: impl Iterator<Item = &'a str>) -> Result<Vec<String>> {
    let checked = |pattern: &str| {
        exclusion(pattern).map_err(|error| Failure::usage(format!("{from} {:?}: {error}", plain(pattern))))
    };
    patterns.map(checked).collect()
}

/// Where a server itself listens, for the guard: its address and port, or that port of everything that is this
/// machine's own.
pub(crate) fn listens(address: SocketAddr) -> Vec<(IpNet, u16)> {
    if !address.ip().is_unspecified() {
        return vec![(IpNet::from(address.ip()), address.port())];
    }
    let own = ambit_net::live::own_addresses().into_iter().map(IpNet::from);
    let loopback = ambit_model::reserved::networks(&["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"]);
    own.chain(loopback).map(|net| (net, address.port())).collect()
}

/// The resolvers to ask (`resolver`) and the authorities to trust besides the system's (`ca`); what flags name stands
/// in place of the setting. Fails on a resolver that is no address, and on a file that cannot be read or holds no
/// authority, before a command asks, claims or contacts anything.
pub(crate) fn live(settings: &Settings, resolvers: &[String], ca: Option<&Path>) -> Result<LiveOptions> {
    let resolvers = if resolvers.is_empty() {
        list(settings, "resolver").map(resolver).collect::<Result<_, _>>()?
    } else {
        resolvers.iter().map(|text| resolver(text)).collect::<Result<_, _>>()?
    };
    let read = |from: &str, path: &Path| {
        read_authorities(path).map_err(|error| {
            Failure::usage(format!("{from} {error}; name a PEM file with the certificates of authorities"))
        })
    };
    let authorities = match ca {
        Some(path) => read("--ca", path)?,
        None => {
            let files = list(settings, "ca").map(|path| read("setting ca", Path::new(path)));
            files.collect::<Result<Vec<_>>>()?.concat()
        }
    };
    let connect_only = !settings.syn_probes()?;
    Ok(LiveOptions { resolvers, authorities, witness: None, connect_only })
}

/// Makes a live network once and drops it, so that a command for which there is none ends before it begins.
pub(crate) fn check(options: &LiveOptions) -> Result<()> {
    LiveWire::new(options).map(drop).map_err(|error| unusable(&error))
}

/// Why there is no live network: the system does not tell its resolvers. The error names the file.
pub(crate) fn unusable(error: &std::io::Error) -> Failure {
    Failure::usage(format!("{error}; make it readable, or name resolvers in the setting resolver"))
}

/// What tasks are given without any setting: our own words and ports, and the probes for exposures.
pub(crate) fn built_in() -> ambit_tasks::Settings {
    ambit_tasks::Settings { probes: ambit_checks::exposure::probes(), ..ambit_tasks::Settings::default() }
}

/// What tasks are given: beside what is built in, the databases of places (`geo`) and more labels for the name sweep
/// (`words`). Fails on a file that cannot be read, that is too large or that is not what it should be.
pub(crate) fn tasks(settings: &Settings) -> Result<ambit_tasks::Settings> {
    let mut given = built_in();
    if let Some(ports) = ports(settings)? {
        given.ask_ports(&ports);
    }
    given.repository_bytes = repository_bytes(settings)?;
    request_limits::limit(&mut given, &request_limits::read(list(settings, "application_requests"))?);
    given.app_mirrors = app_mirrors(settings)?;
    given.aws_endpoint = aws_endpoint(settings)?;
    given.aws_keys = aws_keys(settings)?;
    given.cloud_endpoints = cloud_endpoints(settings)?;
    given.sources = sources(settings)?;
    given.source_keys = source_keys(settings)?;
    given.browser = browser(settings)?;
    for path in list(settings, "geo") {
        let bytes = read_bytes(Path::new(path), GEO_BYTES_MAX)?;
        given.add_geo(bytes).map_err(|error| Failure::usage(format!("setting geo: {path} {error}")))?;
    }
    for (path, refused) in add_words(settings, &mut given)? {
        tell_left_out(path, &refused);
    }
    Ok(given)
}

/// The browser that takes pictures of sites (`browser`): the file of one, `auto` for the first that is known on the
/// search path, or none. That there is none is said once, and no task asks for it. Fails on a file that is none.
fn browser(settings: &Settings) -> Result<Option<Browser>> {
    match settings.get("browser") {
        None => Ok(None),
        Some("auto") => {
            let found = Browser::find();
            if found.is_none() {
                hint("setting browser: no Chromium is on the search path, so that no pictures of sites are taken");
            }
            Ok(found)
        }
        Some(path) => Browser::at(Path::new(path)).map(Some).map_err(|error| {
            Failure::usage(format!("setting browser: {}: {error}; name the file of a Chromium, or auto", plain(path)))
        }),
    }
}

/// Adds the labels of a list that a flag names. Fails on a file that cannot be read or that is too large.
pub(crate) fn add_list(path: &Path, given: &mut ambit_tasks::Settings) -> Result<()> {
    let shown = path.display().to_string();
    let text = read_text(path, WORDS_BYTES_MAX)?;
    let refused = given.add_words(&text).map_err(|error| Failure::usage(format!("--words {shown}: {error}")))?;
    if !refused.is_empty() {
        tell_left_out(&shown, &refused);
    }
    Ok(())
}

fn tell_left_out(path: &str, refused: &[usize]) {
    hint(&format!(
        "ambit: {path}: {} lines hold no label and are left out, the first is line {}",
        refused.len(),
        refused[0]
    ));
}

/// How large a repository may be (`repository_mib`), in bytes.
fn repository_bytes(settings: &Settings) -> Result<u64> {
    let text = settings.get("repository_mib").unwrap_or_default();
    let mib = text.parse().ok().filter(|mib| *mib > 0).and_then(|mib: u64| mib.checked_mul(1_024 * 1_024));
    mib.ok_or_else(|| {
        Failure::usage(format!(
            "setting repository_mib {:?}: expected a whole number of MiB, such as 1024",
            plain(text)
        ))
    })
}

/// Where packages of apps lie (`app_mirror`): URLs with places for what names an app.
fn app_mirrors(settings: &Settings) -> Result<Vec<ambit_tasks::AppMirror>> {
    let read = |text: &str| {
        text.parse::<ambit_tasks::AppMirror>().map_err(|why| {
            Failure::usage(format!(
                "setting app_mirror {:?}: {why}; expected a URL such as https://mirror.example/apps/{{id}}.apk",
                plain(text)
            ))
        })
    };
    list(settings, "app_mirror").map(read).collect()
}

/// The keys of the installation at AWS, by which roles are taken (`aws_access_key_id`, `aws_secret_access_key`), where
/// it has some. Fails if one of them is set without the other.
pub(crate) fn aws_keys(settings: &Settings) -> Result<Option<ambit_tasks::AwsKeys>> {
    let (id, secret) = (settings.get("aws_access_key_id"), settings.get("aws_secret_access_key"));
    match (id, secret) {
        (None, None) => Ok(None),
        (Some(id), Some(secret)) => {
            Ok(Some(ambit_tasks::AwsKeys { id: id.to_owned(), secret: secret.to_owned(), token: None }))
        }
        (Some(_), None) => Err(Failure::usage("setting aws_access_key_id: set aws_secret_access_key with it")),
        (None, Some(_)) => Err(Failure::usage("setting aws_secret_access_key: set aws_access_key_id with it")),
    }
}

/// Where AWS is asked in place of its own hosts (`aws_endpoint`): scheme, host and port.
fn aws_endpoint(settings: &Settings) -> Result<Option<String>> {
    let Some(text) = settings.get("aws_endpoint") else { return Ok(None) };
    let url = ambit_model::Kind::Uri.canonical(text).ok().filter(|url| url.matches('/').count() == 2);
    let refused = || {
        Failure::usage(format!(
            "setting aws_endpoint {:?}: expected a URL such as https://aws.example.org, without a path",
            plain(text)
        ))
    };
    url.map(Some).ok_or_else(refused)
}

/// The sources that are asked for names (`sources`), where the operator says which; `none` says that none is.
fn sources(settings: &Settings) -> Result<Option<BTreeSet<&'static str>>> {
    let mut chosen = BTreeSet::new();
    let mut is_said = false;
    for name in list(settings, "sources") {
        is_said = true;
        if name != "none" {
            chosen.insert(source(name).map_err(|why| Failure::usage(format!("setting sources: {why}")))?);
        }
    }
    Ok(is_said.then_some(chosen))
}

/// The keys of sources of names (`source_keys`): `NAME=KEY`, with blanks, commas or lines between.
fn source_keys(settings: &Settings) -> Result<SourceKeys> {
    let text = settings.get("source_keys").unwrap_or_default();
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty());
    let pair = |(place, word): (usize, &str)| {
        let refused = |why: String| Failure::usage(format!("setting source_keys, key {}: {why}", place + 1));
        let (name, key) = word
            .split_once('=')
            .filter(|(_, key)| !key.is_empty())
            .ok_or_else(|| refused("expected the name of a source and its key, such as shodan=KEY".to_owned()))?;
        Ok((source(name).map_err(refused)?, key.to_owned()))
    };
    words.enumerate().map(pair).collect()
}

/// The name of a source as this version knows it.
fn source(name: &str) -> Result<&'static str, String> {
    ambit_sources::find(name).map(|source| source.name).ok_or_else(|| {
        let known: Vec<&str> = ambit_sources::all().iter().map(|source| source.name).collect();
        format!("no source is named {:?}; there are {}", plain(name), known.join(", "))
    })
}

/// Where other providers are asked in place of their own hosts (`cloud_endpoints`), by name.
fn cloud_endpoints(settings: &Settings) -> Result<BTreeMap<String, String>> {
    let endpoint = |text: &str| {
        let (name, url) = text.split_once('=')?;
        let known = ambit_tasks::cloud_places().any(|known| known == name);
        let url = ambit_model::Kind::Uri.canonical(url).ok().filter(|url| known && url.matches('/').count() == 2)?;
        Some((name.to_owned(), url))
    };
    let read = |text: &str| {
        endpoint(text).ok_or_else(|| {
            let names: Vec<String> = ambit_tasks::cloud_places().collect();
            Failure::usage(format!(
                "setting cloud_endpoints {:?}: expected NAME=URL such as hetzner=https://cloud.example.org, without a \
                 path; the names are {}",
                plain(text),
                names.join(", ")
            ))
        })
    };
    list(settings, "cloud_endpoints").map(read).collect()
}

/// The ports that the installation asks in place of ours (`ports`), where it names some.
fn ports(settings: &Settings) -> Result<Option<PortList>> {
    let read =
        |text: &str| text.parse().map_err(|error| Failure::usage(format!("setting ports {:?}: {error}", plain(text))));
    settings.get("ports").map(read).transpose()
}

/// Adds the labels of the user's lists (`words`). Answers with the files of which lines are left out, and their
/// numbers.
fn add_words<'a>(settings: &'a Settings, given: &mut ambit_tasks::Settings) -> Result<Vec<(&'a str, Vec<usize>)>> {
    let mut refused = Vec::new();
    for path in list(settings, "words") {
        let text = read_text(Path::new(path), WORDS_BYTES_MAX)?;
        let lines = given.add_words(&text).map_err(|error| Failure::usage(format!("setting words: {path} {error}")))?;
        if !lines.is_empty() {
            refused.push((path, lines));
        }
    }
    Ok(refused)
}

/// How much runs with these settings ask, for plans; only what counts is read of the settings.
pub(crate) fn planned(settings: &Settings) -> Result<Volumes> {
    let mut tasks = ambit_tasks::Settings::default();
    // Whoever carries runs says which lines are left out.
    add_words(settings, &mut tasks)?;
    if let Some(ports) = ports(settings)? {
        tasks.ask_ports(&ports);
    }
    Ok(volumes(&tasks, &limits(settings, None, &[])?))
}

/// How much tasks with these settings ask at this pace, for plans.
pub(crate) fn volumes(tasks: &ambit_tasks::Settings, limits: &PaceLimits) -> Volumes {
    // Paces are whole numbers for a plan, and never 0.
    let whole = |rate: f64| if rate >= 1.0 { rate as u64 } else { 1 };
    Volumes {
        at_once: u64::try_from(ambit_engine::IN_FLIGHT_MAX).unwrap_or(u64::MAX),
        connections_per_address_s: whole(limits.connections_per_address),
        connections_per_block_s: whole(limits.connections_per_block),
        requests_per_host_s: whole(limits.requests_per_host),
        questions_per_server_s: whole(limits.questions_per_server),
        requests_per_provider_s: whole(limits.requests_per_provider),
        total_s: limits.total.map(whole),
        ..ambit_tasks::volumes(tasks)
    }
}

/// The parts of a setting that is a list by commas.
pub(crate) fn list<'a>(settings: &'a Settings, name: &str) -> impl Iterator<Item = &'a str> {
    let parts = settings.get(name).into_iter().flat_map(|list| list.split(','));
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Reads a resolver's address; the port is 53 where none is given.
pub(crate) fn resolver(text: &str) -> Result<SocketAddr> {
    const PORT: u16 = 53;
    let parsed = text
        .parse::<SocketAddr>()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, PORT)));
    parsed.ok_or_else(|| {
        Failure::usage(format!("resolver {text:?}: expected an address such as 192.0.2.53 or 192.0.2.53:5353"))
    })
}

/// Reads a text file of at most so many bytes, as spreadsheets and editors write it.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String> {
    let unread = |_| {
        Failure::usage(format!("{} is not text in UTF-8 or UTF-16: save it as UTF-8 and try again", path.display()))
    };
    ambit_import::text(read_bytes(path, limit)?).map_err(unread)
}

fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let unreadable = |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::usage(format!("{} is larger than {} MiB", path.display(), limit >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_a_peer_is_read_or_refused_in_one_line() {
        assert_eq!("host=50".parse(), Ok(PeerRate { peer: "host".to_owned(), rate: 50.0 }));
        assert_eq!("server=0.5/s".parse(), Ok(PeerRate { peer: "server".to_owned(), rate: 0.5 }));
        for wrong in ["", "host", "host=", "host=0", "host=-1", "host=NaN", "host=inf", "host=1e9", "hosts=5", "5"] {
            let why = wrong.parse::<PeerRate>().expect_err(wrong);
            assert!(why.contains("such as host=50") && why.contains("address, block") && !why.contains('\n'), "{why}");
        }
    }
}
