//! Lists of platforms that a user loads: `ambit packs add`, and what a run makes of them.

use crate::program::{Discovery, Folder, command, scan_text, succeed};
use std::path::Path;

/// An address that is theirs by its registrant, as long as no list says that many customers share it.
const WORLD: &str = r#"
world lists "Lists"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
host 203.0.113.5
  port 6379 redis open
"#;

const LIST: &str = r#"{"cdn": {"edge": ["203.0.113.4/31", "nowhere"]}, "cloud": {"aws": ["198.51.100.0/24"]}}"#;

fn add(folder: &Folder, file: &Path) -> (Option<i32>, String, String) {
    let data = folder.join("data");
    let told = command(&["packs", "add"]).arg(file).arg("--data").arg(data).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (told.status.code(), text(&told.stdout), text(&told.stderr))
}

/// Whether the address is in scope, and whether its open database was found.
fn shown(found: &Discovery) -> (bool, bool) {
    let address = found.entities.values().find(|entity| entity["name"] == "203.0.113.5").expect("it is found");
    let is_found = found.issues.values().any(|issue| issue["name"] == "open_redis_service");
    (address["summary"]["scoped"] == true, is_found)
}

#[test]
fn an_address_that_a_list_says_is_shared_is_no_longer_swept_until_the_list_is_removed() {
    let folder = Folder::new("platforms");
    let data = folder.join("data").display().to_string();
    assert_eq!(shown(&scan_text(&folder, WORLD, &[])), (true, true));

    let file = folder.join("edges.json");
    std::fs::write(&file, LIST).expect("can be written");
    let (code, said, hints) = add(&folder, &file);
    assert_eq!((code, &*said), (Some(0), "edges  2 ranges and names of platforms in 1 files\n"), "{hints}");
    assert!(hints.contains("left out: nowhere: it is no block such as 192.0.2.0/24"), "{hints}");
    assert!(succeed(&["packs", "list", "--data", &data]).starts_with("edges  2 platforms  version "));
    let listed = scan_text(&folder, WORLD, &[]);
    assert!(!shown(&listed).0);
    let path = succeed(&["entity", "path", "203.0.113.5", "--data", &data]);
    assert!(path.contains("own 0.200, cap L2: third parties share 203.0.113.5"), "{path}");

    std::fs::write(&file, r#"{"cdn": {"edge": []}}"#).expect("can be written");
    let (code, _, hints) = add(&folder, &file);
    assert_eq!(code, Some(2), "{hints}");
    assert!(hints.contains("edges.json: it lists no range and no name that can be used"), "{hints}");

    succeed(&["packs", "remove", "edges", "--data", &data]);
    assert_eq!(shown(&scan_text(&folder, WORLD, &[])), (true, true));
}
