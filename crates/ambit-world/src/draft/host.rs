//! How a host answers beside its services.

use std::time::Duration;

/// What answers on the ports that a host does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unlisted {
    #[default]
    Closed,
    Filtered,
    /// Every port accepts and says nothing.
    Open,
}

/// What a web server says to a name that it does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnknownHost {
    /// Its own default page with this status and text.
    Page(u16, String),
    /// The site of this key.
    Site(String),
    /// Closes without a word, over TLS with an alert.
    Close,
}

impl Default for UnknownHost {
    fn default() -> Self {
        Self::Page(404, "<h1>Not Found</h1>".to_owned())
    }
}

/// What a server answers within a span of wire time, and what it says to more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    pub most: u64,
    pub span: Duration,
    pub beyond: Beyond,
}

/// What is said beyond a limit: to questions of DNS, or to requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Refused,
    Silent,
    /// Over UDP only.
    Truncated,
    /// This status, with the seconds after which to come again.
    Status(u16, Option<u32>),
}
