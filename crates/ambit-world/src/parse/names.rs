//! Organisations, address blocks, zones and names.

use super::cursor::{Below, Cursor};
use super::{Reader, Stand};
use crate::draft::{Answers, Binding, Block, Data, Moment, Name, Org, OrgRole, Signed, Zone};
use crate::problem::Fault;
use ambit_model::moment::DAY_MS;
use ambit_net::dns::RecordType;
use std::net::IpAddr;

/// Time to live of a record without a word about it, in seconds.
const TTL_SECONDS: u32 = 300;
/// Longest TXT record, in bytes: what fits one DNS message with room to spare.
const TXT_BYTES_MAX: usize = 4_000;

impl Reader {
    pub(super) fn org(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let key = cursor.word("the organisation's key")?.to_owned();
        self.once(cursor, format!("org {key}"))?;
        let name = cursor.word("the organisation's name")?.to_owned();
        if name.trim().is_empty() {
            return Err(cursor.fault("an organisation has a name"));
        }
        let standing = cursor.choice(&[
            ("ours", OrgRole::Ours),
            ("related", OrgRole::Related),
            ("vendor", OrgRole::Vendor),
            ("source", OrgRole::Source),
            ("stranger", OrgRole::Stranger),
        ])?;
        let mut email = String::new();
        while let Some(word) = cursor.next() {
            match word {
                "email" => email = cursor.word("an e-mail address")?.to_owned(),
                _ => return Err(cursor.unknown("email")),
            }
        }
        self.draft().orgs.insert(key, Org { name, standing, email });
        Ok(())
    }

    pub(super) fn block(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let word = cursor.word("a block such as 192.0.2.0/24")?;
        let net: ipnet::IpNet = word.parse().map_err(|_| cursor.fault("no block such as 192.0.2.0/24"))?;
        let net = net.trunc();
        self.once(cursor, format!("block {net}"))?;
        let mut block = Block {
            line: cursor.line,
            country: "NL".to_owned(),
            allocated: Moment::FromEpoch(-3_000 * DAY_MS),
            ..Block::default()
        };
        while let Some(word) = cursor.next() {
            match word {
                "of" => block.org = cursor.word("an organisation's key")?.to_owned(),
                "asn" => {
                    let digits = cursor.word("a number such as AS64500")?.trim_start_matches("AS");
                    block.asn = Some(digits.parse().map_err(|_| cursor.fault("no number such as AS64500"))?);
                }
                "named" => block.name = cursor.word("the block's name")?.to_owned(),
                "country" => block.country = cursor.word("a country's code")?.to_owned(),
                "allocated" => block.allocated = cursor.moment()?,
                "registry" => block.registry = registry(cursor)?,
                _ => return Err(cursor.unknown("of, asn, named, country, allocated, registry")),
            }
        }
        self.draft().blocks.insert(net, block);
        Ok(())
    }

    pub(super) fn zone(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let name = cursor.host_name(false)?;
        self.once(cursor, format!("zone {name}"))?;
        let mut zone = Zone {
            line: cursor.line,
            registrar: "Example Registrar".to_owned(),
            registered: Moment::FromEpoch(-3_650 * DAY_MS),
            expires: Moment::FromEpoch(400 * DAY_MS),
            ..Zone::default()
        };
        cursor.read_into(&mut zone, below, zone_words)?;
        self.draft().zones.insert(name, zone);
        Ok(())
    }

    pub(super) fn name(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let key = cursor.host_name(true)?;
        let fresh = matches!(self.touch(format!("name {key}")), Stand::Fresh);
        let known = self.draft().names.remove(&key).filter(|_| !fresh);
        let mut name = known.unwrap_or(Name { line: cursor.line, ttl: TTL_SECONDS, ..Name::default() });
        let outcome = name_words(&mut name, cursor);
        for line in below.lines {
            let outcome = name_words(&mut name, &mut Cursor::new(line));
            below.faults.extend(outcome.err());
        }
        self.draft().names.insert(key, name);
        outcome
    }
}

