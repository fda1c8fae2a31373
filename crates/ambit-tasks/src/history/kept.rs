//! Selects what is kept of a history if a record cannot hold everything. What an earlier search kept comes first, so
//! that whatever is missing from it was seen to be gone. Pure.

use super::{LEAKS_MAX, PACKAGES_MAX};
use ambit_model::Facts;
use ambit_model::entity::repository::{FLAWS, Flaw, LEAKS, Leak, PACKAGES, Package};
use std::collections::BTreeSet;

pub(super) fn of_packages(all: Vec<Package>, facts: &Facts) -> Vec<Package> {
    let known: BTreeSet<Package> = PACKAGES.items(&facts.details).collect();
    within(all, PACKAGES_MAX, |package| known.contains(package))
}

/// A flaw may have moved within its file.
pub(super) fn of_flaws(all: Vec<Flaw>, facts: &Facts) -> Vec<Flaw> {
    let known: BTreeSet<_> = FLAWS.items(&facts.details).map(|flaw: Flaw| (flaw.what, flaw.path, flaw.shown)).collect();
    within(all, PACKAGES_MAX, |flaw| known.contains(&(flaw.what.clone(), flaw.path.clone(), flaw.shown.clone())))
}

pub(super) fn of_leaks(all: Vec<Leak>, facts: &Facts) -> Vec<Leak> {
    let known: BTreeSet<String> = LEAKS.items(&facts.details).map(|leak: Leak| leak.token).collect();
    within(all, LEAKS_MAX, |leak| known.contains(&leak.token))
}

/// As many as there is room for, in their order, those that are known first.
pub(crate) fn within<T>(all: Vec<T>, most: usize, is_known: impl Fn(&T) -> bool) -> Vec<T> {
    if all.len() <= most {
        return all;
    }
    let mut room = most.saturating_sub(all.iter().filter(|one| is_known(one)).count());
    let mut has_room = || {
        let has_room = room > 0;
        room = room.saturating_sub(1);
        has_room
    };
    all.into_iter().filter(|one| is_known(one) || has_room()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_stands_before_what_is_new() {
        let kept = |known: &[u32], all: &[u32]| within(all.to_vec(), 3, |one| known.contains(one));
        assert_eq!(kept(&[], &[1, 2]), [1, 2]);
        assert_eq!(kept(&[], &[1, 2, 3, 4]), [1, 2, 3]);
        assert_eq!(kept(&[2, 4, 6], &[1, 2, 3, 4, 5, 6]), [2, 4, 6]);
        assert_eq!(kept(&[2, 4, 6], &[1, 2, 3, 4, 5]), [1, 2, 4], "one is gone, and there is room for another");
        assert_eq!(kept(&[1, 2, 3, 4], &[1, 2, 3, 4]), [1, 2, 3], "the limit was higher");
    }
}
