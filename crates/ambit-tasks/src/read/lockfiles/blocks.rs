//! Lock files in TOML, with a block for each package.

use super::package::{package, pattern};
use ambit_model::entity::repository::Package;
use regex::Regex;
use std::sync::LazyLock;

/// `[[package]]`, in `pylock.toml` `[[packages]]`, with `name` and `version`. Whether a package is of the registry is
/// asked with its members and with its whole block.
pub(super) fn blocks(ecosystem: &str, text: &str, is_of_registry: impl Fn(&str, &str) -> bool) -> Vec<Package> {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^(name|version) = "([^"]*)""#));
    let mut found = Vec::new();
    let text = text.replace("[[packages]]", "[[package]]");
    for block in text.split("[[package]]").skip(1) {
        let members = block.split("\n[").next().unwrap_or(block);
        let said = |wanted: &str| {
            let mut said = members.lines().filter_map(|line| MEMBER.captures(line));
            said.find(|member| &member[1] == wanted).map_or_else(String::new, |member| member[2].to_owned())
        };
        if is_of_registry(members, block) {
            found.push(package(ecosystem, &said("name"), &said("version")));
        }
    }
    found
}
