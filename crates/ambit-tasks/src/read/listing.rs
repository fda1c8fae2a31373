//! Folders whose files a server lists: where such are looked for, and what proves one. Any page can be a listing, so
//! that other tasks ask, too.

use regex::Regex;
use std::sync::LazyLock;

/// Folders whose listing is looked for.
pub(crate) const FOLDERS: &[&str] = &[
    "/backup/",
    "/backups/",
    "/data/",
    "/docs/",
    "/download/",
    "/downloads/",
    "/files/",
    "/images/",
    "/logs/",
    "/media/",
    "/private/",
    "/public/",
    "/static/",
    "/storage/",
    "/tmp/",
    "/upload/",
    "/uploads/",
];

/// A listing that a server made: its title and a way up, or the columns of one.
pub(crate) fn listing_proof(body: &str) -> Option<String> {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)<(?:title|h1)>\s*((?:Index of|Directory listing for|Directory: )\s*/[^<\n]{0,200})")
            .expect("constant")
    });
    let found = TITLE.captures(body)?;
    let lower = body.to_ascii_lowercase();
    let way_up = lower.contains("href=\"../\"")
        || lower.contains("parent directory")
        || lower.contains("href=\"..\"")
        || lower.contains("[to parent directory]");
    let rows = lower.matches("<a href=").count() > 1
        && (lower.contains("<pre>") || lower.contains("<ul>") || lower.contains("<table"));
    (way_up || rows).then(|| found[1].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_made_by_a_server() {
        assert_eq!(
            listing_proof("<title>Index of /files/</title><pre><a href=\"../\">../</a>").as_deref(),
            Some("Index of /files/")
        );
        assert!(
            listing_proof(
                "<title>Directory listing for /</title><ul><li><a href=\"a\">a</a><li><a href=\"b\">b</a></ul>"
            )
            .is_some()
        );
        assert!(listing_proof("<title>Index of Plants</title><a href=\"../\">up</a>").is_none());
        assert!(listing_proof("<title>Index of /</title><p>an article</p>").is_none());
    }
}
