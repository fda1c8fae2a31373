//! Evidence as it may be shown: a part of what is kept, with secrets masked. Of files that are leaks only the names of
//! their lines are shown.

use super::issues::NOUN;
use crate::call::Call;
use crate::failure::About;
use ambit_api::Result;
use ambit_api::issues::{EvidenceOutcome, EvidencePiece, IssueEvidence};
use ambit_model::facts::ProbeOutcome;
use ambit_model::id::BlobHash;
use ambit_model::observation::{CERTIFICATE, EXCHANGE};
use ambit_secrets::{Masked, masked, names_only};
use ambit_store::ProbeLeft;
use base64::Engine as _;
use serde_json::Value;
use std::collections::BTreeSet;

/// Pieces of one issue at most.
const PIECES_MAX: usize = 8;
/// Characters of a piece that are shown.
const SHOWN_CHARS_MAX: usize = 4_000;
/// Bytes of a piece that are read for it: a secret that begins in what is shown ends in here.
const READ_BYTES_MAX: usize = 64 * 1_024;
/// Bytes that are shown as hexadecimal digits where a piece is no text.
const BINARY_BYTES_MAX: usize = 256;
/// The same of a leak: enough to tell what sort of file it is.
const LEAKED_BYTES_MAX: usize = 16;
/// Bytes of one row of them.
const ROW_BYTES: usize = 16;
/// Characters in a hundred that may be none of a text before it counts as bytes.
const STRAY_PERCENT_MAX: usize = 10;
/// The category of issues about files that are themselves secret.
const LEAK: &str = "leak";

/// The probes that an issue of the caller rests on, with their pieces. Fails as reading the issue does.
pub(crate) async fn probes(call: &Call, id: &str) -> Result<Vec<IssueEvidence>> {
    let reads = |name: &str| call.state.library.reads(name).to_vec();
    let found = call.store().issue_evidence(call.caller(), id, call.project, reads).await;
    let (issue, probes) = found.about(NOUN)?;
    let facts = &issue.record.details["proof"]["details"];
    let (mut shown, mut told) = (Vec::new(), BTreeSet::new());
    for left in &probes {
        let mut probe = probe(left);
        for (label, hash) in &left.evidence {
            // A certificate that several names show is told once.
            if !belongs(facts, label) || told.len() >= PIECES_MAX || !told.insert(hash) {
                continue;
            }
            let bytes = call.store().blob(*hash).await.about(NOUN)?;
            probe.pieces.push(piece(&issue.record.category, label, *hash, bytes.as_deref()));
        }
        shown.push(probe);
    }
    Ok(shown)
}

/// A probe as it is shown, without its pieces.
fn probe(left: &ProbeLeft) -> IssueEvidence {
    IssueEvidence {
        task: left.task.clone(),
        entity_type: left.kind.type_name(),
        entity_name: left.name.clone(),
        argument: left.argument.clone(),
        outcome: match left.outcome {
            ProbeOutcome::Found => EvidenceOutcome::Found,
            ProbeOutcome::Absent => EvidenceOutcome::Absent,
            // What it could not look at is its reason.
            ProbeOutcome::InPart | ProbeOutcome::Unknown => EvidenceOutcome::Unknown,
        },
        at: left.at,
        reason: left.reason.clone(),
        pieces: Vec::new(),
    }
}

/// Returns true for a piece that may show the issue: of exchanges that a probe had at several paths, those at the paths
/// that the facts of the proof name.
fn belongs(facts: &Value, label: &str) -> bool {
    let Some(path) = label.strip_prefix(EXCHANGE).and_then(|shows| shows.split_once(' ')).map(|(_, path)| path) else {
        return true;
    };
    match (&facts["paths"], &facts["path"]) {
        (Value::Array(paths), _) => paths.iter().any(|named| named == path),
        (_, Value::String(named)) => named == path,
        _ => true,
    }
}

