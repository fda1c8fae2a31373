//! Exports: what other programs make of them, and that they are the same from a server and from a folder.

use crate::client::Served;
use crate::clients::python;
use crate::program::{command, succeed};

/// Every format.
const FORMATS: &[&str] = &["csv", "jsonl", "sarif", "vex", "defectdojo", "ocsf", "stix", "html"];

#[test]
fn each_format_is_read_by_a_program_of_others() {
    let served = Served::new("exports");
    let out = served.path().to_owned() + "/exports";
    std::fs::create_dir(&out).expect("can be made");
    for format in FORMATS {
        let file = format!("{out}/{format}");
        succeed(&["export", "--format", format, "--data", served.path(), "--output", &file]);
    }
    let mut reader = python("exports.py");
    reader.args([&out, served.url(), served.key()]);
    let output = reader.output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let count = served.both(&["issues", "status_new:open", "--count"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), count, "every open issue is told of, and no other");
}

#[test]
fn an_export_says_what_was_asked_for_on_server_and_folder_alike() {
    let served = Served::new("exports-query");
    let all = served.both(&["export", "--format", "jsonl", "severity:1"]);
    assert!(!all.is_empty() && all.lines().all(|line| line.contains("\"severity\":1,")), "{all}");
    let entities = served.both(&["export", "--format", "csv", "--of", "entities", "type:domain"]);
    assert!(entities.starts_with("type,name,scoped,"), "{entities}");
    assert_eq!(entities.lines().count().to_string() + "\n", {
        let count: u64 = served.both(&["entities", "type:domain", "--count"]).trim().parse().expect("a number");
        format!("{}\n", count + 1)
    });
    let report = succeed(&["export", "-f", "html", "--since", "24h", "--data", served.path()]);
    assert!(report.contains("Changes since ") && report.contains("<h3>New ("), "{report}");
    for (arguments, words) in [
        (&["export", "--format", "pdf"][..], "expected one of csv, jsonl, sarif"),
        (&["export", "--format", "sarif", "--of", "entities"], "supports only issues"),
        (&["export", "--format", "csv", "severity:9"], "query:"),
        (&["export", "--format", "csv", "sevrity:3"], "query: unknown keyword `sevrity`"),
        (&["export", "--format", "csv", "--since", "soon"], "yesterday"),
    ] {
        let output = command(arguments).args(["--data", served.path()]).output().expect("the binary starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
}
