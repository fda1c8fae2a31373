//! Who may know whom, and what may come in from outside: crate directions, one version of everything, licences.

use super::Finding;
use super::source::Source;
use super::tree::Tree;
use anyhow::Context as _;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The crate table of docs/architecture.md: crate, and those of ours that it may depend on.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("ambit-model", &[]),
    ("ambit-query", &[]),
    ("ambit-yara", &[]),
    ("ambit-app", &[]),
    ("ambit-git", &[]),
    ("ambit-cloud", &[]),
    ("ambit-secrets", &[]),
    ("ambit-sources", &[]),
    ("ambit-fingerprints", &["ambit-model"]),
    ("ambit-vulns", &["ambit-model"]),
    ("ambit-api", &["ambit-model"]),
    ("ambit-export", &["ambit-model", "ambit-api"]),
    ("ambit-import", &["ambit-cloud", "ambit-model", "ambit-secrets"]),
    ("ambit-net", &["ambit-model"]),
    ("ambit-checks", &["ambit-model", "ambit-net"]),
    ("ambit-world", &["ambit-net", "ambit-model", "ambit-sources"]),
    ("ambit-store", &["ambit-model", "ambit-query"]),
    ("ambit-search", &["ambit-model", "ambit-query", "ambit-store"]),
    ("ambit-notify", &["ambit-model", "ambit-net", "ambit-store"]),
    (
        "ambit-tasks",
        &[
            "ambit-model",
            "ambit-net",
            "ambit-fingerprints",
            "ambit-app",
            "ambit-git",
            "ambit-cloud",
            "ambit-secrets",
            "ambit-sources",
        ],
    ),
    (
        "ambit-engine",
        &[
            "ambit-model",
            "ambit-net",
            "ambit-store",
            "ambit-tasks",
            "ambit-checks",
            "ambit-vulns",
            "ambit-yara",
            "ambit-fingerprints",
            "ambit-secrets",
        ],
    ),
    (
        "ambit-server",
        &[
            "ambit-model",
            "ambit-query",
            "ambit-api",
            "ambit-store",
            "ambit-search",
            "ambit-yara",
            "ambit-export",
            "ambit-secrets",
        ],
    ),
    ("ambit", PRODUCT),
    ("ambit-testkit", PRODUCT),
];

/// All crates that are part of the program: what the binary, and tests, may use.
const PRODUCT: &[&str] = &[
    "ambit-model",
    "ambit-query",
    "ambit-yara",
    "ambit-app",
    "ambit-git",
    "ambit-cloud",
    "ambit-secrets",
    "ambit-sources",
    "ambit-fingerprints",
    "ambit-vulns",
    "ambit-api",
    "ambit-export",
    "ambit-import",
    "ambit-net",
    "ambit-checks",
    "ambit-world",
    "ambit-store",
    "ambit-search",
    "ambit-tasks",
    "ambit-engine",
    "ambit-notify",
    "ambit-server",
];

/// Any crate's tests may use these.
const FOR_TESTS: &[&str] = &["ambit-testkit", "ambit-world"];

/// What a dependency may be licensed under, so that the program may be given away under MIT or Apache-2.0.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    // BSD with other words: libbzip2 and its translations.
    "bzip2-1.0.6",
];

/// Packages that stay out, and why.
const REFUSED: &[(&str, &str)] = &[
    ("aws-lc-sys", "needs cmake and minutes of building; choose the ring feature of rustls"),
    ("aws-lc-rs", "needs cmake and minutes of building; choose the ring feature of rustls"),
    ("openssl-sys", "needs a system library; choose rustls"),
    ("native-tls", "needs a system library; choose rustls"),
];

/// The crate table holds; the testkit is for tests only.
pub(crate) fn directions(tree: &Tree, out: &mut Vec<Finding>) {
    for (name, file, manifest) in tree.manifests() {
        let text = file.text.as_deref().unwrap_or_default();
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(known, _)| *known == name) else {
            let remedy = "a crate needs its row in MAY_DEPEND_ON and in docs/architecture.md, and a decision";
            out.push(Finding::new(&file.path, 1, "directions", remedy));
            continue;
        };
        for (section, tests_too) in [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)]
        {
            for dependency in ours(&manifest, section) {
                let for_tests = tests_too && FOR_TESTS.contains(&dependency.as_str());
                if !allowed.contains(&dependency.as_str()) && !for_tests {
                    let remedy =
                        format!("{name} may not know {dependency}; see the crate table in docs/architecture.md");
                    out.push(Finding::new(&file.path, line_of(text, &dependency), "directions", remedy));
                }
            }
        }
    }
}

fn ours(manifest: &toml::Table, section: &str) -> Vec<String> {
    let names = dependencies(manifest, section).map(|(name, _)| name);
    names.filter(|name| *name == "ambit" || name.starts_with("ambit-")).cloned().collect()
}

