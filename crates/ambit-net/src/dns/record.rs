//! Resource records: types by number, data as plain values, and their canonical text.

use super::service::ServiceBinding;
use super::text::write_bytes;
use std::fmt::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A record type, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordType(pub u16);

impl RecordType {
    pub const A: Self = Self(1);
    pub const NS: Self = Self(2);
    pub const CNAME: Self = Self(5);
    pub const SOA: Self = Self(6);
    pub const PTR: Self = Self(12);
    pub const MX: Self = Self(15);
    pub const TXT: Self = Self(16);
    pub const AAAA: Self = Self(28);
    pub const SRV: Self = Self(33);
    pub const DNAME: Self = Self(39);
    pub const DS: Self = Self(43);
    pub const RRSIG: Self = Self(46);
    pub const NSEC: Self = Self(47);
    pub(crate) const DNSKEY: Self = Self(48);
    pub const NSEC3: Self = Self(50);
    pub(crate) const NSEC3PARAM: Self = Self(51);
    pub(crate) const TLSA: Self = Self(52);
    pub const SVCB: Self = Self(64);
    pub const HTTPS: Self = Self(65);
    pub const AXFR: Self = Self(252);
    pub const ANY: Self = Self(255);
    pub const CAA: Self = Self(257);
}

/// Types with a name.
const NAMES: &[(RecordType, &str)] = &[
    (RecordType::A, "A"),
    (RecordType::NS, "NS"),
    (RecordType::CNAME, "CNAME"),
    (RecordType::SOA, "SOA"),
    (RecordType::PTR, "PTR"),
    (RecordType::MX, "MX"),
    (RecordType::TXT, "TXT"),
    (RecordType::AAAA, "AAAA"),
    (RecordType::SRV, "SRV"),
    (RecordType::DNAME, "DNAME"),
    (RecordType::DS, "DS"),
    (RecordType::RRSIG, "RRSIG"),
    (RecordType::NSEC, "NSEC"),
    (RecordType::DNSKEY, "DNSKEY"),
    (RecordType::NSEC3, "NSEC3"),
    (RecordType::NSEC3PARAM, "NSEC3PARAM"),
    (RecordType::TLSA, "TLSA"),
    (RecordType::SVCB, "SVCB"),
    (RecordType::HTTPS, "HTTPS"),
    (RecordType::AXFR, "AXFR"),
    (RecordType::ANY, "ANY"),
    (RecordType::CAA, "CAA"),
];

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(rtype, _)| rtype == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "TYPE{}", self.0),
        }
    }
}

impl fmt::Debug for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RecordType {
    type Err = String;

    /// Reads `A`, `mx`, `TYPE65`.
    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.to_ascii_uppercase();
        let named = NAMES.iter().find(|(_, name)| *name == upper).map(|(rtype, _)| *rtype);
        let numbered = || upper.strip_prefix("TYPE").and_then(|number| number.parse().ok()).map(Self);
        named.or_else(numbered).ok_or_else(|| format!("not a record type: {}", crate::untrusted::escape(text)))
    }
}

/// A resource record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// The owner, lower case, without the dot at the end; bytes that no host name has are written `\DDD`.
    pub name: String,
    /// The data.
    pub data: RecordData,
    /// Seconds.
    pub ttl: u32,
}

/// The data of a record. Names are lower case, without the dot at the end (the root is the empty string); bytes are as
/// they came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordData {
    A(Ipv4Addr),
    Aaaa(Ipv6Addr),
    Ns(String),
    Cname(String),
    /// What all names below are called instead (RFC 6672).
    Dname(String),
    Ptr(String),
    Mx {
        preference: u16,
        exchange: String,
    },
    /// The strings of the record; joined they are the text.
    Txt(Vec<Vec<u8>>),
    Soa {
        primary: String,
        mailbox: String,
        serial: u32,
        refresh: i32,
        retry: i32,
        expire: i32,
        minimum: u32,
    },
    Srv {
        priority: u16,
        weight: u16,
        port: u16,
        target: String,
    },
    Caa {
        critical: bool,
        tag: String,
        value: Vec<u8>,
    },
    /// HTTPS or SVCB.
    Service {
        rtype: RecordType,
        binding: ServiceBinding,
    },
    /// Any other type, and what is against the rules of its own; its data as it came.
    Other {
        rtype: RecordType,
        data: Vec<u8>,
    },
}

