//! Lock files of Poetry, uv, PDM and Pipenv, and files in pip's form.

use super::blocks::blocks;
use super::package::{package, pattern};
use ambit_model::entity::repository::Package;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Folders whose files of text name Python's packages.
const REQUIREMENTS: &[&str] = &["req", "reqs", "requirements"];

/// True for a file in pip's form: of an own name, or in a folder for them.
pub(in crate::read) fn is_requirements(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or(path), parts.next().unwrap_or(""));
    let has_name = ["requirements", "constraints"].iter().any(|front| name.starts_with(front));
    let is_list = name.ends_with(".txt") || name.ends_with(".in");
    is_list && (has_name || REQUIREMENTS.contains(&folder))
}

/// Lock files of Poetry, uv and PDM, and the one that all may write.
pub(super) fn locked(text: &str) -> Vec<Package> {
    blocks("PyPI", text, |_, block| !ELSEWHERE.is_match(block))
}

/// What comes from a repository or a folder is no package of the registry.
/// `source = { git = "…" }` of uv, `type = "git"` in the table `source` of Poetry, `git = "…"` of PDM.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    let uv = r"source = \{ *(?:editable|virtual|git|path|directory)\b";
    let poetry = r#"\[package\.source\]\s+type = "(?:git|directory|file)""#;
    let pylock = r"(?:\[packages\.)?(?:vcs|directory|archive)(?:\]| = )";
    pattern(&format!(r"(?m)^(?:{uv}|{poetry}|{pylock}|(?:git|path) = |editable = true)"))
});

pub(super) fn pipfile(text: &str) -> Option<Vec<Package>> {
    let body: Value = serde_json::from_str(text).ok()?;
    let groups = ["default", "develop"].into_iter().filter_map(|group| body[group].as_object()).flatten();
    let exact = groups.filter_map(|(name, about)| Some((name, about["version"].as_str()?.strip_prefix("==")?)));
    Some(exact.map(|(name, version)| package("PyPI", name, version)).collect())
}

/// `requests==2.31.0`, with extras, conditions and hashes behind.
pub(super) fn requirements(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*===?\s*([^\s;,#\\*]+)\s*(?:[;#\\]|--|$)"));
    text.lines().filter_map(|line| LINE.captures(line)).map(|found| package("PyPI", &found[1], &found[2])).collect()
}
