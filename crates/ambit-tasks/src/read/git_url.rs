//! Addresses of repositories, which may hold a password: where what must not be shown ends. Pure.

use std::net::Ipv4Addr;

/// The text for an address that cannot be read without a guess.
pub(crate) const HIDDEN: &str = "…";

/// Who signs in, in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignIn {
    Nobody,
    /// The part up to this sign is a user, and the host follows it.
    Until(usize),
    /// Somebody up to this sign, or nobody: `ann.lee:123/456@git/lib` is spelled as `git.acme.test:8443/team@corp/lib`
    /// is. Nothing of the address may be shown, and no host be read from it.
    Maybe(usize),
}

impl SignIn {
    /// The sign up to which somebody may sign in.
    pub(crate) fn end(self) -> Option<usize> {
        match self {
            Self::Nobody => None,
            Self::Until(at) | Self::Maybe(at) => Some(at),
        }
    }
}

/// Returns who signs in, in an address without its scheme. Passwords may hold every sign, so that what could be one is
/// taken for one. A sign at the beginning of a folder's name (`/@acme`) belongs to the path.
pub(crate) fn who_signs_in(rest: &str) -> SignIn {
    let first = rest.split('/').next().unwrap_or_default();
    let is_like_host = is_place(first);
    // Behind another sign of the same part than its last, no host can stand.
    let (mut signs, mut start) = (Vec::new(), 0);
    for part in rest.split('/') {
        if let Some(at) = part.rfind('@').filter(|at| start == 0 || *at > 0) {
            signs.push((start + at, &part[at + 1..]));
        }
        start += part.len() + 1;
    }
    // What begins like a host of its own leads to another one where a path stands behind that. Where none does, that
    // may be the end of a path as well, but no host ends in `.git`.
    let bare = signs.last().copied().filter(|(at, _)| !rest[*at..].contains('/'));
    let bare = bare.filter(|(_, behind)| !behind.ends_with(".git") && (is_place(behind) || is_label(behind)));
    if is_like_host {
        signs.retain(|(at, _)| rest[*at..].contains('/'));
    }
    let last = |is_host: fn(&str) -> bool| signs.iter().rev().find(|(_, behind)| is_host(behind)).map(|(at, _)| *at);
    match (last(is_place), last(is_label)) {
        _ if !first.contains(['@', ':']) => SignIn::Nobody,
        // A host and its port look like a user and a password of digits, behind which the address itself stands.
        (Some(at), _) => SignIn::Until(at),
        (None, Some(at)) if is_like_host => before_label(first, at),
        (None, None) if is_like_host => bare.map_or(SignIn::Nobody, |(at, _)| before_label(first, at)),
        (None, _) => last(|_| true).map_or(SignIn::Nobody, SignIn::Until),
    }
}

/// Returns true for what may be a host, with or without a port (RFC 3986 §3.2).
pub(crate) fn is_host(part: &str) -> bool {
    let port = part.rsplit_once(':').map_or("", |(_, port)| port);
    !part.contains('@') && (port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Returns who signs in where an address begins like a host, and what may be a host within a network stands behind the
/// sign: no user is named as an address or as the machine itself, and no port has a number beyond 16 bits.
fn before_label(first: &str, at: usize) -> SignIn {
    let (host, port) = first.rsplit_once(':').unwrap_or((first, ""));
    let is_port = port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_machine = host == "localhost" || host.parse::<Ipv4Addr>().is_ok();
    if first.starts_with('[') || is_port && is_machine {
        SignIn::Nobody
    } else if is_port {
        SignIn::Maybe(at)
    } else {
        SignIn::Until(at)
    }
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
            ("ann.lee:123456/78@git/lib", Some("git/lib")),
            ("ann.lee:123/456@git.acme.test/lib@x.git", Some("git.acme.test/lib@x.git")),
            ("ann.lee:123/456@git.acme.test/lib@v2/x", Some("git.acme.test/lib@v2/x")),
            ("git.acme.test:8443/@acme/lib", None),
            ("git.acme.test:8443/lib@v2/x", None),
            ("git:8443/@acme/lib", None),
            ("git.acme.test/lib", None),
            ("ann:123/456@192.0.2.7/lib", Some("192.0.2.7/lib")),
            ("cdn.acme.test:8443/npm/react@18.2.0/umd/x.js", None),
            ("cdn.acme.test/npm/react@latest/x.js", None),
            ("192.0.2.7:7990/scm/team@corp/lib", None),
            ("[2001:db8::1]:7990/scm/team@corp/lib", None),
            ("[2001:db8::1]/scm/team@corp/lib", None),
            ("localhost:7990/scm/team@corp/lib", None),
            ("git.acme.test:8443/team/a@b.git", None),
            ("git.acme.test/team/a@b", None),
            ("localhost:7990/scm/team@corp", None),
            ("ann.lee:99999/456@git", Some("git")),
            ("ann:123/456@git", Some("git")),
            ("ann.lee:123@456@git", Some("git")),
            ("@", Some("")),
            ("", None),
        ] {
            let expected = host.map_or(SignIn::Nobody, |host| SignIn::Until(rest.len() - host.len() - 1));
            assert_eq!(who_signs_in(rest), expected, "{rest}");
        }
    }

    #[test]
    fn what_may_be_a_port_or_the_beginning_of_a_password_is_taken_for_neither() {
        for (rest, behind) in [
            ("ann.lee:123/456@git/lib", "git/lib"),
            ("ann.lee:123/456@git:8443/lib", "git:8443/lib"),
            ("ann.lee:123/456@git/lib@x.git", "git/lib@x.git"),
            ("cdn.acme.test:8443/npm/react@latest/x.js", "latest/x.js"),
            ("cdn.acme.test:8443/gh/o/r@main/x.js", "main/x.js"),
            ("git.acme.test:7990/scm/team@corp/lib", "corp/lib"),
            ("ann.lee:123/456@git", "git"),
            ("ann.lee:123/456@git.acme.test", "git.acme.test"),
            ("ann.lee:123/4/56@git.acme.test:8443", "git.acme.test:8443"),
        ] {
            assert_eq!(who_signs_in(rest), SignIn::Maybe(rest.len() - behind.len() - 1), "{rest}");
        }
    }
}
