//! What rows of a run remember for one another.

use crate::front_pages::FrontPages;
use crate::holdings::Holdings;
use crate::roles::Roles;
use crate::same_sites::SameSites;

/// What rows of a run remember for one another: sites that they looked at, roles that they took,
/// and what accounts hold.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) same: SameSites,
    pub(crate) front_pages: FrontPages,
    pub(crate) roles: Roles,
    pub(crate) holdings: Holdings,
}
