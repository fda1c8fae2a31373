//! Names that the file tells of without a statement of their own: by what else it says, or by a DNAME record.

use super::Derivation;
use crate::draft::Data;
use crate::plan;
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
            if entry.renaming().is_none() {
                continue;
            }
            made.extend(self.below(owner, true).into_iter().map(|(front, leads)| {
                let name = format!("{front}.{owner}");
                // Not everybody follows the longest chain.
                let ends = || plan::chain(self.draft, &name).len() < plan::CHAIN_MAX;
                let is_demanded = leads && !front.contains('.') && ends();
                (name, is_demanded)
            }));
        }
        for (name, is_demanded) in made {
            if is_demanded { self.plant_name(&name) } else { self.allow_name(&name) }
        }
    }

    /// What stands before the names below this one, each with whether anybody can find that it leads somewhere: the
    /// names stated there, or those of where DNAME records lead. Of DNAME records further below, the names that they
    /// make are among them once, not those that they make of each other's: these may have no end.
    fn below(&self, name: &str, with_made: bool) -> Vec<(String, bool)> {
        let (mut parent, mut is_found) = (name.to_owned(), true);
        // Nobody follows more, nor a loop.
        for _ in 0..2 * plan::CHAIN_MAX {
            // The one that stands at the name or above it.
            let Some(renamed) = plan::renamed(self.draft, &format!("x.{parent}")) else { break };
            is_found &= !renamed.entry.hidden && self.answers(renamed.owner, renamed.entry);
            let Some(next) = renamed.name.as_deref().and_then(|name| name.strip_prefix("x.")) else {
                return Vec::new();
            };
            parent = next.to_owned();
        }
        let end = format!(".{parent}");
        let stated = self.draft.names.iter().filter_map(|(name, stated)| {
            let front = name.strip_suffix(end.as_str()).filter(|front| !front.starts_with('*'))?;
            Some((front, name, stated))
        });
        let mut below = Vec::new();
        for (front, name, stated) in stated {
            let has_end = |target: &str| name != target && !name.ends_with(&format!(".{target}"));
            if with_made && stated.renaming().is_some_and(has_end) {
                let made = self.below(name, false).into_iter();
                below.extend(made.map(|(deeper, leads)| (format!("{deeper}.{front}"), is_found && leads)));
            }
            below.push((front.to_owned(), is_found && self.leads(name, stated)));
        }
        below
    }
}
