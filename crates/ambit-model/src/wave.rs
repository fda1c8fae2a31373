//! The order in which a run does its work (docs/architecture.md §2).

use crate::Clearance;

/// Rows of work that may run beside each other. A wave begins once the waves before it have neither rows under way
/// nor rows that could start: what is quiet finds all that it can, and scope is decided by it, before anything louder
/// happens. Probes alone do not wait for the end of sweeps, which may be long: they only come after them. The order
/// of discriminants is the order of the waves, and their numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wave {
    /// What is known, passive sources, and names that are known: L0 and L1.
    Passive,
    /// Names from lists of words and from transfers of zones. Only resolvers and servers of names are asked, and what
    /// is found is visited with the rest.
    Words,
    /// Names similar to known ones, after all names from word lists; and the default certificates of addresses, which
    /// decide what may be visited there.
    Variations,
    /// What a browser does: L2.
    Visits,
    /// What finds the services of addresses and blocks: L3. Each service that is found is visited next.
    Sweeps,
    /// What goes into depth at what is known: L3.
    Probes,
    /// Logins, writes, exploit checks: L4.
    Writes,
}

impl Wave {
    /// All waves, the first one first.
    pub const ALL: [Self; 7] =
        [Self::Passive, Self::Words, Self::Variations, Self::Visits, Self::Sweeps, Self::Probes, Self::Writes];

    /// The wave of tasks with a footprint that neither guess names nor sweep.
    pub fn of(footprint: Clearance) -> Self {
        match footprint {
            Clearance::L0 | Clearance::L1 => Self::Passive,
            Clearance::L2 => Self::Visits,
            Clearance::L3 => Self::Probes,
            Clearance::L4 => Self::Writes,
        }
    }

    /// 0 to 6, as it is stored.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// Returns whether it begins only once no row of the wave before is under way.
    pub fn waits(self) -> bool {
        self != Self::Probes
    }

    /// The wave of a stored number; `None` outside 0..=6.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|wave| wave.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quieter_footprints_come_first_and_numbers_are_read_back() {
        assert!(Wave::ALL.is_sorted());
        assert!(Clearance::ALL.map(Wave::of).is_sorted());
        for wave in Wave::ALL {
            assert_eq!(Wave::from_number(wave.number()), Some(wave));
        }
        assert_eq!(Wave::from_number(7), None);
    }
}
