//! API keys: random, shown once, kept as a keyed hash (docs/architecture.md §1.6).
//!
//! A key is 64 lower-case hexadecimal characters: 224 random bits, then the CRC-32 of `ambit` and those characters. A
//! visible prefix would be refused by tools that check for the 64 hexadecimal characters of every official sample
//! (docs/contract/wider.md §1.1). The checksum does the work of a prefix: typing errors and guesses are refused without
//! touching the database, and a secret scanner can verify a hit.

use crate::db::rows::{columns, named, select};
use crate::db::secret::{Secret, debug_by};
use crate::db::sql::{Tx, Value, values};
use crate::db::writer::transaction;
use crate::people::principal::KeyScope;
use crate::people::{audit, users};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use serde_json::json;
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// Random bytes of a key.
const RANDOM_BYTES: usize = 28;
/// Characters of a key.
const KEY_CHARS: usize = 64;
/// Characters that a list shows, so that people tell keys apart.
const VISIBLE_CHARS: usize = 8;
/// Longest label, in characters.
const LABEL_CHARS_MAX: usize = 200;
/// Live keys of one user at most.
const KEYS_OF_USER_MAX: i64 = 1_000;

/// What is asked of a new key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewKey {
    /// Address or username; `None`: the caller's own.
    pub user: Option<String>,
    pub label: String,
    pub expires_at: Option<Timestamp>,
    /// It changes nothing.
    pub read_only: bool,
    /// Number or uuid of the one project that it is for; `None`: all of its user's.
    pub project: Option<String>,
}

/// A fresh key; the text is given this once.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedKey {
    pub id: i64,
    pub key: String,
    pub visible: String,
    pub label: String,
    pub expires_at: Option<Timestamp>,
}

/// What ended with a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RevokedKeys {
    /// Other keys of its user that it made, and those that these made: they ended with it.
    pub with_it: Vec<i64>,
    /// Keys of other users that any of these made: they stay.
    pub of_others: Vec<i64>,
}

debug_by! { IssuedKey { id, visible } }

columns! {
    /// A key as lists show it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct KeyView of k {
        pub id: i64,
        /// Address of its user.
        pub user: String = "u.email",
        pub visible: String,
        pub label: String,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        pub revoked_at: Option<Timestamp>,
        /// To the minute.
        pub last_used_at: Option<Timestamp>,
        pub read_only: bool,
        /// The one project that it is for.
        pub project: Option<Uuid> = "p.uuid",
        pub project_name: Option<String> = "p.name",
    }
}

/// CRC-32 (IEEE 802.3) of a short text.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 })
    })
}

fn checksum(body: &str) -> String {
    format!("{:08x}", crc32(format!("ambit{body}").as_bytes()))
}

/// True for a text that `random_text` could have made.
pub(crate) fn is_well_formed(key: &str) -> bool {
    let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    key.len() == KEY_CHARS
        && key.bytes().all(hexadecimal)
        && checksum(&key[..2 * RANDOM_BYTES]) == key[2 * RANDOM_BYTES..]
}

/// A random text that is well formed.
pub(crate) fn random_text() -> String {
    let body = hex::encode(rand::random::<[u8; RANDOM_BYTES]>());
    format!("{body}{}", checksum(&body))
}

/// With which key a key is made, when it ends, and what it may do: a key that ends makes none that lasts longer, and
/// none makes a wider one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) parent: Option<i64>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) scope: KeyScope,
}

impl Origin {
    /// Of a key that the caller makes. Where no end is asked for, it is that of the caller's key; what that may not do,
    /// the new one may not do either.
    pub(crate) async fn of(
        tx: &mut Tx,
        principal: &Principal,
        asked: Option<Timestamp>,
        scope: KeyScope,
    ) -> Result<Self> {
        let own = principal.scope();
        if own.project.is_some() && scope.project.is_some() && own.project != scope.project {
            return Err(no_project());
        }
        let read_only = own.read_only || scope.read_only;
        let scope = KeyScope { read_only, project: own.project.or(scope.project) };
        let Some(parent) = principal.key_id() else {
            return Ok(Self { parent: None, expires_at: asked, scope });
        };
        let sql = "SELECT expires_at FROM api_keys WHERE id = $1 AND revoked_at IS NULL";
        let revoked = || StoreError::Forbidden("the key that asks was revoked".to_owned());
        let end: Option<Timestamp> = tx.read_first(sql, values![parent]).await?.ok_or_else(revoked)?;
        match (asked, end) {
            (Some(asked), Some(end)) if asked > end => Err(StoreError::Invalid(format!(
                "the key that you use ends at {end}: a key that it makes cannot last longer"
            ))),
            _ => Ok(Self { parent: Some(parent), expires_at: asked.or(end), scope }),
        }
    }
}

