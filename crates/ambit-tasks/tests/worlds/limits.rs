//! What a task may report at most, and what becomes of the rest: names, members, texts, evidence.

use super::explorer::empty_facts;
use super::faulty::{Anything, Looked, look_by};
use super::services::{led, uid};
use super::{EPOCH, world};
use ambit_model::entity::domain::HttpsRecord;
use ambit_model::entity::{domain, network, uri};
use ambit_model::facts::{LastProbe, Neighbour, ProbeOutcome};
use ambit_model::observation::Found;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, Uid};
use ambit_net::net::NetOptions;
use ambit_net::{Grants, Net, NetError, Pace, PaceLimits};
use ambit_tasks::{Answer, Context, Settings, TaskError};
use ambit_world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a report holds in the end, and how many names it refused.
fn reported(report: impl Fn(&Context<'_>)) -> (Found, usize) {
    reported_of(&empty_facts(Kind::Domain, "acme.test"), report, |context| context.into_found())
}

/// The same of an entity of which this is known, as the report is taken then.
fn reported_of<T>(
    facts: &Facts,
    report: impl Fn(&Context<'_>),
    taken: impl for<'a> FnOnce(Context<'a>) -> T,
) -> (T, usize) {
    let wire = World::parse(&world(""), "t.world").unwrap().wire(EPOCH, 1);
    let pace = Arc::new(Pace::new(PaceLimits::default()));
    let net = Net::new(wire, Arc::new(Anything), pace, NetOptions::default());
    let session = net.session(Grants::task(Clearance::L3, &[]));
    let settings = Settings::default();
    let context = Context::new(&session, facts, "", &settings);
    report(&context);
    let refused = context.refused();
    (taken(context), refused)
}

#[test]
fn what_a_probe_saw_that_came_to_no_end_is_kept_beside_what_was_known() {
    let mut facts = empty_facts(Kind::Domain, "acme.test");
    facts.details = Details::from_iter([
        domain::SWEEP_UNANSWERED.is(vec!["old.acme.test".to_owned()]),
        domain::SPF_RECORD.is("v=spf1 -all".to_owned()),
    ]);
    let led = |name: &str, task: TaskName| Neighbour {
        edge: EdgeKind::Subdomain,
        task: task.as_str().to_owned(),
        argument: String::new(),
        uid: Uid::of_entity(uuid::Uuid::nil(), Kind::DnsRecord, name),
        kind: Kind::DnsRecord,
        name: name.to_owned(),
        scoped: true,
        by_evidence: false,
        clearance: Clearance::L3,
        details: Arc::default(),
    };
    facts.outward = vec![led("www.acme.test", TaskName::NameSweep), led("shop.acme.test", TaskName::Subdomain)];
    let so_far = |report: &dyn Fn(&Context<'_>)| {
        reported_of(&facts, report, |context| context.into_found_so_far(TaskName::NameSweep)).0
    };
    assert_eq!(so_far(&|_| ()), None, "nothing was seen");
    let found = so_far(&|cx| cx.found_host("api.acme.test", EdgeKind::Subdomain)).unwrap();
    assert_eq!(found.edges.len(), 1);
    assert_eq!(found.standing, [(EdgeKind::Subdomain, facts.outward[0].uid)].into());
    assert_eq!(found.details, Details::from_iter([domain::SWEEP_UNANSWERED.is(vec!["old.acme.test".to_owned()])]));
}

#[test]
fn what_a_probe_with_another_argument_may_have_said_is_not_kept_for_one_that_came_to_no_end() {
    let mut facts = empty_facts(Kind::Domain, "acme.test");
    let unanswered = |name: &str| domain::SWEEP_UNANSWERED.is(vec![name.to_owned()]);
    facts.details = Details::from_iter([unanswered("old.acme.test")]);
    let found = |facts: &Facts, report: &dyn Fn(&Context<'_>)| {
        let report = |cx: &Context<'_>| {
            cx.found_host("api.acme.test", EdgeKind::Subdomain);
            report(cx);
        };
        reported_of(facts, report, |context| context.into_found_so_far(TaskName::NameSweep)).0.unwrap().details
    };
    let probe = LastProbe::new(ProbeOutcome::Found, EPOCH, 1);
    let arguments = facts.probes.entry(TaskName::NameSweep).or_default();
    arguments.insert(String::new(), probe.clone());
    assert_eq!(found(&facts, &|_| ()), facts.details, "nobody else said it");
    facts.probes.entry(TaskName::NameSweep).or_default().insert("50-100".to_owned(), probe);
    assert_eq!(found(&facts, &|_| ()), Details::new());
    let in_row = |cx: &Context<'_>| cx.observe(domain::SWEEP_UNANSWERED, vec!["new.acme.test".to_owned()]);
    assert_eq!(found(&facts, &in_row), Details::from_iter([unanswered("new.acme.test")]));
}

