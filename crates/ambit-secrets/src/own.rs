//! Our own rules, which are data: the head of `own/clouds.txt` says how one is written.

use crate::find::Rules;
use crate::pack::Pack;
use crate::rule::{Rule, compile_regex, pattern};
use std::sync::{Arc, LazyLock};

/// The tables: name of the file and text. Of two rules that find the same, the former takes it.
const TABLES: &[(&str, &str)] = &[
    ("sites.txt", include_str!("own/sites.txt")),
    ("clouds.txt", include_str!("own/clouds.txt")),
    ("code.txt", include_str!("own/code.txt")),
    ("talk.txt", include_str!("own/talk.txt")),
    ("money.txt", include_str!("own/money.txt")),
    ("learning.txt", include_str!("own/learning.txt")),
    ("watching.txt", include_str!("own/watching.txt")),
    ("tools.txt", include_str!("own/tools.txt")),
    ("vendors.txt", include_str!("own/vendors.txt")),
    ("keys.txt", include_str!("own/keys.txt")),
];

static OWN: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::new(rules())));

fn rules() -> Vec<Rule> {
    let read = |(file, table): &(&str, &str)| {
        read(table).unwrap_or_else(|problem| panic!("a test reads the table: {file}:{problem}"))
    };
    TABLES.iter().flat_map(read).map(|block| block.rule).collect()
}

/// Returns the set of our own rules, which is compiled once.
pub fn own() -> Arc<Rules> {
    OWN.clone()
}

/// Returns our rules with those of packs behind them, which take what ours do not.
pub fn with_packs(packs: Vec<Pack>) -> Arc<Rules> {
    Arc::new(Rules::new(rules().into_iter().chain(packs.into_iter().flat_map(|pack| pack.rules)).collect()))
}

/// A rule with its examples, as they are written.
struct Block {
    rule: Rule,
    examples: Vec<(bool, String)>,
}

/// Reads a table.
///
/// # Errors
/// The number of a line and what is wrong with it.
fn read(table: &str) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut head = None;
    for (line, number) in table.lines().zip(1..) {
        let problem = |what: String| format!("{number}: {what}");
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(example) = line.strip_prefix("    ") {
            let (wanted, text) = example.split_once(' ').ok_or_else(|| problem("an example has no text".into()))?;
            let block = blocks.last_mut().ok_or_else(|| problem("an example of no rule".into()))?;
            block.examples.push((wanted == "yes", text.to_owned()));
        } else if let Some(names) = line.strip_prefix("  not ") {
            let block = blocks.last_mut().ok_or_else(|| problem("an exception to no rule".into()))?;
            block.rule.not_after = Some(compile_regex(names).map_err(problem)?);
        } else if let Some(pattern) = line.strip_prefix("  ") {
            let head = head.take().ok_or_else(|| problem("a pattern of no rule".into()))?;
            blocks.push(Block { rule: rule(head, pattern).map_err(problem)?, examples: Vec::new() });
        } else {
            head = Some(line);
        }
    }
    Ok(blocks)
}

