//! What rows of a run remember for one another.

use crate::front_pages::FrontPages;
use crate::roles::Roles;
use crate::same_sites::SameSites;

/// What rows of a run remember for one another: sites that they looked at, and roles that they took.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) same: SameSites,
    pub(crate) front_pages: FrontPages,
    pub(crate) roles: Roles,
}
