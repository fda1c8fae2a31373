//! Where a request comes from, and by which address its sender called this server. A proxy in front is believed only
//! where the operator says that it is one.

use crate::connections::{ConnectionState, Connections, Working};
use crate::mount::WIDER;
use ambit_api::{ApiError, Result};
use http::header::{FORWARDED, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Uri, Version};
use ipnet::IpNet;
use std::net::IpAddr;
use std::sync::Arc;

/// Elements of a header of proxies that are looked at: nobody has so many in a row.
const HOPS_MAX: usize = 16;

/// The other end of a connection.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// The connection is under TLS.
    pub(crate) secure: bool,
    pub(crate) connection: Option<(Arc<Connections>, Arc<ConnectionState>)>,
}

impl Peer {
    /// A peer whose connection nobody counts.
    pub(crate) fn new(address: IpAddr, secure: bool) -> Self {
        Self { address: address.to_canonical(), secure, connection: None }
    }

    /// A request on its connection is worked on while what this gives lives.
    pub(crate) fn working(&self) -> Option<Working> {
        let (connections, standing) = self.connection.as_ref()?;
        Some(connections.working(standing))
    }

    /// The number of its connection, where connections are counted.
    pub(crate) fn number(&self) -> Option<u64> {
        self.connection.as_ref().map(|(_, standing)| standing.number())
    }

    /// A valid key came over its connection.
    pub(crate) fn show_key(&self) {
        if let Some((_, standing)) = &self.connection {
            standing.show_key();
        }
    }
}

/// How this server is reached.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The root of every link, such as `https://asm.example.org`, without a slash at its end; see [`public_url`].
    pub public_url: Option<String>,
    /// Whose `X-Forwarded-For`, `-Proto` and `-Host`, or `Forwarded`, are believed.
    pub trusted_proxies: Vec<IpNet>,
    pub hosts: Hosts,
}

/// Which host names are answered for, where a session or nothing says who asks. A page that made a browser believe that
/// its own name is this server's (DNS rebinding) is not answered; it has no key, and whoever has one may call the
/// server what they like.
#[derive(Clone, Debug, Default)]
pub enum Hosts {
    #[default]
    All,
    /// `localhost` and addresses of loopback: what a server on loopback is called by.
    Loopback,
    /// These, without port.
    Listed(Vec<String>),
}

/// Reads a public address: scheme, host, perhaps a port. A path is refused: links, cookies and files of the web
/// interface belong to the root of a host.
pub fn public_url(text: &str) -> Result<String, String> {
    let bad = || format!("{text:?}: expected an address such as https://asm.example.org");
    let url: Uri = text.trim_end_matches('/').parse().map_err(|_| bad())?;
    let plain = url.query().is_none() && url.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    let scheme = url.scheme_str().filter(|scheme| plain && ["http", "https"].contains(scheme)).ok_or_else(bad)?;
    let authority = url.authority().ok_or_else(bad)?;
    if !url.path().trim_end_matches('/').is_empty() {
        return Err(format!(
            "{text:?}: a path cannot be served, the pages are at the root; use a host or port of its own"
        ));
    }
    Ok(format!("{scheme}://{authority}"))
}

/// The origin of a request, as its headers and its peer describe it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Who asked: the peer, or whom a trusted proxy names.
    pub(crate) address: IpAddr,
    /// The root of the links of the wider API, as the client reaches it (docs/contract/wider.md §1.4).
    pub(crate) base: String,
    /// The host that the request names is one that is answered for.
    pub(crate) answered: bool,
}

impl Origin {
    /// Refuses a request whose host is not answered for.
    pub(crate) fn check_host(&self) -> Result<()> {
        if self.answered {
            return Ok(());
        }
        let message = "This server does not answer for that host; the settings hosts and public_url say for which";
        Err(ApiError::bad(message))
    }
}

impl Outside {
    /// Reads the way of a request, and refuses one that names no host, or two.
    pub(crate) fn origin(&self, peer: &Peer, head: &Parts) -> Result<Origin> {
        one_host(&head.headers, head.version)?;
        let direct = head.uri.authority().map(Authority::as_str).or_else(|| text(&head.headers, HOST.as_str()));
        let forwarded = if self.is_trusted(peer.address) { self.forwarded(&head.headers) } else { Default::default() };
        let named = forwarded.host.as_deref().or(direct).unwrap_or_default();
        let answered = self.answers_for(named);
        let scheme = if forwarded.secure.unwrap_or(peer.secure) { "https" } else { "http" };
        let named = if named.is_empty() { "localhost" } else { named };
        let root = self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{named}"));
        let address = forwarded.client.unwrap_or(peer.address);
        Ok(Origin { address, base: format!("{root}{}", WIDER), answered })
    }

