//! What was made of an entity by weighing what is known of it, in lines for people: how likely it passes for one of
//! theirs, how well it is protected, whose services it uses.

use super::plain;
use ambit_model::Details;
use ambit_model::entity::domain;
use std::collections::{BTreeMap, BTreeSet};

/// Reasons that one line names.
pub(crate) const WORST: usize = 3;

/// The lines of each assessment that the raw details hold; none where nothing was weighed.
pub(crate) fn lines(details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(made) = domain::IMPERSONATION.of(details) {
        lines.push(format!("  passes for  {}: {} of 100, {}", plain(&made.of), made.score, made.standing.words()));
        lines.extend(made.reasons.iter().map(|reason| weighed(reason.points, &reason.text)));
    }
    if let Some(made) = domain::POSTURE.of(details) {
        lines.push(format!("  posture     {} of 100, {}", made.score, made.grade.letter()));
        lines.extend(made.findings.iter().map(|finding| weighed(finding.points, &finding.text)));
        lines.extend(made.unknown.iter().map(|area| format!("    not known: {}", area.words())));
    }
    let mut suppliers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for supplier in domain::SUPPLIERS.items(details) {
        let sign = format!("{} {}", supplier.by, plain(&supplier.value));
        suppliers.entry(plain(&supplier.name)).or_default().insert(sign);
    }
    for (name, signs) in suppliers {
        lines.push(format!("  uses        {name}: {}", signs.into_iter().collect::<Vec<_>>().join(", ")));
    }
    lines
}

fn weighed(points: i32, text: &str) -> String {
    format!("    {points:+} {}", plain(text))
}
