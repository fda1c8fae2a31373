//! Bodies of requests: how large, how slow. What is announced too large is refused unread, and drained for a moment, so
//! that its sender sees why.

use crate::form;
use crate::rooms::Rooms;
use crate::shares::Owner;
use ambit_api::{ApiError, ErrorCode, Result};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http_body_util::BodyExt;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Bytes of a body: notes have 50,000 characters, of up to 12 bytes each once escaped.
pub(crate) const BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a body that anybody may send: a token.
pub(crate) const OPEN_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a body in the wider API that is no upload: graphs have a limit of their own below it.
pub(crate) const WIDER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of an upload: files of 64 MiB with what surrounds them.
pub(crate) const UPLOAD_BYTES_MAX: usize = 65 * 1024 * 1024;
/// Bytes of memory that an upload needs while it goes by: a chunk that fills, the same compressed, and the row that is
/// written.
pub(crate) const UPLOAD_HELD_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that a key must be found in where it stands in a form: files come behind the fields.
const KEY_WITHIN_BYTES: usize = 64 * 1024;
/// Bytes a second that a body comes with at least: an upload over a line of half a megabit is not cut off.
const RATE_MIN: usize = 64 * 1024;
/// Bytes of a form's field that is a parameter: comments are the longest.
pub(crate) const PARAMETER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a refused body that are read and forgotten, in how long: enough for a client to see the answer before it is
/// cut off.
const DRAINED_BYTES_MAX: usize = 256 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// A body on its way.
pub(crate) struct Arriving {
    /// `None`: it has come to its end, or was cut off.
    body: Option<Body>,
    /// What was read already and is to be read again.
    ahead: VecDeque<Bytes>,
    announced: Option<usize>,
    /// Its sender waits for a word before it sends anything.
    expects: bool,
    /// Nothing comes for so long: that is the end.
    idle: Duration,
    received: usize,
    begun: Option<Instant>,
}

impl Arriving {
    pub(crate) fn new(headers: &HeaderMap, body: Body, idle: Duration) -> Self {
        Self {
            body: (!http_body::Body::is_end_stream(&body)).then_some(body),
            ahead: VecDeque::new(),
            announced: headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok()),
            expects: headers.contains_key(EXPECT),
            idle,
            received: 0,
            begun: None,
        }
    }

    /// Refuses what is announced larger than `most`.
    pub(crate) fn check_announced(&self, most: usize) -> Result<()> {
        match self.announced {
            Some(length) if length > most => Err(too_large(most)),
            Some(_) | None => Ok(()),
        }
    }

    /// Bytes to hold for it: what is announced, else as much as may come.
    pub(crate) fn expected(&self, most: usize) -> usize {
        if self.body.is_none() && self.ahead.is_empty() {
            return 0;
        }
        self.announced.unwrap_or(most).min(most)
    }

    /// The next bytes; `None` at the end. They come without a long pause, not too slowly, and are at most `most`
    /// together.
    pub(crate) async fn next(&mut self, most: usize) -> Result<Option<Bytes>> {
        if let Some(bytes) = self.ahead.pop_front() {
            return Ok(Some(bytes));
        }
        let bytes = self.receive().await?;
        if self.received > most {
            return Err(too_large(most));
        }
        Ok(bytes)
    }

    async fn receive(&mut self) -> Result<Option<Bytes>> {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        loop {
            let Some(body) = &mut self.body else { return Ok(None) };
            let until = deadline(begun, self.received, Instant::now(), self.idle);
            let frame = match tokio::time::timeout_at(until, body.frame()).await {
                Err(_) => return Err(ApiError::new(ErrorCode::DeadlineExceeded)),
                Ok(frame) => frame,
            };
            match frame {
                None => self.body = None,
                Some(Err(_)) => {
                    self.body = None;
                    return Err(ApiError::bad("The body could not be read to its end"));
                }
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    self.received += data.len();
                    return Ok(Some(data));
                }
            }
        }
    }

    /// All of it.
    pub(crate) async fn whole(&mut self, most: usize) -> Result<Bytes> {
        let Some(first) = self.next(most).await? else { return Ok(Bytes::new()) };
        let Some(second) = self.next(most).await? else { return Ok(first) };
        let mut bytes = BytesMut::with_capacity(self.expected(most).max(first.len() + second.len()));
        bytes.extend_from_slice(&first);
        bytes.extend_from_slice(&second);
        while let Some(more) = self.next(most).await? {
            bytes.extend_from_slice(&more);
        }
        Ok(bytes.freeze())
    }

    /// The key in a form of version 2, which stands in its first bytes. They are read again as part of the body.
    pub(crate) async fn key_in_form(
        &mut self,
        content_type: &str,
        name: &str,
        rooms: &Rooms,
        owner: Owner,
        time: Duration,
    ) -> Result<Option<String>> {
        if !form::is_form(content_type) {
            return Ok(None);
        }
        let late = || ApiError::new(ErrorCode::DeadlineExceeded);
        let until = Instant::now() + time;
        let Some(first) = tokio::time::timeout_at(until, self.receive()).await.map_err(|_| late())?? else {
            return Ok(None);
        };
        // Nothing is held for those of whom nothing came.
        let _place = rooms.stranger(owner, time).await?;
        let mut seen = BytesMut::from(&first[..]);
        self.ahead.push_back(first);
        loop {
            let ended = self.body.is_none();
            if let Some(key) = form::field_within(content_type, &seen, name, ended) {
                return Ok(Some(key));
            }
            if ended || seen.len() >= KEY_WITHIN_BYTES {
                return Ok(None);
            }
            if let Some(more) = tokio::time::timeout_at(until, self.receive()).await.map_err(|_| late())?? {
                seen.extend_from_slice(&more);
                self.ahead.push_back(more);
            }
        }
    }

    /// Reads on what nobody wants, for a while: a connection that is closed upon bytes that were not read is reset, and
    /// the answer is lost with it.
    pub(crate) async fn drain(mut self, idle: Duration) {
        if self.expects && self.received == 0 {
            return;
        }
        self.idle = idle;
        let all = async {
            let mut left = DRAINED_BYTES_MAX;
            while let Some(body) = &mut self.body {
                match tokio::time::timeout(idle, body.frame()).await {
                    Ok(Some(Ok(frame))) => left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len)),
                    Ok(Some(Err(_)) | None) | Err(_) => break,
                }
                if left == 0 {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(DRAIN_TIME, all).await;
    }

    /// Some of it was not read.
    pub(crate) fn is_left(&self) -> bool {
        self.body.is_some()
    }
}

