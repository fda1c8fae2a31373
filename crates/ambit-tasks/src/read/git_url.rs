//! Addresses of repositories, which may hold a password: where what must not be shown ends. Pure.

/// Where who signs in ends, in an address without its scheme; `None` where nobody does. Passwords may hold every sign,
/// so that what could be one is taken for one. A sign at the beginning of a folder's name (`/@acme`) belongs to the
/// path.
pub(crate) fn end_of_user(rest: &str) -> Option<usize> {
    let segment = |text: &str| text.split('/').next().unwrap_or_default().to_owned();
    let first = segment(rest);
    let signs = rest.match_indices('@').map(|(at, _)| at).filter(|at| *at == 0 || !rest[..*at].ends_with('/'));
    let signs: Vec<usize> = signs.collect();
    let leads_to_host = |at: &&usize| is_place(&segment(&rest[**at + 1..]));
    if is_place(&first) {
        // A host and its port look like a user and a password of digits, behind which the address itself stands.
        let is_address = |at: &&usize| first.contains(':') && leads_to_host(at) && rest[**at..].contains('/');
        return signs.iter().rev().find(is_address).copied();
    }
    let may_be_user = first.contains(['@', ':']);
    signs.iter().rev().find(leads_to_host).or(signs.last()).copied().filter(|_| may_be_user)
}

/// Returns true for a host as it stands in the internet, with or without a port.
fn is_place(segment: &str) -> bool {
    let (host, port) = match segment.rsplit_once(':') {
        Some((host, port)) if !segment.ends_with(']') => (host, port),
        _ => (segment, ""),
    };
    let is_address = host.starts_with('[') && host.ends_with(']');
    let is_name = host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
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
            ("git.acme.test:8443/@acme/lib", None),
            ("git.acme.test/lib", None),
            ("@", Some("")),
            ("", None),
        ] {
            assert_eq!(end_of_user(rest).map(|at| &rest[at + 1..]), host, "{rest}");
        }
    }
}
