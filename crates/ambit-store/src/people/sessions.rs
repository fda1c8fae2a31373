//! Sessions of browsers: a key with an end, made of the key that was shown or of a link that works once, and kept like
//! every key as a keyed hash. It ends when its user signs out, when its time is over, and with the key that made it.

use crate::db::rows::named;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::keys::{self, Draft, Origin};
use crate::people::{access, audit};
use crate::{Caller, IssuedKey, Result, Store, StoreError};
use ambit_model::Timestamp;
use serde_json::json;

/// How long a session lasts, in milliseconds: a working day.
const SESSION_MS: i64 = 12 * 60 * 60 * 1_000;
/// How long a link can be opened, in milliseconds: enough for a person who starts a server and reads its output.
const LINK_MS: i64 = 15 * 60 * 1_000;
/// The label of a session among the keys of its user.
const LABEL: &str = "session of a browser";

/// The token of a link that signs a browser in; the text is given this once.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInLink {
    pub token: String,
    pub expires_at: Timestamp,
}

impl Store {
    /// Begins a session of the caller, which ends no later than the caller's key and together with it.
    pub async fn begin_session(&self, caller: &Caller) -> Result<IssuedKey> {
        let caller = caller.clone();
        let draft = Draft::new(&self.inner.secret, LABEL);
        transaction!(self, Person, async |tx| begin(tx, draft, &caller).await)
    }

    /// Ends the session that the caller uses. Fails with `NotFound` where the caller uses a key that is none.
    pub async fn end_session(&self, caller: &Caller) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let sql = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND session = 1 AND revoked_at IS NULL \
                       RETURNING id";
            let id: i64 = tx.find(sql, values![caller.now, caller.key_id()]).await?;
            keys::revoke_children(tx, id, caller.user_id(), caller.now).await?;
            audit::insert(tx, &caller, None, "session.end", id, json!({})).await
        })
    }

    /// Makes a link that signs the caller in once.
    pub async fn make_sign_in_link(&self, caller: &Caller) -> Result<SignInLink> {
        let caller = caller.clone();
        let token = keys::random_text();
        let hash = self.inner.secret.token_hash(&token);
        transaction!(self, Person, async |tx| {
            audit::insert(tx, &caller, None, "session.link", caller.user_id(), json!({})).await?;
            new_link(tx, &caller, (&token, hash.as_slice())).await
        })
    }

    /// Begins a session by the token of a link, which is worth nothing afterwards. Fails with `NotFound` if it was
    /// never made, was used, or is too old, or if the key that made it ended since; the caller does not learn which.
    /// Fails with `NotActive` if its user is suspended.
    pub async fn follow_sign_in_link(&self, token: &str, now: Timestamp) -> Result<IssuedKey> {
        if !keys::is_well_formed(token) {
            return Err(StoreError::NotFound);
        }
        let hash = self.inner.secret.token_hash(token);
        // Most tokens that unauthenticated clients try do not exist, and cost only a read.
        let sql = "SELECT 1 FROM sign_in_links WHERE hash = $1 AND expires_at > $2";
        if !self.read().await?.exists(sql, values![hash.as_slice(), now]).await? {
            return Err(StoreError::NotFound);
        }
        let draft = Draft::new(&self.inner.secret, LABEL);
        transaction!(self, Person, async |tx| {
            let sql = "DELETE FROM sign_in_links WHERE hash = $1 AND expires_at > $2 RETURNING user_id, parent";
            let (user, parent): (i64, Option<i64>) = tx.find(sql, values![hash.as_slice(), now]).await?;
            let principal = access::load(tx, user, parent).await?;
            if !principal.active {
                return Err(StoreError::NotActive);
            }
            begin(tx, draft, &principal.at(now)).await
        })
    }
}

/// Keeps a link that signs somebody in once: its token, of which only the hash is written.
pub(super) async fn new_link(tx: &mut Tx, caller: &Caller, (token, hash): (&str, &[u8])) -> Result<SignInLink> {
    let expires_at = caller.now.plus_ms(LINK_MS);
    tx.run("DELETE FROM sign_in_links WHERE expires_at <= $1", values![caller.now]).await?;
    let row = named! { hash, user_id: caller.user_id(), parent: caller.key_id(), expires_at };
    tx.insert_one("sign_in_links", row).await?;
    Ok(SignInLink { token: token.to_owned(), expires_at })
}

async fn begin(tx: &mut Tx, draft: Draft, caller: &Caller) -> Result<IssuedKey> {
    forget_ended(tx, caller.user_id(), caller.now).await?;
    let last = caller.now.plus_ms(SESSION_MS);
    let end = match caller.key_id() {
        None => last,
        Some(key) => {
            let live = "SELECT expires_at FROM api_keys WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL \
                        OR expires_at > $2)";
            tx.find::<Option<Timestamp>>(live, values![key, caller.now]).await?.map_or(last, |end| end.min(last))
        }
    };
    let origin = Origin { parent: caller.key_id(), expires_at: Some(end), scope: caller.scope() };
    let issued = draft.insert(tx, caller.user_id(), origin, caller.now).await?;
    tx.run("UPDATE api_keys SET session = 1 WHERE id = $1", values![issued.id]).await?;
    audit::insert(tx, caller, None, "session.begin", issued.id, json!({"visible": issued.visible})).await?;
    Ok(issued)
}

/// Sessions that are over do not stay among the keys of their user, unless they made a key.
async fn forget_ended(tx: &mut Tx, user: i64, now: Timestamp) -> Result<()> {
    let sql = "DELETE FROM api_keys WHERE user_id = $1 AND session = 1 AND (revoked_at IS NOT NULL OR expires_at <= $2)
               AND NOT EXISTS (SELECT 1 FROM api_keys child WHERE child.parent = api_keys.id)";
    tx.run(sql, values![user, now]).await?;
    Ok(())
}
