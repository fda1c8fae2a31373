//! What must never be touched is not: the deny list inside a block that was named, the installation's own exclusions,
//! reserved ranges. A contact with what a world says never counts as one outside clearance.

use crate::program::{Discovery, Folder, command, scan_command, scan_text, succeed};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A server over a folder's data that carries no runs.
struct Served {
    child: Child,
    address: String,
    key: String,
}

impl Served {
    fn on(folder: &Folder, settings: &[(&str, &str)]) -> Self {
        let data = folder.join("data");
        let data = data.to_str().expect("UTF-8");
        let mut child = command(&["serve", "--no-engine", "--data", data, "--listen", "127.0.0.1:0"])
            .envs(settings.iter().copied())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("starts");
        let mut lines = BufReader::new(child.stderr.take().expect("is piped")).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned));
        // The rest is read, so that the server never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            address: address.expect("the server says where it listens"),
            key: succeed(&["key", "create", "--data", data]).trim().to_owned(),
        }
    }

    /// Status and body of one request.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connects");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Apikey: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.key,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("is answered");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer)
    }

    fn deny(&self, found: &Discovery, name: &str) {
        let uid = found.entities.iter().find(|(_, entity)| entity["name"] == name).map(|(uid, _)| uid);
        let uid = uid.unwrap_or_else(|| panic!("{name} is found"));
        let (status, answer) =
            self.ask("PATCH", &format!("/api/ambit/v1/entities/{uid}/scope"), r#"{"deny_list":true}"#);
        assert_eq!(status, 200, "{answer}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

const BLOCK: &str = r#"
world denied "Denied"
seeds acme.test 203.0.113.0/24
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/25 of acme asn AS64500 named ACME-A
block 203.0.113.128/25 of acme asn AS64500 named ACME-B
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.10
site https://www.acme.test "Acme"
name printer.acme.test A 203.0.113.30
site http://printer.acme.test "Printer"
name shop.acme.test A 203.0.113.40
site https://shop.acme.test "Shop"
name lab.acme.test A 203.0.113.200
site https://lab.acme.test "Lab"
state 2
expect never 203.0.113.10/32
expect never 203.0.113.30/32
expect never 203.0.113.128/25
"#;

#[test]
fn what_is_denied_inside_a_block_that_was_named_is_not_contacted() {
    let folder = Folder::new("denied");
    let first = scan_text(&folder, BLOCK, &["--state", "1"]);
    assert_eq!((first.figure("missed"), first.figure("unexpected")), (0, 0), "{}", first.summary);
    {
        let served = Served::on(&folder, &[]);
        // An address, a name that alone leads to an address, and a block.
        for name in ["203.0.113.10", "printer.acme.test", "203.0.113.128/25"] {
            served.deny(&first, name);
        }
    }
    let second = scan_text(&folder, BLOCK, &["--state", "2"]);
    assert_eq!(second.figure("contacts_outside_clearance"), 0, "{}", second.summary["contacts"]);
    let scoped = second.names("IpAddress");
    for address in ["203.0.113.10", "203.0.113.30", "203.0.113.200"] {
        assert!(!scoped.contains(address), "{address} is in {scoped:?}");
    }
    assert!(scoped.contains("203.0.113.40"), "what is beside it is looked at as before: {scoped:?}");
    assert!(second.names("Uri").contains("https://shop.acme.test:443"));
}

const EVERYWHERE: &str = r#"
world everywhere "Everywhere"
seeds acme.test 203.0.113.0/26
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
site https://acme.test "Acme"
name www.acme.test A 203.0.113.10
site https://www.acme.test "Acme"
name a.dev.acme.test A 203.0.113.11
site https://a.dev.acme.test "Dev"
expect never 203.0.113.10/31
expect never 198.19.0.11/32
"#;

#[test]
fn the_installation_s_own_exclusions_hold_in_every_run_and_for_data_providers() {
    let folder = Folder::new("everywhere");
    let mut scan = scan_command(&folder, EVERYWHERE);
    let output = scan
        .env("AMBIT_EXCLUDE", "203.0.113.10,*.dev.acme.test,203.0.113.11/32,rdap.org")
        .output()
        .expect("the program starts");
    let found = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary["contacts"]);
    assert!(found.names("Uri").contains("https://acme.test:443"), "{:?}", found.names("Uri"));
    assert!(!found.names("IpAddress").contains("203.0.113.10"));
    for (name, value, word) in [
        ("AMBIT_EXCLUDE", "203.0.113.10,acme test", "acme test"),
        ("AMBIT_RESERVED_RANGES", "10.0.0.0/8,10.0.0.0/99", "10.0.0.0/99"),
    ] {
        for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["scan", "acme.test", "--dry-run"][..]] {
            let refused = command(arguments).env(name, value).output().expect("the program starts");
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{said}");
            assert!(said.contains(word) && said.contains(&name.to_lowercase()["ambit_".len()..]), "{said}");
        }
    }
}

/// Registries send on to somebody else, by RDAP and by WHOIS.
const REFERRED: &str = r#"
world referred "Referred"
seeds acme.test 203.0.113.0/26
org acme "Acme Corp" ours email hostmaster@acme.test
org others "Others" stranger
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET registry http://whois.others.test
block 198.51.100.0/26 of others asn AS64501 named OTHERS
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
  registry https://rdap.others.test/v1
zone others.test of others
  ns ns1.others.test 198.51.100.2
name acme.test A 203.0.113.5
name rdap.others.test A 198.51.100.9
site https://rdap.others.test "Registry"
name whois.others.test A 198.51.100.10
host 198.51.100.10
  port 43 banner "nothing"
  port 80 http
expect never 198.51.100.0/26
"#;

#[test]
fn no_redirect_and_no_referral_of_a_registry_leads_to_what_is_excluded() {
    let contacts = |exclude: &[&str]| {
        let folder = Folder::new("referred");
        let mut scan = scan_command(&folder, REFERRED);
        let output = scan.args(["--level", "passive"]).args(exclude).output().expect("the program starts");
        Discovery::parse(&String::from_utf8_lossy(&output.stdout)).summary["contacts"].clone()
    };
    let free = contacts(&[]).to_string();
    assert!(free.contains("198.51.100.9:443") && free.contains("198.51.100.10:43"), "they are led there: {free}");
    assert!(!free.contains("198.51.100.10:80"), "never in clear: {free}");
    for exclude in [&["--exclude", "*.others.test"][..], &["--exclude", "198.51.100.8/30"]] {
        let led = contacts(exclude).to_string();
        assert!(!led.contains("198.51.100."), "{exclude:?}: {led}");
    }
}

const INSIDE: &str = r#"
world inside "Inside"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name intranet.acme.test A 10.1.2.3
name meta.acme.test A 169.254.169.254
name six.acme.test AAAA 64:ff9b::7f00:1
"#;

#[test]
fn what_resolves_into_a_reserved_range_is_known_and_not_contacted_unless_the_command_line_names_it() {
    let folder = Folder::new("inside");
    let found = scan_text(&folder, INSIDE, &[]);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary["contacts"]);
    assert!(found.names("DnsRecord").contains("intranet.acme.test"));
    assert!(found.names("IpAddress").iter().all(|address| address.starts_with("203.0.113.")));
    let named = Folder::new("inside");
    let output = scan_command(&named, INSIDE).arg("10.1.2.3").output().expect("the program starts");
    let found = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
    // In this world nobody owns the address: that it is contacted is what the figure says.
    assert!(found.figure("contacts_outside_clearance") > 0, "{}", found.summary);
    assert!(found.names("IpAddress").contains("10.1.2.3"));
}

