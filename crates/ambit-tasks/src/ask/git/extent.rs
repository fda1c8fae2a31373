//! How much is asked for of a history: all of it, what is new, or of one that is larger than it may be less and less.

use super::Source;
use ambit_git::{Beside, OBJECT_BYTES_MAX, ObjectId, Wanted};

/// Bytes of the files that are left out first: texts that people write are shorter.
const SMALL_BYTES: usize = 1_024 * 1_024;

/// How much is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What commits of an earlier look do not have.
    Since(Vec<ObjectId>),
    /// All that there is.
    All,
    /// No large files.
    Small,
    /// What stands at the tips today.
    Newest,
    /// What stands at HEAD today.
    Head,
}

impl Extent {
    /// What is tried one after the other where nothing is known of the history.
    pub(crate) fn all(source: &Source, beside: &Beside) -> impl Iterator<Item = Self> {
        let (filters, is_server) = (source.filters(), source.is_server());
        let extents = [
            (Self::All, true),
            (Self::Small, filters),
            (Self::Newest, is_server),
            (Self::Head, is_server && beside.head.is_some()),
        ];
        extents.into_iter().filter(|(_, is_there)| *is_there).map(|(extent, _)| extent)
    }

    /// Says what is left out; `None` where nothing is.
    pub(crate) fn left_out(&self) -> Option<&'static str> {
        match self {
            Self::Since(_) | Self::All => None,
            Self::Small => Some("files of 1 MiB and more are left out"),
            Self::Newest => Some("only what stands in the newest commit of each branch and tag was looked at"),
            Self::Head => Some("only what stands in the newest commit of the default branch was looked at"),
        }
    }

    /// Returns the commits to which the look goes.
    pub(crate) fn tips(&self, beside: &Beside) -> Vec<ObjectId> {
        match (self, beside.head) {
            (Self::Head, Some(head)) => vec![head],
            _ => beside.tips_and_past(),
        }
    }

    /// Returns the commits that are known with all that leads to them.
    pub(crate) fn known(&self) -> &[ObjectId] {
        if let Self::Since(known) = self { known } else { &[] }
    }

    /// Returns what a server is asked for.
    pub(crate) fn wanted<'a>(&'a self, tips: &'a [ObjectId], filters: bool) -> Wanted<'a> {
        let known = self.known();
        let below = |bytes: usize| filters.then_some(bytes);
        match self {
            // Of what is new alone, nobody could tell what was left out from what is known.
            Self::Since(_) => Wanted::New { tips, known, files_below: None },
            Self::All => Wanted::New { tips, known, files_below: below(OBJECT_BYTES_MAX) },
            Self::Small => Wanted::New { tips, known, files_below: below(SMALL_BYTES) },
            Self::Newest | Self::Head => Wanted::Newest { tips, files_below: below(SMALL_BYTES) },
        }
    }
}
