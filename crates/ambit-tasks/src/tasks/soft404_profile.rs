//! Learns how a site answers for a page that does not exist. Some send a page like any other, which tasks that look for
//! pages must know.

use crate::ask::{bindings, web};
use crate::read::normal;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::uri;
use ambit_model::entity::uri::{Refusal, Soft404};
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::http::{HttpExchange, Url};
use serde_json::json;
use sha2::{Digest, Sha256};

pub(crate) const TASK: Task = Task {
    name: TaskName::Soft404Profile,
    pretty_name: "Soft 404 profile",
    description: "Requests pages that cannot exist from a site and keeps how it responds.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    cost: 2,
    gain: 4,
    volatile: &[uri::SOFT404_HASH.name()],
    plan: |facts, _| Plan::bound(bindings::of_root_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Bytes of a "no" that are compared.
const BODY_BYTES: usize = 64 * 1_024;

/// A path that cannot be there, the same each time: an answer must not depend on chance.
pub(crate) fn improbable(url: &Url, end: &str) -> Url {
    let hash = hex::encode(Sha256::digest(format!("{url}{end}")));
    url.with_path(&format!("/{}{end}", &hash[..18]))
}

/// Requests a page that cannot exist.
pub(crate) async fn refusal(cx: &Context<'_>, url: &Url, end: &str) -> Result<HttpExchange, ambit_net::NetError> {
    web::get(cx, &improbable(url, end), BODY_BYTES).await
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let Some(page) = web::answered(refusal(cx, &url, "").await)? else { return Ok(Answer::Absent) };
    let page = web::whole(page.available()?)?;
    let file = web::whole(refusal(cx, &url, ".txt").await?.available()?)?;
    let kind = kind_of(page.status, file.status);
    cx.observe(uri::SOFT404, Soft404 { code: page.status.to_string(), kind });
    cx.observe(uri::SOFT404_HASH, json!(normal::body_hash(&page)));
    Ok(Answer::Found)
}

fn kind_of(page: u16, file: u16) -> Refusal {
    let found = |status: u16| (200..300).contains(&status);
    match (page, file) {
        (300..=399, _) => Refusal::Redirect,
        (page, file) if found(page) && found(file) => Refusal::CatchAll,
        (page, file) if found(page) || found(file) => Refusal::Soft,
        _ => Refusal::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_saying_no_has_a_name() {
        assert_eq!(kind_of(404, 404), Refusal::Plain);
        assert_eq!(kind_of(403, 404), Refusal::Plain);
        assert_eq!(kind_of(200, 404), Refusal::Soft);
        assert_eq!(kind_of(200, 200), Refusal::CatchAll);
        assert_eq!(kind_of(302, 404), Refusal::Redirect);
    }

    #[test]
    fn an_improbable_path_is_the_same_each_time() {
        let url = Url::parse("https://www.acme.test/").unwrap();
        assert_eq!(improbable(&url, ".txt"), improbable(&url, ".txt"));
        assert_ne!(improbable(&url, ".txt"), improbable(&url, ".php"));
        assert!(improbable(&url, ".txt").path.ends_with(".txt"));
    }
}
