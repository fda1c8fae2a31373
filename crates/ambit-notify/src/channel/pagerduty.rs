//! Events of PagerDuty, version 2: an issue opens an incident and its end closes it.

use super::{Line, Post, To};
use crate::text;
use ambit_model::issue::{SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM};
use ambit_model::notification::{EventKind, Message};
use serde_json::{Value, json};

/// Where events are taken.
const URL: &str = "https://events.pagerduty.com/v2/enqueue";
/// Characters of a summary that PagerDuty takes.
const SUMMARY_CHARS_MAX: usize = 1_024;

/// The request; `url` of the receiver stands in place of the public one.
pub(super) fn post(message: &Message, to: &To<'_>) -> Post {
    let first = message.events.first();
    let closes = !message.is_digest && first.is_some_and(|event| event.kind == EventKind::IssueClosed);
    let key = match message.subject() {
        Some(subject) => subject.to_owned(),
        None => message.id.to_string(),
    };
    let mut body = json!({
        "routing_key": to.secret("token"),
        "event_action": if closes { "resolve" } else { "trigger" },
        "dedup_key": key,
        "client": "Ambit",
    });
    if !closes {
        let summary: String = text::heading(message).chars().take(SUMMARY_CHARS_MAX).collect();
        let severity = severity(text::worst(message));
        let source = first.map_or("ambit", |event| event.name.as_str());
        let shown = |line: Line| match line.link {
            Some(link) => Value::from(format!("{} {link}", line.said)),
            None => Value::from(line.said),
        };
        let details: Vec<Value> = to.lines(message).into_iter().map(shown).collect();
        body["payload"] = json!({
            "summary": summary,
            "source": source,
            "severity": severity,
            "timestamp": message.at,
            "custom_details": {"events": details},
        });
        if let Some(link) = to.link(message) {
            body["client_url"] = json!(link);
        }
    }
    let mut post = Post::json(to, &body);
    if post.url.is_empty() {
        post.url = URL.to_owned();
    }
    post
}

fn severity(number: Option<i64>) -> &'static str {
    match number {
        Some(SEVERITY_CRITICAL) => "critical",
        Some(SEVERITY_HIGH) => "error",
        Some(SEVERITY_MEDIUM) => "warning",
        _ => "info",
    }
}
