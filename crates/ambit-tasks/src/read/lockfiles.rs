//! Files by which programs say exactly which packages they are made of: lock files of npm, Bun, PyPI, Cargo, Go, Maven,
//! RubyGems, Composer and NuGet, and projects of Maven and NuGet.
//! What only names ranges of versions says nothing exact and is not read.

use ambit_model::entity::repository::Package;
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Packages of one file that are kept: the largest lock files have some thousands.
const PACKAGES_MAX: usize = 5_000;
/// Packages within packages of the first format of npm.
const DEPTH_MAX: usize = 32;

/// A pattern that is ours.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("our own patterns are tested")
}

/// Reads a file of one format.
type Reader = fn(&str) -> Option<Vec<Package>>;

/// Returns true for a file that names packages, by its own name.
pub(crate) fn is_one(path: &str) -> bool {
    reader(path).is_some()
}

fn reader(path: &str) -> Option<Reader> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let reader: Reader = match name {
        "package-lock.json" | "npm-shrinkwrap.json" => npm,
        "yarn.lock" => |text| Some(yarn(text)),
        "pnpm-lock.yaml" => |text| Some(pnpm(text)),
        "bun.lock" => |text| Some(bun(text)),
        "poetry.lock" | "uv.lock" | "pdm.lock" => |text| Some(blocks("PyPI", text)),
        "pylock.toml" => |text| Some(blocks("PyPI", text)),
        _ if name.starts_with("pylock.") && name.ends_with(".toml") => |text| Some(blocks("PyPI", text)),
        "Pipfile.lock" => pipfile,
        _ if is_requirements(path) => |text| Some(requirements(text)),
        "Cargo.lock" => |text| Some(blocks("crates.io", text)),
        "go.mod" => |text| Some(go(text)),
        "pom.xml" => |text| Some(maven(text)),
        "gradle.lockfile" | "buildscript-gradle.lockfile" => |text| Some(gradle(text)),
        _ if is_earlier_gradle(path) => |text| Some(gradle(text)),
        "Gemfile.lock" | "gems.locked" => |text| Some(gems(text)),
        "composer.lock" => composer,
        "packages.lock.json" => nuget,
        "packages.config" => |text| Some(nuget_list(text)),
        _ if is_nuget_project(name) => |text| Some(nuget_project(text)),
        _ => return None,
    };
    Some(reader)
}

/// Files that say versions for all projects below them, and ends of the names of projects of .NET.
const NUGET_PROPERTIES: &[&str] = &["Directory.Build.props", "Directory.Packages.props"];
const NUGET_PROJECTS: &[&str] = &[".csproj", ".fsproj", ".vbproj"];

fn is_nuget_project(name: &str) -> bool {
    NUGET_PROPERTIES.contains(&name) || NUGET_PROJECTS.iter().any(|end| name.ends_with(end))
}

/// Returns the lock file that, where it is there, says more than this one.
pub(crate) fn lock_beside(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
    is_nuget_project(name).then(|| format!("{folder}packages.lock.json"))
}

/// Folders whose files of text name Python's packages.
const REQUIREMENTS: &[&str] = &["req", "reqs", "requirements"];

/// True for a file in pip's form: of an own name, or in a folder for them.
pub(super) fn is_requirements(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or(path), parts.next().unwrap_or(""));
    let has_name = ["requirements", "constraints"].iter().any(|front| name.starts_with(front));
    let is_list = name.ends_with(".txt") || name.ends_with(".in");
    is_list && (has_name || REQUIREMENTS.contains(&folder))
}

/// Returns the packages of a file by its name; `None` for one that is no such file, or cannot be read as one.
pub(crate) fn packages(path: &str, text: &str) -> Option<Vec<Package>> {
    // Some are kept with the ends of lines of Windows.
    let found = reader(path)?(&text.replace("\r\n", "\n"))?;
    let placed = found.into_iter().filter(is_exact).map(|package| Package { path: path.to_owned(), ..package });
    let all: BTreeSet<Package> = placed.collect();
    Some(all.into_iter().take(PACKAGES_MAX).collect())
}

