//! Tables: a heading with `name` (or `host`, `ip`, `url`, `asset`, `domain`), and where there is one `type` and a date;
//! or a bare list of targets. Our own exports can be read; those of issues name what has them.

use crate::error::ImportError;
use crate::gathered::Gathered;
use crate::json::moment;
use ambit_model::{Kind, Timestamp};
use serde_json::Value;

/// Headings that name the thing, its kind and its date, the first that there is.
const NAMES: [&str; 9] = ["entity_name", "name", "host", "hostname", "ip", "url", "asset", "domain", "target"];
const KINDS: [&str; 3] = ["type", "kind", "entity_type"];
const DATES: [&str; 5] = ["seen_at", "last_seen", "date", "timestamp", "time"];

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<(), ImportError> {
    let mut rows = rows(file)?.into_iter();
    let Some((_, first)) = rows.next() else { return Ok(()) };
    let heading: Vec<String> = first.iter().map(|cell| cell.trim().to_lowercase()).collect();
    let column = |names: &[&str]| names.iter().find_map(|name| heading.iter().position(|cell| cell == name));
    let Some(name) = column(&NAMES) else {
        return std::iter::once((1, first)).chain(rows).try_for_each(|(line, row)| {
            add(row.first().map_or("", String::as_str), None, None, gathered)
                .map_err(|why| ImportError::line(line, format!("no heading with name, and no list of targets: {why}")))
        });
    };
    let (kind, date) = (column(&KINDS), column(&DATES));
    for (line, row) in rows {
        let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).map(|cell| cell.trim());
        let at = cell(date).filter(|date| !date.is_empty()).map(|date| {
            let read = moment(Some(&Value::from(date)));
            read.ok_or_else(|| ImportError::line(line, format!("{date:?} is no date such as 2026-11-23")))
        });
        let kind = cell(kind).filter(|kind| !kind.is_empty());
        add(cell(Some(name)).unwrap_or(""), kind, at.transpose()?, gathered)
            .map_err(|why| ImportError::line(line, why))?;
    }
    Ok(())
}

fn add(name: &str, kind: Option<&str>, at: Option<Timestamp>, gathered: &mut Gathered) -> Result<(), String> {
    // A guard against formulas, which spreadsheets strip and our own export writes.
    let name = name.trim().trim_start_matches('\'');
    match kind.map(|kind| kind.rsplit("::").next().unwrap_or(kind)) {
        Some(word) => match Kind::from_name(word) {
            Some(kind) if super::gti::is_imported(kind) => gathered.add(kind, name, at, &[]),
            _ => gathered.leave_out(),
        },
        None => {
            let (kind, name) = Kind::of_target(name).map_err(|error| error.to_string())?;
            gathered.add(kind, &name, at, &[]);
        }
    }
    Ok(())
}

/// The rows of a table with the line in which each begins; cells in quotes may hold commas, quotes and lines. The
/// separator is a comma, or a semicolon or tab where the first line has one and no comma.
fn rows(file: &str) -> Result<Vec<(usize, Vec<String>)>, ImportError> {
    let first = file.lines().next().unwrap_or_default();
    let separator = [',', ';', '\t'].into_iter().find(|letter| first.contains(*letter)).unwrap_or(',');
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begun, mut quoted) = (1, 1, false);
    let mut letters = file.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            _ if quoted => cell.push(letter),
            '\n' => {
                row.push(std::mem::take(&mut cell));
                rows.push((begun, std::mem::take(&mut row)));
                begun = line;
            }
            '\r' => {}
            _ if letter == separator => row.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    if quoted {
        return Err(ImportError::line(begun, "a quotation mark is not closed"));
    }
    row.push(cell);
    rows.push((begun, row));
    rows.retain(|(_, row)| row.iter().any(|cell| !cell.trim().is_empty()));
    Ok(rows)
}
