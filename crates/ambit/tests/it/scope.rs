//! Who was contacted, as the simulated servers saw it, and the rules by which `bench/scope` judges that.

use crate::program::{Folder, succeed};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn the_contacts_of_a_run_are_listed_by_name_and_request() {
    let folder = Folder::new("contacts");
    let (data, list) = (folder.join("data"), folder.join("contacts.jsonl"));
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let [data, path] = [&data, &list].map(|path| path.to_str().expect("UTF-8"));
    succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", data, "--contacts", path]);
    let text = std::fs::read_to_string(&list).expect("the list is written");
    let contacts: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let asked = |port: u16, name: &str, what: &str| {
        let same = |contact: &&Value| {
            contact["port"] == port
                && contact["name"] == name
                && contact["asked"] == what
                && contact["count"].as_u64() > Some(0)
        };
        contacts.iter().filter(same).count()
    };
    assert!(asked(443, "harbour.test", "tls") > 0 && asked(443, "harbour.test", "GET /") > 0, "{text}");
    assert!(contacts.iter().all(|contact| contact.get("outside").is_none()), "{text}");
    let knocked =
        contacts.iter().any(|contact| contact["asked"] == "" && contact["port"] == 22 && contact["name"].is_null());
    assert!(knocked, "ports are swept: {text}");
}

/// Worlds of one test: about half a minute on two cores.
const WORLDS: &str = "30";
/// The same worlds every time; `bench/scope` draws others.
const SEED: &str = "20261122";

/// The rules themselves are checked first, against verdicts by hand.
#[test]
fn no_contact_is_made_that_scope_forbids() {
    let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
    let programs = programs
        .expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`");
    let judged = Command::new(programs.join("python3"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/scope"))
        .args(["--rounds", WORLDS, "--seed", SEED, "--ambit", env!("CARGO_BIN_EXE_ambit")])
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{said}{}", String::from_utf8_lossy(&judged.stderr));
}

/// A site at a vendor's address sends its visitors to another port of it.
const SITE_AT_AN_ADDRESS: &str = "world address \"Site at an address\"
seeds http://198.51.100.10:8080
org acme \"Acme Tools\" ours email hostmaster@acme.test
org vendor \"Vendor\" vendor
block 198.51.100.0/25 of vendor asn AS64501 named VENDOR-NET
host 198.51.100.10
  port 8080 http
  port 9999 http
  port 22 ssh
site http://198.51.100.10:8080 \"App\"
  redirect http://198.51.100.10:9999/x
site http://198.51.100.10:9999 \"Other\"
";

#[test]
fn a_site_that_was_named_by_its_address_opens_no_other_port_of_it() {
    let folder = crate::program::Folder::new("site_at_an_address");
    let contacts = folder.join("contacts");
    let mut scan = crate::program::scan_command(&folder, SITE_AT_AN_ADDRESS);
    scan.arg("--contacts").arg(&contacts).output().expect("the program starts");
    let contacts = std::fs::read_to_string(&contacts).expect("the contacts were written");
    let contacts: Vec<serde_json::Value> =
        contacts.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut ports: Vec<u64> = contacts
        .iter()
        .filter(|contact| contact["address"] == "198.51.100.10")
        .filter_map(|contact| contact["port"].as_u64())
        .collect();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports, [8080]);
}

#[test]
fn a_registry_that_is_asked_slowly_is_waited_for() {
    let names: String = (20..60).map(|at| format!("name n{at}.acme.test A 203.0.113.{at}\n")).collect();
    let world = format!(
        "world slow \"Slow\"\nseeds acme.test\norg acme \"Acme Tools\" ours email hostmaster@acme.test\n\
         block 203.0.113.0/25 of acme asn AS64500 named ACME-NET\nzone acme.test of acme\n  \
         ns ns1.acme.test 203.0.113.2\n  transfer open\nname acme.test A 203.0.113.5\n{names}"
    );
    let folder = crate::program::Folder::new("slow_registry");
    let found = crate::program::scan_text(&folder, &world, &["--rates", "provider=0.01"]);
    let summary = &found.summary;
    // Whose registration is not known is not swept: its services would be missed.
    assert_eq!(found.figure("missed"), 0, "{summary}");
}
