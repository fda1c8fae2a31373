//! The registered data providers and how they are queried: over https on its port, at hosts of their own, or by lines
//! on the port of WHOIS. Grants decide which work may query which provider; the guard decides which addresses are
//! forbidden.

use crate::error::{NetError, Result};
use crate::http::Url;

/// Port of https.
const HTTPS: u16 = 443;
/// Port of WHOIS (RFC 3912).
const WHOIS: u16 = 43;

/// A provider.
struct Source {
    name: &'static str,
    /// Its hosts are at or below these names.
    hosts: &'static [&'static str],
    /// The port on which it answers lines, at whatever host its root refers to.
    lines: Option<u16>,
    /// It is asked at what people name: `learned` are URLs, and whatever lies at scheme, host and port of one may be
    /// asked.
    named: bool,
    /// Its interface is made for programs that read whole accounts, and says itself when they ask too much: so many
    /// interfaces that count on their own.
    interfaces: u32,
    /// It knows a few things of each, and is asked for many: a host of it that says again and again that it cannot
    /// answer now is left alone like a silent one. Of others, tasks see what they say, and ask again.
    registry: bool,
    /// Any URL may be asked: for the tests of this crate.
    anything: bool,
}

/// A provider that is asked at hosts of its own alone, as few times as people would; a row says what it does beside.
const USUAL: Source =
    Source { name: "", hosts: &[], lines: None, named: false, interfaces: 0, registry: false, anything: false };

