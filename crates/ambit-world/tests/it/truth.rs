//! The ground truth follows from what is served: each property implies its issue, its safe twin implies nothing.

use ambit_model::{Kind, Timestamp};
use ambit_world::{Truth, Verdict, World};

const HEAD: &str = "world t \"T\"\nseeds acme.test\norg acme \"Acme\" ours\norg out \"Out\" stranger\norg shop \
                    \"Shop\" vendor\n\
                    block 203.0.113.0/24 of acme asn AS64500 named ACME\nblock 198.51.100.0/25 of out named OUT\nblock \
                    198.51.100.128/25 of shop named SHOP\n\
                    zone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n\
                    name acme.test TXT \"v=spf1 -all\" CAA 0 issue \"ca.test\"\nname _dmarc.acme.test TXT \"v=DMARC1; \
                    p=reject\"\n";

const EPOCH: Timestamp = Timestamp(1_751_328_000_000);

fn truth_of(text: &str) -> Truth {
    let world = World::parse(text, "t.world").unwrap_or_else(|problems| panic!("{problems:#?}"));
    world.truth(EPOCH, 1)
}

fn issues(text: &str) -> Vec<String> {
    let truth = truth_of(&format!("{HEAD}{text}"));
    truth.issues.iter().map(|(issue, kind, entity)| format!("{issue} {} {entity}", kind.name())).collect()
}

#[test]
fn a_vendors_address_is_ours_to_use_where_it_speaks_for_us_and_nobody_else_has_a_name_there() {
    let text = "zone shop.test of shop\n  ns ns.shop.test 198.51.100.130\nname www.acme.test A 198.51.100.140\nname \
                old.acme.test A 198.51.100.141\n\
                name other.shop.test A 198.51.100.141\nname cdn.acme.test CNAME e.shop.test\nname e.shop.test A \
                198.51.100.142\n\
                name rent.acme.test A 198.51.100.143\nhost 198.51.100.143\n  port 22 ssh \"x\"\nhost 198.51.100.140\n  \
                ptr www.acme.test\n  port 22 ssh \"x\"\n\
                host 198.51.100.141\n  ptr old.acme.test\nsite http://www.acme.test:8080 \"W\"\nsite \
                http://rent.acme.test \"R\"\nsite http://rent.acme.test:8080 \"R\"\n";
    let truth = truth_of(&format!("{HEAD}{text}"));
    for (kind, name, expected) in [
        (Kind::IpAddress, "198.51.100.140", Verdict::NotScored),
        (Kind::NetworkService, "198.51.100.140:22/tcp", Verdict::NotScored),
        (Kind::Uri, "http://www.acme.test:8080", Verdict::NotScored),
        (Kind::IpAddress, "198.51.100.141", Verdict::Unexpected),
        (Kind::IpAddress, "198.51.100.142", Verdict::Unexpected),
        (Kind::IpAddress, "198.51.100.143", Verdict::Unexpected),
        (Kind::NetworkService, "198.51.100.143:22/tcp", Verdict::Unexpected),
        (Kind::Uri, "http://rent.acme.test:80", Verdict::Planted),
        (Kind::Uri, "http://rent.acme.test:8080", Verdict::Unexpected),
    ] {
        assert_eq!(truth.entity(kind, name), expected, "{name}");
    }
}

#[test]
fn what_is_ours_is_demanded_where_anybody_can_find_out_that_it_is() {
    let of = |seeds: &str, redacted: &str, host: &str| {
        let head = HEAD
            .replace("seeds acme.test", seeds)
            .replace("ns ns1.acme.test 203.0.113.2", &format!("ns ns1.acme.test 203.0.113.2{redacted}"));
        let site = "site http://www.acme.test \"W\"";
        let truth = truth_of(&format!(
            "{head}name www.acme.test A 203.0.113.10\nhost 203.0.113.10\n  port 22 ssh \"x\"{host}\n{site}\n"
        ));
        let services = truth.entity(Kind::NetworkService, "203.0.113.10:22/tcp");
        (truth.entity(Kind::IpAddress, "203.0.113.10"), services, truth.entity(Kind::Uri, "http://www.acme.test:80"))
    };
    let (planted, unclear) = (Verdict::Planted, Verdict::NotScored);
    assert_eq!(of("seeds acme.test", "", ""), (planted, planted, planted), "registered to the registrant of a seed");
    assert_eq!(of("seeds acme.test", "\n  redacted", ""), (unclear, unclear, planted));
    assert_eq!(of("seeds acme.test", "\n  redacted", "\n  ptr www.acme.test"), (planted, planted, planted));
    assert_eq!(of("seeds www.acme.test", "", ""), (unclear, unclear, planted), "a host as a seed names no registrant");
    assert_eq!(of("seeds www.acme.test 203.0.113.0/28", "", ""), (planted, planted, planted));
}

