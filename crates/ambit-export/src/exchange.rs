//! A request and an answer over HTTP, taken apart for formats that have a member for each part. They are shown as
//! they were sent, but for what is masked.

use ambit_api::exports::Finding;
use ambit_api::issues::{EvidencePiece, IssueEvidence};

/// Characters of a request or an answer that a document shows.
pub(crate) const SHOWN_CHARS_MAX: usize = 1_500;

/// The probes that an issue rests on, where they were asked for.
pub(crate) fn probes(finding: &Finding) -> &[IssueEvidence] {
    finding.probes.0.as_deref().unwrap_or_default()
}

/// The first piece that has both sides of an exchange.
pub(crate) fn first(finding: &Finding) -> Option<(&str, &str)> {
    let sides = |piece: &'_ EvidencePiece| piece.request.is_some() && piece.answer.is_some();
    let piece = probes(finding).iter().flat_map(|probe| &probe.pieces).find(|piece| sides(piece))?;
    Some((piece.request.as_deref()?, piece.answer.as_deref()?))
}

/// A message: its first line, its headers in order, and its body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    pub(crate) first_line: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a str,
}

/// Takes a message apart; `None` where it has no first line. A line without a colon is no header and is left out.
pub(crate) fn message(text: &str) -> Option<Message<'_>> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let first_line = lines.next().filter(|line| !line.trim().is_empty())?;
    let headers = lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name.trim(), value.trim()));
    Some(Message { first_line, headers: headers.collect(), body })
}

/// The beginning of a text, and whether something was cut.
pub(crate) fn beginning(text: &str) -> (&str, bool) {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}
