//! Postures: how well domains protect what everybody can see of them, with reasons and history. Ours.

use crate::Word;
use crate::contract::contract;
use ambit_model::entity::domain;
use ambit_model::entity::posture as model;
use ambit_model::posture as weighed;
use ambit_model::{Details, Timestamp, Uid};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

contract! {
    /// How well a seed of a collection is protected, and whose services it uses.
    #[derive(Debug, Serialize)]
    pub struct SeedPosture {
        pub name: String,
        pub uid: Uid,
        pub score: i64,
        pub grade: Word<model::Grade>,
        /// Who registered the domain, where the registry says it.
        pub organization: Option<String>,
        pub findings: Vec<PostureFinding>,
        pub unknown: Vec<Word<model::Area>>,
        pub suppliers: Vec<UsedService>,
    }

    /// How well an entity is protected; null where nobody weighed it.
    #[derive(Debug, Serialize)]
    pub struct EntityPosture {
        pub posture: Option<Posture>,
        pub suppliers: Vec<UsedService>,
        /// Scores as they followed on one another, oldest first; a null score says that there was none from then on.
        pub history: Vec<PosturePoint>,
    }

    /// A score from 0 to 100 with its reasons, the weightiest first, and what could not be looked at.
    #[derive(Debug, Serialize)]
    pub struct Posture {
        pub score: i64,
        pub grade: Word<model::Grade>,
        /// Who registered the domain, where the registry says it.
        pub organization: Option<String>,
        pub findings: Vec<PostureFinding>,
        pub unknown: Vec<Word<model::Area>>,
    }

    /// How well the domains among the seeds of a collection that one organisation registered are protected: as well as
    /// the weakest of them.
    #[derive(Debug, Serialize)]
    pub struct OrganizationPosture {
        /// As the registry writes it; null where it does not say who registered the domain, which then stands alone.
        pub organization: Option<String>,
        pub score: i64,
        pub grade: Word<model::Grade>,
        /// Its domains, the weakest first.
        pub domains: Vec<OrganizationDomain>,
        /// What takes points away from any of them, the weightiest first.
        pub findings: Vec<OrganizationFinding>,
        pub unknown: Vec<Word<model::Area>>,
        /// Scores as they followed on one another, oldest first; a null score says that there was none from then on.
        pub history: Vec<PosturePoint>,
    }

    /// A domain of an organisation with its score.
    #[derive(Debug, Serialize)]
    pub struct OrganizationDomain {
        pub name: String,
        pub uid: Uid,
        pub score: i64,
    }

    /// Something that takes points away from domains of an organisation.
    #[derive(Debug, Serialize)]
    pub struct OrganizationFinding {
        pub area: Word<model::Area>,
        /// How many of each, below zero.
        pub points: i64,
        pub text: String,
        /// Names of the domains that it is true of.
        pub domains: Vec<String>,
    }

    /// Something that takes points away.
    #[derive(Debug, Serialize)]
    pub struct PostureFinding {
        pub area: Word<model::Area>,
        /// How many, below zero.
        pub points: i64,
        pub text: String,
    }

    /// A service of somebody else that a domain uses, and what shows it.
    #[derive(Debug, Serialize)]
    pub struct UsedService {
        pub name: String,
        /// MX, SPF, NS, CNAME, TXT, page or policy.
        pub by: String,
        pub value: String,
    }

    /// A score from a moment on.
    #[derive(Debug, Serialize)]
    pub struct PosturePoint {
        pub at: Timestamp,
        pub score: Option<i64>,
        pub grade: Option<Word<model::Grade>>,
    }
}

impl SeedPosture {
    /// The posture of a seed; `None` where it has none.
    pub fn of(uid: Uid, name: &str, details: &Details) -> Option<Self> {
        let Posture { score, grade, organization, findings, unknown } = domain::POSTURE.of(details)?.into();
        let suppliers = used(details);
        Some(Self { name: name.to_owned(), uid, score, grade, organization, findings, unknown, suppliers })
    }
}

impl EntityPosture {
    /// What is said of an entity, with its postures as they followed on one another.
    pub fn of(details: &Details, history: Vec<(Timestamp, Option<Value>)>) -> Self {
        let history = points(weighed::scores([&weighed::history(history)].into_iter()));
        Self { posture: domain::POSTURE.of(details).map(Posture::from), suppliers: used(details), history }
    }
}

impl From<weighed::OrganizationPosture> for OrganizationPosture {
    fn from(of: weighed::OrganizationPosture) -> Self {
        let domain = |(uid, name, score): (Uid, String, i32)| OrganizationDomain { name, uid, score: score.into() };
        let finding = |(finding, domains): (model::Finding, BTreeSet<String>)| OrganizationFinding {
            area: Word(finding.area),
            points: finding.points.into(),
            text: finding.text,
            domains: domains.into_iter().collect(),
        };
        Self {
            organization: of.organization,
            score: of.score.into(),
            grade: Word(of.grade),
            domains: of.domains.into_iter().map(domain).collect(),
            findings: of.findings.into_iter().map(finding).collect(),
            unknown: of.unknown.into_iter().map(Word).collect(),
            history: points(of.history),
        }
    }
}

impl From<model::Posture> for Posture {
    fn from(of: model::Posture) -> Self {
        let finding = |finding: model::Finding| PostureFinding {
            area: Word(finding.area),
            points: finding.points.into(),
            text: finding.text,
        };
        Self {
            score: of.score.into(),
            grade: Word(of.grade),
            organization: of.organization,
            findings: of.findings.into_iter().map(finding).collect(),
            unknown: of.unknown.into_iter().map(Word).collect(),
        }
    }
}

fn points(scores: Vec<(Timestamp, weighed::Score)>) -> Vec<PosturePoint> {
    let point = |(at, score): (Timestamp, weighed::Score)| PosturePoint {
        at,
        score: score.map(|(score, _)| score.into()),
        grade: score.map(|(_, grade)| Word(grade)),
    };
    scores.into_iter().map(point).collect()
}

fn used(details: &Details) -> Vec<UsedService> {
    let service = |of: domain::Supplier| UsedService { name: of.name, by: of.by, value: of.value };
    domain::SUPPLIERS.items(details).map(service).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn posture(score: i32, text: &str) -> Option<Value> {
        let findings = json!([{"area": "web", "points": score - 100, "text": text}]);
        Some(json!({"score": score, "grade": "C", "organization": null, "findings": findings, "unknown": []}))
    }

    #[test]
    fn a_history_has_each_score_once_and_says_when_there_was_none() {
        let history = [None, posture(70, "a"), posture(70, "b"), posture(80, "b"), None, posture(80, "b")];
        let history = history.into_iter().enumerate();
        let history = history.map(|(at, value)| (Timestamp(i64::try_from(at).unwrap()), value)).collect();
        let said = EntityPosture::of(&Details::new(), history);
        let scores: Vec<_> = said.history.iter().map(|point| (point.at.0, point.score)).collect();
        assert_eq!(scores, [(1, Some(70)), (3, Some(80)), (4, None), (5, Some(80))]);
        assert!(said.posture.is_none() && said.suppliers.is_empty());
    }
}
