//! Scores of EPSS: lines of CVE, score and percentile, with names above them.

use super::{ImportError, Sink, Source, Taken};
use crate::vulnerability::{CveId, Epss, Vulnerability};
use std::cell::Cell;
use std::io::BufRead;

/// Returns whether a text begins with the names of such columns, below comments.
pub(super) fn is_header(text: &str) -> bool {
    let first = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    columns(first).is_some()
}

/// Where CVE, score and percentile stand.
fn columns(header: &str) -> Option<[usize; 3]> {
    let names: Vec<String> = fields(header).iter().map(|name| name.trim().to_lowercase()).collect();
    let at = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    Some([at(&["cve"])?, at(&["epss", "epss score"])?, at(&["percentile", "epss percentile"])?])
}

/// The fields of a line, with quotes around those that hold commas.
fn fields(line: &str) -> Vec<String> {
    let (mut out, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for sign in line.trim_end_matches(['\r', '\n']).chars() {
        match sign {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut field)),
            _ => field.push(sign),
        }
    }
    out.push(field);
    out
}

pub(super) fn read(mut feed: impl BufRead, since: &Cell<u64>, sink: &mut Sink<'_>) -> Result<usize, ImportError> {
    let (mut line, mut number, mut count, mut places) = (String::new(), 0, 0, None::<[usize; 3]>);
    loop {
        line.clear();
        since.set(0);
        if feed.read_line(&mut line)? == 0 {
            break;
        }
        number += 1;
        let text = line.trim_start_matches('\u{feff}');
        if text.starts_with('#') || text.trim().is_empty() {
            continue;
        }
        let Some([cve, score, percentile]) = places else {
            places = Some(columns(text).ok_or(ImportError::Unknown)?);
            continue;
        };
        let fields = fields(text);
        let problem = |problem: String| ImportError::Line { line: number, problem };
        let value = |at: usize| {
            let text = fields.get(at).map(|field| field.trim()).unwrap_or_default();
            let value = text.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
            value.ok_or_else(|| problem(format!("{text:?} is no number from 0 to 1")))
        };
        let id: CveId = fields.get(cve).map(|id| id.trim()).unwrap_or_default().parse().map_err(problem)?;
        let epss = Epss { score: value(score)?, percentile: value(percentile)? };
        let known = Vulnerability { epss: Some(epss), ..Vulnerability::default() };
        sink(Source::Epss, Taken::Vulnerability(id.into(), Box::new(known)))?;
        count += 1;
    }
    if count == 0 { Err(ImportError::Unknown) } else { Ok(count) }
}
