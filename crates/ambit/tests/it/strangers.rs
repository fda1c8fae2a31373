//! Small estates among what is others': what is theirs is found, and nothing of anybody else is contacted.

use crate::edges::{assert_exact, estate, issues, scan, with_mail};
use crate::program::{Discovery, Folder, scan_text, succeed};
use std::collections::BTreeSet;

#[test]
fn an_address_of_a_platform_that_a_person_names_is_looked_at_whole() {
    let lines = "block 192.0.2.0/28 of us named SQUARESPACE\nhost 192.0.2.3\n  port 6379 redis open";
    let world = estate("acme.test", lines).replace("seeds acme.test", "seeds 192.0.2.3");
    let found = scan("named-address", &world);
    assert_eq!(issues(&found, "open_redis_service").len(), 1, "{}", found.summary);
}

/// A machine of a platform's that was named with its block: of whom, and who lies beside it.
fn platform(network: &str, seed: &str) -> String {
    let lines = format!(
        "block 198.18.5.0/24 of other asn AS64507 named {network}\nhost 198.18.5.{{0..2}} of us\nhost 198.18.5.3 of \
         us\n  port 6379 redis open\nhost 198.18.5.4\n  port 6379 redis open"
    );
    estate("acme.test", &lines).replace("seeds acme.test", &format!("seeds {seed}"))
}

#[test]
fn a_block_of_a_platform_that_a_person_names_is_looked_at_as_its_addresses_are() {
    for seed in ["198.18.5.3", "198.18.5.3/32", "198.18.5.2/31", "198.18.5.0/30"] {
        let found = scan("named-block", &platform("SQUARESPACE", seed));
        assert_eq!(issues(&found, "open_redis_service").len(), 1, "{seed}: {}", found.summary);
    }
}

/// A domain whose servers do not answer, as they are named below it and below another, and mail servers where nobody
/// answers.
#[test]
fn servers_and_addresses_that_nobody_tells_of_are_not_demanded() {
    for answers in ["lame", "servfail", "silent", "garbage"] {
        for server in ["ns1.silent.test 203.0.113.66", "ns1.acme.test"] {
            let lines = format!(
                "zone silent.test of us\n  ns {server}\n  answers {answers}\nname silent.test A 203.0.113.67 MX 10 \
                 mx.silent.test\nname mx.silent.test A 203.0.113.68\nsite https://silent.test \"S\"\nname \
                 www.acme.test CNAME silent.test"
            );
            scan("silent-domain", &with_mail("acme.test", &lines).replace("seeds ", "seeds silent.test "));
        }
        let lines = format!("zone lab.acme.test of us\n  ns ns1.acme.test\n  answers {answers}");
        let world = with_mail("acme.test", &lines).replace("TXT \"v=spf1", "MX 10 mx.lab.acme.test TXT \"v=spf1");
        scan("silent-exchanger", &world);
    }
}

/// What was contacted in a scan: address and port.
fn contacts(folder: &Folder, world: &str) -> (Discovery, BTreeSet<(String, u64)>) {
    let file = folder.join("contacts.jsonl");
    let found = scan_text(folder, world, &["--contacts", file.to_str().expect("UTF-8")]);
    let lines = std::fs::read_to_string(&file).expect("the contacts are written");
    let contact = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (line["address"].as_str().expect("an address").to_owned(), line["port"].as_u64().unwrap_or_default())
    };
    (found, lines.lines().map(contact).collect())
}

