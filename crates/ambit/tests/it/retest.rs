//! A look at one issue alone: still there, gone, or could not look; and nothing else is touched by it.

use crate::program::{Folder, ambit, command, scan_text, succeed};
use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// The second state heals the shop and replaces its certificate; a service that nobody asks about is gone as well.
const HEALED: &str = r#"
world healed "Healed"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name shop.acme.test A 203.0.113.10
name old.acme.test A 203.0.113.12
host 203.0.113.12
  port 23 telnet
site https://shop.acme.test "The shop"
  exposes env
  cert expired 3d
state 2
site https://shop.acme.test "The shop"
host 203.0.113.12
  port 23 closed
"#;

struct Installation {
    folder: Folder,
}

impl Installation {
    fn ask(&self, arguments: &[&str]) -> String {
        let data = self.folder.join("data");
        succeed(&[arguments, &["--data", data.to_str().expect("UTF-8")]].concat())
    }

    fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let text = self.ask(&[arguments, &["--jsonl"]].concat());
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The uid of the one issue of a kind.
    fn issue(&self, name: &str) -> String {
        let found = self.rows(&["issues", name, "--fields", "id"]);
        let [issue] = found.as_slice() else { panic!("one {name}: {found:?}") };
        issue["id"].as_str().expect("a uid").to_owned()
    }

    /// What a look at it says: the verdict, the status since then, and why it could not look.
    fn retest(&self, uid: &str) -> (String, String, String) {
        let data = self.folder.join("data");
        let asked = ambit(&["issue", "retest", uid, "--jsonl", "--data", data.to_str().expect("UTF-8")]);
        let told = String::from_utf8_lossy(&asked.stdout);
        let told: Value = serde_json::from_str(told.trim())
            .unwrap_or_else(|_| panic!("{told}{}", String::from_utf8_lossy(&asked.stderr)));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let verdict = text(&told["verdict"]);
        let code = if verdict == "could_not_look" { 5 } else { 0 };
        assert_eq!(asked.status.code(), Some(code), "{told}");
        (verdict, text(&told["issue_status"]), text(&told["not_done"][0]["example"]))
    }

    /// Moves the simulated internet without visiting anything: a passive run asks names only.
    fn move_to(&self, state: &str) {
        scan_text(&self.folder, HEALED, &["--state", state, "--level", "passive"]);
    }

    fn level(&self, level: &str) {
        self.ask(&["collection", "update", "acme.test", "--level", level]);
    }
}

/// Runs a command with this on its standard input.
fn with_input(mut command: Command, text: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("is piped").write_all(text.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

#[test]
fn one_issue_is_looked_at_again_and_nothing_else_is_gone_by_it() {
    let installation = Installation { folder: Folder::new("retest") };
    let first = scan_text(&installation.folder, HEALED, &["--state", "1"]);
    assert_eq!((first.figure("missed"), first.figure("unexpected")), (0, 0), "{}", first.summary);
    let exposure = installation.issue("exposed_environment_file");
    let certificate = installation.issue("invalid_certificate_expired");
    for issue in [&exposure, &certificate] {
        assert_eq!(installation.retest(issue), ("open".to_owned(), "open_new".to_owned(), String::new()));
    }

    let data = installation.folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let many = command(&["issue", "retest", &exposure, "-", "--data", data]);
    let many = with_input(many, &format!("{certificate}\n\n{exposure}\n"));
    let said = String::from_utf8_lossy(&many.stdout).into_owned();
    assert_eq!(many.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&many.stderr));
    assert_eq!(said.lines().last(), Some("2 issues: 2 still there, 0 gone, 0 not tested"), "{said}");
    let unknown = ambit(&["issue", "retest", &exposure, &"0".repeat(64), "--jsonl", "--data", data]);
    let rows: Vec<Value> = String::from_utf8_lossy(&unknown.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!((unknown.status.code(), rows.len()), (Some(5), 3), "{rows:?}");
    assert_eq!((&rows[2]["open"], &rows[2]["refused"]), (&1.into(), &1.into()));
    let too_many: String = (0..101).map(|n| format!("{n:064x}\n")).collect();
    let too_many = with_input(command(&["issue", "retest", "-", "--data", data]), &too_many);
    assert_eq!(too_many.status.code(), Some(2), "{}", String::from_utf8_lossy(&too_many.stderr));

    installation.move_to("2");
    let (verdict, status, why) = installation.retest(&exposure);
    assert_eq!((verdict.as_str(), status.as_str()), ("could_not_look", "open_new"), "the level is passive now");
    assert!(why.contains("its clearance is passive"), "{why}");

    installation.level("normal");
    let entities = installation.rows(&["entities", "present:true"]);
    for issue in [&exposure, &certificate] {
        assert_eq!(installation.retest(issue), ("closed".to_owned(), "closed_resolved".to_owned(), String::new()));
    }
    let names = |rows: &[Value]| -> Vec<String> { rows.iter().map(|row| row["name"].to_string()).collect() };
    let after = installation.rows(&["entities", "present:true"]);
    let gone: Vec<String> = names(&entities).into_iter().filter(|name| !names(&after).contains(name)).collect();
    assert_eq!(gone, Vec::<String>::new(), "what was not looked at stays");
    let telnet = installation.rows(&["issues", "exposed_telnet_service status_new:open"]);
    assert_eq!(telnet.len(), 1, "nobody looked whether that is gone");

    installation.move_to("1");
    installation.level("normal");
    assert_eq!(installation.retest(&exposure).0, "open");
    assert_eq!(installation.retest(&exposure).1, "open_new", "it is open again");
}
