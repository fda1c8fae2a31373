//! A secret in the history of a repository.

use super::Judge;
use crate::{look, repository};
use ambit_model::entity::repository::{LEAKS, Leak};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "leaked_token",
        pretty_name: "Secret in a repository",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Potential,
        category: "leak",
        added: "2026-11-23",
        description: "A commit of the repository holds a key, token or password. Whoever can read the repository, or \
                      has a copy of it, can use it, also where a later commit took it away again.",
        remediation: "Revoke the secret at its provider and give out a new one; then keep it where programs find it \
                      and no history does. Rewriting the history alone is no remedy, because copies exist.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/540.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: Kind::REPOSITORIES,
    reads: repository::LOOKS,
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    repository::after(facts, |facts| LEAKS.items(&facts.details).map(|leak| proof(facts, &leak)).collect())
}

fn proof(facts: &Facts, leak: &Leak) -> Proof {
    let place = match leak.path.is_empty() {
        true => "in the message".to_owned(),
        false => format!("in {}, line {},", look::shown(&leak.path), leak.line),
    };
    let commit: String = leak.commit.chars().take(12).collect();
    let day = leak.date.split('T').next().unwrap_or(&leak.date);
    let brought = match (commit.is_empty(), leak.tag.is_empty()) {
        (true, _) => "of what the site hands out beside the commits that could be read".to_owned(),
        (false, true) => format!("of the commit {commit}, which {} made on {day}", look::shown(&leak.author)),
        (false, false) => {
            format!(
                "of the tag {} ({commit}), which {} made on {day}",
                look::shown(&leak.tag),
                look::shown(&leak.author)
            )
        }
    };
    let gone = match leak.in_no_branch {
        true => " The commit is no longer in any branch or tag; whoever has a copy has it still.",
        false => "",
    };
    let description = format!("A secret of {} stands {place} {brought}.{gone}", leak.provider);
    let details = json!({
        "repository": facts.name, "token": leak.token, "provider": leak.provider, "rule": leak.rule,
        "commit": leak.commit, "author": leak.author, "date": leak.date, "path": leak.path, "line": leak.line,
        "in_no_branch": leak.in_no_branch,
    });
    let severity = look::of_secret(&leak.rule, leak.by_context);
    Proof { severity, ..look::proof_of(&leak.token, description, details) }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::TaskName;
    let handed_out = || facts(Kind::GitRepository, "https://www.acme.test:443/.git");
    let repository = || facts(Kind::GitRepository, "https://code.acme.test:443/app.git");
    let leaks = |tokens: &[&str]| {
        let leak = |token: &&str| {
            json!({"token": token, "provider": "GitHub", "rule": "github-token", "by_context": false,
                "commit": "0123456789abcdef0123456789abcdef01234567", "author": "A <a@acme.test>",
                "date": "2026-01-02T03:04:05.000Z", "path": "config.py", "line": 3})
        };
        json!({"hidden_leaks": tokens.iter().map(leak).collect::<Vec<_>>()})
    };
    Samples::new()
        .reports_each(
            repository().found(TaskName::Repository).with(leaks(&["ghp_one… (sha256 1f)", "ghp_two… (sha256 2f)"])),
            &["ghp_one… (sha256 1f)", "ghp_two… (sha256 2f)"],
        )
        .reports_each(
            handed_out().found(TaskName::ExposedRepository).with(leaks(&["ghp_one… (sha256 1f)"])),
            &["ghp_one… (sha256 1f)"],
        )
        .reports_each(
            repository().found_in_part(TaskName::Repository).with(leaks(&["ghp_one… (sha256 1f)"])),
            &["ghp_one… (sha256 1f)"],
        )
        .near_miss(repository().found(TaskName::Repository).with(leaks(&[])))
        .unknown(repository().found_in_part(TaskName::Repository).with(leaks(&[])))
        .near_miss(handed_out().absent(TaskName::ExposedRepository).with(leaks(&[])))
        .unknown(handed_out().with(leaks(&["ghp_one… (sha256 1f)"])).failed(TaskName::ExposedRepository))
        .unknown(repository())
        .unknown(repository().with(leaks(&["ghp_one… (sha256 1f)"])).failed(TaskName::Repository))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::issue::{SEVERITY_LOW, SEVERITY_MEDIUM};

    #[test]
    fn a_key_for_trying_a_service_out_weighs_little() {
        for (rule, by_context, severity) in [
            ("stripe-key", false, None),
            ("stripe-test-key", false, Some(SEVERITY_LOW)),
            ("jwt-over", true, Some(SEVERITY_LOW)),
            ("generic-secret", true, Some(SEVERITY_MEDIUM)),
        ] {
            assert_eq!(look::of_secret(rule, by_context), severity, "{rule}");
        }
    }
}
