//! How well an organisation protects what everybody can see of its domains: as well as the weakest of them. Pure: the
//! postures of domains in, those of their registrants out.

use super::{Area, Finding, Grade, Posture};
use crate::scope::registrant_key;
use crate::{Timestamp, Uid};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A score with its grade; `None` where there is none.
pub type Score = Option<(i32, Grade)>;

/// Postures that a domain had: from which moment on, oldest first; `None` where it had none.
pub type History = Vec<(Timestamp, Option<Posture>)>;

/// A history as it is stored, a value of the member of the details at each moment.
pub fn history(stored: Vec<(Timestamp, Option<Value>)>) -> History {
    stored.into_iter().map(|(at, value)| (at, value.and_then(|value| serde_json::from_value(value).ok()))).collect()
}

/// A domain with its posture, and those that it had.
#[derive(Clone, Debug)]
pub struct WeighedDomain {
    pub uid: Uid,
    pub name: String,
    pub posture: Posture,
    pub history: History,
}

/// What is made of the domains that one organisation registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationPosture {
    /// As the registry writes it, for the weakest domain. `None` where the registry does not say who registered a
    /// domain: such a domain stands for itself.
    pub organization: Option<String>,
    /// The score of the weakest domain.
    pub score: i32,
    pub grade: Grade,
    /// Its domains with their scores, the weakest first.
    pub domains: Vec<(Uid, String, i32)>,
    /// What takes points away from any of them, the weightiest first, each once with the domains that it is true of.
    pub findings: Vec<(Finding, BTreeSet<String>)>,
    /// What could not be looked at on any of them.
    pub unknown: BTreeSet<Area>,
    /// Scores as they followed on one another, oldest first; `None` where none of its domains had one from then on.
    pub history: Vec<(Timestamp, Score)>,
}

/// The organisations that registered these domains, the weakest first. Registrants are equal but for case and
/// punctuation.
pub fn organizations(domains: Vec<WeighedDomain>) -> Vec<OrganizationPosture> {
    let mut groups: BTreeMap<(String, Option<Uid>), Vec<WeighedDomain>> = BTreeMap::new();
    for domain in domains {
        let key = domain.posture.organization.as_deref().map(registrant_key).filter(|key| !key.is_empty());
        let key = key.map_or_else(|| (String::new(), Some(domain.uid)), |key| (key, None));
        groups.entry(key).or_default().push(domain);
    }
    let mut made: Vec<OrganizationPosture> = groups.into_values().filter_map(organization).collect();
    made.sort_by(|a, b| (a.score, &a.organization, &a.domains).cmp(&(b.score, &b.organization, &b.domains)));
    made
}

/// What is made of the domains of one organisation; `None` without any.
fn organization(mut domains: Vec<WeighedDomain>) -> Option<OrganizationPosture> {
    domains.sort_by(|a, b| (a.posture.score, &a.name).cmp(&(b.posture.score, &b.name)));
    let weakest = &domains.first()?.posture;
    Some(OrganizationPosture {
        organization: weakest.organization.clone(),
        score: weakest.score,
        grade: weakest.grade,
        findings: findings(&domains),
        unknown: domains.iter().flat_map(|domain| domain.posture.unknown.iter().copied()).collect(),
        history: scores(domains.iter().map(|domain| &domain.history)),
        domains: domains.into_iter().map(|domain| (domain.uid, domain.name, domain.posture.score)).collect(),
    })
}

fn findings(domains: &[WeighedDomain]) -> Vec<(Finding, BTreeSet<String>)> {
    let mut found: BTreeMap<(i32, &str), (&Finding, BTreeSet<String>)> = BTreeMap::new();
    for domain in domains {
        for finding in &domain.posture.findings {
            let (_, names) = found.entry((finding.points, &finding.text)).or_insert_with(|| (finding, BTreeSet::new()));
            names.insert(domain.name.clone());
        }
    }
    found.into_values().map(|(finding, names)| (finding.clone(), names)).collect()
}

