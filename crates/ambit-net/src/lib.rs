//! The only door to the outside: DNS, TCP, UDP, TLS and HTTP over a wire, under a guard, at a measured pace
//! (docs/architecture.md §3).
//!
//! One [`Net`] per wire and guard; one [`Session`] per unit of work, with the [`Grants`] it was given. Every call of a
//! session names what it contacts; the contact is checked at the socket, on the address really dialled, for every
//! redirect and every retry, and waits for the rate limiter ([`Pace`]). No socket opens without a grant: `door.rs`
//! alone holds the wire, and all that sends, sends through it.
//!
//! What comes back is hostile until shown otherwise: text is [`Untrusted`], every read has a limit of [`limits`], and
//! whatever a peer does ends in an answer, an [`NetError`] that says whether the thing is absent or unknown, or
//! a note on a partial answer. Never in a hang.

pub mod browser;
pub mod dns;
mod door;
mod error;
pub mod guard;
pub mod http;
pub mod limits;
pub mod live;
pub mod net;
mod pace;
mod source;
pub mod tcp;
pub mod tls;
mod udp;
mod untrusted;
pub mod wire;

#[cfg(test)]
mod tests;

pub use door::{Connection, Waits};
pub use error::{Meaning, NetError, Phase, Refused};
pub use guard::{Contact, Grant, Grants, Guard, Home, Transport};
pub use net::{Counters, Net, NetOptions, Session};
pub use pace::{Pace, PaceLimits};
pub use udp::{AnswerFrom, Asking, PortAnswer, PortQuestion, ReadAnswer};
pub use untrusted::Untrusted;
pub use wire::Wire;
