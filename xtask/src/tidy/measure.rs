//! `cargo xtask measure`: the size and shape of a checkout in one table, so that two of them can be compared. It judges
//! nothing; what has a limit is a rule of tidy.

use super::circles;
use super::source::{Source, TokenKind};
use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

/// Files below this are counted as fragments.
const FRAGMENT_LINES_MAX: usize = 40;
/// A line that is wider needs scrolling beside another file.
const WIDE_CHARS: usize = 100;
/// The limit of tidy.
const LINE_CHARS_MAX: usize = 120;
/// What texts of one sort are called, and which paths hold them.
type Texts = (&'static str, fn(&str) -> bool);

/// Texts that tests ask or compare: requests and answers, simulated internets, what tests of a crate read or expect,
/// and the tests of the web interface. Documents that a test compares are documents, and are not counted.
const TEST_TEXTS: &[Texts] = &[
    ("scenarios/", |path| path.starts_with("scenarios/")),
    ("worlds/", |path| path.starts_with("worlds/")),
    ("tests/ and fixtures/ of crates", |path| of_crate(path).is_some()),
    ("web/tests/ and *.test.ts", |path| path.starts_with("web/tests/") || is_web_test(path)),
];
/// Functions above this are worth a look.
const LONG_FUNCTION_LINES: usize = 50;

/// Prints the table of the checkout at `root`.
pub(crate) fn command(root: &Path) -> anyhow::Result<ExitCode> {
    for (measure, figure) in figures(&Tree::read(root)?) {
        println!("| {measure} | {figure} |");
    }
    Ok(ExitCode::SUCCESS)
}

fn figures(tree: &Tree) -> Vec<(String, String)> {
    let sources: Vec<&Source> = tree.crate_sources().collect();
    let product: Vec<&Source> = sources.iter().copied().filter(|source| !source.is_test).collect();
    let mut rows = shares(tree, &sources);
    let mut add = |measure: &str, figure: String| rows.push((measure.to_owned(), figure));
    let functions = product.iter().flat_map(|source| {
        source.functions.iter().filter(|function| !source.is_test_line(function.line)).map(|function| function.lines)
    });
    let functions: Vec<usize> = functions.collect();
    add("functions: p50, p90, p99, longest, how many", spread(&functions));
    add("functions over 50 lines", over(&functions, LONG_FUNCTION_LINES));
    let files: Vec<usize> = product.iter().map(|source| source.product_lines()).collect();
    add("product lines of files: p50, p90, p99, longest, how many", spread(&files));
    add("files under 40 lines", files.iter().filter(|lines| **lines < FRAGMENT_LINES_MAX).count().to_string());

    let widths: Vec<usize> = texts(tree, &sources).map(|line| line.chars().count()).collect();
    add(
        "lines over 100 columns, over 120",
        format!("{}, {}", over(&widths, WIDE_CHARS), over(&widths, LINE_CHARS_MAX)),
    );
    let comments = |is: fn(&str) -> bool| texts(tree, &product).filter(|line| is(line.trim_start())).count();
    let docs = comments(|line| line.starts_with("///") || line.starts_with("//!"));
    let whys = comments(|line| line.starts_with("//") && !line.starts_with("///") && !line.starts_with("//!"));
    let written = texts(tree, &product).count().max(1);
    add(
        "lines of documentation, of comments, for 1,000",
        format!("{}, {}", docs * 1000 / written, whys * 1000 / written),
    );

    add("public items without documentation", undocumented(&product, false));
    add("items of the crate without documentation", undocumented(&product, true));
    let count = |pattern: &[&str]| product.iter().map(|source| occurrences(source, pattern)).sum::<usize>();
    add(
        "`unwrap()`, `expect(…)` in product code",
        format!("{}, {}", count(&[".", "unwrap", "("]), count(&[".", "expect", "("])),
    );
    let lints = ["allow", "expect"].map(|word| count(&["[", word, "("])).iter().sum::<usize>();
    add("allowances of lints", lints.to_string());
    add("`todo!`, tests that are ignored", format!("{}, {}", count(&["todo", "!"]), ignored(&sources)));
    let inserts = |source: &&Source| source.product_tokens().filter(|(_, token)| is_insert(token)).count();
    add("INSERT statements written by hand", product.iter().map(inserts).sum::<usize>().to_string());

    let circles = circles::all(tree);
    let in_circles: usize = circles.iter().map(BTreeSet::len).sum();
    add("circles of files, files in them", format!("{}, {in_circles}", circles.len()));
    let crates = tree.manifests().count();
    let arrows: usize = tree.manifests().map(|(_, _, manifest)| arrows(&manifest)).sum();
    add("crates, dependencies between them", format!("{crates}, {arrows}"));
    let packages: Vec<&str> =
        tree.text("Cargo.lock").unwrap_or_default().lines().filter(|line| line.starts_with("name = ")).collect();
    let twice = packages.len() - packages.iter().collect::<BTreeSet<_>>().len();
    add("packages in the lock file, versions beyond the first", format!("{}, {twice}", packages.len()));
    rows
}

/// How much is product and how much tests: of Rust alone, by crate, and with the texts that tests ask or compare.
fn shares(tree: &Tree, sources: &[&Source]) -> Vec<(String, String)> {
    let of = |product: usize, tests: usize| format!("{product}, {tests}, {}", percent(tests, product + tests));
    let (all, tests) = lines(sources);
    let mut rows = vec![("product lines, test lines, share of tests".to_owned(), of(all, tests))];
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        crates.entry(source.crate_name()).or_default().push(source);
    }
    for (name, sources) in &crates {
        let (product, tests) = lines(sources);
        let told = text_lines(tree, |path| of_crate(path) == Some(*name));
        let with = percent(tests + told, product + tests + told);
        let more = if told == 0 { String::new() } else { format!("; with {told} of texts {with}") };
        rows.push((format!("· {name}"), of(product, tests) + &more));
    }
    let told: Vec<usize> = TEST_TEXTS.iter().map(|(_, is)| text_lines(tree, is)).collect();
    let web = text_lines(tree, |path| path.starts_with("web/src/") && !is_web_test(path));
    let with = of(all + web, tests + told.iter().sum::<usize>());
    rows.push(("the same with web/src/ as product and texts as tests".to_owned(), with));
    rows.extend(TEST_TEXTS.iter().zip(&told).map(|((name, _), lines)| (format!("· {name}"), lines.to_string())));
    rows
}

