//! Metered calls: the order of decisions of docs/contract/quotas.md §3. The right, then the price, then the charge,
//! then the work; what the server itself fails at is given back, and so is the price of a call that another quota
//! refuses. A call that costs nothing waits for nothing: it is counted a moment later, with others.

pub(crate) mod free;
pub(crate) mod rules;

use crate::answer::Answer;
use crate::call::Call;
use crate::endpoint::Endpoint;
use crate::failure::About;
use crate::limits::bounded;
use crate::present::analyses::item_of_analysis;
use crate::present::files;
use crate::rights;
use crate::routes::v2;
use crate::routes::wider::archives;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::quota::Family;
use ambit_store::{Cost, Receipt};
use rules::Price;
use serde_json::Value;
use std::time::Duration;

/// What is to be charged before the handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Nothing,
    /// The handler's own transaction charges.
    Within,
    Charge(Cost),
}

const ONE_REQUEST: Due = Due::Charge(Cost::Requests(1));

/// Answers a metered call. In a task of its own, so that a client that goes away does not leave a charge without its
/// work.
pub(crate) async fn metered(endpoint: &'static Endpoint, call: Call, line: String, time: Duration) -> Result<Answer> {
    let task = tokio::spawn(async move { run(endpoint, call, &line, time).await });
    task.await.unwrap_or_else(|_| Err(ApiError::new(ErrorCode::Internal)))
}

async fn run(endpoint: &'static Endpoint, call: Call, line: &str, time: Duration) -> Result<Answer> {
    rights::check(&call, endpoint.right).await?;
    let usage = endpoint.cost.usage;
    let receipt = match due(endpoint, &call).await? {
        Due::Nothing => {
            call.state.free_counts.count(call.store(), call.caller().user_id(), usage, call.now);
            None
        }
        Due::Within => None,
        Due::Charge(cost) => {
            let charged = call.store().charge(call.caller(), cost, usage).await.about("Quota")?;
            Some(charged)
        }
    };
    let state = call.state.clone();
    let outcome = bounded(line, time, (endpoint.handler.answer)(call)).await;
    if let (Some(receipt), Err(error)) = (receipt, &outcome)
        && (error.code.status() >= 500 || error.code == ErrorCode::QuotaExceeded)
    {
        give_back(&state.store, &receipt).await;
    }
    outcome
}

async fn give_back(store: &ambit_store::Store, receipt: &Receipt) {
    if let Err(error) = store.refund(receipt).await {
        tracing::error!(%error, ?receipt, "a charge could not be refunded");
    }
}

async fn due(endpoint: &Endpoint, call: &Call) -> Result<Due> {
    Ok(match endpoint.cost.price {
        Price::Unmetered | Price::Free => Due::Nothing,
        Price::Plain => ONE_REQUEST,
        Price::ReadGraph => read_graph(call).await?,
        Price::ReadGraphRelationship if call.parameter("relationship") == "items" => read_graph(call).await?,
        Price::ReadGraphRelationship => ONE_REQUEST,
        Price::PostGraphs if wants_private(call) => Due::Within,
        Price::PostGraphs => ONE_REQUEST,
        Price::ChangeGraph => change_graph(call).await?,
        Price::Upload | Price::Submissions => Due::Within,
        Price::Reports => Due::Charge(Cost::Requests(v2::files::asked_for(call))),
        Price::ReadFile if files::uploaded_as_new(call, call.id()).await? => Due::Nothing,
        Price::ReadFile => ONE_REQUEST,
        Price::ReadAnalysis => match item_of_analysis(call).await? {
            None => Due::Nothing,
            Some(item) if files::uploaded_as_new(call, &item.id).await? => Due::Nothing,
            Some(_) => ONE_REQUEST,
        },
        Price::Download => Due::Charge(Cost::Enterprise(Family::Downloads, 1)),
        Price::Archive => Due::Charge(Cost::Enterprise(Family::Downloads, archives::asked_for(call))),
        Price::Search => Due::Charge(Cost::Enterprise(Family::Searches, 1)),
    })
}

/// True for a body that asks for a private graph.
fn wants_private(call: &Call) -> bool {
    let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
    body.pointer("/data/attributes/private") == Some(&Value::Bool(true))
}

/// Whether the graph of the path is private; `None`: it is not there for the caller.
async fn is_private(call: &Call) -> Result<Option<bool>> {
    let found = call.store().find_graph(call.caller(), call.id()).await.if_found()?;
    Ok(found.map(|graph| graph.private))
}

async fn read_graph(call: &Call) -> Result<Due> {
    Ok(if is_private(call).await? == Some(true) { Due::Nothing } else { ONE_REQUEST })
}

async fn change_graph(call: &Call) -> Result<Due> {
    let becomes_private = wants_private(call) && is_private(call).await? == Some(false);
    Ok(if becomes_private { Due::Within } else { ONE_REQUEST })
}
