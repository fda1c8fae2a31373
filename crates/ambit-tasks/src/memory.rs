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
    /// The exposures that were proven: about 10 MB.
    pub(crate) same: SameSites<BTreeSet<&'static str>, 100_000>,
    /// What pages behind the front page hand out: up to 20 kB of each site, where every name is as long as may be.
    pub(crate) walked: SameSites<Arc<Walked>, 5_000>,
    pub(crate) front_pages: FrontPages,
    pub(crate) roles: Roles,
    pub(crate) holdings: Holdings,
    pub(crate) siblings: Siblings,
    pub(crate) throttles: Throttles,
    pub(crate) unsigned: UnsignedZones,
}
