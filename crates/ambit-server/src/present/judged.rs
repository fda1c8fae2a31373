//! What Ambit's own judges say of an object, as one engine: `undetected`, with the critical and high issues that are
//! open as its result. They look for what somebody could abuse, not for malice: `suspicious` would have playbooks block
//! the own site, and `harmless` would promise what nobody looked for.

use ambit_api::Maybe;
use ambit_api::files::{EngineResults, Stats};
use ambit_api::inventory_objects::{EngineResult, InventoryObjectAttributes};
use ambit_api::objects::value;
use ambit_model::Timestamp;
use ambit_model::entity::IssueCounts;
use ambit_model::issue::{SEVERITY_CRITICAL, SEVERITY_HIGH};
use ambit_store::KnownObject;

/// The engine's name.
const ENGINE: &str = "Ambit";
/// The method of the judges.
const METHOD: &str = "rules";

/// Adds the verdicts of the judges to the attributes of an object. What one collection knows about it applies to the
/// object.
pub(crate) fn fill(attributes: &mut InventoryObjectAttributes, found: &[KnownObject]) {
    // What is only named somewhere was not looked at.
    let looked = || found.iter().filter(|one| !one.record.task_results.is_empty());
    let Some(at) = looked().map(|one| one.last_seen).max() else { return };
    let counts: Vec<&IssueCounts> = looked().map(|one| &one.record.summary.issues).collect();
    let results = EngineResults::from_iter([(ENGINE.to_owned(), value(&said(&counts, at)))]);
    attributes.last_analysis_stats = Stats::of_object(&results);
    attributes.last_analysis_results = results;
    attributes.last_analysis_date = Maybe(Some(at.into()));
}

fn said(counts: &[&IssueCounts], at: Timestamp) -> EngineResult {
    // Several collections know the same issues of a thing: the one that knows most says it.
    let open = |severity: i64| {
        let of = |counts: &&IssueCounts| counts.current_by_severity.get(&severity.to_string()).copied();
        counts.iter().filter_map(of).max().unwrap_or_default()
    };
    let grave: Vec<String> = [(SEVERITY_CRITICAL, "critical"), (SEVERITY_HIGH, "high")]
        .into_iter()
        .filter(|(severity, _)| open(*severity) > 0)
        .map(|(severity, word)| format!("{} {word}", open(severity)))
        .collect();
    EngineResult {
        category: "undetected",
        engine_name: ENGINE,
        engine_version: env!("CARGO_PKG_VERSION"),
        engine_update: at.to_string()[..10].replace('-', ""),
        method: METHOD,
        result: (!grave.is_empty()).then(|| format!("open issues: {}", grave.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(open: &[(&str, i64)]) -> IssueCounts {
        let current_by_severity = open.iter().map(|(severity, count)| ((*severity).to_owned(), *count)).collect();
        IssueCounts { current_by_severity, ..IssueCounts::default() }
    }

    #[test]
    fn grave_issues_are_the_result_and_others_say_nothing() {
        let at = Timestamp(1_768_003_200_000);
        let (quiet, grave) = (counts(&[("3", 4)]), counts(&[("1", 1), ("2", 2), ("5", 9)]));
        let said = |counts: &[&IssueCounts]| {
            let said = super::said(counts, at);
            (said.category, said.result, said.engine_update)
        };
        assert_eq!(said(&[&quiet]), ("undetected", None, "20260110".to_owned()));
        let open = Some("open issues: 1 critical, 2 high".to_owned());
        assert_eq!(said(&[&quiet, &grave, &grave]), ("undetected", open, "20260110".to_owned()));
    }
}
