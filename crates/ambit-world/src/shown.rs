//! How well addresses are shown to be ours. What was worked out once is kept: it is asked for each name that leads to
//! an address, and all names are looked through for the answer.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// How well an address is shown to be ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    /// Nothing shows it.
    Nothing,
    /// The machine's evidence or its block's registrant says that it is ours, but third parties' names are on it as
    /// well; known ones undo the evidence.
    Doubtful,
    Plainly,
}

/// What was worked out of the addresses of a state.
#[derive(Default)]
pub(crate) struct Weighed(Mutex<BTreeMap<IpAddr, Shown>>);

impl Weighed {
    /// How well the address is shown to be ours, worked out where nobody asked before.
    pub(crate) fn of(&self, address: IpAddr, weigh: impl FnOnce() -> Shown) -> Shown {
        if let Some(shown) = self.0.lock().get(&address) {
            return *shown;
        }
        let shown = weigh();
        self.0.lock().insert(address, shown);
        shown
    }
}
