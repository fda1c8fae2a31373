//! What rows of a run remember for one another.

use crate::front_pages::FrontPages;
use crate::holdings::Holdings;
use crate::roles::Roles;
use crate::same_sites::SameSites;
use crate::siblings::Siblings;
use crate::throttles::Throttles;
use crate::unsigned_zones::UnsignedZones;

/// What rows of a run remember for one another: sites that they looked at, roles that they took, what accounts hold,
/// the names of large domains, which providers throttle, and which zones are not signed.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) same: SameSites,
    pub(crate) front_pages: FrontPages,
    pub(crate) roles: Roles,
    pub(crate) holdings: Holdings,
    pub(crate) siblings: Siblings,
    pub(crate) throttles: Throttles,
    pub(crate) unsigned: UnsignedZones,
}
