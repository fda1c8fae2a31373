//! Seeds: list, add, remove (docs/contract/asm.md §3.4). The body of an addition has one seed, or a list of them named `entities`.

use crate::answer::Answer;
use crate::call::{Call, text_member};
use crate::failure::About;
use crate::present::collections::collection;
use ambit_api::{ApiError, seeds, success};
use ambit_model::Kind;
use ambit_model::reserved::Reserved;
use serde_json::{Map, Value, json};

const NOUN: &str = "Seed";
/// Characters of a seed: the longest host name has 253, an address of a page may have more.
const SEED_CHARS_MAX: usize = 2_048;

/// List the seeds of a collection.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let found = call.store().list_seeds(call.caller(), uuid).await.about("Collection")?;
    let result: Value = found.iter().map(seeds::seed).collect();
    Ok(Answer::json(&success("Collection entities retrieved!", result)))
}

/// Add seeds to a collection: one, or a list named entities.
pub(crate) async fn add(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let body = call.object()?;
    let read = |object: &Map<String, Value>| read(object, &call.state.reserved);
    let wanted = match body.get("entities") {
        Some(Value::Array(items)) => {
            let objects = items
                .iter()
                .map(|item| item.as_object().ok_or_else(|| ApiError::invalid("entities must be a list of objects")));
            objects.map(|object| read(object?)).collect::<Result<Vec<_>, _>>()?
        }
        Some(_) => return Err(ApiError::invalid("entities must be a list of objects")),
        None => vec![read(&body)?],
    };
    let added = call.store().add_seeds(call.caller(), uuid, &wanted, call.now).await.about("Collection")?;
    let result: Value = added.iter().map(seeds::seed).collect();
    Ok(Answer::json(&success("Collection entities added", result)))
}

/// Remove a seed by its integer id.
pub(crate) async fn remove(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("entity_uid").parse().map_err(|_| ApiError::not_found(NOUN))?;
    call.store().remove_seed(call.caller(), id, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success("Entity deleted", json!(true))))
}

/// One seed in canonical form. What lies in a reserved range is refused: those who may use the API say what is theirs, not what this server reaches. Ranges
/// for documentation lead nowhere and are taken.
fn read(object: &Map<String, Value>, reserved: &Reserved) -> Result<(Kind, String), ApiError> {
    let word = text_member(object, "type", SEED_CHARS_MAX)?;
    let kind = Kind::from_name(&word).ok_or_else(|| ApiError::invalid(format!("type must be an entity kind such as Domain, not {word}")))?;
    let name = text_member(object, "name", SEED_CHARS_MAX)?;
    let name = kind.seed(&name).map_err(|error| ApiError::invalid(error.to_string()))?;
    match reserved.reaches(&name) {
        Some(range) => Err(ApiError::invalid(format!(
            "{name} lies in the reserved range {range}, which the administrator of this installation has not opened"
        ))),
        None => Ok((kind, name)),
    }
}
