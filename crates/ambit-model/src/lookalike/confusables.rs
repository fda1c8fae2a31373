//! Letters beyond ASCII that Unicode says can be taken for letters of it (Unicode Technical Standard 39, table of
//! confusables), as far as names may have them: those that IDNA keeps as they are, of alphabets that registries offer.

use super::letters::CYRILLIC;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

/// Alphabets a whole word of which can be taken for one of Latin. Of other scripts only single signs can.
const ALPHABETS: [Script; 3] = [Script::Cyrillic, Script::Greek, Script::Armenian];
/// Letters of these scripts lie below it, but for marks of phoneticians that pass for nothing.
const LAST: char = '\u{ffff}';
/// Letters that are taken for one that Unicode's table counts as one: `æ` for `ae`.
const TAKEN_FOR_MAX: usize = 2;
/// Labels in the letters of one other alphabet, where several of them pass for the same one: as many as some words
/// have, and few beside the other ways to deceive.
const WHOLE_MAX: usize = 24;

/// Letters of one script by what they are taken for, reduced as the standard says (its "skeleton").
type Twins = BTreeMap<String, Vec<(Script, char)>>;

static TWINS: LazyLock<Twins> = LazyLock::new(|| {
    let is_offered = |script: Script| script == Script::Latin || ALPHABETS.contains(&script);
    let mut twins = Twins::new();
    for letter in ('\u{80}'..=LAST).filter(|letter| is_offered(letter.script())) {
        let seems = reduced(letter.encode_utf8(&mut [0; 4]));
        let is_other = seems.is_ascii() && seems.len() <= TAKEN_FOR_MAX;
        if is_other && is_kept(letter) {
            twins.entry(seems).or_default().push((letter.script(), letter));
        }
    }
    twins
});

fn reduced(text: &str) -> String {
    skeleton(text).collect()
}

/// True where a name keeps the letter: none that is written in lower case or as another one.
fn is_kept(letter: char) -> bool {
    let name = letter.to_string();
    idna::domain_to_ascii(&name)
        .is_ok_and(|ascii| ascii.starts_with("xn--") && idna::domain_to_unicode(&ascii).0 == name)
}

/// The letters of a script that are taken for a text.
fn twins(text: &str, script: Script) -> impl Iterator<Item = char> + use<> {
    let letters = TWINS.get(&reduced(text)).into_iter().flatten();
    letters.filter(move |(of, _)| *of == script).map(|(_, letter)| *letter)
}

/// The letters of an alphabet that are taken for one of Latin, the nearest first.
fn of_alphabet(letter: char, script: Script) -> Vec<char> {
    let near = near_cyrillic(letter).filter(|_| script == Script::Cyrillic);
    let listed = twins(letter.encode_utf8(&mut [0; 4]), script).filter(|twin| near != Some(*twin));
    near.into_iter().chain(listed).collect()
}

/// The label in letters of one other alphabet, for each in which every letter has a twin.
pub(super) fn other_alphabets(letters: &[char]) -> Vec<String> {
    ALPHABETS.into_iter().flat_map(|script| whole(letters, script)).collect()
}

fn whole(letters: &[char], script: Script) -> Vec<String> {
    let mut labels = vec![String::new()];
    for letter in letters {
        let twins = match letter {
            '-' | '0'..='9' => vec![*letter],
            _ => of_alphabet(*letter, script),
        };
        let longer = labels.iter().flat_map(|label| twins.iter().map(move |twin| format!("{label}{twin}")));
        labels = longer.take(WHOLE_MAX).collect();
    }
    labels
}

/// Labels one of whose letters is of Cyrillic, and the label whose letters are as far as they have twins there: the one
/// mixture that was seen registered.
pub(super) fn mixed_with_cyrillic(letters: &[char]) -> Vec<String> {
    let twins: Vec<Vec<char>> = letters.iter().map(|letter| of_alphabet(*letter, Script::Cyrillic)).collect();
    let most = letters.iter().map(|letter| near_cyrillic(*letter).unwrap_or(*letter)).collect();
    let one = twins.iter().enumerate().flat_map(|(at, twins)| {
        twins.iter().map(move |twin| letters[..at].iter().chain([twin]).chain(&letters[at + 1..]).collect::<String>())
    });
    one.chain([most]).collect()
}

fn near_cyrillic(letter: char) -> Option<char> {
    CYRILLIC.iter().find(|(latin, _)| *latin == letter).map(|(_, twin)| *twin)
}

/// Labels one of whose letters, or pairs of letters, is replaced by a letter of Latin that is taken for it.
pub(super) fn latin(letters: &[char]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, length) in (0..letters.len()).flat_map(|at| (1..=TAKEN_FOR_MAX).map(move |length| (at, length))) {
        let Some(part) = letters.get(at..at + length) else { continue };
        let part: String = part.iter().collect();
        let twins = twins(&part, Script::Latin)
            .map(|twin| super::with(&letters[..at], &twin.to_string(), &letters[at + length..]));
        found.extend(twins);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_the_twins_that_unicode_lists_and_names_may_have() {
        for (letter, script, twins) in [
            ('a', Script::Greek, "α"),
            ('o', Script::Greek, "οσ"),
            ('o', Script::Armenian, "օ"),
            ('n', Script::Armenian, "ոռ"),
            ('e', Script::Cyrillic, "еҽ"),
            ('r', Script::Cyrillic, "г"),
            ('k', Script::Greek, ""),
        ] {
            assert_eq!(of_alphabet(letter, script).into_iter().collect::<String>(), twins, "{letter} {script:?}");
        }
        let all = || TWINS.values().flatten();
        assert!(all().count() > 80, "{}", all().count());
        assert!(all().all(|(script, letter)| is_kept(*letter) && !letter.is_uppercase() && letter.script() == *script));
        // Another letter than Latin's where it is no alphabet's, and what names write as two: no twin.
        assert!(!all().any(|(_, letter)| ['०', 'ｏ', 'ﬁ', 'ſ'].contains(letter)));
    }

    #[test]
    fn a_word_is_written_in_each_alphabet_that_has_all_its_letters() {
        let of = |word: &str| other_alphabets(&word.chars().collect::<Vec<_>>());
        assert!(of("viva").contains(&"νινα".to_owned()));
        assert!(of("going").contains(&"ցօւոց".to_owned()));
        assert_eq!(of("google"), ["ԍооԍӏе", "ԍооԍӏҽ"]);
        assert!(of("zebra").is_empty(), "nothing of another alphabet is taken for z");
        assert!(of(&"oo".repeat(20)).len() <= WHOLE_MAX * ALPHABETS.len());
    }
}
