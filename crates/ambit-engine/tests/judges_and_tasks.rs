//! What judges read, tasks say: the two crates do not know each other, the engine knows both.

use ambit_model::Kind;
use std::collections::BTreeSet;

#[test]
fn every_judge_is_reached_by_a_look() {
    for judge in ambit_checks::ALL {
        let looked_at = |kind: &Kind| {
            let mut tasks = judge.reads.iter().map(|task| ambit_tasks::task(*task));
            tasks.any(|task| task.watches.contains(kind) || task.produces.contains(kind))
        };
        assert!(
            judge.applies_to.iter().any(looked_at),
            "{}: no task it reads looks at its kinds",
            judge.issue.name
        );
    }
}

#[test]
fn members_that_judges_rest_on_have_an_owner() {
    let owned: BTreeSet<&str> = ambit_tasks::ALL
        .iter()
        .flat_map(|task| task.owns)
        .flat_map(|(_, members)| *members)
        .copied()
        .collect();
    for member in [
        "hidden_caa",
        "hidden_cookies",
        "hidden_dangling",
        "hidden_exposures",
        "hidden_listable",
        "hidden_lookalikes",
        "hidden_names",
        "hidden_key",
        "hidden_self_signed",
        "hidden_chain_error",
        "hidden_takeover",
        "hidden_tls",
        "hidden_zone_transfer",
        "hidden_anonymous_ftp",
        "hidden_open_redis",
        "hidden_no_authentication",
        "hidden_directory_listing",
        "hidden_https_redirect",
        "hidden_spf",
    ] {
        assert!(owned.contains(member), "no task owns {member}");
    }
}
