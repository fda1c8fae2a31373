//! What holds between us and one peer alone: whose word on it we take, and who we show that we are. Nothing of it
//! reaches another connection.

use super::handshake::PROVIDER;
use crate::error::{NetError, Result};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use std::fmt;
use std::sync::Arc;

/// Certificates of authorities, and of a chain of ours, that are taken at most.
const CERTIFICATES_MAX: usize = 20;

/// Authorities and a certificate of ours for one peer.
#[derive(Clone, Default)]
pub struct Peer {
    /// `None`: those of the wire.
    roots: Option<RootCertStore>,
    shown: Option<Arc<CertifiedKey>>,
}

impl Peer {
    /// The peer that these authorities vouch for (none: those of everybody), to which a chain of certificates and its
    /// private key are shown where it asks for one; all as DER. Fails if one of them cannot be read, or the key is not
    /// that of the certificate.
    pub fn new(authorities: &[Vec<u8>], shown: Option<(&[Vec<u8>], &[u8])>) -> Result<Self> {
        let unfit = |what: &str| NetError::Tls(format!("{what} cannot be used"));
        let roots = match authorities {
            [] => None,
            authorities => {
                let mut store = RootCertStore::empty();
                for der in authorities.iter().take(CERTIFICATES_MAX) {
                    store.add(CertificateDer::from(der.clone())).map_err(|_| unfit("the authority's certificate"))?;
                }
                Some(store)
            }
        };
        let shown = match shown {
            None => None,
            Some((chain, key)) => {
                let chain: Vec<CertificateDer<'static>> =
                    chain.iter().take(CERTIFICATES_MAX).map(|der| CertificateDer::from(der.clone())).collect();
                let key = PrivateKeyDer::try_from(key.to_vec()).map_err(|_| unfit("the private key"))?;
                let pair = CertifiedKey::from_der(chain, key, &PROVIDER);
                Some(Arc::new(pair.map_err(|_| unfit("the certificate with its private key"))?))
            }
        };
        Ok(Self { roots, shown })
    }

    pub(super) fn roots(&self) -> Option<&RootCertStore> {
        self.roots.as_ref()
    }

    pub(super) fn shown(&self) -> Option<Arc<CertifiedKey>> {
        self.shown.clone()
    }
}

/// Keys are not told.
impl fmt::Debug for Peer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorities = self.roots.as_ref().map_or(0, |roots| roots.roots.len());
        write!(out, "Peer {{ authorities: {authorities}, shown: {} }}", self.shown.is_some())
    }
}
