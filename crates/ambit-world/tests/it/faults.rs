//! Every fault of a file: one line that names file, line and word, and says what is expected. Each row is lines below a
//! head of six lines, and what is said of them, without the file's name.

use crate::format::errors;
use ambit_world::World;

type Fault = (&'static str, &'static str);

fn assert_faults(table: &[Fault]) {
    let mut others = Vec::new();
    for (lines, expected) in table {
        let said = errors(lines);
        if said != [format!("t.world:{expected}")] {
            others.push(format!("{lines:?}\n  says {said:#?}\n  and not {expected}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn words_and_lines() {
    assert_faults(&[
        (
            "name x.acme.test TXT \"a\\q\"",
            "7: `\\\\q`: unknown escape; expected \\\" \\\\ \\n \\r \\t \\e \\0 \\u{HEX}",
        ),
        ("name x.acme.test TXT \"a\\", "7: `\\\\`: unknown escape; expected \\\" \\\\ \\n \\r \\t \\e \\0 \\u{HEX}"),
        ("name x.acme.test TXT \"\\u41\"", "7: `\\\\u`: write \\u{HEX} with 1 to 6 digits"),
        ("name x.acme.test TXT \"\\u{1234567}\"", "7: `\\\\u`: write \\u{HEX} with 1 to 6 digits"),
        ("name x.acme.test TXT \"\\u{d800}\"", "7: `\\\\u`: write \\u{HEX} with 1 to 6 digits"),
        ("name x.acme.test TXT \"\\u{}\"", "7: `\\\\u`: write \\u{HEX} with 1 to 6 digits"),
        (
            "host 203.0.113.{5..6}\n  ptr {a,b,c}.acme.test",
            "8: `{a,b,c}.acme.test`: 3 values here, but 2 before; give every repetition of a line as many",
        ),
        ("name {1..4097}.acme.test A 203.0.113.5", "7: `{1..4097}.acme.test`: more than 4,096 values"),
        ("name {a,1..4096}.acme.test A 203.0.113.5", "7: `{a,1..4096}.acme.test`: more than 4,096 values"),
        ("\"host\" \u{202e} x", "7: `\\u{202e}`: no IP address such as 192.0.2.1 or 2001:db8::1"),
    ]);
}

#[test]
fn worlds_seeds_and_states() {
    assert_faults(&[
        ("world", "7: `world`: the line ends here; expected a name"),
        ("world u \"U\" more", "7: `more`: nothing more was expected on this line"),
        ("world u\n  title", "8: `title`: `world` takes no indented lines"),
        ("seeds https://", "7: `https://`: no seed: a host name has 1 to 253 bytes"),
        ("state", "7: `state`: the line ends here; expected the next state's number"),
        ("state two", "7: `two`: no number here; expected the next state's number"),
        ("state 2 more", "7: `more`: nothing more was expected on this line"),
        ("state 2 after", "7: `after`: the line ends here; expected a span such as 5d, 36h, 90s or 250ms"),
        ("state 2 after noon", "7: `noon`: no span such as 5d, 36h, 90s or 250ms"),
        ("state 2 after 1h more", "7: `more`: nothing more was expected on this line"),
        ("state 2\nstate 2", "8: `2`: the next state is 3, and there are at most 12"),
        ("remove", "7: `remove`: `remove` stands below a `state` line"),
        (
            "state 2\nremove org acme",
            "8: `org`: unknown word; expected name, host, site, zone, cert, bucket, block, account, repository, \
             forge, app, \
             expects",
        ),
        ("state 2\nremove name", "8: `name`: the line ends here; expected a name"),
        ("state 2\nremove host 203.0.113.9", "8: `203.0.113.9`: the state before has no such host"),
        ("state 2\nremove host x", "8: `x`: no IP address such as 192.0.2.1 or 2001:db8::1"),
        ("state 2\nremove site http://a.test", "8: `http://a.test`: the state before has no such site"),
        ("state 2\nremove zone b.test", "8: `b.test`: the state before has no such zone"),
        ("state 2\nremove cert c", "8: `c`: the state before has no such cert"),
        ("state 2\nremove bucket b", "8: `b`: the state before has no such bucket"),
        ("state 2\nremove block 192.0.2.0/24", "8: `192.0.2.0/24`: the state before has no such block"),
        ("state 2\nremove block all", "8: `all`: no block"),
        ("state 2\nremove account aws Main", "8: `Main`: the state before has no such account"),
        ("state 2\nremove account aws", "8: `aws`: the line ends here; expected what the account is called"),
        (
            "state 2\nremove repository https://github.com/acme/app",
            "8: `https://github.com/acme/app`: the state before has no such repository",
        ),
        (
            "state 2\nremove forge https://github.com/acme",
            "8: `https://github.com/acme`: the state before has no such forge",
        ),
        ("state 2\nremove app ios test.acme.shop", "8: `test.acme.shop`: the state before has no such app"),
        ("state 2\nremove expects all", "8: `all`: nothing more was expected on this line"),
    ]);
}

/// A thing that is wrong in one state is wrong in those that follow, and is told once.
#[test]
fn a_fault_that_states_share_is_told_once() {
    assert_faults(&[
        (
            "host 192.0.2.1\nstate 2\nname a.acme.test A 203.0.113.5\nstate 3",
            "7: `192.0.2.1`: nobody owns this address; add a `block` that covers it, or `host … of ORG`",
        ),
        (
            "state 2\nsite http://x.acme.test\nstate 3",
            "8: `http://x.acme.test:80`: its name leads to no address; add `name … A …` or `at ADDRESS`",
        ),
    ]);
    let told = errors("host 192.0.2.1\nstate 2\nremove host 192.0.2.1\nhost 192.0.2.2");
    assert_eq!(told.len(), 2, "{told:#?}");
}

#[test]
fn as_many_states_as_are_allowed_and_no_more() {
    let states = |last: usize| (2..=last).map(|number| format!("state {number}\n")).collect::<String>();
    assert_eq!(errors(&states(12)), Vec::<String>::new());
    assert_eq!(errors(&states(13)), ["t.world:18: `13`: the next state is 13, and there are at most 12"]);
}

#[test]
fn organisations_and_blocks() {
    assert_faults(&[
        ("org", "7: `org`: the line ends here; expected the organisation's key"),
        ("org x", "7: `x`: the line ends here; expected the organisation's name"),
        ("org x X", "7: `X`: the line ends here; expected ours, related, vendor, source, stranger"),
        ("org x X theirs", "7: `theirs`: unknown word; expected ours, related, vendor, source, stranger"),
        ("org x X ours mail a@x.test", "7: `mail`: unknown word; expected email"),
        ("org x X ours email", "7: `email`: the line ends here; expected an e-mail address"),
        ("block", "7: `block`: the line ends here; expected a block such as 192.0.2.0/24"),
        ("block 192.0.2.0/24", "7: the owner is missing; add `of ORG`"),
        ("block 192.0.2.0/24 of nobody", "7: `nobody`: no organisation has this key; add an `org` line"),
        (
            "block 192.0.2.0/24 of acme as AS1",
            "7: `as`: unknown word; expected of, asn, named, country, allocated, registry",
        ),
        ("block 192.0.2.0/24 of acme asn AS4294967296", "7: `AS4294967296`: no number such as AS64500"),
        (
            "block 192.0.2.0/24 of acme allocated 2019-02-30",
            "7: `2019-02-30`: no moment such as +90d, -5d or 2019-03-01",
        ),
        ("block 192.0.2.0/24 of acme allocated +5", "7: `+5`: no moment such as +90d, -5d or 2019-03-01"),
        ("block 192.0.2.0/24 of acme registry rdap.test", "7: `rdap.test`: no URL such as https://rdap.example"),
        (
            "block 192.0.2.0/24 of acme registry ftp://rdap.test",
            "7: `ftp://rdap.test`: no URL such as https://rdap.example",
        ),
        ("block 192.0.2.0/24 of acme registry https://", "7: `https://`: no URL such as https://rdap.example"),
        (
            "block 203.0.113.7/24 of acme",
            "7: `203.0.113.7/24`: it was stated before; put all its lines under one statement",
        ),
    ]);
}

const ZONES_AND_NAMES: &[Fault] = &[
    ("zone b.test of acme", "7: `b.test`: the zone has no name server; add `ns NAME ADDRESS`"),
    ("zone b.test\n  ns ns1.acme.test", "7: the owner is missing; add `of ORG`"),
    (
        "zone b.test of acme\n  ns ns1.b.test 192.0.2.9",
        "7: `192.0.2.9`: nobody owns this address; add a `block` that covers it, or `host … of ORG`",
    ),
    ("zone b.test of acme\n  ns", "8: `ns`: the line ends here; expected a name"),
    ("zone b.test of acme ns ns1.acme.test\n  transfer maybe", "8: `maybe`: unknown word; expected open, refused"),
    (
        "zone b.test of acme ns ns1.acme.test\n  signed nsec5",
        "8: `nsec5`: unknown word; expected nsec, nsec3, minimal, compact",
    ),
    (
        "zone b.test of acme ns ns1.acme.test\n  answers loudly",
        "8: `loudly`: unknown word; expected normal, servfail, refused, silent, lame, slow, late, truncated, garbage, \
             rebind",
    ),
    (
        "zone b.test of acme ns ns1.acme.test\n  answers slow",
        "8: `slow`: the line ends here; expected a span such as 5d, 36h, 90s or 250ms",
    ),
    ("zone b.test of acme ns ns1.acme.test\n  answers slow -5s", "8: `-5s`: no span such as 5d, 36h, 90s or 250ms"),
    (
        "zone b.test of acme ns ns1.acme.test\n  answers rebind there",
        "8: `there`: no IP address such as 192.0.2.1 or 2001:db8::1",
    ),
    ("zone b.test of acme ns ns1.acme.test\n  expires never", "8: `never`: no moment such as +90d, -5d or 2019-03-01"),
    (
        "zone b.test of acme ns ns1.acme.test\n  registrar",
        "8: `registrar`: the line ends here; expected the registrar's name",
    ),
    (
        "zone b.test of acme ns ns1.acme.test\n  brand",
        "8: `brand`: unknown word; expected of, ns, transfer, signed, answers, registrar, registered, expires, \
             redacted, \
             registry, look-alike, suspicious, phishing, mails, sister",
    ),
    ("zone api.shodan.io of acme ns ns1.acme.test", "7: `api.shodan.io`: every world has this zone already"),
    ("zone x.rdap.org of acme ns ns1.acme.test", "7: `x.rdap.org`: every world has this zone already"),
    ("name", "7: `name`: the line ends here; expected a name"),
    (
        "name a..acme.test A 203.0.113.5",
        "7: `a..acme.test`: no host name: a label has 1 to 63 letters, digits, '-' or '_'",
    ),
    (
        "name a.*.acme.test A 203.0.113.5",
        "7: `a.*.acme.test`: no host name: a label has 1 to 63 letters, digits, '-' or '_'",
    ),
    ("name a.acme.test of nobody A 203.0.113.5", "7: `nobody`: no organisation has this key; add an `org` line"),
    ("name a.acme.test ttl long", "7: `long`: no number here; expected seconds"),
    ("name a.acme.test ttl 4294967296", "7: `4294967296`: no number here; expected seconds"),
    ("name a.acme.test fails A", "7: `A`: unknown word; expected AAAA, CAA, DS, HTTPS, SRV"),
    (
        "name a.acme.test SOA x",
        "7: `SOA`: unknown word; expected of, ttl, hidden, archived, rotate, answers, fails, inside, A, AAAA, CNAME, \
             DNAME, NS, MX, TXT, \
             SRV, CAA, PTR, DS, HTTPS, SVCB",
    ),
    (
        "name a.acme.test HTTPS b.acme.test",
        "7: `b.acme.test`: no number here; expected a priority, or `raw` and bytes in hex",
    ),
    ("name a.acme.test HTTPS 1 . port 0", "7: `0`: a port is a number from 1 to 65535"),
    ("name a.acme.test HTTPS 1 . alpn h2,,h3", "7: `h2,,h3`: a protocol has 1 to 255 bytes"),
    (
        "name a.acme.test HTTPS 1 . alpn h2 alpn h3",
        "7: `alpn`: a record has one `alpn`; put all protocols behind it, as in h2,h3",
    ),
    ("name a.acme.test SVCB 1 . hint b", "7: `b`: no IP address such as 192.0.2.1 or 2001:db8::1"),
    ("name a.acme.test HTTPS raw 0", "7: `0`: no bytes in hex"),
    ("name a.acme.test AAAA 203.0.113.5", "7: `203.0.113.5`: an AAAA record holds an IPv6 address; write A"),
    ("name a.acme.test CNAME", "7: `CNAME`: the line ends here; expected a name"),
    (
        "name a.acme.test CNAME *.acme.test",
        "7: `*.acme.test`: no host name: a label has 1 to 63 letters, digits, '-' or '_'",
    ),
    (
        "name a.acme.test CNAME b.acme.test CNAME c.acme.test",
        "7: `a.acme.test`: a name with a CNAME has no other record",
    ),
    (
        "name a.acme.test DNAME b.acme.test DNAME c.acme.test",
        "7: `a.acme.test`: a name has one DNAME, and a wildcard none",
    ),
    ("name *.acme.test DNAME b.acme.test", "7: `*.acme.test`: a name has one DNAME, and a wildcard none"),
    (
        "name acme.test CNAME www.acme.test",
        "7: `acme.test`: a zone's top has its SOA and NS, so no CNAME; give it addresses (`A …`)",
    ),
    (
        "name a.acme.test DNAME b.acme.test NS ns1.b.test",
        "7: `a.acme.test`: only a zone's top has a DNAME beside NS; leave one of the two out",
    ),
    (
        "name a.acme.test DNAME b.acme.test\nzone x.a.acme.test of acme\n  ns ns1.acme.test",
        "8: `x.a.acme.test`: no zone stands below `a.acme.test`, which has a DNAME; leave one of the two out",
    ),
    (
        "name a.acme.test DNAME b.test\nname x.y.a.acme.test A 203.0.113.5",
        "8: `x.y.a.acme.test`: nothing stands below `a.acme.test`, which has a DNAME",
    ),
    ("name a.acme.test MX mail.acme.test", "7: `mail.acme.test`: no number here; expected a preference"),
    ("name a.acme.test MX 65536 mail.acme.test", "7: `65536`: no number here; expected a preference"),
    ("name a.acme.test MX 10", "7: `10`: the line ends here; expected a name"),
    ("name a.acme.test SRV 0 5", "7: `5`: the line ends here; expected a port"),
    ("name a.acme.test SRV 0 5 70000 b.acme.test", "7: `70000`: no number here; expected a port"),
    ("name a.acme.test CAA 256 issue \"x\"", "7: `256`: no number here; expected flags such as 0"),
    ("name a.acme.test CAA 0 all \"x\"", "7: `all`: unknown word; expected issue, issuewild, iodef"),
    ("name a.acme.test CAA 0 issue", "7: `issue`: the line ends here; expected a value in quotes"),
    ("name a.acme.test DS 1 8 2", "7: `2`: the line ends here; expected a digest in hex"),
    ("name a.acme.test DS 1 8 2 abc", "7: `abc`: no digest in hex"),
    ("name a.acme.test TXT", "7: `TXT`: the line ends here; expected a text in quotes"),
];

#[test]
fn zones_and_names() {
    assert_faults(ZONES_AND_NAMES);
    let record = |bytes: usize| errors(&format!("name a.acme.test TXT \"{}\"", "x".repeat(bytes)));
    assert_eq!(record(4_000), Vec::<String>::new());
    assert!(record(4_001)[0].ends_with("a TXT record has at most 4,000 bytes"), "{:?}", record(4_001));
}

/// What a `port` line may name.
const SERVICES: &str = "unknown word; expected ssh, ftp, smtp, imap, pop3, redis, telnet, mysql, postgres, mongodb, \
                        rdp, \
                        smb, vnc, http, https, banner, silent, tarpit, filtered, closed, hostile";

#[test]
fn hosts_and_services() {
    assert_eq!(errors("host 203.0.113.9\n  port 22 shh"), [format!("t.world:8: `shh`: {SERVICES}")]);
    assert_faults(&[
        ("host", "7: `host`: the line ends here; expected an IP address"),
        (
            "host 203.0.113.9 203.0.113.9",
            "7: `203.0.113.9`: it was stated before; put all its lines under one statement",
        ),
        ("host 192.0.2.1 of nobody", "7: `nobody`: no organisation has this key; add an `org` line"),
        ("host 203.0.113.9\n  port ssh", "8: `ssh`: no number here; expected a port from 1 to 65535"),
        ("host 203.0.113.9\n  port 65536 ssh", "8: `65536`: no number here; expected a port from 1 to 65535"),
        ("host 203.0.113.9\n  udp 0 ntp", "8: `0`: a port is a number from 1 to 65535"),
        ("host 203.0.113.9\n  port 21 ftp \"x\"", "8: `x`: the line ends here; expected anonymous, login"),
        ("host 203.0.113.9\n  port 6379 redis", "8: `redis`: the line ends here; expected open, password"),
        ("host 203.0.113.9\n  port 27017 mongodb shut", "8: `shut`: unknown word; expected open, password"),
        ("host 203.0.113.9\n  port 7 banner", "8: `banner`: the line ends here; expected the banner in quotes"),
        (
            "host 203.0.113.9\n  port 25 smtp \"x\" starttls @c",
            "7: `c`: no certificate has this name; add a `cert` statement",
        ),
        ("host 203.0.113.9\n  port 993 imap tls @c", "7: `c`: no certificate has this name; add a `cert` statement"),
        ("host 203.0.113.9\n  port 993 imap tls", "8: `tls`: the certificate has no `names`"),
        (
            "host 203.0.113.9\n  port 443 https tls names a.acme.test",
            "8: `tls`: no `tls` behind this service; a web server with TLS is `https`",
        ),
        (
            "host 203.0.113.9\n  port 9 closed tls names a.acme.test",
            "8: `tls`: no `tls` behind this service; a web server with TLS is `https`",
        ),
        (
            "host 203.0.113.9\n  udp 53 dns",
            "8: `dns`: unknown word; expected coap, ike, mdns, memcached, netbios, ntp, quic, silent, sip, snmp \
             COMMUNITY, ssdp, \
             stun, tftp",
        ),
        ("host 203.0.113.9\n  udp 161 snmp", "8: `snmp`: the line ends here; expected the community"),
        (
            "host 203.0.113.9\n  udp 161 snmp 123456789012345678901234567890123",
            "8: `123456789012345678901234567890123`: a community has at most 32 bytes",
        ),
        ("host 203.0.113.9\n  unlisted shut", "8: `shut`: unknown word; expected closed, filtered, open"),
        ("host 203.0.113.9\n  latency 60001ms", "8: `60001ms`: a latency is at most 60s"),
        (
            "host 203.0.113.9\n  latency",
            "8: `latency`: the line ends here; expected a span such as 5d, 36h, 90s or 250ms",
        ),
        ("host 203.0.113.9\n  ptr", "8: `ptr`: the line ends here; expected a name"),
        (
            "host 203.0.113.9\n  unknown-host",
            "8: `unknown-host`: the line ends here; expected close, site URL, or STATUS \"TEXT\"",
        ),
        ("host 203.0.113.9\n  unknown-host gone", "8: `gone`: no number here; expected a status from 200 to 599"),
        ("host 203.0.113.9\n  unknown-host 404", "8: `404`: the line ends here; expected the page's text"),
        ("host 203.0.113.9\n  unknown-host site http://www.acme.test", "7: `http://www.acme.test:80`: no such site"),
    ]);
    let hostile = errors("host 203.0.113.9\n  port 80 hostile kind").remove(0);
    assert!(
        hostile.starts_with("t.world:8: `kind`: unknown word; expected endless, ") && hostile.ends_with(", not-http")
    );
}

const SITES: &[Fault] = &[
    ("site", "7: `site`: the line ends here; expected a URL such as https://www.example.test"),
    ("site www.acme.test", "7: `www.acme.test`: no URL: it has no scheme such as https://"),
    (
        "site http://192.0.2.1",
        "7: `192.0.2.1`: nobody owns this address; add a `block` that covers it, or `host … of ORG`",
    ),
    (
        "site http://x.test at 192.0.2.1",
        "7: `192.0.2.1`: nobody owns this address; add a `block` that covers it, or `host … of ORG`",
    ),
    (
        "site http://203.0.113.9\nsite http://203.0.113.9:80",
        "8: `http://203.0.113.9:80`: it was stated before; put all its lines under one statement",
    ),
    ("site http://203.0.113.9\n  at", "8: `at`: the line ends here; expected an IP address"),
    ("site http://203.0.113.9\n  server", "8: `server`: the line ends here; expected the server's name, or none"),
    ("site http://203.0.113.9\n  status 199", "8: `199`: a status is a number from 200 to 599"),
    ("site http://203.0.113.9\n  status ok", "8: `ok`: no number here; expected a status from 200 to 599"),
    ("site http://203.0.113.9\n  header X-A", "8: `X-A`: the line ends here; expected the header's value in quotes"),
    (
        "site http://203.0.113.9\n  header \"\" x",
        "8: a header's or cookie's name has letters, digits, `-`, `_` and `.`",
    ),
    ("site http://203.0.113.9\n  cookie sid", "8: `sid`: the line ends here; expected careful, careless"),
    (
        "site http://203.0.113.9\n  cookie \"a b\" careful",
        "8: `a b`: a header's or cookie's name has letters, digits, `-`, `_` and `.`",
    ),
    ("site http://203.0.113.9\n  guarded ann", "8: `ann`: the line ends here; expected the password"),
    ("site http://203.0.113.9\n  basic", "8: `basic`: the line ends here; expected the realm in quotes"),
    (
        "site http://203.0.113.9\n  favicon",
        "8: `favicon`: the line ends here; expected a word that stands for the picture",
    ),
    ("site http://203.0.113.9\n  page \"/a b\" \"\"", "8: `/a b`: a path begins with `/` and has no blanks"),
    ("site http://203.0.113.9\n  page /a 600 \"\"", "8: `600`: a status is a number from 200 to 599"),
    ("site http://203.0.113.9\n  page /a text/plain", "8: `text/plain`: the line ends here; expected a text in quotes"),
    ("site http://203.0.113.9\n  robots", "8: `robots`: the line ends here; expected lines of robots.txt in quotes"),
    ("site http://203.0.113.9\n  links", "8: `links`: the line ends here; expected URLs"),
    ("site http://203.0.113.9\n  redirect", "8: `redirect`: the line ends here; expected a URL"),
    ("site http://203.0.113.9\n  redirect /x 3x", "8: `3x`: no number here; expected a status from 200 to 599"),
    ("site http://203.0.113.9\n  leads /go", "8: `/go`: expected a path with a parameter, such as /go?to"),
    ("site http://203.0.113.9\n  leads go?to", "8: `go?to`: expected a path with a parameter, such as /go?to"),
    ("site http://203.0.113.9\n  leads /go?", "8: `/go?`: expected a path with a parameter, such as /go?to"),
    (
        "site http://203.0.113.9\n  checkout",
        "8: `checkout`: the line ends here; expected a URL such as https://github.com/example/app",
    ),
    (
        "site http://203.0.113.9\n  checkout https://git.test/acme/app",
        "7: `https://git.test:443/acme/app`: no repository has this URL; add a `repository` line",
    ),
    ("site http://203.0.113.9\n  fresh wordpress", "8: `wordpress`: unknown word; expected tomcat, jenkins"),
    ("site http://203.0.113.9\n  explains", "8: `explains`: the line ends here; expected tomcat, jenkins"),
    ("site http://203.0.113.9\n  body", "8: `body`: the line ends here; expected a text in quotes"),
    (
        "site http://203.0.113.9\n  generator",
        "8: `generator`: the line ends here; expected the generator's name in quotes",
    ),
    ("site http://203.0.113.9\n  plain maybe", "8: `maybe`: unknown word; expected redirect, none, same"),
    (
        "site http://203.0.113.9\n  bear",
        "8: `bear`: unknown word; expected at, server, status, header, bare, cookie, login, guarded, basic, \
             favicon, page, \
             robots, links, loads, redirect, leads, soft-404, exposes, twin, \
             checkout, fresh, explains, body, generator, \
             nonce, \
             compress, \
             cert, tls, alpn, plain, hostile, default, hidden, next",
    ),
];

#[test]
fn sites_and_their_words() {
    assert_faults(SITES);
    let body = |bytes: usize| errors(&format!("site http://203.0.113.9\n  body \"{}\"", "x".repeat(bytes)));
    assert_eq!(body(128 << 10), Vec::<String>::new());
    assert!(body((128 << 10) + 1)[0].ends_with("a body has at most 128 KiB"));
}

#[test]
fn certificates() {
    assert_faults(&[
        ("cert", "7: `cert`: the line ends here; expected the certificate's name"),
        (
            "cert c names a.acme.test\ncert c names b.acme.test",
            "8: `c`: it was stated before; put all its lines under one statement",
        ),
        ("cert c\n  names", "8: `names`: the line ends here; expected names"),
        (
            "cert c\n  names a..test",
            "8: `a..test`: no name for a certificate: a label has 1 to 63 letters, digits, '-' or '_'",
        ),
        ("cert c cn", "7: `cn`: the line ends here; expected a common name"),
        (
            "cert c names a.acme.test\n  starts -2d revoked 30d",
            "7: `c`: the certificate is revoked before it begins; shorten `revoked`, or give an earlier `starts`",
        ),
        (
            "name a.acme.test A 203.0.113.9\nsite https://a.acme.test\n  cert revoked 41d",
            "9: `revoked`: the certificate is revoked before it begins; shorten `revoked`, or give an earlier \
             `starts`",
        ),
        (
            "host 203.0.113.9\n  port 993 imap tls not-yet 1h revoked 0s names a.acme.test",
            "8: `revoked`: the certificate is revoked before it begins; shorten `revoked`, or give an earlier \
             `starts`",
        ),
        ("cert c starts soon", "7: `soon`: no moment such as +90d, -5d or 2019-03-01"),
        ("cert c expired 5", "7: `5`: no span such as 5d, 36h, 90s or 250ms"),
        ("cert c expired 36501d", "7: `36501d`: no span such as 5d, 36h, 90s or 250ms"),
        ("cert c key dsa", "7: `dsa`: unknown word; expected ed25519, rsa, weak"),
        (
            "cert c recalled",
            "7: `recalled`: unknown word; expected names, cn, org, starts, ends, expired, expires, not-yet, \
             self-signed, \
             untrusted, no-chain, revoked, key, sha1, unlogged",
        ),
    ]);
    let names = |count: usize| errors(&format!("cert c\n  names {{1..{count}}}.acme.test"));
    assert_eq!(names(2_000), Vec::<String>::new());
    assert!(names(2_001)[0].ends_with("a certificate has at most 2,000 names"), "{:?}", names(2_001));
}

#[test]
fn buckets_and_what_is_expected() {
    assert_faults(&[
        (
            "bucket",
            "7: `bucket`: the line ends here; expected s3, gcs, azure, firebase-database, firestore, firebase-storage",
        ),
        (
            "bucket r2 a of acme",
            "7: `r2`: unknown word; expected s3, gcs, azure, firebase-database, firestore, firebase-storage",
        ),
        (
            "bucket s3 Files of acme",
            "7: `Files`: a bucket's name has small letters, digits, `-`, `.` and for azure ACCOUNT/CONTAINER",
        ),
        ("bucket azure files of acme", "7: `files`: no container of an account; expected ACCOUNT/CONTAINER"),
        (
            "bucket s3 files of acme\nbucket s3 files of acme",
            "8: `files`: it was stated before; put all its lines under one statement",
        ),
        ("bucket s3 files", "7: the owner is missing; add `of ORG`"),
        (
            "bucket s3 files of acme public",
            "7: `public`: unknown word; expected of, listed, open, closed, hidden, region, keys",
        ),
        ("bucket s3 files of acme keys", "7: `keys`: the line ends here; expected names of files"),
        ("bucket s3 files of acme region", "7: `region`: the line ends here; expected a region such as eu-west-1"),
        ("bucket s3 files of acme region moon", "7: `moon`: expected a region such as eu-west-1"),
        ("bucket gcs files of acme region eu-west-1", "7: `region`: only a bucket of s3 has a region"),
        ("expect", "7: `expect`: the line ends here; expected issue, no-issue, entity, ignore, never"),
        ("expect nothing", "7: `nothing`: unknown word; expected issue, no-issue, entity, ignore, never"),
        ("expect issue open_bucket", "7: `open_bucket`: the line ends here; expected a kind such as Uri"),
        ("expect entity Uri", "7: `Uri`: the line ends here; expected an entity's name"),
        ("expect ignore IpAddress x", "7: `x`: no name of an IpAddress: it is no IP address"),
        ("expect never acme.test", "7: `acme.test`: no address or block"),
        ("expect never 203.0.113.1 203.0.113.2", "7: `203.0.113.2`: nothing more was expected on this line"),
    ]);
}

const ESTATE: &[Fault] = &[
    ("account", "7: `account`: the line ends here; expected a provider such as aws, azure, gcp or hetzner"),
    ("account hetzner", "7: `hetzner`: the line ends here; expected what the account is called"),
    ("account hetzner M shown x", "7: the owner is missing; add `of ORG`"),
    (
        "account hetzner M of acme shown x\n  secret token",
        "8: `token`: the line ends here; expected the secret, or @rsa",
    ),
    ("account hetzner M of acme shown x\n  list a", "8: `a`: the line ends here; expected what it lists"),
    (
        "account hetzner M of acme shown x\n  answers api.hetzner.cloud",
        "8: `api.hetzner.cloud`: the line ends here; expected when, by, freely, before, status, header, xml or json",
    ),
    (
        "account hetzner M of acme shown x\n  answers api.hetzner.cloud html \"\"",
        "8: `html`: unknown word; expected when, by, freely, before, status, header, xml, json",
    ),
    (
        "account hetzner M of acme shown x\n  holds IpAddress",
        "8: `IpAddress`: the line ends here; expected an entity's name",
    ),
    (
        "account hetzner M of acme shown x\n  keeps a",
        "8: `keeps`: unknown word; expected of, secret, setting, list, shown, answers, holds",
    ),
    (
        "repository http://git.test/acme/app of acme",
        "7: `http://git.test/acme/app`: a repository of a world is at an https URL",
    ),
    (
        "repository https://git.test:8443/acme/app of acme",
        "7: `https://git.test:8443/acme/app`: a repository of a world is on port 443",
    ),
    (
        "repository https://acme.test/acme/app of acme",
        "7: `acme.test`: a zone of the file holds this name; give one that none holds",
    ),
    (
        "repository https://git.test/acme/app of acme\n  commit",
        "8: `commit`: the line ends here; expected a moment such as +90d, -5d or 2019-03-01",
    ),
    (
        "repository https://git.test/acme/app of acme\n  commit -5d",
        "8: `-5d`: the line ends here; expected the message",
    ),
    (
        "repository https://git.test/acme/app of acme commit -5d x\n  writes ../a b",
        "8: `../a`: no path such as src/main.py",
    ),
    (
        "repository https://git.test/acme/app of acme commit -5d x\n  writes .git/config b",
        "8: `.git/config`: no path such as src/main.py",
    ),
    ("repository https://git.test/acme/app of acme commit -5d x\n  removes /a", "8: `/a`: no path such as src/main.py"),
    ("repository https://git.test/acme/app of acme\n  removes a", "8: `a`: it stands below a `commit` line"),
    (
        "repository https://git.test/acme/app of acme\n  branch b",
        "8: `branch`: unknown word; expected of, private, commit, writes, removes",
    ),
    (
        "forge https://git.test/acme of acme",
        "7: `https://git.test/acme`: no account at github.com, gitlab.com, codeberg.org or bitbucket.org",
    ),
    ("forge https://github.com/acme of acme\n  member", "8: `member`: the line ends here; expected a member's name"),
    (
        "forge https://github.com/acme of acme\n  star a",
        "8: `star`: unknown word; expected of, website, member, fork, token",
    ),
    ("app windows test.acme.shop of acme", "7: `windows`: unknown word; expected android, ios"),
    ("app ios test.acme.shop of acme\n  apk", "8: `apk`: an APK is an app for Android, and signed behind `apk`"),
    (
        "app android test.acme.shop of acme\n  signed Acme",
        "8: `signed`: an APK is an app for Android, and signed behind `apk`",
    ),
    (
        "app android test.acme.shop of acme\n  says application/debuggable",
        "8: `application/debuggable`: the line ends here; expected what it says",
    ),
    ("app android test.acme.shop of acme\n  member ../x y", "8: `../x`: no path such as src/main.py"),
    (
        "app android test.acme.shop of acme\n  opens a..test",
        "8: `a..test`: no host name: a label has 1 to 63 letters, digits, '-' or '_'",
    ),
    (
        "app android test.acme.shop of acme\n  icon x",
        "8: `icon`: unknown word; expected of, apk, signed, says, member, opens, named, store, by, site, released, \
         mirrored",
    ),
];

#[test]
fn accounts_repositories_forges_and_apps() {
    assert_faults(ESTATE);
}

#[test]
fn limits_of_a_file() {
    let said = |text: &str| World::parse(text, "x").unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(said(&"#".repeat((16 << 20) + 1)), ["x:1: the file is longer than 16 MiB"]);
    let line = |bytes: usize| format!("host \"{}\"", "x".repeat(bytes - 7));
    assert!(said(&line(256 << 10))[0].contains("no IP address"));
    assert_eq!(said(&line((256 << 10) + 1)), ["x:1: the line is longer than 256 KiB"]);
    let many = format!("host {{1..4096}}\n{}", "  hidden\n".repeat(100));
    assert_eq!(said(&many), ["x:1: with its repetitions the file has more than 400,000 lines or 64 MiB"]);
    assert_eq!(errors(&"name {1..4096}.acme.test A 203.0.113.5\n".repeat(20)), Vec::<String>::new());
    // One statement alone, which stands for 32 GiB.
    let long = format!("  \"{} {{1..4096}}\"\n", "x".repeat(200_000)).repeat(40);
    let told = said(&format!("host {{1..4096}}\n{long}"));
    assert_eq!(told, ["x:1: with its repetitions the file has more than 400,000 lines or 64 MiB"]);
}

#[test]
fn answers_by_count_and_caller() {
    assert_faults(&[
        ("host 203.0.113.9\n  limit many 1s refused", "8: `many`: no number here; expected how many are answered"),
        ("host 203.0.113.9\n  limit 5 0s refused", "8: `0s`: a limit holds for a span of at least 1ms"),
        (
            "host 203.0.113.9\n  limit 5 1s",
            "8: `1s`: the line ends here; expected refused, silent, truncated, or STATUS [retry SECONDS]",
        ),
        (
            "host 203.0.113.9\n  limit 5 1s 399",
            "8: `399`: beyond a limit a status is a number from 400 to 599, such as 429",
        ),
        (
            "host 203.0.113.9\n  limit 5 1s 600 retry 3",
            "8: `600`: beyond a limit a status is a number from 400 to 599, such as 429",
        ),
        ("host 203.0.113.9\n  limit 5 1s 429 retry", "8: `retry`: the line ends here; expected seconds"),
        (
            "host 203.0.113.9\n  limit 5 1s silent",
            "7: `203.0.113.9`: no name server is here, whose answers `limit` counts; make it the `ns` of a zone",
        ),
        (
            "host 203.0.113.9\n  limit 5 1s 429",
            "7: `203.0.113.9`: no web server is here, whose answers `limit` counts; add a `site`, or `port N http`",
        ),
        (
            "host 198.19.0.1\n  limit 5 1s 429",
            "7: `198.19.0.1`: no web server is here, whose answers `limit` counts; add a `site`, or `port N http`",
        ),
        (
            "host 203.0.113.9\n  port 22 ssh next https",
            "8: `https`: in turn stand only services that speak, without TLS",
        ),
        (
            "site http://203.0.113.9\n  next at 203.0.113.8",
            "8: `at`: this is said of all machines; put it before `next`",
        ),
        (
            "site https://203.0.113.9\n  next cert @none",
            "7: `none`: no certificate has this name; add a `cert` statement",
        ),
        (
            "host 198.19.0.1 limit 5 1s refused ptr r.acme.test",
            "7: `198.19.0.1`: of a resolver a file says only its `limit`",
        ),
        ("name x.acme.test inside", "7: `inside`: the line ends here; expected a record"),
    ]);
}
