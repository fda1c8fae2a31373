//! From the path of a request to the rows of the table that have it. Our own matching and not a framework's, because
//! every spelling must be answered in our envelope: doubled and trailing slashes, escapes of any bytes, a last segment
//! that holds anything or nothing.

use crate::answer::Manner;
use crate::endpoint::Endpoint;
use crate::endpoints::ENDPOINTS;
use crate::mount::{MOUNTS, Mount, V2, WIDER};
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::percent::unescaped;
use std::borrow::Cow;

/// How the failures of a path are said, whether it leads anywhere or not.
pub(crate) fn manner(raw: &str) -> Manner {
    if strip_mount(raw, V2).is_some() {
        Manner::V2
    } else if strip_mount(raw, WIDER).is_some() && strip_mount(raw, MOUNTS[0].prefix).is_none() {
        Manner::Object
    } else {
        Manner::Envelope
    }
}

/// The endpoint at a path.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) mount: &'static Mount,
    /// The rows with this path: one for each method.
    pub(crate) endpoints: Vec<&'static Endpoint>,
    /// Decoded parameters of the path, by name.
    pub(crate) parameters: Vec<(&'static str, String)>,
}

/// Finds the rows for a path as it stands in the request, still escaped.
pub(crate) fn resolve(raw: &str) -> Result<Target> {
    let mut best: Option<(usize, Target)> = None;
    for mount in MOUNTS {
        let Some(rest) = strip_mount(raw, mount.prefix) else { continue };
        for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.tree == mount.tree) {
            let Some((literals, captured)) = fit(endpoint.path, rest) else {
                continue;
            };
            match &mut best {
                Some((most, target)) if *most == literals && target.endpoints[0].path == endpoint.path => {
                    target.endpoints.push(endpoint)
                }
                Some((most, _)) if *most >= literals => {}
                _ => {
                    let target = Target { mount, endpoints: vec![endpoint], parameters: decode_all(captured)? };
                    best = Some((literals, target));
                }
            }
        }
        if best.is_some() {
            break;
        }
    }
    best.map(|(_, target)| target)
        .ok_or_else(|| ApiError::with(ErrorCode::NotFound, "There is no such endpoint; see /openapi.json"))
}

/// The path behind a mount, which begins with a slash or is empty.
fn strip_mount<'a>(raw: &'a str, prefix: &str) -> Option<&'a str> {
    let mut rest = raw;
    for segment in prefix.split('/').filter(|segment| !segment.is_empty()) {
        rest = rest.trim_start_matches('/').strip_prefix(segment)?;
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
    }
    Some(rest)
}

/// How many literal segments of `pattern` the path has, and the captured segments; `None` if it does not fit.
/// Doubled and trailing slashes are the same as single ones and `-` the same as `_`, but not inside a `{*rest}`, which
/// takes what stands there but for one slash at its end, that some clients put behind every path.
fn fit<'a>(pattern: &'static str, path: &'a str) -> Option<(usize, Vec<(&'static str, &'a str)>)> {
    let (mut rest, mut literals, mut captured) = (path, 0, Vec::new());
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if let Some(name) = part.strip_prefix("{*").and_then(|name| name.strip_suffix('}')) {
            let taken = rest.strip_prefix('/').unwrap_or(rest);
            captured.push((name, taken.strip_suffix('/').unwrap_or(taken)));
            return Some((literals, captured));
        }
        rest = rest.trim_start_matches('/');
        let (segment, behind) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        match part.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(_) if segment.is_empty() => return None,
            Some(name) => captured.push((name, segment)),
            None if same(segment, part) => literals += 1,
            None => return None,
        }
        rest = behind;
    }
    rest.chars().all(|c| c == '/').then_some((literals, captured))
}

