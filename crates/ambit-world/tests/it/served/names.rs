//! Zones, names, and answers that change with wire time.

use crate::ask::{Served, assert_served};

/// Of every address below: the record that the network's origin is asked by.
const RECORDS: &[Served] = &[
    (
        "name r.acme.test A 203.0.113.10 AAAA 2001:db8::1 MX 10 m.acme.test MX 20 n.acme.test TXT \"v=spf1 -all\" CAA \
         128 \
         issuewild \";\"",
        &[
            ("A r.acme.test", "NOERROR r.acme.test A 203.0.113.10"),
            ("AAAA r.acme.test", "NOERROR r.acme.test AAAA 2001:db8::1"),
            ("MX r.acme.test", "NOERROR r.acme.test MX 10 m.acme.test; r.acme.test MX 20 n.acme.test"),
            ("TXT r.acme.test", "NOERROR r.acme.test TXT v=spf1 -all"),
            ("CAA r.acme.test", "NOERROR r.acme.test CAA 128 issuewild ;"),
            ("SRV r.acme.test", "NOERROR"),
            ("PTR r.acme.test", "NOERROR"),
        ],
    ),
    (
        "name d.acme.test DS 1 8 2 AB12 NS ns1.acme.test PTR p.acme.test\nname _x._tcp.acme.test SRV 1 2 3 \
         t.acme.test\nname \
         n.acme.test MX 0 .",
        &[
            ("DS d.acme.test", "NOERROR d.acme.test DS 1 8 2 ab12"),
            ("NS d.acme.test", "NOERROR d.acme.test NS ns1.acme.test"),
            ("PTR d.acme.test", "NOERROR d.acme.test PTR p.acme.test"),
            ("SRV _x._tcp.acme.test", "NOERROR _x._tcp.acme.test SRV 1 2 3 t.acme.test"),
            ("MX n.acme.test", "NOERROR n.acme.test MX 0 "),
            ("A _tcp.acme.test", "NOERROR"),
        ],
    ),
    (
        "name s.acme.test A 203.0.113.5 HTTPS 1 . alpn h2,h3 port 8443 hint 203.0.113.5 hint 2001:db8::1 ech\nname \
         z.acme.test HTTPS 0 t.acme.test SVCB raw 0001ff fails HTTPS",
        &[
            (
                "HTTPS s.acme.test",
                "NOERROR s.acme.test HTTPS 000100000100060268320268330003000220fb00040004cb00710500050002000000060010\
                 20010db8000000000000000000000001",
            ),
            ("A s.acme.test", "NOERROR s.acme.test A 203.0.113.5"),
            ("HTTPS z.acme.test", "SERVFAIL"),
            ("SVCB z.acme.test", "NOERROR z.acme.test SVCB 0001ff"),
        ],
    ),
    // The zone above answers for the DS records of a zone, whatever becomes of that one's servers.
    (
        "zone k.acme.test of acme\n  ns ns1.k.acme.test 203.0.113.9\n  answers servfail\nname k.acme.test DS 1 8 2 \
         AB12",
        &[
            ("DS k.acme.test", "NOERROR k.acme.test DS 1 8 2 ab12"),
            ("DS k.acme.test at 203.0.113.2", "NOERROR aa k.acme.test DS 1 8 2 ab12"),
            ("A k.acme.test", "SERVFAIL"),
        ],
    ),
    // All below a name are called otherwise.
    (
        "name d.acme.test DNAME t.acme.test A 203.0.113.5\nname x.t.acme.test A 203.0.113.6\nname l.acme.test DNAME \
         a.l.acme.test",
        &[
            (
                "A x.d.acme.test",
                "NOERROR d.acme.test DNAME t.acme.test; x.d.acme.test CNAME x.t.acme.test; x.t.acme.test A 203.0.113.6",
            ),
            (
                "A y.d.acme.test at 203.0.113.2",
                "NXDOMAIN aa d.acme.test DNAME t.acme.test; y.d.acme.test CNAME y.t.acme.test",
            ),
            ("A d.acme.test", "NOERROR d.acme.test A 203.0.113.5"),
            ("DNAME d.acme.test", "NOERROR d.acme.test DNAME t.acme.test"),
            ("A x.l.acme.test", "SERVFAIL"),
        ],
    ),
    // Lines for one name add up, and repetitions go along.
    (
        "name {a,b}.acme.test A 203.0.113.{5..6}\nname a.acme.test A 203.0.113.7\n  TXT \"x\"",
        &[
            ("A a.acme.test", "NOERROR a.acme.test A 203.0.113.5; a.acme.test A 203.0.113.7"),
            ("A b.acme.test", "NOERROR b.acme.test A 203.0.113.6"),
            ("TXT a.acme.test", "NOERROR a.acme.test TXT x"),
        ],
    ),
    // A long text is one record of several strings.
    (
        "name t.acme.test TXT \"\\\"q\\\" \\\\ \\t \\u{e9}\"",
        &[("TXT t.acme.test", "NOERROR t.acme.test TXT \"q\" \\ \t é")],
    ),
    (
        "name f.acme.test A 203.0.113.5 fails AAAA fails SRV",
        &[
            ("A f.acme.test", "NOERROR f.acme.test A 203.0.113.5"),
            ("AAAA f.acme.test", "SERVFAIL"),
            ("SRV f.acme.test", "SERVFAIL"),
            ("CAA f.acme.test", "NOERROR"),
        ],
    ),
    // Hidden is served like any other; so is what an owner of its own has.
    (
        "name {h,o}.acme.test A 203.0.113.{5,6}\nname h.acme.test hidden\nname o.acme.test of out",
        &[
            ("A h.acme.test", "NOERROR h.acme.test A 203.0.113.5"),
            ("A o.acme.test", "NOERROR o.acme.test A 203.0.113.6"),
        ],
    ),
];

