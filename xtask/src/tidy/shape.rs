//! How long a function and a file may be, and that every file says what it is for.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;

/// A function fits on a screen.
const FUNCTION_LINES_MAX: usize = 70;
/// A file is read in one sitting; test code is not counted.
const FILE_LINES_MAX: usize = 500;
/// Two files stand side by side on a screen; rustfmt.toml says the same.
const LINE_CHARS_MAX: usize = 120;
/// A longer word (an address, a key in hex) cannot be broken: its line may be as long as it is.
const WORD_CHARS_MAX: usize = 60;
/// Fewer characters say nothing.
const DOCS_CHARS_MIN: usize = 20;
/// The list of exceptions may only shrink: lower this with every line that goes.
const EXCEPTIONS: usize = 0;
const EXCEPTIONS_PATH: &str = "xtask/exceptions.txt";

/// Rust files that do not parse are seen by no rule.
pub(crate) fn parsable(tree: &Tree, out: &mut Vec<Finding>) {
    for (path, line, message) in &tree.broken {
        out.push(Finding::new(path, *line, "parsable", message.as_str()));
    }
}

/// Every file begins with what it is for.
pub(crate) fn module_docs(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.sources.iter().filter(|source| source.docs.chars().count() < DOCS_CHARS_MIN) {
        out.push(Finding::new(
            &source.path,
            1,
            "module-docs",
            "begin the file with `//!`: what it is for, what it does not do",
        ));
    }
}

/// Lines that fit side by side, where they can be broken at all: rustfmt leaves comments and texts as they are.
pub(crate) fn line_length(tree: &Tree, out: &mut Vec<Finding>) {
    for source in &tree.sources {
        let text = tree.text(&source.path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            let chars = line.chars().count();
            let unbreakable = line.split_whitespace().any(|word| word.chars().count() > WORD_CHARS_MAX);
            if chars > LINE_CHARS_MAX && !unbreakable {
                let remedy = format!("{chars} characters, the limit is {LINE_CHARS_MAX}: break the line");
                out.push(Finding::new(&source.path, index + 1, "line-length", remedy));
            }
        }
    }
}

/// Imports stand in one block, which rustfmt puts in order.
pub(crate) fn imports(tree: &Tree, out: &mut Vec<Finding>) {
    for source in &tree.sources {
        // Where the last line was the end of an import, and where nothing but blank lines came since then.
        let (mut inside, mut ended) = (false, false);
        let mut blank = false;
        for (index, line) in tree.text(&source.path).unwrap_or_default().lines().enumerate() {
            let begins = !inside && line.trim_start().starts_with("use ");
            if begins && ended && blank {
                let remedy = "imports stand in one block: remove the blank line, rustfmt puts them in order";
                out.push(Finding::new(&source.path, index + 1, "imports", remedy));
            }
            if line.trim().is_empty() && !inside {
                blank = true;
                continue;
            }
            let ends = (begins || inside) && line.trim_end().ends_with(';');
            inside = (begins || inside) && !ends;
            (ended, blank) = (ends, false);
        }
    }
}

/// Functions and files within their limits, or on the list of exceptions with a size that they do not exceed.
pub(crate) fn sizes(tree: &Tree, out: &mut Vec<Finding>) {
    let mut exceptions = exceptions(tree, out);
    for source in &tree.sources {
        for function in &source.functions {
            let what = format!("{}::{}", source.path, function.name);
            let limit = exceptions.limit(&what, FUNCTION_LINES_MAX, function.lines);
            if function.lines > limit {
                let remedy = format!("{} has {} lines, the limit is {limit}: split it", function.name, function.lines);
                out.push(Finding::new(&source.path, function.line, "function-size", remedy));
            }
        }
        let lines = source.product_lines();
        let limit = exceptions.limit(&source.path, FILE_LINES_MAX, lines);
        if lines > limit {
            let remedy =
                format!("{lines} lines beside tests, the limit is {limit}: split it by what the parts are about");
            out.push(Finding::new(&source.path, 1, "file-size", remedy));
        }
    }
    for entry in exceptions.entries.iter().filter(|entry| !entry.used) {
        let remedy = format!("{} is within the limits: remove the line and lower EXCEPTIONS", entry.what);
        out.push(Finding::new(EXCEPTIONS_PATH, entry.line, "exceptions", remedy));
    }
}

