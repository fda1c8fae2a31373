//! What each statement makes the world serve (docs/worlds.md), over the wire: lines of a file, questions, answers.

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

const HOSTS: &[Served] = &[
    (
        "host 203.0.113.20\n  unlisted closed\n  port 1 silent\nhost 203.0.113.21\n  unlisted filtered\n  port 1 \
         closed\nhost \
         203.0.113.22\n  unlisted open\n  port 1 closed\n  port 2 filtered\n  udp 9 silent\nhost 203.0.113.23 \
         203.0.113.24\n  port \
         1 silent",
        &[
            ("knock 203.0.113.20:1", "open"),
            ("knock 203.0.113.20:2", "closed"),
            ("knock 203.0.113.21:1", "closed"),
            ("knock 203.0.113.21:2", "filtered"),
            ("knock 203.0.113.22:1", "closed"),
            ("knock 203.0.113.22:2", "filtered"),
            ("knock 203.0.113.22:3", "open"),
            ("say 203.0.113.22:3 hello", ""),
            ("knock 203.0.113.23:1", "open"),
            ("knock 203.0.113.24:1", "open"),
            ("knock 203.0.113.25:1", "filtered"),
            ("knock 192.0.2.1:1", "filtered"),
        ],
    ),
    (
        "host 203.0.113.20\n  latency 250ms\n  port 1 silent\n  ptr a.acme.test\nname a.acme.test A \
         203.0.113.20\nblock \
         2001:db8::/32 of acme\nhost 2001:db8::5\n  ptr b.acme.test\n  port 22 ssh",
        &[
            ("took knock 203.0.113.20:1", "open in 250"),
            ("PTR 20.113.0.203.in-addr.arpa", "NOERROR 20.113.0.203.in-addr.arpa PTR a.acme.test"),
            ("PTR 21.113.0.203.in-addr.arpa", "NXDOMAIN"),
            (
                "PTR 5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                "NOERROR 5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR b.acme.test",
            ),
            ("say [2001:db8::5]:22", "SSH-2.0-OpenSSH_10.0\\r\\n"),
        ],
    ),
    (
        "host 203.0.113.20\n  port 80 http\n  unknown-host 410 \"<p>Gone</p>\"\nhost 203.0.113.21\n  port 80 \
         http\n  unknown-host \
         close\nhost 203.0.113.22\n  unknown-host site http://w.acme.test\nname w.acme.test A 203.0.113.22\nsite \
         http://w.acme.test \"W\"\n  body \"here\"\nhost 203.0.113.23\n  port 80 http\n  port 443 https",
        &[
            ("GET http://any.test/ at 203.0.113.20 ? Server body", "410 | nginx | <p>Gone</p>"),
            ("GET http://any.test/ at 203.0.113.21", "unexpected end of file"),
            ("GET http://any.test/ at 203.0.113.22 ? has:here", "200 | yes"),
            ("GET http://any.test/ at 203.0.113.23 ? body", "404 | <h1>Not Found</h1>"),
            // Without any site it has no certificate to show.
            ("GET https://any.test/ at 203.0.113.23", "invalid data"),
        ],
    ),
];

#[tokio::test]
async fn hosts_and_their_ports() {
    assert_served(1, HOSTS).await;
}

/// A host with one port.
macro_rules! port {
    ($service:literal) => {
        concat!("host 203.0.113.20\n  port 7 ", $service)
    };
}

