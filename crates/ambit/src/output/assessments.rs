//! What was made of an entity by weighing what is known of it, in lines for people: how likely it passes for one of
//! theirs.

use super::plain;
use ambit_model::Details;
use ambit_model::entity::domain;

/// The lines of each assessment that the raw details hold; none where nothing was weighed.
pub(crate) fn lines(details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(made) = domain::IMPERSONATION.of(details) {
        lines.push(format!("  passes for  {}: {} of 100, {}", plain(&made.of), made.score, made.standing.words()));
        lines.extend(made.reasons.iter().map(|reason| weighed(reason.points, &reason.text)));
    }
    lines
}

fn weighed(points: i32, text: &str) -> String {
    format!("    {points:+} {}", plain(text))
}
