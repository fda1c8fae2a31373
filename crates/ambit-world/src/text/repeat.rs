//! Repetition: `{1..40}`, `{01..40}` and `{a,b,c}` make one statement or body line many. All of a line go in lock step.

use super::{Line, Statement, Word};
use crate::problem::Fault;

/// Values of one repetition: a /20 of addresses.
const VALUES_MAX: usize = 4_096;

/// The statements that one stands for. Repetitions in the head repeat the whole statement, and those in its body go
/// along with them; below a head without any, a body line repeats by itself.
pub(super) fn expand(statement: Statement) -> Result<Vec<Statement>, Fault> {
    let Some(count) = count(&statement.head, None)? else {
        let mut body = Vec::new();
        for line in statement.body {
            match count(&line, None)? {
                None => body.push(line),
                Some(count) => body.extend((0..count).map(|index| nth(&line, index))),
            }
        }
        return Ok(vec![Statement { head: statement.head, body }]);
    };
    for line in &statement.body {
        self::count(line, Some(count))?;
    }
    Ok((0..count)
        .map(|index| Statement {
            head: nth(&statement.head, index),
            body: statement.body.iter().map(|line| nth(line, index)).collect(),
        })
        .collect())
}

/// How many values the repetitions of a line have; `None` without one.
fn count(line: &Line, expected: Option<usize>) -> Result<Option<usize>, Fault> {
    let mut found = expected;
    let mut any = false;
    for word in &line.words {
        for part in parts(word).map_err(|why| Fault::new(line.number, &word.text, why))? {
            let Part::Values(values) = part else { continue };
            any = true;
            match found {
                Some(count) if count != values.len() => {
                    let message = format!(
                        "{} values here, but {count} before; give every repetition of a line as many",
                        values.len()
                    );
                    return Err(Fault::new(line.number, &word.text, message));
                }
                _ => found = Some(values.len()),
            }
        }
    }
    Ok(found.filter(|_| any))
}

fn nth(line: &Line, index: usize) -> Line {
    let words = line.words.iter().map(|word| {
        let parts = parts(word).expect("the line was counted before");
        let text = parts.iter().map(|part| match part {
            Part::Text(text) => *text,
            Part::Values(values) => values[index].as_str(),
        });
        Word { text: text.collect(), quoted: word.quoted }
    });
    Line { number: line.number, words: words.collect() }
}

enum Part<'a> {
    Text(&'a str),
    Values(Vec<String>),
}

/// Braces that are no repetition stay as they are: documents in quotes are full of them.
fn parts(word: &Word) -> Result<Vec<Part<'_>>, &'static str> {
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
