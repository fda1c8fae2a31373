//! Reads the first bytes of a service: pure functions from bytes to protocol and product.

use crate::read::technology;
use ambit_fingerprints::{Product, Set};
use ambit_model::entity::network_service::Service;
use ambit_net::http::is_http2;

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
    Line { service: Service::Ssh, begins: &["SSH-"], words: &[], ports: &[] },
    Line { service: Service::Vnc, begins: &["RFB 00"], words: &[], ports: &[] },
    Line { service: Service::Rsync, begins: &["@RSYNCD:"], words: &[], ports: &[] },
    Line { service: Service::Http, begins: &["HTTP/1.", "HTTP/2"], words: &[], ports: &[] },
    Line { service: Service::Rtsp, begins: &["RTSP/1."], words: &[], ports: &[] },
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
    Line { service: Service::Imap, begins: &["* OK", "* PREAUTH", "* BYE"], words: &[], ports: &[] },
    Line { service: Service::Pop3, begins: &["+OK"], words: &["pop", "dovecot", "ready", "<"], ports: &[110, 995] },
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
    Line { service: Service::Memcached, begins: &["VERSION "], words: &[], ports: &[] },
    Line { service: Service::Amqp, begins: &["AMQP"], words: &[], ports: &[] },
    Line { service: Service::Zookeeper, begins: &["imok", "ruok is not executed"], words: &[], ports: &[] },
    Line { service: Service::Nntp, begins: &["200 ", "201 "], words: &["nntp", "news"], ports: &[] },
    Line { service: Service::Irc, begins: &["NOTICE AUTH", ":"], words: &["notice"], ports: &[] },
    Line { service: Service::Svn, begins: &["( success ( "], words: &[], ports: &[] },
];

/// Telnet begins with "interpret as command" and a negotiation verb (RFC 854).
const TELNET_VERBS: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;

/// Reads the first bytes that came from a port, unasked or as an answer.
pub(crate) fn read(rules: &Set, said: &[u8], port: u16, asked: bool) -> Option<Greeting> {
    if said.is_empty() {
        return None;
    }
    binary(rules, said, port, asked).or_else(|| text(rules, said, port, asked))
}

fn text(rules: &Set, said: &[u8], port: u16, asked: bool) -> Option<Greeting> {
    let text = String::from_utf8_lossy(said);
    let lower = text.to_lowercase();
    let line = LINES.iter().find(|line| {
        let begins = line.begins.iter().any(|begin| text.starts_with(begin));
        // Memcached never greets.
        let due = asked || line.service != Service::Memcached;
        begins
            && due
            && (line.words.is_empty()
                || line.ports.contains(&port)
                || line.words.iter().any(|word| lower.contains(word)))
    });
    let Some(line) = line else {
        let prompt = lower.trim_end().ends_with("login:") || lower.trim_end().ends_with("username:");
        return prompt.then(|| plain(Service::Telnet));
    };
    let products = products(rules, line.service, &text);
    let open = (line.service == Service::Redis && text.starts_with("+PONG"))
        || (line.service == Service::Memcached && text.starts_with("VERSION "));
    Some(Greeting { service: line.service, products, no_authentication: open })
}

fn plain(service: Service) -> Greeting {
    Greeting { service, products: Vec::new(), no_authentication: false }
}

