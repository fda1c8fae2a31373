//! What opens a session of an application: the secrets and settings of an integration, read once. Nothing is asked
//! here.

use crate::Kind;
use serde_json::{Map, Value};

/// How a session is opened, and where it is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApplicationSession {
    /// Scheme, host and port of the application, such as `https://app.example.org:443`.
    pub origin: String,
    pub opening: Opening,
}

/// The four ways in which a session is opened.
#[derive(Clone, PartialEq, Eq)]
pub enum Opening {
    /// A header that each request has.
    Header { name: String, value: String },
    /// The value of the header `Cookie`.
    Cookie(String),
    /// A form that is filled in, on the page at a URL or on the front page.
    Form { username: String, password: String, page: Option<String> },
    /// A token that a provider of OpenID Connect gives to a client (RFC 6749 §4.4).
    Token { client: String, secret: String, url: String, scope: Option<String> },
}

impl ApplicationSession {
    /// Reads what an integration holds. Fails with a phrase that names what is missing or cannot be used, without any
    /// secret.
    pub fn of(secrets: &Map<String, Value>, settings: &Map<String, Value>) -> Result<Self, String> {
        let origin = text(settings, "origin").ok_or("the setting origin, as https://app.example.org")?;
        let origin = site(origin).ok_or("a URL as the setting origin, as https://app.example.org")?;
        let opening = opening(secrets, settings)?;
        match &opening {
            Opening::Form { page: Some(page), .. } if site(page).as_ref() != Some(&origin) => {
                Err("a login_url at the origin of the application".to_owned())
            }
            _ => Ok(Self { origin, opening }),
        }
    }

    /// The parts that nobody may read where the application repeats them: values of the header or cookies, the
    /// password, the secret of the client.
    pub fn secrets(&self) -> Vec<&str> {
        match &self.opening {
            Opening::Header { value, .. } => vec![unschemed(value)],
            Opening::Cookie(cookies) => cookie_values(cookies).collect(),
            Opening::Form { password, .. } => vec![password],
            Opening::Token { secret, .. } => vec![secret],
        }
    }
}

/// Without the scheme that stands before a token: `Bearer`, `Basic`.
pub fn unschemed(value: &str) -> &str {
    value.rsplit_once(' ').map_or(value, |(_, token)| token)
}

/// The values in a header `Cookie`.
pub fn cookie_values(cookies: &str) -> impl Iterator<Item = &str> {
    cookies.split(';').map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value).trim())
}

fn opening(secrets: &Map<String, Value>, settings: &Map<String, Value>) -> Result<Opening, String> {
    let (secret, setting) = (|name| text(secrets, name), |name| text(settings, name).map(str::to_owned));
    if let Some(header) = secret("header") {
        let (name, value) = header.split_once(':').unwrap_or((header, ""));
        let (name, value) = (name.trim(), value.trim());
        let is_name = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        if name.is_empty() || !name.bytes().all(is_name) || !is_line(value) {
            return Err("the secret header as a name, a colon and a value".to_owned());
        }
        return Ok(Opening::Header { name: name.to_owned(), value: value.to_owned() });
    }
    if let Some(cookie) = secret("cookie") {
        let is_cookie = cookie.contains('=') && is_line(cookie);
        let cookie = is_cookie.then(|| Opening::Cookie(cookie.to_owned()));
        return cookie.ok_or_else(|| "the secret cookie as name=value, several with ; between them".to_owned());
    }
    match (secret("username"), secret("password"), secret("client_id"), secret("client_secret")) {
        (Some(username), Some(password), _, _) => {
            let (username, password) = (username.to_owned(), password.to_owned());
            Ok(Opening::Form { username, password, page: setting("login_url") })
        }
        (_, _, Some(client), Some(secret)) => {
            let url = setting("token_url").ok_or("the setting token_url, where the provider gives out tokens")?;
            if !is_private_on_the_way(&url) {
                return Err("an https URL as the setting token_url".to_owned());
            }
            let (client, secret) = (client.to_owned(), secret.to_owned());
            Ok(Opening::Token { client, secret, url, scope: setting("scope") })
        }
        _ => {
            Err("one of the secrets header, cookie, username with password, or client_id with client_secret".to_owned())
        }
    }
}

/// A member that is text and says something.
fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// Whether a text is the value of a header: on one line, and not empty.
fn is_line(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// Scheme, host and port of a URL.
pub fn site(url: &str) -> Option<String> {
    let canonical = Kind::Uri.canonical(url).ok()?;
    let (scheme, rest) = canonical.split_once("://")?;
    Some(format!("{scheme}://{}", rest.split(['/', '?', '#']).next().unwrap_or(rest)))
}

/// Whether nobody on the way to a URL reads what is sent there: encrypted, or within this machine.
fn is_private_on_the_way(url: &str) -> bool {
    let Some(site) = site(url) else { return false };
    let host = site.strip_prefix("http://").map(|rest| rest.rsplit_once(':').map_or(rest, |(host, _)| host));
    host.is_none_or(|host| host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(secrets: Value, settings: Value) -> Result<ApplicationSession, String> {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        ApplicationSession::of(&map(secrets), &map(settings))
    }

    fn secrets_of(secrets: Value, settings: Value) -> Vec<String> {
        read(secrets, settings).unwrap().secrets().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn each_way_is_read_and_knows_what_nobody_may_read() {
        let at = json!({"origin": "https://app.acme.test/shop"});
        assert_eq!(read(json!({"cookie": "a=b"}), at.clone()).unwrap().origin, "https://app.acme.test:443");
        assert_eq!(secrets_of(json!({"header": "Authorization: Bearer t0ken"}), at.clone()), ["t0ken"]);
        assert_eq!(secrets_of(json!({"cookie": "a=one; b=two"}), at.clone()), ["one", "two"]);
        assert_eq!(secrets_of(json!({"username": "ann", "password": "pw"}), at), ["pw"]);
        for url in ["https://id.acme.test/token", "http://127.0.0.1:9/token", "http://[::1]:9/token"] {
            let settings = json!({"origin": "https://app.acme.test", "token_url": url});
            assert_eq!(secrets_of(json!({"client_id": "c", "client_secret": "s"}), settings), ["s"], "{url}");
        }
    }

    #[test]
    fn what_opens_no_session_is_named_without_a_secret() {
        let at = || json!({"origin": "https://app.acme.test"});
        let with = |name: &str, value: &str| {
            let mut settings = at();
            settings[name] = json!(value);
            settings
        };
        for (secrets, settings, word) in [
            (json!({"cookie": "a=s3cret"}), json!({}), "the setting origin"),
            (json!({"cookie": "a=s3cret"}), json!({"origin": "acme"}), "a URL as the setting origin"),
            (json!({}), at(), "one of the secrets"),
            (json!({"username": "ann"}), at(), "one of the secrets"),
            (json!({"header": "s3cret"}), at(), "a colon"),
            (json!({"header": "A: s3cret\r\nB: c"}), at(), "a colon"),
            (json!({"cookie": "s3cret"}), at(), "name=value"),
            (json!({"client_id": "c", "client_secret": "s3cret"}), at(), "token_url"),
            (
                json!({"client_id": "c", "client_secret": "s3cret"}),
                with("token_url", "http://id.acme.test/token"),
                "https URL",
            ),
            (
                json!({"username": "ann", "password": "s3cret"}),
                with("login_url", "https://id.acme.test/login"),
                "login_url at the origin",
            ),
        ] {
            let why = read(secrets, settings).err().unwrap_or_default();
            assert!(why.contains(word) && !why.contains("s3cret"), "{word}: {why}");
        }
    }
}
