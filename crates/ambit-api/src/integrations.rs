//! Integrations and the collections that use them, on the wire (docs/contract/asm.md §3.6). The contract leaves the
//! records open; ours never hold a secret.

use crate::contract::{Maybe, contract};
use crate::request::{Name, UuidText};
use crate::words::Word;
use ambit_model::Timestamp;
use ambit_model::workflow::IntegrationType;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

contract! {
    /// An integration; of its secrets the names only.
    #[derive(Debug, Serialize)]
    pub struct Integration {
        pub id: i64,
        pub uuid: Uuid,
        pub name: String,
        #[serde(rename = "type")]
        pub kind: String,
        pub settings: Map<String, Value>,
        pub secret_names: Vec<String>,
        pub project_id: i64,
        pub project_uuid: Uuid,
        pub created_at: Timestamp,
        pub created_by_email: Option<String>,
    }

    /// The body that makes one.
    #[derive(Debug, Deserialize)]
    pub struct NewIntegration {
        pub name: Name,
        #[serde(rename = "type")]
        pub kind: Word<IntegrationType>,
        pub secrets: Maybe<Map<String, Value>>,
        pub settings: Maybe<Map<String, Value>>,
    }

    /// The body that changes one; what is left out stays, and secrets or settings that are given take the place of all
    /// that there were.
    #[derive(Deserialize)]
    pub struct IntegrationSettings {
        pub name: Maybe<Name>,
        pub secrets: Maybe<Map<String, Value>>,
        pub settings: Maybe<Map<String, Value>>,
    }

    /// That a collection uses an integration.
    #[derive(Debug, Serialize)]
    pub struct IntegrationCollection {
        pub id: i64,
        pub uuid: Uuid,
        pub integration_uuid: Uuid,
        pub integration_name: String,
        pub integration_type: String,
        pub collection_uuid: Uuid,
        pub collection_name: String,
        pub created_at: Timestamp,
    }

    /// The body that lets a collection use one.
    #[derive(Debug, Deserialize)]
    pub struct NewIntegrationCollection {
        pub integration_uuid: UuidText,
    }

    /// A Jira project that an integration names.
    #[derive(Debug, Serialize)]
    pub struct JiraProject {
        pub key: String,
        pub name: String,
        pub integration_uuid: Uuid,
    }
}

impl JiraProject {
    /// The Jira projects that an integration's settings name, as `jira_projects: [{key, name}]` or `["KEY"]`; nobody
    /// else is asked.
    pub fn of(integration: Uuid, settings: &Map<String, Value>) -> Vec<Self> {
        let listed = settings.get("jira_projects").and_then(Value::as_array);
        let projects = listed.into_iter().flatten().filter_map(|project| {
            let key = project.as_str().or_else(|| project.get("key")?.as_str())?;
            let name = project.get("name").and_then(Value::as_str).unwrap_or(key);
            Some(Self { key: key.to_owned(), name: name.to_owned(), integration_uuid: integration })
        });
        projects.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn projects_are_read_from_settings() {
        let settings = json!({"jira_projects": ["SEC", {"key": "OPS", "name": "Operations"}, 7]});
        let projects = JiraProject::of(Uuid::nil(), settings.as_object().unwrap());
        let names: Vec<&str> = projects.iter().map(|project| project.name.as_str()).collect();
        assert_eq!(names, ["SEC", "Operations"]);
    }
}
