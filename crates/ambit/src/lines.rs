//! Search hits, changes and runs as one line for a person. What came from outside is shown escaped.

use crate::output::plain;
use crate::report::severity_name;
use crate::table::{at, text};
use serde_json::Value;

/// The last part of a kind: `Platform::Entity::Uri` is a `Uri`.
pub(crate) fn kind(value: &Value) -> &str {
    let name = value.as_str().unwrap_or_default();
    name.rsplit("::").next().unwrap_or(name)
}

fn shown(hit: &Value, path: &str) -> String {
    plain(&text(at(hit, path)))
}

/// `Uri  https://www.acme.test:443  200  "Acme"`, with `(not ours)` where scope says so.
pub(crate) fn entity(hit: &Value) -> String {
    let mut line = format!("{:<18} {}", kind(&hit["type"]), shown(hit, "name"));
    for path in ["summary.http.code", "summary.http.title", "summary.resolutions"] {
        let value = shown(hit, path);
        match path {
            _ if value.is_empty() => {}
            "summary.http.title" => line.push_str(&format!("  \"{value}\"")),
            _ => line.push_str(&format!("  {value}")),
        }
    }
    if at(hit, "summary.scoped") == false {
        line.push_str("  (not ours)");
    }
    line
}

/// `high      exposed_telnet_service  NetworkService 203.0.113.9:23/tcp  (confirmed)  open_new`.
pub(crate) fn issue(hit: &Value) -> String {
    format!(
        "{:<9} {}  {} {}  ({})  {}",
        severity_name(at(hit, "summary.severity").as_i64().unwrap_or_default()),
        shown(hit, "name"),
        kind(&hit["entity_type"]),
        shown(hit, "entity_name"),
        shown(hit, "summary.confidence"),
        shown(hit, "summary.status"),
    )
}

/// `nginx 1.24.0  3 entities`.
pub(crate) fn technology(hit: &Value) -> String {
    format!("{}  {} entities", shown(hit, "name"), hit["entity_count"])
}

/// `17  2026-11-21T08:00:00.000Z  entity appeared  Uri https://www.acme.test:443`.
pub(crate) fn change(change: &Value) -> String {
    let what = format!("{} {}", shown(change, "record"), shown(change, "what"));
    let name = [shown(change, "kind"), shown(change, "name"), shown(change, "status")];
    let name: Vec<String> = name.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{}  {}  {what}  {}", change["revision"], shown(change, "at"), name.join(" "))
}

/// `12  outside_a1b2c3d  finished  started 2026-11-21T08:00:00.000Z  412 entities`.
pub(crate) fn run(run: &Value) -> String {
    let begun = match shown(run, "started_at") {
        at if at.is_empty() => "-".to_owned(),
        at => at,
    };
    let mut line = format!(
        "{}  {}  {}  started {begun}  {} entities",
        run["id"],
        shown(run, "collection_name"),
        shown(run, "status"),
        run["entity_count"]
    );
    if run.get("work_done").is_some() {
        line.push_str(&format!(
            "  {} done, {} open, {} unanswered, {} new entities",
            run["work_done"], run["work_open"], run["work_unknown"], run["new_entity_count"]
        ));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hit_is_one_line_whatever_its_title_says() {
        let hit = json!({"type": "Platform::Entity::Uri", "name": "https://a.test:443",
            "summary": {"scoped": false, "http": {"code": 200, "title": "a\u{1b}[2J\nb"}, "resolutions": ["203.0.113.1", "203.0.113.2"]}});
        assert_eq!(
            entity(&hit),
            "Uri                https://a.test:443  200  \"a\\u{1b}[2J\\u{a}b\"  203.0.113.1, 203.0.113.2  (not ours)"
        );
        let issue_hit = json!({"name": "x", "entity_type": "Platform::Entity::Domain", "entity_name": "a.test",
            "summary": {"severity": 1, "confidence": "confirmed", "status": "open_new"}});
        assert_eq!(issue(&issue_hit), "critical  x  Domain a.test  (confirmed)  open_new");
    }
}
