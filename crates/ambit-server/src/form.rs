//! Bodies of forms: `multipart/form-data` (RFC 7578) and `application/x-www-form-urlencoded`, as far as uploads and
//! submissions need them. The parts of a form are read as they come, so that a file is never in memory as a whole.

use crate::percent::query_parameters;
use ambit_api::{ApiError, Result};
use ambit_model::percent::unescaped;
use bytes::{Bytes, BytesMut};
use memchr::memmem;

/// Parts of one body at most: uploads have a file and a password.
const PARTS_MAX: usize = 16;
/// Bytes of what stands before the content of a part.
const PART_HEAD_BYTES_MAX: usize = 16 * 1024;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The name of a file, as its sender calls it.
    pub(crate) file_name: Option<String>,
    pub(crate) bytes: Bytes,
}

fn unfinished() -> ApiError {
    ApiError::bad("The form ends before its last boundary")
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

/// True for a form whose parts are read as they come.
pub(crate) fn is_multipart(content_type: &str) -> bool {
    essence(content_type) == PARTS
}

/// The fields of a body.
pub(crate) fn fields(content_type: &str, body: &Bytes) -> Result<Vec<Field>> {
    match essence(content_type).as_str() {
        PARTS => {
            let mut parts = Parts::new(content_type)?;
            let mut out: Vec<Field> = Vec::new();
            collect(&mut out, parts.push(body)?);
            parts.finish()?;
            Ok(out)
        }
        PAIRS => {
            let text = std::str::from_utf8(body).map_err(|_| ApiError::bad("The form is not UTF-8"))?;
            let pairs = query_parameters(Some(text)).into_iter().take(PARTS_MAX);
            Ok(pairs.map(|(name, value)| Field { name, file_name: None, bytes: value.into() }).collect())
        }
        _ => Err(ApiError::bad("The body must be a form: multipart/form-data")),
    }
}

fn collect(out: &mut Vec<Field>, pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Begin { name, file_name } => out.push(Field { name, file_name, bytes: Bytes::new() }),
            Piece::Data(bytes) => {
                if let Some(field) = out.last_mut() {
                    field.bytes =
                        if field.bytes.is_empty() { bytes } else { [&field.bytes[..], &bytes[..]].concat().into() };
                }
            }
            Piece::End => {}
        }
    }
}

/// A field without a file name in what has come of a form so far; one that may go on is not taken.
pub(crate) fn field_within(content_type: &str, seen: &[u8], name: &str, ended: bool) -> Option<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if is_multipart(content_type) {
        let pieces = Parts::new(content_type).ok()?.push(seen).ok()?;
        // The last part is whole only where its end was seen.
        let whole = pieces.iter().rposition(|piece| *piece == Piece::End).map_or(0, |at| at + 1);
        let mut fields = Vec::new();
        collect(&mut fields, pieces.into_iter().take(whole).collect());
        let found = fields.iter().find(|field| field.name == name && field.file_name.is_none());
        return found.map(|field| text(&field.bytes));
    }
    let end = if ended { seen.len() } else { memchr::memrchr(b'&', seen)? };
    let pairs = query_parameters(Some(&text(&seen[..end])));
    pairs.into_iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// A parameter of a header, with or without quotes; between quotes a semicolon is a character like others.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    while !rest.is_empty() {
        let (quoted, part) = (rest.split_once('"'), rest.split(';').next().unwrap_or_default());
        let value = match quoted.filter(|(before, _)| before.len() < part.len()) {
            Some((before, behind)) => {
                let (value, after) = unquoted(behind);
                rest = after.split_once(';').map_or("", |(_, next)| next);
                (before.trim_end().strip_suffix('='), value)
            }
            None => {
                rest = rest.get(part.len() + 1..).unwrap_or_default();
                part.split_once('=').map_or((None, String::new()), |(key, value)| (Some(key), value.trim().to_owned()))
            }
        };
        if let (Some(key), value) = value
            && key.trim().eq_ignore_ascii_case(name)
        {
            return Some(value);
        }
    }
    None
}

/// What stands up to the closing quote, and what comes behind it. A backslash hides a quote or another backslash;
/// before anything else it is part of a path.
fn unquoted(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (out, &text[at + 1..]),
            '\\' => out.push(chars.next_if(|(_, next)| ['"', '\\'].contains(next)).map_or(c, |(_, hidden)| hidden)),
            _ => out.push(c),
        }
    }
    (out, "")
}

/// The name of the file of a part: the extended form, which can hold every character, goes before the plain one.
fn file_name(disposition: &str) -> Option<String> {
    let extended = parameter(disposition, "filename*").and_then(|value| extended_value(&value));
    extended.or_else(|| parameter(disposition, "filename"))
}

