//! Derives the mailbox of whoever looks after a zone from the authority of the zone. Sends nothing.

use crate::{Answer, Context, Plan, Result, Sights, Task};
use ambit_model::entity::{domain, mentioned, registrable};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use serde_json::json;

pub(crate) const TASK: Task = Task {
    name: TaskName::ZoneContact,
    pretty_name: "Zone contact",
    description: "Leads from a domain to the mailbox that the authority of its zone names, if it lies in the domain.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[Kind::EmailAddress],
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 1,
    // No other task leads to the mailbox, and the zone itself names it.
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| Plan::once_if(own_mailbox(facts).is_some()),
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mailbox = own_mailbox(cx.facts);
    if let Some(mailbox) = &mailbox {
        let origin = Details::from_iter([mentioned::ORIGIN.is(json!(format!("SOA record of {}", cx.facts.name)))]);
        cx.found_with(Kind::EmailAddress, mailbox, EdgeKind::Contact, origin);
    }
    Ok(Answer::found_if(mailbox.is_some()))
}

/// Returns the mailbox that the authority names, if it lies in the domain: a provider of zones names its own.
fn own_mailbox(facts: &Facts) -> Option<String> {
    let mailbox = mailbox_of(&domain::SOA_RECORD.of(&facts.details)?.responsible_party)?;
    let (_, host) = mailbox.rsplit_once('@')?;
    (registrable(host) == Some(facts.name.as_str())).then_some(mailbox)
}

/// Returns the mailbox of a name as RFC 1035 §8 writes it: the first label stands before the `@`, and a dot inside it
/// behind a backslash. `None` where one of the parts is missing.
fn mailbox_of(name: &str) -> Option<String> {
    let end = name.char_indices().find(|(at, c)| *c == '.' && !name[..*at].ends_with('\\')).map(|(at, _)| at)?;
    let (user, host) = (name[..end].replace("\\.", "."), name[end + 1..].trim_end_matches('.'));
    (!user.is_empty() && !user.contains('\\') && !host.is_empty()).then(|| format!("{user}@{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_is_a_name_whose_first_label_is_the_user() {
        for (name, mailbox) in [
            ("hostmaster.acme.test", Some("hostmaster@acme.test")),
            ("ann\\.lee.mail.acme.test.", Some("ann.lee@mail.acme.test")),
            ("a\\.b\\.c.acme.test", Some("a.b.c@acme.test")),
            ("acme", None),
            (".", None),
            (".acme.test", None),
            ("odd\\064user.acme.test", None),
            ("", None),
        ] {
            assert_eq!(mailbox_of(name).as_deref(), mailbox, "{name:?}");
        }
    }

    #[test]
    fn only_a_mailbox_of_the_domain_itself_is_led_to() {
        for (party, mailbox) in [
            ("hostmaster.acme.test", Some("hostmaster@acme.test")),
            ("dns.ops.acme.test", Some("dns@ops.acme.test")),
            ("dns.provider.test", None),
            ("hostmaster.notacme.test", None),
        ] {
            let authority = json!({"soa_record": {"primary_name_server": "ns1.acme.test", "responsible_party": party}});
            let facts = crate::tests::facts(Kind::Domain, "acme.test", authority);
            assert_eq!(own_mailbox(&facts).as_deref(), mailbox, "{party}");
        }
        assert_eq!(own_mailbox(&crate::tests::facts(Kind::Domain, "acme.test", json!({}))), None);
    }
}
