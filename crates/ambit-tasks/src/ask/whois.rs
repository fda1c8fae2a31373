//! WHOIS (RFC 3912) where RDAP has nothing: one referral from the root, and lines read by the words that registries
//! share.

use crate::ask::bootstrap::PROVIDER;
use crate::read::rdap::{Block, Person, covering};
use crate::{Context, Result, TaskError};
use ambit_model::entity::domain::DomainRegistration;
use ambit_model::scope::is_hidden_registrant;
use serde_json::{Value, json};
use std::net::IpAddr;

/// Port of WHOIS.
const PORT: u16 = 43;
/// Where the referral chain begins.
const ROOT: &str = "whois.iana.org";
/// Referrals followed: root, registry, registrar.
const REFERRALS_MAX: usize = 3;

/// Returns the text of the last server that knows the object; `None` if the registry answers that it does not exist.
/// The answer of the registry is used if its registrar does not answer or knows nothing. Fails where the registry says
/// neither.
pub(crate) async fn ask(cx: &Context<'_>, question: &str) -> Result<Option<String>> {
    let mut server = ROOT.to_owned();
    let mut known = None;
    for _ in 0..REFERRALS_MAX {
        let answer = cx.net.source_line(PROVIDER, &server, PORT, question).await;
        let text = match answer {
            Ok(answer) => answer.text().stored().replace("\r\n", "\n"),
            Err(_) if known.is_some() => break,
            Err(error) => return Err(TaskError::source(&server, &error)),
        };
        let next = referral(&text, &server).filter(|next| *next != server);
        // The root speaks of the registry, unless it knows nobody to ask; of a domain it never knows more than that.
        let speaks = server != ROOT || next.is_none();
        if speaks && (server != ROOT || is_address(question)) && tells_of(&text, question) {
            known = Some(without_stamps(&text));
        } else if speaks && known.is_none() && !is_nothing(&text) {
            // Who is asked too often says so, or ends without a word.
            return Err(TaskError::SourceDown(format!("{server}: its answer tells nothing of {question}")));
        }
        match next {
            Some(next) => server = next,
            None => break,
        }
    }
    Ok(known)
}

/// The server that an answer refers to: the root to a registry, a registry to another one or to a registrar. Only one
/// that speaks WHOIS on its port.
fn referral(text: &str, server: &str) -> Option<String> {
    let names: &[&str] =
        if server == ROOT { &["refer", "whois"] } else { &["registrar whois server", "referralserver"] };
    let next = field(text, names)?.to_lowercase();
    let place = next.strip_prefix("whois://").unwrap_or(&next).trim_end_matches('/');
    let host = place.strip_suffix(&format!(":{PORT}")).unwrap_or(place);
    ambit_model::Kind::DnsRecord.canonical(host).ok()
}

/// True where a server says that it knows nothing of it.
fn is_nothing(text: &str) -> bool {
    let lower = text.to_lowercase();
    let nothing = ["no match", "not found", "no entries found", "no data found", "nothing found", "no object found"];
    let is_free = |status: String| ["free", "available"].iter().any(|word| status.eq_ignore_ascii_case(word));
    nothing.iter().any(|word| lower.contains(word)) || field(text, &["status", "domain status"]).is_some_and(is_free)
}

fn is_address(question: &str) -> bool {
    question.parse::<IpAddr>().is_ok()
}

/// True where a text tells of the domain or address that was asked for: it says more of it than that it is not there.
fn tells_of(text: &str, question: &str) -> bool {
    if let Ok(address) = question.parse() {
        return block(text, address).is_some();
    }
    let registration = domain(text);
    let dates = [&registration.registered, &registration.changed, &registration.expires];
    let is_told = registration.registrar.is_some() || !registration.nameservers.is_empty();
    let is_named = || names_it(text, question);
    !is_nothing(text) && (is_told || dates.into_iter().any(Option::is_some) || is_named())
}

/// True where a line names the domain by itself, as that of a field does, and no sentence that repeats the question.
fn names_it(text: &str, domain: &str) -> bool {
    let lines = text.lines().filter(|line| !line.starts_with(['%', '#']));
    let mut last_words = lines.filter_map(|line| line.split([':', ']']).next_back());
    last_words.any(|word| word.trim().trim_end_matches('.').eq_ignore_ascii_case(domain))
}

