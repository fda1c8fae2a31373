//! Names that people take for a domain: slips of typing, letters that look alike in any script, the same label under
//! other suffixes. Pure: which of them are registered is for others to ask.

mod broad;
mod confusables;
mod letters;
mod suffixes;

pub use broad::{every_lookalike, lookalikes_of_seed};

use crate::entity::registrable;
use letters::{ASCII_ALIKE, KEYBOARDS, UNICODE_ALIKE};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How a name differs from the one that it resembles. The order is that in which names are worth asking for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resemblance {
    /// The same label under another suffix.
    OtherSuffix,
    /// The label in ASCII, as people write it who have no key for its letters: `mueller` and `muller` of `müller`.
    Plain,
    /// A letter left out.
    Omission,
    /// Two neighbours in each other's place.
    Transposition,
    /// A letter written twice.
    Repetition,
    /// A hyphen more or fewer.
    Hyphen,
    /// A letter replaced by one that looks alike, in ASCII.
    AsciiAlike,
    /// The whole label in letters of another script.
    OtherScript,
    /// The suffix written into the label, or a dot left out.
    JoinedSuffix,
    /// A letter behind the label or one of its parts.
    Addition,
    /// An ending of the plural.
    Plural,
    /// Another vowel.
    Vowel,
    /// A key beside the right one.
    WrongKey,
    /// A key beside the right one, as well as that.
    ExtraKey,
    /// A letter that differs in one bit, as memory errors make them.
    BitFlip,
    /// A letter replaced by one that looks alike, beyond ASCII.
    UnicodeAlike,
    /// What people type in front of a name, without its dot.
    Prefix,
    /// The label beside a word that lures: `login`, `invoice`.
    Lure,
    /// The whole name in front of another: `acme.com-login.com`.
    WholeName,
    /// A dot inside the label.
    InnerDot,
    /// The same label below a suffix where a provider lets anybody have a name.
    SharedSuffix,
}

impl Resemblance {
    /// What differs, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherSuffix => "the same label under another suffix",
            Self::Plain => "the same label in letters of ASCII",
            Self::Omission => "a letter is left out",
            Self::Transposition => "two neighbouring letters are swapped",
            Self::Repetition => "a letter is written twice",
            Self::Hyphen => "a hyphen more or fewer",
            Self::AsciiAlike => "a letter is replaced by one that looks alike",
            Self::OtherScript => "the whole label in letters of another script",
            Self::JoinedSuffix => "the suffix is written into the label",
            Self::Addition => "a letter or digit is added",
            Self::Plural => "an ending of the plural is added",
            Self::Vowel => "a vowel is replaced by another",
            Self::WrongKey => "a neighbouring key instead of the right one",
            Self::ExtraKey => "a neighbouring key as well as the right one",
            Self::BitFlip => "a letter differs in one bit",
            Self::UnicodeAlike => "a letter is replaced by one beyond ASCII that looks alike",
            Self::Prefix => "what stands in front of a name is written into the label",
            Self::Lure => "the label beside a word that lures",
            Self::WholeName => "the whole name stands in front of another",
            Self::InnerDot => "a dot stands inside the label",
            Self::SharedSuffix => "the same label where a provider lets anybody have a name",
        }
    }
}

/// Suffixes under which the same label is most often registered by others.
const USUAL_SUFFIXES: &[&str] = &[
    "app", "biz", "co", "co.uk", "com", "de", "dev", "eu", "fr", "info", "io", "net", "online", "org", "shop", "site",
    "us",
];
/// Bytes of a label at most (RFC 1035 §2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// Letters of the shortest label that is varied: shorter ones are one slip away from too many honest names, and are
/// only tried under other suffixes.
const VARIED_LETTERS_MIN: usize = 4;

/// Labels in ASCII that are varied as the label is, and put beside words.
const PLAIN_VARIED_MAX: usize = 2;

