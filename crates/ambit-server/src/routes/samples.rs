//! The sample organisation: whoever looks around loads it into a project of its own.

use crate::call::Call;
use crate::failure::About;
use ambit_api::collections::Collection;
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_model::Kind;
use ambit_model::wire::WireChoice;
use ambit_store::{CollectionView, NewCollection};
use std::iter;

const NOUN: &str = "Sample";

/// Load the sample organisation: a project of its own, a collection and a run of it. A second request answers with the
/// collection of the first.
pub(crate) async fn create(call: Call) -> Result<Envelope<Collection>> {
    let sample = call.state.sample.as_ref().ok_or_else(|| ApiError::not_found(NOUN))?;
    let store = call.store();
    let blob = store.put_blob(sample.internet.as_bytes(), call.now).await.about(NOUN)?;
    let wire = (sample.wire)(blob);
    let known = store.list_collections(call.caller(), None).await.about("Collection")?;
    if let Some(known) = known.iter().find(|view| view.collection.wire == wire) {
        return Ok(answer(known));
    }
    if call.caller().scope().project.is_some() {
        return Err(ApiError::invalid("the sample has a project of its own, and this key is for one project only"));
    }
    let seeds = (sample.seeds)().map_err(|why| ApiError::with(ErrorCode::Internal, why))?;
    let name = free_name(&call, sample.project).await?;
    let project = store.create_project(call.caller(), &name).await.about("Project")?.project.id;
    // Who makes a project is not yet somebody who has it.
    let caller = store.renew(call.caller()).await.about(NOUN)?.ok_or_else(|| ApiError::not_found(NOUN))?;
    let made = store.create_collection(&caller, project, &collection(seeds, wire)).await.about(NOUN)?;
    let caller = store.renew(&caller).await.about(NOUN)?.ok_or_else(|| ApiError::not_found(NOUN))?;
    store.start_run(&caller, made.collection.uuid, false).await.about(NOUN)?;
    Ok(answer(&made))
}

/// A name that no project of the caller has. Who deleted the collection of a sample may still have its project.
async fn free_name(call: &Call, wanted: &str) -> Result<String> {
    let projects = call.store().list_projects(call.caller()).await.about("Project")?;
    let taken: Vec<String> = projects.iter().map(|view| view.project.name.to_lowercase()).collect();
    let numbered = (2..).map(|number| format!("{wanted} {number}"));
    let mut names = iter::once(wanted.to_owned()).chain(numbered);
    Ok(names.find(|name| !taken.contains(&name.to_lowercase())).expect("more names than projects"))
}

fn collection(seeds: Vec<(Kind, String)>, wire: WireChoice) -> NewCollection {
    let name = seeds.first().map_or_else(|| NOUN.to_owned(), |(_, name)| name.clone());
    NewCollection { wire, ..NewCollection::usual(&name, seeds) }
}

fn answer(of: &CollectionView) -> Envelope<Collection> {
    success("Sample", Collection::of(&of.collection, &of.never, of.role))
}