/// A package whose name and version can stand in a record.
fn is_exact(package: &Package) -> bool {
    let plain = |text: &str| {
        !text.is_empty() && text.len() <= 200 && !text.chars().any(|c| c.is_control() || c.is_whitespace())
    };
    plain(&package.name)
        && plain(&package.version)
        && package.version.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
}

fn package(ecosystem: &str, name: &str, version: &str) -> Package {
    let name = match ecosystem {
        "PyPI" => python_name(name),
        "Packagist" => name.to_lowercase(),
        _ => name.to_owned(),
    };
    let version = version.trim_start_matches("v").to_owned();
    Package { ecosystem: ecosystem.to_owned(), name, version, path: String::new() }
}

/// True for a lock file of an earlier Gradle, which has one for each configuration.
fn is_earlier_gradle(path: &str) -> bool {
    path.ends_with(".lockfile")
        && path.rsplit_once('/').is_some_and(|(folder, _)| format!("/{folder}").ends_with("/gradle/dependency-locks"))
}

/// Names of Python's packages are the same whatever stands between their words.
fn python_name(name: &str) -> String {
    static BETWEEN: LazyLock<Regex> = LazyLock::new(|| pattern("[-_.]+"));
    BETWEEN.replace_all(name, "-").to_lowercase()
}

fn npm(text: &str) -> Option<Vec<Package>> {
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
fn yarn(text: &str) -> Vec<Package> {
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
fn pnpm(text: &str) -> Vec<Package> {
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
fn bun(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#""[^"\n]+"\s*:\s*\[\s*"((?:@[^@"/\s]+/)?[^@"/\s]+)@(\d[^"\s]*)""#));
    let list = text.split_once("\"packages\"").map_or("", |(_, list)| list);
    ITEM.captures_iter(list).map(|item| package("npm", &item[1], &item[2])).collect()
}

/// `[[package]]`, in `pylock.toml` `[[packages]]`, with `name` and `version`. What comes from a repository or a folder
/// is no package of the registry. In `Cargo.lock` what has no source is part of the workspace, and other registries
/// have packages of their own.
fn blocks(ecosystem: &str, text: &str) -> Vec<Package> {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^(name|version) = "([^"]*)""#));
    // `source = { git = "…" }` of uv, `type = "git"` in the table `source` of Poetry, `git = "…"` of PDM.
    static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
        let uv = r"source = \{ *(?:editable|virtual|git|path|directory)\b";
        let poetry = r#"\[package\.source\]\s+type = "(?:git|directory|file)""#;
        let pylock = r"(?:\[packages\.)?(?:vcs|directory|archive)(?:\]| = )";
        pattern(&format!(r"(?m)^(?:{uv}|{poetry}|{pylock}|(?:git|path) = |editable = true)"))
    });
    let mut found = Vec::new();
    let text = text.replace("[[packages]]", "[[package]]");
    for block in text.split("[[package]]").skip(1) {
        let members = block.split("\n[").next().unwrap_or(block);
        let said = |wanted: &str| {
            let mut said = members.lines().filter_map(|line| MEMBER.captures(line));
            said.find(|member| &member[1] == wanted).map_or_else(String::new, |member| member[2].to_owned())
        };
        let is_of_registry = match ecosystem {
            "crates.io" => CRATES.iter().any(|index| members.contains(index)),
            _ => !ELSEWHERE.is_match(block),
        };
        if is_of_registry {
            found.push(package(ecosystem, &said("name"), &said("version")));
        }
    }
    found
}

/// How `Cargo.lock` names the public registry.
const CRATES: &[&str] = &[
    "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
    "source = \"sparse+https://index.crates.io/\"",
];

fn pipfile(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let groups = ["default", "develop"].into_iter().filter_map(|group| body[group].as_object()).flatten();
    let exact = groups.filter_map(|(name, about)| Some((name, about["version"].as_str()?.strip_prefix("==")?)));
    Some(exact.map(|(name, version)| package("PyPI", name, version)).collect())
}

