//! Which files of a crate need each other in a circle. A module and its parent may; anything else is one thing in two
//! files, or two things that are not told apart.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Circles that are there today, one a line: the crate and the files of the circle. The list may only shrink.
const EXCEPTIONS_PATH: &str = "xtask/circles.txt";
/// Names that lead to other names, followed this far.
const REEXPORTS_MAX: usize = 8;

/// The files of a crate form no circle beyond a module and its parent, or stand together on the list.
pub(crate) fn circles(tree: &Tree, out: &mut Vec<Finding>) {
    let text = tree.text(EXCEPTIONS_PATH).unwrap_or_default();
    let rows: Vec<(usize, BTreeSet<String>)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(index, line)| (index + 1, files_of_row(line)))
        .collect();
    let mut needed = BTreeSet::new();
    for circle in all(tree) {
        let first = circle.first().cloned().unwrap_or_default();
        if rows.iter().any(|(_, row)| circle.is_subset(row)) {
            needed.extend(circle);
            continue;
        }
        let names: Vec<&str> =
            circle.iter().map(|path| path.rsplit_once("/src/").map_or(path.as_str(), |(_, file)| file)).collect();
        let remedy = format!(
            "these files need each other: {}; move what two of them share into a file of its own",
            names.join(" ")
        );
        out.push(Finding::new(&first, 1, "circles", remedy));
    }
    for (line, row) in &rows {
        for file in row.difference(&needed) {
            let remedy = format!("{file} is in no such circle: remove it from the line");
            out.push(Finding::new(EXCEPTIONS_PATH, *line, "circles", remedy));
        }
    }
}

/// The circles that there are, each with its files.
pub(super) fn all(tree: &Tree) -> Vec<BTreeSet<String>> {
    Graph::new(tree).circles()
}

/// The folder of the handlers.
const HANDLERS: &str = "crates/ambit-server/src/routes/";

/// No handler imports a handler: what two of them need stands beside the folder, or in the module above both.
pub(crate) fn handlers_apart(tree: &Tree, out: &mut Vec<Finding>) {
    let graph = Graph::new(tree);
    for ((krate, module), source) in graph.modules.iter().filter(|(_, source)| source.path.starts_with(HANDLERS)) {
        for other in graph.needs_of(krate, module, source).iter().filter_map(|path| path.strip_prefix(HANDLERS)) {
            let remedy = format!("imports the handlers of {other}: move what both need out of {HANDLERS}");
            out.push(Finding::new(&source.path, 1, "handlers-apart", remedy));
        }
    }
}

/// Reads `crate file file …` into paths from the root of the repository.
fn files_of_row(line: &str) -> BTreeSet<String> {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    words.map(|file| format!("crates/{name}/src/{file}")).collect()
}

/// Which file needs which, in all crates.
struct Graph<'a> {
    /// Crate and module path, and the file it has.
    modules: BTreeMap<(&'a str, Vec<String>), &'a Source>,
    uses: BTreeMap<&'a str, Vec<Use>>,
}

/// A path as it is written in a file.
#[derive(Debug, PartialEq)]
struct Use {
    path: Vec<String>,
    /// The name that it has in the file: that of an import, none where it stands in an expression.
    name: Option<String>,
    /// It only hands the name on.
    is_export: bool,
}

impl<'a> Graph<'a> {
    fn new(tree: &'a Tree) -> Self {
        let sources = || tree.crate_sources().filter(|source| !source.is_test);
        let modules =
            sources().filter_map(|source| Some(((source.crate_name(), module_of(source)?), source))).collect();
        let uses = sources().map(|source| (source.path.as_str(), uses_of(source))).collect();
        Graph { modules, uses }
    }

    /// The groups of files that all lead to each other, of two files and more.
    fn circles(&self) -> Vec<BTreeSet<String>> {
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for ((krate, module), source) in &self.modules {
            needs.insert(&source.path, self.needs_of(krate, module, source));
        }
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            needs.keys().map(|path| (*path, reachable(path, &needs))).collect();
        let mut done = BTreeSet::new();
        let mut circles = Vec::new();
        for (path, all) in &reached {
            let back = |other: &&&str| reached[**other].contains(path);
            let circle: BTreeSet<String> = all.iter().filter(back).map(|other| (*other).to_owned()).collect();
            if circle.len() > 1 && done.insert(circle.clone()) {
                circles.push(circle);
            }
        }
        circles
    }

