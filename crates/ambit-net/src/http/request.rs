//! Requests: what a browser would send, how parts of it are replaced, and the very bytes. Sends nothing itself.

use super::{BodySink, HttpRequest, Url};
use crate::error::{NetError, Result};
use crate::guard::Grant;
use crate::limits::{BODY_KEPT, BODY_READ_MAX, DOWNLOAD_TIMEOUT, EXCHANGE_TIMEOUT};

impl HttpRequest {
    /// What a browser would ask for a URL, under the name of this program; on the ground of a target.
    pub fn get(url: Url, user_agent: &str) -> Self {
        // br and zstd are read where they come all the same; their windows are too large to invite them.
        let headers = [("User-Agent", user_agent), ("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate")];
        Self {
            url,
            method: "GET".into(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: Vec::new(),
            address: None,
            sni: None,
            host: None,
            target: None,
            raw: None,
            grant: Grant::Target,
            learned: Vec::new(),
            peer: None,
            body_kept: BODY_KEPT,
            body_read: BODY_READ_MAX,
            timeout: EXCHANGE_TIMEOUT,
            shared: false,
            sink: None,
        }
    }

    /// The same request with another method.
    pub fn with_method(mut self, method: &str) -> Self {
        self.method = method.to_owned();
        self
    }

    /// The same request with a header; one of the same name is replaced.
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same request with a body of the given type.
    pub fn with_body(mut self, content_type: &str, body: Vec<u8>) -> Self {
        self.body = body;
        self.with_header("Content-Type", content_type)
    }

    /// The same request to a pinned address.
    pub fn at(mut self, address: std::net::SocketAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// The same request, whose answer may be as long as the sink takes.
    pub fn into_sink(mut self, sink: BodySink) -> Self {
        self.timeout = DOWNLOAD_TIMEOUT;
        self.sink = Some(sink);
        self
    }

    /// The same request on another ground.
    pub fn on(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// The name that the contact is for: the pinned `Host` without its port, else the URL's host.
    pub(super) fn identity(&self) -> &str {
        match &self.host {
            Some(host) => host
                .rsplit_once(':')
                .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
                .map_or(host, |(name, _)| name),
            None => &self.url.host,
        }
    }

    /// What is asked for, under each host that the request names: the URL's, the pinned `Host` and the server name.
    pub(super) fn pages(&self) -> Vec<Url> {
        let raw = self.raw.as_ref().and_then(|raw| raw.split(|byte| matches!(byte, b' ' | b'\r' | b'\n')).nth(1));
        let raw = raw.map(|target| String::from_utf8_lossy(target).into_owned());
        let path = raw.as_ref().or(self.target.as_ref()).unwrap_or(&self.url.path);
        // A target may be a whole URL, whose host need not be that of the connection.
        let path = Url::parse(path).map_or_else(|_| path.clone(), |url| url.path);
        let mut hosts = vec![self.url.host.as_str(), self.identity()];
        hosts.extend(self.server_name());
        hosts.sort_unstable();
        hosts.dedup();
        let page = |host: &str| Url { host: host.to_ascii_lowercase(), path: path.clone(), ..self.url.clone() };
        hosts.into_iter().map(page).collect()
    }

    /// The server name for TLS: the pin, else the URL's host if it is a name.
    pub(super) fn server_name(&self) -> Option<&str> {
        match self.sni.as_deref() {
            Some(pinned) => Some(pinned),
            None => self.url.ip().is_none().then_some(self.url.host.as_str()),
        }
    }

    /// Returns true if this request may share a connection: it can be repeated safely, its framing is unambiguous, and
    /// it says nothing about the connection itself. Providers and the operator's hosts are paced by the connection.
    pub(super) fn shares(&self) -> bool {
        const OF_CONNECTION: [&str; 7] =
            ["connection", "content-length", "expect", "keep-alive", "te", "transfer-encoding", "upgrade"];
        let plain =
            self.headers.iter().all(|(name, _)| !OF_CONNECTION.iter().any(|known| name.eq_ignore_ascii_case(known)));
        let repeatable = matches!(self.method.as_str(), "GET" | "OPTIONS") && self.body.is_empty();
        self.shared && self.grant == Grant::Target && self.raw.is_none() && repeatable && plain
    }

    /// Returns the bytes of the request. A line break inside a line is only possible with `raw`.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        if let Some(raw) = &self.raw {
            return Ok(raw.clone());
        }
        let target = self.target.as_deref().unwrap_or(&self.url.path);
        let authority = self.url.authority();
        let host = self.host.as_deref().unwrap_or(&authority);
        let one_line = |what, text: &str| match text.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            true => Err(NetError::invalid(what, text)),
            false => Ok(()),
        };
        one_line("method", &self.method)?;
        one_line("request target", target)?;
        one_line("host", host)?;
        let mut text = format!("{} {target} HTTP/1.1\r\n", self.method);
        let has = |wanted: &str| self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if !has("host") {
            text.push_str(&format!("Host: {host}\r\n"));
        }
        for (name, value) in &self.headers {
            one_line("header name", name)?;
            one_line("header value", value)?;
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let wants_length = !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        if wants_length && !has("content-length") && !has("transfer-encoding") {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        if !has("connection") && !self.shares() {
            // One exchange a connection: what a peer left behind in one can never be taken for the next answer.
            text.push_str("Connection: close\r\n");
        }
        text.push_str("\r\n");
        Ok([text.as_bytes(), &self.body].concat())
    }
}
