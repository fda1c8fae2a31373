//! Judges of what the files say by which software of a repository is built: rows of a table. What a file must say to be
//! reported stands where files are read, with its twins; a row says what that means.

use crate::judge::{Judge, named_findings};
use crate::look;
use ambit_model::entity::repository::{FLAWS, Flaw};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Proof, SEVERITY_HIGH, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

/// The tasks that look at repositories: by what a server of them gives, and by what a site hands out.
pub(crate) const LOOKS: &[TaskName] = &[TaskName::ExposedRepository, TaskName::Repository];

/// Judges what a search of a repository found, whichever task searched it. A search that could not read everything
/// reports again what was known of the rest, so that a secret that it does not report is gone.
pub(crate) fn after(facts: &Facts, prove: impl FnOnce(&Facts) -> Vec<Proof>) -> Verdict {
    let looked = LOOKS.iter().copied().find(|task| facts.outcome(*task).is_some());
    let looked = looked.unwrap_or(TaskName::Repository);
    if facts.outcome(looked) != Some(ProbeOutcome::InPart) {
        return look::after(facts, looked, prove);
    }
    match prove(facts) {
        proofs if proofs.is_empty() => Verdict::Clear,
        proofs => Verdict::Proven(proofs),
    }
}

named_findings! {
    "misconfiguration", Kind::REPOSITORIES, LOOKS;
    dependency_confusion {
        pretty_name: "Private package name can be claimed by others",
        severity: SEVERITY_MEDIUM,
        confidence: Potential,
        added: "2026-11-25",
        description: "Private packages come from a registry used beside the public one, where nobody has registered \
                      their names. If somebody registers such a name in the public registry with a higher version, \
                      that package may be installed instead (dependency confusion).",
        remediation: "Put your packages into a scope or namespace that you own, register their names, or fetch all \
                      packages through one registry that decides where each name comes from.",
        reference: "https://cwe.mitre.org/data/definitions/427.html",
    }
    unpinned_action {
        pretty_name: "Workflow uses an action that is not pinned",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The workflow names a third-party action by a tag or branch. Whoever takes over its repository \
                      can move the tag or branch, and their code runs in your builds with your secrets.",
        remediation: "Pin the action to the full hash of a commit, and let a tool propose updates.",
        reference: "https://docs.github.com/en/actions/reference/security/secure-use",
    }
    workflow_injection {
        pretty_name: "Workflow puts untrusted text into commands",
        severity: SEVERITY_HIGH,
        confidence: Potential,
        added: "2026-11-25",
        description: "A command of the workflow contains text that anybody can write, such as the title of an issue or \
                      the name of a branch. Commands in such a text run in the build.",
        remediation: "Pass the text in an environment variable, and quote that variable in the command.",
        reference: "https://securitylab.github.com/resources/github-actions-untrusted-input/",
    }
    workflow_runs_foreign_code {
        pretty_name: "Workflow runs untrusted code with its secrets",
        severity: SEVERITY_HIGH,
        confidence: Potential,
        added: "2026-11-25",
        description: "Anybody can start the workflow by a pull request or comment. It has the rights and secrets of \
                      the repository, and checks out the code of the pull request, so that code runs with them.",
        remediation: "Use the trigger pull_request, which has no secrets, or do not check out the code of the pull \
                      request.",
        reference: "https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/",
    }
}

/// Judges what a look at the repository found, by the name of the flaw: one issue for each file and line.
fn weigh(facts: &Facts, what: &str) -> Verdict {
    after(facts, |facts| {
        FLAWS.items(&facts.details).filter(|flaw| flaw.what == what).map(|flaw| proof(facts, &flaw)).collect()
    })
}

fn proof(facts: &Facts, flaw: &Flaw) -> Proof {
    let description = format!("{}, line {}, of {} has {}.", flaw.path, flaw.line, facts.name, look::shown(&flaw.shown));
    let details = json!({"repository": facts.name, "path": flaw.path, "line": flaw.line, "proof": flaw.shown});
    look::proof_of(&format!("{} {}", flaw.path, flaw.shown), description, details)
}

/// Every judge of the table with its samples.
#[cfg(test)]
pub(crate) fn samples() -> impl Iterator<Item = (&'static Judge, crate::samples::Samples)> {
    use crate::samples::{Samples, Told, facts};
    JUDGES.iter().map(|judge| {
        let repository = || facts(Kind::GithubRepository, "https://github.com/acme/app");
        let found = || repository().found(TaskName::Repository);
        let handed_out =
            || facts(Kind::GitRepository, "https://www.acme.test:443/.git").found(TaskName::ExposedRepository);
        let other =
            JUDGES.iter().find(|other| other.issue.name != judge.issue.name).map_or("", |other| other.issue.name);
        let has = |what: &str| json!({"hidden_flaws": [{"what": what, "path": "ci.yml", "line": 3, "shown": "x"}]});
        let samples = Samples::new()
            .reports_each(found().with(has(judge.issue.name)), &["ci.yml x"])
            .reports_each(handed_out().with(has(judge.issue.name)), &["ci.yml x"])
            .reports_each(repository().found_in_part(TaskName::Repository).with(has(judge.issue.name)), &["ci.yml x"])
            .near_miss(repository().found_in_part(TaskName::Repository).with(has(other)))
            .near_miss(found().with(has(other)))
            .near_miss(found())
            .unknown(repository())
            .unknown(repository().with(has(judge.issue.name)).failed(TaskName::Repository));
        (judge, samples)
    })
}
