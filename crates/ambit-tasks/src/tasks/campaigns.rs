//! Puts domains together that resemble a seed and share what others do not have: name servers, addresses, certificates,
//! tracking identifiers.

use crate::ask::inputs::digest;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::domain::CAMPAIGNS;
use ambit_model::impersonation::{Campaign, Shared, traits_of};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, platforms, workflow};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::Campaigns,
    pretty_name: "Campaigns",
    description: "Groups domains that resemble a seed and share name servers, addresses, certificates or tracking \
                  identifiers.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS],
    watches: &[Kind::Domain],
    cost: 1,
    gain: 1,
    // The argument is the answer's digest: another answer is another probe, and takes the place of the former.
    plan: |facts, _| {
        let campaigns = if facts.seed { campaigns(facts) } else { Vec::new() };
        Plan::bound((!campaigns.is_empty()).then(|| digest(&campaigns)))
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// Campaigns that are kept of one seed, the largest.
const CAMPAIGNS_MAX: usize = 100;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let campaigns = campaigns(cx.facts);
    let found = !campaigns.is_empty();
    cx.observe(CAMPAIGNS, campaigns);
    Ok(Answer::found_if(found))
}

fn campaigns(facts: &Facts) -> Vec<Campaign> {
    let own = traits_of(&facts.details);
    let mut groups: BTreeMap<(Shared, String), BTreeSet<String>> = BTreeMap::new();
    for other in facts.to(EdgeKind::Resembles) {
        let shared = traits_of(&other.details).into_iter();
        for held in shared.filter(|held| !own.contains(held) && !is_everybodys(held)) {
            groups.entry(held).or_default().insert(other.name.clone());
        }
    }
    let several = groups.into_iter().filter(|(_, domains)| domains.len() > 1);
    let mut campaigns: Vec<Campaign> = several.map(|((by, value), domains)| Campaign { by, value, domains }).collect();
    campaigns.sort_by(|a, b| b.domains.len().cmp(&a.domains.len()).then_with(|| a.cmp(b)));
    campaigns.truncate(CAMPAIGNS_MAX);
    campaigns
}

/// Returns whether the shared thing is a name server of a platform, which serves all customers.
fn is_everybodys((by, value): &(Shared, String)) -> bool {
    *by == Shared::NameServer && platforms::is_name_server(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use ambit_model::facts::Neighbour;
    use ambit_model::{Clearance, Details, Uid};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn seed(others: &[(&str, Value)]) -> Facts {
        let mut seed = facts(Kind::Domain, "acme.test", json!({"nameservers": ["ns1.acme.test"]}));
        seed.seed = true;
        seed.outward = others
            .iter()
            .map(|(name, details)| Neighbour {
                edge: EdgeKind::Resembles,
                task: "resembling_domains".to_owned(),
                argument: String::new(),
                uid: Uid::from_bytes([2; 32]),
                kind: Kind::Domain,
                name: (*name).to_owned(),
                scoped: false,
                by_evidence: false,
                clearance: Clearance::L2,
                details: Arc::new(details.as_object().cloned().unwrap_or_else(Details::new)),
            })
            .collect();
        seed
    }

    #[test]
    fn domains_that_share_a_server_of_nobody_else_belong_together() {
        let served = |server: &str| json!({"nameservers": [server]});
        let facts = seed(&[
            ("acrne.test", served("ns1.evil.test")),
            ("acme.example", served("ns1.evil.test")),
            ("acmes.test", served("ns1.other.test")),
            ("acme.net", served("ns1.acme.test")),
            ("acme.org", served("ns1.acme.test")),
            ("acme.info", served("ns-1.awsdns-01.com")),
            ("acme.biz", served("ns-1.awsdns-01.com")),
        ]);
        let found = campaigns(&facts);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].by, found[0].value.as_str()), (Shared::NameServer, "ns1.evil.test"));
        assert_eq!(found[0].domains.iter().collect::<Vec<_>>(), ["acme.example", "acrne.test"]);
        let Plan::Bound { asked, bound } = (TASK.plan)(&facts, &crate::Settings::default()) else { panic!("bound") };
        assert!(asked.len() == 1 && asked == bound);
        let alone = seed(&[("acrne.test", served("ns1.evil.test"))]);
        assert_eq!((TASK.plan)(&alone, &crate::Settings::default()), Plan::bound(None));
    }
}
