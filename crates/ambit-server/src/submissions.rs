//! What people submit: files, and URLs in their canonical form. Nothing is sent to a URL: looking is for runs, within
//! their scope.

use crate::call::Call;
use crate::failure::About;
use crate::present::files;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::id::blob_hash;
use ambit_store::StoredFile;

/// Stores the file of a form; what it costs is noted under `usage`.
pub(crate) async fn stored(call: &mut Call, usage: &'static str) -> Result<StoredFile, ApiError> {
    let new = call.upload.take().and_then(|upload| upload.file);
    let new = new.ok_or_else(|| ApiError::with(ErrorCode::BadRequest, "The form has no field named file"))?;
    let (file, new) = call.store().submit_file(call.caller(), new, usage, call.now).await.about(files::NOUN)?;
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
