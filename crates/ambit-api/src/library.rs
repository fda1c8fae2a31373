//! What the program can find and report, on the wire (asm-wire §8.8). Clients page these lists by number and read `more` beside `result`, not in it.

use crate::shape::{BOOLEAN, INTEGER, Object, Shape, TEXT, TEXTS, member};
use ambit_model::library::{IssueEntry, KindEntry, TaskEntry};
use ambit_model::{Clearance, Kind};
use serde_json::{Value, json};

/// A page of a list: the envelope with `more` at its top level.
pub fn page(message: &str, rows: Vec<Value>, more: bool) -> Value {
    json!({"success": true, "message": message, "result": rows, "more": more})
}

/// An entity kind.
pub fn kind(entry: &KindEntry) -> Value {
    json!({
        "name": entry.kind.type_name(),
        "description": entry.description,
        "user_creatable": entry.user_creatable,
        "example": entry.example,
        "sensitive": false,
    })
}

/// A task. Passive is what contacts nobody but resolvers and data providers.
pub fn task(entry: &TaskEntry) -> Value {
    let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.type_name()).collect::<Vec<_>>();
    json!({
        "name": entry.name,
        "pretty_name": entry.pretty_name,
        "description": entry.description,
        "type": "discovery",
        "passive": entry.footprint <= Clearance::L1,
        "allowed_types": names(&entry.watches),
        "created_types": names(&entry.produces),
        "references": [],
    })
}

/// An issue kind.
pub fn issue(entry: &IssueEntry) -> Value {
    json!({
        "name": entry.name,
        "pretty_name": entry.pretty_name,
        "added": entry.added,
        "severity": entry.severity,
        "category": entry.category,
        "status": entry.confidence,
        "description": entry.description,
        "remediation": entry.remediation,
        "references": entry.references,
        "identifiers": [],
        "affected_software": [],
    })
}

/// An entity kind.
pub static LIBRARY_KINDS: Shape = Shape::List(&Shape::Object(&Object {
    name: "LibraryEntity",
    members: &[
        member("name", TEXT),
        member("description", TEXT),
        member("user_creatable", BOOLEAN),
        member("example", TEXT),
        member("sensitive", BOOLEAN),
    ],
    open: false,
}));

/// Tasks.
pub static LIBRARY_TASKS: Shape = Shape::List(&Shape::Object(&Object {
    name: "LibraryTask",
    members: &[
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("description", TEXT),
        member("type", TEXT),
        member("passive", BOOLEAN),
        member("allowed_types", TEXTS),
        member("created_types", TEXTS),
        member("references", crate::shape::ANYTHINGS),
    ],
    open: false,
}));

/// An issue kind.
pub static LIBRARY_ISSUE: Shape = Shape::Object(&Object {
    name: "LibraryIssue",
    members: &[
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("added", &Shape::Day),
        member("severity", INTEGER),
        member("category", TEXT),
        member("status", &Shape::OneOf(&["confirmed", "potential"])),
        member("description", TEXT),
        member("remediation", TEXT),
        member("references", crate::shape::ANYTHINGS),
        member("identifiers", crate::shape::ANYTHINGS),
        member("affected_software", crate::shape::ANYTHINGS),
    ],
    open: false,
});

/// Issue kinds.
pub static LIBRARY_ISSUES: Shape = Shape::List(&LIBRARY_ISSUE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_every_member() {
        let one = kind(&KindEntry {
            kind: Kind::Domain,
            description: "a registered domain".to_owned(),
            user_creatable: true,
            example: "acme.test".to_owned(),
        });
        assert_eq!(LIBRARY_KINDS.differences(&json!([one])), Vec::<String>::new());
        let one = task(&TaskEntry {
            name: "resolve".to_owned(),
            pretty_name: "Resolve".to_owned(),
            description: "asks for addresses".to_owned(),
            footprint: Clearance::L1,
            watches: vec![Kind::Domain],
            produces: vec![Kind::IpAddress],
        });
        assert_eq!(LIBRARY_TASKS.differences(&json!([one])), Vec::<String>::new());
        assert_eq!(
            (&one["passive"], &one["created_types"]),
            (&json!(true), &json!(["Platform::Entity::IpAddress"]))
        );
        let one = issue(&IssueEntry {
            name: "dns_caa_missing".to_owned(),
            pretty_name: "Domain without a CAA record".to_owned(),
            severity: 4,
            confidence: "confirmed".to_owned(),
            category: "misconfiguration".to_owned(),
            added: "2026-01-31".to_owned(),
            description: "Any authority may issue.".to_owned(),
            remediation: "Add one.".to_owned(),
            references: vec![],
        });
        assert_eq!(LIBRARY_ISSUE.differences(&one), Vec::<String>::new());
        assert_eq!(page("Issues", vec![], true)["more"], true);
    }
}
