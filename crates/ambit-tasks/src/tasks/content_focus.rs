//! Looks for what should not be public, and proves it by content, against the site's own way of saying no.

use crate::ask::{bindings, same_site, web};
use crate::read::listing::{FOLDERS, listing_proof};
use crate::tasks::soft404_profile::refusal;
use crate::{Again, Answer, Context, Plan, Result, Task};
use ambit_model::entity::network::Fingerprint;
use ambit_model::entity::uri::Refusal;
use ambit_model::entity::{mentioned, network, uri};
use ambit_model::exposure::{DIRECTORY_LISTING, Place, Probe, Response};
use ambit_model::facts::ProbeOutcome;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::ContentFocus,
    pretty_name: "Exposed content",
    description: "Looks for repositories, environment files, status pages, API documents, backups and the like, and \
                  proves them by content. Where a server shows one site under many names and ports, one of them is \
                  searched, and the others are asked for what was proven there.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    produces: &[Kind::ApiEndpoint],
    again: Again::Found(&[TaskName::HttpEnrich, TaskName::Soft404Profile]),
    cost: 90,
    gain: 10,
    slow: true,
    plan: |facts, _| at_profiled_sites(facts),
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Probes of one site at once.
const IN_FLIGHT: usize = 4;
/// Bytes of an answer that a proof sees.
const BODY_BYTES: usize = 256 * 1_024;

/// Looks at a site wherever its way of saying no is known. One that sends everything on is not looked at: what lay open
/// there before it did is gone.
pub(crate) fn at_profiled_sites(facts: &Facts) -> Plan {
    if only_redirects(facts) {
        return Plan::bound([]);
    }
    let is_profiled =
        |binding: &&String| facts.outcome_at(TaskName::Soft404Profile, binding) == Some(ProbeOutcome::Found);
    let bound = bindings::of_root_site(facts);
    Plan::Bound { asked: bound.iter().filter(is_profiled).cloned().collect(), bound }
}

/// True for a site that sends everything on to its own https site, which is looked at instead.
fn only_redirects(facts: &Facts) -> bool {
    let sends_on = uri::HTTPS_REDIRECT.is_true(&facts.details);
    sends_on && uri::SOFT404.of(&facts.details).is_some_and(|profile| profile.kind == Refusal::Redirect)
}

/// What was proven: what, path, proof, and the answer.
struct Proven {
    what: &'static str,
    is_interface: bool,
    url: Url,
    proof: String,
    exchange: HttpExchange,
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = &web::site(cx)?;
    let mut seen = looks(cx, url).await;
    if let Some(error) = seen.fatal().filter(|_| seen.found.is_empty()) {
        return Err(error.into());
    }
    seen.found.sort_by(|a, b| (a.what, &a.url.path).cmp(&(b.what, &b.url.path)));
    for proven in &seen.found {
        cx.exchange(&format!("{} {}", proven.what, proven.url.path_only()), &proven.exchange);
        if proven.is_interface {
            cx.found_with(Kind::ApiEndpoint, &without_query(&proven.url), EdgeKind::Api, endpoint(proven));
        }
    }
    let items = seen.found.iter().map(|proven| uri::Exposure {
        what: proven.what.to_owned(),
        path: proven.url.path_only().to_owned(),
        proof: proven.proof.clone(),
    });
    let items: Vec<uri::Exposure> = items.chain(seen.kept(cx.facts)).collect();
    // "Could not look" is not "nothing there".
    if let (true, Some((_, error))) = (items.is_empty(), seen.failed.iter().find(|(_, error)| !web::is_closed(error))) {
        return Err(error.clone().into());
    }
    let answer = Answer::found_if(!items.is_empty());
    cx.observe(uri::EXPOSURES, items);
    Ok(answer)
}

