//! Lock files of Bundler.

use super::package::{package, pattern};
use ambit_model::entity::repository::Package;
use regex::Regex;
use std::sync::LazyLock;

/// `    rack (2.2.3)`: four blanks; what a package needs in turn has six.
pub(super) fn gems(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ {4}(\S+) \((\d[^)\s-]*)[^)]*\)$"));
    let of_registry = text.split("\n\n").filter(|section| section.trim_start().starts_with("GEM"));
    let lines = of_registry.flat_map(str::lines).filter_map(|line| LINE.captures(line));
    lines.map(|found| package("RubyGems", &found[1], &found[2])).collect()
}
