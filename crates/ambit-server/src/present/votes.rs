//! Votes on objects, and how many there are of each sort.

use crate::call::Call;
use crate::failure::About;
use ambit_api::ApiError;
use ambit_api::objects::Object;
use ambit_api::votes::{TotalVotes, VoteAttributes};
use ambit_store::Vote;

pub(crate) const NOUN: &str = "Vote";
pub(crate) const VERDICTS: [&str; 2] = ["harmless", "malicious"];

/// A vote as an object.
pub(crate) fn shown(kind: &str, item: &str, vote: &Vote) -> Object {
    let value = if vote.verdict == VERDICTS[0] { 1 } else { -1 };
    let attributes = VoteAttributes { date: vote.at.into(), verdict: vote.verdict.clone(), value };
    let letter = kind.chars().next().unwrap_or('o');
    Object::unaddressed("vote", &format!("{letter}-{item}-{}", vote.number), &attributes)
}

/// How many users voted which way.
pub(crate) async fn total(call: &Call, kind: &str, item: &str) -> Result<TotalVotes, ApiError> {
    let votes = call.store().votes_on(kind, item).await.about(NOUN)?;
    let count = |verdict: &str| votes.iter().filter(|vote| vote.verdict == verdict).count();
    Ok(TotalVotes { harmless: count(VERDICTS[0]), malicious: count(VERDICTS[1]) })
}
