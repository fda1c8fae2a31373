//! Names of a domain that rows of a run compare theirs with. A domain may have a hundred thousand names and thousands
//! of such rows: what they read of it is put in order once for all that see the same.

use ambit_model::{Facts, Uid};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Domains that are remembered at once; beyond that all are put in order anew.
const DOMAINS_MAX: usize = 16;

/// The names of a domain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The first labels of those that are varied, in the order of the names.
    pub(crate) labels: Vec<String>,
    /// All that something other than a guess found.
    pub(crate) known: HashSet<String>,
}

/// How many ends the facts of a domain have, outward and inward: within a run a name only comes in addition.
type Ends = (usize, usize);

/// The names of domains that rows are at work on.
#[derive(Debug, Default)]
pub(crate) struct Siblings(Mutex<HashMap<Uid, (Ends, Arc<Names>)>>);

impl Siblings {
    /// The names in the facts of a domain, as `read` puts them in order.
    pub(crate) fn of(&self, facts: &Facts, read: impl FnOnce(&Facts) -> Names) -> Arc<Names> {
        let ends = (facts.outward.len(), facts.inward.len());
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().get(&facts.uid).filter(|(of, _)| *of == ends).map(|(_, names)| Arc::clone(names));
        // Others go on meanwhile: two that come together put the names in order twice.
        known.unwrap_or_else(|| {
            let names = Arc::new(read(facts));
            let mut domains = held();
            if domains.len() >= DOMAINS_MAX && !domains.contains_key(&facts.uid) {
                domains.clear();
            }
            domains.insert(facts.uid, (ends, Arc::clone(&names)));
            names
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::facts::Neighbour;
    use ambit_model::{Clearance, EdgeKind, Kind};
    use serde_json::json;

    fn domain(number: u8) -> Facts {
        let name = format!("acme{number}.test");
        Facts { uid: Uid::from_bytes([number; 32]), ..crate::tests::facts(Kind::Domain, &name, json!({})) }
    }

    #[test]
    fn names_are_put_in_order_once_until_there_are_more() {
        let siblings = Siblings::default();
        let names = |label: &str| Names { labels: vec![label.to_owned()], ..Names::default() };
        let mut facts = domain(0);
        assert_eq!(siblings.of(&facts, |_| names("a")).labels, ["a"]);
        assert_eq!(siblings.of(&facts, |_| names("b")).labels, ["a"]);
        facts.outward.push(Neighbour {
            edge: EdgeKind::Subdomain,
            task: "name_sweep".to_owned(),
            argument: String::new(),
            uid: Uid::from_bytes([200; 32]),
            kind: Kind::DnsRecord,
            name: "www.acme0.test".to_owned(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: Arc::default(),
        });
        assert_eq!(siblings.of(&facts, |_| names("b")).labels, ["b"]);
        for number in 1..=u8::try_from(DOMAINS_MAX).unwrap() {
            siblings.of(&domain(number), |_| names("c"));
        }
        assert!(siblings.0.lock().unwrap().len() <= DOMAINS_MAX);
    }
}
