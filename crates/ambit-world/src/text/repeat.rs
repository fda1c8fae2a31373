//! Repetition: `{1..40}`, `{01..40}` and `{a,b,c}` make one statement or body line many. All of a line go in lock step.

use super::{Line, Statement, Word};
use crate::problem::Fault;

/// Values of one repetition: a /20 of addresses.
const VALUES_MAX: usize = 4_096;
/// Values of all repetitions of one statement, which are in memory before it is known how long it becomes.
const STATEMENT_VALUES_MAX: usize = 1 << 20;

/// A statement whose repetitions are read and not yet carried out. Repetitions in the head repeat the whole statement,
/// and those in its body go along with them; below a head without any, a body line repeats by itself.
pub(super) struct Repetition<'a> {
    head: Repeated<'a>,
    body: Vec<Repeated<'a>>,
}

impl<'a> Repetition<'a> {
    pub(super) fn read(statement: &'a Statement) -> Result<Self, Fault> {
        let mut left = STATEMENT_VALUES_MAX;
        let head = Repeated::read(&statement.head, None, &mut left)?;
        let body = statement.body.iter().map(|line| Repeated::read(line, head.count, &mut left));
        let body = body.collect::<Result<_, _>>()?;
        Ok(Self { head, body })
    }

    /// How often a line stands in the end.
    fn times(&self, line: &Repeated<'a>) -> usize {
        self.head.count.or(line.count).unwrap_or(1)
    }

    /// Lines and bytes of all words when the repetitions are carried out.
    pub(super) fn size(&self) -> (usize, usize) {
        let lines = self.body.iter().chain([&self.head]);
        lines
            .map(|line| (self.times(line), line.bytes(self.times(line))))
            .fold((0, 0), |(lines, bytes), more| (lines + more.0, bytes + more.1))
    }

    /// Returns the statements that it expands to.
    pub(super) fn statements(&self) -> Vec<Statement> {
        let own = |line: &Repeated<'a>| (0..line.count.unwrap_or(1)).map(|index| line.nth(index)).collect::<Vec<_>>();
        match self.head.count {
            None => vec![Statement { head: self.head.nth(0), body: self.body.iter().flat_map(own).collect() }],
            Some(count) => {
                let body = |index| self.body.iter().map(|line| line.nth(index)).collect();
                (0..count).map(|index| Statement { head: self.head.nth(index), body: body(index) }).collect()
            }
        }
    }
}

/// A line whose repetitions are read.
struct Repeated<'a> {
    number: usize,
    words: Vec<(Vec<Part<'a>>, bool)>,
    /// How many values its repetitions have; `None` without one.
    count: Option<usize>,
}

impl<'a> Repeated<'a> {
    /// Reads a line; `left` are the values that its statement may still have.
    fn read(line: &'a Line, expected: Option<usize>, left: &mut usize) -> Result<Self, Fault> {
        let mut repeated = Self { number: line.number, words: Vec::new(), count: None };
        let mut found = expected;
        for word in &line.words {
            let parts = parts(word, left).map_err(|why| Fault::new(line.number, &word.text, why))?;
            for part in &parts {
                let Part::Values(values) = part else { continue };
                if let Some(count) = found.filter(|count| *count != values.len()) {
                    let message = format!(
                        "{} values here, but {count} before; give every repetition of a line as many",
                        values.len()
                    );
                    return Err(Fault::new(line.number, &word.text, message));
                }
                (found, repeated.count) = (Some(values.len()), Some(values.len()));
            }
            repeated.words.push((parts, word.quoted));
        }
        Ok(repeated)
    }

    /// Bytes of its words, so often, with a separator behind each.
    fn bytes(&self, times: usize) -> usize {
        let parts = self.words.iter().map(|(parts, _)| {
            let lengths = parts.iter().map(|part| match part {
                Part::Text(text) => text.len() * times,
                Part::Values(values) => values.iter().map(String::len).sum(),
            });
            times + lengths.sum::<usize>()
        });
        parts.sum()
    }

    fn nth(&self, index: usize) -> Line {
        let words = self.words.iter().map(|(parts, quoted)| {
            let text = parts.iter().map(|part| match part {
                Part::Text(text) => *text,
                Part::Values(values) => values[index].as_str(),
            });
            Word { text: text.collect(), quoted: *quoted }
        });
        Line { number: self.number, words: words.collect() }
    }
}

enum Part<'a> {
    Text(&'a str),
    Values(Vec<String>),
}

/// Braces that are no repetition stay as they are: documents in quotes are full of them.
fn parts<'a>(word: &'a Word, left: &mut usize) -> Result<Vec<Part<'a>>, &'static str> {
    let mut parts = Vec::new();
    let mut rest = word.text.as_str();
    let mut from = 0;
    while let Some(open) = rest[from..].find('{').map(|at| at + from) {
        let Some(close) = rest[open..].find('}').map(|at| at + open) else {
            break;
        };
        let inner = &rest[open + 1..close];
        let values = match range(inner)? {
            Some(values) => values,
            None if !word.quoted && inner.contains(',') && !inner.contains('{') => list(inner)?,
            None => {
                from = open + 1;
                continue;
            }
        };
        if values.len() > VALUES_MAX {
            return Err("more than 4,096 values");
        }
        *left = left.checked_sub(values.len()).ok_or("more than a million values in one statement")?;
        parts.push(Part::Text(&rest[..open]));
        parts.push(Part::Values(values));
        rest = &rest[close + 1..];
        from = 0;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

/// `a,b,7..9`: words and ranges.
fn list(inner: &str) -> Result<Vec<String>, &'static str> {
    let mut values = Vec::new();
    for item in inner.split(',') {
        match range(item)? {
            Some(more) => values.extend(more),
            None => values.push(item.to_owned()),
        }
        if values.len() > VALUES_MAX {
            return Err("more than 4,096 values");
        }
    }
    Ok(values)
}

/// `1..40` or `01..40`: a leading zero keeps the width.
fn range(inner: &str) -> Result<Option<Vec<String>>, &'static str> {
    let Some((first, last)) = inner.split_once("..") else { return Ok(None) };
    let digits = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(first) || !digits(last) {
        return Ok(None);
    }
    let width = if first.starts_with('0') { first.len() } else { 0 };
    let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
        return Ok(None);
    };
    if first > last {
        return Err("the range runs backwards");
    }
    if last - first >= VALUES_MAX {
        return Err("more than 4,096 values");
    }
    Ok(Some((first..=last).map(|value| format!("{value:0width$}")).collect()))
}
