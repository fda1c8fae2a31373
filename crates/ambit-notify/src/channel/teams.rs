//! Workflows of Microsoft Teams: one Adaptive Card.

use super::discord::{escape, linked};
use super::{Post, To, unfitted};
use crate::text;
use ambit_model::notification::Message;
use serde_json::json;

/// Bytes of the lines: with what stands around them a message stays below the 28 KB that Teams takes.
const LINES_BYTES_MAX: usize = 24_000;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let block = |said: &str, weight: &str| json!({"type": "TextBlock", "text": said, "wrap": true, "weight": weight});
    let mut body = vec![block(&escape(&text::heading(message)), "Bolder")];
    let (lines, mut bytes) = (to.lines(message), 0);
    for (index, line) in lines.iter().enumerate() {
        let line = block(&linked(line), "Default");
        bytes += line.to_string().len();
        if bytes > LINES_BYTES_MAX {
            body.push(block(&unfitted(lines.len() - index), "Default"));
            break;
        }
        body.push(line);
    }
    let mut card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    });
    if let Some(link) = to.link(message) {
        card["actions"] = json!([{"type": "Action.OpenUrl", "title": "Open in Ambit", "url": link}]);
    }
    let attachment = json!({
        "contentType": "application/vnd.microsoft.card.adaptive",
        "content": card,
    });
    Post::json(to, &json!({"type": "message", "attachments": [attachment]}))
}
