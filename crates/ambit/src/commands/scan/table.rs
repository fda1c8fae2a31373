//! Targets out of a table (CSV), such as a list of suppliers. A cell in quotes may hold separators and line breaks
//! (RFC 4180).

use ambit_model::Kind;
use std::mem;

/// What separates cells.
const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// Names of columns that hold targets. Where a workflow begins with domains, the first of these that is there counts.
const TARGET_COLUMNS: &[&str] =
    &["domain", "domains", "fqdn", "hostname", "host", "website", "site", "web", "url", "target", "address", "ip"];
/// Lines without a target that one error names.
const LINES_NAMED_MAX: usize = 5;

/// A row, and the line on which it begins.
#[derive(Debug)]
struct Row {
    line: usize,
    cells: Vec<String>,
    has_quotes: bool,
}

/// The targets of a table, for a workflow that begins with these kinds. The first row may be names of columns: where
/// one of them says so, its cells are the targets; otherwise of each row the first cell that is one. A cell may hold
/// several targets.
pub(super) fn targets(text: &str, kinds: &[Kind]) -> Result<Vec<String>, String> {
    let by_domain = kinds.contains(&Kind::Domain) && !kinds.contains(&Kind::IpAddress);
    let wanted: &[Kind] = if by_domain { kinds } else { &[] };
    let (mut targets, mut bad) = (Vec::new(), Vec::new());
    // The column of targets, and whether it is the only one, so that separators stand between targets alone.
    let (mut column, mut is_only, mut is_first): (Option<usize>, _, _) = (None, false, true);
    for row in rows(text)? {
        let cells = cells(&row);
        if cells.iter().all(String::is_empty) || cells.first().is_some_and(|first| first.starts_with('#')) {
            continue;
        }
        let found = match column {
            Some(_) if is_only => {
                cells.iter().map(|cell| of_cell(cell)).collect::<Option<Vec<_>>>().map(|all| all.concat())
            }
            Some(column) => cells.get(column).and_then(|cell| of_cell(cell)),
            None => of_row(&cells, wanted),
        };
        match found {
            Some(found) if !found.is_empty() => targets.extend(found),
            _ if is_first => {
                column = column_of(&cells, by_domain);
                is_only = cells.len() == 1;
            }
            _ => bad.push(row.line),
        }
        is_first = false;
    }
    if bad.is_empty() { Ok(targets) } else { Err(without_target(&bad)) }
}

/// The column whose name says that it holds targets.
fn column_of(names: &[String], by_domain: bool) -> Option<usize> {
    let rank = |name: &String| TARGET_COLUMNS.iter().position(|column| name.eq_ignore_ascii_case(column));
    let ranked = names.iter().enumerate().filter_map(|(at, name)| Some((rank(name)?, at)));
    let column = if by_domain { ranked.min() } else { ranked.min_by_key(|(_, at)| *at) };
    column.map(|(_, at)| at)
}

/// The targets of a row whose columns have no names that say where: of the wanted kinds before others, and several in
/// one cell only where no cell is one.
fn of_row(cells: &[String], wanted: &[Kind]) -> Option<Vec<String>> {
    let is_wanted = |cell: &&String| kind_of(cell).is_some_and(|kind| wanted.contains(&kind));
    let one = cells.iter().find(is_wanted).or_else(|| cells.iter().find(|cell| kind_of(cell).is_some()));
    match one {
        Some(one) => Some(vec![one.clone()]),
        None => cells.iter().filter_map(|cell| of_cell(cell)).find(|found| !found.is_empty()),
    }
}

/// The targets of a cell: itself, or each of its parts; `None` where some part is none.
fn of_cell(cell: &str) -> Option<Vec<String>> {
    if kind_of(cell).is_some() {
        return Some(vec![cell.to_owned()]);
    }
    let parts = cell.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|'));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| kind_of(part).map(|_| part.to_owned())).collect()
}

fn kind_of(text: &str) -> Option<Kind> {
    Kind::of_target(text).ok().map(|(kind, _)| kind).filter(|kind| kind.is_place())
}

fn without_target(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(LINES_NAMED_MAX).map(usize::to_string).collect();
    let more = match lines.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (lines, have) = if lines.len() == 1 { ("line", "has") } else { ("lines", "have") };
    format!("{lines} {}{more} {have} no domain, host name, address, block or URL", named.join(", "))
}

/// The cells of a row. One in which the table's separator is missing may have another.
fn cells(row: &Row) -> Vec<String> {
    let trimmed = |cell: &str| cell.trim().to_owned();
    match row.cells.as_slice() {
        [only] if !row.has_quotes => only.split(SEPARATORS).map(trimmed).collect(),
        cells => cells.iter().map(|cell| trimmed(cell)).collect(),
    }
}

