//! What registries told of a domain or an address, and as it changed.

use super::facts;
use super::objects::Known;
use super::registration_text::lines;
use crate::call::Call;
use crate::failure::About;
use ambit_api::inventory_objects::RegistrationAttributes;
use ambit_api::objects::{Object, Seconds};
use ambit_api::{Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::entity::registrable;
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_store::KnownObject;
use std::collections::BTreeMap;

/// Stands between the values of a name that is there twice.
const BETWEEN: &str = " | ";

/// The answer of a registry, with the time of its first and last sight.
struct Registration {
    text: String,
    registrar: Option<String>,
    first: Timestamp,
    last: Timestamp,
}

/// Returns the registrations of an object, each text once, the newest first; of a host name those of its registrable
/// domain.
pub(crate) async fn of(call: &Call, kind: ObjectType, known: &Known) -> Result<Vec<Object>> {
    let mut found = known.inventory.clone();
    if let Some(domain) = known.text().and_then(registrable).filter(|_| kind == ObjectType::Domain) {
        let names = ObjectType::Domain.names(domain);
        found.extend(call.store().known_objects(call.caller(), &names).await.about("Object")?);
        found.sort_by_key(|one| one.uid);
        found.dedup_by_key(|one| one.uid);
    }
    let mut all = BTreeMap::<String, Registration>::new();
    for registration in history(call, &found).await? {
        let known = all.entry(blob_hash(registration.text.as_bytes()).to_string());
        known
            .and_modify(|known| {
                known.first = known.first.min(registration.first);
                known.last = known.last.max(registration.last);
            })
            .or_insert(registration);
    }
    let mut all: Vec<(String, Registration)> = all.into_iter().collect();
    all.sort_by_key(|(_, registration)| std::cmp::Reverse((registration.last, registration.first)));
    Ok(all.iter().map(|(id, registration)| Object::unaddressed("whois", id, &attributes(registration))).collect())
}

/// Each text that some entities have or had, as each record showed it.
async fn history(call: &Call, found: &[KnownObject]) -> Result<Vec<Registration>> {
    let uids: Vec<_> = found.iter().map(|one| one.uid).collect();
    let mut all = Vec::new();
    // When the record of now began to be shown.
    let mut since: BTreeMap<_, Timestamp> = found.iter().map(|one| (one.uid, one.first_seen)).collect();
    for version in call.store().earlier_versions(&uids).await.about("Object")? {
        let began = since.entry(version.uid).or_insert(version.closed_at);
        *began = version.closed_at.max(*began);
        let registration = facts::registration(&version.record.details);
        // That it was still so when the version ended, nobody saw.
        all.extend(registration.map(|(text, registrar)| Registration {
            text,
            registrar,
            first: version.opened_at,
            last: version.opened_at,
        }));
    }
    for one in found {
        let first = since.get(&one.uid).copied().unwrap_or(one.first_seen);
        let registration = facts::registration(&one.record.details);
        all.extend(registration.map(|(text, registrar)| Registration {
            text,
            registrar,
            first,
            last: one.last_seen.max(first),
        }));
    }
    Ok(all)
}

fn attributes(registration: &Registration) -> RegistrationAttributes {
    let mut whois_map = BTreeMap::<String, String>::new();
    for (name, value) in lines(&registration.text) {
        let known = whois_map.entry(name).or_default();
        if !known.is_empty() {
            known.push_str(BETWEEN);
        }
        known.push_str(&value);
    }
    RegistrationAttributes {
        first_seen_date: Seconds::from(registration.first),
        last_updated: Seconds::from(registration.last),
        registrar_name: Maybe(registration.registrar.clone()),
        whois_map,
    }
}
