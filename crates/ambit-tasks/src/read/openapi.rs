//! Reads documents of OpenAPI and Swagger into the interfaces that they describe. Pure.

use super::parameters::is_name;
use ambit_model::yaml;
use ambit_net::http::Url;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Interfaces of one document.
const OPERATIONS_MAX: usize = 1_000;
/// Parameters of one interface.
const PARAMETERS_MAX: usize = 100;
/// Variables of the URL of a server.
const SERVER_BYTES_MAX: usize = 2_048;
/// What may be done with a path.
const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put", "trace"];

/// The member that says the version, of OpenAPI and of what it was before.
const VERSIONS: [&str; 2] = ["openapi", "swagger"];

/// What a document describes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) title: Option<String>,
    /// Methods by URL. What a caller fills in stands in braces.
    pub(crate) operations: BTreeMap<String, BTreeSet<String>>,
    /// Names of parameters by URL: in path, query, headers and cookies, and the members of the body.
    pub(crate) parameters: BTreeMap<String, BTreeSet<String>>,
}

/// Reads a document that was fetched from a URL; `None` for what is none.
pub(crate) fn read(bytes: &[u8], url: &Url) -> Option<Document> {
    let body = parsed(std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}'))?;
    // `swagger: 2.0` without quotation marks is a number in YAML.
    let is_one = VERSIONS.iter().any(|name| body[*name].is_string() || body[*name].is_number());
    let paths = body.get("paths").filter(|_| is_one)?.as_object()?;
    let base = base(&body, url);
    let mut document = Document { title: text(&body["info"], "title"), ..Document::default() };
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
        let item = referred(&body, item);
        let methods = METHODS.iter().filter(|method| item.get(**method).is_some());
        let methods: BTreeSet<String> = methods.map(|method| method.to_ascii_uppercase()).collect();
        if !methods.is_empty() && document.operations.len() < OPERATIONS_MAX {
            document.operations.insert(format!("{base}{path}"), methods);
            let names = taken(&body, item);
            if !names.is_empty() {
                document.parameters.insert(format!("{base}{path}"), names);
            }
        }
    }
    Some(document)
}

/// What stands in a document of JSON or YAML. Most answers are pages, which nobody need read as YAML.
fn parsed(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    let says = |line: &str, name: &str| line.strip_prefix(name).is_some_and(|value| value.starts_with(':'));
    if !text.lines().any(|line| VERSIONS.iter().any(|name| says(line, name))) {
        return None;
    }
    yaml::parse(text, yaml::NODES_MAX).ok()
}

/// Names of what the methods of a path take.
fn taken(body: &Value, path: &Value) -> BTreeSet<String> {
    let methods = METHODS.iter().filter_map(|method| path.get(*method));
    let mut names = BTreeSet::new();
    for described in std::iter::once(path).chain(methods) {
        for parameter in described["parameters"].as_array().into_iter().flatten() {
            let parameter = referred(body, parameter);
            if parameter["in"] == "body" {
                names.extend(members(body, &parameter["schema"]));
            } else {
                names.extend(text(parameter, "name"));
            }
        }
        let content = &referred(body, &described["requestBody"])["content"];
        for media in content.as_object().into_iter().flat_map(|content| content.values()) {
            names.extend(members(body, &media["schema"]));
        }
    }
    names.into_iter().filter(|name| is_name(name)).take(PARAMETERS_MAX).collect()
}

fn members<'a>(body: &'a Value, schema: &'a Value) -> impl Iterator<Item = String> + 'a {
    let properties = referred(body, schema)["properties"].as_object();
    properties.into_iter().flat_map(|properties| properties.keys().take(PARAMETERS_MAX).cloned())
}

/// What a reference within the document leads to, by one step: references that lead on may go round.
fn referred<'a>(body: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(value, |pointer| body.pointer(pointer).unwrap_or(&Value::Null))
}

