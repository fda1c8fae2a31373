//! Imports: what another tool saw is brought in over a server and into a folder, adds nothing twice, and what is no
//! such file is refused in one line.

use crate::client::Served;
use crate::program::{Folder, ambit};

const SCAN: &str = r#"<nmaprun scanner="nmap"><host><status state="up"/><address addr="203.0.113.9" addrtype="ipv4"/>
<hostnames><hostname name="imported.harbour.test" type="user"/></hostnames>
<ports><port protocol="tcp" portid="8443"><state state="open"/><service name="https" product="nginx"/></port></ports>
</host><host><status state="up"/><address addr="192.0.2.77" addrtype="ipv4"/></host></nmaprun>"#;

#[test]
fn what_another_tool_saw_stands_in_the_inventory_once() {
    let served = Served::new("imports");
    let file = served.path().to_owned() + "/scan.xml";
    std::fs::write(&file, SCAN).expect("can be written");
    let import = ["import", "--from", "nmap", &file];
    let outside = "1 left out: nothing in the collection leads to them (192.0.2.77); add a seed if they are yours\n";
    let first = served.answer(&import);
    let (head, tail) = first.split_once('\n').expect("two lines");
    assert!(head.starts_with("3 of 4 imported, ") && !head.ends_with(" 0 new entities"), "{first}");
    assert_eq!(tail, outside);
    assert_eq!(served.both(&import), format!("3 of 4 imported, 0 new entities\n{outside}"));
    let shown = served.both(&["entity", "show", "imported.harbour.test"]);
    assert!(shown.contains("nmap"), "{shown}");
    let path = served.both(&["entity", "path", "imported.harbour.test"]);
    assert!(path.contains("import"), "{path}");
}

#[test]
fn interfaces_that_a_document_describes_lie_on_hosts_of_the_collection() {
    let served = Served::new("imports-openapi");
    let file = served.path().to_owned() + "/openapi.json";
    let document = r#"{"openapi": "3.0.1", "info": {"title": "Orders"},
        "servers": [{"url": "https://api.harbour.test/v2"}, {"url": "https://api.elsewhere.test"}],
        "paths": {"/orders/{id}": {"get": {}, "delete": {}}}}"#;
    std::fs::write(&file, document).expect("can be written");
    let first = served.answer(&["import", "--from", "openapi", &file]);
    assert!(first.contains("2 left out: nothing in the collection leads to them"), "{first}");
    let name = "https://api.harbour.test:443/v2/orders/{id}";
    let shown = served.both(&["entity", "show", name]);
    assert!(shown.contains("openapi") && shown.contains("DELETE, GET"), "{shown}");
    let path = served.both(&["entity", "path", name]);
    assert!(path.contains("--api (import"), "{path}");
}

#[test]
fn what_no_tool_wrote_is_refused_in_one_line() {
    let folder = Folder::new("imports-refused");
    let path = folder.path().to_str().expect("UTF-8").to_owned();
    let (text, bytes) = (format!("{path}/notes.txt"), format!("{path}/bytes"));
    std::fs::write(&text, "hello\n").expect("can be written");
    std::fs::write(&bytes, [0xff, 0xff]).expect("can be written");
    let missing = format!("{path}/missing");
    for (from, file, why) in [
        ("nmap", &text, "expected an element <nmaprun>"),
        ("httpx", &text, "line 1: not output of httpx: not JSON"),
        ("csv", &bytes, "not UTF-8 text from byte 0"),
        ("csv", &missing, "No such file or directory"),
        (
            "hearsay",
            &text,
            "expected one of nmap, masscan, naabu, httpx, nuclei, bbot, amass, csv, gti, openapi, postman, graphql, \
             terraform",
        ),
    ] {
        let output = ambit(&["import", "--from", from, file, "--data", &path]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(why) && error.trim_end().lines().count() == 1, "{error}");
    }
}
