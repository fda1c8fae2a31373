//! Comments and votes on objects of the wider API (docs/contract/wider.md §6.1). Whether the caller may see the object
//! is for the caller of these functions to know, except for graphs, whose counter moves in the same transaction. What
//! is said of a file of a project is there for its people alone, whoever else has the same bytes.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, values, whole};
use crate::db::writer::transaction;
use crate::wider::visibility::{INSTALLATION, audiences};
use crate::wider::{files, graphs};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::What;

/// Characters of a comment.
const TEXT_CHARS_MAX: usize = 10_000;
/// The type under which comments on graphs are kept.
const GRAPH: &str = "graph";
/// The type under which those on files are kept.
const FILE: &str = "file";

columns! {
    /// A comment.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Comment of c {
        pub id: String,
        pub item_type: String,
        pub item_id: String,
        /// Username.
        pub author: String = "u.username",
        pub at: Timestamp,
        pub text: String,
    }
}

columns! {
    /// A vote.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Vote of v {
        /// Among the votes on the same object, from 1 in the order in which they came: it says nothing of other
        /// objects.
        pub number: i64 = "ROW_NUMBER() OVER (ORDER BY v.number)",
        /// Username.
        pub user: String = "u.username",
        pub at: Timestamp,
        /// `harmless` or `malicious`.
        pub verdict: String,
    }
}

const FROM: &str = "FROM comments c JOIN users u ON u.id = c.author_id";

/// The project whose people alone see what the caller says of an object; 0: all who see the object.
async fn audience(tx: &mut Tx, principal: &Principal, item_type: &str, item_id: &str) -> Result<i64> {
    if item_type != FILE {
        return Ok(INSTALLATION);
    }
    match files::find(tx, principal, item_id).await {
        Ok(file) => Ok(file.visibility.project()),
        // The body of a page.
        Err(StoreError::NotFound) => Ok(INSTALLATION),
        Err(error) => Err(error),
    }
}

/// The values of `project_id` that the caller sees, in parentheses.
fn seen(principal: &Principal) -> String {
    let seen: Vec<String> = audiences(principal).iter().map(i64::to_string).collect();
    format!("({})", seen.join(", "))
}

impl Store {
    /// Comments on an object that the caller may see, newest first.
    pub async fn comments_on(&self, principal: &Principal, item_type: &str, item_id: &str) -> Result<Vec<Comment>> {
        let sql = select::<Comment>(&format!(
            "{FROM} WHERE c.item_type = $1 AND c.item_id = $2 AND c.project_id IN {} ORDER BY c.number DESC",
            seen(principal)
        ));
        self.read().await?.read_all(&sql, values![item_type, item_id]).await
    }

    /// Comments of a user that the caller may see as far as their audience goes, newest first.
    pub async fn comments_by(&self, principal: &Principal, user: i64) -> Result<Vec<Comment>> {
        let seen = seen(principal);
        let sql = select::<Comment>(&format!(
            "{FROM} WHERE c.author_id = $1 AND c.project_id + 0 IN {seen} ORDER BY c.number DESC"
        ));
        self.read().await?.read_all(&sql, values![user]).await
    }