const SERVICES: &[Served] = &[
    (port!("ssh"), &[("say 203.0.113.20:7", "SSH-2.0-OpenSSH_10.0\\r\\n")]),
    (port!("ssh \"dropbear 2022\""), &[("say 203.0.113.20:7", "SSH-2.0-dropbear 2022\\r\\n")]),
    (
        port!("ftp anonymous"),
        &[
            (
                "say 203.0.113.20:7 PWD\r\nUSER ftp\r\nPASS x\r\nPWD\r\nSYST\r\nAUTH TLS\r\nQUIT\r\nPWD\r\n",
                "220 FTP server ready\\r\\n530 Please login with USER and PASS.\\r\\n331 Please specify the \
                 password.\\r\\n230 Login successful.\\r\\n257 \\\"/\\\" is the current directory\\r\\n215 UNIX Type: \
                 L8\\r\\n502 Not \
                 here.\\r\\n221 Goodbye.\\r\\n",
            ),
            // Anonymous lets in nobody who has a name.
            (
                "say 203.0.113.20:7 USER root\r\nPASS x\r\nPWD\r\n",
                "220 FTP server ready\\r\\n331 Password required.\\r\\n530 Login incorrect.\\r\\n530 Please login \
                 with USER and \
                 PASS.\\r\\n",
            ),
        ],
    ),
    (
        port!("ftp \"F\" login"),
        &[(
            "say 203.0.113.20:7 USER anonymous\r\nPASS x\r\nFEAT\r\n",
            "220 F\\r\\n331 Password required.\\r\\n530 Login incorrect.\\r\\n211-Features:\\r\\n UTF8\\r\\n211 \
             End\\r\\n",
        )],
    ),
    (
        port!("smtp \"m.acme.test ESMTP\""),
        &[
            (
                "say 203.0.113.20:7 EHLO x\r\nSTARTTLS\r\nNOOP\r\nQUIT\r\nNOOP\r\n",
                "220 m.acme.test ESMTP\\r\\n250-m.acme.test\\r\\n250-PIPELINING\\r\\n250-SIZE 10240000\\r\\n250 \
                 8BITMIME\\r\\n502 \
                 5.5.2 Error: command not recognized\\r\\n250 2.0.0 Ok\\r\\n221 2.0.0 Bye\\r\\n",
            ),
            // Nobody is sent to what is not offered.
            (
                "say 203.0.113.20:7 MAIL FROM:<a@x.test>\r\n",
                "220 m.acme.test ESMTP\\r\\n530 5.7.0 Authentication required\\r\\n",
            ),
        ],
    ),
    (
        port!("smtp \"m.acme.test ESMTP\" starttls names m.acme.test"),
        &[(
            "say 203.0.113.20:7 EHLO x\r\nMAIL FROM:<a@x.test>\r\nSTARTTLS\r\n",
            "220 m.acme.test ESMTP\\r\\n250-m.acme.test\\r\\n250-PIPELINING\\r\\n250-SIZE \
                 10240000\\r\\n250-STARTTLS\\r\\n250 8BITMIME\\r\\n530 5.7.0 Must issue a STARTTLS command \
                 first\\r\\n220 2.0.0 Ready \
                 to start TLS\\r\\n",
        )],
    ),
    (
        port!("imap"),
        &[(
            "say 203.0.113.20:7 a CAPABILITY\r\nb LOGIN x y\r\nc LOGOUT\r\nd NOOP\r\n",
            "* OK IMAP4rev1 ready\\r\\n* CAPABILITY IMAP4rev1 LOGINDISABLED\\r\\na OK done\\r\\nb BAD not here\\r\\n* \
             BYE\\r\\nc OK \
             done\\r\\n",
        )],
    ),
    (
        port!("pop3 \"P\""),
        &[(
            "say 203.0.113.20:7 capa\r\nUSER x\r\nQUIT\r\nUSER x\r\n",
            "+OK P\\r\\n+OK\\r\\nUSER\\r\\nUIDL\\r\\n.\\r\\n-ERR not here\\r\\n+OK bye\\r\\n",
        )],
    ),
    (
        port!("redis open"),
        &[(
            "say 203.0.113.20:7 DBSIZE\r\nINFO server\r\nFLUSHALL\r\nQUIT\r\nPING\r\n",
            ":42\\r\\n$93\\r\\n# Server\\r\\nredis_version:7.0.15\\r\\nredis_mode:standalone\\r\\nos:Linux 6.1.0 \
             x86_64\\r\\ntcp_port:6379\\r\\n\\r\\n-ERR unknown command \\'FLUSHALL\\'\\r\\n+OK\\r\\n",
        )],
    ),
    (
        port!("redis password"),
        &[(
            "say 203.0.113.20:7 PING\r\nGET x\r\n",
            "-NOAUTH Authentication required.\\r\\n-NOAUTH Authentication required.\\r\\n",
        )],
    ),
    (port!("telnet \"login: \""), &[("say 203.0.113.20:7", "\\xff\\xfd\\x18\\xff\\xfd \\xff\\xfb\\x01login: ")]),
    (port!("mysql \"5.7.1\""), &[("say 203.0.113.20:7", "I\\x00\\x00\\x00\\n5.7.1\\x00…")]),
    (
        port!("postgres"),
        &[
            (
                "say 203.0.113.20:7 \0\0\0\x08\0\x03\0\0",
                "R\\x00\\x00\\x00\\x17\\x00\\x00\\x00\\nSCRAM-SHA-256\\x00\\x00",
            ),
            (
                "say 203.0.113.20:7 \0\0\0\x08\0\x02\0\0",
                "E\\x00\\x00\\x009SFATAL\\x00VFATAL\\x00C0A000\\x00Munsupported frontend protocol\\x00\\x00",
            ),
            (
                "say 203.0.113.20:7 GET / HTTP/1.0\r\n\r\n",
                "E\\x00\\x00\\x00<SFATAL\\x00VFATAL\\x00C0A000\\x00Minvalid length of startup packet\\x00\\x00",
            ),
        ],
    ),
    (port!("rdp"), &[("say 203.0.113.20:7 GET / HTTP/1.0\r\n\r\n", "")]),
    (port!("smb"), &[("say 203.0.113.20:7 \0\0\0\x04none", "")]),
    (port!("vnc"), &[("say 203.0.113.20:7", "RFB 003.008\\n")]),
    (port!("banner \"hello\\r\\n\\0\""), &[("say 203.0.113.20:7 x", "hello\\r\\n\\x00")]),
    (port!("silent"), &[("say 203.0.113.20:7 x", ""), ("knock 203.0.113.20:7", "open")]),
    (port!("tarpit"), &[("say 203.0.113.20:7 x", "xxxxxx")]),
    (port!("filtered"), &[("knock 203.0.113.20:7", "filtered")]),
    (port!("closed"), &[("knock 203.0.113.20:7", "closed")]),
    (port!("hostile reset-at-once"), &[("say 203.0.113.20:7 x", "connection reset")]),
    (port!("imap tls names m.acme.test"), &[("say 203.0.113.20:7 a NOOP\r\n", "")]),
    (port!("mongodb open"), &[("say 203.0.113.20:7 GET / HTTP/1.0\r\n\r\n", "")]),
];

#[tokio::test]
async fn services() {
    assert_served(1, SERVICES).await;
}

/// A host with one port of UDP.
macro_rules! udp {
    ($service:literal) => {
        concat!("host 203.0.113.20\n  udp 7 ", $service)
    };
}