/// Returns what resembles a registrable domain, each name once and in the form that name servers know, those first that
/// are worth most. The domain itself is not among them.
pub fn lookalikes(domain: &str) -> Vec<(String, Resemblance)> {
    let Some((label, suffix)) = registrable(domain).and_then(|domain| domain.split_once('.')) else {
        return Vec::new();
    };
    let unicode = idna::domain_to_unicode(label).0;
    let letters: Vec<char> = unicode.chars().collect();
    let mut found = Found { domain, suffix, seen: BTreeSet::new(), names: Vec::new() };
    for other in USUAL_SUFFIXES {
        found.add_name(&format!("{label}.{other}"), Resemblance::OtherSuffix);
    }
    let plain = letters::plain(&letters);
    found.add(&plain, Resemblance::Plain);
    found.add(&letters::partly_plain(&letters), Resemblance::Plain);
    for (label, other) in plain.iter().flat_map(|label| USUAL_SUFFIXES.iter().map(move |other| (label, other))) {
        found.add_name(&format!("{label}.{other}"), Resemblance::Plain);
    }
    if letters.len() < VARIED_LETTERS_MIN {
        return found.names;
    }
    slips(&letters, &mut found);
    found.add(&alike(&letters, ASCII_ALIKE), Resemblance::AsciiAlike);
    found.add(&confusables::other_alphabets(&letters), Resemblance::OtherScript);
    joined(&unicode, suffix, &mut found);
    ends(&letters, &mut found);
    keys(&letters, &mut found);
    found.add(&bit_flips(&letters), Resemblance::BitFlip);
    for label in plain.iter().take(PLAIN_VARIED_MAX) {
        let letters: Vec<char> = label.chars().collect();
        slips(&letters, &mut found);
        found.add(&alike(&letters, ASCII_ALIKE), Resemblance::AsciiAlike);
        joined(label, suffix, &mut found);
    }
    found.add(&confusables::latin(&letters), Resemblance::UnicodeAlike);
    found.add(&confusables::mixed_with_cyrillic(&letters), Resemblance::UnicodeAlike);
    found.add(&alike(&letters, UNICODE_ALIKE), Resemblance::UnicodeAlike);
    found.names
}

/// What resembles a domain, made once for many questions.
pub struct Lookalikes<'a> {
    domain: &'a str,
    names: BTreeMap<String, Resemblance>,
}

impl<'a> Lookalikes<'a> {
    /// Makes what resembles a registrable domain.
    pub fn of(domain: &'a str) -> Self {
        Self { domain, names: lookalikes(domain).into_iter().collect() }
    }

    /// Returns how a domain resembles this one: under any other suffix, or by one slip. `None` where it does not, or is
    /// the same.
    pub fn resemblance(&self, domain: &str) -> Option<Resemblance> {
        let label = |name: &'a str| name.split_once('.').map(|(label, _)| label);
        let same = |own: &str| domain.split_once('.').is_some_and(|(other, _)| other == own);
        if domain != self.domain && registrable(domain) == Some(domain) && label(self.domain).is_some_and(same) {
            return Some(Resemblance::OtherSuffix);
        }
        self.names.get(domain).copied()
    }
}

/// What was made so far.
struct Found<'a> {
    domain: &'a str,
    suffix: &'a str,
    seen: BTreeSet<String>,
    names: Vec<(String, Resemblance)>,
}

impl Found<'_> {
    /// Adds labels under the domain's own suffix.
    fn add(&mut self, labels: &[String], by: Resemblance) {
        for label in labels {
            self.add_name(&format!("{label}.{}", self.suffix), by);
        }
    }

    /// Adds a name in its ASCII form, if it is one that can be registered.
    fn add_name(&mut self, name: &str, by: Resemblance) {
        let Ok(name) = idna::domain_to_ascii(name) else { return };
        let is_label = |label: &str| {
            let (first, last) = (label.starts_with('-'), label.ends_with('-'));
            let is_plain = label.starts_with("xn--") || label.get(2..4) != Some("--");
            !label.is_empty() && label.len() <= LABEL_BYTES_MAX && !first && !last && is_plain
        };
        if name != self.domain && name.split('.').all(is_label) && self.seen.insert(name.clone()) {
            self.names.push((name, by));
        }
    }
}

/// Puts parts of a label together.
fn with(before: &[char], between: &str, after: &[char]) -> String {
    before.iter().copied().chain(between.chars()).chain(after.iter().copied()).collect()
}

/// Letters left out, swapped or doubled, and hyphens.
fn slips(letters: &[char], found: &mut Found<'_>) {
    let places = 0..letters.len();
    let omitted: Vec<String> = places.clone().map(|at| with(&letters[..at], "", &letters[at + 1..])).collect();
    found.add(&omitted, Resemblance::Omission);
    let swapped = places.clone().skip(1).map(|at| {
        let mut swapped = letters.to_vec();
        swapped.swap(at - 1, at);
        swapped.into_iter().collect::<String>()
    });
    found.add(&swapped.collect::<Vec<_>>(), Resemblance::Transposition);
    let doubled = places.map(|at| with(&letters[..at], &letters[at].to_string(), &letters[at..]));
    found.add(&doubled.collect::<Vec<_>>(), Resemblance::Repetition);
    let mut hyphens = spread(letters, '-');
    hyphens.push(letters.iter().filter(|letter| **letter != '-').collect());
    found.add(&hyphens, Resemblance::Hyphen);
}

