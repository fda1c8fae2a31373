//! Operations: what was asked for many objects at once, and how far it is (docs/contract/wider.md §6.4).

use crate::call::Call;
use crate::failure::About;
use crate::present::operations::shown;
use ambit_api::Result;
use ambit_api::objects::{OneObject, data};

/// Read the progress of an operation on many objects, such as a deletion.
pub(crate) async fn find(call: Call) -> Result<OneObject> {
    let found = call.store().find_operation(call.caller(), call.id()).await.about_named("Operation", call.id())?;
    Ok(data(shown(&call, &found)))
}
