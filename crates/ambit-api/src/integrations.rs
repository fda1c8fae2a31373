//! Integrations and the collections that use them, on the wire (docs/contract/asm.md §3.6). The contract leaves the records open; ours never hold a
//! secret.

use crate::shape::{ANY, INTEGER, MOMENT, NAME, Object, Shape, TEXT, TEXT_OR_NULL, TEXTS, UUID, member, optional};
use ambit_model::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// An integration; of its secrets the names only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integration<'a> {
    pub id: i64,
    pub uuid: Uuid,
    pub project: i64,
    pub project_uuid: Uuid,
    pub name: &'a str,
    pub kind: &'a str,
    pub settings: &'a Map<String, Value>,
    pub secret_names: &'a [String],
    pub created_at: Timestamp,
    pub created_by: Option<&'a str>,
}

/// An integration as lists show it.
pub fn integration(of: Integration<'_>) -> Value {
    json!({
        "id": of.id,
        "uuid": of.uuid,
        "name": of.name,
        "type": of.kind,
        "settings": of.settings,
        "secret_names": of.secret_names,
        "project_id": of.project,
        "project_uuid": of.project_uuid,
        "created_at": of.created_at,
        "created_by_email": of.created_by,
    })
}

/// That a collection uses an integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegrationCollection<'a> {
    pub id: i64,
    pub uuid: Uuid,
    pub integration_uuid: Uuid,
    pub integration_name: &'a str,
    pub integration_kind: &'a str,
    pub collection_uuid: Uuid,
    pub collection_name: &'a str,
    pub created_at: Timestamp,
}

/// The use of an integration as lists show it.
pub fn integration_collection(of: IntegrationCollection<'_>) -> Value {
    json!({
        "id": of.id,
        "uuid": of.uuid,
        "integration_uuid": of.integration_uuid,
        "integration_name": of.integration_name,
        "integration_type": of.integration_kind,
        "collection_uuid": of.collection_uuid,
        "collection_name": of.collection_name,
        "created_at": of.created_at,
    })
}

/// The Jira projects that an integration's settings name, as `jira_projects: [{key, name}]` or `["KEY"]`; nobody else is asked.
pub fn jira_projects(of: Integration<'_>) -> Vec<Value> {
    let listed = of.settings.get("jira_projects").and_then(Value::as_array);
    let projects = listed.into_iter().flatten().filter_map(|project| {
        let key = project.as_str().or_else(|| project.get("key")?.as_str())?;
        let name = project.get("name").and_then(Value::as_str).unwrap_or(key);
        Some(json!({"key": key, "name": name, "integration_uuid": of.uuid}))
    });
    projects.collect()
}

/// An integration.
pub static INTEGRATION: Shape = Shape::Object(&Object {
    name: "Integration",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("name", TEXT),
        member("type", TEXT),
        member("settings", &Shape::Map(ANY)),
        member("secret_names", TEXTS),
        member("project_id", INTEGER),
        member("project_uuid", UUID),
        member("created_at", MOMENT),
        member("created_by_email", TEXT_OR_NULL),
    ],
    open: false,
});

/// A list of them.
pub static INTEGRATIONS: Shape = Shape::List(&INTEGRATION);

/// The body that makes one.
pub static NEW_INTEGRATION: Shape = Shape::Object(&Object {
    name: "NewIntegration",
    members: &[
        member("name", NAME),
        member("type", TEXT),
        optional("secrets", &Shape::Map(ANY)),
        optional("settings", &Shape::Map(ANY)),
    ],
    open: true,
});

/// The use of an integration.
pub static INTEGRATION_COLLECTION: Shape = Shape::Object(&Object {
    name: "IntegrationCollection",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("integration_uuid", UUID),
        member("integration_name", TEXT),
        member("integration_type", TEXT),
        member("collection_uuid", UUID),
        member("collection_name", TEXT),
        member("created_at", MOMENT),
    ],
    open: false,
});

/// A list of them.
pub static INTEGRATION_COLLECTIONS: Shape = Shape::List(&INTEGRATION_COLLECTION);

/// The body that lets a collection use one.
pub static NEW_INTEGRATION_COLLECTION: Shape = Shape::Object(&Object {
    name: "NewIntegrationCollection",
    members: &[member("integration_uuid", UUID)],
    open: true,
});

/// Jira projects that integrations name.
pub static JIRA_PROJECTS: Shape = Shape::List(&Shape::Object(&Object {
    name: "JiraProject",
    members: &[member("key", TEXT), member("name", TEXT), member("integration_uuid", UUID)],
    open: false,
}));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_every_member_and_projects_are_read_from_settings() {
        let settings = json!({"jira_projects": ["SEC", {"key": "OPS", "name": "Operations"}, 7]});
        let settings = settings.as_object().unwrap_or(&Map::new()).clone();
        let of = Integration {
            id: 1,
            uuid: Uuid::nil(),
            project: 7,
            project_uuid: Uuid::nil(),
            name: "Tickets",
            kind: "JiraCredential",
            settings: &settings,
            secret_names: &["token".to_owned()],
            created_at: Timestamp(0),
            created_by: None,
        };
        assert_eq!(INTEGRATION.differences(&integration(of)), Vec::<String>::new());
        let projects = Value::Array(jira_projects(of));
        assert_eq!(JIRA_PROJECTS.differences(&projects), Vec::<String>::new());
        assert_eq!((&projects[0]["name"], &projects[1]["name"]), (&json!("SEC"), &json!("Operations")));
        assert_eq!(projects.as_array().map(Vec::len), Some(2));
    }
}
