//! Services that answer datagrams, as their specifications say. What is no question of the protocol is not answered.

use crate::draft::Datagram;

/// The identifier of the SNMP engines of every world (RFC 3411 §5, SnmpEngineID: an enterprise's number and a text).
const ENGINE: &[u8] = b"\x80\x00\x00\x00\x04world";
/// `sysDescr.0`.
const DESCRIPTION: &[u8] = &[6, 8, 0x2b, 6, 1, 2, 1, 1, 1, 0];
/// `usmStatsUnknownEngineIDs.0` (RFC 3414 §5).
const UNKNOWN_ENGINES: &[u8] = &[6, 10, 0x2b, 6, 1, 6, 3, 15, 1, 1, 4, 0];

/// What a service answers to a datagram; `None`: silence.
pub(crate) fn answer(service: &Datagram, asked: &[u8]) -> Option<Vec<u8>> {
    match service {
        Datagram::Silent => None,
        Datagram::Coap => match asked {
            // An empty confirmable message is answered with a reset.
            [0x40, 0, id @ ..] if id.len() == 2 => Some([&[0x70, 0], id].concat()),
            _ => None,
        },
        Datagram::Ike => ike(asked),
        Datagram::Mdns => {
            let question = asked.get(12..).filter(|rest| rest.starts_with(b"\x09_services\x07_dns-sd\x04_udp"))?;
            let record = b"\xc0\x0c\x00\x0c\x00\x01\x00\x00\x00\x0a\x00\x0c\x04_ipp\x04_tcp\xc0\x23";
            Some([&asked[..2], b"\x84\x00\x00\x01\x00\x01\x00\x00\x00\x00", question, record].concat())
        }
        Datagram::Memcached => {
            let id = asked.get(..2)?;
            asked.get(8..)?.starts_with(b"version\r\n").then(|| [id, b"\0\0\0\x01\0\0VERSION 1.6.21\r\n"].concat())
        }
        Datagram::Netbios => {
            let name = asked.get(12..46).filter(|name| name.starts_with(b"\x20CKAAAA"))?;
            let tail = b"\x00\x21\x00\x01\x00\x00\x00\x00\x00\x41\x01FILES          \x00\x04\x00";
            let head = [&asked[..2], b"\x84\x00\x00\x00\x00\x01\x00\x00\x00\x00", name].concat();
            Some([head.as_slice(), tail, &[0; 46]].concat())
        }
        Datagram::Ntp => {
            let ours = asked.get(40..48).filter(|_| asked.len() == 48 && asked[0] & 0x07 == 3)?;
            let mut packet = vec![0; 48];
            (packet[0], packet[1]) = (asked[0] & 0x38 | 4, 2);
            packet[24..32].copy_from_slice(ours);
            Some(packet)
        }
        Datagram::Quic => quic(asked),
        Datagram::Sip(product) => {
            let text = std::str::from_utf8(asked).ok().filter(|text| text.starts_with("OPTIONS "))?;
            let copied = text
                .lines()
                .filter(|line| ["Via:", "From:", "To:", "Call-ID:", "CSeq:"].iter().any(|name| line.starts_with(name)));
            let copied: String = copied.map(|line| format!("{line}\r\n")).collect();
            Some(format!("SIP/2.0 200 OK\r\n{copied}Server: {product}\r\nContent-Length: 0\r\n\r\n").into_bytes())
        }
        Datagram::Snmp { community, description } => snmp(asked, community, description),
        Datagram::Ssdp => asked.starts_with(b"M-SEARCH * HTTP/1.1\r\n").then(|| {
            b"HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\nLOCATION: http://192.168.1.1/root.xml\r\n\
              SERVER: Linux/5.10 UPnP/1.0 Gateway/1.0\r\nST: upnp:rootdevice\r\nUSN: uuid:1::upnp:rootdevice\r\n\r\n"
                .to_vec()
        }),
        Datagram::Stun => {
            let id = asked.get(8..20).filter(|_| asked.starts_with(b"\x00\x01\x00\x00\x21\x12\xa4\x42"))?;
            Some([b"\x01\x01\x00\x00\x21\x12\xa4\x42", id].concat())
        }
        Datagram::Tftp => {
            let mode = asked.strip_prefix(b"\x00\x01")?.split(|byte| *byte == 0).nth(1)?;
            mode.eq_ignore_ascii_case(b"octet").then(|| b"\x00\x05\x00\x01File not found\x00".to_vec())
        }
    }
}

