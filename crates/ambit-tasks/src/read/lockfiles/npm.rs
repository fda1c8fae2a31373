//! Lock files of npm, Yarn, pnpm and Bun.

use super::package::{package, pattern};
use ambit_model::entity::repository::Package;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Packages within packages of the first format of npm.
const DEPTH_MAX: usize = 32;

pub(super) fn npm(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let mut found = Vec::new();
    if let Some(packages) = body["packages"].as_object() {
        for (path, about) in packages.iter().filter(|(path, _)| !path.is_empty()) {
            let by_path = path.rsplit("node_modules/").next().unwrap_or(path);
            let name = about["name"].as_str().unwrap_or(by_path);
            let resolved = about["resolved"].as_str().unwrap_or_default();
            if about["link"] != true && path.contains("node_modules/") && !is_elsewhere(resolved) {
                found.push(package("npm", name, about["version"].as_str().unwrap_or_default()));
            }
        }
    } else {
        within(&body["dependencies"], DEPTH_MAX, &mut found);
    }
    Some(found)
}

/// Where npm and Yarn find a package that no registry has: a repository, a folder, a workspace.
const ELSEWHERE: &[&str] = &[
    "bitbucket:",
    "exec:",
    "file:",
    "git+",
    "git:",
    "git@",
    "github:",
    "gitlab:",
    "https://codeload.github.com/",
    "https://github.com/",
    "link:",
    "portal:",
    "ssh:",
    "workspace:",
];

/// Returns whether a package is found at a place that is no registry: what has its name there may be another package.
fn is_elsewhere(place: &str) -> bool {
    ELSEWHERE.iter().any(|front| place.starts_with(front))
}

/// Packages within packages, as the first format of npm has them.
fn within(dependencies: &Value, depth: usize, found: &mut Vec<Package>) {
    for (name, about) in dependencies.as_object().into_iter().flatten() {
        let version = about["version"].as_str().unwrap_or_default();
        // A name that stands for another package: `"alias": {"version": "npm:lodash@4.17.20"}`.
        let (name, version) =
            version.strip_prefix("npm:").and_then(|real| real.rsplit_once('@')).unwrap_or((name, version));
        found.push(package("npm", name, version));
        if depth > 0 {
            within(&about["dependencies"], depth - 1, found);
        }
    }
}

/// `lodash@^4.17.0:`, `"@babel/core@npm:^7.0.0":`, and on a line below `version "4.17.21"` or `version: 7.1.0`. A name
/// that stands for another package has that one behind `npm:`: `alias@npm:lodash@^4.17.0:`. Behind the name of a
/// package of no registry stands where it is: `app@workspace:app`, `app@file:../app`, `app@acme/app`.
pub(super) fn yarn(text: &str) -> Vec<Package> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^"?(@?[^@"\s]+)@(?:npm:(@?[^@"\s,:]+)@)?[^:]"#));
    static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?:^|, )"?@?[^@",\s]+@([^",]+)"#));
    static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^ {2}version:?\s+"?([^"\s]+)"?"#));
    static RESOLVED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^ {2}resolved\s+"([^"]+)""#));
    let is_range = |range: &str| {
        let range = range.trim_end_matches(':');
        range.starts_with("npm:") || range.starts_with("patch:") || !range.contains([':', '/'])
    };
    let (mut found, mut name) = (Vec::<Package>::new(), None);
    for line in text.lines() {
        if let Some(head) = HEAD.captures(line) {
            let of_registry = RANGE.captures_iter(line).all(|range| is_range(&range[1]));
            name = head.get(2).or(head.get(1)).filter(|_| of_registry).map(|name| name.as_str().to_owned());
            continue;
        }
        if let Some(version) = VERSION.captures(line).filter(|version| !version[1].ends_with("-use.local"))
            && let Some(name) = &name
        {
            found.push(package("npm", name, &version[1]));
        } else if RESOLVED.captures(line).is_some_and(|resolved| is_elsewhere(&resolved[1]))
            && found.last().map(|last| &last.name) == name.as_ref()
        {
            found.pop();
        } else if line.trim().is_empty() {
            name = None;
        }
    }
    found
}

/// Below `packages:` `/lodash@4.17.21:`, `lodash@4.17.21:` or `'@babel/core@7.1.0(x)':`; `/lodash/4.17.21:` or
/// `/lodash/4.17.21_react@17.0.2:` in earlier formats, which say behind `_` beside what it is installed.
pub(super) fn pnpm(text: &str) -> Vec<Package> {
    const NAME: &str = r"(@[^@\s'/]+/[^@\s'/]+|[^@\s'/]+)";
    static EARLIER: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"^  '?/{NAME}/(\d[^\s:'(_/]*)[^:]*:")));
    static HEAD: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"^  '?/?{NAME}@(\d[^\s:'(_]*)[^:]*:")));
    let (mut found, mut is_list) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with(|first: char| first.is_ascii_alphabetic()) {
            is_list = matches!(line.trim_end(), "packages:" | "snapshots:");
        } else if is_list && let Some(head) = EARLIER.captures(line).or_else(|| HEAD.captures(line)) {
            found.push(package("npm", &head[1], &head[2]));
        }
    }
    found
}

/// `"lodash": ["lodash@4.17.20", "", {}, "sha512-…"]` below `packages`.
pub(super) fn bun(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#""[^"\n]+"\s*:\s*\[\s*"((?:@[^@"/\s]+/)?[^@"/\s]+)@(\d[^"\s]*)""#));
    let list = text.split_once("\"packages\"").map_or("", |(_, list)| list);
    ITEM.captures_iter(list).map(|item| package("npm", &item[1], &item[2])).collect()
}
