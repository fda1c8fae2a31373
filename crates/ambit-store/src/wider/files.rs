//! Files that people upload and URLs that they submit. They belong to the installation; the bytes of a file are the
//! blob of its hash. A file that nobody had costs nothing, one that is known costs a call: both are decided in the
//! transaction that stores it.

use crate::db::rows::{columns, list};
use crate::db::sql::{Tx, Value, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::uploads::{Staged, adopt};
use crate::wider::quota::{Cost, charge};
use crate::wider::{analyses, specimens, spent_tokens};
use crate::{Principal, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;

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

async fn submissions_of(tx: &mut Tx, item: &str) -> Result<i64, StoreError> {
    tx.read_one("SELECT COUNT(*) FROM submissions WHERE item = $1", values![item]).await
}

async fn note_submission(
    tx: &mut Tx,
    item: &str,
    user: i64,
    name: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO submissions (item, user_id, at, name) VALUES ($1, $2, $3, $4)";
    tx.run(sql, values![item, user, now, name]).await.map(|_| ())
}

async fn find(tx: &mut Tx, hash: &str) -> Result<StoredFile, StoreError> {
    let hash = hash.to_ascii_lowercase();
    let (condition, value) = match (hash.len(), hash.parse::<BlobHash>()) {
        (64, Ok(sha256)) => ("f.sha256 = $1", Value::from(sha256)),
        (40, _) => ("f.sha1 = $1 ORDER BY f.first_at", Value::from(hash)),
        (32, _) => ("f.md5 = $1 ORDER BY f.first_at", Value::from(hash)),
        _ => return Err(StoreError::NotFound),
    };
    let sql = format!("SELECT {} FROM files f WHERE {condition}", list::<StoredFile>());
    let mut file: StoredFile = tx.find(&sql, vec![value]).await?;
    file.submissions = submissions_of(tx, &file.sha256.to_string()).await?;
    Ok(file)
}

/// Names in the form in which parts of them are looked for.
fn folded(names: &[String]) -> String {
    names.iter().flat_map(|name| [SEPARATOR.to_string(), name.to_lowercase()]).collect()
}

/// Writes what searches ask of a file; its analyses are those that were noted before.
pub(crate) async fn put_facts(tx: &mut Tx, file: &StoredFile) -> Result<(), StoreError> {
    let sql = "SELECT COUNT(*), COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM submissions WHERE item = $1";
    let (count, first, last): (i64, i64, i64) = tx.read_one(sql, values![file.sha256.to_string()]).await?;
    let sql = "INSERT INTO file_facts (sha256, name, names, type_tag, size, first_at, last_at, submissions, positives,
                   analysed_at, first_submission, last_submission)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $10)
               ON CONFLICT (sha256) DO UPDATE SET name = excluded.name, names = excluded.names,
                   last_at = excluded.last_at, submissions = excluded.submissions,
                   last_submission = excluded.last_submission";
    let name = file.names.first().cloned().unwrap_or_default();
    let type_tag = file.type_tag.as_deref().unwrap_or_default().to_ascii_lowercase();
    let row = values![
        file.sha256,
        name,
        folded(&file.names),
        type_tag,
        file.size,
        file.first_at,
        file.last_at,
        count,
        first,
        last
    ];
    tx.run(sql, row).await.map(|_| ())
}

impl Store {
    /// Stores a file, asks for its analysis and lets the live rules look. True: nobody had it, and nothing was charged;
    /// else a call was, noted under `usage`.
    pub async fn submit_file(
        &self,
        principal: &Principal,
        new: NewFile,
        usage: &'static str,
        now: Timestamp,
    ) -> Result<(StoredFile, bool), StoreError> {
        let submitted = self.submit_file_to(principal, None, new, usage, now).await?;
        Ok(submitted.expect("without an address none was used before"))
    }

