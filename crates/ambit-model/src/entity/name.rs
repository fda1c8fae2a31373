//! Canonical names: one spelling for one thing, whatever its source (docs/architecture.md §4). Idempotent; tested by
//! properties.

use super::{Kind, app, aws, code_account, repository};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Longest name of an entity, in bytes. Longer ones are refused, so that no peer can force an oversized index entry or
/// header.
const NAME_BYTES_MAX: usize = 2_048;
/// Longest host name in presentation form, in bytes (RFC 1035 §2.3.4).
const HOST_BYTES_MAX: usize = 253;
/// Longest label of a host name, in bytes (RFC 1035 §2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// A text that is no name of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a name of {} {kind}: {text:?} ({why})", article(.kind))]
pub struct InvalidName {
    pub kind: &'static str,
    /// The start of the text.
    pub text: String,
    pub why: &'static str,
}

/// The article before the name of a kind, as it is spoken: "an Organization", "a Uri".
pub fn article(kind: &str) -> &'static str {
    if kind.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// What a person types before the name of an organisation.
const ORGANIZATION: &str = "org:";

impl Kind {
    /// The canonical name of a raw one. Fails where the text is no name of this kind, and says why.
    pub fn canonical(self, raw: &str) -> Result<String, InvalidName> {
        let text = raw.trim();
        let checked = if text.is_empty() {
            Err("it is empty")
        } else if text.len() > NAME_BYTES_MAX {
            Err("it is longer than 2,048 bytes")
        } else {
            match self {
                Self::AwsEC2Instance | Self::Domain | Self::DnsRecord => host_name(text),
                Self::Nameserver | Self::Mailserver => address(text).or_else(|_| host_name(text)),
                Self::IpAddress => address(text),
                Self::NetBlock => block(text),
                Self::AutonomousSystem => autonomous_system(text),
                Self::NetworkService => service(text),
                Self::ApiEndpoint | Self::AppEndpoint | Self::Uri => url(text),
                Self::AwsS3Bucket => aws::bucket(text),
                Self::CloudStorageBucket => bucket(text),
                Self::CodeAccount => code_account::other(text),
                Self::GitRepository => repository::plain(text, url_of(text, repository::SCHEMES)),
                Self::GithubAccount => code_account::github(text),
                Self::GithubRepository => repository::github(text),
                Self::GitlabAccount => code_account::gitlab(text),
                Self::GitlabProject => repository::gitlab(text),
                Self::AndroidApp | Self::IosApp => app::name(text),
                Self::EmailAddress => email(text),
                Self::AwsCredential
                | Self::AwsRdsDbInstance
                | Self::AwsResource
                | Self::AzureCredential
                | Self::AzureStorageAccount
                | Self::AzureVirtualMachine
                | Self::CloudCredential
                | Self::CloudResource
                | Self::GcpApiGateway
                | Self::GcpAppEngineApplication
                | Self::GcpCloudFunction
                | Self::GcpCloudSQLInstance
                | Self::GcpComputeEngineInstance
                | Self::GcpCredential
                | Self::GcpStorageBucket
                | Self::Organization
                | Self::PreCertificate
                | Self::SslCertificate
                | Self::TerraformState
                | Self::UniqueKeyword
                | Self::UniqueToken => plain(text),
            }
        };
        // The canonical form can be longer (a port, a replaced character) and must be a name again.
        let checked = checked.and_then(|name| {
            if name.len() > NAME_BYTES_MAX { Err("its canonical form is longer than 2,048 bytes") } else { Ok(name) }
        });
        checked.map_err(|why| InvalidName { kind: self.name(), text: text.chars().take(120).collect(), why })
    }

