//! Requests and responses, reported to an observer as they happen, so that tests know what a run could have seen.
//! Contacts that are only counted are in `ledger.rs`.

use crate::serve::request::Response;
use ambit_model::Timestamp;
use std::net::SocketAddr;
use std::sync::Arc;

/// The most characters of a body that are told: a front page with its links.
const BODY_CHARS_MAX: usize = 4_096;

/// One contact with its answer, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The wire's date.
    pub date: Timestamp,
    /// Who was asked.
    pub to: SocketAddr,
    /// By datagram rather than on a connection.
    pub datagram: bool,
    /// The name that was asked for: by SNI, by `Host`, or in a DNS question.
    pub name: Option<String>,
    /// `connect`, `dns A`, `tls`, `GET /path`, a command; empty for a datagram of another protocol and for what a
    /// service says unasked.
    pub asked: String,
    /// `open`, `refused` or `silent`; records of DNS behind the response code; a certificate; status, target and body
    /// of an HTTP answer; the bytes of another protocol as text.
    pub answer: String,
}

/// Hears of every exchange, in the order in which the servers answer.
pub type Observer = Arc<dyn Fn(&Exchange) + Send + Sync>;

/// An HTTP answer in words: status and target on the first line, the body behind it.
pub(crate) fn response_words(response: &Response) -> String {
    let target = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
    let target = target.map(|(_, url)| format!(" {url}")).unwrap_or_default();
    let body: String = String::from_utf8_lossy(&response.body).chars().take(BODY_CHARS_MAX).collect();
    format!("{}{target}\n{body}", response.status)
}
