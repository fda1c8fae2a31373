//! Canonical names: one spelling for one thing, whoever says it (design §7 step 1). Idempotent; tested by properties.

use super::Kind;
use std::net::{IpAddr, Ipv6Addr};

/// Longest name of an entity, in bytes; longer ones are refused, so that no index or header is at a stranger's mercy.
const NAME_BYTES_MAX: usize = 2_048;
/// Longest host name in presentation form, in bytes (RFC 1035 §2.3.4).
const HOST_BYTES_MAX: usize = 253;
/// Longest label of a host name, in bytes (RFC 1035 §2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// A text that is no name of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a name of a {kind}: {text:?} ({why})")]
pub struct InvalidName {
    pub kind: &'static str,
    /// The start of the text.
    pub text: String,
    pub why: &'static str,
}

impl Kind {
    /// The canonical name of a raw one.
    pub fn canonical(self, raw: &str) -> Result<String, InvalidName> {
        let text = raw.trim();
        let checked = if text.is_empty() {
            Err("it is empty")
        } else if text.len() > NAME_BYTES_MAX {
            Err("it is longer than 2,048 bytes")
        } else {
            match self {
                Self::Domain | Self::DnsRecord => host_name(text),
                Self::Nameserver | Self::Mailserver => address(text).or_else(|_| host_name(text)),
                Self::IpAddress => address(text),
                Self::NetBlock => block(text),
                Self::AutonomousSystem => autonomous_system(text),
                Self::NetworkService => service(text),
                Self::Uri | Self::ApiEndpoint => url(text),
                Self::CloudStorageBucket => bucket(text),
                Self::EmailAddress => email(text),
                Self::Organization | Self::PreCertificate | Self::SslCertificate | Self::UniqueKeyword | Self::UniqueToken => plain(text),
            }
        };
        checked.map_err(|why| InvalidName {
            kind: self.name(),
            text: text.chars().take(120).collect(),
            why,
        })
    }

    /// The kind and canonical name of what a person typed as a target: address, block, `AS…`, URL, e-mail address, domain or host name.
    pub fn of_target(text: &str) -> Result<(Self, String), InvalidName> {
        let text = text.trim();
        let kind = if text.contains("://") {
            Self::Uri
        } else if text.contains('/') {
            Self::NetBlock
        } else if text.parse::<IpAddr>().is_ok() {
            Self::IpAddress
        } else if autonomous_system(text).is_ok() {
            Self::AutonomousSystem
        } else if text.contains('@') {
            Self::EmailAddress
        } else {
            return Self::of_host(text);
        };
        kind.canonical(text).map(|name| (kind, name))
    }

    /// `Domain` for a registrable domain, `DnsRecord` for a name below one or a public suffix.
    pub fn of_host(text: &str) -> Result<(Self, String), InvalidName> {
        let name = Self::DnsRecord.canonical(text)?;
        if !name.contains('.') {
            return Err(InvalidName {
                kind: "Domain",
                text: name,
                why: "it has no dot; give a full domain such as example.org",
            });
        }
        let kind = if registrable(&name) == Some(name.as_str()) {
            Self::Domain
        } else {
            Self::DnsRecord
        };
        Ok((kind, name))
    }
}

/// The registrable domain of a canonical host name by the public suffix list, private section included; `None` for a suffix itself.
pub fn registrable(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// Lower case, IDNA to ASCII, without the trailing dot.
fn host_name(text: &str) -> Result<String, &'static str> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let ascii = idna::domain_to_ascii(text).map_err(|_| "it is no host name")?;
    let ascii = ascii.strip_suffix('.').unwrap_or(&ascii);
    if ascii.is_empty() || ascii.len() > HOST_BYTES_MAX {
        return Err("a host name has 1 to 253 bytes");
    }
    let good_label = |label: &str| {
        !label.is_empty()
            && label.len() <= LABEL_BYTES_MAX
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
    };
    if !ascii.split('.').all(good_label) {
        return Err("a label has 1 to 63 letters, digits, '-' or '_'");
    }
    if ascii.parse::<IpAddr>().is_ok() {
        return Err("it is an address");
    }
    Ok(ascii.to_owned())
}

