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

/// A successful answer; its status is always 200 (v3-wire §1.2).
#[derive(Debug)]
pub struct Answer {
    content_type: &'static str,
    body: Bytes,
}

impl Answer {
    /// A JSON document.
    pub fn json(value: &Value) -> Self {
        Self::json_as(JSON, value)
    }

    /// A JSON document under another content type, where the contract says so.
    pub fn json_as(content_type: &'static str, value: &Value) -> Self {
        Self {
            content_type,
            body: to_bytes(value),
        }
    }

    /// A text that was made for this answer.
    pub fn text(content_type: &'static str, text: String) -> Self {
        Self {
            content_type,
            body: text.into(),
        }
    }

    /// Bytes that were made for this answer.
    pub fn bytes(content_type: &'static str, body: Bytes) -> Self {
        Self { content_type, body }
    }

    /// Success with nothing to say; the length is said to be 0 (v3-wire §1.5).
    pub fn empty() -> Self {
        Self::bytes("text/plain; charset=utf-8", Bytes::new())
    }

    /// A file that is part of the program.
    pub fn file(content_type: &'static str, text: &'static str) -> Self {
        Self {
            content_type,
            body: Bytes::from_static(text.as_bytes()),
        }
    }
}

/// The response to an outcome. Failures of the wider API are an error object alone.
pub(crate) fn respond(outcome: Result<Answer, ApiError>, wider: bool) -> Response {
    let mut headers = HeaderMap::new();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let (status, content_type, body) = match outcome {
        Ok(answer) => (StatusCode::OK, answer.content_type, answer.body),
        Err(error) => {
            error_headers(&error, &mut headers);
            let status = StatusCode::from_u16(error.code.status()).expect("the table has valid statuses");
            let body = if wider { error.object_body() } else { error.body() };
            (status, JSON, to_bytes(&body))
        }
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
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