/// Scores as they followed on one another, oldest first: the least of the histories from each moment on at which it
/// changed. Reasons that change without the score are no other score.
pub fn scores<'a>(histories: impl Iterator<Item = &'a History>) -> Vec<(Timestamp, Score)> {
    let mut changes: BTreeMap<Timestamp, Vec<(usize, Score)>> = BTreeMap::new();
    for (of, history) in histories.enumerate() {
        for (at, posture) in history {
            let score = posture.as_ref().map(|posture| (posture.score, posture.grade));
            changes.entry(*at).or_default().push((of, score));
        }
    }
    let mut now: BTreeMap<usize, (i32, Grade)> = BTreeMap::new();
    let mut scores: Vec<(Timestamp, Score)> = Vec::new();
    for (at, changed) in changes {
        for (of, score) in changed {
            match score {
                Some(score) => now.insert(of, score),
                None => now.remove(&of),
            };
        }
        let least = now.values().min_by_key(|(score, _)| *score).copied();
        // Before the first score there is nothing to tell.
        if scores.last().map_or(least.is_some(), |(_, before)| *before != least) {
            scores.push((at, least));
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEAK: &str = "says nowhere who may send its mail (no SPF)";
    const OPEN: &str = "its zone is not signed (no DNSSEC)";

    fn posture(score: i32, grade: Grade, organization: Option<&str>, texts: &[(i32, &str)]) -> Posture {
        let finding = |(points, text): &(i32, &str)| Finding { area: Area::Dns, points: *points, text: (*text).into() };
        Posture {
            score,
            grade,
            organization: organization.map(str::to_owned),
            findings: texts.iter().map(finding).collect(),
            unknown: BTreeSet::new(),
        }
    }

    fn domain(number: u8, posture: Posture, history: History) -> WeighedDomain {
        WeighedDomain { uid: Uid::from_bytes([number; 32]), name: format!("d{number}.test"), posture, history }
    }

    #[test]
    fn an_organisation_is_as_well_protected_as_its_weakest_domain_with_each_reason_once() {
        let strong = posture(96, Grade::A, Some("GLOBEX  LTD."), &[(-4, OPEN)]);
        let weak = posture(84, Grade::B, Some("Globex Ltd"), &[(-12, WEAK), (-4, OPEN)]);
        let made = organizations(vec![domain(1, strong, Vec::new()), domain(2, weak, Vec::new())]);
        assert_eq!(made.len(), 1, "{made:?}");
        assert_eq!((made[0].score, made[0].grade), (84, Grade::B));
        assert_eq!(made[0].organization.as_deref(), Some("Globex Ltd"));
        let said: Vec<_> = made[0].findings.iter().map(|(finding, of)| (finding.text.as_str(), of.len())).collect();
        assert_eq!(said, [(WEAK, 1), (OPEN, 2)]);
    }

    #[test]
    fn domains_that_nobody_says_to_have_registered_stand_for_themselves() {
        let unnamed = || posture(50, Grade::E, None, &[]);
        let made = organizations(vec![domain(1, unnamed(), Vec::new()), domain(2, unnamed(), Vec::new())]);
        assert_eq!(made.len(), 2);
        assert!(made.iter().all(|of| of.organization.is_none() && of.domains.len() == 1));
    }

    #[test]
    fn the_history_is_that_of_whichever_domain_was_the_weakest() {
        let of = |score, grade| posture(score, grade, Some("Globex"), &[]);
        let first = vec![
            (Timestamp(1), None),
            (Timestamp(2), Some(of(70, Grade::C))),
            (Timestamp(5), Some(of(90, Grade::A))),
            (Timestamp(9), None),
        ];
        let second = vec![(Timestamp(3), Some(of(80, Grade::B))), (Timestamp(8), None)];
        let made = organizations(vec![domain(1, of(90, Grade::A), first), domain(2, of(80, Grade::B), second)]);
        let told: Vec<_> = made[0].history.iter().map(|(at, score)| (at.0, score.map(|(score, _)| score))).collect();
        assert_eq!(told, [(2, Some(70)), (5, Some(80)), (8, Some(90)), (9, None)]);
    }
}
