//! Everything that could be registered against a name: every slip, every suffix, and the name beside words that lure.
//! For those who look for nothing else; the shorter list is above.

use super::letters::{self, ASCII_ALIKE};
use super::suffixes::SUFFIXES;
use super::{Found, PLAIN_VARIED_MAX, Resemblance, VARIED_LETTERS_MIN, alike, lookalikes, spread, with};
use crate::Kind;
use crate::entity::registrable;
use std::collections::BTreeSet;

/// The suffix under which a word is varied; under the others it is tried as it is.
const SUFFIX_OF_WORDS: &str = "com";
/// Words that make a name look like one of its owner's.
const LURES: &str = include_str!("lures.txt");
/// What people type in front of a name without a dot behind it.
const PREFIXES: &[&str] = &["ftp", "http", "https", "m", "mail", "ww", "www", "wwww"];

/// Returns what could be registered against a domain, or with a word of theirs, each name once, those first that are
/// worth most.
pub fn lookalikes_of_seed(kind: Kind, name: &str) -> Vec<(String, Resemblance)> {
    if kind == Kind::Domain {
        return every_lookalike(name);
    }
    let label: String = name.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').collect();
    let domain = Kind::Domain.canonical(&format!("{}.{SUFFIX_OF_WORDS}", label.to_lowercase()));
    let Ok(domain) = domain else { return Vec::new() };
    let names = every_lookalike(&domain);
    std::iter::once((domain, Resemblance::OtherSuffix)).chain(names).collect()
}

/// Returns what could be registered against a domain, each name once, those first that are worth most. The domain
/// itself is not among them.
pub fn every_lookalike(domain: &str) -> Vec<(String, Resemblance)> {
    let Some((label, suffix)) = registrable(domain).and_then(|domain| domain.split_once('.')) else {
        return Vec::new();
    };
    let names = lookalikes(domain);
    let seen: BTreeSet<String> = names.iter().map(|(name, _)| name.clone()).collect();
    let mut found = Found { domain, suffix, seen, names };
    let unicode = idna::domain_to_unicode(label).0;
    let letters: Vec<char> = unicode.chars().collect();
    let is_varied = letters.len() >= VARIED_LETTERS_MIN;
    beside_words(&unicode, &mut found);
    found.in_front(domain);
    let plain: Vec<String> = letters::plain(&letters).into_iter().take(PLAIN_VARIED_MAX).collect();
    for label in &plain {
        beside_words(label, &mut found);
        found.in_front(&format!("{label}.{suffix}"));
    }
    if is_varied {
        found.add(&dotted(&letters), Resemblance::InnerDot);
        for once in alike(&letters, ASCII_ALIKE) {
            found.add(&alike(&once.chars().collect::<Vec<_>>(), ASCII_ALIKE), Resemblance::AsciiAlike);
        }
    }
    // Providers that let anybody have a name take letters of ASCII alone.
    for other in SUFFIXES.iter().filter(|other| other.shared) {
        for label in &plain {
            found.add_name(&format!("{label}.{}", other.name), Resemblance::SharedSuffix);
        }
    }
    for other in SUFFIXES.iter().filter(|other| !other.shared || plain.is_empty()) {
        let by = if other.shared { Resemblance::SharedSuffix } else { Resemblance::OtherSuffix };
        found.add_name(&format!("{label}.{}", other.name), by);
        for label in &plain {
            found.add_name(&format!("{label}.{}", other.name), Resemblance::Plain);
        }
    }
    found.names
}

/// Adds the label with common prefixes, with its own suffix, and with luring words.
fn beside_words(label: &str, found: &mut Found<'_>) {
    for prefix in PREFIXES {
        found.add_here_and_usual(&[format!("{prefix}{label}"), format!("{prefix}-{label}")], Resemblance::Prefix);
    }
    let flat = found.suffix.replace('.', "");
    for other in super::USUAL_SUFFIXES {
        for joined in [format!("{label}{flat}.{other}"), format!("{label}-{flat}.{other}")] {
            found.add_name(&joined, Resemblance::JoinedSuffix);
        }
    }
    for lure in LURES.split_whitespace() {
        let labels =
            [format!("{label}-{lure}"), format!("{label}{lure}"), format!("{lure}-{label}"), format!("{lure}{label}")];
        found.add_here_and_usual(&labels, Resemblance::Lure);
    }
}

/// The label with a dot between two of its letters, or in the place of a hyphen.
fn dotted(letters: &[char]) -> Vec<String> {
    let hyphens = (0..letters.len()).filter(|at| letters[*at] == '-');
    let replaced = hyphens.map(|at| with(&letters[..at], ".", &letters[at + 1..]));
    spread(letters, '.').into_iter().chain(replaced).collect()
}

