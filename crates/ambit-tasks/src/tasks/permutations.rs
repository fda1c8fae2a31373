//! Tries variations of known names: other numbers, other environments.

use crate::ask::guess::guess;
use crate::ask::host::is_below;
use crate::siblings::Names;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::facts::ProbeOutcome;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::Permutations,
    pretty_name: "Name permutations",
    description: "Tries names like the known ones of a domain: neighbouring numbers, other environments.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    footprint: Clearance::L3,
    wave: Wave::Variations,
    ttl_ms: 7 * DAY_MS,
    cost: 60,
    gain: 2,
    slow: false,
    volatile: &[],
    contacts: Contacts::Zone,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| {
        if facts.decision.scoped() && facts.looked(TaskName::WildcardProfile) {
            Plan::each(bases(facts).map(str::to_owned).chain(fruitful(facts)))
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
/// Characters of a part of a label from which on it may be generated: an identifier of a deployment, a hash.
const GENERATED_CHARS_MIN: usize = 8;
/// Changes between letters and digits in a part of a label that nobody made up.
const GENERATED_CHANGES_MIN: usize = 4;
/// Environments that organisations put beside a name.
const ENVIRONMENTS: &[&str] = &[
    "admin", "api", "beta", "demo", "dev", "int", "internal", "new", "old", "pre", "prod", "qa", "stage", "staging",
    "test", "uat", "v2",
];
/// How far a number is moved in each direction.
const NUMBER_REACH: u32 = 3;
/// Labels that other names of the domain suggest for one of them.
const LEARNED_MAX: usize = 60;

/// Known names below the domain that something other than this task found.
fn found_otherwise(facts: &Facts) -> impl Iterator<Item = &str> {
    let led = facts.outward.iter().chain(&facts.inward);
    let names = led.filter(|neighbour| {
        let edge = matches!(neighbour.edge, EdgeKind::Subdomain | EdgeKind::CertificateName);
        edge && neighbour.task != TASK.name.as_str()
            && neighbour.kind == Kind::DnsRecord
            && is_below(&neighbour.name, &facts.name)
    });
    names.map(|neighbour| neighbour.name.as_str())
}

/// Names that are varied: not those that are variations themselves, which has no end.
fn bases(facts: &Facts) -> impl Iterator<Item = &str> {
    let names: BTreeSet<&str> = found_otherwise(facts).collect();
    names
        .into_iter()
        .filter(|name| {
            name.split('.').next().is_some_and(|label| {
                label.len() <= LABEL_CHARS_MAX && !label.starts_with('_') && !label.split('-').any(is_generated)
            })
        })
        .take(BASES_MAX)
}

/// True for a part of a label that a program made up, such as `8c3e1276`: nothing is next to it.
fn is_generated(part: &str) -> bool {
    let (digits, letters) = (part.bytes().any(|c| c.is_ascii_digit()), part.bytes().any(|c| c.is_ascii_alphabetic()));
    if part.len() < GENERATED_CHARS_MIN || !digits || !letters {
        return false;
    }
    let kinds: Vec<bool> = part.bytes().map(|c| c.is_ascii_digit()).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    part.bytes().all(|c| c.is_ascii_hexdigit()) || changes >= GENERATED_CHANGES_MIN
}

/// Names whose variations were found: they are varied as long as that bears fruit, also when the name itself is gone.
fn fruitful(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let found = facts.probes_of(TASK.name).filter(|(_, look)| look.outcome == ProbeOutcome::Found);
    found.map(|(name, _)| name.to_owned())
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let (label, level) =
        cx.argument.split_once('.').ok_or_else(|| TaskError::Failed(format!("not a name: {:?}", cx.argument)))?;
    let names = match cx.memory {
        Some(memory) => memory.siblings.of(cx.facts, names),
        None => Arc::new(names(cx.facts)),
    };
    let mut labels = variants(label);
    labels.extend(learned(label, names.labels.iter().map(String::as_str)));
    // What another task found is no guess.
    labels.retain(|label| !names.known.contains(&format!("{label}.{level}")));
    guess(cx, TASK.name, level, labels.into_iter()).await
}

/// The names of a domain, as its rows compare theirs with them.
fn names(facts: &Facts) -> Names {
    Names {
        labels: bases(facts).filter_map(|name| name.split('.').next()).map(str::to_owned).collect(),
        known: found_otherwise(facts).map(str::to_owned).collect(),
    }
}

/// Labels like this one, sorted, itself not among them: other numbers and environments in each of its parts, or beside
/// it where it has none.
fn variants(label: &str) -> BTreeSet<String> {
    let parts: Vec<&str> = label.split('-').collect();
    let mut found = BTreeSet::new();
    let (mut numbered, mut placed) = (false, false);
    for (at, part) in parts.iter().enumerate() {
        let numbers = moved(part);
        numbered |= !numbers.is_empty();
        found.extend(numbers.iter().map(|number| with(&parts, at, number)));
        if ENVIRONMENTS.binary_search(part).is_ok() && parts.len() > 1 {
            placed = true;
            found.extend(ENVIRONMENTS.iter().map(|other| with(&parts, at, other)));
            found.insert(with(&parts, at, ""));
        }
    }
    if !numbered {
        found.extend(["1", "2", "-1", "-2", "01", "02"].map(|suffix| format!("{label}{suffix}")));
    }
    if !placed {
        found.extend(ENVIRONMENTS.iter().flat_map(|other| [format!("{label}-{other}"), format!("{other}-{label}")]));
    }
    found.retain(|variant| is_new(variant, label));
    found
}

/// The parts of a label with one of them replaced; an empty one goes with its hyphen.
fn with(parts: &[&str], at: usize, replaced: &str) -> String {
    let part = |(index, part): (usize, &&str)| if index == at { replaced.to_owned() } else { (*part).to_owned() };
    parts.iter().enumerate().map(part).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// A part that ends in a number, with the numbers around it and without any.
fn moved(part: &str) -> Vec<String> {
    let (stem, digits) = part.split_at(part.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    let Ok(number) = digits.parse::<u32>() else { return Vec::new() };
    let width = digits.len();
    let range = number.saturating_sub(NUMBER_REACH)..=number.saturating_add(NUMBER_REACH);
    range.map(|number| format!("{stem}{number:0width$}")).chain([stem.to_owned()]).collect()
}

/// Labels of as many parts as this one, in which one part is what it is in another known name: where `eu-west-1-api`
/// and `us-east-1-web` are known, `us-west-1-api` may be there.
fn learned<'a>(label: &str, siblings: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let parts: Vec<&str> = label.split('-').collect();
    if parts.len() < 2 {
        return BTreeSet::new();
    }
    let mut found = BTreeSet::new();
    for sibling in siblings {
        let others: Vec<&str> = sibling.split('-').collect();
        if others.len() == parts.len() {
            found.extend(others.iter().enumerate().map(|(at, other)| with(&parts, at, other)));
        }
    }
    found.into_iter().filter(|variant| is_new(variant, label)).take(LEARNED_MAX).collect()
}

fn is_new(variant: &str, label: &str) -> bool {
    variant != label && !variant.is_empty() && variant.len() <= 63
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
    fn what_a_program_made_up_is_not_varied() {
        for part in ["8c3e1276", "k8c3e1276", "d693816b2", "01cfe05b"] {
            assert!(is_generated(part), "{part}");
        }
        for part in ["web01", "web01prod02", "eu2west1", "account", "20240101", "db2", "facade", "intranet01"] {
            assert!(!is_generated(part), "{part}");
        }
    }

    #[test]
    fn each_part_of_a_label_varies() {
        let found = variants("eu-west-1-prod-api");
        for name in ["eu-west-2-prod-api", "eu-west-prod-api", "eu-west-1-dev-api", "eu-west-1-api"] {
            assert!(found.contains(name), "{name}");
        }
        assert!(!found.contains("eu-west-1-prod-api"));
        assert!(variants("api").contains("api-dev"), "an environment alone is a name");
    }

    #[test]
    fn the_parts_of_other_names_are_tried() {
        let found = learned("eu-west-1-api", ["us-east-1-web", "www", "shop-dev", "eu-west-1-api"].into_iter());
        let expected = ["eu-east-1-api", "eu-west-1-web", "us-west-1-api"];
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn hostile_labels_stay_bounded() {
        let many: Vec<String> = (0..500).map(|number| format!("a{number}-b")).collect();
        assert_eq!(learned("x-y", many.iter().map(String::as_str)).len(), LEARNED_MAX);
        for label in ["4294967295", "99999999999999999999", "-", "a".repeat(63).as_str()] {
            assert!(variants(label).iter().all(|variant| variant.len() <= 63), "{label}");
        }
    }
}
