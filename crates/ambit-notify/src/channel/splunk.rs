//! The HTTP event collector of Splunk: one object for each event, one after the other.

use super::webhook::event;
use super::{Post, To};
use ambit_model::notification::Message;
use serde_json::json;

/// The request.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let object = |one| {
        let event = event(one);
        let seconds = one.at.0 as f64 / 1_000.0;
        json!({"time": seconds, "source": "ambit", "sourcetype": "ambit:event", "event": event}).to_string()
    };
    let mut objects: Vec<String> = message.events.iter().map(object).collect();
    if message.unlisted() > 0 {
        let event = json!({"type": "digest", "counts": message.counts, "unlisted": message.unlisted()});
        objects.push(json!({"source": "ambit", "sourcetype": "ambit:event", "event": event}).to_string());
    }
    let headers = vec![("Authorization", format!("Splunk {}", to.secret("token")))];
    Post { url: to.secret("url").to_owned(), headers, body: objects.join("\n").into_bytes() }
}
