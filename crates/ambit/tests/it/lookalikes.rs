//! Names that resemble a domain, beside those that dnstwist makes of it: everything that it makes is made here too, but
//! for what is left out with its reason.

use crate::clients::python_programs;
use ambit_model::lookalike::{Resemblance, every_lookalike, lookalikes};
use std::collections::BTreeSet;
use std::process::Command;

/// Of several lengths and suffixes, with hyphens, digits, doubled letters and letters beyond ASCII.
const DOMAINS: [&str; 20] = [
    "acme.com",
    "harbour.org",
    "google.de",
    "paypal.co.uk",
    "amazon.fr",
    "two-parts.net",
    "bank24.io",
    "7eleven.jp",
    "modern.eu",
    "clever.ch",
    "kroll.us",
    "bücher.de",
    "zebra.dk",
    "fjord.no",
    "salmi.fi",
    "joao.com.br",
    "a1.net",
    "quiz.info",
    "wave.ca",
    "index.pl",
];

/// The most letters that replacing one thing changes: `m` for `rn`.
const TWO_FOR_ONE: usize = 2;

/// What dnstwist makes of a domain.
fn made_by_dnstwist(domain: &str) -> BTreeSet<String> {
    let mut command = Command::new(python_programs().join("python"));
    let output = command.args(["-m", "dnstwist", "--format", "list", domain]).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("names are ASCII");
    said.lines().map(str::to_owned).filter(|name| name != domain).collect()
}

/// Names with two letters replaced by what looks alike.
fn replaced_twice(domain: &str) -> BTreeSet<String> {
    let is_alike = |by: &Resemblance| matches!(by, Resemblance::AsciiAlike | Resemblance::UnicodeAlike);
    let alike = |domain: &str| lookalikes(domain).into_iter().filter(|(_, by)| is_alike(by)).map(|(name, _)| name);
    alike(domain).flat_map(|once| alike(&once).collect::<Vec<_>>()).collect()
}

/// Returns whether more letters beyond ASCII stand in a name than in the domain, by two or more.
fn has_two_beyond_ascii(name: &str, domain: &str) -> bool {
    let beyond = |name: &str| idna::domain_to_unicode(name).0.chars().filter(|letter| !letter.is_ascii()).count();
    beyond(name) > beyond(domain) + 1
}

/// How many letters are put in, left out or replaced at least, from one name to the other (Levenshtein 1966).
fn distance(from: &str, to: &str) -> usize {
    let letters = |name: &str| idna::domain_to_unicode(name).0.chars().collect::<Vec<char>>();
    let (from, to) = (letters(from), letters(to));
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, letter) in from.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], place + 1);
        for (at, other) in to.iter().enumerate() {
            let changed = before + usize::from(letter != other);
            before = row[at + 1];
            row[at + 1] = changed.min(before + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

#[test]
fn everything_that_dnstwist_makes_of_a_domain_is_made_but_for_what_is_left_out_for_a_reason() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for domain in DOMAINS {
        let ascii = ambit_model::Kind::Domain.canonical(domain).expect("it is one");
        let mut theirs = made_by_dnstwist(domain);
        theirs.remove(&ascii);
        compared += theirs.len();
        let ours: BTreeSet<String> = every_lookalike(&ascii).into_iter().map(|(name, _)| name).collect();
        let missing: Vec<&String> = theirs.iter().filter(|name| !ours.contains(*name)).collect();
        // A label of three letters is one slip away from too many honest names.
        if ascii.split('.').next().is_some_and(|label| label.len() < 4) {
            continue;
        }
        // Two letters replaced at once are tens of thousands of names that few registries accept (decision 0098).
        let twice = if missing.is_empty() { BTreeSet::new() } else { replaced_twice(&ascii) };
        let is_excused = |name: &&String| {
            twice.contains(*name) || has_two_beyond_ascii(name, &ascii) || distance(name, &ascii) > TWO_FOR_ONE
        };
        wrong.extend(missing.into_iter().filter(|name| !is_excused(name)).cloned());
    }
    assert!(wrong.is_empty(), "{} of {compared}: {wrong:?}", wrong.len());
    assert!(compared > 10_000, "a comparison with little says little: {compared}");
}
