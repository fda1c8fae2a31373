//! Registries that send on to one another, by RDAP.

use super::faulty::{Looked, look};
use super::{EPOCH, world};
use ambit_model::Kind;
use ambit_model::run::NotDoneReason;
use ambit_tasks::Answer;
use ambit_world::World;

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
