//! What files by which software is built say of how safely that is done: actions that others may change, texts of
//! strangers in commands, packages that a stranger may stand in for.

use super::flaw::flaw;
use super::lockfiles::is_requirements;
use super::workflows;
use ambit_model::entity::repository::Flaw;
use regex::Regex;
use std::sync::LazyLock;

/// Flaws of one file that are kept.
const FLAWS_MAX: usize = 50;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("our own patterns are tested")
}

/// Reads a file of one format.
type Reader = fn(&str) -> Vec<Flaw>;

/// Returns true for a file by which software is built, by its own name and that of its folder.
pub(crate) fn is_one(path: &str) -> bool {
    reader(path).is_some()
}

fn reader(path: &str) -> Option<Reader> {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Forges run those of the root alone.
    let is_workflow = [".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    match name {
        _ if is_workflow && (name.ends_with(".yml") || name.ends_with(".yaml")) => Some(workflows::flaws),
        "action.yml" | "action.yaml" => Some(workflows::flaws),
        "package-lock.json" | "npm-shrinkwrap.json" | "yarn.lock" => Some(npm),
        "pip.conf" | "pyproject.toml" | "Pipfile" => Some(python),
        _ if is_requirements(path) => Some(python),
        _ => None,
    }
}

/// Returns what is wrong with a file by its name; `None` for one that is no such file.
pub(crate) fn flaws(path: &str, text: &str) -> Option<Vec<Flaw>> {
    let mut flaws = reader(path)?(text);
    for flaw in &mut flaws {
        path.clone_into(&mut flaw.path);
    }
    flaws.truncate(FLAWS_MAX);
    Some(flaws)
}

/// Packages without a scope that come from a registry of one's own: whoever registers the name in the public one may
/// stand in for them.
fn npm(text: &str) -> Vec<Flaw> {
    static RESOLVED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"^\s*"?resolved"?:?\s+"(https?://[^/"]+)/(?:[^"]*/)?([^/"@]+)/-/[^"]+""#));
    const PUBLIC: &[&str] =
        &["registry.npmjs.org", "registry.yarnpkg.com", "registry.npmmirror.com", "npm.pkg.github.com"];
    let mut flaws = Vec::new();
    // Where all come from one place, that is a mirror of the public registry.
    if !PUBLIC.iter().any(|host| text.contains(&format!("//{host}/"))) {
        return flaws;
    }
    for (line, number) in text.lines().zip(1..) {
        let Some(found) = RESOLVED.captures(line) else { continue };
        let host = found[1].split("://").nth(1).unwrap_or_default();
        let is_scoped = line.contains("/@") || line.contains("%40");
        if !PUBLIC.contains(&host) && !is_scoped {
            flaws.push(flaw("dependency_confusion", number, &format!("{} from {host}", &found[2])));
        }
    }
    flaws
}

/// A second index beside the public one: pip takes the higher version, whichever has it.
fn python(text: &str) -> Vec<Flaw> {
    static EXTRA: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"^\s*(?:--)?extra-index-url\s*[= ]\s*["']?https?://(?:[^@/\s]*@)?([^/\s"']+)"#));
    let found = text.lines().zip(1..).filter_map(|(line, number)| Some((EXTRA.captures(line)?[1].to_owned(), number)));
    found
        .filter(|(host, _)| !["pypi.org", "download.pytorch.org"].contains(&host.as_str()))
        .map(|(host, number)| flaw("dependency_confusion", number, &format!("extra index {host}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let flaws = flaws(path, text).unwrap_or_else(|| panic!("{path}"));
        flaws.iter().map(|flaw| format!("{} {} {}", flaw.what, flaw.line, flaw.shown)).collect()
    }

    #[test]
    fn a_workflow_shows_what_strangers_may_change_and_what_they_write_into_commands() {
        let path = ".github/workflows/ci.yml";
        let text = r#"on: [push]
jobs:
  a:
    steps:
      - uses: actions/checkout@v4
      - uses: acme/setup@v1
      - uses: acme/pinned@0123456789abcdef0123456789abcdef01234567 # v1
      - uses: ./local
      # - uses: acme/old@v1
"#;
        assert_eq!(found(path, text), ["unpinned_action 6 acme/setup@v1"]);
        let text = r#"on: issues
jobs:
  a:
    steps:
      - run: echo "${{ github.event.issue.title }}"
      - run: |
          echo ok
          echo ${{ github.head_ref }}
      - name: "${{ github.event.issue.title }}"
        env:
          TITLE: ${{ github.event.issue.title }}
        run: echo "$TITLE" ${{ github.sha }}
"#;
        assert_eq!(
            found(path, text),
            [
                "workflow_injection 5 - run: echo \"${{ github.event.issue.title }}\"",
                "workflow_injection 8 echo ${{ github.head_ref }}"
            ]
        );
        let text = r#"on:
  pull_request_target:
jobs:
  a:
    steps:
      - uses: actions/checkout@v4
        with:
          ref: ${{ github.event.pull_request.head.sha }}
      - run: make
"#;
        assert_eq!(found(path, text), ["workflow_runs_foreign_code 8 ref: ${{ github.event.pull_request.head.sha }}"]);
        assert_eq!(found(path, &text.replace("pull_request_target", "pull_request")), Vec::<String>::new());
        assert_eq!(flaws("src/workflows/ci.yml", "x"), None);
        assert_eq!(flaws("vendored/.github/workflows/ci.yml", "x"), None, "a forge runs it nowhere");
        let action = "runs: {using: composite, steps: [{uses: acme/setup@v1}]}\n";
        assert_eq!(found(".github/actions/x/action.yml", action), ["unpinned_action 1 acme/setup@v1"]);
    }

    #[test]
    fn packages_for_which_a_stranger_may_stand_in_are_told() {
        let lock = r#"{
 "resolved": "https://npm.acme.test/acme-tools/-/acme-tools-1.0.0.tgz",
 "resolved": "https://npm.acme.test/@acme/safe/-/safe-1.0.0.tgz",
 "resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.20.tgz"
}"#;
        assert_eq!(found("package-lock.json", lock), ["dependency_confusion 2 acme-tools from npm.acme.test"]);
        let yarn = r#"acme-tools@^1.0.0:
  version "1.0.0"
  resolved "https://npm.acme.test/acme-tools/-/acme-tools-1.0.0.tgz#abc"
b@^1.0.0:
  resolved "https://registry.yarnpkg.com/b/-/b-1.0.0.tgz#a"
"#;
        assert_eq!(found("yarn.lock", yarn), ["dependency_confusion 3 acme-tools from npm.acme.test"]);
        let mirrored = yarn.replace("registry.yarnpkg.com", "npm.acme.test");
        assert_eq!(found("yarn.lock", &mirrored), Vec::<String>::new(), "a mirror of all");
        let python = "--extra-index-url https://user:word@pypi.acme.test/simple\nrequests==2.0\n";
        assert_eq!(found("requirements.txt", python), ["dependency_confusion 1 extra index pypi.acme.test"]);
        assert_eq!(found("requirements.txt", "--index-url https://pypi.acme.test/simple\n"), Vec::<String>::new());
    }
}
