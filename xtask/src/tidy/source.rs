//! A Rust file as the rules see it: a flat list of tokens with lines, its functions, and which of its lines are test
//! code. Comments are no tokens; doc comments are, of a kind of their own, so that a rule on code never trips over
//! prose.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ops::RangeInclusive;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A string or byte string; the token's text is its value.
    Text,
    /// A line of documentation.
    Doc,
    /// One character of punctuation, brackets included.
    Mark,
    Other,
}

#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of its signature, documentation not counted.
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) lines: usize,
    pub(crate) tokens: Vec<Token>,
    pub(crate) functions: Vec<Function>,
    /// The first lines of documentation of the module, joined.
    pub(crate) docs: String,
    /// All of it is test code.
    pub(crate) is_test: bool,
    test_lines: Vec<RangeInclusive<usize>>,
    /// Names of `#[cfg(test)] mod name;`: their files are test code.
    test_modules: Vec<String>,
}

impl Source {
    /// The crate's folder name, or `xtask`.
    pub(crate) fn crate_name(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or(path)
    }

    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.is_test || self.test_lines.iter().any(|range| range.contains(&line))
    }

    /// Lines outside test code.
    pub(crate) fn product_lines(&self) -> usize {
        (1..=self.lines).filter(|line| !self.is_test_line(*line)).count()
    }

    /// Tokens of code outside tests, without documentation.
    pub(crate) fn product_tokens(&self) -> impl Iterator<Item = (usize, &Token)> {
        let tokens = self.tokens.iter().enumerate();
        tokens.filter(|(_, token)| token.kind != TokenKind::Doc && !self.is_test_line(token.line))
    }

    /// The variants without content of an enumeration of this file, in order.
    pub(crate) fn variants(&self, name: &str) -> Vec<String> {
        let Some(start) = (0..self.tokens.len()).find(|index| self.reads(*index, &["enum", name, "{"])) else {
            return Vec::new();
        };
        let (mut depth, mut variants) = (1, Vec::new());
        for (index, token) in self.tokens.iter().enumerate().skip(start + 3) {
            match token.text.as_str() {
                "{" | "(" | "[" if token.kind == TokenKind::Mark => depth += 1,
                "}" | ")" | "]" if token.kind == TokenKind::Mark => depth -= 1,
                text if depth == 1 && token.kind == TokenKind::Word && text.starts_with(char::is_uppercase) => {
                    let ends = [",", "}", "="].iter().any(|mark| self.reads(index + 1, &[mark]));
                    variants.extend(ends.then(|| text.to_owned()));
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        variants
    }

    /// Whether the tokens from `start` read as `pattern`.
    pub(crate) fn reads(&self, start: usize, pattern: &[&str]) -> bool {
        let tokens = self.tokens.get(start..start + pattern.len());
        tokens.is_some_and(|tokens| {
            tokens.iter().zip(pattern).all(|(token, text)| token.kind != TokenKind::Text && token.text == *text)
        })
    }
}

/// Parses one file; an error is a line and the parser's message.
pub(crate) fn parse(path: &str, text: &str) -> Result<Source, (usize, String)> {
    let stream: TokenStream =
        text.parse().map_err(|error: proc_macro2::LexError| (error.span().start().line, error.to_string()))?;
    let syntax: syn::File =
        syn::parse2(stream.clone()).map_err(|error| (error.span().start().line, error.to_string()))?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    let mut collector = Collector::default();
    collector.visit_file(&syntax);
    let docs: Vec<String> = syntax.attrs.iter().filter_map(doc_of).collect();
    Ok(Source {
        path: path.to_owned(),
        lines: text.lines().count(),
        tokens,
        functions: collector.functions,
        docs: docs.join(" ").trim().to_owned(),
        is_test: syntax.attrs.iter().any(is_cfg_test) || has_test_path(path),
        test_lines: collector.test_lines,
        test_modules: collector.test_modules,
    })
}

/// Marks the files of `#[cfg(test)] mod name;` and everything below them as test code.
pub(crate) fn mark_test_files(sources: &mut [Source]) {
    let mut prefixes = Vec::new();
    for source in sources.iter() {
        for name in &source.test_modules {
            prefixes.push(format!("{}/{name}", module_folder(&source.path)));
        }
    }
    for source in sources.iter_mut() {
        let of_module = |prefix: &String| {
            source.path.strip_prefix(prefix).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        source.is_test |= prefixes.iter().any(of_module);
    }
}

/// Where the modules declared in a file have their files.
fn module_folder(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_root = ["/lib.rs", "/main.rs", "/mod.rs"].iter().any(|root| path.ends_with(root));
    if is_root { folder } else { path.strip_suffix(".rs").unwrap_or(path) }
}

fn has_test_path(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples" | "tests.rs"))
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                if let Some(doc) = doc_token(&group) {
                    tokens.push(doc);
                    continue;
                }
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(Token { kind: TokenKind::Mark, text: open.to_owned(), line });
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { kind: TokenKind::Mark, text: close.to_owned(), line });
            }
            TokenTree::Ident(word) => {
                let text = word.to_string().trim_start_matches("r#").to_owned();
                tokens.push(Token { kind: TokenKind::Word, text, line });
            }
            TokenTree::Punct(mark) => {
                tokens.push(Token { kind: TokenKind::Mark, text: mark.as_char().to_string(), line });
            }
            TokenTree::Literal(literal) => {
                let (kind, text) = match syn::Lit::new(literal) {
                    syn::Lit::Str(text) => (TokenKind::Text, text.value()),
                    syn::Lit::ByteStr(text) => (TokenKind::Text, String::from_utf8_lossy(&text.value()).into_owned()),
                    other => (TokenKind::Other, quote_free(&other)),
                };
                tokens.push(Token { kind, text, line });
            }
        }
    }
}

