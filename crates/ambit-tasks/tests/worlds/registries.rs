//! Registries that send on to one another, by RDAP.

use super::faulty::{Looked, look};
use super::{EPOCH, world};
use ambit_model::Kind;
use ambit_model::run::NotDoneReason;
use ambit_net::wire::WireTime;
use ambit_tasks::Answer;
use ambit_world::World;
use std::io;
use std::net::SocketAddr;

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