#[tokio::test]
async fn records() {
    assert_served(1, RECORDS).await;
}

const TURNS: &[Served] = &[
    (
        "name p.acme.test A 203.0.113.{11..13} rotate",
        &[
            ("A p.acme.test", "NOERROR p.acme.test A 203.0.113.11; p.acme.test A 203.0.113.12"),
            ("wait 30", ""),
            ("A p.acme.test", "NOERROR p.acme.test A 203.0.113.12; p.acme.test A 203.0.113.13"),
            ("wait 30", ""),
            ("A p.acme.test", "NOERROR p.acme.test A 203.0.113.13; p.acme.test A 203.0.113.11"),
        ],
    ),
    (
        "name p.acme.test A 203.0.113.{11..12} rotate",
        &[
            ("A p.acme.test", "NOERROR p.acme.test A 203.0.113.11; p.acme.test A 203.0.113.12"),
            ("wait 30", ""),
            ("A p.acme.test", "NOERROR p.acme.test A 203.0.113.11; p.acme.test A 203.0.113.12"),
        ],
    ),
    (
        "name r.acme.test A 203.0.113.11 answers rebind 10.0.0.1\nname s.acme.test A 203.0.113.12",
        &[
            ("A r.acme.test", "NOERROR r.acme.test A 203.0.113.11"),
            ("wait 30", ""),
            ("A r.acme.test", "NOERROR r.acme.test A 10.0.0.1"),
            ("A s.acme.test", "NOERROR s.acme.test A 203.0.113.12"),
            ("wait 30", ""),
            ("A r.acme.test", "NOERROR r.acme.test A 203.0.113.11"),
        ],
    ),
];

#[tokio::test]
async fn answers_that_change_with_wire_time() {
    assert_served(1, TURNS).await;
}

/// A zone beside the seed's, on a server of its own.
macro_rules! zone {
    ($($words:literal)?) => {
        concat!("zone z.test of acme\n  ns ns1.z.test 203.0.113.3\n  ", $($words,)? "\nname z.test A 203.0.113.9")
    };
}

