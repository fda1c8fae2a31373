//! Votes on files, URLs, domains and addresses: one of each user on each object, which may be changed (v3-wire §6).

use super::{objects, page};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::ApiError;
use ambit_api::objects::object;
use ambit_store::Vote;
use serde_json::{Map, Value, json};

const NOUN: &str = "Vote";
const VERDICTS: [&str; 2] = ["harmless", "malicious"];

fn shown(call: &Call, kind: &str, item: &str, vote: &Vote) -> Value {
    let attributes = Map::from_iter([
        ("date".to_owned(), page::seconds(vote.at)),
        ("verdict".to_owned(), json!(vote.verdict)),
        ("value".to_owned(), json!(if vote.verdict == VERDICTS[0] { 1 } else { -1 })),
    ]);
    let letter = kind.chars().next().unwrap_or('o');
    object(&call.base, "votes", "vote", &format!("{letter}-{item}-{}", vote.number), attributes)
}

/// How many users voted which way.
pub(crate) async fn total(call: &Call, kind: &str, item: &str) -> Result<Value, ApiError> {
    let votes = call.state.store.votes_on(kind, item).await.map_err(|error| of_store(error, NOUN))?;
    let count = |verdict: &str| votes.iter().filter(|vote| vote.verdict == verdict).count();
    Ok(json!({"harmless": count(VERDICTS[0]), "malicious": count(VERDICTS[1])}))
}

pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let (kind, item) = objects::item(&call).await?;
    let votes = call
        .state
        .store
        .votes_on(kind.name(), &item)
        .await
        .map_err(|error| of_store(error, NOUN))?;
    let votes = votes.iter().map(|vote| shown(&call, kind.name(), &item, vote)).collect();
    page::of_list(&call, votes, page::LIMIT_DEFAULT)
}

pub(crate) async fn add(call: Call) -> Result<Answer, ApiError> {
    let (kind, item) = objects::item(&call).await?;
    let attributes = page::body_attributes(&call, "vote", None)?;
    let verdict = attributes
        .get("verdict")
        .and_then(Value::as_str)
        .filter(|verdict| VERDICTS.contains(verdict));
    let verdict = verdict.ok_or_else(|| ApiError::invalid("The attribute verdict must be harmless or malicious"))?;
    let store = &call.state.store;
    let voted = store.vote(call.caller(), kind.name(), &item, verdict, call.now).await;
    voted.map_err(|error| of_store(error, NOUN))?;
    let votes = store.votes_on(kind.name(), &item).await.map_err(|error| of_store(error, NOUN))?;
    let own = votes.iter().find(|vote| vote.user == call.caller().username());
    let own = own.ok_or_else(|| ApiError::not_found(NOUN))?;
    Ok(page::one(&call, shown(&call, kind.name(), &item, own)))
}
