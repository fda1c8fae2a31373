//! What grows is one file and one line in a list; here is which folder goes with which list.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;

/// Files below `folder` that hold product code must each be named in `list`, beyond their `mod` line.
struct List {
    folder: &'static str,
    /// A file, or with `/` at its end a folder whose files are the parts of the list.
    list: &'static str,
}

const LISTS: &[List] = &[
    List { folder: "crates/ambit-tasks/src/tasks", list: "crates/ambit-tasks/src/tasks.rs" },
    List { folder: "crates/ambit-checks/src/judge", list: "crates/ambit-checks/src/judge.rs" },
    List { folder: "crates/ambit-checks/src/exposure", list: "crates/ambit-checks/src/exposure.rs" },
    List { folder: "crates/ambit-server/src/routes", list: "crates/ambit-server/src/endpoints/" },
];

/// The constant `ALL` of an enumeration names each of its variants that hold nothing.
pub(crate) fn complete(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources() {
        for (index, token) in source.product_tokens().filter(|(index, _)| source.reads(*index, &["const", "ALL", ":"]))
        {
            let Some(name) = implemented(source, index) else { continue };
            let value = &source.tokens[index..];
            let end =
                value.windows(2).position(|pair| pair[0].text == "]" && pair[1].text == ";").filter(|end| *end > 0);
            let begin = value.iter().position(|token| token.text == "=");
            // `Self::VARIANTS` comes from a derive, which forgets none.
            let (Some(begin), Some(end)) = (begin, end) else { continue };
            if end < begin
                || value[begin..end].iter().all(|token| token.text != "[")
                || source.reads(index + begin + 1, &["Self", ":"])
            {
                continue;
            }
            let listed: Vec<&str> = value[begin..end].iter().map(|token| token.text.as_str()).collect();
            for variant in source.variants(name).iter().filter(|variant| !listed.contains(&variant.as_str())) {
                let remedy = format!("add {name}::{variant} to ALL");
                out.push(Finding::new(&source.path, token.line, "complete", remedy));
            }
        }
    }
}

/// Where the handlers of endpoints are.
const ROUTES: &str = "crates/ambit-server/src/routes/";

/// Every handler says in a sentence what it does: its row's summary, which the OpenAPI document repeats.
pub(crate) fn handlers(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.sources.iter().filter(|source| source.path.starts_with(ROUTES)) {
        for (index, token) in source.product_tokens() {
            let public = ["pub", ")"].iter().any(|end| index > 1 && source.reads(index - 2, &[end, "async", "fn"]));
            if token.text == "fn" && public && !is_documented(source, index) {
                let name = source.tokens.get(index + 1).map_or("", |name| name.text.as_str());
                let remedy = format!("{name} has no documentation: say in a sentence what it does");
                out.push(Finding::new(&source.path, token.line, "handlers", remedy));
            }
        }
    }
}

/// Whether a sentence of documentation stands before the function whose `fn` stands here.
fn is_documented(source: &Source, index: usize) -> bool {
    let begin = source.tokens[..index].iter().rposition(|token| ["}", ";", "{"].contains(&token.text.as_str()));
    let before = &source.tokens[begin.map_or(0, |begin| begin + 1)..index];
    before.iter().any(|token| token.kind == TokenKind::Doc && token.text.contains(". ") | token.text.contains(".\""))
}

/// The type whose `impl` block holds a token.
fn implemented(source: &Source, index: usize) -> Option<&str> {
    let begin =
        source.tokens[..index].iter().rposition(|token| token.text == "impl" && token.kind == TokenKind::Word)?;
    source.reads(begin + 2, &["{"]).then(|| source.tokens[begin + 1].text.as_str())
}

/// Every file of a listed folder has its line in the list.
pub(crate) fn registered(tree: &Tree, out: &mut Vec<Finding>) {
    for list in LISTS {
        in_list(list, tree, out);
    }
}