/// Each answers a question of its protocol, and nothing that is none.
const DATAGRAMS: &[Served] = &[
    (
        udp!("coap"),
        &[
            ("send 203.0.113.20:7 40001234", "70001234"),
            ("send 203.0.113.20:7 4001123400", "silence"),
            ("send 203.0.113.20:7 400012", "silence"),
        ],
    ),
    (
        udp!("ntp"),
        &[
            (
                "send 203.0.113.20:7 \
                 230000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060708",
                "240200000000000000000000000000000000000000000000010203040506070800000000000000000000000000000000",
            ),
            ("send 203.0.113.20:7 23", "silence"),
        ],
    ),
    (
        udp!("memcached"),
        &[
            (
                "send 203.0.113.20:7 123400000001000076657273696f6e0d0a",
                "123400000001000056455253494f4e20312e362e32310d0a",
            ),
            ("send 203.0.113.20:7 123400000001000073746174730d0a", "silence"),
            ("send 203.0.113.20:7 12", "silence"),
        ],
    ),
    (
        udp!("stun"),
        &[
            (
                "send 203.0.113.20:7 000100002112a4420102030405060708090a0b0c",
                "010100002112a4420102030405060708090a0b0c",
            ),
            ("send 203.0.113.20:7 000100002112a442", "silence"),
        ],
    ),
    (
        udp!("tftp"),
        &[
            ("send 203.0.113.20:7 000161006f6374657400", "0005000146696c65206e6f7420666f756e6400"),
            ("send 203.0.113.20:7 000161006e6f6e6500", "silence"),
            ("send 203.0.113.20:7 000261006f6374657400", "silence"),
        ],
    ),
    (
        udp!("sip \"PBX 1\""),
        &[
            // OPTIONS sip:a SIP/2.0, Via: x, Max-Forwards: 70
            (
                "send 203.0.113.20:7 \
                 4f5054494f4e53207369703a61205349502f322e300d0a5669613a20780d0a4d61782d466f7277617264733a2037300d0a0d0a",
                "5349502f322e3020323030204f4b0d0a5669613a20780d0a5365727665723a2050425820310d0a436f6e74656e742d4c656e6774683a20300d0a0d0a",
            ),
            ("send 203.0.113.20:7 494e56495445", "silence"),
        ],
    ),
    (
        udp!("ssdp"),
        &[
            ("send 203.0.113.20:7 4d2d534541524348202a20485454502f312e310d0a", "485454502f312e3120323030204f4b…"),
            ("send 203.0.113.20:7 4e4f54494659", "silence"),
        ],
    ),
    (
        udp!("snmp secret"),
        &[
            // `sysDescr.0` is asked by version 2c with another community, and with the right one.
            (
                "send 203.0.113.20:7 \
                 302902010104067075626c6963a01c020412345678020100020100300e300c06082b060102010101000500",
                "silence",
            ),
            (
                "send 203.0.113.20:7 \
                 30290201010406736563726574a01c020412345678020100020100300e300c06082b060102010101000500",
                "30370201010406736563726574a22a020412345678020100020100301c301a06082b06010201010100040e526f75746572204f5320372e3134",
            ),
            ("send 203.0.113.20:7 00", "silence"),
        ],
    ),
    (udp!("silent"), &[("send 203.0.113.20:7 00", "silence")]),
    (udp!("quic"), &[("send 203.0.113.20:7 c0", "silence")]),
    (
        udp!("ike"),
        &[
            // Main mode with one proposal, which is refused; aggressive mode is no question.
            (
                "send 203.0.113.20:7 0102030405060708000000000000000001100200000000000000001c",
                "01020304050607087777777777777777…",
            ),
            ("send 203.0.113.20:7 0102030405060708000000000000000001100400000000000000001c", "silence"),
            ("send 203.0.113.20:7 00", "silence"),
        ],
    ),
    (
        udp!("mdns"),
        &[
            (
                "send 203.0.113.20:7 \
                 123400000001000000000000095f7365727669636573075f646e732d7364045f756470056c6f63616c00000c0001",
                "123484000001000100000000095f7365727669636573…",
            ),
            ("send 203.0.113.20:7 12340000000100000000000004686f6d65056c6f63616c00000c0001", "silence"),
        ],
    ),
    (
        udp!("netbios"),
        &[
            (
                "send 203.0.113.20:7 \
                 12340000000100000000000020434b4141414141414141414141414141414141414141414141414141414141410000210001",
                "123484000000000100000000…",
            ),
            ("send 203.0.113.20:7 1234", "silence"),
        ],
    ),
];

#[tokio::test]
async fn services_over_udp() {
    assert_served(1, DATAGRAMS).await;
}

/// A site at a name of ours, and its words.
macro_rules! site {
    ($scheme:literal, $words:literal) => {
        concat!("name w.acme.test A 203.0.113.10\nsite ", $scheme, "://w.acme.test \"W & W\"\n  ", $words)
    };
}

