//! What people submit: files, and URLs in their canonical form. Nothing is sent to a URL: looking is for runs, within
//! their scope.

use crate::call::Call;
use crate::failure::About;
use crate::present::files;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::id::blob_hash;
use ambit_store::StoredFile;

/// Stores the file of a form; what it costs is noted under `usage`.
pub(crate) async fn stored(call: &mut Call, usage: &'static str) -> Result<StoredFile, ApiError> {
    stored_at(call, None, usage).await
}

/// The same at an address that works once: its token, and until when it is remembered that it was used.
pub(crate) async fn stored_at(
    call: &mut Call,
    address: Option<(&str, Timestamp)>,
    usage: &'static str,
) -> Result<StoredFile, ApiError> {
    let bad = |message| ApiError::with(ErrorCode::BadRequest, message);
    let new = call.upload.take().and_then(|upload| upload.file);
    let new = new.ok_or_else(|| bad("The form has no field named file"))?;
    let submitted =
        call.store().submit_file_to(call.caller(), address, new, usage, call.now).await.about(files::NOUN)?;
    let used = || bad("The upload address was used: it works once. Ask for another at /files/upload_url");
    let (file, new) = submitted.ok_or_else(used)?;
    if new {
        call.state.free_counts.count(call.store(), call.caller().user_id(), usage, call.now);
    }
    Ok(file)
}

/// Remembers a URL in its canonical form; gives its SHA-256.
pub(crate) async fn submit(call: &Call, url: &str) -> Result<String, ApiError> {
    let sha256 = blob_hash(url.as_bytes()).to_string();
    call.store().submit_url(call.caller(), url, &sha256, call.now).await.about("URL")?;
    Ok(sha256)
}
