//! Checks whether a site lets any other site read its responses with the visitor's cookies, by one request with an
//! origin that does not exist.

use crate::ask::{bindings, web};
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::uri;
use ambit_model::entity::uri::ForeignOrigin;
use ambit_model::{Kind, TaskName, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::CorsProbe,
    pretty_name: "Foreign origins",
    description: "Requests a site with the origin of a third party and reads which origins may read its responses.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    cost: 2,
    gain: 2,
    plan: |facts, _| Plan::bound(bindings::of_root_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// An origin that cannot exist (RFC 6761 §6.4).
const STRANGER: &str = "https://ambit.invalid";

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let mut request = web::request(cx, &url)?.with_header("Origin", STRANGER);
    request.body_kept = 0;
    request.shared = true;
    let Some(exchange) = web::answered(cx.net.http(&request).await)? else { return Ok(Answer::Absent) };
    let allowed = web::header(&exchange, "access-control-allow-origin");
    let credentials = web::header(&exchange, "access-control-allow-credentials")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let reflects = allowed.is_some_and(|origin| origin.eq_ignore_ascii_case(STRANGER));
    if reflects {
        cx.exchange("foreign_origin", &exchange);
        cx.observe(uri::FOREIGN_ORIGIN, ForeignOrigin { credentials });
        return Ok(Answer::Found);
    }
    exchange.available()?;
    Ok(Answer::Absent)
}
