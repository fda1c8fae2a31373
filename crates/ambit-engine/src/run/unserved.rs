//! What a run could not look at whatever it did: a workflow, kinds of seeds and integrations that no task of this
//! version serves, and seeds that do not exist. People ask for these by name, and silence would be read as "nothing
//! there".

use super::Drive;
use ambit_model::entity::{host_of, imported};
use ambit_model::facts::{Facts, ProbeOutcome};
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Kind, TaskName, Uid, application_session};
use ambit_store::{Credential, Result};
use serde_json::Value;
use std::collections::BTreeSet;

/// Seeds whose facts are read at once.
const SEEDS_AT_ONCE: usize = 400;

impl Drive<'_> {
    /// Returns what the run's record says of it, one row for each reason and noun.
    pub(super) async fn unserved(&self) -> Result<Vec<NotDone>> {
        let collection = self.config.engine.collection(self.run.collection).await?;
        let mut rows = Vec::new();
        let mut integrations = self.config.engine.linked_integrations(self.run.collection).await?;
        let workflow = workflow::find(&collection.workflow);
        integrations.retain(|kind| !workflow.is_some_and(|workflow| workflow.uses(kind)));
        if let Some(kind) = integrations.first() {
            let example = format!("integration {kind}: no task of this version uses it");
            rows.push(row(NotDoneReason::NoTask, "integration", integrations.len(), example));
        }
        let seeds = self.graph.seeds();
        let unwatched: Vec<&(Kind, String)> =
            seeds.iter().filter(|(kind, _)| !is_watched(*kind, &collection.workflow)).collect();
        if let Some((kind, name)) = unwatched.first() {
            let example = format!("{} {name}: no task of this version looks at seeds of this kind", kind.name());
            rows.push(row(NotDoneReason::NoTask, NotDone::SEED, unwatched.len(), example));
        }
        if let Some(workflow) = workflow.filter(|workflow| !workflow.helped_by.is_empty()) {
            let credentials = self.config.engine.store().list_credentials(self.run.collection).await?;
            rows.extend(elsewhere(workflow, &credentials, &seeds));
            rows.extend(in_place_of_others(workflow, &credentials));
        }
        rows.extend(self.missing_names(&seeds).await?);
        rows.extend(self.unread_apps(&seeds).await?);
        Ok(rows)
    }

    /// Seeds whose name was asked for and does not exist.
    async fn missing_names(&self, seeds: &[(Kind, String)]) -> Result<Option<NotDone>> {
        let missing = self.those(seeds, &[Kind::Domain, Kind::DnsRecord], Facts::does_not_exist).await?;
        Ok(missing.first().map(|facts| {
            let example = format!("{} {}: there is no such name; check its spelling", facts.kind.name(), facts.name);
            row(NotDoneReason::NoSuchName, NotDone::SEED, missing.len(), example)
        }))
    }

    /// Apps that nothing is known of.
    async fn unread_apps(&self, seeds: &[(Kind, String)]) -> Result<Option<NotDone>> {
        let unread = self.those(seeds, Kind::APPS, is_nowhere).await?;
        Ok(unread.first().map(|facts| {
            let example = format!(
                "{} {}: it is in no store that was asked, and no package of it was read; check its name, upload its \
                 package, or name a mirror that has it (setting app_mirror)",
                facts.kind.name(),
                facts.name
            );
            row(NotDoneReason::NoAnswer, NotDone::SEED, unread.len(), example)
        }))
    }

    /// The seeds of some kinds of whose facts something holds.
    async fn those(&self, seeds: &[(Kind, String)], kinds: &[Kind], holds: fn(&Facts) -> bool) -> Result<Vec<Facts>> {
        let named = seeds.iter().filter(|(kind, _)| kinds.contains(kind));
        let uids: Vec<Uid> = named.map(|(kind, name)| Uid::of_entity(self.run.collection, *kind, name)).collect();
        let mut those = Vec::new();
        for uids in uids.chunks(SEEDS_AT_ONCE) {
            let known = self.config.engine.known(self.run.id, &self.seeds, uids, |uid| self.graph.end(uid)).await?;
            those.extend(known.into_iter().map(|known| known.facts).filter(holds));
        }
        Ok(those)
    }
}

