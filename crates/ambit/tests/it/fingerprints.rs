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

/// Sites of the folder that show the product, by what is stored.
fn shown(folder: &Folder) -> usize {
    let data = folder.join("data").display().to_string();
    succeed(&["entities", "type:uri", "technology:Quokka", "--jsonl", "--data", &data]).lines().count()
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

    assert_eq!(shown(&folder), 2, "products are told anew, nobody was asked");
    let again = scan_text(&folder, WORLD, &[]);
    assert_eq!(products(&again), ["Quokka"]);
    assert!(again.technologies.iter().any(|name| name.contains("Quokka 2.1.4")), "{:?}", again.technologies);
    let technologies = succeed(&["technologies", "--jsonl", "--data", &data]);
    assert!(technologies.contains(r#""cpe:2.3:a:zephyr:quokka:2.1.4:*:*:*:*:*:*:*""#), "{technologies}");

    succeed(&["packs", "remove", "things", "--data", &data]);
    assert_eq!(shown(&folder), 0);
    assert!(products(&scan_text(&folder, WORLD, &[])).is_empty(), "it is gone with its pack");
}

const TEMPLATE: &str = r#"id: wombat-detect

info:
  name: Wombat Portal - Detect
  author: acme
  severity: info
  tags: tech,wombat

http:
  - method: GET
    path:
      - "{{BaseURL}}"
    matchers-condition: and
    matchers:
      - type: word
        words: ["<h1>Wombat portal"]
      - type: status
        status: [200]
    extractors:
      - type: regex
        group: 1
        regex: ['build ([0-9.]+)']
"#;

#[test]
fn a_broken_template_of_a_folder_is_named_and_the_others_are_loaded() {
    let folder = Folder::new("fingerprints-broken");
    scan_text(&folder, WORLD, &[]);
    let templates = folder.join("templates");
    std::fs::create_dir_all(&templates).expect("can be made");
    let write = |name: &str, text: &[u8]| std::fs::write(templates.join(name), text).expect("can be written");
    write("a-cut.yaml", &TEMPLATE.as_bytes()[..TEMPLATE.len() - 8]);
    write("b-bytes.yaml", b"id: b\ninfo:\n  name: \xff\xfe\n");
    write("c-note.yaml", TEMPLATE.replace("info:", "info: # of theirs").as_bytes());
    write("d-group.yaml", TEMPLATE.replace("build (", "build ((").as_bytes());
    let repeated: String = ('b'..='h')
        .map(|name| {
            let before = char::from(name as u8 - 1);
            format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 9].join(","))
        })
        .collect();
    write("e-large.yaml", format!("id: e\ninfo:\n  name: x\na: &a [x,x]\n{repeated}http: *h\n").as_bytes());

    let told = add(&folder, &templates);
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(5), "{said}");
    assert_eq!(String::from_utf8_lossy(&told.stdout), "templates  1 fingerprints of 1 files\n", "{said}");
    for (file, why) in [
        ("a-cut.yaml:", ""),
        ("b-bytes.yaml: ", "not UTF-8 text"),
        ("d-group.yaml: wombat-detect: ", "unclosed group"),
        ("e-large.yaml:", "than a template may be"),
    ] {
        let named = said.lines().any(|line| line.starts_with(&format!("left out: {file}")) && line.contains(why));
        assert!(named, "{file}: {said}");
    }
    assert!(said.contains("4 files were left out"), "{said}");

    // One that is named itself is refused, as is a folder of which nothing is left.
    for path in [templates.join("d-group.yaml"), templates.join("b-bytes.yaml")] {
        assert_eq!(add(&folder, &path).status.code(), Some(2), "{}", path.display());
    }
    std::fs::remove_file(templates.join("c-note.yaml")).expect("is there");
    assert_eq!(add(&folder, &templates).status.code(), Some(2));
}

#[test]
fn a_folder_of_templates_may_hold_other_files() {
    let folder = Folder::new("fingerprints-beside");
    scan_text(&folder, WORLD, &[]);
    let templates = folder.join("nuclei");
    std::fs::create_dir_all(templates.join("http")).expect("can be made");
    let write = |name: &str, text: &str| std::fs::write(templates.join(name), text).expect("can be written");
    write("contributors.json", "[{\"author\": \"ann\"}]");
    write("http/wombat.yaml", TEMPLATE);
    write("profile.yml", "severity: [high]\n");
    std::os::unix::fs::symlink(&templates, templates.join("http/up")).expect("can be made");
    std::os::unix::fs::symlink(templates.join("none"), templates.join("gone.yaml")).expect("can be made");
    let told = add(&folder, &templates);
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&told.stdout), "nuclei  1 fingerprints of 1 files\n", "{said}");
    for other in ["contributors.json", "profile.yml"] {
        assert!(said.contains(&format!("left out: {other}: it holds no known rules")), "{said}");
    }
    assert_eq!(add(&folder, &templates.join("profile.yml")).status.code(), Some(2));
    // Two of one name would replace one another.
    let data = folder.join("data");
    let mut both = command(&["packs", "add"]);
    both.arg(templates.join("http/wombat.yaml")).arg(templates.join("profile/wombat.yaml")).arg("--data").arg(&data);
    std::fs::create_dir_all(templates.join("profile")).expect("can be made");
    write("profile/wombat.yaml", TEMPLATE);
    let refused = both.output().expect("starts");
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
}

/// A template that asks for another page than the front page.
const OTHER_PAGE: &str = r#"id: koala-detect
info:
  name: Koala API
  severity: info
  tags: tech
http:
  - path: ["{{BaseURL}}/koala/version"]
    matchers:
      - type: word
        words: ['"koala"']
"#;

#[test]
fn templates_tell_products_of_stored_pages_at_once_and_of_other_pages_in_the_next_run() {
    let folder = Folder::new("templates");
    let page = "  body \"<h1>Wombat portal</h1><p>build 4.2.1</p>\"\n";
    let other = "  page /koala/version application/json \"{\\\"koala\\\": 7}\"\n";
    let world = WORLD.replace("  server \"Quokka/2.1.4\"\n", &format!("{page}{other}"));
    let first = scan_text(&folder, &world, &[]);
    assert_eq!(products(&first), ["nginx"]);
    let pack = folder.join("technologies");
    std::fs::create_dir(&pack).expect("a new folder");
    std::fs::write(pack.join("wombat.yaml"), TEMPLATE).expect("can be written");
    std::fs::write(pack.join("koala.yaml"), OTHER_PAGE).expect("can be written");
    std::fs::write(pack.join("cve.yaml"), TEMPLATE.replace("tech,wombat", "cve")).expect("can be written");
    let told = add(&folder, &pack);
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&told.stdout), "technologies  2 fingerprints of 3 files\n");
    assert!(said.contains("left out: cve.yaml: wombat-detect: it detects no technology"), "{said}");
    assert!(said.contains("1 entity shows other products than before: 0 issues opened, 0 closed"), "{said}");
    let data = folder.join("data").display().to_string();
    let found = succeed(&["entities", "technology:wombat", "--jsonl", "--data", &data]);
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(succeed(&["technologies", "wombat", "--data", &data]).contains("4.2.1"));
    assert_eq!(products(&scan_text(&folder, &world, &[])), ["Koala API", "Wombat Portal", "nginx"]);
    let again = command(&["packs", "add"]).arg(pack.join("cve.yaml")).args(["--data", &data]).output().expect("starts");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success() && !said.contains("show other products"), "what is told again is the same: {said}");
}