/// The rows of a table. Quotes that do not begin a cell are text.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let new = |line| Row { line, cells: vec![String::new()], has_quotes: false };
    let (mut rows, mut row, mut line, mut is_quoted) = (Vec::new(), new(1), 1, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        let cell = row.cells.last_mut().expect("a row has one from the start");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                (is_quoted, row.has_quotes) = (true, true);
            }
            '\n' if !is_quoted => rows.push(mem::replace(&mut row, new(line))),
            letter if letter == separator && !is_quoted => row.cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    if is_quoted {
        return Err(format!("the row that begins on line {} has a quotation mark that is never closed", row.line));
    }
    rows.push(row);
    Ok(rows)
}

/// The sign that separates the cells of the first row.
fn separator(text: &str) -> char {
    let is_row = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = text.lines().find(is_row).unwrap_or("");
    // Every second part is in quotes.
    let bare: Vec<&str> = first.split('"').step_by(2).collect();
    let count = |sign: char| bare.iter().map(|part| part.matches(sign).count()).sum::<usize>();
    // The last of equals is taken.
    SEPARATORS.into_iter().rev().max_by_key(|sign| count(*sign)).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::targets;
    use ambit_model::workflow::{EXTERNAL_DISCOVERY, THIRD_PARTIES};

    fn of(table: &str) -> Vec<String> {
        targets(table, EXTERNAL_DISCOVERY.seeds).unwrap()
    }

    #[test]
    fn a_table_gives_the_first_target_of_each_row() {
        let table = "supplier,domain,contact\nGlobex Ltd.,globex.test,it@globex.test\n\n\
                     \"Lantern, Hosting\",\"lantern.test\"\n# later\nOther;other.test\n";
        assert_eq!(of(table), ["globex.test", "lantern.test", "other.test"]);
        assert_eq!(of("globex.test,Globex"), ["globex.test"], "a first row may be one as well");
        let named = "name,domain\nNode.js,bad.test\n\"Booking.com, Inc\",half.test\n";
        assert_eq!(of(named), ["bad.test", "half.test"], "a column says that it has them");
        assert_eq!(of("\u{feff}domain\r\nbad.test\r\n"), ["bad.test"]);
        assert_eq!(of("Name;Domain\nHalf, Ltd;half.test\n"), ["half.test"], "as the first row separates");
    }

    #[test]
    fn a_cell_in_quotes_goes_on_over_lines_and_names_no_target() {
        let table = "Name,Domain,Notes\nEps,a06.test,\"competes with\nx, rival.test\"\nZeta,a07.test,\n";
        assert_eq!(of(table), ["a06.test", "a07.test"]);
        assert_eq!(of("Name,Domain\n\"A \"\"B\"\"\nrival.test\",a06.test\n"), ["a06.test"]);
        assert_eq!(of("Name,Domain\n5\" Pipes,a06.test\n6\" Pipes,a07.test\n"), ["a06.test", "a07.test"]);
        let open = targets("Name,Domain,Notes\nEps,a06.test,ok\nZeta,a07.test,\"open\nx,rival.test\n", &[]);
        assert_eq!(open.unwrap_err(), "the row that begins on line 3 has a quotation mark that is never closed");
    }

    #[test]
    fn names_of_columns_may_stand_below_comments() {
        assert_eq!(of("# our suppliers\n\nname,domain\nNode.js,bad.test\n"), ["bad.test"]);
    }

    #[test]
    fn a_workflow_that_begins_with_domains_takes_the_column_of_domains() {
        let table = "Name,IP,Domain\nEps,203.0.113.9,a06.test\n";
        assert_eq!(targets(table, THIRD_PARTIES.seeds).unwrap(), ["a06.test"]);
        assert_eq!(of(table), ["203.0.113.9"], "elsewhere the first one counts");
        assert_eq!(targets("Eps,203.0.113.9,a06.test\n", THIRD_PARTIES.seeds).unwrap(), ["a06.test"]);
        assert_eq!(targets("Name,IP\nEps,203.0.113.9\n", THIRD_PARTIES.seeds).unwrap(), ["203.0.113.9"]);
    }

    #[test]
    fn rows_without_a_target_are_named_together() {
        let refused = |table: &str| targets(table, &[]).unwrap_err();
        assert_eq!(refused("name,domain\nGlobex,\n"), "line 2 has no domain, host name, address, block or URL");
        let many = format!("name,domain\nA,a06.test\n{}", "Globex,call them\n".repeat(7));
        assert!(refused(&many).starts_with("lines 3, 4, 5, 6, 7 and 2 more have no domain"), "{}", refused(&many));
    }

    #[test]
    fn a_cell_may_hold_several_targets_and_nothing_else() {
        let both = ["a01.test", "a02.test"];
        assert_eq!(of("name,domain\nA,a01.test; a02.test\n"), both);
        assert_eq!(of("name,domain\nA,\"a01.test, a02.test\"\n"), both);
        assert_eq!(of("domain\na01.test; a02.test\n"), both, "in a table of one column");
        assert_eq!(of("A,a01.test; a02.test\n"), both, "in a table without names of columns");
        assert_eq!(of("name,domain\nA,\"a01.test\na02.test\"\n"), both);
        let half = targets("name,domain\nA,a01.test and others\n", &[]);
        assert!(half.unwrap_err().starts_with("line 2 has no domain"));
    }
}
