//! Services that speak over UDP: for each the one smallest harmless datagram that makes it speak, and what in the
//! answer proves that it does. Nothing here sends. Each datagram carries fresh random bytes that its answer has to
//! repeat where the protocol has such, and asks for as little as the protocol knows.

use ambit_model::entity::network_service::Service;
use ambit_net::{AnswerFrom, Untrusted};

/// Random bytes that a datagram is made from.
pub(crate) type Chance = [u8; 16];

/// One datagram to one port.
pub(crate) struct Question {
    pub(crate) port: u16,
    pub(crate) service: Service,
    /// The datagram.
    pub(crate) asks: fn(&Chance) -> Vec<u8>,
    pub(crate) answers: AnswerFrom,
    /// What an answer shows; `None` for one that is no answer to the datagram.
    pub(crate) proof: fn(&Chance, &[u8]) -> Option<Proof>,
}

/// What an answer shows in addition to the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proof {
    /// What the service says of itself.
    pub(crate) says: String,
    /// It serves its data to anybody.
    pub(crate) is_open: bool,
}

/// Every question, by port. Ports that stand here more than once are asked until one question is answered.
pub(crate) const QUESTIONS: &[Question] = &[
    that(53, Service::Dns, dns, dns_proof),
    Question { answers: AnswerFrom::AnyPort, ..that(69, Service::Tftp, tftp, tftp_proof) },
    that(123, Service::Ntp, ntp, ntp_proof),
    that(137, Service::Netbios, netbios, netbios_proof),
    that(161, Service::Snmp, snmp_2c, snmp_community_proof),
    that(161, Service::Snmp, snmp_1, snmp_community_proof),
    that(161, Service::Snmp, snmp_3, snmp_engine_proof),
    that(443, Service::Quic, quic, quic_proof),
    that(500, Service::Ike, ike, ike_proof),
    Question { answers: AnswerFrom::AnyPort, ..that(1_900, Service::Ssdp, ssdp, ssdp_proof) },
    that(3_478, Service::Stun, stun, stun_proof),
    that(5_060, Service::Sip, sip, sip_proof),
    that(5_353, Service::Mdns, mdns, mdns_proof),
    that(5_683, Service::Coap, coap, coap_proof),
    that(11_211, Service::Memcached, memcached, memcached_proof),
];

/// Characters of what a service says of itself that are kept.
const SAYS_CHARS_MAX: usize = 256;

const fn that(
    port: u16,
    service: Service,
    asks: fn(&Chance) -> Vec<u8>,
    proof: fn(&Chance, &[u8]) -> Option<Proof>,
) -> Question {
    Question { port, service, asks, answers: AnswerFrom::ThatPort, proof }
}

/// Hostile bytes as a text of bounded length.
fn says(bytes: &[u8]) -> String {
    Untrusted::from_bytes(bytes).stored().trim().chars().take(SAYS_CHARS_MAX).collect()
}

fn spoken(says: &str) -> Option<Proof> {
    Some(Proof { says: says.to_owned(), is_open: false })
}

// ── DNS (RFC 1035 §4.1) ──

/// The name servers of the root, without recursion: whoever does not know them says so.
fn dns(chance: &Chance) -> Vec<u8> {
    [&chance[..2], b"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01"].concat()
}

/// The head of an answer with our number. Servers that refuse may leave the question out.
fn is_dns_answer(chance: &Chance, answer: &[u8]) -> bool {
    answer.len() >= 12 && answer[..2] == chance[..2] && answer[2] & 0xf8 == 0x80
}

fn dns_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    is_dns_answer(chance, answer).then(Proof::default)
}

// ── TFTP (RFC 1350 §5) ──

/// A read of a file that nobody has.
fn tftp(chance: &Chance) -> Vec<u8> {
    let name: String = chance[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\0\u{1}{name}\0octet\0").into_bytes()
}

/// An error with its text, or, of a server that has every file, the first block.
fn tftp_proof(_: &Chance, answer: &[u8]) -> Option<Proof> {
    match answer {
        [0, 5, 0, 0..=8, text @ .., 0] => Some(Proof { says: says(text), is_open: true }),
        [0, 3, 0, 1, block @ ..] if block.len() <= 512 => Some(Proof { says: String::new(), is_open: true }),
        _ => None,
    }
}

// ── NTP (RFC 5905 §7.3) ──

/// A client's question of version 4, with our number as its time.
fn ntp(chance: &Chance) -> Vec<u8> {
    let mut packet = vec![0; 48];
    packet[0] = 0x23;
    packet[40..].copy_from_slice(&chance[..8]);
    packet
}

/// A server's answer: it repeats our time.
fn ntp_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let is_answer = answer.len() >= 48 && answer[0] & 0x07 == 4 && answer[24..32] == chance[..8];
    is_answer
        .then(|| Proof { says: format!("version {}, stratum {}", answer[0] >> 3 & 0x07, answer[1]), is_open: false })
}

