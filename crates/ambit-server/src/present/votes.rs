//! Votes on objects, and how many there are of each sort.

use crate::call::Call;
use crate::failure::About;
use ambit_api::Result;
use ambit_api::objects::Object;
use ambit_api::votes::{TotalVotes, VoteAttributes};
use ambit_model::object::ObjectType;
use ambit_store::Vote;
use std::collections::BTreeSet;

pub(crate) const NOUN: &str = "Vote";
pub(crate) const VERDICTS: [&str; 2] = ["harmless", "malicious"];

/// A vote as an object.
pub(crate) fn shown(kind: &str, item: &str, vote: &Vote) -> Object {
    let value = if vote.verdict == VERDICTS[0] { 1 } else { -1 };
    let attributes = VoteAttributes { date: vote.at.into(), verdict: vote.verdict.clone(), value };
    let letter = kind.chars().next().unwrap_or('o');
    Object::unaddressed("vote", &format!("{letter}-{item}-{}", vote.number), &attributes)
}

/// The votes on an object that is or was known by these ids, newest first; of a user's the newest alone.
async fn votes_on(call: &Call, kind: ObjectType, ids: &[String]) -> Result<Vec<(String, Vote)>> {
    let mut votes = Vec::new();
    for id in ids {
        let found = call.store().votes_on(call.caller(), kind.name(), id).await.about(NOUN)?;
        votes.extend(found.into_iter().map(|vote| (id.clone(), vote)));
    }
    votes.sort_by_key(|(_, vote)| std::cmp::Reverse((vote.at, vote.number)));
    let mut users = BTreeSet::new();
    votes.retain(|(_, vote)| users.insert(vote.user.clone()));
    Ok(votes)
}

/// The same as objects.
pub(crate) async fn on(call: &Call, kind: ObjectType, ids: &[String]) -> Result<Vec<Object>> {
    let votes = votes_on(call, kind, ids).await?;
    Ok(votes.iter().map(|(id, vote)| shown(kind.name(), id, vote)).collect())
}

/// How many users voted which way.
pub(crate) async fn total(call: &Call, kind: ObjectType, ids: &[String]) -> Result<TotalVotes> {
    let votes = votes_on(call, kind, ids).await?;
    let count = |verdict: &str| votes.iter().filter(|(_, vote)| vote.verdict == verdict).count();
    Ok(TotalVotes { harmless: count(VERDICTS[0]), malicious: count(VERDICTS[1]) })
}