/// Looks for everything at one of the sites that are the same, and at the others for what was proven there.
async fn looks(cx: &Context<'_>, url: &Url) -> Looks {
    if cx.verifies() {
        let held: BTreeSet<(String, String)> =
            uri::EXPOSURES.items(&cx.facts.details).map(|item| (item.what, item.path)).collect();
        let seen = look_for(cx, url, |what| held.iter().any(|(known, _)| known == what)).await;
        let place = |proven: &Proven| (proven.what.to_owned(), proven.url.path_only().to_owned());
        if seen.failed.is_empty() && seen.found.iter().map(place).collect::<BTreeSet<_>>() == held {
            return seen;
        }
        cx.ask_for_all();
    }
    let entry = match cx.memory {
        Some(memory) => same_site::key(cx, url).await.and_then(|key| memory.same.entry(key)),
        None => None,
    };
    let Some(entry) = entry else { return look_for(cx, url, |_| true).await };
    let mut first = None;
    // What could not be looked at here may be seen by the next: only a whole look counts for all.
    let proven = entry.get_or_try_init(async || {
        let seen = first.insert(look_for(cx, url, |_| true).await);
        let whats = seen.found.iter().map(|proven| proven.what).collect();
        if seen.failed.is_empty() { Ok(whats) } else { Err(()) }
    });
    let proven = {
        let _waits = cx.net.waits();
        proven.await.cloned()
    };
    match (first, proven) {
        (Some(seen), _) => seen,
        (None, Ok(proven)) => {
            let held: BTreeSet<String> = uri::EXPOSURES.items(&cx.facts.details).map(|item| item.what).collect();
            look_for(cx, url, |what| proven.contains(what) || held.contains(what)).await
        }
        (None, Err(())) => look_for(cx, url, |_| true).await,
    }
}

async fn look_for(cx: &Context<'_>, url: &Url, wanted: impl Fn(&str) -> bool) -> Looks {
    let mut seen = Looks::default();
    let probes = cx.settings.probes.iter().filter(|probe| wanted(probe.what));
    seen.take(probes.map(|probe| (probe.what, look(cx, url, probe)))).await;
    if wanted(DIRECTORY_LISTING) {
        seen.take(FOLDERS.iter().map(|path| (DIRECTORY_LISTING, look_listing(cx, url, path)))).await;
    }
    seen
}

/// How much may fail at one site before it counts as broken: a wall in front of it breaks off at some paths, a broken
/// server at all.
const FAILURES_MAX: usize = 12;
/// The weight of a probe that timed out: a site that resets connections is given up at once, while a silent one delays
/// the task each time.
const SILENCE: usize = 5;

