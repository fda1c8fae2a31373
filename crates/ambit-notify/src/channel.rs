//! What is sent on each channel: one file each, which makes a request of a message. Pure.

mod discord;
mod email;
mod mattermost;
mod pagerduty;
mod slack;
mod splunk;
mod syslog;
mod teams;
mod webhook;

pub(crate) use email::{Letter, letter};
pub(crate) use syslog::lines;

use ambit_model::Timestamp;
use ambit_model::notification::{Channel, Message};
use serde_json::{Map, Value};

/// What a channel needs beside the message.
pub(crate) struct To<'a> {
    pub(crate) secrets: &'a Map<String, Value>,
    /// Where people find this installation, without a slash at its end.
    pub(crate) root: Option<&'a str>,
    pub(crate) now: Timestamp,
}

impl To<'_> {
    /// One of the receiver's secrets; empty where it has none of the name.
    pub(crate) fn secret(&self, name: &str) -> &str {
        self.secrets.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Where people read more of an event: its page in the interface.
    pub(crate) fn link(&self, message: &Message) -> Option<String> {
        let root = self.root?;
        let page = match &message.events[..] {
            [event] if event.kind.name().starts_with("entity.") => format!("/entities/{}", event.subject),
            [event] if event.kind.name().starts_with("issue.") => "/issues".to_owned(),
            _ => "/".to_owned(),
        };
        Some(format!("{root}{page}"))
    }
}

/// A POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Post {
    /// A JSON body to the receiver's URL.
    fn json(to: &To<'_>, body: &Value) -> Self {
        Self { url: to.secret("url").to_owned(), headers: Vec::new(), body: body.to_string().into_bytes() }
    }
}

/// The request of a message; `None` for the channels that are no HTTP.
pub(crate) fn post(channel: Channel, message: &Message, to: &To<'_>) -> Option<Post> {
    Some(match channel {
        Channel::Webhook => webhook::post(message, to),
        Channel::Slack => slack::post(message, to),
        Channel::Teams => teams::post(message, to),
        Channel::Discord => discord::post(message, to),
        Channel::Mattermost => mattermost::post(message, to),
        Channel::PagerDuty => pagerduty::post(message, to),
        Channel::Splunk => splunk::post(message, to),
        Channel::Email | Channel::Syslog => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::tests::event;
    use ambit_model::notification::EventKind;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn secrets() -> Map<String, Value> {
        let all = json!({"url": "https://hooks.example.org/x?token=t", "token": "k3y", "secrets": ["whsec_AAAA"]});
        all.as_object().cloned().expect("an object")
    }

    fn single() -> Message {
        let mut hostile = event(EventKind::IssueOpened, "i");
        hostile.title = "<!channel> *x* @everyone \"q\" on a.example".to_owned();
        Message::of(uuid::Uuid::nil(), hostile)
    }

    fn digest() -> Message {
        let events = vec![event(EventKind::IssueOpened, "i"), event(EventKind::EntityNew, "e")];
        let counts = BTreeMap::from([(EventKind::IssueOpened, 1), (EventKind::EntityNew, 30)]);
        Message { id: uuid::Uuid::nil(), at: Timestamp(1_795_000_000_000), is_digest: true, events, counts }
    }

    fn body(channel: Channel, message: &Message) -> Value {
        let secrets = secrets();
        let to = To { secrets: &secrets, root: Some("https://ambit.example"), now: Timestamp(1_795_000_000_000) };
        let post = post(channel, message, &to).expect("a request");
        assert!(post.body.len() < 20_000);
        serde_json::from_slice(&post.body).unwrap_or(Value::String(String::from_utf8(post.body).expect("text")))
    }

    #[test]
    fn texts_of_others_call_nobody_and_format_nothing() {
        for (channel, bad) in [
            (Channel::Slack, "<!channel>"),
            (Channel::Discord, "\n"),
            (Channel::Mattermost, "@everyone"),
            (Channel::Teams, "\n"),
        ] {
            let said = body(channel, &single()).to_string();
            assert!(said.contains("a.example") && !said.contains(bad), "{channel:?}: {said}");
        }
        assert_eq!(body(Channel::Discord, &single())["allowed_mentions"], json!({"parse": []}));
    }

    #[test]
    fn people_read_the_heading_the_worst_and_how_many_more() {
        for channel in [Channel::Slack, Channel::Discord, Channel::Mattermost, Channel::Teams] {
            let said = body(channel, &digest()).to_string();
            for wanted in ["30 new", "Title of i", "and 29 more", "https://ambit.example/"] {
                assert!(said.contains(wanted), "{channel:?} {wanted}: {said}");
            }
        }
    }

    #[test]
    fn a_webhook_has_type_time_and_data() {
        let one = body(Channel::Webhook, &single());
        assert_eq!((&one["type"], &one["data"]["severity_word"]), (&json!("issue.opened"), &json!("high")));
        assert_eq!(one["timestamp"], "2026-11-18T11:06:40.000Z");
        let many = body(Channel::Webhook, &digest());
        assert_eq!((&many["type"], &many["data"]["counts"]["entity.new"]), (&json!("digest"), &json!(30)));
        assert_eq!((many["data"]["events"].as_array().map(Vec::len), &many["data"]["unlisted"]), (Some(2), &json!(29)));
    }

    #[test]
    fn an_incident_is_opened_and_closed_by_one_key() {
        let opened = body(Channel::PagerDuty, &single());
        assert_eq!((&opened["event_action"], &opened["payload"]["severity"]), (&json!("trigger"), &json!("error")));
        let closed = body(Channel::PagerDuty, &Message::of(uuid::Uuid::nil(), event(EventKind::IssueClosed, "i")));
        assert_eq!((&closed["event_action"], &closed["dedup_key"]), (&json!("resolve"), &opened["dedup_key"]));
    }
}
