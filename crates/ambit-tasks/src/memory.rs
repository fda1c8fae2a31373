//! What rows of a run remember for one another.

use crate::front_pages::FrontPages;
use crate::holdings::Holdings;
use crate::roles::Roles;
use crate::same_sites::SameSites;
use crate::siblings::Siblings;
use crate::throttles::Throttles;
use crate::unsigned_zones::UnsignedZones;
use crate::walked_sites::Walked;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What rows of a run remember for one another: sites that they looked at, roles that they took, what accounts hold,
/// the names of large domains, which providers throttle, and which zones are not signed.
#[derive(Debug, Default)]
pub struct Memory {
    /// The exposures that were proven.
    pub(crate) same: SameSites<BTreeSet<&'static str>>,
    /// What pages behind the front page hand out.
    pub(crate) walked: SameSites<Arc<Walked>>,
    pub(crate) front_pages: FrontPages,
    pub(crate) roles: Roles,
    pub(crate) holdings: Holdings,
    pub(crate) siblings: Siblings,
    pub(crate) throttles: Throttles,
    pub(crate) unsigned: UnsignedZones,
}