#[test]
fn a_name_that_only_a_wildcard_answers_may_be_shown_where_something_tells_of_it() {
    let text = "name *.acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.11\nsite https://www.acme.test \
                \"W\"\n  links https://linked.acme.test/\n  plain none\n\
                host 203.0.113.10\n  ptr pointed.acme.test\nname acme.test MX 10 mailed.acme.test\nname \
                _sip._tcp.acme.test SRV 0 5 5060 served.acme.test\n\
                name alias.acme.test CNAME aliased.acme.test\nsite http://alias.acme.test \"R\"\n  redirect \
                http://redirected.acme.test/\n";
    let truth = truth_of(&format!("{HEAD}{text}"));
    for told in ["linked", "pointed", "mailed", "served", "aliased", "redirected"] {
        assert_eq!(truth.entity(Kind::DnsRecord, &format!("{told}.acme.test")), Verdict::NotScored, "{told}");
    }
    assert_eq!(truth.entity(Kind::DnsRecord, "guessed.acme.test"), Verdict::Unexpected);
}

#[test]
fn what_the_file_does_not_decide_is_neither_missed_nor_unexpected() {
    let chain: String =
        (1..=20).map(|step| format!("name c{step}.acme.test CNAME c{}.acme.test\n", step - 1)).collect();
    let truth = truth_of(&format!(
        "{HEAD}name c0.acme.test A 203.0.113.10\n{chain}name eu.acme.test MX 10 mx8.acme.test\nname mx8.acme.test A \
         203.0.113.11\nname gone.acme.test NS ns1.nowhere.test\nname turn.acme.test A 203.0.113.12 answers rebind \
         203.0.113.13\nname loop1.acme.test CNAME loop2.acme.test\nname loop2.acme.test CNAME loop1.acme.test\nsite \
         http://turn.acme.test \"T\"\nname inside.acme.test AAAA ::ffff:10.0.0.7\nname \
         last.acme.test A 203.0.113.14\nsite https://last.acme.test \"L\"\n  cert expires 1h\n"
    ));
    for (kind, name, expected) in [
        (Kind::DnsRecord, "c20.acme.test", Verdict::Planted),
        (Kind::DnsRecord, "loop1.acme.test", Verdict::NotScored),
        (Kind::Mailserver, "mx8.acme.test", Verdict::NotScored),
        (Kind::Uri, "http://203.0.113.12:80", Verdict::NotScored),
    ] {
        assert_eq!(truth.entity(kind, name), expected, "{name}");
    }
    assert_eq!(truth.issue("dangling_delegation", Kind::Domain, "acme.test"), Verdict::NotScored);
    let inside = truth.issue("internal_system_exposed_via_dns", Kind::DnsRecord, "inside.acme.test");
    assert_eq!(inside, Verdict::Planted);
    assert!(!truth.issues.iter().any(|(issue, ..)| issue.contains("expired")), "it ends while a run goes on");

    let text = HEAD.replace("seeds acme.test", "seeds https://shop.acme.test/");
    let truth = truth_of(&format!("{text}name shop.acme.test A 203.0.113.10\nsite https://shop.acme.test \"S\"\n"));
    for (kind, name) in [(Kind::DnsRecord, "shop.acme.test"), (Kind::Uri, "http://shop.acme.test:80")] {
        assert_eq!(truth.entity(kind, name), Verdict::NotScored, "{name}");
    }
}

