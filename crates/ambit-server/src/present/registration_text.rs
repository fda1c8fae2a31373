//! What a registry told, in lines that people and programs read: text of WHOIS as it is, RDAP in the names of WHOIS.

use serde_json::Value;

/// Lines of one registration that are read: what registries send has some hundred.
const LINES_MAX: usize = 1_000;
/// Depth to which contacts are read: those of a registrar lie one below it.
const CONTACTS_DEPTH_MAX: usize = 3;

/// What a registry told as text of lines `name: value`; text that a WHOIS server sent stays as it is.
pub(crate) fn as_text(told: &str) -> String {
    match rdap(told) {
        Some(lines) => lines.iter().map(|(name, value)| format!("{name}: {value}\n")).collect(),
        None => told.to_owned(),
    }
}

/// Returns the names and values in the answer of a registry.
pub(crate) fn lines(told: &str) -> Vec<(String, String)> {
    rdap(told).unwrap_or_else(|| {
        let pairs = told.lines().filter(|line| !line.trim_start().starts_with(['%', '#'])).take(LINES_MAX);
        let pairs = pairs.filter_map(|line| line.split_once(':'));
        let pairs = pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        pairs.filter(|(name, value)| !name.is_empty() && !value.is_empty()).collect()
    })
}

/// The lines of an answer of RDAP (RFC 9083), in the names that WHOIS servers use; `None`: it is none.
fn rdap(told: &str) -> Option<Vec<(String, String)>> {
    let body: Value = serde_json::from_str(told).ok()?;
    let is_domain = match text(&body, "objectClassName")? {
        "domain" => true,
        "ip network" => false,
        _ => return None,
    };
    let mut lines = Lines(Vec::new());
    if is_domain {
        of_domain(&mut lines, &body)
    } else {
        of_network(&mut lines, &body)
    }
    contacts(&mut lines, &body, "", CONTACTS_DEPTH_MAX);
    lines.0.truncate(LINES_MAX);
    Some(lines.0)
}

struct Lines(Vec<(String, String)>);

impl Lines {
    fn say(&mut self, name: &str, value: Option<&str>) {
        let value = value.map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "));
        self.0.extend(value.filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value)));
    }
}

fn text<'a>(of: &'a Value, member: &str) -> Option<&'a str> {
    of.get(member).and_then(Value::as_str)
}

fn items<'a>(of: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    of.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn events(lines: &mut Lines, body: &Value, names: [(&str, &str); 3]) {
    for (action, name) in names {
        let event = items(body, "events").find(|event| text(event, "eventAction") == Some(action));
        lines.say(name, event.and_then(|event| text(event, "eventDate")));
    }
}

fn of_domain(lines: &mut Lines, body: &Value) {
    lines.say("Domain Name", text(body, "ldhName"));
    lines.say("Registry Domain ID", text(body, "handle"));
    let names =
        [("last changed", "Updated Date"), ("registration", "Creation Date"), ("expiration", "Registry Expiry Date")];
    events(lines, body, names);
    items(body, "status").for_each(|status| lines.say("Domain Status", status.as_str()));
    items(body, "nameservers").for_each(|server| lines.say("Name Server", text(server, "ldhName")));
    let signed = body.pointer("/secureDNS/delegationSigned").and_then(Value::as_bool);
    lines.say("DNSSEC", signed.map(|signed| if signed { "signedDelegation" } else { "unsigned" }));
}

fn of_network(lines: &mut Lines, body: &Value) {
    let range =
        text(body, "startAddress").zip(text(body, "endAddress")).map(|(first, last)| format!("{first} - {last}"));
    lines.say("NetRange", range.as_deref());
    for block in items(body, "cidr0_cidrs") {
        let prefix = text(block, "v4prefix").or_else(|| text(block, "v6prefix"));
        let length = block.get("length").and_then(Value::as_u64);
        let block = prefix.zip(length).map(|(prefix, length)| format!("{prefix}/{length}"));
        lines.say("CIDR", block.as_deref());
    }
    for (name, member) in [("NetName", "name"), ("NetHandle", "handle"), ("NetType", "type"), ("Country", "country")] {
        lines.say(name, text(body, member));
    }
    for number in items(body, "arin_originas0_originautnums").filter_map(Value::as_u64) {
        lines.say("OriginAS", Some(format!("AS{number}").as_str()));
    }
    events(lines, body, [("registration", "RegDate"), ("last changed", "Updated"), ("expiration", "Expires")]);
}