/// Lines of product code and of test code.
fn lines(sources: &[&Source]) -> (usize, usize) {
    let product = sources.iter().map(|source| source.product_lines()).sum();
    let all: usize = sources.iter().map(|source| source.lines).sum();
    (product, all - product)
}

/// The crate of a text below its `tests/` or `fixtures/`.
fn of_crate(path: &str) -> Option<&str> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    let is_text = !rest.ends_with(".rs") && (rest.starts_with("tests/") || rest.starts_with("fixtures/"));
    is_text.then_some(name)
}

fn is_web_test(path: &str) -> bool {
    path.starts_with("web/src/") && path.ends_with(".test.ts")
}

/// Lines of all texts of the tree that are such ones.
fn text_lines(tree: &Tree, is: impl Fn(&str) -> bool) -> usize {
    let files = tree.files.iter().filter(|file| is(&file.path));
    files.filter_map(|file| file.text.as_deref()).map(|text| text.lines().count()).sum()
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", part as f64 * 100.0 / whole.max(1) as f64)
}

fn over(sizes: &[usize], limit: usize) -> String {
    sizes.iter().filter(|size| **size > limit).count().to_string()
}

fn spread(sizes: &[usize]) -> String {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let at = |part: usize| sizes.get(sizes.len().saturating_sub(1) * part / 100).copied().unwrap_or_default();
    format!("{}, {}, {}, {}, {}", at(50), at(90), at(99), at(100), sizes.len())
}

fn texts<'a>(tree: &'a Tree, sources: &'a [&Source]) -> impl Iterator<Item = &'a str> {
    sources.iter().flat_map(|source| tree.text(&source.path).unwrap_or_default().lines())
}

