//! From what a receiver is to be told to messages: one by one, or as a digest. Pure; ids of messages are an argument.

use crate::text;
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_model::notification::{Channel, Digest, Event, EventKind, Message};
use ambit_store::{Notice, Posted, Receiving};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Events up to this number are sent as messages of their own: to people, and to programs.
const ONE_BY_ONE_PEOPLE: usize = 5;
const ONE_BY_ONE_PROGRAMS: usize = 25;
/// Events that a digest lists for people, the worst first. The others are only counted.
const LISTED_MAX: usize = 20;
/// Bytes of the events of a digest for programs: with the envelope it stays below 20,000.
const EVENTS_BYTES_MAX: usize = 18_000;

/// What is to be sent to a receiver now; `None` where nothing is due. `open` says when the open run of each collection
/// began.
pub(crate) fn gather(
    receiver: &Receiving,
    notices: Vec<Notice>,
    open: &BTreeMap<Uuid, Timestamp>,
    now: Timestamp,
    make_id: &mut dyn FnMut() -> Uuid,
) -> Option<Posted> {
    let rule = &receiver.rule;
    if rule.is_quiet(now) {
        return None;
    }
    let is_due = receiver.due_at.is_some_and(|due| due <= now);
    let at_once = rule.digest == Digest::AtOnce;
    if !at_once && !is_due {
        return None;
    }
    let (held, ready): (Vec<Notice>, Vec<Notice>) = notices.into_iter().partition(|notice| is_held(notice, open));
    let taken: Vec<i64> = ready.iter().map(|notice| notice.id).collect();
    let (first, others): (Vec<Notice>, Vec<Notice>) = ready.into_iter().partition(|notice| notice.first_run);
    let mut make = Maker { channel: receiver.channel, now, make_id };
    let mut messages = Vec::new();
    let first = net(first, true);
    if !first.is_empty() {
        messages.push(make.digest(worst(first)));
    }
    let others = net(others, !at_once);
    if at_once {
        make.one_by_one(others, &mut messages)
    } else {
        make.together(others, &mut messages)
    }
    // Where something is held there is something new.
    let is_quiet = messages.is_empty() && held.is_empty();
    if is_due && rule.heartbeat && is_quiet && (!at_once || is_silent(receiver, now)) {
        messages.push(make.heartbeat(receiver));
    }
    let due_at = rule.due_after(now).filter(|_| is_due);
    let nothing = taken.is_empty() && messages.is_empty() && due_at.is_none();
    (!nothing).then_some(Posted { taken, messages, due_at })
}

/// What a run finds of entities is told when it is over, since it may contradict itself until then; of a collection's
/// first run, everything is.
fn is_held(notice: &Notice, open: &BTreeMap<Uuid, Timestamp>) -> bool {
    use EventKind::{EntityChanged, EntityGone, EntityNew};
    let of_entity = matches!(notice.event.kind, EntityNew | EntityChanged | EntityGone);
    let of_run = matches!(notice.event.kind, EventKind::RunBegun | EventKind::RunEnded | EventKind::RunShort);
    let since = notice.event.collection.as_ref().and_then(|collection| open.get(&collection.uuid));
    // What an earlier run found does not wait for the next one.
    let in_run = since.is_some_and(|since| notice.event.at >= *since);
    in_run && !of_run && (of_entity || notice.first_run)
}

fn is_silent(receiver: &Receiving, now: Timestamp) -> bool {
    receiver.posted_at.is_none_or(|at| now.0 - at.0 >= DAY_MS)
}

/// Two events of one subject that cancel each other: it came and went, or went and came back.
fn cancels(first: EventKind, last: EventKind) -> bool {
    use EventKind::{EntityGone, EntityNew, IssueBack, IssueClosed, IssueOpened};
    matches!(
        (first, last),
        (EntityNew, EntityGone)
            | (EntityGone, EntityNew)
            | (IssueOpened | IssueBack, IssueClosed)
            | (IssueClosed, IssueBack | IssueOpened)
    )
}