#[test]
fn names_below_a_dname_are_those_below_its_target_however_many_follow_one_another() {
    let text = "name dev.acme.test DNAME stage.acme.test\nname stage.acme.test DNAME test.acme.test\nname \
                {www,a.b}.test.acme.test A 203.0.113.10\nname qa.acme.test DNAME x.stage.acme.test\nname \
                api.x.test.acme.test A 203.0.113.10\nname apps.acme.test DNAME int.acme.test\nname \
                old.int.acme.test DNAME test.acme.test\nname up.acme.test DNAME acme.test\nname \
                far.acme.test DNAME l.out.test\nzone out.test of out\n  ns ns1.out.test 198.51.100.2\nname \
                l.out.test DNAME m.out.test\nname www.m.out.test A 198.51.100.3\nsite \
                https://www.test.acme.test \"W\"\n";
    let truth = truth_of(&format!("{HEAD}{text}"));
    for (name, expected) in [
        ("www.stage", Verdict::Planted),
        ("www.dev", Verdict::Planted),
        ("a.b.dev", Verdict::NotScored),
        ("api.dev", Verdict::Unexpected),
        ("api.qa", Verdict::Planted),
        ("www.old.int", Verdict::Planted),
        ("www.old.apps", Verdict::NotScored),
        ("www.up", Verdict::Unexpected),
        ("www.dev.up", Verdict::NotScored),
        ("www.far", Verdict::Planted),
    ] {
        assert_eq!(truth.entity(Kind::DnsRecord, &format!("{name}.acme.test")), expected, "{name}");
    }
    assert_eq!(truth.entity(Kind::Uri, "https://www.dev.acme.test:443"), Verdict::Planted);
    let issue = truth.issue("invalid_certificate_name", Kind::Uri, "https://www.dev.acme.test:443");
    assert_eq!(issue, Verdict::Planted);
}

#[test]
fn a_chain_of_dnames_that_not_everybody_follows_is_neither_missed_nor_unexpected() {
    let chain: String =
        (1..=17).map(|step| format!("name d{step}.acme.test DNAME d{}.acme.test\n", step - 1)).collect();
    let truth = truth_of(&format!("{HEAD}name www.d0.acme.test A 203.0.113.10\n{chain}"));
    for (name, expected) in [("d15", Verdict::Planted), ("d16", Verdict::NotScored)] {
        assert_eq!(truth.entity(Kind::DnsRecord, &format!("www.{name}.acme.test")), expected, "{name}");
    }
}

#[test]
fn a_name_below_a_loop_of_dnames_may_be_shown_where_something_tells_of_it() {
    let text = "name dev.acme.test DNAME stage.acme.test\nname stage.acme.test DNAME dev.acme.test\nname \
                www.acme.test A 203.0.113.10\nsite https://www.acme.test \"W\"\n  cert names www.acme.test \
                www.dev.acme.test\n";
    let truth = truth_of(&format!("{HEAD}{text}"));
    for (name, expected) in [("www.dev", Verdict::NotScored), ("api.dev", Verdict::Unexpected)] {
        assert_eq!(truth.entity(Kind::DnsRecord, &format!("{name}.acme.test")), expected, "{name}");
    }
}

#[test]
fn a_wildcard_covers_no_zone_below_it_and_no_name_above_others() {
    let text = "name *.acme.test A 203.0.113.10\nzone corp.acme.test of acme\n  ns ns1.acme.test\nname \
                deep.dev.acme.test A 203.0.113.11\n";
    for (target, covered) in [("corp", false), ("dev", false), ("free", true)] {
        let truth = truth_of(&format!("{HEAD}{text}name alias.acme.test CNAME {target}.acme.test\n"));
        let expected = if covered { Verdict::Planted } else { Verdict::Unexpected };
        assert_eq!(truth.entity(Kind::IpAddress, "203.0.113.10"), expected, "{target}");
    }
}

#[test]
fn a_sound_world_has_no_issue() {
    let text = "name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"W\"\n  cookie sid careful\n  login\n  \
                twin git\n  twin listing\n\
                host 203.0.113.10\n  port 21 ftp \"x\" login\n  port 6379 redis password\n  port 22 ssh \"x\"\n  port \
                445 silent\n";
    assert_eq!(issues(text), Vec::<String>::new());
}

