//! The sources that Ambit knows, one file each. The list below is the only place where a new one is named; the host of
//! each stands also in the list of data providers of `ambit-net`.

use crate::source::Source;
use std::sync::LazyLock;

macro_rules! sources {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("own/", $name, ".toml")))),*] };
}

/// Name and text of each file.
const FILES: &[(&str, &str)] = sources![
    "alienvault",
    "anubis",
    "bevigil",
    "builtwith",
    "c99",
    "certspotter",
    "chaos",
    "digitalyama",
    "dnsdb",
    "dnsdumpster",
    "fullhunt",
    "hackertarget",
    "hudsonrock",
    "leakix",
    "merklemap",
    "onyphe",
    "rapiddns",
    "reconcloud",
    "securitytrails",
    "shodan",
    "subdomaincenter",
    "threatbook",
    "threatminer",
    "urlscan",
    "virustotal",
    "wayback",
    "whoisxmlapi",
    "zoomeye",
];

static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let read = |(name, text): &(&'static str, &str)| {
        Source::read(name, text).unwrap_or_else(|why| panic!("a test reads the files: {name}: {why}"))
    };
    FILES.iter().map(read).collect()
});

/// Every source, in alphabetical order.
pub fn all() -> &'static [Source] {
    &SOURCES
}

/// The source of a name; `None` for one that this version does not know.
pub fn find(name: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|source| source.name == name)
}
