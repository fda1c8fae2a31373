//! A web server: which site, certificate and versions it has for whoever asks.

use super::Virtual;
use crate::draft::{Alpn, TlsVersions, UnknownHost};
use crate::pki::Certificate;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sites of one address and port.
#[derive(Default)]
pub(crate) struct Web {
    pub tls: bool,
    pub sites: BTreeMap<String, Arc<Virtual>>,
    /// The site that answers for names that it does not know.
    pub default: Option<Arc<Virtual>>,
}

impl Web {
    /// The site for a name, as a server chooses it: exact, else its default.
    pub(crate) fn choose(&self, name: Option<&str>) -> Option<&Arc<Virtual>> {
        name.and_then(|name| self.sites.get(name)).or(self.default.as_ref())
    }

    /// The versions of TLS that the port speaks: those of its most tolerant site, as with usual servers.
    pub(crate) fn versions(&self) -> TlsVersions {
        let spoken =
            |wanted: TlsVersions| self.sites.values().chain(&self.default).any(|site| site.site.versions == wanted);
        [TlsVersions::OnlyOld, TlsVersions::AlsoOld, TlsVersions::Twelve]
            .into_iter()
            .find(|versions| spoken(*versions))
            .unwrap_or_default()
    }

    /// The versions of HTTP that the port speaks inside TLS: all that any of its sites does.
    pub(crate) fn alpn(&self) -> Alpn {
        let mut spoken = self.sites.values().chain(&self.default).map(|site| site.site.alpn);
        let first = spoken.next().unwrap_or_default();
        if spoken.all(|other| other == first) { first } else { Alpn::Both }
    }

    /// The certificate for a name that was asked for by SNI, or without one: like a usual server, the first site's
    /// where none fits.
    pub(crate) fn certificate(
        &self,
        name: Option<&str>,
        unknown: &UnknownHost,
        turn: usize,
    ) -> Option<&Arc<Certificate>> {
        let exact = name.and_then(|name| self.sites.get(name)).or(self.default.as_ref());
        let covering = || {
            let certificates = self.sites.values().filter_map(|site| site.machine(turn).certificate.as_ref());
            name.and_then(|name| certificates.clone().find(|certificate| certificate.covers(name)))
        };
        match exact {
            Some(site) => site.machine(turn).certificate.as_ref(),
            None if *unknown == UnknownHost::Close => None,
            None => covering().or_else(|| self.sites.values().find_map(|site| site.machine(turn).certificate.as_ref())),
        }
    }
}
