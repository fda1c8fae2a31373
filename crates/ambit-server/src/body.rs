//! Bodies of requests: how large, how slow, and how much of them at once. What has no room waits; what is announced too large is refused unread.

use crate::endpoints::{Endpoint, Tree};
use crate::form;
use ambit_api::{ApiError, ErrorCode};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a body: notes have 50,000 characters, of up to 12 bytes each once escaped.
const BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a body in the wider API: files of 64 MiB with what surrounds them; graphs have a limit of their own.
const WIDER_BYTES_MAX: usize = 65 * 1024 * 1024;
/// Bytes of bodies of the wider API that are held at once; while a file is stored, up to three times as much is in memory.
const KNOWN_BYTES: usize = 260 * 1024 * 1024;
/// The same of bodies that must be read before it is known who asks.
const STRANGERS_BYTES: usize = 2 * WIDER_BYTES_MAX;
/// Bodies up to this need no room: there are only so many places.
const SMALL_BYTES: usize = 64 * 1024;
/// Bytes of one unit of room.
const UNIT_BYTES: usize = 1024;
/// Bytes a second that a large body comes with at least: an upload over a line of half a megabit is not cut off.
const RATE_MIN: usize = 64 * 1024;
/// Bytes of a form's field that is a parameter: comments are the longest.
const PARAMETER_BYTES_MAX: usize = 64 * 1024;

/// Room for bodies.
pub(crate) struct Rooms {
    /// For callers whose key is known.
    known: Arc<Semaphore>,
    /// For those whose key stands in the body.
    strangers: Arc<Semaphore>,
}

impl Default for Rooms {
    fn default() -> Self {
        let room = |bytes: usize| Arc::new(Semaphore::new(bytes / UNIT_BYTES));
        Self {
            known: room(KNOWN_BYTES),
            strangers: room(STRANGERS_BYTES),
        }
    }
}

/// A body with its room, which is given back when the call is over.
#[derive(Default)]
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// A body that is read when it is known who asks, or before.
pub(crate) enum Arrival {
    Waiting(Body),
    Read(Whole),
}

/// How a body is read.
pub(crate) struct Reading<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) rooms: &'a Rooms,
    /// Nothing comes for so long: that is the end.
    pub(crate) idle: Duration,
}

impl Arrival {
    /// Reads the body of a row that has one, if that is not done; other bodies are left unread.
    pub(crate) async fn read(self, reading: &Reading<'_>, known: bool) -> Result<Whole, ApiError> {
        let body = match self {
            Self::Read(whole) => return Ok(whole),
            Self::Waiting(body) => body,
        };
        let announced = announced(reading.headers);
        let ours = matches!(reading.endpoint.tree, Tree::Asm | Tree::Ambit | Tree::Open);
        let most = if ours { BYTES_MAX } else { WIDER_BYTES_MAX };
        if announced.is_some_and(|length| length > most) {
            return Err(too_large(most));
        }
        if reading.endpoint.body.is_none() {
            return Ok(Whole::default());
        }
        let rooms = if known { &reading.rooms.known } else { &reading.rooms.strangers };
        let room = if ours { None } else { room(rooms, announced.unwrap_or(most)).await };
        let bytes = collect(body, most, announced.unwrap_or(0), reading.idle).await?;
        // Clients of the wider API put any type on JSON (v3-wire §10.1).
        if ours {
            check_content_type(reading.headers, &bytes)?;
        }
        Ok(Whole { bytes, room })
    }
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The time that a body may take beyond that of a request without one. What is announced too large is refused and needs none.
pub(crate) fn allowance(headers: &HeaderMap) -> Duration {
    let bytes = announced(headers).filter(|bytes| *bytes <= WIDER_BYTES_MAX).unwrap_or(0);
    Duration::from_millis((bytes * 1_000 / RATE_MIN) as u64)
}

async fn room(rooms: &Arc<Semaphore>, bytes: usize) -> Option<OwnedSemaphorePermit> {
    if bytes <= SMALL_BYTES {
        return None;
    }
    let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).expect("bodies have a limit far below");
    Some(rooms.clone().acquire_many_owned(units).await.expect("the semaphore is never closed"))
}

