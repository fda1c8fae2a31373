//! Collections, their schedules and seeds (docs/contract/asm.md §3.2).

use crate::moment::DAY_MS;
use crate::names::names;
use crate::notification::hours::Hours;
use crate::ports::PortList;
use crate::timing::Timing;
use crate::wire::WireChoice;
use crate::{Clearance, DueDays, Kind, SkippedTasks, Timestamp};
use std::collections::BTreeMap;
use uuid::Uuid;

names! {
    /// How often a collection is refreshed.
    pub enum Schedule {
        OnDemand,
        Daily,
        Weekly,
        Monthly,
        Quarterly,
    }
}

impl Schedule {
    /// Returns when the next run is due after one at `now`; `None` if only a person starts runs. All count from `from`,
    /// so that a run that began late puts off none of the next: days and weeks keep its hour, and months, which are
    /// those of the calendar in UTC, its day as well.
    pub fn due_after(self, from: Timestamp, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::OnDemand => None,
            Self::Daily => Some(multiple_after(from, DAY_MS, now)),
            Self::Weekly => Some(multiple_after(from, 7 * DAY_MS, now)),
            Self::Monthly => Hours::utc().months_after(from, 1, now),
            Self::Quarterly => Hours::utc().months_after(from, 3, now),
        }
    }
}

/// The first moment after `now` that is a multiple of a period, in milliseconds, away from `from`.
fn multiple_after(from: Timestamp, period: i64, now: Timestamp) -> Timestamp {
    from.plus_ms(((now.0 - from.0).div_euclid(period) + 1) * period)
}

/// A collection with its counters.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    pub id: i64,
    pub uuid: Uuid,
    pub project: i64,
    pub project_uuid: Uuid,
    pub project_name: String,
    /// Slug, `_` and seven characters; unique in the installation.
    pub name: String,
    pub printable_name: String,
    pub workflow: String,
    pub schedule: Schedule,
    /// An expression in the place of the schedule, its time zone, windows in which runs rest, and by how much starts
    /// are put off.
    pub timing: Timing,
    /// When the schedule starts the next run; `None` if only a person starts one.
    pub due_at: Option<Timestamp>,
    /// From when the months of its schedule count: when a person last gave it, or started a run. `None`: from the next
    /// run on.
    pub counts_from: Option<Timestamp>,
    pub wire: WireChoice,
    /// The level asked for (`--level`).
    pub level: Clearance,
    /// The ports asked for (`--ports`); `None`: those of the installation.
    pub ports: Option<PortList>,
    /// The tasks that its runs leave out (`--skip`).
    pub skipped_tasks: SkippedTasks,
    pub archived: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub deleted_at: Option<Timestamp>,
    pub deleted_by: Option<Uuid>,
    /// Start of its last finished run.
    pub last_refresh: Option<Timestamp>,
    /// Starts of its last finished runs, newest first, at most 10 (`last_scan_count_N`).
    pub last_refreshes: Vec<Timestamp>,
    /// Present entities.
    pub entity_count: i64,
    /// Present entities first seen in the last finished run.
    pub new_entity_count: i64,
    /// All entities ever.
    pub total_entity_count: i64,
    /// Open issues: severity "1" to "5" to count.
    pub issues_by_severity: BTreeMap<String, i64>,
    /// A run is scheduled or running.
    pub refreshing: bool,
    /// `config.custom_last_refreshes_count`.
    pub custom_last_refreshes_count: i64,
    /// Whether those who are told by mail hear of its new entities; `None`: as their rules say.
    pub notify_emails_new_entities: Option<bool>,
    /// The same of webhooks.
    pub notify_webhooks_new_entities: Option<bool>,
    /// By when its issues are to be closed; `None`: as the installation says.
    pub due_days: Option<DueDays>,
}

impl Collection {
    /// Returns when the next run is due after one at `now` if the months of its schedule count from `from`; `None` if
    /// only a person starts runs.
    pub fn due_after(&self, from: Timestamp, now: Timestamp) -> Option<Timestamp> {
        self.timing.due_after(self.schedule.due_after(from, now), self.uuid, now)
    }
}

/// A seed: an entity that a person gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub id: i64,
    pub kind: Kind,
    pub name: String,
    /// True if a person has confirmed the sweep of this block, which is needed if it is large.
    pub confirmed: bool,
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_those_of_the_calendar() {
        for (schedule, from, now, due) in [
            (Schedule::Daily, "2026-11-23T10:00:00Z", "2026-11-23T10:00:00Z", Some("2026-11-24T10:00:00Z")),
            (Schedule::Daily, "2026-11-23T10:00:00Z", "2026-11-25T11:00:00Z", Some("2026-11-26T10:00:00Z")),
            (Schedule::Daily, "2026-11-23T10:00:00Z", "2026-11-24T10:00:07Z", Some("2026-11-25T10:00:00Z")),
            (Schedule::Weekly, "2026-12-28T10:00:00Z", "2027-01-04T10:09:00Z", Some("2027-01-11T10:00:00Z")),
            (Schedule::Weekly, "2026-12-28T10:00:00Z", "2026-12-28T10:00:00Z", Some("2027-01-04T10:00:00Z")),
            (Schedule::Monthly, "2026-11-23T10:00:00Z", "2026-11-23T10:00:00Z", Some("2026-12-23T10:00:00Z")),
            (Schedule::Monthly, "2027-01-31T10:00:00Z", "2027-01-31T10:00:00Z", Some("2027-02-28T10:00:00Z")),
            (Schedule::Monthly, "2027-01-31T10:00:00Z", "2027-02-28T09:59:59Z", Some("2027-02-28T10:00:00Z")),
            (Schedule::Monthly, "2027-01-31T10:00:00Z", "2027-02-28T10:00:00Z", Some("2027-03-31T10:00:00Z")),
            (Schedule::Monthly, "2027-01-31T10:00:00Z", "2027-03-02T10:00:00Z", Some("2027-03-31T10:00:00Z")),
            (Schedule::Monthly, "2027-01-31T10:00:00Z", "2028-02-29T09:00:00Z", Some("2028-02-29T10:00:00Z")),
            (Schedule::Quarterly, "2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z", Some("2027-02-28T10:00:00Z")),
            (Schedule::Quarterly, "2026-11-30T10:00:00Z", "2027-02-28T10:00:00Z", Some("2027-05-30T10:00:00Z")),
            // A clock that was put back.
            (Schedule::Monthly, "2026-11-23T10:00:00Z", "2026-11-20T10:00:00Z", Some("2026-12-23T10:00:00Z")),
            (Schedule::OnDemand, "2026-11-23T10:00:00Z", "2026-11-23T10:00:00Z", None),
        ] {
            let [from, now] = [from, now].map(|text| Timestamp::parse(text).expect("a moment"));
            assert_eq!(schedule.due_after(from, now), due.and_then(Timestamp::parse), "{} {now:?}", schedule.name());
        }
    }
}
