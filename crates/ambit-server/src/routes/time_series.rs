//! Points in time (seed-asm §4, endpoint 18, and the lists of points that it mentions). Versions are read, never folded again.

use super::entities::collection;
use super::{entities as entity_routes, issues as issue_routes};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, ErrorCode, entities, issues, success, time_series};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_store::At;
use serde_json::json;

/// Characters of a bare date.
const DATE_CHARS: usize = 10;
const FORMS: &str = "a date YYYY-MM-DD or a moment such as 2026-01-31T12:00:00Z";
const MESSAGE: &str = "Success";

pub(crate) async fn entity(call: Call) -> Result<Answer, ApiError> {
    let (id, moment) = (call.parameter("uid"), point(&call)?);
    let at = call.state.store.entity_at(call.caller(), id, call.project, moment, call.now).await;
    let view = then(at.map_err(|error| of_store(error, entity_routes::NOUN))?, entity_routes::NOUN)?;
    let entity = entities::entity_at(&view.record, entity_routes::sighting(&view), collection(&view.collection));
    Ok(Answer::json(&success(MESSAGE, time_series::entity_at_result(entity))))
}

pub(crate) async fn issue(call: Call) -> Result<Answer, ApiError> {
    let (id, moment) = (call.parameter("uid"), point(&call)?);
    let at = call.state.store.issue_at(call.caller(), id, call.project, moment, call.now).await;
    let view = then(at.map_err(|error| of_store(error, issue_routes::NOUN))?, issue_routes::NOUN)?;
    let issue = issues::issue_detail(&view.record, issue_routes::sighting(&view), view.entity_id, collection(&view.collection));
    Ok(Answer::json(&success(MESSAGE, time_series::issue_at_result(issue))))
}

pub(crate) async fn points_of_entity(call: Call) -> Result<Answer, ApiError> {
    let (id, start) = (call.parameter("uid"), start(&call)?);
    let points = call.state.store.points_in_time(call.caller(), id, call.project, start).await;
    let points = points.map_err(|error| of_store(error, entity_routes::NOUN))?;
    Ok(Answer::json(&success(MESSAGE, json!(points))))
}

pub(crate) async fn points_of_issue(call: Call) -> Result<Answer, ApiError> {
    let (id, start) = (call.parameter("uid"), start(&call)?);
    let points = call.state.store.issue_points_in_time(call.caller(), id, call.project, start).await;
    let points = points.map_err(|error| of_store(error, issue_routes::NOUN))?;
    Ok(Answer::json(&success(MESSAGE, json!(points))))
}

/// The record of the moment; before it was first seen there is none.
pub(crate) fn then<T>(at: At<T>, noun: &str) -> Result<T, ApiError> {
    match at {
        At::Then(view) => Ok(view),
        At::BeforeFirstSeen(first_seen) => {
            let message = format!("{noun} not found at that time: it was first seen at {first_seen}");
            Err(ApiError::with(ErrorCode::NotFound, message))
        }
    }
}

/// The moment that is asked for.
fn point(call: &Call) -> Result<Timestamp, ApiError> {
    moment(call, "point_in_time")?.ok_or_else(|| ApiError::invalid(format!("point_in_time is missing: {FORMS}")))
}

/// A moment in the query, if it is there: a bare date is the end of that day, UTC (design §3).
pub(crate) fn moment(call: &Call, name: &str) -> Result<Option<Timestamp>, ApiError> {
    let text = call.query(name).map(str::trim).filter(|text| !text.is_empty());
    text.map(|text| end_of(text).ok_or_else(|| ApiError::invalid(format!("{name} must be {FORMS}"))))
        .transpose()
}

/// A moment, or the end of a day.
pub(crate) fn end_of(text: &str) -> Option<Timestamp> {
    let moment = Timestamp::parse(text)?;
    Some(if text.len() == DATE_CHARS { moment.plus_ms(DAY_MS - 1) } else { moment })
}

/// The moment that a list begins at: a bare date is its midnight, UTC.
fn start(call: &Call) -> Result<Option<Timestamp>, ApiError> {
    let text = call.query("start").map(str::trim).filter(|text| !text.is_empty());
    let parsed = text.map(|text| Timestamp::parse(text).ok_or_else(|| ApiError::invalid(format!("start must be {FORMS}"))));
    parsed.transpose()
}
