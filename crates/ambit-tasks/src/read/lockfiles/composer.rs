//! Lock files of Composer.

use super::package::package;
use ambit_model::entity::repository::Package;
use serde_json::Value;

pub(super) fn composer(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let groups = ["packages", "packages-dev"].into_iter().filter_map(|group| body[group].as_array()).flatten();
    let of_registry = groups.filter(|about| about["dist"]["type"] != "path");
    let exact = of_registry.filter_map(|about| Some((about["name"].as_str()?, about["version"].as_str()?)));
    Some(exact.map(|(name, version)| package("Packagist", name, version)).collect())
}
