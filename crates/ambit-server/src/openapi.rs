//! The description of the API (OpenAPI 3.1), generated from the table of endpoints and the tables of members: it cannot
//! say anything else than what is served.

use crate::endpoint::{Access, Endpoint};
use crate::endpoints::ENDPOINTS;
use crate::mount::{MOUNTS, Tree};
use ambit_api::envelope::Failure;
use ambit_api::error::{FailureObject, FailureOfV2};
use ambit_api::{Contract, ErrorCode, Shape};
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value, json};

/// The document. The contract's older mount is an alias and is described in words only.
pub fn document() -> Value {
    let mut named = Map::new();
    let mut paths = Map::new();
    for failure in [Failure::SHAPE, FailureObject::SHAPE, FailureOfV2::SHAPE] {
        failure.schema(&mut named);
    }
    for endpoint in ENDPOINTS {
        let path = documented_path(endpoint);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[endpoint.method.name().to_ascii_lowercase()] = operation(endpoint, &mut named);
    }
    named.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Ambit",
            "version": "1.0",
            "summary": "Attack surface management: projects, collections, runs, entities, issues; graphs, users, \
                        quotas",
            "description": "Every success is 200. Everything below /api/v3/asm is also served below /api/v1, where the \
                            headers \
                INTRIGUE_ACCESS_KEY (the id of a key, or the key again) and INTRIGUE_SECRET_KEY (the key) are the \
                credential and PROJECT_ID names \
                the project.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}, {"key_in_query": []}],
        "paths": paths,
        "components": {
            "schemas": named,
            "responses": failures(),
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "x-apikey"},
                "key_in_query": {"type": "apiKey", "in": "query", "name": "x-apikey"},
                "key_of_v2": {"type": "apiKey", "in": "query", "name": "apikey"},
                "access_key_of_v1": {
                    "type": "apiKey", "in": "header", "name": "INTRIGUE_ACCESS_KEY",
                    "description": "Below /api/v1, beside INTRIGUE_SECRET_KEY: the id of a key, or the key again.",
                },
                "secret_key_of_v1": {
                    "type": "apiKey", "in": "header", "name": "INTRIGUE_SECRET_KEY",
                    "description": "Below /api/v1, beside INTRIGUE_ACCESS_KEY: the key.",
                },
            },
        },
    })
}

/// The document as it is checked in and printed by `ambit openapi`: one blank of indent keeps it small.
pub fn text() -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(b" "));
    document().serialize(&mut serializer).expect("a JSON value has only text keys");
    out.push(b'\n');
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// The path with its mount; the greedy segment is an ordinary parameter here, since OpenAPI has no other.
pub(crate) fn documented_path(endpoint: &Endpoint) -> String {
    let mount = MOUNTS.iter().find(|mount| mount.tree == endpoint.tree).expect("every tree is mounted");
    format!("{}{}", mount.prefix, endpoint.path.replace("{*", "{"))
}

fn operation(endpoint: &Endpoint, named: &mut Map<String, Value>) -> Value {
    let mut operation = json!({
        "operationId": operation_id(endpoint),
        "summary": endpoint.summary(),
        "tags": [tag(endpoint)],
        "parameters": parameters(endpoint, named),
        "responses": responses(endpoint, named),
    });
    if let Some((body, required)) = endpoint.body {
        let content = json!({"application/json": {"schema": body.schema(named), "example": body.example()}});
        operation["requestBody"] = json!({"required": required, "content": content});
    }
    if endpoint.access == Access::Open {
        operation["security"] = json!([]);
    } else if endpoint.tree == Tree::V2 {
        operation["security"] = json!([{"key_of_v2": []}]);
    }
    operation
}

/// `get_user_collections_uuid_archive`.
fn operation_id(endpoint: &Endpoint) -> String {
    let words: String = endpoint.path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
    let tree = match endpoint.tree {
        Tree::Asm | Tree::Open => "",
        Tree::Ambit => "ambit_",
        Tree::Wider => "v3_",
        Tree::V2 => "v2_",
    };
    format!("{}_{tree}{}", endpoint.method.name().to_ascii_lowercase(), words.join("_"))
}

fn tag(endpoint: &Endpoint) -> &'static str {
    let first = endpoint.path.split('/').nth(1).unwrap_or_default();
    match endpoint.tree {
        Tree::Open => "open",
        Tree::Asm | Tree::Ambit | Tree::Wider | Tree::V2 if first.is_empty() => "open",
        Tree::Asm | Tree::Ambit | Tree::Wider => first,
        Tree::V2 => "version 2",
    }
}

fn parameters(endpoint: &Endpoint, named: &mut Map<String, Value>) -> Vec<Value> {
    let mut out = Vec::new();
    for part in endpoint.path.split('/').filter(|part| part.starts_with('{')) {
        let name = part.trim_matches(['{', '}', '*']);
        let shape = if name.ends_with("uuid") { Shape::Uuid } else { Shape::Text };
        let mut parameter = json!({"name": name, "in": "path", "required": true, "schema": shape.schema(named)});
        if part.starts_with("{*") {
            parameter["description"] = json!(
                "The rest of the path: keywords such as `collection:NAME` or `last_seen_after:2026-01-31`, separated \
                 by blanks. It may be empty."
            );
            parameter["allowReserved"] = json!(true);
        }
        out.push(parameter);
    }
    for parameter in endpoint.parameters() {
        out.push(json!({
            "name": parameter.name,
            "in": parameter.place.name(),
            "required": parameter.required,
            "description": parameter.doc,
            "schema": parameter.shape.schema(named),
        }));
    }
    if endpoint.reads_project {
        let description = match endpoint.access {
            Access::OfProject(_) | Access::OfCollection(_) => {
                "Narrows to a project; the object is found in any of the caller's without it."
            }
            _ => "The integer id or the uuid of a project; absent, empty or None: the primary one.",
        };
        out.push(json!({
            "name": "PROJECT-ID",
            "in": "header",
            "required": false,
            "description": description,
            "schema": Option::<String>::SHAPE.schema(named),
        }));
    }
    out
}

