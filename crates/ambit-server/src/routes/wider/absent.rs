//! What the contract knows and Ambit does not have (docs/contract/wider.md §10): clients get what they would of a thing
//! that is not there.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::not_found;
use crate::page;
use ambit_api::{ApiError, ErrorCode};

/// Fails: there is none with that id, nor anything of it.
pub(crate) async fn find(call: Call, noun: &'static str) -> Result<Answer, ApiError> {
    Err(not_found(noun, call.id()))
}

/// Returns a list without items.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    page::of_list(&call, Vec::new(), page::LIMIT_DEFAULT)
}

/// Make a reference: nobody may.
///
/// What would not be kept must not look as if it were.
pub(crate) async fn refuse_references(_call: Call) -> Result<Answer, ApiError> {
    let message = "References cannot be made here; a collection keeps indicators with a description";
    Err(ApiError::with(ErrorCode::Forbidden, message))
}

/// Scan a file or URL privately: nobody may.
///
/// A client that is told that its file was taken would wait for a verdict that never comes.
pub(crate) async fn refuse_private_scans(_call: Call) -> Result<Answer, ApiError> {
    let message = "There are no private scans here; POST /files with visibility=project keeps a file for one project";
    Err(ApiError::with(ErrorCode::Forbidden, message))
}
