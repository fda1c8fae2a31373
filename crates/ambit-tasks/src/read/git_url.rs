//! Addresses of repositories, which may hold a password: where what must not be shown ends. Pure.

use std::net::Ipv4Addr;

/// Where who signs in ends, in an address without its scheme; `None` where nobody does. Passwords may hold every sign,
/// so that what could be one is taken for one. A sign at the beginning of a folder's name (`/@acme`) belongs to the
/// path.
pub(crate) fn end_of_user(rest: &str) -> Option<usize> {
    let first = rest.split('/').next().unwrap_or_default();
    // Behind another sign of the same part than its last, no host can stand.
    let (mut signs, mut start) = (Vec::new(), 0);
    for part in rest.split('/') {
        if let Some(at) = part.rfind('@').filter(|at| start == 0 || *at > 0) {
            signs.push((start + at, &part[at + 1..]));
        }
        start += part.len() + 1;
    }
    let last = |is_host: fn(&str) -> bool| signs.iter().rev().find(|(_, behind)| is_host(behind)).map(|(at, _)| *at);
    if is_place(first) {
        // A host and its port look like a user and a password of digits, behind which the address itself stands.
        let host = last(is_place).or_else(|| last(is_label));
        return host.filter(|at| first.contains(':') && rest[*at..].contains('/'));
    }
    last(is_place).or_else(|| last(|_| true)).filter(|_| first.contains(['@', ':']))
}

/// Returns true for what may be a host within a network, with or without a port. A version (`v2`) is none.
fn is_label(segment: &str) -> bool {
    let (host, port) = segment.split_once(':').unwrap_or((segment, ""));
    let is_version = host.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    host.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && !is_version
}

/// Returns true for a host as it stands in the internet, with or without a port.
fn is_place(segment: &str) -> bool {
    let (host, port) = match segment.rsplit_once(':') {
        Some((host, port)) if !segment.ends_with(']') => (host, port),
        _ => (segment, ""),
    };
    let is_address = host.starts_with('[') && host.ends_with(']');
    let is_name = host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    // A version (`18.2.0`) is none.
    let top = host.rsplit('.').next().unwrap_or_default();
    let is_name =
        is_name && (top.len() > 1 && top.starts_with(char::is_alphabetic) || host.parse::<Ipv4Addr>().is_ok());
    (is_address || is_name || host == "localhost") && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_signs_in_ends_in_front_of_the_host_whatever_the_password_holds() {
        for (rest, host) in [
            ("ann:not/a/secret@git.acme.test/lib", Some("git.acme.test/lib")),
            ("ann:123/456@git.acme.test/lib", Some("git.acme.test/lib")),
            ("ann:not@a/secret@git.acme.test/@acme/lib", Some("git.acme.test/@acme/lib")),
            ("ann.lee:123/456@git/lib", Some("git/lib")),
            ("ann.lee:123/456@git:8443/lib", Some("git:8443/lib")),
            ("ann.lee:123/456@git.acme.test/lib@v2/x", Some("git.acme.test/lib@v2/x")),
            ("git.acme.test:8443/@acme/lib", None),
            ("git.acme.test:8443/lib@v2/x", None),
            ("git:8443/@acme/lib", None),
            ("git.acme.test/lib", None),
            ("ann:123/456@192.0.2.7/lib", Some("192.0.2.7/lib")),
            ("cdn.acme.test:8443/npm/react@18.2.0/umd/x.js", None),
            ("@", Some("")),
            ("", None),
        ] {
            assert_eq!(end_of_user(rest).map(|at| &rest[at + 1..]), host, "{rest}");
        }
    }
}
