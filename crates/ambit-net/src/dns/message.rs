//! Questions to bytes and bytes to answers. Questions are written here (they are 30 bytes); answers are decoded by
//! hickory and turned into plain values.

use super::record::{Record, RecordData, RecordType};
use super::text::{label_bytes, name_text};
use super::{Alias, DnsAnswer, Rcode, service};
use crate::error::{NetError, Result};
use crate::limits::{DNS_CHAIN_MAX, DNS_NEGATIVE_TTL_MAX, DNS_PAYLOAD, DNS_RECORDS_MAX, DNS_TTL_MAX};
use hickory_proto::op::Message;
use hickory_proto::rr::RData;
use hickory_proto::serialize::binary::{BinDecodable, BinEncodable, BinEncoder};
use std::net::SocketAddr;

/// Bytes of a message's header.
const HEADER_BYTES: usize = 12;

/// A name that can be asked for: lower case, without the dot at the end, labels of 1–63 bytes as `name_text` writes
/// them, at most 255 bytes in a message.
pub(crate) fn question_name(name: &str) -> Result<String> {
    let bare = name.strip_suffix('.').unwrap_or(name);
    let bytes_of = |label: &str| label_bytes(label).map(|bytes| bytes.len()).filter(|bytes| (1..=63).contains(bytes));
    let bytes = bare.split('.').try_fold(1, |sum, label| Some(sum + 1 + bytes_of(label)?));
    if !bare.is_empty() && bytes.is_none_or(|bytes| bytes > 255) {
        return Err(NetError::invalid("DNS name", name));
    }
    Ok(bare.to_ascii_lowercase())
}

/// A question ready to send.
pub(crate) struct Question {
    pub(crate) id: u16,
    pub(crate) bytes: Vec<u8>,
    /// Where the question section ends in `bytes`.
    end: usize,
}

/// How to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Ask a resolver to find the answer.
    pub(crate) recursion: bool,
    /// Announce a larger datagram.
    pub(crate) edns: bool,
    /// Want the records that prove an answer (RFC 3225); needs EDNS.
    pub(crate) dnssec: bool,
}

impl Question {
    /// `chance` gives the id (2 bytes) and the case of letters (0x20).
    pub(crate) fn new(name: &str, rtype: RecordType, style: Style, chance: [u8; 34]) -> Self {
        let id = u16::from_be_bytes([chance[0], chance[1]]);
        let mut bytes = Vec::with_capacity(HEADER_BYTES + name.len() + 2 + 4 + 11);
        bytes.extend_from_slice(&id.to_be_bytes());
        bytes.extend_from_slice(&[u8::from(style.recursion), 0, 0, 1, 0, 0, 0, 0, 0, u8::from(style.edns)]);
        for label in name.split('.').filter(|label| !label.is_empty()) {
            let label = label_bytes(label).expect("a name that can be asked for");
            bytes.push(u8::try_from(label.len()).expect("labels are at most 63 bytes"));
            for &byte in label.iter() {
                let at = bytes.len() - HEADER_BYTES;
                let upper = chance[2 + at / 8 % 32] >> (at % 8) & 1 == 1;
                bytes.push(if upper { byte.to_ascii_uppercase() } else { byte });
            }
        }
        bytes.push(0);
        bytes.extend_from_slice(&rtype.0.to_be_bytes());
        bytes.extend_from_slice(&1u16.to_be_bytes());
        let end = bytes.len();
        if style.edns {
            bytes.extend_from_slice(&[0, 0, 41]);
            bytes.extend_from_slice(&DNS_PAYLOAD.to_be_bytes());
            bytes.extend_from_slice(&[0, 0, u8::from(style.dnssec) << 7, 0, 0, 0]);
        }
        Self { id, bytes, end }
    }

    /// The question section as sent: an answer must repeat it byte by byte.
    pub(crate) fn section(&self) -> &[u8] {
        &self.bytes[HEADER_BYTES..self.end]
    }
}

/// Whether a datagram answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Yes,
    /// The same but for the case of letters: a forged answer, or a server that does not keep the case. Asked again over
    /// TCP.
    Case,
    No,
}

