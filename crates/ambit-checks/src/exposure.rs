//! What the judges of exposed files share: the paths that a task fetched and recognised by their content, never by their status alone.

use crate::look;
use ambit_model::entity::uri;
use ambit_model::issue::Verdict;
use ambit_model::{Facts, TaskName};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Judges the exposures that the task recognised as one of `what`: one issue for each path, which `sentence` gets.
pub(crate) fn judge(facts: &Facts, what: &[&str], sentence: impl Fn(&str) -> String) -> Verdict {
    judge_groups(facts, what, |path| path, sentence)
}

/// Like `judge`, with one issue for each discriminator that `group` makes of a path; the sentence gets the lowest path.
pub(crate) fn judge_groups(facts: &Facts, what: &[&str], group: impl Fn(&str) -> &str, sentence: impl Fn(&str) -> String) -> Verdict {
    look::after(facts, TaskName::ContentFocus, |facts| {
        let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let paths: Vec<String> = paths(facts, what).collect();
        for path in &paths {
            groups.entry(group(path)).or_default().insert(path);
        }
        let lowest = |paths: &BTreeSet<&str>| paths.first().map_or_else(String::new, |path| sentence(path));
        groups
            .iter()
            .map(|(discriminator, paths)| look::proof_of(discriminator, lowest(paths), json!({"site": facts.name, "paths": paths})))
            .collect()
    })
}

/// Paths that the task recognised as one of `what`.
pub(crate) fn paths(facts: &Facts, what: &[&str]) -> impl Iterator<Item = String> {
    uri::EXPOSURES
        .items(&facts.details)
        .filter(move |item| what.contains(&item.what.as_str()))
        .map(|item| item.path)
}

/// Facts for the judges' samples.
#[cfg(test)]
pub(crate) mod sample {
    use crate::samples::Samples;
    use crate::samples::{Told, facts};
    use ambit_model::{Facts, Kind, TaskName};
    use serde_json::json;

    /// A site that was probed, with what was recognised: (what, path).
    pub(crate) fn probed(exposures: &[(&str, &str)]) -> Facts {
        let items: Vec<_> = exposures
            .iter()
            .map(|(what, path)| json!({"what": what, "path": path, "proof": ""}))
            .collect();
        unprobed().found(TaskName::ContentFocus).with(json!({"hidden_exposures": items}))
    }

    /// The samples of a judge that reports one issue for each path of a kind.
    pub(crate) fn samples(what: &str, path: &'static str, other: &str) -> Samples {
        Samples::new()
            .reports_each(probed(&[(what, path), (other, "/other")]), &[path])
            .near_miss(probed(&[(other, path)]))
            .near_miss(unprobed().absent(TaskName::ContentFocus))
            .unknown(unprobed())
            .unknown(
                unprobed()
                    .failed(TaskName::ContentFocus)
                    .with(json!({"hidden_exposures": [{"what": what, "path": path}]})),
            )
    }

    /// A site that nobody has probed yet.
    pub(crate) fn unprobed() -> Facts {
        facts(Kind::Uri, "https://www.acme.test")
    }
}
