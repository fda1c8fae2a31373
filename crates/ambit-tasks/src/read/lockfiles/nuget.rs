//! Lock files, lists and projects of NuGet.

use super::package::{package, pattern};
use super::xml::without_comments;
use ambit_model::entity::repository::Package;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Files that say versions for all projects below them, and ends of the names of projects of .NET.
const NUGET_PROPERTIES: &[&str] = &["Directory.Build.props", "Directory.Packages.props"];
const NUGET_PROJECTS: &[&str] = &[".csproj", ".fsproj", ".vbproj"];

pub(super) fn is_nuget_project(name: &str) -> bool {
    NUGET_PROPERTIES.contains(&name) || NUGET_PROJECTS.iter().any(|end| name.ends_with(end))
}

pub(super) fn nuget(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let frameworks = body["dependencies"].as_object()?.values().filter_map(Value::as_object).flatten();
    let exact = frameworks.filter_map(|(name, about)| Some((name, about["resolved"].as_str()?)));
    Some(exact.map(|(name, version)| package("NuGet", name, version)).collect())
}

/// Returns the value of an attribute.
fn attribute(item: &str, wanted: &[&str]) -> Option<String> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\b(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')"#));
    let mut all = ATTRIBUTE.captures_iter(item).filter(|one| wanted.contains(&&one[1]));
    let value = all.next()?;
    value.get(2).or(value.get(3)).map(|value| value.as_str().trim().to_owned())
}

/// `<package id="Newtonsoft.Json" version="12.0.1" />`.
pub(super) fn nuget_list(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"<package\s([^>]*)>"));
    let text = without_comments(text);
    let read = |item: regex::Captures<'_>| {
        Some(package("NuGet", &attribute(&item[1], &["id"])?, &attribute(&item[1], &["version"])?))
    };
    ITEM.captures_iter(&text).filter_map(read).collect()
}

/// `<PackageReference Include="Newtonsoft.Json" Version="12.0.1" />`, with the version in a member of it, or as a
/// `PackageVersion` for all projects. Of the versions that satisfy it NuGet takes the lowest, which is this one.
pub(super) fn nuget_project(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        let names = ["PackageReference", "PackageVersion", "GlobalPackageReference"];
        let of = |name: &str| format!(r"<{name}\s([^>]*?)(?:/>|>(.*?)</{name}>)");
        pattern(&format!("(?s){}", names.map(of).join("|")))
    });
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<Version>\s*([^<]*?)\s*</Version>"));
    let text = without_comments(text);
    let read = |item: regex::Captures<'_>| {
        let (head, body) = [1, 3, 5].into_iter().find_map(|at| Some((item.get(at)?, item.get(at + 1))))?;
        let of_body = || Some(MEMBER.captures(body?.as_str())?[1].to_owned());
        let version = attribute(head.as_str(), &["VersionOverride", "Version"]).or_else(of_body)?;
        let exact = version.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&version);
        let is_one = exact.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        let name = attribute(head.as_str(), &["Include", "Update"])?;
        is_one.then(|| package("NuGet", &name, exact))
    };
    ITEM.captures_iter(&text).filter_map(read).collect()
}
