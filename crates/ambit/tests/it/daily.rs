//! What people do every day at the command line: short ids, severities by word, the worst first, the past by name, one
//! screen of status.

use crate::client::Served;
use crate::program::{command, succeed};

fn said(arguments: &[&str], data: &str) -> (Option<i32>, String) {
    let output = command(arguments).args(["--data", data]).output().expect("the binary starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_listed_issue_is_shown_by_the_beginning_of_its_uid() {
    let served = Served::new("daily-ids");
    let worst = served.both(&["issues", "--limit", "1"]);
    let short = worst.split(' ').next().expect("an id").to_owned();
    assert!(short.len() == 8 && worst.contains("  critical  "), "{worst}");
    let shown = served.both(&["issue", "show", &short]);
    for words in ["  uid         ", "  remedy      ", "  see also    ", "  to see it   "] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let uid = served.both(&["issues", "--limit", "1", "--columns", "uid"]);
    assert!(shown.contains(uid.trim()), "{shown}");
    let entity = served.both(&["issues", "--limit", "1", "--fields", "entity_uid"]);
    assert!(served.both(&["entity", "path", &entity[..10]]).contains("ownership "));
    served.answer(&["issue", "status", &short, "closed_risk_accepted", "--reason", "known"]);
    assert_eq!(served.both(&["issues", &format!("id:{}", uid.trim()), "status_new:open", "--count"]), "0\n");
    for (typed, code) in [("000000", 2), ("abc", 2), ("", 2)] {
        assert_eq!(said(&["issue", "show", typed], served.path()).0, Some(code), "{typed:?}");
    }
}

#[test]
fn the_past_and_severities_are_named_as_people_name_them() {
    let served = Served::new("daily-words");
    let count = |query: &str| served.both(&["issues", query, "--count"]);
    assert_eq!(count("severity:critical"), count("severity:1"));
    assert_eq!(count("severity_lte:high"), count("severity_lte:2"));
    assert!(said(&["issues", "severity:worst"], served.path()).1.contains("critical, high, medium, low, info"));
    let all = served.both(&["changes", "--count"]);
    assert_eq!(served.both(&["changes", "--since", "24h", "--count"]), all);
    assert_eq!(served.both(&["changes", "--since", "0h", "--count"]), "0\n");
    let names = served.both(&["entities", "type:domain", "--sort", "name", "--descending", "--columns", "name"]);
    let mut sorted: Vec<&str> = names.lines().collect();
    sorted.sort_unstable_by(|left, right| right.cmp(left));
    assert_eq!(names.lines().collect::<Vec<_>>(), sorted);
}

#[test]
fn one_screen_says_how_things_are() {
    let served = Served::new("daily-status");
    let status = served.both(&["status"]);
    for words in ["issues       ", " critical", "entities     ", "collection   ", " finished at ", "next on demand"] {
        assert!(status.contains(words), "{words}: {status}");
    }
    assert!(served.both(&["status", "--jsonl"]).contains("\"record\":\"status\""));
    let top = served.answer(&["top"]);
    assert!(top.contains("0 under way") && top.contains(" finished at ") && !top.contains('\u{1b}'), "{top}");
    let collection = || -> serde_json::Value {
        let listed = served.answer(&["collection", "list", "--jsonl"]);
        serde_json::from_str(listed.lines().next().expect("there is one")).expect("JSON")
    };
    let uuid = collection()["uuid"].as_str().expect("a uuid").to_owned();
    served.answer(&["collection", "rename", &uuid, "Renamed"]);
    served.answer(&["collection", "schedule", "Renamed", "weekly"]);
    let renamed = collection();
    assert_eq!((&renamed["printable_name"], &renamed["auto_refresh_schedule"]), (&"Renamed".into(), &"weekly".into()));
    served.answer(&["collection", "set", "Renamed", "--name", "Again", "--schedule", "on_demand"]);
    assert!(served.answer(&["collection", "seeds", "list", "Again"]).lines().count() > 0);
    assert!(succeed(&["help"]).contains("Commands:"));
    assert!(succeed(&["help", "issue", "status"]).contains("--until"));
}

#[test]
fn an_issue_is_somebodys_and_due_by_the_days_of_its_collection() {
    let served = Served::new("daily-due");
    let worst = served.both(&["issues", "--limit", "1", "--columns", "uid"]);
    let uid = worst.trim();
    assert_eq!(served.both(&["issues", "overdue:true", "--count"]), "0\n");
    served.answer(&["collection", "update", "harbour.test", "--due", "critical=7,high=30"]);
    assert!(served.both(&["collection", "show", "harbour.test"]).contains("  due       critical=7,high=30"));
    served.answer(&["issue", "assign", uid, "owner@localhost"]);
    let shown = served.both(&["issue", "show", uid]);
    assert!(shown.contains("  due         ") && shown.contains("  assignee    "), "{shown}");
    let name = shown.lines().find_map(|line| line.strip_prefix("  assignee    ")).expect("a name").to_owned();
    assert_eq!(served.both(&["issues", &format!("assignee:{name}"), "--count"]), "1\n");
    served.answer(&["issue", "assign", uid, "--nobody"]);
    assert!(!served.both(&["issue", "show", uid]).contains("assignee"));
    assert_eq!(said(&["issue", "assign", uid], served.path()).0, Some(2), "somebody or nobody");
    assert_eq!(said(&["issue", "assign", uid, "nobody@acme.test"], served.path()).0, Some(2));
    let (code, why) = said(&["collection", "update", "harbour.test", "--due", "soon"], served.path());
    assert!(code == Some(2) && why.contains("critical=7,high=30"), "{why}");
}

#[test]
fn a_scan_ends_with_the_worst_and_what_to_do_next() {
    let folder = crate::program::Folder::new("daily-verdict");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let scan = ["scan", "-y", "--world", world];
    let (code, first) = said(&scan, folder.path().to_str().expect("UTF-8"));
    assert_eq!(code, Some(0), "{first}");
    let open: usize =
        first.split("verdict: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a count");
    assert!(first.contains(&format!("verdict: {open} open, {open} of them new in this run; the worst:")), "{first}");
    assert!(first.contains("next: `ambit issue show ") && first.contains("report.html"), "{first}");
    let (_, second) = said(&scan, folder.path().to_str().expect("UTF-8"));
    assert!(second.contains(&format!("verdict: {open} open, 0 of them new")), "{second}");
}
