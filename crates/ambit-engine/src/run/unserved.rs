//! What a run could not look at whatever it did: a workflow, kinds of seeds and integrations that no task of this
//! version serves, and seeds that do not exist. People ask for these by name, and silence would be read as "nothing
//! there".

use super::Drive;
use ambit_model::facts::{Facts, ProbeOutcome};
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Kind, TaskName, Uid, application_session};
use ambit_store::StoreError;
use std::collections::BTreeSet;

/// Seeds whose facts are read at once.
const SEEDS_AT_ONCE: usize = 400;

impl Drive<'_> {
    /// Returns what the run's record says of it, one row for each reason and noun.
    pub(super) async fn unserved(&self) -> Result<Vec<NotDone>, StoreError> {
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
        rows.extend(self.elsewhere(workflow, &seeds).await?);
        rows.extend(self.missing_names(&seeds).await?);
        rows.extend(self.unread_apps(&seeds).await?);
        Ok(rows)
    }

    /// Sessions that open no seed: without this, an application whose origin is mistyped would be walked through as a
    /// stranger sees it, and nobody would be told.
    async fn elsewhere(
        &self,
        workflow: Option<Workflow>,
        seeds: &[(Kind, String)],
    ) -> Result<Option<NotDone>, StoreError> {
        if !workflow.is_some_and(|workflow| workflow.uses(workflow::SESSION)) {
            return Ok(None);
        }
        let credentials = match self.config.engine.store().list_credentials(self.run.collection).await {
            // Sealed with another secret: the task says so of the application.
            Err(StoreError::Bug(_)) => return Ok(None),
            read => read?,
        };
        let sites: BTreeSet<String> = seeds.iter().filter_map(|(_, name)| application_session::site(name)).collect();
        let sessions = credentials.into_iter().filter(|known| known.kind == workflow::SESSION);
        let elsewhere: Vec<String> = sessions
            .filter_map(|known| known.settings.get("origin")?.as_str().map(str::to_owned))
            .filter(|origin| !application_session::site(origin).is_some_and(|site| sites.contains(&site)))
            .collect();
        Ok(elsewhere.first().map(|origin| {
            let example = format!("integration {}: no seed is at its origin {origin}", workflow::SESSION);
            row(NotDoneReason::NoTask, "integration", elsewhere.len(), example)
        }))
    }

    /// Seeds whose name was asked for and does not exist.
    async fn missing_names(&self, seeds: &[(Kind, String)]) -> Result<Option<NotDone>, StoreError> {
        let missing = self.those(seeds, &[Kind::Domain, Kind::DnsRecord], does_not_exist).await?;
        Ok(missing.first().map(|facts| {
            let example = format!("{} {}: there is no such name; check its spelling", facts.kind.name(), facts.name);
            row(NotDoneReason::NoSuchName, NotDone::SEED, missing.len(), example)
        }))
    }

    /// Apps that nothing is known of.
    async fn unread_apps(&self, seeds: &[(Kind, String)]) -> Result<Option<NotDone>, StoreError> {
        let unread = self.those(seeds, Kind::APPS, is_nowhere).await?;
        Ok(unread.first().map(|facts| {
            let example = format!(
                "{} {}: it is in no store that was asked, and there is no package of it; check its name, upload its \
                 package, or name a mirror that has it (setting app_mirror)",
                facts.kind.name(),
                facts.name
            );
            row(NotDoneReason::NoAnswer, NotDone::SEED, unread.len(), example)
        }))
    }

    /// The seeds of some kinds of whose facts something holds.
    async fn those(
        &self,
        seeds: &[(Kind, String)],
        kinds: &[Kind],
        holds: fn(&Facts) -> bool,
    ) -> Result<Vec<Facts>, StoreError> {
        let named = seeds.iter().filter(|(kind, _)| kinds.contains(kind));
        let uids: Vec<Uid> = named.map(|(kind, name)| Uid::of_entity(self.run.collection, *kind, name)).collect();
        let mut those = Vec::new();
        for uids in uids.chunks(SEEDS_AT_ONCE) {
            let known = self.config.engine.known(self.run.id, uids, |uid| self.graph.end(uid)).await?;
            those.extend(known.into_iter().map(|known| known.facts).filter(holds));
        }
        Ok(those)
    }
}

/// Returns whether any task of a workflow looks at entities of a kind.
fn is_watched(kind: Kind, workflow: &str) -> bool {
    let outside = ambit_tasks::outside(workflow);
    ambit_tasks::ALL.iter().any(|task| task.watches.contains(&kind) && !outside.contains(task.name))
}

/// Returns whether name servers said that there is no such name: neither addresses nor aliases and, of a domain, no
/// zone.
fn does_not_exist(facts: &Facts) -> bool {
    let absent = |task| facts.outcome(task) == Some(ProbeOutcome::Absent);
    absent(TaskName::Resolve) && (facts.kind == Kind::DnsRecord || absent(TaskName::ZoneProfile))
}

/// Returns whether no store has an app, and nobody a package that could be read.
fn is_nowhere(facts: &Facts) -> bool {
    let asked = facts.looked(TaskName::AppStore) && facts.outcome(TaskName::AppStore) == Some(ProbeOutcome::Absent);
    asked && facts.outcome(TaskName::AppPackage) != Some(ProbeOutcome::Found)
}

fn row(reason: NotDoneReason, noun: &str, count: usize, example: String) -> NotDone {
    NotDone { reason, task: noun.to_owned(), count: i64::try_from(count).unwrap_or(i64::MAX), example }
}
