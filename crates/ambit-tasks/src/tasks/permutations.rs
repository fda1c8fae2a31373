//! Tries variations of known names: other numbers, other environments.

use crate::ask::guess::guess;
use crate::ask::host::is_below;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::facts::ProbeOutcome;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::Permutations,
    pretty_name: "Name permutations",
    description: "Tries names like the known ones of a domain: neighbouring numbers, other environments.",
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    footprint: Clearance::L3,
    ttl_ms: 7 * DAY_MS,
    cost: 36,
    gain: 2,
    volatile: &[],
    contacts: Contacts::Zone,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| {
        if facts.decision.scoped() && facts.looked(TaskName::WildcardProfile) {
            Plan::each(bases(facts).into_iter().chain(fruitful(facts)))
        } else {
            Plan::No
        }
    },
    run: |cx| Box::pin(run(cx)),
};

/// Names of one domain that are varied: beyond that the word list is the better guesser.
const BASES_MAX: usize = 2_000;
/// Characters of a label that is varied; longer ones are generated names.
const LABEL_CHARS_MAX: usize = 24;
/// Environments that organisations put beside a name.
const ENVIRONMENTS: &[&str] = &[
    "admin", "api", "beta", "demo", "dev", "int", "internal", "new", "old", "pre", "prod", "qa", "stage", "staging",
    "test", "uat", "v2",
];
/// How far a number is moved in each direction.
const NUMBER_REACH: u32 = 3;

/// Known names below the domain that something other than this task found: varying variations has no end.
fn bases(facts: &Facts) -> Vec<String> {
    let led = facts.outward.iter().chain(&facts.inward);
    let names = led.filter(|neighbour| {
        let edge = matches!(neighbour.edge, EdgeKind::Subdomain | EdgeKind::CertificateName);
        edge && neighbour.task != TASK.name.as_str()
            && neighbour.kind == Kind::DnsRecord
            && is_below(&neighbour.name, &facts.name)
    });
    let names: BTreeSet<String> = names.map(|neighbour| neighbour.name.clone()).collect();
    names
        .into_iter()
        .filter(|name| {
            name.split('.').next().is_some_and(|label| label.len() <= LABEL_CHARS_MAX && !label.starts_with('_'))
        })
        .take(BASES_MAX)
        .collect()
}

/// Names whose variations were found: they are varied as long as that bears fruit, also when the name itself is gone.
fn fruitful(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let found = facts.probes_of(TASK.name).filter(|(_, look)| look.outcome == ProbeOutcome::Found);
    found.map(|(name, _)| name.to_owned())
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let (label, level) =
        cx.argument.split_once('.').ok_or_else(|| TaskError::Failed(format!("not a name: {:?}", cx.argument)))?;
    guess(cx, level, variants(label).into_iter()).await
}

/// Labels like this one, sorted, itself not among them.
fn variants(label: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let digits_from = label.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, digits) = label.split_at(digits_from);
    if let Ok(number) = digits.parse::<u32>() {
        let width = digits.len();
        let range = number.saturating_sub(NUMBER_REACH)..=number.saturating_add(NUMBER_REACH);
        found.extend(range.map(|number| format!("{stem}{number:0width$}")));
        found.insert(stem.trim_end_matches('-').to_owned());
    } else {
        found.extend(["1", "2", "-1", "-2", "01", "02"].map(|suffix| format!("{label}{suffix}")));
    }
    let mut parts = label.split('-');
    let environment = |part: &str| ENVIRONMENTS.binary_search(&part).is_ok();
    let (first, last) = (parts.next().unwrap_or(""), parts.next_back());
    for other in ENVIRONMENTS {
        match last {
            Some(last) if environment(last) => {
                found.insert(format!("{}-{other}", label.strip_suffix(last).unwrap_or(label).trim_end_matches('-')));
            }
            Some(_) if environment(first) => {
                found.insert(format!("{other}{}", label.strip_prefix(first).unwrap_or(label)));
            }
            _ => {
                found.insert(format!("{label}-{other}"));
                found.insert(format!("{other}-{label}"));
            }
        }
    }
    if let Some(last) = last.filter(|last| environment(last)) {
        found.insert(label.strip_suffix(last).unwrap_or(label).trim_end_matches('-').to_owned());
    }
    found.retain(|variant| variant != label && !variant.is_empty() && variant.len() <= 63);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_move_and_keep_their_width() {
        let found = variants("web09");
        for name in ["web06", "web08", "web10", "web12", "web"] {
            assert!(found.contains(name), "{name}");
        }
        assert!(!found.contains("web09") && !found.contains("web9"));
        assert!(variants("app0").contains("app1"));
    }

    #[test]
    fn environments_are_put_beside_or_exchanged() {
        let found = variants("shop");
        for name in ["shop-dev", "dev-shop", "shop2", "shop01"] {
            assert!(found.contains(name), "{name}");
        }
        let found = variants("shop-dev");
        for name in ["shop", "shop-prod", "shop-staging"] {
            assert!(found.contains(name), "{name}");
        }
        assert!(!found.contains("dev-shop-dev"));
        assert!(variants("dev-shop").contains("test-shop"));
        assert!(found.len() < 40);
    }

    #[test]
    fn hostile_labels_stay_bounded() {
        for label in ["4294967295", "99999999999999999999", "-", "a".repeat(63).as_str()] {
            assert!(variants(label).iter().all(|variant| variant.len() <= 63), "{label}");
        }
    }
}
