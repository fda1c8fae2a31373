//! Files that people uploaded and bodies that runs discovered, as a caller may find and see them; their bytes.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::{About, not_found};
use crate::page;
use crate::upload::{hex_of, type_tag};
use ambit_api::ApiError;
use ambit_api::objects::object;
use ambit_model::id::BlobHash;
use ambit_store::{Analysis, BlobReader, DiscoveredFile, StoredFile};
use md5::{Digest, Md5};
use serde_json::{Map, Value, json};
use sha1::Sha1;

pub(crate) const NOUN: &str = "File";
/// What an engine can say (docs/contract/wider.md §3).
const CATEGORIES: &str = "malicious suspicious undetected harmless timeout confirmed-timeout failure type-unsupported";

/// A file by any of its hashes, if there is one.
pub(crate) async fn known(call: &Call, hash: &str) -> Result<Option<StoredFile>, ApiError> {
    call.store().file(hash).await.if_found()
}

/// True for a file that the caller uploaded when nobody had it (docs/contract/quotas.md §4, A9).
pub(crate) async fn uploaded_as_new(call: &Call, hash: &str) -> Result<bool, ApiError> {
    Ok(known(call, hash).await?.is_some_and(|file| file.uploader == call.caller().user_id()))
}

/// A body that the caller's collections have, by its SHA-256.
pub(crate) async fn discovered(call: &Call, hash: &str) -> Result<Option<DiscoveredFile>, ApiError> {
    call.store().discovered_file(call.caller(), hash).await.if_found()
}

/// A file as an object; `None`: there is none with this hash.
pub(crate) async fn shown_if_known(call: &Call, hash: &str) -> Result<Option<Value>, ApiError> {
    if let Some(file) = known(call, hash).await? {
        return shown(call, &file).await.map(Some);
    }
    match discovered(call, hash).await? {
        Some(file) => shown_discovered(call, &file).await,
        None => Ok(None),
    }
}

/// A body that a run discovered; `None` where its bytes are gone.
async fn shown_discovered(call: &Call, file: &DiscoveredFile) -> Result<Option<Value>, ApiError> {
    let bytes = call.store().blob(file.sha256).await.about(NOUN)?;
    let Some(bytes) = bytes else { return Ok(None) };
    let mut attributes = Map::from_iter([
        ("sha256".to_owned(), json!(file.sha256.to_string())),
        ("sha1".to_owned(), json!(hex_of(&Sha1::digest(&bytes)))),
        ("md5".to_owned(), json!(hex_of(&Md5::digest(&bytes)))),
        ("size".to_owned(), json!(file.size)),
        ("names".to_owned(), json!(file.names)),
        ("times_submitted".to_owned(), json!(0)),
        ("first_seen_date".to_owned(), page::seconds(file.first_at)),
        ("last_analysis_stats".to_owned(), stats(&Map::new())),
        ("last_analysis_results".to_owned(), json!({})),
        ("reputation".to_owned(), json!(0)),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
        ("tags".to_owned(), json!([])),
    ]);
    attributes.extend(type_tag(&bytes).map(|tag| ("type_tag".to_owned(), json!(tag))));
    attributes.extend(file.names.first().map(|name| ("meaningful_name".to_owned(), json!(name))));
    Ok(Some(object(&call.base, "files", "file", &file.sha256.to_string(), attributes)))
}

/// A file as an object.
pub(crate) async fn shown(call: &Call, file: &StoredFile) -> Result<Value, ApiError> {
    let last = call.store().last_analysis(file.sha256).await.about(NOUN)?;
    Ok(shown_with(call, file, last))
}

/// The same with what an analysis said, if there was one.
pub(crate) fn shown_with(call: &Call, file: &StoredFile, last: Option<Analysis>) -> Value {
    let results = last.as_ref().map(|last| last.results.clone()).unwrap_or_default();
    let mut attributes = Map::from_iter([
        ("sha256".to_owned(), json!(file.sha256.to_string())),
        ("sha1".to_owned(), json!(file.sha1)),
        ("md5".to_owned(), json!(file.md5)),
        ("size".to_owned(), json!(file.size)),
        ("names".to_owned(), json!(file.names)),
        ("times_submitted".to_owned(), json!(file.submissions)),
        ("first_submission_date".to_owned(), page::seconds(file.first_at)),
        ("last_submission_date".to_owned(), page::seconds(file.last_at)),
        ("last_analysis_stats".to_owned(), stats(&results)),
        ("last_analysis_results".to_owned(), Value::Object(results)),
        ("reputation".to_owned(), json!(0)),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
        ("tags".to_owned(), json!([])),
    ]);
    if let Some(last) = last {
        attributes.insert("last_analysis_date".to_owned(), json!(last.second));
    }
    if let Some(tag) = &file.type_tag {
        attributes.insert("type_tag".to_owned(), json!(tag));
    }
    if let Some(name) = file.names.first() {
        attributes.insert("meaningful_name".to_owned(), json!(name));
    }
    object(&call.base, "files", "file", &file.sha256.to_string(), attributes)
}

/// How many engines said what.
pub(crate) fn stats(results: &Map<String, Value>) -> Value {
    let said = |name: &str| results.values().filter(|one| one["category"] == name).count();
    Value::Object(CATEGORIES.split(' ').map(|name| (name.to_owned(), json!(said(name)))).collect())
}

/// The bytes of a file; `None`: it is not known.
pub(crate) async fn content(call: &Call, hash: &str) -> Result<Option<Vec<u8>>, ApiError> {
    match known(call, hash).await? {
        Some(file) => call.store().blob(file.sha256).await.about(NOUN),
        None => Ok(None),
    }
}

/// The answer that is a file.
pub(crate) async fn bytes(call: &Call, hash: &str) -> Result<Answer, ApiError> {
    let file = known(call, hash).await?.ok_or_else(|| not_found(NOUN, hash))?;
    blob(call, file.sha256).await
}

pub(crate) async fn blob(call: &Call, sha256: BlobHash) -> Result<Answer, ApiError> {
    let found = call.store().read_blob(sha256).await.about(NOUN)?;
    let found = found.ok_or_else(|| not_found(NOUN, &sha256.to_string()))?;
    Ok(streamed("application/octet-stream", found))
}

/// An answer that is read from the store while it is sent.
pub(crate) fn streamed(content_type: &'static str, blob: BlobReader) -> Answer {
    let size = blob.left();
    let pieces = futures::stream::try_unfold(blob, |mut blob| async move {
        let piece = blob.next().await.map_err(|error| {
            tracing::error!(%error, "a stored file could not be read to its end");
            std::io::Error::other(error)
        });
        Ok(piece?.map(|piece| (piece.into(), blob)))
    });
    Answer::stream(content_type, size, Box::pin(pieces))
}