/// Sessions that open no seed: without this, an application whose origin is mistyped would be walked through as a
/// stranger sees it, and nobody would be told.
fn elsewhere(workflow: Workflow, credentials: &[Credential], seeds: &[(Kind, String)]) -> Option<NotDone> {
    if !workflow.uses(workflow::SESSION) {
        return None;
    }
    let sites: BTreeSet<String> = seeds.iter().filter_map(|(_, name)| application_session::site(name)).collect();
    let sessions = credentials.iter().filter(|known| known.kind == workflow::SESSION);
    let elsewhere: Vec<&str> = sessions
        .filter_map(|known| known.settings.get("origin")?.as_str())
        .filter(|origin| !application_session::site(origin).is_some_and(|site| sites.contains(&site)))
        .collect();
    elsewhere.first().map(|origin| {
        let example = format!("integration {}: no seed is at its origin {origin}", workflow::SESSION);
        row(NotDoneReason::NoTask, "integration", elsewhere.len(), example)
    })
}

/// Tokens that nobody is shown, because one that stands before them in the collection is for the same server.
fn in_place_of_others(workflow: Workflow, credentials: &[Credential]) -> Option<NotDone> {
    let mut served = BTreeSet::new();
    let tokens = credentials.iter().filter(|known| workflow.helped_by.contains(&known.kind.as_str()));
    let unused: Vec<&Credential> = tokens
        .filter(|known| known.kind != workflow::SESSION)
        .filter(|known| {
            !served.insert((&known.kind, known.settings.get("server").and_then(Value::as_str).map(host_of)))
        })
        .collect();
    unused.first().map(|known| {
        let example =
            format!("integration {} {}: the collection uses another for the same server", known.kind, known.name);
        row(NotDoneReason::NoTask, "integration", unused.len(), example)
    })
}

/// Returns whether any task of a workflow looks at entities of a kind, or an import told of them already.
fn is_watched(kind: Kind, workflow: &str) -> bool {
    if imported::is_account(kind) {
        return true;
    }
    let outside = ambit_tasks::outside(workflow);
    ambit_tasks::ALL.iter().any(|task| task.watches.contains(&kind) && !outside.contains(task.name))
}

/// Returns whether no store has an app, and nobody a package that could be read.
fn is_nowhere(facts: &Facts) -> bool {
    facts.outcome(TaskName::AppStore) == Some(ProbeOutcome::Absent)
        && facts.outcome(TaskName::AppPackage) != Some(ProbeOutcome::Found)
}

fn row(reason: NotDoneReason, noun: &str, count: usize, example: String) -> NotDone {
    NotDone { reason, task: noun.to_owned(), count: i64::try_from(count).unwrap_or(i64::MAX), example }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::workflow::CODE_REPOSITORIES;
    use serde_json::json;

    #[test]
    fn of_two_tokens_for_one_server_the_second_is_told() {
        let token = |kind: &str, name: &str, settings: Value| Credential {
            integration: uuid::Uuid::nil(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            secrets: None,
            settings: settings.as_object().cloned().unwrap_or_default(),
        };
        let mut tokens = vec![
            token("GithubCredential", "first", json!({})),
            token("GiteaCredential", "ours", json!({"server": "https://git.acme.test"})),
            token("GiteaCredential", "theirs", json!({})),
            token("JiraCredential", "tickets", json!({})),
        ];
        assert_eq!(in_place_of_others(CODE_REPOSITORIES, &tokens), None);
        tokens.push(token("GithubCredential", "second", json!({})));
        let told = in_place_of_others(CODE_REPOSITORIES, &tokens).expect("one is not used");
        assert_eq!((told.count, told.reason), (1, NotDoneReason::NoTask));
        assert!(told.example.contains("GithubCredential second: the collection uses another"), "{}", told.example);
    }
}
