//! The web interface: its page under each of its paths, and the files that the page loads.

use crate::answer::Answer;
use crate::call::Call;
use crate::signature::{File, Html};
use ambit_api::{ApiError, Result};

/// Show a page of the web interface, or say why there is none.
pub(crate) async fn page(call: Call) -> Result<Html> {
    call.state.interface.page().await.map(|page| Html(Answer::page(page)))
}

/// Load a file of the web interface.
pub(crate) async fn asset(call: Call) -> Result<File> {
    let name = format!("assets/{}", call.parameter("file"));
    let found = call.state.interface.file(&name).await?;
    found.map(|file| File(Answer::asset(file))).ok_or_else(|| ApiError::not_found("File"))
}
