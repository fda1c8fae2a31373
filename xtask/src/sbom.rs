//! `cargo xtask sbom FILE`: what is in the program, as a CycloneDX 1.6 document: each crate that is compiled into it,
//! with version, licence and checksum as the lock file has them, and which needs which. What only tests need is left
//! out. The same sources give the same bytes.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// The crate that is the program.
const PROGRAM: &str = "ambit";

/// Writes the document; fails where cargo does not say what is needed, or the file cannot be written.
pub(crate) fn command(root: &Path, target: &str) -> anyhow::Result<ExitCode> {
    let document = document(&metadata(root)?, &checksums(root)?)?;
    let text = serde_json::to_string_pretty(&document)? + "\n";
    std::fs::write(target, text).with_context(|| format!("{target} cannot be written"))?;
    Ok(ExitCode::SUCCESS)
}

/// What cargo says of the packages that the lock file names.
fn metadata(root: &Path) -> anyhow::Result<Value> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root).stderr(Stdio::inherit());
    crate::forget_ourselves(&mut cargo);
    let output = cargo.output().context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo metadata: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// SHA-256 of the archives that the lock file names, by name and version.
fn checksums(root: &Path) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let lock: toml::Value = toml::from_str(&std::fs::read_to_string(root.join("Cargo.lock"))?)?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("the lock file has no packages")?;
    let text = |package: &toml::Value, name: &str| Some(package.get(name)?.as_str()?.to_owned());
    let row = |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(row).collect())
}

fn document(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> anyhow::Result<Value> {
    let packages: BTreeMap<&str, &Value> = rows(&metadata["packages"]).map(|one| (text(&one["id"]), one)).collect();
    let needs: BTreeMap<&str, BTreeSet<&str>> =
        rows(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), needed(node))).collect();
    let program = packages.iter().find(|(_, one)| one["name"] == PROGRAM && one["source"].is_null());
    let program = *program.context("the program is no package of the workspace")?.0;
    let (mut inside, mut queue) = (BTreeSet::from([program]), vec![program]);
    while let Some(id) = queue.pop() {
        let next = needs.get(id).into_iter().flatten();
        queue.extend(next.filter(|id| inside.insert(id)));
    }
    let of = |id: &str| packages.get(id).copied().with_context(|| format!("cargo names no package {id}"));
    let (mut components, mut dependencies) = (BTreeMap::new(), BTreeMap::new());
    for id in &inside {
        let package = of(id)?;
        let all = needs.get(id).into_iter().flatten().map(|id| Ok(reference(of(id)?)));
        let all: BTreeSet<String> = all.collect::<anyhow::Result<_>>()?;
        dependencies.insert(reference(package), json!({"ref": reference(package), "dependsOn": all}));
        if *id != program {
            components.insert(reference(package), component(package, checksums));
        }
    }
    let mut main = component(of(program)?, checksums);
    main["type"] = json!("application");
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": main},
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies.into_values().collect::<Vec<_>>(),
    }))
}

/// What a package needs to be compiled into the program, or to be built: not what its tests need.
fn needed(node: &Value) -> BTreeSet<&str> {
    let is_built = |dependency: &&Value| rows(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
    rows(&node["deps"]).filter(is_built).map(|dependency| text(&dependency["pkg"])).collect()
}

/// The package URL, by which others know it too.
fn reference(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let mut component = json!({
        "type": "library", "bom-ref": reference(package), "name": name, "version": version, "purl": reference(package),
    });
    if let Some(license) = package["license"].as_str() {
        // Older packages separate alternatives by a stroke, which is no expression of SPDX.
        component["licenses"] = json!([{"expression": license.replace('/', " OR ")}]);
    }
    if let Some(hash) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": hash}]);
    }
    if let Some(place) = package["repository"].as_str().filter(|place| place.starts_with("https://")) {
        component["externalReferences"] = json!([{"type": "vcs", "url": place}]);
    }
    component
}

fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_needs_is_listed_and_what_tests_need_is_not() {
        let package = |name: &str, source: Value, license: &str| {
            let id = format!("{name} 1");
            json!({"id": id, "name": name, "version": "1.0.0", "source": source, "license": license})
        };
        let registry = json!("registry+https://example.org");
        let needs = |name: &str, kind: Value| json!({"pkg": format!("{name} 1"), "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package(PROGRAM, Value::Null, "Apache-2.0"), package("one", registry.clone(), "MIT/Apache-2.0"),
                package("two", registry.clone(), "MIT"), package("tests", registry.clone(), "MIT"),
                package("other", registry, "MIT"),
            ],
            "resolve": {"nodes": [
                {"id": "ambit 1", "deps": [needs("one", Value::Null), needs("tests", json!("dev"))]},
                {"id": "one 1", "deps": [needs("two", json!("build"))]},
                {"id": "two 1", "deps": []}, {"id": "tests 1", "deps": []}, {"id": "other 1", "deps": []},
            ]},
        });
        let checksums = BTreeMap::from([(("one".to_owned(), "1.0.0".to_owned()), "ab".repeat(32))]);
        let document = document(&metadata, &checksums).expect("is made");
        let listed: Vec<&str> = rows(&document["components"]).map(|one| text(&one["purl"])).collect();
        assert_eq!(listed, ["pkg:cargo/one@1.0.0", "pkg:cargo/two@1.0.0"]);
        assert_eq!(document["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(document["components"][0]["hashes"][0]["content"], "ab".repeat(32));
        assert_eq!(document["metadata"]["component"]["type"], "application");
        let of = |place: usize| document["dependencies"][place].clone();
        assert_eq!(of(0), json!({"ref": "pkg:cargo/ambit@1.0.0", "dependsOn": ["pkg:cargo/one@1.0.0"]}));
        assert_eq!(of(2)["dependsOn"], json!([]));
    }
}