#[test]
fn what_is_no_name_is_counted_and_left_out() {
    let (found, refused) = reported(|cx| {
        for (kind, name) in [(Kind::IpAddress, "x"), (Kind::Domain, "a..test"), (Kind::IpAddress, "203.0.113.5")] {
            cx.found(kind, name, EdgeKind::Host);
        }
        cx.found_host("-", EdgeKind::Link);
        cx.found_host("WWW.Acme.Test.", EdgeKind::Link);
        cx.found_host("acme.test", EdgeKind::Link);
    });
    let edges: Vec<String> = found.edges.iter().map(|edge| format!("{} {}", edge.kind.name(), edge.name)).collect();
    assert_eq!(edges, ["DnsRecord www.acme.test", "Domain acme.test", "IpAddress 203.0.113.5"]);
    assert_eq!(refused, 3);
}

#[test]
fn more_names_than_any_zone_has_are_counted_and_left_out() {
    let (found, refused) = reported(|cx| {
        for number in 0..20_010 {
            cx.found_host(&format!("n{number}.acme.test"), EdgeKind::Subdomain);
        }
    });
    assert_eq!((found.edges.len(), refused), (20_000, 10));
    assert_eq!(found.left_out, ["what it leads to beyond 20000 entities"]);
}

#[test]
fn a_known_name_of_a_whole_zone_is_seen_also_beyond_those_for_which_there_is_room() {
    let mut facts = empty_facts(Kind::Domain, "acme.test");
    let ends = [
        (EdgeKind::Subdomain, "host-00001"),
        (EdgeKind::Subdomain, "zz-known"),
        (EdgeKind::Subdomain, "zz-gone"),
        (EdgeKind::Link, "zz-new"),
    ];
    let end = |(edge, label)| led("zone_transfer", "", (edge, Kind::DnsRecord, &format!("{label}.acme.test")));
    facts.outward = ends.map(end).to_vec();
    let zone = |cx: &Context<'_>| {
        let hosts = (0..20_000).map(|number| format!("host-{number:05}"));
        for label in hosts.chain(["zz-known".to_owned(), "zz-new".to_owned(), "host-00001".to_owned()]) {
            cx.found_host(&format!("{label}.acme.test"), EdgeKind::Subdomain);
        }
    };
    let (found, refused) = reported_of(&facts, zone, |context| context.into_found());
    let last = found.edges.last().map(|edge| edge.name.as_str());
    assert_eq!((found.edges.len(), refused, last), (20_001, 1, Some("zz-known.acme.test")));
    assert!(found.standing.is_empty(), "zz-gone is not in the zone, and zz-new was only linked: {:?}", found.standing);
    assert_eq!(found.left_out.len(), 1, "{:?}", found.left_out);
}

#[test]
fn the_order_of_reports_is_of_no_account() {
    let names = ["c.acme.test", "a.acme.test", "b.acme.test", "a.acme.test"];
    let in_order = |names: Vec<&str>| {
        reported(|cx| {
            for name in &names {
                cx.found_host(name, EdgeKind::Subdomain);
                cx.observe(domain::SPF_RECORD, "v=spf1 -all".to_owned());
                cx.observe(network::WHOIS_FULL_TEXT, json!("text"));
            }
        })
        .0
    };
    let backwards = in_order(names.into_iter().rev().collect());
    assert_eq!(in_order(names.to_vec()), backwards);
    assert_eq!(backwards.edges.len(), 3);
}