/// A key on its way into the database.
pub(crate) struct Draft {
    key: String,
    hash: [u8; 32],
    label: String,
}

impl Draft {
    pub(crate) fn new(secret: &Secret, label: &str) -> Self {
        let key = random_text();
        Self { hash: secret.credential_hash(&key), key, label: label.chars().take(LABEL_CHARS_MAX).collect() }
    }

    pub(crate) async fn insert(self, tx: &mut Tx, user: i64, origin: Origin, now: Timestamp) -> Result<IssuedKey> {
        let live = "SELECT COUNT(*) FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL";
        if tx.read_one::<i64>(live, values![user]).await? >= KEYS_OF_USER_MAX {
            return Err(StoreError::Conflict(format!("the user has {KEYS_OF_USER_MAX} keys: revoke some first")));
        }
        let visible = self.key[..VISIBLE_CHARS].to_owned();
        let row = named! {
            user_id: user,
            hash: self.hash.as_slice(),
            visible: &visible,
            label: &self.label,
            created_at: now,
            expires_at: origin.expires_at,
            parent: origin.parent,
            read_only: origin.scope.read_only,
            project_id: origin.scope.project,
        };
        Ok(IssuedKey {
            id: tx.insert_read("api_keys", row, "id").await?,
            key: self.key,
            visible,
            label: self.label,
            expires_at: origin.expires_at,
        })
    }
}

columns! {
    /// A key that may be used now.
    pub(crate) struct LiveKey {
        pub(crate) id: i64,
        pub(crate) user: i64 = "user_id",
        pub(crate) last_used_at: Option<Timestamp>,
    }
}

/// That a key has not ended at `$2`. The newest stamp never runs backwards: a clock that is set back does not revive a
/// key that had expired by then.
const LIVE: &str = "revoked_at IS NULL AND (expires_at IS NULL OR (expires_at > $2 AND expires_at > (SELECT stamp FROM \
                    revision WHERE one = 1)))";

/// Returns whether a key that was let in has not ended since.
pub(crate) async fn is_live(tx: &mut Tx, id: i64, now: Timestamp) -> Result<bool> {
    let found: Option<i64> =
        tx.read_first(&format!("SELECT id FROM api_keys WHERE id = $1 AND {LIVE}"), values![id, now]).await?;
    Ok(found.is_some())
}

pub(crate) async fn find_live(tx: &mut Tx, hash: &[u8; 32], now: Timestamp) -> Result<Option<LiveKey>> {
    let sql = format!("SELECT id, user_id, last_used_at, hash FROM api_keys WHERE hash = $1 AND {LIVE}");
    let found: Option<(LiveKey, Vec<u8>)> = tx.read_first(&sql, values![hash.as_slice(), now]).await?;
    Ok(found.filter(|(_, stored)| bool::from(stored.ct_eq(hash))).map(|(key, _)| key))
}

/// What a key may do less than its user.
pub(crate) async fn scope(tx: &mut Tx, id: i64) -> Result<KeyScope> {
    let sql = "SELECT read_only, project_id FROM api_keys WHERE id = $1";
    let (read_only, project) = tx.read_one(sql, values![id]).await?;
    Ok(KeyScope { read_only, project })
}

/// The project of a user by its number or uuid.
async fn project_of(tx: &mut Tx, user: i64, typed: &str) -> Result<i64> {
    let (column, value) = match (typed.parse::<i64>(), typed.parse::<Uuid>()) {
        (Ok(number), _) => ("p.id", Value::from(number)),
        (_, Ok(uuid)) => ("p.uuid", Value::from(uuid)),
        _ => return Err(no_project()),
    };
    let sql = format!(
        "SELECT p.id FROM projects p JOIN members m ON m.project_id = p.id WHERE {column} = $1 AND m.user_id = $2 AND \
         p.deleted_at IS NULL"
    );
    tx.read_first(&sql, vec![value, user.into()]).await?.ok_or_else(no_project)
}

fn no_project() -> StoreError {
    StoreError::Invalid("the user of the key is in no such project".to_owned())
}

pub(crate) async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.run("UPDATE api_keys SET last_used_at = $1 WHERE id = $2", values![now, id]).await?;
    Ok(())
}

