//! Service bindings: the data of HTTPS and SVCB records (RFC 9460).

use super::text::{name_text, write_bytes};
use crate::limits::DNS_SERVICE_ITEMS_MAX;
use hickory_proto::rr::rdata::svcb::{SVCB, SvcParamKey, SvcParamValue};
use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

/// Where a service is to be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceBinding {
    /// Zero: the owner is an alias of the target, and the record says nothing else.
    pub priority: u16,
    /// The host that serves; empty: the owner itself, or of an alias that there is no such service.
    pub target: String,
    /// Protocols inside TLS.
    pub alpn: Vec<String>,
    /// Another port than the custom of the service.
    pub port: Option<u16>,
    /// Addresses that may be tried before the target's own are known, ascending.
    pub hints: Vec<IpAddr>,
    /// It holds keys to encrypt the beginning of a handshake with.
    pub ech: bool,
}

/// Reads what was decoded; `None` where the data is against the rules.
pub(super) fn binding(svcb: &SVCB) -> Option<ServiceBinding> {
    let (priority, target) = (svcb.svc_priority, name_text(&svcb.target_name));
    let mut binding = ServiceBinding { priority, target, ..ServiceBinding::default() };
    // The parameters of an alias are ignored (RFC 9460 §2.4.2).
    let params: &[(SvcParamKey, SvcParamValue)] = if priority == 0 { &[] } else { &svcb.svc_params };
    let mut hints = BTreeSet::new();
    for (_, value) in params {
        match value {
            SvcParamValue::Mandatory(mandatory) if !holds(&mandatory.0, params) => return None,
            SvcParamValue::Ipv4Hint(given) if given.0.is_empty() => return None,
            SvcParamValue::Ipv6Hint(given) if given.0.is_empty() => return None,
            SvcParamValue::Alpn(alpn) => binding.alpn = alpn.0.iter().take(DNS_SERVICE_ITEMS_MAX).cloned().collect(),
            SvcParamValue::Port(port) => binding.port = Some(*port),
            SvcParamValue::Ipv4Hint(given) => hints.extend(given.0.iter().map(|hint| IpAddr::V4(hint.0))),
            SvcParamValue::Ipv6Hint(given) => hints.extend(given.0.iter().map(|hint| IpAddr::V6(hint.0))),
            SvcParamValue::EchConfigList(_) => binding.ech = true,
            _ => {}
        }
    }
    binding.hints = hints.into_iter().take(DNS_SERVICE_ITEMS_MAX).collect();
    Some(binding)
}

/// Keys that whoever uses the record must know are there, ascend, and are not the list itself (RFC 9460 §8).
fn holds(mandatory: &[SvcParamKey], params: &[(SvcParamKey, SvcParamValue)]) -> bool {
    let is_there = |key: &SvcParamKey| *key != SvcParamKey::Mandatory && params.iter().any(|(known, _)| known == key);
    mandatory.iter().all(is_there) && mandatory.windows(2).all(|pair| u16::from(pair[0]) < u16::from(pair[1]))
}

impl fmt::Display for ServiceBinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.priority, if self.target.is_empty() { "." } else { &self.target })?;
        if !self.alpn.is_empty() {
            f.write_str(" alpn=\"")?;
            write_bytes(f, self.alpn.join(",").as_bytes())?;
            f.write_str("\"")?;
        }
        if let Some(port) = self.port {
            write!(f, " port={port}")?;
        }
        for hint in &self.hints {
            write!(f, " hint={hint}")?;
        }
        f.write_str(if self.ech { " ech" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::decode;
    use super::super::record::RecordType;

    /// What an answer with one record of the type and data says of it; `None` where it is no answer.
    fn said(rtype: RecordType, data: &str) -> Option<String> {
        let data = hex::decode(data.replace(' ', "")).unwrap();
        let mut bytes = vec![0, 1, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0];
        bytes.extend(rtype.0.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 0, 60]);
        bytes.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend(data);
        let answers = decode(&bytes).ok()?.answers;
        assert_eq!(answers[0].data.rtype(), rtype);
        Some(answers[0].data.to_string())
    }

    const COM: &str = "03666f6f 076578616d706c65 03636f6d 00";
    const ORG: &str = "03666f6f 076578616d706c65 036f7267 00";

    /// The bytes of RFC 9460 appendix D, and more of their kind.
    #[test]
    fn data_is_read_as_the_vectors_of_the_rfc_have_it() {
        let v6 = "20010db8000000000000000000000001 20010db8000000000000000000530001";
        for (data, expected) in [
            (format!("0000 {COM}"), "0 foo.example.com"),
            ("0001 00".to_owned(), "1 ."),
            (format!("0010 {COM} 0003 0002 0035"), "16 foo.example.com port=53"),
            (format!("0001 {COM} 029b 0005 68656c6c6f"), "1 foo.example.com"),
            (format!("0001 {COM} 029b 0009 68656c6c6fd2716f6f"), "1 foo.example.com"),
            (format!("0001 {COM} 0006 0020 {v6}"), "1 foo.example.com hint=2001:db8::1 hint=2001:db8::53:1"),
            (
                format!("0010 {ORG} 0000 0004 00010004 0001 0009 026832 0568332d3139 0004 0004 c0000201"),
                "16 foo.example.org alpn=\"h2,h3-19\" hint=192.0.2.1",
            ),
            (format!("0010 {ORG} 0001 000c 08665c6f6f2c626172 026832"), "16 foo.example.org alpn=\"f\\\\oo,bar,h2\""),
            ("0001 00 0005 0003 abcdef".to_owned(), "1 . ech"),
            // An alias says nothing else.
            (format!("0000 {COM} 0003 0002 0035"), "0 foo.example.com"),
        ] {
            for rtype in [RecordType::HTTPS, RecordType::SVCB] {
                assert_eq!(said(rtype, &data).as_deref(), Some(expected), "{data}");
            }
        }
    }

    #[test]
    fn data_against_the_rules_says_nothing() {
        let is_read = |data: &str| said(RecordType::HTTPS, data).filter(|text| !text.starts_with("\\#"));
        for data in [
            // Keys twice, descending, cut short; no protocol, a protocol beyond the end, no address, half an address.
            "0001 00 0003 0002 0035 0003 0002 0035",
            "0001 00 0003 0002 0035 0001 0003 026832",
            "0001 00 0003 0009 0035",
            "0001 00 0003 0001 35",
            "0001 00 0003",
            "0001",
            "0001 00 0001 0000",
            "0001 00 0001 0003 056832",
            "0001 00 0004 0000",
            "0001 00 0004 0003 c00002",
            // Required keys that are not there, are the list itself, or stand in it twice.
            "0001 00 0000 0002 0003",
            "0001 00 0000 0002 0000",
            "0001 00 0000 0004 00030003 0003 0002 0035",
            "0001 00 0000 0000 0003 0002 0035",
        ] {
            assert_eq!(is_read(data), None, "{data}");
        }
        let hints = format!("0001 00 0004 4000 {}", "c0000201c0000202c0000203c0000204".repeat(1_024));
        assert_eq!(is_read(&hints).unwrap().matches("hint").count(), 4, "each once");
        let many = format!("0001 00 0001 4000 {}", "0161".repeat(8_192));
        assert!(is_read(&many).unwrap().len() < 200);
    }
}