/// Compares the question section of an answer with the one that was sent.
pub(crate) fn matches(section: &[u8], datagram: &[u8]) -> Match {
    let is_response = datagram.len() >= HEADER_BYTES && datagram[2] & 0x80 != 0;
    if !is_response {
        return Match::No;
    }
    // Some servers leave the question out of an error; the id and the address must do then.
    let questions = u16::from_be_bytes([datagram[4], datagram[5]]);
    if questions == 0 && datagram[3] & 0x0f != 0 {
        return Match::Yes;
    }
    match datagram.get(HEADER_BYTES..HEADER_BYTES + section.len()) {
        Some(echo) if echo == section => Match::Yes,
        Some(echo) if echo.eq_ignore_ascii_case(section) => Match::Case,
        _ => Match::No,
    }
}

/// The id of a message.
pub(crate) fn id_of(datagram: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes([*datagram.first()?, *datagram.get(1)?]))
}

/// A decoded answer, before it is read for a name.
pub(crate) struct Decoded {
    pub(crate) rcode: Rcode,
    pub(crate) truncated: bool,
    authoritative: bool,
    pub(crate) answers: Vec<Record>,
    authority: Vec<Record>,
}

/// Decodes a message; the error names what is broken.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded> {
    let header_bits = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let truncated = header_bits(2) & 0x02 != 0;
    let rcode = Rcode(u16::from(header_bits(3) & 0x0f));
    if truncated {
        // What a cut message holds is not looked at: it is asked again over TCP.
        return Ok(Decoded { rcode, truncated, authoritative: false, answers: Vec::new(), authority: Vec::new() });
    }
    let message =
        Message::from_vec(bytes).map_err(|error| NetError::Protocol(format!("malformed DNS answer: {error}")))?;
    let rcode = Rcode(rcode.0 | message.edns.as_ref().map_or(0, |edns| u16::from(edns.rcode_high()) << 4));
    let read = |records: Vec<hickory_proto::rr::Record>| records.into_iter().map(read_record).collect();
    Ok(Decoded {
        rcode,
        truncated,
        authoritative: header_bits(2) & 0x04 != 0,
        answers: read(message.answers),
        authority: read(message.authorities),
    })
}

/// Follows the aliases of an answer from the name on and collects what is at their end.
pub(crate) fn read_answer(decoded: Decoded, name: &str, rtype: RecordType, server: SocketAddr) -> DnsAnswer {
    let mut answer = DnsAnswer {
        name: name.to_owned(),
        rtype,
        rcode: decoded.rcode,
        chain: Vec::new(),
        renamings: decoded.answers.iter().filter_map(renaming).take(DNS_CHAIN_MAX).collect(),
        endless: false,
        records: Vec::new(),
        cut: false,
        authority: None,
        referral: Vec::new(),
        referral_cut: false,
        denial: Vec::new(),
        authoritative: decoded.authoritative,
        ttl: DNS_TTL_MAX,
        server,
    };
    if rtype != RecordType::CNAME && rtype != RecordType::ANY {
        follow(&mut answer, &decoded.answers);
    }
    let owner = answer.canonical_name().to_owned();
    answer.records = decoded
        .answers
        .into_iter()
        .filter(|record| record.name == owner && (record.data.rtype() == rtype || rtype == RecordType::ANY))
        .collect();
    finish_records(&mut answer);
    for record in decoded.authority {
        match record.data {
            RecordData::Soa { .. } if answer.authority.is_none() => answer.authority = Some(record),
            RecordData::Ns(_) if answer.referral.len() < DNS_RECORDS_MAX => answer.referral.push(record),
            RecordData::Ns(_) => answer.referral_cut = true,
            RecordData::Other { rtype: RecordType::NSEC | RecordType::NSEC3, .. }
                if answer.denial.len() < DNS_RECORDS_MAX =>
            {
                answer.denial.push(record);
            }
            _ => {}
        }
    }
    set_ttl(&mut answer);
    answer
}

fn renaming(record: &Record) -> Option<Alias> {
    let RecordData::Dname(target) = &record.data else { return None };
    Some(Alias { name: record.name.clone(), target: target.clone(), ttl: record.ttl })
}

fn follow(answer: &mut DnsAnswer, records: &[Record]) {
    loop {
        let current = answer.canonical_name();
        let Some((alias, target)) = records.iter().find_map(|record| match &record.data {
            RecordData::Cname(target) if record.name == current => Some((record, target)),
            _ => None,
        }) else {
            return;
        };
        if !answer.follow(Alias { name: alias.name.clone(), target: target.clone(), ttl: alias.ttl }) {
            return;
        }
    }
}

