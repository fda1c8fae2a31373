//! The folder of an index: its generations, and which of them counts. A generation is one Tantivy folder; a rebuild
//! makes the next one and then names it in one step.

use super::checked::Reached;
use super::generation::Generation;
use crate::error::{IndexError, Result};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file that names the generation that counts.
const NAME_FILE: &str = "current";

/// What the folder of a generation is called, with six digits after it.
const GENERATION: &str = "generation-";

#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: &Path) -> Self {
        Folder { path: path.to_owned() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The generation that counts, whole and of today's shape, with what it has reached.
    pub(crate) fn open(&self, writing: bool) -> Result<(Generation, Reached)> {
        let name_file = self.path.join(NAME_FILE);
        let name = match fs::read_to_string(&name_file) {
            Ok(name) => name,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(IndexError::Missing(self.path.clone()));
            }
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(IndexError::Damaged(format!("{}: no name", name_file.display())));
            }
            Err(error) => return Err(IndexError::io("read", &name_file, error)),
        };
        let name = name.trim_end();
        match number_of(name) {
            Some(_) => Generation::open(&self.path.join(name), writing),
            None => Err(IndexError::Damaged(format!("{}: no name", name_file.display()))),
        }
    }

    /// An empty generation that does not count yet.
    pub(crate) fn create_next(&self) -> Result<Generation> {
        fs::create_dir_all(&self.path).map_err(|error| IndexError::io("create", &self.path, error))?;
        let highest = self.generations()?.iter().filter_map(|name| number_of(name)).max().unwrap_or(0);
        Generation::create(&self.path.join(format!("{GENERATION}{:06}", highest + 1)))
    }

    /// Lets a generation count: whoever opens the folder afterwards finds it.
    pub(crate) fn name(&self, generation: &Generation) -> Result<()> {
        let name = generation.path.file_name().expect("made by this folder").to_string_lossy().into_owned();
        let next = self.path.join(format!("{NAME_FILE}.next"));
        let target = self.path.join(NAME_FILE);
        let written = fs::File::create(&next)
            .and_then(|mut file| file.write_all(format!("{name}\n").as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&next, &target))
            .and_then(|()| sync_folder(&self.path));
        written.map_err(|error| IndexError::io("name", &target, error))
    }

    /// Whether a generation still is the one that counts.
    pub(crate) fn is_named(&self, generation: &Generation) -> bool {
        let name = fs::read_to_string(self.path.join(NAME_FILE)).unwrap_or_default();
        generation.path.file_name().is_some_and(|own| own.to_string_lossy() == name.trim_end())
    }

    /// Removes every other generation. Readers that still use one keep its mapped files; what cannot be removed now
    /// is removed when the folder is opened next.
    pub(crate) fn remove_others(&self, keep: &Generation) {
        let keep = keep.path.file_name().map(|name| name.to_string_lossy().into_owned());
        for name in self.generations().unwrap_or_default() {
            if Some(&name) != keep.as_ref() {
                let path = self.path.join(&name);
                if let Err(error) = fs::remove_dir_all(&path) {
                    tracing::warn!(path = %path.display(), %error, "an old index could not be removed");
                }
            }
        }
    }

    fn generations(&self) -> Result<Vec<String>> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| IndexError::io("list", &self.path, error))?,
        };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        Ok(names.filter(|name| number_of(name).is_some()).collect())
    }
}

/// A rename counts once its folder is on disk.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
}

/// `generation-000003` → 3.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(GENERATION)?;
    (digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}
