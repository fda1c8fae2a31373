//! Hosts and their services.

use super::Reader;
use super::cursor::{Below, Cursor};
use crate::draft::{Alpn, Beyond, CertChoice, Datagram, Host, Hostile, Limit, Service, UnknownHost, Unlisted};
use crate::problem::Fault;

/// Longest latency of a host: beyond, every client has given up.
const LATENCY_MS_MAX: i64 = 60_000;

const WORDS: &str = "of, ptr, port, udp, unlisted, latency, unknown-host, limit, hidden";
const DATAGRAMS: &str = "coap, ike, mdns, memcached, netbios, ntp, quic, silent, sip, snmp COMMUNITY, ssdp, stun, tftp";
/// Longest community of an SNMP agent.
const COMMUNITY_BYTES_MAX: usize = 32;
const SERVICES: &str = "ssh, ftp, smtp, imap, pop3, redis, telnet, mysql, postgres, mongodb, rdp, smb, vnc, http, \
                        https, banner, silent, tarpit, filtered, closed, hostile";

impl Reader {
    pub(super) fn host(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let mut addresses = vec![cursor.address()?];
        addresses.extend(std::iter::from_fn(|| cursor.next_address()));
        for address in &addresses {
            self.once(cursor, format!("host {address}"))?;
        }
        let mut host = Host { line: cursor.line, ..Host::default() };
        cursor.read_into(&mut host, below, host_words)?;
        for address in addresses {
            self.draft().hosts.insert(address, host.clone());
        }
        Ok(())
    }
}

fn host_words(host: &mut Host, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => host.org = cursor.word("an organisation's key")?.to_owned(),
            "ptr" => host.pointer = Some(cursor.host_name(false)?),
            "port" => {
                let port = cursor.port()?;
                if host.ports.contains_key(&port) {
                    return Err(cursor.fault(format!("port {port} was stated before")));
                }
                host.ports.insert(port, service(cursor)?);
            }
            "udp" => {
                let port = cursor.port()?;
                if host.datagrams.contains_key(&port) {
                    return Err(cursor.fault(format!("udp {port} was stated before")));
                }
                host.datagrams.insert(port, datagram(cursor)?);
            }
            "unlisted" => {
                host.unlisted = cursor.choice(&[
                    ("closed", Unlisted::Closed),
                    ("filtered", Unlisted::Filtered),
                    ("open", Unlisted::Open),
                ])?;
            }
            "latency" => {
                let ms = cursor.span_ms()?;
                if ms > LATENCY_MS_MAX {
                    return Err(cursor.fault("a latency is at most 60s"));
                }
                host.latency = Some(std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
            }
            "unknown-host" => host.unknown = unknown_host(cursor)?,
            "limit" => host.limits.push(limit(cursor)?),
            "hidden" => host.hidden = true,
            _ => return Err(cursor.unknown(WORDS)),
        }
    }
    Ok(())
}

/// `limit N SPAN HOW`.
fn limit(cursor: &mut Cursor<'_>) -> Result<Limit, Fault> {
    const WORDS: &str = "refused, silent, truncated, or STATUS [retry SECONDS]";
    let most = cursor.number("how many are answered")?;
    let span = cursor.duration()?;
    if span.is_zero() {
        return Err(cursor.fault("a limit holds for a span of at least 1ms"));
    }
    let beyond = match cursor.peek() {
        Some("refused") => Beyond::Refused,
        Some("silent") => Beyond::Silent,
        Some("truncated") => Beyond::Truncated,
        Some(_) => {
            let status = cursor.number("a status from 400 to 599")?;
            if !(400..=599).contains(&status) {
                return Err(cursor.fault("beyond a limit a status is a number from 400 to 599, such as 429"));
            }
            let retry = cursor.next_if_unquoted("retry").then(|| cursor.number("seconds")).transpose()?;
            return Ok(Limit { most, span, beyond: Beyond::Status(status, retry) });
        }
        None => return Err(cursor.fault(format!("the line ends here; expected {WORDS}"))),
    };
    cursor.next();
    Ok(Limit { most, span, beyond })
}

fn datagram(cursor: &mut Cursor<'_>) -> Result<Datagram, Fault> {
    let text = |cursor: &mut Cursor<'_>, usual: &str| cursor.next_quoted().unwrap_or(usual).to_owned();
    Ok(match cursor.word(DATAGRAMS)? {
        "coap" => Datagram::Coap,
        "ike" => Datagram::Ike,
        "mdns" => Datagram::Mdns,
        "memcached" => Datagram::Memcached,
        "netbios" => Datagram::Netbios,
        "ntp" => Datagram::Ntp,
        "quic" => Datagram::Quic,
        "silent" => Datagram::Silent,
        "sip" => Datagram::Sip(text(cursor, "Gateway 1.0")),
        "snmp" => {
            let community = cursor.word("the community")?.to_owned();
            if community.len() > COMMUNITY_BYTES_MAX {
                return Err(cursor.fault(format!("a community has at most {COMMUNITY_BYTES_MAX} bytes")));
            }
            Datagram::Snmp { community, description: "Router OS 7.14".to_owned() }
        }
        "ssdp" => Datagram::Ssdp,
        "stun" => Datagram::Stun,
        "tftp" => Datagram::Tftp,
        _ => return Err(cursor.unknown(DATAGRAMS)),
    })
}

