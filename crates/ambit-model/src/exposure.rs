//! Probes for what should not be public: where a thing may lie, and what in an answer proves that it lies there. The
//! task asks, the judge reports; both take the probe from the one file in `ambit-checks` that states it.

use serde_json::Value;

/// What a task says of a folder whose files the server lists. It has no probe: a listing is a property of any page.
pub const DIRECTORY_LISTING: &str = "directory_listing";
/// What a probe says of a repository of git whose files a site gives out; a task of its own reads what lies there.
pub const GIT_REPOSITORY: &str = "git_repository";

/// A search for one thing that may lie open.
#[derive(Debug)]
pub struct Probe {
    /// The name under which an observation keeps it, unique among all probes.
    pub what: &'static str,
    /// Where it is asked for.
    pub place: Place,
    /// The proof in an answer of status 200: a short text with secrets masked, or `None`. The content decides, never
    /// the status alone.
    pub proof: fn(&Response<'_>) -> Option<String>,
    /// Answers that must be proven.
    pub matches: &'static [Response<'static>],
    /// Answers that look alike and must not be.
    pub twins: &'static [Response<'static>],
}

/// Where a probe asks.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// The first of these paths that proves the thing stands for all of them. A query belongs to the question, not to
    /// the thing's address.
    Paths(&'static [&'static str]),
    /// The same, where what lies there is an interface to be called, and so an entity of its own.
    Interface(&'static [&'static str]),
    /// A page that cannot exist, whatever the status: the product shows in its error page.
    MissingPage,
}

/// An answer of a site as a proof sees it.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// The value of its `Content-Type`.
    pub media: &'a str,
    /// Whether it is a page for people, by its type or its first bytes.
    pub is_html: bool,
    pub body: &'a [u8],
}

impl Response<'static> {
    /// A page, as an example of a probe.
    pub const fn html(body: &'static str) -> Self {
        Self::example("text/html", true, body)
    }

    /// A text, as an example of a probe.
    pub const fn plain(body: &'static str) -> Self {
        Self::example("text/plain", false, body)
    }

    /// A JSON document, as an example of a probe.
    pub const fn of_json(body: &'static str) -> Self {
        Self::example("application/json", false, body)
    }

    const fn example(media: &'static str, is_html: bool, body: &'static str) -> Self {
        let body = body.as_bytes();
        Self { media, is_html, body }
    }
}

impl Response<'_> {
    /// Returns the body as text; what is no UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.body).into_owned()
    }

    /// Returns the body as a document, or `None` where it is a page or no JSON.
    pub fn json(&self) -> Option<Value> {
        if self.is_html { None } else { serde_json::from_slice(self.body).ok() }
    }

    /// Returns whether the body has tags. Many servers call every file without a known ending `text/html`, so that the
    /// type alone tells little.
    pub fn has_tags(&self) -> bool {
        let opens = |pair: &[u8]| pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || matches!(pair[1], b'!' | b'/'));
        self.body.windows(2).any(opens)
    }
}