// ── NetBIOS name service (RFC 1002 §4.2.17) ──

/// The names of the node, by the name `*`.
fn netbios(chance: &Chance) -> Vec<u8> {
    let mut packet = [&chance[..2], b"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x20CK"].concat();
    packet.extend([b'A'; 30]);
    packet.extend(b"\x00\x00\x21\x00\x01");
    packet
}

/// The node's status: a count of names, each of 15 characters, a suffix and two flags.
fn netbios_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    const HEAD: usize = 12 + 34 + 10;
    let is_status = is_dns_answer(chance, answer) && answer.get(46..48) == Some(&[0x00, 0x21]);
    let names = answer.get(HEAD + 1..).filter(|_| is_status)?;
    let first = names.get(..15).map(says).unwrap_or_default();
    Some(Proof { says: first, is_open: true })
}

// ── SNMP (RFC 1157 §4, RFC 3416 §3, RFC 3412 §6) ──

/// An element of the Basic Encoding Rules of fewer than 128 bytes.
fn ber(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    debug_assert!(content.len() < 128, "the short form of a length");
    [&[tag, u8::try_from(content.len()).unwrap_or(0)], content.as_slice()].concat()
}

/// Our number, as a positive INTEGER.
fn number(chance: &Chance) -> Vec<u8> {
    ber(2, &[&[1 + chance[0] % 0x7f, chance[1], chance[2], chance[3]]])
}

/// The description of the system (`sysDescr.0`) with the community that devices are sold with.
fn snmp(chance: &Chance, version: u8) -> Vec<u8> {
    let variable = ber(0x30, &[&ber(6, &[&[0x2b, 6, 1, 2, 1, 1, 1, 0]]), &[5, 0]]);
    let request = ber(0xa0, &[&number(chance), &[2, 1, 0], &[2, 1, 0], &ber(0x30, &[&variable])]);
    ber(0x30, &[&[2, 1, version], &ber(4, &[b"public"]), &request])
}

fn snmp_1(chance: &Chance) -> Vec<u8> {
    snmp(chance, 0)
}

fn snmp_2c(chance: &Chance) -> Vec<u8> {
    snmp(chance, 1)
}

/// Version 3: who is there, without a user (RFC 3414 §4).
fn snmp_3(chance: &Chance) -> Vec<u8> {
    let head = ber(0x30, &[&number(chance), &[2, 2, 4, 0], &[4, 1, 4], &[2, 1, 3]]);
    let user = ber(4, &[&ber(0x30, &[&[4, 0], &[2, 1, 0], &[2, 1, 0], &[4, 0], &[4, 0], &[4, 0]])]);
    let request = ber(0xa0, &[&number(chance), &[2, 1, 0], &[2, 1, 0], &[0x30, 0]]);
    ber(0x30, &[&[2, 1, 3], &head, &user, &ber(0x30, &[&[4, 0], &[4, 0], &request])])
}

