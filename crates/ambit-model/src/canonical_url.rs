//! The one form of a URL, and the id that follows from it (docs/contract/wider.md §4): whoever computes the id of a URL
//! as clients do finds what the inventory, submissions and people's words say of it.

use crate::id::blob_hash;

/// Longest URL, in bytes.
const URL_BYTES_MAX: usize = 8 * 1024;

/// Returns the canonical form of an `http` or `https` URL: scheme and host in lower case, no credentials, no port that
/// the scheme implies, a path of at least `/`, blanks behind the host escaped, no fragment. Without a scheme it is
/// `http`. `None` for anything else.
pub fn canonical_url(text: &str) -> Option<String> {
    let text = text.trim();
    let is_bad = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    if text.is_empty() || text.len() > URL_BYTES_MAX || text.contains(is_bad) {
        return None;
    }
    let text = text.split('#').next()?;
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let (scheme, implied) = match scheme.to_ascii_lowercase().as_str() {
        "http" => ("http", ":80"),
        "https" => ("https", ":443"),
        _ => return None,
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default().to_lowercase();
    let host = host.strip_suffix(implied).or_else(|| host.strip_suffix(':')).unwrap_or(&host);
    let is_named = host.chars().all(|c| c.is_alphanumeric() || ".-_:[]".contains(c));
    if !is_named || !host.contains(['.', ':']) || host.starts_with([':', '.']) {
        return None;
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{scheme}://{host}{slash}{}", path.replace(' ', "%20")))
}

/// Returns the id of a URL: the SHA-256 of its canonical form, in hexadecimal. What has no canonical form is hashed as
/// it is.
pub fn url_id(text: &str) -> String {
    let canonical = canonical_url(text);
    blob_hash(canonical.as_deref().unwrap_or(text).as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_one_form_however_it_is_written() {
        for (text, canonical) in [
            ("WWW.Acme.test", Some("http://www.acme.test/")),
            ("http://WWW.A.test:80/", Some("http://www.a.test/")),
            ("https://www.acme.test:443", Some("https://www.acme.test/")),
            ("https://www.acme.test:80", Some("https://www.acme.test:80/")),
            ("https://A.test?x=1#y", Some("https://a.test/?x=1")),
            ("https://anna:secret@a.test/Path", Some("https://a.test/Path")),
            ("http://[2001:DB8::1]:80/", Some("http://[2001:db8::1]/")),
            ("http://[2001:db8::80]/", Some("http://[2001:db8::80]/")),
            ("HTTP://a.test:/", Some("http://a.test/")),
            ("", None),
            ("javascript:alert(1)", None),
            ("ftp://a.test", None),
            ("http://", None),
            ("http://:80/", None),
            ("a b.test", None),
            ("http://a.test/b c?d e", Some("http://a.test/b%20c?d%20e")),
            ("http://a.test/b\tc", None),
        ] {
            assert_eq!(canonical_url(text).as_deref(), canonical, "{text}");
        }
    }

    #[test]
    fn the_id_is_that_which_clients_compute() {
        // The SHA-256 of "http://www.virustotal.com/", as vt-py and vt-cli send it.
        let id = "1db0ad7dbcec0676710ea0eaacd35d5e471d3e11944d53bcbd31f0cbd11bce31";
        for text in ["www.virustotal.com", "http://www.virustotal.com", "http://www.virustotal.com:80/#top"] {
            assert_eq!(url_id(text), id, "{text}");
        }
        assert_ne!(url_id("no url"), url_id("no URL"));
    }
}
