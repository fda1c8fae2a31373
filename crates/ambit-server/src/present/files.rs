//! Files that people uploaded and bodies that runs discovered, as a caller may find and see them; their bytes.

use super::file_types;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::{About, not_found};
use crate::signature::{File, Reply};
use ambit_api::files::{EngineResults, FileAttributes, Stats};
use ambit_api::objects::{Object, Seconds};
use ambit_api::votes::TotalVotes;
use ambit_api::{Maybe, Result, copied};
use ambit_model::id::BlobHash;
use ambit_store::{Analysis, BlobReader, DiscoveredFile, FileType, StoredFile};
use md5::{Digest, Md5};
use sha1::Sha1;
use std::collections::BTreeSet;

pub(crate) const NOUN: &str = "File";

/// A file by any of its hashes, if there is one.
pub(crate) async fn known(call: &Call, hash: &str) -> Result<Option<StoredFile>> {
    call.store().file(call.caller(), hash).await.if_found()
}

/// True for a file that the caller uploaded when nobody had it (docs/contract/quotas.md §4, A9).
pub(crate) async fn uploaded_as_new(call: &Call, hash: &str) -> Result<bool> {
    Ok(known(call, hash).await?.is_some_and(|file| file.uploader == call.caller().user_id()))
}

/// A body that the caller's collections have, by any of its hashes.
pub(crate) async fn discovered(call: &Call, hash: &str) -> Result<Option<DiscoveredFile>> {
    call.store().discovered_file(call.caller(), hash).await.if_found()
}

/// The hashes of a file that the caller may see, the SHA-256 first; of a body that a run discovered a moment ago that
/// one alone. Fails where there is none with this hash.
pub(crate) async fn hashes(call: &Call, hash: &str) -> Result<Vec<String>> {
    if let Some(file) = known(call, hash).await? {
        return Ok(vec![file.sha256.to_string(), file.sha1, file.md5]);
    }
    let found = discovered(call, hash).await?.ok_or_else(|| not_found(NOUN, hash))?;
    let others = found.others.into_iter().flat_map(|(sha1, md5)| [sha1, md5]);
    Ok([found.sha256.to_string()].into_iter().chain(others).collect())
}

/// A file as an object; `None`: there is none with this hash.
pub(crate) async fn shown_if_known(call: &Call, hash: &str) -> Result<Option<Object>> {
    Ok(attributes_if_known(call, hash).await?.map(|attributes| shown(call, &attributes)))
}

/// The attributes of a file; `None`: there is none with this hash.
pub(crate) async fn attributes_if_known(call: &Call, hash: &str) -> Result<Option<FileAttributes>> {
    if let Some(file) = known(call, hash).await? {
        let last = call.store().last_analysis(file.sha256).await.about(NOUN)?;
        let submissions = call.store().submissions(&file.sha256.to_string(), file.visibility).await.about(NOUN)?;
        let sources: BTreeSet<&str> = submissions.iter().map(|one| one.source.as_str()).collect();
        return Ok(Some(FileAttributes { unique_sources: Maybe(Some(sources.len())), ..attributes(&file, last) }));
    }
    let Some(file) = discovered(call, hash).await? else { return Ok(None) };
    let bytes = call.store().blob(file.sha256).await.about(NOUN)?;
    Ok(bytes.map(|bytes| attributes_of_discovered(file, &bytes)))
}

/// The attributes of a body that a run discovered.
fn attributes_of_discovered(file: DiscoveredFile, bytes: &[u8]) -> FileAttributes {
    FileAttributes {
        sha256: file.sha256.to_string(),
        sha1: hex::encode(Sha1::digest(bytes)),
        md5: hex::encode(Md5::digest(bytes)),
        size: file.size,
        first_seen_date: Maybe(Some(file.first_at.into())),
        last_analysis_stats: Stats::of(&EngineResults::new()),
        meaningful_name: Maybe(file.names.first().cloned()),
        names: file.names,
        last_modification_date: Maybe(Some(file.first_at.into())),
        ..of_type(FileType::tag_of(bytes))
    }
}

