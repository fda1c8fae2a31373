//! Why a contact gave no answer, and what follows for the entity that was probed.

use crate::dns::Rcode;
use std::net::IpAddr;

/// The result of a contact, where it names no other error.
pub(crate) type Result<T, E = NetError> = std::result::Result<T, E>;

/// A contact that failed. Peers' words in it are escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// Nothing came in time.
    #[error("timed out: {0}")]
    Timeout(Phase),
    /// The peer refused the connection: nothing listens there.
    #[error("connection refused")]
    ConnectionRefused,
    /// The peer cut the connection.
    #[error("connection reset: {0}")]
    Reset(&'static str),
    /// The peer closed the connection before it had answered.
    #[error("connection closed early: {0}")]
    Closed(&'static str),
    /// A router reports that the address is unreachable.
    #[error("unreachable: {0}")]
    Unreachable(String),
    /// This machine has no route: its network is down, or it lacks this address family. Nothing was sent.
    #[error("no way out of this machine: {0}")]
    Offline(String),
    /// The guard, or the list of reserved ranges, refused this address.
    #[error(transparent)]
    OutOfScope(#[from] Refused),
    /// The contact is forbidden whatever the address: the name is excluded, or a provider may not be asked in this way.
    #[error("not contacted: {0}")]
    NotAllowed(String),
    /// The session was not given the grant that this call needs.
    #[error("no grant for {0}")]
    NoGrant(&'static str),
    /// The server answered that it could not answer.
    #[error("the name server answered {0}")]
    Dns(Rcode),
    /// The server answered that it cannot answer now, by this HTTP status.
    #[error("the server answered with status {0}")]
    Unavailable(u16),
    /// No TLS came about; alerts and reasons by name.
    #[error("tls: {0}")]
    Tls(String),
    /// The server speaks something else in the place of HTTP/1.1, by its word in the handshake where nothing else was
    /// offered, or HTTP/2 by what it sends. It is there, and cannot be looked at.
    #[error("the server does not speak HTTP/1.1, and HTTP/2 is not spoken here")]
    OtherHttp,
    /// The server speaks another protocol inside TLS than HTTP, by its word in the handshake: it refused both versions.
    #[error("the server speaks neither HTTP/1.1 nor HTTP/2")]
    NoHttp,
    /// The peer broke the protocol; the behaviour is named.
    #[error("the peer broke the protocol: {0}")]
    Protocol(String),
    /// Nothing was asked of a data provider, which did not answer the last questions.
    #[error("not asked, because {0}")]
    LeftAlone(String),
    /// More than the limit before anything could be used; the limit is named.
    #[error("over the limit: {0}")]
    TooLarge(&'static str),
    /// The machine, or the address's budget of errors, allows no more now.
    #[error("out of budget: {0}")]
    Budget(String),
    /// The caller's own mistake: a name that is no name, a URL that is none.
    #[error("not a valid {what}: {text}")]
    Invalid {
        /// What was expected.
        what: &'static str,
        /// What was given, escaped.
        text: String,
    },
}

/// What was waited for when the time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A TCP connection.
    Connecting,
    /// The answer of a resolver.
    Resolving,
    /// Any other step, by its name.
    Step(&'static str),
}

impl From<&'static str> for Phase {
    fn from(name: &'static str) -> Self {
        Self::Step(name)
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connecting => "connection",
            Self::Resolving => "DNS answer",
            Self::Step(name) => name,
        })
    }
}

/// A contact that must not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not contacted: {address}: {why}")]
pub struct Refused {
    /// The address.
    pub address: IpAddr,
    /// Why, for the run's record.
    pub why: String,
    /// It might be made, but what leads there could not be looked up.
    pub in_doubt: bool,
}

/// What a failure means for the entity that was probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It is not there: the probe ends as `absent`.
    Absent,
    /// Nothing is known: the probe ends as `unknown`.
    Unknown,
    /// It was not asked, because it must not be.
    NotAsked,
}

impl NetError {
    /// Absent, unknown or not asked.
    pub fn meaning(&self) -> Meaning {
        match self {
            Self::ConnectionRefused => Meaning::Absent,
            Self::OutOfScope(_) | Self::NotAllowed(_) | Self::NoGrant(_) | Self::Invalid { .. } => Meaning::NotAsked,
            Self::Timeout(_)
            | Self::Reset(_)
            | Self::Closed(_)
            | Self::Unreachable(_)
            | Self::Offline(_)
            | Self::Dns(_)
            | Self::Unavailable(_)
            | Self::Tls(_)
            | Self::OtherHttp
            | Self::NoHttp
            | Self::Protocol(_)
            | Self::LeftAlone(_)
            | Self::TooLarge(_)
            | Self::Budget(_) => Meaning::Unknown,
        }
    }

    /// Reads an error of the wire; `what` names the step.
    pub fn from_io(error: &std::io::Error, what: &'static str) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::ConnectionRefused => Self::ConnectionRefused,
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => Self::Reset(what),
            ErrorKind::UnexpectedEof => Self::Closed(what),
            ErrorKind::TimedOut => Self::Timeout(what.into()),
            ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => Self::Offline(format!("{what}: {error}")),
            // Too many open files, no buffer space, no free port: ours, not the peer's.
            _ if matches!(error.raw_os_error(), Some(23 | 24 | 105 | 99 | 11)) => {
                Self::Budget(format!("{what}: {error}"))
            }
            _ => Self::Unreachable(format!("{what}: {error}")),
        }
    }

    /// The same failure of something that we only ask the way (a resolver, a provider): that nothing listens there says
    /// nothing of what was looked for.
    pub(crate) fn of_helper(self) -> Self {
        match self {
            Self::ConnectionRefused => Self::Unreachable("the connection was refused".into()),
            other => other,
        }
    }

    pub(crate) fn invalid(what: &'static str, text: &str) -> Self {
        Self::Invalid { what, text: crate::untrusted::escape(text) }
    }
}
