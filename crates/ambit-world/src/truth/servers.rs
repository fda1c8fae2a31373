//! Servers of names and of mail, as the zones of our domains name them.

use super::{Derivation, sound};
use crate::draft::Data;
use crate::{evidence, plan};
use ambit_model::Kind;

impl Derivation<'_> {
    /// Name servers and mail servers of the seeds' zones, within their own names. Those of zones and names below them
    /// may be told.
    pub(super) fn servers(&mut self) {
        let names = self.draft.names.iter().filter(|(name, _)| self.in_scope(name));
        let mail = names.flat_map(|(_, entry)| &entry.records).filter_map(|data| match data {
            Data::Mx(_, server) if self.in_scope(server) => Some((Kind::Mailserver, server.clone())),
            _ => None,
        });
        let mail: Vec<(Kind, String)> = mail.collect();
        self.truth.maybe_entities.extend(mail);
        let ours = self.draft.zones.iter().filter(|(name, _)| self.in_scope(name));
        let told = ours.flat_map(|(_, zone)| &zone.servers).filter(|(server, _)| self.in_scope(server));
        let told: Vec<(Kind, String)> = told.map(|(server, _)| (Kind::Nameserver, server.clone())).collect();
        self.truth.maybe_entities.extend(told);
        let domains: Vec<String> = self.planted(Kind::Domain);
        for domain in domains {
            let is_kept = |server: &str| self.is_placed(server) && !evidence::is_handed_away(self.internet, server);
            let own =
                |server: &str| ambit_model::entity::registrable(server) == Some(domain.as_str()) && is_kept(server);
            let zone = self.draft.zones.get(&domain);
            let names = zone.iter().flat_map(|zone| &zone.servers).map(|(server, _)| (Kind::Nameserver, server));
            let entry = self.draft.names.get(&domain).filter(|entry| sound(entry.answers));
            let exchangers = entry.iter().flat_map(|entry| &entry.records).filter_map(|data| match data {
                Data::Mx(_, server) => Some((Kind::Mailserver, server)),
                _ => None,
            });
            let servers: Vec<(Kind, &String)> = names.chain(exchangers).filter(|(_, server)| own(server)).collect();
            for (kind, server) in servers {
                self.truth.plant(kind, server);
            }
        }
    }

    /// Whether somebody can learn that a server in a domain of ours was not handed to others: each zone from the domain
    /// down to its name answers.
    fn is_placed(&self, server: &str) -> bool {
        let zones = plan::ancestors(server).filter_map(|level| self.draft.zones.get_key_value(level));
        zones.into_iter().all(|(name, zone)| self.zone_answers(name, zone))
    }
}