/// What is said of a file by its type.
fn of_type(tag: Option<&str>) -> FileAttributes {
    let known = tag.and_then(file_types::of_tag);
    FileAttributes {
        type_tag: Maybe(tag.map(str::to_owned)),
        type_description: Maybe(known.map(|one| one.description)),
        type_extension: Maybe(known.map(|one| one.extension)),
        magic: Maybe(known.map(|one| one.magic)),
        type_tags: known.map(|one| one.tags.to_vec()).unwrap_or_default(),
        ..FileAttributes::default()
    }
}

/// The attributes of a file with what an analysis said, if there was one.
pub(crate) fn attributes(file: &StoredFile, last: Option<Analysis>) -> FileAttributes {
    let (second, results) = last.map(|last| (Seconds(last.second), last.results)).unzip();
    let results = results.unwrap_or_default();
    let FileAttributes { type_tag, type_description, type_extension, magic, type_tags, .. } =
        of_type(file.type_tag.as_deref());
    copied! {
        FileAttributes from file { sha1, md5, size, names }
        sha256: file.sha256.to_string(),
        times_submitted: file.submissions,
        first_submission_date: Maybe(Some(file.first_at.into())),
        last_submission_date: Maybe(Some(file.last_at.into())),
        first_seen_date: Maybe(None),
        last_analysis_stats: Stats::of(&results),
        last_analysis_results: results,
        reputation: 0,
        total_votes: TotalVotes::default(),
        tags: Vec::new(),
        last_analysis_date: Maybe(second),
        last_modification_date: Maybe(second.max(Some(file.last_at.into()))),
        unique_sources: Maybe(None),
        type_tag: type_tag,
        type_description: type_description,
        type_extension: type_extension,
        magic: magic,
        type_tags: type_tags,
        meaningful_name: Maybe(file.names.first().cloned()),
        visibility: Maybe(Some(file.visibility.name())),
    }
}

/// A file as an object.
pub(crate) fn shown(call: &Call, attributes: &FileAttributes) -> Object {
    Object::new(&call.base, "files", "file", &attributes.sha256, attributes)
}

/// The bytes of a file; `None`: it is not known.
pub(crate) async fn content(call: &Call, hash: &str) -> Result<Option<Vec<u8>>> {
    match sha256_of(call, hash).await? {
        Some(sha256) => call.store().blob(sha256).await.about(NOUN),
        None => Ok(None),
    }
}

/// The SHA-256 of a file that the caller may see, uploaded or discovered; `None`: there is none with this hash.
pub(crate) async fn sha256_of(call: &Call, hash: &str) -> Result<Option<BlobHash>> {
    match known(call, hash).await? {
        Some(file) => Ok(Some(file.sha256)),
        None => Ok(discovered(call, hash).await?.map(|found| found.sha256)),
    }
}

/// The answer that is a file.
pub(crate) async fn bytes(call: &Call, hash: &str) -> Result<File> {
    let sha256 = sha256_of(call, hash).await?.ok_or_else(|| not_found(NOUN, hash))?;
    blob(call, sha256).await
}

pub(crate) async fn blob(call: &Call, sha256: BlobHash) -> Result<File> {
    let found = call.store().read_blob(sha256).await.about(NOUN)?;
    let found = found.ok_or_else(|| not_found(NOUN, &sha256.to_string()))?;
    // Not by a name that somebody gave it: the hash says what it is, and opens nothing by its ending.
    Ok(File(streamed(File::CONTENT_TYPE, sha256.to_string(), found)))
}

/// A file that is read from the store while it is sent, and saved under `name`.
pub(crate) fn streamed(content_type: &'static str, name: String, blob: BlobReader) -> Answer {
    let size = blob.left();
    let pieces = futures::stream::try_unfold(blob, |mut blob| async move {
        let piece = blob.next().await.map_err(|error| {
            tracing::error!(%error, "a stored file could not be read to its end");
            std::io::Error::other(error)
        });
        Ok(piece?.map(|piece| (piece.into(), blob)))
    });
    Answer::file(content_type, name, size, Box::pin(pieces))
}