    /// The canonical name of a seed: as `canonical`, but no public suffix, because the names below one belong to
    /// anybody. Fails if the text is no name of this kind, or a public suffix. One of the private section of the list
    /// (`github.io`) may be given as a host.
    pub fn seed(self, raw: &str) -> Result<String, InvalidName> {
        let name = self.canonical(raw)?;
        if !self.is_seedable() {
            let why = "it is only ever discovered; give the name, the address or the site that leads to it";
            return Err(InvalidName { kind: self.name(), text: name, why });
        }
        if self == Self::NetBlock && is_too_wide(&name) {
            let why = "nobody holds so much; give the blocks that are meant, such as 192.0.2.0/24 (at most a /8, or a \
                       /16 of IPv6)";
            return Err(InvalidName { kind: self.name(), text: name, why });
        }
        let listed = match self {
            Self::Domain | Self::DnsRecord | Self::Nameserver | Self::Mailserver => public_suffix(&name),
            _ => None,
        };
        let why = match listed {
            Some(psl::Type::Icann) => {
                "it is a public suffix, anybody registers names below it; give a domain such as example.org"
            }
            Some(psl::Type::Private) if self == Self::Domain => {
                "it is a provider's suffix for its customers; give it as a DnsRecord if you mean that very host"
            }
            _ => return Ok(name),
        };
        Err(InvalidName { kind: self.name(), text: name, why })
    }

    /// Returns the same of a text that says its kind in front, such as `AwsS3Bucket:example-backup`; `None` where it
    /// says none.
    pub(crate) fn of_said(text: &str) -> Option<Result<(Self, String), InvalidName>> {
        let (said, name) = text.trim().split_once(':')?;
        let kind = Self::from_name(said).filter(|kind| kind.name() == said && kind.is_seedable())?;
        Some(kind.seed(name).map(|name| (kind, name)))
    }

    /// Returns the kind and canonical name of what a person typed as a target: address, block, `AS…`, `org:…`, URL,
    /// e-mail address, domain or host name, or of any kind its name behind the kind's (`AwsS3Bucket:example-backup`).
    /// Fails if the text is none of these, is a range of addresses, or a public suffix.
    pub fn of_target(text: &str) -> Result<(Self, String), InvalidName> {
        let text = text.trim();
        if let Some(seed) = Self::of_said(text) {
            return seed;
        }
        if let Some(name) = text.strip_prefix(ORGANIZATION) {
            if !name.contains(char::is_alphanumeric) {
                return Err(InvalidName {
                    kind: Self::Organization.name(),
                    text: name.chars().take(120).collect(),
                    why: "it has no letter or digit; give a name such as org:Example Ltd",
                });
            }
            return Self::Organization.seed(name).map(|name| (Self::Organization, name));
        }
        if is_range(text) {
            return Err(InvalidName {
                kind: Self::NetBlock.name(),
                text: text.chars().take(120).collect(),
                why: "it is a range of addresses; give a block such as 192.0.2.0/28, or each address",
            });
        }
        if !text.is_empty() && is_digits(text) {
            // It may as well be a port or a part of an address, and a whole network is much to contact by mistake.
            return Err(InvalidName {
                kind: Self::AutonomousSystem.name(),
                text: text.chars().take(120).collect(),
                why: "it is a bare number; give AS64500 if you mean an autonomous system",
            });
        }
        let kind = if text.contains("://") {
            Self::Uri
        } else if text.contains('/') && is_below_host(text) {
            return Err(InvalidName {
                kind: Self::Uri.name(),
                text: text.chars().take(120).collect(),
                why: "it has no scheme; give a URL such as https://example.org/path if you mean a site",
            });
        } else if text.contains('/') {
            Self::NetBlock
        } else if address(text).is_ok() {
            Self::IpAddress
        } else if is_prefixed(text) && text.len() > 2 && is_digits(&text[2..]) {
            Self::AutonomousSystem
        } else if text.contains('@') {
            Self::EmailAddress
        } else {
            Self::of_host(text)?.0
        };
        kind.seed(text).map(|name| (kind, name))
    }

    /// `Domain` for a registrable domain, `DnsRecord` for a name below one, a public suffix or a bucket's host: whoever
    /// has a bucket registered no domain. Fails where the text is no host name, or has no dot.
    pub fn of_host(text: &str) -> Result<(Self, String), InvalidName> {
        let name = Self::DnsRecord.canonical(text)?;
        if !name.contains('.') {
            return Err(InvalidName {
                kind: "Domain",
                text: name,
                why: "it has no dot; give a full domain such as example.org",
            });
        }
        let kind = if registered(&name) == Some(name.as_str()) { Self::Domain } else { Self::DnsRecord };
        Ok((kind, name))
    }
}

