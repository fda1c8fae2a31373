//! Whether stores have an app, and what they say of it: who makes it, in which version it is given out. How each store
//! is asked is data (`ambit-cloud/src/app_stores/`).

use crate::ask::provider::{NOBODY, patiently, request};
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Task, TaskError};
use ambit_cloud::form::{Asset, Place};
use ambit_cloud::{app_store, provider};
use ambit_model::entity::{app, host_of};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::http::HttpRequest;
use app::Listing;
use serde_json::Value;

pub(crate) const TASK: Task = Task {
    name: TaskName::AppStore,
    pretty_name: "App store",
    description: "Asks Apple's App Store, Google Play and F-Droid whether they have an app, who its publisher is, and \
                  which version they offer.",
    workflows: &[workflow::MOBILE_APPS],
    watches: Kind::APPS,
    produces: &[Kind::DnsRecord, Kind::Domain],
    cost: 1,
    gain: 20,
    contacts: Contacts::Provider(PROVIDER),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// The ground on which stores are asked.
const PROVIDER: &str = "app_store";
/// Bytes of the longest answer that is read: a page of Google Play has one or two megabytes.
const ANSWER_BYTES_MAX: usize = 8 * 1_024 * 1_024;
/// Letters that are kept of what a store says: of a title or a name of people longer ones are made up.
const TEXT_CHARS_MAX: usize = 300;

/// The names of the stores that have apps of a kind.
pub(crate) fn stores_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    let has = move |store: &&'static provider::Provider| {
        store.app_list().is_some_and(|list| list.kinds().any(|known| known == kind.name()))
    };
    provider::app_stores().iter().filter(has).map(|store| store.name.as_str())
}

/// Each store is a probe of its own: one that fails says nothing of the others.
fn plan(facts: &Facts, _: &Settings) -> Plan {
    Plan::each(stores_of(facts.kind).map(str::to_owned))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let unknown = || TaskError::Failed(format!("this version knows no store {:?}", cx.argument));
    let store = provider::app_store(cx.argument).ok_or_else(unknown)?;
    let (list, id) = (store.app_list().ok_or_else(unknown)?, cx.facts.name.as_str());
    let place = Place { account: id, ..Place::default() };
    let asked = list.request(None, &Value::Null, &place).ok_or_else(unknown)?;
    let url = format!("{}{}", store.base(&Value::Null).ok_or_else(unknown)?, asked.target);
    let dressed = || {
        let request = request(cx, PROVIDER, &url, Vec::new(), &asked)?;
        Ok(HttpRequest { body_kept: ANSWER_BYTES_MAX, ..request })
    };
    let read = |status: u16, body: &[u8]| app_store::app(list, id, (status, body));
    let Some(asset) = patiently(cx, (NOBODY, &store.pretty_name), dressed, read).await? else {
        return Ok(Answer::Absent);
    };
    for site in &asset.hosts {
        cx.found_host(host_of(site), EdgeKind::Link);
    }
    cx.observe(app::STORES, vec![listing(&store.name, &asset)]);
    Ok(Answer::Found)
}

/// What a store says of an app. What is no URL is no page of it and no site.
fn listing(store: &str, asset: &Asset) -> Listing {
    let text = |member: &str| said(asset.says.get(member)?);
    let url =
        |member: &str| text(member).filter(|url| ["https://", "http://"].iter().any(|begin| url.starts_with(begin)));
    Listing {
        store: store.to_owned(),
        url: url("url"),
        title: text("title"),
        developer: text("developer"),
        developer_site: url("developer_site"),
        version: text("version"),
        version_code: text("version_code"),
        released: text("released"),
        minimum_system: text("minimum_system"),
    }
}

/// A text, cut; of a list of objects that of the first one.
fn said(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.chars().take(TEXT_CHARS_MAX).collect()),
        Value::Array(items) => said(items.first()?.as_object()?.values().next()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;
    use serde_json::json;

    #[test]
    fn an_app_is_asked_for_in_the_stores_of_its_system() {
        for (kind, stores) in
            [(Kind::AndroidApp, &["f_droid", "google_play"][..]), (Kind::IosApp, &["apple_app_store"])]
        {
            let planned = plan(&facts(kind, "test.acme.shop", json!({})), &Settings::default());
            assert_eq!(planned, Plan::Each(stores.iter().map(|store| (*store).to_owned()).collect()));
        }
    }

    #[test]
    fn what_a_store_says_is_kept_within_limits() {
        let says = json!({"title": "x".repeat(1_000), "developer": 7, "developer_site": "javascript:alert(1)",
            "version": [{"name": "2.1"}, {"name": "2.0"}], "released": [], "url": "https://play.example/x"});
        let asset = Asset { says: says.as_object().cloned().unwrap(), ..Asset::default() };
        let found = listing("google_play", &asset);
        assert_eq!(found.title.map(|title| title.len()), Some(TEXT_CHARS_MAX));
        assert_eq!((found.developer, found.developer_site, found.released), (None, None, None));
        assert_eq!((found.version.as_deref(), found.url.as_deref()), (Some("2.1"), Some("https://play.example/x")));
    }
}
