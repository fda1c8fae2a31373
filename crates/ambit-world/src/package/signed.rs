//! The second signature scheme of Android: a block between the members of an archive and its directory, which signs
//! all of it by a key that protects nothing.

use crate::pki::{rsa, self_signed};
use sha2::{Digest, Sha256};

/// RSA by PKCS #1 over SHA-256.
const ALGORITHM: u32 = 0x0103;
/// The number of the scheme among the entries of the block.
const SCHEME: u32 = 0x7109_871a;
const MAGIC: &[u8] = b"APK Sig Block 42";
/// Bytes of what is hashed at once.
const CHUNK_BYTES: usize = 1_024 * 1_024;
/// Bytes of the end of an archive without a comment, and where it says where the directory begins.
const END_BYTES: usize = 22;
const DIRECTORY_AT: usize = 16;

/// Returns an archive as it is signed by somebody of this name; `directory` is where its directory begins.
pub(super) fn signed(archive: &[u8], directory: usize, name: &str) -> Vec<u8> {
    let (members, rest) = archive.split_at(directory);
    let (directory, end) = rest.split_at(rest.len() - END_BYTES);
    let digest = digest(&[members, directory, end]);
    let certificate = self_signed(name);
    let data = [
        counted(&counted(&[&ALGORITHM.to_le_bytes()[..], &counted(&digest)].concat())),
        counted(&counted(&certificate)),
        counted(&[]),
    ]
    .concat();
    let signature = rsa::USUAL.sign(rsa::SHA256_INFO, &Sha256::digest(&data));
    let signature = [&ALGORITHM.to_le_bytes()[..], &counted(&signature)].concat();
    let signer =
        [counted(&data), counted(&counted(&signature)), counted(&crate::pki::rsa_public(&rsa::USUAL))].concat();
    let entry = [&SCHEME.to_le_bytes()[..], &counted(&counted(&signer))].concat();
    let entry = [&long(entry.len()), &entry[..]].concat();
    // Its size stands in front and behind, and counts all but the first.
    let size = long(entry.len() + 8 + MAGIC.len());
    let block = [&size[..], &entry, &size, MAGIC].concat();
    let mut end = end.to_vec();
    end[DIRECTORY_AT..DIRECTORY_AT + 4].copy_from_slice(&count(members.len() + block.len()));
    [members, &block, directory, &end].concat()
}

/// The digest of the parts of an archive, of which the end says where the block begins.
fn digest(parts: &[&[u8]]) -> Vec<u8> {
    let chunks: Vec<&[u8]> = parts.iter().flat_map(|part| part.chunks(CHUNK_BYTES)).collect();
    let mut whole = Sha256::new_with_prefix([0x5a]);
    whole.update(count(chunks.len()));
    for chunk in chunks {
        let mut one = Sha256::new_with_prefix([0xa5]);
        one.update(count(chunk.len()));
        one.update(chunk);
        whole.update(one.finalize());
    }
    whole.finalize().to_vec()
}

/// Bytes behind their number.
fn counted(bytes: &[u8]) -> Vec<u8> {
    [&count(bytes.len()), bytes].concat()
}

fn count(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn long(length: usize) -> Vec<u8> {
    u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes().to_vec()
}
