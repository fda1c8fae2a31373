//! What rules of others leave out: files, commits, texts and words (the allowlists of gitleaks).

use regex::Regex;
use serde::Deserialize;
use std::sync::Arc;

/// Expressions of one list, words and commits: more than any list that people write.
const ENTRIES_MAX: usize = 5_000;
/// What somebody writes on the line of a secret that is none.
const MARK: &str = "gitleaks:allow";

/// Where a text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At<'a> {
    /// The path of the file; empty where there is none.
    pub path: &'a str,
    /// The commit that brought it; empty where there is none.
    pub commit: &'a str,
}

/// Returns whether the author of a file says of what stands on these lines that it is no secret. What is in no file, as
/// an answer of a site, nobody says that of.
pub(crate) fn is_allowed(lines: &str, at: At<'_>) -> bool {
    !at.path.is_empty() && lines.contains(MARK)
}

/// The parts of a rule of gitleaks that our own rules do not have.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// What all rules of its file leave out.
    pub(crate) shared: Arc<Vec<Allow>>,
    /// What it leaves out itself.
    pub(crate) own: Vec<Arc<Allow>>,
}

/// What a rule found: the secret, all that it matched, and the lines around it.
pub(crate) struct Hit<'a> {
    pub(crate) secret: &'a str,
    pub(crate) matched: &'a str,
    pub(crate) line: &'a str,
}

impl Foreign {
    /// Returns whether anything leaves it out.
    pub(crate) fn leaves_out(&self, hit: &Hit<'_>, at: At<'_>) -> bool {
        let own = self.own.iter().map(Arc::as_ref);
        hit.line.contains(MARK) || self.shared.iter().chain(own).any(|allow| allow.leaves_out(hit, at))
    }
}

/// A list as it is written.
#[derive(Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
pub(crate) struct Written {
    condition: String,
    commits: Vec<String>,
    paths: Vec<String>,
    regexes: Vec<String>,
    regex_target: String,
    stopwords: Vec<String>,
    pub(crate) target_rules: Vec<String>,
}

/// A list.
#[derive(Debug)]
pub(crate) struct Allow {
    /// All that it names must hold, and not one of it.
    all: bool,
    commits: Vec<String>,
    paths: Vec<Regex>,
    regexes: Vec<Regex>,
    target: Target,
    /// In small letters.
    stopwords: Vec<String>,
}

/// What expressions of a list look at.
#[derive(Clone, Copy, Debug)]
enum Target {
    Secret,
    Match,
    Line,
}

impl Allow {
    /// Reads a list; `compile` makes an expression.
    pub(crate) fn read(
        written: Written,
        compile: &mut impl FnMut(&str) -> Result<Regex, String>,
    ) -> Result<Self, String> {
        let all = match written.condition.to_ascii_uppercase().as_str() {
            "" | "OR" | "||" => false,
            "AND" | "&&" => true,
            _ => return Err("the condition of an allowlist is neither AND nor OR".to_owned()),
        };
        let target = match written.regex_target.as_str() {
            "" | "secret" => Target::Secret,
            "match" => Target::Match,
            "line" => Target::Line,
            _ => return Err("the regexTarget of an allowlist is neither match nor line".to_owned()),
        };
        let entries = [written.commits.len(), written.paths.len(), written.regexes.len(), written.stopwords.len()];
        let count: usize = entries.iter().sum();
        if count == 0 {
            return Err("an allowlist names nothing".to_owned());
        }
        if count > ENTRIES_MAX {
            return Err(format!("an allowlist has more than {ENTRIES_MAX} entries"));
        }
        let mut compiled = |texts: &[String]| texts.iter().map(|text| compile(text)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            all,
            commits: written.commits.iter().map(|commit| commit.trim().to_ascii_lowercase()).collect(),
            paths: compiled(&written.paths)?,
            regexes: compiled(&written.regexes)?,
            target,
            stopwords: written.stopwords.iter().map(|word| word.to_lowercase()).collect(),
        })
    }

    fn leaves_out(&self, hit: &Hit<'_>, at: At<'_>) -> bool {
        let text = match self.target {
            Target::Secret => hit.secret,
            Target::Match => hit.matched,
            Target::Line => hit.line,
        };
        let by_commit = || self.commits.iter().any(|commit| commit == at.commit);
        let by_path = || !at.path.is_empty() && self.paths.iter().any(|path| path.is_match(at.path));
        let by_text = || self.regexes.iter().any(|regex| regex.is_match(text));
        let by_word = || {
            let small = hit.secret.to_lowercase();
            self.stopwords.iter().any(|word| small.contains(word))
        };
        if !self.all {
            return by_commit() || by_path() || by_text() || by_word();
        }
        (self.commits.is_empty() || by_commit())
            && (self.paths.is_empty() || by_path())
            && (self.regexes.is_empty() || by_text())
            && (self.stopwords.is_empty() || by_word())
    }
}
