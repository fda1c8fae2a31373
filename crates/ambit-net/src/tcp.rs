//! TCP: single ports, sweeps over many, banners, and the dialogues that lead from plain text to TLS.

pub(crate) mod banner;
mod half_open;
pub(crate) mod knock;
pub(crate) mod starttls;
pub(crate) mod sweep;

use crate::Untrusted;
use crate::limits::{BANNER_BYTES_MAX, BANNER_TIMEOUT};

/// What a port showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PortState {
    /// It accepted the connection.
    Open,
    /// It refused the connection.
    Closed,
    /// Nothing came, or an error of the network: unknown.
    Filtered,
}

/// What ports said that were asked whether they accept connections. Each is in one of the lists, which are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers<T> {
    /// They accepted.
    pub open: Vec<T>,
    /// They refused.
    pub closed: Vec<T>,
    /// Nothing came, or an error of the network: unknown.
    pub silent: Vec<T>,
    /// They could not be asked, or silence means nothing there, with the reason: unknown.
    pub failed: Vec<(T, crate::NetError)>,
}

/// The ports of one address after a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSweep {
    /// Ports that accepted, sorted.
    pub open: Vec<u16>,
    /// Ports that refused, sorted.
    pub closed: Vec<u16>,
    /// Ports without an answer after all tries, sorted.
    pub filtered: Vec<u16>,
    /// Ports that must not be asked, sorted, where others may be: unknown.
    pub refused: Vec<u16>,
    /// Ports that could not be asked, with the reason: unknown.
    pub failed: Vec<(u16, crate::NetError)>,
    /// Share of answering ports that answered only on a repeated try, in thousandths.
    pub loss_permille: u16,
}

/// How to read a banner.
#[derive(Clone, Debug)]
pub struct BannerOptions {
    /// Sent first, where the service speaks only when spoken to.
    pub send: Vec<u8>,
    /// Bytes at most; at most `BANNER_BYTES_MAX`.
    pub bytes_max: usize,
    /// Time at most; at most `BANNER_TIMEOUT`.
    pub timeout: std::time::Duration,
}

impl Default for BannerOptions {
    fn default() -> Self {
        Self { send: Vec::new(), bytes_max: BANNER_BYTES_MAX, timeout: BANNER_TIMEOUT }
    }
}

/// The first bytes that a service sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// The bytes, cut at the limit.
    pub bytes: Vec<u8>,
    /// More came than the limit.
    pub truncated: bool,
    /// The peer closed the connection.
    pub closed: bool,
}

impl Banner {
    /// The bytes as text.
    pub fn text(&self) -> Untrusted {
        Untrusted::from_bytes(&self.bytes)
    }
}

/// Protocols with a way from plain text to TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartTls {
    /// EHLO, STARTTLS (RFC 3207).
    Smtp,
    /// STARTTLS (RFC 3501).
    Imap,
    /// STLS (RFC 2595).
    Pop3,
    /// AUTH TLS (RFC 4217).
    Ftp,
    /// SSLRequest.
    Postgres,
    /// StartTLS extended operation (RFC 4511).
    Ldap,
    /// starttls feature (RFC 6120).
    Xmpp,
}
