//! Answers: from a value or an error to an HTTP response, always with a content type, and with headers that keep browsers from guessing.

use ambit_api::ApiError;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

const JSON: &str = "application/json";

/// On every answer: it is data, to be shown nowhere but where it was asked for.
const SECURITY_HEADERS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
];

/// How failures are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// In the envelope of design §9.
    Envelope,
    /// As an error object alone (v3-wire §1.5).
    Object,
    /// By the status, in the manner of version 2 (v3-wire §7).
    V2,
}

/// Names what an answer could not hold, or why it is empty (v3-wire §7).
const MESSAGE: HeaderName = HeaderName::from_static("x-api-message");

/// A successful answer; its status is always 200 (v3-wire §1.2).
#[derive(Debug)]
pub struct Answer {
    content_type: &'static str,
    body: Bytes,
    /// Said in a header beside the body.
    message: Option<String>,
}

impl Answer {
    /// A JSON document.
    pub fn json(value: &Value) -> Self {
        Self::json_as(JSON, value)
    }

    /// A JSON document under another content type, where the contract says so.
    pub fn json_as(content_type: &'static str, value: &Value) -> Self {
        Self::bytes(content_type, to_bytes(value))
    }

    /// A text that was made for this answer.
    pub fn text(content_type: &'static str, text: String) -> Self {
        Self::bytes(content_type, text.into())
    }

    /// Bytes that were made for this answer.
    pub fn bytes(content_type: &'static str, body: Bytes) -> Self {
        Self {
            content_type,
            body,
            message: None,
        }
    }

    /// The same with something said beside the body.
    pub(crate) fn saying(self, message: String) -> Self {
        Self {
            message: Some(message),
            ..self
        }
    }

    /// Success with nothing to say; the length is said to be 0 (v3-wire §1.5).
    pub fn empty() -> Self {
        Self::bytes("text/plain; charset=utf-8", Bytes::new())
    }

    /// A file that is part of the program.
    pub fn file(content_type: &'static str, text: &'static str) -> Self {
        Self::bytes(content_type, Bytes::from_static(text.as_bytes()))
    }
}

/// The response to an outcome.
pub(crate) fn respond(outcome: Result<Answer, ApiError>, manner: Manner) -> Response {
    let mut headers = HeaderMap::new();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let (status, content_type, body) = match outcome {
        Ok(answer) => {
            say(answer.message.as_deref(), &mut headers);
            (200, answer.content_type, answer.body)
        }
        Err(error) => {
            error_headers(&error, &mut headers);
            match manner {
                Manner::Envelope => (error.code.status(), JSON, to_bytes(&error.body())),
                Manner::Object => (error.code.status(), JSON, to_bytes(&error.object_body())),
                Manner::V2 => {
                    say(Some(&error.message), &mut headers);
                    (
                        error.code.v2_status(),
                        JSON,
                        error.v2_body().map(|body| to_bytes(&body)).unwrap_or_default(),
                    )
                }
            }
        }
    };
    if status != StatusCode::NO_CONTENT.as_u16() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).expect("the tables have valid statuses");
    *response.headers_mut() = headers;
    response
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

fn to_bytes(value: &Value) -> Bytes {
    serde_json::to_vec(value).expect("a JSON value has only text keys").into()
}
