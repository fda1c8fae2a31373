//! Facts of an object: what the records of the caller's collections say of it. What none of them says is absent.

use super::registration_text;
use ambit_api::Maybe;
use ambit_api::inventory_objects::{DnsRecord, InventoryObjectAttributes};
use ambit_api::objects::Seconds;
use ambit_model::canonical_url::canonical_url;
use ambit_model::entity::{Member, domain, ip_address, network, uri};
use ambit_model::object::ObjectType;
use ambit_model::{Details, Timestamp};
use ambit_store::KnownObject;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the records keep in place of the value of a header that changes.
const HEADER_WITHOUT_VALUE: &str = "#";

/// Adds the facts of an object to its attributes; of records that differ, the one seen last is right.
pub(crate) fn fill(attributes: &mut InventoryObjectAttributes, kind: ObjectType, found: &[KnownObject]) {
    let records = newest_first(found);
    match kind {
        ObjectType::Domain => {
            of_domain(attributes, &records);
            let seen = attributes.last_dns_records.0.as_ref().and_then(|_| found.iter().map(|one| one.last_seen).max());
            attributes.last_dns_records_date = Maybe(seen.map(Seconds::from));
        }
        ObjectType::IpAddress => of_address(attributes, &records),
        ObjectType::Url => of_url(attributes, &records),
        ObjectType::File => {}
    }
}

fn newest_first(found: &[KnownObject]) -> Vec<&Details> {
    let mut newest: Vec<&KnownObject> = found.iter().collect();
    newest.sort_by_key(|one| std::cmp::Reverse(one.last_seen));
    newest.into_iter().map(|one| &one.record.details).collect()
}

/// The names in the DNS records of a type, in order; of CAA those of the authorities.
pub(crate) fn names_in_records(found: &[KnownObject], rtype: &str) -> BTreeSet<String> {
    let records = newest_first(found);
    let known = dns_records(&records).into_iter().filter(|record| record.kind == rtype).map(|record| record.value);
    // What stands behind a semicolon is a parameter, a value without a name forbids all, and one with a scheme says
    // where reports go.
    let names =
        known.map(|value| value.split(';').next().unwrap_or_default().trim().trim_end_matches('.').to_lowercase());
    names.filter(|name| !name.is_empty() && !name.contains(':')).collect()
}

/// The address that a URL's last answer came from.
pub(crate) fn serving_address(found: &[KnownObject]) -> Option<String> {
    text(&newest_first(found), uri::IP_ADDRESS).0
}

/// What a registry told of a domain or an address, and who its registrar is.
pub(crate) fn registration(details: &Details) -> Option<(String, Option<String>)> {
    let records = [details];
    let whole = text(&records, network::WHOIS_FULL_TEXT).0?;
    Some((whole, registered(&records, "registrar").map(str::to_owned)))
}

/// The same as people and programs read it.
fn whois(records: &[&Details]) -> Maybe<String> {
    Maybe(text(records, network::WHOIS_FULL_TEXT).0.map(|told| registration_text::as_text(&told)))
}

fn registered<'a>(records: &[&'a Details], name: &str) -> Option<&'a str> {
    value(records, domain::REGISTRATION)?.get(name)?.as_str()
}

fn value<'a, T>(records: &[&'a Details], member: Member<T>) -> Option<&'a Value> {
    records.iter().find_map(|details| member.raw(details))
}

fn text<T>(records: &[&Details], member: Member<T>) -> Maybe<String> {
    let found = value(records, member).and_then(Value::as_str);
    Maybe(found.filter(|text| !text.is_empty()).map(str::to_owned))
}

fn of_domain(attributes: &mut InventoryObjectAttributes, records: &[&Details]) {
    let date = |name| Maybe(registered(records, name).and_then(Timestamp::parse).map(Seconds::from));
    attributes.whois = whois(records);
    attributes.registrar = Maybe(registered(records, "registrar").map(str::to_owned));
    attributes.creation_date = date("registered");
    attributes.expiration_date = date("expires");
    let known = dns_records(records);
    attributes.last_dns_records = Maybe(Some(known).filter(|known| !known.is_empty()));
}

