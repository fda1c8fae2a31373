//! A request to a web server, and its answer before it is written.

use ambit_model::percent::unescaped;

/// A request, read.
#[derive(Debug)]
pub(crate) struct Request {
    pub method: String,
    /// Path with query, beginning with `/`.
    pub target: String,
    /// From the `Host` header or an absolute target; in small letters, without the port.
    pub host: Option<String>,
    pub headers: Vec<(String, String)>,
    /// What came behind the head.
    pub body: Vec<u8>,
    /// The client wants the connection to stay open.
    pub keep: bool,
}

/// An answer before it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// May be sent compressed.
    pub compress: bool,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or("/")
    }

    /// A parameter of the query, percent-decoded.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        let pair = query.split('&').filter_map(|pair| pair.split_once('='));
        pair.filter(|(key, _)| *key == name).map(|(_, value)| decode(value)).next()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Response {
    pub(crate) fn new(status: u16, media: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".to_owned(), media.to_owned())],
            body: body.into(),
            compress: false,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

fn decode(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(&text.replace('+', " "))).into_owned()
}
