//! Finds out whether a domain has a site under `www`, where nothing sweeps its names: front pages send their visitors
//! there.

use crate::ask::delegation::found_below;
use crate::ask::host::is_resembling;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::dns::RecordType;

pub(crate) const TASK: Task = Task {
    name: TaskName::WwwName,
    pretty_name: "The name www",
    description: "Asks whether a domain has the name www, to which its front page may redirect visitors.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    cost: 2,
    gain: 4,
    plan: |facts, _| Plan::once_if((facts.seed && facts.decision.scoped()) || is_resembling(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let domain = cx.facts.name.as_str();
    let name = format!("www.{domain}");
    let answer = cx.net.lookup(&name, RecordType::A).await?;
    if answer.is_empty() && answer.own_alias().is_none() {
        return Ok(Answer::Absent);
    }
    found_below(cx, domain, &name).await?;
    Ok(Answer::Found)
}
