//! Answers: from a value or an error to an HTTP response, always with a content type, and with headers that keep
//! browsers from guessing.

use crate::document::Document;
use crate::encoding::{self, Coding};
use crate::shares::Share;
use ambit_api::{ApiError, Result};
use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName,
    HeaderValue, IF_NONE_MATCH, LOCATION, RETRY_AFTER, SET_COOKIE, VARY, WWW_AUTHENTICATE,
};
use http::{HeaderMap, StatusCode};
use http_body::{Frame, SizeHint};
use serde::Serialize;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
/// Events that are sent while they happen.
pub(crate) const EVENTS: &str = "text/event-stream";
/// A browser asks whether what it keeps is still so.
const AGAIN: &str = "no-cache";
/// A browser keeps it as long as it likes.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// Bytes of an answer that are handed to its connection at once: what is written is let go of, whatever the connection
/// copies.
const FRAME_BYTES: usize = 64 * 1024;
/// Bytes of one unit of what answers hold.
pub(crate) const UNIT_BYTES: usize = 1024;

/// On every answer: it is data, to be shown nowhere but where it was asked for.
const SECURITY_HEADERS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src \
         'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
];

/// How failures are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// In the envelope (docs/contract/errors.md §1).
    Envelope,
    /// As an error object alone (docs/contract/errors.md §1).
    Object,
    /// By the status, in the manner of version 2 (docs/contract/errors.md §3).
    V2,
}

/// Names what an answer could not hold, or why it is empty (docs/contract/errors.md §3).
const MESSAGE: HeaderName = HeaderName::from_static("x-api-message");

