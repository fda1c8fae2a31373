//! The tasks on simulated internets: a small explorer plans and runs them until nothing is left, and the world's own
//! truth says what must be there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "worlds/announced.rs"]
mod announced;
#[path = "worlds/app_links.rs"]
mod app_links;
#[path = "worlds/app_stores.rs"]
mod app_stores;
#[path = "worlds/behind.rs"]
mod behind;
#[path = "worlds/broken_off.rs"]
mod broken_off;
#[path = "worlds/clusters.rs"]
mod clusters;
#[path = "worlds/datagrams.rs"]
mod datagrams;
#[path = "worlds/explorer.rs"]
mod explorer;
#[path = "worlds/faulty.rs"]
mod faulty;
#[path = "worlds/forges.rs"]
mod forges;
#[path = "worlds/guessed.rs"]
mod guessed;
#[path = "worlds/https_records.rs"]
mod https_records;
#[path = "worlds/limits.rs"]
mod limits;
#[path = "worlds/looks.rs"]
mod looks;
#[path = "worlds/name_sources.rs"]
mod name_sources;
#[path = "worlds/plans.rs"]
mod plans;
#[path = "worlds/registered.rs"]
mod registered;
#[path = "worlds/registries.rs"]
mod registries;
#[path = "worlds/roles.rs"]
mod roles;
#[path = "worlds/services.rs"]
mod services;
#[path = "worlds/sign_in.rs"]
mod sign_in;
#[path = "worlds/site_looks.rs"]
mod site_looks;
#[path = "worlds/slow.rs"]
mod slow;
#[path = "worlds/strangers.rs"]
mod strangers;
#[path = "worlds/throttled.rs"]
mod throttled;
#[path = "worlds/turns.rs"]
mod turns;
#[path = "worlds/walks.rs"]
mod walks;
#[path = "worlds/zone_addresses.rs"]
mod zone_addresses;

use ambit_model::facts::ProbeOutcome;
use ambit_model::{Clearance, Kind, TaskName, Timestamp};
use ambit_world::{Verdict, World};
use explorer::Explorer;

const EPOCH: Timestamp = Timestamp(1_763_683_200_000);

