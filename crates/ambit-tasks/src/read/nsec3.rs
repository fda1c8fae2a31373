//! What zones that are signed with NSEC3 tell (RFC 5155): rings of hashes of their names. Nothing here asks.

use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The hash of a name.
pub(crate) type NameHash = [u8; 20];

/// Additional rounds of hashing: more is taken for an attack on resolvers (RFC 9276 §3.2).
const ITERATIONS_MAX: u16 = 150;
/// SHA-1 with the owner's name (RFC 5155 §11), the only algorithm.
const SHA1: u8 = 1;
/// Characters of a hash in base32 (RFC 4648 §7).
const HASH_CHARS: usize = 32;

/// How a zone hashes its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hashing {
    iterations: u16,
    salt: Vec<u8>,
}

impl Hashing {
    /// Returns the hash of a name in lower case (RFC 5155 §5).
    pub(crate) fn of(&self, name: &str) -> NameHash {
        let mut wire = Vec::with_capacity(name.len() + 2);
        for label in name.split('.') {
            wire.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
            wire.extend(label.as_bytes());
        }
        wire.push(0);
        let once =
            |bytes: &[u8]| -> NameHash { Sha1::new().chain_update(bytes).chain_update(&self.salt).finalize().into() };
        (0..self.iterations).fold(once(&wire), |hash, _| once(&hash))
    }

    /// Returns how many times SHA-1 runs for one name.
    pub(crate) fn rounds(&self) -> u64 {
        u64::from(self.iterations) + 1
    }
}

/// One NSEC3 record: no name has a hash between its own and the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) hashing: Hashing,
    pub(crate) own: NameHash,
    pub(crate) next: NameHash,
    /// The types that the name with the own hash has.
    pub(crate) types: BTreeSet<u16>,
}

impl Span {
    /// Reads a record; `None` for one that is broken, hashed in another way, or too costly to compute.
    pub(crate) fn read(owner: &str, data: &[u8]) -> Option<Self> {
        let own = hash_of_label(owner.split('.').next()?)?;
        let (head, rest) = data.split_at_checked(5)?;
        let iterations = u16::from_be_bytes([head[2], head[3]]);
        if head[0] != SHA1 || iterations > ITERATIONS_MAX {
            return None;
        }
        let (salt, rest) = rest.split_at_checked(usize::from(head[4]))?;
        let (length, rest) = rest.split_first()?;
        let (next, bitmap) = rest.split_at_checked(usize::from(*length))?;
        let hashing = Hashing { iterations, salt: salt.to_vec() };
        Some(Self { hashing, own, next: next.try_into().ok()?, types: types(bitmap)? })
    }
}

/// The types of a bitmap in blocks (RFC 4034 §4.1.2); `None` where a block is cut.
pub(crate) fn types(bitmap: &[u8]) -> Option<BTreeSet<u16>> {
    let (mut types, mut rest) = (BTreeSet::new(), bitmap);
    while let Some((head, after)) = rest.split_at_checked(2) {
        let (bits, after) = after.split_at_checked(usize::from(head[1]))?;
        for (at, byte) in bits.iter().enumerate() {
            let number = |bit: u16| u16::from(head[0]) << 8 | u16::try_from(at * 8).unwrap_or(u16::MAX) | bit;
            types.extend((0..8).filter(|bit| byte & (0x80 >> bit) != 0).map(number));
        }
        rest = after;
    }
    Some(types)
}

/// A hash as the first label of a record's name: base32 with the extended hexadecimal alphabet.
fn hash_of_label(label: &str) -> Option<NameHash> {
    if label.len() != HASH_CHARS {
        return None;
    }
    let (mut hash, mut bits, mut count, mut at) = ([0; 20], 0_u32, 0, 0);
    for byte in label.bytes() {
        let digit = match byte.to_ascii_lowercase() {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'v' => digit - b'a' + 10,
            _ => return None,
        };
        (bits, count) = (bits << 5 | u32::from(digit), count + 5);
        if count >= 8 {
            count -= 8;
            *hash.get_mut(at)? = u8::try_from(bits >> count & 0xff).ok()?;
            at += 1;
        }
    }
    Some(hash)
}

/// What is known of a zone's ring.
#[derive(Debug)]
pub(crate) struct Ring {
    pub(crate) hashing: Hashing,
    spans: BTreeMap<NameHash, (NameHash, BTreeSet<u16>)>,
}

impl Ring {
    pub(crate) fn new(hashing: Hashing) -> Self {
        Self { hashing, spans: BTreeMap::new() }
    }

