//! Documentation that points somewhere points at something, and the map names every crate.

use super::Finding;
use super::tree::{File, Tree};

const MAP: &str = "docs/architecture.md";
const DECISIONS: &str = "docs/decisions/";

/// Every relative link of a Markdown file leads to a file or folder of the repository.
pub(crate) fn links(tree: &Tree, out: &mut Vec<Finding>) {
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        let mut in_code = false;
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            if in_code || line.starts_with("    ") {
                continue;
            }
            for target in targets(line).filter(|target| !leads_somewhere(tree, file, target)) {
                out.push(Finding::new(
                    &file.path,
                    index + 1,
                    "links",
                    format!("{target} is not in the repository: correct the link"),
                ));
            }
        }
    }
}

/// Every path that a page of today names in code, from the root or from `crates/`, is there. Decisions and the
/// changelog tell of their day.
pub(crate) fn paths(tree: &Tree, out: &mut Vec<Finding>) {
    let of_today =
        |file: &&File| file.path.ends_with(".md") && !file.path.starts_with(DECISIONS) && file.path != "CHANGELOG.md";
    for file in tree.files.iter().filter(of_today) {
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            for path in line.split('`').skip(1).step_by(2).filter(|path| is_path(tree, path)) {
                let is_named = |other: &str| {
                    other
                        .strip_prefix(path.trim_end_matches('/'))
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                let below = |other: &File| other.path.strip_prefix("crates/").is_some_and(is_named);
                if !tree.files.iter().any(|other| is_named(&other.path) || below(other)) {
                    let remedy = format!("{path} is not in the repository: say where it is now");
                    out.push(Finding::new(&file.path, index + 1, "paths", remedy));
                }
            }
        }
    }
}

/// Whether a word in code is the path of a file or a folder of this repository: its first part is one.
fn is_path(tree: &Tree, word: &str) -> bool {
    let Some((first, _)) = word.split_once('/') else { return false };
    let plain = word.chars().all(|c| c.is_alphanumeric() || "/-_.".contains(c));
    let folders = [format!("{first}/"), format!("crates/{first}/")];
    let known = |file: &File| folders.iter().any(|folder| file.path.starts_with(folder));
    plain && !first.is_empty() && tree.files.iter().any(known)
}

/// How comments once named documents that are not in the repository.
const ELSEWHERE: &[&str] =
    &["design §", "asm-wire §", "v3-wire §", "v3-wire A", "seed-asm §", "seed-graphs-quotas §", "research/", "spec/"];

/// No text names a section of a document that nobody else can read: what is cited stands below docs/.
pub(crate) fn references(tree: &Tree, out: &mut Vec<Finding>) {
    let ours = |file: &&File| !file.path.starts_with("xtask/src/tidy/") && file.path != "docs/openapi.json";
    for file in tree.files.iter().filter(ours) {
        // Data has paths of others' documents; what is cited stands in its comments.
        let is_data = file.path.ends_with(".toml");
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            let line = if is_data { line.split_once('#').map_or("", |(_, comment)| comment) } else { line };
            let named = ELSEWHERE.iter().find(|name| {
                let inside = |at: usize| line[..at].ends_with(|c: char| c.is_alphanumeric() || "/-_.".contains(c));
                line.match_indices(*name).any(|(at, _)| !inside(at))
            });
            if let Some(name) = named {
                let remedy = format!("`{name}` leads out of the repository: cite a page below docs/, or say it here");
                out.push(Finding::new(&file.path, index + 1, "references", remedy));
            }
        }
    }
}

/// What comes before a cited section, as in `docs/contract/asm.md §7.1`; below docs/ the folder is left out.
const SECTION: &str = ".md §";

/// Every section that is cited with its page is a heading of that page.
pub(crate) fn sections(tree: &Tree, out: &mut Vec<Finding>) {
    for file in tree.files.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            for (at, _) in line.match_indices(SECTION) {
                let start = line[..at].rfind(|c: char| !c.is_alphanumeric() && !"/-_.".contains(c));
                let page = &line[start.map_or(0, |start| start + 1)..at + ".md".len()];
                let number = line[at + SECTION.len()..].split(|c: char| !c.is_ascii_digit() && c != '.').next();
                let number = number.unwrap_or_default().trim_end_matches('.');
                if !has_section(tree, &file.path, page, number) {
                    let remedy = format!("{page} has no heading §{number}: cite the section that says it");
                    out.push(Finding::new(&file.path, index + 1, "sections", remedy));
                }
            }
        }
    }
}

/// Whether a page has this section. The page is named from the root, or from the folder of the page that cites it.
fn has_section(tree: &Tree, from: &str, page: &str, number: &str) -> bool {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = tree.text(page).or_else(|| tree.text(&format!("{folder}/{page}")));
    text.unwrap_or_default().lines().filter(|line| line.starts_with('#')).any(|line| {
        let heading = line.trim_start_matches('#').trim_start().strip_prefix('§');
        heading.is_some_and(|heading| heading.split_whitespace().next() == Some(number))
    })
}

/// The targets of `[text](target)`, without those that name a site or a heading of the same page.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let relative = targets
        .filter(|target| !target.contains("://") && !target.starts_with(['#', '/']) && !target.starts_with("mailto:"));
    relative.map(|target| target.split('#').next().unwrap_or(target))
}

fn leads_somewhere(tree: &Tree, file: &File, target: &str) -> bool {
    let mut parts: Vec<&str> = file.path.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." {
            parts.push(part);
        } else if parts.pop().is_none() {
            return false;
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    path.is_empty() || tree.files.iter().any(|other| other.path == path || other.path.starts_with(&folder))
}

