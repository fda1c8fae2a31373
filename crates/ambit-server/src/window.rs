//! Which time a request is about: a moment in its query, the window of a search, an end that lies ahead; and what hits
//! then repeat of their records.

use crate::call::Call;
use crate::failure::About;
use crate::query::{Written, query};
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::Timestamp;
use ambit_model::feed::Noun as Recorded;
use ambit_query::{Noun, Search};
use ambit_search::{CHANGE, IndexedRecord, Window};
use ambit_store::At;

const FORMS: &str = "between must be two dates or moments with a comma between them, the earlier one first, such as \
                     2026-01-01,2026-01-31";

query! { AsOf: as_of: When = "Shows the state at this moment; a date means the end of that day, UTC. Ambit's own." }

query! { Between:
    between: Text =
        "What changed between two dates or moments, which a comma separates; shows the state at the second. `change:` \
         in the search string narrows it. Ambit's own.",
}

/// What says which past a search is about.
pub(crate) type Past = (AsOf, Between);

query! { Start: start: When = "Only moments from this date or moment on." }

/// The window of a search, as it was asked for: it may end in the future.
pub(crate) fn window(call: &Call, search: &Search) -> Result<Window> {
    let between = Between::between(call).text.map(str::trim).filter(|text| !text.is_empty());
    let as_of = moment(AsOf::as_of(call))?;
    let asked = search.clauses.iter().any(|clause| clause.keyword.name == CHANGE);
    match (between, as_of) {
        (Some(_), Some(_)) => Err(ApiError::invalid("as_of and between exclude each other")),
        (Some(text), None) => between_of(text),
        (None, _) if asked => Err(ApiError::invalid("change: needs between=D1,D2 beside the search")),
        (None, Some(moment)) => Ok(Window::AsOf(moment)),
        (None, None) => Ok(Window::Now),
    }
}

fn between_of(text: &str) -> Result<Window> {
    let parsed = text.split_once(',').and_then(|(from, until)| Some((read_end(from.trim())?, read_end(until.trim())?)));
    match parsed {
        Some((from, until)) if from < until => Ok(Window::Between(from, until)),
        _ => Err(ApiError::invalid(FORMS)),
    }
}

/// Sets the `last_seen` of hits of the past to what it was then: the index has that of the end of each version.
pub(crate) async fn set_last_seen(call: &Call, noun: Noun, window: Window, hits: &mut [IndexedRecord]) -> Result<()> {
    let Some(moment) = window.moment() else { return Ok(()) };
    let opened = hits.iter().map(|hit| (hit.record.uid(), hit.valid_from)).collect();
    let noun = match noun {
        Noun::Entities => Recorded::Entity,
        Noun::Issues => Recorded::Issue,
        Noun::Technologies => Recorded::Technology,
    };
    let seen = call.store().last_seen_by(noun, &opened, moment).await.about("Project")?;
    for hit in hits {
        // What was gone or closed then was last seen before that.
        if hit.record.is_over() && hit.last_seen <= moment {
            continue;
        }
        hit.last_seen = seen.get(&hit.record.uid()).copied().unwrap_or(hit.last_seen.min(moment));
    }
    Ok(())
}

pub(crate) const MOMENT_FORMS: &str = "a date YYYY-MM-DD or a moment such as 2026-01-31T12:00:00Z";

/// The record of the moment; before it was first seen there is none.
pub(crate) fn then<T>(at: At<T>, noun: &str) -> Result<T> {
    match at {
        At::Then(view) => Ok(view),
        At::BeforeFirstSeen(first_seen) => {
            let message = format!("{noun} not found at that time: it was first seen at {first_seen}");
            Err(ApiError::with(ErrorCode::NotFound, message))
        }
    }
}

/// A moment in the query, if it is there: a bare date is the end of that day, UTC (docs/architecture.md §1.3).
pub(crate) fn moment(written: Written<'_>) -> Result<Option<Timestamp>> {
    written.value().map(|text| read_end(text).ok_or_else(|| no_moment(written))).transpose()
}

fn no_moment(written: Written<'_>) -> ApiError {
    ApiError::invalid(format!("{} must be {MOMENT_FORMS}", written.name))
}

/// A moment in any form that searches take.
fn read(text: &str) -> Option<Timestamp> {
    ambit_query::moment(text).map(Timestamp)
}

/// The same; a bare date is the last millisecond of its day, UTC.
fn read_end(text: &str) -> Option<Timestamp> {
    Timestamp::parse_end(text).or_else(|| read(text))
}

/// The end of a key or privilege lies ahead.
pub(crate) fn end(text: &str, now: Timestamp) -> Result<Timestamp> {
    let moment = Timestamp::parse(text).filter(|moment| *moment > now);
    moment.ok_or_else(|| ApiError::invalid("expires_at must be a date YYYY-MM-DD or a moment, in the future"))
}

/// A moment in the query, if it is there: a bare date is its midnight, UTC.
pub(crate) fn start(written: Written<'_>) -> Result<Option<Timestamp>> {
    written.value().map(|text| read(text).ok_or_else(|| no_moment(written))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form_that_searches_take() {
        let moment = Timestamp::parse("2026-11-26T15:25:00Z");
        for text in [
            "2026-11-26T15:25Z",
            "2026-11-26T15:25:00",
            "2026-11-26T15:25:00+00:00",
            "2026-11-26T15:25:00 00:00",
            "2026-11-26 15:25:00 UTC",
            "2026-11-26T16:25:00.000000 01:00",
        ] {
            assert_eq!((read(text), read_end(text)), (moment, moment), "{text}");
        }
        assert_eq!(read_end("2026-11-26"), Timestamp::parse("2026-11-26T23:59:59.999Z"));
        assert_eq!((read("last_refresh"), read("now")), (None, None));
    }

    #[test]
    fn two_moments_are_a_window() {
        let end = |day: &str| Timestamp::parse_end(day).expect("a date");
        assert_eq!(between_of("2026-01-01, 2026-01-31"), Ok(Window::Between(end("2026-01-01"), end("2026-01-31"))));
        for wrong in ["2026-01-01", "2026-01-31,2026-01-01", "2026-01-01,2026-01-01", "a,b", ","] {
            assert!(between_of(wrong).is_err(), "{wrong}");
        }
    }
}
