//! Webhooks by the Standard Webhooks specification.

use super::{Post, To};
use crate::signature;
use ambit_model::issue::severity_name;
use ambit_model::moment::SECOND_MS;
use ambit_model::notification::{Event, Message};
use serde_json::{Value, json};

/// The request: `{type, timestamp, data}`, with its id, time and signatures in the headers.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let data = match &message.events[..] {
        [one] if !message.is_digest => event(one),
        events => json!({
            "counts": message.counts,
            "events": events.iter().map(event).collect::<Vec<_>>(),
            "unlisted": message.unlisted(),
        }),
    };
    let mut body = json!({"type": message.kind(), "timestamp": message.at, "data": data});
    if let Some(link) = to.link(message) {
        body["data"]["link"] = json!(link);
    }
    let mut post = Post::json(to, &body);
    let (id, seconds) = (message.id.to_string(), to.now.0.div_euclid(SECOND_MS));
    let secrets = to.secrets.get("secrets").and_then(Value::as_array).cloned().unwrap_or_default();
    let secrets: Vec<String> = secrets.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let signature = signature::header(&secrets, &id, seconds, &post.body);
    post.headers =
        vec![("webhook-id", id), ("webhook-timestamp", seconds.to_string()), ("webhook-signature", signature)];
    post
}

/// An event with the word of its severity beside the number.
pub(super) fn event(event: &Event) -> Value {
    let mut shown = json!(event);
    if let Some(number) = event.severity {
        shown["severity_word"] = json!(severity_name(number));
    }
    shown
}
