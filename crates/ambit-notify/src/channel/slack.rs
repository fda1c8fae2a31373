//! Incoming webhooks of Slack: a text for the notification, and blocks.

use super::{Post, To};
use crate::text;
use ambit_model::notification::Message;
use serde_json::json;

/// Characters of a section's text that Slack takes.
const SECTION_CHARS_MAX: usize = 3_000;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let heading = escape(&text::heading(message));
    let mut blocks = vec![section(&heading)];
    let mut list = String::new();
    for line in to.lines(message) {
        let link = line.link.map(|link| format!(" <{link}|Open>")).unwrap_or_default();
        let line = format!("• {}{link}\n", escape(&line.said));
        // A section of its own for what would be cut off.
        if list.chars().count() + line.chars().count() > SECTION_CHARS_MAX {
            blocks.push(section(&std::mem::take(&mut list)));
        }
        list.push_str(&line);
    }
    if !list.is_empty() {
        blocks.push(section(&list));
    }
    if let Some(link) = to.link(message) {
        blocks.push(section(&format!("<{link}|Open in Ambit>")));
    }
    Post::json(to, &json!({"text": heading, "blocks": blocks}))
}

fn section(said: &str) -> serde_json::Value {
    let cut: String = said.chars().take(SECTION_CHARS_MAX).collect();
    json!({"type": "section", "text": {"type": "mrkdwn", "text": cut}})
}

/// What Slack reads as markup: the three characters of its links and mentions are escaped, those of its formatting are
/// set apart by a joiner that is not seen.
fn escape(said: &str) -> String {
    let mut escaped = String::with_capacity(said.len());
    for c in said.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '*' | '_' | '~' | '`' => {
                escaped.push(c);
                escaped.push('\u{2060}');
            }
            c => escaped.push(c),
        }
    }
    escaped
}
