//! What stands in accounts at cloud providers, where a run may ask them.

use super::Derivation;
use crate::draft::Expect;
use ambit_model::Kind;
use ambit_model::workflow::CLOUD_ACCOUNTS;
use std::collections::BTreeSet;
use std::net::IpAddr;

impl Derivation<'_> {
    /// What accounts hold must be found, with what answers at its addresses and names.
    pub(super) fn accounts(&mut self) {
        if self.internet.workflow != CLOUD_ACCOUNTS {
            return;
        }
        let held = self.draft.accounts.values().flat_map(|account| &account.holds);
        let held: Vec<(Kind, String)> = held.cloned().collect();
        for (kind, name) in &held {
            self.truth.plant(*kind, name);
        }
        let addresses = held.iter().filter(|(kind, _)| *kind == Kind::IpAddress);
        let addresses: BTreeSet<IpAddr> = addresses.filter_map(|(_, address)| address.parse().ok()).collect();
        let answering: BTreeSet<IpAddr> =
            addresses.into_iter().filter(|address| self.internet.hosts.contains_key(address)).collect();
        self.services(&answering);
        self.sites(&answering);
    }

    /// An issue that is expected of what an account holds, of a repository or of an app, which this run does not look
    /// at.
    pub(super) fn is_of_another_workflow(&self, expect: &Expect) -> bool {
        let Expect::Issue(_, kind, entity) = expect else { return false };
        let key = (*kind, entity.clone());
        let mut held = self.draft.accounts.values().flat_map(|account| &account.holds);
        let is_app = || self.draft.apps.values().any(|app| app.kind() == *kind && app.id == *entity);
        let is_there = held.any(|other| *other == key) || self.draft.repositories.contains_key(entity) || is_app();
        is_there && !self.truth.entities.contains(&key)
    }
}
