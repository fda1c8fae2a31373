//! How much is asked for of a history: all of it, what is new, or of one that is larger than it may be less and less.

use super::Source;
use ambit_git::{Beside, OBJECT_BYTES_MAX, ObjectId, Wanted};

/// Bytes of the files that are left out first: texts that people write are shorter.
const SMALL_BYTES: usize = 1_024 * 1_024;

/// How much of a repository is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Commits that an earlier search did not have.
    Since(Vec<ObjectId>),
    /// Everything.
    All,
    /// Everything but large files.
    Small,
    /// The newest commit of each branch and tag.
    Newest,
    /// The newest commit of the default branch.
    Head,
}

impl Extent {
    /// Returns the extents to try in turn if nothing is known of the history.
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

    /// Returns a description of what is left out; `None` if nothing is.
    pub(crate) fn left_out(&self) -> Option<&'static str> {
        match self {
            Self::Since(_) | Self::All => None,
            Self::Small => Some("files of 1 MiB and more are left out"),
            Self::Newest => Some("only what stands in the newest commit of each branch and tag was looked at"),
            Self::Head => Some("only what stands in the newest commit of the default branch was looked at"),
        }
    }

    /// Returns the commits at which the search starts.
    pub(crate) fn tips(&self, beside: &Beside) -> Vec<ObjectId> {
        match (self, beside.head) {
            (Self::Head, Some(head)) => vec![head],
            _ => beside.tips_and_past(),
        }
    }

    /// Returns the commits that are known together with everything they reach.
    pub(crate) fn known(&self) -> &[ObjectId] {
        if let Self::Since(known) = self { known } else { &[] }
    }

    /// Returns the request for the server.
    pub(crate) fn wanted<'a>(&'a self, tips: &'a [ObjectId], filters: bool) -> Wanted<'a> {
        let known = self.known();
        let below = |bytes: usize| filters.then_some(bytes);
        match self {
            // No size filter: in an increment, a file that was filtered out could not be distinguished from one that is
            // known.
            Self::Since(_) => Wanted::New { tips, known, files_below: None },
            Self::All => Wanted::New { tips, known, files_below: below(OBJECT_BYTES_MAX) },
            Self::Small => Wanted::New { tips, known, files_below: below(SMALL_BYTES) },
            Self::Newest | Self::Head => Wanted::Newest { tips, files_below: below(SMALL_BYTES) },
        }
    }
}