#[test]
fn what_is_said_of_one_thing_twice_is_what_was_said_first() {
    let (found, _) = reported(|cx| {
        for text in ["first", "second"] {
            let details = [network::WHOIS_FULL_TEXT.is(json!(text))].into_iter().collect();
            cx.found_with(Kind::IpAddress, "203.0.113.5", EdgeKind::Host, details);
        }
    });
    assert_eq!(found.edges[0].details["whois_full_text"], "first");
}

#[test]
fn texts_lists_and_depth_are_cut() {
    let observed = |value: Value| {
        let (found, _) = reported(|cx| cx.observe(network::WHOIS_FULL_TEXT, value.clone()));
        found.details["whois_full_text"].clone()
    };
    assert_eq!(observed(json!("a\0b")), "a\u{fffd}b");
    let long = "é".repeat(40_000);
    let cut = observed(json!(long));
    let cut = cut.as_str().unwrap();
    assert!(cut.len() == 65_536 && long.starts_with(cut), "{}", cut.len());
    let (found, _) = reported(|cx| {
        cx.observe(network::WHOIS_FULL_TEXT, json!(long));
        cx.observe(domain::SPF_RECORD, "v=spf1 -all".to_owned());
    });
    assert_eq!(found.left_out, ["what whois_full_text holds beyond 2000 items or 64 KiB"]);
    let list: Vec<usize> = (0..2_001).collect();
    assert_eq!(observed(json!(list)).as_array().unwrap().len(), 2_000);
    let nested = |depth: usize| (0..depth).fold(json!("x"), |inner, _| json!([inner]));
    assert_eq!(observed(nested(12)), nested(12));
    assert_eq!(observed(nested(13)), (0..12).fold(Value::Null, |inner, _| json!([inner])));
    let name = "n".repeat(70_000);
    let members = observed(json!({ name: 1 }));
    assert_eq!(members.as_object().unwrap().keys().next().unwrap().len(), 65_536);
}

#[test]
fn evidence_is_cut_in_length_and_number() {
    let (found, _) = reported(|cx| {
        for _ in 0..70 {
            cx.evidence("answer", &[7; (1 << 20) + 1]);
        }
    });
    assert_eq!(found.evidence.len(), 64);
    assert!(found.evidence.iter().all(|one| one.bytes.len() == 1 << 20 && one.label == "answer"));
}

