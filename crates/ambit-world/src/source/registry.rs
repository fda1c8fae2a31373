//! Registration data of domains, addresses and autonomous systems: RDAP (RFC 9083) and WHOIS, from the same statements.

use crate::draft::{Block, Moment, Org, Zone};
use crate::internet::Source;
use crate::serve::connection::{Connection, Peer};
use crate::serve::request::{Request, Response};
use ambit_model::{Kind, Timestamp};
use ipnet::IpNet;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const RDAP: &str = "application/rdap+json";
/// Longest WHOIS query, in bytes.
const QUERY_BYTES_MAX: usize = 512;
/// How long a WHOIS server waits for the query.
const PATIENCE: Duration = Duration::from_secs(30);

/// The regional registries that are searched by name; what the file gives no registry is held by the first.
const SEARCHED: [&str; 3] = ["rdap.db.ripe.net", "rdap.apnic.net", "rdap.arin.net"];

pub(super) fn rdap(connection: &Connection, request: &Request) -> Response {
    let mut parts = request.path().trim_start_matches('/').splitn(2, '/');
    let (noun, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if let Some(registry) = elsewhere(connection, rest) {
        return Response::new(302, "text/html", "").header("Location", format!("{registry}/{noun}/{rest}"));
    }
    let found = match noun {
        "domain" => domain(connection, rest),
        "ip" => block(connection, rest),
        "autnum" => system(connection, rest),
        "registry" if rest.starts_with("entities") => Some(search(connection, request)),
        "entities" => Some(search(connection, request)),
        "entity" => holder(connection, request, rest),
        "registry" => rest.strip_prefix("entity/").and_then(|handle| holder(connection, request, handle)),
        "help" => Some(json!({"rdapConformance": ["rdap_level_0"], "notices": []})),
        _ => None,
    };
    match found {
        Some(body) => Response::new(200, RDAP, body.to_string()),
        None => Response::new(
            404,
            RDAP,
            json!({"rdapConformance": ["rdap_level_0"], "errorCode": 404, "title": "Not Found"}).to_string(),
        ),
    }
}

/// Where the file says that the registry of this domain, address or block is.
fn elsewhere<'a>(connection: &'a Connection, asked: &str) -> Option<&'a str> {
    let zone = || registered(connection, asked).map(|(zone, _)| zone.registry.as_str());
    let block = || covering(connection, asked).map(|(_, block)| block.registry.as_str());
    zone().or_else(block).filter(|registry| !registry.is_empty())
}

/// The host of a URL.
fn host_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    authority.split(['/', ':']).next().unwrap_or(authority)
}

/// The lists of which server knows what.
pub(super) fn bootstrap(connection: &Connection, request: &Request) -> Response {
    let services: Value = match request.path() {
        "/rdap/dns.json" => {
            let tops = connection.internet.draft.zones.keys().filter_map(|zone| zone.rsplit('.').next());
            let tops: std::collections::BTreeSet<&str> = tops.collect();
            json!(tops)
        }
        "/rdap/ipv4.json" => json!(["0.0.0.0/0"]),
        "/rdap/ipv6.json" => json!(["2000::/3"]),
        "/rdap/asn.json" => json!(["1-4294967295"]),
        _ => return Response::new(404, "text/html", "<h1>Not Found</h1>"),
    };
    // Every registry of the file is one of the internet's.
    let draft = &connection.internet.draft;
    let stated =
        draft.zones.values().map(|zone| &zone.registry).chain(draft.blocks.values().map(|block| &block.registry));
    let mut urls: std::collections::BTreeSet<&str> = stated.map(String::as_str).filter(|url| !url.is_empty()).collect();
    urls.insert("https://rdap-registry.example/");
    let body = json!({
        "version": "1.0",
        "publication": connection.internet.epoch.to_string(),
        "services": [[services, urls]],
    });
    Response::new(200, "application/json", body.to_string())
}

/// The zone, its statement, and its registrant, of a registered domain.
fn registered<'a>(connection: &'a Connection, name: &str) -> Option<(&'a Zone, Option<&'a Org>)> {
    let (kind, name) = Kind::of_host(name).ok()?;
    let zone = connection.internet.draft.zones.get(&name).filter(|_| kind == Kind::Domain)?;
    Some((zone, connection.internet.draft.orgs.get(&zone.org)))
}

fn event(action: &str, at: Timestamp) -> Value {
    json!({"eventAction": action, "eventDate": at.to_string()})
}

/// An organisation as an entity with a role.
fn entity(role: &str, handle: &str, name: &str, email: &str) -> Value {
    let mut card =
        vec![json!(["version", {}, "text", "4.0"]), json!(["fn", {}, "text", name]), json!(["org", {}, "text", name])];
    if !email.is_empty() {
        card.push(json!(["email", {}, "text", email]));
    }
    json!({"objectClassName": "entity", "handle": handle, "roles": [role], "vcardArray": ["vcard", card]})
}