/// Asks a proxy such as nginx to hand on at once what it is sent.
const UNHELD: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The bytes of an answer.
enum Content {
    Whole(Bytes),
    /// Part of the program, made once.
    Document(&'static Document),
    /// A page or a file of the interface; `true`: its name changes with its content, so that it is kept for good.
    Interface(Arc<Document>, bool),
    /// So many bytes, which come piece by piece; `None`: how many is known when the last has come.
    Stream(Option<u64>, BoxStream<'static, io::Result<Bytes>>),
    /// What is sent while it happens.
    Events(BoxStream<'static, Bytes>),
}

/// A successful answer; its status is 200 (docs/contract/wider.md §1.2), but where it leads a browser elsewhere.
pub struct Answer {
    content_type: &'static str,
    content: Content,
    /// A message in a header.
    message: Option<String>,
    /// The file name with which a browser saves it instead of showing it.
    file_name: Option<String>,
    /// What a browser keeps and sends with its next requests.
    cookie: Option<String>,
    /// Where a browser goes on (303).
    leads_to: Option<String>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}

impl Answer {
    /// A JSON document.
    pub fn json(value: &impl Serialize) -> Self {
        Self::json_as(JSON, value)
    }

    /// A JSON document under another content type, where the contract says so.
    pub(crate) fn json_as(content_type: &'static str, value: &impl Serialize) -> Self {
        Self::bytes(content_type, to_bytes(value))
    }

    /// A text that was made for this answer.
    pub fn text(content_type: &'static str, text: String) -> Self {
        Self::bytes(content_type, text.into())
    }

    /// Bytes that were made for this answer.
    pub fn bytes(content_type: &'static str, body: Bytes) -> Self {
        Self::of(content_type, Content::Whole(body))
    }

    /// A file of so many bytes that come piece by piece, none of them large: a stored file is never in memory as a
    /// whole. A browser saves it under `name`, which has nothing but letters, digits, dots and dashes.
    pub(crate) fn file(
        content_type: &'static str,
        name: String,
        size: u64,
        pieces: BoxStream<'static, io::Result<Bytes>>,
    ) -> Self {
        Self { file_name: Some(name), ..Self::of(content_type, Content::Stream(Some(size), pieces)) }
    }

    /// A document that is made while it is sent. A browser saves it under `name`, as that of a file.
    pub(crate) fn growing(
        content_type: &'static str,
        name: String,
        pieces: BoxStream<'static, io::Result<Bytes>>,
    ) -> Self {
        Self { file_name: Some(name), ..Self::of(content_type, Content::Stream(None, pieces)) }
    }

    /// Events, each sent when it happens.
    pub(crate) fn events(events: BoxStream<'static, Bytes>) -> Self {
        Self::of(EVENTS, Content::Events(events))
    }

    /// The same, saved by a browser under `name`, which has nothing but letters, digits, dots, dashes and underscores.
    pub(crate) fn saved_as(self, name: String) -> Self {
        Self { file_name: Some(name), ..self }
    }

    /// A document of the program.
    pub(crate) fn document(document: &'static Document) -> Self {
        Self::of(document.content_type, Content::Document(document))
    }

    /// The page of the interface.
    pub(crate) fn page(document: Arc<Document>) -> Self {
        Self::of(document.content_type, Content::Interface(document, false))
    }

    /// A file of the interface, whose name changes with its content.
    pub(crate) fn asset(document: Arc<Document>) -> Self {
        Self::of(document.content_type, Content::Interface(document, true))
    }

    fn of(content_type: &'static str, content: Content) -> Self {
        Self { content_type, content, message: None, file_name: None, cookie: None, leads_to: None }
    }

    /// Leads a browser to another place.
    pub(crate) fn leading_to(place: String) -> Self {
        Self { leads_to: Some(place), ..Self::empty() }
    }

    /// Returns the same answer with a message in a header.
    pub(crate) fn saying(self, message: String) -> Self {
        Self { message: Some(message), ..self }
    }

    /// The same with a cookie that the browser keeps.
    pub(crate) fn with_cookie(self, cookie: String) -> Self {
        Self { cookie: Some(cookie), ..self }
    }

    /// Success with nothing to say; the length is said to be 0 (docs/contract/wider.md §1.2).
    pub fn empty() -> Self {
        Self::bytes(TEXT, Bytes::new())
    }
}

/// What a request says of how it would like its answer.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    manner: Option<Manner>,
    coding: Option<Coding>,
    /// What the client has already.
    has: Option<String>,
}

impl Wishes {
    pub(crate) fn of(manner: Manner, headers: &HeaderMap) -> Self {
        Self {
            manner: Some(manner),
            coding: encoding::chosen(headers),
            has: headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).map(str::to_owned),
        }
    }
}

/// The response to an outcome. `share` is what its bytes are counted against until they are sent.
pub(crate) async fn respond(outcome: Result<Answer>, wishes: &Wishes, share: Option<Share>) -> Response {
    let mut headers = HeaderMap::new();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match outcome {
        Ok(answer) => {
            say(answer.message.as_deref(), &mut headers);
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
            if let Some(name) = answer.file_name {
                let saved = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
                headers.insert(CONTENT_DISPOSITION, saved.unwrap_or(HeaderValue::from_static("attachment")));
            }
            if let Some(cookie) = answer.cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
                headers.insert(SET_COOKIE, cookie);
            }
            let place = answer.leads_to.and_then(|place| HeaderValue::from_str(&place).ok());
            let status = if place.is_some() { StatusCode::SEE_OTHER } else { StatusCode::OK };
            headers.extend(place.map(|place| (LOCATION, place)));
            match answer.content {
                Content::Whole(bytes) => {
                    let bytes = coded(wishes.coding, answer.content_type, bytes, &mut headers).await;
                    response(status, headers, whole(bytes, share))
                }
                Content::Document(document) => documented(document, AGAIN, wishes, headers),
                Content::Interface(page, false) => documented(&page, AGAIN, wishes, headers),
                Content::Interface(file, true) => documented(&file, FOR_GOOD, wishes, headers),
                Content::Stream(size, pieces) => {
                    share.iter().for_each(|share| share.grow(2 * 1024));
                    let body = Streamed { left: size, pieces, _share: share };
                    response(StatusCode::OK, headers, Body::new(body))
                }
                Content::Events(events) => {
                    headers.insert(UNHELD, HeaderValue::from_static("no"));
                    response(StatusCode::OK, headers, Body::from_stream(events.map(Ok::<_, Infallible>)))
                }
            }
        }
        Err(error) => failure(&error, wishes, headers, share).await,
    }
}