fn explore(text: &str, ceiling: Clearance) -> (Explorer, ambit_world::Truth) {
    let world = World::parse(text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let truth = world.truth(EPOCH, 1);
    (Explorer::run(&world, EPOCH, 1, ceiling), truth)
}

/// What the truth plants and the explorer missed, and what it calls scoped though it must not.
fn compare(explorer: &Explorer, truth: &ambit_world::Truth) -> (Vec<String>, Vec<String>) {
    let found: std::collections::BTreeSet<(Kind, String)> = explorer.scoped().collect();
    let present: std::collections::BTreeSet<(Kind, String)> = explorer.present().collect();
    let missed = truth.entities.iter().filter(|entity| {
        let known = if entity.0 == Kind::CloudStorageBucket { &present } else { &found };
        !known.contains(*entity)
    });
    let unexpected = found.iter().filter(|(kind, name)| truth.entity(*kind, name) == Verdict::Unexpected);
    let text = |entity: &(Kind, String)| format!("{} {}", entity.0.name(), entity.1);
    (missed.map(text).collect(), unexpected.map(text).collect())
}

#[test]
fn the_small_world_is_found_and_nothing_else() {
    let (explorer, truth) = explore(include_str!("../../../worlds/small.world"), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(
        missed.is_empty() && unexpected.is_empty(),
        "missed {missed:#?}\nunexpected {unexpected:#?}\nfailed {:#?}",
        explorer.failures()
    );
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
}

#[test]
fn providers_are_trusted_in_every_state() {
    let world = World::parse(&world("name acme.test A 203.0.113.10"), "test.world").unwrap();
    for state in [1, 12, 99] {
        let explorer = Explorer::run(&world, EPOCH, state, Clearance::L1);
        assert_eq!(explorer.failures().len(), 0, "state {state}: {:#?}", explorer.failures());
    }
}

#[test]
fn names_of_theirs_that_only_records_of_other_names_mention_are_found() {
    let lines = "name acme.test A 203.0.113.10 TXT \"v=spf1 mx:mxq-1.acme.test -all\"\nname eu.acme.test A \
                 203.0.113.11 MX 10 mxq-8.acme.test TXT \"v=spf1 a:outq-7.acme.test -all\"\nname \
                 _sip._tcp.eu.acme.test SRV 0 5 5060 sipq-6.acme.test\nname _dmarc.acme.test TXT \"v=DMARC1; p=none; \
                 rua=mailto:x@ruaq-5.acme.test\"\nname {mxq-1,mxq-8,outq-7,sipq-6,ruaq-5}.acme.test A \
                 203.0.113.{21..25}\nzone dev.acme.test of acme\n  ns nsxq-4.acme.test 203.0.113.30\nname \
                 dev.acme.test A 203.0.113.12\nname www.acme.test CNAME eu.acme.test";
    let (explorer, truth) = explore(&world(lines), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    assert_eq!(explorer.outside(), Vec::<String>::new());

    // Of a host that is a seed they tell of others in the domain, and nothing shows that those are theirs.
    let text = world(lines).replace("seeds acme.test", "seeds eu.acme.test");
    let (explorer, _) = explore(&text, Clearance::L3);
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    assert!(!scoped.iter().any(|name| name == "outq-7.acme.test"), "{scoped:?}");
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

#[test]
fn names_of_theirs_that_only_files_and_scripts_mention_are_found() {
    let (explorer, truth) = explore(
        &world(
            "name www.acme.test A 203.0.113.10\nname mta-sts.acme.test A 203.0.113.10\nname \
             {mapq-1,secq-2,boxq-3,pushq-4,cdnq-5,mxq-6}.acme.test A 203.0.113.{21..26}\n\
             site https://www.acme.test \"Acme\"\n  robots \"Sitemap: https://mapq-1.acme.test/s.xml\"\n  page \
             /.well-known/security.txt text/plain \"Contact: https://secq-2.acme.test/report\\nContact: \
             mailto:a@boxq-3.acme.test\\n\"\n  body \"<script>new WebSocket('wss://pushq-4.acme.test/'); \
             u='//cdnq-5.acme.test/a.js'; v='//gone.example/x'</script>\"\n\
             site https://mta-sts.acme.test\n  page /.well-known/mta-sts.txt text/plain \"version: STSv1\\nmode: \
             enforce\\nmx: mxq-6.acme.test\\nmax_age: 86400\\n\"",
        ),
        Clearance::L2,
    );
    let (missed, _) = compare(&explorer, &truth);
    let names: Vec<&String> = missed.iter().filter(|text| text.starts_with("DnsRecord")).collect();
    assert!(names.is_empty(), "{names:#?}");
    assert!(explorer.present().all(|(_, name)| !name.contains("gone.example")), "a host of others, if it is one");
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

/// A zone of one site and what stands in it; the rest is as small as a world can be.
fn world(lines: &str) -> String {
    format!(
        "world tiny \"Tiny\"\nseeds acme.test\norg acme \"Acme Corp\" ours email hostmaster@acme.test\norg host \
         \"Hosting\" vendor\n\
         block 203.0.113.0/26 of acme asn AS64500 named ACME-NET\nblock 198.51.100.0/24 of host asn AS64502 named \
         HOST-NET\n\
         zone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\nzone host.test of host\n  ns ns1.host.test \
         198.51.100.53\n{lines}\n"
    )
}

#[test]
fn equal_worlds_are_explored_alike() {
    let text = world(
        "name acme.test A 203.0.113.10 MX 10 mail.acme.test TXT \"v=spf1 mx -all\"\nname www.acme.test A 203.0.113.10 \
         A 203.0.113.11\n\
         name mail.acme.test A 203.0.113.25\nname *.demo.acme.test A 203.0.113.10\nname demo.acme.test A 203.0.113.10\n\
         host 203.0.113.25\n  port 25 smtp \"mail.acme.test ESMTP Postfix\" starttls names mail.acme.test\n\
         site https://www.acme.test \"Acme\"\n  server \"nginx/1.24.0\"  favicon acme  cookie session careless  \
         nonce\n  login",
    );
    let (one, _) = explore(&text, Clearance::L3);
    let (other, _) = explore(&text, Clearance::L3);
    assert_eq!(one.transcript(), other.transcript());
}

#[test]
fn a_passive_exploration_contacts_nobody() {
    let text =
        world("name acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"");
    let (explorer, _) = explore(&text, Clearance::L1);
    assert!(explorer.present().all(|(kind, _)| kind != Kind::Uri && kind != Kind::NetworkService));
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

#[test]
fn hostile_neighbours_cost_a_healthy_site_nothing() {
    let behaviours =
        ["endless", "slow-body", "huge-header", "bomb", "reset", "redirect-loop", "invalid-utf8", "not-http", "nasty"];
    let mut lines =
        "name acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n"
            .to_owned();
    for (index, behaviour) in behaviours.iter().enumerate() {
        lines.push_str(&format!(
            "name web{index}.acme.test A 203.0.113.{}\nsite http://web{index}.acme.test \"Hostile\"\n  hostile \
             {behaviour}\n",
            20 + index
        ));
    }
    let (explorer, truth) = explore(&world(&lines), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    let healthy = |text: &&String| text.contains("www.acme.test") || text.contains("203.0.113.10");
    assert!(!missed.iter().any(|text| healthy(&text)), "{missed:?}");
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

/// Wire time at which the world's pools rotate.
const ROTATION_MS: u64 = 30_000;

#[test]
fn no_moment_of_a_rotating_wildcard_makes_a_guess_a_name() {
    let text = world(
        "name acme.test A 203.0.113.10\nname *.acme.test A 203.0.113.{20..22} rotate\nname www.acme.test A \
         203.0.113.11",
    );
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    // The profile is taken in one turn of the pool; the guesses come around the beginning of each of the next three.
    for turn in 1..=3 {
        for before_ms in (0..400).step_by(8) {
            let names = explorer::guesses(&world, EPOCH, turn * ROTATION_MS - before_ms);
            assert_eq!(names, ["www.acme.test"], "turn {turn}, {before_ms} ms before it");
        }
    }
}

#[test]
fn a_block_that_a_seed_names_is_swept_and_its_pointers_are_read() {
    let text = world(
        "name acme.test A 203.0.113.10\nname quoin.acme.test A 203.0.113.4\nhost 203.0.113.3\n  port 22 ssh \
         \"OpenSSH_9.6\"\n  unlisted filtered\n\
         host 203.0.113.4\n  ptr quoin.acme.test\n  port 8443 https\nhost 203.0.113.20\n  port 22 ssh \"OpenSSH_9.6\"\n\
         host 203.0.113.5\n  ptr host-203-0-113-5.acme.test",
    );
    let text = text.replace("seeds acme.test", "seeds acme.test 203.0.113.0/28");
    let (explorer, _) = explore(&text, Clearance::L3);
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    for there in ["203.0.113.3", "203.0.113.3:22/tcp", "203.0.113.4", "203.0.113.4:8443/tcp", "quoin.acme.test"] {
        assert!(scoped.iter().any(|name| name == there), "{there} is missed: {scoped:?}");
    }
    let present: Vec<String> = explorer.present().map(|(_, name)| name).collect();
    for absent in ["203.0.113.20", "host-203-0-113-5.acme.test"] {
        assert!(!present.iter().any(|name| name == absent), "{absent} is outside the block, or nobody's name");
    }
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

#[test]
fn a_zone_signed_with_nsec_is_walked_and_another_is_not() {
    let zones = "zone works.acme.test of acme\n  ns ns1.acme.test\n  signed SIGNED\nname \
                 {quoin,thwart}.works.acme.test A 203.0.113.11\nname *.works.acme.test CNAME \
                 thwart.works.acme.test\nname lead.works.acme.test CNAME thwart.works.acme.test\nname acme.test A \
                 203.0.113.10 MX 10 works.acme.test\nname works.acme.test A 203.0.113.12";
    for (signed, walked) in [("nsec", true), ("nsec3", false)] {
        let (explorer, _) = explore(&world(&zones.replace("SIGNED", signed)), Clearance::L1);
        // Nothing but the walk leads to these names; passive as it is, it needs to know of the zone.
        let names: Vec<String> = explorer.present().map(|(_, name)| name).collect();
        assert_eq!(names.iter().any(|name| name == "quoin.works.acme.test"), walked, "{names:?}");
    }
}

#[test]
fn a_walk_goes_on_past_names_that_were_handed_to_others() {
    let (explorer, _) = explore(
        &world(
            "name acme.test A 203.0.113.10 MX 10 works.acme.test\nname works.acme.test A 203.0.113.12\n\
             zone works.acme.test of acme\n  ns ns1.acme.test\n  signed nsec\n\
             # another's zone, one of another's that is signed itself, one whose servers are not there\n\
             zone half.works.acme.test of host\n  ns ns1.host.test\nname half.works.acme.test A 198.51.100.77\n\
             zone mid.works.acme.test of host\n  ns ns1.host.test\n  signed nsec\n\
             name {mid,a.mid,z.mid}.works.acme.test A 198.51.100.77\n\
             zone old.works.acme.test of host\n  ns ns1.never-there.test\n\
             name {cove,hand,nook,quoin,thwart}.works.acme.test A 203.0.113.11",
        ),
        Clearance::L1,
    );
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    for name in ["cove", "hand", "nook", "quoin", "thwart"] {
        assert!(scoped.contains(&format!("{name}.works.acme.test")), "{name}: {scoped:?}");
    }
    assert!(!scoped.iter().any(|name| name.contains("half") || name.contains("mid")), "{scoped:?}");
    assert!(explorer.present().any(|(_, name)| name == "half.works.acme.test"));
}

#[test]
fn servers_to_which_names_were_handed_are_found_though_they_do_not_answer_for_them() {
    let text = world(
        "name acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.10\nname qa.acme.test A 203.0.113.11\n\
         zone qa.acme.test of acme\n  ns nsxq-9.acme.test 203.0.113.9\n  answers refused",
    );
    let (explorer, truth) = explore(&text, Clearance::L3);
    let scoped: Vec<String> = explorer.scoped().map(|(kind, name)| format!("{} {name}", kind.name())).collect();
    for there in ["DnsRecord nsxq-9.acme.test", "Nameserver nsxq-9.acme.test", "IpAddress 203.0.113.9"] {
        assert!(scoped.iter().any(|name| name == there), "{there} is missed: {scoped:#?}");
    }
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    assert_eq!(explorer.outside(), Vec::<String>::new());

    let (explorer, _) = explore(&text, Clearance::L2);
    assert!(explorer.present().all(|(_, name)| !name.contains("nsxq-9")), "nobody's server was asked");
}

#[test]
fn names_that_nobody_serves_are_found_and_told_from_those_that_others_serve() {
    let (explorer, _) = explore(
        &world(
            "name acme.test A 203.0.113.10\n\
             zone old.acme.test of host\n  ns ns1.never-registered.test\n\
             zone dev.acme.test of host\n  ns ns1.host.test\n  answers lame\n\
             zone shop.acme.test of host\n  ns ns1.host.test\nname shop.acme.test A 198.51.100.77",
        ),
        Clearance::L3,
    );
    let dead = explorer.details(Kind::Domain, "acme.test")["hidden_dead_delegations"].clone();
    let names: Vec<(&str, &str)> = dead
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["name"].as_str().unwrap(), item["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(names, [("dev.acme.test", "lame"), ("old.acme.test", "lame")], "{:#?}", explorer.failures());
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    assert!(!scoped.iter().any(|name| name == "old.acme.test" || name == "dev.acme.test"), "{scoped:?}");
}

#[test]
fn names_beside_known_ones_are_found_below_levels_without_records() {
    let text = format!(
        "{}zone lab.acme.test of acme\n  ns ns1.acme.test\nname {{lab,www.lab}}.acme.test A 203.0.113.12\n\
         zone shop.acme.test of host\n  ns ns1.host.test\n\
         name {{shop,x.y.shop,api.y.shop}}.acme.test A 198.51.100.77\n",
        world(
            "name acme.test A 203.0.113.10 MX 10 mail.de.office1.acme.test MX 20 x.y.shop.acme.test \
             MX 30 lab.acme.test\n\
             name {mail,www,api}.de.office1.acme.test A 203.0.113.{11,13,14}\nname vpn.office1.acme.test A 203.0.113.15"
        )
    );
    let (explorer, _) = explore(&text, Clearance::L3);
    let found: Vec<(Kind, String)> = explorer.scoped().collect();
    for name in ["www.de.office1", "api.de.office1", "vpn.office1", "www.lab"] {
        assert!(found.contains(&(Kind::DnsRecord, format!("{name}.acme.test"))), "{name}: {:#?}", explorer.failures());
    }
    // What was handed to others is theirs to enumerate.
    assert!(explorer.present().all(|(_, name)| name != "api.y.shop.acme.test"));
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
}

#[test]
fn hosts_that_a_mail_policy_lets_send_are_names_where_they_exist() {
    let text = world(
        "name acme.test A 203.0.113.10 TXT \"v=spf1 include:_spf.acme.test -all\"\n\
         name _spf.acme.test TXT \"v=spf1 a:bulk-7k.acme.test a:gone-7k.acme.test a:out.host.test -all\"\nname \
         bulk-7k.acme.test A 203.0.113.11",
    );
    let (explorer, _) = explore(&text, Clearance::L1);
    let names: Vec<String> = explorer.present().map(|(_, name)| name).collect();
    assert!(names.iter().any(|name| name == "bulk-7k.acme.test"), "{names:?}");
    for absent in ["gone-7k.acme.test", "out.host.test"] {
        assert!(!names.iter().any(|name| name == absent), "{absent}");
    }
}

#[test]
fn what_some_questions_fail_at_the_others_still_tell() {
    let text = world(
        "name acme.test A 203.0.113.10 MX 10 mail.acme.test TXT \"v=spf1 +all\" fails CAA fails DS\nname \
         mail.acme.test A 203.0.113.25\n\
         name {_smtp._tls,_ldap._tcp,default._bimi}.acme.test answers servfail\nname _sip._tcp.acme.test SRV 10 5 5060 \
         pbx-7k.acme.test\n\
         name _sips._tcp.acme.test SRV 10 5 5061 nobody.acme.test\n\
         name pbx-7k.acme.test A 203.0.113.26 fails AAAA\nname gone.acme.test fails AAAA",
    );
    let (explorer, truth) = explore(&text, Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    let domain = explorer.facts(Kind::Domain, "acme.test");
    assert_eq!(domain.details["spf_record"], "v=spf1 +all");
    let outcome = |task, argument| domain.outcome_at(task, argument);
    assert_eq!(outcome(TaskName::ZoneProfile, ""), Some(ProbeOutcome::Found));
    assert_eq!(
        outcome(TaskName::ZoneProfile, "CAA"),
        Some(ProbeOutcome::Unknown),
        "nobody knows whether there is a record"
    );
    assert_eq!(outcome(TaskName::MailPolicy, "SPF"), Some(ProbeOutcome::Found));
    assert_eq!(outcome(TaskName::MailPolicy, "TLS-RPT"), Some(ProbeOutcome::Unknown));
    assert_eq!(domain.details["hidden_srv"][0]["target"], "pbx-7k.acme.test");
}

#[test]
fn an_alias_into_a_broken_zone_is_no_lame_delegation() {
    let text = world(
        "name acme.test A 203.0.113.10\nzone broken.test of host\n  ns ns1.host.test\n  answers servfail\nname \
         shop.acme.test CNAME shop.broken.test\n\
         zone lame.acme.test of acme\n  ns ns9.acme.test 203.0.113.9\n  answers lame\nsite http://acme.test \"A\"\n  \
         links http://shop.acme.test/ http://lame.acme.test/",
    );
    let text = text.replace("203.0.113.2\nzone", "203.0.113.2\n  transfer open\nzone");
    let (explorer, _) = explore(&text, Clearance::L3);
    let records = |name: &str| explorer.facts(Kind::DnsRecord, name).details.get("hidden_dangling").cloned();
    assert_eq!(
        explorer.facts(Kind::DnsRecord, "shop.acme.test").outcome_at(TaskName::Dangling, ""),
        Some(ProbeOutcome::Unknown),
        "whether the alias leads anywhere could not be looked at"
    );
    assert_eq!(records("shop.acme.test"), None);
    assert_eq!(records("lame.acme.test").unwrap()[0]["reason"], "lame");
}

#[test]
fn a_bucket_behind_an_alias_is_found() {
    let text = world(
        "name acme.test A 203.0.113.10\nname files.acme.test CNAME acme-files.s3.amazonaws.com\nbucket s3 acme-files \
         of acme listed keys report.pdf",
    );
    let (explorer, truth) = explore(&text, Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    let bucket = explorer.facts(Kind::CloudStorageBucket, "https://acme-files.s3.amazonaws.com");
    assert_eq!(bucket.details["hidden_listable"], true);
}

/// Combinations that random worlds once got wrong; the world's own truth says what is right.
#[test]
fn odd_corners_are_found_and_nothing_else() {
    let (explorer, truth) = explore(
        &world(
            "name acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.10\n\
             # a machine that accepts everywhere, with services on ports that few use and with TLS that few speak\n\
             name {vpn,portal}.acme.test A 203.0.113.{11,12}\nhost 203.0.113.{11,12}\n  unlisted open\n  port 7777 \
             banner \"hello\"\n\
             site http://vpn.acme.test:10443 \"V\"\nsite https://portal.acme.test \"P\"\n  tls only-old  plain none\n\
             # a way to a port where nobody is\n\
             name shop.acme.test A 203.0.113.13\nsite http://shop.acme.test:8080 \"S\"\n  redirect \
             http://shop.acme.test:81/\n\
             # sites that send everybody on but show what they should not\n\
             name {git,files}.acme.test A 203.0.113.{14,15}\nsite https://{git,files}.acme.test \"G\"\n  redirect \
             https://www.acme.test/\n  exposes {git,listing}\n\
             # careless cookies before a password, and old TLS at a vendor's\n\
             name admin.acme.test A 203.0.113.16\nsite http://admin.acme.test \"A\"\n  cookie sid careless  basic \
             \"Secret\"\n\
             name old.acme.test CNAME old.host.test\nname old.host.test A 198.51.100.77\nsite https://old.acme.test \
             \"O\"\n  tls only-old\n\
             # two names with a certificate each on a port where TLS is rare\n\
             name {one,two}.acme.test A 203.0.113.18\nsite https://{one,two}.acme.test:8080 \"T\"\n\
             # a pointer to a name that only a wildcard answers\n\
             name *.acme.test A 203.0.113.17\nhost 203.0.113.16\n  ptr pointed.acme.test\nsite https://www.acme.test \
             \"W\"\n",
        ),
        Clearance::L3,
    );
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(
        missed.is_empty() && unexpected.is_empty(),
        "missed {missed:#?}\nunexpected {unexpected:#?}\nfailed {:#?}",
        explorer.failures()
    );
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
    let exposed = |site: &str| explorer.details(Kind::Uri, site)["hidden_exposures"].to_string();
    assert!(
        exposed("https://git.acme.test:443").contains("git")
            && exposed("https://files.acme.test:443").contains("listing")
    );
}
