//! Asks pages of an application with parameters that may name where they lead, and reads whether they lead to a host
//! that cannot exist. Nothing is followed, and nobody is reached by it.

use crate::ask::session;
use crate::ask::{bindings, web};
use crate::read::doing;
use crate::{Answer, Context, Plan, Task, TaskError};
use ambit_cloud::form::escaped;
use ambit_model::entity::uri::{self, LedAway};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::RedirectProbe,
    pretty_name: "Open redirects",
    description: "Asks pages of an application that is a seed to redirect to a host that cannot exist, through the \
                  parameters that may name one, and reads whether they would. No redirect is followed.",
    workflows: &[workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    footprint: Clearance::L4,
    wave: Wave::Writes,
    ttl_ms: 7 * DAY_MS,
    cost: 10,
    gain: 5,
    slow: true,
    plan: |facts, _| {
        let leads_somewhere = facts.seed && facts.decision.scoped() && !asked(facts).is_empty();
        Plan::bound(bindings::one_of_site(facts).filter(|_| leads_somewhere))
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Where an open redirect would lead: a name that cannot exist (RFC 6761 §6.4).
const NOWHERE: &str = "ambit.invalid";
/// Names of parameters that often hold the target of a redirect.
const WORDS: &[&str] = &[
    "back",
    "callback",
    "continue",
    "dest",
    "destination",
    "forward",
    "go",
    "goto",
    "href",
    "leave",
    "link",
    "location",
    "next",
    "out",
    "r",
    "redir",
    "redirect",
    "redirect_to",
    "redirect_uri",
    "redirect_url",
    "ref",
    "referer",
    "relaystate",
    "return",
    "return_path",
    "return_to",
    "return_url",
    "returnto",
    "returnurl",
    "service",
    "success",
    "target",
    "to",
    "u",
    "uri",
    "url",
];
/// How such names end that are made of several words.
const ENDS: &[&str] = &["redirect", "target", "uri", "url"];

/// Returns paths with the parameters that may hold a target of a redirect: first those that the crawl saw redirect.
fn asked(facts: &Facts) -> Vec<(String, String)> {
    let leading: BTreeSet<String> = uri::DEFECTS
        .items(&facts.details)
        .filter(|seen| seen.what == uri::OPEN_REDIRECT)
        .map(|seen| seen.path)
        .collect();
    let known = uri::PARAMETERS.items(&facts.details).chain(uri::HIDDEN_PARAMETERS.items(&facts.details));
    let pairs = known.flat_map(|parameter| parameter.paths.into_iter().map(move |path| (path, parameter.name.clone())));
    let mut pairs: Vec<(String, String)> =
        pairs.filter(|(path, name)| leading.contains(path) || may_lead(name)).collect();
    pairs.sort_by_key(|(path, name)| (!leading.contains(path), path.clone(), name.clone()));
    pairs.dedup();
    pairs
}

fn may_lead(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.contains(&name.as_str()) || ENDS.iter().any(|end| name.ends_with(end))
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let site = web::site(cx)?;
    let mut session = session::open(cx, &site).await?;
    let (mut led, mut failure) = (Vec::new(), None);
    for (path, parameter) in asked(cx.facts).into_iter().take(cx.settings.application_requests.redirects) {
        let url =
            site.with_path(&format!("{path}?{}={}", escaped(&parameter), escaped(&format!("https://{NOWHERE}/"))));
        if doing::does_something(&url) {
            continue;
        }
        // Too many requests show nothing of where a page leads.
        match session.get(cx, &url, web::PAGE_BYTES).await.and_then(HttpExchange::available) {
            Ok(answer) if leads_nowhere(&answer) => led.push(LedAway { path, parameter }),
            Ok(_) => {}
            Err(error @ NetError::Unavailable(_)) => {
                // What was seen of this page before holds.
                let before = uri::LED_AWAY.items(&cx.facts.details);
                led.extend(before.filter(|before| before.path == path && before.parameter == parameter));
                failure.get_or_insert(error);
            }
            Err(error) if web::is_no_answer(&error) && led.is_empty() && failure.is_none() => {
                return Ok(Answer::Absent);
            }
            Err(error) => return Err(error.into()),
        }
    }
    // Pages that nobody in the session was shown lead nowhere.
    session::holds_still(cx, &mut session, &site).await?;
    let found = !led.is_empty();
    if found {
        cx.observe(uri::LED_AWAY, led);
    }
    Answer::despite(found, failure.map(TaskError::from))
}

/// Whether an answer leads to the host that cannot exist.
fn leads_nowhere(answer: &HttpExchange) -> bool {
    let target = web::header(answer, "location").filter(|_| (300..400).contains(&answer.status));
    // Browsers take both slashes for the same.
    let target = target.map(|target| target.replace('\\', "/"));
    target.and_then(|target| answer.url.join(&target).ok()).is_some_and(|target: Url| target.host == NOWHERE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_say_where_somebody_is_led_are_asked() {
        assert!(WORDS.is_sorted() && ENDS.is_sorted());
        for (name, may) in
            [("next", true), ("ReturnUrl", true), ("post_logout_redirect_uri", true), ("q", false), ("page", false)]
        {
            assert_eq!(may_lead(name), may, "{name}");
        }
    }
}