const SITES: &[Served] = &[
    (
        site!("http", ""),
        &[
            (
                "GET http://w.acme.test/ ? Server Content-Type X-Frame-Options Set-Cookie",
                "200 | nginx | text/html; charset=utf-8 | DENY | -",
            ),
            ("GET http://w.acme.test/ ? has:<title>W &amp; W</title>", "200 | yes"),
            ("GET http://w.acme.test/none ? has:Not Found", "404 | yes"),
            ("HEAD http://w.acme.test/ ? Content-Length body", "200 | 157 | "),
            ("OPTIONS http://w.acme.test/ ? Allow", "200 | GET, HEAD, POST, OPTIONS"),
            ("knock 203.0.113.10:443", "closed"),
        ],
    ),
    (site!("http", "server Apache/2.4.1"), &[("GET http://w.acme.test/ ? Server", "200 | Apache/2.4.1")]),
    (site!("http", "server none"), &[("GET http://w.acme.test/ ? Server", "200 | -")]),
    (site!("http", "status 503"), &[("GET http://w.acme.test/", "503"), ("GET http://w.acme.test/x", "404")]),
    (
        site!("http", "header X-A \"1\" header X-A \"2\\r\\nX-B: 3\""),
        &[("GET http://w.acme.test/x ? X-A X-B", "404 | 1, 2X-B: 3 | -")],
    ),
    (site!("http", "bare"), &[("GET http://w.acme.test/ ? X-Frame-Options Content-Security-Policy", "200 | - | -")]),
    (
        site!("https", "plain none"),
        &[
            ("GET https://w.acme.test/ ? Strict-Transport-Security", "200 | max-age=31536000; includeSubDomains"),
            ("knock 203.0.113.10:80", "closed"),
        ],
    ),
    (
        site!("https", "plain same"),
        &[
            ("GET http://w.acme.test/ ? Strict-Transport-Security has:W &amp; W", "200 | - | yes"),
            ("GET https://w.acme.test/ ? has:W &amp; W", "200 | yes"),
        ],
    ),
    (
        site!("https", "plain redirect"),
        &[("GET http://w.acme.test/a?b=c ? Location", "301 | https://w.acme.test/a?b=c")],
    ),
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test:8443 \"W\"\nsite http://w.acme.test:8080 \"P\"",
        &[
            ("GET https://w.acme.test:8443/", "200"),
            ("GET http://w.acme.test:8080/", "200"),
            ("knock 203.0.113.10:80", "closed"),
            ("knock 203.0.113.10:443", "closed"),
        ],
    ),
    (
        "site http://w.acme.test \"W\"\n  at 203.0.113.10 203.0.113.11\nsite http://203.0.113.12 \"N\"",
        &[
            ("A w.acme.test", "NXDOMAIN"),
            ("GET http://w.acme.test/ at 203.0.113.10", "200"),
            ("GET http://w.acme.test/ at 203.0.113.11", "200"),
            ("GET http://203.0.113.12/", "200"),
            ("GET http://w.acme.test/ at 203.0.113.12", "404"),
        ],
    ),
    (
        site!("https", "cookie sid careful cookie lang careless"),
        &[("GET https://w.acme.test/ ? Set-Cookie", "200 | sid=…")],
    ),
    (
        site!("http", "login"),
        &[("GET http://w.acme.test/ ? has:type=\"password\"", "200 | yes"), ("GET http://w.acme.test/login", "200")],
    ),
    (
        site!("https", "guarded ann pa55 page /in \"inside\""),
        &[
            ("GET https://w.acme.test/in ? has:inside", "200 | no"),
            ("GET https://w.acme.test/in ? has:type=\"password\"", "200 | yes"),
            ("GET https://w.acme.test/in with \"Authorization: Bearer pa55\" ? body", "200 | inside"),
            ("GET https://w.acme.test/in with \"Authorization: Bearer other\" ? has:inside", "200 | no"),
            ("POST https://w.acme.test/login and \"user=ann&password=no\" ? Set-Cookie", "200 | -"),
            ("POST https://w.acme.test/login and \"user=ann&password=pa55\" ? Location", "302 | /"),
            ("GET https://w.acme.test/in with \"Cookie: session=x\" ? has:inside", "200 | no"),
        ],
    ),
    (
        site!("http", "basic \"Staff \\\"only\\\"\" page /in \"inside\""),
        &[("GET http://w.acme.test/in ? WWW-Authenticate has:inside", "401 | Basic realm=\"Staff only\" | no")],
    ),
    (
        site!("http", "favicon acme"),
        &[
            ("GET http://w.acme.test/favicon.ico ? Content-Type Content-Length", "200 | image/gif | 35"),
            ("GET http://w.acme.test/ ? has:rel=\"icon\"", "200 | yes"),
        ],
    ),
    (site!("http", ""), &[("GET http://w.acme.test/favicon.ico", "404")]),
    (
        site!(
            "http",
            "page /a \"A\" page /b 403 text/plain \"B\" page /c?d \"with\" page /c \"without\" page /e \"f/g\" page \
             /h \"404\""
        ),
        &[
            ("GET http://w.acme.test/a ? Content-Type body", "200 | text/html; charset=utf-8 | A"),
            ("GET http://w.acme.test/b ? Content-Type body", "403 | text/plain | B"),
            ("GET http://w.acme.test/c?d=1 ? body", "200 | with"),
            ("GET http://w.acme.test/c?e=1 ? body", "200 | without"),
            ("GET http://w.acme.test/c ? body", "200 | without"),
            ("GET http://w.acme.test/e ? Content-Type body", "200 | text/html; charset=utf-8 | f/g"),
            ("GET http://w.acme.test/h ? body", "200 | 404"),
        ],
    ),
    (
        site!("http", "robots \"Disallow: /x\""),
        &[(
            "GET http://w.acme.test/robots.txt ? Content-Type body",
            "200 | text/plain; charset=utf-8 | User-agent: *\nDisallow: /x",
        )],
    ),
    (
        site!("http", "links https://a.test/ /b"),
        &[
            ("GET http://w.acme.test/ ? has:<a href=\"https://a.test/\">", "200 | yes"),
            ("GET http://w.acme.test/ ? has:<a href=\"/b\">", "200 | yes"),
        ],
    ),
    (
        site!("http", "loads //c.test/a.js"),
        &[("GET http://w.acme.test/ ? has:<script src=\"//c.test/a.js\">", "200 | yes")],
    ),
    (
        site!("http", "redirect https://o.test/ page /stay \"here\" exposes git"),
        &[
            ("GET http://w.acme.test/ ? Location", "301 | https://o.test/"),
            ("GET http://w.acme.test/any ? Location", "301 | https://o.test/"),
            ("GET http://w.acme.test/stay ? body", "200 | here"),
            ("GET http://w.acme.test/.git/HEAD ? body", "200 | ref: refs/heads/main"),
        ],
    ),
    (site!("http", "redirect /x 307"), &[("GET http://w.acme.test/ ? Location", "307 | /x")]),
    (
        site!("http", "leads /go?to"),
        &[
            ("GET http://w.acme.test/go?to=https%3A%2F%2Fo.test%2F ? Location", "302 | https://o.test/"),
            ("GET http://w.acme.test/go?at=x", "404"),
            ("GET http://w.acme.test/go", "404"),
        ],
    ),
    (site!("http", "soft-404"), &[("GET http://w.acme.test/any ? has:W &amp; W", "200 | yes")]),
    (
        site!("http", "body \"<b>x</b>\" generator \"G 1\" nonce"),
        &[
            ("GET http://w.acme.test/ ? has:<b>x</b>", "200 | yes"),
            ("GET http://w.acme.test/ ? has:content=\"G 1\"", "200 | yes"),
            ("GET http://w.acme.test/ ? has:csrf_token", "200 | yes"),
        ],
    ),
    (
        site!("http", "compress"),
        &[
            ("GET http://w.acme.test/ with \"Accept-Encoding: gzip\" ? Content-Encoding", "200 | gzip"),
            ("GET http://w.acme.test/ ? Content-Encoding", "200 | -"),
        ],
    ),
    (
        site!("http", "exposes git twin env"),
        &[
            ("GET http://w.acme.test/.git/config ? has:git@git.w.acme.test", "200 | yes"),
            ("GET http://w.acme.test/.env ? has:<!doctype html>", "200 | yes"),
            ("GET http://w.acme.test/.svn/entries", "404"),
        ],
    ),
    (
        concat!(
            "repository https://git.test/acme/app of acme commit -5d One writes a.txt x\n",
            site!("http", "checkout https://git.test/acme/app page /.git/objects/gone 410 \"\"")
        ),
        &[
            ("GET http://w.acme.test/.git/HEAD ? body", "200 | ref: refs/heads/main"),
            ("GET http://w.acme.test/.git/config ? has:url = https://git.test/acme/app.git", "200 | yes"),
            ("GET http://w.acme.test/.git/index ? has:a.txt", "200 | yes"),
            // `printf x | git hash-object --stdin`
            ("GET http://w.acme.test/.git/objects/c1/b0730e0133447badcfd47fd144e254807b06e1", "200"),
            ("GET http://w.acme.test/.git/objects/c1/b0730e0133447badcfd47fd144e254807b06e0", "404"),
            ("GET http://w.acme.test/.git/objects/gone", "410"),
            ("GET http://w.acme.test/.git/objects/info/packs", "404"),
        ],
    ),
    (
        concat!(
            "repository https://git.test/acme/app of acme commit -5d One writes a.txt x\n",
            site!("http", "checkout https://git.test/acme/app packed")
        ),
        &[
            ("GET http://w.acme.test/.git/packed-refs ? has: refs/heads/main", "200 | yes"),
            ("GET http://w.acme.test/.git/objects/info/packs ? has:P pack-", "200 | yes"),
            ("GET http://w.acme.test/.git/refs/heads/main", "404"),
        ],
    ),
    (site!("http", "fresh tomcat"), &[("GET http://w.acme.test/ ? has:id=\"congrats\"", "200 | yes")]),
    (site!("http", "explains tomcat"), &[("GET http://w.acme.test/ ? has:id=\"congrats\"", "200 | no")]),
    (
        "name {v,w}.acme.test A 203.0.113.10\nsite http://v.acme.test \"V\"\nsite http://w.acme.test \
         \"W\"\n  default\n  body \"mine\"",
        &[
            ("GET http://v.acme.test/ ? has:mine", "200 | no"),
            ("GET http://other.test/ at 203.0.113.10 ? has:mine", "200 | yes"),
        ],
    ),
    (
        site!("http", "hostile not-http"),
        &[("say 203.0.113.10:80 GET / HTTP/1.1\r\nHost: w.acme.test\r\n\r\n", "HTTP/9.9…")],
    ),
];

