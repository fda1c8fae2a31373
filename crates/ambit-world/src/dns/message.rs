//! DNS messages in bytes: questions in, answers out. Written by hand, because a simulated server must also be able to
//! misbehave.

use super::hashed;
use crate::draft::{Binding, Data};
use ambit_net::dns::RecordType;
use std::net::IpAddr;
use std::time::Duration;

/// Size of a UDP answer without EDNS, in bytes (RFC 1035 §4.2.1).
const PLAIN_UDP_BYTES: usize = 512;
/// Largest UDP answer, whatever the asker offers, in bytes: what servers allow since 2020, so that nothing is
/// fragmented.
const UDP_BYTES_MAX: usize = 1_232;
/// Largest message, in bytes.
pub(crate) const MESSAGE_BYTES_MAX: usize = 65_535;

/// A response code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rcode {
    #[default]
    NoError = 0,
    ServFail = 2,
    NxDomain = 3,
    Refused = 5,
    /// The name that another becomes by a DNAME record is too long.
    YxDomain = 6,
}

/// A question, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    id: u16,
    recursion_desired: bool,
    /// The question's bytes as they came: mixed case is echoed.
    raw: Vec<u8>,
    /// In small letters, without the trailing dot.
    pub name: String,
    pub rtype: RecordType,
    /// Another class than IN.
    pub foreign_class: bool,
    /// The UDP size that the asker offers, if it speaks EDNS.
    edns: Option<usize>,
    /// The asker wants the records that prove an answer (RFC 3225).
    pub dnssec: bool,
}

/// A server's answer before it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub rcode: Rcode,
    pub authoritative: bool,
    pub recursive: bool,
    /// Cut over UDP, whatever its size.
    pub truncated: bool,
    pub answers: Vec<(String, u32, Data)>,
    pub authority: Vec<(String, u32, Data)>,
    pub additional: Vec<(String, u32, Data)>,
    /// Nothing is sent.
    pub silent: bool,
    /// Bytes that are no message are sent.
    pub garbage: bool,
    /// Sent so much later.
    pub delay: Duration,
}

impl Answer {
    /// The response code and the answering records, in words.
    pub(crate) fn words(&self) -> String {
        if self.silent {
            return "silent".to_owned();
        }
        let code = match self.rcode {
            Rcode::NoError => "NOERROR",
            Rcode::ServFail => "SERVFAIL",
            Rcode::NxDomain => "NXDOMAIN",
            Rcode::Refused => "REFUSED",
            Rcode::YxDomain => "YXDOMAIN",
        };
        let records = self.answers.iter().map(|(owner, _, data)| match data {
            Data::A(address) => format!("; {owner} A {address}"),
            Data::Aaaa(address) => format!("; {owner} AAAA {address}"),
            Data::Cname(name) | Data::Dname(name) | Data::Ns(name) | Data::Ptr(name) | Data::Mx(_, name) => {
                format!("; {owner} {} {name}", data.rtype())
            }
            _ => format!("; {owner} {}", data.rtype()),
        });
        [code.to_owned()].into_iter().chain(records).collect()
    }

    pub(crate) fn new(rcode: Rcode) -> Self {
        Self { rcode, ..Self::default() }
    }

    pub(crate) fn silent() -> Self {
        Self { silent: true, ..Self::default() }
    }
}

/// Reads a query; `None` for what is none: such bytes get no answer.
pub(crate) fn read(bytes: &[u8]) -> Option<Question> {
    let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let (id, flags, questions) = (word(0)?, word(2)?, word(4)?);
    if flags & 0x8000 != 0 || questions != 1 {
        return None;
    }
    let mut at = 12;
    let mut name = String::new();
    loop {
        let length = usize::from(*bytes.get(at)?);
        if length == 0 {
            break;
        }
        if length > 63 || name.len() + length > 255 {
            return None;
        }
        let label = bytes.get(at + 1..at + 1 + length)?;
        if !name.is_empty() {
            name.push('.');
        }
        // Bytes outside ASCII match no name of a file, which is all that matters here.
        name.extend(label.iter().map(|b| char::from(b.to_ascii_lowercase())));
        at += 1 + length;
    }
    let end = at + 5;
    let (rtype, class) = (word(at + 1)?, word(at + 3)?);
    let has_options = bytes.get(end) == Some(&0) && word(end + 1) == Some(41);
    Some(Question {
        id,
        recursion_desired: flags & 0x0100 != 0,
        raw: bytes.get(12..end)?.to_vec(),
        name,
        rtype: RecordType(rtype),
        foreign_class: class != 1,
        edns: if has_options { word(end + 3).map(usize::from) } else { None },
        dnssec: has_options && word(end + 7).is_some_and(|flags| flags & 0x8000 != 0),
    })
}

/// Writes an answer. Over UDP, what does not fit is cut: an empty answer with the truncation flag.
pub(crate) fn write(question: &Question, answer: &Answer, over_udp: bool) -> Vec<u8> {
    if answer.garbage {
        return vec![0xff; 7];
    }
    let whole = encode(question, answer, false);
    let room = question.edns.map_or(PLAIN_UDP_BYTES, |size| size.clamp(PLAIN_UDP_BYTES, UDP_BYTES_MAX));
    let too_long = whole.len() > if over_udp { room } else { MESSAGE_BYTES_MAX };
    if (over_udp && answer.truncated) || too_long {
        let empty = Answer { answers: Vec::new(), authority: Vec::new(), additional: Vec::new(), ..answer.clone() };
        encode(question, &empty, true)
    } else {
        whole
    }
}

