//! The versions that a CVE record of the format 5 says are affected, as spans between bounds
//! (<https://github.com/CVEProject/cve-schema/blob/main/schema/docs/versions.md>). A version in words says nothing that
//! could be compared, and makes no span.

use super::{list, text};
use crate::configuration::Criterion;
use crate::cpe::{Cpe, Value as Attribute};
use ambit_model::version_order::Scheme;
use serde_json::Value;
use std::cmp::Ordering;

/// Versions between bounds, or one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    exact: Option<String>,
    from: Option<String>,
    after: Option<String>,
    to: Option<String>,
    before: Option<String>,
}

impl Span {
    /// The product in these versions.
    pub(super) fn criterion(&self, name: &Cpe) -> Criterion {
        let version = self.exact.as_ref().map_or(Attribute::Any, |exact| Attribute::Text(exact.to_lowercase()));
        let name = Cpe { version, update: Attribute::Any, ..name.clone() };
        let Self { from, after, to, before, .. } = self.clone();
        Criterion { name: name.to_string(), vulnerable: true, from, after, to, before }
    }

    fn is_endless(&self) -> bool {
        self.exact.is_none() && self.to.is_none() && self.before.is_none()
    }
}

/// The affected versions of a product of a record.
pub(super) fn affected(product: &Value) -> Vec<Span> {
    let of_status = |status: &'static str| {
        let rows = list(product, "versions").filter(move |row| text(row, "status") == status);
        rows.flat_map(spans)
    };
    let mut affected: Vec<Span> = of_status("affected").collect();
    if text(product, "defaultStatus") == "affected" {
        let scheme = list(product, "versions").map(|row| Scheme::named(&text(row, "versionType"))).next();
        affected.extend(between(of_status("unaffected").collect(), scheme.unwrap_or(Scheme::Dotted)));
    }
    affected
}

/// How a row ends.
enum Upper {
    /// It names one version alone.
    None,
    Open,
    To(String),
    Before(String),
    /// In words.
    Unreadable,
}

fn upper(row: &Value) -> Upper {
    for (member, bound) in [("lessThanOrEqual", Upper::To as fn(String) -> Upper), ("lessThan", Upper::Before)] {
        return match row.get(member).and_then(Value::as_str).map(str::trim) {
            None | Some("n/a") => continue,
            Some("*") => Upper::Open,
            Some(text) => match family(text) {
                Some((_, next)) if member == "lessThanOrEqual" => Upper::Before(next),
                Some((first, _)) => Upper::Before(first),
                None if is_version(text) => bound(text.to_owned()),
                None => Upper::Unreadable,
            },
        };
    }
    Upper::None
}

/// What a row of versions spans.
fn spans(row: &Value) -> Vec<Span> {
    let version = text(row, "version");
    let version = version.trim();
    let from = Some(version.to_owned()).filter(|begin| is_version(begin) && begin != "0");
    let span = match upper(row) {
        Upper::None => return alone(version).into_iter().collect(),
        Upper::Unreadable => return Vec::new(),
        Upper::Open if from.is_none() && !["0", "*", "unspecified"].contains(&version) => return Vec::new(),
        Upper::Open => Span { from, ..Span::default() },
        Upper::To(to) => Span { from, to: Some(to), ..Span::default() },
        Upper::Before(before) => Span { from, before: Some(before), ..Span::default() },
    };
    changed(row, span)
}

/// A span without what its row says has another status from some version on.
fn changed(row: &Value, whole: Span) -> Vec<Span> {
    let is_affected = text(row, "status") == "affected";
    let (mut spans, mut open) = (Vec::new(), Some(whole.clone()));
    for change in list(row, "changes") {
        let at = Some(text(change, "at")).filter(|at| is_version(at));
        if at.is_none() {
            continue;
        }
        match (open.take(), (text(change, "status") == "affected") == is_affected) {
            (Some(begun), false) => spans.push(Span { to: None, before: at, ..begun }),
            (None, true) => open = Some(Span { from: at, ..whole.clone() }),
            (stays, _) => open = stays,
        }
    }
    spans.extend(open);
    spans
}

/// A version without bounds: itself, `2.x` for all that begin so, or conditions such as `>= 2.0, < 2.6`.
fn alone(version: &str) -> Option<Span> {
    if !version.starts_with(['<', '>', '=']) {
        return match family(version) {
            Some((from, before)) => Some(Span { from: Some(from), before: Some(before), ..Span::default() }),
            None => is_version(version)
                .then(|| Span { exact: Some(version.to_owned()).filter(|version| version != "0"), ..Span::default() })
                .filter(|span| span.exact.is_some()),
        };
    }
    let mut span = Span::default();
    for condition in version.split(',').map(str::trim) {
        let (operator, bound) = condition.split_at(condition.find(|c| !matches!(c, '<' | '>' | '='))?);
        let bound = Some(bound.trim().to_owned()).filter(|bound| is_version(bound))?;
        *match operator {
            "<" => &mut span.before,
            "<=" => &mut span.to,
            ">" => &mut span.after,
            ">=" => &mut span.from,
            "=" | "==" => &mut span.exact,
            _ => return None,
        } = Some(bound);
    }
    Some(span)
}

/// The first version of `2.5.*` or `2.5.x`, and the first behind all of them.
fn family(text: &str) -> Option<(String, String)> {
    let first = text.strip_suffix(".*").or_else(|| text.strip_suffix(".x"))?;
    let (before, last) = first.rsplit_once('.').map_or(("", first), |(before, last)| (before, last));
    let next = last.parse::<u64>().ok()?.checked_add(1)?;
    let next = if before.is_empty() { next.to_string() } else { format!("{before}.{next}") };
    is_version(first).then(|| (first.to_owned(), next))
}

/// What lies between spans that are not affected, where all else is. Behind one that is a single version nothing is:
/// such rows name the version that mends it.
fn between(mut unaffected: Vec<Span>, scheme: Scheme) -> Vec<Span> {
    let begin = |span: &Span| span.exact.clone().or(span.from.clone()).or(span.after.clone());
    unaffected.sort_by(|a, b| match (begin(a), begin(b)) {
        (Some(a), Some(b)) => scheme.compare(&a, &b).unwrap_or(Ordering::Equal),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let (mut spans, mut open) = (Vec::new(), Span::default());
    let count = unaffected.len();
    for (number, span) in unaffected.into_iter().enumerate() {
        if let Some(before) = begin(&span) {
            spans.push(Span { before: Some(before), ..open.clone() });
        }
        if span.is_endless() || (span.exact.is_some() && number + 1 == count) {
            return spans;
        }
        open = Span { from: span.before, after: span.to.or(span.exact), ..Span::default() };
    }
    if count > 0 {
        spans.push(open);
    }
    spans
}

pub(super) fn is_version(text: &str) -> bool {
    let good = |sign: char| sign.is_ascii_alphanumeric() || ".-_+:~()".contains(sign);
    let begins = text.trim_start_matches(['v', 'V']).starts_with(|sign: char| sign.is_ascii_digit());
    begins && text.chars().all(good)
}
