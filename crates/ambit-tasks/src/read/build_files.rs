//! What files by which software is built say of how safely that is done: actions that others may change, texts of
//! strangers in commands, packages that a stranger may stand in for.

use super::flaw::flaw;
use super::lockfiles::is_requirements;
use super::workflows;
use ambit_model::entity::repository::Flaw;
use regex::Regex;
use std::collections::BTreeSet;
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
        "Dockerfile" | "Containerfile" => Some(python),
        _ if name.starts_with("Dockerfile.") || name.ends_with(".Dockerfile") => Some(python),
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

/// Registries of npm in which everybody finds the same packages.
const PUBLIC_NPM: &[&str] = &[
    "npm.pkg.github.com",
    "r.cnpmjs.org",
    "registry.npm.taobao.org",
    "registry.npmjs.com",
    "registry.npmjs.org",
    "registry.npmmirror.com",
    "registry.yarnpkg.com",
];

/// Packages without a scope that come from a registry of one's own: whoever registers the name in the public one may
/// stand in for them. A registry from which public packages come as well decides itself where each comes from.
fn npm(text: &str) -> Vec<Flaw> {
    static RESOLVED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"^\s*"?resolved"?:?\s+"(https?://[^/"]+/(?:[^"]*/)?)([^/"@]+)/-/[^"]+""#));
    // Names of folders in which Artifactory and Nexus have the packages of other registries.
    static PROXY: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)[/-](?:npm-)?(?:all|group|mirror|proxy|public|remote|virtual)[/-]"));
    let found = text.lines().zip(1_usize..).filter_map(|(line, number)| {
        let resolved = RESOLVED.captures(line)?;
        let (place, name) = (resolved.get(1)?.as_str(), resolved.get(2)?.as_str());
        let is_scoped = line.contains("/@") || line.contains("%40");
        (!is_scoped).then(|| (place, host_of(place), name, number))
    });
    let (public, own): (Vec<_>, Vec<_>) = found.partition(|(_, host, ..)| PUBLIC_NPM.contains(host));
    // Where all come from one place, that is a mirror of the public registry.
    if !PUBLIC_NPM.iter().any(|host| text.contains(&format!("//{host}/"))) {
        return Vec::new();
    }
    let names: BTreeSet<&str> = public.into_iter().map(|(_, _, name, _)| name).collect();
    let proxies: BTreeSet<&str> =
        own.iter().filter(|(_, _, name, _)| names.contains(name)).map(|(place, ..)| *place).collect();
    own.into_iter()
        .filter(|(place, ..)| !proxies.contains(place) && !PROXY.is_match(place))
        .map(|(_, host, name, number)| flaw("dependency_confusion", number, &format!("{name} from {host}")))
        .collect()
}

/// The host of a URL.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '"', '\'']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

/// Indexes of Python's packages in which everybody finds the same.
const PUBLIC_PYTHON: &[&str] = &[
    "data.pyg.org",
    "download.pytorch.org",
    "mirrors.aliyun.com",
    "pypi.nvidia.com",
    "pypi.org",
    "pypi.python.org",
    "pypi.tuna.tsinghua.edu.cn",
];

/// A second index beside the public one: pip takes the higher version, whichever has it, and Poetry asks one that is
/// `supplemental` only where the public one has nothing.
fn python(text: &str) -> Vec<Flaw> {
    static EXTRA: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r#"(?i)(?:\b|_)extra[-_]index[-_]url(?:\s*=\s*|\s+)(\[[^\]]*\]|["']?https?://[^\s"']+)"#)
    });
    static SOURCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*\[\[tool\.poetry\.source\]\]([^\[]*)"));
    static LAST: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"(?m)^\s*priority\s*=\s*["'](?:supplemental|secondary)["']"#));
    static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"https?://[^\s"',\]]+"#));
    let extra = EXTRA.captures_iter(text).filter_map(|found| found.get(1));
    let last =
        SOURCE.captures_iter(text).filter_map(|found| found.get(1)).filter(|found| LAST.is_match(found.as_str()));
    let mut flaws: Vec<Flaw> = Vec::new();
    for part in extra.chain(last) {
        for url in URL.find_iter(part.as_str()) {
            let before = &text[..part.start() + url.start()];
            let is_comment = before.lines().last().is_some_and(|line| line.trim_start().starts_with('#'));
            let host = host_of(url.as_str());
            if !is_comment && !PUBLIC_PYTHON.contains(&host) {
                let line = before.matches('\n').count() + 1;
                flaws.push(flaw("dependency_confusion", line, &format!("extra index {host}")));
            }
        }
    }
    flaws.sort_by_key(|flaw| flaw.line);
    flaws
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
        let others = r#"
  resolved "https://registry.npm.taobao.org/lodash/-/lodash-4.17.21.tgz#aa"
  resolved "https://registry.yarnpkg.com/react/-/react-17.0.2.tgz#bb"
  resolved "https://acme.jfrog.io/artifactory/api/npm/npm-virtual/axios/-/axios-1.0.0.tgz#bb"
  resolved "https://registry.npmjs.com/vue/-/vue-3.0.0.tgz#bb"
  resolved "https://npm.acme.test/acme-internal/-/acme-internal-1.0.0.tgz#cc"
  resolved "https://mirror.acme.test/react/-/react-16.0.0.tgz#dd"
  resolved "https://mirror.acme.test/redux/-/redux-1.0.0.tgz#dd"
"#;
        assert_eq!(found("yarn.lock", others), ["dependency_confusion 6 acme-internal from npm.acme.test"]);
        for (path, text, wanted) in [
            ("Dockerfile", "FROM x\nRUN pip install --extra-index-url https://pypi.acme.test/simple foo\n", "2"),
            ("api.Dockerfile", "ENV PIP_EXTRA_INDEX_URL=https://pypi.acme.test/simple\n", "1"),
            ("Dockerfile", "# RUN pip install --extra-index-url https://pypi.acme.test/simple foo\n", ""),
            ("pyproject.toml", "[tool.x]\nextra-index-url = [\n  \"https://pypi.acme.test/simple\",\n]\n", "3"),
            (
                "pyproject.toml",
                "[[tool.poetry.source]]\nname = \"a\"\nurl = \"https://pypi.acme.test/simple\"\npriority = \
                 \"supplemental\"\n",
                "3",
            ),
            (
                "pyproject.toml",
                "[[tool.poetry.source]]\nurl = \"https://pypi.acme.test/simple\"\npriority = \"explicit\"\n",
                "",
            ),
            ("pyproject.toml", "[[tool.uv.index]]\nurl = \"https://pypi.acme.test/simple\"\n", ""),
            ("requirements.txt", "--extra-index-url https://pypi.nvidia.com\n", ""),
            ("requirements.txt", "-i https://pypi.org/simple --extra-index-url=https://pypi.acme.test/simple\n", "1"),
        ] {
            let told = format!("dependency_confusion {wanted} extra index pypi.acme.test");
            let told = Vec::from_iter(Some(told).filter(|_| !wanted.is_empty()));
            assert_eq!(found(path, text), told, "{path} {text}");
        }
        let python = "--extra-index-url https://user:word@pypi.acme.test/simple\nrequests==2.0\n";
        assert_eq!(found("requirements.txt", python), ["dependency_confusion 1 extra index pypi.acme.test"]);
        assert_eq!(found("requirements.txt", "--index-url https://pypi.acme.test/simple\n"), Vec::<String>::new());
    }
}
