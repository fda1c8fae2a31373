//! Sites, spellings, requests that are none, and certificates.

use crate::ask::{Served, assert_served};

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
    // Whoever offers HTTP/1.1 alone is turned away by one that speaks HTTP/2 alone.
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  alpn h2,http/1.1",
        &[("GET https://w.acme.test/", "200")],
    ),
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  alpn h2",
        &[("GET https://w.acme.test/", "invalid data")],
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
