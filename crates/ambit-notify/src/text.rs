//! The words in which people are told: one line for an event, a heading for a digest.

use ambit_model::hidden::is_hidden;
use ambit_model::issue::severity_name;
use ambit_model::notification::{Event, EventKind, Message};

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

/// What happened, in two or three words.
pub(crate) fn happened(kind: EventKind) -> &'static str {
    match kind {
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
    }
}

/// One line for an event: `critical: new issue: Exposed .env on www.example.org`.
pub(crate) fn line(event: &Event) -> String {
    let severity = event.severity.map(|number| format!("{}: ", severity_name(number))).unwrap_or_default();
    format!("{severity}{}: {}", happened(event.kind), event.title)
}

/// The heading of a message: the line of its event, or how many of each sort a digest has.
pub(crate) fn heading(message: &Message) -> String {
    match (&message.events[..], message.is_digest) {
        ([event], false) => line(event),
        _ => {
            let counts = message.counts.iter().map(|(kind, count)| format!("{count} {}", happened(*kind)));
            format!("Ambit: {}", counts.collect::<Vec<_>>().join(", "))
        }
    }
}

/// What stands below the heading of a digest: a line for each event that it lists, and how many it does not.
pub(crate) fn lines(message: &Message) -> Vec<String> {
    if !message.is_digest {
        return Vec::new();
    }
    let mut lines: Vec<String> = message.events.iter().map(line).collect();
    if message.unlisted() > 0 {
        lines.push(format!("and {} more", message.unlisted()));
    }
    lines
}

/// The worst severity that a message lists, if any of its events has one.
pub(crate) fn worst(message: &Message) -> Option<i64> {
    message.events.iter().filter_map(|event| event.severity).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_stay_on_one_line_and_are_cut() {
        assert_eq!(plain("a\r\nBcc: x\u{202e}y"), "a\u{fffd}\u{fffd}Bcc: x\u{fffd}y");
        assert_eq!(plain("a\u{61c}b\u{2028}c\u{200b}d"), "a\u{fffd}b\u{fffd}c\u{fffd}d");
        assert_eq!(plain(&"n".repeat(500)).chars().count(), TEXT_CHARS_MAX + 1);
    }
}
