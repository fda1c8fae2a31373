//! Comma-separated values (RFC 4180), safe to open in a spreadsheet and to show on a terminal: a cell that a
//! spreadsheet would take for a formula begins with an apostrophe, and hidden characters stand as visible escapes.

use ambit_model::hidden::is_hidden;

/// Characters with which a formula begins; those of full width count in East Asian versions of spreadsheets.
const FORMULA_BEGINS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A document with its head.
pub(crate) fn document(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = line(head.iter().copied());
    for row in rows {
        out.push_str(&line(row.iter().map(String::as_str)));
    }
    out
}

/// Returns one row, with the line break at its end.
pub fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.map(cell).collect();
    format!("{}\r\n", cells.join(","))
}

/// Returns the text of a cell that holds several values: a list with commas, in which values with commas or quotes
/// are quoted as cells are, so that it can be taken apart again.
pub fn list<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.map(|value| quoted(value.to_owned())).collect();
    values.join(", ")
}

/// Returns a cell with the text: quoted where that is needed, never a formula, and without characters that a terminal
/// could obey, but for tabs and line breaks.
pub fn cell(text: &str) -> String {
    let shown = shown(text);
    quoted(if text.starts_with(FORMULA_BEGINS) { format!("'{shown}") } else { shown })
}

/// The text with hidden characters as visible escapes. A carriage return stays only where a line feed follows: alone it
/// writes over the line.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let breaks = letter == '\r' && letters.peek() == Some(&'\n');
        match letter {
            '\n' | '\t' => shown.push(letter),
            _ if is_hidden(letter) && !breaks => shown.extend(letter.escape_unicode()),
            _ => shown.push(letter),
        }
    }
    shown
}

/// Returns the text as RFC 4180 quotes it.
pub fn quoted(text: String) -> String {
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed_and_never_formulas() {
        let rows = [vec!["a,b".to_owned(), "say \"x\"".to_owned()], vec!["=1+1".to_owned(), "two\nlines".to_owned()]];
        for begin in FORMULA_BEGINS {
            assert!(cell(&format!("{begin}1")).trim_start_matches('"').starts_with('\''), "{begin:?}");
        }
        assert_eq!(
            document(&["one", "two"], rows.into_iter()),
            "one,two\r\n\"a,b\",\"say \"\"x\"\"\"\r\n'=1+1,\"two\nlines\"\r\n"
        );
    }

    #[test]
    fn what_a_terminal_would_obey_stands_as_an_escape() {
        for (text, shown) in [
            ("\u{1b}]0;owned\u{7}x", "\\u{1b}]0;owned\\u{7}x"),
            ("a\u{9b}2Jb\u{202e}c", "a\\u{9b}2Jb\\u{202e}c"),
            ("one\r\ntwo\tthree\nfour", "\"one\r\ntwo\tthree\nfour\""),
            ("first\rsecond", "first\\u{d}second"),
            ("\r=1", "'\\u{d}=1"),
        ] {
            assert_eq!(cell(text), shown);
        }
    }

    #[test]
    fn values_of_a_list_can_be_taken_apart() {
        for (values, shown) in [
            (&[][..], ""),
            (&["mine"], "mine"),
            (&["front office", "owner of it"], "front office, owner of it"),
            (&["a, b", "c"], "\"a, b\", c"),
            (&["say \"x\""], "\"say \"\"x\"\"\""),
        ] {
            assert_eq!(list(values.iter().copied()), shown);
        }
    }
}
