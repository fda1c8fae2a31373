//! What edges of the inventory join to objects.

use crate::call::Call;
use crate::failure::About;
use ambit_api::Result;
use ambit_model::Uid;
use ambit_store::{Edges, KnownObject};

/// What edges lead to from some entities, or from where they lead to them, each once and in the order of names.
pub(super) async fn linked(call: &Call, found: &[KnownObject], edges: Edges<'_>) -> Result<Vec<KnownObject>> {
    let uids: Vec<Uid> = found.iter().map(|one| one.uid).collect();
    call.store().linked(&uids, edges).await.about("Object")
}
