//! Checks whether a provider reports that the site behind a name is unclaimed. This counts only together with an alias
//! to that very provider.

use crate::ask::{bindings, web};
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::domain::Takeover;
use ambit_model::observation::Sighting;
use ambit_model::platforms::claimable::{self, Claimable};
use ambit_model::{Facts, Kind, TaskName, workflow};
use ambit_net::Grant;
use ambit_net::http::Url;
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Takeover,
    pretty_name: "Takeover",
    description: "Requests the site to which an alias leads from its provider, and reads whether anybody has claimed \
                  it.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    cost: 2,
    gain: 3,
    sights: Sights::All(Sighting::Ends),
    plan: |facts, _| match claimable(facts) {
        _ if !facts.decision.scoped() => Plan::No,
        Some(_) => bindings::plan(facts, bindings::of_name(facts, &[80], |_| false)),
        None => Plan::bound([]),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Bytes of an answer that are read.
const BODY_BYTES: usize = 64 * 1_024;

/// The target in the name's alias chain that a provider gives to whoever claims it and that says so on its pages.
fn claimable(facts: &Facts) -> Option<(String, &'static Claimable)> {
    let targets = domain::CNAME_CHAIN.texts(&facts.details);
    let mut rules = targets.filter_map(|target| claimable::of_target(target).map(|rule| (target.to_owned(), rule)));
    rules.find(|(_, rule)| rule.says.is_some())
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let Some((target, rule)) = claimable(cx.facts) else {
        return Ok(Answer::Absent);
    };
    let socket: SocketAddr =
        cx.argument.parse().map_err(|_| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let mut failure = None;
    for https in [false, true] {
        let url = Url::site(https, &cx.facts.name, if https { 443 } else { 80 })?;
        let mut request = cx.net.get(&url.to_string())?;
        request.address = Some(SocketAddr::new(socket.ip(), url.port));
        request.grant = Grant::Target;
        request.body_kept = BODY_BYTES;
        match cx.net.http(&request).await {
            Ok(exchange) => {
                if let Some(proof) = rule.proof(exchange.status, &web::text(&exchange)) {
                    cx.observe(
                        domain::TAKEOVER,
                        Takeover { provider: rule.provider.to_owned(), target, proof: proof.to_owned() },
                    );
                    cx.exchange("takeover", &exchange);
                    return Ok(Answer::Found);
                }
                failure = exchange.available().err().or(failure);
            }
            Err(error) if web::is_no_answer(&error) => {}
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(Answer::Absent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_an_alias_to_a_provider_is_asked_about() {
        let name = |chain: &[&str]| {
            crate::tests::facts(Kind::DnsRecord, "blog.acme.test", json!({"hidden_cname_chain": chain}))
        };
        assert_eq!(claimable(&name(&["acme.github.io"])).map(|(target, _)| target).as_deref(), Some("acme.github.io"));
        assert!(
            claimable(&name(&["acme.azurewebsites.net"])).is_none(),
            "its name does not exist when nobody holds it"
        );
        assert!(claimable(&name(&[])).is_none());
    }
}
