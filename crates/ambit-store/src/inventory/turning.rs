//! When a record last came or went, as the change feed tells it.

/// When a record last came or went, by the rows of the feed `f` that a condition takes; else a version's opening.
pub(super) fn turned_at(condition: &str, opened_at: &str) -> String {
    format!(
        "COALESCE((SELECT MAX(f.at) FROM feed f WHERE f.uid = t.uid AND f.what IN ('appeared', 'disappeared')
         {condition}), {opened_at})"
    )
}
