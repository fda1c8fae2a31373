//! What people submit: files, and URLs in their canonical form. Nothing is sent to a URL: looking is for runs, within
//! their scope.

use crate::call::Call;
use crate::failure::About;
use crate::present::files;
use crate::query::query;
use ambit_api::{ApiError, Result};
use ambit_model::Timestamp;
use ambit_model::id::blob_hash;
use ambit_store::{NewFile, StoredFile, Visibility};

query! { Uploaded:
    visibility: Text =
        "Who may see the file: `installation` (every user of it), or `project` (the people of the project that the \
         header names, or of the caller's primary one). The form may have it as a field.",
}

/// Stores the file of a form; what it costs is noted under `usage`.
pub(crate) async fn stored(call: &mut Call, usage: &'static str) -> Result<StoredFile> {
    stored_at(call, None, usage).await
}

/// The same at an address that works once: its token, and until when it is remembered that it was used.
pub(crate) async fn stored_at(
    call: &mut Call,
    address: Option<(&str, Timestamp)>,
    usage: &'static str,
) -> Result<StoredFile> {
    let new = call.upload.take().and_then(|upload| upload.file);
    let new = new.ok_or_else(|| ApiError::bad("The form has no field named file"))?;
    let new = NewFile { visibility: visibility(call)?, ..new };
    let submitted = call.store().submit_file(call.caller(), address, new, usage).await.about(files::NOUN)?;
    let used = || ApiError::bad("The upload address was used: it works once. Ask for another at /files/upload_url");
    let (file, new) = submitted.ok_or_else(used)?;
    if new {
        call.state.free_counts.count(call.store(), call.caller().user_id(), usage, call.now);
    }
    Ok(file)
}

/// Who may see a file that the caller uploads: what the form says in its field `visibility`, else what the installation
/// has set. A project is the one that the header names, or the caller's primary one.
fn visibility(call: &Call) -> Result<Visibility> {
    let private = match Uploaded::visibility(call).or_empty() {
        "" => call.state.private_uploads,
        "installation" => false,
        "project" => true,
        other => return Err(ApiError::bad(format!("Unknown visibility {other:?}; known: installation, project"))),
    };
    if !private {
        return Ok(Visibility::Installation);
    }
    let project = call.project.or(call.caller().primary()).map(Visibility::Project);
    project.ok_or_else(|| {
        ApiError::bad(
            "The file would be for the people of your project, and you are in none; the field visibility may say \
             installation"
                .to_owned(),
        )
    })
}

/// Remembers a URL in its canonical form; gives its SHA-256.
pub(crate) async fn submit(call: &Call, url: &str) -> Result<String> {
    let sha256 = blob_hash(url.as_bytes()).to_string();
    call.store().submit_url(call.caller(), url, &sha256).await.about("URL")?;
    Ok(sha256)
}