    /// The same, and notes in the same transaction that the address was used: `address` is its token and the time until
    /// which that is remembered. Returns nothing, and stores nothing, where it had been used before. What fails leaves
    /// it to be used.
    pub async fn submit_file_to(
        &self,
        principal: &Principal,
        address: Option<(&str, Timestamp)>,
        new: NewFile,
        usage: &'static str,
        now: Timestamp,
    ) -> Result<Option<(StoredFile, bool)>, StoreError> {
        let (size, hash, user) = (new.content.size(), new.content.hash(), principal.user_id());
        let address = address.map(|(token, until)| (token.to_owned(), until));
        let (content, adopted) = adopt(new.content);
        let (sha1, md5, type_tag) = (new.sha1, new.md5, new.type_tag);
        let name: Option<String> = new.name.map(|name| name.chars().take(NAME_CHARS_MAX).collect());
        let done = transaction!(self, Person, async |tx| {
            if let Some((token, until)) = &address
                && !spent_tokens::spend(tx, token, *until, now).await?
            {
                return Ok(None);
            }
            let taken = content.run(tx, now).await?;
            let first: Vec<&String> = name.iter().collect();
            let sql = "INSERT INTO files (sha256, sha1, md5, size, type_tag, uploader_id, first_at, last_at, names)
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (sha256) DO NOTHING";
            let row = values![hash, sha1, md5, size, type_tag, user, now, now, to_json(&first)];
            let new = tx.run(sql, row).await? == 1;
            if !new {
                charge(tx, user, Cost::Requests(1), usage, now).await?;
                let mut names = find(tx, &hash.to_string()).await?.names;
                if let Some(name) = name.as_ref().filter(|name| !names.contains(name) && names.len() < NAMES_MAX) {
                    names.push(name.clone());
                }
                let sql = "UPDATE files SET last_at = $1, names = $2 WHERE sha256 = $3";
                tx.run(sql, values![now, to_json(&names), hash]).await?;
            }
            note_submission(tx, &hash.to_string(), user, name.as_deref(), now).await?;
            let stored = find(tx, &hash.to_string()).await?;
            put_facts(tx, &stored).await?;
            specimens::insert_upload(tx, hash, now).await?;
            analyses::insert(tx, hash, now).await?;
            Ok(Some(((stored, new), taken)))
        })?;
        Ok(done.map(|(stored, taken)| {
            adopted.keep(taken);
            stored
        }))
    }

    /// Files by their SHA-256, in no order; those that are not there are left out.
    pub async fn files_of(&self, hashes: &[BlobHash]) -> Result<Vec<StoredFile>, StoreError> {
        let mut tx = self.read().await?;
        let head = format!(
            "SELECT {}, x.submissions FROM files f JOIN file_facts x ON x.sha256 = f.sha256 WHERE f.sha256 IN",
            list::<StoredFile>()
        );
        let found: Vec<(StoredFile, i64)> = tx.read_in(&head, Vec::new(), hashes, "").await?;
        Ok(found.into_iter().map(|(file, submissions)| StoredFile { submissions, ..file }).collect())
    }

    /// A file by SHA-256, SHA-1 or MD5.
    pub async fn file(&self, hash: &str) -> Result<StoredFile, StoreError> {
        find(&mut self.read().await?, hash).await
    }

    /// Remembers that somebody submitted a URL; `sha256` is that of the URL, in hexadecimal.
    pub async fn submit_url(
        &self,
        principal: &Principal,
        url: &str,
        sha256: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (user, url, sha256) = (principal.user_id(), url.to_owned(), sha256.to_owned());
        transaction!(self, Person, async |tx| {
            let sql = "INSERT INTO urls (sha256, url, first_at, last_at) VALUES ($1, $2, $3, $4)
                       ON CONFLICT (sha256) DO UPDATE SET last_at = excluded.last_at";
            tx.run(sql, values![&sha256, url, now, now]).await?;
            note_submission(tx, &sha256, user, None, now).await
        })
    }

    /// A submitted URL by its SHA-256.
    pub async fn submitted_url(&self, sha256: &str) -> Result<SubmittedUrl, StoreError> {
        let mut tx = self.read().await?;
        let sql = format!("SELECT {} FROM urls WHERE sha256 = $1", list::<SubmittedUrl>());
        let found = tx.read_first(&sql, values![sha256.to_ascii_lowercase()]).await?;
        let mut url: SubmittedUrl = found.ok_or(StoreError::NotFound)?;
        url.submissions = submissions_of(&mut tx, &url.sha256).await?;
        Ok(url)
    }
}