/// The contract's own reference writes both `_` and `-` as a hyphen, so that clients may have either
/// (docs/contract/asm.md §1.4), and a client asks for descriptors below `relationship`.
fn same(segment: &str, part: &str) -> bool {
    let segment = if segment == "relationship" { "relationships" } else { segment };
    let one = |byte: u8| if byte == b'-' { b'_' } else { byte };
    // Escaped letters are the same letters (RFC 3986 §6.2.2.2); an escaped slash stays within its segment.
    let segment =
        if segment.contains('%') { Cow::Owned(unescaped(segment)) } else { Cow::Borrowed(segment.as_bytes()) };
    segment.len() == part.len() && segment.iter().copied().map(one).eq(part.bytes().map(one))
}

fn decode_all(captured: Vec<(&'static str, &str)>) -> Result<Vec<(&'static str, String)>> {
    captured
        .into_iter()
        .map(|(name, raw)| {
            let text =
                String::from_utf8(unescaped(raw)).map_err(|_| ApiError::bad("The path is not UTF-8 once decoded"))?;
            Ok((name, text))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &str) -> String {
        match resolve(raw) {
            Ok(target) => {
                let parameters: Vec<String> =
                    target.parameters.iter().map(|(name, value)| format!(" {name}={value:?}")).collect();
                format!("{}{}", target.endpoints[0].path, parameters.concat())
            }
            Err(error) => error.code.status().to_string(),
        }
    }

    #[test]
    fn all_spellings_of_a_search_lead_to_it() {
        for (rest, text) in [
            ("", ""),
            ("/", ""),
            ("/%20", " "),
            ("/collection%3Afoo%20first_seen_after%3A2021-01-01", "collection:foo first_seen_after:2021-01-01"),
            ("/name:https://a.example:443/p/q", "name:https://a.example:443/p/q"),
            ("/name%3Ahttps%3A%2F%2Fa.example", "name:https://a.example"),
            ("//lead", "/lead"),
            ("/a/../b", "a/../b"),
            ("/..%2f..%2fx", "../../x"),
            ("/type:uri/", "type:uri"),
            ("/name:https://a.example/%2F", "name:https://a.example//"),
            ("/a+b:c", "a+b:c"),
            ("/bad%zz", "bad%zz"),
            ("/100%", "100%"),
        ] {
            for mount in ["/api/v3/asm", "/api/v1", "//api//v3/asm/"] {
                let path = format!("{mount}/search/entities{rest}");
                assert_eq!(
                    shown(&path),
                    format!("/search/entities/{{*search_string}} search_string={text:?}"),
                    "{path}"
                );
            }
        }
        assert_eq!(shown("/api/v3/asm/search/entities/bad%ff"), "400");
    }

    #[test]
    fn descriptors_stand_below_a_word_in_either_number() {
        for word in ["relationships", "relationship"] {
            let target = "/domains/{id}/relationships/{relationship} id=\"a.test\" relationship=\"subdomains\"";
            assert_eq!(shown(&format!("/api/v3/domains/a.test/{word}/subdomains")), target);
        }
    }

    #[test]
    fn doubled_and_trailing_slashes_are_single_ones() {
        for path in ["/api/v3/asm/projects", "/api/v3/asm/projects/", "/api/v3/asm//projects", "//api/v1/projects//"] {
            assert_eq!(shown(path), "/projects", "{path}");
        }
        assert_eq!(
            shown("/api/v3/asm/user_collections/a%20b/archive/"),
            "/user_collections/{uuid}/archive uuid=\"a b\""
        );
        assert_eq!(
            shown("/api/v3/asm/user%5Fcollections/%61/%61rchive"),
            "/user_collections/{uuid}/archive uuid=\"a\""
        );
        assert_eq!(shown("/api/v3/asm/user_collections%2Fa/archive"), "404");
        assert_eq!(shown("/api/v1/user-collections/a-b/archive"), "/user_collections/{uuid}/archive uuid=\"a-b\"");
    }

    #[test]
    fn what_is_nowhere_is_404() {
        for path in [
            "/api",
            "/api/v3",
            "/api/v3/asm",
            "/api/v3/asmx/projects",
            "/api/v3/asm/project",
            "/api/v3/asm/search",
            "/api/v3/asm/projects/a/b/c",
        ] {
            assert_eq!(shown(path), "404", "{path}");
        }
    }
}
