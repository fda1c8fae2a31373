//! Small estates at the edges of what can be looked up: each is found as it is written, and nobody else is contacted.

use crate::program::{Discovery, Folder, scan_command, scan_text};
use std::collections::BTreeSet;

/// An estate of ours with a domain and further lines, of which nothing is missing.
pub(crate) fn estate(domain: &str, lines: &str) -> String {
    format!(
        "world edges \"{domain}\"
seeds {domain}
org us \"Us\" ours email it@{domain}
org other \"Other\" stranger
block 203.0.113.0/25 of us asn AS64500 named US
block 198.51.100.0/24 of other asn AS64505 named OTHER
zone {domain} of us
  ns ns1.{domain} 203.0.113.2
  registrar \"R\" registered 2010-01-01 expires +300d
name {domain} A 203.0.113.10
  CAA 0 issue \"trust.example\"
{lines}
"
    )
}

/// Policies that let nobody else send mail.
pub(crate) fn with_mail(domain: &str, lines: &str) -> String {
    estate(domain, &format!("  TXT \"v=spf1 -all\"\nname _dmarc.{domain} TXT \"v=DMARC1; p=reject\"\n{lines}"))
}

pub(crate) fn assert_exact(found: &Discovery) {
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
}

pub(crate) fn scan(name: &str, world: &str) -> Discovery {
    let found = scan_text(&Folder::new(name), world, &[]);
    assert_exact(&found);
    found
}

/// Issues of a name: entity, severity from 1 (critical) and confidence.
pub(crate) fn issues(found: &Discovery, name: &str) -> BTreeSet<String> {
    let of_name = found.issues.values().filter(|issue| issue["name"] == name);
    let shown = of_name.map(|issue| {
        let summary = &issue["summary"];
        format!("{} {} {}", issue["entity_name"].as_str().expect("text"), summary["severity"], summary["confidence"])
    });
    shown.collect()
}

#[test]
fn resolvers_that_refuse_or_drop_what_is_too_much_hide_no_name() {
    // With twenty a minute, a sweep takes longer than a row may work.
    let names = ["www", "vpn", "mail", "dev"].map(|label| format!("name {label}.acme.test A 203.0.113.11\n")).concat();
    for limit in ["20 1s refused", "20 60s refused", "20 1s silent", "20 1s truncated"] {
        let resolvers = format!("host 198.19.0.1 198.19.0.2\n  limit {limit}");
        scan("limited-resolvers", &estate("acme.test", &format!("{names}{resolvers}")));
    }
}

#[test]
fn a_level_that_cannot_be_looked_below_hides_no_name_beside_it() {
    let names = "name {www,api,mail,shop}.acme.test A 203.0.113.{10..13}\n";
    for broken in [
        "zone sick.test of us\n  ns ns1.gone.test\nname *.dev.acme.test CNAME x.sick.test",
        "name dev.acme.test DNAME stage.acme.test\nname stage.acme.test DNAME dev.acme.test",
        "name *.dev.acme.test A 203.0.113.20 answers silent",
    ] {
        let found = scan_text(&Folder::new("broken-level"), &with_mail("acme.test", &format!("{names}{broken}")), &[]);
        for name in ["api", "mail", "shop", "www"] {
            assert!(found.names("DnsRecord").contains(&*format!("{name}.acme.test")), "{broken}: {}", found.summary);
        }
    }
}

