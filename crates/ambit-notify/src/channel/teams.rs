//! Workflows of Microsoft Teams: one Adaptive Card.

use super::discord::escape;
use super::{Post, To};
use crate::text;
use ambit_model::notification::Message;
use serde_json::json;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let block =
        |said: &str, weight: &str| json!({"type": "TextBlock", "text": escape(said), "wrap": true, "weight": weight});
    let mut body = vec![block(&text::heading(message), "Bolder")];
    body.extend(text::lines(message).iter().map(|line| block(line, "Default")));
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
