//! Rules for products that a user loads: `ambit packs add`, and what a run tells by them.

use crate::program::{Discovery, Folder, command, scan_text, succeed};
use std::path::Path;

const WORLD: &str = r#"
world things "Things"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.5
site https://www.acme.test "Acme"
  server "Quokka/2.1.4"
"#;

const PACK: &str = r#"<fingerprints matches="http_header.server">
  <fingerprint pattern="^Quokka/([\d.]+)$">
    <param pos="0" name="service.vendor" value="Zephyr"/>
    <param pos="0" name="service.product" value="Quokka"/>
    <param pos="1" name="service.version"/>
    <param pos="0" name="service.cpe23" value="cpe:/a:zephyr:quokka:{service.version}"/>
  </fingerprint>
</fingerprints>"#;

/// The products that a run told of the site.
fn products(discovery: &Discovery) -> Vec<String> {
    let site = discovery.entities.values().find(|entity| entity["name"] == "https://www.acme.test:443");
    let site = site.unwrap_or_else(|| panic!("{:?}", discovery.names("Uri")));
    let names = site["summary"]["technology"]["technologies"].as_array().unwrap_or_else(|| panic!("{site}"));
    names.iter().filter_map(|name| name.as_str()).map(str::to_owned).collect()
}

fn add(folder: &Folder, file: &Path) -> std::process::Output {
    let data = folder.join("data");
    command(&["packs", "add"]).arg(file).arg("--data").arg(data).output().expect("the program starts")
}

#[test]
fn a_pack_that_is_loaded_tells_products_from_the_next_run_on_and_one_that_is_broken_changes_nothing() {
    let folder = Folder::new("fingerprints");
    assert!(products(&scan_text(&folder, WORLD, &[])).is_empty(), "no rule of ours knows it");

    let file = folder.join("things.xml");
    std::fs::write(&file, PACK).expect("can be written");
    let told = add(&folder, &file);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    assert_eq!(String::from_utf8_lossy(&told.stdout), "things  1 fingerprints of 1 files\n");
    let data = folder.join("data").display().to_string();
    assert!(succeed(&["packs", "list", "--data", &data]).starts_with("things  1 fingerprints  version "));

    std::fs::write(&file, PACK.replace("^Quokka/", "^Quokka/(")).expect("can be written");
    let refused = add(&folder, &file);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("things.xml:2: no pattern: unclosed group"), "{said}");

    let found = products(&scan_text(&folder, WORLD, &[]));
    assert_eq!(found, ["Quokka"]);
    let technologies = succeed(&["technologies", "--jsonl", "--data", &data]);
    assert!(technologies.contains(r#""cpe:2.3:a:zephyr:quokka:2.1.4:*:*:*:*:*:*:*""#), "{technologies}");

    succeed(&["packs", "remove", "things", "--data", &data]);
    assert!(products(&scan_text(&folder, WORLD, &[])).is_empty(), "it is gone with its pack");
}