#[test]
fn the_rest_of_the_exposures_is_what_no_site_of_any_state_names() {
    let text = "name {a,b,c}.acme.test A 203.0.113.10\nsite http://a.acme.test \"A\"\n  exposes rest\nsite \
                http://b.acme.test \"B\"\n  twin rest\n\
                site http://c.acme.test \"C\"\n  exposes git\nstate 2\nsite http://c.acme.test \"C\"\n  exposes env\n";
    let issues = issues(text);
    let of = |site: &str| {
        issues.iter().filter(|issue| issue.ends_with(&format!(" Uri http://{site}.acme.test:80"))).collect::<Vec<_>>()
    };
    assert!(of("a").len() > 10 && of("b").is_empty(), "{issues:#?}");
    assert!(of("a").iter().all(|issue| !issue.contains("version_control") && !issue.contains("environment")));
    assert_eq!(of("c").len(), 1);
}

#[test]
fn properties_imply_their_issues() {
    for (text, expected) in [
        ("host 203.0.113.2\n  port 23 telnet\n", vec!["exposed_telnet_service NetworkService 203.0.113.2:23/tcp"]),
        (
            "host 203.0.113.2\n  port 21 ftp \"x\" anonymous\n",
            vec!["ftp_anonymous_login NetworkService 203.0.113.2:21/tcp"],
        ),
        ("host 203.0.113.2\n  port 6379 redis open\n", vec!["open_redis_service NetworkService 203.0.113.2:6379/tcp"]),
        ("name x.acme.test A 10.0.0.1\n", vec!["internal_system_exposed_via_dns DnsRecord x.acme.test"]),
        ("name x.acme.test A 127.0.0.1\n", vec!["resolves_to_localhost DnsRecord x.acme.test"]),
        ("name x.acme.test CNAME gone.nowhere.test\n", vec!["dangling_record DnsRecord x.acme.test"]),
        ("name x.acme.test CNAME gone.azurewebsites.net\n", vec!["subdomain_takeover DnsRecord x.acme.test"]),
        ("name x.acme.test CNAME gone.cloudapp.net\n", vec!["subdomain_takeover DnsRecord x.acme.test"]),
        (
            "zone wordpress.com of shop\n  ns ns.wordpress.com 198.51.100.150\nname x.acme.test CNAME \
             gone.wordpress.com\nname gone.wordpress.com A 198.51.100.151\nsite http://x.acme.test\n  plain none\n  \
             at 198.51.100.151\n  status 404\n  body \"Do you want to register gone.wordpress.com?\"\n",
            vec!["subdomain_takeover DnsRecord x.acme.test"],
        ),
        (
            "zone harb.test of out\n  ns ns.harb.test 198.51.100.9\n  look-alike\n",
            vec!["lookalike_domain Domain acme.test"],
        ),
        (
            "name x.acme.test A 203.0.113.10\nhost 203.0.113.10\n  unknown-host close\nsite http://x.acme.test \
             \"X\"\n  login\n  exposes env\n",
            vec![
                "exposed_environment_file Uri http://x.acme.test:80",
                "login_over_plain_http Uri http://x.acme.test:80",
            ],
        ),
        (
            "name x.acme.test A 203.0.113.10\nhost 203.0.113.10\n  unknown-host close\nsite https://x.acme.test \
             \"X\"\n  bare\n  cookie sid careless\n  plain none\n  cert names y.acme.test\n",
            vec![
                "insecure_cookie_httponly_attribute Uri https://x.acme.test:443",
                "insecure_cookie_secure_attribute Uri https://x.acme.test:443",
                "invalid_certificate_name Uri https://x.acme.test:443",
                "missing_security_headers Uri https://x.acme.test:443",
            ],
        ),
    ] {
        assert_eq!(issues(text), expected, "{text}");
    }
}

