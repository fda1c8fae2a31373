//! Points in time (docs/contract/asm.md §8.5). Versions are read, never folded again.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::present::items::noun;
use crate::present::{entities, issues};
use crate::query::query;
use crate::window::{MOMENT_FORMS, Start, moment, start, then};
use ambit_api::entities::EntityAtPoint;
use ambit_api::issues::IssueDetail;
use ambit_api::{ApiError, Envelope, Result, contract, success};
use ambit_model::{Item, Timestamp};
use serde::Serialize;

const MESSAGE: &str = "Success";

contract! {
    /// The record of an entity at a moment.
    #[derive(Debug, Serialize)]
    pub(crate) struct EntityAtPointResult {
        entity: EntityAtPoint,
    }

    /// The record of an issue at a moment.
    #[derive(Debug, Serialize)]
    pub(crate) struct IssueAtPointResult {
        issue: IssueDetail,
    }
}

query! { Point: point_in_time: When required = "A date (the end of that day, UTC) or a moment." }

/// Read an entity as it was shown at a point in time.
pub(crate) async fn entity(call: Asking<Point>) -> Result<Envelope<EntityAtPointResult>> {
    let (id, moment) = (call.parameter("uid"), point(&call)?);
    let at = call.store().record_at(call.caller(), id, call.project, moment).await;
    let view = then(at.about(entities::NOUN)?, entities::NOUN)?;
    Ok(success(MESSAGE, EntityAtPointResult { entity: entities::detail(&view).into() }))
}

/// Read an issue as it was shown at a point in time.
pub(crate) async fn issue(call: Asking<Point>) -> Result<Envelope<IssueAtPointResult>> {
    let (id, moment) = (call.parameter("uid"), point(&call)?);
    let at = call.store().record_at(call.caller(), id, call.project, moment).await;
    let view = then(at.about(issues::NOUN)?, issues::NOUN)?;
    Ok(success(MESSAGE, IssueAtPointResult { issue: issues::detail(&call, &view) }))
}

/// List the moments at which an entity changed, oldest first.
pub(crate) async fn points_of_entity(call: Asking<Start>) -> Result<Envelope<Vec<Timestamp>>> {
    points(&call, Item::Entity).await
}

/// List the moments at which an issue changed, oldest first.
pub(crate) async fn points_of_issue(call: Asking<Start>) -> Result<Envelope<Vec<Timestamp>>> {
    points(&call, Item::Issue).await
}

async fn points(call: &Call, item: Item) -> Result<Envelope<Vec<Timestamp>>> {
    let (id, start) = (call.parameter("uid"), start(Start::start(call))?);
    let points = call.store().points_in_time(call.caller(), (item, id), call.project, start).await.about(noun(item))?;
    Ok(success(MESSAGE, points))
}

/// The moment that is asked for.
fn point(call: &Call) -> Result<Timestamp> {
    moment(Point::point_in_time(call))?
        .ok_or_else(|| ApiError::invalid(format!("point_in_time is missing: {MOMENT_FORMS}")))
}
