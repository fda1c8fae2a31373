//! What the log says of requests: method, path, status and time, and nothing that opens a door.

/// Characters of a path that are shown at most.
const PATH_CHARS_MAX: usize = 300;
/// Characters of an API key, which some clients put into the path in place of a username.
const KEY_CHARS: usize = 64;
/// Characters of a segment that is shown whole: names, numbers and uuids are shorter, tokens and hashes are not (those
/// are known by their first).
const SEGMENT_CHARS_MAX: usize = 40;
const FIRST_CHARS: usize = 8;

/// A path as the log may have it: keys and the tokens of signed addresses are hidden, long segments are cut, and
/// nothing of it begins a line.
pub(crate) fn shown(path: &str) -> String {
    let is_download = path.starts_with("/downloads/");
    let mut before = "";
    let mut parts = Vec::new();
    for part in path.split('/') {
        let is_key = before == "users" && part.len() == KEY_CHARS && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_token = is_download && ((before == "downloads" && part != "archives") || before == "archives");
        parts.push(if is_key || is_token { "***".to_owned() } else { segment(part) });
        before = part;
    }
    parts.join("/").chars().take(PATH_CHARS_MAX).collect()
}

fn segment(part: &str) -> String {
    if part.chars().count() <= SEGMENT_CHARS_MAX {
        return part.escape_default().to_string();
    }
    part.chars().take(FIRST_CHARS).flat_map(char::escape_default).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_not_shown_and_everything_else_is() {
        let key = "a1".repeat(32);
        let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        for (path, expected) in [
            (format!("/api/v3/users/{key}/api_usage"), "/api/v3/users/***/api_usage".to_owned()),
            (format!("/api/v3/groups/{key}"), "/api/v3/groups/a1a1a1a1…".to_owned()),
            (format!("/api/v3/files/{key}"), "/api/v3/files/a1a1a1a1…".to_owned()),
            ("/api/v3/users/ann".to_owned(), "/api/v3/users/ann".to_owned()),
            (format!("/api/v3/graphs/{uuid}"), format!("/api/v3/graphs/{uuid}")),
            ("/downloads/tOkEn".to_owned(), "/downloads/***".to_owned()),
            ("/downloads/archives/tOkEn".to_owned(), "/downloads/archives/***".to_owned()),
            ("/api/v3/users/a%0aforged".to_owned(), "/api/v3/users/a%0aforged".to_owned()),
            ("/a\nb".to_owned(), "/a\\nb".to_owned()),
        ] {
            assert_eq!(shown(&path), expected);
        }
        assert_eq!(shown(&"/x".repeat(5_000)).len(), PATH_CHARS_MAX);
    }
}
