//! What the log says of requests: method, path, status and time, and nothing that opens a door.

/// Characters of a path that are shown at most.
const PATH_CHARS_MAX: usize = 200;
/// Characters of an API key, which some clients put into the path in place of a username.
const KEY_CHARS: usize = 64;

/// A path as the log may have it: keys and the tokens of signed addresses are hidden. What is in it stays escaped as it
/// came, so that it is one line.
pub(crate) fn shown(path: &str) -> String {
    let mut before = "";
    let mut parts = Vec::new();
    for part in path.split('/') {
        let is_key = before == "users" && part.len() == KEY_CHARS && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_token = (before == "downloads" && part != "archives") || before == "archives";
        let is_hidden = is_key || (is_token && path.starts_with("/downloads/"));
        parts.push(if is_hidden { "***" } else { part });
        before = part;
    }
    parts.join("/").chars().take(PATH_CHARS_MAX).collect()
}

/// A path as it may stand in a log: whole keys and tokens never do, and nothing of it begins a line.
pub(crate) fn printable(raw: &str) -> String {
    /// Characters of a segment that is shown whole: names, numbers and uuids are shorter, keys, tokens and hashes are
    /// not (those are known by their first).
    const WHOLE_CHARS_MAX: usize = 40;
    const FIRST_CHARS: usize = 8;
    const CHARS_MAX: usize = 300;
    let shown = raw.split('/').map(|segment| {
        let long = segment.chars().count() > WHOLE_CHARS_MAX;
        let first: String = segment.chars().take(if long { FIRST_CHARS } else { WHOLE_CHARS_MAX }).collect();
        first.escape_default().to_string() + if long { "…" } else { "" }
    });
    shown.collect::<Vec<_>>().join("/").chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_not_shown_and_everything_else_is() {
        let key = "a1".repeat(32);
        for (path, expected) in [
            (format!("/api/v3/users/{key}/api_usage"), "/api/v3/users/***/api_usage".to_owned()),
            (format!("/api/v3/files/{key}"), format!("/api/v3/files/{key}")),
            ("/api/v3/users/ann".to_owned(), "/api/v3/users/ann".to_owned()),
            ("/downloads/tOkEn".to_owned(), "/downloads/***".to_owned()),
            ("/downloads/archives/tOkEn".to_owned(), "/downloads/archives/***".to_owned()),
            ("/api/v3/users/a%0aforged".to_owned(), "/api/v3/users/a%0aforged".to_owned()),
        ] {
            assert_eq!(shown(&path), expected);
        }
        assert_eq!(shown(&"/x".repeat(5_000)).len(), PATH_CHARS_MAX);
    }

    #[test]
    fn no_key_stands_in_a_log() {
        let key = "a".repeat(64);
        assert_eq!(printable(&format!("/api/v3/users/{key}/overall_quotas")), "/api/v3/users/aaaaaaaa…/overall_quotas");
        assert_eq!(printable("/api/v3/users/ann%0aforged"), "/api/v3/users/ann%0aforged");
        assert_eq!(printable("/a\nb"), "/a\\nb");
        let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(printable(&format!("/{uuid}")), format!("/{uuid}"));
        assert!(printable(&"/abc".repeat(1_000)).len() <= 300);
    }
}
