//! Documents of OpenAPI 3 and Swagger 2 (JSON): the interfaces that they describe, at the servers that they name.

use crate::error::ImportError;
use crate::gathered::Gathered;
use ambit_model::Kind;
use ambit_model::entity::host_of;
use serde_json::Value;

/// What may be done with a path.
const METHODS: [&str; 8] = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<(), ImportError> {
    let body: Value = serde_json::from_str(file).map_err(|error| ImportError::line(error.line(), error.to_string()))?;
    let is_one = ["openapi", "swagger"].iter().any(|name| body[*name].is_string());
    let Some(paths) = body["paths"].as_object().filter(|_| is_one) else {
        return Err(ImportError::file("no document of OpenAPI or Swagger: there are no paths, or no version"));
    };
    let servers = servers(&body);
    if servers.is_empty() {
        return Err(ImportError::file(
            "it names no server with a host: give it one in servers, such as https://api.example.org/v1",
        ));
    }
    let title = body["info"]["title"].as_str().unwrap_or_default();
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
        let methods: Vec<String> = METHODS
            .iter()
            .filter(|method| !item[**method].is_null())
            .map(|method| method.to_ascii_uppercase())
            .collect();
        if methods.is_empty() {
            continue;
        }
        for server in &servers {
            add(&format!("{server}{path}"), &[("methods", &methods.join(", ")), ("title", title)], gathered);
        }
    }
    Ok(())
}

/// Adds an interface and the host that it is on.
pub(super) fn add(url: &str, says: &[(&str, &str)], gathered: &mut Gathered) {
    match Kind::ApiEndpoint.canonical(url) {
        Ok(name) => {
            gathered.host(host_of(&name), None, &[]);
            gathered.add(Kind::ApiEndpoint, &name, None, says);
        }
        Err(_) => gathered.leave_out(),
    }
}

/// URLs that all paths follow, those alone that name a host.
fn servers(body: &Value) -> Vec<String> {
    let listed = body["servers"].as_array().into_iter().flatten().filter_map(|server| server["url"].as_str());
    let mut servers: Vec<String> = listed.map(str::to_owned).collect();
    if let Some(host) = body["host"].as_str() {
        let path = body["basePath"].as_str().unwrap_or_default();
        let schemes = body["schemes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut schemes: Vec<&str> = schemes.filter(|scheme| scheme.starts_with("http")).collect();
        if schemes.is_empty() {
            schemes.push("https");
        }
        servers.extend(schemes.into_iter().map(|scheme| format!("{scheme}://{host}{path}")));
    }
    let named = servers.into_iter().filter(|server| server.starts_with("http://") || server.starts_with("https://"));
    named.map(|server| server.trim_end_matches('/').to_owned()).collect()
}
