//! Collections on the wire (docs/contract/asm.md §3.2). The project's id is sent under both spellings that clients
//! read.

use crate::contract::{Contract, Maybe, contract, copied, words};
use crate::request::{Name, Text};
use crate::shape::Shape;
use crate::words::Word;
use ambit_model::SkippedTasks;
use ambit_model::collection::{self as model, Schedule};
use ambit_model::cron::Cron;
use ambit_model::notification::hours::Hours;
use ambit_model::ports::PortList;
use ambit_model::scope::exclusion;
use ambit_model::timing::{self as model_timing, TimingChange, Window};
use ambit_model::user::CollectionRole;
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Clearance, DueDays, Timestamp, Uid};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;
use uuid::Uuid;

/// Where the UI keeps the picture of a collection.
const ICON_PATH: &str = "/branding/icons/org.png";

/// How a collection without ports or due dates of its own says so.
const DEFAULT: &str = "default";

words! {
    /// The type of the collections that people make; there are no others.
    pub enum CollectionType {
        User = "user_collection",
    }

    /// What owns a collection.
    pub enum OwnerType {
        Project = "project",
    }
}

contract! {
    /// A collection as its caller sees it. Lists and reads have `tags` and `role`; the answer to a creation has
    /// `global_labels` instead.
    #[derive(Debug, Serialize)]
    pub struct Collection {
        pub id: i64,
        pub uuid: Uuid,
        #[serde(rename = "type")]
        pub kind: CollectionType,
        pub name: String,
        pub printable_name: String,
        pub following: Option<bool>,
        pub auto_refresh_schedule: &'static str,
        pub timing: Timing,
        pub next_run_at: Option<Timestamp>,
        pub level: Word<Clearance>,
        pub ports: String,
        /// Tasks that its runs leave out, by name.
        pub skipped_tasks: Vec<&'static str>,
        pub exclusions: Vec<String>,
        pub workflow_name: Option<String>,
        pub workflow_pretty_name: Option<&'static str>,
        pub tags: Maybe<Vec<String>>,
        pub global_labels: Maybe<Vec<String>>,
        pub last_updated: Timestamp,
        pub created_at: Timestamp,
        pub deleted: bool,
        pub deleted_at: Option<Timestamp>,
        pub deleted_by: Option<Uuid>,
        pub archived: bool,
        pub local_icon_path: &'static str,
        pub entity_count: i64,
        pub new_entity_count: i64,
        pub total_entity_count: i64,
        pub issues_by_severity: BTreeMap<String, i64>,
        pub notify_emails_new_entities: Option<bool>,
        pub notify_webhooks_new_entities: Option<bool>,
        /// By when issues are to be closed, in days by severity; `default`: as the installation says.
        pub due_days: String,
        pub pointer_collection_id: Option<i64>,
        pub pointer_collection_uuid: Option<Uuid>,
        pub config: Config,
        pub refreshing: Option<bool>,
        #[serde(rename = "project-id")]
        pub project_id_hyphen: i64,
        pub project_id: i64,
        pub project_uuid: Uuid,
        pub project_name: String,
        pub owner_id: i64,
        pub owner_uuid: Uuid,
        pub owner_type: OwnerType,
        pub owner_name: String,
        pub role: Maybe<Word<CollectionRole>>,
    }

    /// What is configured of a collection.
    #[derive(Debug, Serialize, Deserialize)]
    pub struct Config as "" {
        pub custom_last_refreshes_count: i64,
    }

    /// When it runs beyond the words of the schedule: a cron expression in its place, the time zone of that and of the
    /// windows in which runs rest, and by how many minutes a start is put off at most.
    #[derive(Debug, Serialize)]
    pub struct Timing {
        pub cron: Option<String>,
        pub time_zone: String,
        pub rest_windows: Vec<String>,
        pub jitter_minutes: u64,
    }

    /// What is said of that. A member that is left out stays; in a new collection it is as where nothing is said.
    #[derive(Debug, Deserialize)]
    pub struct NewTiming {
        pub cron: Maybe<Text>,
        pub time_zone: Maybe<Text>,
        pub rest_windows: Maybe<Vec<Text>>,
        pub jitter_minutes: Maybe<u64>,
    }

    /// The body of a creation.
    #[derive(Debug, Deserialize)]
    pub struct NewCollection {
        pub name: Name,
        pub workflow_name: Word<Workflow>,
        pub auto_refresh_schedule: Maybe<Word<Schedule>>,
        pub timing: Maybe<NewTiming>,
        pub level: Maybe<Word<Clearance>>,
        pub ports: Maybe<Ports>,
        pub skipped_tasks: Maybe<TaskNames>,
        pub exclusions: Maybe<Exclusions>,
    }

    /// Rules of scope that are tried: another level, or all exclusions that there would be.
    #[derive(Debug, Deserialize)]
    pub struct ScopeRules {
        pub level: Maybe<Word<Clearance>>,
        pub exclusions: Maybe<Exclusions>,
    }

    /// What other rules would do to what is known: what would leave the scope, what would come into it, and what would
    /// be contacted less or more loudly.
    #[derive(Debug, Serialize)]
    pub struct ScopePreview {
        pub leaves: MovedEntities,
        pub enters: MovedEntities,
        pub quieter: MovedEntities,
        pub louder: MovedEntities,
    }

    /// Entities that would move, and how many; the first hundred by name.
    #[derive(Debug, Serialize)]
    pub struct MovedEntities {
        pub count: i64,
        pub first: Vec<MovedEntity>,
    }

    /// An entity that would move.
    #[derive(Debug, Serialize)]
    pub struct MovedEntity {
        pub uid: Uid,
        pub name: String,
        #[serde(rename = "type")]
        pub kind: String,
    }

    /// The body that changes settings; what is left out stays, and a member beyond these is refused.
    #[derive(Debug, Deserialize)]
    pub struct CollectionSettings {
        pub printable_name: Maybe<Name>,
        pub auto_refresh_schedule: Maybe<Word<Schedule>>,
        pub timing: Maybe<NewTiming>,
        pub level: Maybe<Word<Clearance>>,
        pub ports: Maybe<Ports>,
        pub skipped_tasks: Maybe<TaskNames>,
        pub exclusions: Maybe<Exclusions>,
        pub config: Maybe<Config>,
        pub notify_emails_new_entities: Maybe<Option<bool>>,
        pub notify_webhooks_new_entities: Maybe<Option<bool>>,
        /// Days by severity, such as critical=7,high=30; none; or default, which is what the installation says.
        pub due_days: Maybe<Due>,
    }
}