fn dns_records(records: &[&Details]) -> Vec<DnsRecord> {
    let record = |kind: &str, value: &str| DnsRecord {
        kind: kind.to_owned(),
        value: value.to_owned(),
        ttl: Maybe(None),
        priority: Maybe(None),
    };
    // Of the address records alone the time to live is kept.
    let ttl = Maybe(value(records, domain::TTL).and_then(Value::as_i64));
    let member = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let items = |found: Option<&Value>| found.and_then(Value::as_array).cloned().unwrap_or_default();
    // The name is an alias of the first of its chain; the others are records of other names.
    let alias = items(value(records, domain::CNAME_CHAIN)).into_iter().next();
    let mut known: Vec<DnsRecord> = alias.iter().filter_map(Value::as_str).map(|name| record("CNAME", name)).collect();
    for item in items(value(records, domain::RESOLUTIONS)) {
        let (kind, value) = (member(&item, "response_type"), member(&item, "response_data"));
        let (Some(kind), Some(value)) = (kind, value) else { continue };
        if kind != "CNAME" {
            known.push(DnsRecord { ttl: ttl.clone(), ..record(&kind, &value) });
        }
    }
    for item in items(value(records, domain::MX_RECORDS)) {
        if let Some(host) = member(&item, "host") {
            let priority = Maybe(item.get("priority").and_then(Value::as_i64));
            known.push(DnsRecord { priority, ..record("MX", &host) });
        }
    }
    let servers = value(records, domain::NAMESERVERS).or_else(|| value(records, domain::CUT_NAMESERVERS));
    for (kind, found) in [("NS", servers), ("TXT", value(records, domain::TXT_RECORDS))] {
        known.extend(items(found).iter().filter_map(Value::as_str).map(|text| record(kind, text)));
    }
    for item in items(value(records, domain::CAA)) {
        known.extend(member(&item, "value").map(|authority| record("CAA", &authority)));
    }
    let authority = value(records, domain::SOA_RECORD);
    known.extend(authority.and_then(|soa| member(soa, "primary_name_server")).map(|name| record("SOA", &name)));
    known
}

fn of_address(attributes: &mut InventoryObjectAttributes, records: &[&Details]) {
    let of_address = value(records, network::GEOLOCATION);
    let place = || of_address?.get("country_code")?.as_str();
    let owner = || of_address?.pointer("/asn/name")?.as_str();
    let block = text(records, ip_address::NETWORK_COUNTRY_CODE);
    attributes.country = Maybe(place().map(str::to_owned).or(block.0));
    attributes.asn = Maybe(value(records, ip_address::NETWORK_ASN).and_then(Value::as_i64));
    attributes.as_owner = Maybe(owner().map(str::to_owned));
    attributes.network = text(records, ip_address::NETWORK_BLOCK);
    attributes.regional_internet_registry = text(records, ip_address::NETWORK_RIR);
    attributes.whois = whois(records);
}

fn of_url(attributes: &mut InventoryObjectAttributes, records: &[&Details]) {
    attributes.title = text(records, uri::TITLE);
    attributes.last_http_response_code = Maybe(text(records, uri::CODE).0.and_then(|code| code.parse().ok()));
    let headers = headers(value(records, uri::HEADERS));
    attributes.last_http_response_headers = Maybe(Some(headers).filter(|headers| !headers.is_empty()));
    let led = value(records, uri::REDIRECT_CHAIN).and_then(Value::as_array).into_iter().flatten();
    let shown = |url: &str| canonical_url(url).unwrap_or_else(|| url.to_owned());
    let mut chain: Vec<String> = led.filter_map(Value::as_str).map(shown).collect();
    let Some(last) = chain.pop() else { return };
    // The chain begins with the URL itself and ends before the last, as clients read it.
    chain.splice(0..0, attributes.url.0.clone());
    attributes.redirection_chain = Maybe(Some(chain));
    attributes.last_final_url = Maybe(Some(last));
}