    /// Adds a record, unless the zone has begun to hash in another way.
    pub(crate) fn add(&mut self, span: Span) {
        if span.hashing == self.hashing {
            self.spans.insert(span.own, (span.next, span.types));
        }
    }

    /// Returns how many names of the zone have shown their hash.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns true where a known record says that no name has this hash, or where a name with it is known.
    pub(crate) fn covers(&self, hash: &NameHash) -> bool {
        let before = self.spans.range((Bound::Unbounded, Bound::Included(*hash))).next_back();
        // The last span leads over the end to the first name.
        let Some((own, (next, _))) = before.or_else(|| self.spans.last_key_value()) else { return false };
        if own < next { own <= hash && hash < next } else { own <= hash || hash < next }
    }

    /// Returns true where each known span leads to a known one: nothing is missing.
    pub(crate) fn is_whole(&self) -> bool {
        !self.spans.is_empty() && self.spans.values().all(|(next, _)| self.spans.contains_key(next))
    }

    /// Returns true where spans are as short as they can be: a server that makes them up for each question.
    pub(crate) fn is_made_up(&self) -> bool {
        let near = |(own, (next, _)): (&NameHash, &(NameHash, BTreeSet<u16>))| own[..12] == next[..12] && own != next;
        self.spans.len() >= 2 && self.spans.iter().all(near)
    }

    /// Returns the types of a name, if its hash is one of the zone's.
    pub(crate) fn types_of(&self, name: &str) -> Option<&BTreeSet<u16>> {
        self.spans.get(&self.hashing.of(name)).map(|(_, types)| types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The zone of RFC 5155 appendix A: 12 iterations, the salt aabbccdd.
    fn example() -> Hashing {
        Hashing { iterations: 12, salt: vec![0xaa, 0xbb, 0xcc, 0xdd] }
    }

    #[test]
    fn names_have_the_hashes_of_the_standard() {
        for (name, label) in [
            ("example", "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom"),
            ("a.example", "35mthgpgcu1qg68fab165klnsnk3dpvl"),
            ("ns1.example", "2t7b4g4vsa5smi47k61mv5bv1a22bojr"),
            ("*.w.example", "r53bq7cc2uvmubfu5ocmm6pers9tk9en"),
        ] {
            assert_eq!(Some(example().of(name)), hash_of_label(label), "{name}");
        }
        assert_eq!(hash_of_label("short"), None);
        assert_eq!(hash_of_label(&"z".repeat(32)), None);
    }

    #[test]
    fn a_record_is_read_whole_or_not_at_all() {
        let owner = "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example";
        let next = [7; 20];
        let data = [&[1, 0, 0, 12, 4, 0xaa, 0xbb, 0xcc, 0xdd, 20][..], &next, &[0, 1, 0x40]].concat();
        let span = Span::read(owner, &data).unwrap();
        assert_eq!((span.own, span.next, span.types), (example().of("example"), next, BTreeSet::from([1])));
        assert_eq!(span.hashing, example());
        for length in 0..data.len() - 3 {
            assert_eq!(Span::read(owner, &data[..length]), None, "{length}");
        }
        let costly = [&[1, 0, 1, 0, 0, 20][..], &next].concat();
        assert_eq!(Span::read(owner, &costly), None, "256 iterations");
        assert_eq!(Span::read("www.example", &data), None);
    }

    #[test]
    fn a_ring_covers_what_lies_between_its_hashes_and_over_its_end() {
        let hash = |first: u8| {
            let mut hash = [0; 20];
            hash[0] = first;
            hash
        };
        let span = |own, next| Span { hashing: example(), own: hash(own), next: hash(next), types: BTreeSet::new() };
        let mut ring = Ring::new(example());
        assert!(!ring.covers(&hash(1)) && !ring.is_whole());
        ring.add(span(10, 20));
        assert!(ring.covers(&hash(10)) && ring.covers(&hash(15)) && !ring.covers(&hash(20)) && !ring.covers(&hash(5)));
        ring.add(span(200, 10));
        assert!(ring.covers(&hash(5)) && ring.covers(&hash(250)) && !ring.covers(&hash(100)) && !ring.is_whole());
        ring.add(span(20, 200));
        assert!(ring.is_whole() && ring.covers(&hash(100)) && ring.len() == 3 && !ring.is_made_up());
        let other = Hashing { iterations: 1, salt: Vec::new() };
        ring.add(Span { hashing: other, ..span(30, 40) });
        assert_eq!(ring.len(), 3, "hashed in another way");
    }
}