fn in_list(list: &List, tree: &Tree, out: &mut Vec<Finding>) {
    let is_part =
        |source: &&Source| source.path == list.list || (list.list.ends_with('/') && source.path.starts_with(list.list));
    let parts: Vec<&Source> = tree.sources.iter().filter(is_part).collect();
    if parts.is_empty() {
        let remedy = format!("the list of {} is not there: correct LISTS in xtask/src/tidy/lists.rs", list.folder);
        return out.push(Finding::new(list.list, 1, "registered", remedy));
    }
    let names = |part: &Source, name: &str| {
        part.product_tokens().any(|(index, token)| {
            let declared = index > 0 && part.reads(index - 1, &["mod"]);
            token.kind == TokenKind::Word && token.text == name && !declared
        })
    };
    let named = |name: &str| parts.iter().any(|part| names(part, name));
    let mut members = 0;
    for source in tree.sources.iter().filter(|source| !source.is_test && source.path != list.list) {
        let Some(file) = source.path.strip_prefix(list.folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
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

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    #[test]
    fn a_forgotten_variant_is_found() {
        let sample = |all: &str| {
            format!(
                "enum Sort {{ /// One.\n #[default] One, Two = 2, Other(String) }}\nimpl Sort {{ const ALL: [Self; 2] \
                 = {all}; }}"
            )
        };
        assert!(said(complete, &[("crates/a/src/a.rs", &sample("[Self::One, Self::Two]"))]).is_empty());
        assert!(said(complete, &[("crates/a/src/a.rs", &sample("Self::VARIANTS"))]).is_empty());
        assert_eq!(
            said(complete, &[("crates/a/src/a.rs", &sample("[Self::One, Self::One]"))]),
            ["crates/a/src/a.rs:3: complete: add Sort::Two to ALL"]
        );
    }

    #[test]
    fn a_handler_without_a_sentence_is_found() {
        let path = "crates/ambit-server/src/routes/issues.rs";
        let good = "use a::b;\n/// Lists the issues.\n#[inline]\npub async fn list(call: Call) {}\nfn own() {}";
        assert!(said(handlers, &[(path, good)]).is_empty());
        assert!(said(handlers, &[("crates/ambit-server/src/gate.rs", "pub async fn pass() {}")]).is_empty());
        let expected = format!("{path}:3: handlers: find has no documentation: say in a sentence what it does");
        for bad in
            ["/// Lists.\npub async fn list() {}\npub async fn find() {}", "\n/// issues\npub async fn find() {}"]
        {
            assert_eq!(said(handlers, &[(path, bad)]), [expected.as_str()], "{bad}");
        }
    }

    fn tasks(tree: &Tree, out: &mut Vec<Finding>) {
        let list = List { folder: "crates/t/src/tasks", list: "crates/t/src/tasks.rs" };
        in_list(&list, tree, out);
    }

    #[test]
    fn a_forgotten_line_is_found() {
        let files = [
            ("crates/t/src/tasks/resolve.rs", "pub const TASK: Task = Task {};"),
            ("crates/t/src/tasks/tests.rs", ""),
            ("crates/t/src/parse.rs", "fn parse() {}"),
        ];
        let said_of = |list| said(tasks, &[files[0], files[1], files[2], ("crates/t/src/tasks.rs", list)]);
        assert!(said_of("mod resolve;\nconst ALL: &[Task] = &[resolve::TASK];").is_empty());
        let expected = "crates/t/src/tasks/resolve.rs:1: registered: add resolve to the list in crates/t/src/tasks.rs";
        assert_eq!(said_of("mod resolve;\nconst ALL: &[Task] = &[];"), [expected]);
    }

    #[test]
    fn a_list_may_be_a_folder() {
        fn routes(tree: &Tree, out: &mut Vec<Finding>) {
            in_list(&List { folder: "crates/s/src/routes", list: "crates/s/src/tables/" }, tree, out);
        }
        let file = ("crates/s/src/routes/issues.rs", "pub fn list() {}");
        let parts = [("crates/s/src/tables/one.rs", ""), ("crates/s/src/tables/two.rs", "fn all() { issues::list; }")];
        assert!(said(routes, &[file, parts[0], parts[1]]).is_empty());
        assert_eq!(said(routes, &[file, parts[0]]).len(), 1);
        assert_eq!(said(routes, &[file]).len(), 1);
    }

    #[test]
    fn a_list_that_moved_is_found() {
        assert_eq!(said(tasks, &[]).len(), 1);
        assert_eq!(said(tasks, &[("crates/t/src/tasks.rs", "")]).len(), 1);
    }
}
