//! What people submit: files, and URLs in their canonical form. Nothing is sent to a URL: looking is for runs, within
//! their scope.

use crate::call::Call;
use crate::failure::About;
use crate::present::files;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::id::blob_hash;
use ambit_store::StoredFile;

/// Stores the file of a form; what it costs is noted under `usage`.
pub(crate) async fn stored(call: &mut Call, usage: &'static str) -> Result<StoredFile, ApiError> {
    let new = call.upload.take().and_then(|upload| upload.file);
    let new = new.ok_or_else(|| ApiError::with(ErrorCode::BadRequest, "The form has no field named file"))?;
    let (file, new) = call.store().submit_file(call.caller(), new, usage, call.now).await.about(files::NOUN)?;
    if new {
        call.state.free_counts.count(call.store(), call.caller().user_id(), usage, call.now);
    }
    Ok(file)
}

/// Remembers a URL in its canonical form; gives its SHA-256.
pub(crate) async fn submit(call: &Call, url: &str) -> Result<String, ApiError> {
    let sha256 = blob_hash(url.as_bytes()).to_string();
    call.store().submit_url(call.caller(), url, &sha256, call.now).await.about("URL")?;
    Ok(sha256)
}

/// A URL as it is submitted: with a scheme, a host in lower case, and a path.
pub(crate) fn submitted(text: &str) -> Option<String> {
    /// Characters of a URL.
    const URL_CHARS_MAX: usize = 8 * 1024;
    let text = text.trim();
    let fine = !text.is_empty()
        && text.len() <= URL_CHARS_MAX
        && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    let text = text.split('#').next().filter(|_| fine)?;
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let scheme = scheme.to_ascii_lowercase();
    if !["http", "https"].contains(&scheme.as_str()) {
        return None;
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let named = host.chars().all(|c| c.is_alphanumeric() || ".-_:[]@".contains(c));
    if !named || !host.contains(['.', ':']) {
        return None;
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{scheme}://{}{slash}{path}", host.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_scheme_a_host_and_a_path() {
        assert_eq!(submitted("WWW.Acme.test").as_deref(), Some("http://www.acme.test/"));
        assert_eq!(submitted("https://A.test?x=1#y").as_deref(), Some("https://a.test/?x=1"));
        for bad in ["", "javascript:alert(1)", "ftp://a.test", "http://", "a b.test"] {
            assert_eq!(submitted(bad), None, "{bad}");
        }
    }
}
