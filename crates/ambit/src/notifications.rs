//! What sends notifications beside a server: made of the settings, with the searches of rules run on the server's own
//! index.

use crate::clock::now;
use crate::config::Settings;
use crate::engine_config;
use crate::failure::{Failure, Result};
use crate::traces;
use ambit_model::{DueDays, Uid, feed};
use ambit_net::guard::ReceiversOnly;
use ambit_net::live::LiveWire;
use ambit_notify::{Asked, Mail, MailSettings, Service};
use ambit_query::{Noun, parse_search};
use ambit_search::{Caller, CollectionContext, Index, SearchContext, SearchRequest};
use ambit_store::Store;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a rule waits for the index; then it is asked again at the next look.
const INDEX_WAIT: Duration = Duration::from_secs(5);
/// Identifiers of one search: a page of its answer.
const UIDS_MAX: usize = 200;

/// The service of a server that people find at `root`. Fails on a setting that is none: a URL of mail, an address, a
/// range, a file of authorities.
pub(crate) fn service(settings: &Settings, store: &Store, index: &Index, root: &str) -> Result<Service> {
    let live = engine_config::live(settings, &[], None)?;
    let wire = Arc::new(LiveWire::new(&live).map_err(|error| engine_config::unusable(&error))?);
    let guard = ReceiversOnly { opened: engine_config::ranges(settings, "notify_ranges")? };
    let due_days = settings.due_days()?;
    let (of_rules, of_index) = (store.clone(), index.clone());
    let find = move |asked: Asked| {
        let (store, index) = (of_rules.clone(), of_index.clone());
        let found: futures::future::BoxFuture<'static, _> =
            Box::pin(async move { found(&store, &index, due_days, asked).await });
        found
    };
    let service = Service::new(store, wire.clone(), guard, Arc::new(find), Arc::new(now))
        .at_root(root)
        .with_trace(traces::parent);
    Ok(match mail(settings)? {
        Some(mail) => service.with_mail(Mail::new(mail, wire)),
        None => service,
    })
}

/// The operator's mail server, where the setting `smtp` names one.
fn mail(settings: &Settings) -> Result<Option<MailSettings>> {
    let Some(url) = settings.get("smtp") else { return Ok(None) };
    let from = settings
        .get("mail_from")
        .ok_or_else(|| Failure::usage("setting mail_from is missing: mail needs a sender such as ambit@example.org"))?;
    let read = |path: &str| std::fs::read(path).map_err(|error| Failure::usage(format!("cannot read {path}: {error}")));
    let authorities = engine_config::list(settings, "ca").map(read).collect::<Result<Vec<_>>>()?;
    let mail = MailSettings::parse(url, from, &authorities);
    // The URL holds a password: it is not said again.
    mail.map(Some).map_err(|why| Failure::usage(format!("settings smtp and mail_from: {why}")))
}

/// Which of these records a search string finds, in the whole project.
async fn found(store: &Store, index: &Index, due_days: DueDays, asked: Asked) -> Result<BTreeSet<Uid>, String> {
    let noun = match asked.noun {
        feed::Noun::Issue => Noun::Issues,
        _ => Noun::Entities,
    };
    let reached = index.wait_for(asked.revision, INDEX_WAIT).await.map_err(|error| error.to_string())?;
    if !reached {
        return Err("the search index is behind".to_owned());
    }
    let operator = store.local_operator().await.map_err(|error| error.to_string())?;
    let contexts = store.collection_contexts(&operator, asked.project, index.reached()).await;
    let contexts = contexts.map_err(|error| error.to_string())?;
    let collections = contexts.into_iter().map(|context| CollectionContext {
        uuid: context.uuid,
        name: context.name,
        printable_name: context.printable_name,
        last_refreshes: context.last_refreshes,
        configured_scan_count: usize::try_from(context.custom_last_refreshes_count).unwrap_or(0),
        overdue_since: context.due_days.unwrap_or(due_days).overdue_since(now()),
    });
    let context = SearchContext { project: asked.project, collections: collections.collect(), whole_project: true };
    let search = parse_search(&asked.query, noun).map_err(|error| error.to_string())?;
    let mut found = BTreeSet::new();
    for uids in asked.uids.chunks(UIDS_MAX) {
        let among = search.clone().among(uids.iter().map(Uid::to_string));
        let mut request = SearchRequest::new(noun, among, context.clone(), now());
        request.caller = Caller { key: "notifications".to_owned(), ..Caller::default() };
        request.page_size = UIDS_MAX as u64;
        request.with_aggregations = false;
        let answer = index.search(request).await.map_err(|error| error.to_string())?;
        found.extend(answer.hits.iter().map(|hit| hit.record.uid()));
    }
    Ok(found)
}
