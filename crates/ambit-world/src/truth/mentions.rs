//! Names that the file tells of without a statement of their own: by what else it says, or by a DNAME record.

use super::Derivation;
use crate::draft::Data;
use std::collections::BTreeSet;

impl Derivation<'_> {
    /// Names that a certificate, a page, a pointer or a record tells of: one that only a wildcard answers is no asset,
    /// but such a one may be shown.
    pub(super) fn told(&self) -> BTreeSet<String> {
        let certified = self.internet.certificates.iter().flat_map(|certificate| certificate.names.iter().cloned());
        let sites = self.draft.sites.values();
        let linked = sites
            .flat_map(|site| site.links.iter().chain(&site.loads).chain(site.redirect.as_ref().map(|(_, url)| url)));
        let linked = linked.map(|url| ambit_model::entity::host_of(url).to_owned());
        let pointers = self.draft.hosts.values().filter_map(|host| host.pointer.clone());
        let records = self.draft.names.values().flat_map(|entry| &entry.records);
        let records = records.filter_map(|data| match data {
            Data::Cname(name)
            | Data::Dname(name)
            | Data::Ns(name)
            | Data::Mx(_, name)
            | Data::Srv(_, _, _, name)
            | Data::Ptr(name) => Some(name.clone()),
            Data::Binding(_, binding) => Some(binding.target.clone()),
            _ => None,
        });
        certified.chain(linked).chain(pointers).chain(records).collect()
    }

    /// Names that a DNAME record of ours makes of those below its target. Those of one label more are demanded, as a
    /// sweep finds them; the others may be told.
    pub(super) fn renamed(&mut self) {
        let mut made: Vec<(String, bool)> = Vec::new();
        for (owner, entry) in self.draft.names.iter().filter(|(owner, _)| self.in_scope(owner)) {
            let targets = entry.records.iter().filter_map(|data| match data {
                Data::Dname(target) => Some(format!(".{target}")),
                _ => None,
            });
            for target in targets {
                let below = self.draft.names.iter().filter_map(|(name, stated)| {
                    let front = name.strip_suffix(target.as_str()).filter(|front| !front.starts_with('*'))?;
                    let is_found = !front.contains('.') && !entry.hidden && self.answers(owner, entry);
                    Some((format!("{front}.{owner}"), is_found && self.leads(name, stated)))
                });
                made.extend(below);
            }
        }
        for (name, is_demanded) in made {
            if is_demanded { self.plant_name(&name) } else { self.allow_name(&name) }
        }
    }
}