/// A value as RFC 8187 writes it: the character set, a language, and bytes with percent signs. Returns `None` for
/// another set than UTF-8 and for bytes that are not UTF-8.
fn extended_value(value: &str) -> Option<String> {
    let (set, rest) = value.split_once('\'')?;
    let (_, coded) = rest.split_once('\'')?;
    set.eq_ignore_ascii_case("utf-8").then(|| String::from_utf8(unescaped(coded)).ok()).flatten()
}

/// What has come of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A part begins.
    Begin { name: String, file_name: Option<String> },
    /// Some of its content.
    Data(Bytes),
    /// It has ended.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before the first boundary.
    Preamble,
    /// Behind a boundary: another part, or the end.
    Boundary,
    Head,
    Content,
    /// Behind the last boundary, where nothing counts.
    Epilogue,
}

/// Reads the parts of a form as its bytes come.
pub(crate) struct Parts {
    /// What stands before the first part, and with a line's end before each further one.
    opening: Vec<u8>,
    between: Vec<u8>,
    at: At,
    parts: usize,
    /// What has come and was not given on.
    held: BytesMut,
}

impl Parts {
    /// A form with the boundary that its content type names.
    pub(crate) fn new(content_type: &str) -> Result<Self> {
        let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty());
        let boundary = boundary.ok_or_else(|| ApiError::bad("The form has no boundary"))?;
        Ok(Self {
            opening: format!("--{boundary}").into_bytes(),
            between: format!("\r\n--{boundary}").into_bytes(),
            at: At::Preamble,
            parts: 0,
            held: BytesMut::new(),
        })
    }

    /// Reads on; what is not yet certain is held back, never more than a boundary or the head of a part.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Piece>> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::new();
        while self.step(&mut out)? {}
        Ok(out)
    }

    /// The form is whole when its last boundary has come.
    pub(crate) fn finish(&self) -> Result<()> {
        if self.at == At::Epilogue { Ok(()) } else { Err(unfinished()) }
    }

    /// One step; false: more must come first.
    fn step(&mut self, out: &mut Vec<Piece>) -> Result<bool> {
        match self.at {
            At::Preamble => Ok(self.skip_to_first()),
            At::Boundary => self.behind_boundary(),
            At::Head => self.head(out),
            At::Content => Ok(self.content(out)),
            At::Epilogue => {
                self.held.clear();
                Ok(false)
            }
        }
    }

    fn skip_to_first(&mut self) -> bool {
        let found = memmem::find(&self.held, &self.opening);
        let skipped = match found {
            Some(at) => at + self.opening.len(),
            None => self.held.len().saturating_sub(self.opening.len() - 1),
        };
        drop(self.held.split_to(skipped));
        if found.is_some() {
            self.at = At::Boundary;
        }
        found.is_some()
    }

    fn behind_boundary(&mut self) -> Result<bool> {
        if self.held.len() < 2 {
            return Ok(false);
        }
        match &self.held.split_to(2)[..] {
            b"--" => self.at = At::Epilogue,
            b"\r\n" if self.parts == PARTS_MAX => return Err(ApiError::bad("The form has too many parts")),
            b"\r\n" => self.at = At::Head,
            _ => return Err(unfinished()),
        }
        Ok(true)
    }

    fn head(&mut self, out: &mut Vec<Piece>) -> Result<bool> {
        let Some(end) = memmem::find(&self.held, b"\r\n\r\n") else {
            return if self.held.len() > PART_HEAD_BYTES_MAX {
                Err(ApiError::bad("The head of a part of the form is too long"))
            } else {
                Ok(false)
            };
        };
        let head = self.held.split_to(end + 4);
        let head = String::from_utf8_lossy(&head[..end]);
        let disposition = head.split("\r\n").find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"));
        let disposition = disposition.ok_or_else(|| ApiError::bad("A part of the form has no Content-Disposition"))?;
        out.push(Piece::Begin {
            name: parameter(disposition, "name").unwrap_or_default(),
            file_name: file_name(disposition),
        });
        self.parts += 1;
        self.at = At::Content;
        Ok(true)
    }

    fn content(&mut self, out: &mut Vec<Piece>) -> bool {
        let found = memmem::find(&self.held, &self.between);
        // What may be the beginning of a boundary waits for the rest.
        let certain = found.unwrap_or_else(|| self.held.len().saturating_sub(self.between.len() - 1));
        if certain > 0 {
            out.push(Piece::Data(self.held.split_to(certain).freeze()));
        }
        if found.is_some() {
            drop(self.held.split_to(self.between.len()));
            out.push(Piece::End);
            self.at = At::Boundary;
        }
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=\"x-y\"";

    #[test]
    fn parts_are_read_byte_for_byte() {
        let body = b"preamble\r\n--x-y\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a \
                     b.bin\"\r\nContent-Type: \
                     application/octet-stream\r\n\r\n\0\r\n--x-\r\n\r\n--x-y\r\ncontent-disposition: form-data; \
                     name=password\r\n\r\nsecret\r\n--x-y--\r\n";
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
    fn names_of_files_are_read_as_browsers_and_libraries_write_them() {
        for (said, name) in [
            ("filename=a.bin", Some("a.bin")),
            ("filename=\"a; b.bin\"; x=1", Some("a; b.bin")),
            ("x; filename=\"a.bin\"", Some("a.bin")),
            ("filename=\"a \\\"b\\\".bin\"", Some("a \"b\".bin")),
            ("filename=\"C:\\dir\\a.bin\"", Some("C:\\dir\\a.bin")),
            ("filename*=UTF-8''%e2%82%ac%20rates.txt", Some("€ rates.txt")),
            ("filename=\"EURO.txt\"; filename*=utf-8'en'%E2%82%AC.txt", Some("€.txt")),
            ("filename*=utf-8''%E2%82%AC.txt; filename=EURO.txt", Some("€.txt")),
            ("filename*=iso-8859-1''%A3.txt; filename=pound.txt", Some("pound.txt")),
            ("filename*=UTF-8''%ff; filename=plain.txt", Some("plain.txt")),
            ("filename=\"never closed", Some("never closed")),
            ("filename=\"\"", Some("")),
            ("other=1", None),
        ] {
            assert_eq!(
                file_name(&format!("content-disposition: form-data; name=\"file\"; {said}")).as_deref(),
                name,
                "{said}"
            );
        }
    }

    #[test]
    fn forms_of_pairs_are_read_too() {
        let found =
            fields("application/x-www-form-urlencoded", &Bytes::from_static(b"url=http%3A%2F%2Fa.test%2F%3Fb+c"))
                .unwrap();
        assert_eq!((found[0].name.as_str(), found[0].bytes.as_ref()), ("url", b"http://a.test/?b c".as_slice()));
    }

    #[test]
    fn a_form_is_read_alike_in_whatever_pieces_it_comes() {
        let body = b"pre--x-\r\n--x-y\r\nContent-Disposition: form-data; name=\"file\"; \
                     filename=\"f\"\r\n\r\nab\r\n--x-\r\n--x-y\r\ncontent-disposition: form-data; \
                     name=n\r\n\r\n\r\n--x-y--\r\nafter";
        let whole = fields(TYPE, &Bytes::from_static(body)).unwrap();
        assert_eq!(whole.len(), 2);
        assert_eq!((&whole[0].bytes[..], &whole[1].bytes[..]), (&b"ab\r\n--x-"[..], &b""[..]));
        for size in 1..body.len() {
            let mut parts = Parts::new(TYPE).unwrap();
            let mut found = Vec::new();
            for chunk in body.chunks(size) {
                collect(&mut found, parts.push(chunk).unwrap());
                assert!(parts.held.len() < 100, "what is certain is given on");
            }
            parts.finish().unwrap();
            assert_eq!(found, whole, "{size}");
        }
    }

    #[test]
    fn a_field_is_found_in_the_beginning_of_a_form_once_it_is_whole() {
        let body = b"--x-y\r\nContent-Disposition: form-data; \
                     name=\"apikey\"\r\n\r\nkey\r\n--x-y\r\nContent-Disposition: form-data; name=\"file\"; \
                     filename=\"f\"\r\n\r\nmuch";
        let end = memmem::find(body, b"key\r\n--x-y").unwrap() + b"key\r\n--x-y".len();
        for seen in 0..body.len() {
            let found = field_within(TYPE, &body[..seen], "apikey", false);
            assert_eq!(found.is_some(), seen >= end, "{seen}");
        }
        assert_eq!(field_within(TYPE, body, "file", false), None, "a file is no field");
        assert_eq!(field_within(PAIRS, b"a=1&apikey=k%20e", "apikey", false), None);
        assert_eq!(field_within(PAIRS, b"a=1&apikey=k%20e", "apikey", true).as_deref(), Some("k e"));
        assert_eq!(field_within(PAIRS, b"apikey=k&b", "apikey", false).as_deref(), Some("k"));
    }

    #[test]
    fn heads_of_parts_and_their_number_are_limited() {
        let mut parts = Parts::new(TYPE).unwrap();
        parts.push(b"--x-y\r\n").unwrap();
        assert!(parts.push(&[b'a'; PART_HEAD_BYTES_MAX]).is_ok());
        assert!(parts.push(b"aa").is_err());
        let many = "--x-y\r\nContent-Disposition: form-data; name=n\r\n\r\nv\r\n".repeat(PARTS_MAX + 1);
        let error = fields(TYPE, &Bytes::from(many)).unwrap_err();
        assert_eq!(error.message, "The form has too many parts");
    }
}
