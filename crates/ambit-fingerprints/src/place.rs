//! The places at which signs of a product occur, and the texts that a probe collected there.

use ambit_model::entity::network_service::Service;
use std::borrow::Cow;

/// Where the text of a sign must stand. Texts of one place are searched together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The greeting of a service, or its first answer.
    Banner(Service),
    /// The value of a header of this name, in lower case.
    Header(Box<str>),
    /// The name of a cookie.
    CookieName,
    /// The value of the cookie of this name.
    Cookie(Box<str>),
    /// The whole head of an answer: a line for the status, then the headers by name, `Content-Type: text/html`.
    Head,
    /// The status of the answer, `200`.
    Status,
    /// The page as it is written.
    Body,
    /// The text that the page shows.
    Text,
    /// The scripts that stand in the page.
    Inline,
    /// The title of the page.
    Title,
    /// The source of a script.
    Script,
    /// The content of the meta element of this name, in lower case.
    Meta(Box<str>),
    /// The address of the page.
    Url,
    /// Where the answer leads.
    Redirect,
    /// A hash of the icon.
    Favicon(IconHash),
    /// The subject of the certificate, in the order of X.509: `CN=…,O=…`.
    CertificateSubject,
    /// The issuer of the certificate.
    CertificateIssuer,
    /// The JARM of the TLS service.
    Jarm,
    /// The value of a DNS record of this type, in upper case.
    Dns(Box<str>),
    /// What a protocol says that has no place of its own here, by the word that recog has for it.
    Said(Box<str>),
}

/// How an icon was hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IconHash {
    Md5,
    Sha1,
    /// MurmurHash3 over its Base64 in lines, as a signed number.
    Mmh3,
}

impl Place {
    /// Returns what the contract calls the place, `content_headers`.
    pub(crate) fn match_type(&self) -> &'static str {
        match self {
            Self::Banner(_) | Self::Said(_) => "banner",
            Self::Header(_) | Self::Head => "content_headers",
            Self::Status => "content_code",
            Self::CookieName | Self::Cookie(_) => "content_cookies",
            Self::Body | Self::Text | Self::Inline | Self::Script | Self::Meta(_) => "content_body",
            Self::Title => "content_title",
            Self::Url | Self::Redirect => "content_url",
            Self::Favicon(IconHash::Md5) => "checksum_favicon_md5",
            Self::Favicon(IconHash::Sha1) => "checksum_favicon_sha1",
            Self::Favicon(IconHash::Mmh3) => "checksum_favicon_mmh3",
            Self::CertificateSubject => "certificate_subject",
            Self::CertificateIssuer => "certificate_issuer",
            Self::Jarm => "jarm",
            Self::Dns(_) => "dns",
        }
    }

    /// Returns the bytes of a text that are searched at this place.
    fn bytes_max(&self) -> usize {
        match self {
            Self::Body | Self::Text | Self::Inline | Self::Head => PAGE_BYTES_MAX,
            _ => TEXT_BYTES_MAX,
        }
    }
}

/// Bytes of a page that are searched: a product shows near the beginning, and every pattern reads all of it.
const PAGE_BYTES_MAX: usize = 512 * 1_024;
/// Bytes of any other text, of which most are a line.
const TEXT_BYTES_MAX: usize = 8 * 1_024;
/// Texts of one subject: the scripts of a page, its cookies and headers.
const TEXTS_MAX: usize = 4_096;

/// What one look saw, text by text, with the place of each.
#[derive(Clone, Debug, Default)]
pub struct Subject<'a> {
    pub(crate) texts: Vec<(Place, Cow<'a, str>)>,
}

impl<'a> Subject<'a> {
    /// Adds a text. What exceeds the limits of its place is cut, and texts beyond the largest number are left out.
    pub fn add(&mut self, place: Place, text: impl Into<Cow<'a, str>>) {
        if self.texts.len() >= TEXTS_MAX {
            return;
        }
        let mut text = text.into();
        let end = text.floor_char_boundary(place.bytes_max());
        if end < text.len() {
            text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
                Cow::Owned(mut text) => {
                    text.truncate(end);
                    Cow::Owned(text)
                }
            };
        }
        self.texts.push((place, text));
    }

    /// Adds the head of an answer: its status with the words that go with it, and its headers, each name as Go writes
    /// it, in their order.
    pub fn add_head(&mut self, status: u16, headers: &[(String, String)]) {
        let mut lines: Vec<String> =
            headers.iter().map(|(name, value)| format!("{}: {value}\r\n", capitalised(name))).collect();
        lines.sort();
        let words = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let words = words.map(|words| format!(" {words}")).unwrap_or_default();
        self.add(Place::Head, format!("HTTP/1.1 {status}{words}\r\n{}\r\n", lines.concat()));
        self.add(Place::Status, status.to_string());
    }

    /// Adds a header, under its name in lower case.
    pub fn add_header(&mut self, name: &str, value: &'a str) {
        self.add(Place::Header(name.to_ascii_lowercase().into()), value);
    }

    /// Adds a meta element, under its name in lower case.
    pub fn add_meta(&mut self, name: &str, content: &'a str) {
        self.add(Place::Meta(name.to_ascii_lowercase().into()), content);
    }

    /// Adds a cookie: its name is one text, its value another.
    pub fn add_cookie(&mut self, name: &'a str, value: &'a str) {
        self.add(Place::CookieName, name);
        self.add(Place::Cookie(name.to_ascii_lowercase().into()), value);
    }
}

/// `x-powered-by` → `X-Powered-By`.
fn capitalised(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at(part.char_indices().nth(1).map_or(part.len(), |(at, _)| at));
        first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_written_as_templates_expect_it() {
        let headers = [("x-powered-by", "PHP"), ("Server", "nginx"), ("été", "")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut subject = Subject::default();
        subject.add_head(404, &headers);
        let texts: Vec<&str> = subject.texts.iter().map(|(_, text)| text.as_ref()).collect();
        assert_eq!(texts[0], "HTTP/1.1 404 Not Found\r\nServer: nginx\r\nX-Powered-By: PHP\r\nété: \r\n\r\n");
        assert_eq!(texts[1], "404");
    }

    #[test]
    fn a_subject_has_limits() {
        let long = "é".repeat(TEXT_BYTES_MAX);
        let mut subject = Subject::default();
        subject.add(Place::Title, long.as_str());
        subject.add(Place::Title, long.clone());
        assert!(subject.texts.iter().all(|(_, text)| text.len() == TEXT_BYTES_MAX));
        for _ in 0..2 * TEXTS_MAX {
            subject.add(Place::Script, "/app.js");
        }
        assert_eq!(subject.texts.len(), TEXTS_MAX);
    }
}