const SOURCES: &[Source] = &[
    Source { name: "crt.sh", hosts: &["crt.sh"], ..USUAL },
    // Other registries are learned from the list of the IANA, those of WHOIS by referral from its root. One of these
    // hosts reports what networks announce; those that can be searched by name report all registrations.
    Source {
        name: "rdap",
        hosts: &["rdap.org", "data.iana.org", "stat.ripe.net", "rdap.apnic.net", "rdap.arin.net", "rdap.db.ripe.net"],
        lines: Some(WHOIS),
        registry: true,
        ..USUAL
    },
    // Repositories of code, wherever people say that theirs are.
    Source { name: "git", named: true, ..USUAL },
    // Interfaces of cloud providers: at hosts of their own, or at the endpoint that the operator named instead. Each
    // service of AWS counts for itself in each region; so five are asked at once, of some hundreds.
    Source { name: "aws", hosts: &["amazonaws.com", "amazonaws.com.cn"], named: true, interfaces: 5, ..USUAL },
    // Other cloud providers: what opens an account goes to the host that its provider's own file names.
    Source {
        name: "cloud",
        hosts: &[
            "api.cloudflare.com",
            "api.digitalocean.com",
            "api.fastly.com",
            "api.gandi.net",
            "api.hetzner.cloud",
            "api.linode.com",
            "api.netlify.com",
            "api.scaleway.com",
            "api.vercel.com",
            "api.vultr.com",
            "cloudasset.googleapis.com",
            "cloudresourcemanager.googleapis.com",
            "dns.googleapis.com",
            "eu.api.ovh.com",
            "login.microsoftonline.com",
            "management.azure.com",
            "oauth2.googleapis.com",
        ],
        named: true,
        interfaces: 1,
        ..USUAL
    },
    // The services that report the apps of sites.
    Source {
        name: "app_links",
        hosts: &["app-site-association.cdn-apple.com", "digitalassetlinks.googleapis.com"],
        ..USUAL
    },
    // Stores of apps, and mirrors that have packages of apps, wherever the operator says.
    Source { name: "app_store", hosts: &["f-droid.org", "itunes.apple.com", "play.google.com"], ..USUAL },
    Source { name: "app_mirror", named: true, ..USUAL },
    // Code forges, which list what an account owns.
    Source { name: "forge", hosts: &["api.bitbucket.org", "api.github.com", "gitlab.com"], named: true, ..USUAL },
    // Who gives tokens for applications, wherever the operator says.
    Source { name: "session", named: true, ..USUAL },
    // Sources of names, as their files in `ambit-sources` state.
    Source { name: "alienvault", hosts: &["otx.alienvault.com"], ..USUAL },
    Source { name: "anubis", hosts: &["jonlu.ca"], ..USUAL },
    Source { name: "bevigil", hosts: &["osint.bevigil.com"], ..USUAL },
    Source { name: "builtwith", hosts: &["api.builtwith.com"], ..USUAL },
    Source { name: "c99", hosts: &["api.c99.nl"], ..USUAL },
    Source { name: "certspotter", hosts: &["api.certspotter.com"], ..USUAL },
    Source { name: "chaos", hosts: &["dns.projectdiscovery.io"], ..USUAL },
    Source { name: "digitalyama", hosts: &["api.digitalyama.com"], ..USUAL },
    Source { name: "dnsdb", hosts: &["api.dnsdb.info"], ..USUAL },
    Source { name: "dnsdumpster", hosts: &["api.dnsdumpster.com"], ..USUAL },
    Source { name: "fullhunt", hosts: &["fullhunt.io"], ..USUAL },
    Source { name: "hackertarget", hosts: &["api.hackertarget.com"], ..USUAL },
    Source { name: "hudsonrock", hosts: &["cavalier.hudsonrock.com"], ..USUAL },
    Source { name: "leakix", hosts: &["leakix.net"], ..USUAL },
    Source { name: "merklemap", hosts: &["api.merklemap.com"], ..USUAL },
    Source { name: "onyphe", hosts: &["www.onyphe.io"], ..USUAL },
    Source { name: "rapiddns", hosts: &["rapiddns.io"], ..USUAL },
    Source { name: "reconcloud", hosts: &["recon.cloud"], ..USUAL },
    Source { name: "securitytrails", hosts: &["api.securitytrails.com"], ..USUAL },
    Source { name: "shodan", hosts: &["api.shodan.io"], ..USUAL },
    Source { name: "subdomaincenter", hosts: &["api.subdomain.center"], ..USUAL },
    Source { name: "threatbook", hosts: &["api.threatbook.cn"], ..USUAL },
    Source { name: "threatminer", hosts: &["api.threatminer.org"], ..USUAL },
    Source { name: "urlscan", hosts: &["urlscan.io"], ..USUAL },
    Source { name: "virustotal", hosts: &["www.virustotal.com"], ..USUAL },
    Source { name: "wayback", hosts: &["web.archive.org"], ..USUAL },
    Source { name: "whoisxmlapi", hosts: &["subdomains.whoisxmlapi.com"], ..USUAL },
    Source { name: "zoomeye", hosts: &["api.zoomeye.ai"], ..USUAL },
    // Feeds of what is known against products.
    Source { name: "cisa", hosts: &["www.cisa.gov"], ..USUAL },
    Source { name: "epss", hosts: &["epss.empiricalsecurity.com", "epss.cyentia.com"], ..USUAL },
    Source { name: "endoflife", hosts: &["endoflife.date"], ..USUAL },
    Source { name: "nvd", hosts: &["nvd.nist.gov"], ..USUAL },
    Source { name: "osv", hosts: &["osv-vulnerabilities.storage.googleapis.com"], ..USUAL },
    Source { name: "retire", hosts: &["raw.githubusercontent.com"], ..USUAL },
    #[cfg(test)]
    Source { name: "plain", anything: true, ..USUAL },
    #[cfg(test)]
    Source { name: "registries", anything: true, registry: true, ..USUAL },
];

fn find(provider: &str) -> Result<&'static Source> {
    let found = SOURCES.iter().find(|source| source.name == provider);
    found.ok_or_else(|| NetError::NotAllowed(format!("no data provider is registered as {provider}")))
}

/// Returns how many interfaces a provider has that are made for programs and count on their own; none where it is asked
/// as people ask.
pub(crate) fn interfaces(provider: &str) -> u32 {
    find(provider).map_or(0, |source| source.interfaces)
}

/// Returns whether a provider is a registry, which is left alone where it says that it cannot answer.
pub(crate) fn is_registry(provider: &str) -> bool {
    find(provider).is_ok_and(|source| source.registry)
}