/// Refuses every proposal of main mode (RFC 2408 §5.4): NO-PROPOSAL-CHOSEN of the protocol ISAKMP.
fn ike(asked: &[u8]) -> Option<Vec<u8>> {
    let cookie = asked.get(..8).filter(|_| asked.len() >= 28 && asked[17..19] == [0x10, 2])?;
    let head = [cookie, &[0x77; 8], &[11, 0x10, 5, 0], &[0, 0, 0, 1], &[0, 0, 0, 40]].concat();
    Some([head.as_slice(), &[0, 0, 0, 12, 0, 0, 0, 1, 1, 0, 0, 14]].concat())
}

/// Answers another version with the versions that it supports (RFC 9000 §6.1).
fn quic(asked: &[u8]) -> Option<Vec<u8>> {
    let (first, rest) = asked.split_first().filter(|(first, _)| asked.len() >= 1_200 && **first & 0x80 != 0)?;
    let (version, rest) = rest.split_at_checked(4)?;
    let (length, rest) = rest.split_first()?;
    let (to, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, rest) = rest.split_first()?;
    let from = rest.get(..usize::from(*length))?;
    let lengths = (u8::try_from(from.len()).ok()?, u8::try_from(to.len()).ok()?);
    let answer = [&[first | 0x40, 0, 0, 0, 0, lengths.0], from, &[lengths.1], to, &[0, 0, 0, 1]].concat();
    (version != [0, 0, 0, 1]).then_some(answer)
}

/// An element of the Basic Encoding Rules.
fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u8::try_from(content.len()).unwrap_or(u8::MAX);
    let head: &[u8] = if length < 0x80 { &[tag, length] } else { &[tag, 0x81, length] };
    [head, content.as_slice()].concat()
}

/// The content of the first element, and what follows; only short ones are asked.
fn content(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(2)?;
    (head[0] == tag && head[1] < 0x80).then(|| rest.split_at_checked(usize::from(head[1])))?
}

/// Sends its description to requests with the community, and its engine id to all.
fn snmp(asked: &[u8], community: &str, description: &str) -> Option<Vec<u8>> {
    let (message, _) = content(asked, 0x30)?;
    let (version, rest) = content(message, 2)?;
    if version == [3] {
        let (head, _) = content(rest, 0x30)?;
        let (id, _) = content(head, 2)?;
        let head = element(0x30, &[&element(2, &[id]), &[2, 2, 4, 0], &[4, 1, 0], &[2, 1, 3]]);
        let user = element(0x30, &[&element(4, &[ENGINE]), &[2, 1, 1], &[2, 1, 1], &[4, 0], &[4, 0], &[4, 0]]);
        let counter = element(0x30, &[&element(0x30, &[UNKNOWN_ENGINES, &[0x41, 1, 1]])]);
        let report = element(0xa8, &[&element(2, &[id]), &[2, 1, 0], &[2, 1, 0], &counter]);
        let scoped = element(0x30, &[&element(4, &[ENGINE]), &[4, 0], &report]);
        return Some(element(0x30, &[&[2, 1, 3], &head, &element(4, &[&user]), &scoped]));
    }
    let (given, rest) = content(rest, 4)?;
    let (request, _) = content(rest, 0xa0)?;
    let (id, _) = content(request, 2)?;
    let value = element(0x30, &[&element(0x30, &[DESCRIPTION, &element(4, &[description.as_bytes()])])]);
    let response = element(0xa2, &[&element(2, &[id]), &[2, 1, 0], &[2, 1, 0], &value]);
    let answer = element(0x30, &[&element(2, &[version]), &element(4, &[given]), &response]);
    (given == community.as_bytes()).then_some(answer)
}
