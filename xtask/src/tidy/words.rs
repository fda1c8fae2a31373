//! Which words may stand where: names that say nothing, the simulated internet, the contract's oddities, kinds.

use super::Finding;
use super::source::{Source, TokenKind};
use super::tree::Tree;

/// Names that invite everything: put a thing beside its user, or name what it is.
const EMPTY_NAMES: &[&str] =
    &["common", "core", "shared", "util", "utils", "helper", "helpers", "types", "base", "misc"];

/// No crate or module has a name that says nothing.
pub(crate) fn module_names(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources() {
        let parts = source.path.trim_end_matches(".rs").split(['/', '-']).skip(1);
        for part in parts.filter(|part| EMPTY_NAMES.contains(part)) {
            let remedy = format!("`{part}` says nothing: put it beside its user, or name what it is");
            out.push(Finding::new(&source.path, 1, "module-names", remedy));
        }
        for (index, token) in source.product_tokens() {
            let declared = index > 0 && source.reads(index - 1, &["mod"]) && source.reads(index + 1, &["{"]);
            if declared && EMPTY_NAMES.contains(&token.text.as_str()) {
                let remedy = format!("`{}` says nothing: name what it is", token.text);
                out.push(Finding::new(&source.path, token.line, "module-names", remedy));
            }
        }
    }
}

/// Words that only we understood, with what the field says instead. CONTRIBUTING.md has the glossary.
const HOUSE_WORDS: &[(&str, &str)] = &[
    ("settle", "reconcile"),
    ("settled", "reconciled, or complete"),
    ("settles", "reconciles"),
    ("settling", "reconciling"),
    ("settlement", "reconciliation"),
    ("outfit", "config"),
    ("broom", "sweep"),
    ("upkeep", "maintenance"),
    ("departure", "deletion of an account"),
    ("flying", "in flight"),
    ("manners", "rate limiter"),
];

/// No source and no page has a word of our own where the field has one.
pub(crate) fn house_words(tree: &Tree, out: &mut Vec<Finding>) {
    let ours = |path: &str| !path.starts_with("xtask/src/tidy/") && (path.ends_with(".rs") || path.ends_with(".md"));
    for file in tree.files.iter().filter(|file| ours(&file.path)) {
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            for (word, better) in HOUSE_WORDS.iter().filter(|(word, _)| has_subword(line, word)) {
                let remedy = format!("`{word}` is a word of our own: say `{better}`, as the field does");
                out.push(Finding::new(&file.path, index + 1, "house-words", remedy));
            }
        }
    }
}

/// Crates that know that there is a simulated internet.
const WORLD_CRATES: &[&str] = &["ambit-world", "ambit", "ambit-testkit"];
/// Files elsewhere that may say so: path, why.
const WORLD_EXCEPTIONS: &[(&str, &str)] = &[];

/// Nothing above the wire may ask which wire it is: product code elsewhere does not have the word.
pub(crate) fn simulated_internet(tree: &Tree, out: &mut Vec<Finding>) {
    let word = concat!("wor", "ld");
    for source in tree.crate_sources() {
        let excepted = WORLD_EXCEPTIONS.iter().any(|(path, _)| *path == source.path);
        if WORLD_CRATES.contains(&source.crate_name()) || source.is_test || excepted {
            continue;
        }
        let text = tree.text(&source.path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if has_subword(line, word) && !source.is_test_line(index + 1) {
                let remedy = format!(
                    "the word `{word}` stands only in ambit-world, the binary and the testkit: speak of the wire"
                );
                out.push(Finding::new(&source.path, index + 1, "simulated-internet", remedy));
            }
        }
    }
}

/// Whether `word` stands in `line`, alone or as part of a name (`open_world`, `WorldWire`), but not inside another
/// word.
fn has_subword(line: &str, word: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let starts = !before.is_some_and(char::is_alphabetic) || line[at..].starts_with(char::is_uppercase);
        let rest = &line[at + word.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let ends = !rest.chars().next().is_some_and(char::is_lowercase);
        starts && ends
    })
}

/// Spellings that the contract fixed and nobody else should repeat.
const ODDITIES: &[&str] = &["project-id", "technolgy"];