fn zone_words(zone: &mut Zone, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    const WORDS: &str = "of, ns, transfer, signed, answers, registrar, registered, expires, redacted, registry, \
         look-alike, suspicious, phishing, mails, sister";
    while let Some(word) = cursor.next() {
        match word {
            "of" => zone.org = cursor.word("an organisation's key")?.to_owned(),
            "ns" => {
                let server = cursor.host_name(false)?;
                let addresses = std::iter::from_fn(|| cursor.next_address()).collect();
                zone.servers.push((server, addresses));
            }
            "transfer" => zone.transfer = cursor.choice(&[("open", true), ("refused", false)])?,
            "signed" => {
                zone.signed = cursor.choice(&[
                    ("nsec", Signed::Nsec),
                    ("nsec3", Signed::Nsec3),
                    ("minimal", Signed::Minimal),
                    ("compact", Signed::Compact),
                ])?;
            }
            "answers" => zone.answers = answers(cursor)?,
            "registrar" => zone.registrar = cursor.word("the registrar's name")?.to_owned(),
            "registered" => zone.registered = cursor.moment()?,
            "expires" => zone.expires = cursor.moment()?,
            "redacted" => zone.redacted = true,
            "registry" => zone.registry = registry(cursor)?,
            "look-alike" => zone.look_alike = true,
            "suspicious" => zone.threaten("suspicious_domain"),
            "phishing" => zone.threaten("phishing_site"),
            "mails" => zone.threaten("brand_mail_domain"),
            "sister" => zone.sister = true,
            _ => return Err(cursor.unknown(WORDS)),
        }
    }
    Ok(())
}

impl Zone {
    /// It looks alike, and gives rise to an issue.
    fn threaten(&mut self, issue: &'static str) {
        self.look_alike = true;
        self.threats.insert(issue);
    }
}

/// A URL without the slash at its end: what is asked for goes behind it.
fn registry(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let url = cursor.word("a URL such as https://rdap.example")?.trim_end_matches('/');
    let host = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    match host {
        Some((_, host)) if !host.is_empty() && !host.starts_with('/') => Ok(url.to_owned()),
        _ => Err(cursor.fault("no URL such as https://rdap.example")),
    }
}

fn answers(cursor: &mut Cursor<'_>) -> Result<Answers, Fault> {
    const WORDS: &str = "normal, servfail, refused, silent, lame, slow, late, truncated, garbage, rebind";
    Ok(match cursor.word(WORDS)? {
        "normal" => Answers::Normal,
        "servfail" => Answers::ServFail,
        "refused" => Answers::Refused,
        "silent" => Answers::Silent,
        "lame" => Answers::Lame,
        "slow" => Answers::Slow(cursor.duration()?),
        "late" => Answers::Late(cursor.duration()?),
        "truncated" => Answers::Truncated,
        "garbage" => Answers::Garbage,
        "rebind" => Answers::Rebind(cursor.address()?),
        _ => return Err(cursor.unknown(WORDS)),
    })
}

/// Longest name of a protocol, which stands behind its length in one byte (RFC 9460 §7.1.1).
const PROTOCOL_BYTES_MAX: usize = 255;

/// What a name's statement may say.
const NAME_WORDS: &str = "of, ttl, hidden, archived, rotate, answers, fails, inside, A, AAAA, CNAME, DNAME, NS, \
                          MX, TXT, SRV, CAA, PTR, DS, HTTPS, SVCB";

fn name_words(name: &mut Name, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "of" => name.org = Some(cursor.word("an organisation's key")?.to_owned()),
            "ttl" => name.ttl = cursor.number("seconds")?,
            "hidden" => name.hidden = true,
            "archived" => name.archived = true,
            "rotate" => name.rotate = true,
            "answers" => name.answers = answers(cursor)?,
            "fails" => {
                let rtype = cursor.choice(&[
                    ("AAAA", RecordType::AAAA),
                    ("CAA", RecordType::CAA),
                    ("DS", RecordType::DS),
                    ("HTTPS", RecordType::HTTPS),
                    ("SRV", RecordType::SRV),
                ])?;
                name.fails.push(rtype);
            }
            "inside" => name.inside.push(record(cursor.word("a record")?, cursor)?),
            _ => name.records.push(record(word, cursor)?),
        }
    }
    Ok(())
}

