//! Looking after an installation: is its database whole, and a copy of everything while it is in use.

use crate::folder::{self, DATABASE};
use crate::open::Pools;
use crate::secret::{FILE_NAME, Secret};
use crate::{Store, StoreError};
use sqlx::Row as _;
use std::fs::{self, File};
use std::path::Path;

impl Store {
    /// What is wrong with the database, in its own words; empty: nothing was found. PostgreSQL looks after itself.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        let Pools::Sqlite(pool) = self.pools() else { return Ok(Vec::new()) };
        let rows = sqlx::query("PRAGMA quick_check").fetch_all(pool).await?;
        let texts = rows.iter().map(|row| row.try_get::<String, _>(0)).collect::<Result<Vec<_>, _>>()?;
        Ok(texts.into_iter().filter(|text| text != "ok").collect())
    }

    /// Copies database and secret into a new folder, as they are at one moment, while others read and write. What is in the folder is a data folder:
    /// whoever has it has everything.
    pub async fn back_up(&self, target: &Path) -> Result<(), StoreError> {
        let Pools::Sqlite(pool) = self.pools() else {
            let remedy = "keep pg_dump's copy of it, and the secret's file beside that";
            return Err(StoreError::Invalid(format!(
                "a PostgreSQL database is backed up by its own tools: {remedy}"
            )));
        };
        refuse_used(target)?;
        folder::create(target)?;
        self.inner.secret.save(&target.join(FILE_NAME))?;
        let copy = target.join(DATABASE);
        // SQLite writes into an empty file that is there, which keeps its mode.
        folder::create_private(&copy)?;
        let name = copy
            .to_str()
            .ok_or_else(|| StoreError::Invalid(format!("{}: the path is not UTF-8", copy.display())))?;
        sqlx::query("VACUUM INTO ?1").bind(name).execute(pool).await?;
        File::open(&copy)?.sync_all()?;
        File::open(target)?.sync_all()?;
        Ok(())
    }
}

/// Makes a data folder of a backup. The database comes last, in one step: a folder without one is no installation.
pub fn restore(backup: &Path, target: &Path) -> Result<(), StoreError> {
    let (secret, database) = (backup.join(FILE_NAME), backup.join(DATABASE));
    if !folder::has(&database)? || !database.is_file() {
        return Err(StoreError::Invalid(format!("{} is no backup: it has no {DATABASE}", backup.display())));
    }
    refuse_used(target)?;
    let secret = Secret::read(&secret)?;
    folder::create(target)?;
    secret.save(&target.join(FILE_NAME))?;
    let draft = target.join(format!(".{DATABASE}.restored"));
    folder::create_private(&draft)?;
    fs::copy(&database, &draft)?;
    File::open(&draft)?.sync_all()?;
    fs::rename(&draft, target.join(DATABASE))?;
    File::open(target)?.sync_all()?;
    Ok(())
}

fn refuse_used(target: &Path) -> Result<(), StoreError> {
    for name in [DATABASE, FILE_NAME] {
        let path = target.join(name);
        if folder::has(&path)? {
            return Err(StoreError::Invalid(format!(
                "{} is there already: choose a folder without an installation",
                path.display()
            )));
        }
    }
    Ok(())
}
