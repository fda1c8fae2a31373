//! What passes for one another in a name: letters that look alike, and keys that lie side by side.

/// What looks alike in ASCII.
pub(super) const ASCII_ALIKE: &[(&str, &[&str])] = &[
    ("0", &["o"]),
    ("1", &["l", "i"]),
    ("3", &["8", "e"]),
    ("5", &["s"]),
    ("6", &["9"]),
    ("8", &["3"]),
    ("9", &["6"]),
    ("b", &["d", "lb"]),
    ("c", &["e"]),
    ("cl", &["d"]),
    ("d", &["b", "cl", "dl"]),
    ("e", &["c", "3"]),
    ("g", &["q"]),
    ("h", &["lh"]),
    ("i", &["1", "l"]),
    ("k", &["lc"]),
    ("l", &["1", "i"]),
    ("m", &["n", "nn", "rn"]),
    ("n", &["m", "r"]),
    ("o", &["0"]),
    ("q", &["g"]),
    ("rn", &["m"]),
    ("s", &["5"]),
    ("u", &["v"]),
    ("v", &["u"]),
    ("vv", &["w"]),
    ("w", &["uu", "vv"]),
];

/// Letters beyond ASCII that look like one of it and are not in Unicode's table of confusables: those of the Latin
/// blocks whose decomposition is that letter and one mark (UnicodeData.txt), then those with a stroke, a hook or the
/// like.
pub(super) const UNICODE_ALIKE: &[(&str, &[&str])] = &[
    ("2", &["ƻ"]),
    ("3", &["ʒ"]),
    ("5", &["ƽ"]),
    ("a", &["àáâãäåāăąǎȁȃȧḁạả", "ə"]),
    ("b", &["ḃḅḇ", "ƅʙɓ"]),
    ("c", &["çćĉċč", "ƈ"]),
    ("d", &["ďḋḍḏḑḓ", "đɗɖ"]),
    ("e", &["èéêëēĕėęěȅȇȩḙḛẹẻẽ", "ɇ"]),
    ("f", &["ḟ"]),
    ("g", &["ĝğġģǧǵḡ", "ɢǥ"]),
    ("h", &["ĥȟḣḥḧḩḫẖ", "ɦⱨħ"]),
    ("i", &["ìíîïĩīĭįǐȉȋḭỉị", "ɨ"]),
    ("j", &["ĵǰ", "ʝɉ"]),
    ("k", &["ķǩḱḳḵ", "ĸⱪᴋ"]),
    ("l", &["ĺļľḷḻḽ", "ɫł"]),
    ("m", &["ḿṁṃ", "ᴍɱ"]),
    ("n", &["ñńņňǹṅṇṉṋ", "ŋꞑ"]),
    ("o", &["òóôõöōŏőơǒǫȍȏȯọỏ", "ø"]),
    ("p", &["ṕṗ", "ƥ"]),
    ("q", &["ʠ"]),
    ("r", &["ŕŗřȑȓṙṛṟ", "ʀɾɼɽɍ"]),
    ("s", &["śŝşšșṡṣ", "ʂ"]),
    ("t", &["ţťțṫṭṯṱẗ", "ƫŧ"]),
    ("u", &["ùúûüũūŭůűųưǔȕȗṳṵṷụủ", "ʉ"]),
    ("v", &["ṽṿ", "ᶌⱱⱴ"]),
    ("w", &["ŵẁẃẅẇẉẘ", "ⱳ"]),
    ("x", &["ẋẍ"]),
    ("y", &["ýÿŷȳẏẙỳỵỷỹ", "ɏƴ"]),
    ("z", &["źżžẑẓẕ", "ʐƶ"]),
];

/// What people write in ASCII for letters that are more than one of it with a mark.
const SPELLED: &[(char, &[&str])] = &[
    ('ß', &["ss"]),
    ('ä', &["ae"]),
    ('å', &["aa"]),
    ('æ', &["ae"]),
    ('ð', &["d", "dh"]),
    ('ı', &["i"]),
    ('ö', &["oe"]),
    ('ø', &["oe"]),
    ('þ', &["th"]),
    ('œ', &["oe"]),
    ('ü', &["ue"]),
];
/// Labels in ASCII of one that has several ways to write its letters.
const PLAIN_MAX: usize = 8;

/// What stands for a letter in ASCII: first without its mark, then spelled out.
fn in_ascii(letter: char) -> Vec<String> {
    if letter.is_ascii() {
        return vec![letter.to_string()];
    }
    let base = UNICODE_ALIKE.iter().filter(|(_, twins)| twins.iter().any(|twins| twins.contains(letter)));
    let spelled = SPELLED.iter().filter(|(of, _)| *of == letter).flat_map(|(_, texts)| texts.iter());
    base.map(|(base, _)| *base).chain(spelled.copied()).map(str::to_owned).collect()
}