const ANSWERS: &[Served] = &[
    (
        zone!("answers normal"),
        &[
            ("A z.test", "NOERROR z.test A 203.0.113.9"),
            ("A z.test at 203.0.113.3", "NOERROR aa z.test A 203.0.113.9"),
            ("A z.test over tcp at 203.0.113.3", "NOERROR aa z.test A 203.0.113.9"),
            ("A z.test at 203.0.113.2", "REFUSED"),
            ("A none.z.test at 203.0.113.3", "NXDOMAIN aa"),
            ("AXFR z.test over tcp at 203.0.113.3", "REFUSED"),
        ],
    ),
    (zone!("answers servfail"), &[("A z.test", "SERVFAIL"), ("A z.test at 203.0.113.3", "SERVFAIL")]),
    (zone!("answers refused"), &[("A z.test", "SERVFAIL"), ("A z.test at 203.0.113.3", "REFUSED")]),
    (zone!("answers lame"), &[("A z.test", "SERVFAIL"), ("A z.test at 203.0.113.3", "REFUSED")]),
    (zone!("answers silent"), &[("A z.test", "SERVFAIL"), ("A z.test at 203.0.113.3", "silence")]),
    (
        zone!("answers slow 3s"),
        &[("A z.test", "NOERROR z.test A 203.0.113.9"), ("A z.test at 203.0.113.3", "NOERROR aa z.test A 203.0.113.9")],
    ),
    (
        zone!("answers slow 5s"),
        &[("A z.test", "SERVFAIL"), ("A z.test at 203.0.113.3", "NOERROR aa z.test A 203.0.113.9")],
    ),
    (
        zone!("answers truncated"),
        &[
            ("A z.test", "NOERROR z.test A 203.0.113.9"),
            ("A z.test at 203.0.113.3", "NOERROR aa tc"),
            ("A z.test over tcp at 203.0.113.3", "NOERROR aa z.test A 203.0.113.9"),
        ],
    ),
    (
        zone!("answers rebind 10.0.0.9"),
        &[("A z.test", "NOERROR z.test A 203.0.113.9"), ("wait 30", ""), ("A z.test", "NOERROR z.test A 10.0.0.9")],
    ),
    (
        zone!("transfer open"),
        &[
            (
                "AXFR z.test over tcp at 203.0.113.3",
                "NOERROR aa z.test SOA ; z.test NS ns1.z.test; ns1.z.test A 203.0.113.3; z.test A 203.0.113.9; z.test \
                 SOA ",
            ),
            ("AXFR z.test over tcp at 203.0.113.2", "REFUSED"),
            ("AXFR w.z.test over tcp at 203.0.113.3", "REFUSED"),
        ],
    ),
    // What a zone below it delegates is not in it.
    (
        concat!(
            zone!("transfer open signed nsec"),
            "\nzone c.z.test of acme\n  ns ns1.z.test\nzone d.c.z.test of acme\n  ns ns1.z.test"
        ),
        &[(
            "AXFR z.test over tcp at 203.0.113.3",
            "NOERROR aa z.test SOA ; z.test NS ns1.z.test; ns1.z.test A 203.0.113.3; z.test A 203.0.113.9; \
                 c.z.test NS ns1.z.test; z.test SOA ",
        )],
    ),
    // Who makes up what proves that there is no name tells no other.
    (
        concat!(zone!("signed minimal"), "\nname *.w.z.test A 203.0.113.9"),
        &[
            ("NSEC z.test", "NOERROR z.test NSEC !.z.test"),
            ("NSEC none.z.test", "NXDOMAIN"),
            ("A none.z.test", "NXDOMAIN"),
            ("NSEC x.w.z.test", "NOERROR x.w.z.test NSEC !.x.w.z.test"),
        ],
    ),
    (
        concat!(zone!("signed compact"), "\nname *.w.z.test A 203.0.113.9"),
        &[
            ("NSEC z.test", "NOERROR z.test NSEC \0.z.test"),
            ("NSEC none.z.test", "NOERROR none.z.test NSEC \0.none.z.test"),
            ("A none.z.test", "NOERROR"),
            ("A none.z.test at 203.0.113.3", "NOERROR aa"),
            ("A x.w.z.test", "NOERROR x.w.z.test A 203.0.113.9"),
        ],
    ),
    (zone!("transfer open answers refused"), &[("AXFR z.test over tcp at 203.0.113.3", "REFUSED")]),
    // A name has its own behaviour, for everyone who asks.
    (
        "name {a,b,c,d,e,f}.acme.test A 203.0.113.9\nname a.acme.test answers servfail\nname b.acme.test answers \
         refused\nname c.acme.test answers silent\nname d.acme.test answers truncated\nname e.acme.test answers slow \
         2s\nname f.acme.test answers lame",
        &[
            ("A a.acme.test", "SERVFAIL"),
            ("A a.acme.test at 203.0.113.2", "SERVFAIL aa"),
            ("A b.acme.test", "REFUSED"),
            ("A c.acme.test", "silence"),
            ("A d.acme.test", "NOERROR tc"),
            ("A d.acme.test over tcp at 203.0.113.2", "NOERROR aa d.acme.test A 203.0.113.9"),
            ("A e.acme.test", "NOERROR e.acme.test A 203.0.113.9"),
            ("A f.acme.test", "SERVFAIL"),
            ("A ns1.acme.test", "NOERROR ns1.acme.test A 203.0.113.2"),
        ],
    ),
    // A server without an address leads somewhere by its name, or the delegation is dead.
    (
        "zone z.test of acme\n  ns ns.y.test\nzone y.test of acme\n  ns ns1.acme.test\nname ns.y.test A \
         203.0.113.4\nname z.test \
         A 203.0.113.9",
        &[
            ("A z.test", "NOERROR z.test A 203.0.113.9"),
            ("A z.test at 203.0.113.4", "NOERROR aa z.test A 203.0.113.9"),
            ("NS z.test", "NOERROR z.test NS ns.y.test"),
        ],
    ),
    ("zone z.test of acme\n  ns ns.nowhere.test\nname z.test A 203.0.113.9", &[("A z.test", "SERVFAIL")]),
    // A zone below another is handed over by it.
    (
        "zone sub.acme.test of out\n  ns ns1.sub.acme.test 198.51.100.3\nname a.sub.acme.test A 198.51.100.9",
        &[
            ("A a.sub.acme.test", "NOERROR a.sub.acme.test A 198.51.100.9"),
            ("A a.sub.acme.test at 198.51.100.3", "NOERROR aa a.sub.acme.test A 198.51.100.9"),
            ("A a.sub.acme.test at 203.0.113.2", "NOERROR"),
        ],
    ),
];

#[tokio::test]
async fn behaviours_of_zones_and_names() {
    assert_served(1, ANSWERS).await;
}

/// Two zones whose servers stand in each other, without an address given.
macro_rules! circle {
    ($($given:literal)?) => {
        concat!(
            "zone y.test of acme\n  ns ns.z.test\nzone z.test of acme\n  ns ns.y.test ", $($given,)? "\nname ns.y.test \
             A \
             203.0.113.4\nname ns.z.test A 203.0.113.5\nname y.test A 203.0.113.9"
        )
    };
}

const CIRCLES: &[Served] = &[
    (
        circle!(),
        &[
            ("A y.test", "SERVFAIL"),
            ("NS z.test", "SERVFAIL"),
            ("A ns.z.test", "SERVFAIL"),
            // Whoever knows where they are is answered.
            ("A y.test at 203.0.113.5", "NOERROR aa y.test A 203.0.113.9"),
        ],
    ),
    (
        circle!("203.0.113.4"),
        &[("A y.test", "NOERROR y.test A 203.0.113.9"), ("NS z.test", "NOERROR z.test NS ns.y.test")],
    ),
];

#[tokio::test]
async fn delegations_that_lead_to_each_other_lead_nowhere() {
    assert_served(1, CIRCLES).await;
}
