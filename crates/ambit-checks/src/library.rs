//! Every judge, whether it has a file of its own or follows from an exposure, and what they report as data.

use crate::judge::{BY_KNOWLEDGE, Judge, OWN};
use crate::{application, cloud, exposure, package, repository};
use ambit_model::library::IssueEntry;
use serde_json::json;
use std::sync::LazyLock;

/// Returns every judge by the name of its issue: those with a file in `judge/`, and those of exposures.
pub fn all() -> &'static [&'static Judge] {
    static ALL: LazyLock<Vec<&Judge>> = LazyLock::new(|| {
        let mut judges: Vec<&Judge> =
            OWN.iter().copied().chain(exposure::JUDGES).chain(package::judges()).chain(application::JUDGES).collect();
        judges.extend(cloud::judges().chain(repository::JUDGES));
        judges.sort_by_key(|judge| judge.issue.name);
        judges
    });
    &ALL
}

/// Returns the judge of an issue's name.
pub fn find(name: &str) -> Option<&'static Judge> {
    all().iter().copied().find(|judge| judge.issue.name == name)
}

/// Returns the judges whose verdicts follow from what is known against products as well as from facts.
pub fn by_knowledge() -> impl Iterator<Item = &'static Judge> {
    BY_KNOWLEDGE.iter().copied()
}

/// Every issue that judges report, for the library pages.
pub fn library() -> Vec<IssueEntry> {
    all().iter().map(|judge| entry(judge)).collect()
}