impl Store {
    /// Makes a key for the caller, or, as administrator of the installation, for anybody. Fails with `Conflict` where
    /// the user has as many keys as one may, and with `Invalid` for a project that the user is not in, or an end after
    /// that of the key which makes it.
    pub async fn create_key(&self, caller: &Caller, new: &NewKey) -> Result<IssuedKey> {
        let (caller, new) = (caller.clone(), new.clone());
        let draft = Draft::new(&self.inner.secret, &new.label);
        transaction!(self, Person, async |tx| {
            let user = match &new.user {
                None => caller.user().clone(),
                // Who may not create keys for others is not told which users exist.
                Some(name) if !caller.is_called(name) => {
                    caller.require_administrator()?;
                    users::find(tx, name).await?
                }
                Some(_) => caller.user().clone(),
            };
            let project = match &new.project {
                Some(typed) => Some(project_of(tx, user.id, typed.trim()).await?),
                None => None,
            };
            let asked = KeyScope { read_only: new.read_only, project };
            let origin = Origin::of(tx, &caller, new.expires_at, asked).await?;
            let issued = draft.insert(tx, user.id, origin, caller.now).await?;
            let mut details = json!({"user": user.email, "visible": issued.visible, "label": issued.label});
            if origin.scope != KeyScope::default() {
                details["read_only"] = json!(origin.scope.read_only);
                details["project"] = json!(origin.scope.project);
            }
            audit::insert(tx, &caller, None, "key.create", issued.id, details).await?;
            Ok(issued)
        })
    }

    /// The caller's keys, or, for the administrator of the installation, all; newest first. By a key of one project,
    /// those of that project.
    pub async fn list_keys(&self, principal: &Principal) -> Result<Vec<KeyView>> {
        // No project has the number 0.
        let only = principal.scope().project.unwrap_or(0);
        let sql = select::<KeyView>(
            "FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN projects p ON p.id = k.project_id \
             WHERE ($1 = 1 OR k.user_id = $2) AND ($3 = 0 OR k.project_id = $3) ORDER BY k.id DESC",
        );
        self.read().await?.read_all(&sql, values![principal.administrator(), principal.user_id(), only]).await
    }

    /// Revokes a key, at once in this process and within a second in every other, together with the keys of the same
    /// user that were made with it. Fails with `NotFound` for a key of somebody else, and for one that was revoked
    /// before.
    pub async fn revoke_key(&self, caller: &Caller, id: i64) -> Result<RevokedKeys> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let sql = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND ($3 = 1 OR user_id = $4) AND revoked_at \
                       IS NULL RETURNING user_id";
            let named = values![caller.now, id, caller.administrator(), caller.user_id()];
            let user: i64 = tx.find(sql, named).await?;
            let revoked = revoke_children(tx, id, user, caller.now).await?;
            let details = json!({"with_it": revoked.with_it, "of_others": revoked.of_others});
            audit::insert(tx, &caller, None, "key.revoke", id, details).await?;
            Ok(revoked)
        })
    }
}

/// Ends what a key made, generation by generation: keys of its user end, those of others are named.
pub(crate) async fn revoke_children(tx: &mut Tx, id: i64, user: i64, now: Timestamp) -> Result<RevokedKeys> {
    let mut revoked = RevokedKeys::default();
    let mut parents = vec![id];
    // Each key has one parent, and a user has at most KEYS_OF_USER_MAX live ones: it ends.
    while let Some(parent) = parents.pop() {
        let sql = "SELECT id, user_id FROM api_keys WHERE parent = $1 AND revoked_at IS NULL ORDER BY id";
        for (child, owner) in tx.read_all::<(i64, i64)>(sql, values![parent]).await? {
            if owner != user {
                revoked.of_others.push(child);
                continue;
            }
            tx.run("UPDATE api_keys SET revoked_at = $1 WHERE id = $2", values![now, child]).await?;
            revoked.with_it.push(child);
            parents.push(child);
        }
    }
    Ok(revoked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_crc() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_key_with_any_one_character_changed_is_malformed() {
        let body = "0".repeat(2 * RANDOM_BYTES);
        let key = format!("{body}{}", checksum(&body));
        assert!(is_well_formed(&key));
        for at in 0..KEY_CHARS {
            let mut changed = key.clone().into_bytes();
            changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
            assert!(!is_well_formed(std::str::from_utf8(&changed).unwrap()), "{at}");
        }
        for text in ["", "Wrong", &key[1..], &key.to_uppercase().replace('0', "A"), &"é".repeat(32)] {
            assert!(!is_well_formed(text), "{text}");
        }
    }
}
