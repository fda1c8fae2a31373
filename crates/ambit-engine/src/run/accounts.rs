//! The accounts that a run begins with: the integrations that its collection uses, with what opens them.

use super::EngineConfig;
use ambit_model::Kind;
use ambit_model::run::Run;
use ambit_model::workflow::{self, Workflow};
use ambit_store::{Credential, Result};
use ambit_tasks::Account;
use std::collections::BTreeMap;

/// What opens the accounts that the run begins with, by the accounts' names. It goes to the tasks and nowhere else.
pub(super) async fn opened(config: &EngineConfig, run: &Run) -> Result<BTreeMap<String, Account>> {
    let name = config.engine.collection(run.collection).await?.workflow;
    let begins_or_helps = |workflow: &Workflow| !workflow.credentials.is_empty() || !workflow.helped_by.is_empty();
    let Some(workflow) = workflow::find(&name).filter(begins_or_helps) else {
        return Ok(BTreeMap::new());
    };
    let credentials = config.engine.store().list_credentials(run.collection).await?;
    let account = |(place, known): (usize, Credential)| {
        let name = match workflow.helped_by.contains(&known.kind.as_str()) {
            true => Account::helper(&known.kind, place),
            false => workflow.account(&known.kind, &known.name, known.integration)?.1,
        };
        let kind = Kind::from_name(&known.kind);
        Some((name, Account { kind, secrets: known.secrets, settings: known.settings }))
    };
    Ok(credentials.into_iter().enumerate().filter_map(account).collect())
}