/// A platform's machines among ours, in a block in which nobody means each address: told by the registered name of the
/// block, or by a reverse name that only spells the address. One of them has a name of ours.
#[test]
fn an_address_of_a_platform_in_a_wide_or_announced_block_stays_known_and_is_asked_by_names_alone() {
    let pointer = "\n  ptr a198-18-5-3.deploy.static.akamaitechnologies.com";
    for (seeds, block, network, told, owner) in [
        ("acme.test 198.18.4.0/23", "198.18.4.0/23", "SQUARESPACE", "", "cdn"),
        ("acme.test AS64507", "198.18.5.0/24", "SQUARESPACE", "", "cdn"),
        ("acme.test 198.18.4.0/23", "198.18.4.0/23", "WIDE", pointer, "cdn"),
        ("acme.test AS64507", "198.18.5.0/24", "WIDE", pointer, "cdn"),
        // Nobody can tell that it is ours alone.
        ("acme.test 198.18.4.0/23", "198.18.4.0/23", "SQUARESPACE", "", "us"),
        ("acme.test AS64507", "198.18.5.0/24", "WIDE", pointer, "us"),
    ] {
        let lines = format!(
            "org cdn \"CDN\" vendor\nblock {block} of us asn AS64507 named {network}\nname shop.acme.test A \
             198.18.5.3\nhost 198.18.5.3 of {owner}{told}\n  port 6379 redis open\nsite https://shop.acme.test \"Shop\""
        );
        let world = estate("acme.test", &lines).replace("seeds acme.test", &format!("seeds {seeds}"));
        let folder = Folder::new("wide-platform");
        for run in 1..=3 {
            let (found, contacts) = contacts(&folder, &world);
            let of = format!("{seeds} {network}, run {run}: {}", found.summary);
            assert_exact(&found);
            for figure in ["new", "changed", "gone"] {
                assert!(run == 1 || found.figure(figure) == 0, "{figure} of {of}");
            }
            assert!(found.entities.values().any(|entity| entity["name"] == "198.18.5.3"), "{of}");
            assert!(!found.names("IpAddress").contains("198.18.5.3"), "nothing shows that it is theirs alone: {of}");
            let ports: BTreeSet<u64> =
                contacts.into_iter().filter(|(address, _)| address == "198.18.5.3").map(|(_, port)| port).collect();
            assert!(ports.is_subset(&[80, 443].into()), "{ports:?} of {of}");
        }
    }
}

/// A machine of ours, in a block that its text names, with names of so many domains of customers: by what it shows to
/// everybody, and by what its site links to.
fn hosting(seeds: &str, customers: usize) -> String {
    let names: Vec<String> = (1..=customers).map(|at| format!("www.cust-{at:02}.test")).collect();
    let own: String = (1..=customers)
        .map(|at| {
            format!(
                "zone cust-{at:02}.test of other\n  ns ns1.acme.test\nname cust-{at:02}.test A 203.0.113.20 MX 10 \
                 mail.acme.test\nname www.cust-{at:02}.test A 203.0.113.20\nsite http://www.cust-{at:02}.test \"C\"\n"
            )
        })
        .collect();
    let names = names.join(" ");
    let lines = format!(
        "name mail.acme.test A 203.0.113.11\nname www.acme.test A 203.0.113.20\nhost 203.0.113.20\n  port 6379 redis \
         open\nsite https://www.acme.test \"Us\"\n  default\n  cert names www.acme.test {names}\n{own}"
    );
    with_mail("acme.test", &lines).replace("seeds acme.test", &format!("seeds {seeds}"))
}

#[test]
fn strangers_names_take_no_machine_out_of_a_block_that_was_named_or_is_announced() {
    for seeds in ["acme.test 203.0.113.0/27", "acme.test AS64500", "203.0.113.20/32"] {
        for customers in [0, 5, 50] {
            let found = scan("hosting", &hosting(seeds, customers));
            let open = issues(&found, "open_redis_service");
            assert_eq!(open.len(), 1, "{customers} in {seeds}: {}", found.summary);
            let scoped = found.entities.values().filter(|entity| entity["summary"]["scoped"] == true);
            let theirs: Vec<&str> = scoped.filter_map(|entity| entity["name"].as_str()).collect();
            assert!(!theirs.iter().any(|name| name.contains("cust-") && !name.contains('(')), "{theirs:?}");
        }
    }
}

#[test]
fn the_text_of_a_registrant_is_no_title_against_many_strangers_names() {
    for (customers, is_swept) in [(0, true), (5, false), (50, false)] {
        let found = scan("registrant", &hosting("acme.test", customers));
        let open = issues(&found, "open_redis_service").len();
        assert_eq!(open == 1, is_swept, "{customers}: {}", found.summary);
    }
}

