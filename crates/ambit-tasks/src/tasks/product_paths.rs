//! Other pages of a site than its front page, where rules of packs look for products there: few, and only those that a
//! rule asks for.

use crate::ask::web;
use crate::read::normal;
use crate::tasks::content_focus::at_profiled_sites;
use crate::tasks::soft404_profile::refusal;
use crate::told::{self, Visit};
use crate::{Again, Answer, Context, Plan, Result, Task};
use ambit_fingerprints::{PATHS_MAX, Product};
use ambit_model::entity::network;
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url};
use futures::StreamExt;
use futures::stream::FuturesUnordered;

pub(crate) const TASK: Task = Task {
    name: TaskName::ProductPaths,
    pretty_name: "Pages of products",
    description: "Requests the few pages other than the front page in which loaded rules look for products.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Uri],
    again: Again::UnlessAbsent(&[TaskName::HttpEnrich, TaskName::Soft404Profile]),
    cost: PATHS_MAX as i64,
    gain: 4,
    plan: |facts, settings| match settings.fingerprints.paths().next() {
        Some(_) => at_profiled_sites(facts),
        None => Plan::bound([]),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Pages that are asked for at once at one site.
const IN_FLIGHT: usize = 4;
/// Bytes of a page that rules read.
const PAGE_BYTES: usize = 256 * 1_024;
/// Pages without an answer after which a site is left.
const FAILURES_MAX: usize = 3;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let site = &web::site(cx)?;
    let paths: Vec<&str> = cx.settings.fingerprints.paths().collect();
    let (mut products, mut failed): (Vec<Product>, Vec<NetError>) = (Vec::new(), Vec::new());
    for some in paths.chunks(IN_FLIGHT) {
        let mut spent = None;
        let mut looks: FuturesUnordered<_> = some.iter().map(|path| look(cx, site, path)).collect();
        while let Some(told) = looks.next().await {
            match told {
                Ok(told) => products.extend(told),
                Err(error @ NetError::Budget(_)) => spent = Some(error),
                Err(error) if web::is_closed(&error) => {}
                Err(error) => failed.push(error),
            }
        }
        if let Some(error) = spent {
            return Err(error.into());
        }
        if failed.len() >= FAILURES_MAX {
            break;
        }
    }
    if let (true, Some(error)) = (products.is_empty(), failed.first()) {
        return Err(error.clone().into());
    }
    let found = !products.is_empty();
    cx.observe(network::FINGERPRINT, ambit_fingerprints::items(products));
    Ok(Answer::found_if(found))
}

/// The products of one page, without those that the site's way of saying no shows as well.
async fn look(cx: &Context<'_>, site: &Url, path: &str) -> Result<Vec<Product>, NetError> {
    let exchange = web::get(cx, &site.with_path(path), PAGE_BYTES).await?.available()?;
    let told = |exchange: &HttpExchange| Visit::of_page(exchange).products_at(&cx.settings.fingerprints, path);
    let mut products = told(&exchange);
    if products.is_empty() {
        return Ok(products);
    }
    let end = path.rfind('.').map_or("", |at| &path[at..]);
    let no = told(&refusal(cx, site, end).await?.available()?);
    products.retain(|product| !no.contains(product));
    if !products.is_empty() {
        cx.evidence(&told::label(path), &normal::exchange(&exchange));
    }
    Ok(products)
}
