//! Reads RDAP answers (RFC 9083): pure functions from JSON to what we keep. Stamps that change with every question are
//! left out.

use ambit_model::entity::domain::DomainRegistration;
use ambit_model::scope::is_hidden_registrant;
use ambit_model::{Details, Kind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Depth to which entities are read: a registrar's contacts lie one below it.
const ENTITY_DEPTH_MAX: usize = 3;
/// People of one registration.
const PEOPLE_MAX: usize = 30;

/// A person or organisation named in a registration.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Person {
    pub(crate) name: Option<String>,
    pub(crate) organization: Option<String>,
    pub(crate) email: Option<String>,
    /// They are the registrant, not the registrar or its desk.
    pub(crate) registrant: bool,
    pub(crate) handle: Option<String>,
}

impl Person {
    /// True where the registry hides who it is.
    pub(crate) fn redacted(&self) -> bool {
        let texts = [&self.name, &self.organization, &self.email];
        texts.into_iter().flatten().any(|text| is_hidden_registrant(text))
    }
}

/// Everybody in an answer whom it concerns, sorted; the registrar and its desk are left out.
pub(crate) fn people(body: &Value) -> Vec<Person> {
    let mut found = BTreeSet::new();
    collect(body, ENTITY_DEPTH_MAX, &mut found);
    found.into_iter().take(PEOPLE_MAX).collect()
}

fn collect(of: &Value, depth: usize, found: &mut BTreeSet<Person>) {
    if depth == 0 {
        return;
    }
    for entity in list(of, "entities") {
        let roles: Vec<&str> = list(entity, "roles").filter_map(Value::as_str).collect();
        if roles.iter().any(|role| matches!(*role, "registrar" | "reseller" | "sponsor")) {
            continue;
        }
        let card = |field: &str| card(entity, field);
        let person = Person {
            name: card("fn"),
            organization: card("org").or_else(|| card("fn").filter(|_| kind_of(entity) == Some("org"))),
            email: card("email").map(|email| email.to_lowercase()),
            registrant: roles.contains(&"registrant"),
            handle: text(entity, "handle"),
        };
        if person.name.is_some() || person.organization.is_some() || person.email.is_some() {
            found.insert(person);
        }
        collect(entity, depth - 1, found);
    }
}

/// The text of a field of an entity's card (jCard, RFC 7095): `["vcard", [[name, parameters, type, value], …]]`.
fn card(entity: &Value, field: &str) -> Option<String> {
    let rows = entity.get("vcardArray")?.get(1)?.as_array()?;
    let row = rows.iter().find(|row| row.get(0).and_then(Value::as_str) == Some(field))?;
    let value = match row.get(3)? {
        Value::Array(parts) => parts.first()?.as_str()?,
        value => value.as_str()?,
    };
    Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned)
}

fn kind_of(entity: &Value) -> Option<&str> {
    let rows = entity.get("vcardArray")?.get(1)?.as_array()?;
    let row = rows.iter().find(|row| row.get(0).and_then(Value::as_str) == Some("kind"))?;
    row.get(3)?.as_str()
}

/// The facts of a domain's registration.
pub(crate) fn domain(body: &Value) -> DomainRegistration {
    let registrar = list(body, "entities").find(|entity| list(entity, "roles").any(|role| role == "registrar"));
    let mut status: Vec<String> = list(body, "status").filter_map(Value::as_str).map(str::to_owned).collect();
    status.sort_unstable();
    let mut servers: Vec<String> = list(body, "nameservers")
        .filter_map(|server| text(server, "ldhName"))
        .map(|name| name.to_lowercase())
        .collect();
    servers.sort();
    let signed =
        body.get("secureDNS").and_then(|dns| dns.get("delegationSigned")).and_then(Value::as_bool).unwrap_or(false);
    let registrant = people(body).into_iter().find(|person| person.registrant && !person.redacted());
    DomainRegistration {
        registrar: registrar.and_then(|entity| card(entity, "fn")),
        registered: event(body, "registration"),
        changed: event(body, "last changed"),
        expires: event(body, "expiration"),
        status,
        nameservers: servers,
        dnssec: signed,
        registrant: registrant.and_then(|person| person.organization.or(person.name)),
    }
}

fn event(body: &Value, action: &str) -> Option<String> {
    let found = list(body, "events").find(|event| event.get("eventAction").and_then(Value::as_str) == Some(action));
    found.and_then(|event| text(event, "eventDate"))
}

/// The registration of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) cidr: String,
    pub(crate) asn: Option<u32>,
    /// By member name; `handle_name`, `country` and `allocated` beside those of the contract.
    pub(crate) said: Details,
}

impl Block {
    pub(crate) fn member(&self, name: &str) -> Value {
        self.said.get(name).cloned().unwrap_or(Value::Null)
    }

    /// The contract's members.
    pub(crate) fn members(&self) -> Details {
        Kind::NetBlock.members().map(|member| (member.to_owned(), self.member(member))).collect()
    }
}

