//! The truth of each kind, by what is stated: rows of lines, and of what a run may report by them.

use crate::ask::EPOCH;
use ambit_model::Kind;
use ambit_model::workflow::{
    CLOUD_ACCOUNTS, CODE_REPOSITORIES, EXTERNAL_DISCOVERY, MOBILE_APPS, SUSPICIOUS_DOMAINS, Workflow,
};
use ambit_world::Verdict::{NotScored, Planted, Unexpected};
use ambit_world::{Truth, Verdict, World};

/// A sound domain of ours, of somebody who serves many, and of a stranger.
pub(crate) const HEAD: &str = "world t \"T\"\nseeds acme.test\norg acme \"Acme\" ours\norg out \"Out\" stranger\norg \
                    shop \"Shop\" vendor\norg kin \"Kin\" related\nblock 203.0.113.0/24 of acme asn AS64500 named \
                    ACME\nblock 198.51.100.0/25 of out named OUT\nblock 198.51.100.128/25 of shop named SHOP\nblock \
                    192.0.2.0/24 of kin named KIN\nzone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\nname \
                    acme.test TXT \"v=spf1 -all\" CAA 0 issue \"ca.test\"\nname _dmarc.acme.test \
                    TXT \"v=DMARC1; p=reject\"\n";

fn truth(workflow: Workflow, lines: &str) -> Truth {
    let world = World::parse(&format!("{HEAD}{lines}"), "t.world");
    world.unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}")).for_workflow(workflow).truth(EPOCH, 1)
}