/// Protocols whose first bytes are no text.
fn binary(rules: &Set, said: &[u8], port: u16, asked: bool) -> Option<Greeting> {
    match said {
        [0xff, verb, ..] if TELNET_VERBS.contains(verb) => Some(plain(Service::Telnet)),
        [_, _, 0, 0, 10 | 0xff, ..] => mysql(rules, said),
        _ if is_http2(said) => Some(plain(Service::Http)),
        [b'S' | b'N'] if asked && matches!(port, 5432 | 5433) => {
            Some(product_only(Service::Postgresql, "PostgreSQL", "postgresql:postgresql"))
        }
        [b'E', 0, 0, ..] if contains(said, b"FATAL") || contains(said, b"SFATAL") => {
            Some(product_only(Service::Postgresql, "PostgreSQL", "postgresql:postgresql"))
        }
        [3, 0, _, _, _, 0xd0, ..] => Some(plain(Service::Rdp)),
        [0, _, _, _, 0xff | 0xfe, b'S', b'M', b'B', ..] => Some(plain(Service::Smb)),
        [0x30, ..] if asked && matches!(port, 389 | 636 | 3268 | 3269) => Some(plain(Service::Ldap)),
        [0x20, 2, _, code] if asked => Some(Greeting { no_authentication: *code == 0, ..plain(Service::Mqtt) }),
        [1, 0, 0, _, _, _, _, 0, 10, 0, 10, ..] if asked => Some(plain(Service::Amqp)),
        [4, 1, ..] if asked && matches!(port, 1433 | 1434) => {
            Some(product_only(Service::Mssql, "SQL Server", "microsoft:sql_server"))
        }
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
    let product = Product::new((vendor_of(cpe), name), Some(cpe), None, DATABASE, ("banner", name));
    Greeting { products: vec![product], ..plain(service) }
}

/// The handshake of MySQL's protocol 10, or its refusal of a host.
fn mysql(rules: &Set, said: &[u8]) -> Option<Greeting> {
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
    let whole = version;
    let (name, cpe, version) = match version.split_once("-MariaDB") {
        Some((version, _)) => ("MariaDB", "mariadb:mariadb", version.strip_prefix("5.5.5-").unwrap_or(version)),
        None => ("MySQL", "oracle:mysql", version),
    };
    let product = Product::new((vendor_of(cpe), name), Some(cpe), Some(version), DATABASE, ("banner", version));
    Some(Greeting { products: technology::with_packs(rules, product, whole), ..plain(Service::Mysql) })
}

fn products(rules: &Set, service: Service, text: &str) -> Vec<Product> {
    let mut found = technology::greeted(rules, service, text);
    if service == Service::Redis && found.is_empty() {
        found.push(Product::new(("Redis", "Redis"), Some("redis:redis"), None, DATABASE, ("banner", "redis protocol")));
    }
    found
}

/// Products that show by how they speak and not by a word of a rule: name, CPE, what shows them.
const SPEAKERS: &[(&str, &str, &str)] = &[
    ("MySQL", "oracle:mysql", "handshake of protocol 10"),
    ("MariaDB", "mariadb:mariadb", "handshake of protocol 10, -MariaDB"),
    ("PostgreSQL", "postgresql:postgresql", "answer to SSLRequest"),
    ("SQL Server", "microsoft:sql_server", "answer to a TDS pre-login"),
    ("MongoDB", "mongodb:mongodb", "answer to hello"),
];

/// Returns every product that shows by how it speaks, with what shows it.
pub(crate) fn listed() -> impl Iterator<Item = Product> {
    let spoken = SPEAKERS.iter().map(|(product, cpe, shown)| {
        Product::new((vendor_of(cpe), product), Some(cpe), None, DATABASE, ("banner", shown))
    });
    let roots = ["\"tagline\" : \"You Know, for Search\"", "\"couchdb\":\"Welcome\""];
    spoken.chain(roots.into_iter().filter_map(welcome))
}

/// What all products are that show by how they speak.
const DATABASE: &str = "Database";

fn vendor_of(cpe: &str) -> &str {
    let vendor = cpe.split(':').next().unwrap_or(cpe);
    VENDORS.iter().find(|(name, _)| *name == vendor).map_or(vendor, |(_, shown)| shown)
}

/// Vendors as people write them.
const VENDORS: &[(&str, &str)] = &[
    ("mariadb", "MariaDB"),
    ("microsoft", "Microsoft"),
    ("mongodb", "MongoDB"),
    ("oracle", "Oracle"),
    ("postgresql", "PostgreSQL"),
];

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
        let greeting = read(&ambit_fingerprints::own(), said, port, asked);
        assert_eq!(greeting.as_ref().map(|greeting| greeting.service), service, "{:?}", String::from_utf8_lossy(said));
        if let Some((name, version)) = product {
            let products = greeting.unwrap().products;
            assert_eq!(products[0].product, name);
            assert_eq!(products[0].version.as_deref(), version);
        }
    }

    #[test]
    fn greetings_tell_protocol_product_and_version() {
        check(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", 22, false, Some(Service::Ssh), Some(("OpenSSH", Some("9.2p1"))));
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
        check(b"VERSION 1.6.18\r\n", 11211, true, Some(Service::Memcached), Some(("memcached", Some("1.6.18"))));
        check(b"VERSION 1.6.18\r\n", 11211, false, None, None);
        check(b"ERROR\r\n", 11211, true, None, None);
        check(b"ERROR\r\n", 11211, false, None, None);
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
    fn a_frame_that_http_2_begins_or_ends_with_is_http() {
        check(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03", 8080, true, Some(Service::Http), None);
        check(b"\x00\x00\x00\x04\x01\x00\x00\x00\x00", 8080, true, Some(Service::Http), None);
        check(b"\x00\x00\x08\x07\x00\x00\x00\x00\x00", 8080, true, Some(Service::Http), None);
        for other in [
            b"\x00\x00\x11\x04\x00\x00\x00\x00\x00",
            b"\x00\x00\x12\x04\x04\x00\x00\x00\x00",
            b"\x00\x00\x07\x07\x00\x00\x00\x00\x00",
            b"\x00\x00\x08\x07\x00\x00\x00\x00\x01",
        ] {
            check(other, 8080, true, None, None);
        }
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
        assert!(read(&ambit_fingerprints::own(), b"+PONG\r\n", 6379, true).unwrap().no_authentication);
        assert!(
            !read(&ambit_fingerprints::own(), b"-NOAUTH Authentication required.\r\n", 6379, true)
                .unwrap()
                .no_authentication
        );
        assert!(
            !read(&ambit_fingerprints::own(), b"-DENIED Redis is running in protected mode", 6379, true)
                .unwrap()
                .no_authentication
        );
    }

    #[test]
    fn a_search_engine_is_known_by_its_welcome() {
        assert!(
            welcome("{ \"version\" : { \"number\" : \"8.1.0\" }, \"tagline\" : \"You Know, for Search\" }").is_some()
        );
    }
}
