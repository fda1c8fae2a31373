//! Packs: the rules of files that a user brings along, and why a file was refused.

use crate::rule::Rule;

/// What a file of rules is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PackKind {
    /// XML of recog.
    Recog,
    /// Technologies of webappanalyzer, in JSON.
    Webappanalyzer,
    /// The names of its categories.
    WebappanalyzerCategories,
    /// A template of nuclei, in YAML.
    Template,
}

/// The rules of one file.
#[derive(Debug)]
pub struct Pack {
    pub kind: PackKind,
    /// The name that it was read under.
    pub file: String,
    /// What of it cannot be used, and why.
    pub left_out: Vec<LeftOut>,
    pub(crate) rules: Vec<Rule>,
    /// Names of categories by number.
    pub(crate) categories: Vec<(u32, String)>,
}

/// A rule, or a sign of one, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// File and line, or file and technology.
    pub place: String,
    pub why: String,
}

/// Why a file was refused: its name, the place in it, and the reason, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PackError(String);

impl PackError {
    /// A problem with a file as a whole.
    pub(crate) fn of(file: &str, what: &str) -> Self {
        Self(format!("{file}: {what}"))
    }

    /// A problem in a line of a file.
    pub(crate) fn at_line(file: &str, line: usize, what: &str) -> Self {
        Self(format!("{file}:{line}: {what}"))
    }

    /// A problem with a part of a file that has a name.
    pub(crate) fn at(file: &str, part: &str, what: &str) -> Self {
        Self(format!("{file}: {part}: {what}"))
    }
}

impl Pack {
    /// Returns the pages beside the front page at which its rules look.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|rule| rule.path.as_deref())
    }

    pub(crate) fn new(kind: PackKind, file: &str) -> Self {
        Self { kind, file: file.to_owned(), left_out: Vec::new(), rules: Vec::new(), categories: Vec::new() }
    }

    /// Returns how many rules it has.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns whether it has no rule: names of categories alone.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}
