//! The issues that a world implies by what is stated.

use crate::ask::EPOCH;
use crate::standing::{HEAD, assert_implied, assert_judged};
use ambit_model::workflow::EXTERNAL_DISCOVERY;
use ambit_world::Verdict::{NotScored, Planted, Unexpected};
use ambit_world::World;

/// A host of ours with one port.
macro_rules! port {
    ($service:literal) => {
        concat!("name a.acme.test A 203.0.113.5\nhost 203.0.113.5\n  port 7 ", $service)
    };
}

/// One with one port of UDP.
macro_rules! udp {
    ($service:literal) => {
        concat!("name a.acme.test A 203.0.113.5\nhost 203.0.113.5\n  udp 7 ", $service)
    };
}

#[test]
fn issues_of_services() {
    assert_implied(
        EXTERNAL_DISCOVERY,
        &[
            (port!("mongodb open"), &["open_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("mongodb open old"), &["open_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("mongodb password"), &["exposed_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("mysql"), &["exposed_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("postgres"), &["exposed_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("rdp"), &["exposed_rdp_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("smb"), &["exposed_smb_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("vnc"), &["exposed_vnc_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("telnet tls names a.acme.test"), &[]),
            (port!("mysql tls names a.acme.test"), &["exposed_database_service NetworkService 203.0.113.5:7/tcp"]),
            (port!("redis password"), &[]),
            (port!("ftp login"), &[]),
            (port!("imap"), &[]),
            (port!("pop3"), &[]),
            (port!("smtp"), &[]),
            (port!("banner \"x\""), &[]),
            (port!("silent"), &[]),
            (udp!("snmp public"), &["snmp_public_community NetworkService 203.0.113.5:7/udp"]),
            (udp!("snmp private"), &[]),
            (
                udp!("memcached"),
                &[
                    "exposed_udp_amplifier NetworkService 203.0.113.5:7/udp",
                    "open_database_service NetworkService 203.0.113.5:7/udp",
                ],
            ),
            (udp!("mdns"), &["exposed_udp_amplifier NetworkService 203.0.113.5:7/udp"]),
            (udp!("netbios"), &["exposed_udp_amplifier NetworkService 203.0.113.5:7/udp"]),
            (udp!("ssdp"), &["exposed_udp_amplifier NetworkService 203.0.113.5:7/udp"]),
            (udp!("tftp"), &["exposed_udp_amplifier NetworkService 203.0.113.5:7/udp"]),
            (udp!("ntp"), &[]),
            (udp!("coap"), &[]),
            (udp!("sip"), &[]),
        ],
    );
}

/// The head with another policy of mail, or other records.
fn issues_with(from: &str, to: &str) -> Vec<String> {
    assert!(HEAD.contains(from), "{from}");
    let world = World::parse(&HEAD.replace(from, to), "t.world").unwrap();
    world.truth(EPOCH, 1).issues.into_iter().map(|(issue, _, name)| format!("{issue} {name}")).collect()
}

#[test]
fn issues_of_mail_policies_and_registrations() {
    let includes: String = (1..=11).map(|number| format!(" a:h{number}.acme.test")).collect();
    for (from, to, expected) in [
        ("\"v=spf1 -all\"", "\"v=spf1 ~all\"", vec![]),
        ("\"v=spf1 -all\"", "\"v=spf1 redirect=_spf.acme.test\"", vec!["spf_invalid acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 inlcude:acme.test -all\"", vec!["spf_invalid acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 ip4:0.0.0.0/1 -all\"", vec!["spf_permissive acme.test"]),
        (
            "\"v=spf1 -all\"",
            "\"v=spf1 include:spf.nobodys.test -all\"",
            vec!["spf_invalid acme.test", "spf_permissive acme.test"],
        ),
        ("\"v=spf1 -all\"", "\"v=spf1 include:acme.test -all\"", vec!["spf_invalid acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 redirect=acme.test\"", vec!["spf_invalid acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 ?all\"", vec!["spf_permissive acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 +all\"", vec!["spf_permissive acme.test"]),
        ("\"v=spf1 -all\"", "\"v=spf1 mx\"", vec!["spf_permissive acme.test"]),
        ("\"v=spf1 -all\"", "\"verification=x\"", vec!["spf_missing acme.test"]),
        ("\"v=spf1 -all\"", &format!("\"v=spf1{includes} -all\""), vec!["spf_too_many_lookups acme.test"]),
        ("p=reject", "p=none", vec!["dmarc_permissive acme.test"]),
        ("p=reject", "p=quarantine", vec![]),
        ("p=reject", "p=reject; sp=none", vec!["dmarc_permissive acme.test"]),
        ("p=reject", "p=reject; pct=99", vec!["dmarc_permissive acme.test"]),
        ("p=reject", "p=reject; pct=100", vec![]),
        ("v=DMARC1", "v=DMARC2", vec!["dmarc_missing acme.test"]),
        ("CAA 0 issue \"ca.test\"", "", vec!["dns_caa_policy_missing acme.test"]),
        ("CAA 0 issue \"ca.test\"", "fails CAA", vec![]),
        ("CAA 0 issue \"ca.test\"", "CAA 0 iodef \"mailto:a@acme.test\"", vec!["dns_caa_policy_missing acme.test"]),
        (
            "ns1.acme.test 203.0.113.2",
            "ns1.acme.test 203.0.113.2\n  expires +29d",
            vec!["domain_registration_expiring acme.test"],
        ),
        ("ns1.acme.test 203.0.113.2", "ns1.acme.test 203.0.113.2\n  expires +30d", vec![]),
        (
            "ns1.acme.test 203.0.113.2",
            "ns1.acme.test 203.0.113.2\n  transfer open",
            vec!["dns_zone_transfer acme.test"],
        ),
        (
            "ns1.acme.test 203.0.113.2",
            "ns1.acme.test 203.0.113.2\n  signed nsec",
            vec!["dns_zone_enumeration acme.test"],
        ),
        ("ns1.acme.test 203.0.113.2", "ns1.acme.test 203.0.113.2\n  signed nsec3", vec![]),
        ("ns1.acme.test 203.0.113.2", "ns1.acme.test 203.0.113.2\n  signed minimal", vec![]),
        ("ns1.acme.test 203.0.113.2", "ns1.acme.test 203.0.113.2\n  signed compact", vec![]),
    ] {
        assert_eq!(issues_with(from, to), expected, "{to}");
    }
}

#[test]
fn issues_of_names() {
    assert_implied(
        EXTERNAL_DISCOVERY,
        &[
            ("name x.acme.test AAAA fd00::1", &["internal_system_exposed_via_dns DnsRecord x.acme.test"]),
            ("name x.acme.test A 100.64.0.1", &["internal_system_exposed_via_dns DnsRecord x.acme.test"]),
            ("name x.acme.test A 169.254.1.1", &["internal_system_exposed_via_dns DnsRecord x.acme.test"]),
            ("name x.acme.test A 172.31.0.1", &["internal_system_exposed_via_dns DnsRecord x.acme.test"]),
            ("name x.acme.test AAAA ::1", &["resolves_to_localhost DnsRecord x.acme.test"]),
            ("name x.acme.test A 198.51.100.140", &[]),
            ("name x.acme.test A 203.0.113.5 MX 10 gone.nowhere.test", &["dangling_record DnsRecord x.acme.test"]),
            ("name x.acme.test A 203.0.113.5 MX 0 .", &[]),
            (
                "name x.acme.test CNAME y.acme.test\nname y.acme.test CNAME gone.nowhere.test",
                &["dangling_record DnsRecord x.acme.test", "dangling_record DnsRecord y.acme.test"],
            ),
            // A name without an address is there all the same.
            ("name x.acme.test CNAME y.acme.test\nname y.acme.test TXT \"x\"", &[]),
            // The page of another port is nobody's, so that the certificate counts.
            (
                "name x.acme.test A 203.0.113.10\nname o.acme.test A 203.0.113.10\nsite https://o.acme.test \
                 \"O\"\nhost 203.0.113.10\n  port 3000 http",
                &["invalid_certificate_name Uri https://x.acme.test:443"],
            ),
            (
                "name x.acme.test CNAME none.s3.amazonaws.com",
                &["invalid_certificate_name Uri https://x.acme.test:443", "subdomain_takeover DnsRecord x.acme.test"],
            ),
            (
                "name cdn.acme.test CNAME cdn.acme.test.s3.amazonaws.com\nbucket s3 cdn.acme.test of acme",
                &["invalid_certificate_name Uri https://cdn.acme.test:443"],
            ),
        ],
    );
}

/// A site of ours whose server turns away who names none.
macro_rules! site {
    ($scheme:literal, $words:literal) => {
        concat!(
            "name w.acme.test A 203.0.113.10\nhost 203.0.113.10\n  unknown-host close\nsite ",
            $scheme,
            "://w.acme.test \"W\"\n  plain none ",
            $words
        )
    };
}

#[test]
fn issues_of_sites() {
    assert_implied(
        EXTERNAL_DISCOVERY,
        &[
            (site!("https", ""), &[]),
            (site!("http", "bare"), &["missing_security_headers Uri http://w.acme.test:80"]),
            (site!("http", "bare status 404"), &[]),
            (site!("http", "bare redirect https://o.test/"), &[]),
            (
                site!(
                    "http",
                    "bare header Content-Security-Policy x header X-Content-Type-Options x header X-Frame-Options x"
                ),
                &[],
            ),
            (
                site!(
                    "https",
                    "bare header Content-Security-Policy x header X-Content-Type-Options x header X-Frame-Options x"
                ),
                &["missing_security_headers Uri https://w.acme.test:443"],
            ),
            (site!("http", "bare page / text/plain \"x\""), &[]),
            (site!("http", "login"), &["login_over_plain_http Uri http://w.acme.test:80"]),
            (site!("https", "login"), &[]),
            (site!("http", "basic R"), &["basic_auth_over_plain_http Uri http://w.acme.test:80"]),
            (site!("https", "basic R"), &[]),
            (site!("https", "server nginx/1.24.0"), &["version_disclosure Uri https://w.acme.test:443"]),
            (site!("https", "server nginx"), &[]),
            (site!("https", "server h2.1"), &[]),
            (site!("https", "header X-Powered-By \"PHP/8.1\""), &["version_disclosure Uri https://w.acme.test:443"]),
            (site!("https", "header X-Other \"PHP/8.1\""), &[]),
            (
                site!("https", "header X-Powered-By \"PHP/8.1\" plain redirect"),
                &["version_disclosure Uri https://w.acme.test:443"],
            ),
            (
                site!("https", "server nginx/1.24.0 plain redirect"),
                &["version_disclosure Uri http://w.acme.test:80", "version_disclosure Uri https://w.acme.test:443"],
            ),
            (site!("https", "basic R generator \"Site 2.1\""), &["version_disclosure Uri https://w.acme.test:443"]),
            (site!("https", "generator \"Site 2.1\""), &["version_disclosure Uri https://w.acme.test:443"]),
            (site!("https", "fresh jenkins"), &["default_installation Uri https://w.acme.test:443"]),
            (site!("https", "explains jenkins"), &[]),
            (site!("https", "exposes git"), &["exposed_version_control Uri https://w.acme.test:443"]),
            (site!("https", "twin git"), &[]),
            (site!("https", "basic R exposes git"), &[]),
            // Where nothing is inside TLS, the site that leads there is looked through.
            (
                site!("http", "redirect https://w.acme.test/ exposes git"),
                &["exposed_version_control Uri http://w.acme.test:80"],
            ),
            (site!("http", "cookie lang careless"), &[]),
            (site!("http", "cookie sid careless"), &["insecure_cookie_httponly_attribute Uri http://w.acme.test:80"]),
            (site!("http", "cookie csrf_session careless"), &[]),
            (site!("https", "cookie lang careless"), &["insecure_cookie_secure_attribute Uri https://w.acme.test:443"]),
            (site!("https", "tls also-old"), &["deprecated_tls_version NetworkService 203.0.113.10:443/tcp"]),
            (site!("https", "tls 1.2"), &[]),
            (site!("https", "cert names o.acme.test"), &["invalid_certificate_name Uri https://w.acme.test:443"]),
        ],
    );
}

#[test]
fn certificates_of_other_names_where_the_name_has_a_page_in_clear() {
    const NAME: &str = "invalid_certificate_name Uri https://w.acme.test:8443";
    macro_rules! with {
        ($lines:literal) => {
            concat!(
                "name {w,o}.acme.test A 203.0.113.10\nsite https://o.acme.test:8443 \"O\"\n  cert names o.acme.test\n",
                "site http://w.acme.test \"W\"\n",
                $lines
            )
        };
    }
    assert_judged(
        EXTERNAL_DISCOVERY,
        &[
            (with!(""), &[(NAME, Unexpected)]),
            (with!("  redirect https://www.others.test/"), &[(NAME, Planted)]),
            // What is answered there depends on who asks.
            (with!("  hostile redirect-loop"), &[(NAME, NotScored)]),
        ],
    );
}

#[test]
fn buckets_in_regions() {
    assert_judged(
        EXTERNAL_DISCOVERY,
        &[
            // In whichever region it is asked for, it is the same.
            (
                "bucket s3 acme-far of acme listed region eu-west-1\nbucket s3 away of acme region us-west-2\nname \
                 w.acme.test A 203.0.113.10\nsite http://w.acme.test \"W\"\n  links \
                 https://acme-far.s3.us-west-2.amazonaws.com/ https://away.s3.amazonaws.com/",
                &[
                    ("CloudStorageBucket https://acme-far.s3.us-west-2.amazonaws.com", Planted),
                    ("CloudStorageBucket https://acme-far.s3.amazonaws.com", NotScored),
                    ("CloudStorageBucket https://away.s3.amazonaws.com", Planted),
                    ("CloudStorageBucket https://acme-far.s3.eu-north-1.amazonaws.com", Unexpected),
                    ("open_bucket Uri http://w.acme.test:80", Planted),
                ],
            ),
        ],
    );
}

#[test]
fn buckets() {
    assert_judged(
        EXTERNAL_DISCOVERY,
        &[
            (
                "bucket s3 acme-linked of acme listed\nbucket gcs closed of acme\nbucket azure acc/box of acme \
                 open\nbucket s3 lost of acme \
                 listed\nbucket s3 theirs of out listed\nname w.acme.test A 203.0.113.10\nsite http://w.acme.test \
                 \"W\"\n  links \
                 https://acme-linked.s3.amazonaws.com/ https://storage.googleapis.com/closed \
                 https://theirs.s3.amazonaws.com/\n  page /x \
                 \"https://acc.blob.core.windows.net/box\"",
                &[
                    ("CloudStorageBucket https://acme-linked.s3.amazonaws.com", Planted),
                    ("CloudStorageBucket https://storage.googleapis.com/closed", Planted),
                    ("CloudStorageBucket https://acc.blob.core.windows.net/box", Planted),
                    ("CloudStorageBucket https://lost.s3.amazonaws.com", NotScored),
                    ("CloudStorageBucket https://theirs.s3.amazonaws.com", NotScored),
                    ("CloudStorageBucket https://none.s3.amazonaws.com", Unexpected),
                    ("open_bucket Uri http://w.acme.test:80", Planted),
                ],
            ),
            (
                "bucket firebase-database shop-default-rtdb of acme listed\nbucket firestore shop of acme\nbucket \
                 firebase-database theirs-default-rtdb of out listed\nname {w,v}.acme.test A 203.0.113.10\nsite \
                 http://w.acme.test \"W\"\n  page /x \"projectId:'shop'\"\nsite http://v.acme.test \"V\"",
                &[
                    ("CloudStorageBucket https://shop-default-rtdb.firebaseio.com", Planted),
                    ("CloudStorageBucket https://firestore.googleapis.com/v1/projects/shop", Planted),
                    ("CloudStorageBucket https://theirs-default-rtdb.firebaseio.com", NotScored),
                    ("open_firebase Uri http://w.acme.test:80", Planted),
                    ("open_bucket Uri http://w.acme.test:80", Unexpected),
                    ("open_firebase DnsRecord v.acme.test", Unexpected),
                ],
            ),
            (
                "bucket s3 lost of acme listed\nname w.acme.test A 203.0.113.10\nsite http://w.acme.test \"W\"",
                &[("open_bucket Uri http://w.acme.test:80", Unexpected)],
            ),
            // Nothing but the page shows that it is theirs.
            (
                "bucket s3 linked of acme listed\nname w.acme.test A 203.0.113.10\nsite http://w.acme.test \
                 \"W\"\n  links \
                 https://linked.s3.amazonaws.com/",
                &[("open_bucket Uri http://w.acme.test:80", NotScored)],
            ),
            (
                "bucket s3 linked of acme open\nname w.acme.test A 203.0.113.10\nsite http://w.acme.test \
                 \"W\"\n  links \
                 https://linked.s3.amazonaws.com/",
                &[("open_bucket Uri http://w.acme.test:80", Unexpected)],
            ),
            (
                "bucket s3 linked of acme hidden listed\nname w.acme.test A 203.0.113.10\nsite http://w.acme.test \
                 \"W\"\n  links \
                 https://linked.s3.amazonaws.com/",
                &[("CloudStorageBucket https://linked.s3.amazonaws.com", NotScored)],
            ),
        ],
    );
}