/// The dependencies of a section, those of single platforms among them.
fn dependencies<'a>(
    manifest: &'a toml::Table,
    section: &'a str,
) -> impl Iterator<Item = (&'a String, &'a toml::Value)> {
    let platforms = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|table| table.values());
    let tables = std::iter::once(manifest).chain(platforms.filter_map(toml::Value::as_table));
    tables.filter_map(move |table| table.get(section)?.as_table()).flatten()
}

/// Versions and features of dependencies are said once, in the workspace, so that every selection of crates builds the
/// same.
pub(crate) fn shared_versions(tree: &Tree, out: &mut Vec<Finding>) {
    for (_, file, manifest) in tree.manifests() {
        let text = file.text.as_deref().unwrap_or_default();
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in dependencies(&manifest, section) {
                let shared = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                if !shared || value.get("features").is_some() {
                    let remedy = format!(
                        "say version and features of {name} in the root Cargo.toml, here `{name}.workspace = true`"
                    );
                    out.push(Finding::new(&file.path, line_of(text, name), "shared-versions", remedy));
                }
            }
        }
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        if lints != Some(true) {
            out.push(Finding::new(&file.path, 1, "shared-versions", "add `[lints] workspace = true`"));
        }
    }
}

/// No package of `REFUSED` in the lock file.
pub(crate) fn refused_packages(tree: &Tree, out: &mut Vec<Finding>) {
    let Some(lock) = tree.text("Cargo.lock") else { return };
    for (index, line) in lock.lines().enumerate() {
        let Some(name) = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"')) else {
            continue;
        };
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            out.push(Finding::new("Cargo.lock", index + 1, "refused-packages", format!("{name}: {why}")));
        }
    }
}

/// Packages whose library has another name than they have.
const LIBRARIES: &[(&str, &str)] = &[("md-5", "md5")];

/// Each dependency is named in the crate that has it, each shared one in some crate.
pub(crate) fn unused(tree: &Tree, out: &mut Vec<Finding>) {
    let mut shared = BTreeSet::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml") && file.path != "Cargo.toml") {
        let (folder, text) = (file.path.trim_end_matches("Cargo.toml"), file.text.as_deref().unwrap_or_default());
        let Ok(manifest) = text.parse::<toml::Table>() else { continue };
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, _) in dependencies(&manifest, section) {
                shared.insert(name.clone());
                let library = LIBRARIES.iter().find(|(package, _)| package == name).map(|(_, library)| *library);
                let word = library.map_or_else(|| name.replace('-', "_"), str::to_owned);
                let names = |source: &&Source| {
                    source.path.starts_with(folder)
                        && (section != "dependencies" || !source.path[folder.len()..].starts_with("tests/"))
                };
                let named = |source: &Source| {
                    source.tokens.iter().any(|token| {
                        token.text == word && (section != "dependencies" || !source.is_test_line(token.line))
                    })
                };
                if !tree.sources.iter().filter(names).any(named) {
                    let remedy = format!("{name} is named nowhere in the code that {section} are for: remove the line");
                    out.push(Finding::new(&file.path, line_of(text, name), "unused", remedy));
                }
            }
        }
    }
    let text = tree.text("Cargo.toml").unwrap_or_default();
    let workspace: toml::Table = text.parse().unwrap_or_default();
    let table = workspace.get("workspace").and_then(|table| table.get("dependencies")).and_then(toml::Value::as_table);
    for name in table.into_iter().flat_map(|table| table.keys()).filter(|name| !shared.contains(*name)) {
        let remedy = format!("no crate depends on {name}: remove the line");
        out.push(Finding::new("Cargo.toml", line_of(text, name), "unused", remedy));
    }
}

/// The licences of everything that is built on this machine's platform, as cargo knows them.
pub(crate) fn from_cargo(root: &Path, out: &mut Vec<Finding>) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", &host()?];
    let answer = Command::new(cargo).args(arguments).current_dir(root).output().context("cargo cannot be started")?;
    anyhow::ensure!(answer.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&answer.stderr).trim());
    licences(&serde_json::from_slice(&answer.stdout)?, out);
    Ok(())
}

fn host() -> anyhow::Result<String> {
    let answer = Command::new("rustc").arg("-vV").output().context("rustc cannot be started")?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc -vV names no host")?.to_owned())
}

fn licences(metadata: &Value, out: &mut Vec<Finding>) {
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or("?");
        let version = package["version"].as_str().unwrap_or("?");
        let licence = package["license"].as_str().unwrap_or("");
        if !is_allowed(licence) {
            let remedy =
                format!("{name} {version} is under {licence:?}, which is not on the list; choose another package");
            out.push(Finding::new("Cargo.lock", 1, "licences", remedy));
        }
    }
}

/// Reads an SPDX expression; `/` is how older packages write `OR`. AND binds tighter than OR.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let allowed = either(&mut rest);
    allowed && rest.is_empty()
}

fn either(words: &mut &[&str]) -> bool {
    let mut allowed = both(words);
    while let Some((&"OR", rest)) = words.split_first() {
        *words = rest;
        allowed |= both(words);
    }
    allowed
}