/// Lines, and things with what they are: `Kind name` for an entity, `issue Kind name` for an issue.
pub(crate) type Judged = (&'static str, &'static [(&'static str, Verdict)]);

pub(crate) fn assert_judged(workflow: Workflow, table: &[Judged]) {
    let mut others = Vec::new();
    for (lines, things) in table {
        let truth = truth(workflow, lines);
        for (thing, expected) in *things {
            let mut words = thing.splitn(2, ' ');
            let (first, rest) = (words.next().unwrap(), words.next().unwrap());
            let verdict = match Kind::from_name(first) {
                Some(kind) => truth.entity(kind, rest),
                None => {
                    let (kind, name) = rest.split_once(' ').unwrap();
                    truth.issue(first, Kind::from_name(kind).unwrap(), name)
                }
            };
            if verdict != *expected {
                others.push(format!("{lines}\n  {thing}: {verdict:?} and not {expected:?}"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Lines, and every issue that follows from them in the order of their names.
pub(crate) type Implied = (&'static str, &'static [&'static str]);

pub(crate) fn assert_implied(workflow: Workflow, table: &[Implied]) {
    let mut others = Vec::new();
    for (lines, expected) in table {
        let truth = truth(workflow, lines);
        let issues = truth.issues.iter().map(|(issue, kind, name)| format!("{issue} {} {name}", kind.name()));
        let issues: Vec<String> = issues.collect();
        if issues != *expected {
            others.push(format!("{lines}\n  implies {issues:#?}\n  and not {expected:#?}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

const NAMES_AND_DOMAINS: &[Judged] = &[
    (
        "name a.acme.test A 203.0.113.5\nname t.acme.test TXT \"x\"\nname c.acme.test CNAME a.acme.test\nname \
                 h.acme.test A \
                 203.0.113.6 hidden\nname *.w.acme.test A 203.0.113.7\nname s.acme.test A 203.0.113.8 answers \
                 servfail\nname \
                 v.acme.test A 203.0.113.9 answers truncated\nname o.acme.test of out A 198.51.100.9",
        &[
            ("Domain acme.test", Planted),
            ("Domain other.test", Unexpected),
            ("DnsRecord a.acme.test", Planted),
            ("DnsRecord c.acme.test", Planted),
            ("DnsRecord t.acme.test", NotScored),
            ("DnsRecord h.acme.test", NotScored),
            ("DnsRecord s.acme.test", NotScored),
            ("DnsRecord v.acme.test", Planted),
            ("DnsRecord x.w.acme.test", Unexpected),
            ("DnsRecord o.acme.test", Unexpected),
            ("IpAddress 203.0.113.5", Planted),
            ("IpAddress 203.0.113.6", NotScored),
            ("IpAddress 203.0.113.7", Unexpected),
            ("IpAddress 203.0.113.8", NotScored),
            ("IpAddress 198.51.100.9", Unexpected),
            ("IpAddress 203.0.113.77", Unexpected),
        ],
    ),
    // A zone whose servers fail: nobody can say what is below it.
    (
        "zone b.acme.test of acme\n  ns ns1.acme.test\n  answers servfail\nname x.b.acme.test A 203.0.113.5",
        &[("DnsRecord x.b.acme.test", NotScored), ("DnsRecord y.b.acme.test", NotScored)],
    ),
    // A pool of more than are given at a time is not demanded.
    (
        "name p.acme.test A 203.0.113.{11..13} rotate\nname q.acme.test A 203.0.113.{14..15} rotate",
        &[
            ("DnsRecord p.acme.test", Planted),
            ("IpAddress 203.0.113.11", NotScored),
            ("IpAddress 203.0.113.14", Planted),
        ],
    ),
    // A sister is demanded as a seed's domain is, a relative and a look-alike are not.
    (
        "zone sis.test of acme\n  ns ns1.acme.test\n  sister\nname www.sis.test A 203.0.113.5\nzone kin.test \
                 of kin\n  ns \
                 ns1.acme.test\nname www.kin.test A 192.0.2.5\nzone acne.test of out\n  ns ns.acne.test \
                 198.51.100.3\n  look-alike",
        &[
            ("Domain sis.test", Planted),
            ("DnsRecord www.sis.test", Planted),
            ("Domain kin.test", Unexpected),
            ("Domain acne.test", Unexpected),
            ("lookalike_domain Domain acme.test", Planted),
            ("lookalike_domain Domain sis.test", Unexpected),
        ],
    ),
    (
        "name acme.test MX 10 m.acme.test MX 20 m.shop.test\nname m.acme.test A 203.0.113.5\nname b.acme.test \
                 MX 10 \
                 n.acme.test\nname n.acme.test A 203.0.113.6\nzone shop.test of shop\n  ns ns.shop.test 198.51.100.130",
        &[
            ("Nameserver ns1.acme.test", Planted),
            ("Nameserver ns.shop.test", Unexpected),
            ("Mailserver m.acme.test", Planted),
            ("Mailserver n.acme.test", NotScored),
            ("Mailserver m.shop.test", Unexpected),
        ],
    ),
];

#[test]
fn a_repository_is_demanded_where_a_site_hands_it_out_whole() {
    let lines = "repository https://git.test/acme/app of acme commit -5d One writes a x\nname {a,b}.acme.test A \
                 203.0.113.{10,11}\nsite http://a.acme.test\n  checkout https://git.test/acme/app packed\nsite \
                 http://b.acme.test\n  checkout https://git.test/acme/app forged\nexpect issue leaked_token \
                 GitRepository http://a.acme.test:80/.git";
    assert_judged(
        EXTERNAL_DISCOVERY,
        &[(
            lines,
            &[
                ("GitRepository http://a.acme.test:80/.git", Planted),
                ("exposed_version_control Uri http://a.acme.test:80", Planted),
                ("leaked_token GitRepository http://a.acme.test:80/.git", Planted),
                ("GitRepository http://b.acme.test:80/.git", Unexpected),
                ("exposed_version_control Uri http://b.acme.test:80", Planted),
            ],
        )],
    );
    assert_judged(
        CODE_REPOSITORIES,
        &[(
            lines,
            &[
                ("GitRepository http://a.acme.test:80/.git", NotScored),
                ("leaked_token GitRepository http://a.acme.test:80/.git", NotScored),
            ],
        )],
    );
}

#[test]
fn names_and_domains() {
    assert_judged(EXTERNAL_DISCOVERY, NAMES_AND_DOMAINS);
}

const SERVICES_AND_SITES: &[Judged] = &[
    (
        "name a.acme.test A 203.0.113.5\nhost 203.0.113.5\n  port 22 ssh\n  port 23 closed\n  port 24 \
                 filtered\n  port 25 \
                 silent\n  port 26 hostile nasty\n  udp 123 ntp\n  udp 124 silent",
        &[
            ("NetworkService 203.0.113.5:22/tcp", Planted),
            ("NetworkService 203.0.113.5:23/tcp", Unexpected),
            ("NetworkService 203.0.113.5:24/tcp", Unexpected),
            ("NetworkService 203.0.113.5:25/tcp", Planted),
            ("NetworkService 203.0.113.5:26/tcp", Planted),
            ("NetworkService 203.0.113.5:123/udp", Planted),
            ("NetworkService 203.0.113.5:124/udp", Unexpected),
            ("NetworkService 203.0.113.2:53/udp", Planted),
            ("NetworkService 203.0.113.2:53/tcp", Planted),
            ("Uri http://203.0.113.5:26", NotScored),
        ],
    ),
    // On a host where everything accepts, silence confirms nothing.
    (
        "name a.acme.test A 203.0.113.5\nhost 203.0.113.5\n  unlisted open\n  port 22 ssh\n  port 25 \
                 silent\n  port 26 tarpit",
        &[
            ("IpAddress 203.0.113.5", Planted),
            ("NetworkService 203.0.113.5:22/tcp", Planted),
            ("NetworkService 203.0.113.5:25/tcp", NotScored),
            ("NetworkService 203.0.113.5:26/tcp", NotScored),
            ("NetworkService 203.0.113.5:27/tcp", Unexpected),
        ],
    ),
    // A host that takes longer than clients wait, and one that is hidden.
    (
        "name {a,b}.acme.test A 203.0.113.{5,6}\nhost 203.0.113.5\n  latency 3001ms\n  port 22 ssh\nhost \
                 203.0.113.6\n  \
                 hidden\n  port 22 ssh",
        &[
            ("IpAddress 203.0.113.5", Planted),
            ("NetworkService 203.0.113.5:22/tcp", NotScored),
            ("IpAddress 203.0.113.6", NotScored),
            ("NetworkService 203.0.113.6:22/tcp", NotScored),
        ],
    ),
    (
        "name {a,b,c}.acme.test A 203.0.113.5\nsite https://a.acme.test \"A\"\nsite http://b.acme.test:8080 \
                 \"B\"\n  page /x \
                 \"\"\nsite http://c.acme.test \"C\"\n  hidden",
        &[
            ("Uri https://a.acme.test:443", Planted),
            ("Uri http://a.acme.test:80", Planted),
            ("Uri http://a.acme.test:8080", Planted),
            ("Uri http://b.acme.test:8080", Planted),
            ("Uri http://b.acme.test:8080/x", NotScored),
            ("Uri http://b.acme.test:81", Unexpected),
            ("Uri http://203.0.113.5:8080", Planted),
            ("Uri http://c.acme.test:80", NotScored),
        ],
    ),
    // At somebody who serves many, the web by a name of ours alone.
    (
        "name v.acme.test A 198.51.100.140\nsite http://v.acme.test \"V\"\nsite http://v.acme.test:8080 \
                 \"V\"\nname \
                 o.acme.test A 198.51.100.9\nsite http://o.acme.test \"O\"\nname o.acme.test of out",
        &[
            ("Uri http://v.acme.test:80", Planted),
            ("Uri http://v.acme.test:8080", Unexpected),
            ("Uri http://198.51.100.140:80", Unexpected),
            ("IpAddress 198.51.100.140", Unexpected),
            ("Uri http://o.acme.test:80", Unexpected),
        ],
    ),
];

#[test]
fn services_and_sites() {
    assert_judged(EXTERNAL_DISCOVERY, SERVICES_AND_SITES);
}

#[test]
fn kinds_that_follow_from_sources_are_not_scored() {
    let truth = truth(EXTERNAL_DISCOVERY, "");
    for (kind, name) in [
        (Kind::ApiEndpoint, "https://x.test/api"),
        (Kind::AutonomousSystem, "AS1"),
        (Kind::EmailAddress, "a@x.test"),
        (Kind::NetBlock, "192.0.2.0/24"),
        (Kind::Organization, "X"),
        (Kind::UniqueToken, "x"),
    ] {
        assert_eq!(truth.entity(kind, name), NotScored, "{}", kind.name());
    }
    for kind in [Kind::Domain, Kind::SslCertificate, Kind::PreCertificate, Kind::CloudStorageBucket] {
        assert_eq!(truth.entity(kind, "x.test"), Unexpected, "{}", kind.name());
    }
}

#[test]
fn the_files_own_word_stands_above_what_follows() {
    assert_judged(
        EXTERNAL_DISCOVERY,
        &[
            (
                "name a.acme.test A 203.0.113.5\nhost 203.0.113.5\n  port 23 telnet\nexpect no-issue \
                 exposed_telnet_service \
                 NetworkService 203.0.113.5:23/tcp\nexpect issue vulnerable_software NetworkService \
                 203.0.113.5:23/tcp\nexpect entity \
                 Domain other.test\nexpect ignore IpAddress 203.0.113.5",
                &[
                    ("exposed_telnet_service NetworkService 203.0.113.5:23/tcp", Unexpected),
                    ("vulnerable_software NetworkService 203.0.113.5:23/tcp", Planted),
                    ("Domain other.test", Planted),
                    ("IpAddress 203.0.113.5", NotScored),
                    ("NetworkService 203.0.113.5:23/tcp", Planted),
                ],
            ),
            // What stands on an ignored thing is as doubtful.
            (
                "name a.acme.test A 203.0.113.5\nexpect ignore DnsRecord a.acme.test",
                &[("DnsRecord a.acme.test", NotScored), ("dangling_record DnsRecord a.acme.test", NotScored)],
            ),
        ],
    );
}

const ESTATE: &str = "account hetzner M of acme shown x\n  holds CloudResource hetzner:server:42\n  holds IpAddress \
                      203.0.113.42\nhost 203.0.113.42\n  port 23 telnet\nforge https://github.com/acme \"Acme\" of \
                      acme\n  member \
                      ann\n  fork theirs\nrepository https://github.com/acme/app of acme commit -5d x\n  writes a \
                      b\nrepository \
                      https://github.com/acme/inner of acme private commit -5d x\n  writes a b\napp ios \
                      test.acme.shop of acme\n  \
                      member a.js \"fetch('https://api.acme.test/v1?x=y')\"\n  opens w.acme.test\n  opens \
                      v.acme.test\n  named \
                      w.acme.test\nzone acne.test of out\n  ns ns.acne.test 198.51.100.3\n  phishing\n  mails\nname \
                      a.acme.test A \
                      203.0.113.5\nhost 203.0.113.5\n  port 23 telnet";

#[test]
fn each_workflow_demands_what_it_looks_for() {
    let telnet = "exposed_telnet_service NetworkService 203.0.113.5:23/tcp";
    for (workflow, planted, not_scored) in [
        (
            EXTERNAL_DISCOVERY,
            vec!["DnsRecord a.acme.test", telnet],
            vec!["CloudStorageBucket x", "phishing_site Domain acne.test"],
        ),
        (
            CLOUD_ACCOUNTS,
            vec!["CloudResource hetzner:server:42", "IpAddress 203.0.113.42", "NetworkService 203.0.113.42:23/tcp"],
            vec!["DnsRecord a.acme.test", telnet],
        ),
        (
            CODE_REPOSITORIES,
            vec!["GithubRepository https://github.com/acme/app", "GithubAccount https://github.com/ann"],
            vec!["DnsRecord a.acme.test", telnet],
        ),
        (
            MOBILE_APPS,
            vec!["AppEndpoint https://api.acme.test:443/v1", "DnsRecord w.acme.test"],
            vec!["DnsRecord a.acme.test", telnet],
        ),
        (
            SUSPICIOUS_DOMAINS,
            vec!["Domain acme.test", "phishing_site Domain acne.test", "brand_mail_domain Domain acne.test"],
            vec!["DnsRecord a.acme.test", telnet],
        ),
    ] {
        let text = format!("{HEAD}{ESTATE}");
        let truth = World::parse(&text, "t.world").unwrap().for_workflow(workflow).truth(EPOCH, 1);
        let holds = |thing: &&str| {
            let known = truth.entities.iter().map(|(kind, name)| format!("{} {name}", kind.name()));
            let issues = truth.issues.iter().map(|(issue, kind, name)| format!("{issue} {} {name}", kind.name()));
            known.chain(issues).any(|known| known == **thing)
        };
        let lacks: Vec<&&str> = planted.iter().filter(|thing| !holds(thing)).collect();
        let demands: Vec<&&str> = not_scored.iter().filter(|thing| holds(thing)).collect();
        assert!(
            lacks.is_empty() && demands.is_empty(),
            "{workflow:?} lacks {lacks:?} and demands {demands:?}\n{:#?}",
            truth.entities
        );
    }
}

/// Copies of others' repositories, and what only a token opens, are not demanded; nor is a host that one side names.
#[test]
fn what_is_not_theirs_to_find_is_not_demanded() {
    let of = |workflow: Workflow| {
        let text = format!("{HEAD}{ESTATE}");
        let truth = World::parse(&text, "t.world").unwrap().for_workflow(workflow).truth(EPOCH, 1);
        truth.entities.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    let code = of(CODE_REPOSITORIES);
    assert!(!code.iter().any(|name| name.contains("inner") || name.contains("theirs")), "{code:?}");
    let apps = of(MOBILE_APPS);
    assert!(!apps.iter().any(|name| name == "v.acme.test"), "{apps:?}");
}

/// Names whose servers lead to each other are nobody's to find.
const CIRCLES: &[Judged] = &[(
    "name x.acme.test A 203.0.113.9\nzone y.acme.test of acme\n  ns ns.z.acme.test\nzone z.acme.test of acme\n  ns \
         ns.y.acme.test\nname ns.y.acme.test A 203.0.113.4\nname ns.z.acme.test A 203.0.113.5\nname a.y.acme.test A \
         203.0.113.6",
    &[
        ("DnsRecord x.acme.test", Planted),
        ("DnsRecord a.y.acme.test", NotScored),
        ("DnsRecord ns.z.acme.test", NotScored),
        ("dangling_delegation Domain acme.test", NotScored),
    ],
)];

#[test]
fn delegations_that_lead_to_each_other() {
    assert_judged(EXTERNAL_DISCOVERY, CIRCLES);
}

/// Of answers by count or caller: what every turn shows is demanded, what one may show is not.
const TURNS: &[Judged] = &[
    (
        "name w.acme.test A 203.0.113.10\nsite http://w.acme.test \"W\"\n  bare  header X-Powered-By PHP/8.1.2\n  next \
         header X-Powered-By PHP\n  cookie sid careless",
        &[
            ("Uri http://w.acme.test:80", Planted),
            ("missing_security_headers Uri http://w.acme.test:80", Planted),
            ("version_disclosure Uri http://w.acme.test:80", NotScored),
            ("insecure_cookie_httponly_attribute Uri http://w.acme.test:80", NotScored),
            ("login_over_plain_http Uri http://w.acme.test:80", Unexpected),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nsite http://w.acme.test \"W\"\n  bare\nhost 203.0.113.10 limit 5 1s 503",
        &[
            ("Uri http://w.acme.test:80", Planted),
            ("missing_security_headers Uri http://w.acme.test:80", NotScored),
            ("version_disclosure Uri http://w.acme.test:80", Unexpected),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.10\n  port 23 telnet next ssh\n  port 24 telnet next telnet",
        &[
            ("NetworkService 203.0.113.10:23/tcp", Planted),
            ("exposed_telnet_service NetworkService 203.0.113.10:23/tcp", NotScored),
            ("exposed_telnet_service NetworkService 203.0.113.10:24/tcp", Planted),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.2 limit 5 1s refused",
        &[("DnsRecord w.acme.test", Planted), ("NetworkService 203.0.113.2:53/udp", Planted)],
    ),
    (
        "name w.acme.test A 203.0.113.10 inside A 10.0.0.5\nname db.acme.test inside A 10.0.0.6",
        &[
            ("DnsRecord w.acme.test", Planted),
            ("IpAddress 203.0.113.10", Planted),
            ("IpAddress 10.0.0.5", Unexpected),
            ("internal_system_exposed_via_dns DnsRecord w.acme.test", NotScored),
            ("DnsRecord db.acme.test", NotScored),
        ],
    ),
];

#[test]
fn turns_and_callers() {
    assert_judged(EXTERNAL_DISCOVERY, TURNS);
}

/// What only a registry would show that answers nobody is not demanded.
const REGISTRIES: &[Judged] = &[
    (
        "block 203.0.113.128/25 of acme registry http://rdap.out.test\nname w.acme.test A 203.0.113.130 A 203.0.113.10",
        &[("IpAddress 203.0.113.10", Planted), ("IpAddress 203.0.113.130", NotScored)],
    ),
    (
        "block 203.0.113.128/25 of acme registry http://rdap.out.test\nname w.acme.test A 203.0.113.130\nzone out.test \
         of out\n  ns ns.out.test 198.51.100.2\nname rdap.out.test A 198.51.100.3\nhost 198.51.100.3\n  port 43 \
         banner x",
        &[("IpAddress 203.0.113.130", Planted)],
    ),
    // None is asked in clear.
    (
        "block 203.0.113.128/25 of acme registry http://rdap.out.test\nname w.acme.test A 203.0.113.130\nzone out.test \
         of out\n  ns ns.out.test 198.51.100.2\nname rdap.out.test A 198.51.100.3\nsite http://rdap.out.test \"R\"",
        &[("IpAddress 203.0.113.130", NotScored)],
    ),
    (
        "block 203.0.113.128/25 of acme registry https://rdap.out.test\nname w.acme.test A 203.0.113.130\nzone \
         out.test of out\n  ns ns.out.test 198.51.100.2\nname rdap.out.test A 198.51.100.3\nsite \
         https://rdap.out.test \"R\"",
        &[("IpAddress 203.0.113.130", Planted)],
    ),
];

#[test]
fn five_domains_that_nobody_named_make_a_crowd_and_a_name_of_ours_that_was_handed_away_is_in_none_of_them() {
    let names = |domains: usize| {
        let zone =
            |at: usize| format!("zone s{at}.test of out\n  ns ns.out.test\nname www.s{at}.test A 203.0.113.50\n");
        let head = "name a.acme.test A 203.0.113.50\nzone out.test of out\n  ns ns.out.test 198.51.100.2\nzone \
                    h.acme.test of out\n  ns ns.out.test\nname www.h.acme.test A 203.0.113.50\n";
        (0..domains).map(zone).fold(head.to_owned(), |text, zone| text + &zone)
    };
    for (domains, expected) in [(0, Planted), (4, Planted), (5, NotScored)] {
        let verdict = truth(EXTERNAL_DISCOVERY, &names(domains)).entity(Kind::IpAddress, "203.0.113.50");
        assert_eq!(verdict, expected, "{domains}");
    }
}

#[test]
fn registries_that_answer_nobody() {
    assert_judged(EXTERNAL_DISCOVERY, REGISTRIES);
}

/// The registration of the seed itself.
#[test]
fn an_end_that_no_registry_tells_is_not_demanded() {
    for (registry, expected) in [("", Planted), ("  registry http://rdap.out.test\n", NotScored)] {
        let text = HEAD.replace("203.0.113.2\n", &format!("203.0.113.2\n  expires +9d\n{registry}"));
        let truth = World::parse(&text, "t.world").unwrap().truth(EPOCH, 1);
        let verdict = truth.issue("domain_registration_expiring", Kind::Domain, "acme.test");
        assert_eq!(verdict, expected, "{registry}");
    }
}