    /// The files that one file needs, its parents not counted: a module and its parent may need each other. The crate's
    /// root is no such parent.
    fn needs_of(&self, krate: &'a str, module: &[String], source: &Source) -> BTreeSet<&'a str> {
        let imports = self.uses[source.path.as_str()].iter().filter(|used| !used.is_export);
        let targets = imports.filter_map(|used| self.resolve(krate, module, &used.path, 0));
        targets
            .filter(|(target, file)| file.path != source.path && (target.is_empty() || !module.starts_with(target)))
            .map(|(_, file)| file.path.as_str())
            .collect()
    }

    /// The module that a path leads to from within `module`, through names that other modules hand on. `None` leads out
    /// of the crate.
    fn resolve(
        &self,
        krate: &'a str,
        module: &[String],
        path: &[String],
        depth: usize,
    ) -> Option<(Vec<String>, &'a Source)> {
        let mut at = module.to_vec();
        let mut rest = path.iter().peekable();
        match rest.peek()?.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => at.truncate(at.len().checked_sub(1)?),
            name => {
                let child = [module, &[name.to_owned()]].concat();
                let known = self.modules.contains_key(&(krate, child)) || self.imported(krate, module, name).is_some();
                if !known {
                    return None;
                }
                rest = path.iter().peekable();
                return self.descend(krate, at, rest.cloned().collect(), depth);
            }
        }
        rest.next();
        while rest.next_if(|name| *name == "super").is_some() {
            at.truncate(at.len().checked_sub(1)?);
        }
        self.descend(krate, at, rest.cloned().collect(), depth)
    }

    fn descend(
        &self,
        krate: &'a str,
        mut at: Vec<String>,
        rest: Vec<String>,
        depth: usize,
    ) -> Option<(Vec<String>, &'a Source)> {
        for (index, name) in rest.iter().enumerate() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&(krate, child.clone())) {
                at = child;
                continue;
            }
            if let Some(used) = self.imported(krate, &at, name).filter(|_| depth < REEXPORTS_MAX) {
                let path = [used.path.as_slice(), &rest[index + 1..]].concat();
                if let Some(found) = self.resolve(krate, &at, &path, depth + 1) {
                    return Some(found);
                }
            }
            break;
        }
        let source = self.modules.get(&(krate, at.clone()))?;
        Some((at, source))
    }

    /// The import of a module that has this name there.
    fn imported(&self, krate: &'a str, module: &[String], name: &str) -> Option<&Use> {
        let source = self.modules.get(&(krate, module.to_vec()))?;
        let mut uses = self.uses[source.path.as_str()].iter();
        uses.find(|used| used.name.as_deref() == Some(name) && used.path.first().is_some_and(|first| first != name))
    }
}

fn reachable<'a>(from: &'a str, needs: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(path) = waiting.pop() {
        waiting.extend(needs.get(path).into_iter().flatten().filter(|next| reached.insert(**next)));
    }
    reached
}

/// The module that a file is: `crates/a/src/b/c.rs` is `b::c`. The files of other folders are no modules of the crate.
fn module_of(source: &Source) -> Option<Vec<String>> {
    let (_, file) = source.path.split_once("/src/")?;
    let file = file.strip_suffix(".rs")?;
    let mut parts: Vec<String> = file.split('/').map(str::to_owned).collect();
    if ["lib", "main", "mod"].contains(&parts.last()?.as_str()) {
        parts.pop();
    }
    Some(parts)
}

/// Every path of a file's product code that may lead to another file of its crate.
fn uses_of(source: &Source) -> Vec<Use> {
    let children: BTreeSet<&str> = source
        .product_tokens()
        .filter(|(index, _)| *index > 0 && source.reads(index - 1, &["mod"]) && source.reads(index + 1, &[";"]))
        .map(|(_, token)| token.text.as_str())
        .collect();
    let mut uses = Vec::new();
    let mut done = 0;
    for (index, token) in source.product_tokens().filter(|(_, token)| token.kind == TokenKind::Word) {
        if index < done {
            continue;
        }
        if token.text == "use" && !source.reads(index + 1, &["<"]) {
            let is_export = index > 0 && (source.reads(index - 1, &["pub"]) || source.reads(index - 1, &[")"]));
            done = import(source, index + 1, Vec::new(), is_export, &mut uses);
            continue;
        }
        let begins = source.reads(index + 1, &[":", ":"]) && !(index > 0 && source.reads(index - 1, &[":"]));
        if begins
            && (["crate", "self", "super"].contains(&token.text.as_str()) || children.contains(token.text.as_str()))
        {
            let path = path_at(source, index);
            uses.push(Use { path, name: None, is_export: false });
        }
    }
    uses
}

fn path_at(source: &Source, mut index: usize) -> Vec<String> {
    let mut path = vec![source.tokens[index].text.clone()];
    while source.reads(index + 1, &[":", ":"])
        && source.tokens.get(index + 3).is_some_and(|token| token.kind == TokenKind::Word)
    {
        index += 3;
        path.push(source.tokens[index].text.clone());
    }
    path
}