/// `requests==2.31.0`, with extras, conditions and hashes behind.
fn requirements(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*===?\s*([^\s;,#\\*]+)\s*(?:[;#\\]|--|$)"));
    text.lines().filter_map(|line| LINE.captures(line)).map(|found| package("PyPI", &found[1], &found[2])).collect()
}

/// `require example.org/x v1.2.3` and such lines within brackets. What is replaced is the package that stands in its
/// place, `replace example.org/x v1.2.3 => example.org/y v1.2.4`, or a folder, which names no version.
fn go(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([a-z0-9][\w.~-]*\.[\w.-]+/[\w./~-]+)\s+(v\d[^\s/]*)"));
    let (mut open, mut found, mut replaced) = (String::new(), Vec::new(), Vec::new());
    for line in text.lines().map(|line| line.split("//").next().unwrap_or(line).trim()) {
        if let Some(block) = line.strip_suffix('(') {
            block.trim().clone_into(&mut open);
            continue;
        }
        if line == ")" {
            open.clear();
            continue;
        }
        let (directive, rest) = match open.as_str() {
            "" => line.split_once(char::is_whitespace).unwrap_or((line, "")),
            open => (open, line),
        };
        match directive {
            "require" => found.extend(LINE.captures(rest.trim()).map(|line| package("Go", &line[1], &line[2]))),
            "replace" => replaced.extend(rest.split_once("=>").map(|(old, new)| (old.trim(), new.trim()))),
            _ => {}
        }
    }
    let stands_in = |required: Package| {
        // A replacement of one version goes before that of all.
        let of = |wanted: Option<&str>| {
            replaced.iter().find(|(old, _)| {
                let mut words = old.split_whitespace();
                words.next() == Some(&required.name)
                    && words.next().map(|version| version.trim_start_matches('v')) == wanted
            })
        };
        match of(Some(&required.version)).or_else(|| of(None)) {
            None => Some(required),
            Some((_, new)) => LINE.captures(new).map(|new| package("Go", &new[1], &new[2])),
        }
    };
    found.into_iter().filter_map(stands_in).collect()
}

/// The parent and the dependencies with a version of their own. A part that stands in a property of the file, or that
/// is the one of the project or its parent (`${project.version}`), is filled in.
fn maven(text: &str) -> Vec<Package> {
    static BLOCK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?s)<dependency>(.*?)</dependency>|<parent>(.*?)</parent>"));
    let text = COMMENT.replace_all(text, "");
    let project = Project::of(&text);
    let read = |block: regex::Captures<'_>| {
        let block = block.get(1).or(block.get(2))?.as_str();
        let said = |wanted: &str| Some(project.filled(member(block, wanted)?)).filter(|value| !value.is_empty());
        Some(package("Maven", &format!("{}:{}", said("groupId")?, said("artifactId")?), &said("version")?))
    };
    BLOCK.captures_iter(&text).filter_map(read).collect()
}

/// A member of a block of Maven.
fn member<'t>(block: &'t str, wanted: &str) -> Option<&'t str> {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<(groupId|artifactId|version)>\s*([^<]*?)\s*</"));
    let mut members = MEMBER.captures_iter(block).filter(|member| &member[1] == wanted);
    members.next()?.get(2).map(|value| value.as_str())
}

/// What a file of Maven says of the project itself.
struct Project<'t> {
    text: &'t str,
    parent: &'t str,
    /// The file without what it says of others.
    own: String,
}

