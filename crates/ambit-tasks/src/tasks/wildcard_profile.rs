//! Checks whether a level of a zone answers for names that do not exist, which brute force needs to know first. Where
//! it does by an alias, it leads to the name of theirs behind that: often nothing else names it.

use crate::ask::delegation::found_below;
use crate::ask::denial::is_there;
use crate::ask::host::{is_below, is_theirs};
use crate::tasks::dangling::alias;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::domain::{self, Dangling, DanglingReason};
use ambit_model::entity::{in_account, is_shared_suffix};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::dns::RecordType;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub(crate) const TASK: Task = Task {
    name: TaskName::WildcardProfile,
    pretty_name: "Wildcard profile",
    description: "Asks for random names, by record type, until no new answer comes.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord, Kind::Domain],
    cost: 6,
    gain: 6,
    volatile: &[domain::WILDCARD.name()],
    plan: |facts, _| Plan::once_if(facts.decision.scoped() && (is_level(facts) || has_wildcard(facts))),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Types that are tested: those that make a name resolve, and those of mail.
const TYPES: &[RecordType] = &[RecordType::A, RecordType::AAAA, RecordType::MX, RecordType::TXT];

/// First labels below which organisations keep more names.
const LEVEL_LABELS: &[&str] = &[
    "api",
    "app",
    "apps",
    "aws",
    "azure",
    "cloud",
    "corp",
    "demo",
    "dev",
    "devel",
    "emea",
    "eu",
    "ext",
    "gcp",
    "int",
    "intern",
    "internal",
    "intra",
    "k8s",
    "lab",
    "labs",
    "lan",
    "local",
    "mgmt",
    "net",
    "office",
    "pre",
    "preprod",
    "prod",
    "production",
    "qa",
    "sandbox",
    "services",
    "stage",
    "staging",
    "stg",
    "svc",
    "sys",
    "test",
    "testing",
    "tools",
    "uat",
    "uk",
    "us",
    "vpn",
];

/// True where names are likely below: a domain, a name that is a seed or the top of a zone, one below which a
/// certificate names all, and one such as `dev.acme.test`.
pub(crate) fn is_level(facts: &Facts) -> bool {
    let is_zone_top = || domain::SOA_RECORD.raw(&facts.details).is_some();
    let is_certified = || domain::WILDCARD_CERTIFICATE.of(&facts.details) == Some(true);
    let may_be = facts.kind == Kind::Domain || facts.seed || is_named_level(&facts.name);
    // What stands below a provider's suffix is its customers'.
    (may_be || is_zone_top() || is_certified()) && !is_shared_suffix(&facts.name)
}

/// True where the zone of an account shows a wildcard below the name.
fn has_wildcard(facts: &Facts) -> bool {
    in_account::zone_targets(&facts.details).any(|target| target.wildcard)
}

/// True for a name whose first label says that names stand below it.
pub(crate) fn is_named_level(name: &str) -> bool {
    let label = name.split('.').next().unwrap_or("");
    LEVEL_LABELS.binary_search(&label).is_ok()
}

/// A name that nobody makes, the same each time: an answer must not depend on chance.
fn nobodys(level: &str) -> String {
    let label = hex::encode(Sha256::digest(level));
    format!("{}.{level}", &label[..18])
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mut answers = Map::new();
    for rtype in TYPES {
        let profile = cx.net.wildcard(&cx.facts.name, *rtype).await?;
        if profile.is_wildcard() {
            answers.insert(rtype.to_string(), json!(profile.values));
        }
    }
    let dangling = alias(cx, &nobodys(&cx.facts.name)).await?.items;
    let dangling: Vec<Dangling> =
        dangling.into_iter().filter(|item| item.reason != DanglingReason::UnclaimedPattern).collect();
    if !dangling.is_empty() {
        cx.observe(domain::WILDCARD_DANGLING, dangling.clone());
    }
    let is_wildcard = !answers.is_empty();
    if is_wildcard {
        cx.observe(domain::WILDCARD_TYPES, answers.keys().cloned().collect::<Value>());
        cx.observe(domain::WILDCARD, Value::Object(answers));
    }
    // Brute force needs to know of the wildcard, whatever nobody can say of its target.
    let (led, failure) = match lead(cx).await {
        Ok(led) => (led, None),
        Err(failure) => (false, Some(failure)),
    };
    Answer::despite(led || is_wildcard || !dangling.is_empty(), failure)
}

/// Leads to the name of theirs of which names that nobody made are an alias, where it is there.
async fn lead(cx: &Context<'_>) -> Result<bool> {
    let level = cx.facts.name.as_str();
    let answer = cx.net.lookup(&nobodys(level), RecordType::A).await?;
    let Some(target) = answer.own_alias().map(|alias| alias.target.as_str()) else { return Ok(false) };
    if target == level || !is_theirs(cx.facts, target) || !is_there(cx, target).await? {
        return Ok(false);
    }
    match is_below(target, level) {
        true => found_below(cx, level, target).await?,
        false => cx.found_host(target, EdgeKind::Link),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;

    #[test]
    fn an_account_tells_of_a_wildcard_below_a_name_that_is_called_like_no_level() {
        let name = |wildcard: bool| {
            let target = json!({"record": "CNAME", "target": "x.test", "held": {}, "wildcard": wildcard});
            facts(Kind::DnsRecord, "shop.acme.test", json!({"hidden_aws_zone_targets": [target]}))
        };
        assert!(has_wildcard(&name(true)) && !is_level(&name(true)));
        assert!(!has_wildcard(&name(false)));
    }

    #[test]
    fn level_labels_are_sorted() {
        assert!(LEVEL_LABELS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