fn both(words: &mut &[&str]) -> bool {
    let mut allowed = one(words);
    while let Some((&"AND", rest)) = words.split_first() {
        *words = rest;
        allowed &= one(words);
    }
    allowed
}

fn one(words: &mut &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let allowed = either(words);
        let Some((&")", rest)) = words.split_first() else { return false };
        *words = rest;
        return allowed;
    }
    // An exception only gives more rights than the licence it belongs to.
    if let [with, _exception, rest @ ..] = *words
        && *with == "WITH"
    {
        *words = rest;
    }
    LICENCES.contains(first)
}

fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.starts_with(key)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    const LINTS: &str = "[lints]\nworkspace = true\n";

    #[test]
    fn directions_follow_the_table() {
        let good = "[dependencies]\nambit-model.workspace = true\n[dev-dependencies]\nambit-world.workspace = true\n";
        assert!(said(directions, &[("crates/ambit-tasks/Cargo.toml", good)]).is_empty());
        let bad = "[dependencies]\nambit-store.workspace = true\n";
        assert_eq!(
            said(directions, &[("crates/ambit-tasks/Cargo.toml", bad)]),
            ["crates/ambit-tasks/Cargo.toml:2: directions: ambit-tasks may not know ambit-store; see the crate \
                 table in docs/architecture.md"]
        );
        let in_product = "[dependencies]\nambit-testkit.workspace = true\n";
        assert_eq!(said(directions, &[("crates/ambit/Cargo.toml", in_product)]).len(), 1);
        assert_eq!(said(directions, &[("crates/ambit-extra/Cargo.toml", "")]).len(), 1);
    }

    #[test]
    fn versions_are_said_once() {
        let good = format!("[dependencies]\nserde.workspace = true\n{LINTS}");
        assert!(said(shared_versions, &[("crates/ambit-api/Cargo.toml", &good)]).is_empty());
        let bad = format!("[dependencies]\nserde = \"1\"\n{LINTS}");
        assert_eq!(said(shared_versions, &[("crates/ambit-api/Cargo.toml", &bad)]).len(), 1);
        let features = format!("[dependencies]\nserde = {{ workspace = true, features = [\"rc\"] }}\n{LINTS}");
        assert_eq!(said(shared_versions, &[("crates/ambit-api/Cargo.toml", &features)]).len(), 1);
        assert_eq!(said(shared_versions, &[("crates/ambit-api/Cargo.toml", "")]).len(), 1);
    }

    #[test]
    fn a_dependency_that_nobody_names_is_found() {
        let manifest = (
            "crates/a/Cargo.toml",
            "[dependencies]\ntokio-util.workspace = true\n[dev-dependencies]\nproptest.workspace = true\n",
        );
        let product =
            ("crates/a/src/lib.rs", "use tokio_util::io;\n#[cfg(test)]\nmod tests { proptest::proptest! {} }");
        assert!(said(unused, &[manifest, product]).is_empty());
        let in_tests = ("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests { use tokio_util::io; use proptest::any; }");
        assert!(said(unused, &[manifest, in_tests])[0].starts_with("crates/a/Cargo.toml:2: unused: tokio-util"));
        let shared = ("Cargo.toml", "[workspace.dependencies]\ntokio-util = \"1\"\nproptest = \"1\"\nfail = \"1\"\n");
        assert_eq!(
            said(unused, &[manifest, product, shared]),
            ["Cargo.toml:4: unused: no crate depends on fail: remove the line"]
        );
        let of_platform = ("crates/b/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nfail.workspace = true\n");
        assert!(said(unused, &[manifest, product, of_platform])[0].starts_with("crates/b/Cargo.toml:2: unused: fail"));
        let names_it = ("crates/b/src/lib.rs", "use fail::fail_point;");
        assert!(said(unused, &[manifest, product, of_platform, names_it, shared]).is_empty());
    }

    #[test]
    fn refused_packages_are_named_with_their_reason() {
        let good = "[[package]]\nname = \"ring\"\n";
        assert!(said(refused_packages, &[("Cargo.lock", good)]).is_empty());
        let bad = "[[package]]\nname = \"aws-lc-sys\"\n";
        assert!(
            said(refused_packages, &[("Cargo.lock", bad)])[0].starts_with("Cargo.lock:2: refused-packages: aws-lc-sys")
        );
    }

    #[test]
    fn licence_expressions_are_read() {
        for good in ["MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT Apache-2.0", "GPL-3.0 OR MIT AND AGPL-3.0"] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_package_without_an_allowed_licence_is_found() {
        let metadata = serde_json::json!({"packages": [
            {"name": "good", "version": "1.0.0", "license": "MIT"},
            {"name": "bad", "version": "1.0.0", "license": "AGPL-3.0"},
            {"name": "unsaid", "version": "1.0.0", "license": null},
        ]});
        let mut findings = Vec::new();
        licences(&metadata, &mut findings);
        let names: Vec<bool> = findings.iter().map(|finding| finding.remedy.contains("good")).collect();
        assert_eq!(names, [false, false]);
    }
}