/// The label with a sign between two of its letters.
fn spread(letters: &[char], sign: char) -> Vec<String> {
    (1..letters.len()).map(|at| with(&letters[..at], &sign.to_string(), &letters[at..])).collect()
}

/// The suffix in the label: `acmecom.com`, `acme-com.com`; and below a shorter suffix: `acme.uk` of `acme.co.uk`.
fn joined(label: &str, suffix: &str, found: &mut Found<'_>) {
    let flat = suffix.replace('.', "");
    let mut names =
        vec![format!("{label}{flat}.{suffix}"), format!("{label}{flat}.com"), format!("{label}-{flat}.com")];
    if let Some((first, rest)) = suffix.split_once('.') {
        names.extend([format!("{label}.{rest}"), format!("{label}{first}.{rest}")]);
    }
    for name in names {
        found.add_name(&name, Resemblance::JoinedSuffix);
    }
}

/// A letter or digit behind each part of the label, endings of the plural, and other vowels.
fn ends(letters: &[char], found: &mut Found<'_>) {
    let ends = (1..=letters.len()).filter(|at| letters.get(*at).is_none_or(|next| *next == '-'));
    let signs: Vec<char> = ('0'..='9').chain('a'..='z').collect();
    let added =
        ends.flat_map(|at| signs.iter().map(move |sign| with(&letters[..at], &sign.to_string(), &letters[at..])));
    found.add(&added.collect::<Vec<_>>(), Resemblance::Addition);
    let plurals = (1..=letters.len()).flat_map(|at| ["s", "es"].map(|end| with(&letters[..at], end, &letters[at..])));
    found.add(&plurals.collect::<Vec<_>>(), Resemblance::Plural);
    let vowels = ['a', 'e', 'i', 'o', 'u'];
    let is_vowel = |at: &usize| vowels.contains(&letters[*at]);
    let replaced = (0..letters.len()).filter(is_vowel);
    let replaced =
        replaced.flat_map(|at| vowels.map(|vowel| with(&letters[..at], &vowel.to_string(), &letters[at + 1..])));
    found.add(&replaced.collect::<Vec<_>>(), Resemblance::Vowel);
}

/// Keys beside the right one, instead of it and before or behind it.
fn keys(letters: &[char], found: &mut Found<'_>) {
    let (mut wrong, mut extra) = (Vec::new(), Vec::new());
    for (at, letter) in letters.iter().enumerate() {
        for near in KEYBOARDS.iter().flat_map(|keyboard| letters::beside(keyboard, *letter)) {
            let near = near.to_string();
            wrong.push(with(&letters[..at], &near, &letters[at + 1..]));
            extra.push(with(&letters[..at], &near, &letters[at..]));
            extra.push(with(&letters[..=at], &near, &letters[at + 1..]));
        }
    }
    found.add(&wrong, Resemblance::WrongKey);
    found.add(&extra, Resemblance::ExtraKey);
}

/// Labels one of whose letters differs in one bit.
fn bit_flips(letters: &[char]) -> Vec<String> {
    let mut flipped = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        let Ok(byte) = u8::try_from(*letter) else { continue };
        let others = (0..u8::BITS).map(|bit| char::from(byte ^ (1 << bit)));
        let others = others.filter(|other| matches!(other, '0'..='9' | 'a'..='z' | '-'));
        flipped.extend(others.map(|other| with(&letters[..at], &other.to_string(), &letters[at + 1..])));
    }
    flipped
}

