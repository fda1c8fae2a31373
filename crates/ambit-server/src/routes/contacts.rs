//! Was it us? What runs of this server sent to an address, from its ledger of contacts.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::query::query;
use crate::state::LedgerFn;
use crate::window::start;
use ambit_api::contacts::Contacts;
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_model::Timestamp;
use ambit_model::moment::MINUTE_MS;
use ambit_model::reserved::IpNet;
use std::collections::BTreeSet;
use std::net::IpAddr;
use uuid::Uuid;

/// Minutes before and after a moment where the caller does not say: clocks differ.
const AROUND_MINUTES: u64 = 5;
/// The most minutes: a year.
const AROUND_MINUTES_MAX: u64 = 366 * 24 * 60;
/// Most contacts of an answer.
const CONTACTS_MAX: usize = 1_000;

query! { Asked:
    address: Text required = "An address, or a block such as 192.0.2.0/24.",
    time: When = "Moment of the contact; without it, the whole ledger is searched.",
    around: Count = "Minutes before and after that time that are looked at: 5 by default.",
}

/// List what runs of this server sent to an address or block, from its ledger of contacts: was it us? The answer covers
/// the collections that the caller sees; for an administrator of the installation it covers all.
pub(crate) async fn find(call: Asking<Asked>) -> Result<Envelope<Contacts>> {
    let network = network(Asked::address(&call).or_empty())?;
    let around = i64::try_from(Asked::around(&call).whole_number()?.unwrap_or(AROUND_MINUTES).min(AROUND_MINUTES_MAX));
    let around = around.unwrap_or_default() * MINUTE_MS;
    let (from, to) = match start(Asked::time(&call))? {
        Some(time) => (time.plus_ms(-around), time.plus_ms(around)),
        None => (Timestamp(i64::MIN), Timestamp(i64::MAX)),
    };
    let seen = seen(&call).await?;
    let Some(ledger) = call.state.ledger.clone() else {
        let nothing = Contacts { since: None, contacts: Vec::new(), more: false };
        return Ok(success("Contacts", nothing));
    };
    let read = tokio::task::spawn_blocking(move || look(&ledger, network, (from, to), seen.as_ref())).await;
    let found = read.map_err(|error| unread(&error.to_string()))?.map_err(|error| unread(&error.to_string()))?;
    Ok(success("Contacts", found))
}

fn look(
    ledger: &LedgerFn,
    network: IpNet,
    times: (Timestamp, Timestamp),
    seen: Option<&BTreeSet<Uuid>>,
) -> std::io::Result<Contacts> {
    let mut found = ledger(network, times)?;
    found.contacts.retain(|contact| seen.is_none_or(|seen| seen.contains(&contact.collection_uuid)));
    found.more = found.contacts.len() > CONTACTS_MAX;
    found.contacts.truncate(CONTACTS_MAX);
    Ok(found)
}

/// The collections whose contacts the caller may know of; `None`: all, those of before as well.
async fn seen(call: &Call) -> Result<Option<BTreeSet<Uuid>>> {
    let project = call.project_or_404()?;
    if call.caller().administrator() {
        return Ok(None);
    }
    let contexts = call.store().collection_contexts(call.caller(), project, i64::MAX).await.about("Project")?;
    Ok(Some(contexts.into_iter().map(|context| context.uuid).collect()))
}

fn network(text: &str) -> Result<IpNet> {
    let address = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    address
        .or_else(|_| text.parse::<IpNet>().map(|network| network.trunc()))
        .map_err(|_| ApiError::invalid("address must be an address, or a block such as 192.0.2.0/24"))
}

fn unread(why: &str) -> ApiError {
    ApiError::with(ErrorCode::Transient, format!("The ledger of contacts cannot be read: {why}"))
}