/// The first element: its tag, its content, and what follows.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&short, rest) = rest.split_first()?;
    let (length, rest) = match short {
        0..=0x7f => (usize::from(short), rest),
        0x81 | 0x82 => {
            let (digits, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
            (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content of the first element, if it has this tag, and what follows.
fn expect(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    element(bytes).filter(|(found, _, _)| *found == tag).map(|(_, content, rest)| (content, rest))
}

/// An answer to the community: with the description, or with an error, which only whoever took the community sends.
fn snmp_community_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let (message, _) = expect(answer, 0x30)?;
    let (_, rest) = expect(message, 2)?;
    let (community, rest) = expect(rest, 4)?;
    let (response, _) = expect(rest, 0xa2)?;
    let (id, rest) = expect(response, 2)?;
    if community != b"public" || id != &number(chance)[2..] {
        return None;
    }
    let (_, rest) = expect(rest, 2)?;
    let (_, rest) = expect(rest, 2)?;
    let variable = || expect(expect(expect(rest, 0x30)?.0, 0x30)?.0, 6);
    let described = variable().and_then(|(_, value)| expect(value, 4)).map(|(text, _)| says(text));
    Some(Proof { says: described.unwrap_or_default(), is_open: true })
}

/// A report of version 3 with our number, and with the number of the engine, which our question leaves empty.
fn snmp_engine_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let (message, _) = expect(answer, 0x30)?;
    let (version, rest) = expect(message, 2)?;
    let (head, rest) = expect(rest, 0x30)?;
    let (id, _) = expect(head, 2)?;
    let (security, _) = expect(rest, 4)?;
    let (engine, _) = expect(expect(security, 0x30)?.0, 4)?;
    let is_report = version == [3] && id == &number(chance)[2..] && !engine.is_empty();
    let engine: String = engine.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
    is_report.then(|| Proof { says: format!("version 3, engine {engine}"), is_open: false })
}

// ── QUIC (RFC 8999 §6, RFC 9000 §6) ──

/// Bytes that a first datagram of QUIC has at least (RFC 9000 §14.1): more than any answer.
const QUIC_BYTES: usize = 1_200;

/// A long header of a version that nobody speaks, so that the server names its own.
fn quic(chance: &Chance) -> Vec<u8> {
    let mut packet = [b"\xc0\x1a\x2a\x3a\x4a\x08", &chance[..8], b"\x08", &chance[8..]].concat();
    packet.resize(QUIC_BYTES, 0);
    packet
}

/// A negotiation of versions: version 0, and our two identifiers the other way round.
fn quic_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let head = [b"\x00\x00\x00\x00\x08", &chance[8..], b"\x08", &chance[..8]].concat();
    let (first, rest) = answer.split_first()?;
    let versions = rest.strip_prefix(head.as_slice()).filter(|versions| first & 0x80 != 0 && versions.len() >= 4)?;
    let name = |version: &[u8]| match version {
        [0, 0, 0, 1] => "1".to_owned(),
        other => other.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let names: Vec<String> = versions.chunks_exact(4).take(8).map(name).collect();
    spoken(&format!("versions {}", names.join(", ")))
}

// ── IKE (RFC 2408 §3, RFC 7296 §3.1) ──

/// Main mode with one proposal. A server that accepts none of it answers with an error.
fn ike(chance: &Chance) -> Vec<u8> {
    let attribute = |class: u8, value: u8| [0x80, class, 0, value];
    // 3DES, SHA-1, a shared key, group 2: what every implementation knows, and refuses or accepts.
    let transform =
        [[0, 0, 0, 24], [1, 1, 0, 0], attribute(1, 5), attribute(2, 2), attribute(3, 1), attribute(4, 2)].concat();
    let proposal = [&[0, 0, 0, 32, 1, 1, 0, 1], transform.as_slice()].concat();
    let association = [&[0, 0, 0, 44, 0, 0, 0, 1, 0, 0, 0, 1], proposal.as_slice()].concat();
    let head = [&chance[..8], &[0; 8], &[1, 0x10, 2, 0], &[0; 4], &[0, 0, 0, 72]].concat();
    [head, association].concat()
}

/// A message of the exchange that we began, of the length that it says.
fn ike_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let major = answer.get(17).map(|version| version >> 4)?;
    let length = u32::from_be_bytes(answer.get(24..28)?.try_into().ok()?);
    // Ours has no number of the other side.
    let is_answer = answer[..8] == chance[..8] && answer[8..16] != [0; 8] && matches!(major, 1 | 2);
    let is_answer = is_answer && u32::try_from(answer.len()) == Ok(length);
    is_answer.then(|| Proof { says: format!("version {major}"), is_open: false })
}

// ── SSDP (UPnP Device Architecture 2.0 §1.3) ──

fn ssdp(_: &Chance) -> Vec<u8> {
    b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\n\
      ST: upnp:rootdevice\r\n\r\n"
        .to_vec()
}

fn ssdp_proof(_: &Chance, answer: &[u8]) -> Option<Proof> {
    let text = String::from_utf8_lossy(answer);
    let header = |name: &str| {
        let (_, value) = text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == name)?;
        Some(says(value.as_bytes()))
    };
    let is_answer = text.starts_with("HTTP/1.1 200") && text.to_ascii_uppercase().contains("\r\nUSN:");
    is_answer.then(|| Proof { says: header("SERVER").or_else(|| header("Server")).unwrap_or_default(), is_open: true })
}