/// Checks that the provider may be asked at this URL; called for each hop. `learned` are hosts that a list of the
/// provider named as its own. Fails for any other host.
pub(crate) fn check_url(provider: &str, url: &Url, learned: &[String]) -> Result<()> {
    let source = find(provider)?;
    if source.named {
        let at = |known: &Url| (known.https, known.port, &known.host) == (url.https, url.port, &url.host);
        if learned.iter().any(|known| Url::parse(known).is_ok_and(|known| at(&known))) {
            return Ok(());
        }
    }
    let is_own = |host: &str| {
        let below = |own: &&str| host.strip_suffix(*own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        source.hosts.iter().any(below) || learned.iter().any(|known| known == host)
    };
    if source.anything || (url.https && url.port == HTTPS && is_own(&url.host)) {
        return Ok(());
    }
    let url = crate::untrusted::escape(&url.to_string());
    Err(NetError::NotAllowed(format!("{url} is not how the provider {provider} is asked")))
}

/// Checks that connections may be opened to the provider at places that people named, for a protocol of its own.
pub(crate) fn check_stream(provider: &str) -> Result<()> {
    if find(provider)?.named {
        return Ok(());
    }
    Err(NetError::NotAllowed(format!("the provider {provider} is asked at hosts of its own alone")))
}

/// Checks that the provider may be asked by lines on this port.
pub(crate) fn check_line(provider: &str, port: u16) -> Result<()> {
    if find(provider)?.lines == Some(port) {
        return Ok(());
    }
    Err(NetError::NotAllowed(format!("port {port} is not how the provider {provider} is asked")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_asked_for_where_people_said_that_they_are() {
        let learned = ["http://code.acme.test:3000/team/app.git".to_owned()];
        for (url, allowed) in [
            ("http://code.acme.test:3000/team/app.git/info/refs", true),
            ("http://code.acme.test:3000/other", true),
            ("https://code.acme.test:3000/team/app.git", false),
            ("http://code.acme.test/team/app.git", false),
            ("http://evil.test:3000/team/app.git", false),
        ] {
            assert_eq!(check_url("git", &Url::parse(url).unwrap(), &learned).is_ok(), allowed, "{url}");
        }
        assert!(check_url("git", &Url::parse("https://github.com/a/b").unwrap(), &[]).is_err());
        let of_rdap = ["https://evil.test/".to_owned()];
        assert!(check_url("rdap", &Url::parse("https://evil.test/").unwrap(), &of_rdap).is_err());
    }

    #[test]
    fn a_cloud_is_asked_at_its_own_hosts_or_where_the_operator_says() {
        let named = ["http://127.0.0.1:5000".to_owned()];
        for (url, learned, allowed) in [
            ("https://ec2.eu-west-1.amazonaws.com/", &[][..], true),
            ("https://ec2.cn-north-1.amazonaws.com.cn/", &[], true),
            ("http://ec2.eu-west-1.amazonaws.com/", &[], false),
            ("https://amazonaws.com.evil.test/", &[], false),
            ("http://127.0.0.1:5000/", &[], false),
            ("http://127.0.0.1:5000/?x", &named, true),
            ("http://127.0.0.1:5001/", &named, false),
        ] {
            assert_eq!(check_url("aws", &Url::parse(url).unwrap(), learned).is_ok(), allowed, "{url}");
        }
    }

    #[test]
    fn providers_are_asked_over_https_on_its_port_at_hosts_of_their_own() {
        let asked = |url: &str, learned: &[String]| check_url("rdap", &Url::parse(url).unwrap(), learned).is_ok();
        for (url, allowed) in [
            ("https://rdap.org/domain/acme.test", true),
            ("https://www.rdap.org/domain/acme.test", true),
            ("https://data.iana.org/rdap/dns.json", true),
            ("http://rdap.org/domain/acme.test", false),
            ("https://rdap.org:8443/", false),
            ("https://notrdap.org/", false),
            ("https://rdap.org.evil.test/", false),
            ("https://127.0.0.1/", false),
            ("https://rdap.registry.test/", false),
        ] {
            assert_eq!(asked(url, &[]), allowed, "{url}");
        }
        let learned = ["rdap.registry.test".to_owned()];
        assert!(asked("https://rdap.registry.test/v1/domain/acme.test", &learned));
        assert!(!asked("http://rdap.registry.test/v1/domain/acme.test", &learned));
        assert!(!asked("https://x.rdap.registry.test/", &learned));
        assert!(check_line("rdap", 43).is_ok());
        for (provider, port) in [("rdap", 80), ("crt.sh", 43), ("nobody", 43)] {
            assert!(check_line(provider, port).is_err(), "{provider} {port}");
        }
    }
}
