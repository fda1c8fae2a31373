//! NSEC records: each names the next name of its zone, and the types of its own (RFC 4034 §4). Nothing here asks.

use super::nsec3::types;
use ambit_net::dns::{Record, RecordData, RecordType, label_text};
use std::collections::BTreeSet;

/// The type in the record of a name that is not there (RFC 9824 §3.1).
const NXNAME: u16 = 128;

/// One NSEC record: the next name, and the types that this one has.
#[derive(Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) next: String,
    pub(crate) types: BTreeSet<u16>,
}

impl Link {
    /// Reads a record; `None` for one of another type and for one that is broken.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        match &record.data {
            RecordData::Other { rtype, data } if *rtype == RecordType::NSEC => read(data),
            _ => None,
        }
    }

    /// Returns true where the record says that there is no name such as its own.
    pub(crate) fn denies_its_name(&self) -> bool {
        self.types.contains(&NXNAME)
    }
}

/// The data of an NSEC record: an uncompressed name, then blocks of a bitmap.
fn read(data: &[u8]) -> Option<Link> {
    let mut labels = Vec::new();
    let mut rest = data;
    loop {
        let (length, after) = rest.split_first()?;
        if *length == 0 {
            rest = after;
            break;
        }
        let (label, after) = after.split_at_checked(usize::from(*length))?;
        labels.push(label_text(label));
        rest = after;
    }
    Some(Link { next: labels.join("."), types: types(rest)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_the_next_name_and_its_own_types() {
        // host.Example.test A MX AAAA, from RFC 4034 §4.3 with another name.
        let data = b"\x04host\x07Example\x04test\x00\x00\x04\x40\x01\x00\x08";
        let link = read(data).unwrap();
        assert_eq!(link.next, "host.example.test");
        assert_eq!(link.types, BTreeSet::from([1, 15, 28]));
        assert_eq!(read(b"\x01\x00\x04test\x00").unwrap().next, "\\000.test");
        for broken in [&b""[..], b"\x04hos", b"\x01a", b"\x01a\x00\x00\x09\x40"] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }
}
