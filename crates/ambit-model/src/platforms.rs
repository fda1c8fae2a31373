//! Platforms on which many customers are: content delivery, website builders, clouds, shared hosts, parking, mail and
//! name servers. One table of facts, by the names that they give to hosts, networks and name servers; a user may load
//! lists of others beside it. Whatever is in neither counts as no platform, so that only evidence decides.

pub mod claimable;
pub mod pack;

use std::sync::LazyLock;

/// What a platform sells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Many customers answer on one address.
    Shared,
    /// The address is one customer's, for a time.
    Rented,
}

/// A platform, as the table tells of it.
#[derive(Clone, Debug)]
pub struct Platform {
    pub name: &'static str,
    pub sharing: Sharing,
    /// Suffixes of the names that aliases lead to and that addresses call themselves.
    suffixes: Vec<&'static str>,
    /// Words that the registered names of its networks begin with, in capitals.
    networks: Vec<&'static str>,
    /// Suffixes of the name servers that all of its customers are given alike.
    servers: Vec<&'static str>,
}

const TABLE: &str = include_str!("platforms/table.txt");
/// What is rented; all else is shared.
const RENTED: &[&str] = &["cloud", "server"];
/// Letters from which a word may begin a longer one (`CLOUDFLARENET`): shorter words begin too many.
const LONG_WORD: usize = 7;

static PLATFORMS: LazyLock<Vec<Platform>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.filter_map(read).collect()
});

fn read(line: &'static str) -> Option<Platform> {
    let mut columns = line.split('|').map(str::trim);
    let (what, name) = (columns.next()?, columns.next()?);
    let mut list = || Some(columns.next()?.split_whitespace().filter(|word| *word != "-").collect());
    Some(Platform {
        name,
        sharing: if RENTED.contains(&what) { Sharing::Rented } else { Sharing::Shared },
        suffixes: list()?,
        networks: list()?,
        servers: list()?,
    })
}

fn is_under(host: &str, suffix: &str) -> bool {
    host.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The platform of a host name: the longest suffix that it lies under, or is.
pub fn of_host(host: &str) -> Option<&'static Platform> {
    let longest = |platform: &&Platform| {
        let suffixes = platform.suffixes.iter().filter(|suffix| is_under(host, suffix));
        suffixes.map(|suffix| suffix.len()).max()
    };
    let known = PLATFORMS.iter().filter(|platform| longest(platform).is_some());
    known.max_by_key(longest)
}

/// The platform of a network, by its registered name.
pub fn of_network(name: &str) -> Option<&'static Platform> {
    let upper = name.to_ascii_uppercase();
    let begins = |word: &&&str| {
        let Some(rest) = upper.strip_prefix(**word) else { return false };
        word.len() >= LONG_WORD
            || word.ends_with('-')
            || rest.starts_with("NET")
            || !rest.starts_with(|next: char| next.is_ascii_alphabetic())
    };
    let longest = |platform: &&Platform| platform.networks.iter().filter(begins).map(|word| word.len()).max();
    let known = PLATFORMS.iter().filter(|platform| longest(platform).is_some());
    known.max_by_key(longest)
}

/// The names in the lists of others for platforms of the table.
const OTHERWISE_CALLED: [(&str, &str); 9] = [
    ("amazon", "Amazon Web Services"),
    ("aws", "Amazon Web Services"),
    ("azure", "Microsoft Azure"),
    ("cloudfront", "Amazon Web Services"),
    ("gcp", "Google Cloud"),
    ("google", "Google Cloud"),
    ("incapsula", "Imperva"),
    ("microsoft", "Microsoft Azure"),
    ("oracle", "Oracle Cloud"),
];

/// The name by which the table knows a platform that somebody else calls so: `aws`, `digital ocean`, `CloudFlare`.
pub fn known_as(name: &str) -> Option<&'static str> {
    let letters = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let called = letters(name);
    let same = PLATFORMS.iter().map(|platform| platform.name).find(|known| letters(known) == called);
    same.or_else(|| OTHERWISE_CALLED.iter().find(|(other, _)| *other == called).map(|(_, known)| *known))
}

/// True for a name server that a platform gives to all of its customers alike: two zones on it have no more in common
/// than that.
pub fn serves_every_customer(server: &str) -> bool {
    PLATFORMS.iter().flat_map(|platform| &platform.servers).any(|suffix| is_under(server, suffix))
}

