//! Comments and votes on objects of the wider API (docs/contract/wider.md §6.1). Whether the caller may see the object is for the caller of these
//! functions to know, except for graphs, whose counter moves in the same transaction.

use crate::db::sql::{Row, values};
use crate::db::writer::Who;
use crate::wider::graphs;
use crate::{Principal, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::What;

/// Characters of a comment.
const TEXT_CHARS_MAX: usize = 10_000;
/// The type under which comments on graphs are kept.
const GRAPH: &str = "graph";

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub id: String,
    pub item_type: String,
    pub item_id: String,
    /// Username.
    pub author: String,
    pub at: Timestamp,
    pub text: String,
}

/// A vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// Among the votes on the same object, from 1 in the order in which they came: it says nothing of other objects.
    pub number: i64,
    /// Username.
    pub user: String,
    pub at: Timestamp,
    /// `harmless` or `malicious`.
    pub verdict: String,
}

const SELECT: &str = "SELECT c.id, c.item_type, c.item_id, u.username, c.at, c.text FROM comments c JOIN users u ON u.id = c.author_id";

fn comment(row: &Row) -> Result<Comment, StoreError> {
    Ok(Comment {
        id: row.get(0)?,
        item_type: row.get(1)?,
        item_id: row.get(2)?,
        author: row.get(3)?,
        at: row.get(4)?,
        text: row.get(5)?,
    })
}

impl Store {
    /// Comments on an object, newest first.
    pub async fn comments_on(&self, item_type: &str, item_id: &str) -> Result<Vec<Comment>, StoreError> {
        let mut tx = self.read().await?;
        let sql = format!("{SELECT} WHERE c.item_type = $1 AND c.item_id = $2 ORDER BY c.number DESC");
        tx.rows(&sql, values![item_type, item_id]).await?.iter().map(comment).collect()
    }

    /// Comments of a user on objects of a type, newest first.
    pub async fn comments_by(&self, user: i64) -> Result<Vec<Comment>, StoreError> {
        let mut tx = self.read().await?;
        let sql = format!("{SELECT} WHERE c.author_id = $1 ORDER BY c.number DESC");
        tx.rows(&sql, values![user]).await?.iter().map(comment).collect()
    }

    /// The newest comments of all, newest first, each with its number; those before a number where one is given; at most `limit`.
    pub async fn latest_comments(&self, before: Option<i64>, limit: usize) -> Result<Vec<(i64, Comment)>, StoreError> {
        let mut tx = self.read().await?;
        let select = SELECT.replacen(" FROM", ", c.number FROM", 1);
        let sql = format!("{select} WHERE c.number < $1 ORDER BY c.number DESC LIMIT $2");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = tx.rows(&sql, values![before.unwrap_or(i64::MAX), limit]).await?;
        rows.iter().map(|row| Ok((row.get(6)?, comment(row)?))).collect()
    }

    /// A comment by its id.
    pub async fn comment(&self, id: &str) -> Result<Comment, StoreError> {
        let mut tx = self.read().await?;
        let row = tx.row(&format!("{SELECT} WHERE c.id = $1"), values![id]).await?;
        comment(&row.ok_or(StoreError::NotFound)?)
    }

    /// Comments on an object; the id is `<letter>-<item>-<8 hexadecimal characters>`. A graph must be the caller's to see; its counter moves.
    pub async fn add_comment(
        &self,
        principal: &Principal,
        item_type: &'static str,
        item_id: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<Comment, StoreError> {
        if text.trim().is_empty() || text.chars().count() > TEXT_CHARS_MAX {
            return Err(StoreError::Invalid(format!("a comment has 1 to {TEXT_CHARS_MAX} characters")));
        }
        let (user, item_id, text) = (principal.user_id(), item_id.to_owned(), text.to_owned());
        let letter = item_type.chars().next().unwrap_or('o');
        let id = format!("{letter}-{item_id}-{}", hex::encode(rand::random::<[u8; 4]>()));
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                if item_type == GRAPH {
                    graphs::visible(tx, user, &item_id).await?;
                }
                let sql = "INSERT INTO comments (id, item_type, item_id, author_id, at, text) VALUES ($1, $2, $3, $4, $5, $6)";
                tx.run(sql, values![&id, item_type, &item_id, user, now, text]).await?;
                if item_type == GRAPH {
                    tx.run("UPDATE graphs SET comments = comments + 1 WHERE id = $1", values![&item_id])
                        .await?;
                    graphs::note(tx, &item_id, What::Changed, now).await?;
                }
                comment(&tx.one(&format!("{SELECT} WHERE c.id = $1"), values![&id]).await?)
            })
        })
        .await
    }

    /// Deletes a comment; for its author.
    pub async fn delete_comment(&self, principal: &Principal, id: &str, now: Timestamp) -> Result<(), StoreError> {
        let (user, id) = (principal.user_id(), id.to_owned());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let row = tx
                    .row("SELECT author_id, item_type, item_id FROM comments WHERE id = $1", values![&id])
                    .await?;
                let row = row.ok_or(StoreError::NotFound)?;
                if row.get::<i64>(0)? != user {
                    return Err(StoreError::Forbidden("this is somebody else's comment".to_owned()));
                }
                tx.run("DELETE FROM comments WHERE id = $1", values![&id]).await?;
                if row.get::<String>(1)? == GRAPH {
                    let graph: String = row.get(2)?;
                    tx.run("UPDATE graphs SET comments = comments - 1 WHERE id = $1", values![&graph]).await?;
                    graphs::note(tx, &graph, What::Changed, now).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Votes on an object, newest first.
    pub async fn votes_on(&self, item_type: &str, item_id: &str) -> Result<Vec<Vote>, StoreError> {
        let mut tx = self.read().await?;
        let sql = "SELECT ROW_NUMBER() OVER (ORDER BY v.number), u.username, v.at, v.verdict FROM votes v JOIN users u ON u.id = v.user_id
                   WHERE v.item_type = $1 AND v.item_id = $2 ORDER BY v.number DESC";
        let rows = tx.rows(sql, values![item_type, item_id]).await?;
        rows.iter()
            .map(|row| {
                Ok(Vote {
                    number: row.get(0)?,
                    user: row.get(1)?,
                    at: row.get(2)?,
                    verdict: row.get(3)?,
                })
            })
            .collect()
    }

    /// Votes on an object; a user has one vote on each and may change it.
    pub async fn vote(&self, principal: &Principal, item_type: &str, item_id: &str, verdict: &str, now: Timestamp) -> Result<(), StoreError> {
        let (user, item_type, item_id, verdict) = (principal.user_id(), item_type.to_owned(), item_id.to_owned(), verdict.to_owned());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO votes (item_type, item_id, user_id, at, verdict) VALUES ($1, $2, $3, $4, $5)
                           ON CONFLICT (item_type, item_id, user_id) DO UPDATE SET verdict = excluded.verdict, at = excluded.at";
                tx.run(sql, values![item_type, item_id, user, now, verdict]).await.map(|_| ())
            })
        })
        .await
    }
}
