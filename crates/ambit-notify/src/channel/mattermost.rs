//! Incoming webhooks of Mattermost: Markdown.

use super::discord::escape;
use super::{Post, To};
use crate::text;
use ambit_model::notification::Message;
use serde_json::json;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let mut said = format!("**{}**", escape(&text::heading(message)));
    for line in text::lines(message) {
        said.push_str(&format!("\n- {}", escape(&line)));
    }
    if let Some(link) = to.link(message) {
        said.push_str(&format!("\n[Open in Ambit]({link})"));
    }
    Post::json(to, &json!({"text": said}))
}