#[test]
fn certificates_imply_their_issues() {
    for (cert, expected) in [
        ("expired 5d", vec!["invalid_certificate_expired"]),
        ("expires 20d", vec!["invalid_certificate_almost_expired"]),
        ("expires 31d", vec![]),
        ("not-yet 5d", vec!["invalid_certificate_premature"]),
        ("self-signed", vec!["self_signed_certificate"]),
        ("untrusted", vec!["invalid_certificate_chain"]),
        ("no-chain", vec!["invalid_certificate_chain"]),
        ("revoked 3d", vec!["invalid_certificate_revoked"]),
        // Nobody says so who is believed: no authority, one that is not shown, one that signs as nobody believes any
        // more, and a server whose key proves nothing.
        ("self-signed revoked 3d", vec!["self_signed_certificate"]),
        ("no-chain revoked 3d", vec!["invalid_certificate_chain"]),
        ("sha1 revoked 3d", vec!["invalid_certificate_algorithm"]),
        ("key weak revoked 3d", vec!["invalid_certificate_key"]),
        ("key weak", vec!["invalid_certificate_key"]),
        ("key rsa", vec![]),
        ("sha1", vec!["invalid_certificate_algorithm"]),
        ("names *.acme.test", vec!["wildcard_certificate"]),
    ] {
        let found =
            issues(&format!("name x.acme.test A 203.0.113.10\nsite https://x.acme.test \"X\"\n  cert {cert}\n"));
        let names: Vec<&str> = found.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(names, expected, "{cert}");
    }
}

#[test]
fn a_name_server_that_is_not_there_is_a_record_that_leads_nowhere() {
    let of =
        |servers: &str| {
            let head = HEAD.replace("ns ns1.acme.test 203.0.113.2", &format!("ns ns1.acme.test 203.0.113.2{servers}"));
            truth_of(&format!("{head}zone ail.test of shop\n  ns ns1.ail.test 198.51.100.200\n  answers servfail\n"))
                .issue("dangling_record", Kind::Domain, "acme.test")
        };
    assert_eq!(of(""), Verdict::Unexpected);
    assert_eq!(of("\n  ns ns9.acme.test"), Verdict::Planted);
    assert_eq!(of("\n  ns ns.gone.test"), Verdict::Planted);
    assert_eq!(of("\n  ns ns.ail.test"), Verdict::Unexpected, "whether it is there nobody can say");
    let all_gone = HEAD.replace("ns ns1.acme.test 203.0.113.2", "ns ns.gone.test");
    let verdict = truth_of(&all_gone).issue("dangling_record", Kind::Domain, "acme.test");
    assert_eq!(verdict, Verdict::NotScored, "nobody answers for the zone");
}

#[test]
fn what_was_known_of_a_domain_stands_while_nobody_answers_for_it() {
    let of = |answers: &str| {
        let head = HEAD.replace("ns ns1.acme.test 203.0.113.2", &format!("ns ns1.acme.test 203.0.113.2{answers}"));
        let truth = truth_of(&head.replace(" TXT \"v=spf1 -all\"", "").replace("p=reject", "p=none"));
        ["spf_missing", "dmarc_permissive", "spf_invalid"].map(|issue| truth.issue(issue, Kind::Domain, "acme.test"))
    };
    assert_eq!(of(""), [Verdict::Planted, Verdict::Planted, Verdict::Unexpected]);
    for answers in ["servfail", "silent", "refused"] {
        assert_eq!(of(&format!("\n  answers {answers}")), [Verdict::NotScored; 3], "{answers}");
    }
}

#[test]
fn a_machine_that_never_answers_is_not_demanded_of_a_sweep() {
    let of = |words: &str| {
        let head = HEAD.replace("seeds acme.test", "seeds acme.test 203.0.113.0/24");
        truth_of(&format!("{head}host 203.0.113.9\n  {words}\n")).entity(Kind::IpAddress, "203.0.113.9")
    };
    for words in ["unlisted closed", "unlisted filtered\n  port 22 silent", "unlisted filtered\n  ptr x.acme.test"] {
        assert_eq!(of(words), Verdict::Planted, "{words}");
    }
    for words in ["unlisted filtered", "unlisted filtered\n  port 22 filtered", "unlisted filtered\n  udp 53 silent"] {
        assert_eq!(of(words), Verdict::NotScored, "{words}");
    }
}

#[test]
fn an_address_that_a_name_has_half_of_the_time_is_neither_missed_nor_unexpected() {
    let truth = truth_of(&format!("{HEAD}name x.acme.test A 203.0.113.10 answers rebind 203.0.113.12\n"));
    assert_eq!(truth.entity(Kind::IpAddress, "203.0.113.12"), Verdict::NotScored);
    assert_eq!(truth.entity(Kind::IpAddress, "203.0.113.13"), Verdict::Unexpected);
}