/// When a body is given up: after a pause, or where it comes too slowly. Time is given for bytes that came, not for
/// those that were announced.
fn deadline(begun: Instant, received: usize, now: Instant, idle: Duration) -> Instant {
    let earned = Duration::from_millis((received * 1_000 / RATE_MIN) as u64);
    (now + idle).min(begun + idle + earned)
}

fn too_large(most: usize) -> ApiError {
    ApiError::with(ErrorCode::TooLarge, format!("The body is larger than {most} bytes"))
}

/// What was sent, where a body of JSON says nothing: blanks, and the `null` or `""` of clients that cannot leave it
/// out; of a call that only `reads` without a body, also the empty object of libraries that send one with every POST.
pub(crate) fn without_nothing(body: Bytes, reads: bool) -> Bytes {
    // Clients that write files "as UTF-8" begin with a mark (RFC 8259 §8.1 lets a reader ignore it).
    let body = if body.starts_with(b"\xef\xbb\xbf") { body.slice(3..) } else { body };
    match body.trim_ascii() {
        b"" | b"null" | b"\"\"" => Bytes::new(),
        b"{}" if reads => Bytes::new(),
        _ => body,
    }
}

/// JSON under its own type or none at all, which is what `application/octet-stream` says too; under the types of forms
/// and of text, which some clients put on everything, only if it is an object. A coded body (gzip and the like) is not
/// read. Where there is no body, its type is no matter.
pub(crate) fn check_content_type(headers: &HeaderMap, body: &Bytes) -> Result<()> {
    if body.is_empty() {
        return Ok(());
    }
    let coded =
        headers.get(CONTENT_ENCODING).is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"));
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
    let json = undescribed
        || ["application/json", "text/json"].contains(&essence)
        || (essence.starts_with("application/") && essence.ends_with("+json"));
    let claimed = ["application/x-www-form-urlencoded", "text/plain"].contains(&essence);
    if json || (claimed && body.trim_ascii_start().starts_with(b"{")) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType))
}

