//! Exposures: files and pages that nobody meant to publish. Each is one file in `exposure/`, named like its issue, with
//! the issue's texts, where the thing lies, and what proves it. The task that asks is given the probes; the judge
//! follows from the same file.

use crate::judge::{Judge, Rule};
use crate::look;
use ambit_model::entity::uri;
use ambit_model::exposure::Probe;
use ambit_model::issue::{IssueKind, Proof};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// One sort of thing that may lie open, and the issue that reports it.
#[derive(Debug)]
pub struct Exposure {
    /// What is reported, with its texts.
    pub issue: IssueKind,
    /// What a site does with a path, as it stands between the two in the proof: `serves a backup at`.
    pub sentence: &'static str,
    /// The discriminator of a path: paths with the same one are one issue.
    pub group: fn(&str) -> &str,
    /// The paths that are requested, and what proves the exposure.
    pub probes: &'static [Probe],
}

macro_rules! all {
    ($($exposure:ident),* $(,)?) => {
        /// Every exposure, in alphabetical order.
        pub const ALL: &[&Exposure] = &[$(&$exposure::EXPOSURE),*];

        /// The judge of each exposure.
        pub(crate) const JUDGES: &[Judge] = &[$(Judge {
            issue: $exposure::EXPOSURE.issue,
            applies_to: &[Kind::Uri],
            reads: &[TaskName::ContentFocus],
            judge: Rule::Proofs(|facts| prove(&$exposure::EXPOSURE, facts)),
        }),*];
    };
}

mod exposed_actuator;
mod exposed_admin_panel;
mod exposed_api_document;
mod exposed_backup;
mod exposed_configuration_file;
mod exposed_debug_page;
mod exposed_environment_file;
mod exposed_folder_metadata;
mod exposed_graphql_introspection;
mod exposed_infrastructure_state;
mod exposed_installer;
mod exposed_log_file;
mod exposed_metrics;
mod exposed_php_info;
mod exposed_private_key;
mod exposed_script_console;
mod exposed_search_index;
mod exposed_server_status;
mod exposed_shell_history;
mod exposed_tool_credentials;
mod exposed_upload_credentials;
mod exposed_user_listing;
mod exposed_version_control;

all![
    exposed_actuator,
    exposed_admin_panel,
    exposed_api_document,
    exposed_backup,
    exposed_configuration_file,
    exposed_debug_page,
    exposed_environment_file,
    exposed_folder_metadata,
    exposed_graphql_introspection,
    exposed_infrastructure_state,
    exposed_installer,
    exposed_log_file,
    exposed_metrics,
    exposed_php_info,
    exposed_private_key,
    exposed_script_console,
    exposed_search_index,
    exposed_server_status,
    exposed_shell_history,
    exposed_tool_credentials,
    exposed_upload_credentials,
    exposed_user_listing,
    exposed_version_control,
];

/// Returns every probe, for the task that asks.
pub fn probes() -> Vec<&'static Probe> {
    ALL.iter().flat_map(|exposure| exposure.probes).collect()
}

/// Returns what the task proved of an exposure: one issue for each group of paths, whose proof names the lowest path.
fn prove(exposure: &Exposure, facts: &Facts) -> Vec<Proof> {
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let whats = exposure.probes.iter().map(|probe| probe.what);
    let paths: Vec<String> = whats.flat_map(|what| paths(facts, what)).collect();
    for path in &paths {
        groups.entry((exposure.group)(path)).or_default().insert(path);
    }
    let sentence = |path: &str| format!("{} {} {}.", facts.name, exposure.sentence, look::shown(path));
    let lowest = |paths: &BTreeSet<&str>| paths.first().map_or_else(String::new, |path| sentence(path));
    let proof = |(discriminator, paths): (&&str, &BTreeSet<&str>)| {
        look::proof_of(discriminator, lowest(paths), json!({"site": facts.name, "paths": paths}))
    };
    groups.iter().map(proof).collect()
}

/// The discriminator of most exposures: each path is an issue of its own.
fn each_path(path: &str) -> &str {
    path
}

/// Returns the paths at which the task proved a thing of this name.
pub(crate) fn paths(facts: &Facts, what: &str) -> impl Iterator<Item = String> {
    uri::EXPOSURES.items(&facts.details).filter(move |item| item.what == what).map(|item| item.path)
}

/// Facts for samples.
#[cfg(test)]
pub(crate) mod sample {
    use super::Exposure;
    use crate::samples::{Samples, Told, facts};
    use ambit_model::exposure::Place;
    use ambit_model::{Facts, Kind, TaskName};
    use serde_json::json;

    /// A site that was probed, with what was proven: (what, path).
    pub(crate) fn probed(exposures: &[(&str, &str)]) -> Facts {
        let items: Vec<_> =
            exposures.iter().map(|(what, path)| json!({"what": what, "path": path, "proof": ""})).collect();
        unprobed().found(TaskName::ContentFocus).with(json!({"hidden_exposures": items}))
    }

    /// The samples of the judge of an exposure: each of its probes is reported, the same path of something else is not.
    pub(crate) fn samples(exposure: &'static Exposure) -> Samples {
        let mut samples = Samples::new().near_miss(unprobed().absent(TaskName::ContentFocus)).unknown(unprobed());
        for probe in exposure.probes {
            let path = match probe.place {
                Place::Paths(paths) | Place::Interface(paths) => paths[0],
                Place::MissingPage => "/0a1b",
            };
            let found = || probed(&[("another", "/other"), (probe.what, path)]);
            samples = samples
                .reports_each(found(), &[(exposure.group)(path)])
                .near_miss(probed(&[("another", path)]))
                .unknown(found().failed(TaskName::ContentFocus));
        }
        samples
    }

    /// A site that nobody has probed yet.
    pub(crate) fn unprobed() -> Facts {
        facts(Kind::Uri, "https://www.acme.test")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::exposure::Place;

    #[test]
    fn every_probe_proves_its_answers_and_not_their_twins() {
        for exposure in ALL {
            let name = exposure.issue.name;
            assert!(!exposure.probes.is_empty(), "{name} looks for nothing");
            for probe in exposure.probes {
                let what = probe.what;
                assert!(!probe.matches.is_empty(), "{name}: {what} has no answer that must match");
                assert!(!probe.twins.is_empty(), "{name}: {what} has no twin that must not match");
                for response in probe.matches {
                    assert!((probe.proof)(response).is_some(), "{name}: {what} misses {:?}", response.text());
                }
                for response in probe.twins {
                    assert_eq!((probe.proof)(response), None, "{name}: {what} on {:?}", response.text());
                }
            }
        }
    }

    #[test]
    fn no_probe_asks_or_says_what_another_does() {
        let probes = probes();
        let whats: BTreeSet<&str> = probes.iter().map(|probe| probe.what).collect();
        assert_eq!(whats.len(), probes.len(), "two probes have one name");
        assert!(!whats.contains(ambit_model::exposure::DIRECTORY_LISTING));
        let paths: Vec<&str> = probes
            .iter()
            .flat_map(|probe| match probe.place {
                Place::Paths(paths) | Place::Interface(paths) => paths,
                Place::MissingPage => &[],
            })
            .copied()
            .collect();
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len(), "a path is asked twice");
        assert!(paths.iter().all(|path| path.starts_with('/')));
    }

    #[test]
    fn every_exposure_can_be_planted_in_a_world() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/exposures");
        for exposure in ALL {
            let file = format!("{folder}/{}.txt", exposure.issue.name);
            assert!(std::path::Path::new(&file).exists(), "worlds/exposures has no {}.txt", exposure.issue.name);
        }
    }
}
