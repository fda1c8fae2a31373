//! Collections of Postman (version 2): the requests in all their folders. Nothing of their headers, bodies and
//! credentials is kept.

use super::openapi::add;
use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json::whole;
use serde_json::Value;
use std::collections::BTreeMap;

/// Variables that stand in each other's values.
const REPLACED_MAX: usize = 5;
/// Variables without a value that are named.
const VARIABLES_NAMED_MAX: usize = 5;
/// Bytes of a URL, of which no server takes more: values of variables may hold one another many times.
const URL_BYTES_MAX: usize = 8 * 1_024;

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    let body = whole(file, "a Postman collection")?;
    let body = if body["collection"].is_object() { &body["collection"] } else { &body };
    let Some(items) = body["item"].as_array().filter(|_| body["info"].is_object()) else {
        return Err(ImportError::file("not a Postman collection (version 2): there is no info, or no item"));
    };
    let variables = variables(body);
    let mut urls: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut undefined: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: Vec<&Value> = items.iter().collect();
    while let Some(item) = open.pop() {
        open.extend(item["item"].as_array().into_iter().flatten());
        let request = &item["request"];
        if request.is_null() {
            continue;
        }
        match written(request).map_or(Err(None), |written| url(&written, &variables)) {
            Ok(url) => urls.entry(url).or_default().push(request["method"].as_str().unwrap_or("GET")),
            // These are counted in a note of their own.
            Err(Some(variable)) => *undefined.entry(variable).or_default() += 1,
            Err(None) => gathered.leave_out(),
        }
    }
    note_undefined(&undefined, gathered);
    let title = body["info"]["name"].as_str().unwrap_or_default();
    for (url, mut methods) in urls {
        methods.sort_unstable();
        methods.dedup();
        add(&url, &[("methods", &methods.join(", ")), ("title", title)], gathered);
    }
    Ok(())
}

/// The URL of a request as it is written: whole, or in parts alone.
fn written(request: &Value) -> Option<String> {
    let of = &request["url"];
    let whole = of["raw"].as_str().filter(|raw| !raw.trim().is_empty()).or_else(|| of.as_str());
    if let Some(whole) = whole.or_else(|| request.as_str()) {
        return Some(whole.to_owned());
    }
    let part = |part: &Value| part.as_str().or_else(|| part["value"].as_str()).map(str::to_owned);
    let joined = |parts: &Value, between: &str| match parts.as_array() {
        Some(parts) => Some(parts.iter().filter_map(part).collect::<Vec<_>>().join(between)),
        None => parts.as_str().map(str::to_owned),
    };
    let host = joined(&of["host"], ".").filter(|host| !host.is_empty())?;
    let scheme = of["protocol"].as_str().map_or_else(String::new, |scheme| format!("{scheme}://"));
    let port = of["port"].as_str().map_or_else(String::new, |port| format!(":{port}"));
    let path = joined(&of["path"], "/").unwrap_or_default();
    Some(format!("{scheme}{host}{port}/{}", path.trim_start_matches('/')))
}

fn variables(body: &Value) -> BTreeMap<&str, &str> {
    let listed = body["variable"].as_array().into_iter().flatten();
    listed.filter_map(|variable| Some((variable["key"].as_str()?, variable["value"].as_str()?))).collect()
}

/// Says of which requests nobody knows the host, by the variables in which it stands.
fn note_undefined(undefined: &BTreeMap<String, usize>, gathered: &mut Gathered) {
    if undefined.is_empty() {
        return;
    }
    let named: Vec<String> = undefined.keys().take(VARIABLES_NAMED_MAX).map(|key| format!("{{{{{key}}}}}")).collect();
    let more = if undefined.len() > named.len() { ", …" } else { "" };
    let (named, count) = (named.join(", "), undefined.values().sum::<usize>());
    let why = format!("because their hosts stand in variables that the collection does not define ({named}{more})");
    gathered.note(format!("requests left out {why}: {count}"));
}

/// The URL of a request without its query, with what variables say; what a caller fills in stands in braces. Fails with
/// the variable in which its host stands, where the collection does not have that, or with nothing where it is none, or
/// too long.
fn url(raw: &str, variables: &BTreeMap<&str, &str>) -> Result<String, Option<String>> {
    let url = filled_in(raw.trim(), variables).ok_or(None)?;
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https")).ok_or(None)?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let variable = host.split_once("{{").and_then(|(_, rest)| rest.split_once("}}"));
    if host.is_empty() || host.contains('{') {
        return Err(variable.map(|(key, _)| key.to_owned()));
    }
    let segments = path.split('/').map(|segment| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.replace("{{", "{").replace("}}", "}"),
    });
    Ok(format!("{scheme}://{host}/{}", segments.collect::<Vec<_>>().join("/")))
}

/// A text with the values of variables in it, and of those that stand in these; `None` where it becomes too long.
fn filled_in(raw: &str, variables: &BTreeMap<&str, &str>) -> Option<String> {
    let mut text = raw.to_owned();
    for _ in 0..REPLACED_MAX {
        let mut filled = String::with_capacity(text.len());
        let (mut rest, mut is_same) = (text.as_str(), true);
        while let Some((before, behind)) = rest.split_once("{{") {
            let known = behind.split_once("}}").and_then(|(key, after)| Some((*variables.get(key)?, after)));
            let (value, after) = known.unwrap_or(("{{", behind));
            is_same &= known.is_none();
            filled.extend([before, value]);
            rest = after;
            if filled.len() > URL_BYTES_MAX {
                return None;
            }
        }
        filled.push_str(rest);
        text = filled;
        if is_same {
            break;
        }
    }
    (text.len() <= URL_BYTES_MAX).then_some(text)
}
