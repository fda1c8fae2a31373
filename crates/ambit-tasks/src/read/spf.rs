//! Reads one SPF record (RFC 7208): what costs a look-up, where it hands on, and how it ends.

use ambit_model::Kind;
use std::collections::BTreeSet;

/// A record's parts that matter here.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Mechanisms that cost a look-up, in order, up to `all`.
    pub(crate) mechanisms: Vec<Mechanism>,
    /// The sign before `all`: `+`, `-`, `~` or `?`.
    pub(crate) all: Option<char>,
    /// A mechanism before `all` lets every address pass.
    pub(crate) open: bool,
    /// Where it hands on if nothing matched.
    pub(crate) redirect: Option<String>,
    /// What no receiver can read.
    pub(crate) errors: Vec<String>,
}

/// A mechanism that costs a look-up.
#[derive(Debug, PartialEq)]
pub(crate) enum Mechanism {
    /// Another domain's record, and whether senders that pass there pass here.
    Include { of: String, passes: bool },
    /// `a` or `mx` with a name whose addresses, or mail servers, send.
    Host(String),
    /// `a` and `mx` of the domain itself, `ptr`, `exists`, or an include whose name a macro makes.
    Other,
}

/// Terms of a record that are read; the longest honest ones have some dozens.
const TERMS_MAX: usize = 200;

/// Reads a record that begins with the version.
pub(crate) fn parse(text: &str) -> Record {
    let mut record = Record::default();
    for term in text.split_ascii_whitespace().skip(1).take(TERMS_MAX) {
        if let Some((name, value)) = term.split_once('=').filter(|(name, _)| is_modifier(name)) {
            if name.eq_ignore_ascii_case("redirect") {
                record.redirect = target(value);
            }
            continue;
        }
        let sign = term.chars().next().filter(|c| "+-~?".contains(*c));
        let body = if sign.is_some() { &term[1..] } else { term };
        let (name, value) = body.split_once(':').unwrap_or((body, ""));
        let name = name.split('/').next().unwrap_or(name).to_ascii_lowercase();
        match name.as_str() {
            "all" => {
                record.all = Some(sign.unwrap_or('+'));
                break;
            }
            "include" => {
                let include = |of| Mechanism::Include { of, passes: matches!(sign, None | Some('+')) };
                record.mechanisms.push(target(value).map_or(Mechanism::Other, include));
            }
            "a" | "mx" => {
                let host = value.split('/').next().unwrap_or("");
                record.mechanisms.push(target(host).map_or(Mechanism::Other, Mechanism::Host));
            }
            "ptr" | "exists" => record.mechanisms.push(Mechanism::Other),
            "ip4" | "ip6" => record.open |= is_wide(&name, value) && matches!(sign, None | Some('+')),
            _ => record.errors.push(format!("unknown mechanism {:?}", name.chars().take(30).collect::<String>())),
        }
    }
    record
}

/// Bits of the widest range that somebody may hold: nobody holds more than a /8, and IANA gives registries a /12 of
/// IPv6 at most.
const RANGE_BITS_MIN: (u8, u8) = (8, 12);

/// True for a range of which most belongs to strangers.
fn is_wide(family: &str, range: &str) -> bool {
    let bits = range.rsplit_once('/').and_then(|(_, bits)| bits.parse::<u8>().ok());
    let least = if family.eq_ignore_ascii_case("ip4") { RANGE_BITS_MIN.0 } else { RANGE_BITS_MIN.1 };
    bits.is_some_and(|bits| bits < least)
}

/// The hosts that a record names as senders.
pub(crate) fn hosts(text: &str) -> Vec<String> {
    let mechanisms = parse(text).mechanisms.into_iter();
    let hosts = mechanisms.filter_map(|mechanism| match mechanism {
        Mechanism::Host(host) => Some(host),
        Mechanism::Include { .. } | Mechanism::Other => None,
    });
    hosts.collect()
}

/// The names that a record hands on to, or names as senders.
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    let Record { mechanisms, redirect, .. } = parse(text);
    let names = mechanisms.into_iter().filter_map(|mechanism| match mechanism {
        Mechanism::Include { of: name, .. } | Mechanism::Host(name) => Some(name),
        Mechanism::Other => None,
    });
    names.chain(redirect).collect()
}

fn is_modifier(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// A name that needs no macro.
fn target(value: &str) -> Option<String> {
    if value.contains('%') {
        return None;
    }
    Kind::DnsRecord.canonical(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_up_to_all() {
        let record = parse(
            "v=spf1 ip4:203.0.113.0/24 a:mail.acme.test mx include:_spf.vendor.test exists:%{i}.x.test ~all \
             include:late.test",
        );
        let include = Mechanism::Include { of: "_spf.vendor.test".into(), passes: true };
        let host = Mechanism::Host("mail.acme.test".into());
        assert_eq!(record.mechanisms, [host, Mechanism::Other, include, Mechanism::Other]);
        assert_eq!(
            parse("v=spf1 a a/24 a:out.acme.test/28 a:%{d} -all")
                .mechanisms
                .iter()
                .filter(|found| **found != Mechanism::Other)
                .count(),
            1
        );
        assert_eq!(record.all, Some('~'));
        assert!(record.errors.is_empty());
    }

    #[test]
    fn hosts_that_send_are_told_and_what_a_macro_makes_is_not() {
        let hosts = hosts("v=spf1 mx a:out.acme.test/28 mx:in.acme.test//64 a:%{d} include:_spf.acme.test -all");
        assert_eq!(hosts, ["out.acme.test", "in.acme.test"]);
    }

    #[test]
    fn a_range_of_all_addresses_lets_everybody_pass() {
        let open = |text: &str| parse(text).open;
        assert!(open("v=spf1 ip4:0.0.0.0/0 -all") && open("v=spf1 mx +ip6:::/0 -all"));
        assert!(!open("v=spf1 -ip4:0.0.0.0/0 -all") && !open("v=spf1 ip4:203.0.113.0/24 -all"));
        assert!(open("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all") && open("v=spf1 ip6:2000::/3 -all"));
        assert!(!open("v=spf1 ip4:17.0.0.0/8 ip6:2a00::/12 -all"));
        assert!(!open("v=spf1 -all ip4:0.0.0.0/0"), "nobody reads on behind all");
        let passes = |text: &str| {
            parse(text).mechanisms.iter().any(|found| matches!(found, Mechanism::Include { passes, .. } if *passes))
        };
        assert!(passes("v=spf1 +include:x.test -all") && !passes("v=spf1 ?include:x.test -all"));
    }

    #[test]
    fn signs_redirects_and_errors_are_kept() {
        assert_eq!(parse("v=spf1 +all").all, Some('+'));
        assert_eq!(parse("v=spf1 all").all, Some('+'));
        let record = parse("v=spf1 redirect=_spf.acme.test");
        assert_eq!((record.redirect.as_deref(), record.all), (Some("_spf.acme.test"), None));
        assert_eq!(parse("v=spf1 inlcude:x.test -all").errors.len(), 1);
        assert_eq!(parse("v=spf1 include:%{d}.x.test -all").mechanisms, [Mechanism::Other]);
    }
}