    /// The peer is a proxy whose word counts.
    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxies.iter().any(|block| block.contains(&address))
    }

    fn answers_for(&self, named: &str) -> bool {
        let Ok(authority) = named.parse::<Authority>() else {
            return matches!(self.hosts, Hosts::All);
        };
        let name = authority.host();
        let public = self.public_url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        if public.as_ref().and_then(Uri::host).is_some_and(|host| host.eq_ignore_ascii_case(name)) {
            return true;
        }
        match &self.hosts {
            Hosts::All => true,
            Hosts::Listed(hosts) => hosts.iter().any(|host| host.eq_ignore_ascii_case(name)),
            Hosts::Loopback => {
                let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
                let name = name.to_ascii_lowercase();
                address.is_ok_and(|address| address.to_canonical().is_loopback())
                    || name == "localhost"
                    || name.ends_with(".localhost")
            }
        }
    }

    /// What proxies say, read from the nearest one on, as far as they are trusted.
    fn forwarded(&self, headers: &HeaderMap) -> Forwarded {
        let list = |name: &str| -> Vec<String> {
            let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).map(|one| one.trim().to_owned()).collect()
        };
        let (mut clients, mut schemes, mut hosts) =
            (list("x-forwarded-for"), list("x-forwarded-proto"), list("x-forwarded-host"));
        if clients.is_empty() && schemes.is_empty() && hosts.is_empty() {
            for element in list(FORWARDED.as_str()) {
                clients.push(pair(&element, "for"));
                schemes.push(pair(&element, "proto"));
                hosts.push(pair(&element, "host"));
            }
        }
        let mut hops = 0;
        let mut client = None;
        for name in clients.iter().rev().take(HOPS_MAX) {
            let Some(address) = address(name) else { break };
            client = Some(address);
            if !self.is_trusted(address) {
                break;
            }
            hops += 1;
        }
        // A list as long as that of clients has one element for each; a shorter one was written by the first proxy
        // alone.
        let at = |list: &[String]| list.get(list.len().saturating_sub(hops + 1)).filter(|one| !one.is_empty()).cloned();
        let valid = |host: &String| host.parse::<Authority>().is_ok_and(|authority| !authority.as_str().contains('@'));
        Forwarded {
            client,
            secure: at(&schemes).map(|scheme| scheme.eq_ignore_ascii_case("https")),
            host: at(&hosts).filter(valid),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Forwarded {
    client: Option<IpAddr>,
    secure: Option<bool>,
    host: Option<String>,
}

/// A value of an element of `Forwarded` (RFC 7239), without its quotes.
fn pair(element: &str, name: &str) -> String {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let value = pairs.filter(|(known, _)| known.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value).next();
    value.unwrap_or_default().trim().trim_matches('"').to_owned()
}

/// An address with or without a port or brackets.
fn address(text: &str) -> Option<IpAddr> {
    let plain = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    plain.or_else(with_port).or_else(bracketed).map(|address: IpAddr| address.to_canonical())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A request of HTTP/1.1 names exactly one host (RFC 9112 §3.2).
pub(crate) fn one_host(headers: &HeaderMap, version: Version) -> Result<()> {
    let message = match headers.get_all(HOST).iter().count() {
        1 => return Ok(()),
        0 if version < Version::HTTP_11 => return Ok(()),
        0 => "The request has no Host header",
        _ => "The Host header stands twice",
    };
    Err(ApiError::bad(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn head(target: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn outside(hosts: &[&str]) -> Outside {
        Outside {
            public_url: None,
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap(), "127.0.0.1/32".parse().unwrap()],
            hosts: match hosts {
                [] => Hosts::All,
                ["loopback"] => Hosts::Loopback,
                hosts => Hosts::Listed(hosts.iter().map(|host| (*host).to_owned()).collect()),
            },
        }
    }

    fn seen(outside: &Outside, peer: &str, headers: &[(&str, &str)]) -> String {
        let peer = Peer::new(peer.parse().unwrap(), false);
        match outside.origin(&peer, &head("/", headers)) {
            Ok(origin) => format!("{} {}", origin.address, origin.base),
            Err(error) => error.code.status().to_string(),
        }
    }

    #[test]
    fn only_hosts_that_are_answered_for_are_answered() {
        let status = |hosts: &[&str], target: &str, host: Option<&str>| {
            let headers: Vec<(&str, &str)> = host.iter().map(|host| ("host", *host)).collect();
            let peer = Peer::new("192.0.2.1".parse().unwrap(), false);
            let found = outside(hosts).origin(&peer, &head(target, &headers)).and_then(|origin| origin.check_host());
            found.map(|_| ()).map_err(|error| error.code.status())
        };
        assert_eq!(status(&[], "/", Some("anything.test")), Ok(()));
        assert_eq!(status(&["asm.acme.test"], "/", Some("ASM.acme.test:8080")), Ok(()));
        assert_eq!(status(&["[::1]"], "/", Some("[::1]:8080")), Ok(()));
        assert_eq!(status(&["asm.acme.test"], "http://asm.acme.test/x", Some("evil.test")), Ok(()));
        for host in [Some("evil.test"), Some("asm.acme.test.evil.test"), Some("a b"), None] {
            assert_eq!(status(&["asm.acme.test"], "/", host), Err(400), "{host:?}");
        }
        for host in ["localhost:8080", "ambit.localhost", "127.0.0.1:1", "127.9.9.9", "[::1]:80"] {
            assert_eq!(status(&["loopback"], "/", Some(host)), Ok(()), "{host}");
        }
        for host in ["evil.test", "localhost.evil.test", "10.0.0.1", "127.0.0.1.evil.test"] {
            assert_eq!(status(&["loopback"], "/", Some(host)), Err(400), "{host}");
        }
        let twice = head("/", &[("host", "a.test"), ("host", "a.test")]);
        assert!(one_host(&twice.headers, Version::HTTP_11).is_err());
        assert!(one_host(&HeaderMap::new(), Version::HTTP_11).is_err());
        assert!(one_host(&HeaderMap::new(), Version::HTTP_10).is_ok());
    }

    #[test]
    fn a_proxy_is_believed_where_it_is_trusted() {
        let x = [
            ("host", "127.0.0.1:8080"),
            ("x-forwarded-for", "203.0.113.9, 198.51.100.7"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "asm.acme.test"),
        ];
        let outside = outside(&[]);
        assert_eq!(seen(&outside, "10.1.1.1", &x), "198.51.100.7 https://asm.acme.test/api/v3");
        assert_eq!(seen(&outside, "192.0.2.1", &x), "192.0.2.1 http://127.0.0.1:8080/api/v3");
        let two = [
            ("host", "inner"),
            ("x-forwarded-for", "198.51.100.7, 10.9.9.9"),
            ("x-forwarded-proto", "https, http"),
            ("x-forwarded-host", "asm.acme.test, inner"),
        ];
        assert_eq!(seen(&outside, "10.1.1.1", &two), "198.51.100.7 https://asm.acme.test/api/v3");
        let standard = [("host", "inner"), ("forwarded", "for=\"[2001:db8::7]:4711\";proto=https;host=asm.acme.test")];
        assert_eq!(seen(&outside, "127.0.0.1", &standard), "2001:db8::7 https://asm.acme.test/api/v3");
        let odd = [("host", "h"), ("x-forwarded-host", "evil@h"), ("x-forwarded-for", "unknown")];
        assert_eq!(seen(&outside, "127.0.0.1", &odd), "127.0.0.1 http://h/api/v3");
    }

    #[test]
    fn a_public_address_is_the_root_of_every_link() {
        let mut outside = outside(&["other.test"]);
        outside.public_url = Some(public_url("https://asm.acme.test/").unwrap());
        assert_eq!(seen(&outside, "192.0.2.1", &[("host", "asm.acme.test")]), "192.0.2.1 https://asm.acme.test/api/v3");
        assert_eq!(seen(&outside, "192.0.2.1", &[("host", "other.test")]), "192.0.2.1 https://asm.acme.test/api/v3");
        assert_eq!(public_url("http://a.test:8080/").as_deref(), Ok("http://a.test:8080"));
        let path = public_url("https://a.test/ambit/").unwrap_err();
        assert!(path.contains("a path cannot be served"), "{path}");
        for bad in ["asm.acme.test", "ftp://a.test", "https://", "https://a.test/?x", "https://u@a.test", ""] {
            assert!(public_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_scheme_is_that_of_the_connection() {
        let peer = Peer::new("::ffff:192.0.2.1".parse().unwrap(), true);
        let origin = outside(&[]).origin(&peer, &head("/", &[("host", "a.test:8443")])).unwrap();
        assert_eq!(
            (origin.base.as_str(), origin.address.to_string().as_str()),
            ("https://a.test:8443/api/v3", "192.0.2.1")
        );
    }
}