/// Without the lines that change with every question.
fn without_stamps(text: &str) -> String {
    let stamp = |line: &str| {
        let lower = line.to_lowercase();
        lower.contains("last update of")
            || lower.starts_with("% this query was served")
            || lower.starts_with("% timestamp")
            || lower.starts_with("query time")
    };
    text.lines().filter(|line| !stamp(line)).collect::<Vec<_>>().join("\n")
}

/// The values of the fields of these names, in any case: those of the first name first, whatever the order of the
/// lines.
fn fields<'a>(text: &'a str, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
    names.iter().flat_map(move |known| {
        let rows = text.lines().filter(|line| !line.starts_with(['%', '#'])).filter_map(|line| line.split_once(':'));
        let values = rows.filter(move |(name, _)| name.trim().eq_ignore_ascii_case(known));
        values.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    })
}

/// The first of them.
fn field(text: &str, names: &[&str]) -> Option<String> {
    fields(text, names).next().map(str::to_owned)
}

/// The names of a registrant's organisation, the surest first.
const ORGANIZATIONS: &[&str] =
    &["registrant organization", "org-name", "orgname", "organization", "organisation", "org"];

/// `ORG-AC1-RIPE`: registries name an organisation's entry by that, in the fields where others name the organisation.
fn is_handle(value: &str) -> bool {
    value.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("org-")) && !value.contains(char::is_whitespace)
}

/// The same shape as RDAP's.
pub(crate) fn domain(text: &str) -> DomainRegistration {
    let registrant = people(text)
        .into_iter()
        .find(|person| !person.redacted())
        .and_then(|person| person.organization.or(person.name));
    let mut servers: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| matches!(name.trim().to_lowercase().as_str(), "name server" | "nserver"))
        .filter_map(|(_, value)| value.split_whitespace().next().map(str::to_lowercase))
        .collect();
    servers.sort();
    servers.dedup();
    let signed = field(text, &["dnssec"]).is_some_and(|value| value.to_lowercase().starts_with("signed"));
    let ends =
        ["registry expiry date", "registrar registration expiration date", "expiry date", "expires", "paid-till"];
    DomainRegistration {
        registrar: field(text, &["registrar", "sponsoring registrar"]),
        registered: field(text, &["creation date", "created", "registered"]),
        changed: field(text, &["updated date", "changed", "last-update"]),
        expires: field(text, &ends),
        status: Vec::new(),
        nameservers: servers,
        dnssec: signed,
        registrant,
    }
}

/// Words with which the part of a text begins that is about the registrant.
const REGISTRANT: &[&str] = &["registrant", "holder", "owner", "organisation"];
/// Fields that name the part about the registrant, by what stands in one of the fields below.
const REGISTRANT_HANDLE: &[&str] = &["registrant", "holder-c", "registrant-c"];
/// What a part calls itself.
const HANDLE: &[&str] = &["nic-hdl", "contact"];

/// The parts of a text, each with whether it is about the registrant; `None` of one that does not say whom it is about.
fn parts(text: &str) -> impl Iterator<Item = (Option<bool>, &str)> {
    let handles: Vec<&str> = fields(text, REGISTRANT_HANDLE).collect();
    text.split("\n\n").map(move |part| {
        let first = part.lines().find(|line| !line.starts_with(['%', '#']) && !line.trim().is_empty());
        let word = first.and_then(|line| line.split_once(':')).map_or("", |(name, _)| name.trim());
        let mut of = fields(part, HANDLE).peekable();
        let is_named = REGISTRANT.iter().any(|known| word.eq_ignore_ascii_case(known));
        let is_of_somebody = of.peek().is_some();
        let is_theirs = is_named || of.any(|handle| handles.contains(&handle));
        ((is_theirs || is_of_somebody).then_some(is_theirs), part)
    })
}

/// The registrant, where the text names one, and a mailbox of whoever looks after it.
pub(crate) fn people(text: &str) -> Vec<Person> {
    let theirs = parts(text).filter(|(is_theirs, _)| *is_theirs == Some(true)).map(|(_, part)| part);
    let mailbox =
        field(text, &["registrant email"]).or_else(|| theirs.filter_map(|part| field(part, &["e-mail"])).next());
    // The details of the registrar or of a registry are in parts of their own.
    let rest: Vec<&str> =
        parts(text).filter(|(is_theirs, _)| *is_theirs != Some(false)).map(|(_, part)| part).collect();
    let rest = rest.join("\n\n");
    let person = Person {
        name: field(&rest, &["registrant name", "person", "registrant"]),
        organization: fields(&rest, ORGANIZATIONS)
            .find(|name| !is_handle(name))
            .filter(|name| !is_hidden_registrant(name))
            .map(str::to_owned),
        email: mailbox.filter(|mail| mail.contains('@')).map(|mail| mail.to_lowercase()),
        registrant: true,
        handle: None,
    };
    let named = person.name.is_some() || person.organization.is_some() || person.email.is_some();
    let beside = field(text, &["e-mail"])
        .map(|mail| mail.to_lowercase())
        .filter(|mail| mail.contains('@') && person.email.as_ref() != Some(mail));
    let beside = beside.map(|email| Person {
        name: None,
        organization: None,
        email: Some(email),
        registrant: false,
        handle: None,
    });
    named.then_some(person).into_iter().chain(beside).collect()
}

