//! Votes on objects, and how many there are of each sort.

use crate::call::Call;
use crate::failure::About;
use crate::page;
use ambit_api::ApiError;
use ambit_api::objects::object;
use ambit_store::Vote;
use serde_json::{Map, Value, json};

pub(crate) const NOUN: &str = "Vote";
pub(crate) const VERDICTS: [&str; 2] = ["harmless", "malicious"];

pub(crate) fn shown(call: &Call, kind: &str, item: &str, vote: &Vote) -> Value {
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
    let votes = call.store().votes_on(kind, item).await.about(NOUN)?;
    let count = |verdict: &str| votes.iter().filter(|vote| vote.verdict == verdict).count();
    Ok(json!({"harmless": count(VERDICTS[0]), "malicious": count(VERDICTS[1])}))
}
