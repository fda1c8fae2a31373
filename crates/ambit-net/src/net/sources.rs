//! Asking data providers, each as it is registered (`source.rs`): over https, or by one line.

use super::Session;
use crate::door::{Answered, Connection, ProviderHost};
use crate::error::Result;
use crate::guard::Grant;
use crate::http::{HttpExchange, HttpFetch, HttpRequest};
use crate::limits;
use crate::source;
use crate::tcp::Banner;
use std::sync::Arc;

impl Session {
    /// Asks a data provider by URL, by name through the resolvers, over https at a host of its own; redirects are
    /// followed as far as they lead to one. Fails with `LeftAlone`, and asks nothing, where that host did not answer
    /// the last questions.
    pub async fn source(&self, provider: &'static str, url: &str) -> Result<HttpFetch> {
        let request = HttpRequest { body_kept: limits::BODY_READ_MAX, ..self.get(url)? };
        self.source_fetch(provider, request).await
    }

    /// As [`Session::source`], also at hosts that a list of the provider names as its own; no redirect is followed.
    /// Other hosts are refused with `NotAllowed`.
    pub async fn source_at(&self, provider: &'static str, url: &str, learned: &[String]) -> Result<HttpExchange> {
        let (body_kept, learned) = (limits::BODY_READ_MAX, learned.to_vec());
        let timeout = limits::SOURCE_TIMEOUT;
        let request = HttpRequest { body_kept, learned, timeout, ..self.get(url)? };
        let place = ProviderHost::new(provider, &request.url.host, request.url.port);
        let request = request.on(Grant::Source(provider));
        let answer = Box::pin(self.http(&request));
        self.asked(place, answer, |exchange| complaint(provider, exchange)).await
    }

    /// Asks a data provider like [`Session::source`], and fails as that does, for something that may be very long: at
    /// most `SOURCE_LIST_MAX` bytes.
    pub async fn source_list(&self, provider: &'static str, url: &str) -> Result<HttpFetch> {
        self.source_list_with(provider, url, &[]).await
    }

    /// As [`Session::source_list`], with headers, such as the one that shows a key. That a provider rejects the key is
    /// an answer.
    pub async fn source_list_with(
        &self,
        provider: &'static str,
        url: &str,
        headers: &[(String, String)],
    ) -> Result<HttpFetch> {
        let request = HttpRequest { body_kept: limits::SOURCE_LIST_MAX, ..self.get(url)? };
        let request = headers.iter().fold(request, |request, (name, value)| request.with_header(name, value));
        self.source_fetch(provider, request).await
    }

    /// Asks a data provider for a list that many questions need: once in a run, as long as the list holds. A failure of
    /// the network is kept as well, for a short while, for everybody who asks meanwhile.
    pub async fn source_kept(&self, provider: &'static str, url: &str) -> Result<Arc<HttpFetch>> {
        self.door.check_grant(Grant::Source(provider))?;
        let ask = || async {
            let fetch = Box::pin(self.source_list(provider, url)).await?;
            let holds = if fetch.last().status == 200 { limits::SOURCE_LIST_HOLDS } else { limits::DNS_FAILURE_HOLDS };
            Ok((fetch, self.now() + holds))
        };
        self.net.inner.lists.get(&(provider, url.to_owned()), || self.now(), ask).await
    }

    async fn source_fetch(&self, provider: &'static str, request: HttpRequest) -> Result<HttpFetch> {
        let request = HttpRequest { timeout: limits::SOURCE_TIMEOUT, ..request };
        let place = ProviderHost::new(provider, &request.url.host, request.url.port);
        let request = request.on(Grant::Source(provider));
        let answer = Box::pin(self.fetch(&request));
        // A host that leads to another one has answered.
        self.asked(place, answer, |fetch| fetch.exchanges.first().and_then(|first| complaint(provider, first))).await
    }

    /// Sends one line to a data provider without HTTP (WHOIS) and reads until it closes. Fails with `Timeout` where it
    /// does not, whatever it had said, and with `Invalid` for a line with control characters.
    pub async fn source_line(&self, provider: &'static str, host: &str, port: u16, line: &str) -> Result<Banner> {
        let answer = crate::tcp::banner::source_line(&self.door, &self.net.inner.dns, provider, host, port, line);
        self.asked(ProviderHost::new(provider, host, port), answer, |_| None).await
    }

    /// Opens a connection to a data provider at a place that people named, for a protocol of its own. Each address of
    /// the host is tried until one lets us in. Fails if the provider is asked at hosts of its own alone, or nobody lets
    /// us in.
    pub async fn source_stream(&self, provider: &'static str, host: &str, port: u16) -> Result<Connection> {
        let grant = Grant::Source(provider);
        self.door.check_grant(grant)?;
        source::check_stream(provider)?;
        self.asked(ProviderHost::new(provider, host, port), self.connect_to(grant, host, port), |_| None).await
    }

    /// Puts a question, unless its host has left too many without an answer. `complains` reads from an answer that its
    /// host cannot answer now.
    async fn asked<T>(
        &self,
        place: ProviderHost,
        question: impl Future<Output = Result<T>>,
        complains: impl Fn(&T) -> Option<String>,
    ) -> Result<T> {
        self.door.check_source(&place)?;
        let outcome = question.await;
        let answered = match &outcome {
            Ok(answer) => complains(answer).map_or(Answered::Yes, Answered::Complaint),
            Err(error) => Answered::of(error),
        };
        self.door.note_source(&place, answered);
        outcome
    }
}

/// How a registry says that it cannot answer now.
fn complaint(provider: &str, answer: &HttpExchange) -> Option<String> {
    let is_complaint = source::is_registry(provider) && matches!(answer.status, 429 | 500..=599);
    is_complaint.then(|| format!("status {}", answer.status))
}
