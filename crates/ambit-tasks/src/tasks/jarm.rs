//! The JARM of a TLS service: servers of one make in one configuration have the same, and rules know some of them.

use crate::ask::bindings;
use crate::read::technology;
use crate::told;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::network_service;
use ambit_model::moment::WEEK_MS;
use ambit_model::{Kind, TaskName, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::Jarm,
    pretty_name: "JARM",
    description: "Sends a TLS service the ten ClientHello messages of JARM and hashes what it chooses.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetworkService],
    // A library and its configuration change seldom, and ten connections are many.
    ttl_ms: WEEK_MS,
    cost: 10,
    gain: 1,
    plan: |facts, _| Plan::once_if(network_service::SSL.is_true(&facts.details)),
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let socket =
        bindings::socket(cx.facts.kind, &cx.facts.name, "").ok_or_else(|| TaskError::Failed("not a service".into()))?;
    let jarm = match cx.net.jarm(socket, None).await {
        Ok(jarm) => jarm,
        Err(error) if bindings::is_closed(&error) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    // Only zeros: it refused every hello, and this service is known to speak TLS.
    if jarm.bytes().all(|byte| byte == b'0') {
        return Ok(Answer::Absent);
    }
    told::observe(cx, technology::of_jarm(&cx.settings.fingerprints, &jarm));
    cx.observe(network_service::JARM, jarm);
    Ok(Answer::Found)
}
