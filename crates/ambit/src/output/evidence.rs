//! The probes that prove an issue, as lines: the task, the time, what was sent, and what was received.

use super::plain;
use super::table::text;
use serde_json::Value;

/// Lines of a request or an answer that are shown; the rest is counted. The whole of what may be told is in `--jsonl`.
const LINES_MAX: usize = 20;
/// Characters of one of them.
const LINE_CHARS_MAX: usize = 160;

/// The lines of one probe.
pub(crate) fn lines(probe: &Value) -> Vec<String> {
    let member = |name: &str| text(&probe[name]);
    let mut line =
        format!("  {:<11} {} by {} at {}", "probed", member("at"), member("task"), plain(&member("entity_name")));
    for (before, name) in [(", ", "argument"), (": ", "reason")] {
        let value = member(name);
        if !value.is_empty() {
            line.push_str(&format!("{before}{}", plain(&value)));
        }
    }
    if member("outcome") != "found" {
        line.push_str(&format!(" ({})", member("outcome")));
    }
    let mut shown = vec![line];
    for piece in probe["pieces"].as_array().into_iter().flatten() {
        shown.extend(of_piece(piece));
    }
    shown
}

fn of_piece(piece: &Value) -> Vec<String> {
    let mut shown = Vec::new();
    let label = text(&piece["label"]);
    let came = if label == "exchange" { "answer" } else { label.as_str() };
    let Some(answer) = piece["answer"].as_str() else {
        return vec![format!("  {:<11} no longer kept", plain(came))];
    };
    let mut left_out = piece["truncated"].as_bool().unwrap_or(false);
    for (word, block) in [("request", piece["request"].as_str().unwrap_or_default()), (came, answer)] {
        for (number, line) in block.trim_end().lines().enumerate().take(LINES_MAX) {
            let word = if number == 0 { word } else { "" };
            let line = line.replace('\t', "    ");
            let cut: String = line.chars().take(LINE_CHARS_MAX).collect();
            left_out |= cut.len() < line.len();
            shown.push(format!("  {:<11} {}", plain(word), plain(&cut)).trim_end().to_owned());
        }
        left_out |= block.trim_end().lines().count() > LINES_MAX;
    }
    let masked = piece["masked"].as_i64().unwrap_or(0);
    let notes: Vec<String> = [
        (masked > 0).then(|| format!("{masked} masked")),
        left_out.then(|| format!("a part of {} bytes that are kept", text(&piece["size"]))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !notes.is_empty() {
        shown.push(format!("  {:<11} ({})", "", notes.join(", ")));
    }
    shown
}