/// Sorts, removes doubles (servers repeat records), cuts.
pub(crate) fn finish_records(answer: &mut DnsAnswer) {
    answer.records.sort_by(|a, b| (&a.data, &a.name, a.ttl).cmp(&(&b.data, &b.name, b.ttl)));
    answer.records.dedup_by(|a, b| a.data == b.data && a.name == b.name);
    answer.cut |= answer.records.len() > DNS_RECORDS_MAX;
    answer.records.truncate(DNS_RECORDS_MAX);
}

/// The least time for which every part of the answer holds.
pub(crate) fn set_ttl(answer: &mut DnsAnswer) {
    let records = answer.records.iter().map(|record| record.ttl);
    let aliases = answer.chain.iter().map(|alias| alias.ttl);
    let negative = match (&answer.authority, answer.records.is_empty()) {
        (Some(Record { data: RecordData::Soa { minimum, .. }, ttl, .. }), true) => {
            Some((*minimum).min(*ttl).min(DNS_NEGATIVE_TTL_MAX))
        }
        (_, true) => Some(0),
        _ => None,
    };
    answer.ttl = records.chain(aliases).chain(negative).min().unwrap_or(0).min(DNS_TTL_MAX);
}

fn read_record(record: hickory_proto::rr::Record) -> Record {
    let name = name_text(&record.name);
    let ttl = record.ttl;
    let data = match record.data {
        RData::A(address) => RecordData::A(address.0),
        RData::AAAA(address) => RecordData::Aaaa(address.0),
        RData::NS(name) => RecordData::Ns(name_text(&name.0)),
        RData::CNAME(name) => RecordData::Cname(name_text(&name.0)),
        RData::PTR(name) => RecordData::Ptr(name_text(&name.0)),
        RData::MX(mx) => RecordData::Mx { preference: mx.preference, exchange: name_text(&mx.exchange) },
        RData::TXT(text) => RecordData::Txt(text.txt_data.iter().map(|string| string.to_vec()).collect()),
        RData::SOA(soa) => RecordData::Soa {
            primary: name_text(&soa.mname),
            mailbox: name_text(&soa.rname),
            serial: soa.serial,
            refresh: soa.refresh,
            retry: soa.retry,
            expire: soa.expire,
            minimum: soa.minimum,
        },
        RData::SRV(srv) => RecordData::Srv {
            priority: srv.priority,
            weight: srv.weight,
            port: srv.port,
            target: name_text(&srv.target),
        },
        RData::CAA(caa) => {
            RecordData::Caa { critical: caa.issuer_critical, tag: caa.tag.to_ascii_lowercase(), value: caa.value }
        }
        other => service_data(&other).or_else(|| renaming_data(&other)).unwrap_or_else(|| as_it_came(&other)),
    };
    Record { name, data, ttl }
}

/// The target of a DNAME record, which is never compressed (RFC 6672 §2.5); `None` for other types, and for one that is
/// no name.
fn renaming_data(data: &RData) -> Option<RecordData> {
    match data {
        RData::Unknown { code: hickory_proto::rr::RecordType::DNAME, rdata } => {
            let target = hickory_proto::rr::Name::from_bytes(&rdata.anything).ok()?;
            Some(RecordData::Dname(name_text(&target)))
        }
        _ => None,
    }
}

/// The data of an HTTPS or SVCB record; `None` for other types, and where the data is against the rules.
fn service_data(data: &RData) -> Option<RecordData> {
    let (rtype, svcb) = match data {
        RData::HTTPS(https) => (RecordType::HTTPS, &https.0),
        RData::SVCB(svcb) => (RecordType::SVCB, svcb),
        _ => return None,
    };
    Some(RecordData::Service { rtype, binding: service::binding(svcb)? })
}

fn as_it_came(other: &RData) -> RecordData {
    let rtype = RecordType(u16::from(other.record_type()));
    let mut data = Vec::new();
    let encoded = other.emit(&mut BinEncoder::new(&mut data));
    // What was decoded can be encoded; where it cannot, the record is kept as one without data rather than dropped.
    if encoded.is_err() {
        data.clear();
    }
    RecordData::Other { rtype, data }
}
