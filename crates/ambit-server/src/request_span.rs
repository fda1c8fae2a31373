//! The span of a request, in which its events stand: a name that does not depend on what is asked for, the row of the
//! table, the status, and an id by which caller and operator speak of the same request. Where spans go is the binary's.

use crate::metrics::Route;
use http::{HeaderMap, HeaderValue, StatusCode};
use tracing::{Span, field};
use uuid::Uuid;

/// The id of a request, of the caller's making or ours, and in its answer.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// Characters of an id that a caller may choose.
const ID_CHARS_MAX: usize = 64;

/// What the binary does to spans that are sent on.
#[derive(Clone, Copy, Debug)]
pub struct SpanFns {
    /// Makes a span part of the trace that a request says it belongs to.
    pub adopt: fn(&Span, &HeaderMap),
    /// Gives a span its name, which is not known when it begins.
    pub rename: fn(&Span, String),
}

/// The span of a request.
pub(crate) struct RequestSpan {
    pub(crate) span: Span,
    id: HeaderValue,
    sent: Option<SpanFns>,
}

impl RequestSpan {
    /// Begins with the head; `path` is what the log may have of it.
    pub(crate) fn begin(method: &http::Method, path: &str, headers: &HeaderMap, sent: Option<SpanFns>) -> Self {
        let id = headers.get(REQUEST_ID).filter(|id| is_id(id.as_bytes())).cloned();
        let id = id.unwrap_or_else(|| {
            HeaderValue::try_from(Uuid::new_v4().simple().to_string()).expect("digits are a value of a header")
        });
        let span = tracing::info_span!(
            target: "traces",
            "request",
            otel.kind = "server",
            otel.status_code = field::Empty,
            request.id = id.to_str().unwrap_or_default(),
            http.request.method = method.as_str(),
            url.path = path,
            http.route = field::Empty,
            http.response.status_code = field::Empty,
        );
        let sent = sent.filter(|_| !span.is_disabled());
        if let Some(sent) = sent {
            (sent.adopt)(&span, headers);
        }
        Self { span, id, sent }
    }

    /// Says where the request went, and how it was answered.
    pub(crate) fn end(&self, route: Option<Route>, status: StatusCode) {
        if self.span.is_disabled() {
            return;
        }
        if let Some(Route { prefix, path, method }) = route {
            if let Some(sent) = self.sent {
                (sent.rename)(&self.span, format!("{method} {prefix}{path}"));
            }
            self.span.record("http.route", format!("{prefix}{path}"));
        }
        self.span.record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error() {
            self.span.record("otel.status_code", "ERROR");
        }
    }

    /// The value of the header by which the answer names the request.
    pub(crate) fn id(&self) -> HeaderValue {
        self.id.clone()
    }
}

/// A caller's id is taken where it is no more than one.
fn is_id(id: &[u8]) -> bool {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=ID_CHARS_MAX).contains(&id.len()) && id.iter().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_names_its_request_and_nothing_else() {
        let id = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
            RequestSpan::begin(&http::Method::GET, "/", &headers, None).id()
        };
        assert_eq!(id(b"7f3a-B_c.d"), "7f3a-B_c.d");
        for wrong in [&b""[..], b"a b", b"a\"}", "\u{202e}".as_bytes(), &[b'a'; ID_CHARS_MAX + 1]] {
            let ours = id(wrong);
            assert!(ours.as_bytes() != wrong && ours.len() == 32, "{ours:?}");
        }
    }
}
