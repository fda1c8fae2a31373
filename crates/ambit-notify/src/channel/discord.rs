//! Webhooks of Discord: one embed, and nobody is mentioned.

use super::{Line, Post, To, fitted};
use crate::text;
use ambit_model::issue::{SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM};
use ambit_model::notification::Message;
use serde_json::json;

/// Characters of a title and of a description that Discord takes.
const TITLE_CHARS_MAX: usize = 256;
const DESCRIPTION_CHARS_MAX: usize = 4_096;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let cut = |said: &str, most: usize| said.chars().take(most).collect::<String>();
    let lines: Vec<String> = to.lines(message).iter().map(linked).collect();
    let mut embed = json!({
        "title": cut(&escape(&text::heading(message)), TITLE_CHARS_MAX),
        "description": fitted(&lines, " · ", DESCRIPTION_CHARS_MAX),
        "timestamp": message.at,
        "color": colour(text::worst(message)),
    });
    if let Some(link) = to.link(message) {
        embed["url"] = json!(link);
    }
    Post::json(to, &json!({"embeds": [embed], "allowed_mentions": {"parse": []}}))
}

fn colour(severity: Option<i64>) -> u32 {
    match severity {
        Some(SEVERITY_CRITICAL) => 0xb0_10_20,
        Some(SEVERITY_HIGH) => 0xe0_60_10,
        Some(SEVERITY_MEDIUM) => 0xe0_b0_10,
        _ => 0x40_70_b0,
    }
}

/// A line as Markdown, with a link to what it is about.
pub(super) fn linked(line: &Line) -> String {
    let link = line.link.as_ref().map(|link| format!(" [Open]({link})")).unwrap_or_default();
    format!("{}{link}", escape(&line.said))
}

/// Markdown of others as plain text; a joiner that is not seen keeps a name after `@` from being called.
pub(super) fn escape(said: &str) -> String {
    let mut escaped = String::with_capacity(said.len());
    for c in said.chars() {
        if matches!(c, '\\' | '*' | '_' | '~' | '`' | '|' | '[' | ']' | '<' | '>' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
        if c == '@' {
            escaped.push('\u{2060}');
        }
    }
    escaped
}