/// Only api and server spell the contract's oddities.
pub(crate) fn contract_oddities(tree: &Tree, out: &mut Vec<Finding>) {
    for source in tree.crate_sources().filter(|source| !["ambit-api", "ambit-server"].contains(&source.crate_name())) {
        for (_, token) in source.product_tokens() {
            let text = token.text.to_ascii_lowercase();
            if let Some(oddity) = ODDITIES.iter().find(|oddity| text.contains(*oddity)) {
                let remedy = format!("`{oddity}` is spelled in ambit-api and ambit-server only: use their constant");
                out.push(Finding::new(&source.path, token.line, "contract-oddities", remedy));
            }
        }
    }
}

/// Where the kinds are listed.
const KINDS: &str = "crates/ambit-model/src/entity/kind.rs";

/// A branch on a kind at this token that names it in another way than an arm or a comparison with the variant.
fn hidden_branch(source: &Source, index: usize, names: &[String]) -> Option<String> {
    let token = &source.tokens[index];
    let before = |marks: &[&str]| index >= marks.len() && source.reads(index - marks.len(), marks);
    let compared = before(&["=", "="])
        || before(&["!", "="])
        || source.reads(index + 1, &["=", "="])
        || source.reads(index + 1, &["=", ">"]);
    if token.kind == TokenKind::Text {
        let in_sql = |name: &String| {
            ["kind = '", "kind <> '", "kind IN ('"].iter().any(|start| token.text.contains(&format!("{start}{name}'")))
        };
        let sql = names.iter().any(in_sql);
        let named = names.contains(&token.text) && compared;
        return (sql || named)
            .then(|| format!("a branch on the name of a kind, {:?}: ask the kind in ambit-model instead", token.text));
    }
    let is_kind = |index: usize| {
        ["Kind", "EntityKind"].contains(&source.tokens[index].text.as_str()) && source.reads(index + 1, &[":", ":"])
    };
    if is_kind(index) && source.reads(index + 3, &["*"]) {
        return Some("all kinds imported: name the one that is meant with `Kind::`".to_owned());
    }
    if token.text == "contains" && before(&["]", "."]) {
        let list = source.tokens[..index - 2].iter().rposition(|token| token.text == "[")?;
        return (list..index)
            .any(is_kind)
            .then(|| "a branch on a list of kinds: ask the kind in ambit-model instead".to_owned());
    }
    if is_kind(index) && before(&[","]) {
        let call =
            source.tokens[..index].iter().rposition(|token| [";", "{", "matches"].contains(&token.text.as_str()))?;
        let closed = source.tokens[call..index]
            .iter()
            .fold(0, |open, token| open + i32::from(token.text == "(") - i32::from(token.text == ")"))
            < 1;
        return (source.reads(call, &["matches", "!"]) && !closed)
            .then(|| "a branch on a kind in matches!: ask the kind in ambit-model instead".to_owned());
    }
    None
}