#[test]
fn a_machine_that_was_given_back_is_not_contacted_once_its_name_is_gone() {
    // It was theirs by the certificate that it presents to whoever names nobody, which a later run would ask for again.
    let lines = "block 198.51.100.128/25 of host asn AS64506 named HOST
org host \"Host\" vendor
org later \"Later\" stranger
name app.umberfold.test A 198.51.100.190
host 198.51.100.190
  port 22 ssh \"OpenSSH_10.0\"
site https://app.umberfold.test \"App\"
  default
state 2
remove name app.umberfold.test
remove site https://app.umberfold.test
remove host 198.51.100.190
host 198.51.100.190 of later
  port 22 ssh \"OpenSSH_10.0\"
  port 6379 redis open";
    let (folder, world) = (Folder::new("edges-given-back"), with_mail("umberfold.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_exact(&before);
    assert!(before.names("NetworkService").contains("198.51.100.190:22/tcp"), "{}", before.summary);
    assert_exact(&scan_text(&folder, &world, &["--state", "2"]));
}

#[test]
fn an_address_that_showed_a_certificate_of_theirs_is_not_swept_before_it_was_asked_twice_where_that_is() {
    // The name leads there still, as a record does that was forgotten; the machine is somebody else's now, and has no
    // web server.
    let lines = "block 198.51.100.128/25 of host asn AS64506 named HOST
org host \"Host\" vendor
name app.umberfold.test A 198.51.100.190
host 198.51.100.190
  port 22 ssh \"OpenSSH_10.0\"
site https://app.umberfold.test \"App\"
  default
state 2
remove site https://app.umberfold.test";
    let (folder, world) = (Folder::new("edges-forgotten"), with_mail("umberfold.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_exact(&before);
    assert!(before.names("NetworkService").contains("198.51.100.190:22/tcp"), "{}", before.summary);
    assert_exact(&scan_text(&folder, &world, &["--state", "2"]));
}

#[test]
fn a_domain_on_their_servers_that_is_registered_to_a_customer_waits_for_a_persons_word() {
    let lines = "name www.umberfold.test A 203.0.113.11
name mail.umberfold.test A 203.0.113.25
name go.umberfold.test A 203.0.113.12
org client \"Client Ltd\" stranger
block 198.51.100.128/25 of client asn AS64511 named CLIENT
zone bakery.test of client
  ns ns1.umberfold.test
name bakery.test A 203.0.113.11 MX 10 mail.umberfold.test
name {www,till}.bakery.test A {203.0.113.11,198.51.100.130}
site https://www.umberfold.test \"Us\"
  cert names www.umberfold.test www.bakery.test till.bakery.test
site https://go.umberfold.test \"Go\"
  redirect https://www.bakery.test/
site https://www.bakery.test \"Bakery\"
  cert names www.bakery.test till.bakery.test
site https://till.bakery.test \"Till\"";
    scan("edges-customer", &with_mail("umberfold.test", lines));
}

#[test]
fn names_below_a_suffix_of_a_provider_are_its_customers() {
    let world = "world edges \"a suffix\"
seeds github.io
org us \"Pages\" vendor
org other \"Other\" stranger
block 203.0.113.0/25 of us asn AS64500 named US
block 198.51.100.0/24 of other asn AS64505 named OTHER
zone github.io of us
  ns ns1.pages.test
zone pages.test of us
  ns ns1.pages.test 203.0.113.2
name github.io A 203.0.113.5
name {www,api,vpn}.github.io A {203.0.113.10,203.0.113.10,198.51.100.9}
name shop.www.github.io A 198.51.100.9
site https://www.github.io \"A customer\"
  cert names www.github.io shop.www.github.io
host 198.51.100.9
  port 22 ssh \"OpenSSH_10.0\"
";
    let found = scan("edges-suffix", world);
    assert_eq!(found.names("Domain"), BTreeSet::new(), "{}", found.summary);
    assert_eq!(found.names("DnsRecord"), BTreeSet::from(["github.io".to_owned()]), "{}", found.summary);
}

#[test]
fn a_name_that_cannot_be_looked_up_at_once_is_looked_up_again_in_the_run() {
    let lines = "block 198.51.100.128/25 of host asn AS64506 named HOST
org host \"Host\" vendor
name app.umberfold.test A 198.51.100.190
host 198.51.100.190
  ptr app.umberfold.test
  port 22 ssh \"OpenSSH_10.0\"
state 2
name app.umberfold.test A 198.51.100.190 answers late 40s
host 198.51.100.190
  ptr app.umberfold.test
  port 22 ssh \"OpenSSH_10.0\"
  port 2222 ssh \"OpenSSH_10.0\"
state 3
name app.umberfold.test A 198.51.100.190 answers servfail
host 198.51.100.190
  ptr app.umberfold.test
  port 22 ssh \"OpenSSH_10.0\"
  port 2022 ssh \"OpenSSH_10.0\"";
    let (folder, world) = (Folder::new("edges-late"), with_mail("umberfold.test", lines));
    let ssh = |found: &Discovery| -> Vec<bool> {
        let services = found.names("NetworkService");
        let is_there = |port| services.contains(&format!("198.51.100.190:{port}/tcp"));
        [22, 2222, 2022].map(is_there).to_vec()
    };
    let not_done = |run: &str| {
        let data = folder.join("data");
        let shown = succeed(&["run", "show", run, "--data", data.to_str().expect("a UTF-8 path")]);
        let lines =
            shown.lines().filter(|line| line.contains("(name unanswered)") || line.contains("refused by scope"));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let first = scan_text(&folder, &world, &[]);
    assert_exact(&first);
    assert_eq!((ssh(&first), not_done("1")), (vec![true, false, false], Vec::new()));
    let second = scan_text(&folder, &world, &["--state", "2"]);
    assert_eq!((ssh(&second), not_done("2")), (vec![true, true, false], Vec::new()));
    assert_eq!(second.figure("contacts_outside_clearance"), 0, "{}", second.summary);
    let third = scan_text(&folder, &world, &["--state", "3"]);
    assert_eq!(ssh(&third), [true, true, false], "what could not be looked at stays");
    let said = not_done("3");
    assert!(said.iter().any(|line| line.contains("port_sweep (name unanswered)")), "{said:#?}");
    assert!(!said.iter().any(|line| line.contains("refused by scope")), "{said:#?}");
}

#[test]
fn an_address_that_was_found_by_a_name_is_not_contacted_once_the_name_cannot_be_looked_up() {
    let lines = "block 198.51.100.128/25 of host asn AS64506 named HOST
org host \"Host\" vendor
org later \"Later\" stranger
name app.umberfold.test A 198.51.100.190
name vm.umberfold.test A 198.51.100.191
host 198.51.100.190
  port 22 ssh \"OpenSSH_10.0\"
host 198.51.100.191
  ptr vm.umberfold.test
  port 22 ssh \"OpenSSH_10.0\"
site https://app.umberfold.test \"App\"
  default
state 2
name {app,vm}.umberfold.test answers servfail
remove site https://app.umberfold.test
remove host 198.51.100.190
remove host 198.51.100.191
host 198.51.100.190 of later
  port 22 ssh \"OpenSSH_10.0\"
host 198.51.100.191 of later
  ptr vm.umberfold.test
  port 22 ssh \"OpenSSH_10.0\"";
    let (folder, world) = (Folder::new("edges-unresolved"), with_mail("umberfold.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_exact(&before);
    for service in ["198.51.100.190:22/tcp", "198.51.100.191:22/tcp"] {
        assert!(before.names("NetworkService").contains(service), "{service}: {}", before.summary);
    }
    let after = scan_text(&folder, &world, &["--state", "2"]);
    assert_eq!(after.figure("contacts_outside_clearance"), 0, "{}", after.summary);
    for service in ["198.51.100.190:22/tcp", "198.51.100.191:22/tcp"] {
        assert!(after.names("NetworkService").contains(service), "what could not be looked at stays: {service}");
    }
}
