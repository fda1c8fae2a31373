//! Who may see a file that somebody uploaded.

use crate::db::rows::{Cells, FromRow};
use crate::{Principal, Result};

/// Stands in the place of a project for what every user of the installation may see.
pub(crate) const INSTALLATION: i64 = 0;

/// Who may see a file that somebody uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Every user of the installation.
    Installation,
    /// The people of the project with this id.
    Project(i64),
}

impl Visibility {
    /// The name of the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Installation => "installation",
            Self::Project(_) => "project",
        }
    }

    pub(crate) fn project(self) -> i64 {
        match self {
            Self::Installation => INSTALLATION,
            Self::Project(id) => id,
        }
    }
}

impl FromRow for Visibility {
    fn read(cells: &mut Cells<'_>) -> Result<Self> {
        Ok(match cells.value()? {
            INSTALLATION => Self::Installation,
            id => Self::Project(id),
        })
    }
}

/// The values of `project_id` that the caller sees.
pub(crate) fn audiences(principal: &Principal) -> Vec<i64> {
    [INSTALLATION].into_iter().chain(principal.projects()).collect()
}
