//! Tables: a heading with `name` (or `host`, `ip`, `url`, `asset`, `domain`), and where there is one `type`, `port` and
//! a date; or a bare list of targets. Our own exports can be read; those of issues name what has them. A row that
//! cannot be read is left out and named with its line; where no row of a bare list can be, it is none.

use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json::moment;
use ambit_model::{Kind, Timestamp};
use serde_json::Value;
use std::net::IpAddr;

/// The heading that names what an issue is on: its `name` is that of the issue.
const ENTITY_NAME: &str = "entity_name";
/// Headings that name a thing; a row may name several.
const NAMES: [&str; 8] = ["name", "host", "hostname", "ip", "url", "asset", "domain", "target"];
/// Headings of its kind, its port, the protocol of that and its date, the first that there is.
const KINDS: [&str; 3] = ["type", "kind", "entity_type"];
const PORTS: [&str; 1] = ["port"];
const PROTOCOLS: [&str; 2] = ["protocol", "proto"];
const DATES: [&str; 5] = ["seen_at", "last_seen", "date", "timestamp", "time"];

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    let mut rows = rows(file)?.into_iter().peekable();
    while let Some((line, _)) = rows.next_if(|(_, row)| is_comment(row)) {
        gathered.leave_out_row(line, COMMENT);
    }
    let Some((_, first)) = rows.peek() else { return Ok(()) };
    let Some(columns) = Columns::of(first) else { return list(rows, gathered) };
    if let Some(unused) = columns.unused(first) {
        gathered.note(format!("not used: {unused}"));
    }
    for (line, row) in rows.skip(1) {
        columns.take(&row, gathered).unwrap_or_else(|why| gathered.leave_out_row(line, &why));
    }
    Ok(())
}

/// What is said of a row that begins with `#`.
const COMMENT: &str = "it is a comment";

fn is_comment(row: &[String]) -> bool {
    row.first().is_some_and(|cell| cell.trim_start().starts_with('#'))
}

/// A bare list: the first cell of each row is a target.
fn list(rows: impl Iterator<Item = (usize, Vec<String>)>, gathered: &mut Gathered) -> Result<()> {
    let (mut odd, mut is_one) = (Vec::new(), false);
    for (line, row) in rows {
        let said = if is_comment(&row) { Err(COMMENT.to_owned()) } else { add(&row[0], None, None, gathered) };
        match said {
            Ok(()) => is_one = true,
            Err(why) => odd.push((line, why)),
        }
    }
    match odd.first() {
        Some((line, why)) if !is_one => Err(ImportError::line(
            *line,
            format!("neither a table with a heading such as name, host or ip, nor a list of targets: {why}"),
        )),
        _ => {
            odd.iter().for_each(|(line, why)| gathered.leave_out_row(*line, why));
            Ok(())
        }
    }
}

/// The meaning of each column.
struct Columns {
    /// At least one.
    names: Vec<usize>,
    kind: Option<usize>,
    port: Option<usize>,
    protocol: Option<usize>,
    date: Option<usize>,
}

impl Columns {
    /// Returns the meaning of the columns; `None` if no column names an entity.
    fn of(first: &[String]) -> Option<Self> {
        let heading: Vec<String> = first.iter().map(|cell| cell.trim().to_lowercase()).collect();
        let at = |name: &str| heading.iter().position(|cell| cell == name);
        let column = |names: &[&str]| names.iter().find_map(|name| at(name));
        let names = match at(ENTITY_NAME) {
            Some(entity) => vec![entity],
            None => NAMES.iter().filter_map(|name| at(name)).collect(),
        };
        (!names.is_empty()).then(|| Self {
            names,
            kind: column(&KINDS),
            port: column(&PORTS),
            protocol: column(&PROTOCOLS),
            date: column(&DATES),
        })
    }

    /// The columns of a heading that are not read; `None` where all are.
    fn unused(&self, first: &[String]) -> Option<String> {
        let others = [self.kind, self.port, self.protocol, self.date];
        let is_used = |column: usize| self.names.contains(&column) || others.contains(&Some(column));
        let unused = first.iter().enumerate().filter(|(column, cell)| !is_used(*column) && !cell.trim().is_empty());
        let unused: Vec<&str> = unused.map(|(_, cell)| cell.trim()).collect();
        let noun = if unused.len() == 1 { "the column" } else { "the columns" };
        (!unused.is_empty()).then(|| format!("{noun} {}", unused.join(", ")))
    }

    /// Adds what a row names. The kind is that of its first name. Fails with why the row cannot be read, and adds
    /// nothing then.
    fn take(&self, row: &[String], gathered: &mut Gathered) -> Result<(), String> {
        if is_comment(row) {
            return Err(COMMENT.to_owned());
        }
        let cell = |column: usize| row.get(column).map(|cell| bare(cell)).filter(|cell| !cell.is_empty());
        let at = self.date.and_then(cell).map(|date| {
            moment(Some(&Value::from(date))).ok_or_else(|| format!("{date:?} is not a date such as 2026-11-23"))
        });
        let at = at.transpose()?;
        let port = self.port.and_then(cell).map(|port| port.parse().map_err(|_| format!("{port:?} is no port")));
        let port: Option<u16> = port.transpose()?;
        let kind_of = |column: usize| self.kind.filter(|_| column == self.names[0]).and_then(cell);
        let mut why = None;
        let mut named: Vec<&str> = Vec::new();
        for (column, name) in self.names.iter().filter_map(|column| Some((*column, cell(*column)?))) {
            match add(name, kind_of(column), at, gathered) {
                Ok(()) => named.push(name),
                Err(error) => why = why.or(Some(error)),
            }
        }
        match why {
            // Many tables have a column for a free-form label beside the address.
            Some(_) if !named.is_empty() => gathered.pass_over("cells left out because another of their line names it"),
            Some(why) => return Err(why),
            None if named.is_empty() => return Err("it names nothing".to_owned()),
            None => {}
        }
        if let Some(port) = port {
            let protocol = self.protocol.and_then(cell).unwrap_or("tcp").to_lowercase();
            let addresses: Vec<&str> = named.into_iter().filter(|name| name.parse::<IpAddr>().is_ok()).collect();
            if addresses.is_empty() {
                gathered.pass_over("ports left out because their line names no address");
            }
            for address in addresses {
                gathered.service(address, (port, &protocol), at, &[]);
            }
        }
        Ok(())
    }
}

/// A cell without what stands around its text: a guard against formulas, which spreadsheets strip and our own export
/// writes, and the sign of a wildcard, whose name stands for it.
fn bare(cell: &str) -> &str {
    cell.trim().trim_start_matches('\'').trim_start_matches("*.")
}

fn add(name: &str, kind: Option<&str>, at: Option<Timestamp>, gathered: &mut Gathered) -> Result<(), String> {
    let name = bare(name);
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
/// separator is a comma, or a semicolon or tab where the first line has one and no comma. A line ends at any of the
/// three ends of lines; `\r` alone is that of spreadsheets of old.
fn rows(file: &str) -> Result<Vec<(usize, Vec<String>)>> {
    let first = file.split(['\n', '\r']).next().unwrap_or_default();
    let separator = [',', ';', '\t'].into_iter().find(|letter| first.contains(*letter)).unwrap_or(',');
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begun, mut quoted) = (1, 1, false);
    let mut letters = file.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = letter == '\n' || letter == '\r' && letters.peek() != Some(&'\n');
        line += usize::from(ends);
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            _ if quoted => cell.push(letter),
            _ if ends => {
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