/// Part of the name of every server of Amazon's DNS: it is followed by a number and one of several top-level domains.
const AMAZON_SERVERS: &str = ".awsdns-";

/// True for a name server of a known platform.
pub fn is_name_server(server: &str) -> bool {
    of_host(server).is_some() || serves_every_customer(server) || server.contains(AMAZON_SERVERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_longest_suffix_tells_the_platform() {
        let of = |host: &str| of_host(host).map(|platform| (platform.name, platform.sharing));
        assert_eq!(of("d1.cloudfront.net"), Some(("Amazon Web Services", Sharing::Shared)));
        assert_eq!(of("ec2-1-2-3-4.eu-west-1.compute.amazonaws.com"), Some(("Amazon Web Services", Sharing::Rented)));
        assert_eq!(of("x.compute-1.amazonaws.com"), Some(("Amazon Web Services", Sharing::Rented)));
        assert_eq!(of("acme.github.io"), Some(("GitHub Pages", Sharing::Shared)));
        assert_eq!(of("static.1.2.3.4.clients.your-server.de"), Some(("Hetzner", Sharing::Rented)));
        assert_eq!(of("notcloudfront.net"), None);
        assert_eq!(of("cloudfront.net.evil.test"), None);
    }

    #[test]
    fn networks_are_known_by_how_their_names_begin() {
        let of = |name: &str| of_network(name).map(|platform| (platform.name, platform.sharing));
        assert_eq!(of("AMAZON-2011L"), Some(("Amazon Web Services", Sharing::Rented)));
        assert_eq!(of("CLOUDFLARENET"), Some(("Cloudflare", Sharing::Shared)));
        assert_eq!(of("wix-com"), Some(("Wix", Sharing::Shared)));
        assert_eq!(of("SQUARESPACE"), Some(("Squarespace", Sharing::Shared)));
        assert_eq!(of("VERCEL-01"), Some(("Vercel", Sharing::Shared)));
        assert_eq!(of("SHOPIFY-NET"), Some(("Shopify", Sharing::Shared)));
        for own in ["ACME-NET", "WIXOM-CITY", "STRATOSPHERE", "SEDONA-AZ", ""] {
            assert_eq!(of(own), None, "{own}");
        }
    }

    #[test]
    fn a_platform_of_the_table_is_known_by_the_names_that_others_give_it() {
        for (name, known) in [
            ("aws", Some("Amazon Web Services")),
            ("digital-ocean", Some("DigitalOcean")),
            ("CLOUDFLARE", Some("Cloudflare")),
            ("Google Cloud", Some("Google Cloud")),
            ("acme", None),
            ("", None),
        ] {
            assert_eq!(known_as(name), known, "{name}");
        }
        assert!(OTHERWISE_CALLED.iter().all(|(_, known)| known_as(known) == Some(known)));
    }

    #[test]
    fn servers_of_everybody_are_told_from_those_of_an_account() {
        assert!(serves_every_customer("ns1.digitalocean.com"));
        assert!(!serves_every_customer("ns-1.awsdns-01.com"));
        assert!(!serves_every_customer("amy.ns.cloudflare.com"));
        for server in ["ns1.digitalocean.com", "ns-1.awsdns-01.com", "amy.ns.cloudflare.com", "ns1-01.azure-dns.com"] {
            assert!(is_name_server(server), "{server}");
        }
        assert!(!is_name_server("ns1.host.test"));
    }

    #[test]
    fn every_line_of_the_table_is_read_and_says_nothing_twice() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        assert!(lines.clone().all(|line| line.split('|').count() == 5));
        assert_eq!(PLATFORMS.len(), lines.count());
        assert!(PLATFORMS.len() >= 150, "{}", PLATFORMS.len());
        for list in [|platform: &'static Platform| &platform.suffixes, |platform: &'static Platform| &platform.networks]
        {
            let words: Vec<&str> = PLATFORMS.iter().flat_map(list).copied().collect();
            let mut seen = BTreeSet::new();
            let twice: Vec<&&str> = words.iter().filter(|word| !seen.insert(**word)).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
        let hosts = PLATFORMS.iter().flat_map(|platform| platform.suffixes.iter().chain(&platform.servers));
        assert!(
            hosts.clone().all(|host| crate::Kind::DnsRecord.canonical(host).is_ok_and(|canonical| canonical == *host))
        );
        let networks = PLATFORMS.iter().flat_map(|platform| &platform.networks);
        assert!(networks.clone().all(|word| *word == word.to_ascii_uppercase()));
    }
}
