//! Everything that could be registered against a name: every slip, every suffix, and the name beside words that lure.
//! For those who look for nothing else; the shorter list is above.

use super::letters::ASCII_ALIKE;
use super::{Found, Resemblance, VARIED_LETTERS_MIN, alike, lookalikes};
use crate::entity::registrable;
use std::collections::BTreeSet;

/// Top-level domains of the root zone, less the one of the infrastructure.
const TOPS: &str = include_str!("tops.txt");
/// Second levels below which registries of countries register names.
const SECOND_LEVELS: &[&str] = &["co", "com", "edu", "gob", "gov", "ne", "net", "or", "org"];
/// What stands beside a name to have it look like a part of its owner's.
const LURES: &[&str] = &[
    "access",
    "account",
    "accounts",
    "admin",
    "alert",
    "api",
    "app",
    "apps",
    "auth",
    "bank",
    "billing",
    "bonus",
    "business",
    "card",
    "care",
    "careers",
    "center",
    "claim",
    "client",
    "clients",
    "cloud",
    "confirm",
    "connect",
    "corp",
    "customer",
    "customers",
    "data",
    "delivery",
    "desk",
    "digital",
    "direct",
    "docs",
    "download",
    "email",
    "en",
    "files",
    "finance",
    "gift",
    "global",
    "group",
    "help",
    "helpdesk",
    "home",
    "hr",
    "id",
    "info",
    "internal",
    "intranet",
    "invest",
    "invoice",
    "it",
    "jobs",
    "link",
    "live",
    "login",
    "logon",
    "mail",
    "meeting",
    "mobile",
    "my",
    "news",
    "office",
    "official",
    "online",
    "order",
    "orders",
    "partner",
    "partners",
    "password",
    "pay",
    "payment",
    "payments",
    "payroll",
    "portal",
    "promo",
    "recovery",
    "refund",
    "register",
    "reset",
    "sale",
    "sales",
    "secure",
    "security",
    "service",
    "services",
    "share",
    "shop",
    "signin",
    "sso",
    "staff",
    "store",
    "support",
    "team",
    "track",
    "tracking",
    "update",
    "upgrade",
    "usa",
    "user",
    "verify",
    "vpn",
    "wallet",
    "web",
    "webmail",
];
/// What people type in front of a name without a dot behind it.
const PREFIXES: &[&str] = &["ftp", "http", "https", "m", "mail", "ww", "www", "wwww"];

/// Returns what could be registered against a domain, each name once, those first that are worth most. The domain
/// itself is not among them.
pub fn every_lookalike(domain: &str) -> Vec<(String, Resemblance)> {
    let Some((label, suffix)) = registrable(domain).and_then(|domain| domain.split_once('.')) else {
        return Vec::new();
    };
    let names = lookalikes(domain);
    let seen: BTreeSet<String> = names.iter().map(|(name, _)| name.clone()).collect();
    let mut found = Found { domain, suffix, seen, names };
    let unicode = idna::domain_to_unicode(label).0;
    for prefix in PREFIXES {
        found.add(&[format!("{prefix}{unicode}"), format!("{prefix}-{unicode}")], Resemblance::Prefix);
    }
    for lure in LURES {
        let labels = [
            format!("{unicode}-{lure}"),
            format!("{unicode}{lure}"),
            format!("{lure}-{unicode}"),
            format!("{lure}{unicode}"),
        ];
        for label in labels {
            found.add_name(&format!("{label}.{suffix}"), Resemblance::Lure);
            found.add_name(&format!("{label}.com"), Resemblance::Lure);
        }
    }
    let letters: Vec<char> = unicode.chars().collect();
    if letters.len() >= VARIED_LETTERS_MIN {
        for once in alike(&letters, ASCII_ALIKE) {
            found.add(&alike(&once.chars().collect::<Vec<_>>(), ASCII_ALIKE), Resemblance::AsciiAlike);
        }
    }
    for top in TOPS.split_whitespace() {
        found.add_name(&format!("{label}.{top}"), Resemblance::OtherSuffix);
        if top.len() == 2 {
            for second in SECOND_LEVELS {
                let name = format!("{label}.{second}.{top}");
                if registrable(&name) == Some(name.as_str()) {
                    found.add_name(&name, Resemblance::OtherSuffix);
                }
            }
        }
    }
    found.names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_beside_words_and_under_every_suffix_is_tried() {
        let found = every_lookalike("harbour.test");
        for (name, by) in [
            ("harbour-login.test", Resemblance::Lure),
            ("secureharbour.com", Resemblance::Lure),
            ("wwwharbour.test", Resemblance::Prefix),
            ("harb0vr.test", Resemblance::AsciiAlike),
            ("harbour.zip", Resemblance::OtherSuffix),
            ("harbour.com.au", Resemblance::OtherSuffix),
            ("harb0ur.test", Resemblance::AsciiAlike),
        ] {
            assert!(found.contains(&(name.to_owned(), by)), "{name}");
        }
        let once: BTreeSet<&String> = found.iter().map(|(name, _)| name).collect();
        assert_eq!(once.len(), found.len());
        assert!(!once.iter().any(|name| *name == "harbour.test"));
        assert!(found.starts_with(&lookalikes("harbour.test")), "what the shorter list has comes first");
        assert!(every_lookalike("com").is_empty());
    }

    #[test]
    fn a_short_name_has_suffixes_and_words_only() {
        let slips = |(_, by): &(String, Resemblance)| {
            !matches!(by, Resemblance::OtherSuffix | Resemblance::Lure | Resemblance::Prefix)
        };
        assert!(!every_lookalike("abc.test").iter().any(slips));
    }
}