/// Parameters of a function at most, those counted that stand in a tuple: as clippy counts them, which sees a tuple as
/// one.
const PARAMETERS_MAX: usize = 7;

/// No function takes a tuple apart where that hides parameters beyond the limit.
pub(crate) fn tuple_parameters(tree: &Tree, out: &mut Vec<Finding>) {
    for source in &tree.sources {
        for (index, token) in source.product_tokens().filter(|(_, token)| token.text == "fn") {
            let (parameters, in_tuples) = parameters(source, index);
            if in_tuples > 0 && parameters > PARAMETERS_MAX {
                let remedy = format!(
                    "{parameters} parameters, {in_tuples} of them in tuples, the limit is {PARAMETERS_MAX}: give them \
                     a type"
                );
                out.push(Finding::new(&source.path, token.line, "tuple-parameters", remedy));
            }
        }
    }
}

/// How many parameters the function has whose `fn` stands here, and how many of them in tuples that it takes apart.
fn parameters(source: &Source, index: usize) -> (usize, usize) {
    let open = source.tokens[index..].iter().position(|token| token.text == "(").map(|at| index + at);
    let Some(open) = open else { return (0, 0) };
    let (mut depth, mut names, mut in_tuples) = (0, 0, 0);
    let mut pattern = true;
    for (at, token) in source.tokens.iter().enumerate().skip(open) {
        match (token.kind, token.text.as_str()) {
            (TokenKind::Mark, "(" | "[" | "{") => depth += 1,
            (TokenKind::Mark, ")" | "]" | "}") => depth -= 1,
            (TokenKind::Mark, ",") if depth == 1 => pattern = true,
            // A colon that stands alone ends the pattern.
            (TokenKind::Mark, ":") if depth == 1 => pattern = false,
            (TokenKind::Word, name)
                if pattern
                    && name.starts_with(|c: char| c.is_lowercase() || c == '_')
                    && !["mut", "ref"].contains(&name) =>
            {
                let lifetime = source.reads(at - 1, &["'"]);
                names += usize::from(!lifetime);
                in_tuples += usize::from(!lifetime && depth > 1);
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    (names, in_tuples)
}

struct Exception {
    line: usize,
    what: String,
    limit: usize,
    used: bool,
}

struct Exceptions {
    entries: Vec<Exception>,
}

impl Exceptions {
    /// The limit for `what`, which has `actual` lines; an exception counts as used only where it is needed.
    fn limit(&mut self, what: &str, usual: usize, actual: usize) -> usize {
        match self.entries.iter_mut().find(|entry| entry.what == what) {
            Some(entry) if actual > usual => {
                entry.used = true;
                entry.limit
            }
            _ => usual,
        }
    }
}

/// Reads lines of `path[::function] lines  reason`.
fn exceptions(tree: &Tree, out: &mut Vec<Finding>) -> Exceptions {
    let mut entries = Vec::new();
    let text = tree.text(EXCEPTIONS_PATH).unwrap_or_default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next().and_then(|word| word.parse().ok()), words.next()) {
            (Some(what), Some(limit), Some(_reason)) => {
                entries.push(Exception { line: index + 1, what: what.to_owned(), limit, used: false });
            }
            _ => out.push(Finding::new(
                EXCEPTIONS_PATH,
                index + 1,
                "exceptions",
                "write `path[::function] lines reason`",
            )),
        }
    }
    if tree.text(EXCEPTIONS_PATH).is_some() && entries.len() != EXCEPTIONS {
        let remedy = format!("{} entries where shape.rs says {EXCEPTIONS}: the list may only shrink", entries.len());
        out.push(Finding::new(EXCEPTIONS_PATH, 1, "exceptions", remedy));
    }
    Exceptions { entries }
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    const PATH: &str = "crates/ambit-net/src/a.rs";

    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    f();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_found() {
        assert!(said(sizes, &[(PATH, &function(FUNCTION_LINES_MAX))]).is_empty());
        let expected = format!("{PATH}:1: function-size: long has 71 lines, the limit is 70: split it");
        assert_eq!(said(sizes, &[(PATH, &function(FUNCTION_LINES_MAX + 1))]), [expected]);
    }

    #[test]
    fn long_files_are_found_but_tests_are_not_counted() {
        let full = "const A: u8 = 0;\n".repeat(FILE_LINES_MAX);
        let with_tests = format!("{full}#[cfg(test)]\nmod tests {{\n    fn f() {{}}\n}}\n");
        assert!(said(sizes, &[(PATH, &with_tests)]).is_empty());
        let longer = format!("{full}const B: u8 = 0;\n");
        assert_eq!(said(sizes, &[(PATH, &longer)]).len(), 1);
    }

    #[test]
    fn long_lines_are_found_where_they_can_be_broken() {
        let line = |word: &str, count: usize| format!("// {}\n", word.repeat(count));
        let full = line("sätze, ", 16);
        assert!(said(line_length, &[(PATH, &full)]).is_empty(), "characters count, not bytes");
        let remedy = "129 characters, the limit is 120: break the line";
        assert_eq!(said(line_length, &[(PATH, &line("sätze, ", 18))]), [format!("{PATH}:1: line-length: {remedy}")]);
        assert!(said(line_length, &[(PATH, &line("0badcafe", 30))]).is_empty(), "one word cannot be broken");
    }

    #[test]
    fn imports_stand_in_one_block() {
        for good in [
            "use a::b;\nuse c::d;\n\nfn f() {}\n",
            "pub use a::b;\n\nuse c::{\n    d,\n\n    e,\n};\nuse f::g;\n",
            "mod tests {\n    use super::*;\n\n    fn f() {}\n}\n\nuse a::b;\n",
        ] {
            assert!(said(imports, &[(PATH, good)]).is_empty(), "{good}");
        }
        let remedy = "imports stand in one block: remove the blank line, rustfmt puts them in order";
        for bad in ["use a::b;\n\nuse c::d;\n", "use a::{\n    b,\n};\n\nuse c;\n", "mod t {\n  use a;\n\n  use b;\n}"]
        {
            assert_eq!(said(imports, &[(PATH, bad)]).len(), 1, "{bad}");
        }
        assert_eq!(said(imports, &[(PATH, "use a;\n\nuse b;\n")]), [format!("{PATH}:3: imports: {remedy}")]);
    }

    #[test]
    fn an_exception_is_a_limit_of_its_own_and_goes_when_it_is_not_needed() {
        let list = format!("{PATH}::long 80 a table\n");
        let count = "the list may only shrink";
        let others = |samples: &[(&str, &str)]| {
            said(sizes, samples).into_iter().filter(|line| !line.contains(count)).collect::<Vec<_>>()
        };
        assert!(others(&[(PATH, &function(75)), (EXCEPTIONS_PATH, &list)]).is_empty());
        assert_eq!(others(&[(PATH, &function(81)), (EXCEPTIONS_PATH, &list)]).len(), 1);
        let unneeded = others(&[(PATH, &function(60)), (EXCEPTIONS_PATH, &list)]);
        assert!(unneeded[0].contains("remove the line"), "{unneeded:?}");
        let more = format!("{PATH}::long 80 a table\n").repeat(EXCEPTIONS + 1);
        assert!(said(sizes, &[(EXCEPTIONS_PATH, &more)])[0].contains(count));
    }

    #[test]
    fn every_file_says_what_it_is_for() {
        assert!(said(module_docs, &[(PATH, "//! Reads heads of answers, tolerantly.\n")]).is_empty());
        assert_eq!(said(module_docs, &[(PATH, "//! Skeleton.\n")]).len(), 1);
        assert_eq!(said(module_docs, &[(PATH, "// Reads heads of answers, tolerantly.\n")]).len(), 1);
    }

    #[test]
    fn parameters_do_not_hide_in_tuples() {
        let hidden = "fn f(a: u8, b: &[(u8, u8)], c: u8, d: u8, e: u8, f: u8, (g, h): (u8, u8)) {}";
        let remedy = "8 parameters, 2 of them in tuples, the limit is 7: give them a type";
        assert_eq!(said(tuple_parameters, &[(PATH, hidden)]), [format!("{PATH}:1: tuple-parameters: {remedy}")]);
        for good in
            ["fn f(&self, (a, b): (u8, u8), c: fn(u8, u8) -> u8) {}", "fn f<T: Into<u8>>(a: T) { let (b, c) = a; }"]
        {
            assert!(said(tuple_parameters, &[(PATH, good)]).is_empty(), "{good}");
        }
    }

    #[test]
    fn what_does_not_parse_is_said() {
        assert_eq!(said(parsable, &[(PATH, "fn f( {}\n")]).len(), 1);
        assert!(said(parsable, &[(PATH, "fn f() {}\n")]).is_empty());
    }
}