/// The label in ASCII alone: without marks, spelled out, then what mixes both. None of one that is in ASCII, or has a
/// letter that nothing stands for.
pub(super) fn plain(letters: &[char]) -> Vec<String> {
    let ways: Vec<Vec<String>> = letters.iter().map(|letter| in_ascii(*letter)).collect();
    if letters.iter().all(char::is_ascii) || ways.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut labels: Vec<String> = vec![
        ways.iter().filter_map(|ways| ways.first().map(String::as_str)).collect(),
        ways.iter().filter_map(|ways| ways.last().map(String::as_str)).collect(),
    ];
    let mut mixed = vec![String::new()];
    for ways in &ways {
        let longer = mixed.iter().flat_map(|label| ways.iter().map(move |way| format!("{label}{way}")));
        mixed = longer.take(PLAIN_MAX).collect();
    }
    labels.extend(mixed);
    let mut seen = std::collections::BTreeSet::new();
    labels.retain(|label| seen.insert(label.clone()));
    labels.truncate(PLAIN_MAX);
    labels
}

/// Labels one of whose letters beyond ASCII is written in it.
pub(super) fn partly_plain(letters: &[char]) -> Vec<String> {
    let beyond = letters.iter().enumerate().filter(|(_, letter)| !letter.is_ascii());
    let replaced = beyond.flat_map(|(at, letter)| {
        let ways = in_ascii(*letter).into_iter();
        ways.map(move |way| super::with(&letters[..at], &way, &letters[at + 1..]))
    });
    replaced.collect()
}

/// The letter of Cyrillic that looks most like one of Latin. Unicode's table has more, and not all of these.
pub(super) const CYRILLIC: &[(char, char)] = &[
    ('a', 'а'),
    ('b', 'ь'),
    ('c', 'с'),
    ('d', 'ԁ'),
    ('e', 'е'),
    ('g', 'ԍ'),
    ('h', 'һ'),
    ('i', 'і'),
    ('j', 'ј'),
    ('k', 'к'),
    ('l', 'ӏ'),
    ('m', 'м'),
    ('o', 'о'),
    ('p', 'р'),
    ('q', 'ԛ'),
    ('s', 'ѕ'),
    ('t', 'т'),
    ('v', 'ѵ'),
    ('w', 'ԝ'),
    ('x', 'х'),
    ('y', 'у'),
];

/// Rows of keys as they lie on keyboards of English, German and French offices, each shifted to the right of the one
/// above.
pub(super) const KEYBOARDS: &[[&str; 4]] = &[
    ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"],
    ["1234567890", "qwertzuiop", "asdfghjkl", "yxcvbnm"],
    ["1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"],
];

/// Returns the keys around one: left and right of it, and the two that it touches in the rows above and below.
pub(super) fn beside(keyboard: &[&str; 4], key: char) -> Vec<char> {
    let mut found = Vec::new();
    for (row, keys) in keyboard.iter().enumerate() {
        let Some(at) = keys.find(key) else { continue };
        let near = |row: Option<usize>, places: [Option<usize>; 2]| {
            let keys = row.and_then(|row| keyboard.get(row)).copied().unwrap_or_default();
            places.into_iter().flatten().filter_map(move |at| keys.chars().nth(at))
        };
        found.extend(near(Some(row), [at.checked_sub(1), at.checked_add(1)]));
        found.extend(near(row.checked_sub(1), [Some(at), at.checked_add(1)]));
        found.extend(near(row.checked_add(1), [at.checked_sub(1), Some(at)]));
    }
    found
}

/// Returns what stands for a letter: a text of ASCII as a whole, any other letter by letter.
pub(super) fn split(twins: &'static str) -> Vec<&'static str> {
    if twins.is_ascii() { vec![twins] } else { twins.split("").filter(|letter| !letter.is_empty()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beyond_ascii_are_written_without_marks_and_spelled_out() {
        let of = |word: &str| plain(&word.chars().collect::<Vec<_>>());
        for (word, labels) in [
            ("müller", &["muller", "mueller"][..]),
            ("straße", &["strasse"]),
            ("señor", &["senor"]),
            ("façade", &["facade"]),
            ("blåbær", &["blabaer", "blaabaer"]),
            ("søk", &["sok", "soek"]),
            ("größe", &["grosse", "groesse"]),
            ("łódź", &["lodz"]),
            ("übergröße", &["ubergrosse", "uebergroesse", "ubergroesse", "uebergrosse"]),
            ("plain", &[]),
            ("пример", &[]),
        ] {
            assert_eq!(of(word), labels, "{word}");
        }
        assert!(of(&"ü".repeat(60)).len() <= PLAIN_MAX);
    }
}
