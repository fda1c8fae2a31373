//! Which literals a match of a pattern must hold. A pattern whose literals do not occur in a text is not run on it.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Texts of which one must occur, at most: more cost more than the pattern.
const TEXTS_MAX: usize = 512;
/// Bytes of a text that are looked for: enough to be rare.
const BYTES_MAX: usize = 24;
/// Bytes of a text at least: shorter ones occur everywhere.
const BYTES_MIN: usize = 3;
/// Letters that a class may stand for to be counted as texts.
const CLASS_MAX: usize = 4;

/// What is known of the matches of a part of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// Each is one of these, in lower case.
    Whole(Vec<Vec<u8>>),
    /// Each holds one of these.
    Holds(Vec<Vec<u8>>),
    Nothing,
}

/// Returns texts in lower case of which each match of the pattern holds one; none where nothing is known.
pub(crate) fn required(hir: &Hir) -> Vec<Vec<u8>> {
    let mut texts = match known(hir) {
        Known::Whole(texts) | Known::Holds(texts) => texts,
        Known::Nothing => Vec::new(),
    };
    if texts.iter().any(|text| text.len() < BYTES_MIN) {
        return Vec::new();
    }
    for text in &mut texts {
        text.truncate(BYTES_MAX);
    }
    texts.sort();
    texts.dedup();
    texts
}

fn known(hir: &Hir) -> Known {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::Whole(vec![Vec::new()]),
        HirKind::Literal(literal) => Known::Whole(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => letters(class).map_or(Known::Nothing, Known::Whole),
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Repetition(repetition) => match (repetition.min, repetition.max, known(&repetition.sub)) {
            (1, Some(1), sub) => sub,
            (0, Some(1), Known::Whole(mut texts)) => {
                texts.push(Vec::new());
                Known::Whole(texts)
            }
            (0, ..) | (_, _, Known::Nothing) => Known::Nothing,
            (_, _, Known::Whole(texts) | Known::Holds(texts)) => Known::Holds(texts),
        },
        HirKind::Concat(parts) => sequence(parts),
        HirKind::Alternation(parts) => alternatives(parts),
    }
}

/// The letters in lower case that a class stands for, where they are few and plain.
fn letters(class: &Class) -> Option<Vec<Vec<u8>>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let ranges: Vec<(u32, u32)> = match class {
        Class::Bytes(bytes) => bytes.iter().map(|range| (range.start().into(), range.end().into())).collect(),
        Class::Unicode(all) => all.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    for (start, end) in ranges {
        if end > 0x7f || end - start > 2 * CLASS_MAX as u32 {
            return None;
        }
        found.extend((start..=end).filter_map(|c| u8::try_from(c).ok()).map(|c| vec![c.to_ascii_lowercase()]));
    }
    found.sort();
    found.dedup();
    (!found.is_empty() && found.len() <= CLASS_MAX).then_some(found)
}

/// Parts that follow each other: the texts of neighbours grow together while they are few, and the best run counts.
fn sequence(parts: &[Hir]) -> Known {
    let mut run = vec![Vec::new()];
    let mut best: Option<Vec<Vec<u8>>> = None;
    let mut is_whole = true;
    for part in parts {
        match known(part) {
            Known::Whole(texts) if texts.len() * run.len() <= TEXTS_MAX && longest(&run) < 2 * BYTES_MAX => {
                run = joined(&run, &texts);
            }
            Known::Whole(texts) => {
                is_whole = false;
                better(&mut best, std::mem::replace(&mut run, texts));
            }
            Known::Holds(texts) => {
                is_whole = false;
                better(&mut best, texts);
                better(&mut best, std::mem::replace(&mut run, vec![Vec::new()]));
            }
            Known::Nothing => {
                is_whole = false;
                better(&mut best, std::mem::replace(&mut run, vec![Vec::new()]));
            }
        }
    }
    if is_whole {
        return Known::Whole(run);
    }
    better(&mut best, run);
    best.map_or(Known::Nothing, Known::Holds)
}

fn longest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).max().unwrap_or(0)
}

fn shortest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or(0)
}

fn joined(run: &[Vec<u8>], texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    run.iter().flat_map(|before| texts.iter().map(move |text| [before.as_slice(), text.as_slice()].concat())).collect()
}

/// Keeps the texts that occur less often: the longer shortest one, up to a length, then the fewer.
fn better(best: &mut Option<Vec<Vec<u8>>>, texts: Vec<Vec<u8>>) {
    let worth = |texts: &[Vec<u8>]| (shortest(texts).min(BYTES_MAX / 2), usize::MAX - texts.len());
    if shortest(&texts) > 0 && best.as_ref().is_none_or(|known| worth(known) < worth(&texts)) {
        *best = Some(texts);
    }
}

fn alternatives(parts: &[Hir]) -> Known {
    let (mut all, mut is_whole) = (Vec::new(), true);
    for part in parts {
        match known(part) {
            Known::Whole(texts) => all.extend(texts),
            Known::Holds(texts) => {
                is_whole = false;
                all.extend(texts);
            }
            Known::Nothing => return Known::Nothing,
        }
        if all.len() > TEXTS_MAX {
            return Known::Nothing;
        }
    }
    if is_whole { Known::Whole(all) } else { Known::Holds(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_says_what_its_matches_hold() {
        for (pattern, expected) in [
            ("^Apache/([\\d.]+)$", &["apache/"][..]),
            ("(?i)Apache", &["apache"]),
            ("(?:nginx|Caddy)/\\d", &["caddy/", "nginx/"]),
            ("a[bB]cd?e", &["abcde", "abce"]),
            ("^(?:ab|c).*longer$", &["longer"]),
            ("(?:abc)+x", &["abc"]),
            ("(?:abc)*", &[]),
            ("\\d+", &[]),
            ("ab", &[]),
            ("wordpress|", &[]),
            ("(?:[^\"]+)jquery[.-]([\\d.]+)", &["jquery-", "jquery."]),
        ] {
            let hir = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).unwrap();
            let texts: Vec<String> = required(&hir).into_iter().map(|text| String::from_utf8(text).unwrap()).collect();
            assert_eq!(texts, expected, "{pattern}");
        }
    }

    #[test]
    fn letters_with_more_than_two_cases_are_no_texts() {
        let hir = regex_syntax::ParserBuilder::new().case_insensitive(true).build().parse("skip").unwrap();
        assert!(required(&hir).is_empty());
    }
}