#[test]
fn https_records_of_names_that_others_tell_of_first_are_asked_in_the_first_run() {
    let folder = Folder::new("https-of-targets");
    let world = estate(
        "acme.test",
        "name shop.acme.test A 203.0.113.9 HTTPS 0 web-q9.acme.test
name web-q9.acme.test A 203.0.113.10 HTTPS 0 pool-q9.acme.test
name pool-q9.acme.test A 203.0.113.11",
    );
    assert_exact(&scan_text(&folder, &world, &[]));
    let again = scan_text(&folder, &world, &[]);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn a_host_that_is_named_makes_nothing_beside_and_above_it_theirs() {
    for (seed, host, other) in [
        ("www.oakhaven.test", "www.oakhaven.test", "shop.oakhaven.test"),
        ("www.oakhaven.test", "www.oakhaven.test", "oakhaven.test"),
        ("https://code.oakhaven.test/acme/", "code.oakhaven.test", "oakhaven.test"),
    ] {
        let world = format!(
            "world edges \"a host\"
seeds {seed}
org us \"Us\" ours
org other \"Other\" stranger
block 203.0.113.0/25 of us asn AS64500 named US
block 198.51.100.0/24 of other asn AS64505 named OTHER
zone oakhaven.test of other
  ns ns1.oakhaven.test 198.51.100.2
name {host} A 203.0.113.40
  of us
site https://{host} \"Us\"
  cert names {host} {other}
name {other} A 198.51.100.41
name db.oakhaven.test A 198.51.100.42
host 198.51.100.41
  ptr {other}
  port 6379 redis open
host 198.51.100.42
  ptr db.oakhaven.test
  port 6379 redis open
"
        );
        scan("edges-host", &world);
    }
}

#[test]
fn a_delegation_that_leads_nowhere_takes_no_address_away() {
    let lines = "name db.junipertop.test A 203.0.113.11
host 203.0.113.11
  port 6379 redis open
zone qa.junipertop.test of us
  ns ns1.nobodys-two.test
  ns ns2.nobodys-two.test";
    // Without a mailbox in the domain, the registrant alone says whose the addresses are.
    let world = with_mail("junipertop.test", lines).replace(" email it@junipertop.test", "");
    let found = scan("edges-dead", &world);
    assert_eq!(issues(&found, "dangling_delegation"), ["junipertop.test 2 \"confirmed\"".to_owned()].into());
    assert_eq!(issues(&found, "open_redis_service").len(), 1);
}

#[test]
fn a_small_part_of_a_block_that_others_registered_is_left_alone() {
    let world = "world edges \"parts\"
seeds 203.0.113.128/29
org us \"Us\" ours email it@us.test
org other \"Other\" stranger
block 203.0.113.0/24 of us asn AS64500 named NET
block 203.0.113.132/30 of other asn AS64505 named OTHER
host 203.0.113.129
  port 22 ssh \"OpenSSH_10.0\"
host 203.0.113.133
  port 6379 redis open
";
    let found = scan("edges-part", world);
    assert_eq!(found.names("IpAddress"), ["203.0.113.129".to_owned()].into());
}

/// Names that every certificate below a level may be for, and a delegation whose only server has its name inside it.
#[test]
fn what_is_below_a_wildcard_of_a_certificate_is_found_and_a_dead_delegation_tells_nothing_new_later() {
    let lines = "name admin.acme.test A 203.0.113.15
site https://admin.acme.test \"Admin\"
  cert names admin.acme.test *.harbour-q7.acme.test
name vpn.harbour-q7.acme.test A 203.0.113.16
zone lab.acme.test of us
  ns ns1.lab.acme.test 203.0.113.5
  answers lame";
    for signed in ["", "\n  signed minimal", "\n  signed compact", "\n  signed nsec3"] {
        let world = with_mail("acme.test", lines).replacen(" 203.0.113.2\n", &format!(" 203.0.113.2{signed}\n"), 1);
        let folder = Folder::new("certified-level");
        assert_exact(&scan_text(&folder, &world, &[]));
        let again = scan_text(&folder, &world, &[]);
        for figure in ["missed", "new", "changed", "gone"] {
            assert_eq!(again.figure(figure), 0, "{figure} {signed}: {}", again.summary);
        }
    }
}

#[test]
fn what_fails_below_a_zone_that_fails_is_not_said_to_lead_nowhere() {
    let lines = "zone labs.kestrelby.test of us
  ns ns1.kestrelby.test
name {www,api}.labs.kestrelby.test A 203.0.113.{41..42}
state 2
zone labs.kestrelby.test of us
  ns ns1.kestrelby.test
  answers servfail";
    let (folder, world) = (Folder::new("edges-fails"), with_mail("kestrelby.test", lines));
    assert_exact(&scan_text(&folder, &world, &[]));
    let output = crate::program::scan_command(&folder, &world).args(["--state", "2"]).output().expect("starts");
    let found = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
    assert_exact(&found);
    assert_eq!(issues(&found, "dangling_record"), BTreeSet::new());
    // Nobody saw a referral: one server may fail at one name.
    assert_eq!(issues(&found, "dangling_delegation"), ["kestrelby.test 3 \"potential\"".to_owned()].into());
}

#[test]
fn an_exchanger_that_fails_hides_no_other_and_an_alias_to_what_fails_is_theirs() {
    let broken = "zone broken.test of other
  ns ns1.broken.test 198.51.100.2
  answers servfail";
    let lines = format!("  MX 10 a.broken.test\n  MX 20 b.nobodys.test\n{broken}");
    let world = estate("rookhope.test", &format!("  TXT \"v=spf1 -all\"\n{lines}"));
    let world = format!("{world}\nname _dmarc.rookhope.test TXT \"v=DMARC1; p=reject\"\n");
    let found = scan("edges-mail", &world);
    assert_eq!(issues(&found, "dangling_record"), ["rookhope.test 2 \"confirmed\"".to_owned()].into());

    let lines = format!("name app.larkrise.test CNAME app.broken.test\n{broken}");
    let found = scan("edges-alias", &with_mail("larkrise.test", &lines));
    assert!(found.names("DnsRecord").contains("app.larkrise.test"), "{}", found.summary);
}

#[test]
fn mail_policies_that_protect_nothing_are_told() {
    for (policies, dmarc, wanted) in [
        ("\"v=spf1 -all\"", "\"v=DMARC1; p=reject\"", &[][..]),
        ("\"v=spf10 -all\"", "\"v=DMARC1; p=reject\"", &["spf_missing"]),
        ("\"V=SPF1 -all\"", "\"v=DMARC12; p=reject\"", &["dmarc_missing"]),
        ("\"v=spf1 -all ?all\"", "\"v=DMARC1; rua=mailto:d@mail.test\"", &["dmarc_permissive"]),
        ("\"v=spf1 -all\" TXT \"v=spf1 mx -all\"", "\"v=DMARC1; p=reject\"", &["spf_permissive"]),
        (
            "\"v=spf1 ip4:0.0.0.0/0 -all\"",
            "\"v=DMARC1; p=reject\" TXT \"v=DMARC1; p=none\"",
            &["dmarc_permissive", "spf_permissive"],
        ),
        ("\"v=spf1 include:any.mail.test -all\"", "\"v=DMARC1; p=reject\"", &["spf_permissive"]),
        ("\"v=spf1 redirect=neutral.mail.test\"", "\"v=DMARC1; p=reject\"", &["spf_permissive"]),
        (
            "\"v=spf1 include:one.mail.test include:two.mail.test -all\"",
            "\"v=DMARC1; p=reject\"",
            &["spf_too_many_lookups"],
        ),
        ("\"v=spf1 include:mail.test -all\"", "\"v=DMARC1; p=reject\"", &["spf_invalid"]),
        ("\"v=spf1 redirect=mail.test\"", "\"v=DMARC1; p=reject\"", &["spf_invalid"]),
        ("\"v=spf1 include:loop.mail.test -all\"", "\"v=DMARC1; p=reject\"", &["spf_invalid"]),
    ] {
        let lines = format!(
            "  TXT {policies}
name _dmarc.mail.test TXT {dmarc}
name any.mail.test TXT \"v=spf1 +all\"
name neutral.mail.test TXT \"v=spf1 ?all\"
name {{one,two}}.mail.test TXT \"v=spf1 include:three.mail.test a mx -all\"
name three.mail.test TXT \"v=spf1 a mx -all\"
name loop.mail.test TXT \"v=spf1 include:mail.test -all\""
        );
        let found = scan("edges-policy", &estate("mail.test", &lines));
        let told: BTreeSet<&str> = found.issues.values().filter_map(|issue| issue["name"].as_str()).collect();
        let told: Vec<&str> = told.into_iter().filter(|name| name.contains("spf") || name.contains("dmarc")).collect();
        assert_eq!(told, wanted, "{policies} {dmarc}");
    }
}

#[test]
fn a_mail_policy_that_is_an_alias_is_that_of_its_target() {
    let vendor = "zone vendor.test of other\n  ns ns1.vendor.test 198.51.100.3\nname d.vendor.test TXT";
    for (target, lines, wanted) in [
        ("d.vendor.test", format!("{vendor} \"v=DMARC1; p=reject\""), &[][..]),
        ("d.vendor.test", format!("{vendor} \"v=DMARC1; p=none\""), &["dmarc_permissive"]),
        ("d.vendor.test", format!("{vendor} \"v=DMARC1; p=none\"").replace(".3\n", ".3\n  answers servfail\n"), &[]),
        ("d.nobodys.test", String::new(), &["dmarc_missing"]),
    ] {
        let policy = format!("  TXT \"v=spf1 -all\"\nname _dmarc.mail.test CNAME {target}\n{lines}");
        let found = scan("edges-policy-alias", &estate("mail.test", &policy));
        let told: BTreeSet<&str> = found.issues.values().filter_map(|issue| issue["name"].as_str()).collect();
        let told: Vec<&str> = told.into_iter().filter(|name| name.contains("dmarc")).collect();
        assert_eq!(told, wanted, "{target} {lines}");
    }
}

#[test]
fn an_issue_of_what_is_not_theirs_any_more_does_not_count() {
    let lines = "name stage.umberfold.test A 198.51.100.30
host 198.51.100.30
  ptr stage.umberfold.test
  port 6379 redis open
state 2
host 198.51.100.30
  ptr box.other.test";
    let (folder, world) = (Folder::new("edges-left"), with_mail("umberfold.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_eq!(issues(&before, "open_redis_service").len(), 1, "{}", before.summary);
    let after = scan_text(&folder, &world, &["--state", "2", "--fail-on", "critical"]);
    assert_eq!((after.figure("unexpected"), &after.summary["issues"]["1"]), (0, &0.into()), "{}", after.summary);
}

#[test]
fn what_leads_nowhere_is_told_for_what_it_is() {
    let lines = r#"  TXT "v=spf1 include:spf.gonespf.test -all"
  MX 10 mx.partner.test
name _dmarc.umberfold.test TXT "v=DMARC1; p=reject; sp=none"
name *.umberfold.test CNAME old.gonecompany.test
zone trafficmanager.net of other
  ns ns1.trafficmanager.net 198.51.100.53
zone partner.test of other
  ns ns1.partner.test 198.51.100.54
name mx.partner.test CNAME mx.gonemail.test
name jobs.umberfold.test CNAME acme-jobs.trafficmanager.net
name acme-jobs.trafficmanager.net CNAME jobs.deadvendor.test"#;
    let found = scan("edges-nowhere", &estate("umberfold.test", lines));
    assert_eq!((found.figure("missed"), found.figure("unexpected")), (0, 0), "{}", found.summary);
    let told: BTreeSet<String> = found
        .issues
        .values()
        .filter(|issue| !["dns_caa_policy_missing"].contains(&issue["name"].as_str().unwrap_or_default()))
        .map(|issue| format!("{} {} {}", issue["name"], issue["entity_name"], issue["summary"]["severity"]))
        .collect();
    let told = told.into_iter().collect::<Vec<_>>().join("; ").replace('"', "");
    assert_eq!(
        told,
        "dangling_record jobs.umberfold.test 2; dangling_record umberfold.test 2; dangling_wildcard umberfold.test 2; \
         dmarc_permissive umberfold.test 4; spf_invalid umberfold.test 4; spf_permissive umberfold.test 2"
    );
}

#[test]
fn an_include_that_never_answers_is_said_and_loses_nothing() {
    let lines = r#"  TXT "v=spf1 include:_spf.birdpost.test -all"
name _dmarc.umberfold.test TXT "v=DMARC1; p=reject"
zone birdpost.test of other
  ns ns1.birdpost.test 198.51.100.53
name _spf.birdpost.test TXT "v=spf1 include:_spf.kitemail.test -all"
zone kitemail.test of other
  ns ns1.kitemail.test 198.51.100.54
name _spf.kitemail.test TXT "v=spf1 ip4:0.0.0.0/0 -all"
state 2
name _spf.birdpost.test TXT "x" answers servfail"#;
    let (folder, world) = (Folder::new("edges-silent"), estate("umberfold.test", lines));
    let before = scan_text(&folder, &world, &["--state", "1"]);
    let open = issues(&before, "spf_permissive");
    assert_eq!(open.len(), 1, "{}", before.summary);
    let why = "mail_policy (in part), for example Domain umberfold.test: the SPF record of _spf.birdpost.test could \
               not be read: ";
    for _ in 0..2 {
        let output = scan_command(&folder, &world).args(["--state", "2"]).output().expect("the binary starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
        let silent = Discovery::of(&output);
        assert_eq!((silent.figure("gone"), &issues(&silent, "spf_permissive")), (0, &open), "{}", silent.summary);
        assert_eq!(issues(&silent, "spf_missing"), BTreeSet::new());
    }
}

/// Two sites that send everything on to themselves inside TLS, where only the second is.
#[test]
fn a_site_that_leads_to_where_nothing_is_is_looked_through() {
    let lines = r#"name dev.umberfold.test A 203.0.113.20
site http://dev.umberfold.test "Dev"
  redirect https://dev.umberfold.test/
  exposes git
name www.umberfold.test A 203.0.113.21
site http://www.umberfold.test "Us"
  redirect https://www.umberfold.test/
site https://www.umberfold.test "Us"
  plain none"#;
    let found = scan("edges-twin", &with_mail("umberfold.test", lines));
    let open = issues(&found, "exposed_version_control");
    assert!(open.len() == 1 && open.iter().all(|issue| issue.contains("http://dev.")), "{open:?}");
}

/// A site that redirects to a name of theirs behind an alias to others, at an address where another name of theirs may
/// be visited: neither run is led there.
#[test]
fn a_redirect_leads_to_no_name_behind_an_alias_to_others() {
    let lines = r#"org host "Host" vendor
block 198.51.100.128/26 of host asn AS64506 named HOST
zone host.test of host
  ns ns1.host.test 198.51.100.130
name staging.umberfold.test CNAME tenant.host.test
name tenant.host.test A 198.51.100.140
name cdn.umberfold.test CNAME d1.cloudfront.net
zone cloudfront.net of host
  ns ns1.host.test
name d1.cloudfront.net A 198.51.100.140
site https://cdn.umberfold.test "Files"
site http://staging.umberfold.test "Staging"
name dev.umberfold.test A 203.0.113.20
site https://dev.umberfold.test "Dev"
  redirect https://staging.umberfold.test/"#;
    let (folder, world) = (Folder::new("edges-foreign-alias"), with_mail("umberfold.test", lines));
    for _ in 0..2 {
        assert_exact(&scan_text(&folder, &world, &[]));
    }
}

/// A name that a platform serves becomes an alias to others at the same address, where the platform serves another of
/// their names.
#[test]
fn sites_of_a_name_go_when_it_becomes_an_alias_to_others() {
    let lines = r#"org host "Host" vendor
block 198.51.100.128/26 of host asn AS64506 named HOST
zone host.test of host
  ns ns1.host.test 198.51.100.130
zone cloudfront.net of host
  ns ns1.host.test
name d1.cloudfront.net A 198.51.100.140
name tenant.host.test A 198.51.100.140
name cdn.umberfold.test CNAME d1.cloudfront.net
name app.umberfold.test CNAME d1.cloudfront.net
site https://cdn.umberfold.test "Files"
site https://app.umberfold.test "App"
state 2
name app.umberfold.test CNAME tenant.host.test"#;
    let (folder, world) = (Folder::new("edges-handed-on"), with_mail("umberfold.test", lines));
    let sites = |state: &str| {
        let found = scan_text(&folder, &world, &["--state", state]);
        assert_exact(&found);
        let sites = found.entities.values().filter(|entity| entity["type"] == "Platform::Entity::Uri");
        let names = sites.filter_map(|site| site["name"].as_str().map(str::to_owned));
        names.filter(|name| name.contains("//app.")).collect::<BTreeSet<_>>()
    };
    assert_eq!(sites("1").len(), 2);
    assert_eq!(sites("2"), BTreeSet::new());
}

/// More aliases than resolvers follow, and than anybody does: each of the names is there all the same.
#[test]
fn names_of_a_chain_at_which_resolvers_fail_are_found() {
    for length in [16, 17, 40] {
        let link =
            |at: usize| format!("name chainlink-{at}.umberfold.test CNAME chainlink-{}.umberfold.test\n", at + 1);
        let links = (1..length).map(link).collect::<String>();
        let lines = format!(
            "name www.umberfold.test CNAME chainlink-1.umberfold.test\n{links}name \
             chainlink-{length}.umberfold.test A 203.0.113.20\nsite https://chainlink-{length}.umberfold.test \"End\""
        );
        let found = scan("edges-chain", &with_mail("umberfold.test", &lines));
        let links = found.names("DnsRecord").iter().filter(|name| name.starts_with("chainlink-")).count();
        assert_eq!(links, length, "{}", found.summary);
    }
}

/// A level below which a word was found before the level became known as a name, which is swept by itself from then on.
#[test]
fn a_name_below_a_level_that_is_swept_by_itself_by_now_goes_when_it_goes() {
    let lines = r#"name www.umberfold.test A 203.0.113.21
site https://www.umberfold.test "Us"
  links https://vpn.corp.umberfold.test/
name vpn.corp.umberfold.test A 203.0.113.22
name mail.corp.umberfold.test A 203.0.113.23
state 2
site https://www.umberfold.test "Us"
  links https://vpn.corp.umberfold.test/ https://corp.umberfold.test/
name corp.umberfold.test A 203.0.113.24
state 3
remove name mail.corp.umberfold.test"#;
    let (folder, world) = (Folder::new("edges-level"), with_mail("umberfold.test", lines));
    for state in ["1", "2", "3"] {
        assert_exact(&scan_text(&folder, &world, &["--state", state]));
    }
}

/// A site without TLS that lists its files, and later sends everyone on to its twin, which lists none.
#[test]
fn what_a_site_showed_before_it_sent_everyone_on_is_closed() {
    let lines = r#"name dev.umberfold.test A 203.0.113.20
site https://dev.umberfold.test "Dev"
  exposes listing
  plain same
state 2
site https://dev.umberfold.test "Dev""#;
    let (folder, world) = (Folder::new("edges-sent-on"), with_mail("umberfold.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_exact(&before);
    assert_eq!(issues(&before, "directory_listing").len(), 2);
    let after = scan_text(&folder, &world, &["--state", "2"]);
    assert_exact(&after);
    assert_eq!(issues(&after, "directory_listing"), BTreeSet::new());
}

/// A site that hands out its repository and its settings, which later has had enough of questions.
#[test]
fn a_site_that_cannot_answer_now_closes_nothing() {
    let lines = r#"name dev.umberfold.test A 203.0.113.20
site https://dev.umberfold.test "Dev"
  exposes git
  page /.env text/plain "APP_KEY=base64:xx\nMAIL_FROM=\"Us <noreply@umberfold.test>\"\nDB_PASSWORD=yy\nDB_HOST=zz\n"
state 2
site https://dev.umberfold.test "Dev"
  exposes git
  page /.env 503 "later"
  page /.git/HEAD 429 "slow down"
  page /.git/config 429 "slow down""#;
    let (folder, world) = (Folder::new("edges-busy"), with_mail("umberfold.test", lines));
    let names = |found: &Discovery| {
        let mut names: Vec<String> = found.issues.values().map(|issue| issue["name"].to_string()).collect();
        names.retain(|name| name.contains("exposed_"));
        names.sort();
        names
    };
    let before = scan_text(&folder, &world, &[]);
    assert_eq!(names(&before).len(), 2, "{:?}", names(&before));
    let after = scan_text(&folder, &world, &["--state", "2"]);
    assert_eq!(names(&after), names(&before), "what could not be looked at is not gone");
}

#[test]
fn a_host_of_a_small_block_that_speaks_over_udp_alone_is_found() {
    let hosts = "host 203.0.113.66\n  udp 500 ike\n  unlisted filtered\nhost 203.0.113.67\n  udp 123 silent\n  \
                 unlisted filtered\n  hidden";
    let world = estate("pinecrest.test", hosts).replace("seeds ", "seeds 203.0.113.64/26 ");
    let found = scan("udp-alone", &world);
    let services = found.names("NetworkService");
    assert!(services.contains("203.0.113.66:500/udp"), "{services:?}");
    assert!(!found.names("IpAddress").contains("203.0.113.67"), "nobody speaks there");
}

/// Names that a zone does not have, and that its own records tell of all the same.
#[test]
fn a_zone_that_makes_up_its_denials_is_found_as_it_is_written() {
    for signed in ["minimal", "compact"] {
        for wildcard in ["", "name *.apps.brackenford.test A 203.0.113.13"] {
            let lines = format!(
                "name brackenford.test MX 10 gone-mx.brackenford.test
name {{www,vpn,mail.dev}}.brackenford.test A 203.0.113.{{11,12,14}}
name docs.brackenford.test CNAME gone-docs.brackenford.test
name blog.brackenford.test CNAME text.brackenford.test
name text.brackenford.test TXT \"no address\"
site https://www.brackenford.test \"Bracken\"
  cert names www.brackenford.test gone-name.brackenford.test
{wildcard}"
            );
            let world = with_mail("brackenford.test", &lines)
                .replace("203.0.113.2\n", &format!("203.0.113.2\n  signed {signed}\n"));
            let found = scan("edges-denial", &world);
            let told = issues(&found, "dangling_record");
            let gone = ["brackenford.test 4 \"confirmed\"", "docs.brackenford.test 4 \"confirmed\""];
            assert_eq!(told, gone.map(str::to_owned).into(), "{signed} {wildcard}");
            assert_eq!(issues(&found, "dns_zone_enumeration"), BTreeSet::new(), "{signed} {wildcard}");
        }
    }
}

/// Names that are called otherwise as a whole (DNAME), which others lead nowhere, into themselves, or to all there are.
#[test]
fn names_that_are_renamed_as_a_whole_are_found_and_no_others() {
    for (lines, wanted) in [
        (
            "name {stage,www.stage,api.stage}.D A 203.0.113.{11..13}\nname dev.D DNAME stage.D",
            &["api.dev.D", "api.stage.D", "www.dev.D", "www.stage.D"][..],
        ),
        (
            "name {stage,www.stage,*.stage}.D A 203.0.113.{11..13}\nname dev.D DNAME stage.D A 203.0.113.14",
            &["www.dev.D", "www.stage.D"],
        ),
        ("name dev.D DNAME gone.nobodys.test A 203.0.113.11", &[]),
        ("name qa.D DNAME deep.qa.D A 203.0.113.11", &[]),
        (
            "name dev.D DNAME D A 203.0.113.11\nname www.D A 203.0.113.12",
            &["dev.dev.D", "ns1.dev.D", "www.D", "www.dev.D"],
        ),
        (
            "name www.D A 203.0.113.12\nzone old-larkholm.test of us\n  ns ns1.D\n  registered 2010-01-01 expires \
             +300d\nname old-larkholm.test DNAME D A 203.0.113.10 TXT \"v=spf1 -all\"\n  CAA 0 issue \
             \"trust.example\"",
            &["ns1.old-larkholm.test", "www.D", "www.old-larkholm.test"],
        ),
    ] {
        let mut world =
            with_mail("larkholm.test", &lines.replace(".D", ".larkholm.test").replace(" D ", " larkholm.test "));
        if lines.contains("old-larkholm") {
            world = world.replace("seeds ", "seeds old-larkholm.test ");
        }
        let found = scan("edges-renamed", &world);
        let names: BTreeSet<String> = found.names("DnsRecord").into_iter().collect();
        for name in wanted {
            let name = name.replace(".D", ".larkholm.test");
            assert!(names.contains(&name), "{name} is missed: {names:?}");
        }
        let gone = if lines.contains("nobodys") { "dev.larkholm.test 2 \"confirmed\"" } else { "" };
        let told: Vec<String> = issues(&found, "dangling_wildcard").into_iter().collect();
        assert_eq!(told.join(""), gone, "{lines}");
    }
}

/// What is known of an entity.
fn details(folder: &Folder, name: &str) -> serde_json::Value {
    let data = folder.join("data");
    let shown = crate::program::succeed(&["entity", "raw", name, "--data", data.to_str().expect("UTF-8")]);
    serde_json::from_str::<serde_json::Value>(&shown).expect("JSON")["details"].clone()
}

#[test]
fn a_server_that_speaks_http_2_alone_is_there_and_could_not_be_looked_at() {
    for (alpn, chosen, is_looked_at) in
        [("http/1.1", "http/1.1", true), ("h2,http/1.1", "h2", true), ("h2", "h2", false)]
    {
        let lines = format!(
            "name www.fernhollow.test A 203.0.113.11\nsite https://www.fernhollow.test \"Fern\"\n  alpn {alpn}\n  \
             plain none"
        );
        let folder = Folder::new("edges-alpn");
        let found = scan_text(&folder, &with_mail("fernhollow.test", &lines), &[]);
        assert_exact(&found);
        let uri = "https://www.fernhollow.test:443";
        assert_eq!(found.names("Uri").contains(uri), is_looked_at, "{alpn}: {:?}", found.names("Uri"));
        let service = details(&folder, "203.0.113.11:443/tcp");
        assert_eq!((&service["service"], &service["ssl"]), (&"HTTP".into(), &true.into()), "{alpn}: {service}");
        let name = details(&folder, "www.fernhollow.test");
        assert_eq!(name["hidden_tls"][0]["alpn"], chosen, "{alpn}: {name}");
        let certificates = found.names("SslCertificate");
        assert_eq!(certificates.len(), 1, "{alpn}: {certificates:?}");
    }
}

#[test]
fn a_certificate_is_revoked_by_the_word_of_its_authority_that_the_server_hands_over() {
    let lines = "name {www,old}.fernhollow.test A 203.0.113.{11,12}
site https://www.fernhollow.test \"Fern\"
site https://old.fernhollow.test \"Old\"
state 2
site https://www.fernhollow.test \"Fern\"
  cert revoked 3d
site https://old.fernhollow.test \"Old\"
  cert no-chain revoked 3d
state 3
site https://www.fernhollow.test \"Fern\"";
    let (folder, world) = (Folder::new("edges-revoked"), with_mail("fernhollow.test", lines));
    let before = scan_text(&folder, &world, &[]);
    assert_exact(&before);
    assert_eq!(issues(&before, "invalid_certificate_revoked"), BTreeSet::new());
    let after = scan_text(&folder, &world, &["--state", "2"]);
    assert_exact(&after);
    let told: Vec<String> = issues(&after, "invalid_certificate_revoked").into_iter().collect();
    assert!(told.len() == 1 && told[0].starts_with("www.fernhollow.test (") && told[0].ends_with("3 \"confirmed\""));
    let (name, _) = told[0].rsplit_once(" 3 ").expect("severity");
    let is_served = |value: &serde_json::Value| value["type"] == "Platform::Entity::SslCertificate";
    let (uid, _) = after.entities.iter().find(|(_, one)| one["name"] == name && is_served(one)).expect("it is there");
    let revocation = &details(&folder, uid)["hidden_revocation"];
    assert_eq!(revocation["reason"], "keyCompromise", "{revocation}");
    // Nothing is handed over any more: that says nothing.
    let later = scan_text(&folder, &world, &["--state", "3"]);
    assert_eq!(issues(&later, "invalid_certificate_revoked").into_iter().collect::<Vec<_>>(), told);
    assert!(details(&folder, uid)["hidden_revocation"].is_null());
}

/// A wildcard at the domain itself that nobody can look at: what is there in its own right still is.
#[test]
fn a_wildcard_of_the_domain_that_fails_hides_none_of_its_names() {
    let names = "name {www,api,mail,shop,api.stage}.acme.test A 203.0.113.{10..14}\nname vpn.acme.test AAAA \
                 2001:db8:7::1\nblock 2001:db8:7::/48 of us asn AS64500 named SIX\nname docs.acme.test CNAME \
                 www.acme.test\n";
    for broken in [
        "zone sick.test of us\n  ns ns1.gone.test\nname *.acme.test CNAME x.sick.test",
        "zone sick.test of us\n  ns ns1.sick.test 203.0.113.3\n  answers servfail\nname *.acme.test CNAME x.sick.test",
        "name *.acme.test A 203.0.113.20 answers silent",
        "name *.acme.test answers servfail",
    ] {
        let folder = Folder::new("broken-wildcard");
        let found = scan_text(&folder, &with_mail("acme.test", &format!("{names}{broken}")), &[]);
        assert_exact(&found);
        for name in ["api", "mail", "shop", "www", "docs", "vpn", "api.stage"] {
            assert!(found.names("DnsRecord").contains(&*format!("{name}.acme.test")), "{broken}: {}", found.summary);
        }
        let unanswered = details(&folder, "acme.test")["hidden_sweep_unanswered"].clone();
        let is_told = unanswered.as_array().is_some_and(|names| names.contains(&"intranet.acme.test".into()));
        assert!(is_told, "{broken}: {unanswered}");
    }
}

#[test]
fn a_wildcard_without_addresses_hides_nothing_below_empty_names() {
    for wildcard in ["MX 10 mx.acme.test", "TXT \"nobody\"", "MX 10 mx.acme.test TXT \"nobody\""] {
        let lines = format!(
            "name {{mx,api.dev,www.shop,mail.corp}}.acme.test A 203.0.113.{{10..13}}\nname *.acme.test {wildcard}"
        );
        let found = scan("wildcard-of-mail", &with_mail("acme.test", &lines));
        for name in ["api.dev", "www.shop", "mail.corp"] {
            assert!(found.names("DnsRecord").contains(&*format!("{name}.acme.test")), "{wildcard}: {}", found.summary);
        }
    }
}

#[test]
fn below_few_names_without_records_less_frequent_words_are_tried_as_well() {
    let found = scan("few-empty", &with_mail("acme.test", "name {grafana.eu,db.dev}.acme.test A 203.0.113.{10..11}"));
    for name in ["grafana.eu", "db.dev"] {
        assert!(found.names("DnsRecord").contains(&*format!("{name}.acme.test")), "{}", found.summary);
    }
}

#[test]
fn a_name_that_fails_alone_in_a_healthy_zone_is_not_said_to_be_handed_away() {
    let lines = "name {www,api}.acme.test A 203.0.113.{10..11} answers servfail\nname mail.acme.test A 203.0.113.12
zone lab.acme.test of us
  ns ns1.gone.test";
    let found = scan("fails-alone", &with_mail("acme.test", lines));
    let told: Vec<String> = issues(&found, "dangling_delegation").into_iter().collect();
    assert_eq!(told, ["acme.test 2 \"confirmed\""], "{}", found.summary);
    let found = scan("fails-alone", &with_mail("acme.test", lines.split("\nzone").next().expect("a text")));
    assert_eq!(issues(&found, "dangling_delegation"), BTreeSet::new());
}

#[test]
fn a_sweep_that_runs_out_of_time_keeps_what_it_found() {
    // Some words of each range are asked for in the time that a row has, the most frequent first.
    let lines = "name {vpn,mail,dev}.acme.test A 203.0.113.{11..13}";
    let rates = ["--rates", "resolver=1"];
    let found = scan_text(&Folder::new("out-of-time"), &with_mail("acme.test", lines), &rates);
    for name in ["vpn", "mail", "dev"] {
        assert!(found.names("DnsRecord").contains(&*format!("{name}.acme.test")), "{name}: {}", found.summary);
    }
}

#[test]
fn zones_of_a_server_that_answers_one_question_a_second_are_transferred() {
    let server = "ns1.acme.test 203.0.113.2\n  transfer open";
    let lines = format!(
        "name onlyq7.acme.test A 203.0.113.30\nzone lab.acme.test of us\n  ns {server}\nname onlyx8.lab.acme.test A \
         203.0.113.31\nhost 203.0.113.2\n  limit 1 1s refused"
    );
    let world = with_mail("acme.test", &lines).replacen("ns1.acme.test 203.0.113.2", server, 1);
    scan("limited-transfer", &world);
}

#[test]
fn an_address_of_ipv4_that_stands_in_ipv6_is_that_address() {
    let lines = "name api.acme.test AAAA ::ffff:203.0.113.20\nhost 203.0.113.20\n  port 6379 redis open
site http://api.acme.test \"A\"";
    let found = scan("mapped", &with_mail("acme.test", lines));
    assert_eq!(issues(&found, "open_redis_service").len(), 1, "{}", found.summary);
}
