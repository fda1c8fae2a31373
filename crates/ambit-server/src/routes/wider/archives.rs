//! Archives of files (docs/contract/wider.md §5.2): asked for by their hashes, packed in the background, downloaded for
//! an hour.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::object_body::body_data;
use crate::page::{self, Attributes};
use crate::present::files;
use crate::signature::{Reply, Zip};
use crate::state::ServerState;
use crate::tokens;
use ambit_api::objects::{NewObject, Object, OneObject, Said, data};
use ambit_api::{ApiError, ErrorCode, Maybe, Result, contract};
use ambit_model::Timestamp;
use ambit_model::moment::{HOUR_MS, SECOND_MS};
use ambit_model::object::ArchiveStatus;
use ambit_store::{Archive, StoreError, StoredFile};
use serde::Serialize;
use serde_json::Value;
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::ZipWriter;
use zip::result::ZipError;
use zip::unstable::write::FileOptionsExt;
use zip::write::FileOptions;

const NOUN: &str = "Zip file";
/// Files of one archive.
const FILES_MAX: usize = 100;
/// Bytes of all its files: what is packed is held in memory until it is stored.
const BYTES_MAX: i64 = 128 * 1024 * 1024;
/// Characters of a password.
const PASSWORD_CHARS_MAX: usize = 256;
/// An archive that is not finished by then was given up: the server ended meanwhile.
const GIVEN_UP_MS: i64 = 600 * SECOND_MS;
/// What signed addresses of archives are sealed for, and how long they work.
const DOWNLOAD: &str = "archive";
const SIGNED_MS: i64 = HOUR_MS;

contract! {
    /// The attributes of an archive; its progress is between 0 and 1.
    #[derive(Debug, Serialize)]
    pub(crate) struct ArchiveAttributes {
        status: &'static str,
        progress: f64,
        files_ok: i64,
        files_error: i64,
    }
}

/// The hashes of a body; none where it cannot be read.
fn hashes(call: &Call) -> Vec<String> {
    let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
    let list = body.pointer("/data/hashes").and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(|hash| hash.trim().to_ascii_lowercase()).collect()
}

/// How many files a call pays for; what is refused as a whole is one.
pub(crate) fn asked_for(call: &Call) -> i64 {
    match hashes(call).len() {
        count @ 1..=FILES_MAX => i64::try_from(count).expect("a short list"),
        _ => 1,
    }
}

fn password(call: &Call) -> Result<Option<String>> {
    match body_data(call)?.get("password") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) if text.chars().count() <= PASSWORD_CHARS_MAX => Ok(Some(text.clone())),
        Some(_) => Err(ApiError::invalid(format!("The password is a text of at most {PASSWORD_CHARS_MAX} characters"))),
    }
}

fn shown(call: &Call, archive: &Archive) -> Object {
    let unfinished = matches!(archive.status, ArchiveStatus::Starting | ArchiveStatus::Creating);
    let given_up = unfinished && archive.created_at.plus_ms(GIVEN_UP_MS) < call.now;
    let status = if given_up { "timeout" } else { archive.status.name() };
    let done = archive.packed + archive.missing;
    // The last step is that of storing it.
    let progress =
        if archive.status == ArchiveStatus::Finished { 1.0 } else { done as f64 / (archive.files + 1) as f64 };
    let attributes = ArchiveAttributes { status, progress, files_ok: archive.packed, files_error: archive.missing };
    Object::new(&call.base, "intelligence/zip_files", "zip_file", &archive.id, &attributes)
}

/// Pack files by their hashes into an archive, with a password where one is given.
pub(crate) async fn create(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let password = password(&call)?;
    let asked = hashes(&call);
    if asked.is_empty() || asked.len() > FILES_MAX {
        return Err(ApiError::invalid(format!("hashes must be a list of 1 to {FILES_MAX} hashes")));
    }
    let (mut found, mut missing) = (Vec::<StoredFile>::new(), 0);
    for hash in &asked {
        match files::known(&call, hash).await? {
            Some(file) if found.iter().all(|known| known.sha256 != file.sha256) => found.push(file),
            Some(_) => {}
            None => missing += 1,
        }
    }
    let bytes: i64 = found.iter().map(|file| file.size).sum();
    if bytes > BYTES_MAX {
        return Err(ApiError::invalid(format!(
            "The files have {bytes} bytes together, at most {BYTES_MAX} are packed"
        )));
    }
    let count = i64::try_from(found.len()).expect("a short list") + missing;
    let begun = call.store().begin_archive(call.caller(), count).await;
    if matches!(begun, Err(StoreError::Conflict(_))) {
        let message = "Too many archives; each is removed an hour after it was asked for";
        return Err(ApiError::with(ErrorCode::TooManyRequests, message));
    }
    let archive = begun.about(NOUN)?;
    let work =
        Work { state: call.state.clone(), id: archive.id.clone(), files: found, missing, password, now: call.now };
    tokio::spawn(work.run());
    Ok(page::one(&call, shown(&call, &archive)))
}

