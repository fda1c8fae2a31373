//! What stands in accounts at cloud providers, where a run may ask them.

use super::{Derivation, Sight};
use crate::draft::{Expect, Layout, Site};
use crate::serve::checkout::FOLDER;
use ambit_model::Kind;
use ambit_model::entity::code_account;
use ambit_model::workflow::{CLOUD_ACCOUNTS, CODE_REPOSITORIES, MOBILE_APPS};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The issue of a site that hands out the files of a repository.
const EXPOSED: &str = "exposed_version_control";

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

    /// What accounts at forges have must be found, and who belongs to them; copies of what others have must not.
    pub(super) fn code(&mut self) {
        if self.internet.workflow != CODE_REPOSITORIES {
            return;
        }
        for (url, repository) in &self.draft.repositories {
            let forge = self.draft.forges.iter().find(|(account, _)| code_account::has(account, url));
            let Some((kind, name)) = Kind::of_repository(url) else { continue };
            if let Some((_, forge)) = forge.filter(|(_, forge)| !repository.private || forge.token.is_some()) {
                self.truth.plant(kind, &name);
                self.truth
                    .entities
                    .extend(code_account::of_repository(kind, &name).filter(|(kind, _)| *kind == forge.kind));
            }
        }
        for (account, forge) in &self.draft.forges {
            let above = account.rsplit_once('/').map_or("", |(above, _)| above);
            let tells = forge.kind != Kind::GitlabAccount && above != "https://bitbucket.org";
            for member in forge.members.iter().filter(|_| tells) {
                self.truth.plant(forge.kind, &format!("{above}/{member}"));
            }
        }
    }

    /// A repository that lies among what a site serves must be found where that can be put together again, and gives
    /// rise to the issue of one that anyone can fetch.
    pub(super) fn checkout(&mut self, sight: &Sight<'_>, site: &Site) {
        let Some(checkout) = &site.checkout else { return };
        let is_whole = matches!(checkout.layout, Layout::Loose | Layout::Packed);
        let name = format!("{}{FOLDER}", sight.uri);
        if site.basic.is_some() || !sight.probed {
            self.truth.allow_issue(EXPOSED, Kind::Uri, &sight.uri);
            self.truth.allow(Kind::GitRepository, &name);
            return;
        }
        self.truth.plant_issue(EXPOSED, Kind::Uri, &sight.uri);
        if is_whole {
            self.truth.plant(Kind::GitRepository, &name);
        }
    }

    /// What the members of packages name must be known, and a host that an app names and that names it is theirs. The
    /// site of who makes an app, as a store says, is nobody's for that.
    pub(super) fn apps(&mut self) {
        if self.internet.workflow != MOBILE_APPS {
            return;
        }
        let texts = self.draft.apps.values().flat_map(|app| &app.members);
        for (_, text) in texts {
            let words = text.split(['"', '\'', '`', '<', '>', ' ', '(', ')']);
            for url in words.filter(|word| word.starts_with("http://") || word.starts_with("https://")) {
                self.truth.plant(Kind::AppEndpoint, url.split(['?', '#']).next().unwrap_or(url));
            }
        }
        for app in self.draft.apps.values() {
            for host in app.opens.iter().filter(|host| app.named.contains(host)) {
                self.truth.entities.extend(Kind::of_host(host).ok());
            }
        }
    }

    /// An issue that is expected of what an account holds, of a repository or of an app, which this run does not look
    /// at.
    pub(super) fn is_of_another_workflow(&self, expect: &Expect) -> bool {
        let Expect::Issue(_, kind, entity) = expect else { return false };
        let key = (*kind, entity.clone());
        let mut held = self.draft.accounts.values().flat_map(|account| &account.holds);
        let is_app = || self.draft.apps.values().any(|app| app.kind() == *kind && app.id == *entity);
        let of_site = |(site, stated): (&String, &Site)| stated.checkout.is_some() && entity.starts_with(site);
        let is_handed_out = *kind == Kind::GitRepository && self.draft.sites.iter().any(of_site);
        let is_known = self.draft.repositories.contains_key(entity) || is_handed_out;
        let is_there = held.any(|other| *other == key) || is_known || is_app();
        is_there && !self.truth.entities.contains(&key)
    }
}