#[test]
fn a_truth_of_thousands_of_names_at_one_address_is_derived_at_once() {
    let names = "name n{0001..1500}.acme.test A 203.0.113.10\nname m{0001..1500}.acme.test A 203.0.113.11\n";
    assert_eq!(truth_of(&format!("{HEAD}{names}")).counts()[&Kind::DnsRecord], 3_001);
}

#[test]
fn that_a_certificate_was_revoked_holds_in_the_states_that_follow() {
    let world = format!(
        "{HEAD}name x.acme.test A 203.0.113.10\nsite https://x.acme.test \"X\"\n  cert revoked 3d\nstate 2\nsite \
         https://x.acme.test \"X\"\n"
    );
    let world = World::parse(&world, "t.world").unwrap();
    let truths = [1, 2, 3].map(|state| world.truth(EPOCH, state));
    let told = truths[0].issues.iter().find(|(issue, ..)| issue == "invalid_certificate_revoked");
    let (issue, kind, certificate) = told.unwrap();
    let verdicts = truths.each_ref().map(|truth| truth.issue(issue, *kind, certificate));
    assert_eq!(verdicts, [Verdict::Planted, Verdict::NotScored, Verdict::NotScored]);
}

#[test]
fn which_of_two_policies_is_read_nobody_can_say() {
    let of = |more: &str| {
        let truth = truth_of(
            &format!("{HEAD}name acme.test TXT \"v=spf1 include:acme.test -all\"\n")
                .replace("name acme.test TXT \"v=spf1 -all\"", &format!("name acme.test{more}")),
        );
        ["spf_permissive", "spf_invalid"].map(|issue| truth.issue(issue, Kind::Domain, "acme.test"))
    };
    assert_eq!(of(""), [Verdict::Unexpected, Verdict::Planted]);
    assert_eq!(of(" TXT \"v=spf1 -all\""), [Verdict::Planted, Verdict::NotScored]);
}

#[test]
fn entities_follow_from_what_leads_where() {
    let truth = truth_of(&format!(
        "{HEAD}name www.acme.test A 203.0.113.10\nname shop.acme.test CNAME acme.shop.test\nzone shop.test of shop\n  \
         ns ns.shop.test 198.51.100.200\n\
         name acme.shop.test A 198.51.100.201\nsite https://shop.acme.test \"S\"\n\
         name docs.acme.test CNAME acme.github.io\nzone github.io of shop\n  ns ns.shop.test\nname acme.github.io A \
         198.51.100.202\nsite https://docs.acme.test \"D\"\nsite https://www.acme.test \"W\"\nname h.acme.test hidden \
         A 203.0.113.11\n\
         name *.w.acme.test A 203.0.113.10\nhost 203.0.113.10\n  port 22 ssh\n"
    ));
    for (kind, name, verdict) in [
        (Kind::Domain, "acme.test", Verdict::Planted),
        (Kind::DnsRecord, "www.acme.test", Verdict::Planted),
        (Kind::DnsRecord, "h.acme.test", Verdict::NotScored),
        (Kind::DnsRecord, "q.w.acme.test", Verdict::Unexpected),
        (Kind::DnsRecord, "acme.shop.test", Verdict::Unexpected),
        (Kind::Nameserver, "ns1.acme.test", Verdict::Planted),
        (Kind::IpAddress, "203.0.113.10", Verdict::Planted),
        (Kind::IpAddress, "198.51.100.201", Verdict::Unexpected),
        (Kind::IpAddress, "203.0.113.11", Verdict::NotScored),
        (Kind::NetworkService, "203.0.113.10:22/tcp", Verdict::Planted),
        (Kind::NetworkService, "203.0.113.10:443/tcp", Verdict::Planted),
        (Kind::NetworkService, "203.0.113.10:23/tcp", Verdict::Unexpected),
        (Kind::Uri, "https://www.acme.test:443", Verdict::Planted),
        (Kind::Uri, "http://www.acme.test:80", Verdict::Planted),
        (Kind::Uri, "https://203.0.113.10:443", Verdict::Planted),
        (Kind::Uri, "https://shop.acme.test:443", Verdict::Unexpected),
        (Kind::Uri, "https://docs.acme.test:443", Verdict::Planted),
        (Kind::Uri, "https://www.acme.test:443/login", Verdict::NotScored),
        (Kind::Uri, "https://198.51.100.201:443", Verdict::Unexpected),
        (Kind::Organization, "Acme", Verdict::NotScored),
    ] {
        assert_eq!(truth.entity(kind, name), verdict, "{} {name}", kind.name());
    }
}

