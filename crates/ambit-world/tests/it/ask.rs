//! Questions to a world in one line each, so that a table says what is stated and what is then served:
//!
//! - `A www.acme.test`, `A www.acme.test at 203.0.113.2`, `A www.acme.test over tcp at 203.0.113.2`: response code,
//!   flags and records, of a resolver or of a server.
//! - `knock 203.0.113.9:22`: `open`, `closed` or `filtered`.
//! - `say 203.0.113.9:21 TEXT`: all that is heard until the end, or the end of patience.
//! - `send 203.0.113.9:123 HEX`: what comes back over UDP, in hex.
//! - `GET https://www.acme.test/ [at ADDRESS] [with "HEADER: VALUE"]… [and "BODY"] ? WORD…`: the status, and behind it
//!   what each word names: a header, `body`, and with `has:TEXT` (the rest of the line) whether the body has the text.
//! - `certificate https://www.acme.test`: subject, names, issuer, days from the epoch, key, length and soundness of the
//!   chain.
//! - `took QUESTION`: the same, and its wire time in milliseconds.
//! - `wait 30`: nothing, so many seconds of wire time later.

use crate::client::{Answer, Client};
use ambit_model::Timestamp;
use ambit_world::World;
use std::time::Duration;

/// What stands above the lines of a table.
pub(crate) const HEAD: &str = "world t \"T\"\nseeds acme.test\norg acme \"Acme\" ours\norg out \"Out\" stranger\n\
                               block 203.0.113.0/24 of acme asn AS64500 named ACME\nblock 198.51.100.0/24 of out named \
                               OUT\nzone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n";

/// Midnight of a day in the summer of 2025.
pub(crate) const EPOCH: Timestamp = Timestamp(1_751_328_000_000);

/// Lines of a file, and questions with what is answered. An expected answer that ends in `…` is the beginning of one.
pub(crate) type Served = (&'static str, &'static [(&'static str, &'static str)]);

