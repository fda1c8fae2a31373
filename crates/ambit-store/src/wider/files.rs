//! Files that people upload and URLs that they submit. A URL belongs to the installation, a file to those for whom it
//! was uploaded: to the installation, or to the people of one project. Where it was uploaded for both, each has a row
//! of its own, and the people of the project see theirs. The bytes of a file are the blob of its hash. A file that the
//! caller could not see yet costs nothing, one that is known costs a call: both are decided in the transaction that
//! stores it.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, Value, to_json, values, whole};
use crate::db::writer::transaction;
use crate::inventory::uploads::{Staged, adopt};
use crate::wider::quota::{Cost, charge};
use crate::wider::submissions::note_submission;
use crate::wider::visibility::{Visibility, audiences};
use crate::wider::{analyses, specimens, spent_tokens};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::user::ProjectRole;
use std::collections::BTreeMap;

/// Names that are kept of one file.
const NAMES_MAX: usize = 100;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 255;

/// A file to be stored.
pub struct NewFile {
    pub content: Staged,
    /// In hexadecimal.
    pub sha1: String,
    /// In hexadecimal.
    pub md5: String,
    pub type_tag: Option<&'static str>,
    pub name: Option<String>,
    pub visibility: Visibility,
}

/// Stands before each name among the names of a file: no name can be found across two.
const SEPARATOR: char = '\u{1f}';

columns! {
    /// A file.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StoredFile of f {
        pub sha256: BlobHash,
        pub sha1: String,
        pub md5: String,
        pub size: i64,
        pub type_tag: Option<String>,
        /// The user who uploaded it when nobody had it.
        pub uploader: i64 = "f.uploader_id",
        pub first_at: Timestamp,
        pub last_at: Timestamp,
        pub names: Vec<String> = (json),
        pub visibility: Visibility = "f.project_id",
        pub submissions: i64 = { 0 },
    }
}

columns! {
    /// A URL that somebody submitted.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SubmittedUrl {
        pub sha256: String,
        pub url: String,
        pub first_at: Timestamp,
        pub last_at: Timestamp,
        pub submissions: i64 = { 0 },
    }
}

async fn submissions_of(tx: &mut Tx, item: &str, visibility: Visibility) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM submissions WHERE item = $1 AND project_id = $2";
    tx.read_one(sql, values![item, visibility.project()]).await
}

/// A file by one of its hashes, as the caller may see it: what is a project's goes before what is everybody's.
pub(crate) async fn find(tx: &mut Tx, principal: &Principal, hash: &str) -> Result<StoredFile> {
    let hash = hash.to_ascii_lowercase();
    let (condition, value) = match (hash.len(), hash.parse::<BlobHash>()) {
        (64, Ok(sha256)) => ("f.sha256 = $1", Value::from(sha256)),
        (40, _) => ("f.sha1 = $1", Value::from(hash)),
        (32, _) => ("f.md5 = $1", Value::from(hash)),
        _ => return Err(StoreError::NotFound),
    };
    let head = select::<StoredFile>(&format!("FROM files f WHERE {condition} AND f.project_id IN"));
    let order = "ORDER BY f.project_id DESC, f.first_at";
    let mut found: Vec<StoredFile> = tx.read_in(&head, vec![value], &audiences(principal), order).await?;
    if found.is_empty() {
        return Err(StoreError::NotFound);
    }
    let mut file = found.swap_remove(0);
    file.submissions = submissions_of(tx, &file.sha256.to_string(), file.visibility).await?;
    Ok(file)
}

/// The row of a file for those who see it.
async fn row_of(tx: &mut Tx, sha256: BlobHash, visibility: Visibility) -> Result<StoredFile> {
    let sql = select::<StoredFile>("FROM files f WHERE f.sha256 = $1 AND f.project_id = $2");
    let mut file: StoredFile = tx.find(&sql, values![sha256, visibility.project()]).await?;
    file.submissions = submissions_of(tx, &sha256.to_string(), visibility).await?;
    Ok(file)
}

