//! Just enough DER to write certificates of every quality, strange ones included.

use ambit_model::Timestamp;
use time::OffsetDateTime;

pub(super) const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
pub(super) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
pub(super) const SHA256_WITH_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
pub(super) const SHA1_WITH_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05];
const COUNTRY: &[u8] = &[0x55, 0x04, 0x06];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
pub(super) const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
pub(super) const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
pub(super) const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
pub(super) const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
pub(super) const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];

/// Tag, length, value.
pub(super) fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match value.len() {
        short @ 0..128 => out.push(u8::try_from(short).expect("below 128")),
        long => {
            let bytes = long.to_be_bytes();
            let digits = &bytes[bytes.iter().position(|b| *b != 0).expect("not zero")..];
            out.push(0x80 | u8::try_from(digits.len()).expect("at most 8"));
            out.extend(digits);
        }
    }
    out.extend(value);
    out
}

pub(super) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

pub(super) fn oid(bytes: &[u8]) -> Vec<u8> {
    tlv(0x06, bytes)
}

/// A number from big-endian bytes.
pub(super) fn integer(bytes: &[u8]) -> Vec<u8> {
    let first = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len().saturating_sub(1));
    let digits = &bytes[first..];
    let mut value = Vec::new();
    if digits.first().is_some_and(|b| b & 0x80 != 0) {
        value.push(0);
    }
    value.extend(digits);
    tlv(0x02, &value)
}

pub(super) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    tlv(0x03, &[&[0], bytes].concat())
}

/// A distinguished name of country, organisation and common name.
pub(super) fn name(country: Option<&str>, organisation: Option<&str>, common_name: &str) -> Vec<u8> {
    let part = |kind: &[u8], tag: u8, text: &str| tlv(0x31, &sequence(&[&oid(kind), &tlv(tag, text.as_bytes())]));
    let parts: Vec<Vec<u8>> = [
        country.map(|text| part(COUNTRY, 0x13, text)),
        organisation.map(|text| part(ORGANIZATION, 0x0c, text)),
        Some(part(COMMON_NAME, 0x0c, common_name)),
    ]
    .into_iter()
    .flatten()
    .collect();
    tlv(0x30, &parts.concat())
}

/// `UTCTime` until 2049, `GeneralizedTime` after (RFC 5280 §4.1.2.5).
pub(super) fn time(moment: Timestamp) -> Vec<u8> {
    let (year, tail) = parts_of(moment);
    if (1950..2050).contains(&year) {
        tlv(0x17, format!("{:02}{tail}", year % 100).as_bytes())
    } else {
        general_time(moment)
    }
}

pub(super) fn general_time(moment: Timestamp) -> Vec<u8> {
    let (year, tail) = parts_of(moment);
    tlv(0x18, format!("{year:04}{tail}").as_bytes())
}

/// The year, and the rest as both forms write it.
fn parts_of(moment: Timestamp) -> (i32, String) {
    let at = OffsetDateTime::from_unix_timestamp(moment.0.div_euclid(1_000)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let tail =
        format!("{:02}{:02}{:02}{:02}{:02}Z", u8::from(at.month()), at.day(), at.hour(), at.minute(), at.second());
    (at.year(), tail)
}

pub(super) fn extension(kind: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let flag: &[u8] = if critical { &[0x01, 0x01, 0xff] } else { &[] };
    sequence(&[&oid(kind), flag, &tlv(0x04, value)])
}

/// The key of an Ed25519 or RSA certificate.
pub(super) fn public_key(algorithm: &[u8], parameters: &[u8], key: &[u8]) -> Vec<u8> {
    sequence(&[&sequence(&[&oid(algorithm), parameters]), &bit_string(key)])
}
