//! What the judges of certificates share: a certificate is judged only while something serves it, and the proof says
//! what.

use crate::look;
use ambit_model::edge::EdgeKind;
use ambit_model::entity::{Member, certificate};
use ambit_model::issue::Verdict;
use ambit_model::{Facts, Timestamp};
use serde_json::{Value, json};

/// Services that a proof names; a certificate on thousands of addresses keeps a readable record.
const SERVED_BY_MAX: usize = 20;

/// A defect of a certificate: a sentence and the members that show it.
pub(crate) struct Defect {
    pub(crate) description: String,
    pub(crate) details: Value,
}

/// Judges a certificate. It has no looks of its own: its members come with the edge that leads to it, so they are there
/// or nothing is known.
/// `defect` gives `None` where members are missing. A certificate that nobody serves any more is no problem.
pub(crate) fn judge(facts: &Facts, defect: impl FnOnce(&Facts) -> Option<Result<(), Defect>>) -> Verdict {
    let served_by = served_by(facts);
    if served_by.is_empty() {
        return Verdict::Clear;
    }
    match defect(facts) {
        None => Verdict::Unknown,
        Some(Ok(())) => Verdict::Clear,
        Some(Err(Defect { description, mut details })) => {
            details["served_by"] = json!(served_by);
            Verdict::Proven(vec![look::proof(description, details)])
        }
    }
}

/// Judges a certificate by one of its moments: `defect` says in a sentence what is wrong with it.
pub(crate) fn judge_moment(
    facts: &Facts,
    member: Member<String>,
    defect: impl FnOnce(Timestamp) -> Option<String>,
) -> Verdict {
    judge(facts, |facts| {
        let at = member.text(&facts.details).and_then(Timestamp::parse)?;
        let details = json!({member.name(): at.to_string()});
        Some(defect(at).map_or(Ok(()), |description| Err(Defect { description, details })))
    })
}

/// Names of the entities that serve it, sorted.
fn served_by(facts: &Facts) -> Vec<&str> {
    let served = [EdgeKind::Certificate, EdgeKind::UnrelatedCertificate, EdgeKind::DefaultCertificate];
    let by = facts.inward.iter().filter(|neighbour| served.contains(&neighbour.edge));
    let mut names: Vec<&str> = by.map(|neighbour| neighbour.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(SERVED_BY_MAX);
    names
}

/// True where it is its own issuer: as the task verified, else by the names.
pub(crate) fn is_self_signed(facts: &Facts) -> Option<bool> {
    let details = &facts.details;
    let by_names = || Some(certificate::SUBJECT.text(details)? == certificate::ISSUER.text(details)?);
    certificate::SELF_SIGNED.of(details).or_else(by_names)
}

/// Facts for the judges' samples.
#[cfg(test)]
pub(crate) mod sample {
    use crate::samples::{Told, facts, neighbour};
    use ambit_model::edge::EdgeKind;
    use ambit_model::{Facts, Kind};
    use serde_json::{Value, json};

    /// A certificate with these members that a service serves.
    pub(crate) fn served(details: Value) -> Facts {
        logged(details).led_from(neighbour(
            EdgeKind::Certificate,
            Kind::NetworkService,
            "192.0.2.1:443/tcp",
            true,
            json!({}),
        ))
    }

    /// A certificate with these members that nothing is known to serve.
    pub(crate) fn logged(details: Value) -> Facts {
        facts(Kind::SslCertificate, "www.acme.test (01)").with(details)
    }
}