/// The registrable domain of a canonical host name by the public suffix list, private section included; `None` for a
/// suffix itself.
pub fn registrable(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// The domain of a canonical host name that somebody registered; `None` for a suffix, and for a bucket's host, whose
/// owner has only that name.
pub fn registered(host: &str) -> Option<&str> {
    registrable(host).filter(|domain| !super::bucket::is_host(domain))
}

/// The registrable domain of a canonical host name whose end the public suffix list has. Below `test`, which nobody can
/// register (RFC 2606), names count as well: they stand for real ones where something is tried out.
pub fn listed_domain(host: &str) -> Option<&str> {
    let is_known = psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known() || suffix == "test");
    registrable(host).filter(|_| is_known)
}

/// The section of the public suffix list that has the name as a suffix; `None` for a name below one, and for one that
/// no rule lists.
fn public_suffix(name: &str) -> Option<psl::Type> {
    let suffix = psl::suffix(name.as_bytes()).filter(|suffix| suffix.as_bytes() == name.as_bytes());
    suffix.and_then(|suffix| suffix.typ())
}

/// Returns true for a suffix whose holder gives the names below it to its customers, as `github.io`: one of the private
/// section of the public suffix list.
pub fn is_shared_suffix(name: &str) -> bool {
    public_suffix(name) == Some(psl::Type::Private)
}

/// The suffix of that kind that a canonical host name lies below; `None` for such a suffix itself.
pub fn shared_suffix(host: &str) -> Option<&str> {
    let suffix = psl::suffix(host.as_bytes()).filter(|suffix| suffix.typ() == Some(psl::Type::Private))?;
    let length = suffix.as_bytes().len();
    (length < host.len()).then(|| &host[host.len() - length..])
}

/// True for a block larger than any that a registry gave to one holder: as a seed it would make everybody's addresses
/// theirs.
pub(crate) fn is_too_wide(block: &str) -> bool {
    match block.parse() {
        Ok(ipnet::IpNet::V4(net)) => net.prefix_len() < 8,
        Ok(ipnet::IpNet::V6(net)) => net.prefix_len() < 16,
        Err(_) => false,
    }
}

/// `192.0.2.1-20`, `192.0.2.1-192.0.2.20`, `2001:db8::1-2001:db8::9`: an address, a hyphen, and an address or its last
/// number.
fn is_range(text: &str) -> bool {
    let is_end =
        |end: &str| end.parse::<IpAddr>().is_ok() || (!end.is_empty() && end.bytes().all(|b| b.is_ascii_hexdigit()));
    text.split_once('-').is_some_and(|(first, last)| first.trim().parse::<IpAddr>().is_ok() && is_end(last.trim()))
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
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
    };
    if !ascii.split('.').all(good_label) {
        return Err("a label has 1 to 63 letters, digits, '-' or '_'");
    }
    // No top-level domain is a number; what ends in one is an address in an unusual notation (`127.1`, `0x7f.1`,
    // `256.0.0.1`, `10.1.2.3-20`).
    let last = ascii.rsplit('.').next().unwrap_or(ascii);
    let digits = last.strip_prefix("0x").map_or_else(
        || last.bytes().all(|b| b.is_ascii_digit() || b == b'-'),
        |hex| hex.bytes().all(|b| b.is_ascii_hexdigit()),
    );
    if digits {
        return Err("it ends in a number, so it is an address or a mistyped one");
    }
    Ok(ascii.to_owned())
}

fn address(text: &str) -> Result<String, &'static str> {
    let text = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
    let address: IpAddr = text.parse().map_err(|_| "it is no IP address")?;
    Ok(unmapped(address).to_string())
}

/// The host name or address in an entity's name: of a URL, of `address:port/tcp`, of an e-mail address, or the name
/// itself.
pub fn host_of(name: &str) -> &str {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((address, _)) => address,
        None if rest.matches(':').count() == 1 => rest.split(':').next().unwrap_or(rest),
        None => rest,
    }
}

