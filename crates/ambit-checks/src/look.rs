//! From probes to verdicts: what a judge may conclude after a probe that found something, found nothing, or failed.
//! "Could not look" is never "nothing there".

use ambit_model::entity::{Member, domain};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Proof, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
use ambit_model::task::{NamedProbe, SPF};
use ambit_model::{Facts, TaskName};
use serde_json::Value;

/// Longest text from a peer that the sentence of a proof repeats, in characters.
const SHOWN_CHARS_MAX: usize = 200;

/// Rules for keys with which a service is tried out, and for tokens that ended: they open nothing that is real.
const TRIAL_RULES: &[&str] = &["jwt-over", "stripe-test-key"];

/// Returns the severity of a secret if it is lower than that of its issue: the rule matches by context only
/// (`by_context`), or the secret opens nothing real.
pub(crate) fn of_secret(rule: &str, by_context: bool) -> Option<i64> {
    if TRIAL_RULES.contains(&rule) { Some(SEVERITY_LOW) } else { by_context.then_some(SEVERITY_MEDIUM) }
}

/// Judges what a task found. Nothing follows where it never looked or its looks failed; a look that succeeded and found
/// nothing clears, even while the interval of an earlier answer is still open.
pub(crate) fn after(facts: &Facts, task: TaskName, prove: impl FnOnce(&Facts) -> Vec<Proof>) -> Verdict {
    weigh(facts, facts.outcome(task), facts.looked(task), prove)
}

/// The same where what was found in part is proof as it is. What could not be looked at then clears nothing.
pub(crate) fn after_part(facts: &Facts, task: TaskName, prove: impl FnOnce(&Facts) -> Vec<Proof>) -> Verdict {
    match facts.outcome(task) {
        Some(ProbeOutcome::InPart) => weigh(facts, Some(ProbeOutcome::Found), false, prove),
        outcome => weigh(facts, outcome, facts.looked(task), prove),
    }
}

/// The same for one probe of the task, whatever the results of its others.
pub(crate) fn after_at(facts: &Facts, look: NamedProbe, prove: impl FnOnce(&Facts) -> Vec<Proof>) -> Verdict {
    let outcome = facts.outcome_at(look.task, look.argument);
    weigh(facts, outcome, outcome != Some(ProbeOutcome::Unknown), prove)
}

/// Judges who may send a domain's mail. The records that could be read are proof. While one of them could not be read,
/// it may hold what was proven before.
pub(crate) fn after_senders(facts: &Facts, prove: impl FnOnce(&Facts) -> Vec<Proof>) -> Verdict {
    let was_read = || domain::SPF_TREE.of(&facts.details).is_none_or(|tree| tree.complete);
    let outcome = match facts.outcome_at(SPF.task, SPF.argument) {
        Some(ProbeOutcome::InPart) => Some(ProbeOutcome::Found),
        outcome => outcome,
    };
    match weigh(facts, outcome, outcome != Some(ProbeOutcome::Unknown), prove) {
        Verdict::Clear if outcome == Some(ProbeOutcome::Found) && !was_read() => Verdict::Unknown,
        verdict => verdict,
    }
}

fn weigh(
    facts: &Facts,
    outcome: Option<ProbeOutcome>,
    looked: bool,
    prove: impl FnOnce(&Facts) -> Vec<Proof>,
) -> Verdict {
    match outcome {
        None | Some(ProbeOutcome::InPart | ProbeOutcome::Unknown) => Verdict::Unknown,
        Some(ProbeOutcome::Absent) => Verdict::Clear,
        Some(ProbeOutcome::Found) => match prove(facts) {
            proofs if !proofs.is_empty() => Verdict::Proven(proofs),
            // Another address may hold what the failed look would have shown.
            _ if !looked => Verdict::Unknown,
            _ => Verdict::Clear,
        },
    }
}

/// Judges that a record of a zone is missing: proven only where the look succeeded and the member stays empty, and the
/// name has a place for it. A first absent look over an open answer proves nothing yet; the second one closes that
/// answer.
pub(crate) fn missing_at<T>(
    facts: &Facts,
    look: NamedProbe,
    member: Member<T>,
    proof: impl FnOnce() -> Proof,
) -> Verdict {
    if has_no_zone(facts) {
        return Verdict::Clear;
    }
    let outcome = facts.outcome_at(look.task, look.argument);
    match (is_empty(member.raw(&facts.details)), outcome) {
        (_, None | Some(ProbeOutcome::Unknown)) | (true, Some(ProbeOutcome::InPart)) => Verdict::Unknown,
        (true, _) => Verdict::Proven(vec![proof()]),
        (false, Some(ProbeOutcome::Absent)) => Verdict::Unknown,
        (false, _) => Verdict::Clear,
    }
}