/// Reads a block; of several ranges the one that holds the address.
pub(crate) fn block(body: &Value, address: Option<IpAddr>) -> Option<Block> {
    let start: IpAddr = text(body, "startAddress")?.parse().ok()?;
    let end: IpAddr = text(body, "endAddress")?.parse().ok()?;
    let cidr = covering(start, end, address)?;
    let owner = people(body).into_iter().find(|person| person.registrant && !person.redacted());
    let remark =
        list(body, "remarks").find_map(|remark| list(remark, "description").find_map(Value::as_str).map(str::to_owned));
    let rir = rir(body);
    let said = json!({
        "start_address": start.to_string(), "end_address": end.to_string(), "cidr": cidr, "description": remark,
        "block_type": text(body, "type"), "handle": text(body, "handle"),
        "organization_name": owner.as_ref().and_then(|owner| owner.organization.clone().or_else(|| owner.name.clone())),
        "organization_handle": owner.as_ref().and_then(|owner| owner.handle.clone()),
        "organization_reference": null, "parent_reference": text(body, "parentHandle"), "rir": rir, "provider": null,
        "whois_full_text": text_of(body), "extended_rdap": pruned(body),
        "transferred": event(body, "transfer").is_some(),
        "ipv6": start.is_ipv6(), "handle_name": text(body, "name").or_else(|| text(body, "handle")),
        "country": text(body, "country"),
        "allocated": event(body, "registration"),
    });
    let asn =
        list(body, "arin_originas0_originautnums").find_map(Value::as_u64).and_then(|asn| u32::try_from(asn).ok());
    match said {
        Value::Object(said) => Some(Block { cidr, asn, said }),
        _ => None,
    }
}

/// The entries that a search for organisations found, with their names (RFC 9083 §8).
pub(crate) fn entries(body: &Value) -> impl Iterator<Item = (String, String)> {
    let named = |entry| Some((text(entry, "handle")?, card(entry, "fn").or_else(|| card(entry, "org"))?));
    list(body, "entitySearchResults").filter_map(named)
}

/// True where a registry says that it lists only a part of what it found (RFC 9083 §9).
pub(crate) fn is_truncated(body: &Value) -> bool {
    list(body, "notices").filter_map(|notice| text(notice, "type")).any(|kind| kind.starts_with("result set truncated"))
}

/// Blocks and systems of one organisation that are held; more are no answer that anybody can look through.
pub(crate) const HELD_MAX: usize = 1_000;

/// What registries hold under an organisation's entries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Holdings {
    pub(crate) blocks: BTreeSet<ipnet::IpNet>,
    pub(crate) systems: BTreeSet<u32>,
}

impl Holdings {
    /// Adds the networks and autonomous systems of an entry (RFC 9083 §5.1); of a long range of systems one more than
    /// are held. `None` where one of them does not say what it spans.
    pub(crate) fn add(&mut self, entry: &Value) -> Option<()> {
        for network in list(entry, "networks") {
            let end = |member| text(network, member)?.parse::<IpAddr>().ok();
            self.blocks.extend(prefixes(end("startAddress")?, end("endAddress")?));
        }
        for system in list(entry, "autnums") {
            let end = |member| u32::try_from(system.get(member)?.as_u64()?).ok();
            self.systems.extend((end("startAutnum")?..=end("endAutnum")?).take(HELD_MAX + 1));
        }
        Some(())
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.len() + self.systems.len()
    }
}

/// The prefix that covers the range, or of several the one with the address, else the first.
pub(crate) fn covering(start: IpAddr, end: IpAddr, address: Option<IpAddr>) -> Option<String> {
    let subnets = prefixes(start, end);
    let holds = address.and_then(|address| subnets.iter().find(|subnet| subnet.contains(&address)));
    holds.or_else(|| subnets.first()).map(ipnet::IpNet::to_string)
}

/// The prefixes that a range consists of; none where its ends are of two families.
fn prefixes(start: IpAddr, end: IpAddr) -> Vec<ipnet::IpNet> {
    match (start, end) {
        (IpAddr::V4(start), IpAddr::V4(end)) => {
            ipnet::Ipv4Subnets::new(start, end, 0).map(Into::into).take(PREFIXES_MAX).collect()
        }
        (IpAddr::V6(start), IpAddr::V6(end)) => {
            ipnet::Ipv6Subnets::new(start, end, 0).map(Into::into).take(PREFIXES_MAX).collect()
        }
        _ => Vec::new(),
    }
}

/// Prefixes that one range splits into, at most twice the bits of an address.
const PREFIXES_MAX: usize = 256;

/// The regional registry, by its WHOIS server or the links of the answer.
fn rir(body: &Value) -> Option<&'static str> {
    let links = list(body, "links").filter_map(|link| text(link, "href"));
    let hints: Vec<String> = text(body, "port43").into_iter().chain(links).map(|hint| hint.to_lowercase()).collect();
    let known = [("ripe", "RIPE"), ("arin", "ARIN"), ("apnic", "APNIC"), ("lacnic", "LACNIC"), ("afrinic", "AFRINIC")];
    known.into_iter().find(|(word, _)| hints.iter().any(|hint| hint.contains(word))).map(|(_, rir)| rir)
}