/// An IPv4-mapped IPv6 address is the IPv4 address.
pub fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn block(text: &str) -> Result<String, &'static str> {
    /// Bits of the prefix that marks an IPv4-mapped IPv6 address.
    const MAPPED_BITS: u8 = 96;
    let block: IpNet = text.parse().map_err(|_| "it is no block such as 192.0.2.0/24")?;
    let block = match (unmapped(block.network()), block.prefix_len().checked_sub(MAPPED_BITS)) {
        (IpAddr::V4(v4), Some(bits)) if matches!(block, IpNet::V6(_)) => {
            IpNet::new(IpAddr::V4(v4), bits).map_err(|_| "its prefix is too long")?
        }
        _ => block,
    };
    Ok(block.trunc().to_string())
}

fn autonomous_system(text: &str) -> Result<String, &'static str> {
    let digits = if is_prefixed(text) { &text[2..] } else { text };
    if digits.is_empty() || !is_digits(digits) {
        return Err("it is no AS number such as AS64500");
    }
    let number: u32 = digits.parse().map_err(|_| "the AS number is too large; give one up to AS4294967295")?;
    Ok(format!("AS{number}"))
}

/// True for a path on a host by its name, as people copy it out of a browser.
fn is_below_host(text: &str) -> bool {
    Kind::of_host(host_of(text)).is_ok()
}

/// True where the text begins with `AS`, as numbers of autonomous systems do.
fn is_prefixed(text: &str) -> bool {
    text.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("as"))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn service(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no service such as 192.0.2.1:443/tcp";
    let (socket, protocol) = text.rsplit_once('/').ok_or(WHY)?;
    let protocol = protocol.to_ascii_lowercase();
    if protocol != "tcp" && protocol != "udp" {
        return Err(WHY);
    }
    let socket: SocketAddr = socket.parse().map_err(|_| WHY)?;
    if socket.port() == 0 {
        return Err(WHY);
    }
    Ok(format!("{}/{protocol}", SocketAddr::new(unmapped(socket.ip()), socket.port())))
}

/// `scheme://host:port/path?query`: the port is always written, a lone `/` and the fragment never are.
fn url(text: &str) -> Result<String, &'static str> {
    url_of(text, &[("http", 80), ("https", 443)])
}

/// The same with one of these schemes; each has a port of its own where the text names none.
fn url_of(text: &str, schemes: &[(&str, u16)]) -> Result<String, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("it has no scheme such as https://")?;
    let scheme = scheme.to_ascii_lowercase();
    let known = schemes.iter().find(|(known, _)| *known == scheme);
    let (_, default_port) = *known.ok_or("its scheme is neither http nor https")?;
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

