//! Comma-separated values (RFC 4180), safe to open in a spreadsheet: a cell that a spreadsheet would take for a formula
//! begins with an apostrophe.

/// Characters with which a formula begins; those of full width count in East Asian versions of spreadsheets.
const FORMULA_BEGINS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A document with its head.
pub fn document(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
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

/// Returns a cell with the text: quoted where that is needed, and never a formula.
pub fn cell(text: &str) -> String {
    quoted(if text.starts_with(FORMULA_BEGINS) { format!("'{text}") } else { text.to_owned() })
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
