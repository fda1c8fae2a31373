//! What a file says in so many words: of those who pass for the seeds' owner, and by its expectations.

use super::Derivation;
use crate::draft::Expect;
use ambit_model::Kind;
use ambit_model::workflow::SUSPICIOUS_DOMAINS;

impl Derivation<'_> {
    /// What those give rise to who pass for the seeds' owner.
    pub(super) fn threats(&mut self) {
        if self.internet.workflow != SUSPICIOUS_DOMAINS {
            return;
        }
        for (domain, zone) in &self.draft.zones {
            for issue in &zone.threats {
                self.truth.plant_issue(issue, Kind::Domain, domain);
            }
        }
    }

    /// The expectations in the file override what follows from it.
    pub(super) fn expectations(&mut self) {
        for expect in &self.draft.expects {
            let is_elsewhere = self.is_of_another_workflow(expect);
            let truth = &mut self.truth;
            match expect {
                Expect::Issue(..) if is_elsewhere => {}
                Expect::Issue(issue, kind, entity) => truth.plant_issue(issue, *kind, entity),
                Expect::NoIssue(issue, kind, entity) => {
                    truth.issues.remove(&(issue.clone(), *kind, entity.clone()));
                    truth.maybe_issues.remove(&(issue.clone(), *kind, entity.clone()));
                }
                Expect::Entity(kind, entity) => truth.plant(*kind, entity),
                Expect::Ignore(kind, entity) => {
                    truth.entities.remove(&(*kind, entity.clone()));
                    truth.allow(*kind, entity);
                }
                Expect::Never(_) => {}
            }
        }
    }
}