/// The people and organisations of an answer, each by its role; below a registrar its own.
fn contacts(lines: &mut Lines, of: &Value, above: &str, depth: usize) {
    if depth == 0 {
        return;
    }
    for entity in items(of, "entities") {
        for role in items(entity, "roles").filter_map(Value::as_str) {
            contact(lines, entity, role, above);
        }
        let is_registrar = items(entity, "roles").any(|role| role == "registrar");
        contacts(lines, entity, if is_registrar { "Registrar " } else { above }, depth - 1);
    }
}

fn contact(lines: &mut Lines, entity: &Value, role: &str, above: &str) {
    let word = match role {
        "registrar" => {
            lines.say("Registrar", card(entity, "fn").or_else(|| card(entity, "org")));
            let id = items(entity, "publicIds").find(|id| text(id, "type").is_some_and(|kind| kind.contains("IANA")));
            return lines.say("Registrar IANA ID", id.and_then(|id| text(id, "identifier")));
        }
        "registrant" => "Registrant",
        "administrative" => "Admin",
        "technical" => "Tech",
        "abuse" => "Abuse Contact",
        "billing" => "Billing",
        _ => return,
    };
    for (name, field) in [("Name", "fn"), ("Organization", "org"), ("Email", "email"), ("Phone", "tel")] {
        lines.say(&format!("{above}{word} {name}"), card(entity, field));
    }
}

/// The text of a field of an entity's card (jCard, RFC 7095).
fn card<'a>(entity: &'a Value, field: &str) -> Option<&'a str> {
    let rows = entity.pointer("/vcardArray/1")?.as_array()?;
    let row = rows.iter().find(|row| row.get(0).and_then(Value::as_str) == Some(field))?;
    match row.get(3)? {
        Value::Array(parts) => parts.first()?.as_str(),
        value => value.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_of_rdap_are_lines_in_the_names_of_whois() {
        let domain = json!({
            "objectClassName": "domain", "ldhName": "acme.test", "handle": "D1", "status": ["active"],
            "events": [{"eventAction": "registration", "eventDate": "2001-02-03T04:05:06Z"}],
            "nameservers": [{"ldhName": "ns1.acme.test"}, {"ldhName": "ns2.acme.test"}],
            "secureDNS": {"delegationSigned": false},
            "entities": [
                {"roles": ["registrar"], "vcardArray": ["vcard", [["fn", {}, "text", "Names Inc."]]],
                 "publicIds": [{"type": "IANA Registrar ID", "identifier": "9999"}],
                 "entities": [{"roles": ["abuse"], "vcardArray": ["vcard", [["email", {}, "text", "a@names.test"]]]}]},
                {"roles": ["registrant"], "vcardArray": ["vcard", [["org", {}, "text", "Acme\nCorp"]]]},
            ],
        });
        let wanted = "Domain Name: acme.test\nRegistry Domain ID: D1\nCreation Date: 2001-02-03T04:05:06Z\nDomain \
                      Status: active\nName Server: ns1.acme.test\nName Server: ns2.acme.test\nDNSSEC: \
                      unsigned\nRegistrar: Names Inc.\nRegistrar IANA ID: 9999\nRegistrar Abuse Contact Email: \
                      a@names.test\nRegistrant Organization: Acme Corp\n";
        assert_eq!(as_text(&domain.to_string()), wanted);
        let network = json!({
            "objectClassName": "ip network", "startAddress": "203.0.113.0", "endAddress": "203.0.113.255",
            "cidr0_cidrs": [{"v4prefix": "203.0.113.0", "length": 24}], "name": "ACME", "country": "NL",
            "arin_originas0_originautnums": [64500],
        });
        let wanted = "NetRange: 203.0.113.0 - 203.0.113.255\nCIDR: 203.0.113.0/24\nNetName: ACME\nCountry: \
                      NL\nOriginAS: AS64500\n";
        assert_eq!(as_text(&network.to_string()), wanted);
    }

    #[test]
    fn text_of_whois_servers_stays_and_has_lines() {
        let told = "% a comment: here\nDomain: ACME.TEST\nnserver: a\nnserver: b\nempty:\n";
        assert_eq!(as_text(told), told);
        let read: Vec<(String, String)> = lines(told);
        let shown: Vec<(&str, &str)> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(shown, [("Domain", "ACME.TEST"), ("nserver", "a"), ("nserver", "b")]);
        for other in ["{}", "[1]", "{\"objectClassName\": \"autnum\"}", "nonsense"] {
            assert_eq!(as_text(other), other);
        }
    }
}
