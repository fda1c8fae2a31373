//! Which time a search is about: `as_of` and `between`, and what hits then repeat of their records.

use crate::call::Call;
use crate::failure::of_store;
use crate::routes::time_series::{end_of, moment};
use ambit_api::ApiError;
use ambit_model::feed::Noun as Recorded;
use ambit_query::{Noun, Search};
use ambit_search::{CHANGE, IndexedRecord, Window};

const FORMS: &str = "between must be two dates or moments with a comma between them, the earlier one first, such as 2026-01-01,2026-01-31";

/// The window of a search, as it was asked for: it may end in the future.
pub(crate) fn window(call: &Call, search: &Search) -> Result<Window, ApiError> {
    let between = call.query("between").map(str::trim).filter(|text| !text.is_empty());
    let as_of = moment(call, "as_of")?;
    let asked = search.clauses.iter().any(|clause| clause.keyword.name == CHANGE);
    match (between, as_of) {
        (Some(_), Some(_)) => Err(ApiError::invalid("as_of and between exclude each other")),
        (Some(text), None) => between_of(text),
        (None, _) if asked => Err(ApiError::invalid("change: needs between=D1,D2 beside the search")),
        (None, Some(moment)) => Ok(Window::AsOf(moment)),
        (None, None) => Ok(Window::Now),
    }
}

fn between_of(text: &str) -> Result<Window, ApiError> {
    let parsed = text
        .split_once(',')
        .and_then(|(from, until)| Some((end_of(from.trim())?, end_of(until.trim())?)));
    match parsed {
        Some((from, until)) if from < until => Ok(Window::Between(from, until)),
        _ => Err(ApiError::invalid(FORMS)),
    }
}

/// Sets the `last_seen` of hits of the past to what it was then: the index has that of the end of each version.
pub(crate) async fn set_last_seen(call: &Call, noun: Noun, window: Window, hits: &mut [IndexedRecord]) -> Result<(), ApiError> {
    let Some(moment) = window.moment() else { return Ok(()) };
    let uids: Vec<_> = hits.iter().map(|hit| hit.record.uid()).collect();
    let noun = match noun {
        Noun::Entities => Recorded::Entity,
        Noun::Issues => Recorded::Issue,
        Noun::Technologies => Recorded::Technology,
    };
    let seen = call.state.store.last_seen_by(noun, &uids, moment).await;
    let seen = seen.map_err(|error| of_store(error, "Project"))?;
    for hit in hits {
        let run = seen.get(&hit.record.uid()).copied().unwrap_or(hit.valid_from);
        hit.last_seen = run.max(hit.valid_from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_moments_are_a_window() {
        let end = |day: &str| end_of(day).expect("a date");
        assert_eq!(
            between_of("2026-01-01, 2026-01-31"),
            Ok(Window::Between(end("2026-01-01"), end("2026-01-31")))
        );
        for wrong in ["2026-01-01", "2026-01-31,2026-01-01", "2026-01-01,2026-01-01", "a,b", ","] {
            assert!(between_of(wrong).is_err(), "{wrong}");
        }
    }
}