impl RecordData {
    /// The type.
    pub fn rtype(&self) -> RecordType {
        match self {
            Self::A(_) => RecordType::A,
            Self::Aaaa(_) => RecordType::AAAA,
            Self::Ns(_) => RecordType::NS,
            Self::Cname(_) => RecordType::CNAME,
            Self::Dname(_) => RecordType::DNAME,
            Self::Ptr(_) => RecordType::PTR,
            Self::Mx { .. } => RecordType::MX,
            Self::Txt(_) => RecordType::TXT,
            Self::Soa { .. } => RecordType::SOA,
            Self::Srv { .. } => RecordType::SRV,
            Self::Caa { .. } => RecordType::CAA,
            Self::Service { rtype, .. } | Self::Other { rtype, .. } => *rtype,
        }
    }

    /// The address of an A or AAAA record.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::A(four) => Some(IpAddr::V4(*four)),
            Self::Aaaa(six) => Some(IpAddr::V6(*six)),
            _ => None,
        }
    }

    /// The name that the record leads to.
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::Ns(name)
            | Self::Cname(name)
            | Self::Dname(name)
            | Self::Ptr(name)
            | Self::Mx { exchange: name, .. }
            | Self::Srv { target: name, .. }
            | Self::Service { binding: ServiceBinding { target: name, .. }, .. } => Some(name),
            _ => None,
        }
    }

    /// The text of a TXT record, its strings joined.
    pub fn text(&self) -> Option<crate::Untrusted> {
        match self {
            Self::Txt(strings) => Some(crate::Untrusted::from_bytes(&strings.concat())),
            _ => None,
        }
    }
}

/// Canonical text as in zone files: names without the dot at the end, strings quoted, unprintable bytes as `\DDD`,
/// unknown data in hex (RFC 3597).
impl fmt::Display for RecordData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::A(address) => write!(f, "{address}"),
            Self::Aaaa(address) => write!(f, "{address}"),
            Self::Ns(name) | Self::Cname(name) | Self::Dname(name) | Self::Ptr(name) => f.write_str(name),
            Self::Mx { preference, exchange } => write!(f, "{preference} {exchange}"),
            Self::Txt(strings) => {
                for (index, string) in strings.iter().enumerate() {
                    f.write_str(if index == 0 { "\"" } else { " \"" })?;
                    write_bytes(f, string)?;
                    f.write_char('"')?;
                }
                Ok(())
            }
            Self::Soa { primary, mailbox, serial, refresh, retry, expire, minimum } => {
                write!(f, "{primary} {mailbox} {serial} {refresh} {retry} {expire} {minimum}")
            }
            Self::Srv { priority, weight, port, target } => write!(f, "{priority} {weight} {port} {target}"),
            Self::Caa { critical, tag, value } => {
                write!(f, "{} ", if *critical { 128 } else { 0 })?;
                write_bytes(f, tag.as_bytes())?;
                f.write_str(" \"")?;
                write_bytes(f, value)?;
                f.write_char('"')
            }
            Self::Service { binding, .. } => write!(f, "{binding}"),
            Self::Other { data, .. } => write!(f, "\\# {} {}", data.len(), hex::encode(data)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written_by_name_or_number() {
        for (text, rtype) in
            [("A", RecordType::A), ("caa", RecordType::CAA), ("TYPE99", RecordType(99)), ("type15", RecordType::MX)]
        {
            assert_eq!(text.parse(), Ok(rtype));
            assert_eq!(rtype.to_string().parse(), Ok(rtype));
        }
        assert!("B".parse::<RecordType>().is_err());
        assert!("TYPE70000".parse::<RecordType>().is_err());
    }

    #[test]
    fn data_is_written_as_in_zone_files_and_never_raw() {
        for (data, text) in [
            (RecordData::Mx { preference: 10, exchange: "mx.example.test".into() }, "10 mx.example.test"),
            (RecordData::Txt(vec![b"v=spf1 \x1b\"".to_vec(), b"-all".to_vec()]), "\"v=spf1 \\027\\\"\" \"-all\""),
            (
                RecordData::Caa { critical: true, tag: "issue".into(), value: b"ca.test".to_vec() },
                "128 issue \"ca.test\"",
            ),
            (RecordData::Other { rtype: RecordType::DS, data: vec![1, 2, 255] }, "\\# 3 0102ff"),
        ] {
            assert_eq!(data.to_string(), text);
        }
    }
}