/// An archive that is made.
struct Work {
    state: Arc<ServerState>,
    id: String,
    files: Vec<StoredFile>,
    missing: i64,
    password: Option<String>,
    now: Timestamp,
}

type Writer = ZipWriter<Cursor<Vec<u8>>>;

impl Work {
    async fn run(self) {
        let _turn = self.state.batches.acquire().await.expect("the semaphore is never closed");
        let made = match self.pack().await {
            Ok(bytes) => self.state.store.finish_archive(&self.id, &bytes, self.now).await,
            Err(error) => Err(error),
        };
        if let Err(error) = made {
            tracing::error!(%error, archive = self.id, "an archive could not be made");
            let noted = self.state.store.note_archive(&self.id, ArchiveStatus::Failed, 0, self.missing).await;
            if let Err(error) = noted {
                tracing::error!(%error, archive = self.id, "the failure of an archive could not be recorded");
            }
        }
    }

    async fn pack(&self) -> Result<Vec<u8>, StoreError> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (number, file) in self.files.iter().enumerate() {
            let bytes = self.state.store.blob(file.sha256).await?;
            let bytes = bytes.ok_or_else(|| StoreError::Bug(format!("the bytes of {} are missing", file.sha256)))?;
            let (name, password) = (file.sha256.to_string(), self.password.clone());
            let added = tokio::task::spawn_blocking(move || add(writer, &name, password.as_deref(), &bytes));
            writer = added.await.map_err(|_| panicked())?.map_err(|error| failed(&error))?;
            let packed = i64::try_from(number + 1).expect("few files");
            let store = &self.state.store;
            store.note_archive(&self.id, ArchiveStatus::Creating, packed, self.missing).await?;
        }
        let finished = tokio::task::spawn_blocking(move || writer.finish());
        let cursor = finished.await.map_err(|_| panicked())?.map_err(|error| failed(&error))?;
        Ok(cursor.into_inner())
    }
}

fn panicked() -> StoreError {
    StoreError::Bug("packing panicked".to_owned())
}

fn failed(error: &ZipError) -> StoreError {
    StoreError::Bug(format!("packing failed: {error}"))
}

/// One more file, under its hash. The encryption is the one that every program for such archives reads: it keeps
/// scanners out, not thieves.
fn add(mut writer: Writer, name: &str, password: Option<&str>, bytes: &[u8]) -> Result<Writer, ZipError> {
    let mut options: FileOptions<'_, '_, ()> = FileOptions::default();
    if let Some(password) = password {
        options = options.with_deprecated_encryption(password.as_bytes())?;
    }
    writer.start_file(name, options)?;
    writer.write_all(bytes)?;
    Ok(writer)
}

async fn asked(call: &Call) -> Result<Archive> {
    call.store().archive(call.caller(), call.id()).await.about_named(NOUN, call.id())
}

/// Read the progress of an archive.
pub(crate) async fn find(call: Asking<Attributes>) -> Result<OneObject> {
    let archive = asked(&call).await?;
    Ok(page::one(&call, shown(&call, &archive)))
}

async fn bytes(call: &Call, id: &str) -> Result<Zip> {
    let found = call.store().archive_bytes(id).await.about_named(NOUN, id)?;
    Ok(Zip(files::streamed(Zip::CONTENT_TYPE, format!("{id}.zip"), found)))
}

/// The archive must be the caller's and finished.
async fn finished(call: &Call) -> Result<Archive> {
    let archive = asked(call).await?;
    if archive.status == ArchiveStatus::Finished {
        return Ok(archive);
    }
    Err(ApiError::with(ErrorCode::NotAvailableYet, "The archive is not finished"))
}

/// Download an archive.
pub(crate) async fn download(call: Call) -> Result<Zip> {
    let archive = finished(&call).await?;
    bytes(&call, &archive.id).await
}

/// Create an address to download an archive from, for an hour.
pub(crate) async fn download_url(call: Call) -> Result<Said> {
    let archive = finished(&call).await?;
    let token = tokens::sealed(&call, DOWNLOAD, &archive.id, SIGNED_MS);
    Ok(data(format!("{}/downloads/archives/{token}", call.root())))
}

/// Download an archive by the signed address of /intelligence/zip_files/{id}/download_url.
///
/// The signed address: it is its own permission and costs nothing.
pub(crate) async fn signed(call: Call) -> Result<Zip> {
    let id = tokens::opened_signed(&call, DOWNLOAD, call.parameter("token")).await?;
    bytes(&call, &id).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_password_is_needed_to_read_what_was_packed_with_one() {
        let writer = ZipWriter::new(Cursor::new(Vec::new()));
        let writer = add(writer, "plain", None, b"open").unwrap();
        let writer = add(writer, "secret", Some("infected"), b"hidden").unwrap();
        let mut archive = zip::ZipArchive::new(writer.finish().unwrap()).unwrap();
        let mut text = String::new();
        archive.by_name("plain").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "open");
        assert!(archive.by_name("secret").is_err());
        let mut text = String::new();
        archive.by_name_decrypt("secret", b"infected").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "hidden");
    }
}