/// The same, with events that end when the server does: nobody waits for what may never happen.
pub(crate) fn ending(response: Response, end: impl Future<Output = ()> + Send + 'static) -> Response {
    if response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != EVENTS) {
        return response;
    }
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(end))))
}

fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

async fn coded(coding: Option<Coding>, content_type: &str, bytes: Bytes, headers: &mut HeaderMap) -> Bytes {
    let (bytes, coding) = encoding::packed(coding, content_type, bytes).await;
    if encoding::shrinks(content_type) {
        headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    }
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    bytes
}

/// A document of the program: whoever has this one already is not sent it again.
fn documented(document: &Document, keep: &'static str, wishes: &Wishes, mut headers: HeaderMap) -> Response {
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    let (bytes, coding) = document.coded(wishes.coding);
    if let Ok(tag) = HeaderValue::from_str(&document.tag(coding)) {
        headers.insert(ETAG, tag);
    }
    if wishes.has.as_deref().is_some_and(|tags| document.is_among(tags)) {
        headers.remove(CONTENT_TYPE);
        return response(StatusCode::NOT_MODIFIED, headers, Body::empty());
    }
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    response(StatusCode::OK, headers, whole(bytes, None))
}

async fn failure(error: &ApiError, wishes: &Wishes, mut headers: HeaderMap, share: Option<Share>) -> Response {
    error_headers(error, &mut headers);
    let (status, body) = match wishes.manner {
        None | Some(Manner::Envelope) => (error.code.status(), to_bytes(&error.body())),
        Some(Manner::Object) => (error.code.status(), to_bytes(&error.object_body())),
        Some(Manner::V2) => {
            say(Some(&error.message), &mut headers);
            let body = error.v2_body().map(|body| to_bytes(&body)).unwrap_or_default();
            (error.code.v2_status(), body)
        }
    };
    if status != StatusCode::NO_CONTENT.as_u16() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    }
    let status = StatusCode::from_u16(status).expect("the tables have valid statuses");
    let body = coded(wishes.coding, JSON, body, &mut headers).await;
    response(status, headers, whole(body, share))
}

/// Bytes that are counted until the last of them is sent.
struct Held {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn whole(bytes: Bytes, share: Option<Share>) -> Body {
    let rest = match share {
        Some(share) if !bytes.is_empty() => {
            share.grow(i64::try_from(bytes.len() / UNIT_BYTES).unwrap_or(i64::MAX));
            Bytes::from_owner(Held { bytes, _share: share })
        }
        Some(_) | None => bytes,
    };
    Body::new(Framed { rest })
}

/// A body in frames.
struct Framed {
    rest: Bytes,
}

impl HttpBody for Framed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.rest.len().min(FRAME_BYTES);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// A body that comes piece by piece. Its length is said before, where it is known; a piece that cannot be read ends the
/// connection, so that nobody takes half for the whole.
struct Streamed {
    left: Option<u64>,
    pieces: BoxStream<'static, io::Result<Bytes>>,
    _share: Option<Share>,
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.pieces.poll_next_unpin(cx).map(|piece| {
            let piece = piece?;
            if let Ok(bytes) = &piece {
                self.left = self.left.map(|left| left.saturating_sub(bytes.len() as u64));
            }
            Some(piece.map(Frame::data))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map(SizeHint::with_exact).unwrap_or_default()
    }
}

/// A message that is no header is left out.
fn say(message: Option<&str>, headers: &mut HeaderMap) {
    if let Some(value) = message.and_then(|message| HeaderValue::from_str(message).ok()) {
        headers.insert(MESSAGE, value);
    }
}

fn error_headers(error: &ApiError, headers: &mut HeaderMap) {
    if let Some(seconds) = error.retry_after_s {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = error.allow.as_deref().and_then(|allow| HeaderValue::from_str(allow).ok()) {
        headers.insert(ALLOW, allow);
    }
    if error.code.status() == StatusCode::UNAUTHORIZED.as_u16() {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey realm=\"ambit\""));
    }
}

fn to_bytes(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("bodies have only text keys").into()
}
