//! What grows is one file and one line in a list; here is which folder goes with which list.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;

/// Files below `folder` that declare `member` must each be named in `list`, beyond their `mod` line.
struct List {
    folder: &'static str,
    member: Member,
    list: &'static str,
}

/// What makes a file of the folder a member of the list.
enum Member {
    /// It declares a constant of this name.
    Constant(&'static str),
    /// It is there, and holds product code.
    File,
}

const LISTS: &[List] = &[
    List {
        folder: "crates/ambit-tasks/src",
        member: Member::Constant("TASK"),
        list: "crates/ambit-tasks/src/lib.rs",
    },
    List {
        folder: "crates/ambit-checks/src/judge",
        member: Member::File,
        list: "crates/ambit-checks/src/judge.rs",
    },
    List {
        folder: "crates/ambit-server/src/routes",
        member: Member::File,
        list: "crates/ambit-server/src/endpoints.rs",
    },
];

/// Every file of a listed folder has its line in the list.
pub(crate) fn registered(tree: &Tree, out: &mut Vec<Finding>) {
    for list in LISTS {
        in_list(list, tree, out);
    }
}

fn in_list(list: &List, tree: &Tree, out: &mut Vec<Finding>) {
    let Some(registry) = tree.sources.iter().find(|source| source.path == list.list) else {
        let remedy = format!("the list of {} is not there: correct LISTS in xtask/src/tidy/lists.rs", list.folder);
        return out.push(Finding::new(list.list, 1, "registered", remedy));
    };
    let named = |name: &str| {
        registry.product_tokens().any(|(index, token)| {
            let declared = index > 0 && registry.reads(index - 1, &["mod"]);
            token.kind == TokenKind::Word && token.text == name && !declared
        })
    };
    let mut members = 0;
    for source in tree.sources.iter().filter(|source| !source.is_test && source.path != list.list) {
        let Some(file) = source.path.strip_prefix(list.folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        if !is_member(source, &list.member) {
            continue;
        }
        members += 1;
        let name = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
        if !named(name) {
            let remedy = format!("add {name} to the list in {}", list.list);
            out.push(Finding::new(&source.path, 1, "registered", remedy));
        }
    }
    if members == 0 {
        let remedy = format!("{} is empty: correct LISTS in xtask/src/tidy/lists.rs", list.folder);
        out.push(Finding::new(list.list, 1, "registered", remedy));
    }
}

fn is_member(source: &Source, member: &Member) -> bool {
    match member {
        Member::File => true,
        Member::Constant(name) => source.product_tokens().any(|(index, _)| source.reads(index, &["const", name, ":"])),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    fn tasks(tree: &Tree, out: &mut Vec<Finding>) {
        in_list(
            &List {
                folder: "crates/t/src",
                member: Member::Constant("TASK"),
                list: "crates/t/src/lib.rs",
            },
            tree,
            out,
        );
    }

    #[test]
    fn a_forgotten_line_is_found() {
        let files = [
            ("crates/t/src/resolve.rs", "pub const TASK: Task = Task {};"),
            ("crates/t/src/parse.rs", "// const TASK: none"),
        ];
        let good = ("crates/t/src/lib.rs", "mod parse;\nmod resolve;\nconst ALL: &[Task] = &[resolve::TASK];");
        assert!(said(tasks, &[files[0], files[1], good]).is_empty());
        let bad = ("crates/t/src/lib.rs", "mod parse;\nmod resolve;\nconst ALL: &[Task] = &[];");
        let expected = "crates/t/src/resolve.rs:1: registered: add resolve to the list in crates/t/src/lib.rs";
        assert_eq!(said(tasks, &[files[0], files[1], bad]), [expected]);
    }

    #[test]
    fn every_file_of_a_folder_can_be_a_member() {
        fn routes(tree: &Tree, out: &mut Vec<Finding>) {
            in_list(
                &List {
                    folder: "crates/s/src/routes",
                    member: Member::File,
                    list: "crates/s/src/table.rs",
                },
                tree,
                out,
            );
        }
        let files = [
            ("crates/s/src/routes/issues.rs", "pub fn list() {}"),
            ("crates/s/src/routes/tests.rs", ""),
        ];
        assert!(said(routes, &[files[0], files[1], ("crates/s/src/table.rs", "fn all() { issues::list; }")]).is_empty());
        assert_eq!(said(routes, &[files[0], files[1], ("crates/s/src/table.rs", "mod issues;")]).len(), 1);
    }

    #[test]
    fn a_list_that_moved_is_found() {
        assert_eq!(said(tasks, &[]).len(), 1);
        assert_eq!(said(tasks, &[("crates/t/src/lib.rs", "")]).len(), 1);
    }
}