fn occurrences(source: &Source, pattern: &[&str]) -> usize {
    source.product_tokens().filter(|(index, _)| source.reads(*index, pattern)).count()
}

fn ignored(sources: &[&Source]) -> usize {
    let of = |source: &&Source| (0..source.tokens.len()).filter(|at| source.reads(*at, &["[", "ignore"])).count();
    sources.iter().map(of).sum()
}

fn is_insert(token: &super::source::Token) -> bool {
    token.kind == TokenKind::Text && token.text.starts_with("INSERT INTO ") && !token.text.starts_with("INSERT INTO {")
}

/// How many items have no line of documentation, of how many: those that leave their crate, or those that do not.
fn undocumented(sources: &[&Source], within_crate: bool) -> String {
    const ITEMS: &[&str] = &["fn", "async", "const", "static", "struct", "enum", "trait", "type"];
    let (mut bare, mut all) = (0, 0);
    for source in sources {
        for (index, _) in source.product_tokens().filter(|(_, token)| token.text == "pub") {
            let restricted = source.reads(index + 1, &["("]);
            let item = source.tokens.get(index + if restricted { 4 } else { 1 });
            if restricted == within_crate && item.is_some_and(|item| ITEMS.contains(&item.text.as_str())) {
                all += 1;
                let before = source.tokens[..index].iter().rev();
                let mut before = before.take_while(|token| !["}", ";", "{"].contains(&token.text.as_str()));
                bare += usize::from(!before.any(|token| token.kind == TokenKind::Doc));
            }
        }
    }
    format!("{bare} of {all}")
}

/// How many of our crates a manifest names, tests not counted.
fn arrows(manifest: &toml::Table) -> usize {
    let names = manifest.get("dependencies").and_then(toml::Value::as_table);
    names.map_or(0, |names| names.keys().filter(|name| name.starts_with("ambit-")).count())
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample;
    use super::*;

    #[test]
    fn a_small_tree_is_measured() {
        let code = "//! A sample.\n/// Says one.\npub fn one() {\n    // Why.\n    two().unwrap();\n}\npub fn two() \
                    {}\n#[cfg(test)]\nmod tests {\n    fn three() {}\n}\n";
        let insert = "const SQL: &str = \"INSERT INTO t (a) VALUES ($1)\";\n";
        let tree = sample(&[
            ("crates/a/src/lib.rs", code),
            ("crates/a/tests/it/said.txt", "one\ntwo\nthree\n"),
            ("crates/a/tests/it/main.rs", "//! Counted as Rust.\n"),
            ("crates/b/src/lib.rs", insert),
            ("crates/b/src/table.txt", "product\n"),
            ("docs/said.md", "neither\n"),
            ("scenarios/x.yaml", "a: b\n"),
            ("worlds/x/y.txt", "word x\n"),
            ("web/src/a.ts", "product\n"),
            ("web/src/a.test.ts", "test\n"),
            ("web/tests/b.mjs", "test\n"),
        ]);
        let rows: BTreeMap<String, String> = figures(&tree).into_iter().collect();
        let shown = [
            ("product lines, test lines, share of tests", "8, 5, 38.5 %"),
            ("· a", "7, 5, 41.7 %; with 3 of texts 53.3 %"),
            ("· b", "1, 0, 0.0 %"),
            ("the same with web/src/ as product and texts as tests", "9, 12, 57.1 %"),
            ("· scenarios/", "1"),
            ("· tests/ and fixtures/ of crates", "3"),
            ("· web/tests/ and *.test.ts", "2"),
            ("functions: p50, p90, p99, longest, how many", "1, 1, 1, 4, 2"),
            ("public items without documentation", "1 of 2"),
            ("`unwrap()`, `expect(…)` in product code", "1, 0"),
            ("INSERT statements written by hand", "1"),
        ];
        for (measure, figure) in shown {
            assert_eq!(rows[measure], figure, "{measure}");
        }
    }
}
