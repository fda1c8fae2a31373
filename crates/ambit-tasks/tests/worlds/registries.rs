//! Registries that send on to one another, by RDAP.

use super::explorer::empty_facts;
use super::faulty::{Anything, Fault, Faulty, Looked, look};
use super::{EPOCH, world};
use ambit_model::run::NotDoneReason;
use ambit_model::{Clearance, Kind};
use ambit_net::net::NetOptions;
use ambit_net::wire::{Wire as _, WireTime};
use ambit_net::{Grants, Net, Pace, PaceLimits};
use ambit_tasks::{Answer, Context, Settings, TaskError};
use ambit_world::World;
use futures::future::join_all;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Looks at the registration of `z0.test`, which a registry knows that answers by these lines.
fn asked_of(lines: &str) -> Looked {
    let text = world(&format!(
        "name {{rdap0,rdap1}}.host.test A 198.51.100.10\nzone z0.test of host\n  ns ns1.host.test\n  registry \
         https://rdap0.host.test\nzone z1.test of host\n  ns ns1.host.test\n  registry https://rdap1.host.test\n\
         {lines}"
    ));
    let world = World::parse(&text, "t.world").unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}"));
    look(&world, EPOCH, "registration", (Kind::Domain, "z0.test", ""), never_in_clear)
}

/// Nobody is asked in clear.
fn never_in_clear(at: SocketAddr, _: WireTime) -> Option<io::ErrorKind> {
    assert_ne!(at.port(), 80, "{at} is asked in clear");
    None
}

const ANSWER: &str = "application/rdap+json \"{\\\"ldhName\\\":\\\"z0.test\\\"}\"";

#[test]
fn a_registry_that_sends_on_in_clear_to_another_page_of_its_own_is_asked_there_by_https() {
    let site = "site https://rdap{N}.host.test \"R\"\n  redirect";
    let (own, other) = (site.replace("{N}", "0"), site.replace("{N}", "1"));
    for (lines, is_found) in [
        (format!("{own} http://rdap0.host.test/v1/z0\n  page /v1/z0 {ANSWER}"), true),
        (format!("{own} https://rdap0.host.test/v1/z0\n  page /v1/z0 {ANSWER}"), true),
        (format!("{own} http://rdap0.host.test:8080/v1/z0\n  page /v1/z0 {ANSWER}"), false),
        // By way of another registry, and back to a page that was not asked for yet.
        (format!("{own} http://rdap1.host.test/x\n  page /v1/z0 {ANSWER}\n{other} http://rdap0.host.test/v1/z0"), true),
        // In circles.
        (format!("{own} http://rdap0.host.test/domain/z0.test"), false),
        (format!("{own} http://rdap0.host.test/v1/z0"), false),
        (format!("{own} http://rdap1.host.test/x\n{other} http://rdap0.host.test/domain/z0.test"), false),
    ] {
        match asked_of(&lines).answer {
            Ok(answer) => assert!(is_found && answer == Answer::Found, "{lines}: {answer:?}"),
            Err(error) => assert!(!is_found && error.reason() == NotDoneReason::SourceDown, "{lines}: {error}"),
        }
    }
}

/// Looks at the registration of a domain whose registry is the first of so many, each of which sends on to the next one
/// by this scheme. The last one answers; all are in the list but those from `listed` on.
fn asked(registries: usize, scheme: &str, listed: usize) -> Looked {
    let mut lines = String::new();
    for at in 0..registries {
        let host = format!("rdap{at}.host.test");
        lines += &format!("name {host} A 198.51.100.10\n");
        if at < listed {
            lines += &format!("zone z{at}.test of host\n  ns ns1.host.test\n  registry https://{host}\n");
        }
        let answer = match at + 1 < registries {
            true => format!("redirect {scheme}://rdap{}.host.test/domain/z0.test", at + 1),
            false => "page /domain/z0.test application/rdap+json \"{\\\"ldhName\\\":\\\"z0.test\\\"}\"".to_owned(),
        };
        lines += &format!("site https://{host} \"R\"\n  {answer}\n");
    }
    let text = world(&lines);
    let world = World::parse(&text, "t.world").unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}"));
    look(&world, EPOCH, "registration", (Kind::Domain, "z0.test", ""), |_, _| None)
}