/// A piece of an issue of a category as it is shown; `bytes` are `None` where they are no longer kept.
fn piece(category: &str, label: &str, hash: BlobHash, bytes: Option<&[u8]>) -> EvidencePiece {
    let kept = bytes.unwrap_or_default();
    let (request, rest) = match label.strip_prefix(EXCHANGE).and_then(|_| split_head(kept)) {
        Some((request, rest)) => (Some(cut(masked(&String::from_utf8_lossy(request)), false)), rest),
        None => (None, kept),
    };
    let answer = match label {
        CERTIFICATE => cut(Masked { text: pem(rest), count: 0 }, false),
        _ => told(rest, category == LEAK),
    };
    let (mut masked, mut truncated) = (answer.masked, answer.truncated);
    if let Some(request) = &request {
        masked += request.masked;
        truncated |= request.truncated;
    }
    EvidencePiece {
        label: label.split(' ').next().unwrap_or_default().to_owned(),
        sha256: hash,
        size: i64::try_from(kept.len()).unwrap_or(i64::MAX),
        masked,
        truncated,
        request: request.map(|part| part.text),
        answer: bytes.map(|_| answer.text),
    }
}

/// A text as it is shown.
struct Part {
    text: String,
    masked: i64,
    truncated: bool,
}

/// Cuts what is too long; `truncated` says that something is missing already.
fn cut(masked: Masked, mut truncated: bool) -> Part {
    let mut text = masked.text.replace("\r\n", "\n");
    if let Some((end, _)) = text.char_indices().nth(SHOWN_CHARS_MAX) {
        text.truncate(end);
        truncated = true;
    }
    Part { text, masked: i64::try_from(masked.count).unwrap_or(i64::MAX), truncated }
}

/// An answer: the head of one over HTTP as headers, and the rest as a text or as bytes.
fn told(answer: &[u8], leaked: bool) -> Part {
    let mut truncated = answer.len() > READ_BYTES_MAX;
    let answer = &answer[..answer.len().min(READ_BYTES_MAX)];
    let (head, body) = match answer.starts_with(b"HTTP/").then(|| split_head(answer)).flatten() {
        Some((head, body)) => (masked(&String::from_utf8_lossy(head)), body),
        None => (Masked::default(), answer),
    };
    let body = match text(body) {
        Some(text) if leaked && !is_page(&text) => names_only(&text),
        Some(text) => masked(&text),
        None => {
            let most = if leaked { LEAKED_BYTES_MAX } else { BINARY_BYTES_MAX };
            truncated |= body.len() > most;
            Masked { text: hexadecimal(&body[..body.len().min(most)]), count: 0 }
        }
    };
    cut(Masked { text: head.text + &body.text, count: head.count + body.count }, truncated)
}

/// Head and rest of a message, the empty line with the head.
fn split_head(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    Some(bytes.split_at(end))
}

/// The text that bytes are; `None` where they are none.
fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_stray = |c: char| c == '\u{fffd}' || (c.is_control() && !matches!(c, '\t' | '\r' | '\n'));
    let (strays, all) = (text.chars().filter(|c| is_stray(*c)).count(), text.chars().count());
    let shown = |c: char| if is_stray(c) { '\u{fffd}' } else { c };
    (strays * 100 <= all * STRAY_PERCENT_MAX).then(|| text.chars().map(shown).collect())
}

/// A page has its secrets where headings and names tell them; a file of lines has one in each.
fn is_page(text: &str) -> bool {
    let start = text.trim_start().get(..200).unwrap_or(text).to_ascii_lowercase();
    start.starts_with('<') || start.contains("<html") || start.contains("<!doctype")
}

fn hexadecimal(bytes: &[u8]) -> String {
    let row = |(at, row): (usize, &[u8])| {
        let digits: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:04x}  {}\n", at * ROW_BYTES, digits.join(" "))
    };
    bytes.chunks(ROW_BYTES).enumerate().map(row).collect()
}