impl Timing {
    fn of(timing: &model_timing::Timing) -> Self {
        Self {
            cron: timing.cron.as_ref().map(ToString::to_string),
            time_zone: timing.zone.to_string(),
            rest_windows: timing.windows.iter().map(ToString::to_string).collect(),
            jitter_minutes: timing.jitter_minutes.into(),
        }
    }
}

impl NewTiming {
    /// Returns what it says, or the member that cannot be read and why.
    pub fn read(self) -> Result<TimingChange, String> {
        let named = |member: &'static str| move |why: String| format!("timing.{member}: {why}");
        let windows = |texts: Vec<Text>| texts.iter().map(|Text(text)| Window::parse(text)).collect::<Result<_, _>>();
        let zone = self.time_zone.0.map(|Text(text)| Hours::parse(&text)).transpose();
        let cron = self.cron.0.map(|Text(text)| Cron::parse(&text)).transpose();
        Ok(TimingChange {
            cron: cron.map_err(named("cron"))?,
            zone: zone.map_err(named("time_zone"))?,
            windows: self.rest_windows.0.map(windows).transpose().map_err(named("rest_windows"))?,
            jitter_minutes: self.jitter_minutes.0.map(|minutes| u16::try_from(minutes).unwrap_or(u16::MAX)),
        })
    }
}

impl Collection {
    /// A collection in lists and reads.
    pub fn of(collection: &model::Collection, exclusions: &[String], role: CollectionRole) -> Self {
        Self {
            tags: Maybe(Some(Vec::new())),
            global_labels: Maybe(None),
            role: Maybe(Some(Word(role))),
            ..Self::created(collection, exclusions)
        }
    }

    /// A collection in the answer to its creation: its tags are named `global_labels` there, and it has no role
    /// (docs/contract/asm.md §2.3).
    pub fn created(of: &model::Collection, exclusions: &[String]) -> Self {
        copied! {
            Self from of {
                id, uuid, name, printable_name, created_at, deleted_at, deleted_by, archived, entity_count,
                new_entity_count, total_entity_count,
                issues_by_severity, project_uuid, project_name, notify_emails_new_entities,
                notify_webhooks_new_entities,
            }
            kind: CollectionType::User,
            following: None,
            auto_refresh_schedule: of.schedule.name(),
            timing: Timing::of(&of.timing),
            due_days: of.due_days.map_or_else(|| DEFAULT.to_owned(), |days| days.to_string()),
            // What is due within a window begins when that is over.
            next_run_at: of.due_at.filter(|_| !of.archived).map(|due| of.timing.rests_until(due).unwrap_or(due)),
            level: Word(of.level),
            ports: of.ports.as_ref().map_or_else(|| DEFAULT.to_owned(), PortList::to_string),
            skipped_tasks: of.skipped_tasks.names().collect(),
            exclusions: exclusions.to_vec(),
            workflow_name: Some(of.workflow.clone()),
            workflow_pretty_name: workflow::find(&of.workflow).map(|workflow| workflow.pretty_name),
            tags: Maybe(None),
            global_labels: Maybe(Some(Vec::new())),
            last_updated: of.last_refresh.map_or(of.updated_at, |refresh| refresh.max(of.updated_at)),
            deleted: of.deleted_at.is_some(),
            local_icon_path: ICON_PATH,
            pointer_collection_id: None,
            pointer_collection_uuid: None,
            config: Config {
                custom_last_refreshes_count: of.custom_last_refreshes_count,
            },
            refreshing: Some(of.refreshing),
            project_id_hyphen: of.project,
            project_id: of.project,
            owner_id: of.project,
            owner_uuid: of.project_uuid,
            owner_type: OwnerType::Project,
            owner_name: of.project_name.clone(),
            role: Maybe(None),
        }
    }
}

