//! Comma-separated values (RFC 4180), safe to open in a spreadsheet: a cell that a spreadsheet would take for a formula
//! begins with an apostrophe.

/// Characters with which a formula begins.
const FORMULA_BEGINS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

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

fn cell(text: &str) -> String {
    let guarded = if text.starts_with(FORMULA_BEGINS) { format!("'{text}") } else { text.to_owned() };
    if guarded.contains([',', '"', '\r', '\n']) {
        return format!("\"{}\"", guarded.replace('"', "\"\""));
    }
    guarded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed_and_never_formulas() {
        let rows = [vec!["a,b".to_owned(), "say \"x\"".to_owned()], vec!["=1+1".to_owned(), "two\nlines".to_owned()]];
        assert_eq!(
            document(&["one", "two"], rows.into_iter()),
            "one,two\r\n\"a,b\",\"say \"\"x\"\"\"\r\n'=1+1,\"two\nlines\"\r\n"
        );
    }
}
