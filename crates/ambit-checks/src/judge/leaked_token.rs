//! A secret in the history of a repository.

use super::{Judge, Rule};
use crate::{look, repository};
use ambit_model::entity::repository::{LEAKS, Leak};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "leaked_token",
        pretty_name: "Repository contains a secret",
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
    judge: Rule::Own(judge),
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
    let (today, last) = (today(leak), leak.at_head.as_ref().filter(|at_head| at_head.files == 0));
    let description = format!("A secret of {} stands {place} {brought}.{gone}{today}", leak.provider);
    // How often it came again is told where that is over: each edit of a file that holds it would change the issue.
    let details = json!({
        "repository": facts.name, "token": leak.token, "provider": leak.provider, "rule": leak.rule,
        "commit": leak.commit, "author": leak.author, "date": leak.date, "path": leak.path, "line": leak.line,
        "in_no_branch": leak.in_no_branch,
        "at_head": leak.at_head.as_ref().map(|at_head| at_head.files > 0),
        "path_at_head": leak.at_head.as_ref().map(|at_head| &at_head.path).filter(|path| !path.is_empty()),
        "commits": last.map(|_| leak.commits), "last_commit": last.map(|_| &leak.last_commit),
        "last_date": last.map(|_| &leak.last_date),
    });
    let severity = look::of_secret(&leak.rule, leak.by_context);
    Proof { severity, ..look::proof_of(&leak.token, description, details) }
}

/// Says whether it is at HEAD, if that is known.
fn today(leak: &Leak) -> String {
    match &leak.at_head {
        None => String::new(),
        // What is staged alone was in no commit yet.
        Some(at_head) if at_head.files == 0 && leak.commit.is_empty() => String::new(),
        Some(at_head) if at_head.files > 0 => format!(" At HEAD it still stands in {}.", look::shown(&at_head.path)),
        Some(_) if leak.commits > 1 => {
            let last: String = leak.last_commit.chars().take(12).collect();
            let day = leak.last_date.split('T').next().unwrap_or(&leak.last_date);
            format!(
                " No file at HEAD holds it any more; {} commits brought it, {last} of {day} the last.",
                leak.commits
            )
        }
        Some(_) => " No file at HEAD holds it any more.".to_owned(),
    }
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
        .near_miss(repository().found_in_part(TaskName::Repository).with(leaks(&[])))
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
    fn a_secret_says_whether_it_still_stands_at_head_and_counts_commits_only_where_that_is_over() {
        use crate::samples::{Told, facts};
        use ambit_model::TaskName;
        let said = |at_head: serde_json::Value, commits: u64| {
            let leak = json!({"token": "ghp_one", "provider": "GitHub", "rule": "github-token", "by_context": false,
                "commit": "0123456789abcdef", "author": "A", "date": "2026-01-02T03:04:05.000Z", "path": "a.env",
                "line": 3, "commits": commits, "last_commit": "fedcba9876543210",
                "last_date": "2026-02-03T04:05:06.000Z", "at_head": at_head});
            let facts = facts(Kind::GitRepository, "https://code.acme.test:443/app.git").found(TaskName::Repository);
            let Verdict::Proven(proofs) = judge(&facts.with(json!({"hidden_leaks": [leak]})), Timestamp(0)) else {
                panic!("it is reported")
            };
            let [proof] = &proofs[..] else { panic!("{proofs:?}") };
            assert_eq!(proof.discriminator, "ghp_one", "the issue stays the same");
            let today = proof.description.split_once("2026-01-02.").unwrap().1.to_owned();
            (today, proof.details["at_head"].clone(), proof.details["commits"].clone())
        };
        let there = json!({"files": 2, "path": "b.env"});
        assert_eq!(
            said(there.clone(), 2),
            (" At HEAD it still stands in \"b.env\".".to_owned(), json!(true), json!(null))
        );
        assert_eq!(said(there.clone(), 2), said(there, 9), "an edit of a file that holds it changes nothing");
        let gone = " No file at HEAD holds it any more";
        assert_eq!(said(json!({"files": 0}), 1), (format!("{gone}."), json!(false), json!(1)));
        let often = format!("{gone}; 3 commits brought it, fedcba987654 of 2026-02-03 the last.");
        assert_eq!(said(json!({"files": 0}), 3), (often, json!(false), json!(3)));
        assert_eq!(said(json!(null), 3), (String::new(), json!(null), json!(null)), "nobody knows");
    }

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
