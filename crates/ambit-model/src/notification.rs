//! Who is told what, and when: events, receivers and their rules (docs/notifications.md). Nothing is sent here.

pub mod hours;
pub mod target;

use crate::issue::{Decision, Status};
use crate::{Timestamp, Uid};
use hours::{Hours, Quiet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Declares an enumeration of words, with the list of all and both directions of its names.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])* $word:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[doc = $doc])* #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$word),*];

            /// As it is written and stored.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }

            /// The one of a word; `None` for any other text.
            pub fn from_name(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == text)
            }
        }
    };
}

words! {
    /// What happened.
    EventKind {
        /// An entity is there that was not there before, or that had gone.
        EntityNew = "entity.new",
        EntityChanged = "entity.changed",
        EntityGone = "entity.gone",
        IssueOpened = "issue.opened",
        /// An issue that was closed is open again.
        IssueBack = "issue.back",
        IssueClosed = "issue.closed",
        /// What was an inference was reproduced.
        IssueConfirmed = "issue.confirmed",
        RunBegun = "run.begun",
        RunEnded = "run.ended",
        /// A run failed, was cancelled, or left work undone.
        RunShort = "run.short",
        /// A quota of who made the receiver nears its end.
        QuotaNear = "quota.near",
        /// Looked, nothing new.
        Heartbeat = "heartbeat",
        /// A person asked for a message.
        Test = "test",
        /// The stored position was lost: what happened before is not told.
        Resumed = "notifications.resumed",
    }
}

impl EventKind {
    /// What a receiver is told of when its rule names nothing: what is new or needs somebody, without the noise of
    /// members that change.
    pub const USUAL: &[Self] = &[
        Self::EntityNew,
        Self::EntityGone,
        Self::IssueOpened,
        Self::IssueBack,
        Self::IssueClosed,
        Self::IssueConfirmed,
        Self::RunShort,
        Self::QuotaNear,
    ];

    /// Returns true for those that a rule may name; the others are sent by request or are always told.
    pub fn is_of_rules(self) -> bool {
        !matches!(self, Self::Heartbeat | Self::Test | Self::Resumed)
    }
}

words! {
    /// The way in which a receiver is told.
    Channel {
        /// A POST as Standard Webhooks says.
        Webhook = "webhook",
        Email = "email",
        Slack = "slack",
        Teams = "teams",
        Discord = "discord",
        Mattermost = "mattermost",
        PagerDuty = "pagerduty",
        /// The HTTP event collector of Splunk.
        Splunk = "splunk",
        /// Lines of RFC 5424 over TLS.
        Syslog = "syslog",
    }
}

impl Channel {
    /// Returns true where a program reads: it is given every event. People are given counts and the worst.
    pub fn is_for_programs(self) -> bool {
        matches!(self, Self::Webhook | Self::Splunk | Self::Syslog)
    }
}

words! {
    /// When events are sent.
    Digest {
        AtOnce = "at_once",
        Hourly = "hourly",
        /// At eight in the morning of the receiver's zone.
        Daily = "daily",
        /// On Mondays at eight.
        Weekly = "weekly",
    }
}

words! {
    /// What became of a delivery.
    DeliveryState {
        Waiting = "waiting",
        Delivered = "delivered",
        Failed = "failed",
    }
}

/// Which events a receiver is sent, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Empty: [`EventKind::USUAL`].
    pub events: Vec<EventKind>,
    /// A search string: of entities and issues, only those that it finds.
    pub query: Option<String>,
    /// Only what happens in this collection.
    pub collection: Option<Uuid>,
    pub digest: Digest,
    /// The hours in which nothing is sent; what happens in them is told at their end.
    pub quiet: Option<Quiet>,
    /// Where eight in the morning and the quiet hours are meant.
    pub zone: Hours,
    /// Says at each digest, and once a day where there is none, that there was nothing.
    pub heartbeat: bool,
}

/// What the admins of a collection chose for notifications of new entities; `None` leaves it to the rules of the
/// receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewEntities {
    pub emails: Option<bool>,
    pub webhooks: Option<bool>,
}

impl NewEntities {
    /// Returns what was said of receivers of this channel; `None` where their rules decide.
    pub fn said_of(self, channel: Channel) -> Option<bool> {
        match channel {
            Channel::Email => self.emails,
            Channel::Webhook => self.webhooks,
            _ => None,
        }
    }
}

impl Rule {
    /// Returns true where the rule asks for events of this sort.
    pub fn names(&self, kind: EventKind) -> bool {
        let named = if self.events.is_empty() { EventKind::USUAL } else { &self.events };
        !kind.is_of_rules() || named.contains(&kind)
    }

    /// Returns when the next digest, or the next heartbeat of a receiver without digests, is due; `None` for a receiver
    /// that is told at once and wants no heartbeat.
    pub fn due_after(&self, now: Timestamp) -> Option<Timestamp> {
        match self.digest {
            Digest::AtOnce if !self.heartbeat => None,
            Digest::Hourly => Some(self.zone.next_hour(now)),
            Digest::AtOnce | Digest::Daily => Some(self.zone.next_morning(now)),
            Digest::Weekly => Some(self.zone.next_monday(now)),
        }
    }

    /// Returns true in the quiet hours.
    pub fn is_quiet(&self, now: Timestamp) -> bool {
        self.quiet.is_some_and(|quiet| quiet.holds(self.zone.minute_of_day(now)))
    }
}

/// The collection that an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfCollection {
    pub uuid: Uuid,
    pub name: String,
}

/// One event, as receivers read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The same for every receiver and every try.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: EventKind,
    pub at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<OfCollection>,
    /// What it is about: the uid of an entity or issue, the uuid of a run, the name of a limit.
    pub subject: String,
    /// The kind of an entity, the name of an issue, the state of a run.
    pub what: String,
    /// The name of the entity, or of the collection of a run.
    pub name: String,
    /// One line for people.
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<i64>,
    /// What more is known where it is about an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<OfIssue>,
}

/// An issue after what happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfIssue {
    pub status: Status,
    /// One sentence: the proof, or else the description of the issue.
    pub seen: String,
    /// Who decided on its status, and why; `None` where the status follows from what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

impl Event {
    /// The uid of the entity or issue that it is about; `None` for runs and limits.
    pub fn uid(&self) -> Option<Uid> {
        self.subject.parse().ok()
    }
}

/// The content of one delivery: one event, or a digest of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The same at every try.
    pub id: Uuid,
    pub at: Timestamp,
    /// Several events in one, or none at all.
    pub is_digest: bool,
    /// The worst first where people read, else in order.
    pub events: Vec<Event>,
    /// How many of each sort there are, with those that are not listed.
    pub counts: BTreeMap<EventKind, u64>,
}

impl Message {
    /// A message of one event.
    pub fn of(id: Uuid, event: Event) -> Self {
        let counts = BTreeMap::from([(event.kind, 1)]);
        Self { id, at: event.at, is_digest: false, events: vec![event], counts }
    }

    /// Returns how many events it represents.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many of them are not listed.
    pub fn unlisted(&self) -> u64 {
        self.total().saturating_sub(self.events.len() as u64)
    }

    /// The subject whose order it keeps; `None` for a digest, which keeps that of all.
    pub fn subject(&self) -> Option<&str> {
        self.events.first().filter(|_| !self.is_digest).map(|event| event.subject.as_str())
    }

    /// As receivers read its sort: that of its event, or `digest`.
    pub fn kind(&self) -> &'static str {
        self.events.first().filter(|_| !self.is_digest).map_or("digest", |event| event.kind.name())
    }
}