fn address(text: &str) -> Result<String, &'static str> {
    let text = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
    let address: IpAddr = text.parse().map_err(|_| "it is no IP address")?;
    Ok(unmapped(address).to_string())
}

/// An IPv4-mapped IPv6 address is the IPv4 address.
pub fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn block(text: &str) -> Result<String, &'static str> {
    let block: ipnet::IpNet = text.parse().map_err(|_| "it is no block such as 192.0.2.0/24")?;
    Ok(block.trunc().to_string())
}

fn autonomous_system(text: &str) -> Result<String, &'static str> {
    let digits = text
        .get(..2)
        .filter(|prefix| prefix.eq_ignore_ascii_case("as"))
        .and_then(|_| text.get(2..));
    let number: u32 = digits
        .and_then(|digits| digits.parse().ok())
        .ok_or("it is no AS number such as AS64500")?;
    Ok(format!("AS{number}"))
}

fn service(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no service such as 192.0.2.1:443/tcp";
    let (socket, protocol) = text.rsplit_once('/').ok_or(WHY)?;
    let protocol = protocol.to_ascii_lowercase();
    if protocol != "tcp" && protocol != "udp" {
        return Err(WHY);
    }
    let socket: std::net::SocketAddr = socket.parse().map_err(|_| WHY)?;
    Ok(format!("{}/{protocol}", std::net::SocketAddr::new(unmapped(socket.ip()), socket.port())))
}

/// `scheme://host:port/path?query`: the port is always written, a lone `/` and the fragment never are.
fn url(text: &str) -> Result<String, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("it has no scheme such as https://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return Err("its scheme is neither http nor https"),
    };
    let rest = rest.split('#').next().unwrap_or(rest);
    let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    if authority.contains('@') {
        return Err("it holds a user name");
    }
    let (host, port) = split_port(authority, default_port)?;
    if path.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("its path holds blanks or control characters");
    }
    let path = match path {
        "/" => String::new(),
        _ if path.starts_with('?') => format!("/{path}"),
        _ => path.to_owned(),
    };
    Ok(format!("{scheme}://{host}:{port}{path}"))
}

fn split_port(authority: &str, default_port: u16) -> Result<(String, u16), &'static str> {
    let (host, port) = match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, rest)) => {
            let address: Ipv6Addr = host.parse().map_err(|_| "its host is no IPv6 address")?;
            let host = match unmapped(IpAddr::V6(address)) {
                IpAddr::V4(v4) => v4.to_string(),
                IpAddr::V6(v6) => format!("[{v6}]"),
            };
            (host, rest.strip_prefix(':').unwrap_or(rest))
        }
        None => {
            let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
            (address(host).or_else(|_| host_name(host))?, port)
        }
    };
    let port = if port.is_empty() {
        default_port
    } else {
        port.parse().map_err(|_| "its port is no number from 1 to 65535")?
    };
    if port == 0 {
        Err("its port is no number from 1 to 65535")
    } else {
        Ok((host, port))
    }
}

/// `https://host[/container]`, without port or trailing slash.
fn bucket(text: &str) -> Result<String, &'static str> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split(['#', '?']).next().unwrap_or(rest).trim_end_matches('/');
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host_name(host.split(':').next().unwrap_or(host))?;
    if path.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("its path holds blanks or control characters");
    }
    Ok(format!("https://{host}{path}"))
}

fn email(text: &str) -> Result<String, &'static str> {
    let (local, domain) = text.rsplit_once('@').ok_or("it has no @")?;
    if local.is_empty() || local.chars().any(|c| c.is_control() || c.is_whitespace() || c == '@') {
        return Err("the part before the @ is empty or holds blanks");
    }
    Ok(format!("{}@{}", local.to_lowercase(), host_name(domain)?))
}

/// Free text: control characters become U+FFFD, runs of blanks one blank.
fn plain(text: &str) -> Result<String, &'static str> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect())
        .collect();
    if words.is_empty() { Err("it is blank") } else { Ok(words.join(" ")) }
}