/// Removes what was uploaded for the people of a project and what they said of it; the bytes go with the unreferenced
/// blobs.
pub(crate) async fn forget_project(tx: &mut Tx, project: i64) -> Result<()> {
    for table in ["files", "file_facts", "submissions", "comments", "votes"] {
        let sql = format!("DELETE FROM {table} WHERE project_id = $1 AND project_id > 0");
        tx.run(&sql, values![project]).await?;
    }
    specimens::forget_project(tx, project).await
}

/// Names in the form in which parts of them are looked for.
pub(crate) fn folded(names: &[String]) -> String {
    names.iter().flat_map(|name| [SEPARATOR.to_string(), name.to_lowercase()]).collect()
}

/// Writes what searches ask of a file; its analyses are those that were noted before.
pub(crate) async fn put_facts(tx: &mut Tx, file: &StoredFile) -> Result<()> {
    let sql = "SELECT COUNT(*), COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM submissions WHERE item = $1 AND
               project_id = $2";
    let project = file.visibility.project();
    let (count, first, last): (i64, i64, i64) = tx.read_one(sql, values![file.sha256.to_string(), project]).await?;
    let row = named! {
        sha256: file.sha256,
        name: file.names.first().cloned().unwrap_or_default(),
        names: folded(&file.names),
        type_tag: file.type_tag.as_deref().unwrap_or_default().to_ascii_lowercase(),
        size: file.size,
        first_at: file.first_at,
        last_at: file.last_at,
        submissions: count,
        positives: 0,
        analysed_at: 0,
        first_submission: first,
        last_submission: last,
        project_id: project,
    };
    let moving = ["name", "names", "last_at", "submissions", "last_submission"];
    tx.put("file_facts", "sha256, project_id", &moving, row).await
}

impl Store {
    /// Stores a file, asks for its analysis and lets the live rules look. True: there was none that the caller could
    /// see, and nothing was charged; else a call was, noted under `usage`. `NotFound`: it is for a project that the
    /// caller is not in.
    ///
    /// `address` is the token of an address that works once and the time until which its use is remembered, which is
    /// noted in the same transaction. Returns nothing, and stores nothing, where it had been used before. What fails
    /// leaves it to be used.
    pub async fn submit_file(
        &self,
        caller: &Caller,
        address: Option<(&str, Timestamp)>,
        new: NewFile,
        usage: &'static str,
    ) -> Result<Option<(StoredFile, bool)>> {
        let (size, hash, user) = (new.content.size(), new.content.hash(), caller.user_id());
        let address = address.map(|(token, until)| (token.to_owned(), until));
        let (content, adopted) = adopt(new.content);
        let (sha1, md5, type_tag, visibility) = (new.sha1, new.md5, new.type_tag, new.visibility);
        if let Visibility::Project(id) = visibility {
            caller.require_project(id, ProjectRole::Member)?;
        }
        let caller = caller.clone();
        let name: Option<String> = new.name.map(|name| name.chars().take(NAME_CHARS_MAX).collect());
        let done = transaction!(self, Person, async |tx| {
            if let Some((token, until)) = &address
                && !spent_tokens::spend(tx, token, *until, caller.now).await?
            {
                return Ok(None);
            }
            let taken = content.run(tx, caller.now).await?;
            let first: Vec<&String> = name.iter().collect();
            let visible = match find(tx, &caller, &hash.to_string()).await {
                Err(StoreError::NotFound) => false,
                found => found.map(|_| true)?,
            };
            let project = visibility.project();
            let row = named! {
                sha256: hash, sha1, md5, size, type_tag, uploader_id: user, first_at: caller.now, last_at: caller.now,
                names: to_json(&first), project_id: project,
            };
            let is_first = tx.insert_new("files", "sha256, project_id", row).await?;
            let new = is_first && !visible;
            if !new {
                charge(tx, user, Cost::Requests(1), usage, caller.now).await?;
            }
            if !is_first {
                let mut names = row_of(tx, hash, visibility).await?.names;
                if let Some(name) = name.as_ref().filter(|name| !names.contains(name) && names.len() < NAMES_MAX) {
                    names.push(name.clone());
                }
                let sql = "UPDATE files SET last_at = $1, names = $2 WHERE sha256 = $3 AND project_id = $4";
                tx.run(sql, values![caller.now, to_json(&names), hash, project]).await?;
            }
            note_submission(tx, &hash.to_string(), user, name.as_deref(), visibility, caller.now).await?;
            let stored = row_of(tx, hash, visibility).await?;
            put_facts(tx, &stored).await?;
            specimens::insert_upload(tx, hash, visibility, caller.now).await?;
            analyses::insert(tx, hash, caller.now).await?;
            analyses::refresh_facts(tx, hash).await?;
            Ok(Some(((stored, new), taken)))
        })?;
        Ok(done.map(|(stored, taken)| {
            adopted.keep(taken);
            stored
        }))
    }