/// What is left of several events of one entity: the first of those that say more than the last. Of issues only in a
/// digest; at once, each step is told.
fn net(notices: Vec<Notice>, issues_too: bool) -> Vec<Event> {
    let counts = |event: &Event| issues_too || event.kind.name().starts_with("entity.");
    let mut ends: BTreeMap<String, (EventKind, EventKind)> = BTreeMap::new();
    for notice in notices.iter().filter(|notice| counts(&notice.event)) {
        let kind = notice.event.kind;
        ends.entry(notice.event.subject.clone()).and_modify(|ends| ends.1 = kind).or_insert((kind, kind));
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut events = Vec::new();
    for Notice { event, .. } in notices {
        let Some((first, last)) = ends.get(&event.subject).copied().filter(|_| counts(&event)) else {
            events.push(event);
            continue;
        };
        // A new entity or an opened issue is reported as such, whatever changed afterwards.
        let is_told = event.kind == if last == EventKind::EntityChanged { first } else { last };
        if !cancels(first, last) && is_told && told.insert(event.subject.clone()) {
            events.push(event);
        }
    }
    events
}

/// The worst first; of equals, the order stays.
fn worst(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_key(|event| event.severity.unwrap_or(i64::MAX));
    events
}

struct Maker<'a> {
    channel: Channel,
    now: Timestamp,
    make_id: &'a mut dyn FnMut() -> Uuid,
}

impl Maker<'_> {
    fn one_by_one(&mut self, events: Vec<Event>, messages: &mut Vec<Message>) {
        let most = if self.channel.is_for_programs() { ONE_BY_ONE_PROGRAMS } else { ONE_BY_ONE_PEOPLE };
        if events.len() > most {
            return self.together(events, messages);
        }
        for event in events {
            messages.push(Message::of((self.make_id)(), event));
        }
    }

    /// One digest for people; for programs as many as it takes to list every event.
    fn together(&mut self, events: Vec<Event>, messages: &mut Vec<Message>) {
        if events.is_empty() {
            return;
        }
        if !self.channel.is_for_programs() {
            messages.push(self.digest(worst(events)));
            return;
        }
        let (mut part, mut bytes) = (Vec::new(), 0);
        for event in events {
            let length = size(&event);
            if bytes + length > EVENTS_BYTES_MAX {
                messages.push(self.digest(std::mem::take(&mut part)));
                bytes = 0;
            }
            bytes += length;
            part.push(event);
        }
        messages.push(self.digest(part));
    }

    /// A digest of all these events, of which it lists as many as fit.
    fn digest(&mut self, events: Vec<Event>) -> Message {
        let mut counts: BTreeMap<EventKind, u64> = BTreeMap::new();
        for event in &events {
            *counts.entry(event.kind).or_default() += 1;
        }
        let programs = self.channel.is_for_programs();
        let most = if programs { usize::MAX } else { LISTED_MAX };
        let mut bytes = 0;
        let fits = |event: &Event| {
            bytes += size(event);
            !programs || bytes <= EVENTS_BYTES_MAX
        };
        let events = events.into_iter().take(most).take_while(fits).collect();
        Message { id: (self.make_id)(), at: self.now, is_digest: true, events, counts }
    }

    fn heartbeat(&mut self, receiver: &Receiving) -> Message {
        let id = (self.make_id)();
        let event = Event {
            id: format!("heartbeat-{id}"),
            kind: EventKind::Heartbeat,
            at: self.now,
            collection: None,
            subject: receiver.uuid.to_string(),
            what: self.channel.name().to_owned(),
            name: text::plain(&receiver.name),
            title: "Ambit looked, and there is nothing new".to_owned(),
            severity: None,
            issue: None,
        };
        Message::of(id, event)
    }
}