/// Asks every question of a table, in its order, of the state that is named, and tells all that is answered otherwise.
pub(crate) async fn assert_served(state: i64, table: &[Served]) {
    let mut others = Vec::new();
    for (lines, questions) in table {
        let world = World::parse(&format!("{HEAD}{lines}"), "t.world");
        let world = world.unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}"));
        let client = Client::new(world.wire(EPOCH, state));
        for (question, expected) in *questions {
            let answer = ask(&client, question).await;
            let fits = match expected.strip_suffix('…') {
                Some(begin) => answer.starts_with(begin),
                None => answer == *expected,
            };
            if !fits {
                others.push(format!("{lines}\n  {question}\n    answers {answer:?}\n    and not {expected:?}"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// One question.
pub(crate) async fn ask(client: &Client, question: &str) -> String {
    let (word, rest) = question.split_once(' ').unwrap();
    match word {
        "knock" => {
            let (address, port) = place(rest);
            client.knock(address, port).await.to_owned()
        }
        "say" => {
            let (to, said) = rest.split_once(' ').unwrap_or((rest, ""));
            let (address, port) = place(to);
            let heard = client.talk(address, port, said.as_bytes(), 1 << 16).await;
            heard.map_or_else(|error| error.kind().to_string(), |heard| heard.escape_ascii().to_string())
        }
        "send" => {
            let (to, bytes) = rest.split_once(' ').unwrap();
            let (address, port) = place(to);
            let heard = client.send_datagram(address, port, hex::decode(bytes).unwrap()).await;
            heard.map_or_else(|| "silence".to_owned(), hex::encode)
        }
        "certificate" => certificate(client, rest).await,
        "took" => {
            let begin = client.now();
            let answer = Box::pin(ask(client, rest)).await;
            format!("{answer} in {}", (client.now() - begin).as_millis())
        }
        "wait" => {
            client.pass(Duration::from_secs(rest.parse().unwrap())).await;
            String::new()
        }
        "GET" | "HEAD" | "POST" | "OPTIONS" => page(client, word, rest).await,
        rtype => match rest.split_once(" at ") {
            None => client.resolve(rest, rtype).await,
            Some((name, server)) => match name.strip_suffix(" over tcp") {
                Some(name) => client.ask_tcp(server, name, rtype).await,
                None => client.ask(server, name, rtype).await,
            },
        },
    }
}

fn place(text: &str) -> (&str, u16) {
    let (address, port) = text.rsplit_once(':').unwrap();
    (address.trim_matches(['[', ']']), port.parse().unwrap())
}

/// Scheme, host, port and path of a URL.
fn parts(url: &str) -> (bool, &str, u16, &str) {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let tls = scheme == "https";
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().unwrap()),
        None => (authority, if tls { 443 } else { 80 }),
    };
    (tls, host, port, if path.is_empty() { "/" } else { path })
}

/// Where a name leads: its last address.
async fn address_of(client: &Client, host: &str) -> String {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    let answer = client.resolve(host, "A").await;
    answer.rsplit(' ').next().unwrap().to_owned()
}

async fn page(client: &Client, method: &str, rest: &str) -> String {
    let (request, wanted) = rest.split_once(" ? ").unwrap_or((rest, ""));
    let (url, more) = request.split_once(' ').unwrap_or((request, ""));
    let (tls, host, port, path) = parts(url);
    let (at, more) = match more.strip_prefix("at ") {
        Some(more) => more.split_once(' ').map_or((Some(more), ""), |(at, more)| (Some(at), more)),
        None => (None, more),
    };
    let address = match at {
        Some(address) => address.to_owned(),
        None => address_of(client, host).await,
    };
    let (headers, body) = more.split_once("and ").unwrap_or((more, ""));
    let headers = headers.split("with ").map(|header| header.trim().trim_matches('"')).filter(|text| !text.is_empty());
    let headers: String = headers.map(|header| format!("{header}\r\n")).collect();
    let body = body.trim_matches('"');
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let request =
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{length}{headers}\r\n{body}");
    let answer = match tls {
        true => client.send_tls((&address, port), host, request).await,
        false => client.send_plain((&address, port), request).await,
    };
    match answer {
        Ok(answer) => shown(&answer, wanted),
        Err(error) => error.kind().to_string(),
    }
}

/// The status, and what the words name.
fn shown(answer: &Answer, wanted: &str) -> String {
    let mut shown = answer.head.get(9..12).unwrap_or("").to_owned();
    let (words, text) = wanted.split_once("has:").map_or((wanted, None), |(words, text)| (words, Some(text)));
    for word in words.split_whitespace() {
        let value = match word {
            "body" => answer.body.trim().to_owned(),
            name => {
                let values = answer.head.lines().filter_map(|line| line.split_once(": "));
                let values = values.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value);
                let values: Vec<&str> = values.collect();
                if values.is_empty() { "-".to_owned() } else { values.join(", ") }
            }
        };
        shown.push_str(&format!(" | {value}"));
    }
    if let Some(text) = text {
        shown.push_str(if answer.body.contains(text) { " | yes" } else { " | no" });
    }
    shown
}

async fn certificate(client: &Client, url: &str) -> String {
    let (_, host, port, path) = parts(url);
    let address = address_of(client, host).await;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answer = match client.send_tls((&address, port), host, request).await {
        Ok(answer) => answer,
        Err(error) => return error.kind().to_string(),
    };
    let (_, parsed) = x509_parser::parse_x509_certificate(&answer.chain[0]).unwrap();
    let names = parsed.subject_alternative_name().unwrap().map(|extension| {
        let names = extension.value.general_names.iter().map(|name| match name {
            x509_parser::prelude::GeneralName::DNSName(name) => (*name).to_owned(),
            other => other.to_string(),
        });
        names.collect::<Vec<_>>().join(" ")
    });
    let days = |time: &x509_parser::time::ASN1Time| (time.timestamp() * 1_000 - EPOCH.0).div_euclid(86_400_000);
    let validity = parsed.validity();
    let key = match parsed.public_key().algorithm.algorithm.to_id_string().as_str() {
        "1.3.101.112" => "ed25519".to_owned(),
        _ => format!("rsa {}", parsed.public_key().parsed().unwrap().key_size()),
    };
    let sha1 = parsed.signature_algorithm.algorithm.to_id_string() == "1.2.840.113549.1.1.5";
    format!(
        "{} | {} | {} | {}..{} | {key}{} | {}{}",
        parsed.subject(),
        names.unwrap_or_default(),
        parsed.issuer().iter_common_name().next().and_then(|name| name.as_str().ok()).unwrap_or("-"),
        days(&validity.not_before),
        days(&validity.not_after),
        if sha1 { " sha1" } else { "" },
        answer.chain.len(),
        if answer.trusted { " trusted" } else { "" },
    )
}
