//! What the compiler cannot check and reviewers forget: who may know whom, which words stand where, how long things
//! get. A rule is a function from the tree to findings, in a file of its kind; each has a good and a bad sample beside
//! it. A rule is made exact when it is wrong, never looser when it hurts.

mod circles;
mod dependencies;
mod docs;
mod doors;
mod leftovers;
mod lists;
pub(crate) mod measure;
mod shape;
mod source;
mod tree;
mod words;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

/// One broken rule at one place, with what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    remedy: String,
}

impl Finding {
    fn new(path: &str, line: usize, rule: &'static str, remedy: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, rule, remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}: {}", self.path, self.line, self.rule, self.remedy)
    }
}

type Rule = fn(&Tree, &mut Vec<Finding>);

/// Every rule over the files. Those that need cargo's own answers stand in `dependencies::from_cargo`.
const RULES: &[Rule] = &[
    circles::circles,
    circles::handlers_apart,
    dependencies::directions,
    dependencies::shared_versions,
    dependencies::refused_packages,
    dependencies::unused,
    docs::decisions,
    docs::links,
    docs::map_names_every_crate,
    docs::paths,
    docs::references,
    docs::sections,
    doors::sockets,
    doors::wire,
    doors::sql,
    doors::search_engine,
    doors::pure_crates,
    doors::judges_without_network,
    doors::wall_clock,
    doors::build_scripts,
    leftovers::unfinished,
    leftovers::machine_paths,
    leftovers::blobs,
    leftovers::sleeps_in_tests,
    lists::complete,
    lists::handlers,
    lists::registered,
    shape::imports,
    shape::parsable,
    shape::tuple_parameters,
    shape::module_docs,
    shape::line_length,
    shape::sizes,
    words::house_words,
    words::module_names,
    words::simulated_internet,
    words::contract_oddities,
    words::kinds,
];

/// `cargo xtask tidy`: prints each finding on one line and fails if there is any.
pub(crate) fn command(root: &Path) -> anyhow::Result<ExitCode> {
    let tree = Tree::read(root)?;
    let findings = check(&tree, root)?;
    for finding in &findings {
        println!("{finding}");
    }
    let functions: usize = tree.sources.iter().map(|source| source.functions.len()).sum();
    println!("{} files, {functions} functions checked", tree.files.len());
    if findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("xtask: {} findings; CONTRIBUTING.md says why the rules are there", findings.len());
    Ok(ExitCode::FAILURE)
}

fn check(tree: &Tree, root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for rule in RULES {
        rule(tree, &mut findings);
    }
    dependencies::from_cargo(root, &mut findings)?;
    findings.sort();
    findings.dedup();
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let root = crate::root();
        let tree = Tree::read(&root).unwrap();
        let findings = check(&tree, &root).unwrap();
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "run `cargo xtask tidy`:\n{}", lines.join("\n"));
    }

    #[test]
    fn a_finding_names_place_rule_and_remedy() {
        let finding = Finding::new("crates/a/src/lib.rs", 7, "sockets", "connect through ambit-net");
        assert_eq!(finding.to_string(), "crates/a/src/lib.rs:7: sockets: connect through ambit-net");
    }
}