/// Bytes of an event in a message, with the comma behind it.
fn size(event: &Event) -> usize {
    serde_json::to_string(event).map_or(0, |text| text.len() + 1)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ambit_model::notification::hours::{Hours, Quiet};
    use ambit_model::notification::{OfCollection, Rule};

    pub(crate) fn event(kind: EventKind, subject: &str) -> Event {
        Event {
            id: format!("1-{}-{subject}", kind.name()),
            kind,
            at: Timestamp(1_795_000_000_000),
            collection: Some(OfCollection { uuid: Uuid::nil(), name: "outside".to_owned() }),
            subject: subject.to_owned(),
            what: "x".to_owned(),
            name: subject.to_owned(),
            title: format!("Title of {subject}"),
            severity: kind.name().starts_with("issue.").then_some(2),
            issue: None,
        }
    }

    fn receiver(channel: Channel, digest: Digest) -> Receiving {
        let rule = Rule {
            events: Vec::new(),
            query: None,
            collection: None,
            digest,
            quiet: None,
            zone: Hours::utc(),
            heartbeat: false,
        };
        Receiving::for_tests(channel, rule)
    }

    fn notices(events: &[(EventKind, &str)]) -> Vec<Notice> {
        let rows = (1..).zip(events);
        rows.map(|(id, (kind, subject))| Notice { id, event: event(*kind, subject), first_run: false }).collect()
    }

    fn gathered(receiver: &Receiving, notices: Vec<Notice>, now: i64) -> Option<Posted> {
        gather(receiver, notices, &BTreeMap::new(), Timestamp(now), &mut Uuid::new_v4)
    }

    /// The same while a run of the collection is open that began so many milliseconds before the events.
    fn gathered_in_run(receiver: &Receiving, notices: Vec<Notice>, before: i64, now: i64) -> Option<Posted> {
        let began = event(EventKind::EntityNew, "x").at.plus_ms(-before);
        gather(receiver, notices, &BTreeMap::from([(Uuid::nil(), began)]), Timestamp(now), &mut Uuid::new_v4)
    }

    fn said(posted: &Posted) -> Vec<String> {
        posted.messages.iter().map(text::heading).collect()
    }

    #[test]
    fn what_came_and_went_is_not_told() {
        use EventKind::{EntityChanged, EntityGone, EntityNew, IssueClosed, IssueOpened};
        let rows = [
            (EntityNew, "a"),
            (EntityNew, "b"),
            (EntityGone, "a"),
            (EntityChanged, "b"),
            (EntityGone, "c"),
            (EntityNew, "c"),
            (IssueOpened, "i"),
            (IssueClosed, "i"),
        ];
        let at_once = gathered(&receiver(Channel::Webhook, Digest::AtOnce), notices(&rows), 0).expect("posted");
        let heading = |kind: &str, name: &str| format!("{kind}: Title of {name}");
        let wanted = [heading("new", "b"), heading("high: new issue", "i"), heading("high: issue closed", "i")];
        assert_eq!(said(&at_once), wanted);
        assert_eq!(at_once.taken, [1, 2, 3, 4, 5, 6, 7, 8]);
        let mut daily = receiver(Channel::Email, Digest::Daily);
        daily.due_at = Some(Timestamp(5));
        assert_eq!(gathered(&daily, notices(&rows), 4), None);
        let digest = gathered(&daily, notices(&rows), 5).expect("posted");
        assert_eq!(said(&digest), ["Ambit: 1 new"]);
        assert_eq!(digest.due_at, Some(Timestamp(8 * 3_600_000)));
    }

    #[test]
    fn a_first_run_is_one_digest_when_it_is_over() {
        let many: Vec<String> = (0..9_000).map(|n| format!("host{n}")).collect();
        let rows: Vec<(EventKind, &str)> = many.iter().map(|name| (EventKind::EntityNew, name.as_str())).collect();
        for channel in Channel::ALL {
            let mut rows = notices(&rows);
            rows.iter_mut().for_each(|notice| notice.first_run = true);
            let receiver = receiver(*channel, Digest::AtOnce);
            assert_eq!(gathered_in_run(&receiver, rows.clone(), 1, 0), None, "{channel:?}");
            let posted = gathered(&receiver, rows, 0).expect("posted");
            assert_eq!(said(&posted), ["Ambit: 9000 new"], "{channel:?}");
            let message = &posted.messages[0];
            assert_eq!(message.unlisted() + message.events.len() as u64, 9_000);
            assert!(serde_json::to_string(message).expect("json").len() < 20_000);
        }
    }

    #[test]
    fn programs_are_given_every_event_in_digests_below_the_limit() {
        let names: Vec<String> = (0..500).map(|n| format!("{n}-{}", "ä".repeat(150))).collect();
        let rows: Vec<(EventKind, &str)> = names.iter().map(|name| (EventKind::EntityNew, name.as_str())).collect();
        let posted = gathered(&receiver(Channel::Webhook, Digest::AtOnce), notices(&rows), 0).expect("posted");
        let listed: Vec<&str> =
            posted.messages.iter().flat_map(|message| message.events.iter().map(|event| event.name.as_str())).collect();
        assert_eq!(listed, names.iter().map(String::as_str).collect::<Vec<_>>());
        let people = gathered(&receiver(Channel::Slack, Digest::AtOnce), notices(&rows), 0).expect("posted");
        assert_eq!((people.messages.len(), people.messages[0].events.len()), (1, LISTED_MAX));
    }

    #[test]
    fn quiet_hours_hold_everything_and_what_a_run_finds_waits_for_its_end() {
        let mut quiet = receiver(Channel::Slack, Digest::AtOnce);
        quiet.rule.quiet = Some(Quiet::parse("00:00-07:00").expect("quiet hours"));
        let rows = [(EventKind::IssueOpened, "i"), (EventKind::EntityNew, "e")];
        assert_eq!(gathered(&quiet, notices(&rows), 0), None);
        let after = gathered(&quiet, notices(&rows), 7 * 3_600_000).expect("posted");
        assert_eq!(after.messages.len(), 2);
        let slack = receiver(Channel::Slack, Digest::AtOnce);
        let told = gathered_in_run(&slack, notices(&rows), 1, 0).expect("posted");
        assert_eq!((told.taken, told.messages.len()), (vec![1], 1));
        let told = gathered_in_run(&slack, notices(&rows), -1, 0).expect("posted");
        assert_eq!(told.taken, [1, 2], "what an earlier run found does not wait for the next one");
        let mut daily = receiver(Channel::Email, Digest::Daily);
        (daily.due_at, daily.rule.heartbeat) = (Some(Timestamp(0)), true);
        let held = gathered_in_run(&daily, notices(&rows[1..]), 1, 0).expect("the next time");
        assert!(held.messages.is_empty(), "where something is held there is something new: {held:?}");
    }

    #[test]
    fn a_heartbeat_says_that_there_was_nothing() {
        let mut daily = receiver(Channel::Email, Digest::Daily);
        (daily.due_at, daily.rule.heartbeat) = (Some(Timestamp(0)), true);
        let posted = gathered(&daily, Vec::new(), 0).expect("posted");
        assert_eq!(said(&posted), ["nothing new: Ambit looked, and there is nothing new"]);
        let mut at_once = receiver(Channel::Email, Digest::AtOnce);
        (at_once.due_at, at_once.rule.heartbeat, at_once.posted_at) = (Some(Timestamp(0)), true, Some(Timestamp(0)));
        assert!(gathered(&at_once, Vec::new(), 0).is_some_and(|posted| posted.messages.is_empty()));
        assert!(gathered(&at_once, Vec::new(), DAY_MS).is_some_and(|posted| posted.messages.len() == 1));
    }
}