// ── STUN (RFC 8489 §5) ──

const STUN_COOKIE: &[u8] = b"\x21\x12\xa4\x42";

fn stun(chance: &Chance) -> Vec<u8> {
    [b"\x00\x01\x00\x00", STUN_COOKIE, &chance[..12]].concat()
}

/// A success or an error with our number.
fn stun_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let is_answer = matches!(answer, [1, 0x01 | 0x11, ..])
        && answer.get(4..8) == Some(STUN_COOKIE)
        && answer.get(8..20) == Some(&chance[..12]);
    is_answer.then(Proof::default)
}

// ── SIP (RFC 3261 §11) ──

fn sip(chance: &Chance) -> Vec<u8> {
    let tag: String = chance[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "OPTIONS sip:ambit.invalid SIP/2.0\r\nVia: SIP/2.0/UDP ambit.invalid;branch=z9hG4bK{tag};rport\r\n\
         Max-Forwards: 70\r\nFrom: <sip:ambit@ambit.invalid>;tag={tag}\r\nTo: <sip:ambit.invalid>\r\n\
         Call-ID: {tag}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n"
    )
    .into_bytes()
}

fn sip_proof(_: &Chance, answer: &[u8]) -> Option<Proof> {
    let text = String::from_utf8_lossy(answer);
    let mut lines = text.lines();
    lines.next()?.strip_prefix("SIP/2.0 ")?;
    let product = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("server") || name.trim().eq_ignore_ascii_case("user-agent"));
    Some(Proof { says: product.map(|(_, value)| says(value.as_bytes())).unwrap_or_default(), is_open: false })
}

// ── mDNS (RFC 6762 §5.5, RFC 6763 §9) ──

/// The types of services that are there.
fn mdns(chance: &Chance) -> Vec<u8> {
    let head = [&chance[..2], b"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"].concat();
    [head.as_slice(), b"\x09_services\x07_dns-sd\x04_udp\x05local\x00\x00\x0c\x00\x01"].concat()
}

/// An answer with records; its number may be 0.
fn mdns_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let is_ours = is_dns_answer(chance, answer) || (answer.starts_with(&[0, 0]) && answer.get(2) == Some(&0x84));
    let records = answer.get(6..8).is_some_and(|count| count != [0, 0]);
    (is_ours && records).then(|| Proof { says: String::new(), is_open: true })
}

// ── CoAP (RFC 7252 §4.3) ──

/// An empty message that wants to be confirmed.
fn coap(chance: &Chance) -> Vec<u8> {
    vec![0x40, 0, chance[0], chance[1]]
}

/// The reset that answers it.
fn coap_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    (answer == [0x70, 0, chance[0], chance[1]]).then(Proof::default)
}

// ── memcached (its protocol.txt, "UDP protocol") ──

fn memcached(chance: &Chance) -> Vec<u8> {
    [&chance[..2], b"\x00\x00\x00\x01\x00\x00version\r\n"].concat()
}