/// Adds the parameters of a form to those of the query.
pub(crate) fn add_fields(query: &mut Vec<(String, String)>, content_type: &str, bytes: &Bytes) -> Result<()> {
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
        let check = |pairs: &[(&'static str, &str)], body: &'static str| {
            check_content_type(&headers(pairs), &Bytes::from_static(body.as_bytes())).is_ok()
        };
        assert!(check(&[], "{}"));
        assert!(check(&[("content-type", "application/json; charset=utf-8")], "{}"));
        assert!(check(&[("content-type", "application/x-www-form-urlencoded")], " {\"name\":1}"));
        assert!(!check(&[("content-type", "application/x-www-form-urlencoded")], "name=a"));
        assert!(check(&[("content-type", "application/octet-stream")], "{}"));
        assert!(check(&[("content-type", "text/plain;charset=UTF-8")], "{}"));
        assert!(check(&[("content-type", "text/json")], "{}"));
        assert!(!check(&[("content-type", "text/plain")], "closed"));
        assert!(!check(&[("content-type", "text/html")], "{}"));
        for claimed in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", "*/*", "text/xml"] {
            assert!(check(&[("content-type", claimed)], ""), "{claimed}");
        }
        assert!(!check(&[("content-type", "application/json"), ("content-encoding", "gzip")], "{}"));
    }

    #[test]
    fn a_mark_in_front_of_json_is_no_part_of_it() {
        let marked = Bytes::from_static(b"\xef\xbb\xbf{\"a\":1}");
        assert_eq!(without_nothing(marked, false), "{\"a\":1}");
        assert!(without_nothing(Bytes::from_static(b"\xef\xbb\xbf"), false).is_empty());
    }

    #[test]
    fn null_and_an_empty_text_are_no_body() {
        for nothing in ["", " ", "null", "\r\nnull\n", "\"\""] {
            assert!(without_nothing(Bytes::from(nothing), false).is_empty(), "{nothing:?}");
        }
        for something in ["{}", "[]", "0", "\"null\"", "nullnull"] {
            assert_eq!(without_nothing(Bytes::from(something), false), something);
        }
        assert!(without_nothing(Bytes::from(" {}\n"), true).is_empty());
    }

    const PAUSE: Duration = Duration::from_millis(30);

    /// A body of frames, behind which nothing comes and no end.
    fn stalling(frames: Vec<Bytes>) -> Arriving {
        let frames = futures::stream::iter(frames.into_iter().map(Ok::<_, std::io::Error>));
        let stream = futures::StreamExt::chain(frames, futures::stream::pending());
        Arriving::new(&HeaderMap::new(), Body::from_stream(stream), PAUSE)
    }

    fn status<T>(done: Result<T>) -> Result<T, u16> {
        done.map_err(|error| error.code.status())
    }

    #[test]
    fn time_is_given_for_bytes_that_come() {
        let (begun, idle) = (Instant::now(), Duration::from_secs(30));
        let after = |seconds: u64, received: usize| {
            let now = begun + Duration::from_secs(seconds);
            deadline(begun, received, now, idle).duration_since(begun).as_secs()
        };
        assert_eq!(after(0, 0), 30);
        assert_eq!(after(20, 1_000), 30, "a thousand bytes give no time");
        assert_eq!(after(20, 64 * 1024 * 5), 35);
        assert_eq!(after(20, 64 * 1024 * 1024), 50, "a pause is a pause, whatever came before");
    }

    #[tokio::test]
    async fn a_body_that_stands_still_is_given_up() {
        let mut body = stalling(vec![Bytes::from(vec![b'x'; 1_000])]);
        assert_eq!(status(body.next(5_000).await).map(|bytes| bytes.map(|bytes| bytes.len())), Ok(Some(1_000)));
        assert_eq!(status(body.next(5_000).await), Err(504));
        assert_eq!(status(stalling(vec![Bytes::from(vec![b'x'; 1_000]); 6]).whole(5_000).await), Err(413));
    }

    #[tokio::test]
    async fn a_key_in_a_form_is_found_before_the_rest_is_read() {
        const FORM: &str = "application/x-www-form-urlencoded";
        let rooms = Rooms::default();
        let owner = Owner::Address("192.0.2.1".parse().unwrap());
        let parts =
            |parts: &[&'static str]| stalling(parts.iter().map(|part| Bytes::from_static(part.as_bytes())).collect());
        let mut arriving = parts(&["a=1&api", "key=k&resource=", "r"]);
        assert_eq!(arriving.key_in_form(FORM, "apikey", &rooms, owner, PAUSE).await, Ok(Some("k".to_owned())));
        assert_eq!(arriving.next(100).await.unwrap().unwrap(), "a=1&api");
        assert_eq!(arriving.next(100).await.unwrap().unwrap(), "key=k&resource=");
        let late = parts(&["a=1"]).key_in_form(FORM, "apikey", &rooms, owner, PAUSE).await;
        assert_eq!(status(late), Err(504));
        let mut long = stalling(vec![Bytes::from(vec![b'x'; 10_000]); 10]);
        assert_eq!(
            long.key_in_form(FORM, "apikey", &rooms, owner, PAUSE).await,
            Ok(None),
            "it is looked for in the first bytes only"
        );
    }

    #[tokio::test]
    async fn a_body_that_nobody_wants_is_drained_until_it_stands_still_or_is_too_much() {
        let begun = Instant::now();
        stalling(vec![Bytes::from_static(b"x"); 5]).drain(PAUSE).await;
        assert!(begun.elapsed() >= PAUSE);
        let piece = Bytes::from(vec![0; 1 << 20]);
        let endless = futures::stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
        Arriving::new(&HeaderMap::new(), Body::from_stream(endless), PAUSE).drain(PAUSE).await;
    }

    #[test]
    fn fields_that_are_no_files_are_parameters() {
        let mut query = vec![("a".to_owned(), "1".to_owned())];
        let form = Bytes::from_static(b"apikey=k&resource=x%2C+y");
        add_fields(&mut query, "application/x-www-form-urlencoded", &form).unwrap();
        add_fields(&mut query, "application/json", &form).unwrap();
        let parts = b"--b\r\nContent-Disposition: form-data; name=\"file\"; \
                      filename=\"f\"\r\n\r\nno\r\n--b\r\nContent-Disposition: form-data; \
                      name=\"c\"\r\n\r\nyes\r\n--b--";
        add_fields(&mut query, "multipart/form-data; boundary=b", &Bytes::from_static(parts)).unwrap();
        let pairs: Vec<(&str, &str)> = query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("apikey", "k"), ("resource", "x, y"), ("c", "yes")]);
    }
}
