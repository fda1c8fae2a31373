//! What was asked and answered stands beside an issue, with secrets masked, on a server and in a data folder.

use crate::program::{Folder, scan_text, succeed};
use serde_json::Value;

const SHOP: &str = r#"
world shop "A shop"
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
  exposes git
  cert expired 3d
"#;

/// What the world has as a password.
const PASSWORD: &str = "planted-7731";

struct Shop {
    folder: Folder,
}

impl Shop {
    fn open() -> Self {
        let folder = Folder::new("evidence");
        let seen = scan_text(&folder, SHOP, &[]);
        assert_eq!((seen.figure("missed"), seen.figure("unexpected")), (0, 0), "{}", seen.summary);
        Self { folder }
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let data = self.folder.join("data");
        succeed(&[arguments, &["--data", data.to_str().expect("UTF-8")]].concat())
    }

    fn uid(&self, name: &str) -> String {
        let found = self.ask(&["issues", name, "--fields", "id", "--jsonl"]);
        let issue: Value = serde_json::from_str(found.lines().next().unwrap_or_default()).expect("one issue");
        issue["id"].as_str().expect("a uid").to_owned()
    }

    fn shown(&self, name: &str) -> String {
        self.ask(&["issue", "show", &self.uid(name)])
    }
}

#[test]
fn what_was_asked_and_answered_stands_beside_an_issue_with_secrets_masked() {
    let shop = Shop::open();
    let file = shop.shown("exposed_environment_file");
    for line in [
        "  request     GET /.env HTTP/1.1",
        "Host: shop.acme.test",
        "  answer      HTTP/1.1 200 OK",
        "              APP_ENV=[masked]",
        "ASSWORD=[masked]",
        " by content_focus at https://shop.acme.test:443",
    ] {
        assert!(file.contains(line), "{line:?} in {file}");
    }
    for hidden in [PASSWORD, "10.0.0.5", "production", "/.git/HEAD"] {
        assert!(!file.contains(hidden), "{hidden:?} in {file}");
    }
    let repository = shop.shown("exposed_version_control");
    assert!(repository.contains("GET /.git/HEAD HTTP/1.1") && !repository.contains("GET /.env"), "{repository}");

    let certificate = shop.shown("invalid_certificate_expired");
    assert!(certificate.contains("  certificate -----BEGIN CERTIFICATE-----"), "{certificate}");
    assert!(certificate.contains(" by tls_grab at "), "{certificate}");
    let telnet = shop.shown("exposed_telnet_service");
    assert!(telnet.contains(" by service_identify at 203.0.113.12:23/tcp"), "{telnet}");
    let record = shop.shown("dmarc_missing");
    assert!(record.contains("  probed ") && record.contains(" by mail_policy at acme.test"), "{record}");

    let whole: Value =
        serde_json::from_str(&shop.ask(&["issue", "show", &shop.uid("exposed_environment_file"), "--jsonl"]))
            .expect("JSON");
    let [probe] = whole["evidence"].as_array().expect("a list").as_slice() else { panic!("{whole}") };
    let [piece] = probe["pieces"].as_array().expect("a list").as_slice() else { panic!("{probe}") };
    assert_eq!((&probe["outcome"], &piece["label"]), (&"found".into(), &"exchange".into()));
    assert!(probe["at"].as_str() <= whole["last_seen"].as_str(), "in wall time: {probe}");
    assert!(piece["masked"].as_i64().is_some_and(|masked| masked >= 5), "{piece}");
    assert!(!whole.to_string().contains(PASSWORD), "{whole}");

    let report = shop.ask(&["export", "--format", "html"]);
    for line in [">Request</p><pre>GET /.env HTTP/1.1", "APP_ENV=[masked]", " by content_focus at "] {
        assert!(report.contains(line), "{line:?} in {report}");
    }
    let sarif: Value = serde_json::from_str(&shop.ask(&["export", "--format", "sarif"])).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let file = results.iter().find(|result| result["ruleId"] == "exposed_environment_file").expect("the file");
    assert_eq!((&file["webRequest"]["target"], &file["webResponse"]["statusCode"]), (&"/.env".into(), &200.into()));
    for document in [&report, &sarif.to_string()] {
        assert!(!document.contains(PASSWORD), "{document}");
    }
    let past = shop.ask(&["export", "--format", "html", "--as-of", "2999-01-01"]);
    assert!(past.contains("exposed_environment_file") || past.contains("/.env"), "{past}");
    assert!(!past.contains(">Request</p>"), "of the past no answers are kept: {past}");
    let past = shop.ask(&["issue", "show", &shop.uid("exposed_environment_file"), "--as-of", "2999-01-01"]);
    assert!(!past.contains("  request "), "of the past no answers are kept: {past}");
}