fn memcached_proof(chance: &Chance, answer: &[u8]) -> Option<Proof> {
    let text = answer.strip_prefix(&chance[..2])?.get(6..)?.strip_prefix(b"VERSION ")?;
    Some(Proof { says: format!("version {}", says(text)), is_open: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANCE: Chance = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 1, 2, 3, 4, 5, 6, 7];

    fn proof(port: u16, answer: &[u8]) -> Option<Proof> {
        QUESTIONS.iter().filter(|question| question.port == port).find_map(|question| (question.proof)(&CHANCE, answer))
    }

    /// Answers as the protocols' texts write them.
    fn answers() -> Vec<(u16, Vec<u8>, &'static str, bool)> {
        let mut ntp_answer = vec![0; 48];
        (ntp_answer[0], ntp_answer[1]) = (0x24, 2);
        ntp_answer[24..32].copy_from_slice(&CHANCE[..8]);
        let mut names = netbios(&CHANCE)[..46].to_vec();
        (names[2], names[5], names[7]) = (0x84, 0, 1);
        names.extend(b"\x00\x21\x00\x01\x00\x00\x00\x00\x00\x13\x01FILES          \x00\x04\x00");
        let description = ber(0x30, &[&ber(6, &[&[0x2b, 6, 1, 2, 1, 1, 1, 0]]), &ber(4, &[b"Router OS 7"])]);
        let list = ber(0x30, &[&description]);
        let response = ber(0xa2, &[&number(&CHANCE), &[2, 1, 0], &[2, 1, 0], &list]);
        let snmp_answer = ber(0x30, &[&[2, 1, 1], &ber(4, &[b"public"]), &response]);
        let head = ber(0x30, &[&number(&CHANCE), &[2, 2, 4, 0], &[4, 1, 0], &[2, 1, 3]]);
        let user = ber(4, &[&ber(0x30, &[&ber(4, &[&[0x80, 0, 0x1f]]), &[2, 1, 1], &[2, 1, 1]])]);
        let report = ber(0x30, &[&[2, 1, 3], &head, &user, &[0x30, 0]]);
        let versions = [b"\x8a\x00\x00\x00\x00\x08", &CHANCE[8..], b"\x08", &CHANCE[..8], b"\x00\x00\x00\x01"].concat();
        let refusal = [&CHANCE[..8], &[9; 8], &[11, 0x10, 5, 0], &[0; 4], &[0, 0, 0, 28]].concat();
        vec![
            (53, [&CHANCE[..2], b"\x80\x05\x00\x01\x00\x00\x00\x00\x00\x00"].concat(), "", false),
            (69, b"\x00\x05\x00\x01File not found\x00".to_vec(), "File not found", true),
            (123, ntp_answer, "version 4, stratum 2", false),
            (137, names, "FILES", true),
            (161, snmp_answer, "Router OS 7", true),
            (161, report, "version 3, engine 80001f", false),
            (443, versions, "versions 1", false),
            (500, refusal, "version 1", false),
            (
                1_900,
                b"HTTP/1.1 200 OK\r\nSERVER: Linux UPnP/1.0\r\nUSN: uuid:1\r\n\r\n".to_vec(),
                "Linux UPnP/1.0",
                true,
            ),
            (3_478, [b"\x01\x01\x00\x00", STUN_COOKIE, &CHANCE[..12]].concat(), "", false),
            (5_060, b"SIP/2.0 200 OK\r\nServer: Gate 1\r\n\r\n".to_vec(), "Gate 1", false),
            (5_353, b"\x00\x00\x84\x00\x00\x00\x00\x01\x00\x00\x00\x00".to_vec(), "", true),
            (5_683, vec![0x70, 0, 0x11, 0x22], "", false),
            (11_211, b"\x11\x22\x00\x00\x00\x01\x00\x00VERSION 1.6.21\r\n".to_vec(), "version 1.6.21", true),
        ]
    }

    #[test]
    fn an_answer_proves_its_protocol_and_no_other() {
        for (port, answer, says, is_open) in answers() {
            let expected = Proof { says: says.to_owned(), is_open };
            assert_eq!(proof(port, &answer), Some(expected), "{port}");
            for other in QUESTIONS.iter().filter(|other| other.port != port) {
                // Names and DNS share a format, and mDNS is DNS.
                let alike = |port| matches!(port, 53 | 137 | 5_353);
                if !(alike(port) && alike(other.port)) {
                    assert_eq!((other.proof)(&CHANCE, &answer), None, "{port} is not {}", other.port);
                }
            }
        }
    }

    #[test]
    fn what_is_cut_foreign_or_our_own_is_no_proof() {
        for (port, answer, ..) in answers() {
            for question in QUESTIONS.iter().filter(|question| question.port == port) {
                assert_eq!((question.proof)(&CHANCE, &(question.asks)(&CHANCE)), None, "{port}: an echo");
                // No length of a prefix panics.
                (0..answer.len()).for_each(|length| drop((question.proof)(&CHANCE, &answer[..length])));
                let other = [0xee; 16];
                let repeats = !matches!(port, 69 | 1_900 | 5_060 | 5_353);
                assert!(!repeats || (question.proof)(&other, &answer).is_none(), "{port}: another's answer");
            }
            assert_eq!(proof(port, b""), None, "{port}");
        }
    }

    #[test]
    fn datagrams_are_small_and_every_protocol_is_asked() {
        for question in QUESTIONS {
            let length = (question.asks)(&CHANCE).len();
            assert!(length <= if question.port == 443 { QUIC_BYTES } else { 400 }, "{}: {length}", question.port);
        }
        assert!(QUESTIONS.windows(2).all(|pair| pair[0].port <= pair[1].port));
        assert_eq!(ike(&CHANCE).len(), 72, "as its head says");
    }
}
