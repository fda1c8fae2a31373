//! What a fresh installation begins with: its organisation, owner, primary project and first key.

use crate::db::rows::named;
use crate::db::sql::Tx;
use crate::db::writer::transaction;
use crate::people::{keys, projects, users};
use crate::{IssuedKey, Options, Result, Store};
use ambit_model::Timestamp;
use uuid::Uuid;

/// Whom a fresh installation belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOwner {
    pub email: String,
    pub organization: String,
    /// Default: the part of the address before the @.
    pub username: Option<String>,
}

impl Store {
    /// Makes a fresh installation with its owner, or completes one whose making was cut off; the owner's first key is
    /// given once.
    /// `None`: it was complete already.
    pub async fn init(options: &Options, owner: &NewOwner, now: Timestamp) -> Result<(Self, Option<IssuedKey>)> {
        let (store, version) = Self::connect(options, true).await?;
        store.migrate(version).await?;
        store.confirm_secret(options).await?;
        let (owner, key) = (owner.clone(), keys::Draft::new(&store.inner.secret, "owner"));
        let issued = transaction!(store, Person, async |tx| insert_owner(tx, &owner, key, now).await)?;
        Ok((store, issued))
    }

    /// Midnight UTC of the day on which this installation was made: dates in the files of simulated internets are
    /// relative to it (docs/architecture.md §2.1).
    pub async fn epoch(&self) -> Result<Timestamp> {
        let mut tx = self.read().await?;
        let made: Timestamp = tx.read_one("SELECT MIN(created_at) FROM organizations", Vec::new()).await?;
        Ok(made.day_start())
    }
}

/// Organisation, owner, primary project and first key, in one transaction: all there or none.
async fn insert_owner(tx: &mut Tx, owner: &NewOwner, key: keys::Draft, now: Timestamp) -> Result<Option<IssuedKey>> {
    if tx.is_postgres() {
        tx.run("LOCK TABLE organizations IN EXCLUSIVE MODE", Vec::new()).await?;
    }
    if tx.exists("SELECT id FROM organizations", Vec::new()).await? {
        return Ok(None);
    }
    let row = named! { uuid: Uuid::new_v4(), name: &owner.organization, created_at: now };
    let organization: i64 = tx.insert_read("organizations", row, "id").await?;
    let user = users::insert_user(tx, &owner.email, owner.username.as_deref(), true, now).await?;
    users::favour_owner(tx, user.id).await?;
    projects::insert(tx, organization, &owner.organization, user.id, now).await?;
    key.insert(tx, user.id, keys::Origin::default(), now).await.map(Some)
}