/// Names as people spell them are one name, and connections serve more than one request.
const SPELLED: &[Served] = &[
    (
        "name WWW.Acme.Test. A 203.0.113.10\nsite HTTP://www.ACME.test:80/ \"W\"\n  body \"here\"",
        &[
            ("A www.acme.test", "NOERROR www.acme.test A 203.0.113.10"),
            ("GET http://WwW.acme.test/ at 203.0.113.10 ? has:here", "200 | yes"),
            ("GET http://www.acme.test./ at 203.0.113.10 ? has:here", "200 | yes"),
            ("GET http://www.acme.test:80/ at 203.0.113.10 ? has:here", "200 | yes"),
        ],
    ),
    (
        "name {01..03}.acme.test A 203.0.113.{8,9..10} # a comment\n\n\n# another",
        &[
            ("A 01.acme.test", "NOERROR 01.acme.test A 203.0.113.8"),
            ("A 03.acme.test", "NOERROR 03.acme.test A 203.0.113.10"),
            ("A 1.acme.test", "NXDOMAIN"),
        ],
    ),
];

#[tokio::test]
async fn spellings() {
    assert_served(1, SPELLED).await;
}

#[tokio::test]
async fn sites() {
    assert_served(1, SITES).await;
}

/// What servers say to requests that are none.
#[tokio::test]
async fn requests_that_are_none() {
    assert_served(
        1,
        &[(
            site!("http", ""),
            &[
                ("say 203.0.113.10:80 GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request…"),
                ("say 203.0.113.10:80 GET / HTTP/2.0\r\nHost: w.acme.test\r\n\r\n", "HTTP/1.1 400 Bad Request…"),
                ("say 203.0.113.10:80 GET\r\n\r\n", "HTTP/1.1 400 Bad Request…"),
                (
                    "say 203.0.113.10:80 GET w.acme.test HTTP/1.1\r\nHost: w.acme.test\r\n\r\n",
                    "HTTP/1.1 400 Bad \
                    Request…",
                ),
                ("say 203.0.113.10:80 \u{1}", "HTTP/1.1 400 Bad Request…"),
                (
                    "say 203.0.113.10:80 POST / HTTP/1.1\r\nHost: w.acme.test\r\nContent-Length: \
                  1048577\r\n\r\n",
                    "HTTP/1.1 400 Bad Request…",
                ),
                (
                    "say 203.0.113.10:80 GET http://w.acme.test/x HTTP/1.1\r\nHost: o.test\r\nConnection: \
                  close\r\n\r\n",
                    "HTTP/1.1 404 Not Found\\r\\nDate: …",
                ),
                ("say 203.0.113.10:80 GET / HTTP/1.0\r\nHost: w.acme.test\r\n\r\n", "HTTP/1.1 200 OK…"),
                ("say 203.0.113.10:80 GE", ""),
                // Two requests on one connection have two answers, the second with another status.
                (
                    "say 203.0.113.10:80 HEAD /a HTTP/1.1\r\nHost: w.acme.test\r\n\r\nGET / HTTP/1.1\r\nConnection: \
                     close\r\n\r\n",
                    "HTTP/1.1 404 Not Found\\r\\nDate: Tue, 01 Jul 2025 00:01:00 GMT\\r\\n…",
                ),
            ],
        )],
    )
    .await;
}

/// A site with a certificate.
macro_rules! cert {
    ($words:literal) => {
        concat!("name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  cert ", $words)
    };
}

const CERTIFICATES: &[Served] = &[
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test",
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
        )],
    ),
    (
        cert!("cn \"My Name\" org Acme names w.acme.test *.acme.test"),
        &[(
            "certificate https://w.acme.test",
            "O=Acme, CN=My Name | w.acme.test *.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
        )],
    ),
    (
        cert!("starts -5d ends 2025-12-31"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -5..183 | ed25519 | 2 trusted",
        )],
    ),
    (
        cert!("expired 5d"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -370..-5 | ed25519 | 2",
        )],
    ),
    (
        cert!("expires 20d"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -70..20 | ed25519 | 2 trusted",
        )],
    ),
    (
        cert!("expires 100d"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -1..100 | ed25519 | 2 trusted",
        )],
    ),
    (
        cert!("not-yet 5d"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | 5..370 | ed25519 | 2",
        )],
    ),
    (
        cert!("self-signed"),
        &[("certificate https://w.acme.test", "CN=w.acme.test | w.acme.test | w.acme.test | -40..320 | ed25519 | 1")],
    ),
    (
        cert!("untrusted"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Nowhere Private CA | -40..320 | ed25519 | 2",
        )],
    ),
    (
        cert!("no-chain"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 1",
        )],
    ),
    (
        cert!("key rsa"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | rsa 2048 | 2 trusted",
        )],
    ),
    (
        cert!("key weak"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | rsa 1024 | 2 trusted",
        )],
    ),
    (
        cert!("sha1"),
        &[(
            "certificate https://w.acme.test",
            "CN=w.acme.test | w.acme.test | Simulated Legacy CA | -40..320 | ed25519 sha1 | 2",
        )],
    ),
    (
        "cert shared names a.acme.test b.acme.test\nname {a,b}.acme.test A 203.0.113.10\nsite \
         https://{a,b}.acme.test\n  cert \
         @shared",
        &[
            (
                "certificate https://a.acme.test",
                "CN=a.acme.test | a.acme.test b.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
            ),
            (
                "certificate https://b.acme.test",
                "CN=a.acme.test | a.acme.test b.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
            ),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  tls 1.2",
        &[("certificate https://w.acme.test", "CN=w.acme.test…")],
    ),
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  tls also-old",
        &[("certificate https://w.acme.test", "CN=w.acme.test…")],
    ),
    // What is logged is told by the log; what is not, or was never to be, is not.
    (
        "cert a names a.acme.test\ncert b unlogged names b.acme.test\ncert c self-signed names c.acme.test\ncert d \
         not-yet 5d names \
         d.acme.test",
        &[
            ("GET https://crt.sh/?q=acme.test&output=json ? has:a.acme.test", "200 | yes"),
            ("GET https://crt.sh/?q=acme.test&output=json ? has:b.acme.test", "200 | no"),
            ("GET https://crt.sh/?q=acme.test&output=json ? has:c.acme.test", "200 | no"),
            ("GET https://crt.sh/?q=acme.test&output=json ? has:d.acme.test", "200 | no"),
            ("GET https://crt.sh/?q=other.test&output=json ? body", "200 | []"),
            (
                "GET https://crt.sh/?identity=%25.acme.test ? Content-Type has:<TD>a.acme.test</TD>",
                "200 | text/html; charset=utf-8 | yes",
            ),
            ("GET https://crt.sh/?d=1", "404"),
            ("GET https://crt.sh/ ? has:Certificate Search", "200 | yes"),
        ],
    ),
];

