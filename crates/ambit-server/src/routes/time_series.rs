//! Points in time (seed-asm §4, endpoint 18). Versions are read, never folded again.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, entities, success, time_series};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;

const NOUN: &str = "Entity";
/// Characters of a bare date.
const DATE_CHARS: usize = 10;

pub(crate) async fn entity(call: Call) -> Result<Answer, ApiError> {
    let uid = super::entities::uid(&call, "uid")?;
    let moment = point(&call)?;
    let view = call.state.store.entity_at(call.caller(), uid, moment).await;
    let view = view.map_err(|error| of_store(error, NOUN))?;
    call.narrowed_to(view.project, NOUN)?;
    let entity = entities::entity_at(&view.record, super::sighting(&view), super::collection(&view));
    Ok(Answer::json(&success("Success", time_series::entity_at_result(entity))))
}

/// The moment that is asked for: a bare date is the end of that day, UTC; a future moment is now (design §3).
fn point(call: &Call) -> Result<Timestamp, ApiError> {
    let text = call.query("point_in_time").map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| ApiError::invalid("point_in_time is missing: a date YYYY-MM-DD or a moment such as 2026-01-31T12:00:00Z"))?;
    let moment = Timestamp::parse(text)
        .ok_or_else(|| ApiError::invalid("point_in_time must be a date YYYY-MM-DD or a moment such as 2026-01-31T12:00:00Z"))?;
    let moment = if text.len() == DATE_CHARS { moment.plus_ms(DAY_MS - 1) } else { moment };
    Ok(moment.min(call.now))
}
