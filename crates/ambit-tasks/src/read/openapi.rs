//! Reads documents of OpenAPI and Swagger into the interfaces that they describe. Pure.

use ambit_net::http::Url;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Interfaces of one document.
const OPERATIONS_MAX: usize = 1_000;
/// What may be done with a path.
const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put", "trace"];

/// What a document describes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) title: Option<String>,
    /// Methods by URL. What a caller fills in stands in braces.
    pub(crate) operations: BTreeMap<String, BTreeSet<String>>,
}

/// Reads a document that was fetched from a URL; `None` for what is none.
pub(crate) fn read(bytes: &[u8], url: &Url) -> Option<Document> {
    let body: Value = serde_json::from_slice(bytes).ok()?;
    let is_one = ["openapi", "swagger"].iter().any(|name| body.get(*name).is_some_and(Value::is_string));
    let paths = body.get("paths").filter(|_| is_one)?.as_object()?;
    let base = base(&body, url);
    let mut document = Document { title: text(&body["info"], "title"), operations: BTreeMap::new() };
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
        let methods = METHODS.iter().filter(|method| item.get(**method).is_some());
        let methods: BTreeSet<String> = methods.map(|method| method.to_ascii_uppercase()).collect();
        if !methods.is_empty() && document.operations.len() < OPERATIONS_MAX {
            document.operations.insert(format!("{base}{path}"), methods);
        }
    }
    Some(document)
}

/// The URL that all paths follow, without a slash at its end.
fn base(body: &Value, url: &Url) -> String {
    let server = body["servers"].as_array().and_then(|servers| text(servers.first()?, "url"));
    let swagger = || {
        let path = text(body, "basePath").unwrap_or_default();
        match text(body, "host") {
            Some(host) => format!("{}://{host}{path}", url.scheme()),
            None => path,
        }
    };
    let named = server.unwrap_or_else(swagger);
    let joined =
        if named.is_empty() { url.with_path("/") } else { url.join(&named).unwrap_or_else(|_| url.with_path("/")) };
    joined.to_string().trim_end_matches('/').to_owned()
}

fn text(of: &Value, name: &str) -> Option<String> {
    of.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(body: &Value) -> Option<Document> {
        read(body.to_string().as_bytes(), &Url::parse("https://app.acme.test/docs/openapi.json").unwrap())
    }

    #[test]
    fn both_generations_are_read() {
        let three = of(&json!({"openapi": "3.0.1", "info": {"title": "Orders"}, "servers": [{"url": "/api/v2"}],
            "paths": {"/orders": {"get": {}, "post": {}, "parameters": []}, "/orders/{id}": {"delete": {}},
                "x-note": {}}}))
        .unwrap();
        assert_eq!(three.title.as_deref(), Some("Orders"));
        let shown: Vec<String> = three.operations.iter().map(|(url, methods)| format!("{url} {methods:?}")).collect();
        assert_eq!(
            shown,
            [
                r#"https://app.acme.test/api/v2/orders {"GET", "POST"}"#,
                r#"https://app.acme.test/api/v2/orders/{id} {"DELETE"}"#,
            ]
        );
        let two =
            of(&json!({"swagger": "2.0", "host": "api.acme.test", "basePath": "/v1", "paths": {"/a": {"get": {}}}}));
        assert!(two.unwrap().operations.contains_key("https://api.acme.test/v1/a"));
    }

    #[test]
    fn other_documents_are_none() {
        assert_eq!(of(&json!({"paths": {"/a": {"get": {}}}})), None);
        assert_eq!(of(&json!({"openapi": "3.0.1"})), None);
        assert_eq!(read(b"<html>", &Url::parse("https://app.acme.test/").unwrap()), None);
    }
}