#[tokio::test]
async fn certificates() {
    assert_served(1, CERTIFICATES).await;
}

const REGISTRIES: &[Served] = &[
    (
        "org mail \"Mail Ltd\" vendor email post@mail.test\nblock 192.0.2.0/24 of mail asn AS64511 named MAIL-NET \
         country DE \
         allocated 2019-03-01\nblock 192.0.2.128/25 of acme named INNER",
        &[
            (
                "GET https://rdap.org/ip/192.0.2.7 ? Content-Type has:\"name\":\"MAIL-NET\"",
                "200 | application/rdap+json | yes",
            ),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:\"country\":\"DE\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:post@mail.test", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:\"eventDate\":\"2019-03-01T00:00:00", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.0/24 ? has:\"endAddress\":\"192.0.2.255\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.200 ? has:\"name\":\"INNER\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.200 ? has:\"country\":\"NL\"", "200 | yes"),
            ("GET https://rdap.org/ip/100.64.0.1", "404"),
            ("GET https://rdap.org/ip/x", "404"),
            ("GET https://rdap.org/autnum/64511 ? has:\"name\":\"MAIL-NET\"", "200 | yes"),
            ("GET https://rdap.org/autnum/1", "404"),
            ("GET https://rdap.org/nothing/1", "404"),
            ("GET https://rdap.org/help ? has:rdap_level_0", "200 | yes"),
            (
                "TXT 7.2.0.192.origin.asn.cymru.com",
                "NOERROR 7.2.0.192.origin.asn.cymru.com TXT 64511 | 192.0.2.0/24 | DE | ripencc | 2019-03-01",
            ),
            ("TXT 1.0.64.100.origin.asn.cymru.com", "NXDOMAIN"),
            (
                "GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=AS64511 ? \
                 has:\"prefix\":\"192.0.2.0/24\"",
                "200 | yes",
            ),
            (
                "GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=AS1 ? has:\"prefixes\":[]",
                "200 | yes",
            ),
            ("GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=x", "400"),
            ("GET https://stat.ripe.net/data/other.json?resource=AS64511", "400"),
            (
                "say 198.19.0.15:43 192.0.2.7\r\n",
                "inetnum:        192.0.2.0 - 192.0.2.255\\r\\nnetname:        MAIL-NET\\r\\ndescr:          Mail \
                 Ltd\\r\\ncountry:        DE\\r\\norigin:         AS64511\\r\\ncreated:        2019-03-01T00:00:00…",
            ),
            ("GET https://rdap.db.ripe.net/entities?fn=mail* ? has:ORG-MAIL", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entities?fn=Mail+Ltd ? has:ORG-MAIL", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entities?fn=Mail ? has:ORG-MAIL", "200 | no"),
            ("GET https://rdap.arin.net/registry/entities?fn=mail* ? has:ORG-MAIL", "200 | no"),
            ("GET https://rdap.db.ripe.net/entity/ORG-MAIL ? has:192.0.2.0", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entity/ORG-NONE", "404"),
        ],
    ),
    (
        "zone b.test of out\n  ns ns1.acme.test\n  registrar \"Names Ltd\" registered 2015-05-05 expires +20d\nzone \
         r.test of out\n  \
         ns ns1.acme.test\n  redacted",
        &[
            ("GET https://rdap.org/domain/b.test ? has:Names Ltd", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:2015-05-05T00:00:00", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:2025-07-21T00:00:00", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:\"Out\"", "200 | yes"),
            ("GET https://rdap.org/domain/r.test ? has:\"Out\"", "200 | no"),
            ("GET https://rdap.org/domain/r.test ? has:REDACTED FOR PRIVACY", "200 | yes"),
            ("GET https://rdap.org/domain/www.b.test", "404"),
            (
                "say 198.19.0.15:43 b.test\r\n",
                "Domain Name: b.test\\r\\nRegistrar: Names Ltd\\r\\nRegistrar WHOIS Server: \
                 whois.registrar.example\\r\\nCreation Date: 2015-05-05T00:00:00…",
            ),
            ("say 198.19.0.15:43 none.test\r\n", "No match for \\\"none.test\\\".\\r\\n"),
            (
                "say 198.19.0.13:43 b.test\r\n",
                "% IANA WHOIS server\\r\\n\\r\\nrefer:        whois.rdap-registry.example\\r\\n…",
            ),
            ("GET https://data.iana.org/rdap/dns.json ? has:\"test\"", "200 | yes"),
            ("GET https://data.iana.org/rdap/asn.json ? has:https://rdap-registry.example/", "200 | yes"),
            ("GET https://data.iana.org/rdap/none.json", "404"),
        ],
    ),
    (
        "name {a,b}.acme.test A 203.0.113.{5,6}\nname a.acme.test archived\nname old.acme.test archived",
        &[
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"a.acme.test\"", "200 | yes"),
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"old.acme.test\"", "200 | yes"),
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"b.acme.test\"", "200 | no"),
            ("GET https://jonlu.ca/anubis/subdomains/other.test ? has:acme", "200 | no"),
            ("GET https://jonlu.ca/none", "404"),
            ("GET https://osint.bevigil.com/api/acme.test/subdomains/", "401"),
            (
                "GET https://osint.bevigil.com/api/acme.test/subdomains/ with \"X-Access-Token: any\" ? \
                 has:a.acme.test",
                "200 | yes",
            ),
            ("A old.acme.test", "NOERROR"),
        ],
    ),
];

#[tokio::test]
async fn registries_and_sources() {
    assert_served(1, REGISTRIES).await;
}

