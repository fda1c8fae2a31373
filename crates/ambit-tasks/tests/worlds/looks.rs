//! What each task makes of what is there, of what is not, and of what cannot be looked at: a row is a task, what the
//! world states, what is looked at, and what is said.

use super::faulty::look_by;
use super::{EPOCH, explorer, world};
use ambit_model::seeds::Seeds;
use ambit_model::{Facts, Kind};
use ambit_tasks::Settings;
use ambit_world::World;
use std::sync::Arc;

/// A task; lines below those of [`world`]; kind, name and argument, and behind `with` what is known as JSON; and what
/// is said: `found`, `absent` or the reason of a failure first, then each edge as `> kind Kind name`, all of them, and
/// members of the details as `name = JSON`, those that matter. An answer that ends in `…` is the beginning of one.
pub(crate) type Look = (&'static str, &'static str, &'static str, &'static [&'static str]);

pub(crate) fn assert_looks(table: &[Look]) {
    let mut others = Vec::new();
    for (task, lines, entity, expected) in table {
        let text = world(lines);
        let world = World::parse(&text, "t.world").unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}"));
        let (entity, known) = entity.split_once(" with ").unwrap_or((entity, "{}"));
        let mut words = entity.splitn(3, ' ');
        let (kind, name) = (Kind::from_name(words.next().unwrap()).unwrap(), words.next().unwrap());
        let facts = Facts {
            details: serde_json::from_str(known).unwrap(),
            seeds: Arc::new(Seeds::from_iter([
                (Kind::Domain, "acme.test".to_owned()),
                (Kind::UniqueToken, "acme-7Q1".to_owned()),
            ])),
            ..explorer::empty_facts(kind, name)
        };
        let argument = words.next().unwrap_or("");
        let looked = look_by(Settings::default(), (&world, EPOCH), task, (facts, argument), |_, _| None);
        let mut said = vec![match &looked.answer {
            Ok(answer) => format!("{answer:?}").to_lowercase(),
            Err(error) => format!("{}: {error}", error.reason().name()),
        }];
        let edges = looked.found.edges.iter();
        said.extend(edges.map(|edge| format!("> {} {} {}", edge.edge.name(), edge.kind.name(), edge.name)));
        let members: Vec<String> =
            looked.found.details.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let (wanted, rest): (Vec<&str>, Vec<&str>) = expected.iter().partition(|line| line.contains(" = "));
        let is_said = |line: &&&str, said: &String| match line.strip_suffix('…') {
            Some(begin) => said.starts_with(begin),
            None => *said == **line,
        };
        let agrees = said.len() == rest.len() && rest.iter().zip(&said).all(|(line, said)| is_said(&line, said));
        let lacks = wanted.iter().any(|line| !members.iter().any(|member| is_said(&line, member)));
        if !agrees || lacks {
            let all = said.iter().chain(&members).map(|line| format!("    {line}\n")).collect::<String>();
            others.push(format!("{task} {entity} of\n{lines}\n  says\n{all}  and not {expected:#?}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

const NAMES: &[Look] = &[
    (
        "www_name",
        "name www.acme.test A 203.0.113.5",
        "Domain acme.test",
        &["found", "> subdomain DnsRecord www.acme.test"],
    ),
    (
        "www_name",
        "name www.acme.test CNAME gone.nowhere.test",
        "Domain acme.test",
        &["found", "> subdomain DnsRecord www.acme.test"],
    ),
    ("www_name", "name www.acme.test TXT \"x\"", "Domain acme.test", &["absent"]),
    (
        "resolve",
        "name a.acme.test CNAME b.acme.test\nname b.acme.test CNAME a.acme.test",
        "DnsRecord a.acme.test",
        &["found", "> alias DnsRecord b.acme.test", "hidden_cname_endless = true", "resolutions = …"],
    ),
    (
        "resolve",
        "name a.acme.test CNAME a.acme.test",
        "DnsRecord a.acme.test",
        &["found", "hidden_cname_endless = true"],
    ),
    ("www_name", "", "Domain acme.test", &["absent"]),
    ("www_name", "name www.acme.test A 203.0.113.5 answers servfail", "Domain acme.test", &["no answer: …"]),
    (
        "www_name",
        "zone www.acme.test of host\n  ns ns1.host.test\nname www.acme.test A 198.51.100.9",
        "Domain acme.test",
        &["found", "> delegated_subdomain DnsRecord www.acme.test"],
    ),
    (
        "subdomain",
        "name a.acme.test A 203.0.113.5",
        "Domain acme.test a.acme.test",
        &["found", "> subdomain DnsRecord a.acme.test"],
    ),
    (
        "subdomain",
        "name a.acme.test TXT \"x\"",
        "Domain acme.test a.acme.test",
        &["found", "> subdomain DnsRecord a.acme.test"],
    ),
    (
        "subdomain",
        "name a.acme.test CNAME gone.nowhere.test",
        "Domain acme.test a.acme.test",
        &["found", "> subdomain DnsRecord a.acme.test"],
    ),
    ("subdomain", "", "Domain acme.test a.acme.test", &["absent"]),
    (
        "subdomain",
        "zone a.acme.test of host\n  ns ns1.host.test\n  answers lame",
        "Domain acme.test a.acme.test",
        &["found", "> delegated_subdomain DnsRecord a.acme.test"],
    ),
    ("subdomain", "name a.acme.test A 203.0.113.5 answers servfail", "Domain acme.test a.acme.test", &["no answer: …"]),
    (
        "subdomain",
        "zone a.acme.test of host\n  ns ns1.host.test\n  answers lame",
        "Domain acme.test www.eu.a.acme.test",
        &["found", "> delegated_subdomain DnsRecord a.acme.test", "> delegated_subdomain DnsRecord www.eu.a.acme.test"],
    ),
    (
        "name_sweep",
        "block 2001:db8:5::/48 of acme asn AS64500 named SIX\nname *.acme.test A 203.0.113.5\nname www.acme.test A \
         203.0.113.5 AAAA 2001:db8:5::5\nname mail.acme.test A 203.0.113.5",
        "Domain acme.test 0-50",
        &["found", "> subdomain DnsRecord ns1.acme.test", "> subdomain DnsRecord www.acme.test"],
    ),
    (
        "name_sweep",
        "name api.dev.acme.test A 203.0.113.5\nname quoin.api.acme.test A 203.0.113.5",
        "Domain acme.test 0-50",
        &["found", "> subdomain DnsRecord api.dev.acme.test", "> subdomain DnsRecord ns1.acme.test"],
    ),
    (
        "name_sweep",
        "name *.acme.test TXT x\nname api.dev.acme.test A 203.0.113.5",
        "Domain acme.test 0-50",
        &["found", "> subdomain DnsRecord api.dev.acme.test", "> subdomain DnsRecord ns1.acme.test"],
    ),
    (
        "name_sweep",
        "name *.acme.test CAA 0 issue x\nname api.dev.acme.test A 203.0.113.5",
        "Domain acme.test 0-50",
        &["found", "> subdomain DnsRecord ns1.acme.test"],
    ),
    (
        "level_sweep",
        "name quoin.eu.acme.test A 203.0.113.5\nname eu.acme.test A 203.0.113.6",
        "Domain acme.test eu.acme.test",
        &["found", "> subdomain DnsRecord eu.acme.test"],
    ),
    ("level_sweep", "name quoin.eu.acme.test A 203.0.113.5", "Domain acme.test eu.acme.test", &["absent"]),
    ("delegations", "zone a.acme.test of host\n  ns ns1.host.test", "Domain acme.test a.acme.test", &["absent"]),
    (
        "delegations",
        "zone a.acme.test of host\n  ns ns1.host.test\n  answers lame",
        "Domain acme.test a.acme.test",
        &[
            "found",
            "hidden_dead_delegations = [{\"name\":\"a.acme.test\",\"target\":\"a.acme.test\",\"reason\":\"lame\"}]",
        ],
    ),
    (
        "zone_contact",
        "",
        "Domain acme.test with \
             {\"soa_record\":{\"primary_name_server\":\"ns1.acme.test\",\"responsible_party\":\"ops.acme.test\"}}",
        &["found", "> contact EmailAddress ops@acme.test"],
    ),
    ("wildcard_profile", "", "Domain acme.test", &["absent"]),
    (
        "wildcard_profile",
        "name *.acme.test A 203.0.113.5 TXT \"x\"",
        "Domain acme.test",
        &["found", "hidden_wildcard = {\"A\":[\"203.0.113.5\"],\"TXT\":[\"\\\"x\\\"\"]}"],
    ),
    (
        "wildcard_profile",
        "name *.acme.test CNAME lb.acme.test\nname lb.acme.test A 203.0.113.5",
        "Domain acme.test",
        &["found", "> subdomain DnsRecord lb.acme.test"],
    ),
    (
        "wildcard_profile",
        "name *.acme.test CNAME lb.acme.test\nname lb.acme.test CNAME gone.nowhere.test",
        "Domain acme.test",
        &["found", "> subdomain DnsRecord lb.acme.test"],
    ),
    (
        "wildcard_profile",
        "name *.acme.test CNAME a.lb.acme.test\nname a.lb.acme.test A 203.0.113.5\nzone lb.acme.test of host\n  ns \
         ns1.host.test",
        "Domain acme.test",
        &["found", "> delegated_subdomain DnsRecord a.lb.acme.test"],
    ),
    (
        "wildcard_profile",
        "name *.dev.acme.test CNAME lb.acme.test\nname lb.acme.test A 203.0.113.5",
        "DnsRecord dev.acme.test",
        &["found", "> link DnsRecord lb.acme.test"],
    ),
    (
        "wildcard_profile",
        "name *.acme.test CNAME acme.test\nname acme.test A 203.0.113.5",
        "Domain acme.test",
        &["found", "hidden_wildcard = …"],
    ),
    (
        "wildcard_profile",
        "name *.acme.test CNAME lb.host.test\nname lb.host.test A 198.51.100.5",
        "Domain acme.test",
        &["found", "hidden_wildcard = …"],
    ),
    ("wildcard_profile", "name *.dev.acme.test CNAME lb.acme.test", "DnsRecord dev.acme.test", &["found"]),
    ("seed_host", "", "Uri https://www.acme.test:443", &["found", "> host DnsRecord www.acme.test"]),
    ("seed_host", "", "Uri https://acme.test:443", &["found", "> host Domain acme.test"]),
    ("seed_host", "", "ApiEndpoint https://acme.test:443/v1", &["found", "> host Domain acme.test"]),
    ("seed_host", "", "Uri https://203.0.113.5:443", &["found", "> host IpAddress 203.0.113.5"]),
    ("seed_host", "", "Uri https://[2001:db8::5]:443", &["found", "> host IpAddress 2001:db8::5"]),
    (
        "seed_host",
        "",
        "AwsS3Bucket acme-files",
        &["found", "> cloud_account CloudStorageBucket https://acme-files.s3.amazonaws.com"],
    ),
    (
        "seed_host",
        "",
        "GcpStorageBucket acme-files",
        &["found", "> cloud_account CloudStorageBucket https://storage.googleapis.com/acme-files"],
    ),
    (
        "seed_host",
        "",
        "AzureStorageAccount acmefiles",
        &["found", "> cloud_account DnsRecord acmefiles.blob.core.windows.net"],
    ),
    (
        "seed_host",
        "",
        "AwsEC2Instance ec2-203-0-113-5.eu-west-1.compute.amazonaws.com",
        &["found", "> cloud_account IpAddress 203.0.113.5"],
    ),
    ("seed_host", "", "AwsEC2Instance ip-10-0-0-5.eu-west-1.compute.internal", &["no answer: ip-10-0-0-5.…"]),
    ("seed_host", "", "NetworkService 203.0.113.5:22/tcp", &["found", "> host IpAddress 203.0.113.5"]),
    ("seed_host", "", "NetworkService [2001:db8::5]:53/udp", &["found", "> host IpAddress 2001:db8::5"]),
    ("registrable_domain", "", "DnsRecord www.acme.test", &["found", "> registrable_domain Domain acme.test"]),
    (
        "registrable_domain",
        "",
        "EmailAddress ann@mail.acme.co.uk",
        &["found", "> registrable_domain Domain acme.co.uk"],
    ),
    ("registrable_domain", "", "Uri https://203.0.113.5:443", &["absent"]),
];

#[test]
fn names_of_a_domain() {
    assert_looks(NAMES);
}

#[test]
fn mail_and_sister_domains() {
    assert_looks(&[
        (
            "mail_policy",
            "name acme.test TXT \"v=spf1 -all\"",
            "Domain acme.test SPF",
            &["found", "spf_record = \"v=spf1 -all\""],
        ),
        ("mail_policy", "name acme.test TXT \"v=spf10 -all\"", "Domain acme.test SPF", &["absent"]),
        ("mail_policy", "name acme.test answers servfail", "Domain acme.test SPF", &["no answer: …"]),
        (
            "mail_policy",
            "name _dmarc.acme.test TXT \"v=DMARC1; p=none; rua=mailto:d@acme.test\"",
            "Domain acme.test DMARC",
            &["found", "> contact EmailAddress d@acme.test", "dmarc = \"v=DMARC1; p=none; rua=mailto:d@acme.test\""],
        ),
        ("mail_policy", "", "Domain acme.test DMARC", &["absent"]),
        (
            "mail_policy",
            "name _mta-sts.acme.test TXT \"v=STSv1; id=1\"",
            "Domain acme.test MTA-STS",
            &["found", "hidden_mta_sts = \"v=STSv1; id=1\""],
        ),
        ("mail_policy", "name _mta-sts.acme.test TXT \"x\"", "Domain acme.test MTA-STS", &["absent"]),
        ("mail_policy", "", "Domain acme.test OTHER", &["no answer: not a policy: \"OTHER\""]),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.acme.test",
            "Domain sis.test NS",
            &["found", "> vendor Nameserver ns1.acme.test"],
        ),
        ("sister_domain", "zone sis.test of host\n  ns ns1.host.test", "Domain sis.test NS", &["absent"]),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.host.test\nname sis.test MX 10 m.acme.test MX 20 m.host.test",
            "Domain sis.test MX",
            &["found", "> vendor Mailserver m.acme.test"],
        ),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.host.test\nname _dmarc.sis.test TXT \"v=DMARC1; p=none; \
             rua=mailto:d@acme.test,mailto:x@host.test\"",
            "Domain sis.test DMARC",
            &["found", "> contact EmailAddress d@acme.test"],
        ),
        ("sister_domain", "zone sis.test of host\n  ns ns1.host.test", "Domain sis.test DMARC", &["absent"]),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.host.test\nname sis.test TXT \"v=spf1 include:_spf.acme.test \
             include:_spf.host.test -all\"",
            "Domain sis.test SPF",
            &["found", "> vendor DnsRecord _spf.acme.test"],
        ),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.host.test\nname sis.test TXT \"v=spf1 -all\"",
            "Domain sis.test SPF",
            &["absent"],
        ),
        (
            "sister_domain",
            "zone sis.test of host\n  ns ns1.host.test\n  answers servfail",
            "Domain sis.test MX",
            &["no answer: …"],
        ),
        ("sister_domain", "", "Domain sis.test A", &["no answer: not a question about a domain: \"A\""]),
    ]);
}

#[test]
fn zones_and_their_servers() {
    assert_looks(&[
        (
            "zone_transfer",
            "zone z.test of acme\n  ns ns1.acme.test\n  transfer open\nname a.z.test A 203.0.113.5",
            "Domain z.test ns1.acme.test",
            &["found", "> subdomain DnsRecord a.z.test"],
        ),
        ("zone_transfer", "", "Domain acme.test ns1.acme.test", &["absent"]),
        (
            "zone_transfer",
            "zone z.test of acme\n  ns ns1.z.test 203.0.113.3\n  answers silent",
            "Domain z.test ns1.z.test",
            &["no answer: …"],
        ),
        (
            "referrals",
            "zone a.acme.test of host\n  ns nsq.host.test 198.51.100.60\n  answers lame",
            "Domain acme.test a.acme.test with {\"nameservers\":[\"ns1.acme.test\"]}",
            &["found", "> vendor DnsRecord nsq.host.test", "> vendor Nameserver nsq.host.test"],
        ),
        ("referrals", "", "Domain acme.test none.acme.test with {\"nameservers\":[\"ns1.acme.test\"]}", &["absent"]),
        ("referrals", "", "Domain acme.test none.acme.test with {\"nameservers\":[\"gone.acme.test\"]}", &["absent"]),
        (
            "nsec_walk",
            "zone z.test of acme\n  ns ns1.z.test 203.0.113.3\n  answers refused",
            "Domain z.test",
            &["no answer: …"],
        ),
        ("open_resolver", "", "NetworkService 203.0.113.2:53/tcp", &["absent"]),
        (
            "open_resolver",
            "host 203.0.113.5\n  unlisted filtered",
            "NetworkService 203.0.113.5:53/tcp",
            &["no answer: …"],
        ),
        ("open_resolver", "host 203.0.113.5\n  unlisted closed", "NetworkService 203.0.113.5:53/tcp", &["absent"]),
    ]);
}

#[test]
fn addresses_and_blocks() {
    assert_looks(&[
        (
            "ptr",
            "host 203.0.113.5\n  ptr a.acme.test",
            "IpAddress 203.0.113.5",
            &[
                "found",
                "> pointer DnsRecord a.acme.test",
                "resolutions = [{\"response_data\":\"a.acme.test\",\"response_type\":\"PTR\"}]",
            ],
        ),
        // A name that only spells the address is the provider's.
        ("ptr", "host 203.0.113.5\n  ptr host-203-0-113-5.acme.test", "IpAddress 203.0.113.5", &["found"]),
        ("ptr", "host 203.0.113.5\n  port 22 ssh", "IpAddress 203.0.113.5", &["absent"]),
        ("ptr", "", "IpAddress 203.0.113.99", &["absent"]),
        (
            "ptr_sweep",
            "host 203.0.113.5\n  ptr a.acme.test\nhost 203.0.113.20\n  ptr b.acme.test\nhost 203.0.113.6\n  ptr \
             203-0-113-6.acme.test",
            "NetBlock 203.0.113.0/28 0-16",
            &["found", "> pointer DnsRecord a.acme.test"],
        ),
        ("ptr_sweep", "", "NetBlock 203.0.113.16/28 0-16", &["absent"]),
        (
            "reverse_walk",
            "block 2001:db8:5::/48 of acme\nhost 2001:db8:5:1::17\n  ptr a.acme.test\nname a.acme.test AAAA \
             2001:db8:5:1::17",
            "NetBlock 2001:db8:5::/48",
            &["found", "> pointer DnsRecord a.acme.test", "> block_member IpAddress 2001:db8:5:1::17"],
        ),
        ("reverse_walk", "block 2001:db8:5::/48 of acme", "NetBlock 2001:db8:5::/48", &["absent"]),
        ("ptr_sweep", "", "NetBlock 203.0.113.0/28 some", &["no answer: not a range of the block: \"some\""]),
        (
            "block_sweep",
            "host 203.0.113.5\n  port 22 ssh\nhost 203.0.113.6\n  unlisted filtered\n  port 80 http\nhost \
             203.0.113.7\n  unlisted filtered",
            "NetBlock 203.0.113.0/28 4-8",
            &["found", "> block_member IpAddress 203.0.113.5", "> block_member IpAddress 203.0.113.6"],
        ),
        ("block_sweep", "", "NetBlock 203.0.113.16/28 0-16", &["absent"]),
        (
            "udp_sweep",
            "host 203.0.113.5\n  udp 123 ntp\n  udp 161 snmp public",
            "IpAddress 203.0.113.5",
            &[
                "found",
                "> service NetworkService 203.0.113.5:123/udp",
                "> service NetworkService 203.0.113.5:161/udp",
                "ports = [{\"number\":123,\"protocol\":\"udp\"},{\"number\":161,\"protocol\":\"udp\"}]",
            ],
        ),
        ("udp_sweep", "host 203.0.113.5\n  udp 123 silent", "IpAddress 203.0.113.5", &["absent"]),
        (
            "port_sweep",
            "host 203.0.113.5\n  port 22 ssh\n  port 23 filtered",
            "IpAddress 203.0.113.5",
            &["found", "> service NetworkService 203.0.113.5:22/tcp"],
        ),
        ("port_sweep", "host 203.0.113.5\n  unlisted filtered", "IpAddress 203.0.113.5", &["absent"]),
    ]);
}

#[test]
fn registrations() {
    assert_looks(&[
        (
            "registration",
            "zone z.test of acme\n  ns ns1.acme.test",
            "Domain z.test",
            &["found", "> registrant EmailAddress hostmaster@acme.test", "> registrant Organization Acme Corp"],
        ),
        (
            "registration",
            concat!(
                "name rdap.host.test A 198.51.100.10\n",
                "zone z.test of host\n  ns ns1.host.test\n  registry https://rdap.host.test/\n",
                "site https://rdap.host.test \"R\"\n",
                "  page /domain/z.test application/rdap+json \"{\\\"entities\\\":[",
                "{\\\"roles\\\":[\\\"technical\\\"],\\\"vcardArray\\\":[\\\"vcard\\\",",
                "[[\\\"email\\\",{},\\\"text\\\",\\\"it@acme.test\\\"]]]}]}\"",
            ),
            "Domain z.test",
            &["found", "> contact EmailAddress it@acme.test"],
        ),
        ("registration", "zone z.test of acme\n  ns ns1.acme.test\n  redacted", "Domain z.test", &["found"]),
        ("registration", "", "Domain none.test", &["absent"]),
        (
            "registration",
            "",
            "IpAddress 203.0.113.5",
            &[
                "found",
                "> covering_block AutonomousSystem AS64500",
                "> covering_block NetBlock 203.0.113.0/26",
                "> registrant EmailAddress hostmaster@acme.test",
                "> registrant Organization Acme Corp",
                "network.name = \"ACME-NET\"",
            ],
        ),
        ("registration", "", "IpAddress 203.0.113.200", &["absent"]),
        (
            "registration",
            "",
            "NetBlock 203.0.113.0/26",
            &["found", "> registrant EmailAddress hostmaster@acme.test", "> registrant Organization Acme Corp"],
        ),
    ]);
}
