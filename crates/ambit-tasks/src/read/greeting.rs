//! Reads the first bytes of a service: pure functions from bytes to protocol and product.

use crate::read::fingerprint::Product;
use ambit_model::entity::network_service::Service;

/// What a service's first bytes say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Greeting {
    /// The protocol.
    pub(crate) service: Service,
    /// Products that they name.
    pub(crate) products: Vec<Product>,
    /// The answer is one that only a service gives which does not ask who is there.
    pub(crate) no_authentication: bool,
}

/// A line whose beginning tells the protocol, and products by a word in it.
struct Line {
    service: Service,
    begins: &'static [&'static str],
    /// One of these words must occur (lower case), unless the port is one of `ports`.
    words: &'static [&'static str],
    ports: &'static [u16],
}

const LINES: &[Line] = &[
    Line {
        service: Service::Ssh,
        begins: &["SSH-"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Vnc,
        begins: &["RFB 00"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Rsync,
        begins: &["@RSYNCD:"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Http,
        begins: &["HTTP/1.", "HTTP/2"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Rtsp,
        begins: &["RTSP/1."],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Smtp,
        begins: &["220", "421", "554"],
        words: &["smtp", "postfix", "exim", "sendmail", "mail"],
        ports: &[25, 26, 465, 587, 2525],
    },
    Line {
        service: Service::Ftp,
        begins: &["220", "421", "530"],
        words: &["ftp", "filezilla"],
        ports: &[21, 2121, 990],
    },
    Line {
        service: Service::Imap,
        begins: &["* OK", "* PREAUTH", "* BYE"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Pop3,
        begins: &["+OK"],
        words: &["pop", "dovecot", "ready", "<"],
        ports: &[110, 995],
    },
    Line {
        service: Service::Redis,
        begins: &[
            "+PONG",
            "-NOAUTH",
            "-DENIED Redis",
            "-ERR unknown command",
            "-ERR wrong number of arguments",
            "-ERR operation not permitted",
            "-MISCONF",
            "-LOADING",
        ],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Memcached,
        begins: &["VERSION ", "ERROR\r\n"],
        words: &["version", "error"],
        ports: &[],
    },
    Line {
        service: Service::Amqp,
        begins: &["AMQP"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Zookeeper,
        begins: &["imok", "ruok is not executed"],
        words: &[],
        ports: &[],
    },
    Line {
        service: Service::Nntp,
        begins: &["200 ", "201 "],
        words: &["nntp", "news"],
        ports: &[],
    },
    Line {
        service: Service::Irc,
        begins: &["NOTICE AUTH", ":"],
        words: &["notice"],
        ports: &[],
    },
    Line {
        service: Service::Svn,
        begins: &["( success ( "],
        words: &[],
        ports: &[],
    },
];

/// Telnet begins with "interpret as command" and a negotiation verb (RFC 854).
const TELNET_VERBS: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;

/// Reads the first bytes that came from a port, unasked or as an answer.
pub(crate) fn read(said: &[u8], port: u16, asked: bool) -> Option<Greeting> {
    if said.is_empty() {
        return None;
    }
    binary(said, port, asked).or_else(|| text(said, port))
}

fn text(said: &[u8], port: u16) -> Option<Greeting> {
    let text = String::from_utf8_lossy(said);
    let lower = text.to_lowercase();
    let line = LINES.iter().find(|line| {
        let begins = line.begins.iter().any(|begin| text.starts_with(begin));
        begins && (line.words.is_empty() || line.ports.contains(&port) || line.words.iter().any(|word| lower.contains(word)))
    });
    let Some(line) = line else {
        let prompt = lower.trim_end().ends_with("login:") || lower.trim_end().ends_with("username:");
        return prompt.then(|| plain(Service::Telnet));
    };
    let products = products(line.service, &text);
    let open = (line.service == Service::Redis && text.starts_with("+PONG")) || (line.service == Service::Memcached && text.starts_with("VERSION "));
    Some(Greeting {
        service: line.service,
        products,
        no_authentication: open,
    })
}

fn plain(service: Service) -> Greeting {
    Greeting {
        service,
        products: Vec::new(),
        no_authentication: false,
    }
}

/// Protocols whose first bytes are no text.
fn binary(said: &[u8], port: u16, asked: bool) -> Option<Greeting> {
    match said {
        [0xff, verb, ..] if TELNET_VERBS.contains(verb) => Some(plain(Service::Telnet)),
        [_, _, 0, 0, 10 | 0xff, ..] => mysql(said),
        [b'S' | b'N'] if asked && matches!(port, 5432 | 5433) => Some(product_only(Service::Postgresql, "PostgreSQL", "postgresql:postgresql")),
        [b'E', 0, 0, ..] if contains(said, b"FATAL") || contains(said, b"SFATAL") => {
            Some(product_only(Service::Postgresql, "PostgreSQL", "postgresql:postgresql"))
        }
        [3, 0, _, _, _, 0xd0, ..] => Some(plain(Service::Rdp)),
        [0, _, _, _, 0xff | 0xfe, b'S', b'M', b'B', ..] => Some(plain(Service::Smb)),
        [0x30, ..] if asked && matches!(port, 389 | 636 | 3268 | 3269) => Some(plain(Service::Ldap)),
        [0x20, 2, _, code] if asked => Some(Greeting {
            no_authentication: *code == 0,
            ..plain(Service::Mqtt)
        }),
        [1, 0, 0, _, _, _, _, 0, 10, 0, 10, ..] if asked => Some(plain(Service::Amqp)),
        [4, 1, ..] if asked && matches!(port, 1433 | 1434) => Some(product_only(Service::Mssql, "SQL Server", "microsoft:sql_server")),
        [_, _, 0x12, 0x34, flags, ..] if asked && flags & 0x80 != 0 => Some(plain(Service::Dns)),
        _ if asked && contains(said, b"maxBsonObjectSize") => {
            let mut greeting = product_only(Service::Mongodb, "MongoDB", "mongodb:mongodb");
            greeting.no_authentication = false;
            Some(greeting)
        }
        _ => None,
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

fn product_only(service: Service, name: &str, cpe: &str) -> Greeting {
    let product = Product::new((vendor_of(cpe), name), Some(cpe), None, tag(service), ("banner", name));
    Greeting {
        products: vec![product],
        ..plain(service)
    }
}

/// The handshake of MySQL's protocol 10, or its refusal of a host.
fn mysql(said: &[u8]) -> Option<Greeting> {
    let length = usize::from(said[0]) | usize::from(said[1]) << 8;
    if said[4] == 0xff {
        let refusal = contains(said, b"MySQL") || contains(said, b"MariaDB") || contains(said, b"Host ");
        return refusal.then(|| plain(Service::Mysql));
    }
    let rest = &said[5..];
    let end = rest.iter().position(|byte| *byte == 0)?;
    let version = std::str::from_utf8(&rest[..end]).ok()?;
    if length < end + 20 || !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (name, cpe, version) = match version.split_once("-MariaDB") {
        Some((version, _)) => ("MariaDB", "mariadb:mariadb", version.strip_prefix("5.5.5-").unwrap_or(version)),
        None => ("MySQL", "oracle:mysql", version),
    };
    let product = Product::new((vendor_of(cpe), name), Some(cpe), Some(version), tag(Service::Mysql), ("banner", version));
    Some(Greeting {
        products: vec![product],
        ..plain(Service::Mysql)
    })
}

/// A product by a word in a greeting; its version follows the word after one of `/`, `_`, `-` or a blank.
struct Named {
    service: Service,
    word: &'static str,
    product: &'static str,
    cpe: &'static str,
}

const fn named(service: Service, word: &'static str, product: &'static str, cpe: &'static str) -> Named {
    Named { service, word, product, cpe }
}

const NAMED: &[Named] = &[
    named(Service::Ssh, "OpenSSH", "OpenSSH", "openbsd:openssh"),
    named(Service::Ssh, "dropbear", "Dropbear SSH", "dropbear_ssh_project:dropbear_ssh"),
    named(Service::Ssh, "libssh", "libssh", "libssh:libssh"),
    named(Service::Ssh, "Cisco", "Cisco SSH", "cisco:ssh"),
    named(Service::Ftp, "ProFTPD", "ProFTPD", "proftpd:proftpd"),
    named(Service::Ftp, "vsFTPd", "vsftpd", "vsftpd_project:vsftpd"),
    named(Service::Ftp, "Pure-FTPd", "Pure-FTPd", "pureftpd:pure-ftpd"),
    named(Service::Ftp, "FileZilla Server", "FileZilla Server", "filezilla-project:filezilla_server"),
    named(Service::Ftp, "Microsoft FTP Service", "Microsoft FTP Service", "microsoft:ftp_service"),
    named(Service::Smtp, "Postfix", "Postfix", "postfix:postfix"),
    named(Service::Smtp, "Exim", "Exim", "exim:exim"),
    named(Service::Smtp, "Sendmail", "Sendmail", "sendmail:sendmail"),
    named(Service::Smtp, "OpenSMTPD", "OpenSMTPD", "openbsd:opensmtpd"),
    named(
        Service::Smtp,
        "Microsoft ESMTP MAIL Service",
        "Exchange Server",
        "microsoft:exchange_server",
    ),
    named(Service::Smtp, "Haraka", "Haraka", "haraka_project:haraka"),
    named(Service::Imap, "Dovecot", "Dovecot", "dovecot:dovecot"),
    named(
        Service::Imap,
        "Courier-IMAP",
        "Courier IMAP",
        "double_precision_incorporated:courier-imap",
    ),
    named(Service::Imap, "Cyrus", "Cyrus IMAP", "cyrus:imap"),
    named(Service::Pop3, "Dovecot", "Dovecot", "dovecot:dovecot"),
    named(Service::Memcached, "VERSION", "memcached", "memcached:memcached"),
    named(Service::Redis, "-DENIED Redis", "Redis", "redis:redis"),
];

fn products(service: Service, text: &str) -> Vec<Product> {
    let lower = text.to_lowercase();
    let found = NAMED.iter().filter(|named| named.service == service).filter_map(|named| {
        let at = lower.find(&named.word.to_lowercase())?;
        let rest = text.get(at + named.word.len()..).unwrap_or("");
        let shown = text.get(at..).unwrap_or("").split(['\r', '\n', ' ']).next().unwrap_or("");
        let product = Product::new(
            (vendor_of(named.cpe), named.product),
            Some(named.cpe),
            version_after(rest),
            tag(service),
            ("banner", shown),
        );
        Some(product)
    });
    let mut found: Vec<Product> = found.collect();
    if service == Service::Redis && found.is_empty() {
        found.push(Product::new(
            ("Redis", "Redis"),
            Some("redis:redis"),
            None,
            tag(service),
            ("banner", "redis protocol"),
        ));
    }
    found
}

/// Products that show by how they speak and not by a word of a table: service, name, CPE, what shows them.
const SPEAKERS: &[(Service, &str, &str, &str)] = &[
    (Service::Mysql, "MySQL", "oracle:mysql", "handshake of protocol 10"),
    (Service::Mysql, "MariaDB", "mariadb:mariadb", "handshake of protocol 10, -MariaDB"),
    (Service::Postgresql, "PostgreSQL", "postgresql:postgresql", "answer to SSLRequest"),
    (Service::Mssql, "SQL Server", "microsoft:sql_server", "answer to a TDS pre-login"),
    (Service::Mongodb, "MongoDB", "mongodb:mongodb", "answer to hello"),
];

/// Every product that greetings and `Server` headers name, with what shows it.
pub(crate) fn listed() -> Vec<Product> {
    let named = NAMED.iter().map(|named| (named.service, named.product, named.cpe, named.word));
    let spoken = named.chain(SPEAKERS.iter().copied());
    let spoken =
        spoken.map(|(service, product, cpe, shown)| Product::new((vendor_of(cpe), product), Some(cpe), None, tag(service), ("banner", shown)));
    let servers = WEB_SERVERS.iter().map(|(word, product, cpe)| {
        let shown = format!("Server: {word}");
        Product::new((vendor_of(cpe), product), Some(cpe), None, "Web Server", ("content_headers", &shown))
    });
    let roots = ["\"tagline\" : \"You Know, for Search\"", "\"couchdb\":\"Welcome\""];
    spoken.chain(servers).chain(roots.into_iter().filter_map(welcome)).collect()
}

/// A version right after a product's word.
pub(crate) fn version_after(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['/', '_', '-', ' ', '(']).unwrap_or(rest);
    let rest = rest
        .strip_prefix(['v', 'V'])
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
}

fn vendor_of(cpe: &str) -> &str {
    let vendor = cpe.split(':').next().unwrap_or(cpe);
    VENDORS.iter().find(|(name, _)| *name == vendor).map_or(vendor, |(_, shown)| shown)
}

/// Vendors as people write them.
const VENDORS: &[(&str, &str)] = &[
    ("apache", "Apache"),
    ("cisco", "Cisco"),
    ("cyrus", "Cyrus"),
    ("dovecot", "Dovecot"),
    ("dropbear_ssh_project", "Dropbear SSH Project"),
    ("elastic", "Elastic"),
    ("exim", "Exim"),
    ("f5", "F5"),
    ("filezilla-project", "FileZilla Project"),
    ("mariadb", "MariaDB"),
    ("memcached", "memcached"),
    ("microsoft", "Microsoft"),
    ("mongodb", "MongoDB"),
    ("openbsd", "OpenBSD"),
    ("oracle", "Oracle"),
    ("postfix", "Postfix"),
    ("postgresql", "PostgreSQL"),
    ("proftpd", "ProFTPD"),
    ("redis", "Redis"),
];

fn tag(service: Service) -> &'static str {
    match service {
        Service::Ssh => "Remote Access",
        Service::Ftp => "File Transfer",
        Service::Smtp | Service::Imap | Service::Pop3 => "Mail Server",
        Service::Mysql | Service::Postgresql | Service::Mssql | Service::Mongodb | Service::Redis | Service::Memcached => "Database",
        _ => "Service",
    }
}

/// Web servers by the first word of their `Server` header.
const WEB_SERVERS: &[(&str, &str, &str)] = &[
    ("nginx", "nginx", "f5:nginx"),
    ("openresty", "OpenResty", "openresty:openresty"),
    ("Apache", "HTTP Server", "apache:http_server"),
    ("Apache-Coyote", "Tomcat", "apache:tomcat"),
    ("Microsoft-IIS", "IIS", "microsoft:internet_information_services"),
    ("lighttpd", "lighttpd", "lighttpd:lighttpd"),
    ("Caddy", "Caddy", "caddyserver:caddy"),
    ("LiteSpeed", "LiteSpeed Web Server", "litespeedtech:litespeed_web_server"),
    ("gunicorn", "Gunicorn", "gunicorn:gunicorn"),
    ("Werkzeug", "Werkzeug", "palletsprojects:werkzeug"),
    ("Jetty", "Jetty", "eclipse:jetty"),
    ("Cowboy", "Cowboy", "ninenines:cowboy"),
    ("Kestrel", "Kestrel", "microsoft:kestrel"),
    ("envoy", "Envoy", "envoyproxy:envoy"),
    ("Varnish", "Varnish Cache", "varnish_cache_project:varnish_cache"),
    ("SimpleHTTP", "Python http.server", "python:python"),
    ("uvicorn", "Uvicorn", "encode:uvicorn"),
    ("WEBrick", "WEBrick", "ruby-lang:webrick"),
    ("Tengine", "Tengine", "alibaba:tengine"),
    ("MinIO", "MinIO", "minio:minio"),
    ("squid", "Squid", "squid-cache:squid"),
    ("Zope", "Zope", "zope:zope"),
    ("GoAhead-Webs", "GoAhead", "embedthis:goahead"),
    ("mini_httpd", "mini_httpd", "acme:mini_httpd"),
    ("thttpd", "thttpd", "acme:thttpd"),
    ("cloudflare", "Cloudflare", "cloudflare:cloudflare"),
    ("AmazonS3", "Amazon S3", "amazon:s3"),
];

/// The product of a `Server` header.
pub(crate) fn web_server(header: &str) -> Option<Product> {
    let word = header.split(['/', ' ', '(']).next().unwrap_or("");
    let (_, product, cpe) = WEB_SERVERS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word))?;
    let version = version_after(&header[word.len()..]);
    Some(Product::new(
        (vendor_of(cpe), product),
        Some(cpe),
        version,
        "Web Server",
        ("content_headers", &format!("Server: {header}")),
    ))
}

/// Products that identify themselves in answer to a request for the root.
pub(crate) fn welcome(body: &str) -> Option<Product> {
    if body.contains("\"You Know, for Search\"") || body.contains("\"tagline\" : \"You Know, for Search\"") {
        let version = body.split("\"number\"").nth(1).and_then(|rest| rest.split('"').nth(1));
        return Some(Product::new(
            ("Elastic", "Elasticsearch"),
            Some("elastic:elasticsearch"),
            version,
            "Database",
            ("content_body", "You Know, for Search"),
        ));
    }
    if body.contains("\"couchdb\":\"Welcome\"") {
        let version = body.split("\"version\":\"").nth(1).and_then(|rest| rest.split('"').next());
        return Some(Product::new(
            ("Apache", "CouchDB"),
            Some("apache:couchdb"),
            version,
            "Database",
            ("content_body", "\"couchdb\":\"Welcome\""),
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &[u8], port: u16, asked: bool, service: Option<Service>, product: Option<(&str, Option<&str>)>) {
        let greeting = read(said, port, asked);
        assert_eq!(
            greeting.as_ref().map(|greeting| greeting.service),
            service,
            "{:?}",
            String::from_utf8_lossy(said)
        );
        if let Some((name, version)) = product {
            let products = greeting.unwrap().products;
            assert_eq!(products[0].product, name);
            assert_eq!(products[0].version.as_deref(), version);
        }
    }

    #[test]
    fn greetings_tell_protocol_product_and_version() {
        check(
            b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
            22,
            false,
            Some(Service::Ssh),
            Some(("OpenSSH", Some("9.2p1"))),
        );
        check(
            b"SSH-2.0-dropbear_2022.83\r\n",
            2222,
            false,
            Some(Service::Ssh),
            Some(("Dropbear SSH", Some("2022.83"))),
        );
        check(b"220 (vsFTPd 3.0.3)\r\n", 21, false, Some(Service::Ftp), Some(("vsftpd", Some("3.0.3"))));
        check(
            b"220 ProFTPD 1.3.8 Server (x) [::]\r\n",
            2121,
            false,
            Some(Service::Ftp),
            Some(("ProFTPD", Some("1.3.8"))),
        );
        check(
            b"220 mx.acme.test ESMTP Exim 4.96 Sat\r\n",
            25,
            false,
            Some(Service::Smtp),
            Some(("Exim", Some("4.96"))),
        );
        check(b"220 mx.acme.test ready\r\n", 25, false, Some(Service::Smtp), None);
        check(b"220 ready\r\n", 21, false, Some(Service::Ftp), None);
        check(
            b"* OK [CAPABILITY IMAP4rev1] Dovecot ready.\r\n",
            143,
            false,
            Some(Service::Imap),
            Some(("Dovecot", None)),
        );
        check(b"\xff\xfd\x18\xff\xfd\x20", 23, false, Some(Service::Telnet), None);
        check(b"Welcome\r\nlogin: ", 2323, false, Some(Service::Telnet), None);
        check(b"RFB 003.008\n", 5900, false, Some(Service::Vnc), None);
        check(b"+PONG\r\n", 6379, true, Some(Service::Redis), Some(("Redis", None)));
        check(
            b"VERSION 1.6.18\r\n",
            11211,
            true,
            Some(Service::Memcached),
            Some(("memcached", Some("1.6.18"))),
        );
        check(b"N", 5432, true, Some(Service::Postgresql), Some(("PostgreSQL", None)));
        check(
            b"\x03\x00\x00\x13\x0e\xd0\x00\x00\x124\x00\x02\x00\x08\x00\x02\x00\x00\x00",
            3389,
            true,
            Some(Service::Rdp),
            None,
        );
        check(b"\x00\x00\x00\x9b\xfeSMB@\x00", 445, true, Some(Service::Smb), None);
    }

    #[test]
    fn a_mysql_handshake_names_its_version() {
        let handshake = |version: &str| {
            let mut packet = vec![10];
            packet.extend_from_slice(version.as_bytes());
            packet.extend_from_slice(&[0; 40]);
            let mut said = vec![u8::try_from(packet.len()).unwrap(), 0, 0, 0];
            said.extend(packet);
            said
        };
        check(&handshake("8.0.35"), 3306, false, Some(Service::Mysql), Some(("MySQL", Some("8.0.35"))));
        check(
            &handshake("5.5.5-10.11.4-MariaDB-1"),
            3306,
            false,
            Some(Service::Mysql),
            Some(("MariaDB", Some("10.11.4"))),
        );
        check(b"\x05\x00\x00\x00\x0agarbage", 3306, false, None, None);
    }

    #[test]
    fn what_is_no_greeting_is_no_service() {
        check(b"", 22, false, None, None);
        check(b"220 welcome\r\n", 9999, false, None, None);
        check(b"N", 4444, true, None, None);
        check(b"\x00\x00\x00", 445, true, None, None);
        check(b"\xde\xad\xbe\xef", 80, true, None, None);
    }

    #[test]
    fn a_redis_that_asks_who_is_there_is_not_open() {
        assert!(read(b"+PONG\r\n", 6379, true).unwrap().no_authentication);
        assert!(!read(b"-NOAUTH Authentication required.\r\n", 6379, true).unwrap().no_authentication);
        assert!(!read(b"-DENIED Redis is running in protected mode", 6379, true).unwrap().no_authentication);
    }

    #[test]
    fn web_servers_are_known_by_their_header() {
        let product = web_server("nginx/1.24.0").unwrap();
        assert_eq!((product.product.as_str(), product.version.as_deref()), ("nginx", Some("1.24.0")));
        assert_eq!(web_server("Apache/2.4.57 (Debian)").unwrap().version.as_deref(), Some("2.4.57"));
        assert!(web_server("nginxish").is_none());
        assert!(welcome("{ \"version\" : { \"number\" : \"8.1.0\" }, \"tagline\" : \"You Know, for Search\" }").is_some());
    }
}
