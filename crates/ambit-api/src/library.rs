//! What the program can find and report, on the wire (docs/contract/asm.md §8.4). Clients page these lists by number and read `more` beside `result`,
//! not in it.

use crate::shape::{BOOLEAN, INTEGER, NULL, Object, Shape, TEXT, TEXT_OR_NULL, TEXTS, member};
use ambit_model::library::{FingerprintEntry, IssueEntry, KindEntry, TaskEntry};
use ambit_model::{Clearance, Kind};
use serde_json::{Value, json};

/// Who wrote the tasks.
const AUTHOR: &str = "Ambit";

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
        "authors": [AUTHOR],
        "type": "discovery",
        "passive": entry.footprint <= Clearance::L1,
        "allowed_types": names(&entry.watches),
        "created_types": names(&entry.produces),
        "example_entities": entry.watches.iter().map(|kind| json!({"type": kind.type_name(), "name": kind.example()})).collect::<Value>(),
        "allowed_options": [],
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

/// A product that can be recognised, with the members that fingerprint items of entities have (docs/contract/asm.md §4.6).
pub fn fingerprint(entry: &FingerprintEntry) -> Value {
    let matches = entry.matches.iter();
    json!({
        "cpe": entry.cpe,
        "hide": false,
        "tags": entry.tags,
        "type": "fingerprint",
        "tasks": null,
        "issues": null,
        "method": "ident",
        "update": null,
        "vendor": entry.vendor,
        "product": entry.product,
        "version": null,
        "inference": entry.cpe.is_some(),
        "description": format!("{} {}", entry.vendor, entry.product),
        "match_logic": "any",
        "positive_matches": matches.map(|one| json!({"match_type": one.place, "match_content": one.content})).collect::<Value>(),
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

static EXAMPLE: Shape = Shape::Object(&Object {
    name: "ExampleEntity",
    members: &[member("type", TEXT), member("name", TEXT)],
    open: false,
});

/// Tasks.
pub static LIBRARY_TASKS: Shape = Shape::List(&Shape::Object(&Object {
    name: "LibraryTask",
    members: &[
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("description", TEXT),
        member("authors", TEXTS),
        member("type", TEXT),
        member("passive", BOOLEAN),
        member("allowed_types", TEXTS),
        member("created_types", TEXTS),
        member("example_entities", &Shape::List(&EXAMPLE)),
        member("allowed_options", crate::shape::ANYTHINGS),
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

static MATCH: Shape = Shape::Object(&Object {
    name: "FingerprintMatch",
    members: &[member("match_type", TEXT), member("match_content", TEXT)],
    open: false,
});

/// Products that can be recognised.
pub static LIBRARY_FINGERPRINTS: Shape = Shape::List(&Shape::Object(&Object {
    name: "LibraryFingerprint",
    members: &[
        member("cpe", TEXT_OR_NULL),
        member("hide", BOOLEAN),
        member("tags", TEXTS),
        member("type", TEXT),
        member("tasks", NULL),
        member("issues", NULL),
        member("method", TEXT),
        member("update", NULL),
        member("vendor", TEXT),
        member("product", TEXT),
        member("version", NULL),
        member("inference", BOOLEAN),
        member("description", TEXT),
        member("match_logic", &Shape::OneOf(&["any"])),
        member("positive_matches", &Shape::List(&MATCH)),
    ],
    open: false,
}));

/// Issue kinds.
pub static LIBRARY_ISSUES: Shape = Shape::List(&LIBRARY_ISSUE);

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::library::FingerprintMatch;

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
        let one = fingerprint(&FingerprintEntry {
            vendor: "F5".to_owned(),
            product: "nginx".to_owned(),
            cpe: None,
            tags: vec!["Web Server".to_owned()],
            matches: vec![FingerprintMatch {
                place: "content_headers".to_owned(),
                content: "Server: nginx".to_owned(),
            }],
        });
        assert_eq!(LIBRARY_FINGERPRINTS.differences(&json!([one])), Vec::<String>::new());
        assert_eq!(page("Issues", vec![], true)["more"], true);
    }
}
