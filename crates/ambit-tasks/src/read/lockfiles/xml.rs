//! What formats of XML have in common.

use super::package::pattern;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The text without its comments.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    COMMENT.replace_all(text, "")
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<!--.*?(?:-->|\z)"));