#[test]
fn over_the_api_no_seed_lies_in_a_reserved_range_that_the_administrator_did_not_open() {
    let folder = Folder::new("seeds");
    scan_text(&folder, INSIDE, &[]);
    let served = Served::on(&folder, &[("AMBIT_RESERVED_RANGES", "10.9.9.0/28,192.168.7.7")]);
    let (status, made) = served.ask(
        "POST",
        "/api/v3/asm/user_collections",
        r#"{"name":"mine","workflow_name":"external_discovery_and_assessment"}"#,
    );
    assert_eq!(status, 200, "{made}");
    let uuid = made.split("\"uuid\":\"").nth(1).and_then(|rest| rest.get(..36)).expect("a uuid");
    let seed = |kind: &str, name: &str| {
        let body =
            format!(r#"{{"entities":[{{"name":"acme.test","type":"Domain"}},{{"name":"{name}","type":"{kind}"}}]}}"#);
        served.ask("POST", &format!("/api/v3/asm/user_collections/{uuid}/user_entities"), &body)
    };
    for (kind, name, why) in [
        ("Uri", "http://127.0.0.1:8899/", "127.0.0.0/8"),
        ("Uri", "http://169.254.169.254/latest/meta-data/", "169.254.0.0/16"),
        ("Uri", "http://[::ffff:127.0.0.1]/", "127.0.0.0/8"),
        ("Uri", "http://[64:ff9b::a9fe:a9fe]/", "169.254.0.0/16"),
        ("NetBlock", "10.0.0.0/28", "10.0.0.0/8"),
        ("NetBlock", "10.9.9.0/27", "10.0.0.0/8"),
        ("NetBlock", "0.0.0.0/8", "0.0.0.0/8"),
        ("NetBlock", "0.0.0.0/0", "nobody holds so much"),
        ("IpAddress", "2002:7f00:1::1", "127.0.0.0/8"),
        ("IpAddress", "fd00:ec2::254", "fc00::/7"),
        ("NetworkService", "127.0.0.1:22/tcp", "127.0.0.0/8"),
        ("Nameserver", "100.100.100.200", "100.64.0.0/10"),
    ] {
        let (status, answer) = seed(kind, name);
        assert_eq!(status, 400, "{name}: {answer}");
        assert!(answer.contains("InvalidArgumentError") && answer.contains(why), "{name}: {answer}");
    }
    for (kind, name) in [
        ("NetBlock", "10.9.9.0/28"),
        ("IpAddress", "192.168.7.7"),
        ("IpAddress", "203.0.113.7"),
        ("Domain", "localhost.acme.test"),
    ] {
        let (status, answer) = seed(kind, name);
        assert_eq!(status, 200, "{name}: {answer}");
    }
}

const PAGES: &str = r#"
world pages "Pages"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.10
site https://www.acme.test "Acme"
  redirect https://www.acme.test/private/home
name app.acme.test A 203.0.113.11
site https://app.acme.test "App"
  links https://app.acme.test/admin/users https://app.acme.test/about
name pay.acme.test A 203.0.113.12
name shop.acme.test CNAME pay.acme.test
site https://shop.acme.test "Shop"
"#;

/// What was asked where a run was to leave something out, one contact a line.
fn asked(folder: &Folder, world: &str, arguments: &[&str]) -> Vec<serde_json::Value> {
    let file = folder.join("contacts");
    let mut scan = scan_command(folder, world);
    let output = scan.arg("--contacts").arg(&file).args(arguments).output().expect("the program starts");
    assert!(output.status.code().is_some_and(|code| code == 0 || code == 5), "{output:?}");
    let contacts = std::fs::read_to_string(&file).expect("the contacts were written");
    contacts.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn pages_that_are_excluded_are_asked_for_by_nobody() {
    let paths = |address: &str, arguments: &[&str]| -> Vec<String> {
        let folder = Folder::new("pages");
        let asked = asked(&folder, PAGES, arguments);
        let there = asked.iter().filter(|contact| contact["address"] == address);
        there.filter_map(|contact| contact["asked"].as_str()).map(str::to_owned).collect()
    };
    let at = |paths: &[String], below: &str| paths.iter().any(|path| path.contains(below));
    let free = paths("203.0.113.10", &[]);
    assert!(at(&free, "/private/home"), "a redirect leads there: {free:?}");
    let kept = paths("203.0.113.10", &["--exclude", "https://www.acme.test/private/"]);
    assert!(!at(&kept, "/private/"), "{kept:?}");
    assert!(at(&kept, "/robots.txt"), "the other pages are asked for: {kept:?}");
    let application = ["--workflow", "external_application_assessment", "https://app.acme.test"];
    let free = paths("203.0.113.11", &application);
    assert!(at(&free, "/admin/users") && at(&free, "/about"), "links lead there: {free:?}");
    let kept = paths("203.0.113.11", &[&application[..], &["--exclude", "https://app.acme.test/admin"]].concat());
    assert!(!at(&kept, "/admin/") && at(&kept, "/about"), "{kept:?}");
}

#[test]
fn the_machine_behind_an_alias_to_an_excluded_name_is_not_contacted() {
    let visited = |arguments: &[&str]| {
        let folder = Folder::new("alias");
        let asked = asked(&folder, PAGES, arguments);
        asked.iter().any(|contact| contact["address"] == "203.0.113.12")
    };
    assert!(visited(&[]));
    assert!(!visited(&["--exclude", "pay.acme.test"]));
}
