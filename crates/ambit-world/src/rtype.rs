//! Types of DNS records, by number and name.

use std::fmt;

/// A record type by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rtype(pub u16);

impl Rtype {
    pub(crate) const A: Self = Self(1);
    pub(crate) const NS: Self = Self(2);
    pub(crate) const CNAME: Self = Self(5);
    pub(crate) const SOA: Self = Self(6);
    pub(crate) const PTR: Self = Self(12);
    pub(crate) const MX: Self = Self(15);
    pub(crate) const TXT: Self = Self(16);
    pub(crate) const AAAA: Self = Self(28);
    pub(crate) const SRV: Self = Self(33);
    pub(crate) const DNAME: Self = Self(39);
    pub(crate) const DS: Self = Self(43);
    pub(crate) const RRSIG: Self = Self(46);
    pub(crate) const NSEC: Self = Self(47);
    pub(crate) const NSEC3: Self = Self(50);
    /// There is no such name (RFC 9824 §3.1).
    pub(crate) const NXNAME: Self = Self(128);
    pub(crate) const SVCB: Self = Self(64);
    pub(crate) const HTTPS: Self = Self(65);
    pub(crate) const AXFR: Self = Self(252);
    pub(crate) const ANY: Self = Self(255);
    pub(crate) const CAA: Self = Self(257);
}

/// The type's name, or `TYPE` and its number (RFC 3597 §5).
impl fmt::Display for Rtype {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: &[(Rtype, &str)] = &[
            (Rtype::A, "A"),
            (Rtype::NS, "NS"),
            (Rtype::CNAME, "CNAME"),
            (Rtype::SOA, "SOA"),
            (Rtype::PTR, "PTR"),
            (Rtype::MX, "MX"),
            (Rtype::TXT, "TXT"),
            (Rtype::AAAA, "AAAA"),
            (Rtype::SRV, "SRV"),
            (Rtype::DNAME, "DNAME"),
            (Rtype::DS, "DS"),
            (Rtype::NSEC, "NSEC"),
            (Rtype::NSEC3, "NSEC3"),
            (Rtype::SVCB, "SVCB"),
            (Rtype::HTTPS, "HTTPS"),
            (Rtype::AXFR, "AXFR"),
            (Rtype::ANY, "ANY"),
            (Rtype::CAA, "CAA"),
        ];
        match NAMES.iter().find(|(known, _)| known == self) {
            Some((_, name)) => out.write_str(name),
            None => write!(out, "TYPE{}", self.0),
        }
    }
}
