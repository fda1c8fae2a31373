//! The master secret and what derives from it: the hash of API keys, and sealing. It is a file of mode 0600 beside the
//! data, or wherever
//! `AMBIT_SECRET_FILE` points; all servers of an installation share it (docs/architecture.md §1.6).

use crate::db::folder::{self, SECRET};
use crate::{Result, StoreError};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Bytes of the master secret; in the file as hexadecimal text.
const SECRET_BYTES: usize = 32;
/// Bytes of a nonce of XChaCha20: long enough to be random.
const NONCE_BYTES: usize = 24;

/// Prints a struct for debugging by these members alone, since others are secret.
macro_rules! debug_by {
    ($type:ident { $($member:ident),+ }) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($member), &self.$member))+.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug_by;

/// The master secret of an open store. Never printed.
pub(crate) struct Secret([u8; SECRET_BYTES]);

impl Secret {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut text = String::new();
        let file = File::open(path).map_err(|error| {
            StoreError::Unavailable(format!("the secret {} cannot be read: {error}", path.display()))
        })?;
        file.take(1_024).read_to_string(&mut text)?;
        let mut bytes = [0; SECRET_BYTES];
        hex::decode_to_slice(text.trim(), &mut bytes).map_err(|_| {
            StoreError::Invalid(format!(
                "{} is not a valid secret file: expected 64 hexadecimal characters",
                path.display()
            ))
        })?;
        Ok(Self(bytes))
    }

    /// Reads the file, or creates it: completely or not at all, and never over an existing one.
    pub(crate) fn read_or_create(path: &Path) -> Result<Self> {
        if folder::has(path)? {
            return Self::read(path);
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A name of its own: several stores of one process may keep their secrets in one folder.
        let draft = folder.join(format!(".{SECRET}.{:016x}", rand::random::<u64>()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(format!("{}\n", hex::encode(rand::random::<[u8; SECRET_BYTES]>())).as_bytes())?;
        file.sync_all()?;
        // A hard link fails where the name exists: of two processes that start together, one secret wins and both read
        // it.
        let linked = fs::hard_link(&draft, path);
        fs::remove_file(&draft)?;
        if let Err(error) = linked
            && error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(error.into());
        }
        File::open(folder)?.sync_all()?;
        Self::read(path)
    }

    /// Writes the secret to a file that is not there yet.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(format!("{}\n", hex::encode(self.0)).as_bytes())?;
        Ok(file.sync_all()?)
    }

    /// A key for one purpose.
    fn derive(&self, purpose: &str) -> [u8; 32] {
        hash(&self.0, purpose.as_bytes())
    }

    /// Returns a mark that is unique to this secret and reveals nothing of it.
    pub(crate) fn mark(&self) -> [u8; 32] {
        self.derive("ambit secret mark v1")
    }

    /// The stored hash of a credential.
    pub(crate) fn credential_hash(&self, credential: &str) -> [u8; 32] {
        hash(&self.derive("ambit api key v1"), credential.as_bytes())
    }

    /// The stored hash of a one-time token: no token is a key.
    pub(crate) fn token_hash(&self, token: &str) -> [u8; 32] {
        hash(&self.derive("ambit one-time token v1"), token.as_bytes())
    }

    /// Seals bytes for one purpose: nonce, then ciphertext with its tag. The purpose is associated data: sealed bytes
    /// open only under it.
    pub(crate) fn seal(&self, purpose: &str, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload { msg: plain, aad: purpose.as_bytes() };
        let sealed = self
            .cipher()
            .encrypt(XNonce::from_slice(&nonce), payload)
            .expect("a message in memory is below the cipher's limit");
        [nonce.as_slice(), &sealed].concat()
    }

    /// Decrypts what `seal` made for the same purpose; returns `None` for anything else.
    pub(crate) fn unseal(&self, purpose: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        self.cipher().decrypt(XNonce::from_slice(nonce), payload).ok()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.derive("ambit seal v1").into())
    }
}

fn hash(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("a key of any length is taken");
    mac.update(text);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_bytes_open_only_for_their_purpose_and_unchanged() {
        let secret = Secret([7; SECRET_BYTES]);
        let sealed = secret.seal("page token", b"text");
        assert_eq!(secret.unseal("page token", &sealed).as_deref(), Some(&b"text"[..]));
        assert_eq!(secret.unseal("webhook", &sealed), None);
        assert_eq!(Secret([8; SECRET_BYTES]).unseal("page token", &sealed), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(secret.unseal("page token", &changed), None);
        }
        assert_eq!(secret.unseal("page token", b"short"), None);
        assert_ne!(sealed, secret.seal("page token", b"text"));
    }
}
