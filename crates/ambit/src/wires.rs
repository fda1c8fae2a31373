//! Which internet a run uses: live sockets, or the simulated one that its collection stores (docs/architecture.md §2).

use crate::failure::{Failure, Result};
use crate::ledger::Recorder;
use crate::output::plain;
use ambit_model::collection::Collection;
use ambit_model::run::Run;
use ambit_model::wire::WireChoice;
use ambit_model::workflow;
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::wire::Wire;
use ambit_net::{Pace, PaceLimits};
use ambit_store::Store;
use ambit_world::{SimulatedWire, Truth, World};
use std::sync::Arc;

/// The live wire, made once per process.
pub(crate) fn live(options: LiveOptions) -> Result<Arc<dyn Wire>, String> {
    LiveWire::new(&options).map(|wire| Arc::new(wire) as Arc<dyn Wire>).map_err(|error| error.to_string())
}

/// Reads a world's text. The failure is the first problem, with file, line and word; the others are its further lines.
pub(crate) fn parse_world(text: &str, file: &str) -> Result<World> {
    let world = World::parse(text, file).map_err(|problems| {
        let mut lines = problems.iter().map(|problem| plain(&problem.to_string()));
        let first = lines.next().unwrap_or_else(|| format!("{file} cannot be read"));
        let more: Vec<String> = lines.collect();
        let count = match more.len() {
            0 => String::new(),
            count => format!(" (and {count} more)"),
        };
        Failure::usage(format!("{first}{count}")).with_more(more)
    })?;
    let unknown = world.expected_issues().filter(|(name, _)| ambit_checks::find(name).is_none());
    match unknown.min_by_key(|(_, line)| *line) {
        None => Ok(world),
        Some((name, line)) => Err(Failure::usage(format!(
            "{file}:{line}: `{}`: no issue has this name; docs/reference.md lists all",
            plain(name)
        ))),
    }
}

/// A simulated internet in the state of a run.
pub(crate) struct Simulated {
    pub(crate) wire: Arc<SimulatedWire>,
    pub(crate) truth: Truth,
}

/// The simulated wire of a collection in the run's state.
pub(crate) async fn simulated(store: &Store, collection: &Collection, run: &Run) -> Result<Simulated, String> {
    let WireChoice::Simulated { blob, .. } = &collection.wire else {
        return Err("the collection is live".to_owned());
    };
    let bytes = store
        .blob(*blob)
        .await
        .map_err(|error| error.to_string())?
        .ok_or("the text of its simulated internet is missing from the store")?;
    let text = String::from_utf8(bytes).map_err(|_| "the text of its simulated internet is not UTF-8")?;
    let world = parse_world(&text, &collection.printable_name).map_err(|failure| failure.to_string())?;
    let world = match workflow::find(&collection.workflow) {
        Some(workflow) => world.for_workflow(workflow),
        None => world,
    };
    let epoch = store.epoch().await.map_err(|error| error.to_string())?;
    Ok(Simulated { wire: world.wire(epoch, run.wire_state), truth: world.truth(epoch, run.wire_state) })
}

/// The options of a live wire of one run, whose contacts are written down.
pub(crate) fn seen(
    options: &LiveOptions,
    recorder: Option<&Recorder>,
    collection: &Collection,
    run: &Run,
) -> LiveOptions {
    let witness = recorder.map(|recorder| recorder.of_run(collection.uuid, run.number));
    LiveOptions { witness, ..options.clone() }
}

/// The maker that the engine's service asks for each run. All live runs of the process share one rate limiter; a
/// simulated internet has its own, since its clock begins with the run.
pub(crate) fn maker(
    store: Store,
    live_options: LiveOptions,
    limits: PaceLimits,
    recorder: Option<Recorder>,
) -> ambit_engine::WireMaker {
    let shared = Arc::new(Pace::new(limits.clone()));
    Arc::new(move |collection, run| {
        let (store, shared, limits) = (store.clone(), shared.clone(), limits.clone());
        let live_options = seen(&live_options, recorder.as_ref(), &collection, &run);
        Box::pin(async move {
            match &collection.wire {
                WireChoice::Live => Ok((live(live_options)?, shared)),
                WireChoice::Simulated { .. } => {
                    let simulated = simulated(&store, &collection, &run).await?;
                    Ok((simulated.wire as Arc<dyn Wire>, Arc::new(Pace::new(limits))))
                }
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Clearance, Kind};
    use ambit_store::{NewCollection, NewOwner, Options, Started};

    #[test]
    fn an_expectation_of_an_issue_that_nothing_reports_is_refused() {
        let small = include_str!("../../../worlds/small.world");
        let with =
            |issue: &str| parse_world(&format!("{small}\nexpect no-issue {issue} Domain acme.test\n"), "my.world");
        assert!(with("spf_missing").is_ok());
        let refused = with("spf_misssing").unwrap_err().to_string();
        let line = small.lines().count() + 2;
        assert!(refused.starts_with(&format!("my.world:{line}: `spf_misssing`: no issue has this name")), "{refused}");
    }

    #[tokio::test]
    async fn live_runs_share_a_ledger_and_a_clock_that_begins_anew_has_its_own() {
        let folder = std::env::temp_dir().join(format!("ambit-wires-{}", uuid::Uuid::new_v4()));
        let owner = NewOwner { email: "owner@acme.test".to_owned(), organization: "Acme".to_owned(), username: None };
        let (store, _) = Store::init(&Options::folder(&folder), &owner, crate::clock::now()).await.expect("opens");
        let caller = store.local_operator().await.expect("there is an owner").at(crate::clock::now());
        let project = store.choose_project(&caller, None).await.expect("reads").expect("has one");
        let text = include_str!("../../../worlds/small.world");
        let blob = store.put_blob(text.as_bytes(), crate::clock::now()).await.expect("is stored");
        let live =
            LiveOptions { resolvers: vec!["127.0.0.1:9".parse().expect("an address")], ..LiveOptions::default() };
        let maker = maker(store.clone(), live, PaceLimits::default(), None);
        for (wire, shares) in [(WireChoice::Live, true), (WireChoice::Simulated { blob, state: 1 }, false)] {
            let new = NewCollection {
                wire,
                level: Clearance::L1,
                ..NewCollection::usual("Acme", vec![(Kind::Domain, "acme.test".to_owned())])
            };
            let made = store.create_collection(&caller, project, &new).await.expect("is made");
            let collection = made.collection;
            let started = store.start_run(&caller, collection.uuid, false).await.expect("starts");
            let (Started::Scheduled(run) | Started::Open(run)) = started;
            let (_, first) = maker(collection.clone(), run.clone()).await.expect("is made");
            let (_, second) = maker(collection, run).await.expect("is made");
            assert_eq!(Arc::ptr_eq(&first, &second), shares);
        }
        store.close().await;
        std::fs::remove_dir_all(folder).expect("can be removed");
    }
}
