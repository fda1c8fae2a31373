//! One try: the request of a message goes through the door, and its answer is read up to a limit. Redirects are answers
//! like any other: they are not followed.

use crate::answer::Answer;
use crate::channel::{self, Post, To};
use crate::mail::Mail;
use ambit_model::Timestamp;
use ambit_model::notification::{Channel, Message};
use ambit_net::http::{HttpRequest, Url};
use ambit_net::tls::TlsOptions;
use ambit_net::{Grant, NetError, Session};
use ambit_store::Receiving;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 4 * 1024;
/// The port of syslog over TLS (RFC 5425).
const SYSLOG_PORT: u16 = 6_514;

/// The `traceparent` of what is under way (W3C Trace Context), given by the binary.
pub type TraceFn = fn() -> Option<String>;

/// What a try is made with.
pub(crate) struct Sender<'a> {
    pub(crate) session: &'a Session,
    pub(crate) mail: Option<&'a Mail>,
    pub(crate) root: Option<&'a str>,
    pub(crate) limit: Duration,
    pub(crate) trace: Option<TraceFn>,
    pub(crate) now: Timestamp,
}

impl Sender<'_> {
    /// Sends a message to a receiver once.
    pub(crate) async fn send(&self, receiver: &Receiving, message: &Message) -> Answer {
        let to = To { secrets: &receiver.secrets, root: self.root, now: self.now };
        match channel::post(receiver.channel, message, &to) {
            Some(mut post) => {
                if receiver.channel == Channel::Webhook {
                    let trace = self.trace.and_then(|parent| parent());
                    post.headers.extend(trace.map(|trace| ("traceparent", trace)));
                }
                self.post(&post).await
            }
            None if receiver.channel == Channel::Email => self.mail(message, &to).await,
            None => self.syslog(message, &to).await,
        }
    }

    async fn post(&self, post: &Post) -> Answer {
        let url = match Url::parse(&post.url) {
            Ok(url) => url,
            Err(error) => return Answer::Refused(error.to_string()),
        };
        let grant = if url.https { Grant::Receiver } else { Grant::PlainReceiver };
        let mut request = HttpRequest::get(url, concat!("ambit/", env!("CARGO_PKG_VERSION")))
            .with_method("POST")
            .with_header("Accept", "application/json")
            .with_body("application/json", post.body.clone())
            .on(grant);
        for (name, value) in &post.headers {
            request = request.with_header(name, value);
        }
        (request.body_kept, request.body_read) = (ANSWER_BYTES_MAX, ANSWER_BYTES_MAX);
        request.timeout = self.limit;
        match self.session.http(&request).await {
            Ok(exchange) => {
                let retry_after = exchange.header("retry-after").map(|value| value.raw().to_owned());
                Answer::of_status(exchange.status, retry_after.as_deref(), &exchange.body, self.now)
            }
            Err(error) => failed(&error),
        }
    }

    async fn mail(&self, message: &Message, to: &To<'_>) -> Answer {
        match self.mail {
            Some(mail) => mail.send(channel::letter(message, to), message.id, self.now, self.limit).await,
            None => Answer::Away { said: "the setting smtp names no mail server".to_owned(), pause_ms: None },
        }
    }

    async fn syslog(&self, message: &Message, to: &To<'_>) -> Answer {
        let (host, port) = match to.secret("host").rsplit_once(':') {
            Some((host, port)) => (host, port.parse().unwrap_or(SYSLOG_PORT)),
            None => (to.secret("host"), SYSLOG_PORT),
        };
        let writing = async {
            let opened = self.session.connect_to(Grant::Receiver, host, port).await?;
            let name = host.parse::<std::net::IpAddr>().is_err().then_some(host);
            let shaken = self.session.tls_over(opened, name, &TlsOptions::plain()).await?;
            let (mut stream, facts) = shaken.into_stream()?;
            if !facts.verification.is_trusted() {
                let problems: Vec<&str> = facts.verification.problems.iter().map(|problem| problem.name()).collect();
                return Err(NetError::Tls(format!("not trusted: {}", problems.join(", "))));
            }
            let written = async {
                stream.write_all(&channel::lines(message, to)).await?;
                stream.shutdown().await
            };
            written.await.map_err(|error| NetError::Unreachable(error.to_string()))
        };
        tokio::select! {
            written = writing => written.map_or_else(|error| failed(&error), |()| Answer::Taken("written".to_owned())),
            () = self.session.sleep(self.limit) => {
                Answer::Away { said: "it took too long".to_owned(), pause_ms: None }
            }
        }
    }
}

/// What the guard forbids is refused; everything else is tried again later.
fn failed(error: &NetError) -> Answer {
    let said = error.to_string();
    match error {
        NetError::NotAllowed(_) | NetError::NoGrant(_) | NetError::Invalid { .. } => Answer::Refused(said),
        _ => Answer::Away { said, pause_ms: None },
    }
}