/// The map has a row for every crate.
pub(crate) fn map_names_every_crate(tree: &Tree, out: &mut Vec<Finding>) {
    let Some(map) = tree.text(MAP) else { return };
    for (name, _, _) in tree.manifests() {
        if !map.contains(&format!("| `{name}` |")) {
            out.push(Finding::new(MAP, 1, "map", format!("the table of crates has no row for {name}")));
        }
    }
}

/// Decisions are numbered, each number once, in the file's name and in its heading. Numbers may be left out: they are
/// given before the decisions are.
pub(crate) fn decisions(tree: &Tree, out: &mut Vec<Finding>) {
    let files = tree.files.iter().filter(|file| file.path.starts_with(DECISIONS) && file.path.ends_with(".md"));
    let mut taken = std::collections::BTreeSet::new();
    for file in files {
        let number = file.path[DECISIONS.len()..].get(..4).and_then(|digits| digits.parse::<u32>().ok());
        let headed =
            number.is_some_and(|number| file.text.as_deref().unwrap_or_default().starts_with(&format!("# {number}. ")));
        if !headed || !taken.insert(number) {
            let remedy = "a decision begins with a number of its own: say the same in the file's name (four digits) \
                          and in its heading";
            out.push(Finding::new(&file.path, 1, "decisions", remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    #[test]
    fn links_lead_to_files() {
        let files = [
            ("docs/a.md", "see [b](b.md), [the code](../crates/) and [top](#top)"),
            ("docs/b.md", ""),
            ("crates/x.rs", ""),
        ];
        assert!(said(links, &files).is_empty());
        assert_eq!(
            said(links, &[("docs/a.md", "see [b](b.md#part) and [x](https://x.test/)")]),
            ["docs/a.md:1: links: b.md is not in the repository: correct the link"]
        );
        assert!(said(links, &[("docs/a.md", "```\n[b](b.md)\n```\n    [c](c.md)")]).is_empty());
        assert_eq!(said(links, &[("a.md", "[up](../../b.md)")]).len(), 1);
    }

    #[test]
    fn a_path_that_moved_is_found() {
        let code = [("crates/ambit-net/src/door.rs", ""), ("bench/report", "")];
        let page = |text| said(paths, &[code[0], code[1], ("docs/a.md", text)]);
        for good in [
            "see `ambit-net/src/door.rs`",
            "`crates/ambit-net/src/`",
            "`bench/report --check`",
            "`crates/ambit-net`",
            "`a/b`",
            "x",
        ] {
            assert!(page(good).is_empty(), "{good}");
        }
        for bad in ["in `ambit-net/src/gone.rs`", "in `crates/ambit-net/src/gone/`", "`bench/gone`"] {
            assert_eq!(page(bad).len(), 1, "{bad}");
        }
        let told = ("docs/decisions/0001-a.md", "`ambit-net/src/gone.rs`");
        assert!(said(paths, &[code[0], told]).is_empty());
    }

    #[test]
    fn what_is_cited_stands_in_the_repository() {
        for bad in ["/// As design §4 says.", "// asm-wire §7.1", "see `research/checks.md`"] {
            assert_eq!(said(references, &[("crates/a/src/a.rs", bad)]).len(), 1, "{bad}");
        }
        for good in ["/// docs/contract/asm.md §7.1", "openapi-spec/x and the design of it", "RFC 9110 §10.2.3"] {
            assert!(said(references, &[("crates/a/src/a.rs", good)]).is_empty(), "{good}");
        }
        assert!(said(references, &[("crates/a/src/a.toml", "host = \"spec/rules/host\"")]).is_empty());
        assert_eq!(said(references, &[("crates/a/src/a.toml", "host = \"h\" # spec/rules.md")]).len(), 1);
    }

    #[test]
    fn a_section_that_is_cited_is_a_heading() {
        let page = ("docs/contract/asm.md", "# Attack surface\n## §7 Searches\n### §7.1 The string\n");
        for good in ["/// See docs/contract/asm.md §7.1.", "// docs/contract/asm.md §7: pages", "RFC 9110 §99"] {
            assert!(said(sections, &[page, ("crates/a/src/a.rs", good)]).is_empty(), "{good}");
        }
        for bad in ["/// docs/contract/asm.md §7.2", "// docs/contract/asm.md §1", "// docs/gone.md §7"] {
            assert_eq!(said(sections, &[page, ("crates/a/src/a.rs", bad)]).len(), 1, "{bad}");
        }
        assert!(said(sections, &[page, ("docs/contract/errors.md", "see asm.md §7.1")]).is_empty());
    }

    #[test]
    fn the_map_is_complete() {
        let manifest = ("crates/ambit-net/Cargo.toml", "");
        assert!(said(map_names_every_crate, &[manifest, (MAP, "| `ambit-net` | the door |")]).is_empty());
        assert_eq!(said(map_names_every_crate, &[manifest, (MAP, "ambit-net is the door")]).len(), 1);
    }

    #[test]
    fn decisions_are_numbered_once() {
        let first = ("docs/decisions/0001-a.md", "# 1. A\n");
        assert!(said(decisions, &[first, ("docs/decisions/0002-b.md", "# 2. B\n")]).is_empty());
        assert!(said(decisions, &[first, ("docs/decisions/0030-b.md", "# 30. B\n")]).is_empty());
        assert_eq!(said(decisions, &[first, ("docs/decisions/b.md", "# 2. B\n")]).len(), 1);
        assert_eq!(said(decisions, &[first, ("docs/decisions/0001-b.md", "# 1. B\n")]).len(), 1);
        assert_eq!(said(decisions, &[first, ("docs/decisions/0002-b.md", "# 1. B\n")]).len(), 1);
    }
}
