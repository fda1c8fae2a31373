//! Who submitted a file or URL, and when; and which were submitted in a stretch of time.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values, whole};
use crate::db::writer::transaction;
use crate::wider::visibility::{Visibility, audiences};
use crate::{Caller, Principal, Result, Store};
use ambit_model::Timestamp;
use ambit_model::id::blob_hash;
use ambit_model::moment::SECOND_MS;

/// Submissions of one item that are answered.
const SUBMISSIONS_MAX: i64 = 1_000;
/// Characters of a source's key: enough to tell sources apart.
const SOURCE_CHARS: usize = 8;

columns! {
    /// One submission.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Submission of s {
        pub at: Timestamp,
        /// Under which name.
        pub name: Option<String>,
        /// Says of two submissions whether the same user made them, and nothing else.
        pub source: String = ("u.uuid", source),
    }
}

/// Returns a pseudonym of a user.
fn source(uuid: String) -> String {
    blob_hash(format!("source {uuid}").as_bytes()).to_string()[..SOURCE_CHARS].to_owned()
}

/// Writes that somebody submitted an item.
pub(crate) async fn note_submission(
    tx: &mut Tx,
    item: &str,
    user: i64,
    name: Option<&str>,
    visibility: Visibility,
    now: Timestamp,
) -> Result<()> {
    let row = named! { item, user_id: user, at: now, name, project_id: visibility.project() };
    tx.insert_one("submissions", row).await
}

impl Store {
    /// The newest submissions of an item for some, newest first; `item` is its SHA-256 in hexadecimal.
    pub async fn submissions(&self, item: &str, visibility: Visibility) -> Result<Vec<Submission>> {
        let sql = select::<Submission>(&format!(
            "FROM submissions s JOIN users u ON u.id = s.user_id WHERE s.item = $1 AND s.project_id \
             = $2 ORDER BY s.id DESC LIMIT {SUBMISSIONS_MAX}"
        ));
        self.read().await?.read_all(&sql, values![item, visibility.project()]).await
    }

    /// Remembers that somebody asked for another analysis of a URL that the inventory knows; the people of the project
    /// learn of it. `item` is the SHA-256 of the URL in hexadecimal.
    pub async fn ask_analysis(&self, caller: &Caller, item: &str, visibility: Visibility) -> Result<()> {
        let (user, now, item) = (caller.user_id(), caller.now, item.to_owned());
        transaction!(self, Person, async |tx| note_submission(tx, &item, user, None, visibility, now).await)
    }

    /// True where an item was submitted in a second, which is given since 1970, as far as the caller may learn of it;
    /// `item` is its SHA-256 in hexadecimal.
    pub async fn was_submitted_in(&self, principal: &Principal, item: &str, second: i64) -> Result<bool> {
        let from = Timestamp(second.saturating_mul(SECOND_MS));
        let head = "SELECT project_id FROM submissions WHERE item = $1 AND at >= $2 AND at < $3 AND project_id IN";
        let asked = values![item, from, from.plus_ms(SECOND_MS)];
        let found: Vec<i64> = self.read().await?.read_in(head, asked, &audiences(principal), "").await?;
        Ok(!found.is_empty())
    }

    /// What was submitted for the installation in `from..until`, each item once, in the order of their first submission
    /// there; at most `limit`.
    pub async fn submitted_between(&self, from: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<String>> {
        let sql = "SELECT item FROM submissions WHERE at >= $1 AND at < $2 AND project_id = 0 GROUP BY item ORDER BY
                   MIN(id) LIMIT $3";
        self.read().await?.read_all(sql, values![from, until, whole(limit)]).await
    }
}