    /// The newest comments of all that the caller may see as far as their audience goes, newest first, each with its
    /// number; those before a number where one is given; at most `limit`.
    pub async fn latest_comments(
        &self,
        principal: &Principal,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<(i64, Comment)>> {
        // Nothing but the order by number is to choose the index.
        let sql = format!(
            "SELECT c.number, {} {FROM} WHERE c.number < $1 AND c.project_id + 0 IN {} ORDER BY c.number DESC LIMIT $2",
            list::<Comment>(),
            seen(principal)
        );
        self.read().await?.read_all(&sql, values![before.unwrap_or(i64::MAX), whole(limit)]).await
    }

    /// A comment by its id, as far as its audience goes.
    pub async fn comment(&self, principal: &Principal, id: &str) -> Result<Comment> {
        let sql = select::<Comment>(&format!("{FROM} WHERE c.id = $1 AND c.project_id IN {}", seen(principal)));
        self.read().await?.find(&sql, values![id]).await
    }

    /// Comments on an object; the id is `<letter>-<item>-<8 hexadecimal characters>`. A graph must be the caller's to
    /// see; its counter moves. Fails with `Invalid` for a text that is empty or too long, and with `NotFound` for a
    /// graph that the caller may not see.
    pub async fn add_comment(
        &self,
        caller: &Caller,
        item_type: &'static str,
        item_id: &str,
        text: &str,
    ) -> Result<Comment> {
        if text.trim().is_empty() || text.chars().count() > TEXT_CHARS_MAX {
            return Err(StoreError::Invalid(format!("a comment has 1 to {TEXT_CHARS_MAX} characters")));
        }
        let (user, item_id, text) = (caller.user_id(), item_id.to_owned(), text.to_owned());
        let caller = caller.clone();
        let letter = item_type.chars().next().unwrap_or('o');
        let id = format!("{letter}-{item_id}-{}", hex::encode(rand::random::<[u8; 4]>()));
        transaction!(self, Person, async |tx| {
            if item_type == GRAPH {
                graphs::visible(tx, user, &item_id).await?;
            }
            let project = audience(tx, &caller, item_type, &item_id).await?;
            let row = named! {
                id: &id, item_type, item_id: &item_id, author_id: user, at: caller.now, text, project_id: project,
            };
            tx.insert_one("comments", row).await?;
            if item_type == GRAPH {
                tx.run("UPDATE graphs SET comments = comments + 1 WHERE id = $1", values![&item_id]).await?;
                graphs::note(tx, &item_id, What::Changed, caller.now).await?;
            }
            tx.read_one(&select::<Comment>(&format!("{FROM} WHERE c.id = $1")), values![&id]).await
        })
    }

    /// Deletes a comment; for its author. For anybody else who sees it, this is `Forbidden`.
    pub async fn delete_comment(&self, caller: &Caller, id: &str) -> Result<()> {
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let sql = "SELECT author_id, item_type, item_id FROM comments WHERE id = $1";
            let (author, item_type, item_id): (i64, String, String) = tx.find(sql, values![&id]).await?;
            if author != user {
                return Err(StoreError::Forbidden("this is somebody else's comment".to_owned()));
            }
            tx.run("DELETE FROM comments WHERE id = $1", values![&id]).await?;
            if item_type == GRAPH {
                tx.run("UPDATE graphs SET comments = comments - 1 WHERE id = $1", values![&item_id]).await?;
                graphs::note(tx, &item_id, What::Changed, now).await?;
            }
            Ok(())
        })
    }

    /// Votes on an object that the caller may see, newest first.
    pub async fn votes_on(&self, principal: &Principal, item_type: &str, item_id: &str) -> Result<Vec<Vote>> {
        let sql = format!(
            "SELECT {} FROM votes v JOIN users u ON u.id = v.user_id WHERE v.item_type = $1 AND v.item_id = $2 AND \
             v.project_id IN {} ORDER BY v.number DESC",
            list::<Vote>(),
            seen(principal)
        );
        self.read().await?.read_all(&sql, values![item_type, item_id]).await
    }

    /// Votes on an object; a user has one vote on each and may change it.
    pub async fn vote(&self, caller: &Caller, item_type: &str, item_id: &str, verdict: &str) -> Result<()> {
        let (user, item_type, item_id, verdict) =
            (caller.user_id(), item_type.to_owned(), item_id.to_owned(), verdict.to_owned());
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let project = audience(tx, &caller, &item_type, &item_id).await?;
            let row = named! { item_type, item_id, user_id: user, at: caller.now, verdict, project_id: project };
            tx.put("votes", "item_type, item_id, user_id", &["verdict", "at", "project_id"], row).await
        })
    }
}