fn rule(head: &str, written: &str) -> Result<Rule, String> {
    let mut parts = head.splitn(4, '|').map(str::trim);
    let (Some(name), Some(provider), Some(keywords)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("a rule begins NAME | PROVIDER | KEYWORDS".into());
    };
    let keywords: Vec<String> = keywords.split_whitespace().map(str::to_owned).collect();
    let pattern = pattern(written, &keywords)?;
    let mut rule = Rule {
        name: name.to_owned(),
        provider: provider.to_owned(),
        named: pattern.named,
        sensitive: true,
        by_context: pattern.named,
        pattern: pattern.expression,
        keywords,
        by_word: pattern.named,
        ..Rule::default()
    };
    for word in parts.next().unwrap_or("").split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("entropy", bits) => rule.entropy = Some(bits.parse().map_err(|_| format!("{word} is no number"))?),
            ("path", path) => rule.path = Some(compile_regex(path)?),
            ("public", "") => rule.sensitive = false,
            ("context", "") => rule.by_context = true,
            ("digit", "") => rule.digits = 1,
            ("digit", count) => rule.digits = count.parse().map_err(|_| format!("{word} is no number"))?,
            ("drawn", "") => rule.drawn = true,
            ("free", "") => rule.free = true,
            ("quoted", "") => rule.quoted = true,
            ("rows", "") => rule.rows = true,
            ("over", "") => rule.over = true,
            ("entries", "") => rule.entries = true,
            ("address", "") => rule.in_address = true,
            ("part", "") => rule.by_word = false,
            _ => return Err(format!("no rule is {word}")),
        }
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{At, Look};
    use std::collections::BTreeSet;

    /// Writes out the braces of an example; those that name no letters stay. What stands for letters is drawn in an
    /// order that repeats nothing soon.
    fn written_out(example: &str) -> String {
        let mut text = String::new();
        let mut seed = 7_u32;
        let mut rest = example;
        while let Some((before, behind)) = rest.split_once('{') {
            text += before;
            let (inside, after) = behind.split_once('}').unwrap_or(("", behind));
            let count = inside.get(1..).and_then(|count| count.parse::<usize>().ok());
            match (inside, count) {
                ("begin", _) => text += "BEGIN RSA PRIVATE KEY",
                ("beginpgp", _) => text += "BEGIN PGP PRIVATE KEY BLOCK",
                (_, Some(count)) if inside.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    drawn(&inside[..1], count, &mut seed, &mut text);
                }
                _ => {
                    text.push('{');
                    rest = behind;
                    continue;
                }
            }
            rest = after;
        }
        (text + rest).replace("\\n", "\n")
    }

    /// The path of the file in which an example stands, if it says one, and the example.
    fn placed(example: &str) -> (&str, &str) {
        example.strip_prefix('@').and_then(|rest| rest.split_once(' ')).unwrap_or(("", example))
    }

    fn drawn(kind: &str, count: usize, seed: &mut u32, text: &mut String) {
        let letters = match kind {
            "w" => "kT3mR8vXq1ZbLw5GhJ9cNd2PyFs7DaHuVi4oKeB6UWtCgQSnEYjx0zArMpfIlO",
            "l" => "k3m8vq1zbw5h9cd2yfs7hui4e6tgnjx0zapl",
            "A" => "KT3R8XQ1ZLW5GJ9ND2PF7DHV4KB6UCSEYAMIO0",
            "a" => "kTmRvXqZbLwGhJcNdPyFsDaHuViKeBUWtCgQSnEYjxzArMpfIlO",
            "x" => "3f8a1c9e5b07d264",
            "d" => "3816950274",
            "q" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
            other => panic!("no letters stand for {other}"),
        };
        for _ in 0..count {
            *seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let at = usize::try_from(*seed >> 16).expect("16 bits") % letters.len();
            text.push(char::from(letters.as_bytes()[at]));
        }
    }

    #[test]
    fn every_rule_finds_its_examples_and_leaves_its_near_misses() {
        let mut problems = Vec::new();
        for (file, table) in TABLES {
            for Block { rule, examples } in read(table).unwrap_or_else(|problem| panic!("{file}:{problem}")) {
                let name = rule.name.clone();
                if rule.keywords.is_empty()
                    || !["yes", "no"].iter().all(|side| examples.iter().any(|(yes, _)| *yes == (*side == "yes")))
                {
                    problems.push(format!("{file}: {name} lacks a keyword, an example or a near miss"));
                }
                let look = if rule.sensitive { Look::Code } else { Look::Site };
                let alone = Rules::new(vec![rule]);
                for (wanted, example) in examples {
                    let (path, text) = placed(&example);
                    let found = !alone.find_at(&written_out(text), look, At { path, commit: "" }).is_empty();
                    if found != wanted {
                        problems.push(format!("{file}: {name}: {example} found: {found}"));
                    }
                }
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn a_secret_of_a_form_is_told_by_its_own_rule_among_all() {
        let mut problems = Vec::new();
        let rules = own();
        for Block { rule, examples } in TABLES.iter().flat_map(|(_, table)| read(table).expect("read above")) {
            if rule.by_context || !rule.sensitive {
                continue;
            }
            for (_, example) in examples.iter().filter(|(wanted, _)| *wanted) {
                let (path, text) = placed(example);
                let found = rules.find_at(&written_out(text), Look::Code, At { path, commit: "" });
                if !found.iter().any(|found| found.rule == rule.name) {
                    problems.push(format!("{}: {found:?}", rule.name));
                }
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    /// The texts that a rule takes for secrets in an example.
    fn told(rule: &Rule, text: &str, path: &str) -> BTreeSet<String> {
        rule.secrets(text, At { path, commit: "" }).map(|(_, secret)| secret.to_owned()).collect()
    }

    #[test]
    fn a_key_is_the_same_text_whatever_stands_behind_it() {
        // A password is all of a field there, whatever it holds.
        const FIELDS: &[&str] = &["pgpass-password", "netrc-password", "kubernetes-secret"];
        let mut problems = Vec::new();
        let blocks = TABLES.iter().flat_map(|(_, table)| read(table).expect("read above"));
        for Block { rule, examples } in blocks.filter(|block| !FIELDS.contains(&block.rule.name.as_str())) {
            for (_, example) in examples.iter().filter(|(wanted, _)| *wanted) {
                let (path, text) = placed(example);
                let text = written_out(text);
                let secrets = told(&rule, &text, path);
                let Some(key) = secrets.iter().find(|key| text.ends_with(key.as_str())) else { continue };
                let front = &text[..text.len() - key.len()];
                let kept = [("", ""), ("", "\n"), ("", ";"), ("", "\""), ("", "'")];
                let quoted = [("\"", "\""), ("'", "'")];
                // Some rules want something in front of a key, where a quote would be another text.
                let is_bare = told(&rule, key, path).contains(key);
                for (open, close) in kept.iter().chain(quoted.iter().filter(|_| is_bare)) {
                    let found = told(&rule, &format!("{front}{open}{key}{close}"), path);
                    let is_right = found.iter().eq([key]) || (rule.by_context && found.is_empty());
                    if !is_right {
                        problems.push(format!("{}: {open}{key}{close} found: {found:?}", rule.name));
                    }
                }
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn rules_are_many_and_have_names_of_their_own() {
        let blocks: Vec<Block> = TABLES.iter().flat_map(|(_, table)| read(table).expect("read above")).collect();
        // One that is no expression would be told only where a text may match it.
        for block in &blocks {
            block.rule.pattern.compiled();
        }
        let names: BTreeSet<&str> = blocks.iter().map(|block| block.rule.name.as_str()).collect();
        assert_eq!(names.len(), blocks.len());
        assert_eq!(own().count(), blocks.len());
        assert!(blocks.len() >= 280, "{}", blocks.len());
    }
}
