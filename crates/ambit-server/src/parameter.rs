//! What a request says beside its path and its body: parameters of the query, headers and cookies. The signature of a
//! handler names those that it takes; the document is written from there. The credential and the project are read for
//! all handlers alike, in `gate.rs`, and what belongs to a connection or a media type is no parameter of OpenAPI.

use ambit_api::Shape;
use http::HeaderMap;
use http::request::Parts;
use std::sync::Arc;

/// Where a parameter stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum In {
    Query,
    Header,
    Cookie,
}

impl In {
    /// As OpenAPI writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// A parameter of a request.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub place: In,
    pub name: &'static str,
    pub shape: &'static Shape,
    pub required: bool,
    pub doc: &'static str,
}

/// What a call may say: a type that `query!` or `headers!` makes, or two of them.
pub(crate) trait Parameters {
    fn list() -> Vec<Parameter>;

    fn has(place: In, name: &str) -> bool {
        Self::list().iter().any(|parameter| parameter.place == place && parameter.name == name)
    }
}

impl<A: Parameters, B: Parameters> Parameters for (A, B) {
    fn list() -> Vec<Parameter> {
        [A::list(), B::list()].concat()
    }
}

impl Parameters for () {
    fn list() -> Vec<Parameter> {
        Vec::new()
    }
}

/// Says whether a handler's signature names a parameter.
pub(crate) type Names = fn(In, &str) -> bool;

/// The headers of a request, as its handler sees them.
pub(crate) struct Headers {
    sent: Arc<Parts>,
    names: Names,
}

impl Headers {
    pub(crate) fn new(sent: Arc<Parts>, names: Names) -> Self {
        Self { sent, names }
    }

    /// Returns the headers to whoever reads this parameter in them. In a build for tests it is a panic if the signature
    /// of the handler does not name it.
    pub(crate) fn with(&self, place: In, name: &'static str) -> &HeaderMap {
        debug_assert!((self.names)(place, name), "a handler reads {name}, which its signature does not name");
        &self.sent.headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a handler reads x-confirm-delete, which its signature does not name")]
    fn a_header_that_is_not_documented_is_not_read() {
        let (head, ()) = http::Request::new(()).into_parts();
        let headers = Headers::new(Arc::new(head), <() as Parameters>::has);
        headers.with(In::Header, "x-confirm-delete");
    }
}