fn pem(der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::id::blob_hash;
    use serde_json::json;

    const ASKED: &str = "GET /.env HTTP/1.1\r\nHost: acme.test\r\nAuthorization: Basic YTpi\r\n\r\n";

    fn shown(category: &str, label: &str, bytes: &[u8]) -> EvidencePiece {
        piece(category, label, blob_hash(bytes), Some(bytes))
    }

    #[test]
    fn an_exchange_is_shown_with_its_secrets_masked() {
        let answered =
            "HTTP/1.1 200 OK\r\nSet-Cookie: sid=q8d7; Secure\r\n\r\nAPP_ENV=production\nDB_PASSWORD=hunter2x\n";
        let bytes = [ASKED, answered].concat();
        let of = |category| shown(category, "exchange env_file /.env", bytes.as_bytes());
        let leak = of(LEAK);
        assert_eq!(leak.label, "exchange");
        assert_eq!(leak.request.unwrap(), "GET /.env HTTP/1.1\nHost: acme.test\nAuthorization: [masked]\n\n");
        assert_eq!(
            leak.answer.unwrap(),
            "HTTP/1.1 200 OK\nSet-Cookie: sid=[masked]; Secure\n\nAPP_ENV=[masked]\nDB_PASSWORD=[masked]\n"
        );
        assert_eq!((leak.masked, leak.truncated, leak.size), (4, false, i64::try_from(bytes.len()).unwrap()));
        let other = of("misconfiguration").answer.unwrap();
        assert!(other.ends_with("APP_ENV=production\nDB_PASSWORD=[masked]\n"), "{other}");
    }

    #[test]
    fn what_is_long_is_cut_and_a_secret_at_the_cut_is_masked() {
        let key = ["-----BEGIN RSA PRIVATE KEY-----\n", &"MIIEowIBAAKCAQEA".repeat(400)].concat();
        let text = ["a line of a page\n".repeat(230), key].concat();
        let piece = shown("misconfiguration", "response", text.as_bytes());
        let answer = piece.answer.unwrap();
        assert!(!answer.contains("MIIE") && answer.chars().count() <= SHOWN_CHARS_MAX, "{answer}");
        let long = shown("misconfiguration", "banner", "x ".repeat(READ_BYTES_MAX).as_bytes());
        assert!(long.truncated && long.answer.unwrap().chars().count() == SHOWN_CHARS_MAX);
    }

    #[test]
    fn bytes_that_are_no_text_are_digits_and_few_of_a_leak() {
        let bytes: Vec<u8> = (0..=255).cycle().take(600).collect();
        let digits = |category| shown(category, "answer", &bytes).answer.unwrap();
        assert_eq!(digits("misconfiguration").lines().count(), BINARY_BYTES_MAX / ROW_BYTES);
        assert_eq!(digits(LEAK), "0000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n");
        let escape = shown("threat", "banner", b"a \x1b[2J terminal would clear itself here").answer.unwrap();
        assert_eq!(escape, "a \u{fffd}[2J terminal would clear itself here");
    }

    #[test]
    fn a_certificate_is_shown_as_programs_read_it_and_what_is_gone_says_so() {
        let answer = shown("misconfiguration", CERTIFICATE, &[0x30, 0x03, 0x02, 0x01, 0x05]).answer.unwrap();
        assert_eq!(answer, "-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n");
        let gone = piece(LEAK, "banner", blob_hash(b"x"), None);
        assert_eq!((gone.answer, gone.size, gone.truncated), (None, 0, false));
    }

    #[test]
    fn of_several_paths_those_of_the_issue_are_shown() {
        let facts = json!({"site": "https://acme.test", "paths": ["/.env"]});
        assert!(belongs(&facts, "exchange env_file /.env") && belongs(&facts, "head"));
        assert!(!belongs(&facts, "exchange git_head /.git/HEAD"));
        assert!(belongs(&json!({}), "exchange foreign_origin") && belongs(&json!({}), "exchange env_file /.env"));
    }
}