/// store, api, server and the binary do not branch on an entity's kind.
pub(crate) fn kinds(tree: &Tree, out: &mut Vec<Finding>) {
    const BLIND: &[&str] = &["ambit-store", "ambit-api", "ambit-server", "ambit"];
    let names: Vec<String> =
        tree.sources.iter().find(|source| source.path == KINDS).map_or_else(Vec::new, |source| source.variants("Kind"));
    for source in tree.crate_sources().filter(|source| BLIND.contains(&source.crate_name())) {
        for (index, token) in source.product_tokens() {
            if let Some(remedy) = hidden_branch(source, index, &names) {
                out.push(Finding::new(&source.path, token.line, "kinds", remedy));
            }
            let is_kind = ["Kind", "EntityKind"].contains(&token.text.as_str()) && source.reads(index + 1, &[":", ":"]);
            let Some(variant) = source.tokens.get(index + 3).filter(|_| is_kind) else {
                continue;
            };
            if !variant.text.starts_with(char::is_uppercase) || variant.text.chars().all(char::is_uppercase) {
                continue;
            }
            let before = |marks: &[&str]| index >= marks.len() && source.reads(index - marks.len(), marks);
            let compared = before(&["=", "="]) || before(&["!", "="]) || before(&["|"]);
            let arm = source.reads(index + 4, &["=", ">"]) || source.reads(index + 4, &["|"]);
            if compared || arm {
                let remedy = format!("a branch on Kind::{}: ask the kind in ambit-model instead", variant.text);
                out.push(Finding::new(&source.path, token.line, "kinds", remedy));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::said;
    use super::*;

    #[test]
    fn names_that_say_nothing_are_found() {
        assert_eq!(said(module_names, &[("crates/ambit-net/src/utils.rs", "")]).len(), 1);
        assert_eq!(said(module_names, &[("crates/ambit-net/src/a.rs", "mod common { }")]).len(), 1);
        assert_eq!(said(module_names, &[("crates/ambit-core/src/lib.rs", "")]).len(), 1);
        assert!(said(module_names, &[("crates/ambit-net/src/pace.rs", "use core::fmt;")]).is_empty());
    }

    #[test]
    fn words_of_our_own_are_found() {
        let path = "crates/ambit-store/src/a.rs";
        for bad in
            ["fn settle_all() {}", "const SETTLE_MAX: u8 = 1;", "struct EngineOutfit;", "// The broom goes round."]
        {
            assert_eq!(said(house_words, &[(path, bad)]).len(), 1, "{bad}");
        }
        assert_eq!(said(house_words, &[("docs/a.md", "The ledger of manners is full.")]).len(), 1);
        for good in ["fn reconcile() {}", "// Lights in the bathroom broomstick.", "struct Settler;"] {
            assert!(said(house_words, &[(path, good)]).is_empty(), "{good}");
        }
    }

    #[test]
    fn only_a_few_crates_know_the_simulated_internet() {
        let path = "crates/ambit-engine/src/a.rs";
        for bad in [
            "fn f(in_world: bool) {}",
            "struct WorldRun;",
            "const A: &str = \"world:1\";",
            "// in a world the clock jumps",
        ] {
            assert_eq!(said(simulated_internet, &[(path, bad)]).len(), 1, "{bad}");
        }
        for good in
            ["// a worldwide service", "#[cfg(test)]\nmod tests { use ambit_world::World; }", "struct Underworldly;"]
        {
            assert!(said(simulated_internet, &[(path, good)]).is_empty(), "{good}");
        }
        assert!(said(simulated_internet, &[("crates/ambit/src/a.rs", "fn f(in_world: bool) {}")]).is_empty());
    }

    #[test]
    fn oddities_stay_where_they_belong() {
        let bad = "const A: &str = \"PROJECT-ID\";";
        assert_eq!(said(contract_oddities, &[("crates/ambit/src/client.rs", bad)]).len(), 1);
        assert_eq!(said(contract_oddities, &[("crates/ambit-search/src/a.rs", "fn technolgy_bucket() {}")]).len(), 1);
        assert!(said(contract_oddities, &[("crates/ambit-api/src/a.rs", bad)]).is_empty());
        assert!(
            said(contract_oddities, &[("crates/ambit/src/client.rs", "/// The PROJECT-ID header.\nfn f() {}")])
                .is_empty()
        );
    }

    #[test]
    fn branches_on_a_kind_are_found() {
        let path = "crates/ambit-store/src/a.rs";
        for bad in [
            "fn f(k: Kind) { match k { Kind::Uri => 1, _ => 2 }; }",
            "fn f(k: Kind) { if k == Kind::Uri {} }",
            "fn f(k: Kind) { matches!(k, Kind::Uri | Kind::Domain); }",
        ] {
            assert!(!said(kinds, &[(path, bad)]).is_empty(), "{bad}");
        }
        let names = (KINDS, "pub enum Kind { Domain, Uri }");
        for bad in [
            "fn f(k: Kind) { matches!(k, Kind::Uri); }",
            "fn f(k: Kind) { [Kind::Uri, Kind::Domain].contains(&k); }",
            "fn f(k: Kind) { if k.name() == \"Uri\" {} }",
            "use ambit_model::Kind::*;",
            "const A: &str = \"kind = 'Uri'\";",
        ] {
            assert_eq!(said(kinds, &[(path, bad), names]).len(), 1, "{bad}");
        }
        for good in [
            "fn f() { seed(\"Uri\", Kind::Uri); }",
            "fn f() { matches!(x, Some(1)); seed(a, Kind::Uri); }",
            "fn f() { [1].contains(&2); seed(Kind::Uri); }",
        ] {
            assert!(said(kinds, &[(path, good), names]).is_empty(), "{good}");
        }
        for good in ["fn f() { seed(Kind::Domain, name); }", "fn f() { for kind in Kind::ALL {} }"] {
            assert!(said(kinds, &[(path, good)]).is_empty(), "{good}");
        }
        assert!(said(kinds, &[("crates/ambit-tasks/src/a.rs", "fn f(k: Kind) { if k == Kind::Uri {} }")]).is_empty());
    }
}