    /// Files that the caller may see by their SHA-256, in its order; those that are not there are left out.
    pub async fn files_of(&self, principal: &Principal, hashes: &[BlobHash]) -> Result<Vec<StoredFile>> {
        let mut tx = self.read().await?;
        let head = format!(
            "SELECT {}, x.submissions FROM files f JOIN file_facts x ON x.sha256 = f.sha256 AND x.project_id = \
             f.project_id WHERE f.sha256 IN",
            list::<StoredFile>()
        );
        let seen = audiences(principal);
        let found: Vec<(StoredFile, i64)> = tx.read_in(&head, Vec::new(), hashes, "ORDER BY f.project_id").await?;
        // That of a project takes the place of the installation's.
        let visible = found.into_iter().filter(|(file, _)| seen.contains(&file.visibility.project()));
        let files = visible.map(|(file, submissions)| (file.sha256, StoredFile { submissions, ..file }));
        Ok(files.collect::<BTreeMap<_, _>>().into_values().collect())
    }

    /// A file that the caller may see, by SHA-256, SHA-1 or MD5. Fails with `NotFound` also for a text that is none of
    /// the three.
    pub async fn file(&self, principal: &Principal, hash: &str) -> Result<StoredFile> {
        find(&mut self.read().await?, principal, hash).await
    }

    /// Remembers that somebody submitted a URL; `sha256` is that of the URL, in hexadecimal.
    pub async fn submit_url(&self, caller: &Caller, url: &str, sha256: &str) -> Result<()> {
        let (user, now, url, sha256) = (caller.user_id(), caller.now, url.to_owned(), sha256.to_owned());
        transaction!(self, Person, async |tx| {
            let row = named! { sha256: &sha256, url, first_at: now, last_at: now };
            tx.put("urls", "sha256", &["last_at"], row).await?;
            note_submission(tx, &sha256, user, None, Visibility::Installation, now).await
        })
    }

    /// Submitted URLs in the order of their SHA-256, those behind one; at most `limit`. How often they were submitted
    /// is left at 0.
    pub async fn submitted_urls_after(&self, after: &str, limit: usize) -> Result<Vec<SubmittedUrl>> {
        let columns = list::<SubmittedUrl>();
        let sql = format!("SELECT {columns} FROM urls WHERE sha256 > $1 ORDER BY sha256 LIMIT $2");
        self.read().await?.read_all(&sql, values![after, whole(limit)]).await
    }

    /// A submitted URL by its SHA-256.
    pub async fn submitted_url(&self, sha256: &str) -> Result<SubmittedUrl> {
        let mut tx = self.read().await?;
        let sql = select::<SubmittedUrl>("FROM urls WHERE sha256 = $1");
        let mut url: SubmittedUrl = tx.find(&sql, values![sha256.to_ascii_lowercase()]).await?;
        url.submissions = submissions_of(&mut tx, &url.sha256, Visibility::Installation).await?;
        Ok(url)
    }
}
