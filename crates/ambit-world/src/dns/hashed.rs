//! Zones that are signed with NSEC3 (RFC 5155): rings of hashes.

use super::{ZONE_TTL, secure_names, types_of};
use crate::draft::{Data, Draft};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Additional rounds of hashing.
const ITERATIONS: u8 = 5;
const SALT: [u8; 2] = [0xab, 0x1d];
/// What stands before the next hash in every record: SHA-1, no opt-out, the rounds, and the salt with its length.
pub(super) const HEAD: [u8; 7] = [1, 0, 0, ITERATIONS, 2, SALT[0], SALT[1]];

/// The hash of a name (RFC 5155 §5).
fn hash(name: &str) -> [u8; 20] {
    let labels = name.split('.').map(|label| (u8::try_from(label.len()).unwrap_or(u8::MAX), label));
    let mut wire: Vec<u8> = labels.flat_map(|(length, label)| [&[length], label.as_bytes()].concat()).collect();
    wire.push(0);
    let once = |bytes: &[u8]| -> [u8; 20] { Sha1::new().chain_update(bytes).chain_update(SALT).finalize().into() };
    (0..ITERATIONS).fold(once(&wire), |hash, _| once(&hash))
}

/// A hash as a label: base32 with the extended hexadecimal alphabet (RFC 4648 §7).
fn label(hash: &[u8; 20]) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
    let bit = |at: usize| usize::from(hash[at / 8] >> (7 - at % 8) & 1);
    let digit = |at: usize| (0..5).fold(0, |digit, more| digit << 1 | bit(at * 5 + more));
    (0..32).map(|at| char::from(DIGITS[digit(at)])).collect()
}

/// The records that prove that a zone does not have a name: that of the zone itself, and the one whose span the hash of
/// the name lies in.
pub(super) fn denial(draft: &Draft, zone: &str, name: &str) -> Vec<(String, u32, Data)> {
    let ring: BTreeMap<[u8; 20], &str> =
        secure_names(draft, zone).into_iter().map(|(_, name)| (hash(name), name)).collect();
    let before = |wanted: [u8; 20]| ring.range(..=wanted).next_back().or_else(|| ring.last_key_value());
    let record = |(own, name): (&[u8; 20], &&str)| {
        let after = ring.range((Bound::Excluded(*own), Bound::Unbounded)).next().or_else(|| ring.first_key_value());
        let next = after.map_or(*own, |(next, _)| *next);
        let types = types_of(draft, zone, name).into_iter().collect();
        (format!("{}.{zone}", label(own)), ZONE_TTL, Data::Nsec3(next, types))
    };
    let mut records: Vec<_> = [before(hash(zone)), before(hash(name))].into_iter().flatten().map(record).collect();
    records.dedup();
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_base32() {
        assert_eq!(label(&[0; 20]), "0".repeat(32));
        assert_eq!(label(&[0xff; 20]), "v".repeat(32));
        assert_eq!(
            &label(&[0b0000_1000, 0b0100_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])[..4],
            "1100"
        );
    }
}