/// Labels one of whose letters, or pairs of letters, is replaced by what looks alike.
fn alike(letters: &[char], table: &[(&str, &'static [&'static str])]) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..letters.len() {
        for (from, twins) in table {
            let end = at + from.len();
            if letters.get(at..end).is_some_and(|part| part.iter().copied().eq(from.chars())) {
                found.extend(
                    twins
                        .iter()
                        .flat_map(|twin| letters::split(twin))
                        .map(|twin| with(&letters[..at], twin, &letters[end..])),
                );
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(domain: &str, name: &str) -> Option<Resemblance> {
        lookalikes(domain).into_iter().find(|(found, _)| found == name).map(|(_, how)| how)
    }

    #[test]
    fn each_way_to_resemble_has_its_names() {
        for (domain, name, by) in [
            ("harbour.test", "harbour.co.uk", Resemblance::OtherSuffix),
            ("harbour.test", "habour.test", Resemblance::Omission),
            ("harbour.test", "harobur.test", Resemblance::Transposition),
            ("harbour.test", "harrbour.test", Resemblance::Repetition),
            ("harbour.test", "har-bour.test", Resemblance::Hyphen),
            ("two-parts.test", "twoparts.test", Resemblance::Omission),
            ("harbour.test", "harb0ur.test", Resemblance::AsciiAlike),
            ("modern.test", "rnodern.test", Resemblance::AsciiAlike),
            ("google.com", "xn--e1ara49ctjc.com", Resemblance::OtherScript),
            ("viva.test", "xn--mxaplb.test", Resemblance::OtherScript),
            ("harbour.test", "xn--harbor-08c.test", Resemblance::UnicodeAlike),
            ("foetus.test", "xn--ftus-g4a.test", Resemblance::UnicodeAlike),
            ("harbour.com", "harbourcom.com", Resemblance::JoinedSuffix),
            ("harbour.co.uk", "harbour.uk", Resemblance::JoinedSuffix),
            ("two-parts.test", "twox-parts.test", Resemblance::Addition),
            ("harbour.test", "harbour7.test", Resemblance::Addition),
            ("google.com", "googsle.com", Resemblance::Plural),
            ("harbour.test", "harbeur.test", Resemblance::Vowel),
            ("harbour.test", "hatbour.test", Resemblance::WrongKey),
            ("harbour.test", "hartbour.test", Resemblance::ExtraKey),
            ("harbour.test", "iarbour.test", Resemblance::BitFlip),
            ("bank.com", "xn--bnk-ela.com", Resemblance::UnicodeAlike),
            ("examplebrand.test", "xn--exmplebrand-zij.test", Resemblance::UnicodeAlike),
            ("fern.test", "xn--frn-rdd.test", Resemblance::UnicodeAlike),
            ("xn--mller-kva.test", "muller.test", Resemblance::Plain),
            ("xn--mller-kva.test", "mueller.test", Resemblance::Plain),
            ("xn--mller-kva.test", "mueller.com", Resemblance::Plain),
            ("xn--mller-kva.test", "mu1ler.test", Resemblance::AsciiAlike),
            ("xn--mller-kva.test", "muler.test", Resemblance::Omission),
            ("xn--bb-eka.test", "oebb.test", Resemblance::Plain),
            ("xn--ngstrm-hua5l.test", "xn--angstrm-f1a.test", Resemblance::Plain),
        ] {
            assert_eq!(how(domain, name), Some(by), "{name} of {domain}");
        }
    }

    #[test]
    fn every_name_is_there_once_and_could_be_registered() {
        for domain in ["a.test", "acme.test", "two-parts.co.uk", "xn--bcher-kva.de"] {
            let names: Vec<String> = lookalikes(domain).into_iter().map(|(name, _)| name).collect();
            let once: BTreeSet<&String> = names.iter().collect();
            assert_eq!(once.len(), names.len(), "{domain}");
            assert!(
                !names.iter().any(|name| name == domain || name.contains("-.") || name.starts_with('-')),
                "{domain}"
            );
            assert!(names.iter().all(|name| name.is_ascii()), "{domain}");
        }
        assert!(lookalikes("com").is_empty() && lookalikes("").is_empty());
    }

    #[test]
    fn a_short_label_is_tried_under_other_suffixes_only_and_the_best_come_first() {
        assert!(lookalikes("abc.test").iter().all(|(_, by)| *by == Resemblance::OtherSuffix));
        assert!(lookalikes("harbour.test").is_sorted_by_key(|(_, by)| *by));
    }

    #[test]
    fn a_domain_resembles_another_by_its_label_or_not_at_all() {
        for (domain, other, by) in [
            ("acme.example", "acme.test", Some(Resemblance::OtherSuffix)),
            ("acrne.test", "acme.test", Some(Resemblance::AsciiAlike)),
            ("acme.test", "acme.test", None),
            ("apex.test", "acme.test", None),
            ("acme-partners.test", "acme.test", None),
        ] {
            assert_eq!(Lookalikes::of(other).resemblance(domain), by, "{domain} of {other}");
        }
    }
}