/// The block around an address.
pub(crate) fn block(text: &str, address: IpAddr) -> Option<Block> {
    let range = field(text, &["inetnum", "inet6num", "netrange"])?;
    let (start, end) = match range.split_once('-') {
        Some((start, end)) => (start.trim().parse().ok()?, end.trim().parse().ok()?),
        None => {
            let block: ipnet::IpNet = range.parse().ok()?;
            (block.network(), block.broadcast())
        }
    };
    let cidr = covering(start, end, Some(address))?;
    let owner = people(text).into_iter().next();
    let said = json!({
        "start_address": start.to_string(), "end_address": end.to_string(), "cidr": cidr,
        "description": field(text, &["descr"]),
        "block_type": field(text, &["status", "nettype"]), "handle": field(text, &["nethandle"]),
        "organization_name": owner.and_then(|owner| owner.organization),
        "organization_handle": field(text, &["orgid", "org"]),
        "organization_reference": null, "parent_reference": field(text, &["parent"]), "rir": field(text, &["source"]),
        "provider": null,
        "whois_full_text": text, "extended_rdap": null, "transferred": false, "ipv6": start.is_ipv6(),
        "handle_name": field(text, &["netname"]), "country": field(text, &["country"]),
        "allocated": field(text, &["regdate", "created"]),
    });
    match said {
        Value::Object(said) => Some(Block { cidr, asn: None, said }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_registries_are_read_alike() {
        let text = "Domain Name: ACME.TEST\nRegistrar: Names Inc.\nCreation Date: 2001-02-03\nRegistry Expiry Date: \
                    2030-02-03\nName Server: NS1.ACME.TEST\n\
            Registrant Organization: Acme Corp\nDNSSEC: unsigned\n>>> Last update of WHOIS database: now <<<\n";
        let registration = domain(text);
        assert_eq!(registration.registrar.as_deref(), Some("Names Inc."));
        assert_eq!(registration.registrant.as_deref(), Some("Acme Corp"));
        assert_eq!(registration.nameservers, ["ns1.acme.test"]);
        assert!(!registration.dnssec);
        assert!(!without_stamps(text).contains("Last update"));
    }

    #[test]
    fn a_block_is_read_in_both_spellings() {
        let text =
            "inetnum: 203.0.113.0 - 203.0.113.255\nnetname: ACME-NET\ncountry: DE\norg-name: Acme Corp\nsource: RIPE\n";
        let found = block(text, "203.0.113.7".parse().unwrap()).unwrap();
        assert_eq!((found.cidr.as_str(), found.member("rir")), ("203.0.113.0/24", json!("RIPE")));
        assert!(block("NetRange: 2001:db8::/32\n", "2001:db8::1".parse().unwrap()).is_some());
        assert!(block("inetnum: x - y\n", "203.0.113.7".parse().unwrap()).is_none());
    }

    #[test]
    fn an_organisation_is_known_by_its_name_and_not_by_its_handle() {
        let ripe = "inetnum: 203.0.113.0 - 203.0.113.255\norg: ORG-AC1-RIPE\nstatus: ASSIGNED PA\nsource: RIPE\n\n\
            organisation: ORG-AC1-RIPE\norg-name: Acme Corp\ncountry: DE\n";
        let found = block(ripe, "203.0.113.7".parse().unwrap()).unwrap();
        assert_eq!(
            (found.member("organization_name"), found.member("organization_handle")),
            (json!("Acme Corp"), json!("ORG-AC1-RIPE"))
        );
        let organization = |text: &str| people(text).into_iter().find_map(|person| person.organization);
        assert_eq!(organization("organisation: Acme Ltd\n").as_deref(), Some("Acme Ltd"));
        assert_eq!(organization("org: ORG-AC1-RIPE\n"), None, "a handle is no name");
        assert_eq!(organization("Organization: Acme\nRegistrant Organization: REDACTED FOR PRIVACY\n"), None);
    }

    #[test]
    fn only_the_registrants_mailbox_counts() {
        for (text, expected) in [
            ("Registrant Email: Desk@Acme.test\n", Some("desk@acme.test")),
            ("registrant: ACME\n\ncontact: ACME\norg: Acme\ne-mail: desk@acme.test\n", Some("desk@acme.test")),
            (
                "holder-c: A1\ntech-c: B2\n\nnic-hdl: B2\ne-mail: b@host.test\n\nnic-hdl: A1\ne-mail: a@acme.test\n",
                Some("a@acme.test"),
            ),
            (
                "inetnum: 203.0.113.0/24\n\n% the holder\norganisation: ORG-A1\ne-mail: a@acme.test\n",
                Some("a@acme.test"),
            ),
            ("domain: birch.test\n\ncontact: technical\ne-mail: a@acme.test\n", None),
            ("domain: birch.test\norg: Birch Ltd\ntech-c: B2\n\nperson: Ann\nnic-hdl: B2\ne-mail: a@acme.test\n", None),
            ("registrar: Names Inc.\nabuse-mailbox: x@names.test\ne-mail: abuse@names.test\n", None),
        ] {
            let email = people(text).into_iter().filter(|person| person.registrant).find_map(|person| person.email);
            assert_eq!(email.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_organisation_of_whoever_looks_after_it_is_not_the_registrants() {
        let text = "domain: birch.test\nregistrant: B1\ntech-c: A2\n\ncontact: A2\norg: Acme\n";
        assert_eq!(domain(text).registrant.as_deref(), Some("B1"));
        let known = format!("{text}\ncontact: B1\norg: Birch Ltd\n");
        assert_eq!(domain(&known).registrant.as_deref(), Some("Birch Ltd"));
    }

    #[test]
    fn referrals_and_nothing_are_told() {
        for (text, server, next) in [
            ("refer:        whois.nic.test\n", ROOT, Some("whois.nic.test")),
            ("whois: whois.nic.test\n", ROOT, Some("whois.nic.test")),
            ("ReferralServer: whois://whois.ripe.net:43\n", "whois.arin.net", Some("whois.ripe.net")),
            ("ReferralServer: whois://whois.ripe.net/\n", "whois.arin.net", Some("whois.ripe.net")),
            ("Registrar WHOIS Server: WHOIS.names.test\n", "whois.nic.test", Some("whois.names.test")),
            ("refer: whois.evil.test\n", "whois.nic.test", None),
            ("ReferralServer: rwhois://rwhois.isp.test:4321\n", "whois.arin.net", None),
            ("ReferralServer: whois://whois.isp.test:8043\n", "whois.arin.net", None),
            ("refer: ../../x\n", ROOT, None),
            ("refer: 127.0.0.1\n", ROOT, None),
        ] {
            assert_eq!(referral(text, server).as_deref(), next, "{text}");
        }
        assert!(is_nothing("No match for domain\n"));
        assert!(is_nothing("Domain:             acme.test\nStatus:             AVAILABLE\n"));
        assert!(!is_nothing("Domain Name: A.TEST\n"));
    }

    #[test]
    fn what_a_server_says_that_is_asked_too_often_tells_nothing() {
        for (text, tells) in [
            ("Domain: acme.test\nStatus: connect\n", true),
            ("Domain:\tacme.test\nStatus:\tNOT AVAILABLE\n", true),
            ("Domain: acme.test\nStatus: free\n", false),
            ("Domain: acme.test\nStatus: AVAILABLE\n", false),
            ("Domain:             acme.test\nStatus:             AVAILABLE\n", false),
            ("[Domain Name]                   ACME.TEST\n", true),
            ("    Domain name:\n        acme.test\n", true),
            ("Domain Name: XN--ACME.TEST\nRegistrar: Names Inc.\n", true),
            ("nserver: ns1.acme.test\n", true),
            ("", false),
            ("\n", false),
            ("% Quota exceeded\n", false),
            ("Queries of 192.0.2.1 exceed the limit. Try again later.\n", false),
            ("Number of allowed queries exceeded for acme.test.\n", false),
            ("% acme.test\n", false),
            ("No match for \"acme.test\".\n", false),
        ] {
            assert_eq!(tells_of(text, "acme.test"), tells, "{text}");
        }
        let range = "inetnum: 203.0.113.0 - 203.0.113.255\n";
        assert!(tells_of(range, "203.0.113.7") && !tells_of("Too many requests\n", "203.0.113.7"));
    }
}
