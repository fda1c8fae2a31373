//! Suffixes below which somebody may have the same label as another: all top levels, the second levels that the public
//! suffix list has below them, and providers' names, with those first below which names are had most.

use crate::entity::{is_shared_suffix, registrable};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Top-level domains of the root zone, less the one of the infrastructure (RFC 3172).
const TOPS: &str = include_str!("tops.txt");
/// Second levels below which registries register names for everybody.
const GENERAL_LEVELS: &[&str] = &["co", "com", "edu", "gob", "gov", "ne", "net", "or", "org"];
/// Second levels of places and trades, of which many registries have some.
const SPECIAL_LEVELS: &[&str] = &[
    "ac", "art", "asso", "biz", "club", "coop", "ed", "firm", "gen", "go", "gouv", "gv", "id", "in", "ind", "inf",
    "info", "int", "k12", "ltd", "me", "med", "mil", "mobi", "name", "nic", "nom", "nt", "plc", "press", "priv", "pro",
    "rec", "sc", "sch", "school", "shop", "store", "tm", "tourism", "tur", "tv", "web",
];
/// Where providers give a name to anybody who asks for one.
const PROVIDERS: &str = include_str!("providers.txt");

/// How likely somebody has a name below a suffix: the order in which they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// A top level.
    Top,
    /// A second level for everybody: `co.uk`.
    General,
    /// A provider's for its customers, near the top: `github.io`.
    Shared,
    /// Another second level, of a place or a trade.
    Second,
    /// A provider's, further below.
    SharedDeep,
}

/// A public suffix.
pub(super) struct Suffix {
    /// As name servers know it.
    pub(super) name: String,
    /// A provider gives the names below it to its customers.
    pub(super) shared: bool,
    worth: Worth,
}

/// All suffixes, those first that are worth most. What the public suffix list says of a combination decides.
pub(super) static SUFFIXES: LazyLock<Vec<Suffix>> = LazyLock::new(|| {
    let tops: Vec<&str> = TOPS.split_whitespace().collect();
    let levels = GENERAL_LEVELS.iter().chain(SPECIAL_LEVELS);
    let below = levels.flat_map(|level| tops.iter().map(move |top| format!("{level}.{top}")));
    let names = tops.iter().copied().map(str::to_owned).chain(below);
    let names = names.chain(PROVIDERS.split_whitespace().map(str::to_owned));
    let mut seen = BTreeSet::new();
    let mut suffixes: Vec<Suffix> =
        names.filter_map(|name| suffix(&name)).filter(|suffix| seen.insert(suffix.name.clone())).collect();
    suffixes.sort_by_key(|suffix| suffix.worth);
    suffixes
});

fn suffix(name: &str) -> Option<Suffix> {
    let name = idna::domain_to_ascii(name).ok()?;
    let (first, dots) = (name.split('.').next()?, name.matches('.').count());
    if registrable(&name).is_some() || registrable(&format!("x.{name}")).is_none() {
        return None;
    }
    let shared = is_shared_suffix(&name);
    let worth = match (shared, dots) {
        (false, 0) => Worth::Top,
        (false, 1) if GENERAL_LEVELS.contains(&first) => Worth::General,
        (false, _) => Worth::Second,
        (true, 1) => Worth::Shared,
        (true, _) => Worth::SharedDeep,
    };
    Some(Suffix { name, shared, worth })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Option<usize> {
        SUFFIXES.iter().position(|suffix| suffix.name == name)
    }

    #[test]
    fn suffixes_are_there_in_the_order_of_their_worth() {
        let order = ["bank", "com.au", "github.io", "asso.fr", "blob.core.windows.net"];
        assert!(
            order.map(place).is_sorted() && order.iter().all(|name| place(name).is_some()),
            "{:?}",
            order.map(place)
        );
        for (name, is_there) in [
            ("xn--p1ai", true),
            ("pages.dev", true),
            ("co.ck", true),
            ("com.bank", false),
            ("arpa", false),
            ("onion", false),
            ("example", false),
        ] {
            assert_eq!(place(name).is_some(), is_there, "{name}");
        }
    }

    #[test]
    fn every_top_level_and_provider_of_ours_is_in_the_public_suffix_list() {
        for name in TOPS.split_whitespace() {
            // Any top level is a suffix by the last rule of the list; one that is known has a rule of its own.
            let below = format!("x.{}", idna::domain_to_ascii(name).unwrap());
            assert!(psl::suffix(below.as_bytes()).is_some_and(|suffix| suffix.is_known()), "{name}");
        }
        for name in PROVIDERS.split_whitespace() {
            assert!(place(name).is_some_and(|at| SUFFIXES[at].shared), "{name}");
        }
    }

    #[test]
    fn what_a_provider_gives_out_is_told_from_what_a_registry_registers() {
        let shared = |name: &str| place(name).map(|at| SUFFIXES[at].shared);
        assert_eq!((shared("github.io"), shared("co.uk"), shared("uk.com")), (Some(true), Some(false), Some(true)));
    }
}
