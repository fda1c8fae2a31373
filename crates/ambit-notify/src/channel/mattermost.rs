//! Incoming webhooks of Mattermost: Markdown.

use super::discord::{escape, linked};
use super::{Post, To, fitted};
use crate::text;
use ambit_model::notification::Message;
use serde_json::json;

/// Characters of the lines: with what stands around them a post stays below the 16,383 that Mattermost takes.
const LINES_CHARS_MAX: usize = 14_000;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let mut said = format!("**{}**", escape(&text::heading(message)));
    let lines: Vec<String> = to.lines(message).iter().map(|line| format!("\n- {}", linked(line))).collect();
    said.push_str(&fitted(&lines, "", LINES_CHARS_MAX));
    if let Some(link) = to.link(message) {
        said.push_str(&format!("\n[Open in Ambit]({link})"));
    }
    Post::json(to, &json!({"text": said}))
}