fn encode(question: &Question, answer: &Answer, truncated: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let flag = |set: bool, bit: u16| if set { bit } else { 0 };
    let flags = 0x8000
        | flag(answer.authoritative, 0x0400)
        | flag(truncated, 0x0200)
        | flag(question.recursion_desired, 0x0100)
        | flag(answer.recursive, 0x0080)
        | answer.rcode as u16;
    let count = |records: usize| u16::try_from(records).unwrap_or(u16::MAX);
    let options = usize::from(question.edns.is_some());
    for word in [
        question.id,
        flags,
        1,
        count(answer.answers.len()),
        count(answer.authority.len()),
        count(answer.additional.len() + options),
    ] {
        out.extend(word.to_be_bytes());
    }
    out.extend(&question.raw);
    for (owner, ttl, data) in answer.answers.iter().chain(&answer.authority).chain(&answer.additional) {
        record(&mut out, question, owner, *ttl, data);
    }
    if question.edns.is_some() {
        out.extend([0, 0, 41]);
        out.extend(u16::try_from(UDP_BYTES_MAX).unwrap_or(u16::MAX).to_be_bytes());
        out.extend([0; 6]);
    }
    out
}

fn record(out: &mut Vec<u8>, question: &Question, owner: &str, ttl: u32, data: &Data) {
    if owner == question.name {
        out.extend([0xc0, 12]);
    } else {
        name(out, owner);
    }
    out.extend(data.rtype().0.to_be_bytes());
    out.extend(1u16.to_be_bytes());
    out.extend(ttl.to_be_bytes());
    let mut body = Vec::new();
    match data {
        Data::A(address) => body.extend(address.octets()),
        Data::Aaaa(address) => body.extend(address.octets()),
        Data::Cname(target) | Data::Dname(target) | Data::Ns(target) | Data::Ptr(target) => name(&mut body, target),
        Data::Mx(preference, target) => {
            body.extend(preference.to_be_bytes());
            name(&mut body, target);
        }
        Data::Txt(text) => {
            for part in text.chunks(255).chain(text.is_empty().then_some(&[][..])) {
                string(&mut body, part);
            }
        }
        Data::Srv(priority, weight, port, target) => {
            for word in [priority, weight, port] {
                body.extend(word.to_be_bytes());
            }
            name(&mut body, target);
        }
        Data::Caa(flags, tag, value) => {
            body.push(*flags);
            string(&mut body, tag.as_bytes());
            body.extend(value.as_bytes());
        }
        Data::Ds(tag, algorithm, digest, bytes) => {
            body.extend(tag.to_be_bytes());
            body.extend([*algorithm, *digest]);
            body.extend(bytes);
        }
        Data::Binding(_, binding) => service(&mut body, binding),
        Data::Raw(_, bytes) => body.extend(bytes),
        Data::Nsec(next, types) => {
            name(&mut body, next);
            bitmap(&mut body, types);
        }
        Data::Nsec3(next, types) => {
            body.extend(hashed::HEAD);
            body.push(u8::try_from(next.len()).unwrap_or(u8::MAX));
            body.extend(next);
            bitmap(&mut body, types);
        }
        Data::Soa(server, mailbox, serial) => {
            name(&mut body, server);
            name(&mut body, mailbox);
            for number in [*serial, 7_200, 3_600, 1_209_600, 300] {
                body.extend(number.to_be_bytes());
            }
        }
    }
    out.extend(u16::try_from(body.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend(body);
}

/// Priority, target and parameters, by their ascending keys (RFC 9460 §2.2, §14.3.2).
fn service(out: &mut Vec<u8>, binding: &Binding) {
    out.extend(binding.priority.to_be_bytes());
    name(out, &binding.target);
    let mut alpn = Vec::new();
    for protocol in &binding.alpn {
        string(&mut alpn, protocol.as_bytes());
    }
    let (mut four, mut six) = (Vec::new(), Vec::new());
    for hint in &binding.hints {
        match hint {
            IpAddr::V4(hint) => four.extend(hint.octets()),
            IpAddr::V6(hint) => six.extend(hint.octets()),
        }
    }
    let port = binding.port.map(|port| port.to_be_bytes().to_vec()).unwrap_or_default();
    // A list of configurations without any.
    let ech = if binding.ech { vec![0, 0] } else { Vec::new() };
    for (key, value) in [(1_u16, alpn), (3, port), (4, four), (5, ech), (6, six)] {
        if !value.is_empty() {
            out.extend(key.to_be_bytes());
            out.extend(u16::try_from(value.len()).unwrap_or(u16::MAX).to_be_bytes());
            out.extend(value);
        }
    }
}

/// Types as windows of 256 (RFC 4034 §4.1.2); the types are sorted.
fn bitmap(out: &mut Vec<u8>, types: &[u16]) {
    for window in types.chunk_by(|a, b| a >> 8 == b >> 8) {
        let mut bits = [0_u8; 32];
        for rtype in window {
            let low = usize::from(rtype & 0xff);
            bits[low / 8] |= 0x80 >> (low % 8);
        }
        let length = bits.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        out.push(window.first().map_or(0, |rtype| (rtype >> 8).to_be_bytes()[1]));
        string(out, &bits[..length]);
    }
}

fn name(out: &mut Vec<u8>, name: &str) {
    for label in name.split('.').filter(|label| !label.is_empty()) {
        string(out, label.as_bytes());
    }
    out.push(0);
}

/// A length and at most 255 bytes.
fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(255)];
    out.push(u8::try_from(bytes.len()).expect("cut to 255"));
    out.extend(bytes);
}