fn domain(connection: &Connection, name: &str) -> Option<Value> {
    let (zone, org) = registered(connection, name)?;
    let name = Kind::DnsRecord.canonical(name).ok()?;
    let epoch = connection.internet.epoch;
    let registrant = match org {
        Some(org) if !zone.redacted => {
            entity("registrant", &format!("ORG-{}", zone.org.to_uppercase()), &org.name, &org.email)
        }
        _ => entity("registrant", "REDACTED", "REDACTED FOR PRIVACY", ""),
    };
    Some(json!({
        "rdapConformance": ["rdap_level_0"],
        "objectClassName": "domain",
        "handle": format!("{}-EX", hex::encode(&crate::pki::derive("", "handle", &name)[..4]).to_uppercase()),
        "ldhName": name,
        "status": ["client transfer prohibited"],
        "events": [
            event("registration", zone.registered.of(epoch)),
            event("expiration", zone.expires.of(epoch)),
            event("last changed", zone.registered.of(epoch)),
        ],
        "entities": [entity("registrar", "9999", &zone.registrar, "abuse@registrar.example"), registrant],
        "nameservers": zone.servers.iter().map(|(server,
        _)| json!({"objectClassName": "nameserver", "ldhName": server})).collect::<Vec<_>>(),
        "secureDNS": {"delegationSigned": false},
        "port43": "whois.rdap-registry.example",
    }))
}

/// The narrowest block that holds all of an address or block (RFC 9082 §3.1.1).
fn covering<'a>(connection: &'a Connection, text: &str) -> Option<(&'a IpNet, &'a Block)> {
    let whole: IpNet = text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))?;
    let blocks = connection.internet.draft.blocks.iter().filter(|(net, _)| net.contains(&whole.trunc()));
    blocks.max_by_key(|(net, _)| net.prefix_len())
}

fn block(connection: &Connection, text: &str) -> Option<Value> {
    let (net, block) = covering(connection, text)?;
    let org = connection.internet.draft.orgs.get(&block.org)?;
    let prefix = if net.addr().is_ipv4() { "v4prefix" } else { "v6prefix" };
    Some(json!({
        "rdapConformance": ["rdap_level_0", "cidr0", "arin_originas0"],
        "objectClassName": "ip network",
        "handle": format!("NET-{}", net.to_string().replace(['.', ':', '/'], "-").to_uppercase()),
        "startAddress": net.network().to_string(),
        "endAddress": net.broadcast().to_string(),
        "ipVersion": if net.addr().is_ipv4() { "v4" } else { "v6" },
        "name": block.name,
        "type": "ASSIGNED PA",
        "country": block.country,
        "status": ["active"],
        "cidr0_cidrs": [{prefix: net.network().to_string(), "length": net.prefix_len()}],
        "arin_originas0_originautnums": block.asn.into_iter().collect::<Vec<u32>>(),
        "events": [event("registration", block.allocated.of(connection.internet.epoch))],
        "entities": [entity("registrant", &format!("ORG-{}", block.org.to_uppercase()), &org.name, &org.email)],
        "port43": "whois.rdap-registry.example",
    }))
}

/// Blocks that the registry under the request's name holds, of an organisation.
fn held<'a>(connection: &'a Connection, request: &Request, org: &str) -> Vec<(&'a IpNet, &'a Block)> {
    let host = request.header("host").unwrap_or_default();
    let place = |block: &Block| match host_of(&block.registry) {
        "" => SEARCHED[0].to_owned(),
        registry => registry.to_owned(),
    };
    let blocks = connection.internet.draft.blocks.iter();
    blocks.filter(|(_, block)| block.org == org && place(block) == host).collect()
}

/// Organisations whose name matches a pattern that may end in `*` (RFC 9082 §3.2.3).
fn search(connection: &Connection, request: &Request) -> Value {
    let pattern = request.parameter("fn").unwrap_or_default().to_lowercase();
    let matches = |name: &str| match pattern.strip_suffix('*') {
        Some(begin) => name.to_lowercase().starts_with(begin),
        None => name.to_lowercase() == pattern,
    };
    let orgs = connection
        .internet
        .draft
        .orgs
        .iter()
        .filter(|(key, org)| matches(&org.name) && !held(connection, request, key).is_empty());
    let results: Vec<Value> = orgs
        .map(|(key, org)| entity("registrant", &format!("ORG-{}", key.to_uppercase()), &org.name, &org.email))
        .collect();
    json!({"rdapConformance": ["rdap_level_0"], "entitySearchResults": results})
}