fn unknown_host(cursor: &mut Cursor<'_>) -> Result<UnknownHost, Fault> {
    const WORDS: &str = "close, site URL, or STATUS \"TEXT\"";
    match cursor.peek() {
        Some("close") => {
            cursor.next();
            Ok(UnknownHost::Close)
        }
        Some("site") => {
            cursor.next();
            Ok(UnknownHost::Site(super::site::key(cursor)?))
        }
        Some(_) => Ok(UnknownHost::Page(cursor.status()?, cursor.word("the page's text")?.to_owned())),
        None => Err(cursor.fault(format!("the line ends here; expected {WORDS}"))),
    }
}

/// A service, and TLS around it where the file says so.
fn service(cursor: &mut Cursor<'_>) -> Result<Service, Fault> {
    let mut service = plain_service(cursor)?;
    if cursor.peek_unquoted() == Some("next") {
        let mut all = vec![service];
        while cursor.next_if_unquoted("next") {
            all.push(plain_service(cursor)?);
        }
        if !all.iter().all(is_bare) {
            return Err(cursor.fault("in turn stand only services that speak, without TLS"));
        }
        service = Service::InTurn(all);
    }
    if !cursor.next_if_unquoted("tls") {
        return Ok(service);
    }
    if !speaks(&service) {
        return Err(cursor.fault("no `tls` behind this service; a web server with TLS is `https`"));
    }
    let alpn = match cursor.next_if_unquoted("alpn") {
        true => cursor.choice(&[("http/1.1", Alpn::One), ("mqtt", Alpn::Mqtt)])?,
        false => Alpn::One,
    };
    let cert = super::cert::choice(cursor)?;
    match &cert {
        CertChoice::Inline(cert) if cert.names.is_empty() => Err(cursor.fault("the certificate has no `names`")),
        _ => Ok(Service::Tls { service: Box::new(service), cert, alpn }),
    }
}

fn speaks(service: &Service) -> bool {
    !matches!(service, Service::Http | Service::Https | Service::Filtered | Service::Closed | Service::Hostile(_))
}

/// Speaks, and needs no certificate for it.
fn is_bare(service: &Service) -> bool {
    speaks(service) && !matches!(service, Service::Smtp { cert: Some(_), .. })
}

fn plain_service(cursor: &mut Cursor<'_>) -> Result<Service, Fault> {
    let text = |cursor: &mut Cursor<'_>, usual: &str| cursor.next_quoted().unwrap_or(usual).to_owned();
    Ok(match cursor.word(SERVICES)? {
        "ssh" => Service::Ssh(text(cursor, "OpenSSH_10.0")),
        "ftp" => {
            let banner = text(cursor, "FTP server ready");
            let anonymous = cursor.choice(&[("anonymous", true), ("login", false)])?;
            Service::Ftp { banner, anonymous }
        }
        "smtp" => {
            let name = text(cursor, "mail ESMTP");
            let cert = if cursor.next_if_unquoted("starttls") { Some(super::cert::choice(cursor)?) } else { None };
            Service::Smtp { name, cert }
        }
        "imap" => Service::Imap(text(cursor, "IMAP4rev1 ready")),
        "pop3" => Service::Pop3(text(cursor, "POP3 ready")),
        "redis" => Service::Redis { open: cursor.choice(&[("open", true), ("password", false)])? },
        "telnet" => Service::Telnet(text(cursor, "login: ")),
        "mysql" => Service::Mysql(text(cursor, "8.4.3")),
        "postgres" => Service::Postgres,
        "mongodb" => Service::Mongodb {
            open: cursor.choice(&[("open", true), ("password", false)])?,
            old: cursor.next_if_unquoted("old"),
        },
        "rdp" => Service::Rdp,
        "smb" => Service::Smb,
        "vnc" => Service::Vnc(text(cursor, "RFB 003.008")),
        "http" => Service::Http,
        "https" => Service::Https,
        "banner" => Service::Banner(cursor.word("the banner in quotes")?.to_owned()),
        "silent" => Service::Silent,
        "tarpit" => Service::Tarpit,
        "filtered" => Service::Filtered,
        "closed" => Service::Closed,
        "hostile" => Service::Hostile(cursor.choice(Hostile::ALL)?),
        _ => return Err(cursor.unknown(SERVICES)),
    })
}