#[test]
fn the_worlds_of_the_repository_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "world") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let world = World::parse(&text, &name)
            .unwrap_or_else(|problems| panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()));
        for state in 1..=world.states() {
            let truth = world.truth(EPOCH, state);
            assert!(!truth.entities.is_empty(), "{name} state {state}");
        }
    }
}

#[test]
fn the_demo_is_as_large_as_promised() {
    let text = include_str!("../../../../worlds/demo.world");
    let truth = World::parse(text, "demo.world").unwrap().truth(EPOCH, 1);
    let counts = truth.counts();
    let count = |kind: Kind| counts.get(&kind).copied().unwrap_or(0);
    assert!(count(Kind::DnsRecord) + count(Kind::Domain) >= 400, "{counts:?}");
    assert!(count(Kind::IpAddress) >= 150, "{counts:?}");
    assert!(count(Kind::Uri) >= 60, "{counts:?}");
    assert!(truth.issues.len() >= 40, "{}", truth.issues.len());
}

#[tokio::test]
async fn contacts_are_judged_by_whom_they_reach() {
    use ambit_net::wire::Wire;
    let text = format!(
        "{HEAD}host 203.0.113.9\n  port 22 ssh\nhost 198.51.100.9\n  port 80 http\nhost 198.51.100.200\n  port 80 \
         http\n  port 22 ssh\nexpect never 203.0.113.77\nzone other.test of out\n  ns ns.other.test 198.51.100.8\nname \
         {{a,b}}.acme.test A 198.51.100.{{201,202}}\nname {{a,b}}.other.test A 198.51.100.{{201,202}}\n\
         host 198.51.100.201\n  port 443 https\nhost 198.51.100.202\n  ptr b.other.test\n  port 443 https\n"
    );
    let wire = World::parse(&text, "t.world").unwrap().wire(EPOCH, 1);
    let ask = |address: &'static str, port: u16, name: &'static str| {
        let (wire, (done, result)) = (wire.clone(), tokio::sync::oneshot::channel());
        let task = wire.clone().track(Box::pin(async move {
            if let Ok(mut stream) = wire.connect(std::net::SocketAddr::new(address.parse().unwrap(), port)).await {
                let request = format!("GET / HTTP/1.0\r\nHost: {name}\r\n\r\n");
                if !name.is_empty() {
                    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
                    tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut Vec::new()).await.unwrap();
                }
            }
            done.send(()).unwrap();
        }));
        tokio::spawn(task);
        result
    };
    for (address, port, name) in [
        ("203.0.113.9", 22, ""),
        ("198.51.100.200", 80, "www.acme.test"),
        ("198.51.100.200", 443, ""),
        ("198.51.100.200", 80, "www.other.test"),
        ("198.51.100.200", 80, ""),
        ("198.51.100.200", 22, ""),
        ("198.51.100.9", 80, "www.acme.test"),
        ("203.0.113.77", 80, ""),
        ("10.0.0.1", 80, ""),
        // Of its other names nothing tells, and of those of the next one its pointer.
        ("198.51.100.201", 443, ""),
        ("198.51.100.202", 443, ""),
    ] {
        ask(address, port, name).await.unwrap();
    }
    // A connection counts when its handler has seen the end.
    while wire.contacts().len() < 11 {
        tokio::task::yield_now().await;
    }
    let outside: Vec<String> = wire
        .contacts_outside_clearance()
        .iter()
        .map(|contact| format!("{}:{} {}", contact.address, contact.port, contact.why))
        .collect();
    assert_eq!(
        outside,
        [
            "10.0.0.1:80 nobody owns this address",
            "198.51.100.9:80 out is a stranger",
            "198.51.100.200:22 shop serves many: only its web servers, by a name of ours",
            "198.51.100.200:80 shop serves many, and no name was asked for",
            "198.51.100.200:80 shop serves many, and www.other.test is not ours",
            "198.51.100.202:443 shop serves many, and no name was asked for",
            "203.0.113.77:80 the file says never",
        ]
    );
}