fn entry(judge: &Judge) -> IssueEntry {
    let issue = &judge.issue;
    IssueEntry {
        name: issue.name.to_owned(),
        pretty_name: issue.pretty_name.to_owned(),
        severity: issue.severity,
        confidence: issue.confidence.name().to_owned(),
        category: issue.category.to_owned(),
        added: issue.added.to_owned(),
        description: issue.description.to_owned(),
        remediation: issue.remediation.to_owned(),
        references: issue.references.iter().map(|(uri, kind)| json!({"uri": uri, "type": kind})).collect(),
        reads: judge.reads.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::SAMPLES;
    use crate::samples::{DATE, Samples};
    use ambit_model::issue::{Proof, Verdict};
    use ambit_model::{Details, Kind, Timestamp};
    use std::collections::BTreeSet;

    fn date() -> Timestamp {
        Timestamp::parse(DATE).unwrap()
    }

    /// Every judge with its samples.
    fn sampled() -> impl Iterator<Item = (&'static Judge, Samples)> {
        let own = SAMPLES.iter().map(|(judge, samples)| (*judge, samples()));
        own.chain(package::samples())
            .chain(application::samples())
            .chain(cloud::samples())
            .chain(repository::samples())
            .chain(
                exposure::JUDGES
                    .iter()
                    .zip(exposure::ALL)
                    .map(|(judge, exposure)| (judge, exposure::sample::samples(exposure))),
            )
    }

    #[test]
    fn every_file_is_registered_under_its_own_name() {
        let names = |judges: &[&Judge]| -> Vec<&str> { judges.iter().map(|judge| judge.issue.name).collect() };
        let exposures: Vec<&Judge> = exposure::JUDGES.iter().collect();
        for (folder, names) in [("judge", names(OWN)), ("exposure", names(&exposures))] {
            let mut files: Vec<String> = std::fs::read_dir(format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR")))
                .unwrap()
                .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
                .collect();
            files.sort();
            let differs = names.iter().zip(&files).find(|(name, file)| *name != file);
            assert!(
                differs.is_none() && names.len() == files.len(),
                "{folder}: a judge or an exposure is a file of its issue's name, its mod line and its line in the \
                 list, in alphabetical order; list and files first differ at {differs:?}"
            );
        }
    }

    #[test]
    fn texts_are_whole_and_values_are_those_of_the_contract() {
        let categories =
            ["misconfiguration", "vulnerability", "leak", "compromise", "threat", "application", "unknown"];
        let references = ["description", "remediation", "detection_rule", "exploit", "threat_intel"];
        for judge in all() {
            let issue = &judge.issue;
            let name = issue.name;
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{name}");
            assert!((1..=5).contains(&issue.severity), "{name}");
            assert!(categories.contains(&issue.category), "{name}");
            assert!(Timestamp::parse(issue.added).is_some() && issue.added.len() == 10, "{name}");
            for text in [issue.description, issue.remediation] {
                assert!(
                    text.len() > 60 && text.ends_with('.') && !text.contains("  "),
                    "{name}: a text is longer than 60 characters, ends with a full stop and has no double blanks: \
                     {text:?}"
                );
            }
            assert!(!issue.pretty_name.is_empty() && !issue.pretty_name.ends_with('.'), "{name}");
            assert!(!issue.references.is_empty(), "{name}");
            for (uri, kind) in issue.references {
                assert!(uri.starts_with("https://") && references.contains(kind), "{name}: {uri} {kind}");
            }
            assert!(!judge.applies_to.is_empty() && !judge.reads.is_empty(), "{name}");
        }
    }

    /// A near miss with a misspelt member would be clear for that reason alone.
    #[test]
    fn samples_have_only_members_that_their_kind_has() {
        let mut unknown = BTreeSet::new();
        let mut look = |judge: &Judge, kind: Kind, details: &Details| {
            let has = |member: &str| kind.owner(member).is_some() || kind.members().any(|known| known == member);
            let lacking = details.keys().filter(|member| !has(member));
            unknown.extend(lacking.map(|member| format!("{}: {} has no {member}", judge.issue.name, kind.name())));
        };
        for (judge, samples) in sampled() {
            let reported = samples.reports.iter().map(|(facts, _)| facts);
            for facts in reported.chain(&samples.near_misses).chain(&samples.unknown) {
                look(judge, facts.kind, &facts.details);
                for neighbour in facts.inward.iter().chain(&facts.outward) {
                    look(judge, neighbour.kind, &neighbour.details);
                }
            }
        }
        assert_eq!(unknown, BTreeSet::new());
    }

    #[test]
    fn every_judge_reports_its_samples_and_stays_silent_on_their_twins() {
        for (judge, samples) in sampled() {
            let name = judge.issue.name;
            assert!(!samples.reports.is_empty(), "{name} brings nothing that it reports");
            assert!(!samples.near_misses.is_empty(), "{name} brings no near-miss twin");
            assert!(!samples.unknown.is_empty(), "{name} brings no sample without looks");
            let all = samples.reports.iter().map(|(facts, _)| facts);
            for facts in all.chain(&samples.near_misses).chain(&samples.unknown) {
                assert!(judge.applies_to.contains(&facts.kind), "{name}: {} is not among its kinds", facts.name);
            }
            for (facts, discriminators) in &samples.reports {
                let Verdict::Proven(proofs) = judge.verdict(facts, date()) else {
                    panic!("{name} does not report {facts:#?}");
                };
                let found: Vec<&str> = proofs.iter().map(|proof| proof.discriminator.as_str()).collect();
                assert_eq!(&found, discriminators, "{name} on {}", facts.name);
                assert_eq!(
                    found.iter().collect::<BTreeSet<_>>().len(),
                    found.len(),
                    "{name}: two proofs of one discriminator"
                );
                for proof in &proofs {
                    assert_proof(name, proof);
                }
            }
            for facts in &samples.near_misses {
                assert_eq!(judge.verdict(facts, date()), Verdict::Clear, "{name} on {facts:#?}");
            }
            for facts in &samples.unknown {
                assert_eq!(judge.verdict(facts, date()), Verdict::Unknown, "{name} on {facts:#?}");
            }
        }
    }

    fn assert_proof(name: &str, proof: &Proof) {
        assert!(proof.description.ends_with('.') && proof.description.len() > 20, "{name}: {}", proof.description);
        assert!(proof.details.as_object().is_some_and(|details| !details.is_empty()), "{name}");
        assert!(proof.severity.is_none_or(|severity| (1..=5).contains(&severity)), "{name}");
    }

    /// Members whose texts a proof repeats in full: words that the tasks choose, and never what a server says.
    const OUR_WORDS: &[&str] = &["hidden_default_page"];

    /// Details come from servers and from earlier versions of the program: no value of any member, on no kind of
    /// entity, makes a judge fall over, and no text of a server makes it write at length.
    #[test]
    fn no_value_of_a_member_makes_a_judge_fall_over() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        let long = "\u{202e}\0x".repeat(20_000);
        let odd = [
            json!(null),
            json!(true),
            json!(-1),
            json!(1e308),
            json!(u64::MAX),
            json!(""),
            json!(long),
            json!([]),
            json!({}),
            json!([null, 1, "", {}, []]),
            json!([{"name": 1, "target": null, "reason": [], "uri": {}, "code": -1, "number": 1e9}]),
            json!({"": {"": []}, "p": 7, "ends": "9999-99-99", "version": null}),
            deep,
        ];
        let (mut asked, mut at_length) = (0, BTreeSet::new());
        for (judge, samples) in sampled() {
            let facts = samples.reports.into_iter().map(|(facts, _)| facts).chain(samples.near_misses);
            for facts in facts.take(2) {
                let members: Vec<String> = facts.details.keys().cloned().collect();
                for (member, value) in members.iter().flat_map(|member| odd.iter().map(move |value| (member, value))) {
                    let mut facts = facts.clone();
                    facts.details.insert(member.clone(), value.clone());
                    asked += 1;
                    let Verdict::Proven(proofs) = judge.verdict(&facts, date()) else { continue };
                    let is_long = proofs.iter().any(|proof| proof.description.len() > 4_000);
                    if is_long && !OUR_WORDS.contains(&member.as_str()) {
                        at_length.insert(format!("{} by {member}", judge.issue.name));
                    }
                }
            }
        }
        assert_eq!(at_length, BTreeSet::new());
        assert!(asked > 1_000, "only {asked}");
    }

    #[test]
    fn verdicts_stay_the_same_while_time_passes_unless_a_date_is_judged() {
        let dated =
            ["invalid_certificate_almost_expired", "invalid_certificate_expired", "invalid_certificate_premature"];
        let later = date().plus_ms(400 * ambit_model::moment::DAY_MS);
        for (judge, samples) in sampled().filter(|(judge, _)| !dated.contains(&judge.issue.name)) {
            for (facts, _) in samples.reports {
                assert_eq!(judge.verdict(&facts, date()), judge.verdict(&facts, later), "{}", judge.issue.name);
            }
        }
    }

    #[test]
    fn the_library_shows_every_issue_once() {
        let library = library();
        assert_eq!(library.iter().map(|entry| &entry.name).collect::<BTreeSet<_>>().len(), all().len());
        assert!(all().len() >= 25);
        for entry in library {
            assert!(find(&entry.name).is_some());
        }
        assert!(find("no_such_issue").is_none());
    }
}
