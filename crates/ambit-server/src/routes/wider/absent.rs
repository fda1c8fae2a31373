//! What the contract knows and Ambit does not have (docs/contract/wider.md §10): clients get what they would of a thing
//! that is not there.

use crate::call::{Asking, Call, CallWith};
use crate::failure::not_found;
use crate::page::{self, Page};
use ambit_api::objects::{NewObject, ObjectCollection, OneObject, RelatedObjects};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};

/// Fails: there is none with that id, nor anything of it.
pub(crate) async fn find(call: Call, noun: &'static str) -> Result<OneObject> {
    Err(not_found(noun, call.id()))
}

/// Fails: there is none with that id, nor anything that it would be related to.
pub(crate) async fn relationship(call: Call, noun: &'static str) -> Result<RelatedObjects> {
    Err(not_found(noun, call.id()))
}

/// Returns a list without items.
pub(crate) async fn list(call: Asking<Page>) -> Result<ObjectCollection> {
    page::of_list(&call, Vec::new(), page::LIMIT_DEFAULT)
}

/// Create a reference: this is always refused.
///
/// What would not be kept must not look as if it were.
pub(crate) async fn refuse_references(_call: CallWith<Maybe<NewObject>>) -> Result<OneObject> {
    let message = "References cannot be made here; a collection keeps indicators with a description";
    Err(ApiError::with(ErrorCode::Forbidden, message))
}

/// Scan a file or URL privately: this is always refused.
///
/// A client that is told that its file was taken would wait for a verdict that never comes.
pub(crate) async fn refuse_private_scans(_call: Call) -> Result<OneObject> {
    let message = "There are no private scans here; POST /files with visibility=project keeps a file for one project";
    Err(ApiError::with(ErrorCode::Forbidden, message))
}
