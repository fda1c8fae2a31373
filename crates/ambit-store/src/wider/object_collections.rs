//! Collections of the wider API: named sets of files, URLs, domains and addresses that people make
//! (docs/contract/wider.md §6.3). Everybody sees those that are not private.

use crate::db::rows::{columns, list, named};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;

/// Characters of a name and of a description.
const NAME_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 10_000;
/// Items of one collection at most.
const ITEMS_MAX: i64 = 10_000;
/// Characters of an item's id: URLs are the longest.
const ITEM_CHARS_MAX: usize = 8 * 1024;
/// Collections of one reading at most.
const COLLECTIONS_MAX: i64 = 10_000;

columns! {
    /// A collection.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ObjectCollection of c {
        number: i64,
        /// 64 hexadecimal characters.
        pub id: String,
        /// Username.
        pub owner: String = "u.username",
        pub owner_id: i64,
        pub name: String,
        pub description: String,
        pub private: bool,
        pub created_at: Timestamp,
        pub modified_at: Timestamp,
    }
}

/// An object in a collection: its type and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CollectedItem {
    pub kind: &'static str,
    pub id: String,
}

/// What a collection says of itself; `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionText {
    pub name: Option<String>,
    pub description: Option<String>,
    pub private: Option<bool>,
}

/// Selects collections.
fn select() -> String {
    let columns = list::<ObjectCollection>();
    format!("SELECT {columns} FROM object_collections c JOIN users u ON u.id = c.owner_id")
}

/// Those that a user may see; the value is the user's id.
const VISIBLE: &str = "(c.private = 0 OR c.owner_id = $1)";

async fn visible(tx: &mut Tx, user: i64, id: &str) -> Result<ObjectCollection> {
    let sql = format!("{} WHERE {VISIBLE} AND c.id = $2", select());
    tx.find(&sql, values![user, id]).await
}

async fn own(tx: &mut Tx, user: i64, id: &str) -> Result<ObjectCollection> {
    let found = visible(tx, user, id).await?;
    if found.owner_id == user {
        return Ok(found);
    }
    Err(StoreError::Forbidden("a collection is changed by its owner".to_owned()))
}

fn checked(text: &CollectionText) -> Result<()> {
    let chars = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
    if text.name.as_ref().is_some_and(|name| name.trim().is_empty()) || chars(&text.name) > NAME_CHARS_MAX {
        return Err(StoreError::Invalid(format!("the name of a collection has 1 to {NAME_CHARS_MAX} characters")));
    }
    if chars(&text.description) > DESCRIPTION_CHARS_MAX {
        return Err(StoreError::Invalid(format!("a description has at most {DESCRIPTION_CHARS_MAX} characters")));
    }
    Ok(())
}

async fn insert_items(tx: &mut Tx, collection: i64, items: &[CollectedItem]) -> Result<()> {
    if let Some(long) = items.iter().find(|item| item.id.is_empty() || item.id.len() > ITEM_CHARS_MAX) {
        return Err(StoreError::Invalid(format!("the id of a {} has 1 to {ITEM_CHARS_MAX} characters", long.kind)));
    }
    let row = |item: &CollectedItem| named! { collection, item_type: item.kind, item_id: &item.id };
    let rows = items.iter().map(row).collect();
    tx.insert("object_collection_items", rows, "ON CONFLICT (collection, item_type, item_id) DO NOTHING").await?;
    let sql = "SELECT COUNT(*) FROM object_collection_items WHERE collection = $1";
    if tx.read_one::<i64>(sql, values![collection]).await? > ITEMS_MAX {
        return Err(StoreError::Invalid(format!("a collection has at most {ITEMS_MAX} items")));
    }
    Ok(())
}

async fn touch(tx: &mut Tx, number: i64, now: Timestamp) -> Result<()> {
    let sql = "UPDATE object_collections SET modified_at = $1 WHERE number = $2";
    tx.run(sql, values![now, number]).await.map(|_| ())
}

impl Store {
    /// Makes a collection with its first items. Fails with `Invalid` where it has no name, where a text or the id of an
    /// item is too long, and for too many items.
    pub async fn create_object_collection(
        &self,
        caller: &Caller,
        text: CollectionText,
        items: Vec<CollectedItem>,
    ) -> Result<ObjectCollection> {
        checked(&text)?;
        let name = text.name.ok_or_else(|| StoreError::Invalid("a collection needs a name".to_owned()))?;
        let (user, now, id) = (caller.user_id(), caller.now, hex::encode(rand::random::<[u8; 32]>()));
        let (description, private) = (text.description.unwrap_or_default(), text.private.unwrap_or(false));
        transaction!(self, Person, async |tx| {
            let row = named! {
                id: &id, owner_id: user, name, description, private, created_at: now, modified_at: now,
            };
            let number: i64 = tx.insert_read("object_collections", row, "number").await?;
            insert_items(tx, number, &items).await?;
            visible(tx, user, &id).await
        })
    }

