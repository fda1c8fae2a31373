//! One JSON object a line: each row with all that exports tell of it.

use super::OPEN;
use crate::{Document, Format};
use serde_json::json;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    about: "one JSON object a line",
    extension: "jsonl",
    usual_query: OPEN,
    takes_probes: false,
    begin: |_| {},
    finding: Some(|document, finding| line(document, &json!(finding))),
    asset: Some(|document, asset| line(document, &json!(asset))),
    end: |_| {},
};

fn line(document: &mut Document, row: &serde_json::Value) {
    document.text.push_str(&row.to_string());
    document.text.push('\n');
}
