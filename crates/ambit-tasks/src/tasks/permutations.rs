//! Tries variations of known names: other numbers, other environments.

use crate::ask::guess::guess_on;
use crate::ask::host::is_below;
use crate::siblings::Names;
use crate::{Again, Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::facts::{Neighbour, ProbeOutcome};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Uid, Wave, workflow};
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
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
    again: Again::UnlessGone,
    cost: 60,
    gain: 2,
    plan: |facts, _| {
        if facts.decision.scoped() && facts.outcome(TaskName::WildcardProfile).is_some() {
            Plan::each(bases(facts).map(str::to_owned).chain(fruitful(facts)))
        } else {
            Plan::No
        }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
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
/// How far a number is moved in each direction; as far again where a name with one of these is there.
const NUMBER_REACH: u32 = 3;
/// How often it is moved on: a series of thirty names is followed from any of them.
const STEPS_MAX: usize = 10;
/// Labels that other names of the domain suggest for one of them.
const LEARNED_MAX: usize = 60;

/// Known names below the domain that something other than this task found. That the zone has a name which was guessed
/// is asked for each of them, and finds none.
fn found_otherwise(facts: &Facts) -> impl Iterator<Item = &str> {
    let is_of = |neighbour: &Neighbour, task: TaskName| neighbour.task == task.as_str();
    let guessed = facts.outward.iter().filter(|neighbour| is_of(neighbour, TASK.name));
    let guessed: HashSet<Uid> = guessed.map(|neighbour| neighbour.uid).collect();
    let led = facts.outward.iter().chain(&facts.inward);
    let names = led.filter(move |neighbour| {
        let edge = matches!(neighbour.edge, EdgeKind::Subdomain | EdgeKind::CertificateName);
        let is_guess =
            is_of(neighbour, TASK.name) || (is_of(neighbour, TaskName::Subdomain) && guessed.contains(&neighbour.uid));
        edge && !is_guess && neighbour.kind == Kind::DnsRecord && is_below(&neighbour.name, &facts.name)
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

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let (label, level) =
        cx.argument.split_once('.').ok_or_else(|| TaskError::Failed(format!("not a name: {:?}", cx.argument)))?;
    let names = match cx.memory {
        Some(memory) => memory.siblings.of(cx.facts, names),
        None => Arc::new(names(cx.facts)),
    };
    let mut labels = variants(label);
    labels.extend(learned(label, names.labels.iter().map(String::as_str)));
    // What another task found is no guess.
    let is_known = |label: &String| names.known.contains(&format!("{label}.{level}"));
    labels.retain(|label| !is_known(label));
    let parts: Vec<&str> = label.split('-').collect();
    let mut walks = walks(&parts);
    let further = |hits: &BTreeSet<String>| {
        let is_there = |label: &String| is_known(label) || hits.contains(&format!("{label}.{level}"));
        go_on(&mut walks, is_known, is_there)
    };
    guess_on(cx, TASK.name, (level, level), labels.into_iter().collect(), further).await
}

/// The numbers in a part of a label that were asked for last, in one direction.
struct Walk<'a> {
    parts: &'a [&'a str],
    at: usize,
    stem: &'a str,
    width: usize,
    up: bool,
    asked: RangeInclusive<u32>,
    steps: usize,
}

/// Both directions of each number in the parts of a label, as [`variants`] asks for them.
fn walks<'a>(parts: &'a [&'a str]) -> Vec<Walk<'a>> {
    let numbered =
        parts.iter().enumerate().filter_map(|(at, part)| numbered(part).map(|(stem, n, w)| (at, stem, n, w)));
    let both = numbered.flat_map(|(at, stem, number, width)| {
        let walk = |up, asked| Walk { parts, at, stem, width, up, asked, steps: 0 };
        let down = number.saturating_sub(NUMBER_REACH)..=number.saturating_sub(1);
        [walk(true, number.saturating_add(1)..=number.saturating_add(NUMBER_REACH)), walk(false, down)]
    });
    both.collect()
}

impl Walk<'_> {
    fn labels(&self) -> Vec<String> {
        let (stem, width) = (self.stem, self.width);
        self.asked.clone().map(|number| with(self.parts, self.at, &format!("{stem}{number:0width$}"))).collect()
    }

    /// Moves on to the numbers that come next; false where there are none, or enough were asked for.
    fn step(&mut self) -> bool {
        let next = match self.up {
            true => self.asked.end().checked_add(1).map(|first| first..=first.saturating_add(NUMBER_REACH - 1)),
            false => self.asked.start().checked_sub(1).map(|last| last.saturating_sub(NUMBER_REACH - 1)..=last),
        };
        self.steps += 1;
        next.filter(|_| self.steps <= STEPS_MAX).map(|next| self.asked = next).is_some()
    }
}

/// Labels with the numbers that come next where a name with one of the last ones is there, without those that are
/// known.
fn go_on(
    walks: &mut Vec<Walk<'_>>,
    is_known: impl Fn(&String) -> bool,
    is_there: impl Fn(&String) -> bool,
) -> Vec<String> {
    let mut labels = BTreeSet::new();
    walks.retain_mut(|walk| {
        while walk.labels().iter().any(&is_there) && walk.step() {
            let unknown: Vec<String> = walk.labels().into_iter().filter(|label| !is_known(label)).collect();
            if !unknown.is_empty() {
                labels.extend(unknown);
                return true;
            }
        }
        false
    });
    labels.into_iter().filter(|label| label.len() <= 63).collect()
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

/// What stands before the number at the end of a part, the number, and its width.
fn numbered(part: &str) -> Option<(&str, u32, usize)> {
    let (stem, digits) = part.split_at(part.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    Some((stem, digits.parse().ok()?, digits.len()))
}

/// A part that ends in a number, with the numbers around it and without any.
fn moved(part: &str) -> Vec<String> {
    let Some((stem, number, width)) = numbered(part) else { return Vec::new() };
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
    fn a_series_is_followed_through_what_is_known_until_it_ends() {
        let follow = |label: &str, there: &dyn Fn(&str) -> bool, known: &[&str]| -> Vec<String> {
            let parts: Vec<&str> = label.split('-').collect();
            let mut walks = walks(&parts);
            let mut asked = Vec::new();
            loop {
                let is_known = |label: &String| known.contains(&label.as_str());
                let labels = go_on(&mut walks, is_known, |label| is_known(label) || there(label));
                if labels.is_empty() {
                    return asked;
                }
                asked.extend(labels);
            }
        };
        let none: [&str; 0] = [];
        assert_eq!(follow("web", &|_| true, &none), none, "no number");
        assert_eq!(follow("web09", &|_| false, &none), none, "nothing is beside it");
        let found = follow("web09", &|label| ("web09"..="web13").contains(&label), &none);
        assert_eq!(found, ["web13", "web14", "web15", "web16", "web17", "web18"], "until none of three is there");
        let found = follow("web9", &|label| label == "web16", &["web10", "web11", "web12", "web13", "web14", "web15"]);
        assert_eq!(found, ["web16", "web17", "web18", "web19", "web20", "web21"], "known ones are not asked for");
        let found = follow("a2-b1", &|label| label.ends_with("-b1"), &none);
        assert!(
            found.contains(&"a12-b1".to_owned()) && !found.iter().any(|label| label.starts_with("a2-")),
            "{found:?}"
        );
        let all = follow("web500", &|_| true, &none);
        assert_eq!(all.len(), 2 * 3 * STEPS_MAX, "it has an end");
        let all = follow("web2", &|_| true, &none);
        assert_eq!(all.len(), 3 * STEPS_MAX, "nothing is below zero");
        assert_eq!(follow("web4294967295", &|_| true, &none).len(), 3 * STEPS_MAX, "nor above the largest");
    }

    #[test]
    fn names_that_were_guessed_are_not_varied_because_the_zone_has_them() {
        let mut facts = crate::tests::facts(Kind::Domain, "acme.test", serde_json::json!({}));
        let led = |number: u8, name: &str, task: TaskName| Neighbour {
            edge: EdgeKind::Subdomain,
            task: task.as_str().to_owned(),
            argument: String::new(),
            uid: Uid::from_bytes([number; 32]),
            kind: Kind::DnsRecord,
            name: name.to_owned(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: Arc::default(),
        };
        facts.outward = vec![
            led(1, "www1.acme.test", TaskName::NameSweep),
            led(2, "www2.acme.test", TaskName::Permutations),
            led(2, "www2.acme.test", TaskName::Subdomain),
            led(3, "mail1.acme.test", TaskName::Subdomain),
            led(4, "app1.acme.test", TaskName::Permutations),
            led(4, "app1.acme.test", TaskName::Subdomain),
            led(4, "app1.acme.test", TaskName::ZoneTransfer),
        ];
        let varied: Vec<&str> = bases(&facts).collect();
        assert_eq!(varied, ["app1.acme.test", "mail1.acme.test", "www1.acme.test"]);
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