/// The host in canonical form, in brackets if it is an IPv6 address, and the port.
fn split_port(authority: &str, default_port: u16) -> Result<(String, u16), &'static str> {
    const WHY: &str = "its port is no number from 1 to 65535";
    let (host, rest) = match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, rest)) => {
            let address: Ipv6Addr = host.parse().map_err(|_| "its host is no IPv6 address")?;
            let host = match unmapped(IpAddr::V6(address)) {
                IpAddr::V4(v4) => v4.to_string(),
                IpAddr::V6(v6) => format!("[{v6}]"),
            };
            (host, rest)
        }
        None => {
            let (host, rest) = authority.find(':').map_or((authority, ""), |at| authority.split_at(at));
            (address(host).or_else(|_| host_name(host))?, rest)
        }
    };
    let port = match rest.strip_prefix(':') {
        Some("") => default_port,
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().map_err(|_| WHY)?,
        None if rest.is_empty() => default_port,
        _ => return Err(WHY),
    };
    if port == 0 { Err(WHY) } else { Ok((host, port)) }
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
    if local.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:")) {
        return Err("it is a link; give the address without mailto:");
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_bucket_is_no_domain() {
        for (host, kind) in [
            ("acme-files.s3.eu-west-1.amazonaws.com", Kind::DnsRecord),
            ("acme.blob.core.windows.net", Kind::DnsRecord),
            ("acme.github.io", Kind::Domain),
            ("acme.test", Kind::Domain),
        ] {
            assert_eq!(Kind::of_host(host), Ok((kind, host.to_owned())));
        }
    }

    #[test]
    fn a_domain_is_listed_where_its_end_is_a_public_suffix() {
        for (host, expected) in [
            ("db.acme.com", Some("acme.com")),
            ("acme.co.uk", Some("acme.co.uk")),
            ("a.b.acme.test", Some("acme.test")),
            ("acme.github.io", Some("acme.github.io")),
            ("co.uk", None),
            ("index.js", None),
            ("db.svc.cluster.local", None),
            ("host", None),
        ] {
            assert_eq!(listed_domain(host), expected, "{host}");
        }
    }
    use proptest::prelude::*;

    #[test]
    fn one_thing_has_one_spelling() {
        for (kind, raw, name) in [
            (Kind::Domain, "ACME.Test.", "acme.test"),
            (Kind::Domain, " bücher.example ", "xn--bcher-kva.example"),
            (Kind::DnsRecord, "_dmarc.Acme.test", "_dmarc.acme.test"),
            (Kind::DnsRecord, "ＷＷＷ。acme．test", "www.acme.test"),
            (Kind::Nameserver, "NS1.acme.test.", "ns1.acme.test"),
            (Kind::Nameserver, "::FFFF:192.0.2.1", "192.0.2.1"),
            (Kind::IpAddress, "[2001:DB8:0::1]", "2001:db8::1"),
            (Kind::IpAddress, "::ffff:192.0.2.1", "192.0.2.1"),
            (Kind::NetBlock, "192.0.2.77/24", "192.0.2.0/24"),
            (Kind::NetBlock, "::ffff:192.0.2.0/120", "192.0.2.0/24"),
            (Kind::NetBlock, "2001:DB8::1/32", "2001:db8::/32"),
            (Kind::AutonomousSystem, "as064500", "AS64500"),
            (Kind::AutonomousSystem, "64500", "AS64500"),
            (Kind::NetworkService, "192.0.2.1:443/TCP", "192.0.2.1:443/tcp"),
            (Kind::NetworkService, "[::ffff:192.0.2.1]:53/udp", "192.0.2.1:53/udp"),
            (Kind::NetworkService, "[2001:db8::1]:22/tcp", "[2001:db8::1]:22/tcp"),
            (Kind::Uri, "HTTPS://www.Acme.test", "https://www.acme.test:443"),
            (Kind::Uri, "http://www.acme.test./#top", "http://www.acme.test:80"),
            (Kind::Uri, "http://acme.test:/A/b?C=d#e", "http://acme.test:80/A/b?C=d"),
            (Kind::Uri, "https://acme.test?q=1", "https://acme.test:443/?q=1"),
            (Kind::Uri, "https://[::FFFF:192.0.2.1]:8443/", "https://192.0.2.1:8443"),
            (Kind::Uri, "https://[2001:DB8::1]", "https://[2001:db8::1]:443"),
            (Kind::CloudStorageBucket, "http://Files.s3.amazonaws.com:443/", "https://files.s3.amazonaws.com"),
            (Kind::CloudStorageBucket, "https://s3.amazonaws.com/Files/?list", "https://s3.amazonaws.com/Files"),
            (Kind::EmailAddress, "Some.One@ACME.test", "some.one@acme.test"),
            (Kind::SslCertificate, " CN\twith\u{1b}[2J  blanks (01) ", "CN with\u{fffd}[2J blanks (01)"),
        ] {
            assert_eq!(kind.canonical(raw).as_deref(), Ok(name), "{raw:?}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long_label = format!("{}.test", "a".repeat(64));
        let long_host = format!("{}test", "a.".repeat(125));
        let long_uri = format!("https://a.test/{}", "x".repeat(NAME_BYTES_MAX - "https://a.test/".len()));
        for (kind, raw) in [
            (Kind::Domain, ""),
            (Kind::Domain, "."),
            (Kind::Domain, "a..test"),
            (Kind::Domain, "*.acme.test"),
            (Kind::Domain, "acme test"),
            (Kind::Domain, "acme.test/"),
            (Kind::Domain, "192.0.2.1"),
            (Kind::Domain, "127.1"),
            (Kind::Domain, "0x7f.0x1"),
            (Kind::Domain, "256.1.1.1"),
            (Kind::Domain, long_label.as_str()),
            (Kind::Domain, long_host.as_str()),
            (Kind::IpAddress, "192.0.2"),
            (Kind::IpAddress, "192.0.2.01"),
            (Kind::IpAddress, "fe80::1%eth0"),
            (Kind::NetBlock, "192.0.2.0/33"),
            (Kind::NetBlock, "192.0.2.0"),
            (Kind::EmailAddress, "MailTo:it@acme.test"),
            (Kind::AutonomousSystem, "AS"),
            (Kind::AutonomousSystem, "AS+5"),
            (Kind::AutonomousSystem, "AS4294967296"),
            (Kind::NetworkService, "192.0.2.1:0/tcp"),
            (Kind::NetworkService, "192.0.2.1:80/sctp"),
            (Kind::NetworkService, "www.acme.test:80/tcp"),
            (Kind::Uri, "ftp://acme.test"),
            (Kind::Uri, "//acme.test"),
            (Kind::Uri, "https://"),
            (Kind::Uri, "https://user:secret@acme.test"),
            (Kind::Uri, "https://acme.test:0"),
            (Kind::Uri, "https://acme.test:+443"),
            (Kind::Uri, "https://acme.test:65536"),
            (Kind::Uri, "https://[::1]443"),
            (Kind::Uri, "https://acme.test/a b"),
            (Kind::Uri, "https://acme.test/\u{0}"),
            (Kind::Uri, long_uri.as_str()),
            (Kind::EmailAddress, "acme.test"),
            (Kind::EmailAddress, "@acme.test"),
            (Kind::EmailAddress, "a b@acme.test"),
            (Kind::Organization, " \t "),
        ] {
            assert!(kind.canonical(raw).is_err(), "{} {raw:?}", kind.name());
        }
    }

    #[test]
    fn a_refusal_names_kind_text_and_reason_and_stays_short() {
        let refusal = Kind::IpAddress.canonical(&"9".repeat(5_000)).unwrap_err();
        assert_eq!(refusal.text.len(), 120);
        let refusal = Kind::IpAddress.canonical("localhost").unwrap_err();
        assert_eq!(refusal.to_string(), "not a name of an IpAddress: \"localhost\" (it is no IP address)");
    }

    #[test]
    fn targets_are_what_people_type() {
        for (text, kind, name) in [
            ("acme.test", Kind::Domain, "acme.test"),
            ("Acme.co.uk", Kind::Domain, "acme.co.uk"),
            ("www.acme.test", Kind::DnsRecord, "www.acme.test"),
            ("github.io", Kind::DnsRecord, "github.io"),
            ("192.0.2.1", Kind::IpAddress, "192.0.2.1"),
            ("[2001:db8::1]", Kind::IpAddress, "2001:db8::1"),
            ("192.0.2.0/24", Kind::NetBlock, "192.0.2.0/24"),
            ("as64500", Kind::AutonomousSystem, "AS64500"),
            ("as64500.test", Kind::Domain, "as64500.test"),
            ("https://acme.test/login", Kind::Uri, "https://acme.test:443/login"),
            ("Info@acme.test", Kind::EmailAddress, "info@acme.test"),
            ("org: Acme Ltd", Kind::Organization, "Acme Ltd"),
            ("AwsS3Bucket:acme-files", Kind::AwsS3Bucket, "acme-files"),
            ("UniqueToken: UA-1234567-1", Kind::UniqueToken, "UA-1234567-1"),
        ] {
            assert_eq!(Kind::of_target(text), Ok((kind, name.to_owned())), "{text}");
        }
        for text in ["", "localhost", "acme.test/login", "192.0.2.256", "-", "acme..test"] {
            assert!(Kind::of_target(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_or_a_public_suffix_is_no_target_and_the_refusal_says_what_to_give() {
        for (text, why) in [
            ("10.1.2.3-20", "range of addresses"),
            ("10.1.2.3 - 10.1.2.20", "range of addresses"),
            ("2001:db8::1-ff", "range of addresses"),
            ("co.uk", "public suffix"),
            ("CO.UK.", "public suffix"),
            ("0.0.0.0/0", "nobody holds so much"),
            ("::ffff:10.0.0.0/103", "nobody holds so much"),
            ("2000::/3", "nobody holds so much"),
            ("2a00::/12", "a /16 of IPv6"),
            ("2600::/15", "a /16 of IPv6"),
            ("64500", "give AS64500"),
            ("org:***", "no letter or digit"),
            ("AS99999999999", "not a name of an AutonomousSystem: \"AS99999999999\" (the AS number is too large"),
            ("as4294967296", "too large"),
            ("acme.test/path", "https://example.org/path"),
            ("www.acme.test:8443/path", "https://example.org/path"),
        ] {
            let refusal = Kind::of_target(text).unwrap_err().to_string();
            assert!(refusal.contains(why) && refusal.contains("give "), "{text}: {refusal}");
        }
        assert!(Kind::DnsRecord.canonical("10.1.2.3-20").is_err(), "it is no host name either");
        assert_eq!(Kind::DnsRecord.canonical("host-20.test").unwrap(), "host-20.test");
        for (kind, name, good) in [
            (Kind::Domain, "co.uk", false),
            (Kind::DnsRecord, "co.uk", false),
            (Kind::Domain, "github.io", false),
            (Kind::DnsRecord, "github.io", true),
            (Kind::Domain, "acme.co.uk", true),
            (Kind::Organization, "co.uk", true),
            (Kind::SslCertificate, "www.acme.test (0a1b2c)", false),
            (Kind::PreCertificate, "www.acme.test (0a1b2c)", false),
        ] {
            assert_eq!(kind.seed(name).is_ok(), good, "{kind:?} {name}");
        }
        assert_eq!(Kind::DnsRecord.canonical("co.uk").unwrap(), "co.uk", "what was found may be one");
    }

    /// Texts that resemble names, and some that resemble nothing.
    fn raw() -> impl Strategy<Value = String> {
        let host = "[a-zA-Z0-9äßİΣ_.-]{1,40}";
        prop_oneof![
            any::<String>(),
            host.prop_map(|host| host),
            (host, any::<u16>(), "[ -~]{0,20}").prop_map(|(host, port, tail)| format!("HttpS://{host}:{port}/{tail}")),
            ("[a-zA-ZÄİ.]{1,9}", host).prop_map(|(local, host)| format!("{local}@{host}")),
            any::<std::net::IpAddr>().prop_map(|address| address.to_string()),
            any::<[u8; 4]>().prop_map(|[a, b, c, d]| format!("::ffff:{a}.{b}.{c}.{d}")),
            (any::<std::net::IpAddr>(), 0..=140u8).prop_map(|(address, bits)| format!("{address}/{bits}")),
            (any::<std::net::SocketAddr>(), "[tTuU][cCdD][pP]")
                .prop_map(|(socket, protocol)| format!("{socket}/{protocol}")),
            any::<u32>().prop_map(|number| format!("aS{number}")),
        ]
    }

    proptest! {
        #[test]
        fn canonical_names_are_their_own_canonical_form(text in raw()) {
            for kind in Kind::ALL {
                if let Ok(name) = kind.canonical(&text) {
                    prop_assert_eq!(kind.canonical(&name), Ok(name.clone()), "{} of {:?}", kind.name(), text);
                    prop_assert!(name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control));
                    prop_assert_eq!(name.trim(), &name);
                }
            }
        }

        #[test]
        fn case_trailing_dot_and_blanks_do_not_matter(host in "[a-z][a-z0-9-]{0,20}(\\.[a-z][a-z0-9-]{0,20}){0,4}") {
            let name = Kind::DnsRecord.canonical(&host).ok();
            prop_assert_eq!(&Kind::DnsRecord.canonical(&format!("  {}.\n", host.to_uppercase())).ok(), &name);
            if let Some(name) = name {
                let uri = Kind::Uri.canonical(&format!("https://{name}")).unwrap();
                prop_assert_eq!(&Kind::Uri.canonical(&format!("HTTPS://{}.:443/", name.to_uppercase())),
                &Ok(uri.clone()));
                prop_assert_eq!(crate::entity::host_of(&uri), name);
            }
        }

        #[test]
        fn targets_are_canonical_names_of_their_kind(text in raw()) {
            if let Ok((kind, name)) = Kind::of_target(&text) {
                prop_assert_eq!(kind.canonical(&name), Ok(name.clone()));
                prop_assert_eq!(Kind::of_target(&name), Ok((kind, name)));
            }
        }
    }
}
