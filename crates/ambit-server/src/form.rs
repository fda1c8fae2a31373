//! Bodies of forms: `multipart/form-data` (RFC 7578) and `application/x-www-form-urlencoded`, as far as uploads and submissions need them.

use crate::path::query_parameters;
use ambit_api::{ApiError, ErrorCode};
use bytes::Bytes;

/// Parts of one body at most: uploads have a file and a password.
const PARTS_MAX: usize = 16;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The name of a file, as its sender calls it.
    pub(crate) file_name: Option<String>,
    /// A part of the body; nothing is copied.
    pub(crate) bytes: Bytes,
}

fn bad(message: &str) -> ApiError {
    ApiError::with(ErrorCode::BadRequest, message)
}

const PARTS: &str = "multipart/form-data";
const PAIRS: &str = "application/x-www-form-urlencoded";

fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// True for the type of a form.
pub(crate) fn is_form(content_type: &str) -> bool {
    [PARTS, PAIRS].contains(&essence(content_type).as_str())
}

/// The fields of a body.
pub(crate) fn fields(content_type: &str, body: &Bytes) -> Result<Vec<Field>, ApiError> {
    match essence(content_type).as_str() {
        PARTS => multipart(content_type, body),
        PAIRS => {
            let text = std::str::from_utf8(body).map_err(|_| bad("The form is not UTF-8"))?;
            let pairs = query_parameters(Some(text)).into_iter().take(PARTS_MAX);
            Ok(pairs
                .map(|(name, value)| Field {
                    name,
                    file_name: None,
                    bytes: value.into(),
                })
                .collect())
        }
        _ => Err(bad("The body must be a form: multipart/form-data")),
    }
}

/// A parameter of a header, with or without quotes.
fn parameter(header: &str, name: &str) -> Option<String> {
    for part in header.split(';').skip(1) {
        let (key, value) = part.split_once('=')?;
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        let at = from + at;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn multipart(content_type: &str, body: &Bytes) -> Result<Vec<Field>, ApiError> {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty());
    let boundary = boundary.ok_or_else(|| bad("The form has no boundary"))?;
    let unfinished = || bad("The form ends before its last boundary");
    let opening = format!("--{boundary}");
    let between = format!("\r\n--{boundary}");
    let start = find(body, opening.as_bytes()).ok_or_else(unfinished)? + opening.len();
    let mut rest = &body[start..];
    let mut out = Vec::new();
    while !rest.starts_with(b"--") {
        if out.len() == PARTS_MAX {
            return Err(bad("The form has too many parts"));
        }
        let rest_of_line = rest.strip_prefix(b"\r\n").ok_or_else(unfinished)?;
        let head_end = find(rest_of_line, b"\r\n\r\n").ok_or_else(unfinished)?;
        let (head, content) = (&rest_of_line[..head_end], &rest_of_line[head_end + 4..]);
        let end = find(content, between.as_bytes()).ok_or_else(unfinished)?;
        let head = String::from_utf8_lossy(head);
        let disposition = head
            .split("\r\n")
            .find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"));
        let disposition = disposition.ok_or_else(|| bad("A part of the form has no Content-Disposition"))?;
        out.push(Field {
            name: parameter(disposition, "name").unwrap_or_default(),
            file_name: parameter(disposition, "filename"),
            bytes: body.slice_ref(&content[..end]),
        });
        rest = &content[end + between.len()..];
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=\"x-y\"";

    #[test]
    fn parts_are_read_byte_for_byte() {
        let body = b"preamble\r\n--x-y\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\0\r\n--x-\r\n\r\n--x-y\r\ncontent-disposition: form-data; name=password\r\n\r\nsecret\r\n--x-y--\r\n";
        let found = fields(TYPE, &Bytes::from_static(body)).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].name.as_str(), found[0].file_name.as_deref()), ("file", Some("a b.bin")));
        assert_eq!(found[0].bytes.as_ref(), b"\0\r\n--x-\r\n");
        assert_eq!((found[1].name.as_str(), found[1].bytes.as_ref()), ("password", b"secret".as_slice()));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let whole = b"--x-y\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nbytes\r\n--x-y--";
        assert!(fields(TYPE, &Bytes::from_static(whole)).is_ok());
        for end in 0..whole.len() - 2 {
            assert!(fields(TYPE, &Bytes::from_static(&whole[..end])).is_err(), "{end}");
        }
        assert!(fields("multipart/form-data", &Bytes::from_static(whole)).is_err());
        assert!(fields("application/json", &Bytes::from_static(b"{}")).is_err());
    }

    #[test]
    fn forms_of_pairs_are_read_too() {
        let found = fields(
            "application/x-www-form-urlencoded",
            &Bytes::from_static(b"url=http%3A%2F%2Fa.test%2F%3Fb+c"),
        )
        .unwrap();
        assert_eq!(
            (found[0].name.as_str(), found[0].bytes.as_ref()),
            ("url", b"http://a.test/?b c".as_slice())
        );
    }
}
