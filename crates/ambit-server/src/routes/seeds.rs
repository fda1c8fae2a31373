//! Seeds: list, add, remove (docs/contract/asm.md §3.4). The body of an addition has one seed, or a list of them, which
//! may be named `entities`.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::{CollectionUuid, SeedId};
use ambit_api::seeds::{NewSeed, NewSeeds, Seed};
use ambit_api::{ApiError, Envelope, Result, read, success};
use ambit_model::Kind;
use ambit_model::reserved::Reserved;

const NOUN: &str = "Seed";

/// List the seeds of a collection.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Seed>>> {
    let uuid = CollectionUuid::of(&call)?;
    let found = call.store().list_seeds(call.caller(), uuid).await.about("Collection")?;
    Ok(success("Collection entities retrieved!", found.iter().map(Seed::from).collect()))
}

/// Add seeds to a collection: one, or a list named entities.
pub(crate) async fn add(call: CallWith<NewSeeds>) -> Result<Envelope<Vec<Seed>>> {
    let uuid = CollectionUuid::of(&call)?;
    let body = call.object_or_list("entities")?;
    let seeds = match body.contains_key("entities") {
        true => read::<NewSeeds>(body)?.entities.0.unwrap_or_default(),
        false => vec![read::<NewSeed>(body)?],
    };
    let wanted = seeds.into_iter().map(|seed| canonical(seed, &call.state.reserved));
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    let added = call.store().add_seeds(call.caller(), uuid, &wanted).await.about("Collection")?;
    Ok(success("Collection entities added", added.iter().map(Seed::from).collect()))
}

/// Remove a seed by its integer id.
pub(crate) async fn remove(call: Call) -> Result<Envelope<bool>> {
    let id = SeedId::of(&call)?;
    call.store().remove_seed(call.caller(), id).await.about(NOUN)?;
    Ok(success("Entity deleted", true))
}

/// One seed in canonical form. What lies in a reserved range is refused: those who may use the API say what is theirs,
/// not what this server reaches. Ranges for documentation lead nowhere and are taken.
fn canonical(seed: NewSeed, reserved: &Reserved) -> Result<(Kind, String)> {
    let typed = &seed.name.0;
    let read = match seed.kind.0 {
        Some(kind) => kind.0.seed(typed).map(|name| (kind.0, name)),
        None => Kind::of_target(typed),
    };
    let (kind, name) = read.map_err(|error| ApiError::invalid(error.to_string()))?;
    match reserved.reaches(&name) {
        Some(range) => Err(ApiError::invalid(format!(
            "{name} lies in the reserved range {range}, which the administrator of this installation has not opened"
        ))),
        None => Ok((kind, name)),
    }
}