/// The headers whose values are known; the values of one that stands there twice are joined as HTTP joins them.
fn headers(lines: Option<&Value>) -> BTreeMap<String, String> {
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    let lines = lines.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if value == HEADER_WITHOUT_VALUE {
            continue;
        }
        let joined = headers.entry(name.to_owned()).or_default();
        if !joined.is_empty() {
            joined.push_str(", ");
        }
        joined.push_str(value);
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn attributes(fill: fn(&mut InventoryObjectAttributes, &[&Details]), details: Value) -> Value {
        let mut attributes = InventoryObjectAttributes::default();
        fill(&mut attributes, &[&serde_json::from_value(details).unwrap()]);
        serde_json::to_value(attributes).unwrap()
    }

    #[test]
    fn a_domain_says_its_registration_and_its_records() {
        let found = attributes(
            of_domain,
            json!({
                "whois_full_text": "Domain: ACME.TEST",
                "hidden_registration": {"registrar": "Example", "registered": "2020-01-01T00:00:00Z", "expires": null},
                "hidden_cname_chain": ["a.test", "b.test"],
                "resolutions": [
                    {"response_type": "CNAME", "response_data": "a.test"},
                    {"response_type": "CNAME", "response_data": "b.test"},
                    {"response_type": "A", "response_data": "203.0.113.7"},
                ],
                "mx_records": [{"priority": 10, "host": "mx.acme.test"}],
                "nameservers": ["ns1.acme.test"],
            }),
        );
        assert_eq!(found["whois"], "Domain: ACME.TEST");
        assert_eq!((&found["registrar"], &found["creation_date"]), (&json!("Example"), &json!(1_577_836_800)));
        assert_eq!(found.get("expiration_date"), None);
        let records = json!([
            {"type": "CNAME", "value": "a.test"},
            {"type": "A", "value": "203.0.113.7"},
            {"type": "MX", "value": "mx.acme.test", "priority": 10},
            {"type": "NS", "value": "ns1.acme.test"},
        ]);
        assert_eq!(found["last_dns_records"], records);
    }

    #[test]
    fn an_address_says_its_network() {
        let found = attributes(
            of_address,
            json!({"network.asn": 64500, "network.block": "203.0.113.0/24", "network.country_code": "CH"}),
        );
        assert_eq!((&found["asn"], &found["network"]), (&json!(64500), &json!("203.0.113.0/24")));
        assert_eq!(found["country"], "CH");
        assert_eq!((found.get("whois"), found.get("as_owner")), (None, None));
        let place = json!({"asn": {"asn": 64500, "name": "Acme Networks"}, "country_code": "NL"});
        let found = attributes(of_address, json!({"geolocation": place, "network.country_code": "CH"}));
        assert_eq!((&found["as_owner"], &found["country"]), (&json!("Acme Networks"), &json!("NL")));
    }

    #[test]
    fn a_url_says_its_answer() {
        let found = attributes(
            of_url,
            json!({
                "title": "Welcome", "code": "301", "headers": ["Server: nginx", "Vary: A", "Vary: B", "ETag: #"],
                "redirect_chain": ["https://b.test:443/", "https://C.test:443"],
            }),
        );
        assert_eq!((&found["title"], &found["last_http_response_code"]), (&json!("Welcome"), &json!(301)));
        assert_eq!(found["last_http_response_headers"], json!({"Server": "nginx", "Vary": "A, B"}));
        assert_eq!(found["redirection_chain"], json!(["https://b.test/"]));
        assert_eq!(found["last_final_url"], "https://c.test/");
    }
}