/// The URL that all paths follow, without a slash at its end.
fn base(body: &Value, url: &Url) -> String {
    let server = body["servers"].as_array().and_then(|servers| server(servers.first()?));
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

/// The URL of a server with the usual values of its variables, which are not filled in themselves; `None` where that is
/// longer than any URL.
fn server(of: &Value) -> Option<String> {
    let url = text(of, "url").filter(|url| url.len() <= SERVER_BYTES_MAX)?;
    let (mut filled, mut rest) = (String::new(), url.as_str());
    while let Some((before, (name, behind))) = rest.split_once('{').and_then(|(b, at)| Some((b, at.split_once('}')?))) {
        filled.push_str(before);
        match text(&of["variables"][name], "default") {
            Some(value) => filled.push_str(&value),
            None => filled.extend(["{", name, "}"]),
        }
        if filled.len() > SERVER_BYTES_MAX {
            return None;
        }
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
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
    fn variables_of_a_server_that_name_each_other_do_not_multiply() {
        let row = "{b}".repeat(100);
        let variables = json!({"a": {"default": row}, "b": {"default": "{a}"}, "c": {"default": "x".repeat(100)}});
        assert_eq!(server(&json!({"url": "{a}", "variables": variables})), Some(row));
        assert_eq!(server(&json!({"url": "{c}".repeat(100), "variables": variables})), None);
        assert_eq!(server(&json!({"url": "/{d}/{", "variables": variables})).as_deref(), Some("/{d}/{"));
    }

    #[test]
    fn paths_and_servers_are_read_where_the_document_says_them_elsewhere() {
        let body = json!({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/components/pathItems/a"}},
            "servers": [{"url": "https://{env}.acme.test/{base}", "variables": {"env": {"default": "api"},
                "base": {"default": "v1"}, "more": {}}}],
            "components": {"pathItems": {"a": {"get": {}}}}});
        let file = format!("\u{feff}{body}");
        let read = read(file.as_bytes(), &Url::parse("https://app.acme.test/openapi.json").unwrap()).unwrap();
        assert_eq!(read.operations.keys().collect::<Vec<_>>(), ["https://api.acme.test/v1/a"]);
    }

    #[test]
    fn what_an_interface_takes_is_named() {
        let document = of(&json!({"openapi": "3.0.1", "paths": {"/orders/{id}": {
            "parameters": [{"name": "id", "in": "path"}, {"$ref": "#/components/parameters/page"}],
            "get": {"parameters": [{"name": "X-Trace", "in": "header"}, {"name": "a b", "in": "query"},
                {"$ref": "#/components/parameters/none"}]},
            "post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/o"}}}}}},
            "/none": {"get": {}}},
            "components": {"parameters": {"page": {"name": "page", "in": "query"}},
                "schemas": {"o": {"properties": {"amount": {"$ref": "#/components/schemas/o"}, "to": {}}}}}}))
        .unwrap();
        let names = document.parameters.values().map(|names| names.iter().cloned().collect::<Vec<_>>().join(" "));
        assert_eq!(names.collect::<Vec<_>>(), ["X-Trace amount id page to"]);
        let old = of(&json!({"swagger": "2.0", "paths": {"/a": {"post": {"parameters": [
            {"name": "body", "in": "body", "schema": {"properties": {"name": {}}}}]}}}}));
        assert_eq!(old.unwrap().parameters["https://app.acme.test/a"], BTreeSet::from(["name".to_owned()]));
    }

    #[test]
    fn documents_are_read_as_yaml() {
        let url = Url::parse("https://app.acme.test/docs/openapi.yaml").unwrap();
        let text = "# Ours\nopenapi: 3.0.1\ninfo: {title: Orders}\npaths:\n  /orders:\n    get: &read\n      \
            responses: {200: {description: all}}\n    head: *read\n";
        let document = read(text.as_bytes(), &url).unwrap();
        assert_eq!(document.title.as_deref(), Some("Orders"));
        let methods = BTreeSet::from(["GET".to_owned(), "HEAD".to_owned()]);
        assert_eq!(document.operations, BTreeMap::from([("https://app.acme.test/orders".to_owned(), methods)]));
        let levels = (1..20).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}, *a{0}]\n", level - 1));
        let grows = format!("swagger: 2.0\na0: &a0 [x, x, x, x]\n{}paths: {{}}\n", levels.collect::<String>());
        assert_eq!(read(grows.as_bytes(), &url), None);
    }

    #[test]
    fn other_documents_are_none() {
        assert_eq!(of(&json!({"paths": {"/a": {"get": {}}}})), None);
        assert_eq!(of(&json!({"openapi": "3.0.1"})), None);
        assert_eq!(read(b"<html>", &Url::parse("https://app.acme.test/").unwrap()), None);
    }
}