const STORAGE: &[Served] = &[(
    "bucket s3 files of acme listed keys a.txt \"b&c\"\nbucket s3 shut of acme keys a.txt\nbucket s3 part of acme \
     open keys \
     a.txt\nbucket gcs files of acme listed keys g.txt\nbucket azure acc/box of acme listed keys z.txt\nbucket azure \
     acc/part of acme \
     open keys z.txt\nbucket azure acc/shut of acme keys z.txt",
    &[
        ("GET https://files.s3.amazonaws.com/ ? Server has:<Key>b&amp;c</Key>", "200 | AmazonS3 | yes"),
        ("GET https://files.s3.amazonaws.com/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://files.s3.amazonaws.com/none ? has:NoSuchKey", "404 | yes"),
        ("GET https://s3.amazonaws.com/files ? has:<Key>a.txt</Key>", "200 | yes"),
        ("GET https://s3.amazonaws.com/files/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://shut.s3.amazonaws.com/ ? has:AccessDenied", "403 | yes"),
        ("GET https://shut.s3.amazonaws.com/a.txt ? has:AccessDenied", "403 | yes"),
        ("GET https://part.s3.amazonaws.com/ ? has:AccessDenied", "403 | yes"),
        ("GET https://part.s3.amazonaws.com/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://part.s3.amazonaws.com/none ? has:AccessDenied", "403 | yes"),
        ("GET https://none.s3.amazonaws.com/ ? has:<BucketName>none</BucketName>", "404 | yes"),
        ("GET https://storage.googleapis.com/files ? Server has:<Key>g.txt</Key>", "200 | UploadServer | yes"),
        ("GET https://files.storage.googleapis.com/g.txt ? body", "200 | planted file g.txt"),
        ("GET https://storage.googleapis.com/shut ? has:NoSuchBucket", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/box?restype=container&comp=list ? has:<Name>z.txt</Name>", "200 | yes"),
        ("GET https://acc.blob.core.windows.net/box ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/part?comp=list ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/part/z.txt ? body", "200 | planted file z.txt"),
        ("GET https://acc.blob.core.windows.net/shut/z.txt ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/none?comp=list ? has:ContainerNotFound", "404 | yes"),
    ],
)];

#[tokio::test]
async fn buckets() {
    assert_served(1, STORAGE).await;
}

const INTERFACES: &[Served] = &[
    (
        "account hetzner M of acme shown \"Bearer t0ken\"\n  answers api.hetzner.cloud when /v1/servers when page=2 \
         json \"['two']\"\n  \
         answers api.hetzner.cloud when /v1/servers json \"['one']\"\n  answers api.hetzner.cloud when /v1/busy \
         status 429 json \
         \"{}\"\n  answers api.hetzner.cloud when /open freely xml \"<a/>\"\n  answers api.hetzner.cloud when /by by \
         special json \"[3]\"\n\
         account aws A of acme shown AKIA\n  answers ec2.amazonaws.com when Describe xml \"<ok/>\"",
        &[
            (
                "GET https://api.hetzner.cloud/v1/servers with \"Authorization: Bearer t0ken\" ? Content-Type body",
                "200 | application/json | [\"one\"]",
            ),
            (
                "GET https://api.hetzner.cloud/v1/servers?page=2 with \"Authorization: Bearer t0ken\" ? body",
                "200 | [\"two\"]",
            ),
            (
                "GET https://api.hetzner.cloud/v1/servers with \"Authorization: Bearer other\" ? \
                 has:InvalidClientTokenId",
                "401 | yes",
            ),
            ("GET https://api.hetzner.cloud/v1/busy with \"Authorization: Bearer t0ken\"", "429"),
            (
                "GET https://api.hetzner.cloud/v1/none with \"Authorization: Bearer t0ken\" ? has:AccessDenied",
                "403 | yes",
            ),
            ("GET https://api.hetzner.cloud/open ? Content-Type body", "200 | text/xml | <a/>"),
            ("GET https://api.hetzner.cloud/by with \"Authorization: Bearer t0ken\"", "403"),
            (
                "GET https://api.hetzner.cloud/by with \"Authorization: Bearer t0ken\" with \"X-A: special\" ? body",
                "200 | [3]",
            ),
            (
                "POST https://ec2.amazonaws.com/ with \"Authorization: AKIA\" and \"Action=DescribeInstances\" ? body",
                "200 | <ok/>",
            ),
            (
                "POST https://ec2.amazonaws.com/ and \"Action=DescribeInstances\" ? Content-Type \
                 has:InvalidClientTokenId",
                "403 | text/xml | yes",
            ),
            ("A api.hetzner.cloud", "NOERROR api.hetzner.cloud A 198.19.0.23"),
        ],
    ),
    (
        "app android test.acme.shop \"Shop\" of acme\n  named w.acme.test\napp ios test.acme.desk \"Desk\" of \
         acme\n  named w.acme.test",
        &[
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://w.acme.test \
                 ? has:test.acme.shop",
                "200 | yes",
            ),
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://w.acme.test \
                 ? has:test.acme.desk",
                "200 | no",
            ),
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://v.acme.test \
                 ? has:statements",
                "200 | no",
            ),
            ("GET https://digitalassetlinks.googleapis.com/v1/statements:list", "404"),
            ("GET https://app-site-association.cdn-apple.com/a/v1/w.acme.test ? has:test.acme.desk", "200 | yes"),
            ("GET https://app-site-association.cdn-apple.com/a/v1/v.acme.test", "404"),
        ],
    ),
];

#[tokio::test]
async fn interfaces_of_clouds_and_stores_of_apps() {
    assert_served(1, INTERFACES).await;
}