/// Numbers and characters matter to no rule; what they say is kept for messages.
fn quote_free(literal: &syn::Lit) -> String {
    match literal {
        syn::Lit::Int(number) => number.to_string(),
        _ => String::new(),
    }
}

/// `[doc = "…"]`, as a doc comment reads once it is tokens.
fn doc_token(group: &proc_macro2::Group) -> Option<Token> {
    if group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let trees: Vec<TokenTree> = group.stream().into_iter().take(3).collect();
    let [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Literal(text)] = trees.as_slice() else {
        return None;
    };
    let line = group.span_open().start().line;
    (word == "doc").then(|| Token { kind: TokenKind::Doc, text: text.to_string(), line })
}

fn doc_of(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
        return None;
    };
    pair.path.is_ident("doc").then(|| text.value().trim().to_owned())
}

/// `#[cfg(test)]`, also inside `all(…)` or `any(…)`, but not `not(test)`.
fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    if !list.path.is_ident("cfg") {
        return false;
    }
    let text: String = list.tokens.to_string().split_whitespace().collect();
    let text = text.replace("not(test)", "");
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
}

/// `#[test]`, `#[tokio::test]` and the like.
fn is_test_attribute(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "test") || is_cfg_test(attribute)
}

#[derive(Default)]
struct Collector {
    functions: Vec<Function>,
    test_lines: Vec<RangeInclusive<usize>>,
    test_modules: Vec<String>,
}

impl Collector {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.span().start().line;
        let end = block.brace_token.span.close().end().line;
        self.functions.push(Function { name: signature.ident.to_string(), line, lines: end + 1 - line });
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if attributes(item).iter().any(is_test_attribute) {
            let span = item.span();
            self.test_lines.push(span.start().line..=span.end().line);
            if let syn::Item::Mod(syn::ItemMod { ident, content: None, .. }) = item {
                self.test_modules.push(ident.to_string());
            }
        }
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.attrs.iter().any(is_test_attribute) {
            let span = item.span();
            self.test_lines.push(span.start().line..=span.end().line);
        }
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "//! Docs of the module.\n\nfn a() {\n    b();\n}\n\n#[cfg(test)]\nmod tests {\n    \
                          #[test]\n    fn c() {}\n}\n";

    #[test]
    fn test_code_is_told_from_product_code() {
        let source = parse("crates/x/src/a.rs", SAMPLE).unwrap();
        assert_eq!(source.docs, "Docs of the module.");
        assert_eq!(source.product_lines(), 6);
        assert!(source.is_test_line(9) && !source.is_test_line(4));
        let found: Vec<_> = source.functions.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(found, [("a", 3, 3), ("c", 10, 1)]);
    }

    #[test]
    fn a_module_that_only_tests_have_is_test_code_with_all_below_it() {
        let parent = parse("crates/x/src/lib.rs", "#[cfg(all(test, unix))]\nmod on_worlds;\nmod plain;\n").unwrap();
        let empty = |path| parse(path, "").unwrap();
        let paths = ["crates/x/src/on_worlds.rs", "crates/x/src/on_worlds/deep.rs", "crates/x/src/plain.rs"];
        let mut sources = vec![parent];
        sources.extend(paths.map(empty));
        mark_test_files(&mut sources);
        let marks: Vec<bool> = sources.iter().map(|source| source.is_test).collect();
        assert_eq!(marks, [false, true, true, false]);
    }

    #[test]
    fn code_outside_of_tests_stays_product_code() {
        let source = parse("crates/x/src/a.rs", "#[cfg(not(test))]\nfn a() {}\n").unwrap();
        assert!(!source.is_test_line(2));
    }

    #[test]
    fn documentation_is_not_code() {
        let source = parse("crates/x/src/a.rs", "/// TcpStream\nfn a() { \"TcpStream\"; }\n").unwrap();
        assert!(!source.product_tokens().any(|(_, t)| t.kind == TokenKind::Word && t.text == "TcpStream"));
    }
}
