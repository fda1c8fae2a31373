//! From what happened in the feed to events, and who is to be told of each. Pure.

use crate::text::plain;
use ambit_model::Timestamp;
use ambit_model::feed::What;
use ambit_model::issue::Decision;
use ambit_model::notification::{Event, EventKind, OfIssue};
use ambit_model::run::RunState;
use ambit_store::{Happened, HappenedTo, NearQuota, QuotaUsage, Receiving};

/// The events of a row of the feed; none for what nobody is told.
pub(crate) fn events(happened: &Happened) -> Vec<Event> {
    match &happened.to {
        HappenedTo::Entity { uid, what, kind, name, is_new, .. } => {
            let sorts: &[EventKind] = match what {
                What::Appeared => &[EventKind::EntityNew],
                // When it appeared it may not have been theirs yet, nor have had what a receiver searches for.
                What::Changed if *is_new => &[EventKind::EntityNew, EventKind::EntityChanged],
                What::Changed => &[EventKind::EntityChanged],
                What::Disappeared => &[EventKind::EntityGone],
                What::Seen => return Vec::new(),
            };
            let title = || format!("{} {}", short(kind), plain(name));
            sorts.iter().map(|sort| event(happened, *sort, uid.to_string(), kind, name, title(), None)).collect()
        }
        HappenedTo::Issue {
            uid,
            what,
            name,
            title,
            entity_name,
            severity,
            seen,
            status,
            decision,
            confirmed,
            before,
        } => {
            let sort = match (what, before) {
                (What::Appeared, Some((false, _))) => EventKind::IssueBack,
                (What::Appeared, _) => EventKind::IssueOpened,
                (What::Disappeared, _) => EventKind::IssueClosed,
                (What::Changed, Some((_, false))) if *confirmed => EventKind::IssueConfirmed,
                (What::Changed | What::Seen, _) => return Vec::new(),
            };
            let title = format!("{} on {}", plain(title), plain(entity_name));
            let mut event = event(happened, sort, uid.to_string(), name, entity_name, title, Some(*severity));
            let decision = decision.as_ref().map(|decision| Decision {
                by: plain(&decision.by),
                reason: decision.reason.as_deref().map(plain),
                until: decision.until,
            });
            event.issue = Some(OfIssue { status: *status, seen: plain(seen), decision });
            vec![event]
        }
        HappenedTo::Run { .. } => run(happened),
    }
}

/// A run has up to two events: what is read late says that it has begun as well.
fn run(happened: &Happened) -> Vec<Event> {
    let HappenedTo::Run { uuid, number, state, new_entities, not_done } = &happened.to else { return Vec::new() };
    let of = |sort: EventKind, said: String| {
        let title = format!("run {number} of {}{said}", plain(&happened.of.name));
        let mut event = event(happened, sort, uuid.to_string(), state.name(), &happened.of.name, title, None);
        event.id = format!("{uuid}-{}", sort.name());
        event
    };
    let begun = || of(EventKind::RunBegun, String::new());
    let short = || of(EventKind::RunShort, format!(": {}, {not_done} tasks left work undone", state.name()));
    match state {
        RunState::Scheduled | RunState::Paused => Vec::new(),
        RunState::Running => vec![begun()],
        RunState::Failed | RunState::Cancelled => vec![short()],
        RunState::Finished => {
            let ended = of(EventKind::RunEnded, format!(": {new_entities} new entities"));
            let mut events = vec![begun(), ended];
            events.extend((*not_done > 0).then(short));
            events
        }
    }
}

/// The last part of a kind's name, which people read: `Domain` of `Intrigue::Entity::Domain`.
fn short(kind: &str) -> &str {
    kind.rsplit("::").next().unwrap_or(kind)
}

fn event(
    happened: &Happened,
    kind: EventKind,
    subject: String,
    what: &str,
    name: &str,
    title: String,
    severity: Option<i64>,
) -> Event {
    Event {
        id: format!("{}-{}", happened.revision, kind.name()),
        kind,
        at: happened.at,
        collection: Some(ambit_model::notification::OfCollection {
            uuid: happened.of.uuid,
            name: plain(&happened.of.name),
        }),
        subject,
        what: plain(what),
        name: plain(name),
        title,
        severity,
        issue: None,
    }
}

/// The event of a quota that nears its end. It is of no collection; in the next window it is another one.
pub(crate) fn of_quota(near: &NearQuota, now: Timestamp) -> Event {
    let QuotaUsage { allowed, used } = near.usage;
    let whose = near.group.as_ref().map(|group| format!(" of group {}", plain(group))).unwrap_or_default();
    let payer = near.group.as_ref().map_or_else(|| near.user.to_string(), |group| format!("{}-{group}", near.user));
    Event {
        id: format!("quota-{payer}-{}-{}", near.name, near.window),
        kind: EventKind::QuotaNear,
        at: now,
        collection: None,
        subject: format!("{}{whose}", near.name),
        what: near.name.to_owned(),
        name: near.name.to_owned(),
        title: format!("{used} of {allowed} of {}{whose} are used", near.name),
        severity: None,
        issue: None,
    }
}

/// Returns true where a receiver is told of an event, as far as its rule says, and of new entities what was said of
/// their collection; what its search string finds is asked elsewhere.
pub(crate) fn is_wanted(receiver: &Receiving, happened: &Happened, event: &Event) -> bool {
    let rule = &receiver.rule;
    let place = rule.collection.is_none_or(|wanted| wanted == happened.of.uuid);
    if receiver.project != happened.project || !place {
        return false;
    }
    let of_collection = match event.kind {
        EventKind::EntityNew => happened.new_entities.said_of(receiver.channel),
        _ => None,
    };
    (rule.query.is_some() || counts(happened)) && of_collection.unwrap_or_else(|| rule.names(event.kind))
}

/// Returns false for an entity that is not theirs or that somebody hid: only a search asks for such.
pub(crate) fn counts(happened: &Happened) -> bool {
    !matches!(happened.to, HappenedTo::Entity { counts: false, .. })
}
