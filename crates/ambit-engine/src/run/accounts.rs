//! The accounts that a run begins with: the integrations that its collection uses, with what opens them.

use super::EngineConfig;
use ambit_model::run::Run;
use ambit_model::workflow;
use ambit_store::{Credential, StoreError};
use ambit_tasks::Account;
use std::collections::BTreeMap;

/// What opens the accounts that the run begins with, by the accounts' names. It goes to the tasks and nowhere else.
pub(super) async fn opened(config: &EngineConfig, run: &Run) -> Result<BTreeMap<String, Account>, StoreError> {
    let name = config.engine.collection(run.collection).await?.workflow;
    let Some(workflow) = workflow::find(&name).filter(|workflow| !workflow.credentials.is_empty()) else {
        return Ok(BTreeMap::new());
    };
    let credentials = match config.engine.store().list_credentials(run.collection).await {
        // Sealed with another secret: the tasks say of each account that it cannot be opened.
        Err(StoreError::Bug(why)) => {
            tracing::error!(run = run.id, "{why}");
            return Ok(BTreeMap::new());
        }
        read => read?,
    };
    let account = |known: Credential| {
        let (_, name) = workflow.account(&known.kind, &known.name, known.integration)?;
        Some((name, Account { secrets: known.secrets, settings: known.settings }))
    };
    Ok(credentials.into_iter().filter_map(account).collect())
}
