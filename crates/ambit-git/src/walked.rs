//! The statistics of a walk over a history, beside the texts: what was read, and what was not.

use crate::objects::Unreadable;
use gix_hash::ObjectId;
use std::collections::{BTreeSet, HashSet};

/// Characters that are kept of the first path of what was not looked at.
const FIRST_CHARS: usize = 200;

/// What was walked over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Commits that were looked at.
    pub commits: usize,
    /// Files that were looked at.
    pub files: usize,
    /// The commits, tags and known commits to which the tips lead, whether they could be read or not.
    pub reached: HashSet<ObjectId>,
    /// Parents of these commits that are not among the objects: where the walk ended.
    pub ends: BTreeSet<ObjectId>,
    /// Folders and files that were looked at, or that known commits have.
    pub seen: HashSet<ObjectId>,
    /// What is not among the objects.
    pub missing: Missing,
    /// What is among them and was not looked at.
    pub unread: Unread,
}

/// How much of a history was not looked at: what is not among the objects, of a shallow or partial clone or of one that
/// is broken, or what is there for one reason of [`Unread`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Commits and tags that are referenced.
    pub commits: usize,
    /// Folders, of which nothing below them was seen either.
    pub folders: usize,
    /// Files.
    pub files: usize,
    /// The first of the files or folders, by its path, else of the commits, by its id.
    pub first: String,
}

impl Missing {
    /// Returns true where nothing is missing.
    pub fn is_none(&self) -> bool {
        self.commits + self.folders + self.files == 0
    }

    pub(crate) fn commit(&mut self, id: ObjectId) {
        if self.is_none() {
            self.first = id.to_string();
        }
        self.commits += 1;
    }

    pub(crate) fn folder(&mut self, path: &str) {
        self.note(if path.is_empty() { "/" } else { path });
        self.folders += 1;
    }

    pub(crate) fn file(&mut self, path: &str) {
        self.note(path);
        self.files += 1;
    }

    fn note(&mut self, path: &str) {
        if self.folders + self.files == 0 {
            self.first = path.chars().take(FIRST_CHARS).collect();
        }
    }
}

/// How much of a history is among the objects and was not looked at, or not in full, by the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// What is broken: its bytes are no object, or not what the kind of object holds. What could be read of it was
    /// looked at.
    pub broken: Missing,
    /// What takes more memory than an object may, [`OBJECT_BYTES_MAX`](crate::OBJECT_BYTES_MAX).
    pub too_large: Missing,
    /// What lies in more folders than [`FOLDERS_DEEP_MAX`](crate::FOLDERS_DEEP_MAX), or has a path of more than 4,096
    /// bytes.
    pub too_deep: Missing,
}

impl Unread {
    pub(crate) fn of(&mut self, why: Unreadable) -> &mut Missing {
        match why {
            Unreadable::Broken => &mut self.broken,
            Unreadable::TooLarge => &mut self.too_large,
        }
    }
}