const FORGES: &[Served] = &[
    (
        "forge https://github.com/acme \"Acme Code\" of acme\n  website https://acme.test\n  member ann\n  fork \
         theirs\n  token \
         s3cret\nrepository https://github.com/acme/app of acme commit -5d \"One\"\n  writes README.md \"About \
         quoins\"\nrepository \
         https://github.com/acme/inner of acme private commit -5d \"One\"\n  writes a b\nrepository \
         https://github.com/else/quoin of out \
         commit -5d \"One\"\n  writes a b",
        &[
            ("GET https://api.github.com/users/acme ? has:\"blog\":\"https://acme.test\"", "200 | yes"),
            ("GET https://api.github.com/users/none", "404"),
            ("GET https://api.github.com/users/acme/repos ? has:https://github.com/acme/app", "200 | yes"),
            ("GET https://api.github.com/users/acme/repos ? has:\"fork\":true", "200 | yes"),
            ("GET https://api.github.com/users/acme/repos ? has:acme/inner", "200 | no"),
            ("GET https://api.github.com/users/acme/repos?page=2 ? body", "200 | []"),
            ("GET https://api.github.com/orgs/acme/repos ? body", "200 | []"),
            (
                "GET https://api.github.com/orgs/acme/repos with \"Authorization: Bearer s3cret\" ? has:acme/inner",
                "200 | yes",
            ),
            ("GET https://api.github.com/orgs/acme/public_members ? has:https://github.com/ann", "200 | yes"),
            ("GET https://api.github.com/orgs/acme/members", "404"),
            (
                "GET https://api.github.com/orgs/acme/members with \"Authorization: Bearer s3cret\" ? has:ann",
                "200 | yes",
            ),
            ("GET https://api.github.com/search/repositories?q=quoin ? has:\"total_count\":2", "200 | yes"),
            ("GET https://api.github.com/search/repositories?q=inner ? has:\"total_count\":0", "200 | yes"),
            (
                "GET https://github.com/acme/app.git/info/refs?service=git-upload-pack ? Content-Type",
                "200 | application/x-git-upload-pack-advertisement",
            ),
            ("GET https://github.com/acme/app.git/info/refs?service=git-receive-pack", "404"),
            ("GET https://github.com/acme/inner/info/refs?service=git-upload-pack", "401"),
            (
                "GET https://github.com/acme/inner/info/refs?service=git-upload-pack with \"Authorization: Bearer \
                 s3cret\"",
                "200",
            ),
            ("GET https://github.com/acme/none", "404"),
            (
                "POST https://github.com/acme/app/git-upload-pack and \"command=ls-refs\" ? has:refs/heads/main",
                "200 | yes",
            ),
        ],
    ),
    (
        "forge https://gitlab.com/acme \"Acme\" of acme\nrepository https://gitlab.com/acme/app of acme commit -5d \
         x\n  writes a \
         b\nforge https://codeberg.org/acme \"Acme\" of acme\n  member ann\n  token t0k\nrepository \
         https://codeberg.org/acme/app of acme \
         private commit -5d x\n  writes a b\nforge https://bitbucket.org/acme \"Acme\" of acme\n  fork f\nrepository \
         https://bitbucket.org/acme/app of acme commit -5d x\n  writes a b",
        &[
            ("GET https://gitlab.com/api/v4/groups/acme ? has:\"full_path\":\"acme\"", "200 | yes"),
            ("GET https://gitlab.com/api/v4/groups/acme/projects ? has:https://gitlab.com/acme/app", "200 | yes"),
            ("GET https://gitlab.com/api/v4/groups/none", "404"),
            ("GET https://gitlab.com/api/v4/projects?search=app ? has:acme/app", "200 | yes"),
            ("GET https://gitlab.com/api/v4/users?username=acme ? body", "200 | []"),
            ("GET https://codeberg.org/api/v1/orgs/acme ? has:Acme", "200 | yes"),
            ("GET https://codeberg.org/api/v1/orgs/acme/repos ? body", "200 | []"),
            (
                "GET https://codeberg.org/api/v1/orgs/acme/repos with \"Authorization: Bearer t0k\" ? has:acme/app.git",
                "200 | yes",
            ),
            ("GET https://codeberg.org/api/v1/orgs/acme/public_members ? has:ann", "200 | yes"),
            ("GET https://codeberg.org/api/v1/orgs/acme/members", "404"),
            ("GET https://codeberg.org/api/v1/repos/search?q=app ? has:\"data\":[]", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/workspaces/acme ? has:\"slug\":\"acme\"", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/repositories/acme ? has:https://bitbucket.org/acme/app", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/repositories/none", "404"),
            ("GET https://api.bitbucket.org/2.0/other/acme", "404"),
        ],
    ),
];

#[tokio::test]
async fn forges_of_code() {
    assert_served(1, FORGES).await;
}

/// What a second state says in place of the first, and takes away.
const LATER: &[Served] = &[
    (
        "name {a,b}.acme.test A 203.0.113.{5,6}\nhost 203.0.113.5 port 22 ssh\nhost 203.0.113.6 port 22 ssh\nsite \
         http://a.acme.test \
         \"One\"\nsite http://b.acme.test \"One\"\nbucket s3 files of acme listed\nblock 192.0.2.0/24 of acme named \
         OLD\nzone b.test of \
         acme\n  ns ns1.acme.test\nname b.test A 203.0.113.7\nstate 2\nname a.acme.test A 203.0.113.5 TXT \
         \"new\"\nhost 203.0.113.5 port \
         23 telnet\nsite http://a.acme.test \"Two\"\nremove site http://b.acme.test\nremove host 203.0.113.6\nremove \
         bucket \
         files\nremove block 192.0.2.0/24\nremove name b.test\nremove zone b.test",
        &[
            ("TXT a.acme.test", "NOERROR a.acme.test TXT new"),
            ("knock 203.0.113.5:22", "closed"),
            ("knock 203.0.113.5:23", "open"),
            ("knock 203.0.113.6:22", "filtered"),
            ("GET http://a.acme.test/ ? has:Two", "200 | yes"),
            ("A b.acme.test", "NOERROR b.acme.test A 203.0.113.6"),
            ("GET http://b.acme.test/", "timed out"),
            ("GET https://files.s3.amazonaws.com/", "404"),
            ("GET https://rdap.org/ip/192.0.2.1", "404"),
            ("A b.test", "NXDOMAIN"),
        ],
    ),
    // A state begins 30 days later, and what is not said again stays.
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\nstate 2\nname v.acme.test A 203.0.113.11",
        &[
            ("GET https://w.acme.test/ ? Date", "200 | Thu, 31 Jul 2025 00:00:00 GMT"),
            (
                "certificate https://w.acme.test",
                "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
            ),
        ],
    ),
];

#[tokio::test]
async fn a_later_state() {
    assert_served(2, LATER).await;
}

/// Beyond the last state the last one is served at a later date.
#[tokio::test]
async fn a_state_beyond_the_last() {
    let lines = "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  cert expires 70d\n  plain none";
    for (state, answer) in [(1, " trusted"), (3, " trusted"), (4, "")] {
        let world = ambit_world::World::parse(&format!("{}{lines}", crate::ask::HEAD), "t").unwrap();
        let client = crate::client::Client::new(world.wire(crate::ask::EPOCH, state));
        let shown = crate::ask::ask(&client, "certificate https://w.acme.test").await;
        assert!(shown.ends_with(&format!("ed25519 | 2{answer}")), "state {state}: {shown}");
    }
}
