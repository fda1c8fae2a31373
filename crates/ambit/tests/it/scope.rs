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
