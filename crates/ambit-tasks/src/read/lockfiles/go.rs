//! Modules of Go: what they require, and what is put in the place of that.

use super::package::{package, pattern};
use ambit_model::entity::repository::Package;
use regex::Regex;
use std::sync::LazyLock;

/// `require example.org/x v1.2.3` and such lines within brackets. What is replaced is the package that stands in its
/// place, `replace example.org/x v1.2.3 => example.org/y v1.2.4`, or a folder, which names no version.
pub(super) fn go(text: &str) -> Vec<Package> {
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
