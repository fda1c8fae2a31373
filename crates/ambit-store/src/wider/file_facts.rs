//! Fills the narrow rows that searches ask of uploaded files, for files that were there before the rows. Files and
//! analyses write them from then on, in their own transactions; how they are asked is in `file_search`.

use crate::Result;
use crate::db::rows::{list, select};
use crate::db::sql::{Tx, values};
use crate::wider::analyses::{Analysis, positives, refresh_facts};
use crate::wider::files::{StoredFile, put_facts};

/// Rows that the migration reads at once.
const BATCH: i64 = 1_000;

/// Fills the table from the files that there are: the second half of its migration.
pub(crate) async fn fill(tx: &mut Tx) -> Result<()> {
    let mut after = -1;
    loop {
        let sql = format!(
            "SELECT {}, number FROM analyses WHERE number > $1 AND results <> '{{}}' ORDER BY number LIMIT {BATCH}",
            list::<Analysis>()
        );
        let analyses: Vec<(Analysis, i64)> = tx.read_all(&sql, values![after]).await?;
        let Some((_, last)) = analyses.last() else { break };
        after = *last;
        for (analysis, number) in &analyses {
            let sql = "UPDATE analyses SET positives = $1 WHERE number = $2";
            tx.run(sql, values![positives(&analysis.results), *number]).await?;
        }
    }
    let mut after = None;
    loop {
        let (condition, given) = match after {
            None => ("1 = 1", values![]),
            Some(sha256) => ("f.sha256 > $1", values![sha256]),
        };
        let sql = select::<StoredFile>(&format!("FROM files f WHERE {condition} ORDER BY f.sha256 LIMIT {BATCH}"));
        let files: Vec<StoredFile> = tx.read_all(&sql, given).await?;
        let Some(last) = files.last() else { return Ok(()) };
        after = Some(last.sha256);
        for file in &files {
            put_facts(tx, file).await?;
            refresh_facts(tx, file.sha256).await?;
        }
    }
}
