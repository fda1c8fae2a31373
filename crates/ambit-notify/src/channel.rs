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

use crate::text;
use ambit_model::Timestamp;
use ambit_model::notification::{Channel, Event, Message};
use serde_json::{Map, Value};

/// What a channel needs in addition to the message.
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

    /// Where people read more of a message: the page of its event in the interface.
    pub(crate) fn link(&self, message: &Message) -> Option<String> {
        match &message.events[..] {
            [event] => self.link_of(event).or_else(|| self.front_page()),
            _ => self.front_page(),
        }
    }

    fn front_page(&self) -> Option<String> {
        self.root.map(|root| format!("{root}/"))
    }

    /// The page of an entity or issue.
    fn link_of(&self, event: &Event) -> Option<String> {
        let page = match event.kind.name().split_once('.') {
            Some(("entity", _)) => "entities",
            Some(("issue", _)) => "issues",
            _ => return None,
        };
        self.root.map(|root| format!("{root}/{page}/{}", event.subject))
    }

    /// What stands below the heading of a message: of one event what more is known of it; of a digest a line for each
    /// event that it lists with its page, and how many it does not.
    fn lines(&self, message: &Message) -> Vec<Line> {
        let bare = |said| Line { said, link: None };
        if !message.is_digest {
            return message.events.iter().flat_map(text::details).map(bare).collect();
        }
        let listed = message.events.iter().map(|event| Line { said: text::listed(event), link: self.link_of(event) });
        let more = (message.unlisted() > 0).then(|| bare(format!("and {} more", message.unlisted())));
        listed.chain(more).collect()
    }
}

/// A line below the heading of a message.
struct Line {
    said: String,
    /// The page of what it is about.
    link: Option<String>,
}

/// As many of these texts as fit into so many characters with a separator between them; of the others it is said how
/// many they are.
fn fitted(texts: &[String], separator: &str, most: usize) -> String {
    /// Characters for the line that counts the others.
    const REST_CHARS: usize = 30;
    let all = texts.join(separator);
    if all.chars().count() <= most {
        return all;
    }
    let (mut kept, mut chars) = (0, REST_CHARS);
    for text in texts {
        chars += text.chars().count() + separator.chars().count();
        if chars > most {
            break;
        }
        kept += 1;
    }
    let mut shown = texts[..kept].to_vec();
    shown.push(unfitted(texts.len() - kept));
    shown.join(separator)
}

/// Returns the line for what did not fit.
fn unfitted(count: usize) -> String {
    format!("… and {count} more lines")
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
    use ambit_model::issue::{Decision, Status};
    use ambit_model::notification::{EventKind, OfIssue};
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
            for wanted in [
                "30 new",
                "1 new issue",
                "Title of i (outside)",
                "and 29 more",
                "https://ambit.example/",
                "https://ambit.example/issues/i",
                "https://ambit.example/entities/e",
            ] {
                assert!(said.contains(wanted), "{channel:?} {wanted}: {said}");
            }
        }
    }

    #[test]
    fn people_read_where_it_is_what_was_seen_and_who_decided_why() {
        let mut closed = event(EventKind::IssueClosed, "i");
        closed.issue = Some(OfIssue {
            status: Status::ClosedRiskAccepted,
            seen: "INFO was answered without a password".to_owned(),
            decision: Some(Decision { by: "ann".to_owned(), reason: Some("moves in May".to_owned()), until: None }),
        });
        let message = Message::of(uuid::Uuid::nil(), closed);
        for channel in [Channel::Slack, Channel::Discord, Channel::Mattermost, Channel::Teams] {
            let said = body(channel, &message).to_string();
            for wanted in [
                "high: issue closed as risk accepted by ann: Title of i",
                "Collection: outside",
                "Seen: INFO was answered without a password",
                "Reason: moves in May",
                "https://ambit.example/issues/i",
            ] {
                assert!(said.contains(wanted), "{channel:?} {wanted}: {said}");
            }
        }
        let hook = body(Channel::Webhook, &message);
        assert_eq!(hook["data"]["issue"]["status"], "closed_risk_accepted");
        assert_eq!(hook["data"]["issue"]["decision"], json!({"by": "ann", "reason": "moves in May"}));
        assert_eq!(hook["data"]["link"], "https://ambit.example/issues/i");
    }

    /// The longest names that are kept, all of them markup.
    #[test]
    fn the_longest_digest_stays_within_what_channels_take() {
        let mut long = event(EventKind::IssueOpened, &"a".repeat(64));
        long.title = format!("{} on {}", "&".repeat(200), "*".repeat(200));
        long.collection.as_mut().expect("one").name = "_".repeat(200);
        let counts = BTreeMap::from([(EventKind::IssueOpened, 50)]);
        let events = vec![long; 20];
        let message = Message { id: uuid::Uuid::nil(), at: Timestamp(0), is_digest: true, events, counts };
        let discord = body(Channel::Discord, &message);
        let said = discord["embeds"][0]["description"].as_str().expect("a text");
        assert!(said.chars().count() <= 4_096 && said.ends_with(" more lines"), "{said}");
        let slack = body(Channel::Slack, &message);
        let blocks = slack["blocks"].as_array().expect("blocks");
        let chars = |block: &Value| block["text"]["text"].as_str().expect("a text").chars().count();
        assert!(blocks.len() <= 50 && blocks.iter().all(|block| chars(block) <= 3_000));
        assert_eq!(slack["blocks"].to_string().matches("|Open>").count(), 20, "none is cut");
        let mattermost = body(Channel::Mattermost, &message);
        assert!(mattermost["text"].as_str().expect("a text").chars().count() <= 16_383);
        let teams = body(Channel::Teams, &message).to_string();
        assert!(teams.len() <= 28 * 1_024 && teams.contains(" more lines"), "{teams}");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let texts: Vec<String> = (0..10).map(|_| "x".repeat(20)).collect();
        assert_eq!(fitted(&texts, "|", 209), texts.join("|"));
        assert_eq!(fitted(&texts, "|", 208), format!("{}|… and 2 more lines", texts[..8].join("|")));
        assert_eq!(fitted(&texts, "|", 30), "… and 10 more lines");
        assert_eq!(fitted(&[], "|", 10), "");
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
