//! Roles at AWS that rows of a run share: a role is taken once, not once for each list in each region.

use ambit_cloud::aws::Keys;
use ambit_net::Session;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long keys of a role are used: they hold for an hour, and a list with all its pages takes some minutes.
const USED_FOR: Duration = Duration::from_secs(40 * 60);
/// How long a refusal is told to other rows, which would only ask for the same.
const REFUSED_FOR: Duration = Duration::from_secs(60);

/// The id of the keys that take it, the role, and what its owner agreed on with us.
pub(crate) type RoleKey = (String, String, Option<String>);

/// The keys, or why the role was refused, and until when that counts on the clock of the wire.
type Taken = Option<(Result<Keys, String>, Duration)>;

/// The roles that a run has taken.
#[derive(Debug, Default)]
pub(crate) struct Roles(Mutex<HashMap<RoleKey, Arc<tokio::sync::Mutex<Taken>>>>);

impl Roles {
    /// Returns the keys of a role, or why it was refused; `take` asks for it where no row knows that yet. Fails if it
    /// could not be asked for.
    pub(crate) async fn keys<E>(
        &self,
        net: &Session,
        key: RoleKey,
        take: impl AsyncFnOnce() -> Result<Result<Keys, String>, E>,
    ) -> Result<Result<Keys, String>, E> {
        let entry = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut taken = {
            let _waits = net.waits();
            entry.lock().await
        };
        if let Some((answer, until)) = &*taken
            && net.now() < *until
        {
            return Ok(answer.clone());
        }
        let answer = take().await?;
        let counts = if answer.is_ok() { USED_FOR } else { REFUSED_FOR };
        *taken = Some((answer.clone(), net.now() + counts));
        Ok(answer)
    }
}
