//! Packs of vulnerabilities in a folder: adding, listing and removing them, and the index of them all. A pack that
//! cannot be read changes nothing; the index is replaced at once when the new one is whole.

use crate::import::{self, ImportError, Source, Taken};
use crate::index::{self, About};
use crate::lifecycle::Lifecycle;
use crate::records::{Records, Writer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Packs in a folder: an index is made of all of them at once.
const PACKS_MAX: usize = 200;
/// The ending of a pack's file.
const ENDING: &str = "vulns";
/// The file of the index.
pub(crate) const INDEX: &str = "index";
/// Characters of a version.
const VERSION_CHARS: usize = 8;

/// A pack, as it says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    pub name: String,
    /// What its records are of: `NVD`, `CVE 5`, `KEV`, `EPSS`.
    pub sources: Vec<String>,
    pub entries: usize,
    /// The beginning of a hash of its content.
    pub version: String,
    /// Wall time, in milliseconds since 1970.
    pub loaded_at: i64,
    /// The lifecycles of products.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lifecycles: Vec<Lifecycle>,
}

impl Pack {
    /// A pack of which only the name is known.
    pub(crate) fn unread(name: &str) -> Self {
        let (sources, version, lifecycles) = (Vec::new(), String::new(), Vec::new());
        Self { name: name.to_owned(), sources, entries: 0, version, loaded_at: 0, lifecycles }
    }
}

/// Why packs were not changed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The file that was to be read, and why it was not.
    #[error("{}: {source}", path.display())]
    Import { path: PathBuf, source: ImportError },
    #[error("{}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("at most {PACKS_MAX} packs of vulnerabilities are loaded: remove one first")]
    TooMany,
}

/// A folder of packs.
#[derive(Clone, Debug)]
pub struct Packs {
    folder: PathBuf,
}

impl Packs {
    /// The packs of a folder, which need not exist yet.
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub(crate) fn at(&self, path: PathBuf) -> impl FnOnce(io::Error) -> PackError {
        move |source| PackError::Folder { path, source }
    }

    /// Keeps other processes from changing the packs while the file is open.
    pub(crate) fn lock(&self) -> Result<File, PackError> {
        let path = self.folder.join("lock");
        let made = fs::create_dir_all(&self.folder).and_then(|()| File::create(&path));
        let file = made.map_err(self.at(path.clone()))?;
        file.lock().map_err(self.at(path))?;
        Ok(file)
    }

    /// Reads files as one pack, in place of one of the same name. The index stays as it is until `rebuild`. Fails with
    /// `TooMany` where as many are loaded as there may be, and with `Import` for a file that cannot be read; the pack
    /// of before then stays.
    pub fn add(&self, name: &str, files: &[PathBuf], loaded_at: i64) -> Result<Pack, PackError> {
        let _lock = self.lock()?;
        let known = self.list()?;
        if known.len() >= PACKS_MAX && known.iter().all(|pack| pack.name != name) {
            return Err(PackError::TooMany);
        }
        let path = self.path(name);
        let new = path.with_extension("new");
        let written = self.write(name, files, &new, loaded_at);
        if written.is_err() {
            fs::remove_file(&new).ok();
        }
        let pack = written?;
        fs::rename(&new, &path).map_err(self.at(path))?;
        Ok(pack)
    }

    fn write(&self, name: &str, files: &[PathBuf], new: &Path, loaded_at: i64) -> Result<Pack, PackError> {
        let mut writer = Writer::create(new).map_err(self.at(new.to_owned()))?;
        let (mut sources, mut entries, mut hash) = (BTreeMap::new(), 0, Sha256::new());
        let mut lifecycles = Vec::new();
        for path in files {
            let mut sink = |source: Source, taken| {
                *sources.entry(source).or_insert(0) += 1;
                match taken {
                    Taken::Vulnerability(id, known) => writer.add(id, &known).map(drop),
                    Taken::Lifecycle(one) => {
                        lifecycles.push(one);
                        Ok(())
                    }
                }
            };
            entries += import::read_file(path, &stem(path), &mut hash, &mut sink)
                .map_err(|source| PackError::Import { path: path.clone(), source })?;
        }
        let pack = Pack {
            name: name.to_owned(),
            sources: sources.keys().map(|source: &Source| source.name().to_owned()).collect(),
            entries,
            version: hex_of(&hash.finalize())[..VERSION_CHARS].to_owned(),
            loaded_at,
            lifecycles,
        };
        writer.finish(std::iter::empty(), &pack).map_err(self.at(new.to_owned()))?;
        Ok(pack)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ENDING}"))
    }

    /// Returns every pack, by name.
    pub fn list(&self) -> Result<Vec<Pack>, PackError> {
        let mut packs = Vec::new();
        for (path, records) in self.open()? {
            packs.push(records.about::<Pack>().map_err(self.at(path))?);
        }
        Ok(packs)
    }

    fn open(&self) -> Result<Vec<(PathBuf, Records)>, PackError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.at(self.folder.clone())(error)),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
        paths.sort();
        let open = |path: PathBuf| match Records::open(&path) {
            Ok(records) => Ok((path, records)),
            Err(error) => Err(self.at(path)(error)),
        };
        paths.into_iter().map(open).collect()
    }

    /// Removes a pack. Returns false where there is none of that name. The index stays as it is until `rebuild`.
    pub fn remove(&self, name: &str) -> Result<bool, PackError> {
        let _lock = self.lock()?;
        match fs::remove_file(self.path(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.at(self.path(name))(error)),
        }
    }

    /// Rebuilds the index of all packs. Where a pack cannot be read it fails, and the index stays as it was.
    pub fn rebuild(&self) -> Result<(), PackError> {
        let _lock = self.lock()?;
        let path = self.folder.join(INDEX);
        let (mut stamp, mut records, mut lifecycles) = (String::new(), Vec::new(), Vec::new());
        for (path, pack) in self.open()? {
            let about: Pack = pack.about().map_err(self.at(path))?;
            stamp.push_str(&format!("{} {}\n", about.name, about.version));
            records.push(pack);
            lifecycles.extend(about.lifecycles);
        }
        if records.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.at(path)(error)),
                _ => Ok(()),
            };
        }
        let new = self.folder.join("index.new");
        index::build(&records, &new, &About { stamp, lifecycles }).map_err(self.at(new.clone()))?;
        fs::rename(&new, &path).map_err(self.at(path))
    }
}

/// The name of a file without its endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
