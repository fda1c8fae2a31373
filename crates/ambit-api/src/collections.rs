//! Collections on the wire (docs/contract/asm.md §3.2). The project's id is sent under both spellings that clients read.

use crate::COLLECTION_TYPE;
use crate::shape::{
    BOOLEAN, BOOLEAN_OR_NULL, COUNTS, INTEGER, INTEGER_OR_NULL, MOMENT, MOMENT_OR_NULL, NAME, Object, Shape, TEXT, TEXT_OR_NULL, TEXTS, UUID,
    UUID_OR_NULL, member, optional,
};
use ambit_model::collection::Collection;
use ambit_model::user::CollectionRole;
use ambit_model::workflow;
use serde_json::{Value, json};

/// Where the UI keeps the picture of a collection.
const ICON_PATH: &str = "/branding/icons/org.png";

/// A collection as its caller sees it, in lists and reads.
pub fn collection(collection: &Collection, exclusions: &[String], role: CollectionRole) -> Value {
    let mut value = bare(collection, exclusions, "tags");
    value["role"] = json!(role.name());
    value
}

/// A collection in the answer to its creation: its tags are named `global_labels` there, and it has no role (docs/contract/asm.md §2.3).
pub fn created_collection(collection: &Collection, exclusions: &[String]) -> Value {
    bare(collection, exclusions, "global_labels")
}

fn bare(collection: &Collection, exclusions: &[String], tags_name: &str) -> Value {
    let last_updated = collection
        .last_refresh
        .map_or(collection.updated_at, |refresh| refresh.max(collection.updated_at));
    json!({
        "id": collection.id,
        "uuid": collection.uuid,
        "type": COLLECTION_TYPE,
        "name": collection.name,
        "printable_name": collection.printable_name,
        "following": null,
        "auto_refresh_schedule": collection.schedule.name(),
        "next_run_at": collection.due_at.filter(|_| !collection.archived),
        "level": collection.level.level(),
        "exclusions": exclusions,
        "workflow_name": collection.workflow,
        "workflow_pretty_name": workflow::find(&collection.workflow).map(|workflow| workflow.pretty_name),
        tags_name: [],
        "last_updated": last_updated,
        "created_at": collection.created_at,
        "deleted": collection.deleted_at.is_some(),
        "deleted_at": collection.deleted_at,
        "deleted_by": collection.deleted_by,
        "archived": collection.archived,
        "local_icon_path": ICON_PATH,
        "entity_count": collection.entity_count,
        "new_entity_count": collection.new_entity_count,
        "total_entity_count": collection.total_entity_count,
        "issues_by_severity": collection.issues_by_severity,
        "notify_emails_new_entities": null,
        "notify_webhooks_new_entities": null,
        "pointer_collection_id": null,
        "pointer_collection_uuid": null,
        "config": {"custom_last_refreshes_count": collection.custom_last_refreshes_count},
        "refreshing": collection.refreshing,
        "project-id": collection.project,
        "project_id": collection.project,
        "project_uuid": collection.project_uuid,
        "project_name": collection.project_name,
        "owner_id": collection.project,
        "owner_uuid": collection.project_uuid,
        "owner_type": "project",
        "owner_name": collection.project_name,
    })
}

/// How loud a run may be; ours.
const LEVEL: &Shape = &Shape::OneOf(LEVELS);

/// What is configured of a collection.
pub static CONFIG: Shape = Shape::Object(&Object {
    name: "",
    members: &[member("custom_last_refreshes_count", INTEGER)],
    open: false,
});

/// A collection. Lists and reads have `tags` and `role`; the answer to a creation has `global_labels` instead.
pub static COLLECTION: Shape = Shape::Object(&Object {
    name: "Collection",
    members: &[
        member("id", INTEGER),
        member("uuid", UUID),
        member("type", &Shape::OneOf(&[COLLECTION_TYPE])),
        member("name", TEXT),
        member("printable_name", TEXT),
        member("following", BOOLEAN_OR_NULL),
        member("auto_refresh_schedule", TEXT),
        member("next_run_at", MOMENT_OR_NULL),
        member("level", LEVEL),
        member("exclusions", TEXTS),
        member("workflow_name", TEXT_OR_NULL),
        member("workflow_pretty_name", TEXT_OR_NULL),
        optional("tags", TEXTS),
        optional("global_labels", TEXTS),
        member("last_updated", MOMENT),
        member("created_at", MOMENT),
        member("deleted", BOOLEAN),
        member("deleted_at", MOMENT_OR_NULL),
        member("deleted_by", UUID_OR_NULL),
        member("archived", BOOLEAN),
        member("local_icon_path", TEXT),
        member("entity_count", INTEGER),
        member("new_entity_count", INTEGER),
        member("total_entity_count", INTEGER),
        member("issues_by_severity", COUNTS),
        member("notify_emails_new_entities", BOOLEAN_OR_NULL),
        member("notify_webhooks_new_entities", BOOLEAN_OR_NULL),
        member("pointer_collection_id", INTEGER_OR_NULL),
        member("pointer_collection_uuid", UUID_OR_NULL),
        member("config", &CONFIG),
        member("refreshing", BOOLEAN_OR_NULL),
        member("project-id", INTEGER),
        member("project_id", INTEGER),
        member("project_uuid", UUID),
        member("project_name", TEXT),
        member("owner_id", INTEGER),
        member("owner_uuid", UUID),
        member("owner_type", &Shape::OneOf(&["project"])),
        member("owner_name", TEXT),
        optional("role", &Shape::OneOf(&["viewer", "analyst", "admin"])),
    ],
    open: false,
});

