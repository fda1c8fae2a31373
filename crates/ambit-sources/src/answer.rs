//! What a source answered, read: names below the domain, and how to go on.

use crate::page::{Page, Refusal};
use crate::source::{Form, Source};
use serde_json::Value;
use std::collections::BTreeSet;

/// Characters that are kept of a reason that a source gives.
const REASON_CHARS_MAX: usize = 160;

impl Source {
    /// Reads an answer of the status 200, or of one by which the source says that it knows nothing. Fails if the source
    /// did not look, or what it says cannot be read.
    pub fn page(&self, domain: &str, status: u16, body: &[u8]) -> Result<Page, Refusal> {
        read(self, domain, status, body)
    }
}

fn read(source: &Source, domain: &str, status: u16, body: &[u8]) -> Result<Page, Refusal> {
    match status {
        200 => {}
        status if source.nothing.contains(&status) => return Ok(Page::default()),
        401..=403 => return Err(Refusal::Denied(status)),
        429 => return Err(Refusal::TooOften(status)),
        status => return Err(Refusal::Status(status)),
    }
    match source.form {
        Form::Json => json(source, domain, &parsed(body)?),
        Form::Lines => lines(source, domain, body),
        Form::Text => text(source, domain, &String::from_utf8_lossy(body)),
    }
}

fn parsed(body: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::Unreadable(error.to_string()))
}

fn json(source: &Source, domain: &str, answer: &Value) -> Result<Page, Refusal> {
    said(source, answer)?;
    let mut page = Page::default();
    let mut is_form = false;
    for path in &source.names {
        let Some(values) = list(answer, path) else { continue };
        is_form = true;
        take(source, domain, &values, &mut page);
    }
    if !is_form {
        return Err(Refusal::Unreadable(format!("it has no list `{}`", source.names.join("`, `"))));
    }
    let last = |path: &String| all(answer, path).into_iter().filter_map(shown).next_back();
    page.cursor = source.cursor.as_ref().and_then(last).filter(|cursor| !cursor.is_empty());
    page.more = source.more.as_ref().map(|path| all(answer, path).iter().any(|value| value.as_bool() == Some(true)));
    Ok(page)
}

fn lines(source: &Source, domain: &str, body: &[u8]) -> Result<Page, Refusal> {
    let mut page = Page::default();
    for line in body.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let answer = parsed(line)?;
        said(source, &answer)?;
        for path in &source.names {
            take(source, domain, &all(&answer, path), &mut page);
        }
    }
    Ok(page)
}

fn text(source: &Source, domain: &str, answer: &str) -> Result<Page, Refusal> {
    if source.refused.iter().any(|beginning| answer.trim_start().starts_with(beginning.as_str())) {
        return Err(Refusal::Said(short(answer)));
    }
    let names = names_in(answer, domain);
    Ok(Page { told: names.len(), names, ..Page::default() })
}

/// A reason that stands in an answer of the status 200.
fn said(source: &Source, answer: &Value) -> Result<(), Refusal> {
    for path in &source.refused {
        for value in all(answer, path) {
            match value {
                Value::String(reason) if !reason.trim().is_empty() => return Err(Refusal::Said(short(reason))),
                Value::Bool(true) => return Err(Refusal::Said(path.clone())),
                Value::Object(_) | Value::Array(_) if shown(value).is_some_and(|text| text.len() > "[]".len()) => {
                    return Err(Refusal::Said(short(&value.to_string())));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn take(source: &Source, domain: &str, values: &[&Value], page: &mut Page) {
    let flat = values.iter().flat_map(|value| match value {
        Value::Array(items) => items.iter().collect(),
        other => vec![*other],
    });
    for told in flat.filter_map(Value::as_str) {
        page.told += 1;
        if source.labels {
            let labels = told.trim().trim_start_matches("*.").trim_end_matches('.');
            page.names.extend(names_in(&format!("{labels}.{domain}"), domain));
        } else {
            page.names.extend(names_in(told, domain));
        }
    }
}

/// The values at a path; `None` where what should be a list is none. A list that is null is empty.
fn list<'a>(answer: &'a Value, path: &str) -> Option<Vec<&'a Value>> {
    let around = match path.split_once('*') {
        Some((around, _)) => around.trim_end_matches('/'),
        None => path,
    };
    let mut at = answer;
    for step in around.split('/').filter(|step| !step.is_empty()) {
        at = at.get(step)?;
    }
    match at {
        Value::Array(_) => Some(all(answer, path)),
        Value::Null => Some(Vec::new()),
        _ => None,
    }
}

/// The values at a path: `a/*/b`.
fn all<'a>(answer: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut found = vec![answer];
    for step in path.split('/').filter(|step| !step.is_empty()) {
        found = found.into_iter().flat_map(|value| below(value, step)).collect();
    }
    found
}

fn below<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    match (value, step) {
        (Value::Array(items), "*") => items.iter().collect(),
        (Value::Array(items), "@last") => items.last().into_iter().collect(),
        (Value::Object(members), step) => members.get(step).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(shown).collect();
            Some(items.join(","))
        }
        other => Some(other.to_string()),
    }
}

/// The host names below a domain in a text: in tables, URLs, mail addresses and sentences. They are looked up before
/// anything is made of them, so that a word too many costs one question.
fn names_in(text: &str, domain: &str) -> BTreeSet<String> {
    let below = format!(".{domain}");
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let words = text.split(|letter: char| !is_name(letter));
    let names = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
    names.filter(|name| name.strip_suffix(&below).is_some_and(|labels| !labels.is_empty())).collect()
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(REASON_CHARS_MAX).collect()
}