    /// A collection that the caller may see.
    pub async fn object_collection(&self, principal: &Principal, id: &str) -> Result<ObjectCollection> {
        visible(&mut self.read().await?, principal.user_id(), id).await
    }

    /// Collections that the caller may see, newest first; of one owner where one is named.
    pub async fn object_collections(&self, principal: &Principal, owner: Option<i64>) -> Result<Vec<ObjectCollection>> {
        let mut who = values![principal.user_id()];
        who.extend(owner.map(|owner| values![owner]).unwrap_or_default());
        let of = if owner.is_some() { "AND c.owner_id = $2" } else { "" };
        let sql = format!("{} WHERE {VISIBLE} {of} ORDER BY c.number DESC LIMIT {COLLECTIONS_MAX}", select());
        self.read().await?.read_all(&sql, who).await
    }

    /// Changes what a collection says of itself, and adds items; for its owner. All or nothing. Fails with `Invalid` as
    /// [`Store::create_object_collection`] does.
    pub async fn change_object_collection(
        &self,
        caller: &Caller,
        id: &str,
        text: CollectionText,
        items: Vec<CollectedItem>,
    ) -> Result<ObjectCollection> {
        checked(&text)?;
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let found = own(tx, user, &id).await?;
            let name = text.name.unwrap_or(found.name);
            let description = text.description.unwrap_or(found.description);
            let private = text.private.unwrap_or(found.private);
            let sql = "UPDATE object_collections SET name = $1, description = $2, private = $3, modified_at = $4 \
                       WHERE number = $5";
            tx.run(sql, values![name, description, private, now, found.number]).await?;
            insert_items(tx, found.number, &items).await?;
            visible(tx, user, &id).await
        })
    }

    /// Deletes a collection; its objects stay. For its owner.
    pub async fn delete_object_collection(&self, principal: &Principal, id: &str) -> Result<()> {
        let (user, id) = (principal.user_id(), id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = own(tx, user, &id).await?.number;
            tx.run("DELETE FROM object_collection_items WHERE collection = $1", values![number]).await?;
            tx.run("DELETE FROM object_collections WHERE number = $1", values![number]).await.map(|_| ())
        })
    }

    /// Items of one type in a collection that the caller may see, in the order in which they came.
    pub async fn collected_items(&self, principal: &Principal, id: &str, kind: &'static str) -> Result<Vec<String>> {
        let mut tx = self.read().await?;
        let number = visible(&mut tx, principal.user_id(), id).await?.number;
        let sql =
            "SELECT item_id FROM object_collection_items WHERE collection = $1 AND item_type = $2 ORDER BY number";
        tx.read_all(sql, values![number, kind]).await
    }

    /// Adds items; those that are there stay where they are. For the owner. Fails with `Invalid`, and adds none, where
    /// the id of one is too long or there would be too many.
    pub async fn add_to_object_collection(&self, caller: &Caller, id: &str, items: Vec<CollectedItem>) -> Result<()> {
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = own(tx, user, &id).await?.number;
            insert_items(tx, number, &items).await?;
            touch(tx, number, now).await
        })
    }

    /// Takes items out; those that are not there stay away. For the owner.
    pub async fn remove_from_object_collection(
        &self,
        caller: &Caller,
        id: &str,
        items: Vec<CollectedItem>,
    ) -> Result<()> {
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = own(tx, user, &id).await?.number;
            let sql = "DELETE FROM object_collection_items WHERE collection = $1 AND item_type = $2 AND item_id = $3";
            for item in &items {
                tx.run(sql, values![number, item.kind, &item.id]).await?;
            }
            touch(tx, number, now).await
        })
    }

    /// How many objects of each type a collection has, by type.
    pub async fn collected_counts(&self, principal: &Principal, id: &str) -> Result<Vec<(String, i64)>> {
        let mut tx = self.read().await?;
        let number = visible(&mut tx, principal.user_id(), id).await?.number;
        let sql = "SELECT item_type, COUNT(*) FROM object_collection_items WHERE collection = $1 GROUP BY item_type \
                   ORDER BY item_type";
        tx.read_all(sql, values![number]).await
    }
}
