//! The letters on pictures: what can be printed of ASCII and the dots of an ellipsis, six pixels apart. `font.txt`
//! shows them: a line of twelve characters, then eight lines in which each has five columns. A letter that is not
//! there is a frame.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Columns of a letter, and of one with the gap behind it.
const COLUMNS: usize = 5;
pub(super) const ADVANCE: i64 = 6;
/// Rows of a letter; the lowest is for what hangs below the line.
pub(super) const ROWS: usize = 8;

/// The bits of a letter's rows, the leftmost column in the highest of five bits.
pub(super) type Letter = [u8; ROWS];

const FRAME: Letter = [31, 17, 17, 17, 17, 17, 31, 0];
const BLANK: Letter = [0; ROWS];

static LETTERS: LazyLock<BTreeMap<char, Letter>> = LazyLock::new(|| {
    let lines: Vec<&str> = include_str!("font.txt").lines().collect();
    let mut letters = BTreeMap::new();
    for block in lines.chunks(1 + ROWS) {
        for (index, name) in block[0].split_whitespace().enumerate() {
            let from = index * (COLUMNS + 1);
            let bits =
                |row: &&str| row[from..from + COLUMNS].bytes().fold(0, |sum, dot| sum * 2 + u8::from(dot == b'#'));
            let mut letter = BLANK;
            letter.iter_mut().zip(&block[1..]).for_each(|(to, row)| *to = bits(row));
            letters.extend(name.chars().map(|name| (name, letter)));
        }
    }
    letters
});

/// What a character looks like.
pub(super) fn letter(character: char) -> Letter {
    if character == ' ' { BLANK } else { LETTERS.get(&character).copied().unwrap_or(FRAME) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_character_that_can_be_printed_looks_different() {
        let characters: Vec<char> = (' '..='~').chain(['…', 'щ']).collect();
        let looks: BTreeSet<Letter> = characters.iter().map(|one| letter(*one)).collect();
        assert_eq!(looks.len(), characters.len());
        assert_eq!(letter('L'), [16, 16, 16, 16, 16, 16, 31, 0]);
        assert_eq!(letter('本'), FRAME);
    }
}