impl Found<'_> {
    /// Adds labels under the domain's own suffix and under the one that people expect.
    fn add_here_and_usual(&mut self, labels: &[String], by: Resemblance) {
        self.add(labels, by);
        for label in labels {
            self.add_name(&format!("{label}.{SUFFIX_OF_WORDS}"), by);
        }
    }

    /// Adds the whole name in front of other domains: one that begins with its suffix and a word that lures, and its
    /// suffix under another.
    fn in_front(&mut self, domain: &str) {
        for lure in LURES.split_whitespace() {
            self.add_name(&format!("{domain}-{lure}.{SUFFIX_OF_WORDS}"), Resemblance::WholeName);
        }
        for other in super::USUAL_SUFFIXES {
            self.add_name(&format!("{domain}.{other}"), Resemblance::WholeName);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_beside_words_and_under_every_suffix_is_tried() {
        let found = every_lookalike("harbour.test");
        for (name, by) in [
            ("harbour-login.test", Resemblance::Lure),
            ("secureharbour.com", Resemblance::Lure),
            ("wwwharbour.test", Resemblance::Prefix),
            ("harb0vr.test", Resemblance::AsciiAlike),
            ("www-harbour.com", Resemblance::Prefix),
            ("harbour-test.net", Resemblance::JoinedSuffix),
            ("harbour.test-login.com", Resemblance::WholeName),
            ("harbour.test.net", Resemblance::WholeName),
            ("har.bour.test", Resemblance::InnerDot),
            ("harbour.github.io", Resemblance::SharedSuffix),
            ("harbour.pages.dev", Resemblance::SharedSuffix),
            ("harbour.asso.fr", Resemblance::OtherSuffix),
            ("harbour.zip", Resemblance::OtherSuffix),
            ("harbour.com.au", Resemblance::OtherSuffix),
            ("harb0ur.test", Resemblance::AsciiAlike),
        ] {
            assert!(found.contains(&(name.to_owned(), by)), "{name}");
        }
        let once: BTreeSet<&String> = found.iter().map(|(name, _)| name).collect();
        assert_eq!(once.len(), found.len());
        assert!(!once.iter().any(|name| *name == "harbour.test"));
        assert!(found.starts_with(&lookalikes("harbour.test")), "what the shorter list has comes first");
        assert!(every_lookalike("com").is_empty());
    }

    #[test]
    fn a_short_name_has_suffixes_and_words_only() {
        let slips = |(_, by): &(String, Resemblance)| {
            use Resemblance::{JoinedSuffix, Lure, OtherSuffix, Prefix, SharedSuffix, WholeName};
            !matches!(by, OtherSuffix | SharedSuffix | JoinedSuffix | WholeName | Lure | Prefix)
        };
        assert!(!every_lookalike("abc.test").iter().any(slips));
    }

    #[test]
    fn a_name_beyond_ascii_is_tried_in_ascii_as_well() {
        let found = every_lookalike("xn--mller-kva.test");
        for (name, by) in [
            ("muller.test", Resemblance::Plain),
            ("mueller.test", Resemblance::Plain),
            ("muller-login.test", Resemblance::Lure),
            ("mueller-login.com", Resemblance::Lure),
            ("wwwmuller.test", Resemblance::Prefix),
            ("mueller.test-login.com", Resemblance::WholeName),
            ("muller.github.io", Resemblance::SharedSuffix),
            ("mueller.zip", Resemblance::Plain),
            ("muiler.test", Resemblance::AsciiAlike),
            ("xn--mller-login-thb.test", Resemblance::Lure),
        ] {
            let at = found.iter().position(|made| *made == (name.to_owned(), by));
            assert!(at.is_some_and(|at| at < 10_000), "{name} is among those that are asked for: {at:?}");
        }
        let once: BTreeSet<&String> = found.iter().map(|(name, _)| name).collect();
        assert_eq!(once.len(), found.len());
    }

    #[test]
    fn a_dot_takes_the_place_of_a_hyphen_as_well() {
        let found = every_lookalike("two-parts.test");
        assert!(found.contains(&("two.parts.test".to_owned(), Resemblance::InnerDot)));
        assert!(!found.iter().any(|(name, _)| name.contains(".-") || name.contains("-.") || name.contains("..")));
    }

    #[test]
    fn words_are_tried_with_every_suffix_and_varied_under_one() {
        let found = lookalikes_of_seed(Kind::UniqueKeyword, "Harbour Tools");
        for name in ["harbourtools.com", "harbourtools.de", "harbourtools.co.uk", "harbourt00ls.com"] {
            assert!(found.iter().any(|(other, _)| other == name), "{name}");
        }
        assert!(lookalikes_of_seed(Kind::UniqueKeyword, "???").is_empty());
    }
}