#[test]
fn hosts_of_one_page_that_were_known_are_kept_before_others() {
    let names = (0..310).map(|number| format!("host-{number:03}.acme.test"));
    let page: String = names.map(|name| format!("<a href='https://{name}/'>x</a>")).collect();
    let text =
        world(&format!("name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n  body \"{page}\""));
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let site = (Kind::Uri, "https://www.acme.test/", "203.0.113.10:443");
    let looked = |task: &str, known: &[&str]| {
        let known = known.iter().map(|name| led(task, site.2, (EdgeKind::Link, Kind::DnsRecord, name)));
        let facts = Facts { outward: known.collect(), ..empty_facts(site.0, site.1) };
        let found = look_by(Settings::default(), (&world, EPOCH), "linked_hosts", (facts, site.2), |_, _| None).found;
        assert_eq!(found.left_out, ["10 hosts are left out: no more than 300 are kept"]);
        let names: Vec<String> = found.edges.iter().map(|edge| edge.name.clone()).collect();
        (names.len(), names.last().cloned().unwrap_or_default(), found.standing)
    };
    let expected = |last: &str| (300, last.to_owned(), BTreeSet::new());
    assert_eq!(looked("linked_hosts", &[]), expected("host-299.acme.test"));
    let known = ["host-309.acme.test", "gone.acme.test"];
    assert_eq!(looked("linked_hosts", &known), expected("host-309.acme.test"));
    assert_eq!(looked("crawl", &known), expected("host-299.acme.test"), "what another task knows takes no room");
    let all: Vec<String> = (0..301).map(|number| format!("host-{number:03}.acme.test")).collect();
    let (count, last, standing) = looked("linked_hosts", &all.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((count, last.as_str()), (300, "host-299.acme.test"));
    let without_room = [(EdgeKind::Link, uid(Kind::DnsRecord, "host-300.acme.test"))];
    assert_eq!(standing, without_room.into(), "what is known and has no room stands");
}

#[test]
fn what_scripts_said_that_are_not_read_now_is_not_gone() {
    let looked = |scripts: usize, last: &str| {
        let tags: String = (1..=scripts).map(|number| format!("<script src='/{number}.js'></script>")).collect();
        let text = world(&format!(
            "name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n  body \"{tags}\"\n  \
             page /1.js application/javascript \"see('https://cdn.acme.test/x')\"\n  page /{scripts}.js {last}"
        ));
        let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
        let argument = "203.0.113.10:443";
        let outward = vec![led("linked_hosts", argument, (EdgeKind::Link, Kind::DnsRecord, "api.acme.test"))];
        let details = Details::from_iter([uri::LINKED_HOSTS.is(json!(["api.acme.test"]))]);
        let facts = Facts { outward, details, ..empty_facts(Kind::Uri, "https://www.acme.test/") };
        look_by(Settings::default(), (&world, EPOCH), "linked_hosts", (facts, argument), |_, _| None)
    };
    let stands: BTreeSet<_> = [(EdgeKind::Link, uid(Kind::DnsRecord, "api.acme.test"))].into();
    let script = "application/javascript \"let a;\"";
    for (scripts, last, is_whole, is_read, left_out) in [
        (2, script, true, true, None),
        (2, "404 text/html \"<p>nothing\"", true, true, None),
        (2, "503 text/html \"<p>later\"", false, false, None),
        (10, script, true, true, None),
        (11, script, true, true, Some("own scripts of the site that are not read: 1")),
    ] {
        let Looked { answer, found, .. } = looked(scripts, last);
        let said = if is_whole { answer == Ok(Answer::Found) } else { matches!(answer, Ok(Answer::InPart(_))) };
        assert!(said, "{scripts} {last}: {answer:?}");
        let edges: Vec<&str> = found.edges.iter().map(|edge| edge.name.as_str()).collect();
        assert_eq!(edges, ["cdn.acme.test"], "{scripts} {last}");
        assert_eq!(found.standing, if is_read { BTreeSet::new() } else { stands.clone() }, "{scripts} {last}");
        let hosts = if is_read { json!(["cdn.acme.test"]) } else { json!(["api.acme.test", "cdn.acme.test"]) };
        assert_eq!(found.details[uri::LINKED_HOSTS.name()], hosts, "{scripts} {last}");
        assert_eq!(found.left_out, Vec::from_iter(left_out), "{scripts} {last}");
    }
}

#[test]
fn what_pages_behind_the_front_page_said_stands_while_one_cannot_be_read_and_goes_with_them_else() {
    let argument = "203.0.113.10:443";
    let stands: BTreeSet<_> = [(EdgeKind::Link, uid(Kind::DnsRecord, "api.acme.test"))].into();
    let page = "\"<a href='https://cdn.acme.test/'>x</a>\"";
    let failed = "503 text/html \"<p>later\"";
    let gone = "404 text/html \"<p>nothing, see https://api.acme.test/\"";
    let unavailable = || TaskError::from(NetError::Unavailable(503));
    let unread = |count: usize| format!("pages and scripts of the site that are not read: {count}");
    for (pages, first, last, expected, leads, left_out) in [
        (2, page, gone, Ok(Answer::Found), true, None),
        (2, page, failed, Ok(Answer::InPart(unavailable())), true, None),
        (2, gone, gone, Ok(Answer::Absent), false, None),
        (2, gone, failed, Err(unavailable()), false, None),
        (12, page, gone, Ok(Answer::Found), true, None),
        (15, page, gone, Ok(Answer::Found), true, Some(unread(3))),
    ] {
        let links: String = (1..=pages).map(|number| format!("<a href='/{}/'>x</a>", word(number))).collect();
        let text = world(&format!(
            "name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n  body \"{links}\"\n  \
             page /{}/ {first}\n  page /{}/ {last}",
            word(1),
            word(2)
        ));
        let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
        let outward = vec![led("site_pages", argument, (EdgeKind::Link, Kind::DnsRecord, "api.acme.test"))];
        let facts = Facts { outward, ..empty_facts(Kind::Uri, "https://www.acme.test/") };
        let Looked { answer, found, .. } =
            look_by(Settings::default(), (&world, EPOCH), "site_pages", (facts, argument), |_, _| None);
        let case = format!("{pages} {first} {last}");
        assert_eq!(answer, expected, "{case}");
        let edges: Vec<&str> = found.edges.iter().map(|edge| edge.name.as_str()).collect();
        assert_eq!(edges, Vec::from_iter(leads.then_some("cdn.acme.test")), "{case}");
        let is_whole = last == gone;
        assert_eq!(found.standing, if is_whole { BTreeSet::new() } else { stands.clone() }, "{case}");
        assert_eq!(found.left_out, Vec::from_iter(left_out), "{case}");
    }
}

/// A path that differs from that of another number by letters.
fn word(number: usize) -> String {
    "x".repeat(number)
}

#[test]
fn what_stood_behind_more_mailboxes_than_are_read_of_a_text_is_not_gone() {
    let mailboxes: String = (0..1_001).map(|number| format!("m{number}@acme.test ")).collect();
    let text = world(&format!(
        "name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n  body \"{mailboxes}\""
    ));
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let argument = "203.0.113.10:443";
    let outward = vec![led("linked_hosts", argument, (EdgeKind::Contact, Kind::EmailAddress, "zoe@acme.test"))];
    let facts = Facts { outward, ..empty_facts(Kind::Uri, "https://www.acme.test/") };
    let found = look_by(Settings::default(), (&world, EPOCH), "linked_hosts", (facts, argument), |_, _| None).found;
    assert_eq!(found.edges.len(), 100);
    assert_eq!(found.standing, [(EdgeKind::Contact, uid(Kind::EmailAddress, "zoe@acme.test"))].into());
    let kept = "900 e-mail addresses are left out: no more than 100 are kept";
    assert_eq!(found.left_out, [kept, "e-mail addresses beyond those that are read of a text"]);
}

/// A look at an entity in a world of these lines, of which this is known: where this task led, and these details.
fn looked(
    lines: &str,
    (task, argument): (&str, &str),
    (kind, name): (Kind, &str),
    led_to: &[(EdgeKind, Kind, &str)],
    details: Value,
) -> Looked {
    let world = World::parse(&world(lines), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let facts = Facts {
        outward: led_to.iter().map(|end| led(task, argument, *end)).collect(),
        details: serde_json::from_value(details).unwrap(),
        ..empty_facts(kind, name)
    };
    look_by(Settings::default(), (&world, EPOCH), task, (facts, argument), |_, _| None)
}

#[test]
fn addresses_behind_those_that_are_read_of_one_answer_stand_and_others_are_gone() {
    let many: String = (0..=255).map(|last| format!(" A 198.51.100.{last}")).collect();
    let lines = format!("name big.acme.test{many} A 203.0.113.1");
    let behind: Vec<String> = (0..1_200).map(|at| format!("203.0.{}.{}", 113 + at / 256, at % 256)).collect();
    let known: Vec<_> = [&["198.51.99.1".to_owned()], &behind[..]].concat();
    let known: Vec<_> = known.iter().map(|name| (EdgeKind::ResolvesTo, Kind::IpAddress, name.as_str())).collect();
    let resolved = looked(&lines, ("resolve", ""), (Kind::DnsRecord, "big.acme.test"), &known, json!({}));
    assert_eq!((resolved.answer, resolved.found.edges.len()), (Ok(Answer::Found), 256));
    assert!(resolved.found.edges.iter().all(|edge| edge.name.starts_with("198.51.100.")), "{:?}", resolved.found.edges);
    let stands = |name: &str| resolved.found.standing.contains(&(EdgeKind::ResolvesTo, uid(Kind::IpAddress, name)));
    assert!(stands("203.0.113.1") && !stands("198.51.99.1"));
    assert_eq!(resolved.found.standing.len(), 1_000, "a server does not make them more and more");
    assert_eq!(resolved.found.left_out, ["addresses beyond those that are read of one answer"]);
}

#[test]
fn addresses_of_a_family_that_could_not_be_looked_up_stand_and_are_not_seen() {
    let known = ["203.0.113.1", "203.0.113.9", "2001:db8:1::7"];
    let known = known.map(|name| (EdgeKind::ResolvesTo, Kind::IpAddress, name));
    let stands = |names: &[&str]| -> BTreeSet<(EdgeKind, Uid)> {
        names.iter().map(|name| (EdgeKind::ResolvesTo, uid(Kind::IpAddress, name))).collect()
    };
    for (fails, led_to, is_whole, standing) in [
        ("", &known[..], true, &[][..]),
        (" fails AAAA", &known[..], false, &["2001:db8:1::7"][..]),
        (" fails AAAA", &known[..2], true, &[][..]),
    ] {
        let lines = format!("name two.acme.test A 203.0.113.1{fails}");
        let resolved = looked(&lines, ("resolve", ""), (Kind::DnsRecord, "two.acme.test"), led_to, json!({}));
        let edges: Vec<&str> = resolved.found.edges.iter().map(|edge| edge.name.as_str()).collect();
        assert_eq!(edges, ["203.0.113.1"], "{fails}");
        assert_eq!(resolved.found.standing, stands(standing), "{fails}");
        let said = if is_whole { resolved.answer == Ok(Answer::Found) } else { is_in_part(&resolved.answer) };
        assert!(said, "{fails} {led_to:?}: {:?}", resolved.answer);
    }
}

fn is_in_part(answer: &ambit_tasks::Result<Answer>) -> bool {
    matches!(answer, Ok(Answer::InPart(_)))
}

#[test]
fn records_of_a_zone_that_are_read_are_told_and_those_that_are_known_behind_them_stand() {
    let texts: String = (0..300).map(|number| format!(" TXT \"z{number:03}\"")).collect();
    let servers: String = (0..300).map(|number| format!(" MX {number} mail.acme.test")).collect();
    let lines = format!("name txt.acme.test{texts}{servers} TXT \"v=spf1 -all\"");
    let known = json!({
        "txt_records": ["v=spf1 +all", "z100", "z254", "z299"],
        "mx_records": [{"priority": 17, "host": "gone.acme.test"}, {"priority": 299, "host": "mail.acme.test"}],
    });
    let zone = looked(&lines, ("zone_profile", ""), (Kind::DnsRecord, "txt.acme.test"), &[], known);
    assert!(matches!(zone.answer, Ok(Answer::InPart(_))), "{:?}", zone.answer);
    let details = &zone.found.details;
    assert_eq!(details["spf_record"], "v=spf1 -all");
    let texts = details["txt_records"].as_array().unwrap();
    assert_eq!(
        (texts.len(), &texts[0], &texts[255], &texts[256]),
        (257, &json!("v=spf1 -all"), &json!("z254"), &json!("z299"))
    );
    let servers = details["mx_records"].as_array().unwrap();
    assert_eq!((servers.len(), &servers[256]["priority"]), (257, &json!(299)));
    assert!(servers.iter().all(|server| server["host"] == "mail.acme.test"));
}

#[test]
fn a_policy_is_read_where_it_is_among_what_is_read_of_an_answer_and_else_nobody_says_that_there_is_none() {
    let spf = |label: &str| {
        let texts: String = (0..300).map(|number| format!(" TXT \"{label}{number}\"")).collect();
        let lines = format!("name txt.acme.test{texts} TXT \"v=spf1 -all\"");
        looked(&lines, ("mail_policy", "SPF"), (Kind::DnsRecord, "txt.acme.test"), &[], json!({}))
    };
    let first = spf("z");
    assert_eq!((first.answer, &first.found.details["spf_record"]), (Ok(Answer::Found), &json!("v=spf1 -all")));
    let behind = spf("a");
    assert!(behind.answer.is_err(), "it may have one: {:?}", behind.answer);
}

#[test]
fn targets_of_more_records_than_are_looked_at_are_gone_only_where_they_were_looked_at() {
    let servers =
        |count: usize| -> String { (0..count).map(|number| format!(" MX {number} mail.acme.test")).collect() };
    let others: String = (0..30).map(|number| format!(" MX 1{number:02} mx{number:02}.acme.test")).collect();
    let hosts: String = (0..30).map(|number| format!("\nname mx{number:02}.acme.test A 203.0.113.10")).collect();
    let gone = json!({"record": "MX", "target": "zz.acme.test", "reason": "nxdomain", "provider": null});
    let known = json!({"hidden_dangling": [gone]});
    let looked = |records: &str| {
        let lines = format!("name many.acme.test{records}\nname mail.acme.test A 203.0.113.10{hosts}");
        let looked = looked(&lines, ("dangling", ""), (Kind::DnsRecord, "many.acme.test"), &[], known.clone());
        (looked.answer, looked.found.details["hidden_dangling"] == known["hidden_dangling"], looked.found.left_out)
    };
    let left_out = vec!["targets of MX records beyond 20".to_owned()];
    assert_eq!(looked(&format!("{others} MX 200 zz.acme.test")), (Ok(Answer::Found), true, left_out.clone()));
    assert_eq!(looked(&others), (Ok(Answer::Absent), false, left_out.clone()), "no record leads there any more");
    assert_eq!(looked(&servers(300)), (Ok(Answer::Found), true, left_out), "one that was not read may lead there");
    assert_eq!(looked(&servers(200)), (Ok(Answer::Absent), false, Vec::new()));
}

#[test]
fn https_records_that_are_known_are_kept_before_others_and_hosts_without_room_stand() {
    let record = |number: usize| HttpsRecord {
        priority: 1,
        target: format!("edge{number}.other.test"),
        ..HttpsRecord::default()
    };
    let records: String = (10..30).map(|number| format!(" HTTPS 1 edge{number}.other.test")).collect();
    let lines = format!("name acme.test A 203.0.113.10{records}");
    let led_to = ["edge28.other.test", "edge29.other.test", "gone.other.test"];
    let led_to = led_to.map(|name| (EdgeKind::Vendor, Kind::DnsRecord, name));
    let known = json!({"hidden_https": [record(29)]});
    let seen = looked(&lines, ("resolve", ""), (Kind::Domain, "acme.test"), &led_to, known);
    let expected: Vec<HttpsRecord> = (10..25).chain([29]).map(record).collect();
    assert_eq!(domain::HTTPS.items(&seen.found.details).collect::<Vec<_>>(), expected);
    let stands = |name: &str| seen.found.standing.contains(&(EdgeKind::Vendor, uid(Kind::DnsRecord, name)));
    assert!(stands("edge28.other.test") && !stands("gone.other.test"), "{:?}", seen.found.standing);
    assert_eq!(seen.found.left_out, ["4 HTTPS records are left out: no more than 16 are kept"]);
}

#[test]
fn files_for_machines_that_name_more_than_is_kept_keep_what_is_known() {
    let paths: String = (0..510).map(|number| format!("Disallow: /p{number:03}\\n")).collect();
    let hosts: String =
        (0..310).map(|number| format!("<url><loc>https://h{number:03}.acme.test/</loc></url>")).collect();
    let lines = format!(
        "name www.acme.test A 203.0.113.10\nsite https://www.acme.test \"Acme\"\n  page /robots.txt text/plain \
         \"User-agent: *\\n{paths}\"\n  page /sitemap.xml application/xml \"<urlset>{hosts}</urlset>\""
    );
    let led_to =
        [(EdgeKind::Link, Kind::DnsRecord, "h309.acme.test"), (EdgeKind::Link, Kind::DnsRecord, "z.acme.test")];
    let known = json!({"hidden_robots": ["/p509", "/gone"]});
    let task = ("robots_sitemap_wellknown", "203.0.113.10:443");
    let seen = looked(&lines, task, (Kind::Uri, "https://www.acme.test/"), &led_to, known);
    assert_eq!(seen.answer, Ok(Answer::Found));
    let robots = seen.found.details["hidden_robots"].as_array().unwrap();
    assert_eq!((robots.len(), &robots[498], &robots[499]), (500, &json!("/p498"), &json!("/p509")));
    let names: Vec<&str> = seen.found.edges.iter().map(|edge| edge.name.as_str()).collect();
    assert_eq!((names.len(), names[298], names[299]), (300, "h298.acme.test", "h309.acme.test"));
    let left_out = [
        "10 paths of robots.txt are left out: no more than 500 are kept",
        "10 hosts are left out: no more than 300 are kept",
    ];
    assert_eq!(seen.found.left_out, left_out);
}

#[test]
fn what_stands_behind_more_records_of_a_zone_than_are_read_is_not_gone() {
    let authorities: String = (0..300).map(|number| format!(" CAA 0 issue \"ca{number:03}.test\"")).collect();
    let services: String = (0..300).map(|number| format!(" SRV 10 5 5060 h{number:03}.acme.test")).collect();
    let lines = format!("name acme.test A 203.0.113.10{authorities}\nname _sip._tcp.acme.test{services}");
    let caa = |number: usize| json!({"flags": 0, "tag": "issue", "value": format!("ca{number:03}.test")});
    let srv = |number: usize| {
        let target = format!("h{number:03}.acme.test");
        json!({"name": "_sip._tcp.acme.test", "priority": 10, "weight": 5, "port": 5060, "target": target})
    };
    for (argument, member, known, sort) in [
        ("CAA", "hidden_caa", json!([caa(7), caa(299)]), "CAA"),
        ("SRV", "hidden_srv", json!([srv(7), srv(299)]), "SRV"),
    ] {
        let details = json!({member: known});
        let zone = looked(&lines, ("zone_profile", argument), (Kind::Domain, "acme.test"), &[], details);
        assert_eq!(zone.answer, Ok(Answer::Found), "{argument}");
        let told = zone.found.details[member].as_array().unwrap();
        assert_eq!((told.len(), told.contains(&known[1])), (257, true), "{argument}");
        assert_eq!(zone.found.left_out, [format!("{sort} records beyond those that are read of one answer")]);
    }
}

#[test]
fn of_more_name_servers_than_are_read_nobody_says_whose_they_are() {
    let servers = |count: usize| -> String {
        (0..count).map(|number| format!("\n  ns ns{number:03}.acme.test 203.0.113.2")).collect()
    };
    let edge = |count: usize, known: &[(EdgeKind, Kind, &str)]| {
        let lines = format!(
            "zone a.acme.test of host{}\n  ns zz.host.test 198.51.100.60\nname a.acme.test A 198.51.100.61",
            servers(count)
        );
        let task = ("subdomain", "a.acme.test");
        let seen = looked(&lines, task, (Kind::Domain, "acme.test"), known, json!({}));
        seen.found.edges.iter().map(|edge| edge.edge).collect::<Vec<_>>()
    };
    let known = [(EdgeKind::Subdomain, Kind::DnsRecord, "a.acme.test")];
    assert_eq!(edge(2, &known), [EdgeKind::DelegatedSubdomain]);
    assert_eq!(edge(300, &[]), [EdgeKind::DelegatedSubdomain], "somebody else's may be among the others");
    assert_eq!(edge(300, &known), [EdgeKind::Subdomain], "what it was stands");
    let sister = |count: usize| {
        let others: String = (0..count).map(|number| format!("\n  ns ns{number:03}.host.test 198.51.100.60")).collect();
        let lines = format!("zone sister.test of host{others}\n  ns zz.sister.test 198.51.100.62");
        let known = [(EdgeKind::Vendor, Kind::Nameserver, "zz.sister.test")];
        let task = ("sister_domain", "NS");
        looked(&lines, task, (Kind::Domain, "sister.test"), &known, json!({})).answer
    };
    assert_eq!(sister(2), Ok(Answer::Found));
    assert!(sister(300).is_err());
}

#[test]
fn of_a_referral_to_more_servers_than_are_read_nobody_says_who_is_gone() {
    let servers: String = (0..300).map(|number| format!("\n  ns ns{number}.host.test 198.51.100.60")).collect();
    let lines = format!("zone a.acme.test of host{servers}\n  answers lame");
    let known = json!({"nameservers": ["ns1.acme.test"]});
    let asked = looked(&lines, ("referrals", "a.acme.test"), (Kind::Domain, "acme.test"), &[], known);
    assert!(asked.answer.is_err() && asked.found.edges.is_empty(), "{:?}", asked.answer);
}