/// The answers that a row can give.
fn responses(endpoint: &Endpoint, named: &mut Map<String, Value>) -> Value {
    let media = endpoint.content_type.split(';').next().unwrap_or(endpoint.content_type);
    let mut content = json!({"schema": endpoint.result.schema(named)});
    if !matches!(endpoint.result, Shape::Any) {
        content["example"] = endpoint.result.example();
    }
    let mut out = json!({"200": {"description": "Success", "content": {media: content}}});
    for status in statuses(endpoint) {
        let name = match endpoint.tree {
            Tree::Wider => "FailureObject",
            Tree::V2 => "FailureOfV2",
            Tree::Asm | Tree::Ambit | Tree::Open => "Failure",
        };
        out[status.to_string()] = json!({"$ref": format!("#/components/responses/{name}{status}")});
    }
    out
}

/// The statuses of failures that a row can answer with.
fn statuses(endpoint: &Endpoint) -> Vec<u16> {
    let mut out = vec![400, 404, 405, 413, 429, 500, 503, 504];
    if endpoint.body.is_some() {
        out.extend([409, 415]);
    }
    match endpoint.access {
        // What needs no key may take one in its body.
        Access::Open if endpoint.body.is_some() => out.push(401),
        Access::Open => {}
        Access::Key if endpoint.tree == Tree::V2 => {
            out.retain(|status| *status != 429);
            out.extend([204, 403]);
        }
        Access::Key if endpoint.tree == Tree::Wider => out.extend([401, 403, 409]),
        Access::Key => out.push(401),
        Access::Administrator | Access::InProject(_) | Access::OfProject(_) | Access::OfCollection(_) => {
            out.extend([401, 403, 409])
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The failures of both envelopes, by name.
fn failures() -> Map<String, Value> {
    let mut statuses: Vec<u16> = ErrorCode::all().map(ErrorCode::status).collect();
    statuses.dedup();
    let named =
        |name: &'static str| statuses.iter().map(move |status| (format!("{name}{status}"), failure(name, *status)));
    let mut out: Map<String, Value> =
        named("Failure").chain(named("FailureObject")).chain(named("FailureOfV2")).collect();
    let nothing = json!({"description": "No calls are left; the answer is empty"});
    out.insert("FailureOfV2204".to_owned(), nothing);
    out
}

fn failure(name: &str, status: u16) -> Value {
    let description = match status {
        400 => "The request is malformed",
        401 => "The key is missing or wrong",
        403 => "Not allowed with this role",
        404 => "No such object, or none that the caller may see",
        405 => "No such method here",
        409 => "It exists already, or is in another state",
        413 => "The body is too large",
        415 => "The body is not JSON",
        429 => "Too many requests; Retry-After says when",
        503 => "Not available now; Retry-After says when",
        504 => "It took too long",
        _ => "The server failed",
    };
    let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}});
    json!({"description": description, "content": content})
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_api::{ACCESS_KEY_HEADERS, KEY_NAME, SECRET_KEY_HEADERS, V2_KEY_NAME};

    #[test]
    fn the_document_is_the_one_that_is_checked_in() {
        ambit_testkit::assert_file("docs/openapi.json", &text());
    }

    #[test]
    fn every_row_is_documented_with_its_parameters() {
        let document = document();
        for endpoint in ENDPOINTS {
            let path = documented_path(endpoint);
            let operation = &document["paths"][&path][endpoint.method.name().to_ascii_lowercase()];
            assert!(operation["summary"].is_string(), "{path}");
            let names: Vec<&str> =
                operation["parameters"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
            for part in path.split('/').filter(|part| part.starts_with('{')) {
                assert!(names.contains(&part.trim_matches(['{', '}'])), "{path}: {part}");
            }
            assert!(!path.contains("{*"), "{path}");
        }
        let operations: usize =
            document["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
        assert_eq!(operations, ENDPOINTS.len());
    }

    #[test]
    fn every_way_to_send_a_key_is_listed() {
        let document = document();
        let schemes = document["components"]["securitySchemes"].as_object().unwrap();
        let listed: Vec<String> =
            schemes.values().map(|scheme| scheme["name"].as_str().unwrap().to_ascii_lowercase()).collect();
        let taken = [ACCESS_KEY_HEADERS[0], SECRET_KEY_HEADERS[0], KEY_NAME, V2_KEY_NAME];
        for name in taken {
            assert!(listed.contains(&name.to_ascii_lowercase()), "{name} is not among {listed:?}");
        }
    }

    #[test]
    fn every_reference_leads_to_a_schema() {
        let document = document();
        let text = document.to_string();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.get(name).is_some_and(Value::is_object), "{name}");
        }
        for part in text.split("#/components/responses/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(document["components"]["responses"][name].is_object(), "{name}");
        }
    }
}