/// Reads the tree of an import from a token on, and gives the token behind it.
fn import(source: &Source, mut index: usize, before: Vec<String>, is_export: bool, uses: &mut Vec<Use>) -> usize {
    let mut path = before.clone();
    while let Some(token) = source.tokens.get(index) {
        match (token.kind, token.text.as_str()) {
            (TokenKind::Word, "as") => {
                let name = source.tokens.get(index + 1).map(|token| token.text.clone());
                uses.push(Use { path, name, is_export });
                return index + 2;
            }
            // `{self}` is the module before the braces.
            (TokenKind::Word, "self") if !path.is_empty() => {}
            (TokenKind::Word, name) => path.push(name.to_owned()),
            (_, "{") => {
                index += 1;
                while source.tokens.get(index).is_some_and(|token| token.text != "}") {
                    index = import(source, index, path.clone(), is_export, uses);
                    index += usize::from(source.reads(index, &[","]));
                }
                return index + 1;
            }
            (_, ":" | "*") => {}
            _ => break,
        }
        index += 1;
    }
    let name = path.last().cloned();
    uses.push(Use { path, name, is_export });
    index
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    fn file(name: &str, text: &'static str) -> (String, &'static str) {
        (format!("crates/x/src/{name}"), text)
    }

    fn found(files: &[(String, &str)], list: &str) -> Vec<String> {
        let mut samples: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        samples.push((EXCEPTIONS_PATH, list));
        said(circles, &samples)
    }

    #[test]
    fn two_files_that_need_each_other_are_found() {
        let bad = [
            file("lib.rs", "mod a;\nmod b;"),
            file("a.rs", "use crate::b::B;"),
            file("b.rs", "fn f() { crate::a::g(); }"),
        ];
        let expected = "crates/x/src/a.rs:1: circles: these files need each other: a.rs b.rs; move what two of them \
                        share into a file of its own";
        assert_eq!(found(&bad, ""), [expected]);
        let good = [file("lib.rs", "mod a;\nmod b;"), file("a.rs", "use crate::b::B;"), file("b.rs", "use std::fmt;")];
        assert!(found(&good, "").is_empty());
    }

    #[test]
    fn circles_are_followed_through_names_that_a_module_hands_on() {
        let files = [
            file("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::C as D;"),
            file("a.rs", "use crate::{D, b::{self, B}};"),
            file("b.rs", "use std::fmt;"),
            file("c.rs", "use super::a;"),
        ];
        assert_eq!(found(&files, "").len(), 1);
        assert!(found(&files, "")[0].contains("a.rs c.rs;"));
    }

    #[test]
    fn a_module_and_its_parent_may_need_each_other_but_not_the_root() {
        let child = [
            file("lib.rs", "mod a;"),
            file("a.rs", "mod b;\nuse b::B;"),
            file("a/b.rs", "use super::A;\nuse crate::a::C;"),
        ];
        assert!(found(&child, "").is_empty());
        let root = [file("lib.rs", "mod a;\nstruct S(a::A);"), file("a.rs", "use crate::S;")];
        assert_eq!(found(&root, "").len(), 1);
    }

    #[test]
    fn a_handler_that_imports_a_handler_is_found() {
        let sample = |import: &str| {
            let files = [
                ("crates/ambit-server/src/lib.rs", "mod routes;\nmod page;"),
                ("crates/ambit-server/src/page.rs", "pub struct Page;"),
                ("crates/ambit-server/src/routes.rs", "pub mod files;\npub mod votes;"),
                ("crates/ambit-server/src/routes/files.rs", "pub fn bytes() {}"),
                ("crates/ambit-server/src/routes/votes.rs", import),
            ];
            said(handlers_apart, &files)
        };
        let expected = "crates/ambit-server/src/routes/votes.rs:1: handlers-apart: imports the handlers of files.rs: \
                        move what both need out of crates/ambit-server/src/routes/";
        for bad in ["use crate::routes::files;", "use super::files::bytes;", "fn f() { super::files::bytes() }"] {
            assert_eq!(sample(bad), [expected], "{bad}");
        }
        for good in ["use crate::page::Page;", "use super::shared;", "use std::fmt;"] {
            assert!(sample(good).is_empty(), "{good}");
        }
    }

    #[test]
    fn tests_may_use_what_they_like() {
        let files = [
            file("lib.rs", "mod a;\nmod b;"),
            file("a.rs", "use crate::b::B;"),
            file("b.rs", "#[cfg(test)]\nmod tests { use crate::a::A; }"),
        ];
        assert!(found(&files, "").is_empty());
    }

    #[test]
    fn a_listed_circle_may_only_shrink() {
        let bad =
            [file("lib.rs", "mod a;\nmod b;"), file("a.rs", "use crate::b::B;"), file("b.rs", "use crate::a::A;")];
        assert!(found(&bad, "# why\nx a.rs b.rs\n").is_empty());
        let more = found(&bad, "x a.rs b.rs c.rs\n");
        assert_eq!(
            more,
            ["xtask/circles.txt:1: circles: crates/x/src/c.rs is in no such circle: remove it from the line"]
        );
        assert_eq!(found(&bad, "x a.rs\n").len(), 2);
    }
}