impl<'t> Project<'t> {
    fn of(text: &'t str) -> Self {
        static PARENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<parent>(.*?)</parent>"));
        static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
            let of = |name: &str| format!("<{name}>.*?</{name}>");
            // Those that have others within them stand first.
            let names =
                ["dependencyManagement", "build", "profiles", "reporting", "dependencies", "parent", "properties"];
            pattern(&format!("(?s){}", names.map(of).join("|")))
        });
        let parent = PARENT.captures(text).and_then(|found| found.get(1)).map_or("", |parent| parent.as_str());
        Self { text, parent, own: OTHERS.replace_all(text, "").into_owned() }
    }

    /// The value with the property that it stands for, which may stand for another one.
    fn filled(&self, value: &str) -> String {
        let mut value = value.to_owned();
        for _ in 0..PROPERTIES_MAX {
            let Some(name) = value.strip_prefix("${").and_then(|value| value.strip_suffix('}')) else { return value };
            value = self.property(name).unwrap_or_default().to_owned();
        }
        String::new()
    }

    fn property(&self, name: &str) -> Option<&str> {
        static PROPERTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"<([\w.-]+)>\s*([^<\s]+)\s*</"));
        let own = name.strip_prefix("project.").or_else(|| name.strip_prefix("pom."));
        match own {
            Some(own) => match own.strip_prefix("parent.") {
                Some(of_parent) => member(self.parent, of_parent),
                // What a project does not say is as its parent says it.
                None => member(&self.own, own).or_else(|| member(self.parent, own)),
            },
            None => {
                let mut found = PROPERTY.captures_iter(self.text).filter(|property| &property[1] == name);
                found.next()?.get(2).map(|value| value.as_str())
            }
        }
    }
}

/// Properties of Maven that stand for one another.
const PROPERTIES_MAX: usize = 8;

/// `org.example:thing:1.2.3=runtimeClasspath`; without what it is for in the lock files of earlier versions.
fn gradle(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([\w.-]+:[\w.-]+):([\w.+-]+)(?:=|\s*$)"));
    text.lines().filter_map(|line| LINE.captures(line)).map(|found| package("Maven", &found[1], &found[2])).collect()
}

/// `    rack (2.2.3)`: four blanks; what a package needs in turn has six.
fn gems(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ {4}(\S+) \((\d[^)\s-]*)[^)]*\)$"));
    let of_registry = text.split("\n\n").filter(|section| section.trim_start().starts_with("GEM"));
    let lines = of_registry.flat_map(str::lines).filter_map(|line| LINE.captures(line));
    lines.map(|found| package("RubyGems", &found[1], &found[2])).collect()
}

fn composer(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let groups = ["packages", "packages-dev"].into_iter().filter_map(|group| body[group].as_array()).flatten();
    let of_registry = groups.filter(|about| about["dist"]["type"] != "path");
    let exact = of_registry.filter_map(|about| Some((about["name"].as_str()?, about["version"].as_str()?)));
    Some(exact.map(|(name, version)| package("Packagist", name, version)).collect())
}

fn nuget(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let frameworks = body["dependencies"].as_object()?.values().filter_map(Value::as_object).flatten();
    let exact = frameworks.filter_map(|(name, about)| Some((name, about["resolved"].as_str()?)));
    Some(exact.map(|(name, version)| package("NuGet", name, version)).collect())
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<!--.*?(?:-->|\z)"));

/// Returns the value of an attribute.
fn attribute(item: &str, wanted: &[&str]) -> Option<String> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\b(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')"#));
    let mut all = ATTRIBUTE.captures_iter(item).filter(|one| wanted.contains(&&one[1]));
    let value = all.next()?;
    value.get(2).or(value.get(3)).map(|value| value.as_str().trim().to_owned())
}

/// `<package id="Newtonsoft.Json" version="12.0.1" />`.
fn nuget_list(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"<package\s([^>]*)>"));
    let text = COMMENT.replace_all(text, "");
    let read = |item: regex::Captures<'_>| {
        Some(package("NuGet", &attribute(&item[1], &["id"])?, &attribute(&item[1], &["version"])?))
    };
    ITEM.captures_iter(&text).filter_map(read).collect()
}

