//! Imports: what other tools saw, brought into a collection. Nothing is contacted.

use crate::call::{Call, CallWith};
use crate::failure::{About, of_search};
use crate::path::CollectionUuid;
use ambit_api::contract::Maybe;
use ambit_api::imports::{
    CONFIGURATION_BYTES_MAX, Import, ImportedAccount, NewImport, NewSighting, Outside, SAYS_CHARS_MAX, SAYS_MAX,
};
use ambit_api::request::Text;
use ambit_api::words::Word;
use ambit_api::{ApiError, Envelope, Result, copied, success};
use ambit_model::entity::imported::{Sighted, Source};
use ambit_store::engine::{Imported, StateAccount};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a part waits for the search index to have those before it: who brings much goes at its pace, so that it is
/// never far behind for everybody else.
const INDEX_WAIT: Duration = Duration::from_secs(15);

/// Import what another tool saw, at most 1,000 things, as observations of a collection with their source and date.
/// Nothing is contacted. A thing that belongs to nothing in the collection is left out, unless a state of Terraform
/// holds it.
pub(crate) async fn create(call: CallWith<NewImport>) -> Result<Envelope<Import>> {
    let uuid = CollectionUuid::of(&call)?;
    let body = call.read()?;
    let sighted = body.sightings.into_iter().map(sighted).collect::<Result<Vec<_>, _>>()?;
    let account = body.account.0.map(|new| account(new, body.source.0)).transpose()?;
    let goes_on = body.goes_on.0.unwrap_or_default();
    let imported = Imported { source: body.source.0, sighted, account, goes_on };
    keep_pace(&call).await?;
    let outcome = call.store().import(call.caller(), uuid, imported).await;
    let outcome = outcome.about("Collection")?;
    let outside = outcome.first_outside.into_iter().map(|(kind, name)| Outside { kind: Word(kind), name });
    let import = copied! {
        Import from outcome { accepted, new_entities, undecided, too_old, outside, closed }
        first_outside: outside.collect(),
        at: call.now,
    };
    Ok(success("Imported", import))
}

/// Waits until the index has what is there now. Where it does not get that far, because it is built anew or not open
/// here, the import does not wait for it.
async fn keep_pace(call: &Call) -> Result<()> {
    let Ok(index) = call.state.index() else { return Ok(()) };
    let newest = call.store().last_revision().await.about("Collection")?;
    call.aside(index.wait_for(newest, INDEX_WAIT)).await.map(drop).map_err(|error| of_search(error.into()))
}

fn sighted(new: NewSighting) -> Result<Sighted> {
    let kind = new.kind.0;
    let name = kind.canonical(&new.name.0).map_err(|error| ApiError::invalid(error.to_string()))?;
    let owned = new.owned.0.unwrap_or_default();
    let configuration = new.configuration.0.filter(|_| owned).unwrap_or_default();
    if configuration.len() > SAYS_MAX || serde_json::json!(configuration).to_string().len() > CONFIGURATION_BYTES_MAX {
        return Err(ApiError::invalid(format!(
            "a configuration may have {SAYS_MAX} members and {CONFIGURATION_BYTES_MAX} bytes: that of {name} has more"
        )));
    }
    let resource_type = new.resource_type.0.filter(|_| owned).map(|text| text.0);
    Ok(Sighted { kind, name, seen_at: new.seen_at, says: said(new.says)?, owned, resource_type, configuration })
}

fn account(new: ImportedAccount, source: Source) -> Result<StateAccount> {
    let kind =
        source.account().ok_or_else(|| ApiError::invalid("imports of this source have no account".to_owned()))?;
    let name = kind.canonical(&new.name.0).map_err(|error| ApiError::invalid(error.to_string()))?;
    let (serial, whole) = (new.serial.0, new.whole.0.unwrap_or_default());
    Ok(StateAccount { kind, name, serial, seen_at: new.seen_at, says: said(new.says)?, since: new.since.0, whole })
}

fn said(says: Maybe<BTreeMap<String, Text<SAYS_CHARS_MAX>>>) -> Result<BTreeMap<String, String>> {
    let says = says.0.unwrap_or_default();
    if says.len() > SAYS_MAX || says.keys().any(|word| word.chars().count() > SAYS_CHARS_MAX) {
        return Err(ApiError::invalid(format!("says may have {SAYS_MAX} members of {SAYS_CHARS_MAX} characters")));
    }
    Ok(says.into_iter().map(|(word, text)| (word, text.0)).collect())
}
