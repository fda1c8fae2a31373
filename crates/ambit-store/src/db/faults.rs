//! Faults that tests put into an open store. No release has them.

use super::failpoint::FailAction;
use super::writer::transaction;
use crate::{Result, Store};

impl Store {
    /// Lets the SQLite database grow to so many pages of 4 KiB at most, as a full disk would. Fails where the statement
    /// fails.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: i64) -> Result<()> {
        let sql = format!("PRAGMA max_page_count = {pages}");
        transaction!(self, Person, async |tx| tx.rows(&sql, Vec::new()).await.map(|_| ()))
    }

    /// Makes the `edge`-th transaction edge from now fail, or end the process. 0 disarms.
    #[doc(hidden)]
    pub fn arm_failpoint(&self, edge: i64, action: FailAction) {
        self.inner.failpoints.arm(edge, action);
    }
}