fn too_large(most: usize) -> ApiError {
    ApiError::with(ErrorCode::TooLarge, format!("The body is larger than {most} bytes"))
}

/// All bytes of a body, which come without a long pause and are at most so many.
async fn collect(mut body: Body, most: usize, announced: usize, idle: Duration) -> Result<Bytes, ApiError> {
    let cut_off = || ApiError::with(ErrorCode::BadRequest, "The body could not be read to its end");
    let mut bytes = BytesMut::with_capacity(announced.min(most));
    loop {
        let next = tokio::time::timeout(idle, body.frame()).await;
        let frame = match next.map_err(|_| ApiError::new(ErrorCode::DeadlineExceeded))? {
            None => return Ok(bytes.freeze()),
            Some(frame) => frame.map_err(|_| cut_off())?,
        };
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() + data.len() > most {
            return Err(too_large(most));
        }
        bytes.extend_from_slice(data);
    }
}

/// JSON under its own type or none at all, which is what `application/octet-stream` says too; under the type of forms, which some clients put on
/// everything, only if it is an object. A coded body (gzip and the like) is not read.
fn check_content_type(headers: &HeaderMap, body: &Bytes) -> Result<(), ApiError> {
    let coded = headers
        .get(CONTENT_ENCODING)
        .is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"));
    if coded {
        return Err(ApiError::with(
            ErrorCode::UnsupportedMediaType,
            "Bodies must not be encoded: leave out Content-Encoding",
        ));
    }
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    let essence = text.split(';').next().unwrap_or_default().trim();
    let undescribed = essence.is_empty() || essence == "application/octet-stream";
    let json = undescribed || essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    let form = essence == "application/x-www-form-urlencoded" && body.trim_ascii_start().starts_with(b"{");
    if json || form {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType))
}

/// Parameters that stand in a form, beside those of the query.
pub(crate) fn add_fields(query: &mut Vec<(String, String)>, content_type: &str, bytes: &Bytes) -> Result<(), ApiError> {
    if bytes.is_empty() || !form::is_form(content_type) {
        return Ok(());
    }
    for field in form::fields(content_type, bytes)? {
        if field.file_name.is_none() && field.bytes.len() <= PARAMETER_BYTES_MAX {
            query.push((field.name, String::from_utf8_lossy(&field.bytes).into_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn bodies_are_json_whatever_forms_clients_claim_to_send() {
        let check =
            |pairs: &[(&'static str, &str)], body: &'static str| check_content_type(&headers(pairs), &Bytes::from_static(body.as_bytes())).is_ok();
        assert!(check(&[], "{}"));
        assert!(check(&[("content-type", "application/json; charset=utf-8")], "{}"));
        assert!(check(&[("content-type", "application/x-www-form-urlencoded")], " {\"name\":1}"));
        assert!(!check(&[("content-type", "application/x-www-form-urlencoded")], "name=a"));
        assert!(check(&[("content-type", "application/octet-stream")], "{}"));
        assert!(!check(&[("content-type", "text/plain")], "{}"));
        assert!(!check(&[("content-type", "application/json"), ("content-encoding", "gzip")], "{}"));
    }

    #[test]
    fn large_bodies_have_more_time_and_too_large_ones_have_none() {
        let of = |length: &str| allowance(&headers(&[("content-length", length)]));
        assert_eq!(of("65536"), Duration::from_secs(1));
        assert_eq!(of("67108864"), Duration::from_secs(1024));
        assert_eq!(of("99999999999"), Duration::ZERO);
        assert_eq!(of("nonsense"), Duration::ZERO);
    }

    #[test]
    fn fields_that_are_no_files_are_parameters() {
        let mut query = vec![("a".to_owned(), "1".to_owned())];
        let form = Bytes::from_static(b"apikey=k&resource=x%2C+y");
        add_fields(&mut query, "application/x-www-form-urlencoded", &form).unwrap();
        add_fields(&mut query, "application/json", &form).unwrap();
        let parts = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nno\r\n--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\nyes\r\n--b--";
        add_fields(&mut query, "multipart/form-data; boundary=b", &Bytes::from_static(parts)).unwrap();
        let pairs: Vec<(&str, &str)> = query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("apikey", "k"), ("resource", "x, y"), ("c", "yes")]);
    }
}
