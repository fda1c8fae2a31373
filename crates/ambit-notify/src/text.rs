//! The words in which people are told: one line for an event, a heading for a digest.

use ambit_model::hidden::is_hidden;
use ambit_model::issue::{Status, severity_name};
use ambit_model::notification::{Event, EventKind, Message, OfIssue};

/// Characters of a name or title in a message: names from the network may be of any length.
const TEXT_CHARS_MAX: usize = 200;

/// A text of others on one line, without hidden characters, cut at 200 characters.
pub(crate) fn plain(text: &str) -> String {
    let clean = |c: char| if is_hidden(c) { '\u{fffd}' } else { c };
    let mut cut: String = text.chars().map(clean).take(TEXT_CHARS_MAX).collect();
    if text.chars().nth(TEXT_CHARS_MAX).is_some() {
        cut.push('…');
    }
    cut
}

/// What happened, in a few words, with the status of an issue and who decided on it.
fn happened(event: &Event) -> String {
    let plainly = match event.kind {
        EventKind::EntityNew => "new",
        EventKind::EntityChanged => "changed",
        EventKind::EntityGone => "gone",
        EventKind::IssueOpened => "new issue",
        EventKind::IssueBack => "issue is back",
        EventKind::IssueClosed => "issue closed",
        EventKind::IssueConfirmed => "issue confirmed",
        EventKind::RunBegun => "run begun",
        EventKind::RunEnded => "run ended",
        EventKind::RunShort => "run fell short",
        EventKind::QuotaNear => "quota nears its end",
        EventKind::Heartbeat => "nothing new",
        EventKind::Test => "test",
        EventKind::Resumed => "notifications resumed",
    };
    let Some(OfIssue { status, decision, .. }) = &event.issue else { return plainly.to_owned() };
    let verb = match (event.kind, decision) {
        (EventKind::IssueClosed, _) => plainly,
        (EventKind::IssueBack, Some(_)) => "issue reopened",
        _ => return plainly.to_owned(),
    };
    let how = match status {
        Status::Closed | Status::OpenNew => String::new(),
        status => format!(" as {}", status.detailed().replace('_', " ")),
    };
    let who = decision.as_ref().map(|decision| format!(" by {}", decision.by)).unwrap_or_default();
    format!("{verb}{how}{who}")
}

/// How many of a sort there are: `23 issues closed`.
fn counted(kind: EventKind, count: u64) -> String {
    let (one, many) = match kind {
        EventKind::EntityNew => ("new", "new"),
        EventKind::EntityChanged => ("changed", "changed"),
        EventKind::EntityGone => ("gone", "gone"),
        EventKind::IssueOpened => ("new issue", "new issues"),
        EventKind::IssueBack => ("issue is back", "issues are back"),
        EventKind::IssueClosed => ("issue closed", "issues closed"),
        EventKind::IssueConfirmed => ("issue confirmed", "issues confirmed"),
        EventKind::RunBegun => ("run begun", "runs begun"),
        EventKind::RunEnded => ("run ended", "runs ended"),
        EventKind::RunShort => ("run fell short", "runs fell short"),
        EventKind::QuotaNear => ("quota nears its end", "quotas near their end"),
        EventKind::Heartbeat => ("look without anything new", "looks without anything new"),
        EventKind::Test => ("test", "tests"),
        EventKind::Resumed => ("resumption", "resumptions"),
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

/// One line for an event: `critical: new issue: Exposed .env on www.example.org`.
fn line(event: &Event) -> String {
    let severity = event.severity.map(|number| format!("{}: ", severity_name(number))).unwrap_or_default();
    format!("{severity}{}: {}", happened(event), event.title)
}

/// The line of an event in a digest, with the name of its collection.
pub(crate) fn listed(event: &Event) -> String {
    let place = event.collection.as_ref().map(|collection| format!(" ({})", collection.name)).unwrap_or_default();
    format!("{}{place}", line(event))
}

/// What more is known of an event, a line each: where it is, what was seen, and why a person decided so.
pub(crate) fn details(event: &Event) -> Vec<String> {
    let issue = event.issue.as_ref();
    let reason = issue.and_then(|issue| issue.decision.as_ref()?.reason.as_deref());
    let known = [
        ("Collection", event.collection.as_ref().map(|collection| collection.name.as_str())),
        ("Seen", issue.map(|issue| issue.seen.as_str())),
        ("Reason", reason),
    ];
    let known = known.into_iter().filter_map(|(word, said)| Some((word, said.filter(|said| !said.is_empty())?)));
    known.map(|(word, said)| format!("{word}: {said}")).collect()
}

/// The heading of a message: the line of its event, or how many of each sort a digest has.
pub(crate) fn heading(message: &Message) -> String {
    match (&message.events[..], message.is_digest) {
        ([event], false) => line(event),
        _ => {
            let counts = message.counts.iter().map(|(kind, count)| counted(*kind, *count));
            format!("Ambit: {}", counts.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The worst severity that a message lists, if any of its events has one.
pub(crate) fn worst(message: &Message) -> Option<i64> {
    message.events.iter().filter_map(|event| event.severity).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::tests::event;
    use ambit_model::issue::Decision;
    use std::collections::BTreeMap;

    #[test]
    fn an_issue_says_its_status_and_who_decided() {
        use EventKind::{IssueBack, IssueClosed, IssueOpened};
        for (kind, status, by, said) in [
            (IssueClosed, Status::ClosedRiskAccepted, Some("ann"), "issue closed as risk accepted by ann"),
            (IssueClosed, Status::ClosedResolved, None, "issue closed as resolved"),
            (IssueClosed, Status::Closed, Some("ann"), "issue closed by ann"),
            (IssueBack, Status::OpenNew, None, "issue is back"),
            (IssueBack, Status::OpenNew, Some("ann"), "issue reopened by ann"),
            (IssueBack, Status::OpenInProgress, Some("ann"), "issue reopened as in progress by ann"),
            (IssueOpened, Status::OpenNew, None, "new issue"),
        ] {
            let mut event = event(kind, "i");
            let decision = by.map(|by| Decision { by: by.to_owned(), reason: None, until: None });
            event.issue = Some(OfIssue { status, seen: String::new(), decision });
            assert_eq!(line(&event), format!("high: {said}: Title of i"));
            assert_eq!(details(&event), ["Collection: outside"]);
        }
    }

    #[test]
    fn several_are_counted_as_several() {
        let counts =
            BTreeMap::from([(EventKind::IssueClosed, 23), (EventKind::IssueOpened, 1), (EventKind::RunEnded, 2)]);
        let at = ambit_model::Timestamp(0);
        let message = Message { id: uuid::Uuid::nil(), at, is_digest: true, events: Vec::new(), counts };
        assert_eq!(heading(&message), "Ambit: 1 new issue, 23 issues closed, 2 runs ended");
    }

    #[test]
    fn texts_of_others_stay_on_one_line_and_are_cut() {
        assert_eq!(plain("a\r\nBcc: x\u{202e}y"), "a\u{fffd}\u{fffd}Bcc: x\u{fffd}y");
        assert_eq!(plain("a\u{61c}b\u{2028}c\u{200b}d"), "a\u{fffd}b\u{fffd}c\u{fffd}d");
        assert_eq!(plain(&"n".repeat(500)).chars().count(), TEXT_CHARS_MAX + 1);
    }
}