#[test]
fn registries_of_the_list_that_send_on_are_followed_five_times_and_never_in_clear() {
    // The redirector sends on to the first.
    for (registries, scheme, listed, is_found) in [
        (1, "https", 1, true),
        (2, "https", 2, true),
        (5, "https", 5, true),
        (6, "https", 6, false),
        (2, "https", 1, false),
        // The list names it over https, and there it is asked.
        (2, "http", 2, true),
        (2, "http", 1, false),
        (1, "http", 1, true),
    ] {
        let looked = asked(registries, scheme, listed);
        let of = format!("{registries} by {scheme}, {listed} listed: {:?}", looked.answer);
        match looked.answer {
            Ok(answer) => assert!(is_found && answer == Answer::Found, "{of}"),
            Err(error) => assert!(!is_found && error.reason() == NotDoneReason::SourceDown, "{of}"),
        }
    }
}

/// Looks at the registrations of domains at once, in one run: how each ended, and how long all took.
fn all_of(world: &World, domains: Vec<String>, fault: Fault) -> (Vec<Result<Answer, TaskError>>, Duration) {
    let wire = world.wire(EPOCH, 1);
    let tracked = Arc::new(Faulty { wire: wire.clone(), fault });
    let (send, receive) = std::sync::mpsc::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(wire.clone().track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked, Arc::new(Anything), pace, NetOptions::default());
        let task = ambit_tasks::find("registration").unwrap();
        let settings = Settings::default();
        let ask = async |name: &String| {
            let facts = empty_facts(Kind::Domain, name);
            let session = net.session(Grants::task(Clearance::L1, &["rdap"]));
            (task.run)(&Context::new(&session, &facts, "", &settings)).await
        };
        let answers = join_all(domains.iter().map(ask)).await;
        send.send((answers, wire.now())).unwrap();
    })));
    receive.recv().unwrap()
}

fn is_source_down(answer: &Result<Answer, TaskError>) -> bool {
    matches!(answer, Err(error) if error.reason() == NotDoneReason::SourceDown)
}

#[test]
fn where_no_registry_can_be_reached_the_domains_of_a_run_do_not_wait_one_after_another() {
    let parsed = World::parse(&world(""), "t.world").unwrap_or_else(|problems| panic!("{problems:#?}"));
    let unreachable: Fault = |at, _| matches!(at.port(), 43 | 443).then_some(io::ErrorKind::TimedOut);
    let domains = (0..400).map(|number| format!("d{number}.test")).collect();
    let (answers, took) = all_of(&parsed, domains, unreachable);
    assert!(answers.iter().all(is_source_down), "nothing is known of them");
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn a_registry_that_is_down_keeps_no_question_from_another() {
    let mut lines = String::from("name rdap0.host.test A 198.51.100.10\nname rdap1.host.test A 198.51.100.11\n");
    for number in 0..30 {
        for registry in 0..2 {
            lines += &format!(
                "zone r{registry}-{number}.test of host\n  ns ns1.host.test\n  registry \
                 https://rdap{registry}.host.test\n"
            );
        }
    }
    lines += "host 198.51.100.10\n  port 443 silent\n  port 43 banner \"Queries exceed the limit.\\r\\n\"\n";
    lines += "site https://rdap1.host.test \"R\"\n";
    for number in 0..30 {
        lines += &format!(
            "  page /domain/r1-{number}.test application/rdap+json \"{{\\\"ldhName\\\":\\\"r1-{number}.test\\\"}}\"\n"
        );
    }
    let parsed = World::parse(&world(&lines), "t.world").unwrap_or_else(|problems| panic!("{problems:#?}"));
    let of = |registry: u32| (0..30).map(move |number| format!("r{registry}-{number}.test"));
    let (answers, took) = all_of(&parsed, of(0).chain(of(1)).collect(), |_, _| None);
    assert!(answers[..30].iter().all(is_source_down), "{:?}", answers[0]);
    assert!(answers[30..].iter().all(|answer| *answer == Ok(Answer::Found)), "{:?}", answers[30]);
    assert!(took < Duration::from_secs(300), "{took:?}");
}