/// A list of collections.
pub static COLLECTIONS: Shape = Shape::List(&COLLECTION);

/// The body of a creation.
pub static NEW_COLLECTION: Shape = Shape::Object(&Object {
    name: "NewCollection",
    members: &[
        member("name", NAME),
        member("workflow_name", &Shape::OneOf(WORKFLOWS)),
        optional("auto_refresh_schedule", &Shape::OneOf(SCHEDULES)),
        optional("level", LEVEL),
        optional("exclusions", TEXTS),
    ],
    open: true,
});

/// The body that changes settings; what is left out stays, and a member beyond these is refused.
pub static COLLECTION_SETTINGS: Shape = Shape::Object(&Object {
    name: "CollectionSettings",
    members: &[
        optional("printable_name", NAME),
        optional("auto_refresh_schedule", &Shape::OneOf(SCHEDULES)),
        optional("level", LEVEL),
        optional("exclusions", TEXTS),
        optional("config", &CONFIG),
    ],
    open: false,
});

/// The schedules by name; a test compares them with the model's.
pub const SCHEDULES: &[&str] = &["on_demand", "daily", "weekly", "monthly", "quarterly"];

/// The levels by name; a test compares them with the model's.
pub const LEVELS: &[&str] = &["passive", "polite", "normal", "intensive"];

/// The workflows by name, in the order of the contract; a test compares them with the model's.
pub const WORKFLOWS: &[&str] = &[
    "external_discovery_and_assessment",
    "authenticated_cloud_discovery",
    "code_repository_discovery_and_assessment",
    "suspicious_domain_discovery",
    "mobile_app_discovery",
    "external_application_assessment",
    "third_party_workflow",
];

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::collection::Schedule;
    use ambit_model::wire::WireChoice;
    use ambit_model::{Clearance, Timestamp};
    use uuid::Uuid;

    fn sample() -> Collection {
        Collection {
            id: 3,
            uuid: Uuid::nil(),
            project: 7,
            project_uuid: Uuid::nil(),
            project_name: "Acme".to_owned(),
            name: "outside_a1b2c3d".to_owned(),
            printable_name: "Outside".to_owned(),
            workflow: workflow::DEFAULT.to_owned(),
            schedule: Schedule::Daily,
            due_at: Some(Timestamp(7)),
            wire: WireChoice::Live,
            level: Clearance::L3,
            archived: false,
            created_at: Timestamp(0),
            updated_at: Timestamp(5),
            deleted_at: None,
            deleted_by: None,
            last_refresh: Some(Timestamp(9)),
            last_refreshes: vec![Timestamp(9)],
            entity_count: 1,
            new_entity_count: 1,
            total_entity_count: 2,
            issues_by_severity: [("1".to_owned(), 4)].into(),
            refreshing: false,
            custom_last_refreshes_count: 3,
        }
    }

    #[test]
    fn lists_and_reads_have_tags_and_role() {
        let value = collection(&sample(), &["*.dev.acme.test".to_owned()], CollectionRole::Admin);
        assert_eq!((&value["level"], &value["exclusions"]), (&json!("normal"), &json!(["*.dev.acme.test"])));
        assert_eq!(value["next_run_at"], "1970-01-01T00:00:00.007Z");
        assert_eq!(COLLECTION.differences(&value), Vec::<String>::new());
        assert_eq!((&value["role"], &value["tags"]), (&json!("admin"), &json!([])));
        assert_eq!((&value["project-id"], &value["project_id"]), (&json!(7), &json!(7)));
        assert_eq!(value["last_updated"], "1970-01-01T00:00:00.009Z");
        assert_eq!(value.get("global_labels"), None);
    }

    #[test]
    fn the_answer_to_a_creation_has_labels_and_no_role() {
        let value = created_collection(&sample(), &[]);
        assert_eq!(COLLECTION.differences(&value), Vec::<String>::new());
        assert_eq!(value["global_labels"], json!([]));
        assert_eq!((value.get("role"), value.get("tags")), (None, None));
    }

    #[test]
    fn the_levels_are_those_of_the_model() {
        for word in LEVELS {
            assert_eq!(Clearance::from_level(word).map(Clearance::level), Some(*word));
        }
    }

    #[test]
    fn the_schedules_are_those_of_the_model() {
        assert_eq!(Schedule::ALL.map(Schedule::name), SCHEDULES);
    }

    #[test]
    fn the_workflows_are_those_of_the_model() {
        let names: Vec<&str> = workflow::ALL.iter().map(|workflow| workflow.name).collect();
        assert_eq!(names, WORKFLOWS);
    }
}