/// Reads a value that is written as text; `None` for the word that leaves it to the installation.
fn text_or_default<'de, T, D>(deserializer: D, expected: &str) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err = String>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer).map_err(|_| D::Error::custom(expected))?;
    if text == DEFAULT {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| D::Error::custom(format!(": {error}")))
}

/// Reads a list of texts; a refusal says what is expected.
fn texts<'de, D: Deserializer<'de>>(deserializer: D, expected: &str) -> Result<Vec<String>, D::Error> {
    Vec::deserialize(deserializer).map_err(|_| D::Error::custom(expected))
}

/// A list of ports, or the word for those of the installation, which is `None`.
#[derive(Debug)]
pub struct Ports(pub Option<PortList>);

impl Contract for Ports {
    const SHAPE: &'static Shape = String::SHAPE;
}

impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_default(deserializer, "must be a text such as 80,443,8000-8100, top:100, all or default").map(Self)
    }
}

/// Days until issues are due, or the word for those of the installation, which is `None`.
#[derive(Debug)]
pub struct Due(pub Option<DueDays>);

impl Contract for Due {
    const SHAPE: &'static Shape = String::SHAPE;
}

impl<'de> Deserialize<'de> for Due {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_default(deserializer, "must be a text such as critical=7,high=30, none or default").map(Self)
    }
}

/// Tasks that are left out, by name, all of them.
#[derive(Debug)]
pub struct TaskNames(pub SkippedTasks);

impl Contract for TaskNames {
    const SHAPE: &'static Shape = Vec::<String>::SHAPE;
}

impl<'de> Deserialize<'de> for TaskNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = texts(deserializer, "must be a list of names of tasks such as port_sweep")?;
        names.join(",").parse().map(Self).map_err(|error: String| D::Error::custom(format!(": {error}")))
    }
}

/// Names, `*.names`, addresses, blocks or URLs in canonical form, in order and each once.
#[derive(Debug)]
pub struct Exclusions(pub Vec<String>);

impl Contract for Exclusions {
    const SHAPE: &'static Shape = Vec::<String>::SHAPE;
}

impl<'de> Deserialize<'de> for Exclusions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut patterns = texts(deserializer, "must be a list of names, *.names, addresses, blocks or URLs")?
            .iter()
            .map(|text| exclusion(text).map_err(|error| D::Error::custom(format!(": {error}"))))
            .collect::<Result<Vec<String>, _>>()?;
        patterns.sort();
        patterns.dedup();
        Ok(Self(patterns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::collection::Schedule;
    use ambit_model::wire::WireChoice;
    use ambit_model::{Clearance, Timestamp};
    use serde_json::json;

    fn sample() -> model::Collection {
        model::Collection {
            id: 3,
            uuid: Uuid::nil(),
            project: 7,
            project_uuid: Uuid::nil(),
            project_name: "Acme".to_owned(),
            name: "outside_a1b2c3d".to_owned(),
            printable_name: "Outside".to_owned(),
            workflow: workflow::DEFAULT.to_owned(),
            schedule: Schedule::Daily,
            timing: ambit_model::timing::Timing::default(),
            due_at: Some(Timestamp(7)),
            counts_from: None,
            wire: WireChoice::Live,
            level: Clearance::L3,
            ports: None,
            skipped_tasks: ambit_model::SkippedTasks::default(),
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
            notify_emails_new_entities: None,
            notify_webhooks_new_entities: Some(true),
            due_days: None,
        }
    }

    #[test]
    fn lists_and_reads_have_tags_and_role() {
        let value = json!(Collection::of(&sample(), &["*.dev.acme.test".to_owned()], CollectionRole::Admin));
        let told = (&value["notify_emails_new_entities"], &value["notify_webhooks_new_entities"]);
        assert_eq!(told, (&json!(null), &json!(true)));
        assert_eq!((&value["level"], &value["exclusions"]), (&json!("normal"), &json!(["*.dev.acme.test"])));
        assert_eq!(value["next_run_at"], "1970-01-01T00:00:00.007Z");
        let mut resting = sample();
        resting.timing.windows = vec![ambit_model::timing::Window::parse("00:00-06:00").unwrap()];
        let resting = json!(Collection::of(&resting, &[], CollectionRole::Admin));
        assert_eq!(resting["next_run_at"], "1970-01-01T06:00:00.000Z", "no run begins within its hours of rest");
        assert_eq!((&value["role"], &value["tags"]), (&json!("admin"), &json!([])));
        assert_eq!((&value["project-id"], &value["project_id"]), (&json!(7), &json!(7)));
        assert_eq!(value["last_updated"], "1970-01-01T00:00:00.009Z");
        assert_eq!(value.get("global_labels"), None);
    }

    #[test]
    fn the_answer_to_a_creation_has_labels_and_no_role() {
        let value = json!(Collection::created(&sample(), &[]));
        assert_eq!(value["global_labels"], json!([]));
        assert_eq!((value.get("role"), value.get("tags")), (None, None));
    }
}