/// The record that begins with this word.
fn record(word: &str, cursor: &mut Cursor<'_>) -> Result<Data, Fault> {
    Ok(match word {
        "A" => match cursor.address()? {
            IpAddr::V4(address) => Data::A(address),
            IpAddr::V6(_) => return Err(cursor.fault("an A record holds an IPv4 address; write AAAA")),
        },
        "AAAA" => match cursor.address()? {
            IpAddr::V6(address) => Data::Aaaa(address),
            IpAddr::V4(_) => return Err(cursor.fault("an AAAA record holds an IPv6 address; write A")),
        },
        "CNAME" => Data::Cname(cursor.host_name(false)?),
        "DNAME" => Data::Dname(cursor.host_name(false)?),
        "NS" => Data::Ns(cursor.host_name(false)?),
        "MX" => Data::Mx(cursor.number("a preference")?, null_or_name(cursor)?),
        "TXT" => {
            let text = cursor.word("a text in quotes")?;
            if text.len() > TXT_BYTES_MAX {
                return Err(cursor.fault("a TXT record has at most 4,000 bytes"));
            }
            Data::Txt(text.as_bytes().to_vec())
        }
        "SRV" => {
            let (priority, weight) = (cursor.number("a priority")?, cursor.number("a weight")?);
            Data::Srv(priority, weight, cursor.number("a port")?, null_or_name(cursor)?)
        }
        "CAA" => {
            let flags = cursor.number("flags such as 0")?;
            let tag = cursor.choice(&[("issue", "issue"), ("issuewild", "issuewild"), ("iodef", "iodef")])?;
            Data::Caa(flags, tag.to_owned(), cursor.word("a value in quotes")?.to_owned())
        }
        "PTR" => Data::Ptr(cursor.host_name(false)?),
        "DS" => {
            let (tag, algorithm, digest) =
                (cursor.number("a key tag")?, cursor.number("an algorithm")?, cursor.number("a digest type")?);
            let bytes = hex::decode(cursor.word("a digest in hex")?).map_err(|_| cursor.fault("no digest in hex"))?;
            Data::Ds(tag, algorithm, digest, bytes)
        }
        "HTTPS" => service(RecordType::HTTPS, cursor)?,
        "SVCB" => service(RecordType::SVCB, cursor)?,
        _ => return Err(cursor.unknown(NAME_WORDS)),
    })
}

/// An HTTPS or SVCB record: what it says, or its bytes.
fn service(rtype: RecordType, cursor: &mut Cursor<'_>) -> Result<Data, Fault> {
    if cursor.next_if_unquoted("raw") {
        let bytes = hex::decode(cursor.word("bytes in hex")?).map_err(|_| cursor.fault("no bytes in hex"))?;
        return Ok(Data::Raw(rtype, bytes));
    }
    let (priority, target) = (cursor.number("a priority, or `raw` and bytes in hex")?, null_or_name(cursor)?);
    let mut binding = Binding { priority, target, ..Binding::default() };
    loop {
        if cursor.next_if_unquoted("alpn") {
            if !binding.alpn.is_empty() {
                return Err(cursor.fault("a record has one `alpn`; put all protocols behind it, as in h2,h3"));
            }
            let protocols = cursor.word("protocols such as h2,h3")?.split(',');
            binding.alpn = protocols.map(str::to_owned).collect();
            if binding.alpn.iter().any(|one| one.is_empty() || one.len() > PROTOCOL_BYTES_MAX) {
                return Err(cursor.fault(format!("a protocol has 1 to {PROTOCOL_BYTES_MAX} bytes")));
            }
        } else if cursor.next_if_unquoted("port") {
            binding.port = Some(cursor.port()?);
        } else if cursor.next_if_unquoted("hint") {
            binding.hints.push(cursor.address()?);
        } else if cursor.next_if_unquoted("ech") {
            binding.ech = true;
        } else {
            return Ok(Data::Binding(rtype, binding));
        }
    }
}

/// A name, or `.`: the null MX, the owner of a service.
fn null_or_name(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    if cursor.next_if_unquoted(".") { Ok(String::new()) } else { cursor.host_name(false) }
}

/// The name of a zone's server, as its `ns` line gives it.
pub(super) fn server(line: usize, given: &[IpAddr]) -> Name {
    Name {
        line,
        ttl: TTL_SECONDS,
        records: given.iter().map(|address| crate::dns::address_data(*address)).collect(),
        ..Name::default()
    }
}