/// True for a domain that has no zone of its own: a tenant's name at a platform (`acme.github.io`), where only the
/// platform can write records.
pub(crate) fn has_no_zone(facts: &Facts) -> bool {
    let zone =
        domain::SOA_RECORD.raw(&facts.details).is_some() || domain::NAMESERVERS.texts(&facts.details).next().is_some();
    !zone && matches!(facts.outcome_at(TaskName::ZoneProfile, ""), Some(ProbeOutcome::Found | ProbeOutcome::Absent))
}

/// True for a member that nobody observed or that holds nothing.
fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        Some(_) => false,
    }
}

/// A proof of an issue that an entity has once.
pub(crate) fn proof(description: String, details: Value) -> Proof {
    proof_of("", description, details)
}

/// A proof of one of several issues of a kind on an entity.
pub(crate) fn proof_of(discriminator: &str, description: String, details: Value) -> Proof {
    Proof {
        discriminator: discriminator.to_owned(),
        description,
        details,
        severity: None,
        confidence: None,
        identifiers: Vec::new(),
        words: None,
        exploitation: None,
    }
}

/// Returns text from a peer for use in a sentence: quoted, escaped, cut.
pub(crate) fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{cut:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::Kind;
    use serde_json::json;

    const TASK: TaskName = TaskName::Resolve;
    const LIST: Member<Vec<String>> = domain::LOOKALIKES;
    const LOOK: NamedProbe = NamedProbe { task: TASK, argument: "" };

    fn found_it(facts: &Facts) -> Vec<Proof> {
        LIST.texts(&facts.details).map(|text| proof(text.to_owned(), json!({}))).collect()
    }

    #[test]
    fn a_failed_look_clears_nothing_and_a_found_one_proves() {
        let base = || facts(Kind::Domain, "acme.test");
        let full = json!({"hidden_lookalikes": ["a"]});
        assert_eq!(after(&base(), TASK, found_it), Verdict::Unknown, "never looked");
        assert_eq!(after(&base().failed(TASK).with(full.clone()), TASK, found_it), Verdict::Unknown, "stale answer");
        assert_eq!(after(&base().absent(TASK).with(full.clone()), TASK, found_it), Verdict::Clear, "first absent look");
        assert_eq!(after(&base().found(TASK), TASK, found_it), Verdict::Clear);
        assert!(matches!(after(&base().found(TASK).with(full), TASK, found_it), Verdict::Proven(_)));
        assert_eq!(
            after(&base().found(TASK).failed_at(TASK, "192.0.2.1"), TASK, found_it),
            Verdict::Unknown,
            "one address failed"
        );
    }

    #[test]
    fn missing_is_proven_only_after_looks_that_succeeded() {
        let base = || facts(Kind::Domain, "acme.test");
        let verdict = |facts: Facts| missing_at(&facts, LOOK, LIST, || proof(String::new(), json!({})));
        assert_eq!(verdict(base()), Verdict::Unknown);
        assert_eq!(verdict(base().failed(TASK)), Verdict::Unknown);
        assert_eq!(verdict(base().found_at(TASK, "other")), Verdict::Unknown, "another look says nothing of it");
        assert!(matches!(verdict(base().absent(TASK).failed_at(TASK, "other")), Verdict::Proven(_)));
        assert!(matches!(verdict(base().found(TASK).with(json!({"hidden_lookalikes": []}))), Verdict::Proven(_)));
        assert_eq!(verdict(base().found(TASK).with(json!({"hidden_lookalikes": ["a"]}))), Verdict::Clear);
        assert_eq!(
            verdict(base().absent(TASK).with(json!({"hidden_lookalikes": ["a"]}))),
            Verdict::Unknown,
            "the second look decides"
        );
    }

    #[test]
    fn texts_of_strangers_are_escaped_and_cut() {
        assert_eq!(shown("a\u{1b}[2J\n"), r#""a\u{1b}[2J\n""#);
        assert_eq!(shown(&"x".repeat(500)).len(), SHOWN_CHARS_MAX + 2);
    }
}