/// `<PackageReference Include="Newtonsoft.Json" Version="12.0.1" />`, with the version in a member of it, or as a
/// `PackageVersion` for all projects. Of the versions that satisfy it NuGet takes the lowest, which is this one.
fn nuget_project(text: &str) -> Vec<Package> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        let names = ["PackageReference", "PackageVersion", "GlobalPackageReference"];
        let of = |name: &str| format!(r"<{name}\s([^>]*?)(?:/>|>(.*?)</{name}>)");
        pattern(&format!("(?s){}", names.map(of).join("|")))
    });
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<Version>\s*([^<]*?)\s*</Version>"));
    let text = COMMENT.replace_all(text, "");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, text, and the packages that it names.
    const FILES: &[(&str, &str, &str)] = &[
        (
            "app/package-lock.json",
            r#"{"lockfileVersion":3,"packages":{"":{"name":"app","version":"1.0.0"},"lib":{"name":"lib","version":"1.0.0"},
                    "node_modules/lodash":{"version":"4.17.20"},"node_modules/a/node_modules/@x/y":{"version":"2.0.0"},
                    "node_modules/lib":{"link":true}}}"#,
            "npm @x/y 2.0.0, npm lodash 4.17.20",
        ),
        (
            "package-lock.json",
            r#"{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","dependencies":{"b":{"version":"2.0.0"}}},
                    "c":{"version":"git+ssh://x"},"d":{"version":"npm:@real/d@3.0.0"}}}"#,
            "npm @real/d 3.0.0, npm a 1.0.0, npm b 2.0.0",
        ),
        (
            "yarn.lock",
            r#"# yarn lockfile v1

lodash@^4.17.0, lodash@^4.17.20:
  version "4.17.20"

"@b/core@npm:^7.0.0":
  version: 7.1.0
"#,
            "npm @b/core 7.1.0, npm lodash 4.17.20",
        ),
        (
            "aliases/yarn.lock",
            r#"alias@npm:real@^1.0.0:
  version "1.0.0"

"@a/b@npm:@real/b@~2.0.0, @a/b@npm:@real/b@^2.0.0":
  version: 2.0.0
"#,
            "npm @real/b 2.0.0, npm real 1.0.0",
        ),
        (
            "own/package-lock.json",
            r#"{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","resolved":"git+ssh://git@github.com/x/a.git#1"},
                    "node_modules/b":{"version":"1.0.0","resolved":"file:../b.tgz"},
                    "node_modules/c":{"version":"1.0.0","resolved":"https://npm.acme.test/c/-/c-1.0.0.tgz"},
                    "node_modules/d":{"version":"1.0.0","resolved":"packages/d","link":true}}}"#,
            "npm c 1.0.0",
        ),
        (
            "berry/yarn.lock",
            r#"__metadata:
  version: 6

"root@workspace:.":
  version: 0.0.0-use.local
  resolution: "root@workspace:."

"own@^1.0.0, own@workspace:packages/own":
  version: 1.1.0
  resolution: "own@workspace:packages/own"

"linked@portal:../linked":
  version: 1.0.0

"kept@npm:>=1.0.0 <2, kept@npm:^1.1.0":
  version: 1.5.0

"patched@patch:patched@^1.0.0#./x.patch":
  version: 1.0.0
"#,
            "npm kept 1.5.0, npm patched 1.0.0",
        ),
        (
            "classic/yarn.lock",
            r#"# yarn lockfile v1

"own@file:../own":
  version "1.0.0"

"@a/linked@link:./linked":
  version "0.0.0"

forked@acme/forked:
  version "1.0.0"
  resolved "https://codeload.github.com/acme/forked/tar.gz/abc"

"fetched@^1.0.0":
  version "1.0.0"
  resolved "git+ssh://git@github.com/acme/fetched.git#abc"

kept@^1.0.0, "kept@>=1 <2":
  version "1.4.0"
  resolved "https://registry.yarnpkg.com/kept/-/kept-1.4.0.tgz#a"
"#,
            "npm kept 1.4.0",
        ),
        (
            "pnpm-lock.yaml",
            r#"packages:

  /lodash@4.17.20:
    resolution: {}
  '@b/core@7.1.0(x@1.0.0)':
    dev: true
  /old/1.2.3:
"#,
            "npm @b/core 7.1.0, npm lodash 4.17.20, npm old 1.2.3",
        ),
        (
            "earlier/pnpm-lock.yaml",
            r#"lockfileVersion: 5.4
overrides:
  forced@1.0.0: 1.0.1
packages:

  /a/1.0.0_react@17.0.2:
    resolution: {}
  /@b/core/1.1.0_@babel+core@7.1.0:
    resolution: {}
  /c/1.2.0-rc.1_react-dom@17.0.2+react@17.0.2:
    resolution: {}
  github.com/acme/own/0123456789:
    resolution: {}
  file:../own/1.0.0:
    resolution: {}
"#,
            "npm @b/core 1.1.0, npm a 1.0.0, npm c 1.2.0-rc.1",
        ),
        (
            "poetry.lock",
            r#"[[package]]
name = "Jinja2"
version = "2.11.2"

[package.dependencies]
name = "no"

[[package]]
name = "zope.interface"
version = "5.0"
"#,
            "PyPI jinja2 2.11.2, PyPI zope-interface 5.0",
        ),
        (
            "own/poetry.lock",
            r#"[[package]]
name = "fetched"
version = "1.0"

[package.source]
type = "git"
url = "https://github.com/acme/fetched"

[[package]]
name = "mirrored"
version = "1.0"

[package.source]
type = "legacy"
url = "https://pypi.acme.test/simple"
"#,
            "PyPI mirrored 1.0",
        ),
        (
            "uv.lock",
            r#"[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }

[[package]]
name = "fetched"
version = "1.0"
source = { git = "https://github.com/acme/fetched?rev=1#1" }

[[package]]
name = "kept"
version = "1.0"
source = { registry = "https://pypi.org/simple" }
"#,
            "PyPI kept 1.0",
        ),
        (
            "pdm.lock",
            "[[package]]\nname = \"a\"\nversion = \"1.0\"\ngit = \"https://x/a\"\n\n\
             [[package]]\nname = \"b\"\nversion = \"1.0\"\n",
            "PyPI b 1.0",
        ),
        (
            "Pipfile.lock",
            r#"{"default":{"requests":{"version":"==2.19.0"},"own":{"git":"x"}},"develop":{"py_test":{"version":"==6.0"}}}"#,
            "PyPI py-test 6.0, PyPI requests 2.19.0",
        ),
        (
            "requirements-dev.txt",
            r#"# a
requests[socks]==2.19.0 ; python_version < '3'
flask>=1.0
django == 3.0.1 \
    --hash=sha256:x
x==1.*
"#,
            "PyPI django 3.0.1, PyPI requests 2.19.0",
        ),
        (
            "Cargo.lock",
            r#"[[package]]
name = "app"
version = "0.1.0"

[[package]]
name = "time"
version = "0.1.43"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "sparse"
version = "1.0.0"
source = "sparse+https://index.crates.io/"

[[package]]
name = "forked"
version = "1.0.0"
source = "git+https://github.com/acme/forked?rev=1#abc"

[[package]]
name = "internal"
version = "1.0.0"
source = "registry+https://crates.acme.test/index"
"#,
            "crates.io sparse 1.0.0, crates.io time 0.1.43",
        ),
        (
            "go.mod",
            r#"module acme.test/app

go 1.22

require (
	github.com/gin-gonic/gin v1.6.0
	golang.org/x/net v0.1.0 // indirect
)
replace (
	github.com/a/b v1.0.0 => ../b
)
"#,
            "Go github.com/gin-gonic/gin 1.6.0, Go golang.org/x/net 0.1.0",
        ),
        (
            "replaced/go.mod",
            r#"require (
	github.com/a/b v1.0.0
	github.com/a/c v1.0.0
	github.com/a/d v1.0.0
	golang.org/x/net v0.1.0
	golang.org/x/text v0.3.0
)
replace golang.org/x/net => golang.org/x/net v0.30.0 // safe
replace (
	github.com/a/b v1.0.0 => ../b
	github.com/a/c v1.0.1 => github.com/fork/c v1.0.2
	github.com/a/d => github.com/other/d v2.0.0
	github.com/a/d v1.0.0 => github.com/fork/d v1.1.0
)
replace example.org/unused v => ./x
"#,
            "Go github.com/a/c 1.0.0, Go github.com/fork/d 1.1.0, Go golang.org/x/net 0.30.0, \
             Go golang.org/x/text 0.3.0",
        ),
        (
            "pom.xml",
            "<project><properties><log4j.version>2.14.1</log4j.version></properties><dependencies><dependency>\
                 <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId><version>${log4j.version}</version>\
                 </dependency><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies></project>",
            "Maven org.apache.logging.log4j:log4j-core 2.14.1",
        ),
        (
            "commented/pom.xml",
            "<project><!-- <dependency><groupId>a</groupId><artifactId>old</artifactId><version>1</version></dependency>\
                 --><dependency><groupId>a</groupId><!-- was <version>1.0</version> --><artifactId>b</artifactId>\
                 <version>2.0</version></dependency><!-- <dependency><groupId>a</groupId><artifactId>c</artifactId>\
                 <version>3</version></dependency>",
            "Maven a:b 2.0",
        ),
        ("gradle.lockfile", "# x\norg.a:b:1.2.3=runtimeClasspath\nempty=\n", "Maven org.a:b 1.2.3"),
        (
            "Gemfile.lock",
            r#"GIT
  remote: x
  specs:
    own (1.0)

GEM
  remote: https://rubygems.org/
  specs:
    rack (2.2.3)
      dep (>= 1)
    nokogiri (1.10.0-x86_64-linux)

PLATFORMS
"#,
            "RubyGems nokogiri 1.10.0, RubyGems rack 2.2.3",
        ),
        (
            "composer.lock",
            r#"{"packages":[{"name":"symfony/http-kernel","version":"v4.4.0"}],"packages-dev":[{"name":"a/b","version":"dev-main"}]}"#,
            "Packagist symfony/http-kernel 4.4.0",
        ),
        (
            "own/composer.lock",
            r#"{"packages":[{"name":"acme/own","version":"1.0.0","dist":{"type":"path","url":"../own"}},
                    {"name":"a/b","version":"1.0.0","dist":{"type":"zip"}}]}"#,
            "Packagist a/b 1.0.0",
        ),
        (
            "packages.lock.json",
            r#"{"version":1,"dependencies":{"net8.0":{"Newtonsoft.Json":{"type":"Direct","resolved":"12.0.1"}}}}"#,
            "NuGet Newtonsoft.Json 12.0.1",
        ),
        ("Cargo.lock", "nonsense", ""),
        (
            "bun.lock",
            r#"{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "app", "dependencies": { "lodash": "4.17.20" } }, },
  "packages": {
    // What is installed.
    "lodash": ["lodash@4.17.20", "", {}, "sha512-x=="],
    "alias": [
      "@b/core@7.1.0", "", { "dependencies": { "x": "1.0.0" } }, "sha512-x=="],
    "own": ["own@workspace:packages/own"],
    "forked": ["forked@github:acme/forked#abc", {}, "abc"],
  },
}"#,
            "npm @b/core 7.1.0, npm lodash 4.17.20",
        ),
        (
            "pylock.dev.toml",
            "lock-version = \"1.0\"\n[[packages]]\nname = \"attrs\"\nversion = \"25.1.0\"\n[[packages]]\nname = \
             \"fetched\"\nversion = \"1.0\"\n[packages.vcs]\ntype = \"git\"\n[[packages]]\nname = \"own\"\nversion = \
             \"1.0\"\ndirectory = { path = \".\" }\n",
            "PyPI attrs 25.1.0",
        ),
        ("buildscript-gradle.lockfile", "org.a:b:1.2.3=classpath\nempty=\n", "Maven org.a:b 1.2.3"),
        ("a/gradle/dependency-locks/compileClasspath.lockfile", "# x\norg.a:b:1.2.3\n", "Maven org.a:b 1.2.3"),
        ("gradle/dependency-locks/compileClasspath.lockfile", "org.a:b:1.2.3\n", "Maven org.a:b 1.2.3"),
        (
            "gems.locked",
            "GEM\r\n  remote: https://rubygems.org/\r\n  specs:\r\n    rack (2.2.3)\r\n\r\nPLATFORMS\r\n",
            "RubyGems rack 2.2.3",
        ),
        ("case/composer.lock", r#"{"packages":[{"name":"A/B","version":"1.0.0"}]}"#, "Packagist a/b 1.0.0"),
        (
            "packages.config",
            "<packages>\n  <package id=\"Newtonsoft.Json\" version=\"12.0.1\" targetFramework=\"net45\" />\n  \
             <package version='1.0' id='Other'/>\n  <!-- <package id=\"Old\" version=\"1.0\" /> -->\n</packages>",
            "NuGet Newtonsoft.Json 12.0.1, NuGet Other 1.0",
        ),
        (
            "src/App.csproj",
            "<Project><ItemGroup>\n<PackageReference Include=\"Newtonsoft.Json\" Version=\"12.0.1\" />\n\
             <PackageReference Include='Exact' Version='[2.0.0-rc.1]'></PackageReference>\n\
             <PackageReference Include=\"Member\">\n<Version> 3.1 </Version><PrivateAssets>all</PrivateAssets>\n\
             </PackageReference><PackageReference Include=\"Elsewhere\" /><PackageReference Include=\"Property\" \
             Version=\"$(V)\"/><PackageReference Include=\"Floating\" Version=\"1.*\"/><PackageReference \
             Include=\"Range\" Version=\"[1.0,2.0)\"/><!-- <PackageReference Include=\"Old\" Version=\"1.0\" /> \
             --></ItemGroup></Project>",
            "NuGet Exact 2.0.0-rc.1, NuGet Member 3.1, NuGet Newtonsoft.Json 12.0.1",
        ),
        (
            "Directory.Packages.props",
            "<Project><ItemGroup><PackageVersion Include=\"A\" Version=\"1.2\" /><GlobalPackageReference \
             Include=\"B\" Version=\"2.0\"/></ItemGroup></Project>",
            "NuGet A 1.2, NuGet B 2.0",
        ),
        (
            "parent/pom.xml",
            "<project><parent><groupId>org.p</groupId><artifactId>parent</artifactId><version>3.0</version></parent>\
             <properties><a>${b}</a><b>1.1</b><loop>${loop}</loop></properties><dependencyManagement><dependencies>\
             <dependency><groupId>org.a</groupId><artifactId>bom</artifactId><version>${a}</version></dependency>\
             </dependencies></dependencyManagement><artifactId>app</artifactId><dependencies><dependency><groupId>\
             ${project.groupId}</groupId><artifactId>x</artifactId><version>${project.version}</version></dependency>\
             <dependency><groupId>org.a</groupId><artifactId>y</artifactId><version>${project.parent.version}</version>\
             </dependency><dependency><groupId>org.a</groupId><artifactId>z</artifactId><version>${loop}</version>\
             </dependency></dependencies></project>",
            "Maven org.a:bom 1.1, Maven org.a:y 3.0, Maven org.p:parent 3.0, Maven org.p:x 3.0",
        ),
        (
            "versioned/pom.xml",
            "<project><groupId>org.x</groupId><artifactId>b</artifactId><version>1.0.0</version><dependencies>\
             <dependency><groupId>${project.groupId}</groupId><artifactId>m</artifactId><version>${project.version}\
             </version></dependency></dependencies></project>",
            "Maven org.x:m 1.0.0",
        ),
    ];

    #[test]
    fn every_lock_file_names_its_packages_and_what_is_no_exact_version_is_left_out() {
        for (path, text, wanted) in FILES {
            let found: Vec<String> = packages(path, text)
                .unwrap_or_else(|| panic!("{path}"))
                .iter()
                .map(|one| format!("{} {} {}", one.ecosystem, one.name, one.version))
                .collect();
            assert_eq!(found.join(", "), *wanted, "{path}");
        }
        for (path, lock) in [("a/b/App.csproj", "a/b/packages.lock.json"), ("App.vbproj", "packages.lock.json")] {
            assert_eq!(lock_beside(path).as_deref(), Some(lock));
        }
        assert_eq!(lock_beside("a/pom.xml"), None);
        for (path, text) in [("package.json", "{}"), ("package-lock.json", "{"), ("notes.txt", "a==1.0")] {
            assert_eq!(packages(path, text), None, "{path}");
        }
    }
}