/// The answer as text, without stamps of the question.
pub(crate) fn text(of: &Value, member: &str) -> Option<String> {
    of.get(member).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn list<'a>(of: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    of.get(member).and_then(Value::as_array).into_iter().flatten()
}

/// The whole answer as pretty JSON.
pub(crate) fn text_of(body: &Value) -> String {
    serde_json::to_string_pretty(&pruned(body)).unwrap_or_default()
}

/// The answer without notices (advertising) and the stamp of the database.
fn pruned(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(members) = body.as_object_mut() {
        members.remove("notices");
        if let Some(events) = members.get_mut("events").and_then(Value::as_array_mut) {
            events.retain(|event| {
                event.get("eventAction").and_then(Value::as_str) != Some("last update of RDAP database")
            });
        }
        members.sort_keys();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain_answer() -> Value {
        json!({
            "objectClassName": "domain", "ldhName": "acme.test", "status": ["client transfer prohibited", "active"],
            "events": [
                {"eventAction": "registration", "eventDate": "2001-02-03T04:05:06Z"},
                {"eventAction": "expiration", "eventDate": "2030-02-03T04:05:06Z"},
                {"eventAction": "last update of RDAP database", "eventDate": "2026-11-21T05:00:00Z"},
            ],
            "entities": [
                {"roles": ["registrar"], "vcardArray": ["vcard", [["fn", {}, "text", "Names Inc."]]], "entities": [
                    {"roles": ["abuse"], "vcardArray": ["vcard", [["email", {}, "text", "abuse@names.test"]]]}]},
                {"roles": ["registrant"], "handle": "H1", "vcardArray": ["vcard", [
                    ["fn", {}, "text", "Jo Doe"], ["org", {}, "text", "Acme Corp"],
                    ["email", {}, "text", "Domains@Acme.test"]]]},
            ],
            "nameservers": [{"ldhName": "NS1.ACME.TEST"}], "secureDNS": {"delegationSigned": true},
            "notices": [{"title": "Terms"}],
        })
    }

    #[test]
    fn a_domains_registration_is_read() {
        let body = domain_answer();
        let registration = domain(&body);
        assert_eq!(registration.registrar.as_deref(), Some("Names Inc."));
        assert_eq!(registration.registrant.as_deref(), Some("Acme Corp"));
        assert_eq!(registration.expires.as_deref(), Some("2030-02-03T04:05:06Z"));
        assert_eq!(registration.nameservers, ["ns1.acme.test"]);
        let people = people(&body);
        assert_eq!(people.len(), 1, "the registrar's abuse desk is nobody of theirs");
        assert_eq!(people[0].email.as_deref(), Some("domains@acme.test"));
    }

    #[test]
    fn the_text_holds_no_stamp_of_the_question() {
        let mut later = domain_answer();
        later["events"][2]["eventDate"] = json!("2027-01-01T00:00:00Z");
        assert_eq!(text_of(&domain_answer()), text_of(&later));
    }

    #[test]
    fn a_block_is_the_prefix_around_the_address() {
        let body = json!({
            "objectClassName": "ip network", "handle": "NET-1", "startAddress": "203.0.113.0",
            "endAddress": "203.0.113.191", "name": "ACME-NET",
            "country": "DE", "port43": "whois.ripe.net",
            "events": [{"eventAction": "registration", "eventDate": "2010-01-01T00:00:00Z"}],
            "entities": [{"roles": ["registrant"],
            "vcardArray": ["vcard", [["fn", {}, "text", "Acme Corp"], ["kind", {}, "text", "org"]]]}],
            "arin_originas0_originautnums": [64500],
        });
        let block = block(&body, "203.0.113.140".parse().ok()).unwrap();
        assert_eq!((block.cidr.as_str(), block.asn), ("203.0.113.128/26", Some(64_500)));
        assert_eq!(block.member("organization_name"), "Acme Corp");
        assert_eq!(block.member("rir"), "RIPE");
        assert_eq!(block.members().len(), Kind::NetBlock.members().count());
    }

    #[test]
    fn hidden_people_and_nonsense_are_nobody() {
        let hidden = json!({"entities": [{"roles": ["registrant"],
        "vcardArray": ["vcard", [["org", {}, "text", "REDACTED FOR PRIVACY"]]]}]});
        assert!(people(&hidden)[0].redacted());
        assert_eq!(domain(&hidden).registrant, None);
        for nonsense in [
            json!({}),
            json!({"entities": 7}),
            json!({"entities": [{"vcardArray": [1, [[]]]}]}),
            json!({"startAddress": "x"}),
        ] {
            assert!(people(&nonsense).is_empty());
            assert!(block(&nonsense, None).is_none());
        }
    }
}
