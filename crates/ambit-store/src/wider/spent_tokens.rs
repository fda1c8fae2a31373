//! Addresses that work once: which of them were used.

use crate::Result;
use crate::db::rows::named;
use crate::db::sql::{Tx, values};
use ambit_model::Timestamp;
use ambit_model::id::blob_hash;

/// Notes that a token was used, and forgets those that have ended. Returns false where it had been used before. It is
/// remembered until `until`, when it ends by itself.
pub(crate) async fn spend(tx: &mut Tx, token: &str, until: Timestamp, now: Timestamp) -> Result<bool> {
    let token = blob_hash(token.as_bytes()).to_string();
    tx.run("DELETE FROM spent_tokens WHERE until_at <= $1", values![now]).await?;
    tx.insert_new("spent_tokens", "token", named! { token, until_at: until }).await
}
