//! Files by which programs say exactly which packages they are made of: lock files of npm, Bun, PyPI, Cargo, Go, Maven,
//! RubyGems, Composer and NuGet, and projects of Maven and NuGet.
//! What only names ranges of versions says nothing exact and is not read.

mod blocks;
mod cargo;
mod composer;
mod go;
mod maven;
mod npm;
mod nuget;
mod package;
mod pypi;
mod rubygems;
#[cfg(test)]
mod tests;
mod xml;

pub(super) use pypi::is_requirements;

use ambit_model::entity::repository::Package;
use package::is_exact;
use std::collections::BTreeSet;

/// Packages of one file that are kept, the first by name: the largest lock files have some thousands.
pub(crate) const PACKAGES_MAX: usize = 5_000;

/// Reads a file of one format.
type Reader = fn(&str) -> Option<Vec<Package>>;

/// Returns true for a file that names packages, by its own name.
pub(crate) fn is_one(path: &str) -> bool {
    reader(path).is_some()
}

fn reader(path: &str) -> Option<Reader> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let reader: Reader = match name {
        "package-lock.json" | "npm-shrinkwrap.json" => npm::npm,
        "yarn.lock" => |text| Some(npm::yarn(text)),
        "pnpm-lock.yaml" => |text| Some(npm::pnpm(text)),
        "bun.lock" => |text| Some(npm::bun(text)),
        "poetry.lock" | "uv.lock" | "pdm.lock" => |text| Some(pypi::locked(text)),
        "pylock.toml" => |text| Some(pypi::locked(text)),
        _ if name.starts_with("pylock.") && name.ends_with(".toml") => |text| Some(pypi::locked(text)),
        "Pipfile.lock" => pypi::pipfile,
        _ if is_requirements(path) => |text| Some(pypi::requirements(text)),
        "Cargo.lock" => |text| Some(cargo::cargo(text)),
        "go.mod" => |text| Some(go::go(text)),
        "pom.xml" => |text| Some(maven::maven(text)),
        "gradle.lockfile" | "buildscript-gradle.lockfile" => |text| Some(maven::gradle(text)),
        _ if maven::is_earlier_gradle(path) => |text| Some(maven::gradle(text)),
        "Gemfile.lock" | "gems.locked" => |text| Some(rubygems::gems(text)),
        "composer.lock" => composer::composer,
        "packages.lock.json" => nuget::nuget,
        "packages.config" => |text| Some(nuget::nuget_list(text)),
        _ if nuget::is_nuget_project(name) => |text| Some(nuget::nuget_project(text)),
        _ => return None,
    };
    Some(reader)
}

/// Returns the lock file that, where it is there, says more than this one.
pub(crate) fn lock_beside(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
    nuget::is_nuget_project(name).then(|| format!("{folder}packages.lock.json"))
}

/// Returns the packages of a file by its name, sorted; one more than are kept where there are more. `None` for one that
/// is no such file, or cannot be read as one.
pub(crate) fn packages(path: &str, text: &str) -> Option<Vec<Package>> {
    // Some are kept with the ends of lines of Windows.
    let found = reader(path)?(&text.replace("\r\n", "\n"))?;
    let placed = found.into_iter().filter(is_exact).map(|package| Package { path: path.to_owned(), ..package });
    let all: BTreeSet<Package> = placed.collect();
    Some(all.into_iter().take(PACKAGES_MAX + 1).collect())
}