/// The results of the probes of one site.
#[derive(Default)]
struct Looks {
    found: Vec<Proven>,
    /// Exposures that were probed and are not there.
    absent: BTreeSet<&'static str>,
    failed: Vec<(&'static str, NetError)>,
}

impl Looks {
    /// Takes some looks at a time, until too many have failed.
    async fn take<F: Future<Output = Result<Option<Proven>, NetError>>>(
        &mut self,
        mut probes: impl Iterator<Item = (&'static str, F)>,
    ) {
        while self.fatal().is_none() {
            // Responses arrive in any order, so each carries the probe that it answers.
            let some = probes.by_ref().take(IN_FLIGHT);
            let mut some: FuturesUnordered<_> =
                some.map(|(what, look)| look.map(move |answer| (what, answer))).collect();
            if some.is_empty() {
                return;
            }
            while let Some((what, answer)) = some.next().await {
                match answer {
                    Ok(Some(proven)) => self.found.push(proven),
                    Ok(None) => drop(self.absent.insert(what)),
                    Err(error) => self.failed.push((what, error)),
                }
            }
        }
    }

    /// The failure that ends it all: the budget's, or the first of too many.
    fn fatal(&self) -> Option<NetError> {
        let budget = self.failed.iter().find(|(_, error)| matches!(error, NetError::Budget(_)));
        let weight = |error: &NetError| match error {
            NetError::Timeout(_) => SILENCE,
            error => usize::from(!web::is_closed(error)),
        };
        let failures: usize = self.failed.iter().map(|(_, error)| weight(error)).sum();
        let first = || self.failed.first().filter(|_| failures > FAILURES_MAX);
        budget.or_else(first).map(|(_, error)| error.clone())
    }

    /// Items of the last answer that could not be looked at again, or were not since too much had failed: they hold.
    fn kept(&self, facts: &Facts) -> Vec<uri::Exposure> {
        let items = uri::EXPOSURES.items(&facts.details);
        let is_cut = self.fatal().is_some();
        let unseen = items.filter(|item| {
            let proven = self.found.iter().any(|proven| proven.what == item.what);
            let failed = self.failed.iter().any(|(failed, _)| *failed == item.what);
            // Of folders one says nothing of another.
            let is_absent = self.absent.contains(item.what.as_str()) && item.what != DIRECTORY_LISTING;
            !proven && (failed || (is_cut && !is_absent))
        });
        unseen.collect()
    }
}

fn without_query(url: &Url) -> String {
    url.to_string().split('?').next().unwrap_or("").to_owned()
}

/// The first address that proves the thing, unless the site says the same of what cannot be there.
async fn look(cx: &Context<'_>, site: &Url, probe: &'static Probe) -> Result<Option<Proven>, NetError> {
    let is_interface = matches!(probe.place, Place::Interface(_));
    let proven = |url, proof, exchange| Proven { what: probe.what, is_interface, url, proof, exchange };
    let paths = match probe.place {
        Place::Paths(paths) | Place::Interface(paths) => paths,
        Place::MissingPage => {
            let exchange = refusal(cx, site, "").await?.available()?;
            let proof = (probe.proof)(&response(&exchange));
            return Ok(proof.map(|proof| proven(exchange.url.clone(), proof, exchange)));
        }
    };
    for path in paths {
        let url = site.with_path(path);
        let Some(exchange) = page(cx, &url).await? else { continue };
        let Some(proof) = (probe.proof)(&response(&exchange)) else { continue };
        let end = path.rfind('.').map_or("", |at| &path[at..]);
        let no = refusal(cx, site, end).await?.available()?;
        if no.status != 200 || (probe.proof)(&response(&no)).is_none() {
            return Ok(Some(proven(url, proof, exchange)));
        }
    }
    Ok(None)
}

async fn look_listing(cx: &Context<'_>, site: &Url, path: &'static str) -> Result<Option<Proven>, NetError> {
    let url = site.with_path(path);
    let Some(exchange) = page(cx, &url).await? else {
        return Ok(None);
    };
    let Some(proof) = listing_proof(&web::text(&exchange)) else {
        return Ok(None);
    };
    // Of a folder that nobody made it says so as well: then it lists none.
    let no = refusal(cx, site, "/").await?.available()?;
    let is_listed = no.status != 200 || listing_proof(&web::text(&no)).is_none();
    Ok(is_listed.then_some(Proven { what: DIRECTORY_LISTING, is_interface: false, url, proof, exchange }))
}

/// A page that the site gives out; `None` where it does not. A connection that breaks in the middle of many is not a
/// "no", and neither is a site that has had enough of questions.
async fn page(cx: &Context<'_>, url: &Url) -> Result<Option<HttpExchange>, NetError> {
    let exchange = web::get(cx, url, BODY_BYTES).await?.available()?;
    Ok((exchange.status == 200).then_some(exchange))
}

fn response(exchange: &HttpExchange) -> Response<'_> {
    Response {
        media: web::header(exchange, "content-type").unwrap_or(""),
        is_html: web::is_html(exchange),
        body: &exchange.body,
    }
}

fn endpoint(proven: &Proven) -> Details {
    let document: Option<Value> = serde_json::from_slice(&proven.exchange.body).ok();
    let title = document.as_ref().and_then(|document| document.pointer("/info/title")).cloned();
    Details::from_iter([
        mentioned::RESPONSE.is(json!(null)),
        mentioned::CODE.is(json!(proven.exchange.status.to_string())),
        mentioned::IS_JSON.is(json!(document.is_some())),
        network::FINGERPRINT.is(Vec::<Fingerprint>::new()),
        mentioned::TITLE.is(title),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_only_sends_on_to_https_is_left_to_that() {
        let site = |kind: &str, https: bool| {
            let details = json!({"hidden_soft404": {"code": "301", "kind": kind}, "hidden_https_redirect": https});
            only_redirects(&crate::tests::facts(Kind::Uri, "http://www.acme.test:80", details))
        };
        assert!(site("redirect", true));
        assert!(!site("redirect", false), "a site that sends strangers to its login may still lie open");
        assert!(!site("plain", true), "only its front page moves");
    }
}
