//! One command with which a person sees an issue for themselves, made of the facts of its proof. Whatever stands in a
//! fact is one quoted word of the shell; where the facts carry no command, there is none. The web interface has the
//! same rules (`web/src/reproduce.ts`).

use serde_json::Value;

/// The command line that shows the issue of that name, whose proof rests on `facts`.
pub fn reproduce(name: &str, facts: &Value) -> Option<String> {
    let words = web(name, facts)
        .or_else(|| service(name, facts))
        .or_else(|| names(name, facts))
        .or_else(|| certificate(facts))?;
    if words.iter().any(|word| word.is_empty() || word.chars().any(char::is_control)) {
        return None;
    }
    let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let end = if words[0] == "openssl" { " </dev/null" } else { "" };
    Some(format!("{}{end}", line.join(" ")))
}

/// A fact that is a text, or the first of a list; never one that a program would take for an option.
fn text<'a>(facts: &'a Value, name: &str) -> Option<&'a str> {
    let value = &facts[name];
    let first = value.as_array().map_or(Some(value), |list| list.first())?;
    first.as_str().filter(|text| !text.starts_with('-'))
}

fn words(words: &[&str]) -> Option<Vec<String>> {
    Some(words.iter().map(|word| (*word).to_owned()).collect())
}

fn web(name: &str, facts: &Value) -> Option<Vec<String>> {
    if let (Some(site), Some(path)) = (text(facts, "site"), text(facts, "paths").or_else(|| text(facts, "path"))) {
        return words(&["curl", "-isS", "--path-as-is", &format!("{site}{path}")]);
    }
    if let Some(uri) = text(facts, "uri") {
        return words(&["curl", if name.contains("login") { "-isS" } else { "-sSI" }, uri]);
    }
    words(&["curl", "-sS", text(facts, "bucket")?])
}

/// Host and port of `203.0.113.9:23/tcp`, the host without brackets.
fn place(at: &str) -> Option<(&str, &str)> {
    let (host, port) = at.strip_suffix("/tcp")?.rsplit_once(':')?;
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some((host.trim_matches(['[', ']']), port))
}

fn service(name: &str, facts: &Value) -> Option<Vec<String>> {
    let (host, port) = place(text(facts, "at")?)?;
    let shown = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let there = format!("{shown}:{port}");
    match name {
        "deprecated_tls_version" => {
            let option = match text(facts, "versions")? {
                "TLSv1.0" => "-tls1",
                "TLSv1.1" => "-tls1_1",
                "SSLv3" => "-ssl3",
                _ => return None,
            };
            words(&["openssl", "s_client", "-connect", &there, option])
        }
        "open_redis_service" => words(&["redis-cli", "-h", host, "-p", port, "ping"]),
        "ftp_anonymous_login" => words(&["curl", "-sS", &format!("ftp://{there}/")]),
        _ => words(&["nc", "-vz", "-w", "5", host, port]),
    }
}

fn names(name: &str, facts: &Value) -> Option<Vec<String>> {
    if let Some(zone) = text(facts, "zone") {
        return words(&["dig", "AXFR", zone, &format!("@{}", text(facts, "servers")?)]);
    }
    if let Some(lookalike) = text(facts, "lookalike") {
        return words(&["dig", "+noall", "+answer", lookalike, "NS"]);
    }
    if let Some(domain) = text(facts, "domain") {
        return match name {
            _ if name.starts_with("dmarc_") => words(&["dig", "+short", "TXT", &format!("_dmarc.{domain}")]),
            _ if name.starts_with("spf_") => words(&["dig", "+short", "TXT", domain]),
            _ if name.starts_with("dns_caa_") => words(&["dig", "+short", "CAA", domain]),
            _ => None,
        };
    }
    let record = text(facts, "name")?;
    let kind = match name {
        "dangling_record" => facts["records"][0]["record"].as_str().unwrap_or("CNAME"),
        _ => "A",
    };
    words(&["dig", "+noall", "+answer", record, kind])
}

fn certificate(facts: &Value) -> Option<Vec<String>> {
    let served = text(facts, "served_by").or_else(|| text(facts, "host"))?;
    let at = served.strip_suffix("/tcp").and_then(|place| place.rsplit_once(':'));
    let (host, port) = at.unwrap_or((served, "443"));
    let there = format!("{host}:{port}");
    let mut line = words(&["openssl", "s_client", "-connect", &there])?;
    if host.chars().any(|c| c.is_ascii_alphabetic()) && !host.contains(':') {
        line.extend(["-servername".to_owned(), host.to_owned()]);
    }
    Some(line)
}

fn quoted(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if word.chars().all(bare) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_issue_is_seen_with_one_command() {
        for (name, facts, expected) in [
            (
                "x",
                json!({"site": "https://a.test:443", "paths": ["/.env"]}),
                "curl -isS --path-as-is https://a.test:443/.env",
            ),
            ("x", json!({"site": "https://a.test", "path": "/a b/"}), "curl -isS --path-as-is 'https://a.test/a b/'"),
            ("missing_security_headers", json!({"uri": "https://a.test:443"}), "curl -sSI https://a.test:443"),
            ("open_redis_service", json!({"at": "203.0.113.1:6379/tcp"}), "redis-cli -h 203.0.113.1 -p 6379 ping"),
            ("exposed_rdp_service", json!({"at": "[2001:db8::1]:3389/tcp"}), "nc -vz -w 5 2001:db8::1 3389"),
            (
                "deprecated_tls_version",
                json!({"at": "203.0.113.1:443/tcp", "versions": ["TLSv1.0"]}),
                "openssl s_client -connect 203.0.113.1:443 -tls1 </dev/null",
            ),
            ("dmarc_permissive", json!({"domain": "a.test"}), "dig +short TXT _dmarc.a.test"),
            ("dns_zone_transfer", json!({"zone": "a.test", "servers": ["ns1.a.test"]}), "dig AXFR a.test @ns1.a.test"),
            ("dangling_record", json!({"name": "v.a.test"}), "dig +noall +answer v.a.test CNAME"),
            (
                "dangling_record",
                json!({"name": "a.test", "records": [{"record": "MX", "target": "mx.gone.test"}]}),
                "dig +noall +answer a.test MX",
            ),
            (
                "invalid_certificate_expired",
                json!({"served_by": ["a.test"]}),
                "openssl s_client -connect a.test:443 -servername a.test </dev/null",
            ),
            (
                "x",
                json!({"site": "https://a.test", "paths": ["/'; rm -rf ~ #$(id)"]}),
                r"curl -isS --path-as-is 'https://a.test/'\''; rm -rf ~ #$(id)'",
            ),
        ] {
            assert_eq!(reproduce(name, &facts).as_deref(), Some(expected), "{name} {facts}");
        }
        for facts in [
            json!({"site": "https://a.test", "paths": ["/a\nb"]}),
            json!({"uri": "-o/etc/passwd"}),
            json!({"name": "--help"}),
            json!({}),
            Value::Null,
        ] {
            assert_eq!(reproduce("x", &facts), None, "{facts}");
        }
    }
}
