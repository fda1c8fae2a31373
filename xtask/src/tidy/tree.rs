//! The repository as the rules see it: every file with its size, every text, every parsed Rust source.
//! Built from the disk, or from a few samples in a test.

use super::source::{self, Source};
use anyhow::Context as _;
use std::path::Path;

/// Folders that hold nothing of ours: what git ignores, and git itself.
const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "node_modules", "dist", "generated", ".venv", "__pycache__"];

/// A file of the repository; `path` is relative to its root, with `/`.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: usize,
    /// `None` for what is not UTF-8.
    pub(crate) text: Option<String>,
}

/// All that the rules look at.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    pub(crate) sources: Vec<Source>,
    /// Rust files that do not parse: path, line, what the parser said.
    pub(crate) broken: Vec<(String, usize, String)>,
}

impl Tree {
    /// Reads the repository at `root`.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Tree> {
        let mut files = Vec::new();
        walk(root, root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Tree::from_files(files))
    }

    fn from_files(files: Vec<File>) -> Tree {
        let mut tree = Tree { files, ..Tree::default() };
        for file in &tree.files {
            let (true, Some(text)) = (file.path.ends_with(".rs"), &file.text) else {
                continue;
            };
            match source::parse(&file.path, text) {
                Ok(source) => tree.sources.push(source),
                Err((line, message)) => tree.broken.push((file.path.clone(), line, message)),
            }
        }
        source::mark_test_files(&mut tree.sources);
        tree
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    /// The parsed sources of our crates, without the repository's own commands.
    pub(crate) fn crate_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.path.starts_with("crates/"))
    }

    /// The manifests of our crates: name of the crate, path, parsed.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &File, toml::Table)> {
        self.files.iter().filter_map(|file| {
            let name = file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            let table = file.text.as_deref()?.parse().ok()?;
            (!name.contains('/')).then_some((name, file, table))
        })
    }
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<File>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
                walk(root, &path, files)?;
            }
            continue;
        }
        // A worktree's `.git` is a file that names a folder of this machine.
        if name == ".git" || name.to_string_lossy().ends_with(".profraw") {
            continue;
        }
        let content = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let relative = path.strip_prefix(root).expect("walked from the root").to_string_lossy().replace('\\', "/");
        files.push(File { path: relative, bytes: content.len(), text: String::from_utf8(content).ok() });
    }
    Ok(())
}

/// A tree of samples (path, text).
#[cfg(test)]
pub(crate) fn sample(samples: &[(&str, &str)]) -> Tree {
    let files = samples
        .iter()
        .map(|(path, text)| File { path: (*path).to_owned(), bytes: text.len(), text: Some((*text).to_owned()) })
        .collect();
    Tree::from_files(files)
}

/// What `rule` says about a tree of samples: one line per finding.
#[cfg(test)]
pub(crate) fn said(rule: super::Rule, samples: &[(&str, &str)]) -> Vec<String> {
    let mut findings = Vec::new();
    rule(&sample(samples), &mut findings);
    findings.iter().map(ToString::to_string).collect()
}