/// Returns an organisation with its blocks and networks.
fn holder(connection: &Connection, request: &Request, handle: &str) -> Option<Value> {
    let key = handle.strip_prefix("ORG-")?.to_lowercase();
    let org = connection.internet.draft.orgs.get(&key)?;
    let held = held(connection, request, &key);
    let systems: std::collections::BTreeSet<u32> = held.iter().filter_map(|(_, block)| block.asn).collect();
    let mut said = entity("registrant", handle, &org.name, &org.email);
    said["networks"] = held.iter().filter_map(|(net, _)| block(connection, &net.to_string())).collect();
    said["autnums"] = systems.iter().filter_map(|number| system(connection, &number.to_string())).collect();
    Some(said)
}

fn system(connection: &Connection, text: &str) -> Option<Value> {
    let number: u32 = text.trim_start_matches("AS").parse().ok()?;
    let (_, block) = connection.internet.draft.blocks.iter().find(|(_, block)| block.asn == Some(number))?;
    let org = connection.internet.draft.orgs.get(&block.org)?;
    Some(json!({
        "rdapConformance": ["rdap_level_0"],
        "objectClassName": "autnum",
        "handle": format!("AS{number}"),
        "startAutnum": number,
        "endAutnum": number,
        "name": block.name,
        "country": block.country,
        "entities": [entity("registrant", &format!("ORG-{}", block.org.to_uppercase()), &org.name, &org.email)],
    }))
}

/// What a network announces, as the routing information service says it.
pub(super) fn routes(connection: &Connection, request: &Request) -> Response {
    let resource = request.parameter("resource").unwrap_or_default();
    let number = resource.trim_start_matches("AS").parse::<u32>();
    let (Ok(number), "/data/announced-prefixes/data.json") = (number, request.path()) else {
        return Response::new(400, "application/json", json!({"status": "error"}).to_string());
    };
    let blocks = connection.internet.draft.blocks.iter().filter(|(_, block)| block.asn == Some(number));
    let prefixes: Vec<Value> = blocks.map(|(net, _)| json!({"prefix": net.to_string(), "timelines": []})).collect();
    let body = json!({"status": "ok", "data": {"resource": number.to_string(), "prefixes": prefixes}});
    Response::new(200, "application/json", body.to_string())
}

/// One query, one answer, end.
pub(super) async fn whois(connection: &Connection, source: Source, stream: &mut impl Peer) {
    let read = async {
        let mut line = Vec::new();
        loop {
            match stream.read_u8().await {
                Ok(b'\n') => return Some(line),
                Ok(byte) if line.len() < QUERY_BYTES_MAX => line.push(byte),
                _ => return None,
            }
        }
    };
    let Some(Some(line)) = connection.within(PATIENCE, read).await else {
        return;
    };
    let query = String::from_utf8_lossy(&line).trim().to_ascii_lowercase();
    let text = if source == Source::WhoisRoot {
        format!(
            "% IANA WHOIS server\n\nrefer:        {}\n\ndomain:       {}\n",
            elsewhere(connection, &query).map_or("whois.rdap-registry.example", host_of),
            query.rsplit('.').next().unwrap_or_default()
        )
    } else {
        whois_text(connection, &query)
    };
    let _ = stream.write_all(text.replace('\n', "\r\n").as_bytes()).await;
}

fn whois_text(connection: &Connection, query: &str) -> String {
    let epoch = connection.internet.epoch;
    let when = |moment: Moment| moment.of(epoch).to_string();
    if let Some((net, block)) = covering(connection, query) {
        let org = connection.internet.draft.orgs.get(&block.org).map_or("", |org| org.name.as_str());
        let asn = block.asn.map(|number| format!("origin:         AS{number}\n")).unwrap_or_default();
        return format!(
            "inetnum:        {} - {}\nnetname:        {}\ndescr:          {org}\ncountry:        \
             {}\n{asn}created:        {}\nsource:         SIMULATED\n",
            net.network(),
            net.broadcast(),
            block.name,
            block.country,
            when(block.allocated)
        );
    }
    let Some((zone, org)) = registered(connection, query) else {
        return format!("No match for \"{query}\".\n");
    };
    let (name, email) = match org {
        Some(org) if !zone.redacted => (org.name.as_str(), org.email.as_str()),
        _ => ("REDACTED FOR PRIVACY", "REDACTED FOR PRIVACY"),
    };
    let servers: String = zone.servers.iter().map(|(server, _)| format!("Name Server: {server}\n")).collect();
    format!(
        "Domain Name: {query}\nRegistrar: {}\nRegistrar WHOIS Server: whois.registrar.example\nCreation Date: \
         {}\nRegistry Expiry Date: {}\nRegistrant Organization: {name}\nRegistrant Email: {email}\n{servers}DNSSEC: \
         unsigned\n",
        zone.registrar,
        when(zone.registered),
        when(zone.expires)
    )
}
