//! Records by the beginning of their uid, as people type it.

use crate::call::Call;
use crate::failure::About;
use crate::path::UidNoun;
use ambit_api::{ApiError, Envelope, Result, contract, success};
use ambit_model::Uid;
use serde::Serialize;

/// Characters of a uid that are looked for at least: fewer begin too many.
const CHARS_MIN: usize = 4;
/// Records of an answer: who sees so many types more.
const NAMED_MAX: usize = 10;

contract! {
    /// A record and the name that people know it by.
    #[derive(Debug, Serialize)]
    pub(crate) struct Named as "NamedUid" {
        uid: Uid,
        name: String,
    }
}

/// List the entities or issues of a project whose uid begins with a text: up to ten, with their names.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Named>>> {
    let item = UidNoun::of(&call)?;
    let beginning = call.parameter("beginning");
    if !(CHARS_MIN..=64).contains(&beginning.len()) || !beginning.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(ApiError::invalid(format!("the beginning of a uid is {CHARS_MIN} to 64 hexadecimal characters")));
    }
    let project = call.project_or_404()?;
    let found =
        call.store().uids_beginning(call.caller(), project, item, beginning, NAMED_MAX).await.about("Project")?;
    Ok(success("Records", found.into_iter().map(|(uid, name)| Named { uid, name }).collect()))
}
