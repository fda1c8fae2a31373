//! `Set-Cookie` lines, read as browsers do (RFC 6265 §5.2).

use crate::untrusted::Untrusted;

/// One cookie with its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// Name.
    pub name: Untrusted,
    /// Value.
    pub value: Untrusted,
    /// `Domain`, without the dot in front.
    pub domain: Option<Untrusted>,
    /// `Path`.
    pub path: Option<Untrusted>,
    /// `Expires`, as it came.
    pub expires: Option<Untrusted>,
    /// `Max-Age`, seconds.
    pub max_age: Option<i64>,
    /// `Secure`.
    pub secure: bool,
    /// `HttpOnly`.
    pub http_only: bool,
    /// `SameSite`, as it came.
    pub same_site: Option<Untrusted>,
}

impl Cookie {
    /// Reads the value of one `Set-Cookie` line; `None` where a browser would ignore it.
    pub fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(';');
        let pair = parts.next()?;
        let (name, value) = match pair.split_once('=') {
            Some((name, value)) => (name.trim(), value.trim()),
            None => ("", pair.trim()),
        };
        if name.is_empty() && value.is_empty() {
            return None;
        }
        let mut cookie = Self {
            name: Untrusted::new(name),
            value: Untrusted::new(value),
            domain: None,
            path: None,
            expires: None,
            max_age: None,
            secure: false,
            http_only: false,
            same_site: None,
        };
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            let text = || Some(Untrusted::new(value));
            match name.trim().to_ascii_lowercase().as_str() {
                "domain" if !value.is_empty() => {
                    cookie.domain = Some(Untrusted::new(value.strip_prefix('.').unwrap_or(value).to_lowercase()))
                }
                "path" => cookie.path = text(),
                "expires" => cookie.expires = text(),
                "max-age" => cookie.max_age = value.parse().ok().or(cookie.max_age),
                "secure" => cookie.secure = true,
                "httponly" => cookie.http_only = true,
                "samesite" => cookie.same_site = text(),
                _ => {}
            }
        }
        Some(cookie)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_read_as_browsers_do() {
        let cookie = Cookie::parse(
            "sid=a=b; Path=/x; secure;HTTPONLY; SameSite=Lax; Max-Age=60; Domain=.Example.test; \
                           Expires=Wed, 21 Oct 2026 07:28:00 GMT",
        )
        .unwrap();
        assert_eq!((cookie.name.raw(), cookie.value.raw()), ("sid", "a=b"));
        assert_eq!(cookie.domain.unwrap().raw(), "example.test");
        assert_eq!(cookie.path.unwrap().raw(), "/x");
        assert_eq!(cookie.expires.unwrap().raw(), "Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!((cookie.max_age, cookie.secure, cookie.http_only), (Some(60), true, true));
        assert_eq!(cookie.same_site.unwrap().raw(), "Lax");

        let nameless = Cookie::parse("justvalue").unwrap();
        assert_eq!((nameless.name.raw(), nameless.value.raw(), nameless.secure), ("", "justvalue", false));
        assert_eq!(Cookie::parse("=; Secure"), None);
        assert_eq!(Cookie::parse(""), None);
    }
}
