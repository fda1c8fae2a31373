//! Tells whose services a supplier uses itself, by what its records and its page show: mail servers, senders, name
//! servers, aliases, tokens of verification, hosts that its page loads from.

use crate::ask::host::same_domain;
use crate::ask::inputs::digest;
use crate::history::within;
use crate::read::suppliers;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::domain::{
    CNAME_CHAIN, FRONT_PAGE, MX_RECORDS, NAMESERVERS, SPF_TREE, SUPPLIERS, Supplier, TXT_RECORDS,
};
use ambit_model::entity::mentioned;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::Suppliers,
    pretty_name: "Suppliers",
    description: "Identifies the suppliers of a domain by its mail servers, senders, name servers, aliases, \
                  verification tokens and the hosts from which its page loads content.",
    workflows: &[workflow::THIRD_PARTIES],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::Organization],
    cost: 1,
    gain: 2,
    // The argument is the answer's digest: another answer is another probe, and takes the place of the former.
    plan: |facts, _| {
        let used = if facts.decision.scoped() { used(facts).0 } else { Vec::new() };
        Plan::bound((!used.is_empty()).then(|| digest(&used)))
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// Suppliers of one name that are kept.
const SUPPLIERS_MAX: usize = 200;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let (used, count) = used(cx.facts);
    if count > used.len() {
        let more = count - used.len();
        cx.leave_out(format!("{more} signs of suppliers are left out: no more than {SUPPLIERS_MAX} are kept"));
    }
    let mut signs: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for supplier in &used {
        signs.entry(&supplier.name).or_default().insert(format!("{} {}", supplier.by, supplier.value));
    }
    for (name, signs) in &signs {
        let origin = format!("{} of {}", signs.iter().cloned().collect::<Vec<_>>().join(", "), cx.facts.name);
        let details = Details::from_iter([mentioned::ORIGIN.is(json!(origin))]);
        cx.found_with(Kind::Organization, name, EdgeKind::Uses, details);
    }
    let found = !used.is_empty();
    if cx.facts.kind == Kind::Domain {
        cx.observe(SUPPLIERS, used);
    }
    Ok(Answer::found_if(found))
}

/// What the members of a domain or name show, sorted: as much as is kept, first of suppliers that are known, and how
/// much there is.
fn used(facts: &Facts) -> (Vec<Supplier>, usize) {
    let details = &facts.details;
    let mut found = BTreeSet::new();
    let mut host = |by: &str, host: &str| {
        if !same_domain(host, &facts.name)
            && let Some(name) = suppliers::of_host(host)
        {
            found.insert(Supplier { name, by: by.to_owned(), value: host.to_owned() });
        }
    };
    MX_RECORDS.items(details).for_each(|server| host("MX", &server.host));
    let senders = SPF_TREE.of(details).map(|tree| tree.includes).unwrap_or_default();
    senders.iter().for_each(|sender| host("SPF", sender));
    NAMESERVERS.texts(details).for_each(|server| host("NS", server));
    CNAME_CHAIN.texts(details).for_each(|target| host("CNAME", target));
    let page = FRONT_PAGE.of(details).unwrap_or_default();
    page.loads_from.iter().for_each(|loaded| host("page", loaded));
    page.allows.iter().for_each(|allowed| host("policy", allowed));
    for token in TXT_RECORDS.texts(details) {
        if let Some((name, shown)) = suppliers::of_token(token) {
            found.insert(Supplier { name, by: "TXT".to_owned(), value: shown });
        }
    }
    let known: BTreeSet<&str> = facts.to(EdgeKind::Uses).map(|supplier| supplier.name.as_str()).collect();
    let count = found.len();
    let kept = within(found.into_iter().collect(), SUPPLIERS_MAX, |used| known.contains(used.name.as_str()));
    (kept, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use ambit_model::facts::Neighbour;

    #[test]
    fn records_and_pages_show_whose_services_are_used() {
        let facts = facts(
            Kind::Domain,
            "globex.test",
            json!({
                "mx_records": [{"priority": 1, "host": "globex-test.mail.protection.outlook.com"},
                    {"priority": 9, "host": "mx.globex.test"}],
                "hidden_spf": {"includes": ["_spf.google.com", "_spf.birdpost.test"]},
                "nameservers": ["ns1.globex.test", "ns-7.awsdns-01.com"],
                "hidden_cname_chain": ["globex.myshopify.com"],
                "txt_records": ["docusign=0123", "birdpost-verification=5b1c", "v=spf1 -all", "hello"],
                "hidden_front_page": {"url": "https://globex.test/", "loads_from": ["js.stripe.com"],
                    "allows": ["www.globex.test"]},
            }),
        );
        let shown: Vec<String> =
            used(&facts).0.into_iter().map(|used| format!("{} by {} {}", used.name, used.by, used.value)).collect();
        assert_eq!(
            shown,
            [
                "Amazon Web Services by NS ns-7.awsdns-01.com",
                "DocuSign by TXT docusign=",
                "Google by SPF _spf.google.com",
                "Microsoft by MX globex-test.mail.protection.outlook.com",
                "Shopify by CNAME globex.myshopify.com",
                "Stripe by page js.stripe.com",
                "birdpost by TXT birdpost-verification=",
                "birdpost.test by SPF _spf.birdpost.test",
            ]
        );
    }

    #[test]
    fn suppliers_that_are_known_are_kept_before_others() {
        let texts: Vec<String> = (0..210).map(|number| format!("s{number:03}-verification=5b1c")).collect();
        let mut facts = facts(Kind::Domain, "globex.test", json!({"txt_records": texts}));
        let last = |facts: &Facts| {
            let (used, count) = used(facts);
            (used.len(), count, used.last().map(|used| used.name.clone()).unwrap_or_default())
        };
        assert_eq!(last(&facts), (200, 210, "s199".to_owned()));
        facts.outward.push(Neighbour {
            edge: EdgeKind::Uses,
            task: TASK.name.as_str().to_owned(),
            argument: "another answer".to_owned(),
            uid: ambit_model::Uid::from_bytes([1; 32]),
            kind: Kind::Organization,
            name: "s209".to_owned(),
            scoped: false,
            by_evidence: false,
            clearance: ambit_model::Clearance::L0,
            details: Default::default(),
        });
        assert_eq!(last(&facts), (200, 210, "s209".to_owned()));
    }

    #[test]
    fn nothing_is_used_where_all_is_their_own() {
        let own = facts(
            Kind::Domain,
            "globex.test",
            json!({"nameservers": ["ns1.globex.test"], "txt_records": ["v=spf1 mx -all", "some text"]}),
        );
        assert_eq!(used(&own), (Vec::new(), 0));
    }
}
