//! The word of an authority that it revoked a certificate (RFC 6960).

use super::der;
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};

const BASIC: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01];
const SHA1: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x1a];
/// The number of the reason `keyCompromise`.
const KEY_COMPROMISE: u8 = 1;
/// How long the word holds, in days: longer than any world.
const DAYS: i64 = 3_650;

/// Returns the answer that is handed over beside a certificate with this serial number, which the authority revoked at
/// this moment.
pub(super) fn revoked(pair: &Ed25519KeyPair, authority: &[u8], serial: &[u8], at: Timestamp) -> Vec<u8> {
    let octets = |bytes: &[u8]| der::tlv(0x04, bytes);
    let key = octets(digest(&SHA1_FOR_LEGACY_USE_ONLY, pair.public_key().as_ref()).as_ref());
    let name = octets(digest(&SHA1_FOR_LEGACY_USE_ONLY, authority).as_ref());
    let hashed = der::sequence(&[&der::oid(SHA1), &[0x05, 0x00]]);
    let certificate = der::sequence(&[&hashed, &name, &key, &der::integer(serial)]);
    let moment = der::general_time(at);
    let status = der::tlv(0xa1, &[&moment[..], &der::tlv(0xa0, &der::tlv(0x0a, &[KEY_COMPROMISE]))].concat());
    let until = der::tlv(0xa0, &der::general_time(at.plus_ms(DAYS * DAY_MS)));
    let single = der::sequence(&[&certificate, &status, &moment, &until]);
    let data = der::sequence(&[&der::tlv(0xa2, &key), &moment, &der::sequence(&[&single])]);
    let algorithm = der::sequence(&[&der::oid(der::ED25519)]);
    let signature = der::bit_string(pair.sign(&data).as_ref());
    let basic = der::sequence(&[&der::oid(BASIC), &octets(&der::sequence(&[&data, &algorithm, &signature]))]);
    der::sequence(&[&[0x0a, 0x01, 0x00], &der::tlv(0xa0, &basic)])
}
