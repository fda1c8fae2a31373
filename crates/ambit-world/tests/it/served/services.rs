//! Hosts, their ports, and services over TCP and UDP.

use crate::ask::{Served, assert_served};

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
            ("PTR 020.113.0.203.in-addr.arpa", "NXDOMAIN"),
            ("TXT 20.113.0.203.in-addr.arpa", "NOERROR"),
            ("PTR 113.0.203.in-addr.arpa", "NOERROR"),
            ("PTR 203.in-addr.arpa", "NOERROR"),
            ("PTR 112.0.203.in-addr.arpa", "NXDOMAIN"),
            ("PTR 1.20.113.0.203.in-addr.arpa", "NXDOMAIN"),
            ("PTR in-addr.arpa", "NOERROR"),
            ("PTR 8.b.d.0.1.0.0.2.ip6.arpa", "NOERROR"),
            ("PTR 1.8.b.d.0.1.0.0.2.ip6.arpa", "NXDOMAIN"),
            ("A test", "NOERROR"),
            ("A nowhere", "NXDOMAIN"),
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
