//! Migrations: files named by UTC minute and title, never edited once landed. Each runs in its own transaction; a
//! schema newer than this program is refused.

use crate::db::rows::named;
use crate::db::sql::Tx;
use crate::wider::file_facts;
use crate::{Result, StoreError};
use ambit_model::Timestamp;

/// What was done to a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The migrations that ran, in order: the UTC minute and the title of each.
    pub ran: Vec<(i64, &'static str)>,
    /// The schema since then: the UTC minute of the newest migration.
    pub version: i64,
}

/// One migration with its two texts.
struct Migration {
    /// The UTC minute of its file name.
    version: i64,
    title: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migration {
    ($version:literal, $title:literal) => {
        Migration {
            version: $version,
            title: $title,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $version, "_", $title, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $version, "_", $title, ".sql")),
        }
    };
}

/// In order; a test compares it with the folders.
const MIGRATIONS: &[Migration] = &[
    migration!(202611210530, "start"),
    migration!(202611210840, "graphs"),
    migration!(202611210950, "files"),
    migration!(202611220041, "submission_times"),
    migration!(202611220130, "archives"),
    migration!(202611220227, "hunting_rulesets"),
    migration!(202611220228, "specimens"),
    migration!(202611220229, "packs"),
    migration!(202611220230, "retrohunt_jobs"),
    migration!(202611220500, "graph_views"),
    migration!(202611220601, "version_order"),
    migration!(202611221436, "turns"),
    migration!(202611221446, "sightings"),
    migration!(202611221456, "key_tokens"),
    migration!(202611221506, "hunts_deferred"),
    migration!(202611221526, "blob_places"),
    migration!(202611221543, "schedules"),
    migration!(202611221553, "scope_revision"),
    migration!(202611221601, "seeds_by_operator"),
    migration!(202611221603, "confirmed_blocks"),
    migration!(202611221605, "invitations"),
    migration!(202611221608, "milestones"),
    migration!(202611221835, "not_done_reasons"),
    migration!(202611222220, "decisions"),
    migration!(202611222240, "versions_of_runs"),
    migration!(202611222340, "spent_tokens"),
    migration!(202611230135, "sessions"),
    migration!(202611230220, "ports"),
    migration!(202611230230, "plans"),
    migration!(202611230240, "file_facts"),
    migration!(202611230520, "run_tasks"),
    migration!(202611230840, "file_visibility"),
    migration!(202611230935, "skipped_tasks"),
    migration!(202611230950, "receivers"),
    migration!(202611231003, "vulns"),
    migration!(202611231210, "judged"),
    migration!(202611231222, "key_scopes"),
    migration!(202611231620, "imported"),
    migration!(202611231700, "timing"),
    migration!(202611232134, "months"),
    migration!(202611232136, "notify"),
    migration!(202611232245, "looks_by_run"),
    migration!(202611240230, "run_ends"),
    migration!(202611240250, "comments_of_projects"),
    migration!(202611240255, "bodies"),
    migration!(202611251750, "retests"),
    migration!(202611251800, "due_days"),
    migration!(202611251810, "retention"),
    migration!(202611251820, "identities"),
    migration!(202611251830, "told"),
    migration!(202611252000, "overdue"),
    migration!(202611252150, "edges_by_ends"),
    migration!(202611252215, "waves"),
    migration!(202611260520, "sweeps_first"),
    migration!(202611261150, "undecided"),
    migration!(202611261555, "archives"),
    migration!(202611261600, "fewer_probes"),
    migration!(202611261715, "seed_ids"),
    migration!(202611281050, "secret_mark"),
    migration!(202611291745, "dirty_by_collection"),
    migration!(202612010110, "run_progress"),
    migration!(202612010111, "searched"),
    migration!(202612010640, "full_runs"),
    migration!(202612010650, "telling_edges"),
];

/// The newest schema that this program knows.
pub(crate) fn known() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// The schema that the database has; 0 for an empty one. Refuses one that is newer than this program.
pub(crate) async fn version(tx: &mut Tx) -> Result<i64> {
    let tables = if tx.is_postgres() {
        "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_versions'"
    } else {
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_versions'"
    };
    if tx.read_one::<i64>(tables, Vec::new()).await? == 0 {
        return Ok(0);
    }
    let found = tx.read_one::<i64>("SELECT COALESCE(MAX(version), 0) FROM schema_versions", Vec::new()).await?;
    if found > known() {
        return Err(StoreError::NewerSchema { place: "the database".to_owned(), found, known: known() });
    }
    Ok(found)
}

/// Runs the next migration that the database lacks and returns its name; `None` if there is none. Call it in a
/// transaction of its own.
pub(crate) async fn step(tx: &mut Tx, now: Timestamp) -> Result<Option<(i64, &'static str)>> {
    if tx.is_postgres() {
        // Two processes that start together: the second waits here and finds the work done. Held until the transaction
        // ends.
        tx.run("SELECT pg_advisory_xact_lock(7230681)", Vec::new()).await?;
    }
    let found = version(tx).await?;
    let Some(migration) = MIGRATIONS.iter().find(|migration| migration.version > found) else {
        return Ok(None);
    };
    tx.script(
        "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, title TEXT NOT NULL, \
         applied_at BIGINT NOT NULL)",
    )
    .await?;
    tx.script(if tx.is_postgres() { migration.postgres } else { migration.sqlite }).await?;
    if migration.title == "file_visibility" {
        file_facts::fill(tx).await?;
    }
    let row = named! { version: migration.version, title: migration.title, applied_at: now };
    tx.insert_one("schema_versions", row).await?;
    Ok(Some((migration.version, migration.title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The next migration is found as the first of a higher number, so one that stands too early would never run.
    #[test]
    fn the_list_is_sorted_by_number() {
        assert!(MIGRATIONS.is_sorted_by(|one, next| one.version < next.version));
    }

    #[test]
    fn the_list_is_the_folders() {
        for folder in ["sqlite", "postgres"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
            let mut files: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort();
            let listed: Vec<String> =
                MIGRATIONS.iter().map(|step| format!("{}_{}.sql", step.version, step.title)).collect();
            assert_eq!(files, listed);
        }
    }
}
