//! A package as files of all formats name it, and what reading them has in common.

use ambit_model::entity::repository::Package;
use regex::Regex;
use std::sync::LazyLock;

/// A pattern that is ours.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("our own patterns are tested")
}

/// A package whose name and version can stand in a record.
pub(super) fn is_exact(package: &Package) -> bool {
    let plain = |text: &str| {
        !text.is_empty() && text.len() <= 200 && !text.chars().any(|c| c.is_control() || c.is_whitespace())
    };
    plain(&package.name)
        && plain(&package.version)
        && package.version.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
}

/// A package of a registry, which no file names yet.
pub(super) fn package(ecosystem: &str, name: &str, version: &str) -> Package {
    let name = match ecosystem {
        "PyPI" => python_name(name),
        "Packagist" => name.to_lowercase(),
        _ => name.to_owned(),
    };
    let version = version.trim_start_matches("v").to_owned();
    Package { ecosystem: ecosystem.to_owned(), name, version, path: String::new() }
}

/// Names of Python packages are equal whatever separates their words.
fn python_name(name: &str) -> String {
    static BETWEEN: LazyLock<Regex> = LazyLock::new(|| pattern("[-_.]+"));
    BETWEEN.replace_all(name, "-").to_lowercase()
}
