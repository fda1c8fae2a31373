//! Documents of OpenAPI 3 and Swagger 2, as JSON or YAML: the interfaces that they describe, at the servers that they
//! name.

use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json;
use ambit_model::Kind;
use ambit_model::entity::host_of;
use ambit_model::yaml;
use serde_json::Value;
use std::collections::BTreeMap;

/// What may be done with a path.
const METHODS: [&str; 8] = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    let body = parsed(file)?;
    // `swagger: 2.0` without quotation marks is a number in YAML.
    let is_one = ["openapi", "swagger"].iter().any(|name| body[*name].is_string() || body[*name].is_number());
    let Some(paths) = body["paths"].as_object().filter(|_| is_one) else {
        return Err(ImportError::file("not an OpenAPI or Swagger document: there are no paths, or no version"));
    };
    let of_document = match servers(&body) {
        servers if servers.is_empty() => host_of_swagger(&body),
        servers => servers,
    };
    let (mut is_anywhere, title) = (!of_document.is_empty(), body["info"]["title"].as_str().unwrap_or_default());
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
        let Some(item) = whole(&body, item) else {
            gathered.leave_out();
            continue;
        };
        let mut urls: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (method, operation) in METHODS.iter().map(|method| (method, &item[*method])) {
            if operation.is_null() {
                continue;
            }
            // The servers of an operation stand in the place of those of its path, and these in that of the document's.
            let own =
                [operation, item].into_iter().find(|of| of["servers"].as_array().is_some_and(|all| !all.is_empty()));
            let servers = own.map_or_else(|| of_document.clone(), servers);
            is_anywhere |= !servers.is_empty();
            if servers.is_empty() {
                gathered.leave_out();
            }
            for server in servers {
                urls.entry(format!("{server}{path}")).or_default().push(method.to_ascii_uppercase());
            }
        }
        for (url, methods) in urls {
            add(&url, &[("methods", &methods.join(", ")), ("title", title)], gathered);
        }
    }
    if !is_anywhere {
        return Err(ImportError::file(
            "it names no server with a host: give it one in servers, such as https://api.example.org/v1",
        ));
    }
    Ok(())
}

/// Returns the content of a path, directly or through one reference within the document; `None` if the reference leads
/// nowhere or to another reference.
fn whole<'a>(body: &'a Value, item: &'a Value) -> Option<&'a Value> {
    let Some(place) = item["$ref"].as_str() else { return Some(item) };
    body.pointer(place.strip_prefix('#')?).filter(|item| item.is_object() && item["$ref"].is_null())
}

/// Values of one document in YAML: documents of large interfaces have a million lines.
const NODES_MAX: usize = 10_000_000;
/// Why a document in YAML is not read.
const BEYOND_LIMITS: &str = "it is larger, or repeats more by its anchors, than a document may: give it as JSON";

/// What stands in a document of JSON or YAML.
fn parsed(file: &str) -> Result<Value> {
    if file.trim_start().starts_with('{') {
        return json::whole(file, "a document that begins with {");
    }
    yaml::parse(file, NODES_MAX)
        .map_err(|error| ImportError::line(error.line, error.fault.unwrap_or_else(|| BEYOND_LIMITS.to_owned())))
}

/// Adds an interface and the host that it is on. A token in its path is shown as what a caller fills in, `{masked}`.
pub(super) fn add(url: &str, says: &[(&str, &str)], gathered: &mut Gathered) {
    let masked = ambit_secrets::masked(url).text.replace(ambit_secrets::MASK, "{masked}");
    match Kind::ApiEndpoint.canonical(&masked) {
        // A host of which a part looks like a token cannot be shown without it.
        Ok(name) if host_of(&masked) == host_of(url) => {
            gathered.host(host_of(&name), None, &[]);
            gathered.add(Kind::ApiEndpoint, &name, None, says);
        }
        _ => gathered.leave_out(),
    }
}

/// The URLs that a document, a path or an operation lists as servers, those alone that name a host.
fn servers(of: &Value) -> Vec<String> {
    let listed = of["servers"].as_array().into_iter().flatten();
    with_hosts(listed.filter_map(|server| Some(filled_in(server["url"].as_str()?, &server["variables"]))))
}

/// The URLs of Swagger 2, which has one host.
fn host_of_swagger(body: &Value) -> Vec<String> {
    let Some(host) = body["host"].as_str() else { return Vec::new() };
    let path = body["basePath"].as_str().unwrap_or_default();
    let schemes = body["schemes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut schemes: Vec<&str> = schemes.filter(|scheme| scheme.starts_with("http")).collect();
    if schemes.is_empty() {
        schemes.push("https");
    }
    with_hosts(schemes.into_iter().map(|scheme| format!("{scheme}://{host}{path}")))
}

fn with_hosts(urls: impl Iterator<Item = String>) -> Vec<String> {
    let named = urls.filter(|url| url.starts_with("http://") || url.starts_with("https://"));
    named.map(|url| url.trim_end_matches('/').to_owned()).collect()
}

/// The URL of a server with the usual values of its variables; one that has none stays in its braces.
fn filled_in(url: &str, variables: &Value) -> String {
    let (mut filled, mut rest) = (String::new(), url);
    while let Some((before, behind)) = rest.split_once('{') {
        let known = behind.split_once('}').and_then(|(name, after)| {
            let value = match &variables[name]["default"] {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            Some((value, after))
        });
        let (value, after) = known.unwrap_or_else(|| ("{".to_owned(), behind));
        filled.extend([before, &value]);
        rest = after;
    }
    filled + rest
}
