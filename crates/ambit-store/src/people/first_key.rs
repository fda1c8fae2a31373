//! One-time tokens: where a key would end in a journal, its owner is given a token instead, which is exchanged for a
//! key once and soon.

use crate::db::rows::named;
use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::people::keys::{self, Draft};
use crate::people::{access, audit};
use crate::{IssuedKey, Result, Store, StoreError};
use ambit_model::Timestamp;
use serde_json::json;

/// How long a token can be exchanged, in milliseconds: enough for a person who starts a server and reads its output.
const TOKEN_MS: i64 = 15 * 60 * 1_000;
/// The label of the key that comes of one.
const LABEL: &str = "owner";

/// A token that waits to be exchanged; the text is given this once.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyToken {
    pub text: String,
    pub expires_at: Timestamp,
}

impl Store {
    /// Makes a token for a key of the installation's first administrator. Those from before are worth nothing any more.
    pub async fn issue_key_token(&self, now: Timestamp) -> Result<KeyToken> {
        let operator = self.local_operator().await?;
        let text = keys::random_text();
        let (hash, expires_at) = (self.inner.secret.token_hash(&text), now.plus_ms(TOKEN_MS));
        transaction!(self, Person, async |tx| {
            tx.run("DELETE FROM key_tokens", Vec::new()).await?;
            let row = named! { hash: hash.as_slice(), user_id: operator.user_id(), expires_at };
            tx.insert_one("key_tokens", row).await
        })?;
        Ok(KeyToken { text, expires_at })
    }

    /// Exchanges a token for a key. Fails with `NotFound` if it was never made, was exchanged before, or is too old;
    /// the caller does not learn which.
    pub async fn redeem_key_token(&self, token: &str, now: Timestamp) -> Result<IssuedKey> {
        if !keys::is_well_formed(token) {
            return Err(StoreError::NotFound);
        }
        let hash = self.inner.secret.token_hash(token);
        // Most tokens that unauthenticated clients try do not exist, and cost only a read.
        let sql = "SELECT 1 FROM key_tokens WHERE hash = $1 AND expires_at > $2";
        if !self.read().await?.exists(sql, values![hash.as_slice(), now]).await? {
            return Err(StoreError::NotFound);
        }
        let draft = Draft::new(&self.inner.secret, LABEL);
        transaction!(self, Person, async |tx| {
            let sql = "DELETE FROM key_tokens WHERE hash = $1 AND expires_at > $2 RETURNING user_id";
            let user: i64 = tx.find(sql, values![hash.as_slice(), now]).await?;
            let principal = access::load(tx, user, None).await?;
            let issued = draft.insert(tx, principal.user_id(), keys::Origin::default(), now).await?;
            let details = json!({"user": principal.email(), "visible": issued.visible, "label": issued.label});
            audit::insert(tx, &principal.at(now), None, "key.redeem", issued.id, details).await?;
            Ok(issued)
        })
    }
}
